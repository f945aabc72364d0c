#!/usr/bin/env perl
# Every key of every command: --list-keys lists them, and the table here checks the effect of each.
# The test fails for a command that is not in the table, and for a key in the README that no command
# has.
use Screen;
use Time::HiRes 'time';

my @spins = sort { $a <=> $b } map { start_work('spin', '-rn', 1) } 1 .. 3;
my $sleeper = start_work('sleep', 600);
my @rows = sort { $a <=> $b } @spins, $sleeper;
my ($first, $second, $third) = @spins;
my $screen; # what a key is typed at

# ---- How an effect is seen: a pattern, or a sub that gets the screen's text ----

sub gone {
    my ($pattern) = @_;
    return sub { $_[0] !~ $pattern };
}

# Seen at each look of two refreshes: not only in one from before, nor before an empty one.
sub steady {
    my ($pattern) = @_;
    my $since;
    return sub {
        $since = $_[0] =~ $pattern ? $since // time : undef;
        return if !$since || time - $since < 0.5;
        undef $since;
        return 1;
    };
}

sub selected {
    my ($pid) = @_;
    return sub { $screen->is_selected($pid) };
}

sub titled {
    my ($pattern) = @_;
    return sub { join(' ', Screen::titles($_[0])) =~ $pattern };
}

sub sorted {
    my ($title) = @_;
    return titled(qr/[▼▲v^]\Q$title\E\b|\b\Q$title\E[▼▲v^](?!%)/);
}

my $table = sub { join(' ', Screen::pids($_[0])) eq "@rows" && $_[0] =~ /\bq quit\b/ };
my $search = qr/^Search:/m;
my $help = qr/^Keys *$/m;
my $setup = qr/^>Columns /m;
my $callers = qr/^Callers, in |^ *no samples in this interval/m;
my $chart = qr/^(?:machine: |\w+  PID )/m;
my ($inside, $outside) = (qr/\bEsc back\b/, qr/\bEsc close\b/);

# ---- What leads to where a command is, and what undoes it: keys, \text, and what is waited for ----

my @searched = ('/', $search, \'spin', 'Enter', gone($search), selected($first));
my @helping = ('F1', $help);
my @setting_up = ('F2', $setup, $outside);
my @charting = ('F8', $chart);
my $cursor = qr/\bcursor \d\d:/;
my @out = ('Escape', $outside, 'Escape');

sub section {
    my ($name) = @_;
    my %down = (columns => 0, screens => 1, themes => 2, display => 3, save => 4);
    return (@setting_up, ('Down') x $down{$name}, qr/^>\u$name\b/m, 'Right', $inside);
}

# A command that opens a line or a page, which Esc closes.
sub opens {
    my ($pattern, @before) = @_;
    return {before => \@before, see => $pattern, undo => ['Escape', @before ? 'Home' : ()]};
}

# "pane command" => the name of the test that types its keys; or {before, see, undo}, and after: what is
# typed then, to see it.
my %effects = (
    'table help' => opens($help),
    'table setup' => opens($setup),
    'table search' => opens($search),
    'table search-again' => {before => \@searched, see => selected($second), undo => ['Home']},
    'table search-back' => {before => [@searched, 'n', selected($second)], see => selected($first), undo => ['Home']},
    'table jump' => {see => sub { $_[0] =~ /^(?:pid|no row has the pid) \d+|^Jump to:/m }, undo => ['Escape', 'Home']},
    'table follow' => {before => ['Down'], see => qr/\bfollowing $rows[0]\b/, undo => ['Home']},
    'table tag' => {before => ['Down', selected($rows[0])], see => qr/^\* *$rows[0] /m, undo => ['U', 'Home']},
    'table untag-all' => {before => ['Down', 'Space', qr/^\*/m], see => gone(qr/^\*/m), undo => ['Home']},
    'table kill' => opens(qr/^(?:Signal )?for $rows[0]\b/m, 'Down', selected($rows[0])),
    'table watch' => opens(qr/^Mark rows of:/m),
    'table filter' => opens(qr/^Filter:/m),
    'table sort' => opens(qr/^Sort by\b/m),
    'table sort-left' => {before => ['>', sorted('USER')], see => sorted('PID'), undo => ['I']},
    'table sort-right' => {see => sorted('USER'), undo => ['<', sorted('PID'), 'I']},
    'table sort-invert' => {see => sub { join(' ', Screen::pids($_[0])) eq join ' ', reverse @rows }, undo => ['I']},
    'table sort-cpu' => {see => sorted('%CPU'), undo => ['F6', qr/^Sort by\b/m, 'Home', 'Enter', sorted('PID'), 'I']},
    'table threads' => {see => qr/\bTID\b/, undo => ['H']},
    'table view-next' => {see => qr/\bHEAT\b/, undo => ['BTab']},
    'table view-previous' => {see => qr/SHARE +SAMPLES .*\bFUNCTION\b/, undo => ['Tab']},
    'table functions' => {see => qr/SHARE +SAMPLES .*\bFUNCTION\b/, undo => ['p']},
    'table screen-previous' => {see => qr/^screen '(?!software)/m, undo => [']', qr/^screen 'software'/m]},
    'table screen-next' => {see => qr/^screen '(?!software)/m, undo => ['[', qr/^screen 'software'/m]},
    'table screens' => opens(qr/^Screen\b/m),
    'table cpus' => {see => qr/\bHEAT\b/, undo => ['v']},
    'table level' => {before => ['v', qr/\bHEAT\b/], see => qr/^rows are cores\b/m, undo => ['l', 'l', 'l', qr/^rows are CPUs/m, 'v']},
    'table tree' => 'rows.t',
    'table fold' => 'rows.t',
    'table unfold' => 'rows.t',
    'table fold-all' => 'rows.t',
    'table idle' => {see => gone(qr/^ *$sleeper /m), undo => ['i']},
    'table least-cpu' => opens(qr/^Least %CPU:/m),
    'table workload-more' => {see => qr/^there is no workload to change: /m},
    'table workload-less' => 'demo.t',
    'table workload-thread' => 'demo.t',
    'table workload-unthread' => 'demo.t',
    'table sticky' => {see => qr/^keeping tasks that have ended/m, undo => ['S']},
    'table cmdline' => {see => qr/\S spin -rn 1 *(?:│.*)?$/m, undo => ['c', gone(qr/\S spin -rn 1/)]},
    'table event' => opens(qr/^Add event:/m),
    'table catalogue' => opens(qr/^Search events:/m),
    'table remove-event' => opens(qr/^Remove event:/m),
    'table errors' => opens(qr/^Events *$/m),
    'table long-waits' => opens(qr/^Single waits for a CPU over /m),
    'table by-wall' => 'functions.t',
    'table attach' => opens(qr/^Attach to:/m),
    'table let-go' => opens(qr/^Detach from:/m),
    'table user' => opens(qr/^Only processes of:/m),
    'table delay' => opens(qr/^Seconds between refreshes:/m),
    'table details' => opens(qr{\bnow/s\b}, 'Down', selected($rows[0])),
    'table chart' => opens($chart),
    'table amount' => {see => titled(qr{ctxsw(?!/s)}), undo => ['o', 'o', titled(qr{ctxsw/s})]},
    'table source' => 'lines.t',
    'table lines-stop' => 'lines.t',
    'table baseline' => 'baseline.t',
    'table exact' => 'cells.t',
    'table mode' => 'cells.t',
    'table bars' => 'header.t',
    'table bars-metric' => 'header.t',
    (map { ("table copy-$_" => 'copy.t') } qw(pid command row)),
    'table save' => opens(qr/^Save screen as:/m),
    'table refresh' => 'rows.t',
    'table home' => {before => ['Down', selected($rows[0])], see => sub { !$screen->is_selected($rows[0]) }},
    'table left' => 'rows.t',
    'table right' => 'rows.t',
    'table quit' => 'restore.t',
    'prompt enter' => {before => ['/', $search, \'spin'], see => gone($search), undo => ['Home']},
    'prompt complete' => 'catalogue.t',
    'prompt search-next' => {before => ['/', $search, \'spin', selected($first)], see => selected($second), undo => ['Escape', 'Home']},
    'prompt search-previous' => {before => ['/', $search, \'spin', selected($first)], see => selected($third), undo => ['Escape', 'Home']},
    'prompt back' => {before => ['/', $search], see => gone($search)},
    'catalogue toggle' => 'catalogue.t',
    'catalogue back' => {before => ['F7', qr/^Search events:/m], see => gone(qr/^Search events:/m)},
    'details back' => {before => ['Down', selected($rows[0]), 'Enter', qr{\bnow/s +total\b}], see => gone(qr{\bnow/s +total\b}), undo => ['Home']},
    (map { my ($name, $see, @undo) = @$_;
        ("details row-$name" => {before => ['Down', selected($rows[0]), 'Enter', qr{\bnow/s\b}], see => $see, undo => [@undo, 'Home']}) }
        [functions => qr/SHARE +SAMPLES .*\bFUNCTION\b/, "p"], [chart => $chart, 'Escape'],
        [threads => qr/\bTID\b/, 'H']),
    'details notes' => {before => ['Down', selected($rows[0]), 'Enter', qr{\bnow/s\b}], see => qr/^ +software type=1/m, undo => ['n', 'Escape', 'Home']},
    'chart chart' => {before => \@charting, see => sub { $_[0] !~ /COMMAND/ && $_[0] =~ $chart }, undo => ['Escape', 'Home']},
    'chart back' => {before => \@charting, see => gone($chart)},
    'chart left' => {before => \@charting, see => $cursor, undo => ['Escape', 'Escape']},
    'chart right' => {before => [@charting, 'Home', $cursor, 'Escape', gone($cursor)], see => $cursor, undo => ['Escape', 'Escape']},
    'chart home' => {before => \@charting, see => $cursor, undo => ['Escape', 'Escape']},
    'chart end' => {before => \@charting, see => $cursor, undo => ['Escape', 'Escape']},
    'chart machine' => {before => [@charting, 'Down', qr/^\w+  PID $rows[0]\b/m], see => qr/^machine: /m, undo => ['Escape', 'Home']},
    'chart up' => {before => [@charting, 'Down', 'Down', qr/^\w+  PID $rows[1]\b/m], see => qr/^\w+  PID $rows[0]\b/m, undo => ['Escape', 'Home']},
    'chart down' => {before => \@charting, see => qr/^\w+  PID $rows[0]\b/m, undo => ['Escape', 'Home']},
    'chart page-up' => {before => [@charting, 'Down', 'Down', qr/^\w+  PID $rows[1]\b/m], see => qr/^\w+  PID $rows[0]\b/m, undo => ['Escape', 'Home']},
    'chart page-down' => {before => \@charting, see => qr/^\w+  PID $rows[-1]\b/m, undo => ['Escape', 'Home']},
    'chart next-curve' => {before => \@charting, see => qr/^>ctxsw/m, undo => ['Escape']},
    'chart previous-curve' => {before => [@charting, 'Tab', qr/^>ctxsw/m], see => qr/^>busy/m, undo => ['Escape']},
    'table beside' => 'beside.t',
    (map { ($_ => 'width.t') } map { ("$_ zoom-in", "$_ zoom-out") } 'chart', 'details'),
    (map { ("chart $_" => 'chart.t') } qw(next-metric previous-metric add-curve remove-curve)),
    'signals choose' => 'kill.t',
    'signals back' => {before => ['Down', 'k', qr/^Signal\b/m], see => gone(qr/^Signal\b/m), undo => ['Home']},
    'confirmation send' => 'kill.t',
    'confirmation back' => {before => ['Down', 'k', qr/^Signal\b/m, 'Enter', qr/^send SIGTERM/m], see => gone(qr/^send SIGTERM/m),
        undo => ['Escape', gone(qr/^Signal/m), 'Home']},
    'setup open' => {before => \@setting_up, see => $inside, undo => \@out},
    'setup back' => {before => \@setting_up, see => gone($setup)},
    'setup-columns back' => {before => [section('columns')], see => $outside, undo => ['Escape']},
    'setup-lines back' => {before => [section('display')], see => $outside, undo => ['Escape']},
    (map { ("setup-columns $_" => 'setup.t') } qw(edit-metric column-left column-right column-wider
        column-narrower column-usual new-metric undo save)),
    'setup-columns add-column' => {before => [section('columns')], see => qr/^\W*\w* +Add:/m, undo => ['Escape', @out]},
    'setup-columns remove-column' => {before => [section('columns')], see => gone(qr/^(?!.*pid).*\bPID\b.*USER/m), undo => ['u', @out]},
    'setup-add add-column' => 'setup.t',
    'setup-add back' => {before => [section('columns'), 'a', qr/\bAdd:/], see => gone(qr/\bAdd:/), undo => \@out},
    'setup-lines choose' => 'setup_choices.t',
    'choice choose' => {before => ['F6', qr/^Sort by\b.*^PID +\S/ms, 'Home', 'Down'], see => sorted('USER'), undo => ['<', sorted('PID'), 'I']},
    'choice back' => {before => ['F6', qr/^Sort by\b/m], see => gone(qr/^Sort by\b/m)},
    'users choose' => 'targets.t',
    'users back' => {before => ['u', qr/^Only processes of:/m], see => gone(qr/^Only processes of:/m)},
    'any commands' => opens(qr/^Command:/m),
    'commands run' => 'commands.t',
    'commands back' => {before => [':', qr/^Command:/m], see => gone(qr/^Command:/m)},
    'screens choose' => 'face.t',
    'screens back' => {before => ['V', qr/^Screen\b/m], see => gone(qr/^Screen\b/m)},
    'table callers' => 'instructions.t',
    'table icicle' => 'icicle.t',
    'details row-icicle' => 'icicle.t',
    'table stacks' => 'icicle.t',
    'takers back' => 'spans.t',
    'waits back' => {before => ['`', qr/^Single waits for a CPU over /m], see => gone(qr/^Single waits for a CPU over /m)},
    (map { ("icicle $_" => 'icicle.t') } qw(zoom zoom-out back icicle search search-again search-back inlined colours stacks measure)),
    'table code-back' => 'instructions.t',
    'table code-hottest' => 'instructions.t',
    'page back' => {before => ['E', qr/^Events *$/m], see => gone(qr/^Events *$/m)},
    'callers back' => {before => ['p', steady(qr/\bspin +main *$/m), 'G', $callers], see => gone($callers),
        undo => ['p', 'Home']},
    'help back' => {before => \@helping, see => gone($help)},
    'any up' => {before => [@helping, 'Down', gone($help)], see => $help, undo => ['Escape']},
    'any down' => {before => \@helping, see => gone($help), undo => ['Escape']},
    'any page-up' => {before => [@helping, 'NPage', gone($help)], see => $help, undo => ['Escape']},
    'any page-down' => {before => \@helping, see => gone($help), undo => ['Escape']},
    'any home' => {before => [@helping, 'End', gone($help)], see => $help, undo => ['Escape']},
    'any end' => {before => \@helping, see => gone($help), undo => ['Escape']},
    'any left' => {before => ['/', $search, \'ab', qr/^Search: ab/m], after => [\'x'], see => qr/^Search: axb/m, undo => ['Escape']},
    'any right' => {before => ['/', $search, \'ab', 'Left', 'Left'], after => [\'x'], see => qr/^Search: axb/m, undo => ['Escape']},
    'any help' => {before => ['E', qr/^Events *$/m], see => qr/^On a page to read *$/m, undo => ['Escape', 'Escape']},
    'any pause' => {see => qr/\bPAUSED\b/, undo => ['Z']},
    'any time-back' => {see => qr/ PAST /, undo => ['$']},
    'any time-forth' => 'rewind.t',
    'any time-page-back' => 'rewind.t',
    'any time-page-forth' => 'rewind.t',
    'any time-first' => {see => qr/ PAST /, undo => ['$']},
    'any time-last' => {before => [',', qr/ PAST /], see => gone(qr/ PAST /)},
    'any time-seek' => opens(qr/^Go to:/m),
    'any time-alarm' => 'alarm.t',
    'table when' => opens(qr/^Alarm when:/m),
    'any time-speed' => {see => qr/^live: use , and \. to look back/m, undo => ['Home']},
    'any repaint' => 'pause.t',
);

# Keys of movement that are text where one could move with them, or another command there.
my %elsewhere = map { $_ => 1 } 'any left h', 'any right l';

# ---- The keys, as --list-keys has them, by tmux's names ----

my %tmux = (Esc => 'Escape', PgUp => 'PPage', PgDn => 'NPage', Insert => 'IC', Delete => 'DC', 'Shift-Tab' => 'BTab', Backspace => 'BSpace', Semicolon => ';');

sub tmux_name {
    my ($key) = @_;
    return $tmux{$key} // $key =~ s/^Shift-/S-/r =~ s/^\^(.)$/'C-' . lc $1/er;
}

sub list_keys {
    my @commands;
    for (split /\n/, `countertop --list-keys --no-config`) {
        my ($pane, $command, $keys) = /^(\S+) +(\S+)  +(\S+(?: \S+)*)  +\S/ or die "crooked: $_";
        push @commands, {name => "$pane $command", keys => [split / /, $keys]};
    }
    return @commands;
}

# ---- Trying ----

# Types keys and text, and waits; false when what is waited for does not come.
sub follow {
    for my $step (@_) {
        my $kind = ref $step;
        if ($kind eq 'Regexp' || $kind eq 'CODE') {
            $screen->wait($step) or return 0;
        } elsif ($kind) {
            $screen->type($$step);
        } else {
            $screen->key($step);
        }
    }
    return 1;
}

sub try_key {
    my ($name, $effect, $key) = @_;
    my $done = follow(@{$effect->{before} // []});
    my $before = $screen->text;
    $screen->key(tmux_name($key));
    $done &&= follow(@{$effect->{after} // []}, $effect->{see});
    ok($done, "$key: $name") or diag "before $key:\n$before";
    follow(@{$effect->{undo} // []}, $table) or die "$name cannot be undone\n";
}

# Whether a test types the key.
sub types {
    my ($file, $key) = @_;
    my $text = do { local (@ARGV, $/) = "$ENV{TOP}/tests/tui/$file"; <> };
    my $name = tmux_name($key);
    return $text =~ /(['"])\Q$name\E\1/ || length $name == 1 && $text =~ /(?:type|shows->|press)\([^\n]*\Q$name\E/;
}

my @commands = list_keys();
my %known = map { $_->{name} => 1 } @commands;
is_deeply([grep { !$effects{$_} } map { $_->{name} } @commands], [], 'each command has its test');
is_deeply([grep { !$known{$_} } sort keys %effects], [], 'each test is of a command');
for my $command (grep { !ref $effects{$_->{name}} } @commands) {
    my $file = $effects{$command->{name}};
    is_deeply([grep { !types($file, $_) } @{$command->{keys}}], [], "$file types the keys of $command->{name}");
}

# What the manual offers to those who come from other tools is there: the third column of its table.
my %keys = map { $_ => 1 } map { @{$_->{keys}} } @commands;
my $options = `countertop --help all`;
my $manual = do { local (@ARGV, $/) = "$ENV{TOP}/src/cli/countertop.1.in"; <> };
my ($coming) = $manual =~ /^\.SH COMING FROM OTHER TOOLS\n.*?^there .*?\n(.*?)^\.ft$/ms;
my @offered = map { s/\\-/-/gr } map { (split / {2,}/)[-1] =~ /(?<![\w-])(F\d+|\w|Left|Right|Tab|\\-\\-\w+)(?!\w)/g }
    split /\n/, $coming // '';
cmp_ok(@offered, '>', 15, 'the manual names keys that other tools have');
is_deeply([grep { /^-/ ? $options !~ /^[^\n]*(?<!\S)\Q$_\E(?:,| )/m : !$keys{$_} } @offered], [], '... and each is here');

my @arguments = ('-p', join(',', @spins, $sleeper), '-i', '-d', 0.2, '-s', 'software', '--sort', '-pid', '--engine', 'cpu');
$screen = Screen->countertop(80, 24, @arguments);
$screen->wait($table) or die "no table\n";
for my $command (grep { ref $effects{$_->{name}} } @commands) {
    try_key($command->{name}, $effects{$command->{name}}, $_)
        for grep { !$elsewhere{"$command->{name} $_"} } @{$command->{keys}};
}
done_testing;

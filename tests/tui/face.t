#!/usr/bin/env perl
# What users stumbled over: threads and the sums of their processes, conditions while they are typed,
# modes that an event ignores, panels beside the table, what counts here first, the sort mark.
use Screen;

binmode Test::More->builder->$_, ":encoding(UTF-8)" for qw(output failure_output);

my $threads = start_work('spin', '-rn', 3);
my $spin = start_work('spin', '-r');
my @watch = ('-d', 0.3, '-s', 'software', '--engine', 'cpu', '-p', "$threads,$spin");

sub closed {
    my ($pattern) = @_;
    return sub { $_[0] !~ $pattern && $_[0] =~ /COMMAND/ };
}

# With threads in a tree, a process is the sum of its threads, and looks like it.
for my $case ([[], 'Σ', 'LC_ALL=C.UTF-8'], [['--ascii'], 'sum', 'LC_ALL=C.UTF-8'], [[], 'sum', 'LC_ALL=C']) {
    my ($options, $sign, $locale) = @$case;
    my $screen = Screen->new(80, 24, "$locale " . countertop_command(@watch, @$options));
    $screen->wait(qr/COMMAND/);
    $screen->key('H', 't');
    ok($screen->wait(qr/^ *$threads +$sign .*\bspin\n(?: *$threads +\d+ .* spin\n){3}/m),
        "$locale @$options: the process has $sign for a TID, its threads are below");
    ok($screen->wait(qr/^ *$spin +$spin .*\bspin$/m), '... one thread is itself');
    $screen->resize(100, 130);
    $screen->key('F1');
    ok($screen->wait(qr/^$sign +as TID: the whole process/m), '... and the help says what it is');
    $screen->close;
}

# The help knows each mark and colour of the table.
{
    my $screen = Screen->countertop(100, 130, @watch);
    $screen->wait(qr/COMMAND/);
    $screen->key('F1');
    ok($screen->wait(qr/^Marks before rows/m), 'the help has the marks before rows');
    like($screen->text, $_, "... $_") for qr/^\. +did not run/m, qr/^\+ +has ended/m, qr/^\* +tagged/m,
        qr/^> +marked/m, qr/^12\.3M~ +an estimate/m, qr/^0 +counted, and it did not happen/m,
        qr/^0\.20 +beyond the limit that is bad/m, qr/^lost 12 +at the end of the last line: something is wrong/m;
}

# A condition does not touch the rows before it is one.
{
    my $screen = Screen->countertop(80, 24, @watch);
    my $both = sub { join(' ', sort { $a <=> $b } Screen::pids($_[0])) eq join ' ', sort { $a <=> $b } $threads, $spin };
    ok($screen->wait($both), 'two rows');
    $screen->key('\\');
    $screen->wait(qr/^Filter:/m);
    for my $text ('c', 'cp', 'cpu', 'cpu ', 'cpu >', 'cpu > ', 'cpu > 0') {
        $screen->type(substr $text, -1);
        my $seen = $text =~ s/ +$//r;
        ok($screen->wait(qr/^Filter: \Q$seen\E *$/m) && $screen->wait($both), "'$text' leaves the rows");
    }
    $screen->key('C-u');
    for my $text ('p', 'pp', 'ppi', 'ppid', 'ppid =', 'ppid = 0') {
        $screen->type($text =~ /(=| 0)$/ ? " " . substr($text, -1) : substr $text, -1);
        ok($screen->wait(qr/^Filter: \Q$text\E *$/m) && $screen->wait($both), "'$text' leaves the rows");
    }
    $screen->key('Enter');
    ok($screen->wait(qr/^no row matches the filter/m), '... until it is taken, and then says what none meets');
    $screen->key('\\');
    $screen->answer(qr/^Filter:/m, 'comm = spin');
    ok($screen->wait(sub { $_[0] =~ /filter comm = spin/ && $both->($_[0]) }), 'comm is the command');
    $screen->key('\\');
    $screen->wait(qr/^Filter:/m);
    $screen->key('C-u');
    $screen->type('zz');
    ok($screen->wait(qr/^no row contains 'zz'$/m), 'what is no column is a text at once');
    $screen->key('C-u');
    $screen->type('zz and cpu > 1' . ' z' x 80);
    ok($screen->wait(qr/^no row contains 'zz and cpu > 1[ z]+\+'$/m), '... also before a condition, cut to fit');
}

# In user mode, what happens in the kernel only is marked.
{
    my $screen = Screen->countertop(120, 24, @watch);
    $screen->wait(qr{ ctxsw/s});
    $screen->key('K');
    ok($screen->wait(qr{%CPU k:ctxsw/s k:migr/s +faults/s}), 'user mode: switches and migrations are marked, faults are not');
    $screen->key('E');
    ok($screen->wait(qr/^context-switches +counted by software.*; k: it happens in kernel mode only, so the mode\s+does not\s+apply/m), '... and the page of events says why');
    $screen->key('Escape', 'K');
    ok($screen->wait(sub { $_[0] =~ /kernel only/ && $_[0] !~ /k:ctxsw/ }), '... in kernel mode not');
    is(system("countertop -b -n 1 -d 0.1 -s software --mode user --format json -p $spin | grep -q '\"context-switches\":'"), 0,
        '... nor in other formats');
}

# Panels beside the table, which goes on.
{
    my $screen = Screen->countertop(80, 24, @watch);
    $screen->wait(qr/COMMAND/);
    my $user = getpwuid $>;
    $screen->key('u');
    ok($screen->wait(qr/^Only processes of: .*\bPID\b.*COMMAND/m), 'u has the users beside the table');
    ok($screen->wait(qr/^\Q$user\E .*│/m), '... those who have processes');
    $screen->key('Down', 'Enter');
    ok($screen->wait(qr/watching .*(?:user|uid) /), '... Enter shows one');
    $screen->key('u');
    $screen->wait(qr/^Only processes of: /m);
    $screen->key('Enter');
    ok($screen->wait(sub { $_[0] !~ /user \w+/ && $_[0] !~ /^Only/m }), '... the first line is all');

    $screen->key('V');
    ok($screen->wait(qr/^Screen +│ .*\bPID\b.*COMMAND/m), 'V has the screens beside the table');
    ok($screen->wait(qr/^software +in use/m), '... with the one in use');
    ok($screen->wait(qr/^switches +\w/m), '... and others');
    my @lines = map { /^([a-z]\w*) {2,}/ ? $1 : () } split /\n/, $screen->text;
    my %place = map { $lines[$_] => $_ } 0 .. $#lines;
    $screen->key('Down') for $place{software} + 1 .. $place{faults};
    $screen->key('Enter');
    ok($screen->wait(qr/^faults +in use/m), '... Enter shows it, and the list stays');
    $screen->key('Down', 'Space');
    ok($screen->wait(qr/^switches +in use/m), '... Space, too');
    $screen->key('V');
    ok($screen->wait(closed(qr/^Screen\b/m)), '... V closes it');
    $screen->close;
}

# What cannot be counted here comes last, dim, with the reason.
SKIP: {
    skip 'hardware events count here', 4 if `countertop --list-events cycles` =~ /\byes\b.*\bcycles\b|\bcycles +yes\b/;
    my $screen = Screen->countertop(120, 40, @watch);
    $screen->wait(qr/COMMAND/);
    $screen->key('F7');
    ok($screen->wait(qr/^software events\n (?:now|yes|\.\.\.) /m), 'F7 begins with what counts here');
    $screen->key('Escape', 'F2');
    $screen->wait(qr/^>Columns/m);
    $screen->key('Enter');
    $screen->wait(qr/Esc back/);
    $screen->key('a');
    $screen->wait(qr/not here/);
    my ($list) = $screen->text =~ /(Add: .*)/s;
    my $first = index $list, 'not here';
    unlike(substr($list, $first), qr/^ +(?:ppid|state) /m, 'F2: first all columns that can be counted');
    $screen->type('ipc');
    ok($screen->wait(qr/ipc +IPC: not here: no hardware counters/), '... one that cannot says so');
    unlike($screen->text, qr/would count cycles/, '... and does not promise to count it');
}

# The sort mark stands before its title, apart from the one to the left, without colours, too.
for my $environment ('TERM=tmux-256color', 'NO_COLOR=1', 'TERM=vt100 LC_ALL=C') {
    my $screen = Screen->new(80, 24, "$environment " . countertop_command(@watch));
    ok($screen->wait(qr{P +[▼v]%CPU ctxsw/s}), "$environment: %CPU sorts");
    $screen->key('>');
    ok($screen->wait(qr{%CPU [▼v]ctxsw/s migr/s}), '... then the one after it');
    $screen->close;
}

# A wide screen has the command line beside the name; c shows it alone, and a narrow one only then.
{
    my $screen = Screen->countertop(150, 24, @watch);
    ok($screen->wait(qr/ P +[▼v]%CPU .* COMMAND *\n(?:.*\n)*.* spin {13}spin -rn 3 *$/m),
        'a wide screen: names and command lines');
    $screen->key('c');
    ok($screen->wait(qr/\S spin -rn 3 *$/m), '... c: command lines alone');
    $screen->key('c');
    ok($screen->wait(qr/ spin {13}spin -rn 3 *$/m), '... and back');
    $screen->resize(80, 24);
    ok($screen->wait(sub { $_[0] =~ /\S spin *$/m && $_[0] !~ /spin -rn/ }), '... 80 columns: names');
    $screen->close;
}

done_testing;

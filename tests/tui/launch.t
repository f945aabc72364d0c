#!/usr/bin/env perl
# A command started in the terminal: the table is updated while it runs and stays with the totals
# after its end; its output is written after the screen is restored.
use Countertop;
use Screen;

my $dir = tempdir(CLEANUP => 1);

sub touch {
    open my $file, '>', "$dir/$_[0]" or die "$_[0]: $!";
}


# A shell script that runs on until a file is there, and says how it ended.
sub script {
    my ($name, $end) = @_;
    open my $file, '>', "$dir/$name" or die;
    print $file "trap 'echo HUP >$dir/$name.signal; exit' HUP\n",
        "echo written by $name; echo and to its error >&2\n",
        "[ -t 0 ] || echo no input >$dir/$name.input; [ -t 1 ] || echo no output >>$dir/$name.input\n",
        "echo \$\$ >$dir/$name.new; mv $dir/$name.new $dir/$name.pid\n",
        "until [ -e $dir/$name.end ]; do sleep 0.02; done; $end\n";
    return "$dir/$name";
}

# With the table on the screen and the script running.
sub countertop_on {
    my ($width, $height, $script, @options) = @_;
    my $screen = Screen->new($width, $height, countertop_command('-d', 0.2, '-s', 'software', @options,
        '--', 'sh', $script) . '; echo status $?');
    $screen->wait(sub { Screen::rows($_[0]) }) && wait_for(sub { -e "$script.pid" })
        or die "$script does not run";
    return $screen;
}

# What was recorded beside the screen: of each pid and column the sum, and the last interval's.
my %event = (ctxsw => 'context-switches', migr => 'cpu-migrations'); # what fits on 80 columns

sub recorded {
    my ($file) = @_;
    my (%sum, %last);
    my $run = countertop(qw(-b --format json --replay), $file);
    for my $refresh (grep { $_->{type} eq 'refresh' } json_lines($run->{out})) {
        %last = ();
        for my $task (@{$refresh->{tasks}}) {
            for my $column (keys %event) {
                my $count = $task->{counts}{$event{$column}} // next;
                $sum{$task->{pid}}{$column} += $count;
                $last{$task->{pid}}{$column} = $count;
            }
        }
    }
    return (\%sum, \%last);
}

# The cells of the rows by pid, with the titles that they have.
sub cells_on {
    my ($text, @titles) = @_;
    return {map { my $row = $_; $row->{PID} => {map { $_ => $row->{$_} } @titles} } Screen::rows($text)};
}

# At the end of a command o goes through its totals, its rates and the last interval, and both the
# header and the notice say which is shown.
for my $case ([80, 24, 'cpu'], [200, 50, 'task']) {
    my ($width, $height, $engine) = @$case;
    my $at = "$width, $engine";
    my $name = "amount$width$engine";
    my $file = "$dir/$name.db";
    mkdir "$dir/$name.ini";
    my $screen = countertop_on($width, $height, script($name, 'exit 2'), '--engine', $engine, '--exact',
        '--record', $file, '-W', "$dir/$name.ini", '--view', 'tasks');
    like($screen->text, qr{ ctxsw/s }, "$at: rates of each interval while it runs");
    unlike($screen->text, qr/counts /, "$at: ... which the titles say");
    touch("$name.end");
    ok($screen->wait(qr/ended with status 2 after [\d.]+ s; totals since its start; q quits/),
        "$at: totals, says the notice");
    my $text = $screen->text;
    like($text, qr/watching sh .* counts since the start, [\d.]+m?s\b/, "$at: ... and the header");
    unlike($text, qr/every 0\.2 s/, "$at: ... and not how often");
    like($text, qr/\bself +[\d.]+m?s\b/, "$at: countertop's own time is one");
    my $totals = cells_on($text, keys %event);
    # The last interval is recorded after it is drawn.
    my ($sum, $last);
    wait_for(sub {
        ($sum, $last) = recorded($file);
        return !grep { my $pid = $_; grep { $totals->{$pid}{$_} ne $sum->{$pid}{$_} } keys %event } keys %$totals;
    });
    ok($totals->{slurp_or_empty("$dir/$name.pid") + 0}, "$at: the command has a row");
    is_deeply($totals, {map { $_ => $sum->{$_} } keys %$totals}, "$at: the numbers are totals");

    $screen->type('o');
    ok($screen->wait(qr/; rates since its start; q quits/), "$at: o: rates, says the notice");
    $text = $screen->text;
    like($text, qr/ counts a second since the start, [\d.]+m?s\b/, "$at: ... and the header");
    my ($seconds, $milli) = $text =~ / counts a second since the start, ([\d.]+)(m?)s\b/;
    $seconds /= 1000 if $milli;
    my $rates = cells_on($text, 'ctxsw/s');
    my %off;
    for my $pid (keys %$rates) {
        my ($rate, $expected) = ($rates->{$pid}{'ctxsw/s'}, $sum->{$pid}{ctxsw} / $seconds);
        $off{$pid} = "$rate, not $expected" if abs($rate =~ s/^<//r - $expected) > 1 + $expected / 20;
    }
    is_deeply(\%off, {}, "$at: the numbers are rates of the whole run");

    $screen->type('o');
    ok($screen->wait(qr/; counts of its last interval; q quits/), "$at: o: the last interval");
    $text = $screen->text;
    like($text, qr/ counts in the last interval, [\d.]+[mu]?s\b/, "$at: ... says the header too");
    my $counts = cells_on($text, keys %event);
    is_deeply($counts, {map { $_ => $last->{$_} } keys %$counts}, "$at: the numbers are its counts");

    $screen->type('o');
    ok($screen->wait(qr/; totals since its start; q quits/), "$at: o: totals again");
    is_deeply($screen->reads(sub { cells_on($_[0], keys %event) }, $totals), $totals, "$at: the same");

    # Nobody asked for totals: they are not for good.
    $screen->key('F2');
    $screen->wait(qr/^>Columns/m);
    $screen->key('End', 'Right', 'Enter');
    ok($screen->wait(qr/^wrote \S+settings\.ini *$/m), "$at: settings are saved");
    my $settings = slurp_or_empty("$dir/$name.ini/settings.ini");
    like($settings, qr/^exact = yes$/m, "$at: ... with what was chosen");
    unlike($settings, qr/^show = /m, "$at: ... and without totals");
    $screen->close;
}

for my $case ([80, 24, 'cpu']) {
    my ($width, $height, $engine) = @$case;
    my $name = "end$width";
    my $screen = countertop_on($width, $height, script($name, 'exit 2'), '--engine', $engine, '--view', 'tasks');
    ok($screen->wait(sub { my @rows = Screen::rows($_[0]); @rows && $rows[-1]{COMMAND} =~ /^(sh|sleep)$/ }),
        "$width: the table lives while the command runs");
    like($screen->text, qr/watching sh /, "$width: ... the header says what is watched");
    is(slurp_or_empty("$dir/$name.input"), "no input\nno output\n", "$width: ... which has no terminal");
    unlike($screen->text, qr/written/, "$width: ... and writes nothing on the screen");
    touch("$name.end");
    ok($screen->wait(qr/^'sh' ended with status 2 after [\d.]+ s; totals since its start; q quits/m),
        "$width: its end is told");
    ok((grep { $_->{COMMAND} eq 'sh' } Screen::rows($screen->text)), "$width: the table stays");
    $screen->key('H');
    ok($screen->wait(qr/PID +TID/), "$width: ... and can be looked at");
    $screen->type('e');
    ok($screen->wait(qr/nothing is counted any more: the command has ended/),
        "$width: ... but nothing is counted any more");
    my $pid = $screen->pid_of('countertop');
    is(scalar(grep { readlink($_) =~ /perf_event/ } glob "/proc/$pid/fd/*"), 0,
        "$width: ... indeed");
    $screen->key('q');
    ok($screen->wait(qr/^written by $name\nand to its error\nstatus 0$/m),
        "$width: what it wrote comes when the screen is back, and the status is 0");
}

# Without a view that the user chose the end is ranked by command, with shares; o goes to rates.
my $ranked = countertop_on(120, 40, script('ranked', 'brood -n -p 3 500'));
like($ranked->text, qr/^ +PID /m, 'processes while it runs');
touch('ranked.end');
ok($ranked->wait(qr/ PROCS +TIME +%TIME .* faults +%faults .*COMMAND\n.* (?:brood|sh|sleep)$/m), 'commands when it has ended');
like($ranked->text, qr/\[Commands\]/, '... says the header');
like($ranked->text, qr/; q quits\. CPU time: [\d.e-]+ s user, [\d.e-]+ s kernel/, '... and the notice has the CPU time');
like($ranked->text, qr/^ +\d+ +\S+ .* brood$/m, '... each with its processes');
$ranked->type('o');
ok($ranked->wait(qr/ PROCS +▼%CPU +ctxsw\/s /), 'o: rates, without shares');
$ranked->close;

# Paused, the totals are shown all the same.
my $screen = countertop_on(80, 24, script('paused', 'kill -9 $$'));
$screen->type('Z');
ok($screen->wait(qr/PAUSED/), 'paused');
touch('paused.end');
ok($screen->wait(qr/^'sh' was ended by signal 9 \(Killed\) after/m), 'the end is told while paused');
unlike($screen->text, qr/PAUSED/, '... which it is no longer');
$screen->key('q');
$screen->wait(qr/^status 0$/m);

# q, ^C and signals end the command too, as when a terminal is closed.
for my $way ('q', 'C-c', 'TERM') {
    my $name = "quit$way";
    my $screen = countertop_on(80, 24, script($name, 'exit 0'));
    $way eq 'TERM' ? kill('TERM', $screen->pid_of('countertop')) : $screen->key($way);
    ok($screen->wait(qr/^status 0$/m), "$way: countertop ends");
    ok(wait_for(sub { slurp_or_empty("$dir/$name.signal") eq "HUP\n" }), "$way: the command is told");
}

# Stopped and continued, both. (A shell that waits for vfork(2) would not be seen to stop.)
open my $loop, '>', "$dir/loop" or die;
print $loop "open F, '>$dir/loop.new'; print F \$\$; close F; rename '$dir/loop.new', '$dir/loop.pid';
    select undef, undef, undef, 0.02 until -e '$dir/loop.end'";
close $loop;
my $shell = Screen->shell(80, 50);
$shell->type(countertop_command('-d', 0.2, '-s', 'software', '--', 'perl', "$dir/loop"));
$shell->key('Enter');
$shell->wait(sub { Screen::rows($_[0]) });
wait_for(sub { -e "$dir/loop.pid" });
my $pid = slurp_or_empty("$dir/loop.pid");
my $state = sub { (split /\n/, `ps -o state= -p $pid`)[0] // '' };
$shell->key('C-z');
ok($shell->wait(qr/Stopped/), '^Z stops countertop');
ok(wait_for(sub { $state->() eq 'T' }), '... and the command');
$shell->type('fg');
$shell->key('Enter');
ok($shell->wait(sub { Screen::rows($_[0]) && $_[0] !~ /Stopped/ }), 'fg continues countertop');
ok(wait_for(sub { $state->() ne 'T' }), '... and the command');
touch('loop.end');
ok($shell->wait(qr/'perl' ended with status 0/), '... to its end');
$shell->key('q');

# A command that cannot be started leaves the terminal as it was.
$screen = Screen->new(80, 24, countertop_command('--', 'no-such-program') . '; echo status $?');
ok($screen->wait(qr/^countertop: cannot start 'no-such-program': No such file or directory\nstatus 127$/m),
    'what cannot be started is told of after the screen is back');
is($screen->tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}'), "1 0\n",
    '... the cursor is shown, on the ordinary screen');

# Of endless output the end is kept.
$screen = Screen->new(80, 24, countertop_command('-d', 0.2, '--', 'sh', '-c',
    'yes | head -c 5000000; echo the last line') . '; echo status $?');
ok($screen->wait(qr/ended with status 0/), 'a command that writes much');
$screen->key('q');
ok($screen->wait(qr/^y\nthe last line\nstatus 0$/m), '... of which the end is shown');

done_testing;

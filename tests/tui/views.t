#!/usr/bin/env perl
# Tab and Shift-Tab cycle through the views: tasks, CPUs, users, commands, cgroups, heat, with the screen waits takers,
# functions.
use Screen;

my $name = "pot$$"; # another test on this machine may have one, too
my @work = map { start_named($name) } 1 .. 2;
# The titles that only that view has.
my @views = (
    [tasks => qr/\bPID\b.*\bCOMMAND *$/m],
    [CPUs => qr/^ *\W?CPU +HEAT +%CPU /m],
    [users => qr/^ *PROCS .*\bUSER *$/m],
    [commands => qr/^ *PROCS .*\bCOMMAND *$/m],
    [cgroups => qr/^ *PROCS .*\bCGROUP *$/m],
    [heat => qr/^ *CPU +%CPU last \d+ s of %CPU, full: 100 a CPU, all \d+; dark: kernel *$/m],
    [functions => qr/^ *\W?SHARE +SAMPLES .*\bFUNCTION *$/m],
);

{
    my $screen = Screen->countertop(150, 50, '-d', 0.2, '-s', 'software', '-p', $name, '--engine', 'cpu');
    ok($screen->wait($views[0][1]), 'at first the tasks');
    for my $view (@views[1 .. $#views, 0]) {
        $screen->key('Tab');
        ok($screen->wait($view->[1]), "Tab shows the $view->[0]");
    }
    for my $view (reverse @views) {
        $screen->key('BTab');
        ok($screen->wait($view->[1]), "Shift-Tab shows the $view->[0]");
    }
    $screen->key(('BTab') x 4);
    ok($screen->wait(qr/^ *2 .* $name *$/m), 'a row adds up the processes of a name');
    ok($screen->wait(qr/commands +1\b/), 'the header tells how many rows');
    $screen->key('BTab');
    my $user = getpwuid $>;
    ok($screen->wait(qr/^ *2 .* \Q$user\E *$/m), 'and those of a user');
    $screen->key('v');
    ok($screen->wait($views[1][1]), 'v shows the CPUs from everywhere');
    $screen->key('v');
    ok($screen->wait($views[0][1]), 'and the tasks from there');
    $screen->close;
}

{
    my $screen = Screen->countertop(150, 50, '-d', 0.2, '-s', 'waits', '-p', $name, '--engine', 'cpu', '--view', 'heat');
    $screen->wait(qr/\[Heat\] *Takers/); # they are counted
    $screen->key('Tab');
    ok($screen->wait(qr/\[Takers\]/), 'the screen waits has a view of who had the CPU meanwhile');
    $screen->close;
}

my $screen = Screen->countertop(80, 24, '-d', 0.2, '-p', $work[0], '--engine', 'task');
$screen->wait($views[0][1]);
$screen->key('v');
ok($screen->wait(qr/CPUs are not known to the engine 'task'/), 'where there are no CPUs it says why');
$screen->key('Tab');
ok($screen->wait(qr/^ *1 .*\w *$/m), 'users are there with each engine');
my %seen;
for (1 .. 5) {
    my ($now) = $screen->text =~ /\[(\w+)\]/;
    $seen{$now}++;
    $screen->key('Tab');
    $screen->wait(sub { $_[0] =~ /\[(?!$now\b)\w+\]/ });
}
is(join(' ', sort keys %seen), 'Cgroups Commands Functions Tasks Users', 'Tab leads to no view that this engine does not have');
$screen->key(':');
$screen->answer(qr/^Command:/m, 'takers');
ok($screen->wait(qr/\[Takers\](?s:.*)CPUs are not known to the engine 'task'/), '... and : says why where it does');
$screen->key('v');
$screen->wait(qr/\[CPUs\](?s:.*)Enter counts all CPUs/);
$screen->key('Enter');
ok($screen->wait(sub { 2 <= (() = $_[0] =~ /^ *\d+ .* \d+\.\d /mg) && $_[0] =~ $views[1][1] }), 'Enter goes on with the engine that has them');
$screen->key('BTab');
ok($screen->wait(sub { $_[0] =~ $views[0][1] && $_[0] =~ /^ *$work[0] .*\b$name\b/m && $_[0] !~ /^ *$work[1] /m }), '... of the tasks that are watched');
$screen->key('E');
ok($screen->wait(qr/engine +cpu: all CPUs, all tasks/), '... and page E has it');
$screen->close;
SKIP: {
    skip 'only root can be another user', 1 if $> != 0;
    my $nobody = Screen->new(100, 24, "setpriv --reuid=65534 --regid=65534 --clear-groups " . countertop_command(qw(--no-config -d 0.2 --view cpus)));
    $nobody->wait(qr/Enter counts all CPUs/) or skip 'user 65534 cannot run what was built here, or counts all', 1;
    $nobody->key('Enter');
    ok($nobody->wait(qr/cannot|perf_event_paranoid/) && $nobody->text =~ /Enter counts all CPUs/, 'without the right to do so it says why, and goes on');
    $nobody->close;
}

done_testing;

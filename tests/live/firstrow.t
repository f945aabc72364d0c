#!/usr/bin/env perl
# A thread that slept since counting began, and runs: in the first interval that has it, its time on a
# CPU, waiting for one and asleep is the interval, with both engines.
use Countertop;

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';
plan skip_all => 'all CPUs may not be counted here' if $> != 0;

for my $engine (qw(task cpu)) {
    my $sleeper = start('perl', '-e', '$| = 1; print "ready\n"; <STDIN>; my $x; $x++ for 1 .. 3e5; print "done\n"; <STDIN>');
    next_line($sleeper);
    my $watch = start(qw(countertop -b --format json -d 0.4 -s waits --engine), $engine, '-p', $sleeper->{pid});
    next_refresh($watch); # the header
    next_refresh($watch) for 1 .. 3;
    print {$sleeper->{in}} "go\n";
    my ($refresh, $limit) = (undef, time + 60);
    do { $refresh = next_refresh($watch) } until @{$refresh->{tasks}} || time > $limit;
    my ($task) = @{$refresh->{tasks}};
    my $life = $task->{oncpu} + ($task->{counts}{'wait-time'} + $task->{counts}{'block-time'}) / 1e9;
    cmp_ok(abs($life - $refresh->{interval}), '<', 0.05 * $refresh->{interval}, "$engine: its life is the interval")
        or diag "$life s of $refresh->{interval} s";
    stop($_) for $watch, $sleeper;
}
done_testing;

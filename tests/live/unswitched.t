#!/usr/bin/env perl
# A thread that is never switched out is counted in every refresh, at most a tenth of the delay
# late; a thread that only wakes and sleeps has almost no time.
use strict;
use warnings;
use Countertop;
use List::Util qw(max min sum0);
use Test::More;
use Time::HiRes qw(time);

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';
chomp(my $cpus = `nproc --all`);

# Seconds a process has been on a CPU. The kernel brings that of a running task up to date with each
# tick of its clock, 10 ms at most.
my $stale = 0.010;

sub scheduled {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/schedstat" or die "schedstat of $pid: $!";
    return (split ' ', readline $file)[0] / 1e9;
}

sub clock_of {
    my ($task, $event) = @_;
    return $task ? $task->{counts}{$event} / 1e9 : 0;
}

# Each refresh on its own: what it has of a spinner, against the interval. Where other work takes
# the CPU, the spinner has less: then it is what the scheduler gave it. Its priority leaves them
# little, so that countertop must have another CPU.
my @priority = $> == 0 && $cpus > 1 ? qw(nice -n -20) : ();
for my $run (map { my $cpu = $_; map { [$cpu, @$_] } [0.1, 10], [0.5, 3], [1, 2] } 0, $cpus - 1) {
    my ($cpu, $delay, $count) = @$run;
    my $spin = start(@priority, 'spin', '-c', $cpu);
    my $watch = start(qw(countertop -b --format json -e), 'cpu-clock,task-clock', '-d', $delay);
    next_refresh($watch) for 1 .. 3; # the header, and a first interval of another length
    my ($before, $stolen) = (scheduled($spin->{pid}), stolen($cpu));
    my %late;
    for (1 .. $count) {
        my $refresh = next_refresh($watch);
        my $had = scheduled($spin->{pid}) - $before;
        my $lag = time - $refresh->{time}; # read last: other work may come between
        $before += $had;
        my ($task) = grep { $_->{pid} == $spin->{pid} } @{$refresh->{tasks}};
        # The host's part is told in ticks, and late.
        my $taken = stolen($cpu) - $stolen;
        $stolen += $taken;
        $taken += 2 * $stale;
        my $due = min($had - $lag - $stale, $refresh->{interval}) - 0.1 * $delay - $taken;
        my %told = (oncpu => $task ? $task->{oncpu} : 0,
            map { $_ => clock_of($task, $_) } 'cpu-clock', 'task-clock');
        $late{$_} = max($late{$_} // -1, $due - $told{$_}) for keys %told;
    }
    cmp_ok($late{$_}, '<=', 0, "cpu $cpu, delay $delay: $_ is never later than a tenth of it")
        for sort keys %late;
    stop($watch);
    stop($spin);
}

# A hundred times a second a thread wakes, and sleeps again at once. What idle did in between is not
# its own.
my $naps = '$| = 1; print "ready\n"; while () { select undef, undef, undef, 0.01 }';
my @nappers = map { start('taskset', '-c', $_, 'perl', '-e', $naps) } 0, $cpus - 1;
next_line($_) for @nappers;
my $watch = start(qw(countertop -b --format json -d 0.5 -e), 'cpu-clock,task-clock');
next_refresh($watch) for 1 .. 2;

# What should be true of the next four refreshes, as [whether it is, what, why not].
sub naps {
    my $start = time;
    my %from = map { $_->{pid} => scheduled($_->{pid}) } @nappers;
    my @refreshes = map { next_refresh($watch) } 1 .. 4;
    my $seconds = sum0 map { $_->{interval} } @refreshes;
    # What a task had beside one that writes no record may be nobody's.
    my $nobodys = sum0 map { clock_of($_->{unattributed}, 'cpu-clock') } @refreshes;
    my @found;
    for my $napper (@nappers) {
        my $had = scheduled($napper->{pid}) - $from{$napper->{pid}};
        # The scheduler was asked when this test had a CPU, not at the ends of the intervals.
        my $off = 0.005 * $seconds + 2 * $had * abs(time - $start - $seconds) / $seconds;
        my @rows = grep { $_->{pid} == $napper->{pid} } map { @{$_->{tasks}} } @refreshes;
        my $woken = sum0 map { $_->{counts}{'context-switches'} } @rows;
        my $oncpu = sum0 map { $_->{oncpu} } @rows;
        my $seen = "of $seconds s it had $had in $woken naps, and $oncpu were counted, $nobodys for nobody";
        push @found, [$woken > 50 * $seconds, 'a thread that naps is woken', $seen],
            [$had < 0.1 * $seconds, '... and has next to no time', $seen];
        for my $event ('cpu-clock', 'task-clock') {
            my $clock = sum0 map { clock_of($_, $event) } @rows;
            push @found, [$clock <= $had + $off, "... also as $event says", "$seen; $event $clock"];
        }
        push @found, [$oncpu <= $had + $off && $oncpu >= $had - $off - $nobodys, '... also by its time on a CPU', $seen];
    }
    return @found;
}

# A virtual machine can stand still for 20 ms, also while a CPU is between two tasks: the scheduler and
# perf then differ in whose time that was. Not three times in a row.
my @found;
for my $try (1 .. 3) {
    @found = naps();
    last if !grep { !$_->[0] } @found;
}
ok($_->[0], $_->[1]) or diag $_->[2] for @found;
stop($_) for $watch, @nappers;

done_testing;

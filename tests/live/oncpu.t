#!/usr/bin/env perl
# Time on a CPU compared with the scheduler's (/proc/PID/schedstat), for tasks that compute all the
# time, share a CPU, alternate on it, or mostly sleep: they must not get the idle task's time. Some
# kernels write no records for the idle tasks of some CPUs.
use Countertop;
use Time::HiRes 'time';

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';
chomp(my $last_cpu = `nproc --all`);
$last_cpu--;

# Seconds a process has been on a CPU. The kernel brings that of a running task up to date with each
# tick of its clock, 10 ms at most.
my $stale = 0.010;

sub scheduled {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/schedstat" or die "schedstat of $pid: $!";
    return (split ' ', readline $file)[0] / 1e9;
}

my $napper = '$| = 1; print "ready\n"; while () { select undef, undef, undef, 0.01 }';
my %work;
for my $cpu ($last_cpu ? (0, $last_cpu) : 0) {
    $work{"computing on cpu $cpu"} = start('spin', '-c', $cpu);
    $work{"sharing cpu $cpu"} = start('spin', '-c', $cpu);
    $work{"switching on cpu $cpu"} = start('pingpong', '-c', $cpu, 1_000_000_000);
    $work{"napping on cpu $cpu"} = start('taskset', '-c', $cpu, 'perl', '-e', $napper);
    next_line($work{"napping on cpu $cpu"});
}
my %alone = map { $_ => $work{$_} } grep { /napping/ } keys %work;

# The same over several refreshes by both: what countertop says, and the scheduler at its ends.
# Until we get to read the latter, time passes, of which a task may have had as much as all.
my $tries = 0; # again, where records were lost: what they say is missing then, and told so
sub compare {
    my ($engine, %programs) = @_;
    my $watch = start(qw(countertop -b --format json -d 0.5 -e task-clock --engine), $engine,
        '-p', join ',', map { $_->{pid} } values %programs);
    next_refresh($watch);
    my (%oncpu, %ends, @lag, @taken, $seconds);
    my ($lost, $unattributed) = (0, 0);
    for my $n (0 .. 6) {
        my $refresh = next_refresh($watch);
        if ($n % 6 == 0) {
            push @{$ends{$_}}, scheduled($programs{$_}{pid}) for keys %programs;
            push @lag, time - $refresh->{time};
            push @taken, [map { stolen($_) } 0 .. $last_cpu];
        }
        next if $n == 0;
        $seconds += $refresh->{interval};
        $lost += $refresh->{lost_records};
        $unattributed += ($refresh->{unattributed}{counts}{'task-clock'} // 0) / 1e9;
        for my $name (keys %programs) {
            $oncpu{$name} += $_->{oncpu}
                for grep { $_->{pid} == $programs{$name}{pid} } @{$refresh->{tasks}};
        }
    }
    stop($watch);
    return compare($engine, %programs) if $lost && $tries++ < 5;
    for my $name (sort keys %programs) {
        my $scheduled = $ends{$name}[1] - $ends{$name}[0];
        my $error = abs(($oncpu{$name} // 0) - $scheduled);
        my ($cpu) = $name =~ /(\d+)$/;
        # A switch itself takes some microseconds, which both credit differently: next to nothing
        # beside a nap.
        my $naps = $name =~ /napping/;
        my $allowed = $naps ? 0.01 * $seconds
            : 0.01 * $scheduled + $lag[0] + $lag[1] + $stale + $taken[1][$cpu] - $taken[0][$cpu] + $stale
            + $unattributed;
        ok($error <= $allowed, "engine $engine: $name") or diag sprintf
            'on a CPU for %.6f s, of %.6f s by the scheduler; allowed was %.6f s of difference; %d records lost',
            $oncpu{$name} // 0, $scheduled, $allowed, $lost;
        cmp_ok($scheduled, '<', 0.2 * $seconds, '... sleeps most of the time') if $naps;
    }
}

compare('cpu', %work);
# Counting thread by thread begins after the switch to a thread and ends before the one away from
# it: where that is all that a thread does, much of its time is missing.
compare('task', map { $_ => $work{$_} } grep { !/switching/ } keys %work);
stop($work{$_}) for grep { !/napping/ } keys %work;
# Now between naps there is nothing but idle.
compare('cpu', %alone);

done_testing;

#!/usr/bin/env perl
# A thread that is never switched out is counted in every refresh, at most a tenth of the delay
# late. oncpu.t has those that wake and sleep.
use Countertop;
use List::Util qw(max min);
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

done_testing;

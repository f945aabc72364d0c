#!/usr/bin/env perl
# countertop's report of its own cost, compared with the kernel's.
use Countertop;
use HTTP::Tiny;
use List::Util qw(max min sum0);
use Time::HiRes 'time';

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';


# CPU seconds of all threads of a process.
sub cpu_seconds {
    my ($pid) = @_;
    return sum0 map { (split ' ', slurp("/proc/$pid/task/$_/schedstat"))[0] / 1e9 }
        map { m{([^/]+)$} } glob "/proc/$pid/task/*";
}

sub perf_descriptors {
    my ($pid) = @_;
    return scalar grep { (readlink($_) // '') =~ /\[perf_event\]/ } glob "/proc/$pid/fd/*";
}

sub rss {
    my ($pid) = @_;
    open my $getconf, '-|', qw(getconf PAGESIZE) or die "getconf: $!";
    return (split ' ', slurp("/proc/$pid/statm"))[1] * readline $getconf;
}

# Work for it: what it costs must be more than what we miss of it.
my @load = (start(qw(pingpong 1000000000)), start(qw(sleepers -a 20 200)));
next_line($load[1]);

chomp(my $cpus = `nproc`);
my $tries = 0;
for my $engine ('cpu', 'task') {
    my $watch = start(qw(countertop -b -H --format json -d 0.5 --engine), $engine,
        $engine eq 'task' ? ('-p', join ',', map { $_->{pid} } @load) : ());
    my $header = next_refresh($watch);
    my @refreshes = next_refresh($watch);
    my (@cpu, @rss, @fds);
    my $late = 0;
    for (0 .. 4) {
        push @refreshes, next_refresh($watch);
        $late = max($late, time - $refreshes[-1]{time});
        push @cpu, cpu_seconds($watch->{pid});
        push @rss, rss($watch->{pid});
        push @fds, perf_descriptors($watch->{pid});
    }
    stop($watch);
    redo if $late > 0.15 && $tries++ < 40; # what it took meanwhile is of the next refresh

    # Each refresh is told while it is being written: what that takes comes with the next one, and
    # the kernel brings the time of a thread that runs up to date with each tick of its clock.
    my $told = sum0 map { $_->{self}{cpu_seconds} } @refreshes[2 .. 5];
    my $taken = $cpu[4] - $cpu[0];
    ok(abs($told - $taken) <= 0.05 * $taken + 0.02, "engine $engine: CPU time is told as it is")
        or diag "$told s told, $taken s taken";
    is((grep { $_->{self}{cpu_seconds} <= 0 } @refreshes), 0, '... of each refresh');
    # One for the switch records of each CPU comes and goes as the need is, also between two looks.
    my @told = map { $_->{self}{descriptors} } @refreshes[2 .. 5];
    my $some = $engine eq 'cpu' ? $cpus : 0;
    is((grep { $_ < max(@fds) - $some || $_ > min(@fds) + $some } @told), 0, '... and perf descriptors')
        or diag "@fds, told @told";
    cmp_ok(min(@fds), '>', 3, '... which there are');
    my $rss = $refreshes[-1]{self}{rss_bytes};
    ok($rss >= 0.9 * min(@rss) && $rss <= 1.1 * max(@rss), '... and memory') or diag "$rss, @rss";
}
stop($_) for @load;

# The process that serves is a part of it.
{
    my ($watch, $url) = serve(qw(countertop -b --listen 0 -s software --format json -d 0.5 -p), $$);
    my $serving = server_process($watch) or die 'no process serves';
    my ($http, $told, $at) = (HTTP::Tiny->new, 0, 0);
    $http->get($url) while cpu_seconds($serving) < 0.1; # more than what is missed of it below
    my ($served, $taken, $end) = (cpu_seconds($serving), cpu_seconds($watch->{pid}), time);
    while ($at < $end) {
        my $refresh = next_refresh($watch) // last;
        $told += $refresh->{self}{cpu_seconds} // 0;
        $at = $refresh->{time} // 0;
    }
    my $later = cpu_seconds($serving) + cpu_seconds($watch->{pid});
    ok($told >= 0.95 * ($served + $taken) - 0.02 && $told <= 1.05 * $later + 0.02, 'the CPU time of what serves is told, too')
        or diag "$told s told; $served s and $taken s taken, later $later s";
    stop($watch);
}

# A longer time: everything from the start on is in the sum, also what came before counting.
# But for what a sanitizer looks for at the end.
local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0" if defined $ENV{ASAN_OPTIONS};
my @before = (times)[2, 3]; # of children that ended: getrusage(2), RUSAGE_CHILDREN
my (undef, @refreshes) = refreshes(qw(-d 0.2 -n 3));
my @after = (times)[2, 3];
my $told = sum0 map { $_->{self}{cpu_seconds} } @refreshes;
my $taken = $after[0] + $after[1] - $before[0] - $before[1];
# times(2) tells hundredths of a second; starting and ending a program is not all its own doing.
ok($told <= $taken + 0.02 && $told >= $taken - 0.05, 'as getrusage has it, from start to end')
    or diag "$told s told, $taken s by getrusage";

done_testing;

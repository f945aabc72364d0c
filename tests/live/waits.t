#!/usr/bin/env perl
# Why it does not run, live: threads that share a CPU, one that sleeps, two that wake each other; with the
# engine for all CPUs, by records of wake-ups and without, and with that for single tasks. What they
# waited is compared with the scheduler's own account (/proc/PID/schedstat).
use Countertop;
use List::Util 'sum0';
use Time::HiRes 'time';

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';
plan skip_all => 'all CPUs may not be counted here' if $> != 0;
my $traced = -e '/sys/kernel/tracing/events/sched/sched_waking/id';
my @parts = qw(run_pct wait_pct block_pct);

sub waited {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/schedstat" or die "schedstat of $pid: $!";
    return (split ' ', readline $file)[1] / 1e9;
}

# Some refreshes of programs with one thread each: the sums of their counts, seconds, and what the
# scheduler says they waited meanwhile.
sub watch {
    my ($engine, $programs, @prefix) = @_;
    my $watch = start(@prefix, qw(countertop -b --format json -d 0.3 -s waits --engine), $engine,
        '-p', join ',', map { $_->{pid} } @$programs);
    my %sum = (header => next_refresh($watch), seconds => 0, lag => 0);
    for my $n (0 .. 4) {
        my $refresh = next_refresh($watch);
        if ($n == 1 || $n == 4) {
            push @{$sum{scheduled}{$_->{pid}}}, waited($_->{pid}) for @$programs;
            $sum{lag} += time - $refresh->{time};
        }
        $sum{lost} += $refresh->{lost_records};
        next if $n < 2;
        $sum{seconds} += $refresh->{interval};
        for my $task (@{$refresh->{tasks}}) {
            my $of = $sum{of}{$task->{pid}} //= {};
            $of->{oncpu} += $task->{oncpu};
            $of->{$_} += $task->{counts}{$_} // 0 for keys %{$task->{counts}};
            my $parts = 0;
            $parts += $task->{metrics}{$_} // 0 for @parts;
            $of->{off} //= 100;
            $of->{off} = $parts if abs($parts - 100) > abs($of->{off} - 100);
            push @{$of->{metrics}}, $task->{metrics};
        }
    }
    stop($watch);
    $sum{scheduled} = {map { $_ => $sum{scheduled}{$_}[1] - $sum{scheduled}{$_}[0] } keys %{$sum{scheduled}}};
    return \%sum;
}

sub about {
    my ($value, $expected, $allowed, $name) = @_;
    ok(abs($value - $expected) <= $allowed, $name) or diag sprintf '%.6f, expected %.6f, allowed %.6f off', $value, $expected, $allowed;
}

my @spins = map { start('spin', '-c', 0) } 1 .. 4;
my $nap = 'while () { select undef, undef, undef, 0.01; my $n = 20_000; 1 while $n-- }'; # about 1 ms
my $sleeper = start('perl', '-e', '$| = 1; print "ready\n"; ' . $nap);
next_line($sleeper);

# What a wait that goes on adds to the kernel's account at its end, and time until we read it.
my $slices = 0.1;

sub check {
    my ($engine, $name, @prefix) = @_;
    my $sum = watch($engine, [@spins, $sleeper], @prefix);
    is($sum->{lost}, 0, "$name: nothing is lost");
    my ($life, $waited) = (0, 0);
    for my $spin (@spins) {
        my $of = $sum->{of}{$spin->{pid}};
        about($of->{off}, 100, 0.001, "$name: the parts of a thread's life are all of it");
        about($of->{'wait-time'} / 1e9, $sum->{scheduled}{$spin->{pid}}, 0.01 * $sum->{seconds} + $sum->{lag} + $slices,
            '... what it waited is what the scheduler says');
        about($of->{oncpu} + ($of->{'wait-time'} + $of->{'block-time'}) / 1e9, $sum->{seconds}, 0.01 * $sum->{seconds} + 0.01, '... its life is the interval');
        cmp_ok($of->{'block-time'} / 1e9, '<', 0.01 * $sum->{seconds}, '... it never sleeps');
        $life += $of->{oncpu} + ($of->{'wait-time'} + $of->{'block-time'}) / 1e9;
        $waited += $of->{'wait-time'} / 1e9;
        cmp_ok($of->{preemptions}, '>', 0, '... and is preempted');
    }
    # Less where others have the CPU, too; never more than a quarter each.
    cmp_ok($waited / $life, '>=', 0.74, "$name: four on one CPU wait three quarters of their life");
    my $of = $sum->{of}{$sleeper->{pid}};
    about($of->{off}, 100, 0.001, "$name: a thread that sleeps: the parts of its life are all of it");
    about($of->{'wait-time'} / 1e9, $sum->{scheduled}{$sleeper->{pid}}, 0.01 * $sum->{seconds} + $sum->{lag} + 0.02, '... it waits as the scheduler says');
    cmp_ok($of->{'voluntary-switches'}, '>', 0, '... and leaves the CPU by itself');
    return $sum;
}

my $sum = check('cpu', 'by records');
my %event = map { $_->{name} => $_ } @{$sum->{header}{events}};
SKIP: {
    skip 'wake-ups cannot be counted here', 3 if !$traced;
    is($event{'wakeup-latency-max'}{state}, 'counted', 'the longest wait after a wake-up is known');
    my $of = $sum->{of}{$sleeper->{pid}};
    my @metrics = grep { defined $_->{wakeup_latency_us} } @{$of->{metrics}};
    cmp_ok(scalar @metrics, '>', 0, 'wake-ups have a latency');
    is(scalar(grep { $_->{wakeup_max_us} < $_->{wakeup_latency_us} } @metrics), 0, '... whose mean is not above its longest');
}
$sum = check('task', 'by /proc');
%event = map { $_->{name} => $_ } @{$sum->{header}{events}};
like($event{'wakeup-latency'}{reason}, qr/^\/proc does not tell .*: count all CPUs/, 'what /proc does not tell has a reason');
is($sum->{of}{$spins[0]{pid}}{metrics}[0]{wakeup_latency_us}, undef, '... and is absent');

# In a mount namespace without tracefs.
my @untraced = ('unshare', '-m', 'sh', '-c', 'umount /sys/kernel/debug/tracing 2>/dev/null; umount /sys/kernel/tracing 2>/dev/null; exec "$@"', 'sh');
SKIP: {
    skip 'no mount namespaces here', 1 if run(@untraced, 'test', '!', '-e', '/sys/kernel/tracing/events')->{status};
    $sum = check('cpu', 'by records of switches and /proc', @untraced);
    %event = map { $_->{name} => $_ } @{$sum->{header}{events}};
    is($event{'wakeup-latency'}{state}, 'counted', 'the mean wait after a wake-up is known without records of them');
    like($event{'wakeup-latency-max'}{reason}, qr/tracefs/, '... the longest is not, with the reason');
}

# An ordinary user's own.
SKIP: {
    my @nobody = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--');
    skip 'another user cannot run what was built here', 2 if run(@nobody, "$ENV{B}/countertop", '--version')->{status};
    my $own = start(@nobody, 'spin', '-c', 0);
    my $sum = watch('auto', [$own], @nobody);
    my $of = $sum->{of}{$own->{pid}};
    about($of->{off}, 100, 0.001, 'without privilege: the parts of a thread\'s life are all of it');
    cmp_ok($of->{'wait-time'} / 1e9, '>', 0.7 * $sum->{seconds}, '... and what it waited is known');
    stop($own);
}

# CPUs have what was waited for them: the length of the run queue.
my @refreshes = refreshes(qw(-s waits --view cpus -n 3 -d 0.2));
my ($cpu) = grep { $_->{cpu} == 0 } @{$refreshes[-1]{cpus}};
cmp_ok($cpu->{metrics}{waiting}, '>', 2.9, 'four that share a CPU: three of them wait in its run queue');
is($cpu->{metrics}{block_pct}, undef, '... and nobody sleeps on a CPU');

stop($_) for @spins, $sleeper;

# They hand a byte to and fro: as many wake-ups as they leave the CPU.
SKIP: {
    skip 'wake-ups cannot be counted here', 2 if !$traced;
    my $pong = start('pingpong', '-c', 0, 1_000_000_000);
    my ($threads) = map { $_->{counts} } grep { $_->{comm} eq 'pingpong' && $_->{counts}{wakeups} } @{(refreshes(qw(-s waits -H -n 3 -d 0.2)))[-1]{tasks}};
    cmp_ok($threads->{wakeups}, '>', 20, 'ping-pong: each is woken');
    about($threads->{wakeups} / $threads->{'voluntary-switches'}, 1, 0.01 + 3 / $threads->{wakeups}, '... whenever it had left the CPU');
    stop($pong);
}

# A convoy: four threads hand one lock on. At each time one of them has it, and runs or waits for a CPU;
# who has just handed it on may have to wait for one, too, to go to sleep. The others sleep in a futex.
# Beside other work a thread may wait for longer than $slices when it is read: then they are watched again.
sub watch_convoy {
    my $convoy = start('convoy', 4);
    next_line($convoy);
    my $watch = start(qw(countertop -b --format json -s waits -H -i -d 0.4 -p), $convoy->{pid});
    next_refresh($watch);
    my ($seconds, $lag, %thread, %scheduled) = (0, 0);
    for my $n (0 .. 5) {
        my $refresh = next_refresh($watch);
        if ($n == 1 || $n == 5) {
            push @{$scheduled{$_}}, waited("$convoy->{pid}/task/$_") for map { m{(\d+)$} } glob "/proc/$convoy->{pid}/task/*";
            $lag += time - $refresh->{time};
        }
        next if $n < 2;
        $seconds += $refresh->{interval};
        for my $task (@{$refresh->{tasks}}) {
            my $of = $thread{$task->{tid}} //= {};
            $of->{oncpu} += $task->{oncpu};
            $of->{$_} += $task->{counts}{$_} / 1e9 for qw(wait-time block-time);
        }
    }
    stop($watch);
    stop($convoy);
    my $allowed = 0.01 * $seconds + $lag + $slices;
    my @waits = map { [$thread{$_}{'wait-time'}, $scheduled{$_}[1] - $scheduled{$_}[0], $allowed] } sort keys %thread;
    return ($seconds, \%thread, @waits);
}

my ($seconds, $thread, @waits);
for my $try (1 .. 5) {
    ($seconds, $thread, @waits) = watch_convoy();
    last if !grep { abs($_->[0] - $_->[1]) > $_->[2] } @waits;
}
is(scalar keys %$thread, 4, 'a convoy of four');
my $ran = sum0(map { $_->{oncpu} } values %$thread);
my $has = $ran + sum0(map { $_->{'wait-time'} } values %$thread);
cmp_ok($has, '>=', 0.98 * $seconds, '... at each time one has the lock, or waits for a CPU with it');
about(sum0(map { $_->{'block-time'} } values %$thread), 4 * $seconds - $has, 0.01 * $seconds + 0.01, '... and the others sleep');
about($_->{oncpu}, $ran / 4, 0.01 * $seconds + 0.002, '... each runs by turns') for values %$thread;
about(@$_, '... and waits as the scheduler says') for @waits;

# One that its cgroup stops: the kernel's account of that is waiting, too.
my ($quota, $period, $name) = (20_000, 100_000, "countertop-waits-$$");
my ($one) = map { /^\S+ \S+ \S+ \/ (\S+) .* - cgroup \S+ \S*\bcpu\b/ ? $1 : () } split /\n/, slurp('/proc/self/mountinfo');
my $two = cgroup_mount();
undef $two if defined $two && slurp("$two/cgroup.subtree_control") !~ /\bcpu\b/;
my $limited = defined $two ? "$two/$name" : defined $one ? "$one/$name" : undef;
SKIP: {
    skip 'no cgroup can limit CPU time here', 3 if !defined $limited || !mkdir $limited;
    my %files = defined $two ? ('cpu.max' => "$quota $period") : ('cpu.cfs_period_us' => $period, 'cpu.cfs_quota_us' => $quota);
    for my $file (sort keys %files) {
        open my $limit, '>', "$limited/$file" or die "$limited/$file: $!";
        print $limit $files{$file};
    }
    my $spin = start('sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec spin', $limited);
    my $sum = watch('cpu', [$spin]);
    my $of = $sum->{of}{$spin->{pid}};
    cmp_ok($of->{oncpu}, '<', 1.5 * $quota / $period * $sum->{seconds} + 0.02, 'a thread that its cgroup stops runs for its part');
    about($of->{'wait-time'} / 1e9 + $of->{oncpu}, $sum->{seconds}, 0.01 * $sum->{seconds} + 0.01, '... and waits for the rest');
    about($of->{'wait-time'} / 1e9, $sum->{scheduled}{$spin->{pid}}, 0.01 * $sum->{seconds} + $sum->{lag} + $period / 1e6, '... as the scheduler says');
    stop($spin);
    for (1 .. 100) { last if rmdir $limited; select undef, undef, undef, 0.05 }
}

# At the start there are births and wake-ups before each CPU has records: a thread that sleeps since then, as far as
# anybody could see, does not wait for a CPU.
my ($sleeping, @waiting) = (0);
for (1 .. 3) {
    my $storm = start('sh', '-c', 'i=0; while [ $i -lt 150 ]; do sleep 30 & i=$((i+1)); done; wait');
    my @refreshes = json_lines(countertop(qw(-b -i --format json -s waits -d 0.5 -n 3))->{out});
    for my $task (grep { $_->{comm} eq 'sleep' && ($_->{state} // '') eq 'S' } @{$refreshes[-1]{tasks}}) {
        my $counts = $task->{counts};
        next if grep { $counts->{$_} } qw(wakeups preemptions voluntary-switches);
        $sleeping++;
        push @waiting, "$task->{pid}: $counts->{'wait-time'} ns" if $counts->{'wait-time'};
    }
    my @sleepers = `ps -o pid= --ppid $storm->{pid}`;
    kill TERM => @sleepers;
    stop($storm);
}
cmp_ok($sleeping, '>', 50, 'a storm of births at the start: some sleep now');
is_deeply(\@waiting, [], '... and wait for no CPU');

done_testing;

#!/usr/bin/env perl
# Who had the CPU, and how long single waits are, live: loops with nice values that share a CPU, one that
# cpu.max stops, sleeps of known lengths; against the time that the others ran, what the cgroup says and
# the scheduler's own account (/proc/PID/schedstat).
use strict;
use warnings;
use Countertop;
use File::Copy 'copy';
use File::Temp 'tempdir';
use List::Util qw(max sum0);
use Slurp;
use Test::More;
use Time::HiRes;

plan skip_all => 'all CPUs may not be counted here' if $> != 0;
plan skip_all => 'wake-ups cannot be counted here' if !-e '/sys/kernel/tracing/events/sched/sched_waking/id';
my $dir = tempdir(CLEANUP => 1);
my ($cpu) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;

sub parts { return sum0((map { $_->{seconds} } @{$_[0]{taken_by} // []}), values %{$_[0]{taken} // {}}) }

# Refreshes of these processes while they run: the third and following ones.
sub watched {
    my ($count, @options) = @_;
    my $watch = start(qw(countertop -b --format json --engine cpu -s waits -d 0.5), @options);
    next_refresh($watch) for 1 .. 3;
    my @refreshes = map { next_refresh($watch) } 1 .. $count;
    stop($watch);
    return @refreshes;
}

# ---- shares by nice values ----

my %nice = (taken0 => 0, taken5 => 5, taken10 => 10);
my ($spin) = grep { -x } map { "$_/spin" } split /:/, $ENV{PATH};
my @loops;
for my $name (sort keys %nice) {
    copy($spin, "$dir/$name") or die "$name: $!";
    chmod 0755, "$dir/$name";
    push @loops, start('nice', '-n', $nice{$name}, "$dir/$name", '-c', $cpu);
}
my (%oncpu, %taken, %wait, %sum);
for my $refresh (watched(6)) {
    is($refresh->{lost_records}, 0, 'nothing is lost');
    for my $task (grep { $_->{counts}{'wait-time'} } @{$refresh->{tasks}}) {
        $sum{off} = max($sum{off} // 0, abs(parts($task) * 1e9 - $task->{counts}{'wait-time'}));
        next if !exists $nice{$task->{comm}};
        $oncpu{$task->{comm}} += $task->{oncpu};
        $wait{$task->{comm}} += $task->{counts}{'wait-time'} / 1e9;
        # With what interrupts and a hypervisor had of it.
        my ($others, @lost) = @{$task->{taken}}{qw(others stolen interrupts)};
        my $theirs = $others + sum0 map { $_->{seconds} } @{$task->{taken_by}};
        my $whole = $theirs ? 1 + sum0(@lost) / $theirs : 1;
        $taken{$task->{comm}}{$_->{comm}} += $_->{seconds} * $whole for @{$task->{taken_by}};
    }
}
cmp_ok($sum{off}, '<', 2, 'the parts of each task\'s waiting are all of it, to the nanosecond');
for my $name (sort keys %nice) {
    for my $other (grep { $_ ne $name } sort keys %nice) {
        next if $oncpu{$other} < 0.05; # it may be one of the small ones that are told together
        cmp_ok(abs(($taken{$name}{$other} // 0) / $oncpu{$other} - 1), '<', 0.001, "$name waited while $other ran, to 0.1 %")
            or diag "$taken{$name}{$other} s, ran $oncpu{$other} s";
    }
}
SKIP: {
    skip 'each session has its own share here', 1 if -e '/proc/sys/kernel/sched_autogroup_enabled' && slurp('/proc/sys/kernel/sched_autogroup_enabled') + 0;
    my $ratio = $oncpu{taken0} / $oncpu{taken5};
    ok(abs($ratio / (1024 / 335) - 1) < 0.1, 'a nice value of 5 less has three times the CPU, by the weights of the scheduler') or diag $ratio;
}

# ---- the scheduler's own account ----

sub delay { return (split ' ', slurp("/proc/$_[0]/schedstat"))[1] / 1e9 }

my $watch = start(qw(countertop -b --format json --engine cpu -s waits -d 0.5));
next_refresh($watch) for 1 .. 3;
my %begin = map { $_->{pid} => [Time::HiRes::time(), delay($_->{pid})] } @loops;
my ($seconds, %parts) = (0);
for (1 .. 8) {
    my $refresh = next_refresh($watch);
    $seconds += $refresh->{interval};
    $parts{$_->{pid}} += parts($_) for grep { $begin{$_->{pid}} } @{$refresh->{tasks}};
}
for my $pid (sort keys %begin) {
    my ($time, $delay) = @{$begin{$pid}};
    # A refresh is read a little after the end of its interval.
    my $expected = (delay($pid) - $delay) * $seconds / (Time::HiRes::time() - $time);
    cmp_ok(abs($parts{$pid} / $expected - 1), '<', 0.01, sprintf('all parts are %.3f s, the run_delay of /proc, to 1 %%', $parts{$pid}))
        or diag "run_delay $expected";
}
stop($watch);
stop($_) for @loops;

# ---- tasks that migrate while they wait ----

# One that may use two CPUs by turns, 150 ms the one and 50 ms the other, and seldom gets any of them: a loop has
# each, so these take what they run while it is in their queue.
SKIP: {
    my ($one, $two) = grep { defined } (map { /-/ ? (map { $_ } (split /-/)[0] .. (split /-/)[1]) : $_ }
            split /,/, (slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m)[0])[0, 1];
    skip 'for two CPUs', 4 if !defined $two;
    skip 'no records of migrations', 4 if !-e '/sys/kernel/tracing/events/sched/sched_migrate_task/id';
    my @holders = map { start('spin', '-c', $_) } $one, $two;
    my $moved = start('nice', '-n', 19, 'spin');
    my $mover = start('sh', '-c', "while taskset -cp $one $moved->{pid} && sleep 0.15 && taskset -cp $two $moved->{pid} && sleep 0.05; do :; done >&2");
    my @rows = map { grep { $_->{pid} == $moved->{pid} } @{$_->{tasks}} } watched(8, '-p', $moved->{pid});
    stop($_) for $mover, $moved, @holders;
    my @takers = map { @{$_->{taken_by} // []} } @rows;
    is((grep { !$_->{exact} } @takers), 0, 'it is certain who had the CPU of one that migrates');
    cmp_ok(max(map { abs(parts($_) * 1e9 - $_->{counts}{'wait-time'}) } @rows), '<', 2, '... and all of it is told');
    my ($first, $second) = map { my $pid = $_->{pid}; sum0(map { $_->{seconds} } grep { $_->{pid} == $pid } @takers) } @holders;
    cmp_ok($first + $second, '>', 0, '... the loops');
    my ($load) = slurp('/proc/loadavg') =~ /^([\d.]+)/;
    SKIP: {
        skip 'other tasks have these CPUs', 1 if $load > 3.5;
        cmp_ok(abs($second / ($first + $second) - 0.25), '<', 0.06, '... each for its part') or diag "$first s and $second s";
    }
}

# ---- sleeps of known lengths ----

my $sleeps = start('perl', '-e', '$| = 1; print "ready\n"; while () { select undef, undef, undef, $_ for 0.001, 0.01, 0.1 }');
next_line($sleeps);
my @sleeping = map { grep { $_->{pid} == $sleeps->{pid} } @{$_->{tasks}} } watched(6, '-p', $sleeps->{pid}, '--record', "$dir/r.db");
my $last = $sleeping[-1]{metrics};
cmp_ok(abs($last->{sleep_p50_us} / 10_000 - 1), '<', 0.1, 'sleeps of 1, 10 and 100 ms: the middle ones');
cmp_ok(abs($last->{sleep_max_us} / 100_000 - 1), '<', 0.1, '... and the longest');
my $query = "SELECT kind, sum(value) FROM wait_facts, json_each(spans) WHERE ident IN (SELECT ident FROM tasks WHERE tid = $sleeps->{pid}) GROUP BY kind";
my %counts = map { split /\|/ } split /\n/, run('sqlite3', "$dir/r.db", $query)->{out};
my $wakeups = run('sqlite3', "$dir/r.db", "SELECT sum(wakeups) FROM task_counts WHERE tid = $sleeps->{pid}")->{out} + 0;
is($counts{wakeup}, $wakeups, '... as many waits as wake-ups');
cmp_ok(abs($counts{sleep} - $wakeups), '<=', 1, '... and a sleep before each');
stop($sleeps);

# ---- cpu.max ----

my $mount = cgroup_mount();
undef $mount if defined $mount && slurp("$mount/cgroup.subtree_control") !~ /\bcpu\b/;
my ($old) = map { /^\S+ \S+ \S+ \/ (\S+) .* - cgroup \S+ \S*\bcpu\b/ ? $1 : () } split /\n/, slurp('/proc/self/mountinfo');
my $group = defined $mount ? "$mount/countertop-taken-$$" : defined $old ? "$old/countertop-taken-$$" : undef;
SKIP: {
    skip 'no cgroup can limit CPU time here', 2 if !defined $group || !mkdir $group;
    my %files = defined $mount ? ('cpu.max' => '300000 1000000') : ('cpu.cfs_period_us' => 1_000_000, 'cpu.cfs_quota_us' => 300_000);
    for my $file (sort keys %files) {
        open my $limit, '>', "$group/$file" or die "$group/$file: $!";
        print $limit $files{$file};
    }
    my $hog = start('sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec spin -c ' . $cpu, $group);
    my @hog = map { grep { $_->{pid} == $hog->{pid} } @{$_->{tasks}} } watched(8, '-p', $hog->{pid});
    my ($waited, $stopped) = (sum0(map { $_->{counts}{'wait-time'} / 1e9 } @hog), sum0(map { $_->{taken}{throttled} // 0 } @hog));
    my $others = sum0(map { $_->{seconds} } map { @{$_->{taken_by} // []} } @hog);
    cmp_ok($waited, '>', 1.8, 'a hog of 300 ms a second waits for the rest');
    my ($load) = slurp('/proc/loadavg') =~ /^([\d.]+)/;
    SKIP: {
        skip 'other tasks have the CPU while the cgroup stops it', 1 if $load > 1.5;
        cmp_ok($stopped, '>', 0.9 * $waited, '... since its cgroup stops it');
    }
    note sprintf '%.3f s waited, %.3f s stopped, %.3f s others', $waited, $stopped, $others;
    stop($hog);
    for (1 .. 100) { last if rmdir $group; select undef, undef, undef, 0.05 }
}
done_testing;

#!/usr/bin/env perl
# A program that its cgroup's limit of CPU time stops, by a limit above its own cgroup: the parts of
# its life, the throttled time and the pressure, compared with the kernel's own account.
use Countertop;
use List::Util qw(min sum0);
use Time::HiRes 'time';

# Where limits are set: in version 2, else in the controller cpu of version 1. The cgroup has the same
# path in both: perf counts by version 2.
my $mount = cgroup_mount() // plan skip_all => 'no cgroup2 is mounted';
my ($old) = map { /^\S+ \S+ \S+ \/ (\S+) .* - cgroup \S+ (?:\S+,)?cpu(?:,|$)/ ? $1 : () } split /\n/, slurp('/proc/self/mountinfo');
my $limits = slurp_or_empty("$mount/cgroup.controllers") =~ /\bcpu\b/ ? $mount : $old // plan skip_all => 'no controller cpu';
my $name = "countertop-throttled-$$";
my @tops = ("$mount/$name", $limits eq $mount ? () : "$limits/$name");
my ($spin, $owner) = (undef, $$);

END {
    if ($$ == ($owner // 0)) {
        my $status = $?;
        stop($spin) if $spin;
        # A cgroup is dropped when its last task is gone.
        for my $folder (map { ("$_/inner", $_) } @tops) {
            for (1 .. 100) { last if !-d $folder || rmdir $folder; select undef, undef, undef, 0.05 }
        }
        $? = $status;
    }
}

sub put {
    my ($path, $text) = @_;
    open my $file, '>', $path or return 0;
    print $file $text;
    return close $file;
}

plan skip_all => 'all CPUs may not be counted here' if $> != 0;
for my $top (@tops) {
    mkdir $top or plan skip_all => "cannot make a cgroup in $top: $!";
}
# So little that it is used up also where others have the CPU most of the time.
put("$mount/cgroup.subtree_control", '+cpu') if $limits eq $mount;
my $set = $limits eq $mount ? put("$tops[0]/cpu.max", '2000 100000')
    : put("$tops[1]/cpu.cfs_period_us", 100000) && put("$tops[1]/cpu.cfs_quota_us", 2000);
plan skip_all => 'CPU time cannot be limited here' if !$set;
mkdir "$_/inner" or die "$_/inner: $!" for @tops;
$spin = start('sh', '-c', 'for cgroup; do echo $$ > "$cgroup/inner/cgroup.procs" || exit 1; done; exec spin -c 0', 'sh', @tops);

# Seconds that the kernel says.
sub throttled {
    my $text = slurp("$tops[-1]/cpu.stat");
    return $text =~ /^throttled_usec (\d+)/m ? $1 / 1e6 : $text =~ /^throttled_time (\d+)/m ? $1 / 1e9 : die $text;
}

sub pressed {
    return slurp_or_empty("$tops[0]/inner/cpu.pressure") =~ /^some .*total=(\d+)/m ? $1 / 1e6 : undef;
}

my $dir = tempdir(CLEANUP => 1);
my $watch = start(qw(countertop -b --format json -d 0.3 -s waits --view cgroups --record), "$dir/limited.db");
my $header = next_refresh($watch);
my (@groups, @said, $lag);
for my $n (0 .. 8) {
    my $refresh = next_refresh($watch);
    my ($group) = grep { ($_->{name} // '') eq "/$name/inner" } @{$refresh->{groups}};
    push @groups, {group => $group, interval => $refresh->{interval}, seq => $refresh->{seq}};
    next if $n != 3 && $n != 8;
    push @said, [throttled(), pressed()];
    $lag += time - $refresh->{time};
}
stop($watch);
my $first = $groups[0]{group};
is($first->{metrics}{throttled_pct}, undef, 'the first interval does not know what passed before it') if $first;
# It may be stopped for all of an interval, and has no row then.
my @of = map { {interval => $_->{interval}, seq => $_->{seq}, %{$_->{group}{metrics} // {}}} } @groups[4 .. 8];
my $seconds = sum0(map { $_->{interval} } @of);
my $sum = sub { my ($metric) = @_; sum0(map { ($_->{$metric} // 0) / 100 * $_->{interval} } @of) };
# The kernel adds to its account when it lets the group run again: a period of 0.1 s may be added between
# its reading by countertop and by this test.
sub about {
    my ($value, $expected, $name) = @_;
    my $allowed = 0.05 * $expected + 0.15 + $lag;
    ok(abs($value - $expected) <= $allowed, $name) or diag "$value, expected $expected, allowed $allowed off";
}
SKIP: {
    skip 'it was not on a CPU in all intervals', 5 if grep { !defined $_->{run_pct} } @of;
    my $kernel = $said[1][0] - $said[0][0];
    cmp_ok($kernel, '>', 0, 'it is stopped');
    about($sum->('throttled_pct'), $kernel, '... for as long as the kernel says');
    is((grep { abs($_->{run_pct} + $_->{wait_pct} + $_->{block_pct} - 100) > 0.001 } @of), 0, 'the parts of its life are all of it');
    cmp_ok($sum->('wait_pct'), '>=', $sum->('throttled_pct') - 0.1 * $seconds - $lag, '... and contain what it is stopped');
    skip 'no pressure is kept', 1 if !defined $said[0][1];
    about($sum->('psi_cpu_pct'), $said[1][1] - $said[0][1], 'the pressure is what the kernel says');
}

# What the process itself waits for, which no call of its own says: where nobody else has the CPU. With
# debugfs root sees more.
SKIP: {
    skip 'debugfs is mounted', 1 if -e '/sys/kernel/debug/sched/debug';
    my @stopped = grep { ($_->{counts}{'wait-time'} // 0) > 0 } map { @{$_->{tasks} // []} }
        refreshes(qw(-i -n 10 -d 0.3 -s waits -p), $spin->{pid});
    my ($alone, $beside) = (0, 0);
    for my $task (@stopped) {
        my $most = 2e9 * $task->{taken}{throttled} > $task->{counts}{'wait-time'};
        is($task->{waits_for}{text}, $most ? 'throttled by cpu.max' : undef, $most ? 'it waits for its limit' : '... not while others run');
        ($most ? $alone : $beside)++;
    }
    skip "others had its CPU in all $beside intervals", 1 if !$alone;
}

# Where another program has the CPU meanwhile: in about as many looks as the kernel says, and never of that
# program.
SKIP: {
    my @with_debugfs = (qw(unshare -m sh -c), 'mount -t debugfs none /sys/kernel/debug && test -e /sys/kernel/debug/sched/debug && exec "$@"', 'sh');
    skip 'debugfs cannot be mounted', 1 if run(@with_debugfs, 'true')->{status};
    my ($cpu) = run('taskset', '-pc', $spin->{pid})->{out} =~ /: (\d+)$/m;
    my $other = start('spin', '-c', $cpu);
    my ($began, $before, $looks, $told, $wrong) = (time, throttled(), 0, 0, 0);
    my $watch = start(@with_debugfs, qw(countertop -b --format json -i -n 101 -d 0.053 -s waits -p), "$spin->{pid},$other->{pid}");
    while (my $refresh = next_refresh($watch)) {
        ($began, $before) = (time, throttled()) if $refresh->{type} eq 'header';
        next if $refresh->{type} ne 'refresh';
        $looks++;
        for (@{$refresh->{tasks}}) {
            next if ($_->{waits_for}{kind} // '') ne 'throttled';
            $_->{pid} == $spin->{pid} ? $told++ : $wrong++;
        }
    }
    my $share = (throttled() - $before) / (time - $began);
    stop($other);
    is($wrong, 0, 'a program without a limit is never throttled');
    cmp_ok(abs($told / $looks - $share), '<', 0.25, 'a CPU that others have: throttled in as many looks as the kernel says')
        or diag "told in $told of $looks looks, throttled for $share of the time";
    note "told in $told of $looks looks, throttled for $share of the time";
}

# In other formats, and in a recording.
my @replay = (qw(-b -s waits --view cgroups --replay), "$dir/limited.db");
my ($last) = grep { defined $_->{run_pct} } reverse @of;
SKIP: {
    skip 'it never ran', 5 if !$last;
    my (undef, @again) = refreshes(@replay);
    my ($same) = grep { $_->{seq} == $last->{seq} } @again;
    my ($group) = grep { ($_->{name} // '') eq "/$name/inner" } @{$same->{groups}};
    is($group->{metrics}{$_}, $last->{$_}, "a recording has the same: $_") for qw(throttled_pct psi_cpu_pct);
    like(countertop(@replay)->{out}, qr/ %THROT %PSICPU %PSIMEM %PSIIO .*CGROUP\n(?:.*\n)*? .* \d+\.\d +(?:[\d.]+|-) +(?:[\d.]+|-) +(?:[\d.]+|-) .*inner$/m, '... in text');
    unlike(countertop(qw(-b -s waits --view users --replay), "$dir/limited.db")->{out}, qr/%THROT/, '... not in other views');
    like(countertop(@replay, qw(--format openmetrics))->{out}, qr/^countertop_cgroup_throttled_seconds_total\{cgroup="\/$name\/inner"\} 0*[\d.]*[1-9]/m, 'for Prometheus');
}
is((grep { $_->{name} eq 'throttled_pct' } @{$header->{metrics}}), 1, 'only the view has them');
is((grep { $_->{name} eq 'throttled_pct' } @{(refreshes(qw(-n 1 -d 0.2 -s waits)))[0]{metrics}}), 0, '... others do not');

done_testing;

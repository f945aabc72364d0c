#!/usr/bin/env perl
# The mean wait after a wake-up beside `perf sched timehist`, both of the same run: threads that share
# a CPU with one that sleeps.
use strict;
use warnings;
use Countertop qw(:DEFAULT installed write_file);
use File::Temp 'tempdir';
use List::Util 'sum0';
use Slurp;
use Test::More;
use Time::HiRes 'time';

plan skip_all => 'perf is not installed' if !installed('perf');
plan skip_all => 'wake-ups cannot be recorded here' if $> != 0 || !-e '/sys/kernel/tracing/events/sched/sched_waking/id';
my $dir = tempdir(CLEANUP => 1);
my ($cpu) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;
write_file("$dir/job", <<"END");
for i in 1 2 3; do spin -c $cpu & echo \$!; done >$dir/pids
taskset -c $cpu perl -e 'use Time::HiRes qw(sleep time);
    for (1 .. 60) { sleep 0.01; \$on = time + 0.001; 1 while time < \$on }' &
echo \$! >>$dir/pids
wait \$!
kill \$(head -n 3 $dir/pids)
END

my $watch = start(qw(countertop -b --format json --engine cpu -H -s waits -d 0.5));
next_refresh($watch) for 1 .. 2; # the header; it counts by now
# -B: reading build ids, which are not needed here, perf 6.1 failed an assertion of its own now and then.
my $record = run(qw(perf sched record -q -B -k CLOCK_MONOTONIC -m 16M -a -o), "$dir/perf.data", '--', 'sh', "$dir/job");
is($record->{status}, 0, 'perf records it') or diag $record->{err};
my %own = map { $_ => {} } split ' ', slurp("$dir/pids");
my $refresh;
my $end = time;
do {
    $refresh = next_refresh($watch);
    for my $task (grep { $own{$_->{tid}} } @{$refresh->{tasks}}) {
        $own{$task->{tid}}{$_} += $task->{counts}{$_} // 0 for qw(wakeups wakeup-latency);
    }
} until $refresh->{time} > $end;
stop($watch);

my %perf = (delay => 0, wakeups => 0);
my %left; # in which state a thread left the CPU
my $timehist = run(qw(perf sched timehist --state -i), "$dir/perf.data");
for (split /\n/, $timehist->{out}) {
    # time, CPU, name[tid/pid], wait, delay after the wake-up, run, state
    my ($tid, $delay, $state) = /^\s*[\d.]+ \[\d+\]\s+.+\[(\d+)(?:\/\d+)?\]\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+(\S+)\s*$/
        or next;
    # Newer versions tell a delay after a preemption, too.
    my $woken = ($left{$tid} // '') !~ /^R/;
    $left{$tid} = $state;
    next if !$own{$tid} || !$woken || $delay == 0;
    $perf{delay} += $delay / 1e3;
    $perf{wakeups}++;
}
SKIP: {
    skip "perf cannot read what it recorded here: $timehist->{err}", 2 if $timehist->{err} =~ /incompatible file format/;
    skip 'perf lost records of its own', 2 if "$record->{err}$timehist->{err}" =~ /lost/i;
    my $own = sum0(map { $_->{'wakeup-latency'} } values %own) / 1e9;
    my $seen = "$own s, perf $perf{delay} s, $perf{wakeups} wake-ups";
    cmp_ok($perf{wakeups}, '>', 10, 'threads wait after a wake-up');
    ok(abs($own / $perf{delay} - 1) < 0.03, '... in the mean as long as perf says, within 3 %') or diag $seen;
}
done_testing;

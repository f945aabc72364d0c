#!/usr/bin/env perl
# A task that a limit above its own cgroup stops, while another one has the CPU: told by debugfs about as
# often as the kernel says, never of the other one, and not without debugfs.
use Countertop;

my $script = <<'END';
mkdir /tmp/second
mount -t cgroup2 none /tmp/second && echo +cpu >/tmp/second/cgroup.subtree_control || { echo '"no controller cpu"'; exit; }
mkdir /tmp/second/top && echo +cpu >/tmp/second/top/cgroup.subtree_control
mkdir /tmp/second/top/inner && echo '20000 100000' >/tmp/second/top/cpu.max
taskset 2 spin & other=$!
taskset 2 spin & limited=$!
echo $limited >/tmp/second/top/inner/cgroup.procs
until grep -q 'nr_throttled [1-9]' /tmp/second/top/cpu.stat; do usleep 10000; done
watch() {
    taskset 1 countertop -b --format json --engine task -d 0.053 -n $1 -i -s waits -p $limited,$other
    grep throttled_usec /tmp/second/top/cpu.stat
}
watch 5
mount -t debugfs none /sys/kernel/debug || { echo '"no debugfs"'; exit; }
watch 40
echo "limited $limited"
kill $limited $other
END

my $run = guest($script, qw(--smp 2 --shift 3));
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
SKIP: {
    skip "the emulated machine has $1", 1 if $run->{out} =~ /^"(no .*)"$/m;
    my @usec = $run->{out} =~ /^throttled_usec (\d+)/mg;
    my ($limited) = $run->{out} =~ /^limited (\d+)/m;
    my @looks = grep { $_->{type} eq 'refresh' } json_lines(join '', map { "$_\n" } grep { /^\{/ } split /\n/, $run->{out});
    is(scalar @looks, 45, 'looks');
    my @told = map { my $look = $_; scalar grep { ($_->{waits_for}{text} // '') eq 'throttled by cpu.max' } @{$look->{tasks}} } @looks;
    is((grep { $_ } @told[0 .. 4]), 0, 'without debugfs nothing is told while others run');
    my $told = grep { $_ } @told[5 .. 44];
    my @of = map { $_->{pid} } grep { ($_->{waits_for}{kind} // '') eq 'throttled' } map { @{$_->{tasks}} } @looks;
    is((grep { $_ != $limited } @of), 0, 'who has no limit is never throttled');
    my $share = ($usec[1] - $usec[0]) / 1e6 / ($looks[-1]{time} - $looks[4]{time});
    cmp_ok($share, '>', 0.3, 'the kernel stops it');
    # Not told where it is stopped or goes on while the look is taken, which this slow machine takes longer for, all
    # the more beside load.
    cmp_ok($told / 40, '<', $share + 0.15, '... it is told in no more looks') or diag "$told of 40, kernel $share";
    cmp_ok($told / 40, '>', $share / 4, '... and in many of those') or diag "$told of 40, kernel $share";
    note "told in $told of 40 looks, stopped for $share of the time";
}
done_testing;

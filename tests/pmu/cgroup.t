#!/usr/bin/env perl
# Hardware counters of a cgroup: a loop of N instructions in it adds exactly N, whatever others do
# on the same CPU; and scaled counts of multiplexed groups are correct.
use Countertop;
use List::Util 'sum0';

# All of as many digits, so that reading the argument takes as long.
my @lengths = (1000000, 1000000, 5000000, 9000000);

my $script = "lengths='@lengths'\n" . <<'END';
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup || { echo '"no cgroup2"'; exit; }
web=/sys/fs/cgroup/web
mkdir $web
echo +pids >/sys/fs/cgroup/cgroup.subtree_control # perf's controller comes along
show() {
    rm -f out
    countertop -b --format json -d 0.4 -G web --engine cpu -s software "$@" >out & top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 10000; done
}
join='echo 0 >$0/cgroup.procs; exec "$@"'

loop 0 # brings the program into memory
spin & outside=$!
show -n 4 -e instructions:u,instructions,cycles
for n in $lengths; do sh -c "$join" $web loop $n; done
wait $top || exit
cat out

# More than fit: they take turns.
sh -c "$join" $web spin & inside=$!
echo 3 >/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms
show -n 3 -e r11,r08,r11:u,r08:u,r11:k,r08:k,cycles \
    -e instructions,cycles:u,instructions:u,cycles:k,instructions:k
wait $top || exit
cat out
kill $inside $outside
END

my $run = guest($script, '--smp', 1, '--append', 'norandmaps');
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my @lines = json_lines($run->{out});
if (!ref $lines[0]) {
    SKIP: { skip "the emulated machine has $lines[0]", 1 }
    done_testing;
    exit;
}
my @headers = grep { $lines[$_]{type} eq 'header' } 0 .. $#lines;
is(@headers, 2, 'both ran');
my @exact = @lines[1 .. $headers[1] - 1];
my @turns = @lines[$headers[1] + 1 .. $#lines];

for my $refresh (@exact) {
    for my $event ('instructions:u', 'instructions', 'cycles') {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        is("$ledger $cpus", "$total $total", "refresh $refresh->{seq}: $event balances");
    }
}
my %user;
my @loops = map { grep { $_->{comm} =~ /^(?:sh|loop)$/ } @{$_->{tasks}} } @exact;
$user{$_->{pid}} += $_->{counts}{'instructions:u'} for @loops;
my @counted = @user{sort { $a <=> $b } keys %user};
is(@counted, @lengths, 'each loop has a row');
is(sum0(map { $_->{unattributed}{counts}{'instructions:u'} } @exact), 0, 'nothing is unattributed');
my $start = $counted[0] - $lengths[0];
cmp_ok($start, '>', 0, 'starting takes instructions');
is($counted[$_], $start + $lengths[$_], "exactly $lengths[$_] on top") for 1 .. $#lengths;
is((grep { $_->{comm} eq 'spin' } map { @{$_->{tasks}} } @exact), 0, 'who is outside has no row');

my ($partial, @hertz) = 0;
for my $refresh (@turns[1 .. $#turns]) { # in the first one, groups begin one after the other
    $partial += keys %{$refresh->{total}{coverage}} > 0;
    my ($spin) = task($refresh, 'spin');
    cmp_ok(abs($spin->{oncpu} - $refresh->{cpus}[0]{oncpu}), '<', 0.01,
        "refresh $refresh->{seq}: the one inside has all of the time");
    my $ipc = $spin->{counts}{'r08:u'} / $spin->{counts}{'r11:u'};
    cmp_ok(abs($ipc - 1), '<', 0.02, '... its counts are of the same instructions');
    push @hertz, $spin->{counts}{cycles} / $spin->{oncpu};
    cmp_ok($spin->{oncpu}, '<', 0.8 * $refresh->{interval}, '... that the one outside leaves');
}
is($partial, @turns - 1, 'groups take turns');
# The emulated processor has one speed.
cmp_ok(abs($_ - 1e9), '<', 3e7, 'what is scaled up is right for the time it ran') for @hertz;

done_testing;

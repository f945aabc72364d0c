#!/usr/bin/env perl
# Adverse conditions: the permission is withdrawn, the clock is set back, the program is stopped for
# ten seconds, the kernel throttles it. The machine is otherwise idle, so the correct counts are
# known.
use Countertop;
use List::Util qw(sum0);

# Five threads wake a hundred times a second, which is what a second has to show.
my $script = <<'END';
lines() { wc -l <out; }
await() {
    at=$(($(lines) + $1))
    until [ "$(lines)" -ge $at ]; do kill -0 $top || exit; sleep 0.2; done
}
begin() {
    rm -f out
    "$@" >out & top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 20000; done
}
perf=/proc/sys/kernel/perf_event

chmod 777 .
sleepers -a 5 0 >/dev/null & load=$!
echo 0 >${perf}_paranoid
begin su user -c 'exec countertop -b --format json -s software -d 0.5 -n 7'
await 2; raised=$(lines)
echo 3 >${perf}_paranoid
wait $top || exit
cat out
su user -c 'countertop -b -s software -d 0.5 -n 1 --engine cpu' >none 2>&1
refused=$?
echo 0 >${perf}_paranoid

begin countertop -b --format json -s software -e cycles,instructions -d 1 -n 9
await 2; set=$(lines)
date -s @1000000000 >/dev/null
await 2; stopped=$(lines)
kill -STOP $top; sleep 10; kill -CONT $top
wait $top || exit
cat out

rate=$(cat ${perf}_max_sample_rate)
begin countertop -b --format json -s software -d 0.2 -n 8
await 2; throttled=$(lines)
echo 1 >${perf}_max_sample_rate
await 2
echo $rate >${perf}_max_sample_rate
wait $top || exit
cat out
echo "{\"raised\":$raised,\"refused\":$refused,\"set\":$set," \
    "\"stopped\":$stopped,\"throttled\":$throttled}"
cat none
END

my $run = guest($script, '--smp', 2);
is($run->{status}, 0, 'all of them end well') or diag $run->{out};
my @lines = split /\n/, $run->{out};
my ($paranoid, $clock, $throttle, $at) =
    map { [json_lines(join "\n", splice @lines, 0, $_)] } 8, 10, 9, 1;
$at = $at->[0];

sub balances {
    my ($header, @refreshes) = @_;
    my @counted = map { $_->{name} } grep { $_->{state} eq 'counted' } @{$header->{events}};
    for my $refresh (@refreshes) {
        for my $event (@counted) {
            my ($ledger, $total, $cpus) = sums($refresh, $event);
            is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
        }
    }
}

# How often the sleepers were switched a second.
sub pace {
    my ($refresh) = @_;
    my $switches = sum0 map { $_->{counts}{'context-switches'} } task($refresh, 'sleepers');
    return $switches / $refresh->{interval};
}

# perf_event_paranoid is asked when an event is opened: what is open goes on.
balances(@$paranoid);
is($paranoid->[0]{engine}, 'cpu', 'a user who may counts everything');
for my $refresh (@$paranoid[$at->{raised} .. 7]) {
    cmp_ok(abs(pace($refresh) - 500), '<', 25, 'and goes on when permission is withdrawn');
}
is($at->{refused}, 1, 'who begins then is refused');
is(scalar(@lines), 1, '... with one line');
like($lines[0], qr/^countertop: .*perf_event_paranoid is 3.*(sysctl|setcap)/,
    '... that says why and how to change it');

# The line before the clock was set is refresh $at->{set} - 1.
balances(@$clock);
my ($header, @refreshes) = @$clock;
my $before = $refreshes[$at->{set} - 2];
cmp_ok($before->{time}, '>', 1.5e9, 'the clock is right');
my @after = @refreshes[$at->{set} .. $#refreshes];
is((grep { $_->{time} < 1e9 || $_->{time} > 1.01e9 } @after), 0,
    '... then it is set back, and so is ours');
my @steady = grep { $_->{seq} != $at->{stopped} } @refreshes[1 .. $#refreshes];
for my $refresh (@steady) {
    my $beside = $refresh->{seq} == $at->{stopped} + 1; # the timer keeps its pace
    cmp_ok(abs($refresh->{interval} - 1), '<', 0.05, 'an interval is as long as it was')
        if !$beside;
    cmp_ok(abs(pace($refresh) - 500), '<', 25, '... and rates are what they were');
}
# Stopped, after refresh $at->{stopped} - 1 was written.
my $long = $refreshes[$at->{stopped} - 1];
cmp_ok($long->{interval}, '>', 10, 'an interval in which it was stopped is as long as that');
cmp_ok($long->{interval}, '<', 11.3, '... and not longer');
cmp_ok(abs(pace($long) - 500), '<', 25, '... and has everything in it');
is((sum0 map { $_->{lost_records} } @refreshes), 0, '... no record is lost, the rings hold it');
is((sum0 map { $_->{unattributed}{counts}{'context-switches'} } @refreshes), 0,
    '... and all of it is somebody\'s')
    or diag join ', ', map { "$_->{seq}: $_->{unattributed}{counts}{'context-switches'}" } @refreshes;

balances(@$throttle);
(undef, @refreshes) = @$throttle;
is((sum0 map { $_->{throttled} } @refreshes[0 .. $at->{throttled} - 2]), 0, 'nothing is throttled');
cmp_ok($_->{throttled}, '>', 0, '... then it is, and that is told')
    for $refreshes[$at->{throttled}];
is($refreshes[-1]{throttled}, 0, '... until the kernel lets go');
cmp_ok(abs(pace($refreshes[-1]) - 500), '<', 50, '... and all is counted as before');
done_testing;

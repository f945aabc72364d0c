#!/usr/bin/env perl
# 64 CPUs: each is counted, the counts balance, and the cost is proportional.
use Countertop;
use List::Util 'min';

my $cpus = 64;
# No more load than a moment's: the clock, and with it the time that countertop takes, goes on while
# the emulator runs another CPU.
my $script = <<'END';
countertop -b --format json --engine cpu -d 1 -n 5 -s software -e cycles,instructions >out & top=$!
until [ -s out ] || ! kill -0 $top; do usleep 10000; done
taskset 8000000000000000 loop 5000000
wait $top || exit
cat out
END

my $run = guest($script, '--smp', $cpus);
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my ($header, @refreshes) = json_lines($run->{out});
my @events = map { $_->{name} } @{$header->{events}};
is("@{$header->{cpus}}", "@{[0 .. $cpus - 1]}", 'all CPUs are counted');
# Of each CPU the events, of which context-switches is the one that samples, the ticker, one for the
# news of tasks, and one for that of switches where it is wanted.
my $descriptors = $cpus * (@events + 1 + 1);

for my $refresh (@refreshes) {
    is("@{[map { $_->{cpu} } @{$refresh->{cpus}}]}", "@{$header->{cpus}}", 'a row for each CPU');
    for my $event (@events) {
        my ($ledger, $total, $sum) = sums($refresh, $event);
        is("$ledger $sum", "$total $total", "$event adds up in refresh $refresh->{seq}");
    }
    is($refresh->{lost_records}, 0, 'no record is lost');
    my $open = $refresh->{self}{descriptors};
    ok($open >= $descriptors && $open <= $descriptors + $cpus, 'as many descriptors as announced')
        or diag "$open, not $descriptors and at most one more for each CPU";
}
my $refresh = $refreshes[2];
# What a CPU counted is known up to its last tick, of which there are ten in an interval: one that
# comes as the interval ends may fall on either side.
my @odd = grep { abs($_->{counts}{cycles} / 1e9 / $refresh->{interval} - 1) > 0.11 }
    @{$refresh->{cpus}};
is("@{[map { $_->{cpu} } @odd]}", '', 'each CPU counted its cycles, at 1 GHz')
    or diag map { "$_->{cpu}: $_->{counts}{cycles}\n" } @odd;
# The emulator adds to one of the intervals what other CPUs did meanwhile, not to each.
my @costs = map { $_->{self}{cpu_seconds} } @refreshes;
cmp_ok(min(@costs), '<', 0.02, 'an idle machine costs below 2 % of a CPU') or diag "@costs s";

my ($loop) = task($refreshes[1], 'loop');
is($loop->{cpu}, 63, 'a task ran on the last CPU');
cmp_ok($loop->{counts}{instructions}, '>', 5e6, 'and was counted there');
done_testing;

#!/usr/bin/env perl
# On a processor that retires one instruction in 2^N ns at 1 GHz every task has an IPC of 2^-N, and
# the counts of tasks add up to those of the CPUs.
#
# The emulator runs its CPUs in turns, and each counter counts all of them. If a turn ends between
# the reads of two counters in one sample, these differ by a turn of the other CPU, up to a tick of
# 4 ms: the interval is so long that this is less than 1 %.
use Countertop;

# The load comes second: with no CPU idle the emulated machine starts a program very slowly.
my $script = <<'END';
for engine in cpu task; do
    rm -f out
    countertop -b --format json -d 0.5 -n 3 --engine $engine -e branches >out & top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 10000; done
    spin -c 0 & first=$!
    spin -c 1 & second=$!
    wait $top || exit
    kill $first $second
    cat out
done
END

for my $shift (1, 2, 3) {
    my $run = guest($script, '--shift', $shift);
    is($run->{status}, 0, "shift $shift: countertop ends well") or diag $run->{out};
    my @lines = json_lines($run->{out});
    for my $engine ('cpu', 'task') {
        my ($header, @refreshes) = splice @lines, 0, 4;
        is($header->{engine}, $engine, "shift $shift: the $engine engine runs");
        is(scalar(@refreshes), 3, "$engine: as many refreshes as asked for");

        my %state = map { $_->{name} => $_ } @{$header->{events}};
        is($state{$_}{state}, 'counted', "$engine: $_ is counted") for 'cycles', 'instructions';
        is($state{branches}{state}, 'unsupported', "$engine: branches is not");
        like($state{branches}{reason}, qr/\w/, "$engine: and the reason is told");

        # They start in the second interval, so the third is sure to have both for all of its time.
        my @spins = sort { $a->{cpu} <=> $b->{cpu} } task($refreshes[2], 'spin');
        is("@{[map { $_->{cpu} } @spins]}", '0 1', "$engine: a spin on each CPU");
        for my $spin (@spins) {
            my $ipc = $spin->{metrics}{ipc} // 'null';
            my $wrong = $ipc eq 'null' || abs($ipc - 0.5**$shift) > 0.01;
            ok(!$wrong, "$engine: the IPC on cpu $spin->{cpu} is 2^-$shift") or diag "it is $ipc";
            is($spin->{counts}{branches}, undef, "$engine: what is not counted is null");
        }
        next if $engine eq 'task';
        for my $refresh (@refreshes) {
            for my $event (grep { $state{$_}{state} eq 'counted' } sort keys %state) {
                my ($ledger, $total, $cpus) = sums($refresh, $event);
                is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
            }
        }
    }
}
done_testing;

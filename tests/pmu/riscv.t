#!/usr/bin/env perl
# A second driver of a core PMU: RISC-V's, by way of the firmware (OpenSBI). Instructions and cycles
# are exact; what this PMU cannot do is said.
use Countertop;

my @lengths = (1000000, 5000000, 9000000); # of as many digits, so that reading them takes as long
my $script = "lengths='@lengths'\n" . <<'END';
loop 1000000 # brings the program into memory
for n in $lengths; do
    countertop -b --format json -s software -e instructions,cycles -- loop $n >out || exit
    tail -n 1 out
done
countertop -b --format json --engine cpu -n 2 -d 0.2 -s software -e instructions,cycles >out || exit
tail -n 2 out
countertop --check
countertop -b -n 1 -d 0.1 -s software -e instructions:u,branches
countertop -b -n 1 -d 0.1 -s overview | sed 's/^ *PID /overview: &/'
END

my $run = guest($script, '--machine', 'riscv64', '--smp', 1);
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my @results = json_lines(join '', grep { /^\{/ } split /^/, $run->{out});
is(@results, @lengths + 2, 'each run has its line') or diag $run->{out};
my (@loops, @cycles);
for my $result (@results[0 .. $#lengths]) {
    my ($loop) = task($result, 'loop');
    push @loops, $loop->{counts}{instructions};
    push @cycles, $loop->{counts}{cycles};
}
# The kernel's part varies: interrupts, and page faults of the start.
for my $i (1 .. $#lengths) {
    my $turns = $lengths[$i] - $lengths[0];
    my ($more, $taken) = ($loops[$i] - $loops[0], $cycles[$i] - $cycles[0]);
    my $each = $more / $turns;
    cmp_ok(abs($each - sprintf('%.0f', $each)), '<', 0.02, "whole instructions for each of $turns turns")
        or diag "@loops";
    cmp_ok(abs($taken / $more - 1), '<', 0.01, '... a cycle each') or diag "@cycles";
}
for my $refresh (@results[-2, -1]) {
    for my $event (qw(instructions cycles)) {
        my ($ledger, $total, $sum) = sums($refresh, $event);
        is("$ledger $sum", "$total $total", "$event balances in refresh $refresh->{seq}");
    }
}
like($run->{out}, qr/^counters +2 in PMU 'cpu'$/m, 'one counter for each of them');
like($run->{out}, qr/instructions:u not counted \(its PMU cannot tell modes apart\)/,
    'no modes apart, which it says');
like($run->{out}, qr/branches not counted \(this processor's PMU 'cpu' has no such event\)/,
    '... and no such event');
like($run->{out}, qr{^overview: .*Mcycle/s +Minst/s +IPC +COMMAND$}m, 'the first screen has no column that is always empty');
done_testing;

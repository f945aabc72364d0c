#!/usr/bin/env perl
# The run queue of a CPU by a real kernel's /proc/schedstat: tasks that wait for it, without the one
# that has it.
use Countertop;

my $script = <<'END';
[ -e /proc/schedstat ] || { echo '"no /proc/schedstat"'; exit; }
spinning=
for i in 1 2 3 4; do taskset 2 spin & spinning="$spinning $!"; done
countertop -b --format json --engine cpu -d 2 -n 5 -s software >out
status=$?
kill $spinning
cat out
exit $status
END

my $run = guest($script, '--smp', 2, '--shift', 3);
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my (undef, @refreshes) = json_lines($run->{out});
if (!@refreshes) {
    SKIP: { skip "the emulated machine has $run->{out}", 1 }
    done_testing;
    exit;
}
# The kernel adds what a task waited when it gets the CPU: a slice before or after an interval's end
# is seen in the neighbour, so the sum of them is compared.
my ($time, @sums) = (0);
for my $refresh (@refreshes[1 .. $#refreshes]) {
    $time += $refresh->{interval};
    $sums[$_] += $refresh->{machine}{cpus}[$_]{queue} * $refresh->{interval} for 0, 1;
}
my @queues = map { $_ / $time } @sums;
cmp_ok(abs($queues[1] - 3), '<', 0.05, 'of four that compute on a CPU, three wait')
    or diag "@queues";
cmp_ok($queues[0], '<', 0.5, '... and on the other CPU hardly anybody') or diag "@queues";
my $last = $refreshes[-1];
is(sprintf('%.6f', $last->{cpus}[1]{metrics}{run_queue}),
    sprintf('%.6f', $last->{machine}{cpus}[1]{queue}), 'the column has the same');
note "queues: @queues";
done_testing;

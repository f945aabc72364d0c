#!/usr/bin/env perl
# --check with hardware counters: six for any event and one only for cycles.
use Countertop;

# The last two beside a countertop that holds a counter of each CPU, and under a filter.
my $script = <<'END_OF_SCRIPT';
countertop --check --format json
echo "status $?"
countertop --check
echo "status $?"
countertop -b --format json -d 0.2 -s software --engine cpu -e cycles:D >out & top=$!
until [ -s out ] || ! kill -0 $top; do usleep 10000; done
countertop --check --format json
echo "status $?"
kill $top
wait $top
forbid EPERM countertop --check --format json
echo "status $?"
END_OF_SCRIPT

my $run = guest($script);
is($run->{status}, 0, 'the machine ran all of it') or diag $run->{out};
my ($free, $text, $held, $filtered) = $run->{out} =~
    /\A(\{.*\}\nstatus \d+)\n((?s:.*?)status \d+)\n(\{.*\}\nstatus \d+)\n(\{.*\}\nstatus \d+)\n\z/
    or BAIL_OUT("not what was asked for: $run->{out}");

sub page {
    my ($line, $status) = split /\nstatus /, $_[0];
    return ((json_lines($line))[0], $status);
}

my ($page, $status) = page($free);
is($status, 0, 'hardware counters work');
is($page->{result}, 'hardware', '... is the result');
is_deeply($page->{counters}, [{pmu => 'armv8_pmuv3', all => 7, free => 7}], 'seven counters');
is($page->{cpu_model}, 'Neoverse-N1', 'the processor');
is_deeply([grep { /^arm_n1$/ } @{$page->{tables}}], ['arm_n1'], '... whose table libpfm4 has');
like($text, qr/^counters +7 in PMU 'armv8_pmuv3'$/m, 'the text tells the counters');
like($text, qr/^  hardware events +yes$/m, '... and that they work');
like($text, qr/^status 0\z/m, '... and so does its status');

($page, $status) = page($held);
is_deeply($page->{counters}, [{pmu => 'armv8_pmuv3', all => 7, free => 6}],
    'one that others hold is not free');
is($status, 0, '... the rest works');

($page, $status) = page($filtered);
is("$status $page->{result}", '1 nothing', 'under a filter nothing works');
is_deeply($page->{counters}, [{pmu => 'armv8_pmuv3', all => 0, free => 0}],
    '... no counter either');

done_testing;

#!/usr/bin/env perl
# A loop of one per cent more instructions is found to be just that, with both engines; a loop of as
# many is not called different.
use Countertop;

# As many digits each, so that reading the argument takes as long.
my $script = <<'END';
exec 2>errors # a terminal would be shown how far it is
loop 0 # brings the program into memory
for engine in cpu task; do
    countertop --format json --engine $engine -s software -e instructions:u -r 5 --compare \
        'loop 50000000' 'loop 50500000' 'loop 50000000'
done
countertop -s software -e instructions:u --mode user -r 5 --compare 'loop 50000000' 'loop 50500000' |
    sed 's/^/text /'
cat errors
END

# Without random addresses: the way through the dynamic linker depends on them.
my $run = guest($script, '--smp', 1, '--append', 'norandmaps');
is($run->{status}, 0, 'the script ends well') or diag $run->{out}, $run->{err};
my ($text) = join '', $run->{out} =~ /^text (.*\n)/mg;
for my $compared (json_lines($run->{out} =~ s/^text.*\n//mgr)) {
    my $engine = $compared->{engine};
    my ($metric) = grep { $_->{name} eq 'instructions:u' } @{$compared->{metrics}};
    is_deeply($metric->{sd}, [0, 0, 0], "$engine: an exact counter has no deviation");
    my ($none, $change, $same) = @{$metric->{change}};
    cmp_ok(abs($change - 0.01), '<', 0.0001, "$engine: 1.01 times the turns are 1.00 % more");
    ok($metric->{low}[1] > 0.0099 && $metric->{high}[1] < 0.0101, "$engine: ... within 0.01 %")
        or diag "$metric->{low}[1] to $metric->{high}[1]";
    is($metric->{mean}[1] - $metric->{mean}[0], 500000, "$engine: ... to the last instruction");
    is($same, 0, "$engine: as many turns are no change");
    is_deeply($metric->{significant}, [undef, Cpanel::JSON::XS::true, Cpanel::JSON::XS::false],
        "$engine: ... and only the other one is called different");
}
like($text, qr/^instructions:u +\d+ ± 0 +\d+ ± 0 +\+(?:0\.99|1\.00)\d* % \[\+(?:0\.99|1\.00)\d*, \+(?:0\.99|1\.00)\d*\] \*$/m,
    'text: 1.00 % more, significant') or diag $text;
note $text;
done_testing;

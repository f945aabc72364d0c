#!/usr/bin/env perl
# A trial of an event while others use all counters: the event would be multiplexed, which is no
# reason to refuse it.
use Countertop;

my $script = <<'END_OF_SCRIPT';
six=r70,r71,r73,r74,r75,r76
countertop --list-events BR_RETURN
echo ---
countertop -b --format json -d 0.2 -s software --engine cpu -e "{$six}" >out & top=$!
until [ -s out ] || ! kill -0 $top; do usleep 10000; done
countertop --list-events BR_RETURN
echo ---
countertop -b --format json -n 2 -d 0.2 -s software --engine cpu -e arm_n1::BR_RETURN_SPEC
kill $top
wait $top || true
END_OF_SCRIPT

my $run = guest($script);
is($run->{status}, 0, 'the machine ran all of it') or diag $run->{out};
my ($free, $held, $json) = split /^---\n/m, $run->{out};
is($free, <<'END', 'an event that the processor has counts');
libpfm4 'arm_n1' (ARM Neoverse N1)
  yes  arm_n1::BR_RETURN_SPEC      Return branches speculatively executed
END
is($held, $free, 'beside six that fill the counters it counts as well');
my ($header, @refreshes) = json_lines($json);
my ($event) = grep { $_->{name} eq 'arm_n1::BR_RETURN_SPEC' } @{$header->{events}};
is($event->{state}, 'counted', '... which is what counting it says') or diag $event->{reason};
my $coverage = $refreshes[-1]{cpus}[0]{coverage}{'arm_n1::BR_RETURN_SPEC'};
cmp_ok($coverage // 1, '<', 1, '... in turns');
cmp_ok($coverage // 1, '>', 0, '... and for some of the time');

done_testing;

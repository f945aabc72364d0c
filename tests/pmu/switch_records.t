#!/usr/bin/env perl
# Records of switches, which cost all tasks that switch, are off 0.3 s after the start where the idle
# task writes samples, also where no ring fills and the first table comes later.
use Countertop;

my $run = guest(<<'END');
descriptors() { ls -l /proc/$top/fd | grep -c perf_event; }
pingpong -t -c 0 -p 1000 1000000 >out & game=$!
countertop -b -d 2 --engine cpu >table 2>&1 & top=$!
until [ $(descriptors) -gt 0 ]; do usleep 1000; done
usleep 300000
descriptors
[ -s table ] && echo 'there is a table already'
until [ -s table ]; do usleep 10000; done
descriptors
kill $top $game
wait $top
END
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my ($soon, $later) = split /\n/, $run->{out};
cmp_ok($soon, '>', 0, 'events are counted before the first table');
is($soon, $later, '... and then, too, by no event for records of switches');
done_testing;

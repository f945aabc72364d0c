#!/usr/bin/env perl
# A CPU that goes offline under load takes its row along and leaves the books in order; one that
# comes back is counted again, also when it was gone for less than a refresh.
use strict;
use warnings;
use Countertop;
use Test::More;

# What is nice leaves the emulated machine fast enough for the shell; the load comes second all the
# same. "cpu":1,"busy" is the row of CPU 1.
my $script = <<'END';
switch() { echo $1 >/sys/devices/system/cpu/cpu1/online; }
lines() { wc -l <out; }
await() {
    at=$(($(lines) + $2))
    until [ "$(lines)" -ge $at ] && $1; do kill -0 $top || exit; usleep 10000; done
}
row() { tail -n 1 out | grep -q '"cpu":1,"busy"'; }
no_row() { ! row; }

countertop -b --format json --engine cpu -d 0.2 -s software -e cycles,instructions >out & top=$!
until [ -s out ] || ! kill -0 $top; do usleep 10000; done
sh -c 'renice -n 19 $$ && exec spin -n 3' &
await row 3
switch 0
await no_row 3
switch 1
await row 3
from=$(lines)
switch 0; switch 1
await row 3
kill $top
wait $top
cat out
echo '{"from":'$from',"status":'$?'}'
END

my $run = guest($script, '--smp', 2);
is($run->{status}, 0, 'the machine stays well') or diag $run->{out};
my ($header, @refreshes) = json_lines($run->{out});
my $end = pop @refreshes;
print join " ", map { scalar(@{$_->{cpus}}).":".($_->{cpus}[1]//{})->{busy}.":$_->{interval}"} @refreshes; print "\n"; print explain $end;
for my $refresh (@refreshes) {
    for my $event (map { $_->{name} } @{$header->{events}}) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
    }
}
done_testing;

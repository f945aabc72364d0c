#!/usr/bin/env perl
# A CPU that goes offline under load loses its row, and the counts still balance; when it returns it
# is counted again, also after less than a refresh.
use Countertop;
use List::Util qw(max min);

# The load comes second, and gives way to the shell: beside one that does not, the emulated machine
# takes seconds for what happens between two refreshes here.
my $script = <<'END';
switch() { echo $1 >/sys/devices/system/cpu/cpu1/online; }
lines() { wc -l <out; }
row() { tail -n 1 out | grep -q '"cpu":1,"busy"'; }
no_row() { ! row; }
# The third refresh from now, or a later one, for which that is so; it has just been written then.
await() {
    at=$(($(lines) + 3))
    until [ "$(lines)" -ge $at ] && $1; do
        kill -0 $top || exit
        usleep 10000
    done
}

countertop -b --format json --engine cpu -d 0.3 -s software -e cycles,instructions >out & top=$!
until [ -s out ] || ! kill -0 $top; do usleep 10000; done
sh -c 'renice -n 19 $$ && exec spin -n 3' &
await row; before=$(lines)
switch 0
await no_row; off=$(lines)
switch 1
await row; on=$(lines)
switch 0; switch 1
await row
kill $top
wait $top && echo "{\"before\":$before,\"off\":$off,\"on\":$on}"
cat out
END

my $run = guest($script, '--smp', 2, '--shift', 2);
is($run->{status}, 0, 'the machine stays well') or diag $run->{out};
# Line numbers; the header is line 1, and the list starts at 0.
my ($at, @lines) = json_lines($run->{out});
my $header = $lines[0];
my @refreshes = @lines[1 .. $#lines];

for my $refresh (@refreshes) {
    for my $event (map { $_->{name} } @{$header->{events}}) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
    }
}

# How much of the interval that ended with a line CPU 1 was seen busy; undef without a row.
sub busy {
    my $refresh = $lines[$_[0] - 1];
    my ($cpu) = grep { $_->{cpu} == 1 } @{$refresh->{cpus}};
    return $cpu ? $cpu->{oncpu} / $refresh->{interval} : undef;
}

my $last = @lines;
cmp_ok(busy($at->{before}), '>', 0.9, 'CPU 1 is busy');
is(busy($at->{off}), undef, 'its row is gone while it is offline');
ok((task($lines[$at->{off} - 1], 'spin'))[0]{oncpu} > 0, 'the load goes on elsewhere');
cmp_ok(busy($at->{on}), '>', 0.9, 'it is busy again once it is back');
my @later = map { busy($_) } $at->{on} + 1 .. $last;
is(scalar(grep { !defined } @later), 0, 'its row stays when it is back before the next refresh');
cmp_ok(min(@later), '<', 0.9, 'though it was away');
cmp_ok(max(@later[-2, -1]), '>', 0.9, 'and counting goes on');
done_testing;

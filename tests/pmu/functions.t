#!/usr/bin/env perl
# Functions by hardware counters: cycles are sampled by the counter's overflow, and instructions are
# read with each sample. The emulated processor retires an instruction in 2^N ns at 1 GHz, so each
# function has an IPC of 2^-N; the functions have 70, 20 and 10 of 100 by construction. With several
# CPUs, which the emulator runs in turns, counters are read up to a turn apart (ipc.t), which is longer
# than a sample is from the next. A higher rate makes the kernel throttle: interrupts are slow here.
use strict;
use warnings;
use Countertop;
use List::Util qw(sum0);
use Test::More;

my $script = <<'END';
shares cycles & work=$!
for who in "" "-p $work"; do
    rm -f out
    countertop -b --format json --view functions --sample cycles/199 -d 2 -n 2 $who >out || exit
    cat out
done
countertop -b --format folded --sample cycles/199 -d 0.5 -n 2 -p $work >out || exit
kill $work
echo FOLDED
cat out
END

for my $shift (1, 2) {
    my $run = guest($script, '--shift', $shift, '--smp', 1);
    is($run->{status}, 0, "shift $shift: countertop ends well") or diag $run->{out};
    my ($json, $folded) = split /^FOLDED$/m, $run->{out};
    my @lines = json_lines($json);
    for my $who ('all', 'one process') {
        my ($header, @refreshes) = splice @lines, 0, 3;
        my $last = $refreshes[-1];
        is($last->{sampling}{event}, 'cycles', "shift $shift, $who: cycles are sampled");
        cmp_ok($last->{sampling}{samples}, '>', 100, '... by overflows of the counter');
        my %found = map { $_->{function} => $_ } @{$last->{functions}};
        my %part = (seventy => 0.7, twenty => 0.2, ten => 0.1);
        my @of = map { $found{"cycles_$_"} } sort keys %part;
        my $samples = sum0 map { $_->{samples} // 0 } @of;
        for my $part (sort keys %part) {
            my $function = $found{"cycles_$part"};
            my $share = ($function->{samples} // 0) / ($samples || 1);
            my $error = 4 * sqrt($part{$part} * (1 - $part{$part}) / ($samples || 1)) + 0.01;
            cmp_ok(abs($share - $part{$part}), '<=', $error, "... $part is $part{$part}, by chance $error off");
        }
        my $ipc = $found{cycles_seventy}{metrics}{ipc};
        cmp_ok(abs(($last->{sampling}{explained} // 0) - 1), '<', 0.05, '... samples explain the exact count');
        cmp_ok(abs(($ipc // 0) - 0.5**$shift), '<', 0.01, "... and its IPC is 2^-$shift") or diag explain $found{cycles_seventy};
    }
    like($folded, qr/^shares;(?:[^;]+;)*main;(?:cycles_round;)?cycles_seventy \d+$/m, "shift $shift: callers");
}
done_testing;

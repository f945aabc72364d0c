#!/usr/bin/env perl
# Functions by hardware counters: cycles are sampled by the counter's overflow, and instructions are
# read with each sample. The emulated processor retires an instruction in 2^N ns at 1 GHz, so each
# function has an IPC of 2^-N; the functions have 70, 20 and 10 of 100 by construction. With several
# CPUs, which the emulator runs in turns, counters are read up to a turn apart (ipc.t), which is longer
# than a sample is from the next. A higher rate makes the kernel throttle: interrupts are slow here.
use Countertop;
use List::Util qw(max sum0);

my $script = <<'END';
shares cycles & work=$!
for who in "" "-p $work"; do
    rm -f out
    countertop -b --format json --view functions --sample cycles/199 -s software -e '{cycles,instructions}' -d 2 -n 2 $who >out || exit
    cat out
done
countertop -b --format folded --sample cycles/199 -d 0.5 -n 2 -p $work >out || exit
cp out folded
countertop -b --format json --annotate cycles_seventy --sample cycles/199 -s software -e '{cycles,instructions}' -d 2 -n 2 -p $work >out || exit
cat out
kill $work
deep 1000000000 & work=$!
countertop -b --format folded --sample cycles/199 --call-graph dwarf -d 1 -n 2 -p $work >out || exit
cp out deep
countertop -b --format json --view functions --sample cycles/199 --call-graph dwarf -d 1 -n 2 -p $work >out || exit
cp out whole
countertop -b --view functions --sample cycles/199 --call-graph lbr -d 1 -n 1 -p $work 2>lbr
kill $work
dd if=/dev/zero of=/dev/null bs=1M count=1000000 2>/dev/null & work=$!
countertop -b --format json --view instructions --sample cycles:k/199 -d 2 -n 2 -p $work >out || exit
kill $work
cat out
echo FOLDED
cat folded
echo DEEP
cat deep
echo WHOLE
cat whole
echo LBR
cat lbr
END

for my $shift (1, 2) {
    my $run = guest($script, '--shift', $shift, '--smp', 1);
    is($run->{status}, 0, "shift $shift: countertop ends well") or diag $run->{out};
    my ($json, $folded, $deep, $whole, $lbr) = split /^(?:FOLDED|DEEP|WHOLE|LBR)$/m, $run->{out};
    my @lines = json_lines($json);
    for my $who ('all', 'one process') {
        my ($header, @refreshes) = splice @lines, 0, 3;
        my $last = $refreshes[-1];
        is($last->{sampling}{event}, 'cycles', "shift $shift, $who: cycles are sampled");
        cmp_ok($last->{sampling}{samples}, '>', 100, '... by overflows of the counter')
            or diag explain $last->{interval}, $last->{sampling};
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
    # Each word of Arm's code is an instruction, whether or not something disassembles it.
    my ($listed, $kernel) = map { (splice @lines, 0, 3)[2] } 1 .. 2;
    my @words = @{$listed->{instructions}};
    is($listed->{function}{function}, 'cycles_seventy', "shift $shift: the instructions of a function");
    like($listed->{function}{reason} // '', qr/^(?:|cannot run 'objdump': .*: install binutils)$/, '... or words, and why');
    cmp_ok(scalar(@words), '>', 4, '... all');
    is(scalar(grep { hex($words[$_]{address}) != hex($words[0]{address}) + 4 * $_ } 0 .. $#words), 0, '... one after the other');
    is(sum0(map { $_->{samples} } @words), $listed->{function}{samples}, '... have its samples');
    my ($most) = sort { $b->{samples} <=> $a->{samples} } @words;
    cmp_ok($most->{samples}, '>', 0.4 * $listed->{function}{samples}, '... most of them the loop inside');
    cmp_ok(abs(($most->{metrics}{ipc} // 0) - 0.5**$shift), '<', 0.05, "... with an IPC of 2^-$shift") or diag explain $most;
    cmp_ok(scalar(@{$kernel->{instructions}}), '>', 1, "shift $shift: the kernel's code is in its memory")
        or diag explain $kernel->{function};
    like($folded, qr/^shares;(?:[^;]+;)*main;(?:cycles_round(?: \(inlined\))?;)?cycles_seventy(?:;[^;]+ \(inlined\))* \d+$/m, "shift $shift: callers");
    # From copies of the stack.
    my $ladder = join ';', map { "deep_$_" } qw(one two three four five six seven eight nine ten);
    my ($all, $whole_stacks, $lowest) = (0, 0, 0);
    for (split /\n/, $deep // '') {
        my ($stack, $weight) = /^(.*) (\d+)$/ or next;
        my ($levels) = $stack =~ /;main((?:;deep_\w+)*)/;
        $all += $weight;
        $whole_stacks += $weight if $levels && ";$ladder;" =~ /^\Q$levels\E;/;
        $lowest += $weight if $levels && $levels eq ";$ladder";
    }
    cmp_ok($whole_stacks, '>', 0.9 * ($all || 1), "shift $shift: whole stacks of up to ten functions without frame pointers")
        or diag $deep;
    cmp_ok($lowest, '>', 0.5 * ($all || 1), '... most samples in the lowest') or diag $deep;
    # How many there are depends on how soon the emulated kernel finds the period for that rate.
    my @sampling = map { $_->{sampling} // () } json_lines(($whole // '') =~ s/^\s+//r);
    my %sum = map { my $what = $_; $what => sum0 map { $_->{$what} } @sampling } qw(samples unwound short_stacks);
    cmp_ok($sum{unwound}, '>=', max(10, 0.95 * $sum{samples}), '... are unwound') or diag explain \@sampling;
    cmp_ok($sum{short_stacks}, '<=', 0.05 * $sum{samples}, '... at most 5 of 100 are short') or diag explain \@sampling;
    like($lbr // '', qr/^countertop: cannot sample 'cycles' with the processor's record of calls: this processor has no record of calls that the kernel can read \(.*\); use --call-graph dwarf or fp$/m,
        "shift $shift: no record of calls, and why");
}
done_testing;

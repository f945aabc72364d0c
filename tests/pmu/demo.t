#!/usr/bin/env perl
# The self-test of --demo where instructions, cycles and context switches are exact. With two CPUs
# the emulator counts instructions of one for the other: ipc.t.
use Countertop;

my $run = guest("countertop --demo all --verify --format json\n", '--smp', 1);
is($run->{status}, 0, 'nothing fails') or diag $run->{out};
my @checks = json_lines($run->{out});
my %check = map { ("$_->{name}: $_->{what}" => $_) } @checks;
is_deeply([grep { $check{$_}{verdict} eq 'too noisy' } sort keys %check], [], 'nor is too noisy');

for my $engine ('', ', ledger') {
    is($check{"loop: instructions$engine"}{measured}, 10_000_000, "instructions$engine, to the last one");
    is($check{"loop: cycles$engine"}{measured}, 10_000_000, "cycles$engine");
    is($check{"faults: page-faults$engine"}{measured}, 1024, "page faults$engine");
    is($check{"syscalls: raw_syscalls:sys_enter$engine"}{measured}, 5000, "system calls$engine");
    my $switches = $check{"pingpong: context-switches$engine"};
    is($switches->{verdict}, 'pass', "context switches$engine");
    cmp_ok(abs($switches->{measured} - 1000), '<=', 5, '... but for preemptions');
}
is($check{'owners: tasks = CPUs, ledger'}{verdict}, 'pass', 'the books are closed');

my %instructions = (
    scalar => 25_800_000, vector => 6_600_000, frontend => 6_300_000,
    alias4k => 4_000_000, 'alias4k-not' => 4_000_000, stream => 5_111_808,
);
is($check{"$_: instructions"}{measured}, $instructions{$_}, "$_: instructions") for sort keys %instructions;
is($check{"inline: demo_inline_$_"}{verdict}, 'pass', "$_ % in an inlined function") for 60, 30, 10;

my $scaled = $check{'turns: instructions, scaled'};
is($scaled->{verdict}, 'pass', '24 events take turns');
is($scaled->{expected}, 2, '... and are known');

# What the emulator does not model is not measurable, with the reason.
my @missing = grep { $_->{verdict} eq 'not measurable' } @checks;
is_deeply([grep { !length($_->{cause} // '') || defined $_->{measured} } @missing], [],
    'what cannot be measured has a reason and no number');
like($check{'mul: cycles/multiplication'}{cause}, qr/^each instruction takes the same time here/,
    'a processor without a pipeline is no place to measure latency');
like($check{'loop: branches'}{cause}, qr/ has no such event$/, 'branches are not there');
like($check{'migrate: cpu-migrations'}{cause}, qr/needs two CPUs/, 'one CPU is not enough to migrate');
done_testing;

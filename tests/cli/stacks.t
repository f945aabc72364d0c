#!/usr/bin/env perl
# Whole stacks: of a program without frame pointers whose ten functions are known, from copies of its
# stack; of programs and libraries that were built differently; what they cost, and what is said where
# they cannot be had.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use List::Util qw(sum0);
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
$ENV{XDG_CACHE_HOME} = "$dir/cache";
chomp(my $machine = `uname -m`);
plan skip_all => "stacks are not unwound on $machine" if $machine !~ /^(?:x86_64|aarch64)$/;

my @dwarf = ('--sample', 'cpu-clock', '--call-graph', 'dwarf');
my @deep = qw(one two three four five six seven eight nine ten);
# Interrupts may be sampled instead of what they interrupt, and libc starts main in functions of its own.
my $kernel = qr/(?:;[^;]+)*/;
my $outer = qr/(?:[^;]+;)*/;

# Stacks with their weights.
sub stacks {
    my %found;
    /^(.*) (\d+)$/ and $found{$1} = $2 for split /\n/, countertop('-b', '--format', 'folded', '--sample', 'cpu-clock', @_)->{out};
    return %found;
}

# The part of the weight whose stacks match.
sub part {
    my ($pattern, %found) = @_;
    return sum0(map { /$pattern/ ? $found{$_} : 0 } keys %found) / (sum0(values %found) || 1);
}

sub sampling {
    return (refreshes('--view', 'functions', '--sample', 'cpu-clock', @_))[-1]{sampling};
}

# ---- ten functions ----

my $ten = join '|', map { join ';', map { "deep_$_" } @deep[0 .. $_] } reverse 0 .. 9;
my %found = stacks('--call-graph', 'dwarf', '--', 'deep', 300_000);
my $whole = part(qr/^deep;${outer}main(?:;(?:$ten))?(?:;burn \(inlined\))?(?:;(?!deep_)[^;]+)*$/, %found);
cmp_ok($whole, '>=', 0.95, 'from main to the function: at least 95 of 100 stacks are whole') or diag explain \%found;
cmp_ok(part(qr/;main;deep_one;deep_two;deep_three;deep_four;deep_five;deep_six;deep_seven;deep_eight;deep_nine;deep_ten\b/, %found),
    '>', 0.8, '... most of them of all ten functions');
my $sampling = sampling('--call-graph', 'dwarf', '--', 'deep', 1_500_000);
is($sampling->{stacks}, 'dwarf', 'JSON says how callers were found');
is($sampling->{unwound} + $sampling->{late}, $sampling->{samples}, '... each sample is unwound or late');
cmp_ok($sampling->{short_stacks}, '<=', 0.05 * $sampling->{samples}, '... few are short, as it says itself');
SKIP: {
    skip 'frame pointers are in use here', 2 if $machine ne 'x86_64';
    my $fp = sampling('--call-graph', 'fp', '--', 'deep', 300_000);
    is($fp->{stacks}, 'fp', 'by frame pointers, which it does not have');
    cmp_ok($fp->{short_stacks}, '>', 0.5 * $fp->{samples}, '... most are short');
}

# ---- programs and libraries of all kinds ----

%found = stacks('--call-graph', 'dwarf', '--', 'deep', 'mixed', 400_000); # 70 samples and more: one may be of its end
cmp_ok(part(qr/;main;(?:[^;]+;)+deep_compare;deep_seven\b/, %found), '>', 0.2, 'through a library that calls back');
cmp_ok(part(qr/;main(?:;|$)/, %found), '>=', 0.95, '... as whole as the others');
%found = stacks('--call-graph', 'dwarf', '--', 'shares', 'cycles', 4_000);
cmp_ok(part(qr/;main;(?:cycles_round;)?cycles_(?:seventy|twenty|ten)(?:;|$)/, %found), '>', 0.8, 'a program with frame pointers');
sub compile {
    my ($name, @flags) = @_;
    open my $file, '>', "$dir/$name.c" or die "$name.c: $!";
    print $file <<'END';
#include <stdlib.h>
__attribute__((noinline)) unsigned long inner(unsigned long n)
{
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += i;
    return sum;
}
__attribute__((noinline)) unsigned long middle(unsigned long n)
{
    volatile char room[300];
    room[n % 300] = 1;
    return inner(n) + room[n % 300];
}
int main(int argc, char **argv)
{
    return argc > 1 && middle(strtoul(argv[1], NULL, 10)) == 1;
}
END
    close $file;
    my $run = run('gcc', @flags, "$dir/$name.c", '-o', "$dir/$name");
    return $run->{status} == 0 ? "$dir/$name" : undef;
}
my %kind = (
    'linked statically' => [qw(-O2 -fomit-frame-pointer -static)],
    'not at any address' => [qw(-O2 -fomit-frame-pointer -no-pie)],
    'with .debug_frame alone' => [qw(-O2 -g -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions)],
    'with large pages' => ['-O2', '-fomit-frame-pointer', '-Wl,-z,max-page-size=0x200000'],
);
SKIP: {
    skip 'gcc is not installed', 2 * keys %kind if !grep { -x "$_/gcc" } split /:/, $ENV{PATH};
    for my $kind (sort keys %kind) {
        my $program = compile($kind =~ s/\W/_/gr, @{$kind{$kind}});
        SKIP: {
            skip "a program $kind cannot be built here", 1 if !$program;
            %found = stacks('--call-graph', 'dwarf', '--', $program, 1_000_000_000); # 45 samples and more: one may be of its end
            cmp_ok(part(qr/;main;middle;inner$kernel$/, %found), '>=', 0.95, "a program $kind") or diag explain \%found;
        }
    }
}

# ---- deeper than the kernel follows: kernel.perf_event_max_stack, 127 ----

SKIP: {
    skip 'gcc is not installed', 2 if !grep { -x "$_/gcc" } split /:/, $ENV{PATH};
    open my $file, '>', "$dir/down.c" or die "down.c: $!";
    print $file 'static volatile unsigned long x; __attribute__((noinline)) static void down(int n)'
        . '{ if (n) down(n - 1); else for (int i = 0; i < 100000000; i++) x++; x++; } int main(void) { down(200); return 0; }';
    close $file;
    run('gcc', '-O1', '-fno-omit-frame-pointer', '-fno-optimize-sibling-calls', "$dir/down.c", '-o', "$dir/down");
    for my $way ('fp', 'dwarf,32768') {
        my $cut = sampling('--call-graph', $way, '--', "$dir/down");
        cmp_ok($cut->{short_stacks}, '>', 0.5 * $cut->{samples}, "$way: what is cut off is short");
    }
}

# ---- a smaller copy: what is known is right, and said to be short ----

%found = stacks('--call-graph', 'dwarf,512', '--', 'deep', 1_500_000);
cmp_ok(part(qr/^deep;(?:deep_[^;]+;)*deep_nine;deep_ten\b/, %found), '>', 0.8, '512 bytes: the last functions in their order') or diag explain \%found;
$sampling = sampling('--call-graph', 'dwarf,512', '--', 'deep', 300_000);
cmp_ok($sampling->{short_stacks}, '>', 0.5 * $sampling->{samples}, '... which is called short');
cmp_ok($sampling->{copied_bytes}, '<=', 512 * $sampling->{samples}, '... and no more is copied');

# ---- the rate is limited ----

my $work = start('deep', 1_000_000_000);
$sampling = sampling('--call-graph', 'dwarf', '--sample', 'cpu-clock/5000', '-p', $work->{pid}, '-n', 2, '-d', 0.5);
is($sampling->{rate}, 199, 'at most 199 copies a second');
$sampling = sampling('--call-graph', 'dwarf', '--sample', 'page-faults', '--', 'shares', 'faults', 100);
is($sampling->{note}, 'not each is sampled: stacks are copied 199 times a second', 'what would be each is not: that is said');

# ---- recordings ----

my $file = "$dir/deep.db";
countertop('-b', '--record', $file, '--view', 'functions', @dwarf, '-p', $work->{pid}, '-n', 2, '-d', 0.5);
my $text = countertop('-b', '--replay', $file, '--view', 'functions')->{out};
like($text, qr{; stacks: unwound, \d+ % short(?:, \d+ late)? \(copies: [\d.]+[kM]?B/s, \d+\.\d % CPU\)}, 'a recording knows how they were found, and what that cost');
like(countertop('-b', '--replay', $file, '--format', 'folded')->{out}, qr/;main;deep_one;deep_two;/, '... and has them');

# ---- what cannot be done is said ----

my $all = countertop('-b', '--view', 'functions', @dwarf, '-n', 1);
is($all->{err}, "countertop: cannot copy the stacks of all tasks: choose a process with -p, -t or -- COMMAND, in the terminal with p on its row\n", 'not of all tasks');
is($all->{status}, 1, '... which fails');
my $lbr = countertop('-b', '--view', 'functions', '--sample', 'cpu-clock', '--call-graph', 'lbr', '-p', $work->{pid}, '-n', 1);
like($lbr->{err}, qr/^countertop: cannot sample 'cpu-clock' with the processor's record of calls: the kernel has it only for events that the processor counts \(.*\); use --call-graph dwarf or fp$/,
    'lbr: why there is none');
for my $wrong (['dwarf,100', "no size '100' for --call-graph: expected 512 to 32768 bytes"], ['dwarf,', "no size '' for --call-graph: expected 512 to 32768 bytes"],
    ['dwarv', "unknown value 'dwarv' for --call-graph: expected fp, dwarf, lbr or no; nearest is 'dwarf'"]) {
    my $run = countertop('-b', '--call-graph', $wrong->[0]);
    is("$run->{status} $run->{err}", "2 countertop: $wrong->[1]\n", "--call-graph $wrong->[0]");
}
SKIP: {
    skip 'only root has processes of others', 2 if $> != 0;
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups);
    my $run = run(@nobody, 'countertop', '-b', '--view', 'functions', @dwarf, '-p', $work->{pid}, '-n', 1);
    isnt($run->{status}, 0, 'without rights');
    like($run->{err}, qr/^countertop: cannot sample 'cpu-clock': .*(?:perf_event_paranoid|CAP_|own|permission)/i, '... the reason is given');
}

# ---- damaged call frame information ----

SKIP: {
    my ($offset, $size) = map { hex } run('objdump', '-h', "$ENV{B}/work/deep")->{out} =~ /^ +\d+ \.eh_frame +([0-9a-f]+) +\S+ +\S+ +([0-9a-f]+)/m ? ($2, $1) : ();
    skip 'objdump is not installed', 2 if !$offset;
    my ($lived, $answered) = (0, 0);
    srand 11;
    for (1 .. 4) {
        my $bytes = slurp("$ENV{B}/work/deep");
        substr($bytes, $offset + int rand $size, 1) = chr int rand 256 for 1 .. 60;
        open my $damaged, '>', "$dir/damaged" or die "damaged: $!";
        print $damaged $bytes;
        close $damaged;
        chmod 0755, "$dir/damaged";
        my $run = countertop('-b', '--format', 'json', '--view', 'functions', @dwarf, '--', "$dir/damaged", 30_000);
        my ($last) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
        $lived += $run->{status} == 0;
        $answered += $last->{sampling}{samples} > 0 && $last->{sampling}{unwound} + $last->{sampling}{late} == $last->{sampling}{samples};
    }
    is($lived, 4, 'damaged call frame information does not end the program');
    is($answered, 4, '... and each sample is accounted for');
}
stop($work);
done_testing;

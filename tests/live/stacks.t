#!/usr/bin/env perl
# How many stacks are whole: of a program without frame pointers whose ten functions are known, from
# copies of its stack; of programs and libraries that were built differently.
use Countertop;
use List::Util qw(sum0);

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
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
is($sampling->{unwound} + $sampling->{late}, $sampling->{samples}, 'each sample is unwound or late');
cmp_ok($sampling->{short_stacks}, '<=', 0.05 * $sampling->{samples}, '... few are short, as it says itself');
SKIP: {
    skip 'frame pointers are in use here', 1 if $machine ne 'x86_64';
    my $fp = sampling('--call-graph', 'fp', '--', 'deep', 300_000);
    cmp_ok($fp->{short_stacks}, '>', 0.5 * $fp->{samples}, 'by frame pointers, which it does not have, most are short');
}

# ---- programs and libraries of all kinds ----

%found = stacks('--call-graph', 'dwarf', '--', 'deep', 'mixed', 400_000); # 70 samples and more: one may be of its end
cmp_ok(part(qr/;main;(?:[^;]+;)+deep_compare;deep_seven\b/, %found), '>', 0.2, 'through a library that calls back');
cmp_ok(part(qr/;main(?:;|$)/, %found), '>=', 0.95, '... as whole as the others');
%found = stacks('--call-graph', 'dwarf', '--', 'shares', 'cycles', 4_000);
cmp_ok(part(qr/;main;(?:cycles_round;)?cycles_(?:seventy|twenty|ten)(?:;|$)/, %found), '>', 0.8, 'a program with frame pointers');

# ---- a smaller copy: what is known is right, and said to be short ----

%found = stacks('--call-graph', 'dwarf,512', '--', 'deep', 1_500_000);
cmp_ok(part(qr/^deep;(?:deep_[^;]+;)*deep_nine;deep_ten\b/, %found), '>', 0.8, '512 bytes: the last functions in their order') or diag explain \%found;
$sampling = sampling('--call-graph', 'dwarf,512', '--', 'deep', 300_000);
cmp_ok($sampling->{short_stacks}, '>', 0.5 * $sampling->{samples}, '... which is called short');

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

done_testing;

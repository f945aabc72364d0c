#!/usr/bin/env perl
# No wrong name: programs of two compilers at all levels, with and without debug information,
# stripped, at any address or at one, whole or in parts for the linker to optimize. Each address that
# was sampled in them is asked of addr2line; of a stripped one in its twin that is not.
use Countertop qw(:DEFAULT installed write_file);
use List::Util 'first';

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;

my @missing = grep { !installed($_) } qw(addr2line nm objcopy sqlite3);
my @compilers = grep { installed($_) } qw(gcc clang);
plan skip_all => "@missing is not installed" if @missing;
plan skip_all => 'neither gcc nor clang is installed' if !@compilers;

# Functions that are static or not, called directly or not, that call themselves, that are taken apart
# or inlined as far as the compiler likes; padding without a name between them.
write_file("$dir/main.c", <<'END');
#include <stdlib.h>
unsigned long mix(unsigned long x), fold(unsigned long x, int up), tangle(unsigned long n);
static unsigned long twist(unsigned long x) { return mix(x) ^ x >> 3; }
static __attribute__((noinline)) unsigned long wind(unsigned long x)
{
    for (int i = 0; i < 30; i++)
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ul;
    return x;
}
static unsigned long turn(unsigned long x, int deep)
{
    if (deep == 0)
        return wind(x);
    return turn(x + 1, deep - 1) + (x & 1 ? twist(x) : x);
}
static unsigned long (*const ways[])(unsigned long) = {twist, mix, wind, tangle};
unsigned long choose(unsigned long i) { return ways[i % 4](i); }
int main(int argc, char **argv)
{
    unsigned long sum = 0, n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    for (unsigned long i = 0; i < n; i++)
        sum += choose(i + sum) + turn(i, 7) + fold(sum, i & 1);
    return sum == 1;
}
END
write_file("$dir/parts.c", <<'END');
#include <stdlib.h>
unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 20; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}
static __attribute__((noinline, cold)) unsigned long seldom(unsigned long x) { return mix(x) % 11; }
static unsigned long half(unsigned long x, unsigned long y, int up)
{
    for (int i = 0; i < 25; i++)
        x = up ? x << 5 ^ y : x >> 3 ^ y * 3;
    return x;
}
unsigned long fold(unsigned long x, int up)
{
    if (__builtin_expect(x % 7 == 0, 0))
        return seldom(x);
    return up ? half(x, 9, 1) : half(x, 11, 0);
}
unsigned long tangle(unsigned long n)
{
    switch (n % 5) {
    case 0: return fold(n, 1);
    case 1: return fold(n, 0) + mix(n);
    case 2: return half(n, n, 1);
    default: return mix(n + 1);
    }
}
END

# name, flags, whether it is stripped
my @kinds = (
    ['-g -pie', [qw(-g -fPIE -pie)]],
    ['-g -no-pie', [qw(-g -no-pie)]],
    ['-pie', [qw(-fPIE -pie)]],
    ['-no-pie', [qw(-no-pie)]],
    ['-pie, stripped', [qw(-fPIE -pie)], 1],
    ['-no-pie, stripped', [qw(-no-pie)], 1],
    ['-g -flto', [qw(-g -flto -fPIE -pie)]],
    ['-flto', [qw(-flto -fPIE -pie)]],
    ['-flto, stripped', [qw(-flto -fPIE -pie)], 1],
);
# What of names compilers add to parts and copies of functions; debug information has them without.
my $added = qr/(?:\.(?:part|constprop|isra|cold|lto_priv|llvm)(?:\.\d+)*)+$/;

# Where functions begin, by the symbols of a program.
sub bounds {
    my ($program) = @_;
    return sort { $a <=> $b } map { /^([0-9a-f]+) [tTwW] / ? hex $1 : () } split /\n/, run('nm', $program)->{out};
}

# Left out is what has neither name nor bounds (state 2), such as the start of a stripped program.
# What is wrong with the names of the addresses in a program that were sampled, or where its object was
# not read in time, of its functions; their number.
sub wrong {
    my ($program, $twin, $debug, $rounds) = @_;
    my $file = "$dir/recorded.db";
    unlink $file;
    my $run = countertop('-b', '--record', $file, '--view', 'functions', '--call-graph', 'no', '--mode', 'user', '--sample', 'cpu-clock/3989', '--', $program, $rounds);
    return (0, "status $run->{status}: $run->{err}") if $run->{status} != 0;
    my @rows = split /\n/, run('sqlite3', '-separator', ' ', $file, <<"END")->{out};
SELECT DISTINCT coalesce(r.address, f.start), f.start, coalesce(f.name, '?') FROM profile_rows r, functions f, objects o
WHERE r.function = f.id AND o.id = f.object AND o.path = '$program' AND f.state <> 2
END
    my @known = map { [split / /] } @rows;
    my @true = split /\n/, run('addr2line', '-i', '-f', '-a', '-e', $twin, map { sprintf '%x', $_->[0] } @known)->{out};
    my (%true, $address);
    for my $line (@true) { # names and places in turn; the last name is that of the function itself
        if ($line =~ /^0x([0-9a-f]+)$/) {
            $address = hex $1;
        } elsif ($line !~ /:(?:\d+|\?)(?: \(discriminator \d+\))?$/) {
            $true{$address} = $line;
        }
    }
    my @starts = bounds($twin);
    my @wrong;
    for (@known) {
        my ($at, $start, $name) = @$_;
        my $begins = (first { $_ <= $at } reverse @starts) // -1;
        my $is = $debug ? $name =~ s/$added//r : $name;
        my $right = $program eq $twin ? $is eq ($debug ? $true{$at} =~ s/$added//r : $true{$at}) : $name eq '?';
        push @wrong, sprintf '%x: %s from %x, not %s from %x', $at, $name, $start, $true{$at}, $begins
            if !$right || $start != $begins;
    }
    return (scalar @known, @wrong);
}

# The compilers take longer than all else; the part for sanitizers has each kind and compiler, and each level.
my $sanitized = $ENV{B} =~ /asan/;
my ($programs, $addresses) = (0, 0);
for my $compiler (@compilers) {
    SKIP: for my $k (0 .. $#kinds) {
        my ($kind, $flags, $stripped) = @{$kinds[$k]};
        for my $level (0 .. 3) {
            next if $sanitized && $level != ($k + length $compiler) % 4;
            next if $kind =~ /^-flto/ && $level % 2; # as long as the others together
            my $twin = "$dir/$compiler$k$level";
            my @lto = $kind =~ /flto/ && $compiler eq 'clang' ? ('-fuse-ld=lld') : ();
            skip "$compiler $kind: lld is not installed", 1 if @lto && !installed('ld.lld');
            my $dwarf = $compiler eq 'clang' ? '-gdwarf-4' : '-g'; # binutils' addr2line does not know all of DWARF 5
            my $made = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, $compiler, "-O$level", (map { $_ eq '-g' ? $dwarf : $_ } @$flags), @lto,
                'main.c', 'parts.c', '-o', $twin);
            die "$compiler -O$level @$flags: $made->{err}" if $made->{status} != 0;
            my $program = $twin;
            run('objcopy', '--strip-all', $twin, $program = "$twin.bare") if $stripped;
            my ($number, @wrong) = wrong($program, $twin, scalar $kind =~ /-g/, $level ? 400_000 : 100_000);
            is_deeply(\@wrong, [], "$compiler -O$level $kind: the names of $number addresses");
            cmp_ok($number, '>', 2, '... of several functions');
            $addresses += $number;
            $programs++;
        }
    }
}
cmp_ok($addresses, '>', 15 * $programs, "$addresses addresses in all");
SKIP: {
    skip 'not all compilers are here, or it is the part for sanitizers', 1 if @compilers < 2 || $sanitized || !installed('ld.lld');
    cmp_ok($programs, '>=', 50, "$programs programs");
}
done_testing;

#!/usr/bin/env perl
# Whole stacks of programs that other linkers and compilers make: lld, where parts of a program share
# pages, and Rust.
use Countertop qw(:DEFAULT installed write_file);
use List::Util 'sum0';

my $dir = tempdir(CLEANUP => 1);
write_file("$dir/c.c", <<'END');
#include <stdlib.h>
__attribute__((noinline)) unsigned long inner(unsigned long n)
{
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += i;
    return sum;
}
__attribute__((noinline)) unsigned long outer(unsigned long n)
{
    volatile char room[300];
    room[n % 300] = 1;
    return inner(n) + room[n % 300];
}
int main(void)
{
    return outer(1000000000) == 1;
}
END
write_file("$dir/r.rs", <<'END');
#[inline(never)]
fn inner(n: u64) -> u64 { let mut s = 0u64; for i in 0..n { s = std::hint::black_box(s + i); } s }
#[inline(never)]
fn outer(n: u64) -> u64 { inner(n) + std::hint::black_box(1) }
fn main() { std::process::exit((outer(1_000_000_000) == 1) as i32); }
END

my @c = qw(clang -fuse-ld=lld -O1 -fomit-frame-pointer c.c -o program);
my @ways = (
    ['lld', @c],
    ['lld, not at any address', @c, '-no-pie', '-fno-pie'],
    ['lld, pages of 64 KiB', @c, '-Wl,-z,max-page-size=65536'],
    ['lld, separate code', @c, '-Wl,-z,separate-code'],
    ['rustc with lld', qw(rustc -O -C linker=clang -C link-arg=-fuse-ld=lld r.rs -o program)],
);
for my $way (@ways) {
    my ($name, @command) = @$way;
    SKIP: {
        skip "$command[0] or ld.lld is not installed", 1 if !installed($command[0]) || !installed('ld.lld');
        my $built = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, @command);
        skip "$name: $built->{err}", 1 if $built->{status};
        my $folded = countertop('-b', '--format', 'folded', '--sample', 'cpu-clock', '--call-graph', 'dwarf', '--', "$dir/program")->{out};
        my %stacks = $folded =~ /^(.*) (\d+)$/mg;
        my $whole = sum0(map { $stacks{$_} } grep { /[;:]main;(?:.*[;:])?outer;(?:.*[;:])?inner\b/ } keys %stacks);
        cmp_ok($whole / (sum0(values %stacks) || 1), '>=', 0.9, "$name: 90 of 100 stacks are whole") or diag $folded;
    }
}
done_testing;

# Source lines and inlined functions of a program whose names and order are known, by page faults in the
# innermost of them, beside what addr2line finds at the same addresses: each address of a function.
package Lines;
use strict;
use warnings;
use Countertop qw(:DEFAULT write_file);
use Exporter 'import';
use File::Temp 'tempdir';
use Test::More;

our @EXPORT = qw($dir @faults compile lines_of check);
our $dir = tempdir(CLEANUP => 1);
our @faults = qw(--sample page-faults);
chmod 0755, $dir;

# A chain of inlined functions in two files. With APART the innermost is in a file of its own: only the
# linker can inline it.
my $mix = <<'END';
unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 50; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    next += 4096;
    *next = 1;
    return x;
}
END
write_file("$dir/mix.h", "static inline __attribute__((always_inline)) $mix");
write_file("$dir/mix.c", "extern volatile char *next;\n$mix");
write_file("$dir/hot.c", <<'END');
#define _GNU_SOURCE
#include <sys/mman.h>
volatile char *next;
#ifdef APART
unsigned long mix(unsigned long x);
#else
#include "mix.h"
#endif
static inline __attribute__((always_inline)) unsigned long twist(unsigned long x)
{
    return mix(x) ^ 5;
}
static inline __attribute__((always_inline)) unsigned long outer(unsigned long x)
{
    return twist(x) + 3;
}
__attribute__((noinline)) unsigned long hot(unsigned long n)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += outer(sum + i);
    return sum;
}
int main(int argc, char **argv)
{
    next = mmap(0, 4096 * 102, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)next, 4096 * 102, MADV_NOHUGEPAGE);
    return hot(argc * 100ul) == 1;
}
END

sub compile {
    my ($name, $compiler, @flags) = @_;
    my $run = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, $compiler, @flags, 'hot.c', '-o', $name);
    die "$compiler @flags: $run->{err}" if $run->{status} != 0;
    return "$dir/$name";
}

# The refresh of a run of the program, annotated.
sub lines_of {
    my ($program, @options) = @_;
    return whole_refresh('--annotate', 'hot', @faults, @options, '--', $program);
}

# What addr2line finds at addresses: place, and names of inlined functions from the outermost.
sub truth {
    my ($tool, $program, @addresses) = @_;
    my %found;
    my $address;
    for (split /\n/, run($tool, '-a', '-i', '-f', '-e', $program, @addresses)->{out}) {
        if (/^0x0*([0-9a-f]+)$/) {
            $address = "0x$1";
        } elsif (m{^(\S+):(\d+|\?)(?: \(discriminator \d+\))?$}) {
            $found{$address}{place} //= "$1:$2";
        } else {
            unshift @{$found{$address}{names}}, $_;
        }
    }
    shift @{$_->{names}} for values %found; # the function itself
    return \%found;
}

# %how: tool, in place of addr2line; debug, the file that has the debug information.
sub check {
    my ($name, $program, $refresh, %how) = @_;
    my @listing = @{$refresh->{instructions}};
    my $true = truth($how{tool} // 'addr2line', $how{debug} // $program, map { $_->{address} } @listing);
    my (@places, @inlined, %named);
    for (@listing) {
        my $here = $true->{$_->{address}};
        my $place = $_->{file} ? "$_->{file}:$_->{line}" : '??:?';
        # Code that a compiler made without a line is 0 or nothing.
        (my $true_place = $here->{place}) =~ s/^.*:[0?]$/??:?/;
        push @places, "$_->{address} $place, not $true_place" if $place ne $true_place;
        push @inlined, "$_->{address} @{$_->{inlined}}, not @{$here->{names}}" if "@{$_->{inlined}}" ne "@{$here->{names}}";
        $named{"@{$_->{inlined}}"}++;
    }
    cmp_ok(scalar(@listing), '>', 5, "$name: is listed") or diag explain @$refresh{qw(function sampling)};
    is_deeply(\@places, [], "$name: its lines are those of addr2line");
    is_deeply(\@inlined, [], "$name: so are the inlined functions");
    ok($named{'outer twist mix'}, "$name: the whole chain of three is named");
    is($refresh->{function}{lines}, undef, "$name: nothing is missing");
}

1;

#!/usr/bin/env perl
# Functions of two commands compared by the time that they take: what is marked, and what is not.
use strict;
use warnings;
use Countertop qw(:DEFAULT installed write_file);
use File::Temp 'tempdir';
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my @functions = qw(--compare --view functions --sample cpu-clock --format json -r 10);

sub marked {
    my $run = countertop(@functions, @_);
    my ($compared) = json_lines($run->{out});
    diag $run->{err} if $run->{err};
    return ($compared, map { $_->{function} } grep { $_->{significant} || $_->{share_change}{significant} } @{$compared->{functions}});
}

# Marks by chance are one of 100.
my ($compared, @marked);
for (my $try = 0; $try < 2 && "@{[sort @marked]}" ne 'burn_first burn_second'; $try++) {
    ($compared, @marked) = marked('thirds 60 30 10 3000', 'thirds 50 40 10 3000');
}
my %by = map { $_->{function} => $_ } @{$compared->{functions}};
my %truth = (burn_first => [0.6, 0.5], burn_second => [0.3, 0.4], burn_third => [0.1, 0.1]);
is_deeply([sort @marked], [qw(burn_first burn_second)], '60/30/10 against 50/40/10: two functions are marked') or diag explain $compared->{functions};
for my $name (sort keys %truth) {
    my ($a, $b) = @{$truth{$name}};
    my $row = $by{$name};
    for ($row, $row->{share_change}) {
        ok($_->{low} <= $b / $a - 1 && $_->{high} >= $b / $a - 1, "$name: its interval contains the truth") or diag explain $row;
    }
    cmp_ok(abs($row->{share}[0] - $a), '<', 0.05, '... and its share is right');
}
my $wrong = 0;
for (1 .. 3) {
    (undef, @marked) = marked(('thirds 60 30 10 3000') x 2);
    $wrong += @marked > 0;
}
is($wrong, 0, 'equal commands: no function is marked');

# The same source, one function of which is compiled without optimization.
SKIP: {
    skip 'gcc is not installed', 3 if !installed('gcc');
    for my $level (0, 2) {
        write_file("$dir/sum.c", <<"END");
#include <stdint.h>
#include <stdio.h>
__attribute__((noinline, noclone, optimize("O$level"))) static uint32_t adler(const unsigned char *data, long size)
{
    uint32_t a = 1, b = 0;
    for (long i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}
__attribute__((noinline, noclone)) static uint32_t mix(const unsigned char *data, long size)
{
    uint32_t h = 0;
    for (long i = 0; i < size; i++)
        h = (h ^ data[i]) * 16777619u;
    return h;
}
int main(void)
{
    static unsigned char data[1 << 16];
    uint32_t sum = 0;
    for (int i = 0; i < 600; i++) {
        data[i] = (unsigned char)i;
        sum += adler(data, sizeof(data)) + mix(data, sizeof(data));
    }
    printf("%u\\n", sum);
    return 0;
}
END
        mkdir "$dir/$level";
        is(run('gcc', '-O2', '-o', "$dir/$level/sum", "$dir/sum.c")->{status}, 0, "compiled with -O$level");
    }
    ($compared, @marked) = marked("$dir/2/sum", "$dir/0/sum");
    is($marked[0], 'adler', 'the function that became slower comes first') or diag explain $compared->{functions};
}

done_testing;

#!/usr/bin/env perl
# A loop of N instructions adds exactly N to what a program retires, however short the program
# lives.
use strict;
use warnings;
use Countertop;
use Test::More;

my @lengths = (1000, 1000, 1000000, 5000000);
my $script = <<'END';
for engine in cpu task; do
    rm -f out
    countertop -b --format json -d 0.3 -n 2 --engine $engine -s software \
        -e instructions,instructions:u >out & top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 10000; done
    loop 0 # brings the program into the page cache
    for n in 1000 1000 1000000 5000000; do loop $n; done
    wait $top || exit
    cat out
done
END

# Without random addresses, since the dynamic linker takes one path or another by those.
my $run = guest($script, '--smp', 1, '--append', 'norandmaps');
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my ($header, undef, $refresh) = json_lines($run->{out});
my ($first, @loops) = sort { $a->{tid} <=> $b->{tid} } task($refresh, 'loop');
is(scalar(@loops), @lengths, 'each run is a task of its own');
diag explain [map {$_->{counts}} @loops];

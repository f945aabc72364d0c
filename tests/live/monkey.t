#!/usr/bin/env perl
# Random keys, pastes, mouse events and sizes, with three seeds: the program keeps running, quits by
# its key, and leaves the terminal and all files except its own unchanged. tests/bench/monkey runs
# longer.
use strict;
use warnings;
use Monkey;
use Test::More;

my $shared = monkey_prepare($ENV{B});
for my $seed (1 .. 3) {
    my $failure = monkey_round($shared, $seed, 250, 10);
    is($failure, '', "seed $seed ends well: tests/bench/monkey 1 $seed tries it again, for longer");
}
done_testing;

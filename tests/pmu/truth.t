#!/usr/bin/env perl
# What is counted of loops of known length, for each of two that share a CPU: all of it, to the last
# instruction, in one group; within 1 % over ten seconds where two and three groups take turns. And
# how a cell shows that it is such an estimate.
use strict;
use warnings;
use Countertop;
use Test::More;
use lib "$ENV{TOP}/tests/bench";
use Truth 'truth_rows';

guest('true'); # skips all where there is no such machine
my %rows = map { $_->{name} => $_ } truth_rows(200_000_000, 2_200_000_000);
is_deeply([sort keys %rows], ['one group', 'three groups', 'two groups'], 'all were counted');
my $one = $rows{'one group'};
is($one->{coverage}, 1, 'one group counts all of the time');
is($one->{difference}, 0, '... to the last instruction');
is_deeply($one->{errors}, {'instructions:u' => [0, 0], 'cycles:u' => [0, 0]}, '... and cycle');
my %least = ('two groups' => 0.4, 'three groups' => 0.25);
for my $name (sort keys %least) {
    my $row = $rows{$name};
    cmp_ok($row->{coverage}, '<', $least{$name} + 0.2, "$name take turns");
    cmp_ok($row->{coverage}, '>', $least{$name} - 0.2, '... evenly');
    my @errors = map { @$_ } values %{$row->{errors}};
    is(@errors, 8, '... four events of two tasks are known');
    my $mean = 0;
    $mean += $_ / @errors for @errors;
    cmp_ok($mean, '<=', 0.01, '... and within 1 % in the mean') or diag explain $row->{errors};
}
done_testing;

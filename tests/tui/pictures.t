#!/usr/bin/env perl
# The pictures of themes show what the program draws now, and are small. `make pictures` makes them.
use strict;
use warnings;
use Countertop;
use File::Basename;
use File::Temp 'tempdir';
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my @themes = map { basename($_, '.theme') } sort glob "$ENV{TOP}/themes/*.theme";

is(system("$ENV{TOP}/tests/pictures", $dir), 0, 'pictures are made');
is_deeply([map { basename($_, '.svg') } sort glob "$ENV{TOP}/themes/*.svg"], \@themes, 'one of each theme');
for my $theme (@themes) {
    my $picture = Countertop::slurp("$dir/$theme.svg");
    is($picture, Countertop::slurp("$ENV{TOP}/themes/$theme.svg"), "$theme: what it shows is what the program draws")
        or diag 'make pictures';
    cmp_ok(length $picture, '<', 100_000, '... and it is small');
}

done_testing;

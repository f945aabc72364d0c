#!/usr/bin/env perl
# The pictures of themes and of README.md show what the program draws now, and are small. `make pictures`
# makes them.
use strict;
use warnings;
use Countertop;
use File::Basename;
use File::Temp 'tempdir';
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my @themes = map { basename($_, '.theme') } sort glob "$ENV{TOP}/themes/*.theme";

is(system("$ENV{TOP}/tests/pictures", $dir), 0, 'pictures are made');
my @pictures = map { s{^\Q$dir\E/}{}r } sort(glob("$dir/*.svg"), glob "$dir/pictures/*.svg");
is_deeply([grep { !m{/} } @pictures], [map { "$_.svg" } @themes], 'one of each theme');
is_deeply([map { s{^\Q$ENV{TOP}\E/themes/}{}r } sort(glob("$ENV{TOP}/themes/*.svg"), glob "$ENV{TOP}/themes/pictures/*")],
    \@pictures, 'no others are kept');
my @shown = sort(slurp("$ENV{TOP}/README.md") =~ /\]\(themes\/([^)]*)\)/g);
is_deeply(\@shown, [sort 'dark.svg', grep { m{/} } @pictures], 'README.md shows them');
for my $name (@pictures) {
    my $picture = slurp("$dir/$name");
    is($picture, slurp("$ENV{TOP}/themes/$name"), "$name: what it shows is what the program draws")
        or diag 'make pictures';
    cmp_ok(length $picture, '<', 100_000, '... and it is small');
}

done_testing;

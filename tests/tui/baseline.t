#!/usr/bin/env perl
# = compares with the rows as they were: changes in the cells, and what is new or gone, until = again.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Countertop;
use File::Copy 'copy';
use File::Temp 'tempdir';
use Screen;
use Test::More;

# Programs with names of their own, which others do not run.
my $dir = tempdir(CLEANUP => 1);
for my $name (qw(basespin basenew)) {
    copy("$ENV{B}/work/spin", "$dir/$name") or die "$name: $!";
    chmod 0755, "$dir/$name";
}
my $change = qr/(?:=|[+-][\d.]+%|x[\d.]+)/;
my $spin = start("$dir/basespin");
my $screen = Screen->new(120, 24, countertop_command(qw(-d 0.1 -s software -p), 'basespin,basenew'));
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +[\d.]+ .* basespin\b/m), 'a row with numbers');
$screen->type('=');
ok($screen->wait(qr/change from \d\d:\d\d:\d\d, mean of \d+; 0 new, 0 gone/), '=: the header says what cells are compared with');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +$change .* basespin\b/m), '... and they have changes');

my $other = start("$dir/basenew");
ok($screen->wait(qr/; 1 new, 0 gone/), 'a row that was not there is counted');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +new +new .* basenew\b/m), '... and says so');
stop($spin);
ok($screen->wait(qr/; 1 new, 1 gone/), 'so is one that is gone');

$screen->key('Tab');
ok($screen->wait(qr/baseline of other rows, \d\d:\d\d:\d\d/), 'in another view nothing is compared');
ok($screen->wait(qr/\[CPUs\]/), '... of CPUs');
unlike($screen->text, qr/^ *\d+ .*\bnew\b/m, '... which are not new');
$screen->key('BTab');
ok($screen->wait(qr/; 1 new, 1 gone/), 'back again');
$screen->type('=');
ok($screen->wait(sub { $_[0] !~ /change from/ && $_[0] =~ /^ *\d+ \S+ +\d+ +[\d.]+ .* basenew\b/m }), '=: numbers again');

$screen->type('=');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +$change .* basenew\b/m), '=: a baseline of now');
$screen->close;
stop($other);
done_testing;

#!/usr/bin/env perl
# The last values of each row: the column TREND beside the table, and the view of heat, a line for
# each CPU. They follow the column that sorts, through looking back and recordings, too.
use strict;
use warnings;
use utf8;
use File::Temp 'tempdir';
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Countertop;
use Screen;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my $spin = start_work('spin', '-c', 0);
my $blocks = qr/[▁▂▃▄▅▆▇█]/;

# The strip of a CPU in the view of heat.
sub strip_of {
    my ($text, $cpu) = @_;
    return $text =~ /^ +\Q$cpu\E +\S+ (.*?) *$/m ? $1 : '';
}

# TREND: where the name keeps 24 cells beside it.
for my $size ([80, 24], [120, 40], [200, 50]) {
    my $at = join 'x', @$size;
    my $screen = Screen->countertop(@$size, '-d', 0.2, '-s', 'software', '-p', $spin, '--engine', 'cpu');
    $screen->wait(qr/^ *$spin /m);
    if ($size->[0] == 80) {
        unlike($screen->text, qr/TREND| S /, "$at: no room for more columns");
        $screen->close;
        next;
    }
    ok($screen->wait(qr/^ *$spin .* $blocks{8} [RS] +1 +\d+ +(?:\S+ +)?spin/m), "$at: TREND, state, threads, kernel time");
    like($screen->text, qr/▼%CPU .* TREND +S +THR  %SYS (?:us\/ctxsw )?COMMAND/, "$at: ... with their titles");
    # Another column, another trend: it never migrates.
    $screen->type('>') for 1 .. 2;
    ok($screen->wait(qr/[▼]migr\/s.*\n *$spin .* ▁{8} [RS] /), "$at: the trend is of the column that sorts");
    $screen->close;
}

# Heat: each CPU keeps its line.
for my $size ([80, 24], [200, 50]) {
    my $at = join 'x', @$size;
    my $screen = Screen->countertop(@$size, '-d', 0.2, '-s', 'software', '--view', 'heat');
    my $title = qr/^ CPU +%CPU last [\d.]+ s of %CPU, full cell: 100 *$/m;
    ok($screen->wait($title), "$at: what is drawn");
    ok($screen->wait(sub { strip_of($_[0], 0) =~ /[▆▇█]{5}$/ }), "$at: a busy CPU");
    my @lines = $screen->text =~ /^ +(all|\d+) +\d/mg;
    is_deeply(\@lines, ['all', 0 .. $#lines - 1], "$at: a line for each CPU, by number");
    my ($look) = grep { s/\e\[[\d;]*m//gr =~ /^ +0 .*█/ } split /\n/, $screen->colored;
    like($look, qr/\e\[[\d;]+m[^\e ]*█/, "$at: in colour");
    $screen->key('>');
    ok($screen->wait(qr/^ CPU +ctxsw\/s last [\d.]+ s of ctxsw\/s, full cell: [\d.e+]+ *$/m),
        "$at: > chooses another column");
    is_deeply($screen->reads(sub { [$_[0] =~ /^ +(all|\d+) +\d/mg] }, \@lines), \@lines, "$at: ... and the lines stay");
    $screen->key('<');
    ok($screen->wait($title), "$at: < goes back");
    ok($screen->wait(sub { strip_of($_[0], 0) =~ /[▆▇█]{8}$/ }), "$at: nothing is forgotten");
    $screen->key('v');
    $screen->wait(qr/^ *PID /m);
    $screen->key('BTab', 'BTab');
    ok($screen->wait(sub { strip_of($_[0], 0) =~ /[▆▇█]{8}$/ }), "$at: nor while tasks are shown");
    $screen->close;
}

# Looking back and recordings: the strip ends with the interval shown.
my $file = "$dir/heat.db";
my $screen = Screen->countertop(100, 24, '-d', 0.1, '-s', 'software', '--view', 'heat', '--record', $file);
ok($screen->wait(sub { length strip_of($_[0], 0) =~ s/ //gr }), 'live');
ok($screen->wait(sub { strip_of($_[0], 0) =~ /$blocks{20}$/ }), 'twenty intervals');
$screen->type('b');
$screen->wait(qr/^Go to:/m);
$screen->type('#6');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] =~ /PAST/ && strip_of($_[0], 0) =~ /^ *$blocks{6}$/ }), 'the sixth has six');
$screen->key('.');
ok($screen->wait(sub { strip_of($_[0], 0) =~ /^ *$blocks{7}$/ }), 'one on');
$screen->key(',', ',');
ok($screen->wait(sub { strip_of($_[0], 0) =~ /^ *$blocks{5}$/ }), 'two back');
$screen->close;

# A busy machine leaves the task out of some intervals, and its row. Nothing is known of it before the
# first one that has it, in which it may have run for less than a cell shows.
my @recorded = refreshes('--replay', $file, '-p', $spin);
my ($first) = grep { @{$recorded[$_]{tasks} // []} } 1 .. $#recorded;
my ($there) = grep { $_ > $first && @{$recorded[$_]{tasks} // []} } 9 .. $#recorded;
$screen = Screen->countertop(100, 24, '--replay', $file, '-s', 'software', '--view', 'heat', '-p', $spin);
$screen->type('b');
$screen->wait(qr/^Go to:/m);
$screen->type("#$there");
$screen->key('Enter');
ok($screen->wait(sub { strip_of($_[0], 0) =~ /^ *(?:$blocks){$there}$/ }), 'a recording: the ninth has nine');
$screen->type('v');
# A busy machine may have left it out of intervals between, or given it next to nothing.
my $strip = join '', map { my ($task) = @{$recorded[$_]{tasks} // []};
    $_ < $first ? ' ' : ($task->{oncpu} // 0) > 0.05 ? $blocks : '.' } $there - 7 .. $there;
ok($screen->wait(sub { $_[0] =~ /^ *$spin .* $strip /m }), '... tasks too');
$screen->close;

# ASCII, and without colours.
$screen = Screen->countertop(100, 24, '-d', 0.2, '-s', 'software', '--view', 'heat', '--ascii', '--no-color');
ok($screen->wait(sub { strip_of($_[0], 0) =~ /[89]{5}$/ }), 'digits in ASCII');
unlike($screen->text, qr/[^\x00-\x7f]/, '... and nothing else');
$screen->close;

# Batch output has no history: the same CPUs.
my $run = countertop('-b', '-n', 1, '-d', 0.1, '-s', 'software', '--view', 'heat');
is($run->{status}, 0, 'batch output');
like($run->{out}, qr/^ *CPU HEAT +%CPU/m, '... has the view of CPUs');
$run = countertop('-b', '-n', 1, '-d', 0.1, '-s', 'software', '--sort', 'trend');
isnt($run->{status}, 0, 'trend does not sort');
like($run->{err}, qr/no column 'trend'/, '... where it is not shown');

done_testing;

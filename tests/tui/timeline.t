#!/usr/bin/env perl
# Time as a map: a recording plays by itself, with all of it in the graph of the header; the cursor
# there follows a press, Left and Right, and ! finds the peak of the column sorted by.
use Countertop qw(:DEFAULT installed);
use Screen;
use Script;

my $dir = tempdir(CLEANUP => 1);
my ($file, $count, $peak) = ("$dir/run.db", 24, 7);
my $spin = start_work('spin', '-r');
refreshes('-n', $count, '-d', 0.1, '-s', 'software', '-p', $spin, '--record', $file);

# The counts of one interval, of the CPUs or else of the tasks, become many.
my ($id) = `sqlite3 $file 'SELECT id FROM intervals ORDER BY id LIMIT 1 OFFSET @{[$peak - 1]}'` =~ /(\d+)/;
my ($place) = `sqlite3 $file "SELECT max(position) FROM events WHERE name = 'page-faults'"` =~ /(\d+)/;
my $cpus = `sqlite3 $file 'SELECT count(*) FROM cpu_rows'` > 0;
my ($table, $first, $last) = $cpus ? qw(cpu_rows cpu_first cpu_last) : qw(task_packs task_first task_last);
system('sqlite3', $file, "UPDATE $table SET c$place = 1000000 WHERE id BETWEEN "
    . "(SELECT $first FROM intervals WHERE id = $id) AND (SELECT $last FROM intervals WHERE id = $id)") == 0 or die;

# The cell of the cursor in the graph, from 1.
sub cursor {
    my ($text) = @_;
    return $text =~ /^(\d[\d.]* s +[^│\n]*)│.* max /m ? length($1) + 1 : 0;
}

sub shows {
    my ($screen, $interval, $name) = @_;
    ok($screen->wait(qr/\A.*\binterval $interval of $count\b/), "$name: interval $interval");
    return cursor($screen->text);
}

my $played = Screen->new(100, 30, "countertop --replay '$file'");
ok($played->wait(qr/\A.*\binterval $count of $count  \S+  end\b/), 'a recording plays until its end');
$played->close;

for my $size ([80, 24], [120, 40], [200, 50]) {
    my $at = join 'x', @$size;
    my $screen = Screen->countertop(@$size, '--replay', $file, '-s', 'software', '--sort', 'faults_per_s');
    my $start = shows($screen, 1, "$at: the beginning, with --play 0");
    ok($start > 0, "$at: the graph has a cursor");
    $screen->type('$');
    my $end = shows($screen, $count, "$at: the end");
    my ($line) = grep { / max \d+%/ } split /\n/, $screen->text;
    my ($graph) = $line =~ /^\S+ s (.*) max /;
    cmp_ok($end - $start, '>=', length($graph) * ($count - 1) / $count - 3, "$at: ... and all between takes the width");
    $screen->type('!');
    my $there = shows($screen, $peak, "$at: ! finds the peak");
    ok($screen->wait(qr{^the peak of faults/s, of all $count intervals: \d}m), "$at: ... and says so");
    cmp_ok($there, '>', $start, "$at: ... which is after the beginning");
    cmp_ok($there, '<', $end, "$at: ... and before the end");
    $screen->key('Left');
    cmp_ok(shows($screen, $peak - 1, "$at: Left"), '<', $there, "$at: ... moves the cursor");
    $screen->key('Right', 'Right');
    cmp_ok(shows($screen, $peak + 1, "$at: Right"), '>', $there, "$at: ... too");
    my ($y) = map { $_ + 1 } grep { (split /\n/, $screen->text)[$_] =~ / max \d+%/ } 0 .. 10;
    $screen->press($start, $y);
    shows($screen, 1, "$at: a press at the left");
    $screen->press($end, $y);
    shows($screen, $count, "$at: a press at the right");
    $screen->press($there, $y);
    shows($screen, $peak, "$at: a press where the peak was");
    $screen->key('Z');
    ok($screen->wait(qr/\A.* x1\b|\A.*  end\b/), "$at: Z plays");
    $screen->key('Left');
    ok($screen->wait(qr/\A.* stopped\b/), "$at: a step stops it");
    $screen->close;
}

# While counting goes on: a press on the graph goes back, and the graph is of all that is kept then.
my $screen = Screen->countertop(100, 30, '-p', $spin, '-d', 0.1, '-s', 'software');
ok($screen->wait(qr/^\S+ s +\S{8,} max /m), 'a graph of the present');
is(cursor($screen->text), 0, '... has no cursor');
my ($y) = map { $_ + 1 } grep { (split /\n/, $screen->text)[$_] =~ / max \d+%/ } 0 .. 10;
$screen->press(index((split /\n/, $screen->text)[$y - 1], ' max ') - 1, $y);
ok($screen->wait(qr/\A.* PAST /), 'a press on it goes to that interval');
ok($screen->wait(sub { cursor($_[0]) > 0 }), '... and there is a cursor');
$screen->type('$');
ok($screen->wait(sub { $_[0] !~ /\A.* PAST / && cursor($_[0]) == 0 }), '$ comes back');
$screen->close;

# With a filter the peak is that of the rows that it shows.
my $script = Script->new('cpus 2', 'task 101 name=small', 'task 102 name=large');
$screen = Screen->new(100, 30, $script->command(qw(-s software --engine cpu)));
my @faults = ([1, 1], [30, 2], [2, 700], [1, 1], [1, 1]); # of the two tasks, in each interval
$script->step(map { sprintf 'run %d oncpu=0.2 page-faults=%d', 101 + $_, $faults[0][$_] } 0, 1), shift @faults while @faults;
$screen->wait(qr/^ *101 /m);
$screen->type('O');
$screen->answer(qr/^Sort by/m, 'faults');
$screen->type(',');
$screen->wait(qr/\A.* PAST /);
my $filtered = ' of the rows that the filter shows';
for ([702, '', 700, 'pid < 102'], [30, $filtered, 30, 'large'], [700, $filtered, 700, '']) {
    my ($peak, $whose, $shown, $next) = @$_;
    $screen->type('!');
    ok($screen->wait(sub { $_[0] =~ m{^the peak of faults/s$whose, of all \d+ intervals: $peak\b}m && $_[0] =~ m{^ *10[12] .*\b$shown\b}m }), "! finds the peak $peak$whose");
    $screen->type('\\');
    $screen->answer(qr/^Filter:/m, $next);
}

done_testing;

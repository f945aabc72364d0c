#!/usr/bin/env perl
# Options for rows: the tree, ended tasks that stay, marks, minimum %CPU, levels of CPUs.
use strict;
use warnings;
use Countertop;
use List::Util qw(sum0 uniq);
use Test::More;

my @quick = ('-b', '--ascii', '-s', 'software');

# The rows of a page of text by line, without what stands above them.
sub rows_of {
    my @lines = split /\n/, $_[0];
    my ($at) = grep { $lines[$_] =~ /^ *(PID|CPU|SOCKET|TYPE) / } 0 .. $#lines;
    return ($lines[$at], @lines[$at + 1 .. $#lines]);
}

# The title and the rows of the last of two refreshes: one in which row_busy ran, if it is wanted.
sub rows {
    my ($run, $tries) = (undef, 0);
    do {
        $run = countertop(@quick, '-n', 2, '-d', 0.4, @_);
    } until $run->{status} || "@_" !~ /row_busy/ || $run->{out} =~ /.*\n\n.*row_busy/s || ++$tries == 10;
    is("$run->{status}$run->{err}", 0, "@_ ends well and says nothing");
    return rows_of((split /\n\n/, $run->{out})[-1]);
}

# A parent that sleeps, with a child that works and one that sleeps.
my $parent = start('perl', '-e', '$| = 1; my @pids = map { my $what = $_; fork // die or do {
        $0 = "row_$what"; 1 while $what eq "busy"; sleep 1000; exit } } qw(busy calm);
    $0 = "row_parent"; print "@pids\n"; sleep 1000');
my ($busy, $calm) = split ' ', next_line($parent);

my ($title, @lines) = rows('--tree', '-p', 'row_parent,row_busy,row_calm');
like($title, qr/^ +PID /, '--tree: the titles, behind a gutter for marks');
is_deeply([map { /^(.)/ } @lines], ['.', ' '], 'who sleeps is there as a parent, and marked');
like($lines[0], qr/ row_parent$/, '... first');
like($lines[1], qr/^ +$busy .* `- row_busy$/, '... with what works below it');
($title, @lines) = rows('--tree', '-i', '--sort', 'command', '-p', 'row_parent,row_busy,row_calm');
is_deeply([map { /((?:[|`]- )?row_\w+)$/ } @lines], ['row_parent', '|- row_busy', '`- row_calm'],
    '--tree -i: all of them');
($title, @lines) = rows('--tree', '-H', '-p', 'row_busy');
is_deeply([map { /(\S+)$/ } @lines], ['row_busy'], '--tree -H: the one thread of a process is it');

($title, @lines) = rows('--watch', "row_calm,$busy", '-i', '-p', 'row_parent,row_busy,row_calm');
is_deeply({map { /^(.).*(row_\w+)$/ ? ($2 => $1) : () } @lines},
    {row_parent => ' ', row_busy => '>', row_calm => '>'}, '--watch marks pids and names');
like($title, qr/^  +PID/, '... in a column of its own');

($title, @lines) = rows('-i', '--cpu-min', 1, '-p', 'row_parent,row_busy,row_calm');
is_deeply([map { /(\S+)$/ } @lines], ['row_busy'], '--cpu-min leaves out who does less');
my (undef, $refresh) = refreshes('-n', 1, '-d', 0.4, '-i', '--cpu-min', 1,
    '-p', 'row_parent,row_busy,row_calm');
is_deeply([map { $_->{comm} } @{$refresh->{tasks}}], ['row_busy'], '... in JSON, too');

# Ended in one interval, and still there in the next but one.
my $program = start("$ENV{B}/countertop", @quick, '-d', 0.2, '--sticky', '-f', 'row_short');
next_line($program);
run('perl', '-e', '$0 = "row_short"');
my @seen;
while (@seen < 3 && defined(my $line = next_line($program))) {
    push @seen, $line if $line =~ /^\+.* row_short$/;
}
stop($program);
is(@seen, 3, '--sticky: what ended stays, and is marked');
is_deeply([uniq @seen], [$seen[0]], '... as it was last');
# Of a thread that is watched, only its process, whatever else ends.
my $short = start('perl', '-e', '$0 = "row_thread"; <STDIN>');
$program = start("$ENV{B}/countertop", @quick, '-d', 0.2, '-i', '--sticky', '--engine', 'cpu', '-t', $short->{pid});
next_line($program);
stop($short);
my (%ended, $kept);
while (($kept // 0) < 3 && defined(my $line = next_line($program))) {
    run('true');
    $ended{$1}++ if $line =~ /^\+.* (\S+)$/;
    $kept = $ended{row_thread};
}
stop($program);
is_deeply([keys %ended], ['row_thread'], '--sticky with -t: the process of the thread');

my @refreshes = refreshes('-n', 3, '-d', 0.3, '-H', '--tree', '--sticky');
shift @refreshes;
for my $refresh (@refreshes) {
    my @tids = map { $_->{tid} } grep { !$_->{exited} } @{$refresh->{tasks}};
    is(@tids, uniq(@tids), 'JSON has each task once');
}

# Each level adds up all CPUs: the row of all is the sum of the others, to the last event.
for (['cpu', 'CPU'], ['core', 'SOCKET CORE CPUS'], ['socket', 'SOCKET CPUS'], ['type', 'TYPE CPUS'])
{
    my ($level, $facts) = @$_;
    ($title, @lines) = rows('--level', $level, '--exact', '--show', 'interval',
        '-e', 'context-switches');
    my @titles = split ' ', $title;
    like("@titles", qr/^$facts HEAT %CPU /, "--level $level: the columns");
    like($lines[0], qr/^ *all /, '... the row of all first');
    my ($column) = grep { $titles[$_ - @titles] =~ /^ctxsw/ } 0 .. $#titles;
    my @switches = map { (split)[$column - @titles] } @lines;
    like("@switches", qr/^\d+( \d+)+$/, '... counts');
    is($switches[0], sum0(@switches[1 .. $#switches]), '... which add up');
}

for (['--cpu-min', 'x', "no %CPU 'x': expected a number from 0, 100 is one CPU"],
    ['--cpu-min', '-1', "no %CPU '-1': expected a number from 0, 100 is one CPU"],
    ['--watch', ' ,', "nothing named in ' ,': expected pids or names, separated by commas"],
    ['--level', 'cores', "unknown value 'cores' for --level: expected cpu, core, socket or type; "
        . "nearest is 'core'"])
{
    my ($option, $value, $message) = @$_;
    my $run = countertop('-b', $option, $value);
    is("$run->{status} $run->{err}", "2 countertop: $message\n", "$option $value is wrong usage");
}

# What changes nothing in the rows is said, and the rest goes on.
my %unused = (
    '--tree --view commands' => '--tree changes nothing in the rows of --view commands',
    '-H --view users' => '--threads changes nothing in the rows of --view users',
    '--cpu-min 5 --view cpus' => '--cpu-min changes nothing in the rows of --view cpus',
    '--sticky --view cgroups' => '--sticky changes nothing in the rows of --view cgroups',
    '--level core --view users' => '--level changes nothing in the rows of --view users',
    '--source lines' => '--source changes nothing in the rows of --view tasks',
    '--tree --format json' => '--tree changes nothing with --format json: each row is there once',
);
for my $options (sort keys %unused) {
    my $run = countertop('-b', '-n', 1, '-d', 0.05, '-p', $$, split ' ', $options);
    is("$run->{status} $run->{err}", "0 countertop: $unused{$options}\n", "$options: that is said");
}
for my $options ('--tree', '--tree -H', '--level core --view cpus', '--cpu-min 5 --view users', '--view commands') {
    my $run = countertop('-b', '-n', 1, '-d', 0.05, '-p', $$, split ' ', $options);
    is("$run->{status} $run->{err}", '0 ', "$options: nothing to say");
}
done_testing;

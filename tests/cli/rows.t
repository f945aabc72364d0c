#!/usr/bin/env perl
# Options for rows: the tree, ended tasks that stay, marks, minimum %CPU, levels of CPUs.
use Countertop;
use Script;

# A parent that sleeps, with a child that works and one that sleeps; CPUs with counts of their own.
my @machine = ('cpus 4', 'task 201 name=row_parent', 'task 202 name=row_busy ppid=201 cpu=1', 'task 203 name=row_calm ppid=201');
my @interval = ('run 202 oncpu=0.5 cpu=1 context-switches=5', 'idle 0 context-switches=7', 'idle 2 context-switches=11',
    'unattributed 3 context-switches=13');
my @quick = ('-b', '--ascii', '-s', 'software');

# The rows of a page of text by line, without what stands above them.
sub rows_of {
    my @lines = split /\n/, $_[0];
    my ($at) = grep { $lines[$_] =~ /^ *(PID|CPU|SOCKET|TYPE) / } 0 .. $#lines;
    return ($lines[$at], @lines[$at + 1 .. $#lines]);
}

# The title and the rows of an interval.
sub rows {
    my $script = Script->new(@machine);
    $script->next(@interval);
    my $run = $script->run(@quick, '-n', 1, @_);
    is("$run->{status}$run->{err}", 0, "@_ ends well and says nothing");
    return rows_of($run->{out});
}

my ($title, @lines) = rows('--tree', '-p', 'row_parent,row_busy,row_calm');
like($title, qr/^ +PID /, '--tree: the titles, behind a gutter for marks');
is_deeply([map { /^(.)/ } @lines], ['.', ' '], 'who sleeps is there as a parent, and marked');
like($lines[0], qr/ row_parent$/, '... first');
like($lines[1], qr/^ +202 .* `- row_busy$/, '... with what works below it');
($title, @lines) = rows('--tree', '-i', '--sort', 'command', '-p', 'row_parent,row_busy,row_calm');
is_deeply([map { /((?:[|`]- )?row_\w+)$/ } @lines], ['row_parent', '|- row_busy', '`- row_calm'],
    '--tree -i: all of them');
($title, @lines) = rows('--tree', '-H', '-p', 'row_busy');
is_deeply([map { /(\S+)$/ } @lines], ['row_busy'], '--tree -H: the one thread of a process is it');

($title, @lines) = rows('--watch', 'row_calm,202', '-i', '-p', 'row_parent,row_busy,row_calm');
is_deeply({map { /^(.).*(row_\w+)$/ ? ($2 => $1) : () } @lines},
    {row_parent => ' ', row_busy => '>', row_calm => '>'}, '--watch marks pids and names');
like($title, qr/^  +PID/, '... in a column of its own');

($title, @lines) = rows('-i', '--cpu-min', 1, '-p', 'row_parent,row_busy,row_calm');
is_deeply([map { /(\S+)$/ } @lines], ['row_busy'], '--cpu-min leaves out who does less');
my $script = Script->new(@machine);
$script->next(@interval);
my (undef, $refresh) = $script->refreshes('-n', 1, '-i', '--cpu-min', 1);
is_deeply([map { $_->{comm} } @{$refresh->{tasks}}], ['row_busy'], '... in JSON, too');

# Ended in one interval, and still there in the next but one.
$script = Script->new(@machine, 'task 204 name=row_short', 'task 205 name=row_other');
$script->next($_ == 1 ? map({ ("run $_ oncpu=0.25", "exit $_") } 204, 205) : ()) for 1 .. 4;
my @pages = split /\n\n/, $script->run(@quick, '-n', 4, '--sticky', '-t', 204)->{out};
my @seen = map { [grep { /^\+/ } rows_of($_)] } @pages;
like($seen[0][0], qr/^\+ +204 .* row_short$/, '--sticky: what ended stays, and is marked');
is_deeply(\@seen, [([$seen[0][0]]) x 4], '... as it was last; with -t only the process of the thread');

# One that had a pid before, and one that has it now.
$script = Script->new(@machine);
$script->next("task 204 name=row_one", 'run 204 oncpu=0.25', 'exit 204', 'task 204 name=row_two', 'run 204 oncpu=0.125') for 1 .. 2;
my (undef, @refreshes) = $script->refreshes('-n', 2, '-H', '--tree', '--sticky');
for my $refresh (@refreshes) {
    is_deeply([map { $_->{comm} } grep { !$_->{exited} } @{$refresh->{tasks}}], ['row_two'], 'JSON has each task once');
}

# Each level adds up all CPUs: the row of all is the sum of the others, to the last event.
for (['cpu', 'CPU', 36, 7, 5, 11, 13], ['core', 'SOCKET CORE CPUS', 36, 12, 24], ['socket', 'SOCKET CPUS', 36, 36],
    ['type', 'TYPE CPUS', 36, 36])
{
    my ($level, $facts, @expected) = @$_;
    ($title, @lines) = rows('--level', $level, '--exact', '--show', 'interval',
        '-e', 'context-switches');
    my @titles = split ' ', $title;
    like("@titles", qr/^$facts HEAT %CPU /, "--level $level: the columns");
    like($lines[0], qr/^ *all /, '... the row of all first');
    my ($column) = grep { $titles[$_ - @titles] =~ /^ctxsw/ } 0 .. $#titles;
    is_deeply([map { (split)[$column - @titles] } @lines], \@expected, '... counts which add up');
}

for (['--cpu-min', 'x', "bad value 'x' for --cpu-min: expected a number from 0, 100 is one CPU"],
    ['--cpu-min', '-1', "bad value '-1' for --cpu-min: expected a number from 0, 100 is one CPU"],
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

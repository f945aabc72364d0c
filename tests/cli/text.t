#!/usr/bin/env perl
# Batch output as text: its form, the options for rows and columns, and its targets.
use Countertop;
use Script;

# Two that ran, one of them with two threads; one that slept, and another user's.
my @machine = ('task 101 name=spin cmd=spin%20-n%202%20-s%206542', 'task 102 pid=101', 'task 103 name=sleep',
    'task 104 name=text_napper cpu=1', 'task 105 name=sleep uid=65534 cmd=sleep%206543',
    'task 106 name=' . Script::text("a\e[31m\n\t\xff"));
my @interval = ('run 101 oncpu=0.5 context-switches=9', 'run 102 oncpu=0.25 context-switches=1', 'run 104 oncpu=0.125 cpu=1 context-switches=2500',
    'run 106 oncpu=0.0625', 'idle 1 context-switches=2');

sub text {
    my $script = Script->new(@machine);
    $script->next(@interval) for 1 .. 2;
    return $script->run('-b', '-n', 2, '-s', 'software', @_);
}

# The last refresh of a run: title line, and rows by column title, Cells end where
# their title ends, or begin where it begins; only the last one may hold blanks.
sub table {
    my @options = @_;
    my $run = text(@options);
    is("$run->{status}$run->{err}", 0, "@options ends well and says nothing");
    my @pages = split /\n\n/, $run->{out};
    is(@pages, 2, '... with an empty line between refreshes');
    chomp(my @lines = split /\n/, $pages[-1]);
    my ($at) = grep { $lines[$_] =~ /^ *(PID|CPU) / } 0 .. $#lines;
    my %table = (title => $lines[0], rows => [], columns => [split ' ', $lines[$at]]);
    my $crooked = 0;
    for my $line (@lines[$at + 1 .. $#lines]) {
        my %row;
        my $title = $lines[$at];
        while ($title =~ /(\S+)/g) {
            my ($name, $start, $end) = ($1, $-[0], $+[0]);
            my $last = $name eq $table{columns}[-1];
            my $left = $name =~ /^(USER|HEAT|COMMAND)$/;
            my $cell = $left ? substr($line, $start) : substr($line, 0, $end);
            ($row{$name}) = $last && $left ? $cell : $left ? $cell =~ /^(\S+)/ : $cell =~ /(\S+)$/;
            my $next = $left ? '' : substr $line, $end, 1;
            $crooked++ if !defined $row{$name} || ($next ne '' && $next ne ' ');
        }
        push @{$table{rows}}, \%row;
    }
    is($crooked, 0, '... its columns line up');
    return \%table;
}

sub names {
    return map { $_->{COMMAND} } @{$_[0]{rows}};
}

sub pids {
    return [map { $_->{PID} } @{table(@_)->{rows}}];
}

my $table = table();
is($table->{title}, 'countertop 00:00:02  ' . (split ' ', `uname -n`)[0] . '  engine cpu  interval 1.000 s  busy 0.94 of 2 CPUs  counts a second  self 0.0 % cpu',
    'the title line');
is("@{$table->{columns}}", 'PID USER P %CPU ctxsw/s migr/s faults/s COMMAND',
    'the columns of the screen');
is_deeply([map { [@$_{qw(PID USER P %CPU ctxsw/s COMMAND)}] } @{$table->{rows}}[0, 1]],
    [[101, 'root', 0, '75.0', 10, 'spin'], [104, 'root', 1, '12.5', '2.50k', 'text_napper']],
    "rows in the order of the screen's column, without what slept");
is_deeply(pids('-i', '--sort', '-pid'), [101, 103 .. 106], '-i lists what slept');
is_deeply([names(table('-c', '-p', 101))], ['spin -n 2 -s 6542'], '-c shows command lines');
$table = table('-H', '-f', '-n 2 -s 6542');
is("@{$table->{columns}}[0, 1]", 'PID TID', '-H has a column for threads');
is_deeply([map { "$_->{PID} $_->{TID}" } @{$table->{rows}}], ['101 101', '101 102'],
    '... and a row for each; -f filters by command line');
is_deeply([names(table('-f', 'EXT_napper'))], ['text_napper'],
    '... and by name, without regard to case');
is(@{table('-i', '-f', 'no such name')->{rows}}, 0, '... and may leave nothing');
is_deeply(pids('--sort', '-pid', '-p', '101,text_napper'), [101, 104], '-p takes pids and names');
is_deeply(pids('--sort', $_), [104, 101, 106], "--sort $_ sorts, most first") for qw(ctxsw_per_s ctxsw/s CTXSW/S context-switches);
like(text('-t', '105,105')->{out}, qr/COMMAND\nthe one that is watched slept; -i shows it\n\z/,
    'one that slept, named twice, is not an empty table without a word');
is_deeply(pids('--sort', '-ctxsw_per_s'), [106, 101, 104], '--sort -COLUMN least first');
is_deeply(pids('-i', '-u', 65534), [105], '-u lists processes of a user, by uid');
my $user = getpwuid 65534;
is_deeply([map { "$_->{PID} $_->{USER}" } @{table('-i', '-u', $user)->{rows}}], ["105 $user"], '... and by name');

$table = table('--view', 'cpus', '--ascii');
is($table->{columns}[0], 'CPU', '--view cpus begins with the CPU');
is_deeply([map { "$_->{CPU} $_->{'%CPU'}" } @{$table->{rows}}], ['all 93.8', '0 81.3', '1 12.5'],
    '... and has a row for each, and one for all');

# Where it goes.
my $dir = tempdir(CLEANUP => 1);
my $run = text('-o', "$dir/out");
is("$run->{status}$run->{err}$run->{out}", 0, '-o: nothing on standard output');
open my $file, '<', "$dir/out" or die "$dir/out: $!";
like(do { local $/; readline $file }, qr/^countertop .*^countertop /ms, '... all in the file');
$run = countertop(qw(-b -n 1 -d 0.05 -o /dev/full));
is($run->{status}, 1, '-o: a full device is a failure');
like($run->{err}, qr{^countertop: cannot write '/dev/full': No space.*\n\z}, '... told by name');
$run = countertop('-b', '-n', 1, '-o', "$dir/none/out");
is($run->{status}, 1, '-o: a file that cannot be opened is a failure');
like($run->{err}, qr/^countertop: cannot write '\Q$dir\E\/none\/out': No such file.*\n\z/, '... told');

# Names cannot reach the terminal as anything but text.
$run = text('-p', 106);
like($run->{out}, qr/^ *106 .* a.*31m/m, 'a hostile name is shown');
unlike($run->{out}, qr/[\x00-\x09\x0b-\x1f\x7f\xff]/, '... without its control characters');

# One command whose counts are not known leaves the others their shares of those that are.
my $partly = Script->new(@machine);
$partly->next('run 101 oncpu=0.5 context-switches=30', 'run 104 oncpu=0.25 context-switches=10', 'coverage 0',
    'run 106 oncpu=0.0625 context-switches=5', 'coverage 1');
my ($shares) = $partly->run(qw(-b -n 1 -s software --show total --exact --view commands))->{out} =~ /^( *PROCS.*)/ms;
is_deeply([map { (split)[4, 5] } split /\n/, $shares], [qw(ctxsw %ctxsw 30 75.0 10 25.0 - -)], 'shares of what is counted');

# Clocks count nanoseconds, and are shown in milliseconds: the title says so, and JSON the unit.
my $clocks = text('-e', 'cpu-clock,task-clock')->{out};
like($clocks, qr/ cpu,ms\/s task,ms\/s COMMAND$/m, 'clocks have their unit');
my $script = Script->new;
$script->next;
my ($described) = $script->refreshes(qw(-n 1 -e), 'cpu-clock,task-clock,page-faults');
is_deeply({map { $_->{name} => $_->{unit} } grep { $_->{name} =~ /clock|faults/ } @{$described->{events}}},
    {'cpu-clock' => 'ns', 'task-clock' => 'ns', 'page-faults' => ''}, 'JSON names it');

done_testing;

#!/usr/bin/env perl
# Each count belongs to the cgroup in which it happened, also of tasks that are gone, or that moved in
# an interval; in rows, JSON and recordings. live/cgroups.t has the ledger's own part of it.
use Countertop;
use List::Util 'sum0';
use Script;

my $dir = tempdir(CLEANUP => 1);

# The lines of a script; /b is made while it runs.
my @lines = (
    'task 10 name=stays ppid=1 cgroup=/a', 'task 20 name=moves ppid=1 cgroup=/a', 'next',
    'run 10 oncpu=0.2 page-faults=100',
    'run 20 oncpu=0.1 page-faults=10', 'task 20 cgroup=/b', 'run 20 oncpu=0.3 page-faults=30',
    'task 20 cgroup=/a', 'run 20 oncpu=0.05 page-faults=5',
    'task 30 name=brief ppid=10 cgroup=/b', 'run 30 oncpu=0.01 page-faults=1000', 'exit 30',
    'idle 0 page-faults=7', 'unattributed 1 page-faults=3', 'next',
    'run 20 oncpu=0.1 page-faults=1', 'next',
);

sub scripted {
    my (@options) = @_;
    my $script = Script->new(@lines);
    local $ENV{SCRIPT} = $script->{path};
    return run('scripted', qw(-b -d 1 -n 3 -e page-faults), @options);
}

# What a refresh has of a cgroup: processes and faults.
sub group {
    my ($refresh, $name) = @_;
    return join ' ', map { "$_->{processes} $_->{counts}{'page-faults'}" }
        grep { ($_->{name} // '') eq $name } @{$refresh->{groups}};
}

sub told {
    my ($what, @refreshes) = @_;
    my $second = $refreshes[1];
    is(group($second, '/a'), '2 115', "$what: who stayed, and what the other did before and after");
    is(group($second, '/b'), '2 1030', '... what it did meanwhile, and who lived for a moment');
    is(@{$second->{groups}}, 2, '... and there is no other row');
    is(sum0(map { $_->{counts}{'page-faults'} } @{$second->{groups}}, @$second{qw(idle unattributed)}),
        $second->{total}{counts}{'page-faults'}, '... the sum is the total');
    my %task = map { $_->{comm} => $_ } @{$second->{tasks}};
    is(join(' ', map { $task{$_}{cgroup} } qw(stays moves brief)), '/a /a /b', '... tasks say where they are');
    is_deeply([map { [$_->{path}, $_->{counts}{'page-faults'}, 0 + $_->{oncpu}] }
            sort { $a->{path} cmp $b->{path} } @{$task{moves}{cgroups}}],
        [['/a', 15, 0.15], ['/b', 30, 0.3]], '... and where they were, if that is more than one');
    ok(!exists $task{stays}{cgroups}, '... only then');
    is(group($refreshes[2], '/a'), '1 1', '... the next interval begins where it was');
}

my (undef, @live) = json_lines(scripted(qw(--format json --view cgroups))->{out});
told('counted', @live);

my $file = "$dir/moves.db";
is(scripted('--record', $file)->{status}, 0, 'a recording');
my (undef, @then) = json_lines(countertop('-b', '--replay', $file, qw(--format json --view cgroups))->{out});
told('recorded', @then);
my $sql = qq{sqlite3 $file "SELECT comm, cgroup, \\"page-faults\\" FROM task_counts WHERE interval = 2 ORDER BY comm"};
is(`$sql`, "brief|/b|1000\nmoves|/a|45\nstays|/a|100\n", '... its view has a row for each task');

# Of all time together, as a terminal shows it, and a command's run.
my $text = scripted(qw(--view cgroups --exact --no-color))->{out};
like($text, qr/^ *2 +31\.0 .* b$/m, 'as text');

# CSV has the cgroup of each task; OpenMetrics counts by cgroup.
my @csv = map { [split /,/, $_, -1] } split /\n/, scripted(qw(--format csv))->{out};
my ($at) = grep { $csv[0][$_] eq 'cgroup' } 0 .. $#{$csv[0]};
is(join(' ', map { "$_->[8] $_->[$at]" } sort { $a->[4] <=> $b->[4] } grep { $_->[0] eq 'task' && $_->[1] == 2 } @csv),
    'stays /a moves /a brief /b', 'CSV says where tasks are');
is((grep { $_->[0] ne 'task' && $_->[$at] } @csv[1 .. $#csv]), 0, '... and only of tasks');
$text = scripted(qw(--format openmetrics --view cgroups))->{out};
my %counter = $text =~ /^countertop_tasks_page_faults_total\{kind="task",cgroup="([^"]*)"\} (\d+)$/mg;
is(join(' ', map { $counter{$_} // '-' } '/a', '/b'),
    '116 1030', 'OpenMetrics counts by cgroup');

# The tree has a row for each cgroup above, with what is below it, too.
my $script = Script->new(map({ "task $_->[0] name=t$_->[0] cgroup=$_->[1]" } [10, '/'], [20, '/a.slice/b'],
        [30, '/a.slice/c'], [40, '/a.slice'], [50, '/d/e/f']),
    map({ "run $_ oncpu=0.1 context-switches=$_" } 10, 20, 30, 40, 50), 'next');
my @rows = split /\n/, $script->run(qw(-b --ascii --exact -s software --no-color -n 1 --view cgroups --tree --sort cgroup))->{out};
is_deeply([map { /^ *(\d+) +([\d.]+) +(\d+)(?: +\S+){6} (.*)$/ ? "$1 $2 $3 $4" : () } @rows],
    ['5 50.0 150 /', '3 30.0 90 |- a.slice', '1 10.0 20 |  |- b', '1 10.0 30 |  `- c', '1 10.0 50 `- d', '1 10.0 50    `- e',
        '1 10.0 50       `- f'], '--tree: rows have what is below them, also where no process is') or diag join "\n", @rows;

# Where only living processes can be asked, the view says so.
$text = scripted(qw(--engine task --view cgroups))->{out};
like($text, qr{^cgroups are read from /proc, which has none of what has ended}m, 'what is missing is said');
unlike(scripted(qw(--view cgroups))->{out}, qr{read from /proc}, '... only there');

done_testing;

#!/usr/bin/env perl
# CSV: its documented form, the same numbers as JSON, and hostile names; read with SQLite's CSV
# reader.
use Countertop;
use Encode;
use Cpanel::JSON::XS;
use Script;

my $dir = tempdir(CLEANUP => 1);

# The records of a file as hashes by column, by a reader that is not ours; empty fields are ''.
sub records {
    my ($file) = @_;
    my $read = run('sqlite3', '-json', ':memory:', ".import --csv $file t", 'select * from t');
    die "sqlite3: $read->{err}" if $read->{status} || $read->{err};
    return @{decode_json($read->{out})};
}

sub kind {
    my ($kind, @records) = @_;
    return grep { $_->{kind} eq $kind } @records;
}

# A command name with all that CSV could stumble over.
my $hostile = start('perl', '-e', '$0 = "a,\"b\"\n\e\xff"; $| = 1; print "ready\n"; <>');
next_line($hostile);
my $spin = start('spin', '-rn', 2);

my $run = countertop(qw(-b -i --format csv -n 3 -d 0.2 -s software -e cycles -o), "$dir/all.csv");
is("$run->{status}$run->{out}$run->{err}", '0', 'it ends well and says nothing');
my @records = records("$dir/all.csv");
open my $file, '<', "$dir/all.csv" or die $!;
chomp(my @lines = <$file>);
my @columns = split /,/, $lines[0];
is("@columns[0 .. 15]", 'kind seq time interval pid tid ppid threads comm user cpu state exited ' .
    'name processes oncpu', 'columns of facts come first');
like($lines[0], qr/,cycles,coverage:.*,coverage:cycles,cpu_pct,.*,lost_records,.*,state:cycles,reason:cycles$/,
    '... then events, coverage, metrics, the state of things');
is(scalar(@lines) - 1, @records, 'a line for each record');
is(keys %{$records[0]}, @columns, 'a name for each column, no two the same');
my %kinds = map { $_->{kind} => 1 } @records;
is(join(' ', sort keys %kinds), 'cpu idle task total unattributed', 'the kinds of rows');

chomp(my $cpus = `nproc`);
for my $seq (1 .. 3) {
    my @refresh = grep { $_->{seq} == $seq } @records;
    my $last = (kind('total', @refresh))[0];
    is(kind('cpu', @refresh), $cpus, "refresh $seq: a row for each CPU");
    for my $event ('context-switches', 'page-faults') {
        my ($books, $sum) = (0, 0);
        $books += $_->{$event} || 0 for map { kind($_, @refresh) } qw(task idle unattributed);
        $sum += $_->{$event} for kind('cpu', @refresh);
        is_deeply([$books, $sum], [$last->{$event}, $last->{$event}], "... $event balance");
    }
    is((grep { $_->{cycles} ne '' || $_->{'coverage:cycles'} ne '' } @refresh), 0,
        '... what is not counted is empty') if $last->{'state:cycles'} ne 'counted';
    # On some kernels what a few tasks count is nobody's: they have no counts, or those of a part of their time.
    my @wrong = grep { $_->{'page-faults'} eq '' ? $_->{'coverage:page-faults'} ne ''
        : $_->{kind} eq 'task' ? $_->{'coverage:page-faults'} !~ /^(?:1|0\.\d+)$/
        : $_->{'coverage:page-faults'} ne '1' } @refresh;
    is_deeply([map { "$_->{kind} $_->{'page-faults'} $_->{'coverage:page-faults'}" } @wrong], [],
        '... what is counted is covered');
}
my ($total) = kind('total', @records);
chomp(my $host = `uname -n`);
is_deeply([@$total{qw(host engine mode delay denied_tasks)}], [$host, 'cpu', 'all', '0.2', '0'],
    'facts of the whole are in the row of the total');
like($total->{'state:cycles'}, qr/^(counted|unsupported)$/, '... the state of an event');
is($total->{'reason:cycles'} ne '', $total->{'state:cycles'} ne 'counted', '... with the reason');
my ($task) = grep { $_->{pid} eq $spin->{pid} && $_->{seq} == 2 } @records;
is_deeply([@$task{qw(tid comm user threads exited name processes host)}],
    [$spin->{pid}, 'spin', scalar getpwuid($>), 2, 0, '', '', ''], 'a task');
cmp_ok(abs($task->{cpu_pct} - $task->{oncpu} / $task->{interval} * 100), '<', 1e-4, '... its metrics');
my ($named) = grep { $_->{pid} eq $hostile->{pid} } @records;
is($named->{comm}, "a,\"b\"\\x0a\\x1b\x{fffd}", 'a hostile name is one field, on one line');
unlike(join('', @lines), qr/[\x00-\x1f\x7f]/, '... without control characters');
is((grep { $_ eq '' } map { $_->{time} } @records), 0, 'each row has its time');
my @times = map { $_->{time} } kind('total', @records);
my @intervals = map { $_->{interval} } kind('total', @records);
cmp_ok(abs($times[2] - $times[0] - $intervals[1] - $intervals[2]), '<', 0.003,
    'intervals add up to the time between');

# The same columns for other views and for threads; groups have rows of their own.
$run = countertop(qw(-b --format csv -n 1 -d 0.1 --view users -s software -o), "$dir/users.csv");
my @groups = kind('group', records("$dir/users.csv"));
my ($mine) = grep { $_->{name} eq getpwuid $> } @groups;
ok($mine && $mine->{processes} >= 2 && $mine->{pid} eq '', '--view users: rows of groups');
countertop(qw(-b -H -i --format csv -n 1 -d 0.1 -p), $spin->{pid}, '-o', "$dir/threads.csv");
my @threads = kind('task', records("$dir/threads.csv"));
is((grep { $_->{pid} == $spin->{pid} && $_->{tid} != $spin->{pid} } @threads), 1, '-H: threads');

# The task engine keeps no books for what nobody did.
countertop(qw(-b --format csv -n 1 -d 0.1 --engine task -p), $spin->{pid}, '-o', "$dir/task.csv");
my @engine = records("$dir/task.csv");
is_deeply([map { $_->{'page-faults'} } map { kind($_, @engine) } qw(idle unattributed)], ['', ''],
    'without CPUs idle and unattributed are empty');
is(kind('cpu', @engine), 0, '... and there are none');

# Nothing that was not counted is told as 0.
my $script = Script->new("refuse cycles unsupported no%20\"counters\"", "task 101 name=met");
$script->next("coverage 0", "run 101 oncpu=0.5 page-faults=7");
$script->run(qw(-b -n 1 --format csv -s software -e cycles -o), "$dir/missing.csv");
my ($met) = kind("task", records("$dir/missing.csv"));
is_deeply([@$met{qw(comm oncpu cycles coverage:cycles page-faults faults_per_s)}], ["met", "0.500000000", ("") x 4], 'what was not counted is empty');

# An event that has the name of a column, or of a metric.
open my $ini, '>', "$dir/own.ini" or die $!;
print $ini "[metric cpu]\nexpr = page-faults\n[metric page-faults]\nexpr = page-faults * 2\n";
close $ini;
$run = countertop(qw(-b --format csv -n 1 -d 0.1 -s software -W), $dir, '-o', "$dir/own.csv");
my ($own) = kind('total', records("$dir/own.csv"));
ok(exists $own->{'metric:cpu'} && exists $own->{'metric:page-faults'}, 'no two columns share a name')
    or diag $run->{err};

# Names that a spreadsheet would run, and that read backwards.
my %names = ('=cmd|a' => "'=cmd|a", '+1' => "'+1", '-1' => "'-1", '@sum' => "'\@sum",
    "\tx" => '\x09x', "\rx" => '\x0dx', "a,=b" => "a,'=b", 'a;@b' => "a;'\@b", '"=a' => "\"'=a",
    "a\xe2\x80\xaeb" => 'a\u202eb', "\xef\xbc\x9da" => "'\x{ff1d}a", "a=-+\@" => "a=-+\@", "'=" => "'=");
my @named = map { start('perl', '-e', '$0 = shift; $| = 1; print "ready\n";
    while () { select undef, undef, undef, 0.02 }', '--', $_) } sort keys %names;
next_line($_) for @named;
my %pids = map { $named[$_]{pid} => (sort keys %names)[$_] } 0 .. $#named;
my $pids = join ',', keys %pids;
for my $safe (0, 1) {
    $run = countertop(qw(-b --format csv -n 1 -d 0.1 -i), $safe ? '--csv-safe' : (), '-p', $pids,
        '-o', "$dir/names.csv");
    is("$run->{status}$run->{err}", '0', $safe ? '--csv-safe' : 'names as they are');
    my %seen = map { $pids{$_->{pid}} => $_->{comm} } kind('task', records("$dir/names.csv"));
    my %expected = map { $_ => $safe ? $names{$_} : do {
        (my $plain = decode('UTF-8', $_)) =~ s/\t/\\x09/;
        $plain =~ s/\r/\\x0d/;
        $plain =~ s/\x{202e}/\\u202e/r;
    } } keys %names;
    is_deeply(\%seen, \%expected, '... each name');
}
ok(wait_for(sub {
    $run = countertop(qw(-b --format openmetrics -n 1 -d 0.1 -p), $pids);
    return $run->{out} =~ /kind="task",command="a\\\\u202eb"/;
}), 'OpenMetrics: the same escapes');
unlike($run->{out}, qr/\xe2\x80\xae/, '... and none is left');
$run = countertop(qw(-b --csv-safe));
is("$run->{status}$run->{err}", "2countertop: --csv-safe needs -b --format csv: see --help all\n",
    '--csv-safe is for CSV');
stop($_) for @named;

stop($_) for $spin, $hostile;
done_testing;

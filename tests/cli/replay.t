#!/usr/bin/env perl
# --replay shows the same output as at the time of recording, in every format; damaged files are
# refused, or read as far as they are valid.
use Countertop;

my $dir = tempdir(CLEANUP => 1);

# A refresh without what is not recorded: the state of tasks, their number of threads, and where
# those ran last that did nothing.
sub comparable {
    my ($line) = @_;
    for my $task (@{$line->{tasks}}) {
        delete @$task{qw(state threads)};
        delete $task->{cpu} if !$task->{oncpu} && !$task->{exited};
    }
    return $line;
}

# The rows of a process of ours; others may run programs of the same name.
sub of {
    my ($process, $refresh) = @_;
    return grep { $_->{pid} == $process->{pid} } @{$refresh->{tasks}};
}

sub replayed {
    my ($file, @options) = @_;
    my ($header, @refreshes) = refreshes('--replay', $file, @options);
    return ($header, map { comparable($_) } @refreshes);
}

my $spin = start(qw(spin -rn 2));
my $births = start('sh', '-c', 'while :; do sleep 0.02; done');

# Everything, in every kind of row, as it was.
for my $case (['processes'], ['threads', '-H'], ['idle ones too', '-i'], ['events of one\'s own',
        '-e', '{minor-faults,task-clock},cycles'], ['some processes', '-p', 'spin,sh', '-H'],
        ['groups', '--view', 'commands'], ['the engine task', '-p', $spin->{pid}, '--engine',
        'task']) {
    my ($name, @options) = @$case;
    my $file = "$dir/case.db";
    my ($header, @live) = refreshes('-n', 3, '-d', 0.25, '--record', $file, '--force', @options);
    @live = map { comparable($_) } @live;
    my @show = grep { /^-[Hi]\z|^--view|^commands/ } @options;
    my ($again, @replay) = replayed($file, @show);
    is_deeply($again, $header, "$name: the header");
    is_deeply(\@replay, \@live, '... and each interval as it was, with the same integers');
}

# What is shown is chosen again.
my $file = "$dir/run.db";
my (undef, @live) = refreshes('-H', '-i', '-n', 4, '-d', 0.25, '--record', $file);
my (undef, @processes) = replayed($file);
is((grep { @{$_->{tasks}} == 0 } @processes), 0, 'processes of a recording that was of threads');
my @both = map { $_->{counts}{'context-switches'} } of($spin, $processes[2]);
my $sum = 0;
$sum += $_->{counts}{'context-switches'} for of($spin, $live[2]);
is_deeply(\@both, [$sum], '... which are their sums');
is_deeply([map { $_->{seq} } (replayed($file, '-n', 2))[1, 2]], [1, 2], '-n: the first ones');
my (undef, @chosen) = replayed($file, '-i', '-p', $births->{pid});
is_deeply([map { $_->{pid} } map { @{$_->{tasks}} } @chosen], [($births->{pid}) x 4], '-p');
my $users = countertop('-b', '--replay', $file, '--view', 'users', '-n', 1);
like($users->{out}, qr/^ *\d+ .* root$/m, 'the users there were') if $> == 0;
my $lines = countertop('-b', '--replay', $file, '-c', '-f', 'spin -rn');
like($lines->{out}, qr/ spin -rn 2$/m, 'a filter finds command lines');
unlike($lines->{out}, qr/sleep/, '... and nothing else');
my $sorted = countertop(qw(-b -H -n 1 --sort -pid --replay), $file);
my @pids = $sorted->{out} =~ /^ *(\d+) /mg;
is("@pids", join(' ', sort { $a <=> $b } @pids), 'another order');
my $csv = countertop(qw(-b --format csv --replay), $file);
is("$csv->{status}$csv->{err}", 0, 'as CSV');
is((grep { /^task,4,/ } split /\n/, $csv->{out}) > 5, 1, '... all of it');

stop($_) for $spin, $births;

# A metric that nobody knew when it was recorded.
mkdir "$dir/ini";
open my $ini, '>', "$dir/ini/new.ini" or die;
print $ini "[metric twice]\nexpr = context-switches * 2\n";
close $ini;
my (undef, $new) = refreshes('-n', 1, '--replay', $file, '-W', "$dir/ini");
my ($row) = of($spin, $new);
is($row->{metrics}{twice}, 2 * $row->{counts}{'context-switches'}, 'a new metric of old counts');

# Totals are from the beginning; the last of them is the sum.
my $totals = countertop(qw(-b --show total --exact --sort pid -p), $spin->{pid}, '--replay', $file);
my @counts = $totals->{out} =~ /^ *$spin->{pid} .*?(\d+) +\d+ +\d+ spin$/mg;
my $all = 0;
$all += $_->{counts}{'context-switches'} for map { of($spin, $_) } @live;
is($counts[-1], $all, 'totals are those from the beginning on');

# A run that is gone on with: one after the other, each as it was.
my ($first_header, @more) = refreshes('-n', 2, '-d', 0.25, '-e', 'minor-faults', '--record', $file);
my $run = countertop('-b', '--format', 'json', '--replay', $file);
my @headers = grep { $_->{type} eq 'header' } json_lines($run->{out});
my @refreshes = grep { $_->{type} eq 'refresh' } json_lines($run->{out});
is(@refreshes, 6, 'both runs of a file are shown');
is_deeply([map { scalar @{$_->{events}} } @headers], [3, 4], '... the second with its events');
is_deeply([map { $_->{total} } @refreshes[4, 5]], [map { $_->{total} } @more],
    '... and its numbers');

# While it is being made.
my $writer = start(qw(countertop -b --format json -d 0.1 --record), "$dir/now.db");
next_refresh($writer) for 1 .. 4;
my (undef, @now) = refreshes('--replay', "$dir/now.db");
cmp_ok(@now, '>=', 3, 'a recording can be shown while it is made');
stop($writer);

# What makes no sense.
sub refused {
    my ($name, $status, $message, @options) = @_;
    my $run = countertop('-b', @options);
    is($run->{status}, $status, "$name: status $status");
    like($run->{err}, qr/^countertop: $message\n\z/, '... and the reason');
    is($run->{out}, '', '... and nothing else');
}
for my $option (['--engine', 'cpu'], ['--mode', 'user'], ['--record', 'x'], ['-C', '0']) {
    refused("@$option", 2, '--\w+ cannot be used with --replay: see --help all',
        '--replay', $file, @$option);
}
refused('a command', 2, "--replay cannot be used with a command after '--': see --help all",
    '--replay', $file, '--', 'true');
refused('another event', 2, "not in the recording: 'cycles'; it has context-switches, .*",
    '--replay', $file, '-e', 'context-switches,cycles');
is(countertop('-b', '-n', 1, '--replay', $file, '-e', '{context-switches,page-faults}')->{status}, 0,
    'events that it has can be named');
my $screen = countertop('-b', '-n', 1, '--replay', $file, '-s', 'overview');
like($screen->{out}, qr/^screen 'overview' is for events that the recording does not have: .*cycles/m,
    'a screen for other events says so');

# The screen is the recorded one, unless another is asked for. Older recordings do not tell theirs.
for my $case (['waits', "$dir/waits.db"], ['software', "$dir/waits.db", '-s', 'software'], ['software', $file],
    ['software', "$ENV{TOP}/tests/data/recording/small.db"], ['software', "$dir/older.db"]) {
    my ($shown, $of, @options) = @$case;
    run('cp', "$ENV{TOP}/tests/data/recording/small.db", $of) if $of =~ /older/;
    refreshes(qw(-n 1 -d 0.1 -s waits --record), $of) if $of =~ /older|waits/ && !@options;
    my $heads = countertop(qw(-b -n 1 --replay), $of, @options)->{out};
    is($heads =~ /^ *PID .* TAKEN BY/m ? 'waits' : 'software', $shown, "the screen '$shown' of " . join ' ', $of =~ s/.*\///r, @options);
}

# Files that are no recordings, or were.
sub copy_with {
    my ($name, $sql) = @_;
    run('cp', $file, "$dir/$name");
    my $run = run('sqlite3', "$dir/$name", $sql);
    die "sqlite3: $run->{err}" if $run->{err};
    return "$dir/$name";
}
my $read = 'cannot read \'\S+\'';
refused('no file', 2, "$read: No such file or directory", '--replay', "$dir/none");
refused('a directory', 2, "$read: .*", '--replay', $dir);
refused('a text', 2, "$read: it is no recording", '--replay', $0);
refused('a device', 2, "$read: .*", '--replay', '/dev/null');
open my $empty, '>', "$dir/empty" or die $!;
refused('an empty file', 2, "$read: it is empty", '--replay', "$dir/empty");
for my $format (-1, 0, 3, 4, 6) {
    my $why = "it has format $format, and this countertop knows only format 5";
    my $other = copy_with('format', "PRAGMA user_version = $format");
    refused("format $format", 2, "$read: $why", '--replay', $other);
    is(countertop(qw(-b -n 1 --record), $other)->{err},
        "countertop: cannot record to '$other': $why; choose another name, or --force replaces it\n", '... is not gone on with');
}
refused('another program\'s', 2, "$read: it is a database of another program", '--replay',
    copy_with('other', 'PRAGMA application_id = 7'));
refused('without a table', 2, "$read: its table 'cpu_rows' is missing or odd", '--replay',
    copy_with('less', 'DROP TABLE cpu_rows'));
refused('a view for packs', 2, "$read: its table 'task_packs' is missing or odd", '--replay',
    copy_with('unpacked', 'ALTER TABLE task_packs RENAME TO t; CREATE VIEW task_packs AS SELECT * FROM t'));
refused('a view for a table', 2, "$read: its table 'tasks' is missing or odd", '--replay',
    copy_with('view', 'ALTER TABLE tasks RENAME TO t; CREATE VIEW tasks AS SELECT * FROM t'));
# What SQLite would have to execute is refused in each table, also if its name is in other letters.
my @tables = split ' ', run('sqlite3', $file, "SELECT name FROM sqlite_master WHERE type = 'table'")->{out};
cmp_ok(scalar @tables, '>=', 27, 'a recording has tables');
refused("a computed column in $_", 2, "$read: its table '$_' is missing or odd", '--replay',
    copy_with('computed', "ALTER TABLE $_ ADD COLUMN z AS (hex(zeroblob(1000)))")) for @tables;
if (run('sqlite3', ':memory:', 'CREATE VIRTUAL TABLE t USING fts5(x)')->{err} eq '') {
    refused("a virtual table for $_", 2, "$read: its table '$_' is missing or odd", '--replay', copy_with('virtual',
        "ALTER TABLE $_ RENAME TO t; CREATE VIRTUAL TABLE \U$_\E USING fts5(x)")) for @tables[0, -1];
}
is(countertop('--record', copy_with('computed', 'ALTER TABLE texts ADD COLUMN z AS (1)'), '-b', '-n', 1)->{err},
    "countertop: cannot record to '$dir/computed': its table 'texts' is missing or odd; choose another name,"
        . " or --force replaces it\n", 'nor is such a recording continued');
refused('without intervals', 2, "$read: it is a recording without an interval", '--replay',
    copy_with('nothing', 'DELETE FROM intervals'));
my $damaged = countertop('-b', '--format', 'json', '--replay',
    copy_with('damaged', "UPDATE task_packs SET tasks = 2, oncpu_more = zeroblob(3) WHERE id ="
        . ' (SELECT task_first FROM intervals WHERE id = 4)'));
is(() = $damaged->{out} =~ /"type":"refresh"/g, 3, 'what is sound is shown');
is($damaged->{status}, 1, '... then it ends with status 1');
like($damaged->{err}, qr/^countertop: cannot read interval 4 of '\S+': it is damaged\n\z/,
    '... and the reason');
my $size = -s $file;
run('cp', $file, "$dir/half");
truncate "$dir/half", $size / 2;
my $half = countertop('-b', '--replay', "$dir/half");
ok($half->{status} =~ /^[12]\z/ && $half->{err} =~ /^countertop: cannot read /,
    'a file that is cut is refused, or read as far as it is there');

my $slow = countertop(qw(-b -n 1 -d 9 -o /dev/null --replay), $file);
is("$slow->{status}$slow->{err}", "0countertop: --delay changes nothing with --replay -b: the intervals are recorded\n",
    'an option that changes nothing is told');

done_testing;

#!/usr/bin/env perl
# --when: a recording of what happened before and after a condition became true; --keep, --exec, and what
# goes wrong; --test-when. What is right is read from the recording of all intervals that --record makes in
# the same run. Conditions at random: deep/alarm.t.
use Countertop;
use File::Copy 'copy';

my $dir = tempdir(CLEANUP => 1);
my $name = "burst$$";
copy("$ENV{B}/work/spin", "$dir/$name") or die $!;
chmod 0755, "$dir/$name";

sub query {
    my ($path, $sql) = @_;
    my $run = run('sqlite3', '-separator', ' ', $path, $sql);
    die "sqlite3 $path: $run->{err}" if $run->{status};
    return split /\n/, $run->{out};
}

# A countertop whose messages go to a file.
sub armed {
    my ($told, @options) = @_;
    unlink $told;
    return start('sh', '-c', "exec \"\$@\" 2>$told", 'sh', qw(countertop -b -s software), @options);
}

sub alarms {
    my ($folder) = @_;
    return my @files = glob "$folder/alarm-*.db";
}

# Waits until a recording that is made at the same time has that many intervals.
sub intervals_of {
    my ($path, $count) = @_;
    return wait_for(sub { -e $path && (run('sqlite3', $path, 'SELECT count(*) FROM intervals')->{out} || 0) >= $count });
}

# ---- what is in the recording ----

mkdir "$dir/one";
my ($before, $after) = (1, 2);
my $armed = armed("$dir/told", qw(-d 0.05 --record), "$dir/all.db", '--when', "command = $name", '--before', $before,
    '--after', $after, '--record-dir', "$dir/one", '--exec', "echo \"\$COUNTERTOP_RECORDING\" >>$dir/executed");
ok(intervals_of("$dir/all.db", 40), 'counting without an alarm');
is_deeply([alarms("$dir/one")], [], '... makes no recording');
my $burst = start("$dir/$name", '-r');
ok(wait_for(sub { -s "$dir/executed" }), 'an alarm: its recording is completed');
my $ended = stop($burst);
is(stop($armed)->{status}, 0, 'a signal ends it');
is(next_line($armed), undef, '... and nothing was printed');

my @all = map { [split ' '] } query("$dir/all.db", "SELECT i.id, i.time, i.length / 1e9, EXISTS (SELECT 1 FROM task_counts"
    . " WHERE interval = i.id AND comm = '$name') FROM intervals AS i ORDER BY i.id");
# By the text of the manual: it is told when it becomes true, and again when it was false for --after.
my ($now, $last, @expected) = (0);
for my $interval (@all) {
    $now += $interval->[2];
    next if !$interval->[3];
    push @expected, $interval if !defined $last || $now - $interval->[2] - $last >= $after;
    $last = $now;
}
my @told = split /\n/, slurp("$dir/told");
my ($file) = alarms("$dir/one");
is(scalar(@told), scalar(@expected), 'a line for each alarm');
is(scalar(alarms("$dir/one")), scalar(@expected), '... and a recording');
like($told[0], qr/^countertop: alarm at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: $burst->{pid} \($name\): '\Q$file\E' has the 1\.\d s before it$/,
    '... which says when, of what, and where it is');
like($file, qr{/alarm-\d{8}-\d{6}-command-$name\.db$}, 'the name has the time and the condition');
is(sprintf('%o', (stat $file)[2] & 07777), 600, '... the file is its owner\'s');
is(slurp("$dir/executed"), "$file\n", '--exec: the path of the recording');

# The intervals of the recording are intervals of the whole one, all of a time, with all that was counted.
my @some = map { [split ' '] } query($file, 'SELECT id, time, length / 1e9 FROM intervals ORDER BY id');
my ($offset) = grep { $all[$_][1] eq $some[0][1] } 0 .. $#all;
is_deeply([map { "@$_[1, 2]" } @some], [map { "@$_[1, 2]" } @all[$offset .. $offset + $#some]], 'it has intervals without a gap');
my ($fired) = grep { $all[$_][3] } 0 .. $#all;
my $seconds = sub { my $sum = 0; $sum += $_->[2] for @all[$_[0] .. $_[1]]; return $sum };
cmp_ok($seconds->($offset, $fired - 1), '>=', $before - 1e-6, 'at least the seconds before');
cmp_ok($seconds->($offset + 1, $fired - 1), '<', $before, '... to the interval');
cmp_ok($seconds->($fired + 1, $offset + $#some), '>=', $after - 1e-6, 'at least the seconds after');
cmp_ok($seconds->($fired + 1, $offset + $#some - 1), '<', $after, '... to the interval');
for my $table ('task_counts', 'cpu_counts', 'summary') {
    my ($first, $end) = ($all[$offset][0], $all[$offset + $#some][0]);
    my $both = "ATTACH '$dir/all.db' AS a; SELECT count(*) FROM (SELECT * FROM (SELECT %s FROM a.$table WHERE interval BETWEEN"
        . " $first AND $end) EXCEPT SELECT %s FROM main.$table)";
    my ($columns) = query($file, "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('$table')"
        . " WHERE name NOT IN ('interval', 'cmdline', 'cgroup')"); # those are asked for at a moment of their own
    my ($rows) = query("$dir/all.db", "SELECT count(*) FROM $table WHERE interval BETWEEN $first AND $end");
    my ($differ) = query($file, sprintf $both, $columns, $columns);
    my ($own) = query($file, "SELECT count(*) FROM $table");
    is("$own $differ", "$rows 0", "$table: $rows rows as in the whole recording");
}
is(join(' ', query($file, 'PRAGMA integrity_check; SELECT count(DISTINCT generation) FROM intervals; SELECT count(*) FROM runs')),
    'ok 1 1', 'a sound database of one run, with one time that all counts began');
my @command_lines = query($file, "SELECT DISTINCT cmdline FROM task_counts WHERE comm = '$name'");
is_deeply(\@command_lines, ["$dir/$name -r"], '... which has command lines');

# In the whole recording it is found where it was.
my $tested = countertop('--test-when', "command = $name", '--replay', "$dir/all.db", '--after', $after);
is($tested->{status}, 0, '--test-when');
is_deeply([map { /^(\S+ \S+): (\d+) / ? "$1 $2" : $_ } split /\n/, $tested->{out}],
    [map { /^countertop: alarm at (\S+ \S+): (\d+) / ? "$1 $2" : $_ } @told], '... says when, and of what, as the alarms did');
$tested = countertop('--test-when', "command = $name and cpu > 1M", '--replay', "$dir/all.db");
is("$tested->{status} $tested->{out}$tested->{err}", '0 ', '... and nothing where there was nothing');

# Names in a recording do nothing to a terminal.
copy("$dir/all.db", "$dir/strange.db") or die $!;
query("$dir/strange.db", "UPDATE tasks SET comm = char(27) || '[31m' || char(10) || 'x' WHERE tid = $burst->{pid}");
query("$dir/strange.db", "UPDATE processes SET comm = char(27) || '[31m' || char(10) || 'x' WHERE pid = $burst->{pid}");
$tested = countertop('--test-when', "pid = $burst->{pid}", '--replay', "$dir/strange.db", '--after', 1000);
like($tested->{out}, qr/\A\S+ \S+: $burst->{pid} \(\\x1b\[31m\\x0ax\)[^\n]*\n\z/, '... and names do nothing to a terminal');

# ---- functions of the time before ----

mkdir "$dir/functions";
my $sampled = armed("$dir/said", qw(-d 0.1 --sample cpu-clock/997 --before 1 --after 0.2 --when), "command = $name and cpu > 2 for 1s",
    '--record-dir', "$dir/functions", '--exec', "echo >>$dir/sampled");
my $busy = start("$dir/$name");
ok(wait_for(sub { -s "$dir/sampled" }), 'an alarm while functions are sampled');
stop($_) for $busy, $sampled;
($file) = alarms("$dir/functions");
cmp_ok((query($file, "SELECT sum(samples) FROM profile_rows AS r JOIN functions AS f ON f.id = r.function JOIN objects AS o"
    . " ON o.id = f.object WHERE f.name = 'main' AND o.name = '$name' AND r.interval <="
    . ' (SELECT id FROM intervals WHERE time >= (SELECT time - 0.001 FROM alarms) LIMIT 1)'))[0] || 0, '>', 4,
    '... its recording has the functions of the time before');
my ($seconds) = slurp("$dir/said") =~ /has the (\S+) s before it$/m;
cmp_ok(abs($seconds - (query($file, 'SELECT sum(length) / 1e9 FROM intervals WHERE time <= (SELECT time + 0.001 FROM alarms)'))[0]), '<=', 0.051,
    '... and so many seconds until then as was said');

# ---- how many are kept ----

my $folder = "$dir/kept";
mkdir $folder;
my @old = map { "$folder/alarm-2020010$_-000000-cpu-9.db" } 1 .. 4;
my @others = map { "$folder/$_" } 'alarm-20200101-000000.txt', 'alarm-2020-cpu.db', 'mine.db';
my $part = "$folder/alarm-20200101-000000-cpu-9.db.aB3dE6";
for my $i (reverse 0 .. $#old) {
    copy($file, $old[$i]);
    utime 1e9 + $i, 1e9 + $i, $old[$i];
}
copy($file, $_) for @others, $part;
mkdir "$folder/alarm-20200105-000000-folder.db";
chown 65534, 65534, $old[0] if $> == 0;
my $writer = start('sqlite3', $old[1]); # beside it, as another countertop that records has it, it is locked
my $lock = start('perl', '-e', 'use Fcntl ":flock"; open F, "<", shift; flock F, LOCK_EX; $| = 1; print "locked\n"; sleep', $old[1]);
next_line($lock);
sub once { # a countertop with these options until there is one alarm; what it said
    my ($when, $done, @options) = @_;
    my $watch = armed("$dir/said", qw(-d 0.05 --when), $when, '--after', 0.1, @options);
    ok(wait_for($done), "$when @options");
    my $end = stop($watch);
    is($end->{status}, 0, '... ends without an error');
    return slurp_or_empty("$dir/said");
}
once('machine: busy >= 0', sub { grep { !-e $old[$_] } 2 }, '--record-dir', $folder, '--keep', 2);
is(join(' ', map { -e $_ ? 1 : 0 } @old), $> == 0 ? '1 1 0 0' : '0 1 0 0',
    '--keep: the oldest are removed, but not of others, and none that is written');
is(scalar(grep { -e $_ } @others), 3, '... nothing with another name');
is(-e $part ? 1 : 0, 0, '... but what a killed program left');
is(-d "$folder/alarm-20200105-000000-folder.db" ? 1 : 0, 1, '... and no folder');
is(scalar(grep { !/2020/ } alarms($folder)), 1, '... and the new one is there');
stop($_) for $writer, $lock;

# ---- two alarms ----

mkdir "$dir/two";
my $said = once('command = sh or pid >= 0', sub { (my $n = () = slurp_or_empty("$dir/said") =~ /alarm at/g) && alarms("$dir/two") },
    '--record-dir', "$dir/two");
like((split /\n/, $said)[0], qr/: \d+ \(.*\), and \d+ more: '/, 'two alarms in an interval: one line, which counts the others');
is(scalar(grep { /has the/ } split /\n/, $said), scalar(alarms("$dir/two")), '... and one recording');

# ---- for Prometheus ----

mkdir "$dir/counted";
my $counted = countertop(qw(-b -s software -n 2 -d 0.1 --format openmetrics --when), 'count(pid >= 0) >= 0', '--record-dir', "$dir/counted");
is(join(' ', $counted->{out} =~ /^countertop_(alarms_total|last_alarm_timestamp_seconds) [1-9][\d.]*$/mg),
    join(' ', ('alarms_total', 'last_alarm_timestamp_seconds') x 2), 'a counter of alarms, and the time of the last');
like($counted->{out}, qr/^countertop_alarms_total 1$/m, '... which lasts');
$counted = countertop(qw(-b -s software -n 1 -d 0.1 --format openmetrics));
unlike($counted->{out}, qr/_alarm/, '... neither without --when');

# ---- what goes wrong ----

my $never = "$dir/never";
my $none = countertop(qw(-b -s software -d 0.05 -n 1 --when), 'machine: busy < 0', '--record-dir', $never);
is("$none->{status} $none->{err}", "0 countertop: cannot record alarms to '$never': No such file or directory\n",
    'a missing folder is told at once');
$none = countertop(qw(-b -s software -d 0.05 -n 2 --when), 'machine: busy >= 0', '--record-dir', $never);
is($none->{status}, 1, 'an alarm without its recording: the status says so');
like($none->{err}, qr/^countertop: the alarm of '\Q$never\E.*' is in no recording\ncountertop: 1 recording of alarms is missing or not whole\n\z/m,
    '... and the last line');

$folder = "$dir/gone/folder";
my $slow = armed("$dir/said", qw(-d 0.05 --after 60 --when), 'machine: busy >= 0', '--record-dir', $folder);
ok(wait_for(sub { slurp_or_empty("$dir/said") =~ /alarm at.*\n/ }), 'without a folder');
like(slurp("$dir/said"), qr/\A.*\ncountertop: alarm at [-\d]+ [:\d]+: busy [\d.]+: cannot record to '\Q$folder\E\/alarm-[-\d]+-machine-busy-0.db': No such file or directory; trying again for 60 s\n\z/,
    '... one line says so');
mkdir $_ for "$dir/gone", $folder;
ok(wait_for(sub { alarms($folder) }), '... and when it is there again, so is the recording');
kill KILL => $slow->{pid};
finish($slow);
is(slurp("$dir/said") =~ tr/\n//, 2, '... without another word');
($file) = alarms($folder);
is(join(' ', query($file, 'PRAGMA integrity_check; SELECT min(id) FROM intervals')), 'ok 1',
    'what a killed program has recorded is there, from the first interval on');

my $hang = armed("$dir/said", qw(-d 0.05 --after 0.1 --exec), "echo started; exec sleep 1000", qw(--exec-time 0.2 --when), 'machine: busy >= 0',
    '--record-dir', $folder);
ok(wait_for(sub { slurp_or_empty("$dir/said") =~ /was ended/ }), 'a command that hangs');
is(next_line($hang), "started\n", '... is executed');
stop($hang);
like(slurp("$dir/said"), qr/^countertop: 'echo started; exec sleep 1000' was ended: it took more than 0.2 s for \Q$folder\E\/alarm.*\.db$/m,
    '... and ended, which is told');

# A limit that no number of bytes can be removes nothing.
mkdir "$dir/many";
for my $day (1 .. 3) {
    Countertop::write_file("$dir/many/alarm-2020010$day-000000-x.db", ' ' x 300_000);
}
countertop(qw(-b -s software -d 0.05 -n 1 --keep-mb 18446744073710 --when), 'machine: busy >= 0', '--record-dir', "$dir/many");
is(scalar(alarms("$dir/many")), 4, 'an endless limit of MB');

# A signal to all of the group, as the terminal's or that of systemd: the last recording is told, too.
$folder = "$dir/group";
mkdir $folder;
unlink "$dir/said";
my $leader = start('sh', '-c', "exec \"\$@\" 2>$dir/said", 'sh', qw(countertop -b -s software -d 0.05 --after 60 --when), 'machine: busy >= 0',
    '--record-dir', $folder, '--exec', "echo >>$folder/executed");
ok(wait_for(sub { slurp_or_empty("$dir/said") =~ /has the/ }), 'an alarm');
kill TERM => -$leader->{pid};
finish($leader);
ok(wait_for(sub { slurp_or_empty("$folder/executed") eq "\n" }), '... and a signal to all of its group: --exec is executed');
is(slurp("$dir/said") =~ tr/\n//, 1, '... without another word');

# Paths are lines for what executes --exec.
mkdir "$dir/new\nline";
my $lines = countertop(qw(-b -s software -d 0.05 -n 1 --when), 'machine: busy >= 0', '--record-dir', "$dir/new\nline", '--exec', 'echo executed');
like($lines->{err}, qr/^countertop: 'echo executed' was not executed for '.*': the path has a newline$/m, 'a folder with a newline');
unlike($lines->{out}, qr/executed/, '... is not told by halves');

for my $case (
    ["cpu > 1 for", q{expected a time such as 3s at column 12: cpu > 1 for^}],
    ["cpu > 1 for ever", q{expected a time such as 3s at column 13: cpu > 1 for ^ever}],
    ["cpu > 1 form", q{expected 'and', 'or' or 'for' at column 9: cpu > 1 ^form}],
    ["machine: pid = 1", q{'pid' is of rows, write any(...) or count(...) around it, at column 10: machine: ^pid = 1}],
    ["count(cpu > 1)", q{expected = != < <= > or >= at column 15: count(cpu > 1)^}],
    ["count(cpu > 1) > few", q{expected a number at column 18: count(cpu > 1) > ^few}],
    ["count(cpu > 1 > 5", q{expected 'and', 'or' or ')' at column 15: count(cpu > 1 ^> 5}],
    ["machine: busyy > 1", q{no column and no counted event 'busyy' at column 10: machine: ^busyy > 1}],
    ["busy > 1", q{no column and no counted event 'busy' at column 1: ^busy > 1}],
) {
    my ($condition, $message) = @$case;
    my $wrong = countertop(qw(-b -s software --when), $condition);
    is("$wrong->{status} $wrong->{out}$wrong->{err}", "2 countertop: no condition for --when: $message\n", $condition);
}
my $wrong_event = countertop('-b', '--test-when', 'LLC-loads > 1', '--replay', "$ENV{TOP}/tests/data/recording/turns.db");
is("$wrong_event->{status} $wrong_event->{err}", "2 countertop: no condition for --test-when: 'LLC-loads' needs the event 'LLC-loads', which is"
    . " not counted: this processor's PMU 'armv8_pmuv3' has no such event, at column 1: ^LLC-loads > 1\n", 'an event that cannot be counted');
# What a metric needs is counted, and its unit may stand at the value alone.
for my $condition ('command = "postgres" and wait_p99 > 1h', 'WAIT_P99_us > 1h for 3s', 'machine: any(wait_p99 > 1h)') {
    my $asked = countertop(qw(-b -n 1 -d 0.05 --when), $condition, '--record-dir', $dir);
    is("$asked->{status} $asked->{err}", '0 ', "--when $condition");
}
for my $case ([['--before', '3s'], '--before needs --when'], [['--when', 'cpu > 1', '--replay', 'x'], '--when cannot be used with --replay'],
    [['--test-when', 'cpu > 1'], '--test-when needs --replay'], [['--when', 'cpu > 1', '--after', 0], "bad value '0' for --after: expected seconds above 0, or 90s, 2min"]) {
    my $wrong = countertop('-b', @{$case->[0]});
    is($wrong->{status}, 2, "@{$case->[0]}");
    like($wrong->{err}, qr/^countertop: \Q$case->[1]\E/, '... says what is wrong');
}

done_testing;

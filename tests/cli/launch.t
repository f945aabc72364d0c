#!/usr/bin/env perl
# A command started by countertop: its input and output, exit status, signals, and its counts. As
# root and as a user without rights.
use Countertop qw(:DEFAULT write_file);
use List::Util 'sum0';

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;
my @as_nobody = qw(setpriv --reuid=65534 --clear-groups -- env HOME=/);
my @json = qw(-b --format json);

# A shell that says that it is there, and which of its signals come; until it is ended.
my $trapper = q(for s in INT TERM HUP QUIT; do trap "echo got $s; exit 7" $s; done;
    echo ready; while :; do sleep 0.05; done);

# Standard streams and status.
my $run = run('sh', '-c', 'echo in | countertop -b -o "$0" -- sh -c "cat; echo err >&2; exit 9"',
    "$dir/table");
is("$run->{out}|$run->{err}|$run->{status}", "in\n|err\n|9",
    'a command has standard input, output and error, and its status is ours');
is(countertop(qw(-b -- sh -c), 'kill -KILL $$')->{status}, 137, '... also when a signal ended it');
is(countertop(qw(-b -- true))->{status}, 0, '... and when it went well');
like(countertop(qw(-b -- true))->{out},
    qr/^countertop \d\d:\d\d:\d\d  \S+  engine task  command 'true'  elapsed \d+\.\d{3} s  user \d+\.\d{3} s  kernel \d+\.\d{3} s  watched [\d.]+ CPUs(?:  busy [\d.]+ of \d+ CPUs?)?  counts of the whole run(?:  (?:steal|irq|pressure) .*)?  self [\d.]+m?s cpu$/m,
    'the table names it, says how long it ran, and what of counts it shows');

# What cannot be started: the statuses of a shell.
my $plain = "$dir/plain";
write_file($plain, '');
for (['no-such-program', 'No such file or directory', 127],
    ["$dir/nosuch", 'No such file or directory', 127],
    ["$plain/below", 'Not a directory', 126], ['/', 'Permission denied', 126],
    [$plain, 'Permission denied', 126]) {
    my ($program, $reason, $status) = @$_;
    for my $options ([], ['--format', 'json'], ['-d', 1, '--engine', 'cpu']) {
        $run = countertop('-b', @$options, '--', $program);
        is("$run->{out}|$run->{err}|$run->{status}",
            "|countertop: cannot start '$program': $reason\n|$status",
            "'@$options -- $program' cannot be started");
    }
}
like(countertop(qw(--help all))->{out}, qr/127 when the\s+command is not found, 126 when .*executed\./s,
    '--help all documents them');
like(countertop('--manual')->{out}, qr/^\.SH EXIT STATUS\n.*^\.B 126\n.*^\.B 127\n.*check .*^\.B 3\n.*^\.SH FORMATS/ms,
    '... and so does the manual, with that of --check');
is(countertop('-b', '--', 'sh', '-c', 'exit 127')->{err}, '', "a command's own 127 is no failure of ours");
for (['--'], ['-b', '--']) {
    $run = countertop(@$_);
    is("$run->{out}|$run->{status}", '|2', "'@$_' is wrong usage");
    like($run->{err}, qr/^countertop: no command after '--': expected .*\n\z/, '... and says so');
}
like(countertop('-b', 'true')->{err}, qr/'true'.* '-- true'/, 'without -- it is offered');
like(countertop('-b', '-f', '--', 'true')->{err}, qr/'true'.* '-- true'/,
    'an option can have the value --');
$run = countertop('-b', '-e', 'cyclse', '--', 'touch', "$dir/started");
is($run->{status}, 2, 'wrong usage ends it');
ok(!-e "$dir/started", '... before the command is started');

# A cgroup that the command will not be in; and one that everything is in.
SKIP: {
    my ($tree) = grep { -d } '/sys/fs/cgroup/perf_event', '/sys/fs/cgroup/unified', '/sys/fs/cgroup';
    my $cgroup = "$tree/countertop-launch-$$";
    skip 'no cgroup can be made', 5 if !$tree || !mkdir $cgroup;
    $run = countertop('-b', '-G', $cgroup, '--', 'true');
    my $compared = countertop(qw(-r 1 -G), $cgroup, qw(--compare true false));
    rmdir $cgroup;
    is($run->{status}, 2, 'a cgroup without the command is refused');
    like($run->{err}, qr/^countertop: 'true' would not be in cgroup '\Q$cgroup\E': /, '... and why');
    is($compared->{err}, $run->{err}, '... also with --compare');
    is($compared->{status}, 2, '... as wrong usage');
    is(countertop(qw(-b -G / -- sh -c), 'exit 3')->{status}, 3, 'the root of all cgroups is not');
}

# The child is as it would be without us.
my $state = q(grep -E '^Sig(Blk|Ign)' /proc/self/status; ls -l /proc/self/fd | sed -n 's/.* \([0-9]* ->\)/\1/p' | grep -v /proc/; ulimit -a);
is(countertop(qw(-b -o /dev/null -- sh -c), $state)->{out} =~ s/(pipe|socket):\[\d+\]|\/tmp\S*//gr,
    run('sh', '-c', $state)->{out} =~ s/(pipe|socket):\[\d+\]|\/tmp\S*//gr,
    'signals, descriptors and limits are those it would have anyway');

# One refresh without -d, several with it; together they are the whole.
my $touch = 'faults 2000 </dev/null >/dev/null';
# Those of that program: 2,000, and what a start takes. What is nobody's, on a machine that loses records, may be its.
sub has_faults {
    my ($name, @refreshes) = @_;
    my $nobodys = sum0 map { $_->{unattributed}{counts}{'page-faults'} // 0 } @refreshes;
    my $its = sum0 map { $_->{counts}{'page-faults'} // 0 } map { task($_, 'faults') } @refreshes;
    ok($its + $nobodys >= 2000 && $its < 3000, $name) or diag "$its, nobody's $nobodys", explain map { $_->{tasks} } @refreshes;
}
for my $engine ('cpu', 'task') {
    my @engine = ('--engine', $engine, '-e', 'page-faults');
    my ($header, @refreshes) = refreshes(@engine, '--', 'sh', '-c', "$touch; true");
    is(scalar(@refreshes), 1, "$engine: one refresh");
    is($header->{command}, "sh -c $touch; true", "$engine: the header tells the command");
    is($header->{delay}, undef, "$engine: ... and no delay");
    has_faults("$engine: with the faults of descendants that have ended", @refreshes);

    my $program = start('countertop', @json, @engine, '-d', 0.1, '--', 'sh', '-c',
        "$touch; until [ -e $dir/seen.$engine ]; do sleep 0.02; done");
    is(next_refresh($program)->{delay}, 0.1, "$engine: with -d as often as asked for");
    @refreshes = map { next_refresh($program) } 1 .. 3;
    write_file("$dir/seen.$engine", '');
    push @refreshes, json_lines(finish($program)->{out});
    has_faults("$engine: ... which together count as much", @refreshes);
}

# The table for people has totals, to the last event: those that were recorded beside it.
for my $engine ('cpu', 'task') {
    my $file = "$dir/$engine.db";
    my @options = ('--engine', $engine, qw(-s software -e minor-faults));
    my $run = countertop('-b', @options, '--view', 'tasks', '--record', $file, '--', 'sh', '-c', "$touch; true");
    my ($elapsed) = $run->{out} =~ /  elapsed (\d+\.\d{3}) s  .*  counts of the whole run  /;
    my ($titles) = $run->{out} =~ /^( +PID .*)$/m;
    unlike($titles, qr{/s}, "$engine: no title says that it is a rate");
    my @titles = split ' ', $titles;
    my %row = map { my %cell; @cell{@titles} = split; $cell{PID} => \%cell } $run->{out} =~ /^( *\d+ .*)$/mg;
    my (%faults, %switches, %oncpu, $interval);
    for my $refresh (grep { $_->{type} eq 'refresh' }
            json_lines(countertop(qw(-b --format json --replay), $file)->{out})) {
        $interval += $refresh->{interval};
        for my $task (@{$refresh->{tasks}}) {
            $faults{$task->{pid}} += $task->{counts}{'minor-faults'};
            $switches{$task->{pid}} += $task->{counts}{'context-switches'};
            $oncpu{$task->{pid}} += $task->{oncpu};
        }
    }
    cmp_ok(abs($interval - $elapsed), '<=', 0.0006, "$engine: the table says how long the command ran, as recorded");
    my @pids = sort keys %row;
    cmp_ok(scalar(@pids), '>=', $engine eq 'cpu' ? 2 : 1, "$engine: there are rows");
    is_deeply([map { $row{$_}{minor} } @pids], [map { $faults{$_} } @pids],
        "$engine: events have all digits");
    is_deeply([map { $row{$_}{ctxsw} } @pids], [map { $switches{$_} } @pids],
        "$engine: ... and so have metrics that are rates elsewhere");
    is_deeply([map { abs($row{$_}{'%CPU'} - 100 * $oncpu{$_} / $interval) < 0.06 } @pids], [(1) x @pids],
        "$engine: %CPU is that of the whole run") or diag $run->{out};
}

# It is ranked by command, with the share of each amount; an option about rows of tasks shows these.
my $ranked = countertop(qw(-b -e minor-faults -s software -- sh -c), 'brood -n -p 3 900; brood -n 1 300');
my ($titles, @rows) = grep { !/^(?:countertop|no hardware|user mode)/ } split /\n/, $ranked->{out};
like($titles, qr/^ +PROCS +TIME +%TIME +%CPU .* faults +%faults .*COMMAND$/, 'one table of commands');
my @titles = split ' ', $titles;
my %ranked = map { my %cell; @cell{@titles} = split; $cell{COMMAND} => \%cell } @rows;
is_deeply({map { $_ => $ranked{$_}{PROCS} } keys %ranked}, {sh => 1, brood => 5}, '... with their processes');
for my $title (qw(TIME faults)) {
    my $sum = sum0 map { $_->{"%$title"} } values %ranked;
    ok(abs($sum - 100) < 0.11, "... the shares of $title are 100 % together") or diag $ranked->{out};
}
my $all = sum0 map { $_->{faults} } values %ranked;
ok(abs($ranked{brood}{'%faults'} - 100 * $ranked{brood}{faults} / $all) < 0.051, '... of the exact counts');
like($ranked->{out}, qr/  user \d+\.\d{3} s  kernel \d+\.\d{3} s  /, '... with the CPU time of all');
like(countertop(qw(-b --view tasks -- true))->{out}, qr/^ +PID .*\n.* true$/m, '--view tasks: processes');
like(countertop(qw(-b -H -- true))->{out}, qr/^ +PID +TID .*\n.* true$/m, '-H: threads');
# The kernel finds out user mode by its ticks, which may all miss a short run: this one ends when it is seen.
my (undef, $ended) = refreshes('--', 'perl', '-e', 'my $began = (times)[0]; while ((times)[0] <= $began) { 1 for 1 .. 10_000 }');
cmp_ok($ended->{user}, '>', 0, 'JSON has the CPU time in user mode');
cmp_ok($ended->{kernel}, '>=', 0, '... and in the kernel');

# What somebody asks for is had nevertheless.
$run = countertop(qw(-b -s software --show rate --exact=no -- sh -c), "$touch; true");
like($run->{out}, qr/  elapsed \S+ s  .*  counts a second  .*\n(?:.*\n)?.* faults\/s .*\n.* [\d.]+[kM] +faults$/m,
    '--show rate --exact=no: rates, short');
$run = countertop(qw(-b -s software -d 60 -- sh -c), "$touch; true");
like($run->{out}, qr/^[^\n]*  interval \S+ s  .*  counts a second  (?:(?:steal|pressure) .*  )?self [\d.]+ % cpu\n(?:.*\n)?.* faults\/s COMMAND\n(?:.*\n)*.* sh$/m,
    '-d: rates, as ever');

# Which engine counts, and why.
for (
    ['task', qr/disturbs only what is watched/, []],
    ['cpu', qr/CPU/, ['-C', 0]],
    ['cpu', qr/CPU/, ['--view', 'cpus']],
    ['cpu', qr/^may count all tasks$/, ['-p', 'perl']],
    ['cpu', qr/^may count all tasks$/, ['-u', 'root']],
    ['task', qr/disturbs/, ['-p', $$]],
) {
    my ($engine, $reason, $options) = @$_;
    my ($header) = refreshes(@$options, '--', 'true');
    is($header->{engine}, $engine, "@$options -- true: the engine is $engine");
    like($header->{engine_reason}, $reason, '... and says why');
}

my $many = start('sh', '-c', 'for i in $(seq 60); do sleep 600 & echo $!; done; wait');
chomp(my @many = map { next_line($many) } 1 .. 60);
$run = run('sh', '-c', 'ulimit -n 64; exec countertop "$@"', 'sh', @json, qw(-n 1 -d 0.1 -p), join ',', @many);
stop($many);
my ($header) = json_lines($run->{out});
is($header->{engine}, 'cpu', '... but where descriptors do not suffice');
like($header->{engine_reason}, qr/60 threads would need \d+ descriptors, the limit is 64/,
    '... and says so');

# A command and others.
my $ticker = start('perl', '-e', '$0 = "launch_ticker"; $| = 1; print "ready\n";
    while () { select undef, undef, undef, 0.02 }');
next_line($ticker);
for my $engine ('cpu', 'task') {
    my (undef, $both) =
        refreshes('-i', '--engine', $engine, '-p', $ticker->{pid}, '--', 'sleep', 0.2);
    is(join(' ', sort map { $_->{comm} } @{$both->{tasks}}), 'launch_ticker sleep',
        "$engine: a command and a process that was there");
}
stop($ticker);

# Descendants, also those that outlive their parents.
for my $engine ('cpu', 'task') {
    my (undef, $all) = refreshes('--engine', $engine, qw(-H -- sh -c),
        '(sleep 0.3; perl -e 1) & perl -e 1; wait');
    my %threads;
    $threads{$_->{comm}}++ for @{$all->{tasks}};
    is("$threads{perl} $threads{sleep}", '2 1', "$engine: the descendants have rows of their own");
}

# Signals: to us they are the command's, of which the table then tells.
for my $signal (qw(TERM HUP INT QUIT)) {
    my $watch = start('countertop', @json, '--', 'sh', '-c', $trapper);
    is(next_line($watch), "ready\n", "SIG$signal: the command runs");
    kill $signal => $watch->{pid};
    my $end = finish($watch);
    is($end->{status}, 7, "SIG$signal: the status is that of the command");
    ok($end->{out} =~ s/^got $signal\n//, "SIG$signal: it was passed on") or diag $end->{out};
    is(scalar(json_lines($end->{out})), 2, "SIG$signal: then comes the table");
}
my $watch = start('countertop', @json, '--', 'sh', '-c',
    'trap "echo ignored" TERM; echo ready; while :; do sleep 0.05; done');
next_line($watch);
kill TERM => $watch->{pid};
is(next_line($watch), "ignored\n", 'a signal that the command ignores');
kill TERM => $watch->{pid};
my $header_line = next_refresh($watch);
is($header_line->{type}, 'header', '... the second one is not: the table comes at once');
is(next_refresh($watch)->{seq}, 1, '... whole');
is(stop($watch)->{status}, 143, '... and the status is that of the signal');

# Stopped and continued, the command is too. SIGTSTP stops only who has a parent in another process
# group of the session, as under a shell.
$watch = start('perl', '-e', 'my $pid = fork // die; if (!$pid) { setpgrp; $| = 1; print "$$\n"; exec @ARGV }
    waitpid $pid, 0; exit $? >> 8', 'countertop', @json, '--', 'perl', '-e',
    '$| = 1; print "$$\n"; select undef, undef, undef, 0.02 until -e $ARGV[0]', "$dir/go-on");
chomp(my ($counting, $pid) = (next_line($watch), next_line($watch)));
sub state_of {
    return (slurp_or_empty("/proc/$_[0]/stat") =~ /\) (\S)/)[0] // '';
}
kill TSTP => $counting;
ok(wait_for(sub { state_of($counting) eq 'T' && state_of($pid) eq 'T' }), 'SIGTSTP stops both');
kill CONT => $counting;
ok(wait_for(sub { state_of($counting) ne 'T' && state_of($pid) ne 'T' }), 'SIGCONT continues both');
write_file("$dir/go-on", '');
is(finish($watch)->{status}, 0, '... to the end');

# -n ends the tables, not the command.
$watch = start('countertop', @json, qw(-d 0.1 -n 2 -- sh -c),
    "until [ -e $dir/enough ]; do sleep 0.02; done; exit 5");
my @lines = map { next_refresh($watch) } 1 .. 3;
is($lines[2]{seq}, 2, '-n 2: two refreshes');
ok(wait_for(sub { !grep { readlink($_) =~ /perf_event/ } glob "/proc/$watch->{pid}/fd/*" }),
    '... then nothing is counted any more');
write_file("$dir/enough", '');
my $end = finish($watch);
is("$end->{out}|$end->{status}", '|5', '... but the command goes on, and its status is ours');

# The reader of the table may go; the command does not suffer.
$run = run('sh', '-c', "countertop -b -d 0.05 -- sh -c 'sleep 0.5 >/dev/null; touch $dir/done; exit 4'"
    . " | head -n 1 >/dev/null");
ok(wait_for(sub { -e "$dir/done" }), 'a command outlives the reader of the table');

# Who cannot let the command go ends it, and says so.
SKIP: {
    skip "'strace' is not here", 3 if run(qw(sh -c), 'command -v strace')->{status};
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0'; # which traces, too
    my $stuck = start('strace', '-qq', '-o', "$dir/calls", '-e', 'inject=sendto:error=ENOBUFS', 'countertop',
        qw(-b -d 0.1 -- touch), "$dir/started");
    my $ended = wait_for(sub { slurp_or_empty("/proc/$stuck->{pid}/stat") =~ /^\d+ \(.*\) Z/ });
    ok($ended, 'a command that cannot be let go does not hold the program');
    is($ended ? finish($stuck)->{status} : stop($stuck)->{status}, 1, '... which fails');
    ok(!-e "$dir/started", '... nor does it run');
}

# SIGCHLD ignored by who started us.
$run = run('perl', '-e', '$SIG{CHLD} = "IGNORE"; exec @ARGV', 'countertop', qw(-b -- sh -c), 'exit 6');
is($run->{status}, 6, 'an ignored SIGCHLD hides no status');

SKIP: {
    skip 'only root can become someone else', 4 if $> != 0;
    skip 'perf_event_paranoid is not 2', 4 if slurp_or_empty('/proc/sys/kernel/perf_event_paranoid') ne "2\n";
    skip 'others cannot run what was built here', 4
        if run(@as_nobody, "$ENV{B}/countertop", '--version')->{status};
    my $run = run(@as_nobody, 'countertop', @json, '-e', 'page-faults', '--', 'sh', '-c', 'exit 8');
    is($run->{status}, 8, 'without rights: the status');
    my ($header, $refresh) = json_lines($run->{out});
    is($header->{engine}, 'task', '... the engine');
    cmp_ok(task($refresh, 'sh') && (task($refresh, 'sh'))[0]{counts}{'page-faults'}, '>', 0,
        '... the counts');
    $run = run(@as_nobody, qw(countertop -b -C 0 -- true));
    is($run->{status}, 1, '... single CPUs are refused');
}
# Its CPU time begins with its program: one thread has no more of it than the command took.
for my $engine (qw(cpu task)) {
    my @runs = map { (refreshes('--engine', $engine, '--', '/bin/true'))[-1] } 1 .. 5;
    is_deeply([grep { $_->{user} + $_->{kernel} > $_->{elapsed} } @runs], [], "$engine: user and kernel are without the program's own start");
    cmp_ok($_->{user} + $_->{kernel}, '>', 0, '... and known') for @runs;
}

done_testing;

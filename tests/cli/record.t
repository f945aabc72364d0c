#!/usr/bin/env perl
# --record: the contents of the file as read by sqlite3(1), files that exist already, and the file
# after a disk is full (after the program is killed: killed.t).
use Countertop;
use Screen;

my $dir = tempdir(CLEANUP => 1);
my $file = "$dir/run.db";

sub query {
    my ($path, $sql) = @_;
    my $run = run('sqlite3', '-json', $path, $sql);
    die "sqlite3 $path: $run->{err}" if $run->{status} || $run->{err} ne '';
    return $run->{out} eq '' ? () : @{(json_lines($run->{out} =~ tr/\n//dr))[0]};
}

sub number {
    my ($path, $sql) = @_;
    return (values %{(query($path, $sql))[0]})[0];
}

# Something that runs in every interval, and something that is born and dies in each.
my $spin = start(qw(spin -rn 2));
my $births = start('sh', '-c', 'while :; do sleep 0.02; done');

my ($header, @live) = refreshes('-H', '-n', 4, '-d', 0.3, '--record', $file);
is_deeply([glob "$dir/*"], [$file], 'the file alone is the recording');
is(sprintf('%o', (stat $file)[2] & 07777), 600, '... and its owner\'s');
is(number($file, 'PRAGMA integrity_check'), 'ok', 'a sound database');
is(number($file, 'PRAGMA application_id'), 0x63746f70, 'its application_id');
is(number($file, 'PRAGMA user_version'), 5, '... and version');
is(number($file, 'SELECT count(*) FROM intervals'), 4, 'an interval for each refresh');

my ($run) = query($file, 'SELECT * FROM runs');
is_deeply([@$run{qw(version host kernel cpu_model engine)}],
    [@$header{qw(version host kernel cpu_model engine)}], 'the machine');
is_deeply([map { [@$_{qw(name pmu encoding)}] } query($file, 'SELECT * FROM events ORDER BY position')],
    [map { [@$_{qw(name pmu encoding)}] } @{$header->{events}}], 'the events');

# The views have the same numbers as what was shown meanwhile.
my @names = map { $_->{name} } grep { $_->{state} eq 'counted' } @{$header->{events}};
sub key {
    my ($row, $counts) = @_;
    my $comm = ($row->{comm} // '(name not known)') =~ s/[^ -~]//gr; # other bytes, of a test beside this one, are escaped by one
    return join ' ', @$row{qw(pid tid)}, $comm, map { $_ // '-' } @$counts{@names};
}
for my $refresh (@live) {
    my $n = $refresh->{seq};
    my @rows = query($file, "SELECT * FROM task_counts WHERE interval = $n");
    is_deeply([sort map { key($_, $_) } @rows],
        [sort map { key($_, $_->{counts}) } @{$refresh->{tasks}}], "interval $n: its tasks");
    my @cpus = query($file, "SELECT * FROM cpu_counts WHERE interval = $n ORDER BY cpu");
    is_deeply([map { [@$_{@names}] } @cpus],
        [map { [@{$_->{counts}}{@names}] } @{$refresh->{cpus}}], '... its CPUs');
    my %sum = map { $_->{kind} => $_ } query($file, "SELECT * FROM summary WHERE interval = $n");
    is_deeply([map { [@{$sum{$_}}{@names}] } qw(idle unattributed total)],
        [map { [@{$refresh->{$_}{counts}}{@names}] } qw(idle unattributed total)],
        '... idle, unattributed and total');
    ok(abs($rows[0]{time} - $refresh->{time}) < 0.001 &&
        abs($rows[0]{seconds} - $refresh->{interval}) < 1e-8, '... when it ended, and its length');
}
my ($row) = query($file, "SELECT * FROM task_counts WHERE pid = $spin->{pid} LIMIT 1");
is_deeply([@$row{qw(user comm cmdline)}], [scalar getpwuid $>, 'spin', 'spin -rn 2'],
    'a process with its user and command line');
is(number($file, "SELECT count(*) FROM processes WHERE pid = $spin->{pid} AND comm = 'spin'"), 1,
    '... which is there once');
cmp_ok(number($file, "SELECT count(*) FROM task_counts WHERE comm = 'sleep' AND exited"), '>', 8,
    'those that lived shortly are there');

stop($births);

# It is gone on with.
refreshes('-n', 2, '-d', 0.2, '--record', $file, '-e', 'minor-faults', '-p', $spin->{pid});
is(number($file, 'SELECT count(*) FROM intervals'), 6, 'a recording is gone on with');
is(number($file, 'SELECT count(*) FROM runs'), 2, '... as a second run');
is(number($file, 'SELECT count(*) FROM task_counts WHERE interval > 4 AND comm <> \'spin\''), 0,
    'with -p only what is watched is recorded');
is(number($file, 'SELECT count("minor-faults") > 0 FROM task_counts WHERE interval > 4'), 1,
    'one more event is one more column');
is(number($file, 'SELECT count("minor-faults") FROM task_counts WHERE interval <= 4'), 0,
    '... empty before it was counted');

# What is not ours is left alone.
sub refused {
    my ($name, $path, $message, @options) = @_;
    my $run = countertop(qw(-b -n 1 -d 0.1 --record), $path, @options);
    is($run->{status}, 1, "$name is refused");
    like($run->{err}, qr/^countertop: cannot record to '\Q$path\E': $message\n\z/, '... with a reason');
}
sub spew {
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print $out $text;
    close $out;
}
my $remedy = 'choose another name, or --force replaces it';
spew("$dir/notes", my $notes = "my notes\n" x 100);
refused('a text', "$dir/notes", "it is no recording; $remedy");
is(-s "$dir/notes", length $notes, '... and left as it was');
run('sqlite3', "$dir/other.db", 'CREATE TABLE t (x); INSERT INTO t VALUES (7)');
refused('another database', "$dir/other.db", "it is a database of another program; $remedy");
is(number("$dir/other.db", 'SELECT x FROM t'), 7, '... and left as it was');
run('cp', $file, "$dir/newer.db");
run('sqlite3', "$dir/newer.db", 'PRAGMA user_version = 6');
refused('that of a newer version', "$dir/newer.db",
    "it has format 6, and this countertop knows only format 5; $remedy");
refused('a directory', $dir, 'Is a directory');
refused('a path that leads nowhere', "$dir/no/run.db", 'No such file or directory');
refused('a device', '/dev/null', 'it is no regular file', '--force');
refreshes('-n', 1, '-d', 0.1, '--record', "$dir/notes", '--force');
is(number("$dir/notes", 'SELECT count(*) FROM intervals'), 1, '--force replaces it');
spew("$dir/empty", '');
refreshes('-n', 1, '-d', 0.1, '--record', "$dir/empty");
is(number("$dir/empty", 'SELECT count(*) FROM intervals'), 1, 'an empty file is taken');

# One at a time; readers may look meanwhile.
my $writer = start(qw(countertop -b --format json -d 0.1 --record), "$dir/busy.db");
next_refresh($writer) for 1 .. 4;
refused('a recording that is being made', "$dir/busy.db", 'another countertop does already');
cmp_ok(number("$dir/busy.db", 'SELECT count(*) FROM intervals'), '>=', 3, 'it can be read meanwhile');
is(stop($writer)->{status}, 0, 'a signal ends it');
is_deeply([glob "$dir/busy.db-*"], [], '... with nothing beside the file');

# What was removed is not written any more, and the next one's is left alone.
my $first = start('sh', '-c', "exec countertop -b --format json -d 0.1 --record $dir/busy.db 2>$dir/gone");
next_refresh($first) for 1 .. 3;
unlink glob "$dir/busy.db*";
my $second = start(qw(countertop -b --format json -d 0.1 --record), "$dir/busy.db");
next_refresh($second) for 1 .. 4;
my $gone = stop($first);
is($gone->{status}, 1, 'a recording that was removed ends');
like(slurp_or_empty("$dir/gone"), qr/^countertop: cannot record to '\Q$dir\E\/busy.db': the file was removed or replaced; recording ended, 0 intervals/,
    '... with the reason');
kill KILL => $second->{pid};
waitpid $second->{pid}, 0;
cmp_ok(number("$dir/busy.db", 'SELECT count(*) FROM intervals'), '>=', 3, '... and loses nothing of the next one');

# A recording that is moved ends, says where it is, and has what is said to be in it: no file that stays
# behind is needed. That of a folder moves with it; another recording may have the name.
for my $case (['a file', 0, sub { rename $_[0], "$_[0].new"; return "$_[0].new" }],
    ['a file at the end', 1, sub { rename $_[0], "$_[0].new"; return "$_[0].new" }],
    ['a folder', 0, sub { my ($folder) = $_[0] =~ m{(.*)/}; rename $folder, "$folder.new"; mkdir $folder; return $_[0] =~ s{/([^/]+)\z}{.new/$1}r }],
    ['a file whose place is taken', 0, sub { rename $_[0], "$_[0].new"; spew($_[0], ''); return "$_[0].new" }]) {
    my ($name, $late, $move) = @$case;
    my $path = "$dir/" . ($name =~ s/ /-/gr) . '/a.db';
    mkdir $path =~ s{/[^/]+\z}{}r;
    my $moving = start('sh', '-c', 'exec "$@" 2>' . "$dir/moved", 'sh',
        qw(countertop -b --format json -s software -d 0.1 --record), $path);
    next_refresh($moving) for 1 .. 4;
    kill STOP => $moving->{pid} if $late; # there may be no other interval before it ends
    my $now = $move->($path);
    kill TERM => $moving->{pid} if $late;
    kill CONT => $moving->{pid} if $late;
    next_refresh($moving) for 1 .. ($late ? 0 : 3);
    my $end = $late ? finish($moving) : stop($moving);
    my ($where, $kept) = slurp("$dir/moved") =~
        /^countertop: cannot record to '\Q$path\E': the file was moved to '(.*)'; recording ended, (\d+) intervals? of it (?:is|are) in the file\n\z/;
    is("$end->{status} " . ($where // slurp("$dir/moved")), "1 $now", "$name is moved: where it is");
    unlink glob "$path-*";
    is(number($now, 'SELECT count(*) FROM intervals'), $kept, '... what is said to be in it');
    is(countertop('-b', '--replay', $now, '-o', '/dev/null')->{status}, 0, '... and it can be read');
}

# Another program that locks the file does not end the recording: intervals wait in memory.
sub lock {
    my ($path) = @_;
    my $other = start('sqlite3', $path);
    print {$other->{in}} ".timeout 60000\nBEGIN EXCLUSIVE;\nSELECT 'locked';\n";
    is(next_line($other), "locked\n", 'another program locks the recording');
    return $other;
}
for my $case (['until the end of the lock', 0], ['until the end', 1]) {
    my ($name, $to_the_end) = @$case;
    my $path = "$dir/locked$to_the_end.db";
    my $recording = start('sh', '-c',
        "exec countertop -b -d 0.05 -s software -p $spin->{pid} --record $path 2>$dir/told");
    my $pages = 0;
    my $pass = sub { # the next pages, until one matches, for a minute at most
        my ($pattern) = @_;
        my $end = time + 60;
        while (time < $end && defined(my $line = next_line($recording))) {
            $pages += $line =~ /^countertop \d/;
            return 1 if $line =~ $pattern;
        }
        return 0;
    };
    $pass->(qr/^countertop \d/) for 1 .. 3;
    my $other = lock($path);
    ok($pass->(qr/^cannot record to '\Q$path\E': database is locked; intervals wait in memory/), '... which is told');
    $pass->(qr/^countertop \d/) for 1 .. 30;
    finish($other) if !$to_the_end;
    $pass->(qr/^countertop \d/) for 1 .. 10;
    kill TERM => $recording->{pid};
    my $end = finish($recording);
    $pages += () = $end->{out} =~ /^countertop \d/mg;
    finish($other) if $to_the_end;
    my $missing = $pages - number($path, 'SELECT count(*) FROM intervals');
    is("$end->{status} " . slurp("$dir/told"), $to_the_end
        ? "1 countertop: cannot record to '$path': database is locked; $missing intervals are missing\n" : '0 ',
        "$name: what is said at the end");
    cmp_ok($missing, $to_the_end ? '>=' : '==', $to_the_end ? 40 : 0, '... is true');
    is(number($path, 'PRAGMA integrity_check'), 'ok', '... and the database is sound');
    is(number($path, 'SELECT max(id) - count(*) FROM intervals'), 0, '... without a gap in its numbers');
}

# A limit on the size of files is an error with a reason, not a signal, from the first byte on; and it
# is not there for the command. POSIX shells count blocks of 512 bytes.
for my $case ([20, qr/File too large\n\z/], [320, qr/File too large; recording ended, \d+ intervals? of it (?:is|are) in the file\n\z/]) {
    my ($blocks, $reason) = @$case;
    my $small = run('sh', '-c', "ulimit -f $blocks && exec \"\$@\"", 'sh',
        qw(countertop -b -H -i -n 200 -d 0.05 -o /dev/null --record), "$dir/small.db");
    is($small->{status}, 1, "ulimit -f $blocks: status 1");
    like($small->{err}, qr/^countertop: cannot record to '\Q$dir\E\/small.db': $reason/, '... and why');
    unlink "$dir/small.db";
}
my $ignored = run(qw(countertop -b -o /dev/null --record), "$dir/ignored.db", '--', 'sh', '-c', 'grep SigIgn /proc/self/status >&2');
is($ignored->{err}, run(qw(sh -c), 'grep SigIgn /proc/self/status >&2')->{err}, 'the command ignores what it would without us');

# Nothing is begun or replaced before it is clear that it can be recorded.
my @wrong = (['-e', 'nosuch'], ['-s', 'nosuch'], ['--sort', 'nosuch'], ['-f', 'cpu_pct >'], ['-C', 9999],
    ['-p', 2**22], ['-u', 'nosuch'], ['-o', "$dir/nosuch/file"], ['--listen', '192.0.2.1:1'],
    ['--theme', 'nosuch'], ['--sample', 'nosuch'], ['--engine', 'nosuch']);
my @quick = qw(countertop -b -n 1 -d 0.05 -s software --record);
for my $case (@wrong, ['--', 'no-such-command']) {
    isnt(run(@quick, "$dir/wrong.db", @$case)->{status}, 0, "@$case: an error");
    is_deeply([glob "$dir/wrong.db*"], [], '... that leaves no recording behind');
}
run(@quick, "$dir/kept.db", '-o', '/dev/null');
my $before = slurp("$dir/kept.db");
for my $case (@wrong) {
    run(@quick, "$dir/kept.db", '--force', @$case);
    is(slurp("$dir/kept.db"), $before, "--force @$case: the old recording is kept");
}

# No space left: the recording ends, counting does not.
my $mounted;
END {
    local $?;
    system('umount', $mounted) if $mounted;
}
SKIP: {
    my $disk = "$dir/disk";
    mkdir $disk;
    skip 'a small disk needs root', 9 if $> != 0;
    is(system('mount', '-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', $disk), 0, 'a small disk');
    $mounted = $disk;
    my $full = countertop(qw(-b -H -i -n 60 -d 0.05 --record), "$disk/full.db");
    my @pages = $full->{out} =~ /^(countertop \d.*)/mg;
    is(@pages, 60, 'a full disk does not end the program');
    my $notice = qr/cannot record to '\Q$disk\E\/full.db': no space left; recording ended, (\d+) intervals? of it (?:is|are) in the file/;
    like($full->{out}, qr/^$notice/m, '... which says so');
    is($full->{status}, 1, '... and ends with status 1');
    like($full->{err}, qr/^countertop: $notice\n\z/, '... and the reason');
    my ($kept) = $full->{err} =~ $notice;
    run('cp', '-r', $disk, "$dir/saved");
    is(number("$dir/saved/full.db", 'SELECT count(*) FROM intervals'), $kept,
        'what had been recorded is there');
    unlink glob "$disk/*";
    my $screen = Screen->countertop(120, 24, qw(-H -i -d 0.05 --record), "$disk/full.db");
    my $told = qr/^cannot record to '\Q$disk\E\/full.db': no space left; recording ended/m;
    ok($screen->wait($told), 'a terminal says so too');
    my %seen;
    ok($screen->wait(sub { $seen{$_[0]} = 1; $_[0] =~ $told && keys %seen > 3 }), '... and goes on');
    $screen->key('q');
    ok($screen->wait(qr/^countertop: cannot record .* no space left/m), '... until it is left');
    $screen->close;
    system('umount', $disk);
    undef $mounted;
}

is((countertop(qw(-b -n 1 --force)))->{status}, 2, '--force alone is wrong usage');
stop($spin);
done_testing;

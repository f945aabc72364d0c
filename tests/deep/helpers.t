#!/usr/bin/env perl
# Helpers, which read files of others, speak HTTP and fetch debug files, are programs of their own: they
# refuse to start with any right, only files that can be trusted are started, and nobody can trace a
# child of the program before it executes one.
use Countertop qw(:DEFAULT write_file);
use File::Copy;
use POSIX ();
use Socket;

my @helpers = qw(countertop-lines countertop-http countertop-fetch);
my %type = ('countertop-lines' => SOCK_STREAM, 'countertop-http' => SOCK_SEQPACKET, 'countertop-fetch' => SOCK_SEQPACKET);
my $refused = 78;
my ($user, $other) = (65529, 65530);
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR} // ();
my $version = (split ' ', countertop('--version')->{out})[1];

sub as {
    my ($uid, @command) = @_;
    return @command if $> != 0;
    return ('setpriv', "--reuid=$uid", "--regid=$uid", '--clear-groups', '--', 'env', 'HOME=/', @command);
}

# Runs a command with one end of a pair of sockets as standard input; the other one is closed.
sub with_socket {
    my ($type, @command) = @_;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        socketpair my $one, my $two, AF_UNIX, $type, PF_UNSPEC or die $!;
        open STDIN, '<&', $two;
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', "$dir/said";
        close $one;
        exec @command or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return {status => $? & 127 ? 128 + ($? & 127) : $? >> 8, err => slurp("$dir/said")};
}

sub copy_program {
    my ($to, @files) = @_;
    mkdir $to;
    for (@files) {
        copy("$ENV{B}/$_", "$to/$_") or die "copy $_: $!";
        chmod 0755, "$to/$_";
    }
}

# --- They refuse ---

SKIP: {
    skip "user $user cannot run what was built here (a folder is closed to others)", 12
        if run(as($user, "$ENV{B}/countertop", '--version'))->{status};
    for my $name (@helpers) {
        my $path = "$ENV{B}/$name";
        my $run = run(as($user, 'sh', '-c', "exec $path </dev/null"));
        is("$run->{status} $run->{err}", "$refused $name: its standard input is no socket to countertop: countertop " .
            "starts it\n", "$name needs a socket");
        my $wrong = $type{$name} == SOCK_STREAM ? SOCK_DGRAM : SOCK_STREAM;
        is(with_socket($wrong, as($user, $path, $version))->{err}, $run->{err}, '... of its kind');
        $run = with_socket($type{$name}, as($user, $path, '0'));
        is("$run->{status} $run->{err}", "$refused $name: it is part of countertop $version: countertop starts it\n",
            '... and the program of its version');
        isnt(with_socket($type{$name}, as($user, $path, $version))->{status}, $refused, '... with which it starts');
    }
}

SKIP: {
    skip 'only root has capabilities here', 3 if $> != 0;
    for my $name (@helpers) {
        my $run = with_socket($type{$name}, "$ENV{B}/$name", $version);
        is("$run->{status} $run->{err}", "$refused $name: it must have no capability, and has some: countertop starts " .
            "it\n", "$name has no capability of root");
    }
}

# --- Where they are ---

# The file of the helper that serves.
sub server_file {
    my ($program, @as) = @_;
    my ($server, $url) = serve(@as, $program, qw(-b -s software -d 0.1 --listen 0));
    my $serving = $url && server_process($server);
    my $file = $serving ? readlink "/proc/$serving/exe" : undef;
    stop($server);
    return $file;
}

copy_program("$dir/beside", 'countertop', 'countertop-http');
is(server_file("$dir/beside/countertop"), "$dir/beside/countertop-http", 'a helper beside the program');
mkdir $_ for "$dir/usr", "$dir/usr/libexec";
copy_program("$dir/usr/bin", 'countertop');
copy_program("$dir/usr/libexec/countertop", @helpers);
is(server_file("$dir/usr/bin/countertop"), "$dir/usr/libexec/countertop/countertop-http", 'or one that is installed');
copy_program("$dir/alone", 'countertop');
my $own = server_file("$dir/alone/countertop");
SKIP: {
    skip 'helpers are installed', 1 if $own =~ m{^/.*/countertop-http$};
    is($own, '/memfd:countertop-http (deleted)', 'where there is none, the copy in the program');
}
my $run;

# --- With capabilities ---

SKIP: {
    skip 'only root can give a file capabilities', 1 if $> != 0;
    skip "'setcap' is not installed", 1 if run(qw(sh -c), 'command -v setcap')->{status};
    my @capable = ('setcap', 'cap_perfmon,cap_sys_ptrace+ep');
    my $given = run(@capable, "$dir/beside/countertop");
    skip "$dir can have no capabilities of files: $given->{err}", 1 if $given->{status};
    skip "$dir is on a file system where they have no effect (nosuid)", 1
        if run('findmnt', '-no', 'OPTIONS', '-T', $dir)->{out} =~ /\bnosuid\b/;
    skip "user $user cannot run what is in $dir", 1 if run(as($user, "$dir/beside/countertop", '--version'))->{status};
    run(@capable, "$dir/$_/countertop") for 'usr/bin', 'alone';

    # By its name it is no helper: it says what it says to everybody.
    $run = with_socket(SOCK_STREAM, as($user, 'perl', '-e', 'exec { shift } "countertop-lines"', "$dir/beside/countertop"));
    like("$run->{status} $run->{err}", qr/^2 countertop: standard input and output are not a terminal/,
        'a program with the name of a helper is none');

    my ($beside, @theirs) = ("$dir/beside/countertop", as($user));
    is(server_file($beside, @theirs), "$dir/beside/countertop-http", 'with capabilities: root\'s file in root\'s folder');
    is(server_file("$dir/usr/bin/countertop", @theirs), "$dir/usr/libexec/countertop/countertop-http",
        '... or where it is installed');

    # What would be started instead notes that.
    write_file("$dir/forged", "#!/bin/sh\ntouch $dir/mine/started\n");
    mkdir "$dir/mine";
    chmod 0777, "$dir/mine";
    my @serve = (qw(-b -n 1 -s software --listen 0));
    link "$dir/alone/countertop", "$dir/mine/countertop" or die $!;
    copy("$dir/forged", "$dir/mine/countertop-http") or die $!;
    chmod 0755, "$dir/mine/countertop-http";
    my @linked = as($user, "$dir/mine/countertop", @serve);
    for (['of a folder of all', sub { }],
         ['of its user', sub { chmod 0755, "$dir/mine"; chown $user, $user, "$dir/mine/countertop-http" }],
         ['of a folder of its user', sub { chown $user, $user, "$dir/mine"; chown 0, 0, "$dir/mine/countertop-http" }],
         ['that others may write', sub { chown 0, 0, "$dir/mine"; chmod 0757, "$dir/mine/countertop-http" }]) {
        $_->[1]->();
        $run = run(@linked);
        like("$run->{status} $run->{err}", qr{^0 countertop: serving http:}, "no file $_->[0]");
        ok(!-e "$dir/mine/started", '... is started');
    }

    # --- Between fork(2) and execve(2) ---

    skip 'what looks for leaks is a copy of the program that traces it', 1 if $ENV{B} =~ /-asan\b/;
    # What is held there: lines of work/between, and what it could have of any process.
    sub held {
        my ($uid, $word, @command) = @_;
        my $run = run('between', $uid, $word, @command);
        my @stops = map { /^(\w+) user (\d+) got (\S+) counters (\d+) rings (\d+) named (\d+)$/
            ? {call => $1, user => $2, got => $3, counters => $4, rings => $5, named => $6} : () } split /\n/, $run->{err};
        my ($self) = $run->{err} =~ /^self got (\S+)$/m;
        return ($self // '', @stops);
    }

    sub calls_of {
        my %seen = map { $_->{call} => 1 } @_;
        return join ' ', sort grep { /^(capset|execve|execveat|read|setresuid)$/ } keys %seen;
    }

    sub all_held {
        my ($what, @stops) = @_;
        cmp_ok(scalar @stops, '>', 0, "$what: is held");
        is(join(',', map { "$_->{call}:$_->{got}" } grep { $_->{got} ne '-' } @stops), '', '... and nobody can look into it');
    }

    copy_program("$dir/beside", @helpers);
    my $db = "$dir/mine/recording.db";
    chown $user, $user, "$dir/mine";
    my ($self, @stops) = held($user, 'recording.db', $beside, qw(-b -n 2 -d 0.1 -s software --view functions --sample page-faults),
        '--record', $db, '--', 'true');
    skip 'a process cannot be held here (seccomp)', 1 if !$self;
    is($self, 'trace,mem,maps,environ,fd', 'the user of a program can have all of another one');
    all_held('a command that waits, and a helper', @stops);
    is(calls_of(@stops), 'capset execve execveat read', '... at all steps');
    is((grep { $_->{call} =~ /^(capset|prctl|execveat)$/ && ($_->{counters} || $_->{user} != $user) } @stops), 0,
        '... a helper has no counter from its first step on');
    is((grep { $_->{call} =~ /^(read|execve)$/ && ($_->{counters} || $_->{rings} || $_->{named}) } @stops), 0,
        '... a command that waits has no counter, no ring and no recording');

    # The next command of an experiment is started while counters of the last one are open.
    (undef, @stops) = held($user, 'recording.db', $beside, qw(-b -r 3 -s software -- true));
    all_held('the commands of an experiment', @stops);
    is((grep { $_->{call} =~ /^(read|execve)$/ && ($_->{counters} || $_->{rings}) } @stops), 0, '... have no counter and no ring');

    (undef, @stops) = held($user, 'recording.db', $beside, qw(-b -n 1 -d 0.1 -s software --listen 0));
    all_held('a server', @stops);

    # Those of root that become nobody.
    (undef, @stops) = held(0, 'recording.db', $beside, qw(-b -n 1 -d 0.1 -s software --listen 0), '--record', "$dir/roots.db");
    my @nobodies = grep { $_->{user} != 0 } @stops;
    all_held('a server of root', @nobodies);
    is(calls_of(@stops), 'capset execveat setresuid', '... at all steps');
    is((grep { $_->{counters} || $_->{rings} || $_->{named} } @nobodies), 0, '... has no counter, no ring and no recording');

    # What reads a source is the user whose program names that.
    my $named = "$dir/shares";
    copy("$ENV{B}/work/shares", $named) or die $!;
    chmod 0755, $named;
    chown $user, $user, $named;
    my @readers;
    wait_for(sub { # beside load the table of a run may be made without it
        (undef, @stops) = held(0, 'roots.db', $beside, qw(-b --annotate faults_seventy --sample page-faults --), $named, qw(faults 20));
        @readers = grep { $_->{user} == $user } @stops;
    });
    all_held('a reader of sources of root', @readers);
    is((grep { $_->{counters} } @readers), 0, '... has no counter');

    # What reads a stranger's recording executes nothing else, and is done within the start.
    chmod 0644, $db;
    (undef, @stops) = held($user, 'roots.db', 'onscreen', 3, 80, 24, $beside, qw(-s software --baseline), $db);
    all_held('a reader of a baseline', @stops);
    is((grep { $_->{counters} || $_->{rings} } @stops), 0, '... has no counter and no ring');

    # Work to be watched can be traced, but has nothing of the program.
    (undef, @stops) = held($user, 'recording.db', $beside, qw(-b -n 2 -d 0.1 -s software --demo ipc1));
    is((grep { $_->{got} ne '-' && ($_->{counters} || $_->{rings} || $_->{named}) } @stops), 0,
        'who traces work of --demo finds no counter');
}

# --- Their environment ---

SKIP: {
    local @ENV{qw(SECRET DEBUGINFOD_URLS)} = ('of-user', 'http://127.0.0.1:9/');
    my @program = (qw(-b -s software -d 0.1 -o /dev/null --listen 0 --debuginfod --sample cpu-clock --annotate none), '-p', $$);
    my ($server, $url) = serve('countertop', @program);
    skip 'libdebuginfod is not installed', 2 if !$url;
    my %environment = map { slurp_or_empty("/proc/$_/stat") =~ /^\d+ \(countertop-(\w+)\) \S $server->{pid} /
            ? ($1 => slurp_or_empty("/proc/$_/environ")) : () } map { m{/(\d+)$} } glob '/proc/[0-9]*';
    stop($server);
    is_deeply([grep { !/^(?:LD_LIBRARY_PATH|[A-Z]+SAN_OPTIONS)=/ } split /\0/, $environment{http} // 'none'], [],
        'what serves has nothing of the environment');
    my %fetch = map { split /=/, $_, 2 } split /\0/, $environment{web} // '';
    is(join(' ', map { $fetch{$_} // '-' } qw(SECRET DEBUGINFOD_URLS HOME)), "- http://127.0.0.1:9/ $ENV{HOME}",
        '... what fetches has what it needs');
}

# --- What another user gets with a helper that it becomes ---

SKIP: {
    skip 'only root has helpers that become another user', 3 if $> != 0;
    skip "'strace' is not here", 3 if run(qw(sh -c), 'command -v strace')->{status};
    copy("$ENV{B}/work/shares", "$dir/theirs") or die $!;
    chmod 0755, "$dir/theirs";
    chown $user, $user, "$dir/theirs";
    local $ENV{SECRET} = 'of-root';
    my %lines;
    wait_for(sub {
        run(qw(strace -f -v -s 100 -qq -e), 'trace=setsid,chdir,setresuid,execveat', '-o', "$dir/steps", 'countertop',
            qw(-b --annotate faults_seventy --sample page-faults --), "$dir/theirs", qw(faults 20));
        %lines = ();
        /^(\d+) +(\w+)\((.*)/ and $lines{$1} .= "$2($3\n" for split /\n/, slurp("$dir/steps");
        return grep { /setresuid\($user,/ && /execveat/ } values %lines;
    });
    my ($steps) = grep { /setresuid\($user,/ && /execveat/ } values %lines;
    skip 'strace cannot follow it', 3 if !$steps;
    like($steps, qr/^setsid\(/m, 'a reader of another user\'s sources has no terminal of root');
    like($steps, qr{^chdir\("/"\)}m, '... no folder of root');
    like($steps, qr/^execveat\(.*\], \[\], AT_EMPTY_PATH/m, '... and nothing of the environment of root');
}
done_testing;

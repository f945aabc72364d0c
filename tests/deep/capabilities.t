#!/usr/bin/env perl
# With capabilities of its file the program may do more than its user. It uses them for counting and
# for its own reads of /proc, never for files, directories and commands that the user names, and no
# variable of the user changes what it reads.
use Countertop;
use File::Copy;
use Pty;

plan skip_all => 'only root can give a file capabilities' if $> != 0;
# Not the users of other tests, who would see these programs too.
my ($user, $owner) = (65531, 65532);
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR};
my $program = "$dir/countertop";
copy("$ENV{B}/countertop", $program) or die "copy: $!";
chmod 0755, $program;
plan skip_all => "'setcap' is not installed" if run(qw(sh -c), 'command -v setcap')->{status};
my $given = run('setcap', 'cap_perfmon,cap_sys_ptrace+ep', $program);
plan skip_all => "$dir can have no capabilities of files: $given->{err}" if $given->{status};
plan skip_all => "$dir is on a file system where they have no effect (nosuid)"
    if run('findmnt', '-no', 'OPTIONS', '-T', $dir)->{out} =~ /\bnosuid\b/;

sub as {
    my ($uid, @command) = @_;
    return ('setpriv', "--reuid=$uid", "--regid=$uid", '--clear-groups', '--', 'env', 'HOME=/',
        @command);
}

plan skip_all => "user $user cannot run what was built here (a folder is closed to others)"
    if run(as($user, $program, '--version'))->{status};

sub put {
    my ($path, $text, $mode) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
    chmod $mode, $path;
}

# --- The environment ---

# Terminals that only a variable leads to; an own xterm that says so when it is entered.
put("$dir/terminals", <<'TI', 0644);
xterm|not the xterm of this machine, smcup=\E[?1049h\E]2;false\E\134, use=vt100,
user-made|known here alone, use=vt100,
TI
mkdir $_ or die "$_: $!" for "$dir/home", "$dir/home/.terminfo";
is(run('tic', '-x', '-o', "$dir/home/.terminfo", "$dir/terminals")->{status}, 0, 'tic');
chmod 0755, $dir, "$dir/home", "$dir/home/.terminfo", glob "$dir/home/.terminfo/*";

# What it writes to a terminal until it has drawn its screen or ended.
sub screen {
    my ($command, %environment) = @_;
    my @environment = map { "$_=$environment{$_}" } sort keys %environment;
    my $terminal = Pty->start({width => 80, height => 24}, as($user, @environment, $command));
    my $end = time + 60;
    $terminal->read(0.05)
        while time < $end && !defined $terminal->ended && $terminal->{output} !~ /\bPID\b/;
    my $output = $terminal->{output};
    $terminal->close;
    return $output;
}

for my $case ([TERMINFO => "$dir/home/.terminfo"], [TERMINFO_DIRS => "$dir/home/.terminfo"],
    [HOME => "$dir/home"]) {
    my %variable = @$case;
    like(screen("$ENV{B}/countertop", TERM => 'xterm', %variable), qr/false/,
        "$case->[0] is followed without capabilities");
    my $output = screen($program, TERM => 'xterm', %variable);
    like($output, qr/\bPID\b/, '... with them there is a screen too');
    unlike($output, qr/false/, '... but by the terminals of the machine');
    like(screen($program, TERM => 'user-made', %variable),
        qr/\Qcannot use the terminal 'user-made'/, '... and one that only it leads to is unknown');
}

my %variables = (TERMINFO => '/a', TERMINFO_DIRS => '/b', TERMCAP => '/c', TERMPATH => '/d',
    SQLITE_TMPDIR => '/e', LIBPFM_FORCE_PMU => 'f', HOME => '/g', PATH => $ENV{PATH}, OTHER => 'h');
my $environment = run(as($user, (map { "$_=$variables{$_}" } sort keys %variables), $program,
    qw(-b -- env)))->{out};
my %got = $environment =~ /^(\w+)=(.*)$/mg;
is_deeply({map { $_ => $got{$_} } keys %variables}, \%variables, 'a command gets all variables');
my @forced = map {
    run(as($user, 'LIBPFM_FORCE_PMU=skl', $_, '--list-events'))->{out} =~ /\bskl::/ ? 'skl' : 'own'
} 'countertop', $program;
is("@forced", 'skl own', 'LIBPFM_FORCE_PMU has no effect with capabilities');

# The configuration is found as ever, and lists itself.
mkdir "$dir/home/$_" or die "$_: $!" for '.config', '.config/countertop';
my $own = "[screen of-the-user]\nevents = page-faults\ncolumns = pid page-faults command\n";
put("$dir/home/.config/countertop/own.ini", $own, 0644);
for my $case (["HOME=$dir/home"], ['HOME=/', "XDG_CONFIG_HOME=$dir/home/.config"]) {
    like(run(as($user, @$case, $program, '--list-screens'))->{out}, qr/^of-the-user\b/m, "@$case");
}

# --- What is in effect ---

# A uprobe may stand in the middle of an instruction of everybody's.
SKIP: {
    skip 'this kernel has no uprobes', 2 if !-e '/sys/bus/event_source/devices/uprobe';
    for my $event ('uprobe:/bin/true:0x2000', 'uprobe/config1=0x1000,config2=0x2000/') {
        my $run = run(as($user, $program, qw(-b -n 1 -d 0.05 --format json -s software -e),
            $event));
        my ($header) = json_lines($run->{out});
        my ($found) = grep { $_->{name} eq $event } @{$header->{events}};
        is("$found->{state}: $found->{reason}", 'denied: counting a uprobe is for root alone, '
            . 'since it changes the code of all who run the file: run countertop as root', $event);
    }
}

my $watch = start(as($user, $program, qw(-b --format json -d 0.1)));
next_refresh($watch) for 1 .. 3;
my @effective = map { run('grep', '^CapEff', $_)->{out} } glob "/proc/$watch->{pid}/task/*/status";
is_deeply([grep { !/^CapEff:\t0{16}$/ } @effective], [],
    'while it counts, no capability is in effect in any thread');
is((stat "/proc/$watch->{pid}/stat")[4], 0, '... and its user may not look into it');
stop($watch);

# --- The files of others, where /proc hides their processes ---

SKIP: {
    my @hidden = (qw(unshare -m --propagation private sh -c),
        'mount -t proc -o hidepid=2 proc /proc && exec "$@"', 'sh');
    skip 'no mounts of its own can be had (unshare -m, proc with hidepid)', 1
        if run(@hidden, 'true')->{status};

    # A directory that everybody might use, below one that is closed, and a process in it.
    my ($closed, $inside) = ("$dir/closed", "$dir/closed/inside");
    mkdir $_ or die "$_: $!" for $closed, $inside, "$inside/countertop";
    my %content = ('secret.theme' => "[roles]\nheading = bold\n", 'secret.ini' => $own,
        'countertop/secret.ini' => $own, 'out' => "precious\n", 'precious.db' => "precious\n",
        'program' => "#!/bin/sh\necho it ran\n");
    put("$inside/$_", $content{$_}, 0777) for keys %content;
    copy('/bin/true', "$inside/true") or die "copy: $!";
    is(countertop(qw(-b -n 1 -d 0.05 --record), "$inside/recording")->{status}, 0, 'a recording');
    chmod 0777, $inside, "$inside/countertop", "$inside/recording", "$inside/true";
    chmod 0700, $closed;
    chown $owner, $owner, $closed, $inside;
    # 'sh' opens nothing once it waits, and is there when it has answered.
    my $stranger = start('sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $inside,
        as($owner, 'sh', '-c', 'echo there; read line', 'stranger'));
    next_line($stranger);
    my $pid = $stranger->{pid};
    my $way = "/proc/$pid/cwd";

    # As if the way were not there, as for anybody else.
    my $nothing = 'No such file or directory';
    my @run = (qw(-b -n 1 -d 0.05));
    my %refused = (
        theme => [[@run, '--theme', "$way/secret.theme"],
            "cannot read '$way/secret.theme': $nothing"],
        directory => [[@run, '-W', $way], "cannot read the directory '$way' of screens: $nothing"],
        output => [[@run, '-o', "$way/out"], "cannot write '$way/out': $nothing"],
        create => [[@run, '-o', "$way/new"], "cannot write '$way/new': $nothing"],
        record => [[@run, '--force', '--record', "$way/precious.db"],
            "cannot record to '$way/precious.db': $nothing"],
        replay => [['-b', '--replay', "$way/recording"], "cannot read '$way/recording': $nothing"],
        command => [['-b', '--', "$way/program"], "cannot start '$way/program': $nothing"],
        uprobe => [[@run, '-e', "uprobe:$way/true:main"], undef],
    );
    for my $case (sort keys %refused) {
        my ($options, $message) = @{$refused{$case}};
        my $run = run(@hidden, as($user, $program, @$options));
        my ($line) = $run->{err} =~ /\A(.*)\n/; # a leak sanitizer adds some of its own
        is($line, "countertop: $message", "the way is closed: $case") if $message;
        isnt($run->{status}, 0, "... and said: $case");
    }
    unlike(run(@hidden, as($user, "XDG_CONFIG_HOME=$way", $program, '--list-screens'))->{out},
        qr/of-the-user/, 'the way is closed: configuration');
    my %now = map { $_ => slurped("$inside/$_") } keys %content;
    is_deeply(\%now, \%content, 'nothing there has changed');
    ok(!-e "$inside/new", '... and nothing is new');

    # But the process is shown: that is what the capability is for.
    my $text = run(@hidden, as($user, $program, qw(-b -c -n 1 -d 0.2 -i -p), $pid))->{out};
    like($text, qr/^ *$pid .*\bsh -c echo there; read line stranger$/m,
        'the command line of the process is shown');
    for my $engine ('task', 'cpu') {
        my $busy = start(as($owner, 'spin'));
        # A leak sanitizer says that it cannot look.
        my $shown = start(@hidden, qw(sh -c), 'exec "$@" 2>/dev/null', 'sh', as($user, $program,
            qw(-b -d 0.1 --format json --engine), $engine, '-p', $busy->{pid}));
        my ($refresh, $row) = next_refresh($shown);
        ($row) = @{$refresh->{tasks}} while !$row && ($refresh = next_refresh($shown));
        is(join(' ', map { $row->{$_} // '?' } qw(pid comm user)), "$busy->{pid} spin $owner",
            "engine $engine: a process of another user is counted");
        like($row->{counts}{'page-faults'}, qr/^\d+\z/, '... with its events');
        stop($shown);
        stop($busy);
    }
    # What it waits for is read with the user's own rights, and those of one's own may be known.
    my $own = start(as($user, qw(sleep 1000)));
    my %waits;
    wait_for(sub {
        my $run = run(@hidden, as($user, $program, @run, qw(--format json -i -s waits -p), "$pid,$own->{pid}"));
        %waits = map { $_->{pid} => $_->{waits_for} } @{(json_lines($run->{out}))[1]{tasks}};
        return ($waits{$own->{pid}}{text} // '') =~ /^sleep/;
    });
    is($waits{$own->{pid}}{text}, 'sleep 1000.0 s', 'what a process of the user waits for is known');
    is_deeply($waits{$pid}, {(map { $_ => undef } qw(kind text pid address path deadlock)), reason => 'other user'},
        '... and of others nothing, not even with capabilities');
    stop($own);
    my $all = run(@hidden, as($user, $program, @run, qw(--format json -i)));
    my ($listed) = grep { $_->{pid} == $pid }
        map { @{$_->{tasks}} } grep { $_->{type} eq 'refresh' } json_lines($all->{out});
    is($listed->{comm}, 'sh', 'those that do nothing are listed');
    # In pids of its own, where the first is an ordinary one.
    my @apart = (qw(unshare -mpf --propagation private sh -c),
        'mount -t proc -o hidepid=2 proc /proc && "$@"; exit $?', 'sh');
    my ($check) = json_lines(run(@apart, as($user, $program, qw(--check --format json)))->{out});
    is(join(' ', @{$check->{capabilities}}), 'cap_perfmon cap_sys_ptrace', '--check names both');
    is((grep { $_ eq 'hidepid' } @{$check->{restrictions}}), 0, '... and no processes are hidden');
    stop($stranger);
}

done_testing;

sub slurped {
    my ($path) = @_;
    open my $file, '<', $path or return "$path: $!";
    local $/;
    return scalar <$file> // '';
}

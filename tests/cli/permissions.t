#!/usr/bin/env perl
# Refusals of the kernel: each errno of perf_event_open(2) becomes a message with cause and remedy,
# and capabilities of the program's file permit exactly what they should.
use Countertop;
use File::Path 'make_path';

plan skip_all => 'only root can take permissions away and give them' if $> != 0;
my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);

# The state and the reason of an event, as JSON Lines tell them.
sub told {
    my ($event, @command) = @_;
    my $run = run(@command);
    my ($header) = json_lines($run->{out});
    my ($found) = grep { $_->{name} eq $event } @{$header->{events}};
    return "$found->{state}: " . ($found->{reason} // 'no reason');
}

my @batch = qw(countertop -b -n 1 -d 0.05 --format json);

# The whole call refused, as containers do: there is nothing to show, and one line that says why.
# With CAP_PERFMON other profiles would allow it; without it, it is the first thing to give.
my $filter = 'cannot count anything: a seccomp filter forbids perf_event_open';
my $profile = "$filter, although there is CAP_PERFMON, as profiles of Docker before 23 and Podman until 2025 do: "
    . "start the container with '--security-opt seccomp=FILE', a profile that allows it, or 'seccomp=unconfined'";
my $capability = "$filter: start the container with '--pid=host --cap-add PERFMON' ('docker run' or 'podman run')";
for my $case (['EPERM'], ['ENOSYS'], ['EPERM', '--engine', 'cpu'], ['ENOSYS', '--engine', 'task'],
    ['EPERM', '-p', $$], ['ENOSYS', '--', 'true']) {
    my ($errno, @options) = @$case;
    my $run = run('forbid', $errno, @batch, @options);
    is_deeply($run, {out => '', err => "countertop: $profile\n", status => 1}, "@$case is told");
}
is(run('forbid', 'EPERM', @as_nobody, @batch)->{err}, "countertop: $capability\n",
    'another user is told what comes first');

# Debian's kernel refuses everything at perf_event_paranoid 3, its default, with EACCES: one line with
# what helps, and the page begins with it.
my $overlay = tempdir(CLEANUP => 1);
chmod 0755, $overlay;
make_path("$overlay/proc/sys/kernel");
symlink "/proc/$_", "$overlay/proc/$_" for qw(self cpuinfo stat);
symlink '/sys', "$overlay/sys";
system("echo 3 >'$overlay/proc/sys/kernel/perf_event_paranoid'");
{
    local $ENV{COUNTERTOP_ROOT} = $overlay;
    my $nothing = qr/counting is not permitted \(perf_event_paranoid is 3\): as root, run 'sysctl kernel\.perf_event_paranoid=2' or '[^']*countertop'/;
    my @user = ('forbid', 'EACCES', @as_nobody);
    SKIP: {
        skip 'user 65534 cannot run what was built here (a folder is closed to others)', 3
            if run(@user, qw(countertop --version))->{status};
        my $run = run(@user, @batch);
        is("$run->{status}$run->{out}", 1, 'at level 3 it ends');
        like($run->{err}, qr/\Acountertop: cannot count anything: $nothing\n\z/, '... and says what allows it');
        like(run(@user, qw(countertop --check))->{out}, qr/\AYou can count nothing: .*\n(?s:.*)^ +$nothing$/m,
            '... and so does --check');
    }
}

# One event refused. These the kernel says by itself ...
my $machine = run('countertop', '--check', '--format', 'json');
my $hardware = (json_lines($machine->{out}))[0]{result} eq 'hardware';
SKIP: {
    skip 'this machine has hardware counters', 1 if $hardware;
    like(told('cycles', @batch, '-e', 'cycles'), qr/^unsupported: no hardware counters \(.+\)/,
        'ENOENT');
}
SKIP: {
    skip 'this machine has no PMU msr', 1 if !-e '/sys/bus/event_source/devices/msr/events/tsc';
    is(told('msr/tsc/u', @batch, '-e', 'msr/tsc/u'),
        "invalid: its PMU cannot tell modes apart: count it without modifiers and in mode 'all'",
        'EINVAL');
}
SKIP: {
    skip 'breakpoints are counted on x86 here', 1 if `uname -m` !~ /^x86_64$/;
    my $breakpoints = join ',', map { "mem:0x${_}0000:w" } 1 .. 5;
    my $told = told('mem:0x50000:w', @batch, '-s', 'software', '-e', $breakpoints);
    if (!breakpoints_fire()) {
        like($told =~ s/^unsupported: //r, $never_fires, 'breakpoints that never fire');
        last;
    }
    is($told, 'no_counter: all breakpoint registers of the processor are in use: end debuggers, or watch '
            . 'fewer addresses', 'ENOSPC');
}
is(told('page-faults', 'prlimit', '--nofile=18', @batch, qw(--engine task)),
    "no_descriptor: all 18 file descriptors of this process are in use: as root, raise the limit "
        . "('prlimit --nofile=72 countertop'), or count fewer events or tasks", 'EMFILE');

# ... and these on other machines, on other days: the errno is put in its mouth. What others say:
# unit/explain_test.
open my $file, '<', '/proc/sys/fs/file-max' or die "file-max: $!";
chomp(my $files = readline $file);
my %reason = (
    EBUSY => 'no_counter: another event has its PMU or counter for itself: end other profilers',
    ENFILE => "no_descriptor: all $files file descriptors of the system are in use: as root, run "
        . "'sysctl fs.file-max=@{[2 * $files]}'",
    ESRCH => 'invalid: the task has ended: watch another one',
);
is(told('page-faults', 'forbid', '-a', $_, @batch, qw(-s software --engine task -p), $$),
    $reason{$_}, $_) for sort keys %reason;
for my $errno (qw(EACCES EPERM)) {
    my $refused = run('forbid', '-a', $errno, @batch);
    is("$refused->{status}$refused->{out}", 1, "$errno in spite of all permissions ends it");
    like($refused->{err}, qr/\Acountertop: cannot count anything: the kernel refuses although the /,
        '... with the reason');
    like($refused->{err}, qr/ a seccomp filter or a security module[^\n]* forbids it; [^\n]+\n\z/,
        '... that has both causes');
}

# In a user namespace root's capabilities do not count.
open my $sysctl, '<', '/proc/sys/kernel/perf_event_paranoid' or die "perf_event_paranoid: $!";
chomp(my $paranoid = readline $sysctl);
SKIP: {
    skip "perf_event_paranoid is $paranoid: this is about 2", 3 if $paranoid != 2;
    skip 'user namespaces are not allowed here', 3 if run(qw(unshare -r true))->{status};
    my $inside = 'perf_event_paranoid is 2, and capabilities of a user namespace do not count';
    my ($header) = json_lines(run(qw(unshare -r), @batch)->{out});
    is($header->{engine_reason}, "tasks of one's own only: $inside", 'the header says why');
    like($header->{notice}, qr/^only your own processes, in user mode \(\Q$inside\E\): as root, /, '... and so does the notice');
    is(run(qw(unshare -r), @batch, qw(--engine cpu))->{err},
        "countertop: cannot use the engine 'cpu': counting all tasks of a CPU is not permitted "
            . "($inside): as root, run 'sysctl kernel.perf_event_paranoid=0' or start countertop "
            . "with cap_perfmon outside of the user namespace\n",
        '... and the remedy is not one of the namespace');
}

# Capabilities of the file: what the tests have built is installed for another user to run.
my $root = tempdir(DIR => $ENV{B}, CLEANUP => 1);
chmod 0755, $root;
my $program = "$root/usr/bin/countertop";
delete @ENV{qw(MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR CAPS_GROUP)};
# The program is there already: -o keeps make from building while other tests run it.
my @install = ('make', '-C', $ENV{TOP}, qw(-o build install-caps PREFIX=/usr),
    "B=$ENV{B}", "DESTDIR=$root");
my $install = run(@install);
is($install->{status}, 0, 'make install-caps succeeds') or diag $install->{err};
like($install->{out}, qr/^countertop: every user may now count the tasks of all users, in kernel/m,
    '... and says what it allows');
is(run('getcap', $program)->{out}, "$program cap_sys_ptrace,cap_perfmon=ep\n",
    '... with these capabilities');

# Sanitizers look at their own process for leaks, which a program with capabilities may not.
local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0';
my $version = run(@as_nobody, $program, '--version');
SKIP: {
    skip "user 65534 cannot run what was built here (a folder is closed to others)", 19
        if $version->{status};
    skip 'this file system ignores capabilities of files (nosuid)', 19
        if run('findmnt', '-no', 'OPTIONS', '-T', $root)->{out} =~ /\bnosuid\b/;
    my @nobody = (@as_nobody, $program);
    my $other = start('spin', '-r');

    my $watch = start(@nobody, qw(-b --format json -d 0.2));
    my $header = next_refresh($watch);
    is($header->{engine}, 'cpu', 'with capabilities anybody may count system-wide');
    is($header->{mode}, 'all', '... in kernel mode too');
    next_refresh($watch);
    my ($refresh, @others);
    @others = grep { $_->{pid} == $other->{pid} } @{$refresh->{tasks}} # it has to run first
        while !@others && ($refresh = next_refresh($watch));
    is_deeply([map { "$_->{comm} $_->{user}" } @others], ['spin root'], "another user's process");
    cmp_ok($others[0]{oncpu}, '>', 0, '... with its time');
    like($others[0]{counts}{'page-faults'}, qr/^\d+\z/, '... and counts');
    cmp_ok($refresh->{self}{rss_bytes}, '>', 1e6, 'its own cost is known: memory');
    cmp_ok($refresh->{self}{descriptors}, '>', 2, '... and descriptors');

    # Only what counting needs is left.
    my $status = run('grep', '^Cap[IPEA]', "/proc/$watch->{pid}/status")->{out};
    my %caps = $status =~ /^Cap(\w+):\t(\w+)$/mg;
    is_deeply(\%caps, {Inh => '0' x 16, Prm => '0000004000000000', Eff => '0' x 16,
        Amb => '0' x 16}, 'it keeps CAP_PERFMON alone, to be raised when an event is opened');
    stop($watch);

    my ($asked) = (json_lines(run(@nobody, qw(-b -n 1 -d 0.1 --format json --engine task -p),
        $other->{pid})->{out}))[1];
    is($asked->{denied_tasks}, 0, "the task engine may open another user's tasks as well");

    # A command gets nothing of it, even if countertop was given inheritable capabilities.
    my $command = run(qw(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+kill),
        qw(--ambient-caps=+kill --), $program, qw(-b -- grep ^CapPrm /proc/self/status));
    like($command->{out}, qr/^CapPrm:\t0{16}$/m, 'what it starts has no capabilities');

    # Its capabilities do not make it read for its user what he may not.
    for my $path ("/proc/$other->{pid}/maps", "/proc/$other->{pid}/environ") {
        my $theme = run(@nobody, '--theme', $path);
        is($theme->{status}, 2, "no theme: $path") or diag $theme->{err};
        like($theme->{err}, qr/\Acountertop: cannot read '\Q$path\E': [^\n]+\n\z/, '... says why');
    }
    local $ENV{COUNTERTOP_ROOT} = "$ENV{TOP}/tests/data/intel";
    my ($real) = json_lines(run(@nobody, qw(--check --format json))->{out});
    is($real->{cpu_model}, (json_lines($machine->{out}))[0]{cpu_model},
        'it does not take another /proc for the real one');
    delete $ENV{COUNTERTOP_ROOT};

    skip 'no mounts of its own can be had (unshare -m)', 4
        if run(qw(unshare -m --propagation private true))->{status};
    # In a /proc that hides others, CAP_SYS_PTRACE is what lets it see them.
    my @hidden = (qw(unshare -m --propagation private sh -c),
        'mount -t proc -o hidepid=2 proc /proc && exec "$@"', 'sh');
    my $visible = run(@hidden, @nobody, qw(-b -n 1 -d 0.2 --format json -p), $other->{pid});
    my ($seen) = (json_lines($visible->{out}))[1];
    is_deeply([map { "$_->{comm} $_->{user}" } @{$seen->{tasks}}], ['spin root'],
        'hidepid: it sees the processes of others') or diag $visible->{err};
    my $maps = "/proc/$other->{pid}/maps";
    is(run(@hidden, @nobody, '--theme', $maps)->{err},
        "countertop: cannot read '$maps': No such file or directory\n", '... but not for its user');
    my ($without) =
        json_lines(run(@hidden, @as_nobody, qw(countertop --check --format json))->{out});
    my ($others) = grep { $_->{what} eq 'processes of others' } @{$without->{can}};
    like($others->{reason}, qr/^\/proc does not show them \(hidepid\): as root, run 'mount -o rem/,
        '... without it, the reason is told');
    is_deeply([grep { $_ eq 'hidepid' } @{$without->{restrictions}}], ['hidepid'], '... and named');
    stop($other);
}

is(run(@install, "CAPS_GROUP=65534")->{status}, 0, 'a group may be named');
is(run('stat', '-c', '%a %g', $program)->{out}, "750 65534\n", '... which alone may run it');
is(run('getcap', $program)->{out}, "$program cap_sys_ptrace,cap_perfmon=ep\n",
    '... with the capabilities');

# With another bit than these it does not run.
for my $bit (['4755', 65534, 0], ['2755', 0, 65534]) {
    my ($mode, $user, $group) = @$bit;
    chown $user, $group, $program;
    chmod oct $mode, $program;
    my $refused = run($program, '--version');
    # The first line: a leak sanitizer that may not look at such a process adds some of its own.
    my ($line) = $refused->{err} =~ /\A(.*)\n/;
    isnt($refused->{status}, 0, "mode $mode is no success");
    is($refused->{out} . ($line // ''), "countertop: cannot run with the set-user-ID or "
        . "set-group-ID bit: run 'chmod ug-s' on countertop, and give it capabilities instead ('make "
        . "install-caps')",
        '... but one line that says what to do');
}

done_testing;

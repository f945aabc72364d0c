# What tests in Perl share. `use Countertop` is also `use strict`, `use warnings`, and all names of
# Test::More and Slurp, and tempdir().
package Countertop;
use strict;
use warnings;
use Exporter ();
use Fcntl ':flock';
use File::Temp 'tempdir';
use IO::Handle;
use Cpanel::JSON::XS;
use POSIX ();
use Slurp;
use Test::More ();

our @EXPORT = qw(
    run countertop guest start serve server_process next_line finish stop
    json_lines refreshes next_refresh refresh_when whole_refresh record_whole task sums stolen breakpoints_fire cgroup_mount cgroup_make $never_fires
);
our @EXPORT_OK = qw(cgroup_faults installed write_file);
our @ISA = 'Exporter';

# For a module that tests use: what its users get besides its own names.
sub share {
    my ($class, @names) = @_;
    strict->import;
    warnings->import;
    Test::More->export_to_level(2, 'Test::More');
    Slurp->export_to_level(2, 'Slurp');
    File::Temp->export_to_level(2, 'File::Temp', 'tempdir');
    $class->export_to_level(2, $class, @names);
}

sub import {
    share(@_);
}

my ($top, $build) = @ENV{qw(TOP B)};
$ENV{PATH} = "$build:$build/work:$ENV{PATH}";

# Programs that run beside the test, by pid, each the leader of a process group, so that their
# children can be ended with them. They end with the test, however it ends.
my %started;
my $test = $$;
my @cgroups; # directories of the test's own, the inner ones first
$SIG{$_} = sub { exit 1 } for qw(INT TERM);
$SIG{PIPE} = 'IGNORE';

END {
    my $status = $?;
    if ($$ == $test) {
        # What the test itself has waited for is over, and its number may be another process's by now.
        my @pids = grep { waitpid($_, POSIX::WNOHANG()) >= 0 } keys %started;
        kill KILL => map { -$_ } @pids;
        waitpid $_, 0 for @pids;
        for my $folder (@cgroups) { # one is free when its last process is gone
            for (1 .. 200) { last if rmdir $folder; select undef, undef, undef, 0.05 }
        }
    }
    $? = $status;
}

# Whether a program is in the PATH.
sub installed {
    my ($name) = @_;
    return scalar grep { -x "$_/$name" } split /:/, $ENV{PATH};
}

sub write_file {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file or die "$path: $!";
}

# Runs a command; returns {out, err, status}, status as the shell gives it.
sub run {
    my @command = @_;
    my $dir = tempdir(CLEANUP => 1);
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$dir/out";
        open STDERR, '>', "$dir/err";
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return {out => slurp("$dir/out"), err => slurp("$dir/err"), status => $status};
}

sub countertop {
    return run("$build/countertop", @_);
}

# Starts a program beside the test: {pid, in, out}, joined by pipes; messages go where ours go.
sub start {
    my @command = @_;
    pipe my $their_in, my $in or die "pipe: $!";
    pipe my $out, my $their_out or die "pipe: $!";
    # Who writes a lot need not wait for us, who may wait for a CPU: F_SETPIPE_SZ, fcntl(2).
    fcntl $out, 1031, 1 << 20;
    pipe my $runs, my $to_run or die "pipe: $!"; # closed when the program runs
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        POSIX::setsid(); # a process group to end, and why else: Screen.pm
        $SIG{$_} = 'DEFAULT' for qw(INT TERM);
        open STDIN, '<&', $their_in;
        open STDOUT, '>&', $their_out;
        exec { $command[0] } @command or exit 127;
    }
    close $to_run;
    readline $runs;
    $in->autoflush(1);
    $started{$pid} = 1;
    return {pid => $pid, in => $in, out => $out};
}

# Starts a countertop that listens: as start(), and what it says that it serves, undef if nothing.
sub serve {
    my @command = @_;
    pipe my $read, my $write or die "pipe: $!";
    open my $old, '>&', \*STDERR or die $!;
    open STDERR, '>&', $write;
    my $server = start(@command);
    open STDERR, '>&', $old;
    close $write;
    my ($served) = (<$read> // '') =~ /^countertop: serving (.*)\n\z/;
    return ($server, $served);
}

# The process that serves for one that listens.
sub server_process {
    my ($program) = @_;
    my ($found) = grep { slurp_or_empty("/proc/$_/stat") =~ /^\d+ \(countertop-http\) \S $program->{pid} / }
        map { m{/(\d+)$} } glob '/proc/[0-9]*';
    return $found;
}

# Where the hierarchy of cgroups that perf counts by is mounted; undef: nowhere.
sub cgroup_mount {
    my @lines = split /\n/, slurp('/proc/self/mountinfo');
    my ($first) = map { /^\S+ \S+ \S+ \/ (\S+) .* - cgroup \S+ \S*\bperf_event\b/ ? $1 : () } @lines;
    my ($second) = map { /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 / ? $1 : () } @lines;
    # Version 1's hierarchy may be mounted nowhere, and have cgroups all the same.
    return $first // (slurp('/proc/self/cgroup') =~ /^\d+:(?:\S*,)?perf_event[,:]/m ? undef : $second);
}

# Makes a cgroup of the test's own, and those in it, and removes them at its end: the directory, or
# undef, and why not. Processes in there have to end before.
sub cgroup_make {
    my ($name, @inner) = @_;
    my $mount = cgroup_mount() // return (undef, 'no hierarchy of cgroups is mounted that perf counts by');
    my $top = "$mount/$name-$$";
    for my $folder ($top, map { "$top/$_" } @inner) {
        mkdir $folder or return (undef, "cannot make a cgroup in $mount: $!");
        unshift @cgroups, $folder;
    }
    return $top;
}

# A check that a cgroup has the faults that `grouped` said it had there: $run has those found by cgroup, and
# how many are unattributed. The program has a few more at its end, after it has said so.
sub cgroup_faults {
    my ($run, $group, $said) = @_;
    my $found = $run->{found}{$group} // 0;
    my $missing = $said - $found;
    Test::More::ok($missing <= $run->{unattributed} && -$missing <= 8, "$group: $said faults")
        or Test::More::diag("found $found, unattributed $run->{unattributed}");
    Test::More::note("$group: said $said, found $found, unattributed $run->{unattributed}");
}

# What a program that was started writes next, undef after the last line.
sub next_line {
    return scalar readline $_[0]{out};
}

# Waits for the end of a program that was started, whose input ends now: what it still wrote, and
# its status as the shell gives it.
sub finish {
    my ($program) = @_;
    close $program->{in};
    my $rest = do { local $/; readline $program->{out} } // '';
    waitpid $program->{pid}, 0;
    delete $started{$program->{pid}};
    return {out => $rest, status => $? & 127 ? 128 + ($? & 127) : $? >> 8};
}

# Ends a program that was started, and its children: as finish().
sub stop {
    my ($program) = @_;
    kill TERM => -$program->{pid};
    return finish($program);
}

# Runs a shell script, given as text, in the emulated machine: guest($text, '--smp', 1) with the
# options of tests/pmu/guest. Skips the whole test where that machine is not built.
sub guest {
    my ($script, @options) = @_;
    my $machine = join(' ', @options) =~ /--machine (\w+)/ ? $1 : 'arm64';
    if (!-x "$top/build-$machine/countertop") {
        print "1..0 # SKIP the emulated machine is built from Debian packages (make $machine)\n";
        exit 0;
    }
    my $file = File::Temp->new;
    print $file $script;
    $file->flush;
    return run("$top/tests/pmu/guest", @options, $file->filename);
}

# The objects of JSON Lines.
sub json_lines {
    my $json = Cpanel::JSON::XS->new;
    return map { $json->decode($_) } split /\n/, $_[0];
}

# Runs countertop with these options: the header, then the refreshes.
sub refreshes {
    my $run = countertop('-b', '--format', 'json', @_);
    die "countertop @_: status $run->{status}: $run->{err}" if $run->{status};
    return json_lines($run->{out});
}

# The next line of a countertop that was started with JSON Lines, undef after the last.
sub next_refresh {
    my $line = next_line($_[0]) // return undef;
    return (json_lines($line))[0];
}

# The first refresh of a countertop with these options of which a sub says yes; undef if none is.
sub refresh_when {
    my ($is_so, @options) = @_;
    my $watch = start('countertop', '-b', '--format', 'json', @options);
    my $end = time + $Slurp::patience;
    while (my $refresh = next_refresh($watch)) {
        next if $refresh->{type} ne 'refresh' || !$is_so->($refresh) && time < $end;
        stop($watch);
        return $is_so->($refresh) ? $refresh : undef;
    }
    finish($watch);
    return undef;
}

# Counts a command, given with its options, until all of it is in one interval, whose refresh it returns:
# the first one ends after 0.2 s.
sub whole_refresh {
    my @options = @_;
    my @refreshes;
    wait_for(sub { (undef, @refreshes) = refreshes('-d', 60, @options); return @refreshes == 1 });
    return $refreshes[-1];
}

# Records a command in the same way.
sub record_whole {
    my ($file, @command) = @_;
    wait_for(sub {
        my $run = countertop('-b', '-d', 60, '--force', '--record', $file, '-o', '/dev/null', @command);
        return $run->{status} || refreshes('--replay', $file) == 2; # with the header
    });
}

# The rows of a refresh whose comm is the given one.
sub task {
    my ($refresh, $comm) = @_;
    return grep { $_->{comm} eq $comm } @{$refresh->{tasks}};
}

# The ledger of an event: tasks + idle + unattributed, the total, and the sum over CPUs.
sub sums {
    my ($refresh, $event) = @_;
    my ($ledger, $cpus) = (0, 0);
    $ledger += $_->{counts}{$event} // 0
        for @{$refresh->{tasks}}, $refresh->{idle}, $refresh->{unattributed};
    $cpus += $_->{counts}{$event} // 0 for @{$refresh->{cpus}};
    return ($ledger, $refresh->{total}{counts}{$event}, $cpus);
}

# Seconds in which the host ran something else on a CPU: its timers wait meanwhile, and the scheduler
# does not count them as a task's (proc_stat(5), "steal", in ticks).
sub stolen {
    my ($cpu) = @_;
    my ($line) = grep { /^cpu$cpu / } split /\n/, slurp('/proc/stat');
    return (split ' ', $line)[8] / 100;
}

# Whether hardware breakpoints fire here, which a program of our own tries; true also where they
# cannot be opened, which is another matter. Where they never fire countertop has to say so, in
# these words. There are four for the whole machine: the test has them to its end, while others wait.
our $never_fires = qr/^hardware breakpoints never fire here \(.+\): use a machine where they do/;

sub breakpoints_fire {
    our $breakpoints;
    my $path = '/tmp/countertop-breakpoints.lock';
    if (!-e $path && open my $new, '>', $path) {
        chmod 0644, $path;
    }
    flock $breakpoints, LOCK_EX if open $breakpoints, '<', $path;
    my $run;
    wait_for(sub { ($run = run('watchpoint', 1000))->{err} !~ /No space/ });
    return $run->{out} ne "0\n";
}

1;

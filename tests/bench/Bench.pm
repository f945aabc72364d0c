# What the parts of the bench share: starting what is measured, reading what it took, tables, goals.
package Bench;
use strict;
use warnings;
use Countertop;
use Exporter 'import';
use feature 'state';
use File::Temp 'tempdir';
use List::Util 'sum0';
use Slurp;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(
    @births quick have cpu_seconds descriptors start_pingpong switches switch_costs elsewhere launch
    await await_counting between_refreshes costs left_out header row median goal ratio ratios_so_far failed
);
# Processes and threads that live for a moment; how many depends on the machine.
our @births = qw(stress-ng --fork 2 --switch 2 --pthread 2 --exec 1);
my $patience = 60; # seconds to wait for what should come at once

# A test of the bench itself wants each line, not a figure that means something.
sub quick {
    return $ENV{BENCH_QUICK};
}

sub have {
    return grep { -x "$_/$_[0]" } split /:/, $ENV{PATH};
}

# CPU seconds so far of a process, or of its threads of one name. /proc/PID/stat counts in
# hundredths, too coarse for some of this.
sub cpu_seconds {
    my ($pid, $name) = @_;
    my $sum = 0;
    for my $task (glob "/proc/$pid/task/*") {
        next if defined $name && slurp_or_empty("$task/comm") ne "$name\n";
        $sum += (split ' ', slurp_or_empty("$task/schedstat"))[0] // 0;
    }
    return $sum / 1e9;
}

sub descriptors {
    return scalar grep { (readlink($_) // '') =~ /perf_event/ } glob "/proc/$_[0]/fd/*";
}

# Context switches so far of all threads of a process.
sub switches {
    my $sum = 0;
    $sum += $_ for map { slurp_or_empty($_) =~ /ctxt_switches:\s+(\d+)/g } glob "/proc/$_[0]/task/*/status";
    return $sum;
}

# Two threads that play on CPU 0 until stop().
sub start_pingpong {
    my $game = start(qw(pingpong -t -c 0 100000000000));
    await('no ping-pong', sub { switches($game->{pid}) > 10_000 });
    return $game;
}

# What switches take processes in some seconds, while a command counts, if there is one: us, CPU time of
# one; rate, of them a second; own, CPUs that the command uses; lost, records of which it says so.
sub switch_costs {
    my ($seconds, $pids, @command) = @_;
    my $started;
    if (@command) {
        $started = launch({command => [elsewhere(), @command]});
        await_counting($started->{pid});
        sleep 0.3; # until it has nothing more to do than to count
    }
    my $taken = sub {
        my $own = $started ? cpu_seconds($started->{pid}) : 0;
        return (sum0(map { switches($_) } @$pids), sum0(map { cpu_seconds($_) } @$pids), $own, time);
    };
    my @before = $taken->();
    sleep $seconds;
    # Who else uses the machine may have left nothing for them.
    await('no switch', sub { sum0(map { switches($_) } @$pids) > $before[0] + 1000 });
    my @after = $taken->();
    stop($started->{program}) if $started;
    my $lost = $started ? sum0(slurp_or_empty($started->{file}) =~ /\blost (\d+)/g) : 0;
    my ($switches, $cpu, $own, $passed) = map { $after[$_] - $before[$_] } 0 .. $#before;
    return {us => $cpu * 1e6 / $switches, rate => $switches / $passed, own => $own / $passed, lost => $lost};
}

# What makes a command run on another CPU than 0, if there is one.
sub elsewhere {
    chomp(my $cpus = `nproc`);
    return $cpus > 1 ? ('taskset', '-c', $cpus - 1) : ();
}

sub await {
    my ($what, $condition) = @_;
    my $end = time + $patience;
    my $result;
    until ($result = $condition->()) {
        die "bench: $what within $patience s\n" if time > $end;
        sleep 0.005;
    }
    return $result;
}

# Starts {command, terminal}, its output into a file, or in a terminal of its own: {program for
# stop(), pid, file}.
sub launch {
    my ($what) = @_;
    my $file = tempdir(CLEANUP => 1) . '/out';
    open my $empty, '>', $file or die "bench: $file: $!\n";
    my $line = join ' ', @{$what->{command}};
    if (!$what->{terminal}) {
        my $program = start('sh', '-c', "exec $line >$file 2>&1");
        return {program => $program, pid => $program->{pid}, file => $file};
    }
    my $program = start('sh', '-c',
        "exec script -qfc 'stty rows 50 columns 160; exec $line' /dev/null >/dev/null 2>&1");
    my $children = "/proc/$program->{pid}/task/$program->{pid}/children";
    my ($pid) = await("no terminal for $line", sub { slurp_or_empty($children) =~ /(\d+)/ ? $1 : 0 });
    return {program => $program, pid => $pid, file => $file};
}

# Waits until what was started has opened its counters.
sub await_counting {
    my ($pid) = @_;
    await('nothing is counted', sub { descriptors($pid) });
}

# Waits until a tracer is attached to all threads of a process: proc(5), TracerPid.
sub await_tracing {
    my ($tracer, $pid) = @_;
    await('nothing is traced', sub {
        return !grep { slurp_or_empty($_) !~ /^TracerPid:\s+$tracer$/m } glob "/proc/$pid/task/*/status";
    });
}

# Watches a file grow: returns a function that tells how often a pattern has come so far.
sub marks_in {
    my ($path, $pattern) = @_;
    open my $file, '<', $path or die "bench: $path: $!\n";
    my ($count, $rest) = (0, '');
    return sub {
        seek $file, 0, 1; # forget that the end was reached
        while (read $file, my $more, 1 << 20) {
            $rest .= $more;
            my $end = 1 + rindex $rest, "\n";
            my $lines = substr $rest, 0, $end, '';
            $count++ while $lines =~ /$pattern/mg;
        }
        return $count;
    };
}

# Waits until a timer lets a program refresh, and half a refresh more: from then on as many fall
# into a time as belong there.
sub between_refreshes {
    my ($pid, $delay, $thread) = @_;
    my $idle = cpu_seconds($pid, $thread);
    await('no refresh', sub { cpu_seconds($pid, $thread) > $idle });
    sleep $delay / 2;
}

# Seconds that a process has neither run nor waited for a CPU since a time.
sub asleep_since {
    my ($pid, $since) = @_;
    my ($cpu, $waited) = split ' ', slurp_or_empty("/proc/$pid/schedstat");
    return time - $since - ($cpu + $waited) / 1e9;
}

# Waits for refreshes that are not written anywhere; returns how many. Of what has no timer, each
# ends with a sleep as long as the delay, however long the refresh took.
sub pass_sleeps {
    my ($what, $pid, $refreshes) = @_;
    my ($start, $cpu) = (time, cpu_seconds($pid));
    my $slept = $what->{keeps_pace} ? sub { time - $start } : do {
        my $before = asleep_since($pid, $start);
        sub { asleep_since($pid, $start) - $before };
    };
    return await('no sleep', sub {
        my $passed = $slept->() / $what->{delay};
        return $passed if $passed >= $refreshes && cpu_seconds($pid) > $cpu;
    });
}

# Waits for refreshes to be written, at most the number, fewer of what is slow; returns how many.
sub pass_marks {
    my ($marks, $refreshes) = @_;
    my ($first, $start) = ($marks->(), time);
    my $wanted = $refreshes;
    return await('no refresh is written', sub {
        my $passed = $marks->() - $first;
        return $passed if $passed >= $wanted || ($passed && time - $start > $refreshes);
    });
}

# Counts the system calls of a process while a function runs.
sub system_calls {
    my ($pid, $while) = @_;
    my $file = tempdir(CLEANUP => 1) . '/calls';
    # strace slows the program down, but there may be no perf.
    state $perf = have('perf')
        && run(qw(perf stat -e raw_syscalls:sys_enter true))->{status} == 0;
    return undef if !$perf && !have('strace');
    my $counter = start('sh', '-c', $perf
        ? "exec perf stat -x, -o $file -e raw_syscalls:sys_enter -p $pid 2>/dev/null"
        : "exec strace -cf -o $file -p $pid 2>/dev/null");
    $perf ? await_counting($counter->{pid}) : await_tracing($counter->{pid}, $pid);
    $while->();
    kill INT => $counter->{pid};
    finish($counter);
    return slurp_or_empty($file) =~ ($perf ? qr/^(\d+),/m : qr/^100\.00 +[\d.]+ +\d+ +(\d+)(?: +\d+)? +total$/m)
        ? $1 : undef;
}

# Starts {command, delay, mark or keeps_pace, terminal}: for a refresh {ms of CPU, system calls};
# also {perf descriptors, resident MiB}. mark is a pattern that comes once a refresh; what shows
# none keeps its delay, or waits so long after each refresh.
sub costs {
    my ($what, $refreshes) = @_;
    my $started = launch($what);
    my $pid = $started->{pid};
    my $marks = $what->{mark} && marks_in($started->{file}, $what->{mark});
    my $pass = sub {
        return $marks ? pass_marks($marks, $_[0]) : pass_sleeps($what, $pid, $_[0]);
    };
    # What is done once at the start is not counted. The half is the middle of a sleep.
    $pass->($marks ? 2 : 5.5);
    between_refreshes($pid, $what->{delay}) if $what->{keeps_pace};
    my $cpu = cpu_seconds($pid);
    my $passed = $pass->($refreshes);
    my %cost = (ms => (cpu_seconds($pid) - $cpu) * 1000 / $passed);
    my $calls = system_calls($pid, sub { $passed = $pass->($refreshes / 2) });
    $cost{calls} = $calls / $passed if defined $calls;
    $cost{descriptors} = descriptors($pid);
    $cost{rss} = $1 / 1024 if slurp_or_empty("/proc/$pid/status") =~ /^VmRSS:\s+(\d+)/m;
    stop($started->{program});
    return \%cost;
}

sub left_out {
    my ($what, $why) = @_;
    print "$what: left out, $why\n";
}

# A table: the title of the first column is what the rows are, the others are [title, format].
sub header {
    my ($title, @columns) = @_;
    printf "\n%-36s%s\n", $title, join '', map { sprintf ' %12s', $_->[0] } @columns;
}

sub row {
    my ($name, $columns, @values) = @_;
    printf "%-36s%s\n", $name, join '',
        map { sprintf ' %12s', shown($columns->[$_][1], $values[$_]) } 0 .. $#$columns;
}

sub shown {
    my ($format, $number) = @_;
    return defined $number ? sprintf $format, $number : '-';
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# A figure that is to be at most as large as the goal.
sub goal {
    my ($what, $format, $figure, $most) = @_;
    return if !defined $figure || !defined $most;
    printf "  goal: %s at most $format: %s, $format\n", $what, $most,
        $figure <= $most ? 'met' : 'missed', $figure;
}

# Notes that figures mean nothing, and why; returns how often that was so.
sub failed {
    state $failures = 0;
    return $failures if !@_;
    print "failed: @_\n";
    return ++$failures;
}

my %ratios;

# The same for one that does not depend on the machine: make bench --check compares it.
sub ratio {
    my ($what, $format, $figure, $most) = @_;
    $ratios{$what} = $figure if defined $figure;
    goal($what, $format, $figure, $most);
}

# {what => figure} since the last call.
sub ratios_so_far {
    my %taken = %ratios;
    %ratios = ();
    return %taken;
}

1;

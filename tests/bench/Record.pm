# What a refresh costs more when it is recorded, and what a recording takes on the disk.
package Record;
use strict;
use warnings;
use Bench;
use Countertop;
use File::Temp 'tempdir';
use List::Util 'sum0';
use Slurp;

my $delay = quick() ? 0.2 : 0.5;
my $refreshes = quick() ? 2 : 20;
my @active = quick() ? (20) : (20, 500);
my $second = quick() ? 0.1 : 1;
my $hour = quick() ? 10 : 3600; # intervals
my $brief = 0.05;               # seconds of each
my $megabytes = 60;             # for an hour of 500 active threads with 8 events
my $kilobytes = 16;             # for a refresh of them
my $bytes_of_birth = 40;        # in a recording, of a task that is born and ends

my $page = '^countertop \d';
my $events = '{task-clock,cpu-clock,minor-faults,major-faults,alignment-faults}'; # with 3: 8

sub command {
    my ($file, @options) = @_;
    my @command = ('countertop', '-H', '-d', $delay, '-e', qq("$events"), @options);
    return (@command, $file ? ('--record', $file) : ());
}

# Bytes of an interval in a recording, without what is there once.
sub bytes_of_interval {
    my ($file) = @_;
    my $first = "$file.first";
    run(qw(countertop -b -H -n 1 -d 0.1 -e), $events, '--record', $first);
    my $replay = run(qw(countertop -b --format json --replay), $file);
    my ($last) = $replay->{out} =~ /.*"type":"refresh","seq":(\d+)/s;
    die "bench: $replay->{err}" if !$last || $last < 2;
    return ((-s $file) - (-s $first)) / ($last - 1);
}

my @columns = (['CPU ms', '%.2f'], ['RSS MiB', '%.1f'], ['bytes', '%.0f'], ['MB an hour', '%.1f']);

sub measure {
    my ($active) = @_;
    my $dir = tempdir(CLEANUP => 1);
    my $load = start('sleepers', '-a', $active, 0);
    return left_out("$active threads", 'the kernel refuses') if !defined next_line($load);
    header("$active active threads, a refresh", @columns);
    for my $program (
        ['countertop -b', undef, '-b'],
        ['countertop -b --record', "$dir/batch.db", '-b'],
        ['countertop --rewind 0', undef, '--rewind', 0],
        ['countertop', undef],
        ['countertop --record', "$dir/terminal.db"]) {
        my ($name, $file, @options) = @$program;
        my $terminal = !grep { $_ eq '-b' } @options;
        if ($terminal && !have('script')) {
            left_out($name, 'script is not installed');
            next;
        }
        my $cost = costs({command => [command($file, @options)], delay => $delay,
            $terminal ? (terminal => 1, keeps_pace => 1) : (mark => $page)}, $refreshes);
        my $bytes = $file && bytes_of_interval($file);
        row($name, \@columns, @$cost{qw(ms rss)}, $bytes, $bytes && $bytes * 3600 / 1e6);
    }
    stop($load);
}

# Eight events none of which is 0, as that takes no room.
my $screen = <<'END';
[screen eight]
events = {task-clock,cpu-clock,task-clock:u,cpu-clock:u,task-clock:k,cpu-clock:k}
events = {context-switches,context-switches:k}
columns = pid command
END

# Records the threads of a process alone, whatever else runs: {seconds of CPU, bytes of the file}.
sub record {
    my ($pid, $seconds, $intervals) = @_;
    my $dir = tempdir(CLEANUP => 1);
    open my $ini, '>', "$dir/eight.ini" or die "bench: $dir: $!\n";
    print $ini $screen;
    close $ini;
    my $before = sum0((times)[2, 3]);
    my $run = run(qw(countertop -b -H --rows 1 -o /dev/null --engine cpu -s eight -W), $dir, '-d',
        $seconds, '-n', $intervals, '-p', $pid, '--record', "$dir/run.db");
    die "bench: $run->{err}" if $run->{status};
    return {cpu => sum0((times)[2, 3]) - $before, bytes => -s "$dir/run.db"};
}

# An hour: of so long intervals a few, for counts as large as they are then; and as many as an hour
# has, though shorter ones.
sub measure_hour {
    my ($active) = @_;
    my $load = start('sleepers', '-a', $active, 0);
    return left_out("$active threads", 'the kernel refuses') if !defined next_line($load);
    my ($few, $more) = map { record($load->{pid}, $second, $_) } 1, 1 + $refreshes;
    my $all = record($load->{pid}, $brief, $hour);
    stop($load);
    header("$active threads alone, a refresh", @columns);
    my $bytes = ($more->{bytes} - $few->{bytes}) / $refreshes;
    row("$refreshes intervals of $second s", \@columns,
        ($more->{cpu} - $few->{cpu}) * 1000 / $refreshes, undef, $bytes, $bytes * 3600 / 1e6);
    row("$hour intervals of $brief s", \@columns, $all->{cpu} * 1000 / $hour, undef,
        $all->{bytes} / $hour, $all->{bytes} / $hour * 3600 / 1e6);
    goal('KB a refresh', '%.1f', $bytes / 1e3, $kilobytes);
    goal('MB for an hour at 1 s', '%.1f', $bytes * 3600 / 1e6, $megabytes);
    goal("MB for $hour intervals", '%.1f', $all->{bytes} / 1e6, $megabytes);
}

# {seconds of CPU, peak of memory in MiB} of a program that waits for an alarm for so many intervals.
sub wait_armed {
    my ($intervals, @options) = @_;
    my ($before, $peak) = (sum0((times)[2, 3]), 0);
    my $run = start('countertop', '-b', '-d', $second, '-n', $intervals, @options);
    while (slurp_or_empty("/proc/$run->{pid}/status") =~ /^VmHWM:\s+(\d+)/m) {
        $peak = $1 / 1024;
        select undef, undef, undef, $second / 4;
    }
    finish($run);
    return {cpu => sum0((times)[2, 3]) - $before, rss => $peak};
}

# An alarm that waits, with the minute before it full, beside 300 threads that sleep and wake each second
# and two that hand a byte to and fro, which are 20,000 switches a second. What its start takes (names of
# the kernel's functions, files of those that run) is not in it: it waits for weeks.
sub measure_armed {
    my ($filled, $start) = quick() ? (2, 1) : (60, 10);
    my @loads = (start('sleepers', '-a', 300, 0), start(qw(pingpong -t -p 10000 1000000000)));
    my @armed = ('--before', $filled, '--when', 'cpu > 1M for 3s');
    my @sampled = ('--sample', 'cpu-clock/49', @armed);
    header('300 threads, 20,000 switches/s, a second', @columns);
    my %cost;
    for my $program (['countertop -b', '-o', '/dev/null'], ['countertop -b --when', @armed],
        ['countertop -b --when --sample', @sampled], ['countertop -b --when --sample -s waits', @sampled, '-s', 'waits']) {
        my ($name, @options) = @$program;
        my ($few, $more) = map { wait_armed($_, @options) } $start, $filled + 1;
        $cost{$name} = {ms => ($more->{cpu} - $few->{cpu}) * 1000 / ($filled + 1 - $start), rss => $more->{rss}};
        row($name, \@columns, @{$cost{$name}}{qw(ms rss)});
    }
    stop($_) for @loads;
    for my $name ('countertop -b --when', 'countertop -b --when --sample') {
        goal("% of a CPU of $name while nothing happens", '%.2f', $cost{$name}{ms} / 10 / $second, 1);
        goal("MiB of $name", '%.1f', $cost{$name}{rss}, 32);
    }
}

# Beside processes and threads that live for a moment: their number depends on the machine, what a
# recording takes for each does not.
sub measure_storm {
    return left_out('births', 'stress-ng is not installed') if !have($births[0]);
    my $file = tempdir(CLEANUP => 1) . '/storm.db';
    my $storm = start(@births);
    my $run = run(qw(countertop -b -H -d 1 -n), 1 + $refreshes, '--format', 'json', '--record', $file);
    stop($storm);
    die "bench: $run->{err}" if $run->{status};
    my $ended = () = $run->{out} =~ /"exited":true/g;
    return left_out('births', 'nothing ended') if !$ended;
    my @storm_columns = (['ended', '%.0f'], ['MB a minute', '%.2f'], ['bytes each', '%.1f']);
    my $minutes = (1 + $refreshes) / 60;
    header("@births[1 .. $#births]", @storm_columns);
    row('countertop -b --record', \@storm_columns, $ended / (1 + $refreshes), (-s $file) / 1e6 / $minutes,
        (-s $file) / $ended);
    ratio('bytes of a task that is born and ends', '%.1f', (-s $file) / $ended, $bytes_of_birth);
}

sub measure_all {
    print "\nRecording: 8 events of each thread; a refresh each $delay s; terminals of 160x50\n";
    measure($_) for @active;
    measure_hour($active[-1]);
    measure_armed();
    measure_storm();
}

1;

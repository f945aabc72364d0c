# What a refresh takes while attached to one process of many threads.
package Attach;
use strict;
use warnings;
use Bench;
use Countertop;
use Guest;

my $threads = quick() ? 50 : 1000;
my $active = quick() ? 2 : 20;
my $delay = quick() ? 0.2 : 1;
my $refreshes = quick() ? 2 : 8;
my $exact_refreshes = 4; # the emulated machine has no noise
my $events = 'context-switches,cpu-migrations,page-faults'; # those of countertop's default screen
my $goal = 0.2;
my $goal_ms = 1; # of CPU time here

sub programs {
    my ($pid) = @_;
    my @countertop = (qw(countertop --engine task -s software -b -d), $delay, '-p', $pid);
    my $page = '^countertop \d';
    return (
        {name => 'countertop -p PID -H', command => [@countertop, '-H'], mark => $page},
        {name => 'countertop -p PID', command => [@countertop], mark => $page},
        {name => 'perf stat --per-thread -p PID', mark => "sleepers-$pid .*context-switches",
            # Into standard error it would write each piece of a line by itself.
            command => [qw(perf stat --per-thread -o /dev/stdout -e), $events, '-I', 1000 * $delay,
                '-p', $pid]},
    );
}

sub on_host {
    my $sleepers = start('sleepers', '-a', $active, $threads - $active - 1);
    return left_out('attach', 'the threads cannot be started') if !defined next_line($sleepers);
    my @columns = (['CPU ms', '%.2f'], ['to perf', '%.3f'], ['system calls', '%.0f'],
        ['RSS MiB', '%.1f'], ['perf fds', '%d']);
    my @programs = programs($sleepers->{pid});
    if (!have('perf')) {
        left_out($programs[-1]{name}, 'perf is not installed');
        pop @programs;
    }
    my @costs = map { costs($_, $refreshes) } @programs;
    stop($sleepers);
    header('here, 3 software events, a refresh', @columns);
    my $perf = have('perf') ? $costs[-1]{ms} : undef;
    for my $i (0 .. $#programs) {
        my $c = $costs[$i];
        row($programs[$i]{name}, \@columns, $c->{ms}, $perf && $c->{ms} / $perf,
            @$c{qw(calls rss descriptors)});
    }
    for my $i (0, 1) {
        my ($name, $c) = ($programs[$i]{name}, $costs[$i]);
        goal("ms of $name", '%.2f', $c->{ms}, $goal_ms);
        ratio("$name to perf stat --per-thread", '%.3f', $c->{ms} / $perf, 0.3) if $perf;
        # What ran is read, its name too; the rest does not depend on the number of threads.
        ratio("system calls of $name", '%.0f', $c->{calls}, 50 + 4 * $active);
    }
}

my $tiptop = "tiptop -b -K -d $delay -n \$n -p \$pid";
my $countertop = "countertop --engine task -b -d $delay -n \$n -p \$pid";
my @rows = (
    ['tiptop -p PID -H', "$tiptop -H"],
    ['countertop -p PID -H -s pair', "$countertop -H -s pair"],
    ['countertop -p PID -H', "$countertop -H"],
    ['tiptop -p PID', $tiptop],
    ['countertop -p PID -s pair', "$countertop -s pair"],
);

sub in_guest {
    my $missing = guest_missing();
    return left_out('attach in the emulated machine', $missing) if $missing;
    my @columns = (['CPU ms', '%.2f'], ['to tiptop', '%.3f'], ['perf fds', '%d']);
    my @run = with_tiptop(@rows);
    my %figures = guest_rows('attach.sh', 2, [$threads, $active, $exact_refreshes], @run);
    header('emulated Arm, 2 CPUs, a refresh', @columns);
    my ($peer, @goals);
    for my $row (@run) {
        my ($name, $ns, $descriptors) = ($row->[0], @{$figures{$row->[0]} // []});
        if (!$ns) {
            left_out($name, 'it did not run');
            next;
        }
        $peer = $ns if $row->[1] =~ /^tiptop/;
        row($name, \@columns, $ns / 1e6, $peer && $ns / $peer, $descriptors);
        push @goals, [$name, $ns / $peer] if $peer && $row->[1] =~ /-s pair/;
    }
    # As many hardware counters as tiptop's default screen.
    ratio("$_->[0] to tiptop", '%.3f', $_->[1], $goal) for @goals;
}

sub measure_all {
    print "\nAttached to one process of $threads threads, of which $active wake 100 times a\n",
        "second; a refresh each $delay s\n";
    on_host();
    in_guest();
}

1;

# What a command takes longer when its run is counted, with all processes that it starts: make -j2
# of this program. With -d 1 all have rows while they live, as in the terminal, which takes samples.
package Compile;
use strict;
use warnings;
use Bench;
use Countertop;
use File::Temp 'tempdir';
use Time::HiRes 'time';

my $rounds = quick() ? 1 : 5;
my @targets = quick() ? map { "build/obj/base/$_.o" } qw(str map) : 'build';
my $events = 'context-switches,cpu-migrations,page-faults,task-clock';

# A copy of what is built.
sub make_job {
    my $dir = tempdir(CLEANUP => 1);
    system('cp', '-r', map({ "$ENV{TOP}/$_" } qw(Makefile src themes)), $dir) == 0 or die "bench: cannot copy\n";
    return $dir;
}

# Seconds that it took, and CPU seconds of all processes, those that count among them.
sub measure {
    my ($dir, @before) = @_;
    system('rm', '-rf', "$dir/build") == 0 or die "bench: $dir/build\n";
    my @cpu = times;
    my $began = time;
    my $run = run(@before, qw(make -s -j2 B=build -C), $dir, @targets);
    my $elapsed = time - $began;
    die "bench: @before make: $run->{err}\n" if $run->{status} || grep { !-e "$dir/$_" } @targets;
    my @after = times;
    return ($elapsed, $after[2] + $after[3] - $cpu[2] - $cpu[3]);
}

sub measure_all {
    print "\nWhat a command takes longer when its run is counted: make -j2 of this program; medians of $rounds\n",
        "rounds, in turn, every other one in reverse; to alone: of the ratios in each round; $events\n";
    return left_out('make', 'make or cc is not installed') if !have('make') || !have('cc');
    my $dir = make_job();
    my @ways = (['alone'],
        ['countertop -b', qw(countertop -b --engine task -e), $events, '-o', "$dir/table", '--'],
        ['countertop -b -d 1', qw(countertop -b -d 1 --engine task -e), $events, '-o', "$dir/table", '--'],
        ['perf stat', qw(perf stat -e), $events, '-o', "$dir/table", '--']);
    if (!have('perf')) {
        left_out('perf stat', 'perf is not installed');
        pop @ways;
    }
    measure($dir); # brings the compiler into memory
    my (%elapsed, %cpu);
    for my $round (1 .. $rounds) {
        for my $way ($round % 2 ? @ways : reverse @ways) {
            my ($name, @before) = @$way;
            my ($elapsed, $cpu) = measure($dir, @before);
            push @{$elapsed{$name}}, $elapsed;
            push @{$cpu{$name}}, $cpu;
        }
    }
    my $to = sub {
        my ($of, $name, $base) = @_;
        return median(map { $of->{$name}[$_] / $of->{$base}[$_] } 0 .. $rounds - 1);
    };
    my @columns = (['elapsed s', '%.3f'], ['CPU s', '%.3f'], ['to alone', '%.3f'], ['CPU to alone', '%.3f']);
    header('make -j2', @columns);
    for my $name (map { $_->[0] } @ways) {
        row($name, \@columns, median(@{$elapsed{$name}}), median(@{$cpu{$name}}),
            $to->(\%elapsed, $name, 'alone'), $to->(\%cpu, $name, 'alone'));
    }
    ratio('countertop -b -- make to make', '%.3f', $to->(\%elapsed, 'countertop -b', 'alone'), 1.02);
    ratio('CPU of countertop -b -- make to make', '%.3f', $to->(\%cpu, 'countertop -b', 'alone'), 1.02);
    return if !have('perf');
    ratio('countertop -b -- make to perf stat -- make', '%.3f', $to->(\%elapsed, 'countertop -b', 'perf stat'), 1.01);
    ratio('CPU of countertop -b -- make to perf stat -- make', '%.3f', $to->(\%cpu, 'countertop -b', 'perf stat'), 1.01);
}

1;

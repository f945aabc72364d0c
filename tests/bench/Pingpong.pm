# What those who are watched lose: the CPU time of a switch between two threads on one CPU. What it
# takes longer belongs to whoever else uses that CPU.
package Pingpong;
use strict;
use warnings;
use Bench;
use Countertop;

my $rounds = quick() ? 1 : 9;
my $seconds = quick() ? 0.2 : 1;
my $events = 'context-switches,cpu-migrations,page-faults,task-clock';
my $goal = 1.35;
my $by_cgroup = 1.01;

sub watchers {
    my ($pid) = @_;
    return (
        {name => 'alone'},
        {name => 'minimal reader', command => ["$ENV{B}/bench/minimal", 3]},
        {name => 'countertop', command => [qw(countertop -b -H --engine cpu -e), $events]},
        {name => 'countertop --view cgroups', command => [qw(countertop -b --view cgroups --engine cpu -e), $events]},
        {name => 'countertop -s waits', goal => $goal + 0.10,
            command => [qw(countertop -b -H --engine cpu -s waits)]},
        {name => 'countertop -s waits --waits-over 1', goal => $goal + 0.10,
            command => [qw(countertop -b -H --engine cpu -s waits --waits-over 1)]},
        {name => 'countertop --engine task',
            command => [qw(countertop -b -H --engine task -p), $pid, '-e', $events]},
        {name => 'perf stat --per-thread',
            command => [qw(perf stat --per-thread -I 1000 -e), $events, '-p', $pid]},
    );
}

sub measure_all {
    print "\nWhat the watched lose: two threads play ping-pong on CPU 0, who watches runs on\n",
        "another; median of $rounds rounds, in turn; $events\n";
    my $game = start_pingpong();
    my @watchers = watchers($game->{pid});
    if (!have('perf')) {
        left_out($watchers[-1]{name}, 'perf is not installed');
        pop @watchers;
    }
    my %times;
    for (1 .. $rounds) {
        for my $watcher (@watchers) {
            my $costs = switch_costs($seconds, [$game->{pid}], @{$watcher->{command} // []});
            push @{$times{$watcher->{name}}}, $costs->{us};
            failed("$watcher->{name}: $costs->{lost} records were lost") if $costs->{lost};
        }
    }
    stop($game);

    my @columns = (['us a switch', '%.2f'], ['least', '%.2f'], ['most', '%.2f'],
        ['to alone', '%.2f']);
    header('ping-pong of two threads', @columns);
    my %median = map { $_ => median(@{$times{$_}}) } keys %times;
    for my $name (map { $_->{name} } @watchers) {
        my @sorted = sort { $a <=> $b } @{$times{$name}};
        row($name, \@columns, $median{$name}, @sorted[0, -1], $median{$name} / $median{alone});
    }
    ratio("$_->{name} to alone", '%.2f', $median{$_->{name}} / $median{alone}, $_->{goal} // $goal)
        for grep { $_->{name} =~ /countertop/ } @watchers;
    ratio('countertop --view cgroups to countertop', '%.3f', $median{'countertop --view cgroups'} / $median{countertop}, $by_cgroup);
}

1;

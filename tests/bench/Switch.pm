# What a context switch that it is told of takes countertop itself.
package Switch;
use strict;
use warnings;
use Bench;
use Countertop;
use List::Util 'sum0';
use Time::HiRes qw(sleep time);

my $refreshes = quick() ? 1 : 8;
my $delay = quick() ? 0.3 : 1;
my $goal = 50; # ns

my @programs = (
    {name => 'countertop -b -H', command => [qw(countertop -b -H --engine cpu -d), $delay]},
    {name => '... by cgroup', command => [qw(countertop -b --view cgroups --engine cpu -d), $delay]},
    {name => 'countertop -H', command => [qw(countertop -H --engine cpu -d), $delay],
        terminal => 1},
);
# What waits cost, beside so many threads that wait for the CPU.
my @waits = (
    {name => 'countertop -s waits', command => [qw(countertop -b -H --engine cpu -s waits -d), $delay]},
    {name => '... --waits-over 1', command => [qw(countertop -b -H --engine cpu -s waits --waits-over 1 -d), $delay]},
);
my @waiting = quick() ? (1) : (1, 5, 20);
my $waits_goal = 60; # ns, with 20 threads
my @columns = (['switches/s', '%.0f'], ['counter ns', '%.1f'], ['process ns', '%.1f']);

sub measure {
    my ($program, @games) = @_;
    my $started = launch({%$program, command => [elsewhere(), @{$program->{command}}]});
    my $pid = $started->{pid};
    await_counting($pid);
    my $all = sub { sum0(map { switches($_) } @games) };
    sleep 2 * $delay; # what is done once at the start is not counted
    between_refreshes($pid, $delay, 'counter');
    my ($switches, $counter, $process, $since) =
        ($all->(), cpu_seconds($pid, 'counter'), cpu_seconds($pid), time);
    sleep $refreshes * $delay;
    # Who else uses the machine may have left nothing for one of them.
    await('no refresh', sub { cpu_seconds($pid, 'counter') > $counter });
    await('no switch', sub { $all->() > $switches });
    my $passed = time - $since;
    $counter = cpu_seconds($pid, 'counter') - $counter;
    $process = cpu_seconds($pid) - $process;
    $switches = $all->() - $switches;
    stop($started->{program});
    return ($switches / $passed, $counter * 1e9 / $switches, $process * 1e9 / $switches);
}

sub measure_all {
    print "\nOwn CPU time for a context switch: two threads play ping-pong on CPU 0, countertop\n",
        "runs on another, refreshes of $delay s; \"counter\" is the thread that counts\n";
    my $game = start_pingpong();
    header('own time for a switch', @columns);
    for my $program (@programs) {
        if ($program->{terminal} && !have('script')) {
            left_out($program->{name}, 'script is not installed');
            next;
        }
        my @figures = measure($program, $game->{pid});
        row($program->{name}, \@columns, @figures);
        goal('process ns', '%.1f', $figures[2], $goal);
        print "  fewer than 50,000 switches a second: the goal is not for that\n"
            if $figures[0] < 50_000;
    }
    my @games = $game;
    for my $waiting (@waiting) {
        push @games, start_pingpong() while @games < $waiting; # of each, one thread runs or waits
        header("the same, $waiting threads want the CPU", @columns);
        for my $program ($programs[0], @waits) {
            my @figures = measure($program, map { $_->{pid} } @games);
            row($program->{name}, \@columns, @figures);
            goal('process ns', '%.1f', $figures[2], $waits_goal) if $program != $programs[0] && $waiting == $waiting[-1];
        }
    }
    stop($_) for @games;
}

1;

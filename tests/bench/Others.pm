# What tasks pay that nobody watches, by how often they switch, beside each engine and a minimal reader;
# and what who watches pays itself. What is watched is one thread, which sleeps.
package Others;
use strict;
use warnings;
use Bench;
use Countertop;

my $rounds = quick() ? 1 : 7;
my $seconds = quick() ? 0.2 : 1;
my $events = 'context-switches,cpu-migrations,page-faults,task-clock';
my @columns = (['us a switch', '%.2f'], ['least', '%.2f'], ['most', '%.2f'], ['tasks pay %', '%.2f'],
    ['own %', '%.3f']);

# Starts a game on CPU 0, at a pace, or one on each CPU, as fast as they can.
sub start_games {
    my ($pace) = @_;
    chomp(my $cpus = `nproc`);
    my @games = map { start(qw(pingpong -t -c), $_, $pace ? ('-p', $pace) : (), 100_000_000_000) }
        0 .. ($pace ? 0 : $cpus - 1);
    await('no ping-pong', sub { !grep { switches($_->{pid}) < 100 } @games });
    return @games;
}

sub middle {
    my ($what, @measured) = @_;
    return median(map { $_->{$what} } @measured);
}

sub measure_pace {
    my ($pace, $watched) = @_;
    my @games = start_games($pace);
    my @command = (qw(countertop -b -H -e), $events, '-p', $watched->{pid}, '--engine');
    my @watchers = (['alone'], ['minimal reader', "$ENV{B}/bench/minimal", 3], ['ledger (--engine cpu)', @command, 'cpu'], ['--engine task', @command, 'task']);
    my %measured;
    for (1 .. $rounds) {
        for my $watcher (@watchers) {
            my ($name, @started) = @$watcher;
            push @{$measured{$name}}, switch_costs($seconds, [map { $_->{pid} } @games], @started);
            my $lost = $measured{$name}[-1]{lost};
            failed("$name: $lost records were lost") if $lost;
        }
    }
    stop($_) for @games;
    my ($alone, $rate) = map { middle($_, @{$measured{alone}}) } qw(us rate);
    header(sprintf('%.0f switches a second', $rate), @columns);
    for my $name (map { $_->[0] } @watchers) {
        my @all = @{$measured{$name}};
        my ($us, @sorted) = (middle('us', @all), sort { $a <=> $b } map { $_->{us} } @all);
        my @paid = $name eq 'alone' ? () : (($us - $alone) * $rate / 1e4, 100 * middle('own', @all));
        row($name, \@columns, $us, @sorted[0, -1], @paid);
    }
}

sub measure_all {
    print "\nWhat those pay who are not watched: they play ping-pong, on CPU 0 or on all, countertop\n",
        "watches one thread that sleeps; median of $rounds rounds, in turn; $events;\n",
        "in % of one CPU\n";
    my $watched = start('sleep', 1_000_000);
    measure_pace($_, $watched) for 1_000, 100_000, 0;
    stop($watched);
}

1;

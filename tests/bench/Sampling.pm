# What functions cost: the CPU time of a program of fixed work while its code is sampled, and that of
# who samples it, beside perf.
package Sampling;
use strict;
use warnings;
use Bench;
use Countertop;
use File::Temp 'tempdir';
use Slurp;
use Time::HiRes 'time';

my $rounds = quick() ? 1 : 5;
my $work = quick() ? 500 : 150_000;
my $rate = 997;
my ($most_paid, $most_own) = (1.05, 2);
my $dir = tempdir(CLEANUP => 1);

my @watchers = (
    {name => 'alone', command => []},
    {name => 'countertop', command => [qw(countertop -b --)]},
    {name => 'countertop --view functions',
        command => ['countertop', '-b', '--view', 'functions', '--sample', "cpu-clock/$rate", '--']},
    {name => 'perf stat', command => [qw(perf stat -e cpu-clock --)]},
    {name => 'perf record -g', command => [qw(perf record -g -e cpu-clock -F), $rate, '-o', "$dir/perf.data", '--']},
);

# Seconds of CPU that the program took, and who watched it, and % of a CPU of the latter.
sub measure {
    my ($watcher) = @_;
    my $program = "TIMEFORMAT='%U %S'; { time shares cycles $work; } 2>$dir/times";
    my $pid = fork // die "bench: fork: $!\n";
    my ($start, @before) = (time, times);
    if (!$pid) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec @{$watcher->{command}}, 'bash', '-c', $program or die "bench: bash: $!\n";
    }
    waitpid $pid, 0;
    my @after = times;
    my ($user, $kernel) = slurp("$dir/times") =~ /([\d.]+) ([\d.]+)/ or die "bench: $watcher->{name} failed\n";
    my $own = $after[2] + $after[3] - $before[2] - $before[3] - $user - $kernel;
    return ($user + $kernel, @{$watcher->{command}} && $own > 0 ? 100 * $own / (time - $start) : 0);
}

# What always runs, beside which a program of fixed work takes the same CPU time: pairs in turn, since the
# machine's speed changes. One CPU's noise is more than what is looked for: tests/bench/Testbed.pm is exact.
sub measure_pairs {
    my ($pairs, $rounds) = quick() ? (1, 500) : (25, 30_000);
    my @columns = (['s of CPU', '%.3f'], ['to alone', '%.4f'], ['1 of 4', '%.4f'], ['3 of 4', '%.4f']);
    my $work = sub {
        run('spend', "$dir/spent", 'shares', 'cycles', $rounds);
        return slurp("$dir/spent") / 1e9;
    };
    header("$pairs pairs, median", @columns);
    for my $options ([], ['--sample', 'cpu-clock/49']) {
        my $name = join ' ', 'countertop -b', @$options;
        my (@alone, @beside);
        for (1 .. $pairs) {
            push @alone, $work->();
            my $started = launch({command => ['countertop', '-b', '-o', '/dev/null', @$options]});
            await_counting($started->{pid});
            push @beside, $work->();
            stop($started->{program});
        }
        my @to = sort { $a <=> $b } map { $beside[$_] / ($alone[$_]) } 0 .. $#alone;
        row($name, \@columns, median(@beside), median(@to), $to[@to / 4], $to[@to * 3 / 4]);
        goal("CPU time beside $name to alone", '%.4f', median(@to), 1.005) if @$options;
    }
}

sub measure_all {
    print "\nWhat functions cost: a program that computes, whose code is sampled $rate times a second;\n",
        "median of $rounds rounds, in turn; the last column has what it takes to start, too\n";
    if (!have('perf')) {
        left_out('perf', 'it is not installed');
        @watchers = grep { $_->{name} !~ /^perf/ } @watchers;
    }
    my (%paid, %own);
    for (1 .. $rounds) {
        for my $watcher (@watchers) {
            my ($paid, $own) = measure($watcher);
            push @{$paid{$watcher->{name}}}, $paid;
            push @{$own{$watcher->{name}}}, $own;
        }
    }
    my @columns = (['s of CPU', '%.3f'], ['to alone', '%.3f'], ['own % CPU', '%.2f']);
    header('a program whose code is sampled', @columns);
    my %median = map { $_ => median(@{$paid{$_}}) } keys %paid;
    row($_, \@columns, $median{$_}, $median{$_} / $median{alone}, $_ eq 'alone' ? undef : median(@{$own{$_}}))
        for map { $_->{name} } @watchers;
    my $name = 'countertop --view functions';
    ratio("$name to alone", '%.3f', $median{$name} / $median{alone}, $most_paid);
    goal("$name own % CPU", '%.2f', median(@{$own{$name}}), $most_own);
    measure_pairs();
}

1;

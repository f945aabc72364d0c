# Whether refreshes drift: a thousand of them, against the clock.
package Pace;
use strict;
use warnings;
use Bench;
use Countertop;
use List::Util 'sum0';

my $delay = 0.05;
my $refreshes = quick() ? 40 : 1000;
my $part = $refreshes / 10; # of them to compare the end with the beginning
my $goal = 5;               # ms, a tenth of an interval

my @columns = (['elapsed s', '%.3f'], ['intervals s', '%.3f'], ['off by ms', '%.3f'], ['drift ms', '%.3f']);

# How late they are against a beat of that many seconds, in ms: one of them may be, all may not.
sub lateness {
    my ($first, @times) = @_;
    return median(map { my $n = ($_ - $first) / $delay; ($n - int($n + 0.5)) * $delay * 1000 } @times);
}

sub measure {
    my ($name, @options) = @_;
    my $run = run(qw(countertop -b --format json -s software -d), $delay, '-n', $refreshes, @options);
    die "bench: $run->{err}" if $run->{status};
    # Tasks are left out: their lines are long and nothing here needs them.
    my (@times, @intervals);
    while ($run->{out} =~ /^\{"type":"refresh","seq":\d+,"time":([\d.]+),"interval":([\d.]+)/mg) {
        push @times, $1;
        push @intervals, $2;
    }
    die 'bench: ' . @times . " refreshes\n" if @times != $refreshes;
    my $elapsed = $times[-1] - $times[0];
    my $sum = sum0(@intervals[1 .. $#intervals]);
    my $off = abs($sum - $elapsed) * 1000;
    my $drift = abs(lateness($times[0], @times[-$part .. -1]) - lateness($times[0], @times[0 .. $part - 1]));
    row($name, \@columns, $elapsed, $sum, $off, $drift);
    return ($off, $drift);
}

sub measure_all {
    print "\nPace: $refreshes refreshes, one each $delay s, from the first to the last\n";
    header("$refreshes refreshes", @columns);
    my ($off, $drift) = measure('countertop -b');
    goal('ms between the sum of the intervals and the clock', '%.1f', $off, $goal);
    goal('ms that the last come later than the first', '%.1f', $drift, $goal);
}

1;

# What those who are watched lose where there are hardware counters, in the emulated machine's own
# exact time, beside tiptop and a minimal reader.
package Testbed;
use strict;
use warnings;
use Bench;
use Guest;

# With more of them the second CPU starves (tests/pmu/guest), and rings overflow.
my $times = quick() ? 1_000 : 50_000;
# tiptop's default screen asks for five events, of which this machine counts cycles and
# instructions. So does the screen "pair" of the guest's scripts.
my $tiptop = 'tiptop -b -H -K -d 0.5';
my $countertop = 'countertop -b -H -d 0.5';
my @rows = (
    ['alone', ''],
    ['minimal reader, only drains', './minimal -p -d 2'],
    ['minimal reader', './minimal -p 2'],
    ['tiptop -H', $tiptop],
    ['countertop -H -s pair', "$countertop --engine cpu -s pair"],
    ['countertop -H', "$countertop --engine cpu"],
    ['countertop --view cgroups', 'countertop -b --view cgroups -d 0.5 --engine cpu'],
    ['tiptop -H -p', "$tiptop -p \$game"],
    ['countertop -H -s pair -p', "$countertop --engine task -s pair -p \$game"],
    ['countertop -H -p', "$countertop --engine task -p \$game"],
);
my @columns = (['ns a switch', '%.0f'], ['to alone', '%.2f'], ['to tiptop', '%.2f'],
    ['perf fds', '%d'], ['shows IPC', '%.2f']);

sub measure_all {
    print "\nThe same in the emulated machine: Arm, 2 CPUs, 1 ns an instruction, refreshes of\n",
        "0.5 s; who watches runs on the other CPU, but the clock goes on for both\n";
    my $missing = guest_missing();
    return left_out('testbed', $missing) if $missing;
    my @run = with_tiptop(@rows);
    my %figures = guest_rows('pingpong.sh', [$times], @run);
    header('ping-pong of two threads', @columns);
    my ($alone, $peer) = map { ($figures{$_} // [])->[0] } 'alone', 'tiptop -H';
    for my $name (map { $_->[0] } @run) {
        my ($ns, $descriptors, $ipc, $lost) = @{$figures{$name} // []};
        if (!$ns) {
            left_out($name, 'it did not run');
            next;
        }
        row($name, \@columns, $ns, $ns / $alone, $peer && $ns / $peer, $descriptors, $ipc);
        failed("$name: $lost records were lost") if $lost;
    }
    my ($plain, $by_cgroup) = map { ($figures{$_} // [])->[0] } 'countertop -H', 'countertop --view cgroups';
    ratio('countertop --view cgroups to countertop -H', '%.3f', $by_cgroup / $plain, 1.02) if $plain && $by_cgroup;
    # The first has as many counters; the second is what one sees who starts it.
    for my $pair (['countertop -H -s pair', 'tiptop -H'], ['countertop -H', 'tiptop -H'],
        ['countertop -H -s pair -p', 'tiptop -H -p']) {
        my ($own, $other) = map { ($figures{$_} // [])->[0] } @$pair;
        ratio("$pair->[0] to alone", '%.2f', $own / $alone, $other / $alone) if $own && $other;
    }
    my ($own, $floor) = map { ($figures{$_} // [])->[0] } 'countertop -H -s pair', 'minimal reader, only drains';
    goal('what the watched pay beyond a drained ring', '%.3f', ($own - $floor) / $alone, 0.05) if $own && $floor;
}

1;

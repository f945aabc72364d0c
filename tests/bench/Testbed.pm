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

# What waits for an alarm, on one CPU, where it takes no time from the work beside it but that of interrupts.
sub measure_armed {
    my $second = quick() ? 1 : 60;
    my $armed = "--before $second --when 'cpu > 1M for 3s'";
    my @run = (
        ['alone', ''],
        ['countertop -b', 'countertop -b -d 1 -o /dev/null'],
        ['countertop -b --when', "countertop -b -d 1 $armed"],
        ['countertop -b --when --sample', "countertop -b -d 1 --sample cpu-clock/49 $armed"],
    );
    my %figures = guest_rows('armed.sh', 1, [$second, quick() ? 100 : 20_000], @run);
    my @titles = (['ms', '%.3f'], ['to alone', '%.5f'], ['own % CPU', '%.2f'], ['peak MiB', '%.1f']);
    header('work, beside who waits for an alarm', @titles);
    my ($alone, $name, %own) = ($figures{alone}[0], $run[-1][0]);
    for my $row (map { $_->[0] } @run) {
        my ($work, $own, $peak) = @{$figures{$row} // []};
        $own{$row} = $own;
        row($row, \@titles, $work && $work / 1e6, $work && $work / $alone, $own && $own / 1e7 / $second, $peak && $peak / 1024);
    }
    return if !$own{$name};
    ratio("work beside $name to alone", '%.5f', $figures{$name}[0] / $alone, 1.005);
    ratio("own CPU time of $name to countertop -b", '%.2f', $own{$name} / $own{'countertop -b'}, 1.5);
    goal("MiB of $name", '%.1f', $figures{$name}[2] / 1024, 32);
}

sub measure_all {
    print "\nThe same in the emulated machine: Arm, 2 CPUs, 1 ns an instruction, refreshes of\n",
        "0.5 s; who watches runs on the other CPU, but the clock goes on for both\n";
    my $missing = guest_missing();
    return left_out('testbed', $missing) if $missing;
    my @run = with_tiptop(@rows);
    my %figures = guest_rows('pingpong.sh', 2, [$times], @run);
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
    measure_armed();
}

1;

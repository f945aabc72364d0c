# What a terminal keeps in memory beside processes and threads that live for a moment, whose number
# depends on the machine.
package Memory;
use strict;
use warnings;
use Bench;
use Countertop;
use Slurp;
use Time::HiRes 'sleep';

my @storm = quick() ? qw(stress-ng --fork 1 --fork-ops 1000) # pids that tests beside it do not miss
    : @births;
my $minutes = quick() ? 2 : 10;
my $minute = quick() ? 1 : 60; # seconds
my $goal = 24;                 # MB
my @columns = (['RSS MB', '%.1f'], ['CPU %', '%.2f'], ['births a second', '%.0f']);

# Processes and threads born on this machine so far.
sub births {
    return slurp_or_empty('/proc/stat') =~ /^processes (\d+)/m ? $1 : 0;
}

sub measure_all {
    print "\nMemory of a terminal of 160x50 beside @storm\n";
    return left_out('memory', 'script is not installed') if !have('script');
    return left_out('memory', 'stress-ng is not installed') if !have($storm[0]);
    my $storm = start('sh', '-c', "exec @storm 2>/dev/null");
    my $started = launch({terminal => 1, command => ['countertop']});
    await_counting($started->{pid});
    header('after', @columns);
    my $rss;
    for my $passed (1 .. $minutes) {
        my ($births, $cpu) = (births(), cpu_seconds($started->{pid}));
        sleep $minute;
        ($rss) = map { /^VmRSS:\s+(\d+)/m ? $1 * 1024 / 1e6 : 0 } slurp_or_empty("/proc/$started->{pid}/status");
        row($passed * $minute . ' s', \@columns, $rss,
            (cpu_seconds($started->{pid}) - $cpu) * 100 / $minute, (births() - $births) / $minute);
    }
    stop($started->{program});
    stop($storm);
    goal('MB after ' . $minutes * $minute . ' s', '%.1f', $rss, $goal);
}

1;

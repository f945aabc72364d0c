# Records that are lost, and that are not: a storm of switches while countertop is stopped, and a
# countertop that need not wait for a CPU.
package Storm;
use strict;
use warnings;
use Exporter 'import';
use List::Util 'sum0';
use Slurp;
use Time::HiRes 'sleep';

our @EXPORT = qw(@first switches_of stop_process await_overflow);

# What a command begins with that comes before all others on a CPU, which only root may: what
# countertop advises against lost records. Nice values count within a session only, where the
# scheduler shares CPUs out by sessions (autogroups, sched(7)).
our @first = $> != 0 ? () : system('chrt -r 1 true 2>/dev/null') == 0 ? qw(chrt -r 1) : qw(nice -n -20);

# Three times as many switches on a CPU as its ring has room for: at most 4 MiB of records, each of
# 40 bytes and 8 for each event, of which there are three at least (engine/cpu_engine.c,
# engine/decode.h).
my $enough = 3 * (4 << 20) / 64;

# Context switches so far of all threads of a process: proc(5).
sub switches_of {
    return sum0(map { slurp_or_empty($_) =~ /ctxt_switches:\s+(\d+)/g } glob "/proc/$_[0]/task/*/status");
}

# Returns when all of its threads stand still.
sub stop_process {
    my ($pid) = @_;
    kill STOP => $pid;
    sleep 0.01 while grep { slurp_or_empty($_) !~ /\) [TZ] / } glob "/proc/$pid/task/*/stat";
}

# Waits until each of these processes, which have a CPU each, has overflown a ring that nobody reads.
sub await_overflow {
    my %before = map { $_ => switches_of($_) } @_;
    sleep 0.01 while grep { -e "/proc/$_" && switches_of($_) < $before{$_} + $enough } @_;
}

1;

# What the ledger engine takes on machines with more CPUs than this one. Measured: the program's own
# sampler, engine and ledger on rings of made-up switches (wide.c), and what system calls take here.
# Reckoned from both: what its system calls take there, where none is made.
package Wide;
use strict;
use warnings;
use Bench;
use Countertop;
use Slurp;

my $wide = "$ENV{B}/bench/wide";
my ($widest, $fastest) = (256, 1_000_000);
my @cpus = quick() ? (2, $widest) : (2, 16, 64, 128, $widest);
my @rates = quick() ? ($fastest) : (10_000, 100_000, $fastest);
my $refreshes = quick() ? 1 : 5;
my $counters = 8; # hardware events that fit into a group: all

my @columns = (
    ['ns a switch', '%.1f'], ['own CPU %', '%.2f'], ['calls %', '%.2f'], ['wake-ups/s', '%.0f'],
    ['rings MiB', '%.1f'], ['all MiB', '%.1f'], ['perf fds', '%d'], ['start s', '%.3f'], ['lost', '%d'],
);

# What a run of wide tells: {name => number}.
sub figures {
    my $run = run($wide, @_);
    print $run->{err};
    return map { split ' ' } split /\n/, $run->{out};
}

# MiB of the program without rings, on this machine.
sub program_memory {
    my $started = launch({command => [qw(countertop -b -H --engine cpu -d 0.2)]});
    await_counting($started->{pid});
    my $marks = Bench::marks_in($started->{file}, '^ *PID ');
    await('no refresh', sub { $marks->() > 2 });
    my $status = slurp_or_empty("/proc/$started->{pid}/status");
    stop($started->{program});
    my ($all, $shared) = map { $status =~ /^$_:\s+(\d+)/m ? $1 / 1024 : 0 } qw(VmHWM RssShmem);
    return $all - $shared;
}

sub measure_all {
    print "\nThe ledger engine on wide machines, eight events in a group, refreshes of 1 s: own CPU is\n",
        "measured on made-up rings; system calls are counted, and reckoned with what each takes here\n";
    return left_out('wide', "there is no $wide: make bench builds it") if !-x $wide;
    my %takes = figures('calls');
    if (!%takes) {
        left_out('wide', 'this machine does not let us count all tasks');
        return;
    }
    my @told = map { [$_->[0], $takes{$_->[1]}] } ['open', 'open'], ['map a ring', 'map'], ['ioctl', 'ioctl'],
        ['read a group', 'read'], ['wait asleep', 'sleep'], ['look', 'look'], ['epoll_ctl', 'control'];
    printf "ns of a call, on another CPU's events: %s\n", join ', ', map { sprintf '%s %.0f', @$_ } @told;
    my $program = program_memory();
    header('CPUs, switches a second', @columns);
    my %at;
    for my $rate (@rates) {
        for my $cpus (@cpus, $rate == $fastest ? ("$widest, on 16", "$widest, on 2") : ()) {
            my ($count, $busy) = $cpus =~ /^(\d+)(?:, on (\d+))?$/;
            my %now = figures($count, $rate, $busy // $count, $refreshes, $counters);
            my $calls = ($now{reads} * $takes{read} + $now{ioctls} * $takes{ioctl} + $now{opens} * $takes{open}
                + $now{sleeps} * $takes{sleep} + ($now{polls} - $now{sleeps} + $now{waits}) * $takes{look}) / 1e7;
            my $start = $now{start_ms} / 1e3 + ($now{start_opens} * $takes{open} + $now{start_maps} * $takes{map}
                + $now{start_ioctls} * $takes{ioctl} + $now{start_controls} * $takes{control}) / 1e9;
            $at{$cpus}{$rate} = {%now, sum => $now{cpu_percent} + $calls, start => $start,
                memory => $program + $now{rings_mib} + $now{memory_mib}};
            row("$cpus, $rate", \@columns, @now{qw(ns cpu_percent)}, $calls, $now{waits}, $now{rings_mib},
                $at{$cpus}{$rate}{memory}, $now{descriptors}, $start, $now{lost});
        }
    }
    my $most = $at{$widest}{$fastest};
    goal("CPU % on $widest CPUs at $fastest switches a second", '%.2f', $most->{sum}, 4);
    goal('... MiB', '%.1f', $most->{memory}, 64);
    goal('... seconds to open 8 events', '%.3f', $most->{start}, 1);
    goal('... records lost', '%d', $most->{lost}, 0);
    ratio("a switch on $widest CPUs to one on 2", '%.2f', $most->{ns} / $at{2}{$fastest}{ns}, 2);
}

1;

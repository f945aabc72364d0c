#!/usr/bin/env perl
# The counts of the system-wide engine balance under load: for each event and refresh, tasks + idle
# + unattributed is the total, which is the sum of the CPUs; and so is cgroups + idle + unattributed.
# shortlived.t is about who is listed.
use Countertop;
use List::Util qw(sum0);
use Storm;
use Time::HiRes 'time';

my @events = qw(cpu-clock task-clock context-switches cpu-migrations page-faults minor-faults);
push @events, 'sched:sched_switch' if -e '/sys/kernel/tracing/events/sched/sched_switch';

# All books of a refresh balance; explains those that do not.
sub balances {
    my ($refresh, $name) = @_;
    my @wrong;
    for my $event (@events) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        push @wrong, "$event: tasks + idle + unattributed = $ledger, total $total, cpus $cpus"
            if $ledger != $total || $cpus != $total;
        my $groups = sum0(map { $_->{counts}{$event} } @{$refresh->{groups}},
            $refresh->{idle}, $refresh->{unattributed});
        push @wrong, "$event: cgroups + idle + unattributed = $groups, total $total"
            if $groups != $total;
    }
    push @wrong, 'a cgroup is not known'
        if grep { !defined $_->{name} && $_->{counts}{'page-faults'} } @{$refresh->{groups}};
    ok(!@wrong, "$name: refresh $refresh->{seq} balances") or diag join "\n", @wrong;
}

# Switches on one CPU, computing on all, faults, and a stream of births.
my @load = (
    start(qw(pingpong -c 0 1000000000)),
    start(qw(spin -n), scalar `nproc` + 0),
    start('perl', '-e', 'while () { system "births", 50; select undef, undef, undef, 0.02 }'),
);
my $faults = start(qw(faults 20000));
next_line($faults);

my $tries = 0;
for my $threads (0, 1) {
    my $watch = start(@first, qw(countertop -b --format json --view cgroups -d 0.4), '-e',
        join(',', @events),
        $threads ? '-H' : ());
    my $header = next_refresh($watch);
    is_deeply([map { $_->{name} } grep { $_->{state} eq 'counted' } @{$header->{events}}],
        ['context-switches', 'cpu-migrations', 'page-faults',
            grep { !/^(context-switches|cpu-migrations|page-faults)$/ } @events],
        'all events are counted') if !$threads;
    my @refreshes = next_refresh($watch);
    if ($faults) {
        print {$faults->{in}} "now\n";
        finish($faults);
        undef $faults;
    }
    my $births = start('births', $threads ? '-t' : (), 500);
    finish($births);
    my $end = time;
    push @refreshes, next_refresh($watch) until @refreshes >= 5 && $refreshes[-1]{time} > $end;
    is(stop($watch)->{status}, 0, 'ends well');
    balances($_, $threads ? 'threads' : 'processes') for @refreshes;
    redo if grep({ $_->{lost_records} } @refreshes) && $tries++ < 5; # it had no CPU for long
    is((grep { $_->{lost_records} } @refreshes), 0, 'no records are lost');
}

SKIP: {
    skip 'no tracefs, and it cannot be mounted', 1 if $events[-1] !~ /^sched:/;
    # Each switch passes the tracepoint once, whoever is counted.
    my (undef, @refreshes) = refreshes(qw(-n 3 -d 0.3 -e sched:sched_switch));
    my ($switches, $passed) = (0, 0);
    for (@refreshes) {
        $switches += $_->{total}{counts}{'context-switches'};
        $passed += $_->{total}{counts}{'sched:sched_switch'};
    }
    ok(abs($passed - $switches) <= 0.02 * $switches, 'a tracepoint agrees with the counter')
        or diag "$passed of $switches";
}
stop($_) for @load;

done_testing;

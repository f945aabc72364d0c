#!/usr/bin/env perl
# A known count: a program has 100,000 page faults while four countertops watch, one for each engine
# with processes and with threads. Each must report all of them once, for the right process or
# thread.
use Countertop;
use List::Util 'sum0';
use Time::HiRes 'time';

my $wanted = 100_000;
# Printing that it is done may take a few faults of its own.
my $extra = 16;

sub total {
    my ($event, @rows) = @_;
    return sum0(map { $_->{counts}{$event} // 0 } @rows);
}

# One run: what the kernel counted for the thread, and what each countertop told meanwhile.
sub observe {
    my ($second) = @_;
    my $work = start('faults', $second ? '-t' : (), $wanted);
    my ($pid, $tid) = next_line($work) =~ /^ready (\d+) (\d+)$/ or BAIL_OUT('faults is not ready');
    my @common = (qw(countertop -b --format json -d 1 -e), 'minor-faults,major-faults');
    my %watch = (
        'cpu' => start(@common, qw(--engine cpu)),
        'cpu, threads' => start(@common, qw(--engine cpu -H)),
        'task' => start(@common, qw(--engine task -p), $pid),
        'task, threads' => start(@common, qw(--engine task -H -p), $pid),
    );
    for (values %watch) {
        next_refresh($_); # the header
        next_refresh($_);
    }
    print {$work->{in}} "now\n";
    my ($counted) = next_line($work) =~ /^done (\d+)$/;
    my $done = time;
    my %seen = (pid => $pid, tid => $tid, counted => $counted);
    for my $name (keys %watch) {
        do {
            push @{$seen{$name}}, next_refresh($watch{$name});
        } until $seen{$name}[-1]{time} > $done + 0.2;
        stop($watch{$name});
    }
    finish($work);
    return \%seen;
}

sub unattributed {
    my ($seen) = @_;
    return total('page-faults', map { $_->{unattributed} } map { @{$seen->{$_}} } 'cpu', 'cpu, threads');
}

for my $second (0, 1) {
    # There are tasks that write no records on some kernels. What was counted by one of them and by
    # its neighbours cannot be told apart and is attributed to none; another run may do without.
    my $seen;
    for (1 .. 5) {
        my $next = observe($second);
        $seen = $next if !$seen || unattributed($next) < unattributed($seen);
        last if !unattributed($seen);
    }
    my ($pid, $tid, $counted) = @$seen{'pid', 'tid', 'counted'};
    cmp_ok($counted, '>=', $wanted, 'as many faults as were asked for');
    cmp_ok($counted, '<=', $wanted + $extra, '... and hardly more');

    for my $name ('cpu', 'cpu, threads', 'task', 'task, threads') {
        my @refreshes = @{$seen->{$name}};
        my @tasks = map { @{$_->{tasks}} } @refreshes;
        my $threads = $name =~ /threads/;
        my @rows = grep { $threads ? $_->{tid} == $tid : $_->{pid} == $pid } @tasks;
        my $faults = total('page-faults', @rows);
        my $unknown = total('page-faults', map { $_->{unattributed} // () } @refreshes);
        my $label = "engine $name: all faults of the " . ($second ? 'second' : 'first') . ' thread';
        ok($faults + $unknown >= $counted && $faults <= $counted + $extra, $label)
            or diag "$faults, and $unknown unattributed, the kernel says $counted";
        cmp_ok($faults, '>=', 0.8 * $counted, '... nearly none unattributed');
        is(total('minor-faults', @rows) + total('major-faults', @rows), $faults,
            '... each minor or major');
        is((grep { $_->{pid} != $pid } @rows), 0, '... of that process');
        cmp_ok(total('page-faults', grep { $_->{tid} == $pid } @tasks), '<=', $extra,
            '... not of the first thread') if $threads && $second;

        my $everybody = total('page-faults', @tasks);
        my $total = total('page-faults', map { $_->{total} } @refreshes);
        if ($name =~ /^cpu/) {
            my $cpus = total('page-faults', map { @{$_->{cpus}} } @refreshes);
            is($cpus, $total, '... the total is that of the CPUs');
            my $idle = total('page-faults', map { $_->{idle} } @refreshes);
            is($everybody + $idle + $unknown, $total, '... to which the books add up');
        } else {
            is($everybody, $faults, '... nothing else is watched');
            is($total, $faults, '... the total is that of what is watched');
        }
    }
}

done_testing;

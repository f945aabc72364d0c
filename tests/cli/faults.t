#!/usr/bin/env perl
# A known count: a program has 100,000 page faults while four countertops watch, one for each engine
# and for processes and threads. Each must tell them all, of the right one, and none twice.
use strict;
use warnings;
use Countertop;
use List::Util 'sum0';
use Test::More;
use Time::HiRes 'time';

my $wanted = 100_000;

# The rows of the one that is looked for, over all refreshes.
sub rows {
    my ($refreshes, $key, $id) = @_;
    return map { grep { $_->{$key} == $id } @{$_->{tasks}} } @$refreshes;
}

sub total {
    my ($event, @rows) = @_;
    return sum0(map { $_->{counts}{$event} // 0 } @rows);
}

for my $second (0, 1) {
    my $work = start('faults', $second ? '-t' : (), $wanted);
    my ($pid, $tid) = next_line($work) =~ /^ready (\d+) (\d+)$/ or BAIL_OUT('faults is not ready');
    my @events = ('-e', 'minor-faults,major-faults', '-d', 1);
    my %watch = map {
        my ($name, @options) = @$_;
        $name => start(qw(countertop -b --format json), @events, @options);
    } (
        ['cpu, process', '--engine', 'cpu'],
        ['cpu, thread', '--engine', 'cpu', '-H'],
        ['task, process', '--engine', 'task', '-p', $pid],
        ['task, thread', '--engine', 'task', '-p', $pid, '-H'],
    );
    for (values %watch) {
        next_refresh($_); # the header
        next_refresh($_);
    }
    print {$work->{in}} "now\n";
    my ($counted) = next_line($work) =~ /^done (\d+)$/;
    my $done = time;

    for my $name (sort keys %watch) {
        my @refreshes;
        # Sums, in case the faults lie on both sides of a refresh.
        do {
            push @refreshes, next_refresh($watch{$name});
        } until $refreshes[-1]{time} > $done + 0.2;
        stop($watch{$name});
        my $threads = $name =~ /thread/;
        my @rows = rows(\@refreshes, $threads ? (tid => $tid) : (pid => $pid));
        my $faults = total('page-faults', @rows);
        my $label = "$name, in the " . ($second ? 'second' : 'first') . ' thread';
        # Printing that it is done may take a few of its own.
        ok($faults >= $counted && $faults <= $counted + 16, "$label: all faults, none twice")
            or diag "$faults, the kernel says $counted";
        is(total('minor-faults', @rows) + total('major-faults', @rows), $faults,
            '... each minor or major');
        is((grep { $_->{pid} != $pid } @rows), 0, '... of that process');
        is(total('page-faults', rows(\@refreshes, tid => $pid)), 0, '... not of the first thread')
            if $threads && $second;
        my $everybody = total('page-faults', map { @{$_->{tasks}} } @refreshes);
        my $total = total('page-faults', map { $_->{total} } @refreshes);
        if ($name =~ /^cpu/) {
            my $cpus = total('page-faults', map { @{$_->{cpus}} } @refreshes);
            is($cpus, $total, '... the total is that of the CPUs');
            cmp_ok($cpus, '>=', $everybody, '... which have counted all of them');
        } else {
            is($everybody, $faults, '... nothing else is watched');
            is($total, $faults, '... the total is that of what is watched');
        }
    }
    # Some kernels also count a fault or two of their own for it.
    cmp_ok($counted, '>=', $wanted, 'as many as were asked for');
    cmp_ok($counted, '<=', $wanted + 16, '... and hardly more');
    finish($work);
}

done_testing;

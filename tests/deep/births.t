#!/usr/bin/env perl
# Threads that live and die between two refreshes: their process has their counts.
use Countertop;
use List::Util 'sum0';
use Time::HiRes 'time';

my $nobody = 65534;
my ($threads, $each) = (200, 50);
# Of the program itself, around what it measures.
my $extra = 16;

# What countertop shows of a process that has its threads now, as this user: faults, rows.
sub observe {
    my ($as, @options) = @_;
    my $work = start(@$as, 'brood', $threads, $each);
    my ($pid) = next_line($work) =~ /^ready (\d+)$/ or BAIL_OUT('brood is not ready');
    my $watch = start(@$as, qw(countertop -b --format json --engine task -d 0.3), @options,
        '-e', 'page-faults', '-p', $pid);
    next_refresh($watch) for 1 .. 2; # the header; it counts by now
    print {$work->{in}} "now\n";
    my ($counted) = next_line($work) =~ /^done (\d+)$/;
    my ($done, @refreshes) = time;
    do {
        push @refreshes, next_refresh($watch) // die "countertop ended";
    } until $refreshes[-1]{time} > $done;
    # The end of the process is told too, once.
    finish($work);
    push @refreshes, next_refresh($watch) for 1 .. 3;
    stop($watch);
    my @rows = grep { $_->{pid} == $pid } map { @{$_->{tasks}} } @refreshes;
    return ($counted, \@rows, \@refreshes);
}

sub faults {
    return sum0(map { $_->{counts}{'page-faults'} // 0 } @_);
}

sub check {
    my ($who, @as) = @_;
    my ($counted, $rows, $refreshes) = observe(\@as);
    my $faults = faults(@$rows);
    cmp_ok($counted, '>=', $threads * $each, "$who: as many faults as were asked for");
    cmp_ok($faults, '>=', $threads * $each, '... all of them are told');
    cmp_ok($faults, '<=', $counted + $extra, '... none of them twice');
    is((grep { $_->{tid} != $_->{pid} } @$rows), 0, '... in the row of the process');
    is((grep { $_->{exited} } @$rows), 1, '... which ends once');
    is(faults(map { $_->{total} } @$refreshes), $faults, '... and makes up the total');
    is($refreshes->[-1]{self}{descriptors}, 0, '... and leaves no descriptor open');
}

check('root');
my @as_nobody = ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', '--',
    'env', 'HOME=/'); # of their own
SKIP: {
    skip 'only root can become someone else', 7 if $> != 0;
    skip "user $nobody cannot run what was built here (a folder is closed to others)", 7
        if run(@as_nobody, "$ENV{B}/countertop", '--version')->{status};
    check("user $nobody", @as_nobody);
}

# With single threads shown each is a row, found while it lives: those that came and went between
# two refreshes are not, and nothing is counted twice.
my ($counted, $rows) = observe([], '-H');
cmp_ok(faults(@$rows), '<=', $counted + $extra, 'threads: no fault is told twice');
is((grep { $_->{exited} && $_->{tid} == $_->{pid} } @$rows), 1, '... and the first one ends once');

# A thousand threads at a time that come and go: whatever is met while it is born or dies.
my $storm = start('births', '-t', 20_000);
my $watch = start(qw(countertop -b --format json --engine task -d 0.1 -H -p), $storm->{pid});
my @storm = map { next_refresh($watch) } 0 .. 5;
is((grep { defined } @storm), 6, 'a storm of births is survived');
is((grep { ($_->{counts}{'page-faults'} // 0) > 1e6 || ($_->{oncpu} // 0) > 1 }
    map { @{$_->{tasks} // []} } @storm), 0, '... with sensible numbers');
stop($_) for $watch, $storm;
done_testing;

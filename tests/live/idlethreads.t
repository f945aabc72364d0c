#!/usr/bin/env perl
# The task engine does not read the counts of threads that have not run, and loses none: what a thread
# does between two refreshes is in the one that ends then, however long it has slept before.
use Countertop;
use Time::HiRes 'time';

my $sleepers = 60;
my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups -- env HOME=/);
my ($work, $watch, $threads);

sub watching {
    my ($before, @options) = @_;
    $work = start(@as_nobody, 'called', $sleepers);
    next_line($work);
    call("1 touch 1"); # reading and answering touches pages, too
    $watch = start(@as_nobody, @$before, qw(countertop -b --format json --engine task -d 0.1
        -s software -e page-faults -p), $work->{pid}, @options);
    next_refresh($watch); # the header
    $threads = grep { $_ eq '-H' } @options;
    return next_refresh($watch);
}

# Returns the id of the thread that has done it.
sub call {
    my ($what) = @_;
    print {$work->{in}} "$what\n";
    chomp(my $tid = next_line($work));
    return $tid;
}

# The page faults of a thread, or of the process, in the refreshes up to the first one after a time.
sub faults_until {
    my ($time, $tid) = @_;
    my ($sum, $refresh) = (0);
    do {
        $refresh = next_refresh($watch) // return undef;
        $sum += $_->{counts}{'page-faults'} // 0
            for grep { !$threads || $_->{tid} == $tid } @{$refresh->{tasks}};
    } until $refresh->{time} > $time + 0.001; # it is rounded
    return $sum;
}

# As many refreshes as make sure that a thread which sleeps is not read.
sub rest {
    next_refresh($watch) for 1 .. 4;
}

sub exactly {
    my ($who, $pages) = @_;
    my $tid = call("$who touch $pages");
    my $faults = faults_until(time, $tid);
    is($faults, $pages, "thread $who: exactly its $pages pages");
    return $tid;
}

sub bear {
    my ($who, $pages, $what) = @_;
    my $tid = call("$who bear $pages");
    my $faults = faults_until(time, $tid);
    # Who creates a thread touches pages as well; a row of its own begins when it is found.
    cmp_ok($faults, '>=', $pages, "$what: at least its $pages pages") if !$threads;
    return $tid;
}

sub ends {
    my ($who) = @_;
    my $tid = call("$who end");
    return if !$threads;
    my $row;
    for (1 .. 30) {
        ($row) = grep { $_->{tid} == $tid } @{next_refresh($watch)->{tasks}};
        last if $row && $row->{exited};
    }
    ok($row && $row->{exited}, "thread $who: its end is seen");
}

sub check_all {
    exactly(7, 100);
    exactly(7, 3);
    rest();
    exactly(7, 50);
    exactly(59, 1);
    rest();
    exactly($_, 10 + $_) for 7, 59, 20 .. 23;
    rest();
    # A thread that is born later; the one that created it sleeps on.
    bear(20, 5, 'a new thread');
    rest();
    exactly($sleepers + 1, 200);
    rest();
    exactly($sleepers + 1, 2);
    exactly(20, 4);
    bear($sleepers + 1, 5, 'a new thread of this');
    rest();
    ends($sleepers + 1);
    rest();
    exactly($sleepers + 2, 30);
    # When only those are left that were there from the start, they rest as before.
    ends($sleepers + 2);
    ends(21);
    rest();
    exactly($_, 6) for 20, 22;
    rest();
    exactly(20, 9);
    bear(22, 1, 'a new thread of one that rested');
    rest();
    exactly($sleepers + 3, 17);
    # As many threads as before, but others.
    rest();
    call('23 end');
    bear(22, 1, 'another new thread');
    rest();
    exactly($sleepers + 4, 8);
    exactly(24, 2);
}

sub done {
    stop($_) for $watch, $work;
}

my $opened = $sleepers + 1;
for my $options ([], ['-H']) {
    my $first = watching([], @$options);
    my $sets = $first->{self}{descriptors} / $opened;
    note "@$options: $sets descriptors a thread";
    check_all();
    done();

    my $without = watching(['prlimit', '--memlock=0'], @$options);
    is($sets, $without->{self}{descriptors} / $opened + !@$options,
        @$options ? "a thread's own counter is its sign" : 'each thread has a descriptor for its sign');
    exactly($_, 10 + $_) for 7, 59;
    rest();
    exactly(7, 4);
    done();

    # Too few descriptors for the signs, too.
    my $limit = $without->{self}{descriptors} + 60;
    $first = watching(['prlimit', "--nofile=$limit"], @$options);
    is($first->{starved_tasks} // 0, 0, 'no sign takes a descriptor from a thread');
    rest();
    exactly(7, 4);
    rest();
    exactly(7, 5);
    bear(7, 5, 'a new thread');
    rest();
    exactly($sleepers + 1, 2);
    done();
}
done_testing;

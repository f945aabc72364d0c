#!/usr/bin/env perl
# The task engine follows its targets: names that start later, programs that execute others.
use Countertop;

my @common = qw(countertop -b --format json --engine task -s software -d 0.2);

sub watching {
    my $watch = start(@common, @_);
    next_refresh($watch) for 1 .. 2; # the header
    return $watch;
}

# The next refreshes up to one in which a condition holds, at most that many.
sub until_true {
    my ($watch, $condition) = @_;
    my @seen;
    for (1 .. 30) {
        push @seen, next_refresh($watch) // last;
        return @seen if $condition->($seen[-1]);
    }
    return;
}

sub row {
    my ($refresh, $pid) = @_;
    return (grep { $_->{tid} == $pid } @{$refresh->{tasks}})[0];
}

sub runs {
    my ($pid, $comm) = @_;
    return sub {
        my $row = row($_[0], $pid);
        return $row && ($row->{oncpu} // 0) > 0.01 && $row->{comm} eq $comm;
    };
}

# A name that nobody has yet; those who start later are many.
my $watch = watching('-p', 'spin,other');
my @spin = map { start('spin') } 1 .. 2;
ok(until_true($watch, runs($_->{pid}, 'spin')), 'a process that starts later is found by its name')
    for @spin;
stop($_) for $watch, @spin;

# One program executes another.
for my $options ([], ['-H']) {
    my $what = @$options ? 'threads' : 'processes';
    my $shell = start('sh', '-c', 'read line; exec spin');
    $watch = watching(@$options, '-p', $shell->{pid});
    print {$shell->{in}} "now\n";
    my @seen = until_true($watch, runs($shell->{pid}, 'spin'));
    ok(@seen, "$what: the name follows");
    my %ids = map { $_->{pid} => 1 } map { @{$_->{tasks}} } @seen;
    is_deeply([keys %ids], [$shell->{pid}], '... of the same process');
    is((grep { $_->{exited} } map { @{$_->{tasks}} } @seen), 0, '... which has not ended');
    stop($_) for $watch, $shell;

    # The same from another thread than the first, which watching knew or not.
    for my $late ([], ['-l']) {
        my $thread = start('takeover', @$late, 'spin');
        next_line($thread);
        $watch = watching(@$options, '-p', $thread->{pid});
        print {$thread->{in}} "now\n";
        @seen = until_true($watch, runs($thread->{pid}, 'spin'));
        ok(@seen, "$what: also where another thread than the first did it");
        is((grep { ($_->{oncpu} // 0) > 0.5 } map { @{$_->{tasks}} } @seen), 0,
            '... and no time is told twice');
        is((grep { $_->{exited} && $_->{tid} == $thread->{pid} } map { @{$_->{tasks}} } @seen), 0,
            '... and the process has not ended');
        stop($_) for $watch, $thread;
    }
}

done_testing;

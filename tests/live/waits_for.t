#!/usr/bin/env perl
# Who holds a mutex that four threads take in turns is named right in at least 95 of 100 looks, and a
# chain of locks that lives is never called a deadlock, beside load; a ring always is.
use Countertop;

my @waits = qw(-b --format json -i -H -s waits -d 0.05);

sub looks_at {
    my ($count, @command) = @_;
    my $program = start(@command);
    while (defined(my $line = next_line($program))) {
        last if $line eq "ready\n";
    }
    my (undef, undef, @looks) = json_lines(run('countertop', @waits, '-n', $count + 1, '-p', $program->{pid})->{out});
    stop($program);
    return @looks;
}

# Who has the mutex sleeps for 200 ms; the main thread waits for signals.
my @looks = looks_at(100, 'waiter', 'queue', 4);
is(scalar @looks, 100, '100 looks');
my ($right, $wrong) = (0, 0);
for (@looks) {
    my %waits = map { $_->{tid} => $_->{waits_for} // {} } @{$_->{tasks}};
    my @holders = grep { ($waits{$_}{text} // '') eq 'sleep 200 ms' } keys %waits;
    my @named = map { $_->{pid} } grep { ($_->{kind} // '') eq 'mutex' } values %waits;
    $right++ if @holders == 1 && @named == 3 && !grep { $_ != $holders[0] } @named;
    $wrong++ if @holders == 1 && grep { $_ != $holders[0] } @named;
}
cmp_ok($right, '>=', 95, "all three name the holder in $right of 100 looks") or diag "wrong in $wrong";

my @load = map { start('spin') } 1 .. 2;
for my $kind (['chain', 4], ['queue', 4]) {
    my @called = grep { $_->{waits_for} && $_->{waits_for}{deadlock} } map { @{$_->{tasks}} }
        map { looks_at(10, 'waiter', @$kind) } 1 .. 10;
    is_deeply(\@called, [], "a living @$kind is no deadlock in 10 runs of 10 looks beside load");
}
my $rings = 0;
for (1 .. 10) {
    my $last = (looks_at(5, 'waiter', 'ring', 3))[4];
    $rings++ if 3 == grep { ($_->{waits_for}{deadlock} // '') =~ /^deadlock: 3 threads/ } @{$last->{tasks}};
}
is($rings, 10, 'a ring of three is one, each time');
stop($_) for @load;
done_testing;

#!/usr/bin/env perl
# Records are lost where countertop cannot read them in time: it is stopped in a storm of switches
# until its rings overflow. What was counted meanwhile is known, by whom is not: it is unattributed,
# in the interval that it belongs to, and the loss is told.
use strict;
use warnings;
use Countertop;
use List::Util qw(sum0);
use Test::More;
use Time::HiRes qw(sleep time);

my @storm = map { start('pingpong', '-c', $_, 1_000_000_000) } 0 .. `nproc` - 1;

# Context switches of the whole machine so far: proc(5).
sub switches {
    open my $stat, '<', '/proc/stat' or die "/proc/stat: $!";
    my ($line) = grep { /^ctxt / } readline $stat;
    return (split ' ', $line)[1];
}

sub balances {
    my ($refresh) = @_;
    for my $event (sort keys %{$refresh->{total}{counts}}) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
    }
}

# Held up for a second, between two refreshes: what the refreshes tell from the one before on,
# and how many switches there were from that to the first one after it.
sub hold_up {
    my ($watch, $next) = @_;
    $next->($watch);
    my @refreshes = $next->($watch);
    my ($from, $start) = (switches(), time);
    kill STOP => $watch->{pid};
    sleep 1.2;
    kill CONT => $watch->{pid};
    push @refreshes, $next->($watch);
    my ($switches, $seconds) = (switches() - $from, time - $start);
    push @refreshes, map { $next->($watch) } 1 .. 3;
    stop($watch);
    return ($switches, $seconds, @refreshes);
}

my $watch = start(qw(countertop -b --format json -d 0.4));
my ($switches, $seconds, @refreshes) = hold_up($watch, \&next_refresh);
balances($_) for @refreshes;
my $held = $refreshes[1];
ok(abs($held->{interval} - $seconds) < 0.3, 'the interval is as long as it was')
    or diag "$held->{interval} s for $seconds s";
my $total = $held->{total}{counts}{'context-switches'};
# It did not begin and end just when we looked.
my $allowed = 0.03 * $switches + abs($seconds - $held->{interval}) / $seconds * $switches;
ok(abs($total - $switches) <= $allowed, 'it has all the switches that there were')
    or diag "$total, the kernel says $switches";
my $nobodys = $held->{unattributed}{counts}{'context-switches'};
cmp_ok($nobodys, '>', 0.5 * $total, '... most of them nobody\'s');
my $theirs = sum0 map { $_->{counts}{'context-switches'} } task($held, 'pingpong');
cmp_ok($theirs, '>', 0, '... and of those before the loss it is known whose they are');
# The kernel tells of a loss when it has something else to tell: at once, but on a CPU that
# countertop has for itself that may be after the refresh.
my $lost = sum0 map { $_->{lost_records} } @refreshes[1, 2];
cmp_ok($lost, '>', 0.5 * $nobodys, 'the loss is told');
is(sum0(map { $_->{lost_records} } @refreshes[0, 3, 4]), 0, '... where it was, and only there');
for my $refresh (@refreshes[0, 3, 4]) {
    my $count = $refresh->{unattributed}{counts}{'context-switches'};
    cmp_ok($count, '<=', 0.02 * $refresh->{total}{counts}{'context-switches'},
        'else next to nothing is nobody\'s');
}

# As text: the summary lines.
$watch = start(qw(countertop -b -d 0.4));
(undef, undef, my @lines) = hold_up($watch, sub {
    while (defined(my $line = next_line($_[0]))) {
        return $line if $line =~ /^countertop /;
    }
});
like("@lines[1, 2]", qr/  lost [1-9]\d* records  /, 'the text says it');
unlike($_, qr/lost/, '... only then') for @lines[0, 3, 4];

stop($_) for @storm;
done_testing;

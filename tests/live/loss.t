#!/usr/bin/env perl
# Lost records: countertop is stopped in a storm of switches until its rings overflow. The total of
# that time is known, but not the tasks: it is unattributed, in the right interval, and the loss is
# reported.
use Countertop;
use List::Util qw(first sum0);
use Storm;
use Time::HiRes qw(sleep time);

# No other interval is as long: a fast machine fills the rings in less than the 0.4 s of one.
my $LONG = 1.5;
# From this refresh of hold_up() on, up to the long one, the storm rests.
my $RESTS = 2;

my @storm = map { start('pingpong', '-t', '-c', $_, 1_000_000_000) } 0 .. `nproc` - 1;
my @players = map { $_->{pid} } @storm;

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

# Held up between two refreshes until the storm has filled the rings: {least, most: switches, seconds}
# of the interval that has it, and the refreshes from one in the storm before to one in the storm
# after it. Beside that interval the storm rests, so that it matters little where its ends are.
# interval() says how long a refresh was.
sub hold_up {
    my ($watch, $next, $interval) = @_;
    $next->($watch);
    my @refreshes = $next->($watch);
    kill STOP => @players;
    push @refreshes, $next->($watch);
    my %held = (most => -switches());
    # The interval begins with the last of these or later, though they may be read late.
    push @refreshes, $next->($watch) for 1 .. 3;
    stop_process($watch->{pid});
    my ($from, $start) = (switches(), time);
    kill CONT => @players;
    await_overflow(@players);
    sleep 0.01 while time - $start < $LONG;
    kill STOP => @players;
    @held{qw(least seconds)} = (switches() - $from, time - $start);
    kill CONT => $watch->{pid};
    # It may have gone on to the next interval before it was stopped.
    push @refreshes, $next->($watch) until $interval->($refreshes[-1]) >= $held{seconds};
    $held{most} += switches();
    push @refreshes, $next->($watch);
    kill CONT => @players;
    push @refreshes, map { $next->($watch) } 1 .. 2;
    stop($watch);
    return (\%held, @refreshes);
}

my $watch = start(@first, qw(countertop -b --format json -d 0.4));
next_refresh($watch); # the header
my ($known, @refreshes) = hold_up($watch, \&next_refresh, sub { $_[0]{interval} });
balances($_) for @refreshes;
my $at = first { $refreshes[$_]{interval} >= $known->{seconds} } 0 .. $#refreshes;
my ($before, $held) = @refreshes[$at - 1, $at];
ok(abs($held->{time} - $before->{time} - $held->{interval}) < 0.005,
    'the interval is as long as it was') or diag explain [@$_{qw(time interval)}] for $before, $held;
my $total = $held->{total}{counts}{'context-switches'};
# It did not begin and end just when we looked.
ok($total >= $known->{least} && $total <= $known->{most}, 'it has all the switches that there were')
    or diag "$total, the kernel says $known->{least} to $known->{most}";
my $nobodys = $held->{unattributed}{counts}{'context-switches'};
cmp_ok($nobodys, '>', 0.5 * $total, '... most of them nobody\'s');
my %player = map { $_ => 1 } @players;
my $theirs = sum0 map { $_->{counts}{'context-switches'} } grep { $player{$_->{pid}} } @{$held->{tasks}};
cmp_ok($theirs, '>', 0, '... and of those before the loss it is known whose they are');
# The kernel reports a loss with the next record: at once, but on a CPU that
# countertop has for itself that may be after the refresh.
my $lost = sum0 map { $_->{lost_records} } @refreshes[$at, $at + 1];
cmp_ok($lost, '>', 0.5 * $nobodys, 'the loss is told');
# Beside other work the storm itself may be too fast at its ends.
is(sum0(map { $_->{lost_records} } @refreshes[$RESTS .. $at - 1]), 0, '... where it was, and only there');
for my $refresh (@refreshes[0, -1]) {
    my $count = $refresh->{unattributed}{counts}{'context-switches'};
    cmp_ok($count, '<=', 0.02 * $refresh->{total}{counts}{'context-switches'} + $refresh->{lost_records},
        'else next to nothing is nobody\'s');
}

# As text: the summary lines.
sub interval_told {
    return $_[0] =~ /  interval ([\d.]+) s  / ? $1 : die "no interval: $_[0]";
}

$watch = start(@first, qw(countertop -b -d 0.4));
($known, my @lines) = hold_up($watch, sub {
    while (defined(my $line = next_line($_[0]))) {
        return $line if $line =~ /^countertop /;
    }
}, \&interval_told);
$at = first { interval_told($lines[$_]) >= $known->{seconds} } 0 .. $#lines;
like("@lines[$at, $at + 1]", qr/  lost [1-9]\d* records  /, 'the text says it');
unlike($_, qr/lost/, '... only then') for @lines[$RESTS .. $at - 1];

stop($_) for @storm;
done_testing;

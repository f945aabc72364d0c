#!/usr/bin/env perl
# Records are lost where countertop cannot read them in time: it is stopped in a storm of switches
# until its rings overflow. What was counted meanwhile is known, by whom is not: it is unattributed,
# in the interval that it belongs to, and the loss is told.
use strict;
use warnings;
use Countertop;
use List::Util qw(first sum0);
use Test::More;
use Time::HiRes qw(sleep time);

# Three times as many switches on a CPU as its ring has room for: at most 4 MiB of records, each of
# 40 bytes and 8 for each of the events here (engine/cpu_engine.c, engine/decode.h).
my @options = qw(-s software -e cpu-clock);
my $enough = 3 * (4 << 20) / 64;
# Outside the time of the loss there is none: a storm that gives way to countertop, lest it loses
# records wherever it has to wait for a CPU.
my @cpus = 0 .. `nproc` - 1;
my @mild = map { start('nice', '-n', 19, 'pingpong', '-c', $_, 1_000_000_000) } @cpus;
my @wild = map { start('pingpong', '-c', $_, 1_000_000_000) } @cpus;

sub slurp {
    open my $file, '<', $_[0] or die "$_[0]: $!";
    local $/;
    return readline $file;
}

# Context switches of the whole machine so far: proc(5).
sub switches {
    return slurp('/proc/stat') =~ /^ctxt (\d+)/m && $1;
}

# Those of a player, of which there are two in a game.
sub switches_of {
    return sum0(slurp("/proc/$_[0]{pid}/status") =~ /ctxt_switches:\s+(\d+)/g);
}

sub signal_storm {
    my ($signal, @storm) = @_;
    kill $signal => map { -$_->{pid} } @storm;
}

sub await {
    my ($condition) = @_;
    sleep 0.01 until $condition->();
}

sub balances {
    my ($refresh) = @_;
    for my $event (sort keys %{$refresh->{total}{counts}}) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
    }
}

# Held up between two refreshes until the storm, which begins and ends meanwhile, has filled the
# rings: {least, most: switches, seconds} of the interval that has it, and the refreshes from one
# in the storm before to one in the storm after it. interval() says how long one was.
sub hold_up {
    my ($watch, $next, $interval) = @_;
    signal_storm('STOP', @wild);
    $next->($watch);
    my @refreshes = $next->($watch);
    signal_storm('STOP', @mild);
    push @refreshes, $next->($watch);
    my %held = (most => -switches());
    push @refreshes, $next->($watch);
    kill STOP => $watch->{pid};
    await(sub { slurp("/proc/$watch->{pid}/stat") =~ /\) T / });
    my ($from, $start, @before) = (switches(), time, map { switches_of($_) } @wild);
    signal_storm('CONT', @wild);
    await(sub { !grep { switches_of($wild[$_]) < $before[$_] + $enough / 2 } @cpus });
    signal_storm('STOP', @wild);
    @held{qw(least seconds)} = (switches() - $from, time - $start);
    kill CONT => $watch->{pid};
    # It may have gone on to the next interval before it was stopped.
    push @refreshes, $next->($watch) until $interval->($refreshes[-1]) >= $held{seconds};
    $held{most} += switches();
    push @refreshes, $next->($watch);
    signal_storm('CONT', @mild);
    push @refreshes, map { $next->($watch) } 1 .. 2;
    stop($watch);
    return (\%held, @refreshes);
}

my $watch = start(qw(countertop -b --format json -d 0.4), @options);
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
my %player = map { $_->{pid} => 1 } @wild;
my $theirs = sum0 map { $_->{counts}{'context-switches'} }
    grep { $player{$_->{pid}} || $player{$_->{ppid}} } @{$held->{tasks}};
cmp_ok($theirs, '>', 0, '... and of those before the loss it is known whose they are');
# The kernel tells of a loss when it has something else to tell: at once, but on a CPU that
# countertop has for itself that may be after the refresh.
my $lost = sum0 map { $_->{lost_records} } @refreshes[$at, $at + 1];
cmp_ok($lost, '>', 0.5 * $nobodys, 'the loss is told');
my @others = grep { $_ != $at && $_ != $at + 1 } 0 .. $#refreshes;
is(sum0(map { $_->{lost_records} } @refreshes[@others]), 0, '... where it was, and only there');
for my $refresh (@refreshes[0, -1]) {
    my $count = $refresh->{unattributed}{counts}{'context-switches'};
    cmp_ok($count, '<=', 0.02 * $refresh->{total}{counts}{'context-switches'},
        'else next to nothing is nobody\'s');
}

# As text: the summary lines.
sub interval_told {
    return $_[0] =~ /  interval ([\d.]+) s  / ? $1 : die "no interval: $_[0]";
}

$watch = start(qw(countertop -b -d 0.4), @options);
($known, my @lines) = hold_up($watch, sub {
    while (defined(my $line = next_line($_[0]))) {
        return $line if $line =~ /^countertop /;
    }
}, \&interval_told);
$at = first { interval_told($lines[$_]) >= $known->{seconds} } 0 .. $#lines;
like("@lines[$at, $at + 1]", qr/  lost [1-9]\d* records  /, 'the text says it');
unlike($_, qr/lost/, '... only then') for @lines[grep { $_ != $at && $_ != $at + 1 } 0 .. $#lines];

signal_storm('CONT', @wild);
stop($_) for @wild, @mild;
done_testing;

#!/usr/bin/env perl
# Functions by samples of time: programs whose functions have 70, 20 and 10 of 100 by construction, with
# shares within what chance allows; rates, switches, a process that runs already, a recording.
use Countertop;
use List::Util qw(sum0);

my $dir = tempdir(CLEANUP => 1);

# The functions of the last refresh by name, and its line about sampling.
sub profile {
    my @refreshes = refreshes('--view', 'functions', @_);
    my %found;
    $found{$_->{function}} = $_ for @{$refreshes[-1]{functions}};
    return (\%found, $refreshes[-1]{sampling});
}

# Whether shares are as constructed: within four standard deviations of as many samples, since a
# test with three of them would fail each hundredth time, and what the machine adds.
sub is_constructed {
    my ($found, $prefix, $name) = @_;
    my %part = (seventy => 0.7, twenty => 0.2, ten => 0.1);
    my @of = map { $found->{"${prefix}_$_"} } sort keys %part;
    my $samples = sum0 map { $_->{samples} // 0 } @of;
    my $all = sum0 map { $_->{share} // 0 } @of;
    cmp_ok($all, '>', 0.5, "$name: the three functions have most of it") or diag explain [keys %$found];
    for my $part (sort keys %part) {
        my $share = ($found->{"${prefix}_$part"}{share} // 0) / ($all || 1);
        my $error = 4 * sqrt($part{$part} * (1 - $part{$part}) / ($samples || 1)) + 0.01;
        cmp_ok(abs($share - $part{$part}), '<=', $error, "$name: $part is $part{$part}, by chance $error off");
    }
    return $samples;
}

# ---- a command, from its first instruction to its end ----

my ($found, $sampling) = profile('--', 'shares', 'cycles', 20_000);
is_constructed($found, 'cycles', 'cpu-clock');
is($sampling->{rate}, 997, '... 997 times a second');
# Timers come late where the host runs something else.
cmp_ok(abs(($sampling->{explained} // 0) - 0.8), '<', 0.3, '... which explains the time on CPUs');
is($sampling->{lost}, 0, '... and nothing is lost');

# ---- rates ----

($found, $sampling) = profile('--sample', 'page-faults/499', '--', 'shares', 'faults', 2_000);
is($sampling->{rate}, 499, 'a rate');
cmp_ok($sampling->{samples}, '<', 20_000, '... makes fewer samples');
cmp_ok($sampling->{explained}, '<=', 1, '... that never stand for more than there was');

# ---- switches ----

SKIP: {
    skip 'context switches happen in the kernel, which may not be sampled here', 2 if $> != 0;
    my $switches = countertop('-b', '--format', 'folded', '--sample', 'context-switches', '--', 'shares', 'switches', 200)->{out};
    my %by;
    for (split /\n/, $switches) {
        my ($stack, $number) = /^(.*) (\d+)$/ or next;
        $by{$1} += $number if $stack =~ /;switches_(seventy|twenty|ten)\b/;
    }
    my $all = sum0 values %by;
    cmp_ok($all, '>', 10_000, 'switches have the functions that wait among their callers');
    cmp_ok(abs(($by{seventy} // 0) / ($all || 1) - 0.7), '<', 0.1, '... 70 of 100 in one of them');
}

# ---- a process that runs already, and a recording of it ----

my $file = "$dir/record.db";
my $work = start('shares', 'cycles');
countertop('-b', '-n', 4, '-d', 0.5, '--sample', 'cpu-clock', '--record', $file, '-p', $work->{pid}, '-o', '/dev/null');
stop($work);
my @rows = map { @{$_->{functions} // []} } refreshes('--replay', $file, '--view', 'functions');
my %told;
$told{$_->{function}}{samples} += $_->{samples} for @rows;
my $all = sum0(map { $_->{samples} } values %told) || 1;
$_->{share} = $_->{samples} / $all for values %told;
cmp_ok(is_constructed(\%told, 'cycles', 'a recording'), '>', 40, '... with its samples');

# Children that begin and then sleep: until their end nobody has told what they have counted, and the
# samples explain what is counted, not what has been told.
{
    my (undef, @refreshes) = refreshes(qw(-s software -d 2 --view functions --sample page-faults --engine task --),
        'sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 3 & done; wait');
    my ($first) = map { $_->{sampling} } @refreshes;
    cmp_ok($first->{samples}, '>', 1000, 'children that sleep are sampled');
    ok($first->{explained} > 0.9 && $first->{explained} <= 1.1, '... and explained in the interval in which they begin')
        or diag $first->{explained};
}

done_testing;

#!/usr/bin/env perl
# -f: plain text and conditions on columns; a mistake is reported with its column.
use Countertop;

my ($mine, $theirs) = map { $_->{pid} } start('spin', '-r'),
    start('setpriv', '--reuid=65534', '--clear-groups', 'spin', '-r');
for my $pid ($mine, $theirs) {
    select undef, undef, undef, 0.01 until slurp("/proc/$pid/comm") eq "spin\n";
}

# The pids shown, and those of the two programs among them, in the order of their numbers.
sub shown {
    my @arguments = @_;
    my $run = countertop('-b', '-n', 1, '-d', 0.2, @arguments);
    is($run->{status}, 0, "@arguments") or diag $run->{err};
    my %pids = map { /^ *(\d+) / ? ($1 => 1) : () } split /\n/, $run->{out};
    return (\%pids, join ' ', map { $_ == $mine ? 'mine' : 'theirs' }
        grep { $pids{$_} } $mine, $theirs);
}

for my $case (
    ['spin', 'mine theirs'],
    ['command = spin and user = nobody', 'theirs'],
    ["(pid = $mine or pid = $theirs) and cpu > 0", 'mine theirs'],
    ["(pid = $mine or pid = $theirs) and %cpu < 1k and CPU_PCT >= 0.01", 'mine theirs'],
    ["pid = $mine and 'faults/s' < 1M", 'mine'],
    ["NAME=$mine", ''], # no column of that name: plain text
) {
    my ($filter, $expected) = @$case;
    my ($pids, $ours) = shown('-f', $filter);
    is($ours, $expected, '... shows these');
    is(scalar(keys %$pids), $expected =~ tr/a-z//cdr ? scalar(split ' ', $expected) : 0,
        '... and no others') if $filter =~ /pid/;
}

# A text behind a long command line, as the class of a Java program: now, and in a recording.
my $long = start('perl', '-e', 'sleep 1 while 1', 'y' x 20_000, "text.of.$$");
my $recorded = tempdir(CLEANUP => 1) . '/long.db';
for my $options (['-p', $long->{pid}, '-n', 2, '--record', $recorded], ['--replay', $recorded]) {
    for my $filter ("'text.of.$$'", "text.of.$$", "command ~ 'text.of.$$'") {
        my $found = countertop('-b', '-d', 0.1, '-i', '-c', '-f', $filter, @$options);
        my ($last) = $found->{out} =~ /^ *$long->{pid} .* (perl -e .*)$/m;
        like($last // '', qr/^perl -e sleep 1 while 1 y+\+$/, "@$options[0,1] $filter: it is found, and cut with a mark");
        push @$options, '--force' if $options->[0] eq '-p';
    }
}
stop($long);

# Rows that add up, and CPUs, by their own numbers.
my $run = countertop('-b', '-n', 1, '-d', 0.2, '--view', 'users', '-f', 'user = nobody');
is(join(' ', $run->{out} =~ /^ *\d+ .* (\S+)$/mg), 'nobody', 'users');
$run = countertop('-b', '-n', 1, '-d', 0.2, '--view', 'commands', '-f', 'processes >= 2 and command = spin');
is(join(' ', $run->{out} =~ /^ *\d+ .* (\S+)$/mg), 'spin', 'commands');
$run = countertop('-b', '-n', 1, '-d', 0.2, '--view', 'cpus', '-f', 'processor = 0');
is(join(' ', $run->{out} =~ /^ *(\d+) +\S* +[\d.]+ /mg), '0', 'CPUs');

# ---- mistakes: one line, status 2, nothing on standard output ----

for my $case (
    ['cpu > fast', 'expected a number such as 0.5 or 10k at column 7: cpu > ^fast'],
    ['cpuu > 1', q{no column and no counted event 'cpuu' (nearest is 'cpu') at column 1: ^cpuu > 1}],
    ['user < web', q{'user' is a text: expected = != or ~ before it at column 8: user < ^web}],
) {
    my ($filter, $message) = @$case;
    my $run = countertop('-b', '-n', 1, '-f', $filter);
    is($run->{status}, 2, "$filter: wrong usage");
    is($run->{err}, "countertop: cannot filter: $message\n", '... and where');
    is($run->{out}, '', '... and nothing else');
}
$run = countertop('-b', '-n', 1, '-s', 'faults', '-f', 'migrations_per_s > 1');
is($run->{status}, 2, 'a metric of what is not counted');
is($run->{err}, "countertop: cannot filter: 'migrations_per_s' needs the event 'cpu-migrations', "
    . "which is not counted: -e adds it, at column 1: ^migrations_per_s > 1\n", '... is said to be one');
# What cannot be counted here is said in the words of --check.
my ($no_counters) = run('countertop', '--check')->{out} =~ /^ +(no hardware counters.*)$/m;
SKIP: {
    skip 'there are hardware counters', 1 if !defined $no_counters;
    is(countertop('-b', '-f', 'ipc < ')->{err}, "countertop: cannot filter: 'ipc' needs the event "
        . "'instructions', which is not counted: $no_counters, at column 1: ^ipc < \n", 'no remedy that does not help');
}
# Users that no row can have.
for my $case (['-f', 'user = nobdy'], ['-f', 'pid > 1 and user != nobdy'], ['--when', 'user = nobdy']) {
    my $run = countertop('-b', '-n', 1, @$case);
    like($run->{err}, qr/unknown user 'nobdy': .*; nearest is 'nobody', at column/, "@$case: an unknown user");
    is($run->{status}, 2, '... is wrong usage');
}
(undef, my $by_uid) = shown('-f', "(pid = $mine or pid = $theirs) and user = 65534");
is($by_uid, 'theirs', 'a uid is a user, too');
(undef, my $ours) = shown('-s', 'faults', '-e', 'cpu-migrations', '-f',
    "pid = $mine and migrations_per_s >= 0");
is($ours, 'mine', '... until it is');

done_testing;

#!/usr/bin/env perl
# Texts of cells: the amounts of --show, all digits, and agreement with the kernel's own counts over the
# same time.
use Countertop;
use Time::HiRes qw(sleep time);

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/cells.ini" or die "$dir: $!";
print $ini <<'END';
[metric ratio]
title = RATIO
expr = cpu-migrations / emulation-faults
[metric mega]
title = Mfault/s
unit = M/s
decimals = 3
width = 8
expr = page-faults / interval / 1000000
[screen cells]
events = page-faults,cpu-migrations,emulation-faults
columns = pid cpu_pct page-faults mega ratio command
END
close $ini;
my @screen = ('-b', '-W', $dir, '-s', 'cells', '-e', 'nopmu/config=1/');

# The next refresh of a countertop that was started, with one row: {title => cell}, and ' ' for its
# first line.
sub next_row {
    my ($program) = @_;
    my (@titles, %row);
    while (defined(my $line = next_line($program))) {
        $row{' '} = $line if $line =~ /^countertop /;
        @titles = split ' ', $line if $line =~ /^ *PID /;
        next if !@titles || $line !~ /^ *\d+ /;
        @row{@titles} = split ' ', $line, @titles;
        return \%row;
    }
    die 'no row';
}

# A program that waits; it has had no fault since countertop is there, and did not run.
my $count = 30_000;
my $work = start('faults', $count);
my ($pid) = next_line($work) =~ /^ready (\d+)/ or BAIL_OUT('faults is not ready');
my @one = ('-p', $pid, '-i', '-d', 0.3);

# Amounts: the same faults in three ways.
my @exact = ('countertop', @screen, @one, '--engine', 'task', '--exact', '--show');
my %watch = map { $_ => start(@exact, $_) } qw(rate interval total);
next_row($_) for values %watch;
print {$work->{in}} "now\n";
my ($faults) = next_line($work) =~ /^done (\d+)$/;
my %titles = (rate => 'fault/s', interval => 'fault', total => 'fault');
my %text = (rate => 'a second', interval => 'in the interval', total => 'since the start');
my (%sum, %seconds);
# Printing that it is done may take a few faults of its own.
my $most = $faults + 16;
for my $amount (qw(rate interval total)) {
    my ($sum, $end) = (0, time + 100);
    my $enough = ($amount eq 'rate' ? 0.99 : 1) * $faults; # a rate is rounded, and so is the interval
    until ($sum >= $enough || time > $end) {
        my $row = next_row($watch{$amount});
        like($row->{' '}, qr/  counts $text{$amount}  /, "--show $amount: the first line")
            if !$sum;
        my ($interval) = $row->{' '} =~ /interval ([\d.]+) s/;
        my $shown = $row->{$amount eq 'rate' ? 'faults/s' : 'faults'};
        is($row->{$titles{$amount}}, $shown, "... a metric has all its digits, too");
        $sum = $amount eq 'total' ? $shown : $sum + $shown * ($amount eq 'rate' ? $interval : 1);
    }
    if ($amount eq 'rate') {
        cmp_ok(abs($sum - $faults), '<', 0.02 * $faults, '... times the interval: all faults');
    } else {
        cmp_ok($sum, '>=', $faults, '... all faults');
        cmp_ok($sum, '<=', $most, '... and no more');
    }
}
my $later = next_row($watch{total});
cmp_ok($later->{faults}, '>=', $faults, 'a total stays');
cmp_ok($later->{faults}, '<=', $most, '... what it is');
is(next_row($watch{interval})->{faults}, '0', 'an interval without has none');
stop($_) for values %watch;
finish($work);

# Truth: what the kernel says of a process that is stopped before and after.
sub switches {
    my $sum = 0;
    $sum += $_ for map { slurp_or_empty($_) =~ /ctxt_switches:\s+(\d+)/g } glob "/proc/$_[0]/task/*/status";
    return $sum;
}

sub migrations {
    my @each = map { slurp_or_empty($_) =~ /nr_migrations\s*:\s*(\d+)/ } glob "/proc/$_[0]/task/*/sched";
    return @each ? eval { my $sum = 0; $sum += $_ for @each; $sum } : undef;
}

sub is_stopped {
    my @states = map { slurp_or_empty($_) =~ /^State:\s+(\S)/m } glob "/proc/$_[0]/task/*/status";
    return @states && !grep { $_ ne 'T' } @states;
}

sub halt {
    my ($pid) = @_;
    my $end = time + 100;
    kill STOP => $pid;
    sleep 0.01 until is_stopped($pid) || time > $end;
}

my $game = start(qw(pingpong -t -c 0 100000000000));
sleep 0.01 until switches($game->{pid}) > 1000;
halt($game->{pid});
my @before = (switches($game->{pid}), migrations($game->{pid}));
my $top = start(qw(countertop -b --show total --exact -d 0.3 -i --engine task -s software -e),
    'context-switches,cpu-migrations', '-p', $game->{pid});
my $row = next_row($top);
is($row->{ctxsw}, '0', 'a process that is stopped switches no more');
kill CONT => $game->{pid};
chomp(my $cpus = `nproc`);
my $limit = time + 100;
for my $move (1 .. 20) {
    # Two migrations before a thread runs again are one of perf's.
    run('taskset', '-a', '-cp', $move % $cpus, $game->{pid});
    my $seen = switches($game->{pid});
    sleep 0.01 until switches($game->{pid}) > $seen + 10 || time > $limit;
}
halt($game->{pid});
my @after = (switches($game->{pid}), migrations($game->{pid}));
my $switched = $after[0] - $before[0];
my $end = time + 100;
$row = next_row($top) until $row->{ctxsw} >= $switched || time > $end;
$row = next_row($top); # in which no more come
is($row->{ctxsw}, $switched, 'context switches are those of /proc/PID/status');
SKIP: {
    skip 'this kernel has no /proc/PID/sched', 2 if !defined $after[1];
    is($row->{migr}, $after[1] - $before[1], 'migrations are those of /proc/PID/sched');
    skip 'one CPU alone', 1 if $cpus < 2;
    cmp_ok($row->{migr}, '>=', 10, '... and there were some');
}
stop($top);
kill CONT => $game->{pid};
stop($game);

done_testing;

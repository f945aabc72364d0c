#!/usr/bin/env perl
# Texts of cells: the amounts of --show, all digits, and agreement with the kernel's own counts over the
# same time.
use Countertop;
use Script;
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

# Amounts: the same faults in three ways, and a metric of them, with all digits.
my %amounts = (rate => ['a second', '/s', 15000, 6], interval => ['in the interval', '', 30000, 12],
    total => ['since the start', '', 30000, 30012]);
for my $amount (sort keys %amounts) {
    my ($text, $unit, @expected) = @{$amounts{$amount}};
    my $script = Script->new('task 101 name=faulty');
    $script->next_after(2, "run 101 oncpu=0.5 page-faults=$_") for 30000, 12;
    my $out = $script->run(@screen, '-n', 2, '--exact', '--show', $amount)->{out};
    like($out, qr/^countertop .*  counts $text  /m, "--show $amount: the first line");
    my ($titles, @rows) = map { [split] } $out =~ /^( *(?:PID|101) .*)/mg;
    for my $title ("faults$unit", "fault$unit") { # the event, and the metric
        my ($at) = grep { $titles->[$_] eq $title } 0 .. $#$titles;
        is_deeply([map { $_->[$at] } grep { $_->[0] eq '101' } @rows], \@expected, "... $title");
    }
}

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

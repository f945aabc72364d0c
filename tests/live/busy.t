#!/usr/bin/env perl
# CPUs' busy time: never more than the interval, whatever its length; and the load of the whole
# machine beside that of the watched tasks.
use Countertop;
use List::Util qw(max sum0);
use Time::HiRes 'time';

my $dir = tempdir(CLEANUP => 1);
chomp(my $cpus = `nproc`);

# Every CPU computes all the time, with one more than there are, so that they also move.
my $spin = start('spin', '-n', $cpus + 1);

# The time of rows is told in whole ns.
my $round = 1e-8;

# What of these refreshes has more time than there was.
sub excess {
    my ($cpus, @refreshes) = @_;
    my @wrong;
    for my $refresh (@refreshes) {
        my $interval = $refresh->{interval};
        push @wrong, "$refresh->{seq}: cpu $_->{cpu}: $_->{metrics}{cpu_pct} %"
            for grep { $_->{oncpu} > $interval + $round || $_->{metrics}{cpu_pct} > 100 + 1e-6 }
            @{$refresh->{cpus}};
        push @wrong, "$refresh->{seq}: $_->{comm} $_->{tid}: $_->{metrics}{cpu_pct} %"
            for grep { $_->{oncpu} > ($_->{threads} || 1) * $interval + $round }
            grep { defined $_->{oncpu} } @{$refresh->{tasks}};
        my $sum = sum0(map { $_->{oncpu} // 0 } @{$refresh->{tasks}});
        push @wrong, "$refresh->{seq}: all tasks $sum s of $cpus * $interval s"
            if $sum > $cpus * $interval + $round * @{$refresh->{tasks}};
    }
    return @wrong;
}

# 200 rows of CPUs, 80 of the longer intervals; the interval before the first refresh is another.
for ([0.05, 200], [0.2, 80]) {
    my ($delay, $rows) = @$_;
    my $count = int($rows / $cpus) + 1;
    my (undef, @refreshes) = refreshes('-H', '-d', $delay, '-n', $count, '-e', 'cpu-clock');
    is(scalar map({ @{$_->{cpus}} } @refreshes), $cpus * $count, "-d $delay: all CPUs have rows");
    is_deeply([excess($cpus, @refreshes)], [], '... none with more time than the interval has');
    is((grep { abs(sum0(map { $_->{oncpu} } @{$_->{tasks}}) -
                sum0(map { $_->{oncpu} } @{$_->{cpus}})) > $round * @{$_->{tasks}} } @refreshes), 0,
        '... the time of the CPUs is that of the tasks, exactly');
    # All that is missing, beside idle, is what nobody knows whose it is.
    my ($capacity, $told, $unknown) = (0, 0, 0);
    for my $refresh (@refreshes) {
        $capacity += $cpus * $refresh->{interval};
        $told += sum0(map { $_->{oncpu} } @{$refresh->{tasks}});
        $told += $refresh->{idle}{counts}{'cpu-clock'} / 1e9;
        $unknown += $refresh->{unattributed}{counts}{'cpu-clock'} / 1e9;
    }
    ok($told <= 1.01 * $capacity && $told + $unknown >= 0.97 * $capacity,
        '... tasks and idle fill them') or diag "$told + $unknown s of $capacity s";
    is((grep { $_->{self}{cpu_seconds} > $cpus * $_->{self}{seconds} } @refreshes), 0,
        '... and the own cost is of the time in which it was measured');
}

for my $threads ([], ['-H']) {
    my (undef, @refreshes) = refreshes(@$threads, qw(--engine task -d 0.05 -n 40 -p spin));
    is_deeply([excess($cpus, @refreshes)], [], "engine task @$threads: nor are tasks that are read");
    my ($time, $interval) = (0, 0);
    for (@refreshes) {
        $time += sum0(map { $_->{oncpu} } task($_, 'spin'));
        $interval += $_->{interval};
    }
    cmp_ok($time, '>', 0.05 * $interval, '... which ran') or diag "$time of $interval s";
}

# A short interval is no reason for thousands of per cent.
my $run = countertop(qw(-b -d 0.05 -n 5 -- true));
my @self = $run->{out} =~ /^countertop .* self ([\d.]+) % cpu$/mg;
ok(@self && max(@self) <= 100 * $cpus, 'self of a short command') or diag $run->{out};

# The machine.
my $sleeper = start(qw(sleep 1000));
for my $engine ('cpu', 'task') {
    my ($header, @refreshes) = refreshes(qw(-d 0.5 -n 3 --engine), $engine, '-p', $sleeper->{pid});
    for my $refresh (@refreshes) {
        my $machine = $refresh->{machine};
        is("@{[map { $_->{cpu} } @{$machine->{cpus}}]}", "@{$header->{cpus}}",
            "engine $engine: the machine's CPUs");
        ok($machine->{busy} > 0.9 && $machine->{busy} <= 1, '... are busy') or
            diag $machine->{busy};
        is((grep { $_->{busy} <= 0.8 || $_->{busy} > 1 } @{$machine->{cpus}}), 0, '... each of them');
        is($machine->{reason}, undef, '... and no reason is needed');
        is_deeply([map { $_->{busy} } @{$refresh->{cpus}}],
            $engine eq 'cpu' ? [map { $_->{busy} } @{$machine->{cpus}}] : [],
            '... the same in rows of CPUs');
    }
}
my $busy = qr/busy [\d.]+ of $cpus CPUs?/;
$run = countertop(qw(-b -d 0.2 -n 1));
like($run->{out}, qr/^countertop .* interval \S+ s  $busy  counts/m, 'text: busy');
$run = countertop(qw(-b -d 0.2 -n 1 -p), $sleeper->{pid});
like($run->{out}, qr/^countertop .*  watched 0\.00 CPUs  $busy  counts/m, '... and watched');

# Pressure: two that share a CPU, compared with the kernel's own sum.
SKIP: {
    my $file = '/proc/pressure/cpu';
    skip 'this kernel keeps no pressure', 6 if !-e $file;
    my @pair = map { start('spin', '-c', 0) } 1 .. 2;
    my $total = sub { slurp($file) =~ /^some .*total=(\d+)/m ? $1 / 1e6 : die };
    my $watch = start(qw(countertop -b --format json -d 0.2 --record), "$dir/pressure.db", '-p', $pair[0]{pid});
    next_refresh($watch); # the header
    # The test looks at the kernel's sum later than countertop did.
    my ($refresh, $late, $sum, @machine) = (next_refresh($watch), 0, 0);
    my $look = sub {
        my $now = $total->();
        $late += time - $refresh->{time};
        return $now;
    };
    my $from = $look->();
    for (1 .. 5) {
        $refresh = next_refresh($watch);
        push @machine, $refresh->{machine};
        $sum += $refresh->{machine}{pressure}{cpu}{some} * $refresh->{interval};
    }
    my $kernel = $look->() - $from;
    stop($watch);
    ok(abs($sum - $kernel) < 0.1 * $kernel + 0.02 + $late, 'pressure is what the kernel says')
        or diag "$sum of $kernel, late $late s";
    cmp_ok($sum, '>', 0.8, '... two on one CPU are short of it');
    is($machine[0]{pressure}{cpu}{full}, undef, '... and all tasks never are: not defined for the machine');
    my @again = map { $_->{machine} } grep { $_->{type} eq 'refresh' } refreshes('--replay', "$dir/pressure.db");
    is_deeply($again[1], $machine[0], '... in a recording, too');
    like(countertop('-b', qw(-n 2 -d 0.2))->{out}, qr/  pressure cpu +\d+%/, '... in text');
    like(countertop('-b', qw(-n 2 -d 0.2 --format openmetrics))->{out},
        qr/^countertop_pressure_seconds_total\{resource="cpu",kind="some"\} 0\.[1-9]/m, '... and for Prometheus');
    stop($_) for @pair;
}

stop($_) for $spin, $sleeper;
done_testing;

#!/usr/bin/env perl
# Waits on a machine with four CPUs, by a real kernel: who had the CPU meanwhile, of loops with nice
# values on two of them; how long known sleeps are; functions by elapsed time.
use Countertop;
use List::Util qw(max min sum0);
use MIME::Base64;

my %loops = (2 => [0, 5], 3 => [0, 10]); # nice values by CPU
my $start;
for my $cpu (sort keys %loops) {
    $start .= "cp /bin/spin n$_; ./n$_ -c $cpu -y $loops{$cpu}[substr $_, 1] &\n"
        for map { "$cpu$_" } 0 .. $#{$loops{$cpu}};
}
my $run = guest(<<END . <<'END', '--smp', 4, '--shift', 3, '--seconds', 300);
$start
END
countertop -b --format json --engine cpu -C 2,3 -d 1 -n 7 -s waits -H --waits-over 4
END
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my ($header, @refreshes) = json_lines($run->{out});

sub ns { return sprintf '%.0f', $_[0] * 1e9 }
sub parts { return sum0((map { ns($_->{seconds}) } @{$_[0]{taken_by} // []}), map { ns($_) } values %{$_[0]{taken} // {}}) }

# Who ran instead.
my ($time, $off, %oncpu, %taken, %waited, %sure) = (0, 0);
for my $refresh (@refreshes[3 .. $#refreshes]) {
    is($refresh->{lost_records}, 0, 'nothing is lost');
    $time += $refresh->{interval};
    for my $task (grep { $_->{counts}{'wait-time'} } @{$refresh->{tasks}}) {
        $off = max($off, abs(parts($task) - $task->{counts}{'wait-time'}));
        my $name = $task->{comm};
        next if $name !~ /^n\d\d$/;
        $oncpu{$name} += $task->{oncpu};
        $waited{$name} += $task->{counts}{'wait-time'} / 1e9;
        # With what interrupts had of it.
        my $theirs = sum0 map { $_->{seconds} } @{$task->{taken_by}};
        my $whole = $theirs ? 1 + $task->{taken}{interrupts} / ($theirs + $task->{taken}{others}) : 1;
        $taken{$name}{$_->{comm}} += $_->{seconds} * $whole for @{$task->{taken_by}};
        $sure{$name} += grep { !$_->{exact} } @{$task->{taken_by}};
    }
}
is($off, 0, 'the parts of each thread\'s waiting are all of it, to the nanosecond');
is_deeply([sort keys %oncpu], [map { my $cpu = $_; map { "n$cpu$_" } 0 .. $#{$loops{$cpu}} } sort keys %loops], 'all loops waited');
for my $name (sort keys %oncpu) {
    my ($cpu) = $name =~ /^n(\d)/;
    for my $other (grep { $_ ne $name && /^n$cpu/ } sort keys %oncpu) {
        # Slices at the beginning and the end of that time are known up to a turn of the emulator, which is late
        # beside load; live/taken.t has the bound of 0.1 %.
        my $off = abs(($taken{$name}{$other} // 0) - $oncpu{$other});
        cmp_ok($off, '<', 0.01 * $oncpu{$other} + 0.03, sprintf '%s waited while %s ran: %.6f s of %.6f', $name, $other, $taken{$name}{$other} // 0, $oncpu{$other});
    }
    is((grep { /^n/ && !/^n$cpu/ } keys %{$taken{$name}}), 0, "... and not for those of the other CPU");
    is($sure{$name}, 0, '... certainly: it was preempted and stayed there');
    cmp_ok(abs(($waited{$name} + $oncpu{$name}) / $time - 1), '<', 0.01, sprintf '... and ran or waited for %.6f s of %.6f', $waited{$name} + $oncpu{$name}, $time);
}
my $ratio = $oncpu{n20} / $oncpu{n21};
cmp_ok(abs($ratio / (1024 / 335) - 1), '<', 0.1, sprintf 'a nice value of 5 less has %.2f times the CPU: by the weights %.2f', $ratio, 1024 / 335);

# Single waits of the loops.
my @long = map { @{$_->{long_waits} // []} } @refreshes;
cmp_ok(scalar @long, '>', 50, 'waits of more than 4 ms');
is((grep { ns($_->{seconds}) < 4e6 } @long), 0, '... none is shorter');
my @strange = grep { my ($cpu) = $_->{comm} =~ /^n(\d)/; $cpu && ($_->{taker_comm} // '') !~ /^n$cpu/ } @long;
cmp_ok(@strange, '<=', @long / 20, '... who had the CPU of a loop was another loop there') or diag explain \@strange;

# Known sleeps are in their buckets, as many of each; as many waits as wake-ups.
$run = guest(<<'END', '--smp', 4);
taskset 2 sleepers -a 1 -l 0 >ready & pid=$!
until [ -s ready ]; do usleep 10000; done
countertop -b --format json --engine cpu -d 1 -n 5 -s waits -H -p $pid --record sleeps.db || exit
echo recorded
base64 sleeps.db
kill $pid
echo functions
for by in cpu wall; do countertop -b --format json --view functions --sample cpu-clock/499 --by $by -- serial 2000 || exit; done
END
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my ($sleeps, $recorded, $functions) = split /^(?:recorded|functions)\n/m, $run->{out};
(undef, @refreshes) = json_lines($sleeps);
my $db = File::Temp->new;
print $db decode_base64($recorded);
$db->flush;
sub sql { return split /\n/, run('sqlite3', '-readonly', "$db", $_[0])->{out} }
my ($tid) = map { $_->{tid} } grep { $_->{comm} eq 'sleepers' && $_->{tid} != $_->{pid} } @{$refreshes[-1]{tasks}};
my $of = "FROM wait_facts, json_each(spans) WHERE ident IN (SELECT ident FROM tasks WHERE tid = $tid)";
my %kinds = map { split /\|/ } sql("SELECT kind, sum(value) $of GROUP BY kind");
my $wakeups = sum0 map { $_->{counts}{wakeups} // 0 } map { grep { $_->{tid} == $tid } @{$_->{tasks}} } @refreshes;
is($kinds{wakeup}, $wakeups, "$wakeups wake-ups, as many waits");
cmp_ok(abs($kinds{sleep} - $wakeups), '<=', 1, '... and a sleep before each');
# A CPU that the emulator does not run at that moment wakes late, or goes to sleep when the timer runs already.
my %sleeps = my %near = map { $_ => 0 } 0, 1, 10, 100;
for (sql("SELECT key, value $of AND kind = 'sleep'")) {
    my ($least, $times) = split /\|/;
    my ($length) = grep { $least > $_ * 0.89e6 } 100, 10, 1, -1;
    $sleeps{max($length, 0)} += $times;
    $near{$length} += $times if $least < $length * 1.13e6;
}
my $short = delete $sleeps{0};
cmp_ok($short, '<=', sum0(values %sleeps) / 20, 'hardly a sleep of 1, 10 or 100 ms is shorter') or diag explain \%sleeps;
cmp_ok(min(values %sleeps), '>', 20, '... and there are many');
cmp_ok(max(values %sleeps) - min(values %sleeps), '<=', 3 + $short, '... as many of each, but for late ones') or diag explain \%sleeps;
cmp_ok($near{$_} / $sleeps{$_}, '>', 0.9, "... those of $_ ms in their bucket") for sort { $a <=> $b } keys %sleeps;

# Functions: two seconds alone, then two on two threads. The emulator runs CPUs in turns of 2 ms, so that more
# samples a second would find one thread at a time; by wall some do. live/bywall.t has the bound of 3 points.
my %expected = (cpu => {alone => 33, together => 67}, wall => {alone => 50, together => 50});
my %last;
$last{$_->{sampling}{running} ? 'wall' : 'cpu'} = $_ for grep { $_->{type} eq 'refresh' && @{$_->{functions}} } json_lines($functions);
for my $by (sort keys %expected) {
    my %share = map { $_->{function} =~ /^part_(\w+)$/ ? ($1 => $_->{share}) : () } @{$last{$by}{functions}};
    my $all = sum0 values %share;
    for my $part (sort keys %{$expected{$by}}) {
        my $percent = 100 * ($share{$part} // 0) / ($all || 1);
        cmp_ok(abs($percent - $expected{$by}{$part}), '<=', $by eq 'cpu' ? 4 : 8, sprintf 'by %s: %s has %.1f of 100', $by, $part, $percent);
    }
}
done_testing;

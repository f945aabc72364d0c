#!/usr/bin/env perl
# Each child of a command has a row with exactly the instructions that it retired. Where the kernel
# does not tell them without privilege, the row of the command is the sum, and the notice says so.
use Countertop;
use List::Util qw(sum0 uniq);

my $script = <<'END';
exec 2>errors
brood -n -p -i 2 1000 # brings the program into memory
for events in instructions:u cycles,instructions:u; do
    countertop -b --format json -s software -e $events -- brood -n -p -i 20 1000000
    countertop -b --format json -s software -e $events -- brood -n -i 5 1000000 # threads
done
for events in instructions:u page-faults,cycles,instructions:u,cpu-clock; do
    countertop -b --format json --engine task -s software -e $events -- brood -n -p -i 20 1000000
done
# Children of children, one after the other and at once; live, too; and with more events than there are
# counters.
echo 3 >/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms
for options in '' '-d 1' '-e r08,r11,r08:u,r11:u,r08:k,r11:k,cycles,instructions,cycles:u,cycles:k,instructions:k'; do
    n=1000000
    [ "${options#*r08}" = "$options" ] || n=10000000
    countertop -b --format json --engine task -s software -e instructions:u $options -- \
        sh -c "brood -n -p -i 5 $n; sh -c 'brood -n -p -i 5 $n & brood -n -p -i 5 $n; wait'"
done
cat errors
END

# The emulator counts for the whole machine: if it goes on to CPU 1 in the middle of a program, what
# that retires is added to the program's instructions, with counters of the task, too. That is little
# with the first kernel, and anything with the later one: then no spread is given.
sub check_children {
    my ($name, $spread, @children) = @_;
    my @counts = map { $_->{counts}{'instructions:u'} } @children;
    my ($first) = sort { $a <=> $b } @counts;
    ok($first >= 1000000 && $first < 1001000, "$name: ... of a million instructions, and few more") or diag "@counts";
    return if !defined $spread;
    my @odd = grep { $_ - $first > $spread } @counts;
    is("@odd", '', "$name: ... each exactly as many") or diag "@counts";
}

# Events that take turns are estimates, but two of a group that count the same, as each instruction
# takes a cycle here, are the same in each row, and none is another event's. Cycles in the kernel are
# some more, where the machine waits.
sub check_twins {
    my ($name, @tasks) = @_;
    for (['instructions:u', 'r08:u', 0], ['r08:u', 'r11:u', 0], ['instructions:k', 'cycles:k', 0.05]) {
        my ($one, $other, $part) = @$_;
        my @known = grep { defined $_->{counts}{$one} } @tasks;
        cmp_ok(scalar(@known), '>', 5, "$name: $one is known");
        my @odd = grep { abs($_->{counts}{$one} - $_->{counts}{$other}) > 1 + $part * $_->{counts}{$one} } @known;
        is_deeply(\@odd, [], "$name: ... and equal to $other");
    }
}

sub check_run {
    my ($cpus, $tells, $header, $last) = @_;
    my $command = $header->{command};
    my $name = "$cpus CPUs, $header->{kernel}, $header->{engine}, " . @{$header->{events}} . " events, '$command'";
    my @tasks = @{$last->{tasks}};
    my $all = sum0 map { $_->{counts}{'instructions:u'} } @tasks;
    my $turns = grep { $_->{name} eq 'r08' } @{$header->{events}};
    is_deeply([uniq map { %{$_->{coverage}} } @tasks], [], "$name: nothing is estimated") if !$turns;
    if ($header->{engine} eq 'task') {
        # A total of multiplexed counts is scaled by the sums of times, so estimates of rows do not add up to it.
        is($all, $last->{total}{counts}{'instructions:u'}, "$name: rows add up to the total") if !$turns;
        my $least = $command =~ /^sh / ? 15000000 : $command =~ / -p / ? 20000000 : 5000000;
        cmp_ok($all, '>', $least, "$name: ... which has all of them") if !$turns;
        if (!$tells) {
            is(scalar(@tasks), 1, "$name: one row");
            return like($header->{notice} // '', qr/the processes of the command are counted together: this kernel/,
                "$name: ... why is said");
        }
        is_deeply([grep { $_->{counts}{'cpu-migrations'} > 100 || $_->{counts}{'page-faults'} > 500 } @tasks], [],
            "$name: no row has counts of another event");
        return check_twins($name, @tasks) if $turns;
    }
    return if $command !~ / -p /;
    my @children = grep { $_->{comm} eq 'brood' && $_->{counts}{'page-faults'} < 50 } @tasks;
    is(scalar(@children), $command =~ /^sh / ? 15 : 20, "$name: each child has a row");
    check_children($name, $cpus == 1 ? 0 : $tells ? undef : 20000, @children);
}

for my $kernel ('vmlinuz', 'vmlinuz.new') {
    for my $cpus (1, 2) {
      SKIP: {
            skip 'no kernel of a later release could be fetched', 1 if !-e "$ENV{TOP}/build-arm64/sysroot/$kernel";
            my $run = guest($script, '--smp', $cpus, '--kernel', $kernel, '--append', 'norandmaps');
            is($run->{status}, 0, "$cpus CPUs, $kernel: the script ends well") or diag $run->{out}, $run->{err};
            my @lines = json_lines($run->{out} =~ s/^[^{].*\n//mgr);
            my @runs;
            for (@lines) {
                push @runs, [] if $_->{type} eq 'header';
                push @{$runs[-1]}, $_;
            }
            is((grep { @$_ > 1 } @runs), 9, "$cpus CPUs, $kernel: all runs have told");
            check_run($cpus, $kernel eq 'vmlinuz.new', @$_[0, -1]) for @runs;
        }
    }
}
# There are no events on a CPU that was offline when the command was started: its numbers are withdrawn.
SKIP: {
    skip 'no kernel of a later release could be fetched', 3 if !-e "$ENV{TOP}/build-arm64/sysroot/vmlinuz.new";
    my $run = guest(<<'END', '--smp', 2, '--kernel', 'vmlinuz.new');
cpu=/sys/devices/system/cpu/cpu1/online
for wakes in true "echo 1 >$cpu"; do
    echo 0 >$cpu
    countertop -b -e instructions:u -- sh -c "$wakes; brood -n -p -i 2 1000000"
done
END
    my ($without, $with) = split /^(?=countertop )/m, $run->{out} =~ s/\A.*?(?=^countertop )//msr;
    like($without // '', qr/^ *\d+ .* [1-9]\d*\b.* brood$/m, 'a CPU that stays offline: numbers') or diag $run->{out};
    like($with // '', qr/not all of the command is counted: a CPU came online after its start/, 'one that comes online: the reason');
    like($with // '', qr/^ *\d+ [^-\n]*(?: +-)+ brood$/m, '... in place of numbers');
}
done_testing;

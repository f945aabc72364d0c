#!/usr/bin/env perl
# Several names of one event give the same count: perf's, the PMU's, the raw code and libpfm4's for
# this processor. Also features that the host's kernel may lack: probes in the kernel.
use Countertop;
use List::Util qw(max min);

# libpfm4's table for the processor; it has none for the Cortex-A72 (version 4.13).
my %table = ('neoverse-n1' => 'arm_n1', 'cortex-a57' => 'arm_ac57', 'cortex-a72' => undef);
my $script = <<'END';
pmu=$(ls -d /sys/bus/event_source/devices/armv8* | head -n 1); pmu=${pmu##*/}
for list in "instructions,$pmu/inst_retired/,$1" "cycles,$pmu/cpu_cycles/,$2"; do
    countertop -b --format json -d 0.2 -n 3 --engine cpu -s software -e "{$list}" || exit
done
countertop -b --format json -d 0.2 -n 1 -e "$3"
countertop -b --format json -n 1 --engine cpu -e "{instructions,cycles:D},r8:e" || exit
for name in arm_n1::L1D_CACHE_REFILL:u arm_v1::STALL_BACKEND arm_v1::INST_SPEC; do
    LIBPFM_FORCE_PMU=${name%%::*} countertop -b --format json -n 1 -e "$name" || exit
done
END

# The program waits for a line, which comes when it is watched.
my $probes = <<'END';
mkfifo in
marks 500 300 20 >out <in & marks=$!
exec 3>in
until read ready pid address <out 2>/dev/null; do usleep 10000; done
countertop -b --format json -d 0.5 -n 6 --engine cpu -p "$pid" \
    -e "mem:$address/8:w,uprobe:/bin/marks:leave_mark,kprobe:__arm64_sys_nanosleep" \
    -e "kretprobe:__arm64_sys_nanosleep,kprobe:__arm64_sys_clock_nanosleep,kprobe:no_such_function" >json & top=$!
until [ -s json ] && [ "$(wc -l <json)" -ge 2 ] || ! kill -0 $top; do usleep 10000; done
echo now >&3
wait $top || exit
exec 3>&-
wait $marks
cat json
END

sub counts {
    my ($row, @names) = @_;
    return map { $row->{counts}{$_} // 'null' } @names;
}

for my $cpu (sort keys %table) {
    my @same = (['instructions', 'r8', 'inst_retired'], ['cycles', 'cpu-cycles', 'r11']);
    if (my $table = $table{$cpu}) {
        push @{$same[0]}, 'INST_RETIRED', "${table}::INST_RETIRED";
        push @{$same[1]}, 'CPU_CYCLES', "${table}::CPU_CYCLES";
    }
    my @lists = map { join ',', @$_[1 .. $#$_] } @same;
    my $other = $cpu eq 'neoverse-n1' ? 'arm_ac57::INST_RETIRED' : 'arm_n1::INST_RETIRED';
    my $arguments = join ' ', map { "'$_'" } @lists, $other;
    my $with_probes = $cpu eq 'neoverse-n1'; # the same kernel runs on each
    my $run = guest("set -- $arguments\n$script" . ($with_probes ? $probes : ''), '--cpu', $cpu, '--shift', 2);
    is($run->{status}, 0, "$cpu: the script ends well") or diag grep { !/^\{/ } $run->{out} =~ /^.*\n/mg;
    my @lines = json_lines($run->{out});

    for my $set (@same) {
        my ($header, @refreshes) = splice @lines, 0, 4;
        my %event = map { $_->{name} => $_ } @{$header->{events}};
        my @wrong = grep { $event{$_}{state} ne 'counted' } @$set;
        # Newer libpfm4 does not know this PMU for each processor that it has a table of.
        my %unknown = map { $_ => 1 } grep { $event{$_}{reason} =~ /^libpfm4 does not know this machine's PMU / } @wrong;
        my @known = grep { !$unknown{$_} } @$set;
        is(join(' ', grep { !$unknown{$_} } @wrong), '', "$cpu: all are counted")
            or diag map { "$_: $event{$_}{reason}\n" } @wrong;
        # The counters of a group begin one after the other, and are read so; an interrupt may come
        # between, which takes some thousand instructions of 4 cycles each. Counts are some millions.
        for my $refresh (@refreshes[1, 2]) {
            my @counts = counts($refresh->{total}, @known);
            cmp_ok($counts[0], '>', 100_000, "$cpu: $set->[0] happen");
            cmp_ok(max(@counts) - min(@counts), '<', 40_000, "... as often as @known[1 .. $#known]")
                or diag "@counts";
        }
        next if !$table{$cpu};
        SKIP: {
            skip "libpfm4 here does not know the PMU of this $cpu", 1 if %unknown;
            like($event{$set->[-1]}{encoding}, qr/^armv8_\S+ type=\d+ config=0x(8|11) $set->[-1]:/,
                '... and the encoding says so');
        }
    }
    my ($foreign) = grep { $_->{name} eq $other } @{(splice @lines, 0, 2)[0]{events}};
    is($foreign->{state}, 'unsupported', "$cpu: $other is another processor's");
    like($foreign->{reason}, qr/^it is an event of ARM .*, which this machine is not$/,
        '... and says so');
    my ($header) = splice @lines, 0, 2;
    is((grep { $_->{name} =~ /[De]$/ && $_->{state} ne 'counted' } @{$header->{events}}), 0,
        "$cpu: pinned and exclusive events count");

    for ([qr/ config=0x3 arm_n1::L1D_CACHE_REFILL:/], [qr/ config=0x24 arm_v1::STALL_BACKEND:/],
        [qr/ config=0x1b arm_v1::INST_SPEC:/]) {
        my ($encoding) = @$_;
        my ($forced) = splice @lines, 0, 2;
        is((grep { ($_->{encoding} // '') =~ $encoding } @{$forced->{events}}), 1,
            "$cpu: $encoding by libpfm4's tables for others");
    }

    next if !$with_probes;
    ($header, my @refreshes) = @lines;
    my %event = map { $_->{name} => $_ } @{$header->{events}};
    my @rows = map { task($_, 'marks') } @refreshes;
    for (
        [qr/^mem:/, 500],
        [qr/^uprobe:/, 300],
        [qr/^kprobe:.*sys_nanosleep/, 0],
        [qr/^kretprobe:/, 0],
        [qr/^kprobe:.*clock_nanosleep/, 20],
    ) {
        my ($pattern, $wanted) = @$_;
        my ($name) = grep { /$pattern/ } sort keys %event;
        is($event{$name}{state}, 'counted', "$cpu: $name is counted") or diag $event{$name}{reason};
        my $sum = 0;
        $sum += $_->{counts}{$name} // 0 for @rows;
        is($sum, $wanted, "... $wanted times");
    }
    is($event{'kprobe:no_such_function'}{state}, 'unsupported', "$cpu: one that is not there");
    like($event{'kprobe:no_such_function'}{reason}, qr/^this kernel has no function/, '... is told');
}
done_testing;

#!/usr/bin/env perl
# Whatever is counted or sampled, by whichever engine: no system call of the watched fails for it, and
# what its threads and processes do is counted, each event once.
use Countertop;
use File::Copy;
use List::Util 'sum0';

plan skip_all => 'only root may count all tasks' if $> != 0;

# A program of its own, whose probes nobody else meets.
my $dir = tempdir(CLEANUP => 1);
my $program = "$dir/careful";
copy("$ENV{B}/work/careful", $program) or die "copy: $!";
chmod 0755, $program;
my $times = 10 * 7; # tests/work/careful.c: MARKS, ACTORS

my $devices = '/sys/bus/event_source/devices';
my %exact = (
    uprobe => "uprobe:$program:leave_mark",
    uretprobe => "uretprobe:$program:leave_mark",
    tracepoint => 'syscalls:sys_enter_getppid',
    kprobe => 'kprobe:__x64_sys_getppid',
);
delete $exact{kprobe} if !-d "$devices/kprobe" || `uname -m` ne "x86_64\n";
delete $exact{tracepoint} if !-e '/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id';
my %any = (software => 'page-faults', switches => 'context-switches', clock => 'task-clock');
$any{msr} = 'msr/tsc/' if -e "$devices/msr/events/tsc";
my %event = (%exact, %any);
my $list = join ',', map { "$_=$event{$_}" } sort keys %event;

# What is counted is exact, or refused with a reason: the header and the refreshes.
sub books {
    my ($what, $header, @refreshes) = @_;
    my %state = map { $_->{name} => $_ } @{$header->{events}};
    for my $name (sort keys %exact) {
        if ($state{$name}{state} ne 'counted') {
            is($header->{engine}, 'task', "$what, $name: only the engine of tasks refuses it");
            like($state{$name}{reason}, qr/^new threads and processes of the watched would inherit the probe, .*--engine cpu/,
                '... with the reason and the remedy');
            next;
        }
        my @rows = grep { $_->{comm} =~ /^careful/ } map { @{$_->{tasks}} } @refreshes;
        my $sure = sum0(map { $_->{counts}{$name} // 0 } @rows);
        my $all = $sure + sum0(map { $_->{unattributed} ? $_->{unattributed}{counts}{$name} // 0 : 0 } @refreshes);
        ok($sure <= $times && $times <= $all, "$what: $name, $times times")
            or diag "$sure by its rows, $all with what is nobody's";
    }
    is($state{$_}{state}, 'counted', "$what: $_ is counted") for sort keys %any;
}

my @ways = (['auto'], ['cpu', '--engine', 'cpu'], ['task', '--engine', 'task'],
    ['task, threads', '--engine', 'task', '-H'], ['task, live', '--engine', 'task', '-d', '0.2']);
for (@ways) {
    my ($way, @options) = @$_;
    my $run = countertop(qw(-b --format json -s software -o), "$dir/out", @options, '-e', $list, '--', $program);
    is("$run->{status} $run->{out}", "0 all calls well\n", "$way: no call of a command fails");
    open my $file, '<', "$dir/out" or die "$dir/out: $!";
    books($way, json_lines(do { local $/; readline $file }));
}

# Each alone: events of one kind have a group of their own then. With a breakpoint, too, of which
# there are four in the machine: it may be refused.
for my $engine ('cpu', 'task') {
    for my $name (sort(keys %event), 'breakpoint') {
        my $careful = start($program, 'wait');
        my ($pid, $address) = next_line($careful) =~ /^ready (\d+) (\S+)$/ or BAIL_OUT('not ready');
        my $wanted = $name eq 'breakpoint' ? "mem:$address/4:w" : $event{$name};
        my $top = start(qw(countertop -b --format json -s software -d 0.05 --engine), $engine,
            '-p', $pid, '-e', "$name=$wanted");
        next_refresh($top) for 1 .. 2;
        print {$careful->{in}} "now\n";
        is(next_line($careful), "all calls well\n", "$engine, $name: no call of a watched process fails");
        stop($top);
        finish($careful);
    }
}

# Samples, and what is counted beside them.
for my $sample (sort(values %event), 'cpu-clock') {
    next if $sample =~ /^(?:msr|task-clock)/;
    for my $graph ('no', 'dwarf') {
        my $run = countertop(qw(-b --view functions --format json -s software --engine task -o), "$dir/out",
            '--call-graph', $graph, '--sample', "$sample/1000", '-e', $list, '--', $program);
        is("$run->{status} $run->{out}", "0 all calls well\n", "samples of $sample, callers by $graph: no call fails")
            or diag $run->{err};
    }
}
my $run = countertop(qw(-b --view functions --format json -s software --engine cpu -o), "$dir/out",
    '--sample', "$event{uprobe}/1000000", '--', $program);
is("$run->{status} $run->{out}", "0 all calls well\n", 'samples of a uprobe beside the ledger: no call fails');
done_testing;

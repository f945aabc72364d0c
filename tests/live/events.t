#!/usr/bin/env perl
# Events whose counts have no exact expectation: time-stamp counters, counters of sockets and core types
# (behind the folders of another machine), and switches between cgroups. Exact ones: tests/cli/events.t.
use Countertop;
use File::Path 'make_path';
use List::Util qw(max min sum0);

plan skip_all => 'only root may count all tasks' if $> != 0;

my $devices = '/sys/bus/event_source/devices';

sub total {
    my ($event, @rows) = @_;
    return sum0(map { $_->{counts}{$event} // 0 } @rows);
}

# ---- the time-stamp counter ----

SKIP: {
    my $tsc = -e "$devices/msr/events/tsc";
    skip 'this processor has no msr/tsc/', 5 if !$tsc;
    my @loads = map { start('spin', '-c', $_) } 0 .. slurp('/sys/devices/system/cpu/online') =~ /-(\d)/;
    my (undef, @refreshes) = refreshes(qw(--engine cpu -d 0.25 -n 6 -e), 'msr/tsc/,tsc,cpu-clock');
    stop($_) for @loads;
    my @cpus = map { @{$_->{cpus}} } @refreshes[1 .. 5];
    my @ghz = map { $_->{counts}{'msr/tsc/'} / $_->{counts}{'cpu-clock'} } @cpus;
    cmp_ok(max(@ghz) / min(@ghz), '<', 1.001, "msr/tsc/ ticks alike on all CPUs at all times");
    for my $cpu (0, 1) {
        my @rows = grep { $_->{cpu} == $cpu } @cpus or next;
        my $seconds = sum0(map { $_->{interval} } @refreshes[1 .. 5]);
        my $rate = total('msr/tsc/', @rows) / $seconds / 1e9;
        cmp_ok(abs($rate / $ghz[0] - 1), '<', 0.1, "... on cpu $cpu as fast as the clock says");
    }
    my ($by_pmu, $alone) = map { total($_, @cpus) } 'msr/tsc/', 'tsc';
    cmp_ok(abs($alone / $by_pmu - 1), '<', 0.001, 'the short name means the same');
    my @sums = sums($refreshes[3], 'msr/tsc/');
    is("$sums[0] $sums[2]", "$sums[1] $sums[1]", 'and the books add up');
}

# ---- sockets and core types: real counters behind the folders of another machine ----

# A machine like this one but for its PMUs: %$files by path, links of no other PMU.
sub machine {
    my ($files) = @_;
    my $root = tempdir(CLEANUP => 1);
    make_path("$root/sys/bus/event_source");
    symlink $_, "$root$_" for '/proc', '/sys/kernel', '/sys/devices';
    for my $path (keys %$files) {
        my ($folder) = $path =~ m{(.*)/} or next;
        make_path("$root$devices/$folder");
        open my $file, '>', "$root$devices/$path" or die "$path: $!";
        print $file "$files->{$path}\n";
    }
    return $root;
}

SKIP: {
    skip 'this processor has no msr/tsc/', 1 if !-e "$devices/msr/events/tsc";
    chomp(my $type = slurp("$devices/msr/type"));
    skip 'there is one CPU', 1 if slurp('/sys/devices/system/cpu/online') !~ /^0-1/;
    my %socket = (
        'socket/type' => $type, 'socket/cpumask' => 1, 'socket/format/event' => 'config:0-63',
        'socket/events/ticks' => 'event=0x00', 'socket/events/ticks.scale' => '0.5',
        'socket/events/ticks.unit' => 'Joules',
    );
    local $ENV{COUNTERTOP_ROOT} = machine(\%socket);
    my ($header, @refreshes) =
        refreshes(qw(--engine cpu -d 0.2 -n 3 -e), 'socket/ticks/,cpu-clock');
    my ($event) = grep { $_->{name} eq 'socket/ticks/' } @{$header->{events}};
    is($event->{state}, 'counted', 'what a socket does is counted') or diag $event->{reason};
    is("$event->{unit} $event->{scale}", 'Joules 0.5', '... with its unit and scale');
    is($event->{encoding}, "socket type=$type config=0x0", '... and its encoding');
    for my $refresh (@refreshes) {
        my %cpu = map { $_->{cpu} => $_ } @{$refresh->{cpus}};
        my $count = $cpu{1}{counts}{'socket/ticks/'};
        is($cpu{0}{counts}{'socket/ticks/'}, undef, '... not on a CPU outside its mask');
        cmp_ok($count // 0, '>', 1e6, '... on the one that it is counted on');
        is($refresh->{total}{counts}{'socket/ticks/'}, $count, '... which is all there is');
        is($refresh->{unattributed}{counts}{'socket/ticks/'}, $count, '... and no task did it');
        is((grep { defined $_->{counts}{'socket/ticks/'} } @{$refresh->{tasks}}), 0,
            '... which each row says');
        is($refresh->{idle}{counts}{'socket/ticks/'}, undef, '... the idle one too');
        my @sums = sums($refresh, 'cpu-clock');
        is("$sums[0] $sums[2]", "$sums[1] $sums[1]", '... while the others add up');
    }
    my $alone = countertop(qw(-b -n1 --engine task -e socket/ticks/ --format json -p), $$);
    my ($refused) = grep { $_->{name} eq 'socket/ticks/' } @{(json_lines($alone->{out}))[0]{events}};
    isnt($refused->{state}, 'counted', 'a task alone cannot count it') or diag $alone->{out};

    my %types = map {
        ("cpu_$_->[0]/type" => $type, "cpu_$_->[0]/cpus" => $_->[1],
         "cpu_$_->[0]/format/event" => 'config:0-63', "cpu_$_->[0]/events/ticks" => 'event=0x00')
    } ['core', 0], ['atom', 1];
    $ENV{COUNTERTOP_ROOT} = machine(\%types);
    my @loads = map { start('spin', '-c', $_) } 0, 1;
    my %mine = map { $_->{pid} => 1 } @loads;
    ($header, @refreshes) =
        refreshes(qw(--engine cpu -d 0.4 -n 4 -e), 'r0,cpu_core/ticks/,cpu_atom/ticks/,cpu-clock');
    my %event = map { $_->{name} => $_ } @{$header->{events}};
    is($event{r0}{pmu}, 'cpu_core,cpu_atom', 'an event of all core types');
    is($event{'cpu_atom/ticks/'}{pmu}, 'cpu_atom', '... and of one');
    my %seen;
    for my $refresh (@refreshes[1 .. 3]) {
        for my $spin (grep { $mine{$_->{pid}} && $_->{oncpu} > 0.01 } task($refresh, 'spin')) {
            $seen{$spin->{cpu}} = 1;
            my ($here, $other) = map { "cpu_$_/ticks/" } $spin->{cpu} ? ('atom', 'core') : ('core', 'atom');
            cmp_ok($spin->{counts}{$here}, '>', 1e6, "cpu $spin->{cpu}: what its core type counts");
            is($spin->{counts}{$other}, 0, '... and nothing of the other type');
            cmp_ok(abs($spin->{counts}{r0} / $spin->{counts}{$here} - 1), '<', 0.01,
                '... is all there is');
            is_deeply($spin->{coverage}, {}, '... without any estimate');
        }
        for my $name ('r0', 'cpu_core/ticks/', 'cpu_atom/ticks/') {
            my @sums = sums($refresh, $name);
            is("$sums[0] $sums[2]", "$sums[1] $sums[1]", "$name adds up");
        }
    }
    is(join(' ', sort keys %seen), '0 1', 'both core types were at work');
    # Both types are one counter here: a task's group is opened for each, and the counts add up.
    (undef, @refreshes) = refreshes(qw(--engine task -d 0.5 -n 4 -e), 'r0,cpu_core/ticks/', '-p', $loads[0]{pid});
    stop($_) for @loads;
    my @rows = map { @{$_->{tasks}} } @refreshes;
    my ($both, $one) = map { total($_, @rows) } 'r0', 'cpu_core/ticks/';
    cmp_ok($one, '>', 1e6, 'a task by itself is counted') or diag explain \@refreshes;
    cmp_ok(abs($both / ($one || 1) - 2), '<', 0.01, '... on each core type that it may run on');
    is((grep { %{$_->{coverage}} } @rows), 0, '... without any estimate');
}

# ---- cgroups ----

my ($cgroups) = map { /^\S+ (\S+) cgroup2 / } split /\n/, slurp('/proc/mounts');
my $cgroup = ($cgroups // '') . "/countertop-test-$$";
END {
    rmdir $cgroup if $cgroup && -d $cgroup;
}
SKIP: {
    skip 'there is no cgroup of version 2', 3 if !$cgroups || !mkdir $cgroup;
    my $game = start(qw(pingpong -c 0 100000000));
    wait_for(sub { slurp("/proc/$game->{pid}/task/$game->{pid}/children") =~ /\d/ });
    my @options = (qw(--engine cpu -d 0.3 -n 3 -e), 'cgroup-switches,context-switches');
    my (undef, @together) = refreshes(@options);
    open my $members, '>', "$cgroup/cgroup.procs" or die "$cgroup: $!";
    print $members (split ' ', slurp("/proc/$game->{pid}/task/$game->{pid}/children"))[0], "\n";
    close $members;
    my (undef, @apart) = refreshes(@options);
    stop($game);
    wait_for(sub { slurp("$cgroup/cgroup.procs") eq '' });
    my ($few, $many) = map { total('cgroup-switches', task($_->[2], 'pingpong')) } \@together, \@apart;
    my $switches = total('context-switches', task($apart[2], 'pingpong'));
    cmp_ok($switches, '>', 100, 'two play');
    cmp_ok($few, '<', $switches / 10, '... in one cgroup, which they do not leave');
    # The kernel counts it when the next task is in already: beside others some of them are theirs.
    cmp_ok($many, '>', 0.15 * $switches, '... in two, between which the CPU changes each time');
}

done_testing;

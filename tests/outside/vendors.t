#!/usr/bin/env perl
# The built-in screens against the vendors' data: each code and name of an event is one that the
# processor has, and formulas give the same numbers as perf's. The data: tables of perf that is
# installed, asked as if on that processor (PERF_CPUID, SYSFS_PATH), and tests/data/vendors, for
# which see there. A code that none of them knows fails, and so does a column of which a generic
# event is not counted by the kernel there. What came of it is a table in the build folder,
# vendors.md: which processor has which screen, and which source says so.
use Countertop;
use File::Path 'make_path';
use Formula;
no warnings 'portable'; # codes have more than 32 bits

my $top = $ENV{TOP};
my $data = "$top/tests/data/vendors";

# {family}{pmu} => [[event, umask, cmask, config1, name, counters, source]...], {family}{name} => code,
# {family}{pmu of a socket}{name} => code, {family}{name or generic event} => source
my (%known, %named, %uncore, %formulas, %source_of);
for (split /\n/, slurp("$data/events.tsv")) {
    next if /^#/;
    my ($code, $pmu, $config1, $counters, $name, $from, $families) = split /\t/;
    my $source = source_letter($from);
    for my $family (split / /, $families) {
        if ($pmu =~ /^(?:uncore|amd)_/) {
            $uncore{$family}{$pmu}{$name} = $named{$family}{"$pmu\@$name\@"} = $named{$family}{$name} = hex $code;
            for ($name, uncore_terms($pmu, hex $code)) {
                $named{$family}{"$pmu/$_/"} = hex $code;
                $source_of{$family}{"$pmu/$_/"} = $source;
            }
            next;
        }
        push @{$known{$family}{$pmu eq '-' ? 'cpu' : $pmu}}, [fields(hex $code), $config1, $name,
            $counters eq '-' ? 0xffff : hex $counters, $source];
        $named{$family}{$name} = hex $code;
        $source_of{$family}{$name} .= $source;
    }
}
for (split /\n/, slurp("$data/generic.tsv")) {
    next if /^#/;
    my ($events, $from, $families) = split /\t/;
    for my $family (split / /, $families) {
        $source_of{$family}{$_} = source_letter($from) for split / /, $events;
        $known{$family} //= {cpu => []};
    }
}
for (split /\n/, slurp("$data/formulas.tsv")) {
    next if /^#/;
    my ($family, $ours, $theirs, $text, $variables) = split /\t/;
    $formulas{$family}{expr}{$theirs} = $text;
    $formulas{$family}{same}{$ours} = $theirs if $ours ne '-';
    $formulas{$family}{variables} = {$variables =~ /(\S+)=(\d+)/g};
}

# In the table of what was checked: lists of perf, the kernel's code, Intel's and Arm's own data,
# libpfm4, and what the firmware says.
sub source_letter {
    my ($from) = @_;
    return $from =~ /^firmware/ ? 'f' : $from =~ m{^linux.* (?:arch|drivers)/} ? 'k' : $from =~ /^linux/ ? 'l'
        : $from =~ /^intel/ ? 'i' : $from =~ /^ARM/ ? 'a' : $from =~ /^libpfm4/ ? 'p' : die "source: $from";
}

# An event's number (AMD's has 12 bits), unit mask, and counter mask with the flags below it.
sub fields {
    my ($code) = @_;
    return ($code & 0xff | $code >> 32 << 8, $code >> 8 & 0xff, $code >> 16 & 0xffff);
}

# The terms of an event of a socket's PMU.
sub uncore_terms {
    my ($pmu, $code) = @_;
    return sprintf 'event=0x%02x,%s=0x%x', $code & 0xff, $pmu eq 'amd_umc' ? 'rdwrmask' : 'umask', $code >> 8;
}

# What each processor is, and by which data it is checked: [family, its id, id for perf].
my @processors = (
    ['amdzen1', 'AuthenticAMD-23-1', 'AuthenticAMD-23-1-1'],
    ['amdzen2', 'AuthenticAMD-23-31', 'AuthenticAMD-23-31-0'],
    ['amdzen3', 'AuthenticAMD-25-1', 'AuthenticAMD-25-1-1'],
    ['amdzen4', 'AuthenticAMD-25-11', 'AuthenticAMD-25-11-1'],
    ['amdzen5', 'AuthenticAMD-26-2', 'AuthenticAMD-26-2-1'],
    ['haswell', 'GenuineIntel-6-3C', 'GenuineIntel-6-3C-3'],
    ['haswellx', 'GenuineIntel-6-3F', 'GenuineIntel-6-3F-2'],
    ['broadwell', 'GenuineIntel-6-3D', 'GenuineIntel-6-3D-4'],
    ['broadwellx', 'GenuineIntel-6-4F', 'GenuineIntel-6-4F-1'],
    ['skylake', 'GenuineIntel-6-9E', 'GenuineIntel-6-9E-9'],
    ['skylakex', 'GenuineIntel-6-55', 'GenuineIntel-6-55-4'],
    ['cascadelakex', 'GenuineIntel-6-55', 'GenuineIntel-6-55-7'],
    ['icelake', 'GenuineIntel-6-7E', 'GenuineIntel-6-7E-5'],
    ['icelake tiger lake', 'GenuineIntel-6-8C', 'GenuineIntel-6-8C-1'],
    ['icelakex', 'GenuineIntel-6-6A', 'GenuineIntel-6-6A-6'],
    ['sapphirerapids', 'GenuineIntel-6-8F', 'GenuineIntel-6-8F-6'],
    ['sapphirerapids xeon max', 'GenuineIntel-6-8F'],
    ['emeraldrapids', 'GenuineIntel-6-CF', 'GenuineIntel-6-CF-1'],
    ['graniterapids', 'GenuineIntel-6-AD', 'GenuineIntel-6-AD-1'],
    ['alderlaken', 'GenuineIntel-6-BE', 'GenuineIntel-6-BE-0'],
    ['sierraforest', 'GenuineIntel-6-AF', 'GenuineIntel-6-AF-3'],
    ['grandridge', 'GenuineIntel-6-B6', 'GenuineIntel-6-B6-0'],
    ['alderlake', 'GenuineIntel-6-97', 'GenuineIntel-6-97-2'],
    ['alderlake raptor lake', 'GenuineIntel-6-B7', 'GenuineIntel-6-B7-1'],
    ['meteorlake', 'GenuineIntel-6-AA', 'GenuineIntel-6-AA-2'],
    ['arrowlake', 'GenuineIntel-6-C6'],
    ['pantherlake', 'GenuineIntel-6-CC'],
    ['lunarlake', 'GenuineIntel-6-BD'],
    ['cortex-a53', '0x410fd034'], ['cortex-a55', '0x412fd050'], ['cortex-a57', '0x411fd073'],
    ['cortex-a72', '0x410fd083'], ['cortex-a73', '0x410fd092'], ['cortex-a75', '0x412fd0a1'],
    ['cortex-a76', '0x414fd0b1'], ['cortex-a77', '0x411fd0d0'], ['cortex-a78', '0x411fd410'],
    ['cortex-a510', '0x411fd461'], ['cortex-a520', '0x410fd801'], ['cortex-a710', '0x412fd470'],
    ['cortex-a715', '0x411fd4d0'], ['cortex-a720', '0x410fd811'], ['cortex-x1', '0x411fd440'],
    ['cortex-x2', '0x412fd480'], ['cortex-x3', '0x411fd4e0'], ['cortex-x4', '0x410fd821'],
    ['neoverse-e1', '0x411fd4a0'], ['neoverse-n1', '0x413fd0c1'],
    ['neoverse-n2 r0p0', '0x410fd490'], ['neoverse-n2 r0p3', '0x410fd493'],
    ['neoverse-n2 cobalt', '0x6d0fd490'], ['neoverse-n3', '0x410fd8e0'],
    ['neoverse-v1', '0x411fd401'], ['neoverse-v2', '0x410fd4f1'], ['neoverse-v3', '0x410fd840'],
    ['ampereone', '0xc00fac30'], ['ampereonex', '0xc00fac40'],
    ['apple-m1', '0x611f0220'], ['power8', 'POWER8'], ['power9', 'POWER9'], ['power10', 'POWER10'],
    ['s390', 's390'], ['riscv', 'riscv'],
);
# Under which names people have them.
my %people = ('alderlaken' => 'N100', 'neoverse-n1' => 'Graviton2, Altra',
    'neoverse-v1' => 'Graviton3', 'neoverse-v2' => 'Graviton4, Grace, Axion',
    'neoverse-n2 cobalt' => 'Azure Cobalt 100');

sub write_file {
    my ($path, @lines) = @_;
    make_path($path =~ s{/[^/]*$}{}r);
    open my $file, '>', $path or die "$path: $!";
    print $file map { "$_\n" } @lines;
    close $file;
}

# The files of such a machine.
sub machine {
    my ($name, $id) = @_;
    my $family = $name =~ s/ .*//r;
    my $root = tempdir(CLEANUP => 1);
    my $devices = "$root/sys/bus/event_source/devices";
    my @pmus = sort grep { /^cpu_/ } keys %{$known{$family}};
    my ($type, $first) = (4, 0);
    if ($id =~ /^(\w+)-(\d+)-(\w+)$/) {
        write_file("$root/proc/cpuinfo", 'processor : 0', "vendor_id : $1", "cpu family : $2",
            'model : ' . hex $3, '');
    } elsif ($id =~ /^POWER/) {
        write_file("$root/proc/cpuinfo", 'processor : 0', "cpu : $id (architected), altivec supported", '');
    } elsif ($id !~ /^0x/) {
        write_file("$root/proc/cpuinfo", 'processor : 0', '');
        @pmus = 'cpum_cf' if $id eq 's390';
    } else {
        my $midr = hex $id;
        write_file("$root/proc/cpuinfo", 'processor : 0',
            map { sprintf '%s : 0x%x', @$_ } ['CPU implementer', $midr >> 24],
            ['CPU variant', $midr >> 20 & 0xf], ['CPU part', $midr >> 4 & 0xfff],
            ['CPU revision', $midr & 0xf]);
        @pmus = $family =~ /^apple/ ? ('apple_icestorm_pmu', 'apple_firestorm_pmu') : 'armv8_pmuv3_0';
    }
    write_file("$root/sys/devices/system/cpu/online", '0-15');
    write_file("$devices/software/type", 1);
    for my $pmu (@pmus ? @pmus : 'cpu') {
        write_file("$devices/$pmu/type", $type++);
        write_file("$devices/$pmu/cpus", sprintf '%d-%d', $first, $first + 7) if $pmu ne 'cpu';
        $first += 8;
        write_file("$devices/$pmu/format/event",
            $id =~ /AMD/ ? 'config:0-7,32-35' : $pmu =~ /^arm/ ? 'config:0-15' : 'config:0-7');
        write_file("$devices/$pmu/format/umask", 'config:8-15') if $pmu !~ /^arm/;
        write_file("$devices/$pmu/format/cmask", 'config:24-31') if $pmu !~ /^arm/;
        for my $event (@{$known{$family}{$pmu =~ /^arm/ ? 'cpu' : $pmu} // []}) {
            my ($number, $umask, undef, undef, $name) = @$event;
            write_file("$devices/$pmu/events/$name",
                $pmu =~ /^arm/ ? sprintf 'event=0x%x', $number | $umask << 8
                : sprintf 'event=0x%x,umask=0x%x', $number, $umask)
                if $pmu =~ /^arm/ || $name =~ /^(?:slots|topdown-)/;
        }
    }
    # Memory controllers: the client's is one PMU without a number. Intel's events have names.
    for my $pmu (sort keys %{$uncore{$family} // {}}) {
        next if $pmu eq 'uncore_hbm' && $name !~ /max$/;
        my $events = $uncore{$family}{$pmu};
        for my $each ($events->{data_reads} ? $pmu : map { "${pmu}_$_" } 0, 1) {
            write_file("$devices/$each/type", $type++);
            write_file("$devices/$each/cpumask", 0);
            write_file("$devices/$each/format/event", 'config:0-7');
            write_file("$devices/$each/format/" . ($pmu eq 'amd_umc' ? 'rdwrmask' : 'umask'), 'config:8-15');
            write_file("$devices/$each/events/$_", uncore_terms($pmu, $events->{$_}))
                for grep { !/\./ } sort keys %$events;
        }
    }
    return $root;
}

# The screens there: {screen => [events]}, their groups [[screen, events]...], expressions and help
# of metrics, and {screen => events as it says them}.
sub shown_on {
    my ($root) = @_;
    local $ENV{COUNTERTOP_ROOT} = $root;
    my (%screens, %texts, %metrics, %help, @groups, $name);
    my $run = countertop('--list-screens');
    die $run->{err} if $run->{status} != 0;
    for (split /\n/, $run->{out} =~ s/^\(for other CPUs\)\n.*//msr) {
        $name = $1 if /^(\w\S*) /;
        next if !/^ +(\S+)$/;
        my $events = $1;
        $texts{$name} = $events;
        $screens{$name} = [split_events($events =~ tr/{}//dr)];
        push @groups, map { [$name, split_events($_)] } $events =~ /\{([^}]*)\}/g;
    }
    for (split /\n/, countertop('--list-columns')->{out}) {
        ($metrics{$1}, $help{$1}) = ($3, $2) if /^(\S+) (.*): (\S.*)$/;
    }
    return (\%screens, \%metrics, \@groups, \%help, \%texts);
}

# A comma between slashes is of the event.
sub split_events {
    my ($text) = @_;
    return split m{,(?=[^/]*(?:/[^/]*/[^/]*)*$)}, $text;
}

# What has one name on all machines: perf's own names and the sensors of power; and what takes no
# counter of a core.
my $generic = qr{^(?:cycles|instructions|branches|branch-misses|cache-references|cache-misses|bus-cycles
    |stalled-cycles-(?:front|back)end|(?:L1-[di]cache|LLC|[di]TLB)-(?:load|store)s?(?:-misses)?)(?::[uk])?$}x;
my $sensor = qr{^power(?:_core)?/};
my $software = qr{^(?:page-faults|minor-faults|major-faults|context-switches|cpu-migrations
    |(?:wait|block)-time|preemptions|voluntary-switches|wakeups|wakeup-latency(?:-max)?)$}x;

# The sources by which the unit mask is made of masks that this event has; '' if it is not.
sub has_code {
    my ($list, $code, $config1) = @_;
    my ($event, $umask, $cmask) = fields($code);
    my ($union, $found) = (0, '');
    for my $entry (@$list) {
        my ($number, $mask, $count, $other, undef, undef, $source) = @$entry;
        next if $number != $event || $count != $cmask || $other ne $config1 || $mask & ~$umask;
        next if $umask && !$mask;
        $union |= $mask;
        $found .= $source;
    }
    return $union == $umask ? $found : '';
}

# The sources by which the family has the event (s: it is the kernel's own): a raw code for each
# core type, a name; '' where none of them knows it.
sub has_event {
    my ($family, $pmus, $text) = @_;
    return 's' if $text =~ $software;
    return $source_of{$family}{$text =~ s/:[uk]$//r} // '' if $text =~ $generic || $text =~ $sensor;
    return $source_of{$family}{$text} // '' if $text =~ m{^(?:uncore|amd)_\w+/};
    return has_code($pmus->{$1} // [], hex $2, $3 // '-')
        if $text =~ m{^(\w+)/r([0-9a-f]+)(?:,config1=0x([0-9a-f]+))?/$};
    if ($text =~ /^r([0-9a-f]+)$/) {
        my $code = hex $1;
        # An Arm event is 16 bits, not event and mask.
        return join '', map { $_->[6] } grep { ($_->[0] | $_->[1] << 8) == $code } @{$pmus->{cpu}}
            if $family =~ /^(?:cortex|neoverse|ampere)/;
        my @each = map { has_code($pmus->{$_}, $code, '-') } keys %$pmus;
        return (grep { $_ eq '' } @each) ? '' : join '', @each;
    }
    return $source_of{$family}{$text =~ s{^\w+/(.*)/$}{$1}r} // '';
}

# {screen}{its events} => [what it requires, its columns]: sections have the same name for several
# processors.
my %sections;
for my $file (glob "$top/src/screens/*.ini") {
    for my $section (split /^(?=\[)/m, slurp($file)) {
        my ($screen) = $section =~ /^\[screen ([^\]@]+)/ or next;
        my %value = map { my $key = $_; ($key => [$section =~ /^$key = (.*)$/mg]) } qw(events requires columns);
        $sections{$screen}{join ',', @{$value{events}}} =
            [map { [split / /, join ' ', @{$value{$_}}] } qw(requires columns)];
    }
}

# The events of a metric.
sub events_of {
    my ($expr) = @_;
    my %events;
    my $variable = qr/^(?:interval|oncpu|ncpu|slots_per_cycle|\w+_(?:time|count))$/;
    eval { formula($expr, sub { $events{$_[0]} = 1 if $_[0] !~ $variable; 1 }) };
    return sort keys %events;
}

my %shown;
my @with_bandwidth;
for my $processor (@processors) {
    my ($name, $id) = @$processor;
    my $family = $name =~ s/ .*//r;
    my ($screens, $metrics, $groups, $help, $texts) = shown_on(machine($name, $id));
    push @with_bandwidth, $family if $screens->{bandwidth} && $name eq $family;
    # Screens are offered where what they require is counted. There the program leaves out columns of
    # generic events that the kernel refuses; all other columns have a source for each event.
    my (@unknown, %offered);
    for my $screen (sort keys %$screens) {
        my ($requires, $columns) = @{$sections{$screen}{$texts->{$screen}} // die "$screen: no section"};
        push @unknown, map { "$screen: $_" }
            grep { $_ !~ $generic && $_ !~ $sensor && !has_event($family, $known{$family}, $_) } @{$screens->{$screen}};
        next if grep { !has_event($family, $known{$family}, $_) } @$requires;
        $offered{$screen} = [];
        for my $column (@$columns) {
            my @events = map { s/:[uk]$//r } events_of($metrics->{$column} // '0');
            my @missing = grep { !has_event($family, $known{$family}, $_) } @events;
            push @{$offered{$screen}}, [$column, @events] if @events && !@missing;
        }
        push @unknown, "$screen: no column" if !@{$offered{$screen}};
    }
    $shown{$name} = {screens => $screens, metrics => $metrics, groups => $groups, help => $help,
        offered => \%offered};
    is_deeply(\@unknown, [], "$name: each event of its screens is in the vendor's data");
    ok($offered{overview} && has_event($family, $known{$family}, 'cycles'), '... and the kernel counts its cycles');
    my %mine = map { $_ => 1 } grep { /^(?:.*\/)?r[0-9a-f]/ } map { @$_ } values %$screens;
    cmp_ok(keys %mine, '>', 5, '... raw codes among them') if $named{$family} && $family ne 'cortex-a53';
}
is_deeply([sort @with_bandwidth], [sort keys %uncore], 'memory of sockets: where its controllers count');
# Each of these fails.
ok(!has_event('amdzen4', $known{amdzen4}, $_), "not on Zen 4: $_") for 'r1085', 'rff99', 'r80ee', 'l1i';
ok(!has_event('haswell', $known{haswell}, $_), "not on Haswell: $_")
    for 'r0e12', 'r03c7', 'slots', 'stalled-cycles-frontend', 'power/energy-psys/';
ok(!has_event('amdzen1', $known{amdzen1}, $_), "not on Zen 1: $_") for 'LLC-loads', 'bus-cycles', 'power/energy-cores/';
ok(!has_event('unknown', {cpu => []}, $_), "not on an unknown processor: $_") for 'cycles', 'r00c0', 'power/energy-pkg/';
ok(!has_event('sapphirerapids', $known{sapphirerapids}, $_), "not on Sapphire Rapids: $_")
    for 'uncore_imc/event=0x04,umask=0x3/', 'amd_umc/event=0x0a,rdwrmask=0x1/', 'uncore_imc/data_reads/';
ok(!has_event('cortex-a53', $known{'cortex-a53'}, $_), "not on Cortex-A53: $_") for 'r22', 'dtlb_walk';

# ---- groups fit the counters ----

# General counters of a thread, with both threads of its core busy: Intel's manual, volume 3, "Performance
# Monitoring"; AMD's and Arm's have six. cycles has one of its own on Intel and Arm, instructions on
# Intel; so have slots and the metrics register.
my %counters = (
    (map { $_ => 4 } qw(haswell haswellx broadwell broadwellx skylake skylakex cascadelakex)),
    (map { $_ => 8 } qw(icelake icelakex sapphirerapids emeraldrapids graniterapids sierraforest grandridge)),
    alderlaken => 6,
    'alderlake cpu_core' => 8, 'alderlake cpu_atom' => 6,
    'meteorlake cpu_core' => 8, 'meteorlake cpu_atom' => 8,
    (map { ("$_ cpu_core" => 10, "$_ cpu_atom" => 8) } qw(arrowlake pantherlake lunarlake)),
);

# The counters that can count an event of the family there, as a mask; 0: it takes none of them.
sub counters_for {
    my ($family, $pmu, $text, $watchdog) = @_;
    my $vendor = $family =~ /^amd/ ? 'amd' : $family =~ /^(?:cortex|neoverse|ampere)/ ? 'arm' : 'intel';
    return 0 if $text =~ $software || $text =~ $sensor || $text =~ m{^(?:uncore|amd)_\w+/};
    # perf's watchdog has the counter of cycles, so that ours needs a general one.
    return 0 if $text eq 'cycles' && $vendor ne 'amd' && !($watchdog && $vendor eq 'intel');
    return 0 if $text eq 'instructions' && $vendor eq 'intel';
    return 0 if $text =~ m{^(?:\w+/)?(?:slots|topdown-[\w-]+|r8[0-7]00)/?$};
    return 0 if $text =~ m{^(cpu_\w+)/} && $1 ne $pmu;
    return 0xffff if $text !~ m{^(?:(?:cpu\w*)/)?r([0-9a-f]+)(?:,config1=\w+)?/?$} || $vendor eq 'arm';
    my ($mask, $event, $umask, $cmask) = (0xffff, fields(hex $1));
    for (@{$known{$family}{$pmu}}) {
        $mask &= $_->[5] if $_->[0] == $event && $_->[2] == $cmask && !($_->[1] & ~$umask) && (!$umask || $_->[1]);
    }
    return $mask;
}

# Whether each of these has a counter of its own.
sub fits {
    my ($free, @masks) = @_;
    my $mask = pop @masks // return 1;
    for my $counter (grep { $free & $mask & 1 << $_ } 0 .. 15) {
        return 1 if fits($free & ~(1 << $counter), @masks);
    }
    return 0;
}

# Those of the lists of events that do not fit.
sub too_many {
    my ($family, $watchdog, @lists) = @_;
    my @found;
    for my $pmu (sort keys %{$known{$family}}) {
        my $count = $counters{$pmu eq 'cpu' ? $family : "$family $pmu"} // 6;
        $count-- if $watchdog && $family =~ /^amd/;
        for my $list (@lists) {
            my ($name, @events) = @$list;
            my @masks = grep { $_ } map { counters_for($family, $pmu, $_, $watchdog) } @events;
            # Few choices first: that is quick.
            @masks = sort { unpack('%32b*', pack 'v', $b) <=> unpack('%32b*', pack 'v', $a) } @masks;
            push @found, $name if !fits((1 << $count) - 1, @masks);
        }
    }
    return \@found;
}

for my $processor (@processors) {
    my ($name) = @$processor;
    my $family = $name =~ s/ .*//r;
    my ($metrics, $groups) = @{$shown{$name}}{qw(metrics groups)};
    # Kinds of floating-point instructions are more than the counters that threads of these cores have:
    # of the first without, of the second beside the watchdog. Their help says so.
    my @few = $family =~ /^(?:skylakex|cascadelakex)$/ ? qw(flops flops_per_cycle fp_vector_pct)
        : $family =~ /^(?:broadwellx?|skylake)$/ ? 'flops_per_cycle' : ();
    is_deeply(too_many($family, 0, @$groups), [@few > 1 ? 'fp' : ()], "$name: the groups of screens fit its counters");
    like($shown{$name}{help}{$_}, qr/; an estimate/, "... where not, the help says it: $_") for @few;
    # Those of one ratio fit beside the NMI watchdog, too.
    my @ratios;
    for my $metric (sort keys %$metrics) {
        my @events = events_of($metrics->{$metric});
        push @ratios, [$metric, @events] if @events;
    }
    cmp_ok(scalar @ratios, '>', 40, '... metrics are looked at');
    is_deeply(too_many($family, 1, @ratios), \@few,
        '... the events of each metric fit beside the watchdog');
}
is_deeply(too_many('haswell', 0, ['five', 'r019c', 'r010e', 'r02c2', 'r010d', 'r81d0']), ['five'], 'five do not fit four');
is_deeply(too_many('amdzen4', 1, ['six', 'cycles', 'instructions', map { "r0${_}44" } 1, 2, 4, 8]), ['six'],
    'nor six five');

# ---- formulas ----

# A number for a code, the same for all who ask: that of a mask is the sum of those of its bits, so
# that what a formula adds up and what another counts at once are the same. Cycles in which an event
# occurs several times are fewer than its occurrences.
sub count_of {
    my ($seed, $code) = @_;
    my ($event, $umask, $cmask) = fields($code);
    my $sum = 0;
    # ex_no_retire.load_not_complete is a part of .not_complete: PMCx0D6 of AMD.
    return count_of($seed, 0x02d6) / 3 if ($code & 0xffff) == 0xa2d6;
    for my $bit (map { 1 << $_ } 0 .. 7) {
        $sum += 1 + ($event * 7919 + $bit * 104729 + $cmask * 1299709 + $seed * 15485863) % 997
            if $umask & $bit || (!$umask && $bit == 1);
    }
    # Slots are empty often. Branches are mispredicted, and pipelines flushed, seldom; level 2 is a part of level 1.
    return $sum * 60 if grep { $code == $_ } 0x3d, 0x3e, 0x3f;
    return $sum / 50 if $code == 0x10 || $code == 0x8162;
    return $sum / 10 if grep { $code == $_ } 0x8400, 0x8500, 0x8600, 0x8700;
    return $cmask ? $sum / 16 : $sum;
}

# perf's and the vendors' names of what has a counter of its own.
my %fixed = (
    (map { $_ => 'cycles' } qw(cpu_clk_unhalted.thread cpu_clk_unhalted.core ls_not_halted_cyc cpu_cycles cycles)),
    (map { $_ => 'instructions' } qw(inst_retired.any inst_retired instructions)),
    (map { $_ => 'slots' } qw(topdown.slots slots)),
);
my %large = (cycles => 20_011, instructions => 30_011, slots => 120_011, interval => 2);

for my $name (sort keys %formulas) {
    my $family = $name =~ s/ .*//r;
    my ($expr, $same, $variables) = @{$formulas{$name}}{qw(expr same variables)};
    my ($metrics) = $shown{$name}{metrics};
    for my $ours (sort keys %$same) {
        my ($theirs, $compared) = ($same->{$ours}, 0);
        my (@wrong, $value);
        for my $seed (1 .. 5) {
            my $event = sub {
                my ($word) = @_;
                my $plain = lc $word;
                return $large{$fixed{$plain}} + $seed if $fixed{$plain};
                return $large{$plain} if $large{$plain};
                my $code = $plain =~ /^r([0-9a-f]+)$/ ? hex $1 : $named{$family}{$plain};
                # perf's cpu@event,cmask=0x6@
                $code = $named{$family}{$1} if $plain =~ /^cpu@(.*)@\z/;
                return $large{interval} if $plain eq 'duration_time';
                # It may stand in the part of a formula that is not for this machine.
                return 'nan' if !defined $code;
                return count_of($seed, $code);
            };
            my $mine = eval {
                formula($metrics->{$ours}, sub { $_[0] eq 'slots_per_cycle' ? slots($name) : $event->($_[0]) });
            };
            my $resolve;
            $resolve = sub {
                my ($word) = @_;
                return formula($expr->{$word}, $resolve) if exists $expr->{$word};
                return $variables->{lc($word) =~ s/^#//r} // die "no $word" if $word =~ /^(?:#|0x)/;
                return $event->($word);
            };
            my $vendor = eval { formula($expr->{$theirs}, $resolve) };
            if (!defined $mine || !defined $vendor) {
                push @wrong, $@;
                last;
            }
            $vendor *= 100 if $ours =~ /_pct$/ && ($name =~ /^amd/ || $theirs =~ /^tma_|_ratio$/);
            $vendor /= 1000 if $ours =~ /^socket_/ && $theirs =~ /bandwidth/; # MB/s
            $compared++ if $vendor > 0 && $mine > 0;
            # Parts of the slots are not shown below 0.
            my $expected = $vendor < 0 ? 0 : $vendor;
            push @wrong, "$mine, not $expected" if !(abs($mine - $expected) <= 1e-9 * (1 + $expected));
        }
        is_deeply(\@wrong, [], "$name: $ours is perf's $theirs");
        cmp_ok($compared, '>', 0, "$name: $ours is above 0");
    }
}

# As the screens' sets say; for AmpereOne as its PMU does in the table of formulas.
sub slots {
    my ($name) = @_;
    my %slots = (amdzen4 => 6, amdzen5 => 8, alderlaken => 5, sierraforest => 6, ampereone => 4,
        'neoverse-n3' => 5, 'neoverse-v1' => 8, 'neoverse-v2' => 8, 'neoverse-v3' => 10);
    return $slots{$name} // 5;
}

# ---- sums over core types ----

# What a hybrid shows is what each core type alone would show, weighted by the slots of both.
my %core = (slots => 1000, 'topdown-retiring' => 400, 'topdown-bad-spec' => 100, 'topdown-fe-bound' => 200,
    'topdown-be-bound' => 300, r8000 => 400, r8100 => 100, r8200 => 200, r8300 => 300, r10ad => 10);
my %atom = (cycles => 90, r3c => 90, r71 => 120, r72 => 70, r73 => 30, r74 => 150, rc2 => 70);
for (['alderlake', 'alderlaken', 5], ['meteorlake', 'sierraforest', 6]) {
    my ($hybrid, $small, $width) = @$_;
    for my $metric (map { "td_${_}_pct" } qw(frontend bad_spec backend retiring)) {
        my $large = formula($shown{sapphirerapids}{metrics}{$metric}, sub { $core{$_[0]} // die $_[0] });
        my $value = formula($shown{$small}{metrics}{$metric},
            sub { $_[0] eq 'slots_per_cycle' ? $width : $atom{$_[0]} // die $_[0] });
        my $both = formula($shown{$hybrid}{metrics}{$metric}, sub {
            my ($word) = @_;
            return $width if $word eq 'slots_per_cycle';
            return $core{$1} // die $word if $word =~ m{^cpu_core/(.*)/$};
            return $atom{$word =~ m{^cpu_atom/(.*)/$} ? $1 : die $word};
        });
        my $slots = $width * $atom{cycles};
        my $expected = ($large * $core{slots} + $value * $slots) / ($core{slots} + $slots);
        cmp_ok(abs($both - $expected), '<=', 1e-9 * $expected, "$hybrid: $metric is that of both core types");
        cmp_ok(abs($large - $value), '>', 1, '... which differ');
    }
}
{
    my (undef, undef, undef, $help) = shown_on(machine('hip09', '0x481fd020'));
    like($help->{$_}, qr/misses of the first \w+ TLB/, "an Arm core of which nothing is known: $_ counts no page walks")
        for qw(dtlb_mpki itlb_mpki);
}

# ---- perf's own tables ----

my $perf = run('perf', '--version');
my %asked; # {processor}{event}: perf has it there
SKIP: {
    skip 'perf is not installed', 1 if $perf->{status} != 0;
    chomp(my $version = $perf->{out});
    my %listed;
    for my $processor (grep { $_->[2] } @processors) {
        my ($name, $id, $cpuid) = @$processor;
        my $family = $name =~ s/ .*//r;
        local $ENV{PERF_CPUID} = $cpuid;
        local $ENV{SYSFS_PATH} = machine($name, $id) . '/sys';
        # {PMU} => events as above, and what it lists by number and flags: "" without masks.
        my (%list, %has);
        for (run('perf', 'list', '--details')->{out} =~ m{^\s+(cpu\w*/event=\S+?)/\s*$}mg) {
            my ($pmu, $terms) = split m{/}, $_, 2;
            my %term = map { /^(\w+)=(\w+)$/ ? ($1 => hex $2) : ($_ => 1) } split /,/, $terms;
            my $flags = ($term{cmask} // 0) << 8 | ($term{inv} ? 0x80 : 0) | ($term{any} ? 0x20 : 0)
                | ($term{edge} ? 4 : 0);
            push @{$list{$pmu}}, [$term{event}, $term{umask} // 0, $flags, '-', '', 0, 'P'];
            $has{$pmu}{"$term{event} $flags"} .= $term{umask} ? 'masks' : '';
        }
        my @all = map { @{$list{$_}} } sort keys %list;
        $listed{$name} = join ' ', map { "@{$_}" } @all;
        SKIP: {
            skip "$version has no table for $name ($cpuid)", 2
                if !@all || ($name eq 'amdzen4' && $listed{amdzen3} && $listed{$name} eq $listed{amdzen3});
            my (@unknown, $looked_up);
            for my $text (map { @{$_} } values %{$shown{$name}{screens}}) {
                my ($where, $code) = $text =~ m{^(?:(\w+)/)?r([0-9a-f]+)/?$} or next;
                for my $pmu ($where // sort keys %list) {
                    my ($number, undef, $flags) = fields(hex $code);
                    # Events that it does not list at all, or without masks, are the tables' above,
                    # and so is event 0, of the metrics register.
                    next if !$number || !$has{$pmu}{"$number $flags"};
                    $looked_up++;
                    $asked{$name}{$text} = 1;
                    push @unknown, "$pmu: $text" if !has_code($list{$pmu}, hex $code, '-');
                }
            }
            cmp_ok($looked_up // 0, '>', 10, "$name: $version has events of its screens");
            is_deeply(\@unknown, [], "... with these codes");
        }
    }
}
# ---- what came of it, as a table ----

# What a cell says: the sources of all events of the screen's columns, P where perf that is installed
# was asked, = where a column's formula gave the vendor's numbers, ~ where not all fit the counters.
sub cell {
    my ($name, $screen) = @_;
    my $family = $name =~ s/ .*//r;
    my ($offered, $groups, $metrics) = @{$shown{$name}}{qw(offered groups metrics)};
    my %letters;
    for my $column (@{$offered->{$screen}}) {
        my ($metric, @events) = @$column;
        $letters{$_} = 1 for map { split //, has_event($family, $known{$family}, $_) } @events;
        $letters{P} = 1 if grep { $asked{$name}{$_} } @events;
        $letters{'='} = 1 if ($formulas{$name} // $formulas{$family} // {})->{same}{$metric};
        $letters{'~'} = 1 if @{too_many($family, 1, [$metric, @events])};
    }
    $letters{'~'} = 1 if @{too_many($family, 0, grep { $_->[0] eq $screen } @$groups)};
    return join '', grep { $letters{$_} } qw(k l i a p f P = ~);
}

my @titles = sort keys %{{map { $_ => 1 } map { keys %{$_->{screens}} } values %shown}};
@titles = grep { !/^(?:software|faults|switches|waits)$/ } @titles;
my (%rows, @order, @empty);
for my $name (map { $_->[0] } @processors) {
    my @cells = map { $shown{$name}{offered}{$_} ? cell($name, $_) : '' } @titles;
    push @empty, map { "$name: $titles[$_]" }
        grep { $shown{$name}{offered}{$titles[$_]} && $cells[$_] !~ /[klaipf]/ } 0 .. $#titles;
    my $row = join '|', @cells, '';
    push @order, $row if !$rows{$row};
    push @{$rows{$row}}, $people{$name} ? "$name ($people{$name})" : $name;
}
is_deeply(\@empty, [], 'each screen that is offered was checked against a source');
write_file("$ENV{B}/vendors.md", 'k: the code of Linux, l: its lists for perf, i: intel/perfmon, a: ARM-software/data, p: libpfm4,',
    'f: the firmware decides, P: ' . ($perf->{out} =~ s/\n//r || 'perf') . ' was asked as that processor,',
    '=: a formula gives the vendor\'s numbers, ~: not all of it fits the counters at once, and it says so.', '',
    '|' . join('|', 'processor', @titles, ''), '|' . '-|' x (@titles + 1), map { '|' . join(', ', @{$rows{$_}}) . "|$_" } @order);
is(scalar(map { @{$_} } values %rows), scalar @processors, "$ENV{B}/vendors.md has each processor");
done_testing;

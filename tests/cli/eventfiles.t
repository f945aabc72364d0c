#!/usr/bin/env perl
# Event files in perf's JSON: their events by name, their metrics as columns, mistakes in them.
use Countertop;
use File::Path 'make_path';

my $data = "$ENV{TOP}/tests/data/eventfiles";
my @config = ('-W', "$data/config");

sub write_file {
    my ($path, $text) = @_;
    make_path($path =~ s{/[^/]*$}{}r);
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
}

# {name => event} on a machine whose tasks are not known.
sub events {
    my @options = @_;
    my ($header) = refreshes(qw(-n 1 -d 0.05 --engine task), @options);
    return {map { $_->{name} => $_ } @{$header->{events}}};
}

# {name => [title, text, mark]} of what is listed, and the run.
sub listed {
    my ($pattern, @options) = @_;
    my $run = countertop('--list-events', $pattern, @options);
    my ($title, %found);
    for (split /\n/, $run->{out}) {
        $title = $_ if /^\S/;
        $found{$2} = [$title, $3, $1] if /^  (yes|no )  (\S+)(?: +(\S.*))?$/;
    }
    return (\%found, $run);
}

# ---- three makers ----

{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/intel';
    my $event = events(@config, '-e', 'inst_retired.any,mem_trans_retired.load_latency_gt_128:u,'
        . 'cpu/UOPS_EXECUTED.STALL_CYCLES,cmask=3/,UNC_M_CAS_COUNT.RD,unc_cha_clockticks');
    is($event->{'inst_retired.any'}{encoding}, 'cpu type=4 config=0xc0', 'Intel: an event, in any case');
    is($event->{'mem_trans_retired.load_latency_gt_128:u'}{encoding},
        'cpu type=4 config=0x1cd config1=0x80', '... one that needs a register');
    is($event->{'cpu/UOPS_EXECUTED.STALL_CYCLES,cmask=3/'}{encoding}, 'cpu type=4 config=0x38001b1',
        '... one with a term that replaces its own');
    is($event->{'uncore_imc_1/UNC_M_CAS_COUNT.RD/'}{encoding}, 'uncore_imc_1 type=16 config=0x304',
        '... one of several PMUs, on each');
    is($event->{unc_cha_clockticks}{reason}, "this machine has no PMU 'uncore_cha', which counts it",
        '... one of a PMU that is not there');

    my ($found) = listed('event file', @config);
    my $core = "event file '$data/config/events/x86/skx/core.json'";
    is_deeply([@{$found->{'CPU_CLK_UNHALTED.RING0_TRANS'}}[0, 1]],
        [$core, 'Times that kernel mode was entered (deprecated)'], 'they are listed below their file');
    is($found->{'uncore_imc/UNC_M_CAS_COUNT.RD/'}[1], 'Reads of memory, in Bytes', '... with their unit');
    is($found->{'MEM_LOAD_RETIRED.L3_MISS'}[0],
        "event file '$data/config/events/perfmon/SKX/events/skylakex_core.json'", "... perfmon's too");
    is($found->{ONLY_ON_CASCADE_LAKE}, undef, '... and not those of another stepping');

    my $columns = countertop(@config, '--list-columns')->{out};
    like($columns, qr/^CPI +CPI +Cycles per instruction \[Pipeline;Summary\]: 1 \/ \('INST_RETIRED\.ANY' \/ 'CPU_CLK_UNHALTED\.THREAD'\)$/m,
        'a metric may refer to another');
    like($columns, qr/^memory_read +memory_read : 64 \* \('uncore_imc_0\/UNC_M_CAS_COUNT\.RD\/' \+ 'uncore_imc_1\/UNC_M_CAS_COUNT\.RD\/'\) \/ 1000000 \/ interval$/m,
        '... adds up PMUs, and knows the time');
    like($columns, qr/^guarded +guarded +in per_turn: 'INST_RETIRED\.ANY' \* 2$/m,
        '... chooses by what is known, and says its unit');
    my ($not) = $columns =~ /^\(metrics of event files that are not computed here\)\n(.*)\z/ms;
    is($not =~ s/^  (\S+) +/$1: /mgr, <<'END', 'the others are listed with the reason');
ipc: a column of this program has that name
stalled: it needs '#smt_on', which is not known on this machine
unknown_event: unknown event 'NO_SUCH_EVENT': expected a perf or libpfm4 name (--list-events shows them)
endless: it refers to itself
per_source: it needs source_count, which depends on the CPUs that a row stands for
bits: it computes |, ^, & or % of counts, for which there is no operator here
mistaken: expected a number, an event, a metric or '(' at column 19: INST_RETIRED.ANY /^
END

    # Before libpfm4's, which can still be chosen.
    local $ENV{LIBPFM_FORCE_PMU} = 'skx';
    $event = events(@config, '-e', 'MEM_LOAD_RETIRED:L3_MISS,skx::MEM_LOAD_RETIRED:L3_MISS');
    is($event->{'MEM_LOAD_RETIRED:L3_MISS'}{encoding}, 'cpu type=4 config=0x20d1',
        'a name is found as libpfm4 writes it');
    like($event->{'skx::MEM_LOAD_RETIRED:L3_MISS'}{encoding}, qr/^cpu type=4 config=0x20d1 skx::/,
        "... and libpfm4's own with its table");
}
{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/zen5';
    my $event = events(@config, '-e', 'EX_RET_OPS,de_no_dispatch_per_slot.no_ops_from_frontend,'
        . 'ls_not_halted_cyc,l3_lookup_state.l3_miss');
    is($event->{EX_RET_OPS}{encoding}, 'cpu type=4 config=0xc1', 'AMD: an event');
    is($event->{'de_no_dispatch_per_slot.no_ops_from_frontend'}{encoding},
        'cpu type=4 config=0x1000001a0', '... with a code of 12 bits');
    like($event->{ls_not_halted_cyc}{reason}, qr/^cannot use an event of PMU 'cpu': its term 'cmask' is not in/,
        '... one that needs more than the kernel has');
    is($event->{'l3_lookup_state.l3_miss'}{reason}, "this machine has no PMU 'amd_l3', which counts it",
        '... one of the L3 cache');
    like(countertop(@config, '--list-columns')->{out},
        qr/^frontend_share .* \[PipelineL1\]: 100 \* \(d_ratio\('de_no_dispatch_per_slot\.no_ops_from_frontend', 8 \* 'ex_ret_ops'\)\)$/m,
        '... and a metric');
}
{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/eventfiles/v2';
    my $event = events(@config, '-e', 'cpu_cycles,L2D_CACHE_REFILL_PREFETCH');
    is($event->{cpu_cycles}{encoding}, 'armv8_pmuv3_0 type=8 config=0x11', 'Arm: a standard event');
    is($event->{L2D_CACHE_REFILL_PREFETCH}{encoding}, 'armv8_pmuv3_0 type=8 config=0x10a', "... a core's own");
    my ($found) = listed('event file', @config);
    is($found->{INST_RETIRED}[0], "event file '$data/config/events/arm64/arm/v2-r1/core.json'",
        '... of the newest file that is not too new');
    my $columns = countertop(@config, '--list-columns')->{out};
    like($columns, qr/^backend_bound .*: 100 \* \('STALL_SLOT_BACKEND' \/ \(8 \* 'CPU_CYCLES'\)\)$/m,
        '... and a standard metric with the slots of this core');
    like($columns, qr/^of_this_core .*: 'CPU_CYCLES'$/m, '... one for this core');
    like($columns, qr/^threads_per_core .*: 1 \* 'CPU_CYCLES'$/m, '... one with the number of threads');
}

{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/eventfiles/adl';
    my $columns = countertop(@config, '--list-columns')->{out};
    like($columns, qr{^walks_of_small_cores .*: 'cpu_atom/ITLB_MISSES\.WALK_COMPLETED/' / 'cpu_atom/instructions/'$}m,
        'two core types: a metric for one of them has its events');
    like($columns, qr{^walks_of_both .*: 'ITLB_MISSES\.WALK_COMPLETED' / 'instructions'$}m,
        '... one for both has those of both') or diag $columns;
}

# ---- mistakes ----

{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/intel';
    my ($found, $run) = listed('still_there', '-W', "$data/bad");
    is($run->{status}, 0, 'mistakes in event files end nothing');
    is_deeply($found, {STILL_THERE => ["event file '$data/bad/events/wrong.json'", 'Is not lost, in e', $found->{STILL_THERE}[2]]},
        '... and lose nothing else');
    is($run->{err} =~ s/\Q$data\E/DATA/gr, <<'END', '... but each file is named once');
countertop: DATA/bad/events/broken.json:2: no JSON: ']' expected near end of file
countertop: DATA/bad/events/list.json: no event file: expected a list of events
countertop: DATA/bad/events/wrong.json: entry 2 'BAD_CODE': EventCode is 'thirty': expected a number such as 7 or 0x1f; left out, and 5 more entries
END
    is(countertop('--list-events', 'software', '-W', "$data/bad", '--no-config')->{err}, '',
        '--no-config reads none');
    $run = countertop('-W', "$data/config", '-b', '-n1', '-e', 'UOPS_EXECUTED.STAL_CYCLES');
    # A newer libpfm4 knows the event, and names what it has.
    like("$run->{status} $run->{err}", qr/^2\ countertop:\ (?:
        unknown\ event\ 'UOPS_EXECUTED\.STAL_CYCLES':\ expected\ a\ perf\ or\ libpfm4\ name;\ nearest\ is\ 'UOPS_EXECUTED\.STALL_CYCLES'
        |bad\ event\ 'UOPS_EXECUTED\.STAL_CYCLES':.*\bunit\ masks:.*\bSTALL_CYCLES\b.*)\n\z/x, 'a near name is offered');
}

{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/eventfiles/v2';
    like(countertop(@config, '--check')->{out}, qr/^event files +1 for this machine, with 4 events and 3 metrics$/m,
        '--check says how many there are');
    my ($page) = json_lines(countertop(@config, '--check', '--format', 'json')->{out});
    is_deeply($page->{event_files}, ["$data/config/events/arm64/arm/v2-r1/core.json"], '... and which');
}

# ---- a metric is counted ----

{
    my $own = tempdir(CLEANUP => 1);
    # As editors of Windows save it: with a byte order mark.
    write_file("$own/countertop/events/own.json", "\xef\xbb\xbf" . <<'END');
[
    {"MetricName": "faults_per_run", "MetricExpr": "d_ratio(page\\-faults, duration_time)", "ScaleUnit": "2/s"},
    {"MetricName": "three_quarters", "MetricExpr": "(minor\\-faults * 3 + page\\-faults - page\\-faults) / 4 if 1 else lost"}
]
END
    local $ENV{XDG_CONFIG_HOME} = $own;
    my $run = countertop(qw(-b --format json -e page-faults -e minor-faults -- faults 2000));
    is($run->{err}, '', 'a byte order mark is no mistake');
    my ($header, @all) = json_lines($run->{out} =~ s/^[^{].*\n//mgr);
    is((grep { $_->{name} eq 'faults_per_run' } @{$header->{metrics}})[0]{unit}, '1/s', 'a metric has its unit');
    my ($task) = grep { $_->{counts}{'minor-faults'} } map { task($_, 'faults') } @all;
    ok($task, 'the program is seen');
    is($task->{metrics}{three_quarters}, $task->{counts}{'minor-faults'} * 3 / 4, '... and the metric is computed');
    cmp_ok($task->{metrics}{faults_per_run}, '>', 0, '... over the time');
}

done_testing;

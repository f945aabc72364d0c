#!/usr/bin/env perl
# Rings that were recorded once, played through the whole program: what ledger, snapshots and ratios
# make of them is the same in each run, to the last event and nanosecond. tests/data/rings/README.md
# says what is known of each recording from outside.
use Countertop;
no warnings 'qw'; # options have commas
use List::Util qw(max sum0 uniq);
use Rings;

# Everything in these refreshes adds up: counts by tasks and by CPUs, and no CPU has more time than
# there was.
sub balances {
    my ($name, @refreshes) = @_;
    my @wrong;
    for my $refresh (@refreshes) {
        my $interval = $refresh->{interval} + 1e-9;
        for my $event (grep { defined $refresh->{idle}{counts}{$_} } sort keys %{$refresh->{total}{counts}}) {
            my ($ledger, $total, $cpus) = sums($refresh, $event);
            push @wrong, "$event: tasks + idle + unattributed = $ledger, total $total, CPUs $cpus" if $ledger != $total || $cpus != $total;
        }
        push @wrong, "cpu $_->{cpu}: $_->{oncpu} s of $interval" for grep { $_->{oncpu} > $interval } @{$refresh->{cpus}};
        my ($tasks, $cpus) = map { sum0(map { $_->{oncpu} // 0 } @{$refresh->{$_}}) } qw(tasks cpus);
        push @wrong, "tasks $tasks s, CPUs $cpus s" if abs($tasks - $cpus) > 1e-8 * @{$refresh->{tasks}};
    }
    is("@wrong", '', "$name: all refreshes balance");
}

sub total {
    my ($event, @rows) = @_;
    return sum0(map { $_->{counts}{$event} // 0 } @rows);
}

# Rows of all refreshes by their thread, in the order of births: ([row, ...], ...).
sub lives {
    my ($comm, @refreshes) = @_;
    my %of;
    push @{$of{$_->{tid}}}, $_ for map { task($_, $comm) } @refreshes;
    return map { $of{$_} } sort { $a <=> $b } keys %of;
}

# ---- hardware counters, one instruction a nanosecond, and one in two ----

for (['exact', 1, 1, 0.098], ['half', 2, 2, 0.094]) {
    my ($name, $cycles, $count, $delay) = @$_;
    my ($header, @refreshes) = play(rings($name), '-n', $count, '-d', $delay, '-e', 'cycles:u,instructions:u');
    my %state = map { $_->{name} => $_->{state} } @{$header->{events}};
    is("$state{cycles} $state{instructions} $state{branches}", 'counted counted unsupported', "$name: what was recorded is counted");
    balances($name, @refreshes);
    my @loops = lives('loop', @refreshes);
    my @user = map { total('instructions:u', @$_) } @loops;
    is($user[1] - $user[0], 8_000_000, '... a loop of nine million instructions has eight million more than one of one');
    is_deeply([map { total('cycles', @$_) } @loops], [map { $cycles * total('instructions', @$_) } @loops], '... cycles to instructions');
    is_deeply([map { $_->{metrics}{ipc} } map { @$_ } @loops], [map { 1 / $cycles } map { @$_ } @loops], '... the IPC of each, exactly');
    is_deeply([map { total('cycles:u', @$_) } lives('pingpong', @refreshes)],
        [map { $cycles * total('instructions:u', @$_) } lives('pingpong', @refreshes)], '... of two that switch all the time, too');
}

# Never switched out for two intervals: all of them, and what a clock counted is no later than a tick.
my (undef, @refreshes) = play(rings('half'), qw(-n 3 -d 0.06 -e cpu-clock));
for my $refresh (@refreshes[1, 2]) {
    my ($loop) = task($refresh, 'loop');
    cmp_ok(abs($loop->{oncpu} - 0.06), '<', 1e-3, 'a thread that is never switched out has all of the interval');
    cmp_ok(abs($loop->{counts}{'cpu-clock'} / 1e9 - $loop->{oncpu}), '<=', 0.005, '... its clock, to a tick');
    is($refresh->{unattributed}{counts}{'cpu-clock'}, 0, '... and nothing is nobody\'s');
}

# Thirteen events on seven counters: two groups by turns.
my @events = qw(r11 r08 r11:u r08:u r11:k r08:k cycles instructions cycles:u instructions:u cycles:k instructions:k);
my (undef, @turns) = play(rings('turns'), qw(-n 2 -d 0.11 -s software -e), join ',', @events);
for my $cpu (map { @{$_->{cpus}} } @turns) {
    my $coverage = $cpu->{coverage};
    is(scalar(uniq @{$coverage}{@events}), 2, 'multiplexed: two groups');
    ok(abs($coverage->{r11} + $coverage->{instructions} - 1) < 0.02, '... whose turns are all of the time') or diag explain $coverage;
    my @scaled = map { $cpu->{counts}{$_} / 1e9 } qw(cycles instructions);
    is((grep { abs($_ / $cpu->{oncpu} - 1) > 0.025 } @scaled), 0, '... scaled, both count a nanosecond each, to a turn') or diag "@scaled, $cpu->{oncpu} s";
}
my %by = map { my $comm = $_; $comm => {map { my $event = $_; $event => total($event, map { task($_, $comm) } @turns) } @events} } qw(spin calls);
for my $comm (qw(spin calls)) {
    my $seconds = sum0(map { $_->{oncpu} } map { task($_, $comm) } @turns);
    is((grep { abs($by{$comm}{$_} / 1e9 / $seconds - 1) > 0.03 } qw(r11 r08 cycles instructions)), 0, "... of $comm, too");
}
cmp_ok($by{spin}{'r11:k'}, '<', 0.1 * $by{calls}{'r11:k'}, '... and one is in the kernel, the other is not');

# ---- waiting ----

# Four that share a CPU with one that sleeps. What they did before their first record is not known.
my $shared = rings('shared');
for my $more ([], ['-e', 'cpu-clock']) {
    my ($header, @refreshes) = play($shared, qw(-H -n 3 -d 0.094 -s waits), @$more);
    my $name = "waits @$more";
    is((grep { $_->{state} ne 'counted' } @{$header->{events}}), 0, "$name: all are counted");
    balances($name, @refreshes);
    for my $refresh (@refreshes[1, 2]) {
        my @spins = task($refresh, 'spin');
        is_deeply([map { sprintf '%.0f', $_->{oncpu} * 1e9 + $_->{counts}{'wait-time'} + $_->{counts}{'block-time'} } @spins],
            [(94_000_000) x 4], '... the life of four on one CPU is the interval, to the nanosecond');
        is(total('block-time', @spins), 0, '... they never sleep');
        is(total('preemptions', @spins), total('context-switches', @spins), '... each switch is a preemption') if @$more && defined $spins[0]{counts}{'context-switches'};
        my ($cpu) = @{$refresh->{cpus}};
        is($cpu->{metrics}{cpu_pct}, 100, '... their CPU is busy');
        is(total('wait-time', $cpu), total('wait-time', @{$refresh->{tasks}}), '... waiting is kept of the CPU, too');
        cmp_ok(abs($cpu->{metrics}{waiting} - 3), '<', 0.002, '... three wait for it, and now and then who wakes up');
    }
    my @sleeper = grep { $_->{counts}{wakeups} > 5 } map { task($_, 'sleepers') } @refreshes[1, 2];
    is(sprintf('%.0f', sum0(map { $_->{oncpu} } @sleeper) * 1e9 + total('wait-time', @sleeper) + total('block-time', @sleeper)),
        188_000_000, '... so is that of one that sleeps, over both');
    is(total('wakeups', @sleeper), total('voluntary-switches', @sleeper), '... which is woken whenever it has left the CPU');
    is(total('wakeups', @sleeper), 19, '... each ten milliseconds and a little');
    is(total('wakeup-latency', @sleeper), total('wait-time', @sleeper), '... all that it waits is after a wake-up');
    is((grep { $_->{metrics}{wakeup_max_us} < $_->{metrics}{wakeup_latency_us} } @sleeper), 0, '... the longest is not below the mean');
}
# What the scheduler said meanwhile. It had begun 8 ms later, and adds a wait at its end.
my %spin = map { $_->[0]{tid} => $_ } lives('spin', (play($shared, qw(-H -n 3 -d 0.094 -s waits -e cpu-clock)))[1 .. 3]);
for my $tid (sort keys %spin) {
    my ($first, $last) = ($shared->{first}{$tid}, $shared->{last}{$tid});
    cmp_ok(abs(sum0(map { $_->{oncpu} } @{$spin{$tid}}) - ($last->{run} - $first->{run}) / 1e9), '<', 0.008, 'time on the CPU is the scheduler\'s');
    cmp_ok(abs(total('wait-time', @{$spin{$tid}}) - ($last->{delay} - $first->{delay})) / 1e9, '<', 0.035, '... and so is waiting');
}

# A convoy: each of four has a lock for a millisecond by turns, on two CPUs.
(undef, @refreshes) = play(rings('convoy'), qw(-H -n 2 -d 0.08 -s waits -e cpu-clock));
balances('convoy', @refreshes);
my @convoy = task($refreshes[1], 'convoy');
is(scalar(@convoy), 4, 'a convoy of four');
cmp_ok(abs(sum0(map { $_->{oncpu} } @convoy) + total('wait-time', @convoy) / 1e9 - 0.08), '<', 0.0025, '... one at a time runs or waits for a CPU');
is((grep { abs($_->{counts}{'voluntary-switches'} - 20) > 1 } @convoy), 0, '... twenty turns each');
cmp_ok(max(map { abs($_->{oncpu} + ($_->{counts}{'wait-time'} + $_->{counts}{'block-time'}) / 1e9 - 0.08) } @convoy), '<', 0.005,
    '... the life of each is the interval, but for its present sleep');

# ---- lives ----

my $lives = rings('lives');
my @counted = qw(-e context-switches,cpu-clock,page-faults,minor-faults -s waits);
(undef, @refreshes) = play($lives, qw(-H -n 2 -d 0.05), @counted);
balances('lives', @refreshes);
my ($first, @born) = sort { $a->{tid} <=> $b->{tid} } grep { $_->{comm} eq 'births' && $_->{exited} } map { @{$_->{tasks}} } @refreshes;
my @children = grep { $_->{ppid} == $first->{pid} && $_->{tid} == $_->{pid} } @born;
is(scalar(@children), 40, 'forty processes of a moment: all are told, with name, parent and end');
is_deeply([map { total('context-switches', $_) } @children], [map { $_->{counts}{preemptions} + 1 } @children], '... each had a slice for its end');
is((grep { $_->{oncpu} < 1e-4 || $_->{oncpu} > 3e-4 } @children), 0, '... and its time');
is((grep { $_->{counts}{'page-faults'} != 12 || $_->{counts}{'minor-faults'} != 12 } @children), 0, '... the same faults each');
my @threads = grep { $_->{tid} != $_->{pid} } @born;
is(scalar(@threads), 20, 'twenty threads: all are told');
is((grep { $_->{oncpu} < 0.495e-3 || $_->{oncpu} > 0.86e-3 } @threads), 0, '... with their half millisecond');
is((grep { abs($_->{counts}{'cpu-clock'} / 1e9 - $_->{oncpu}) > 5e-6 } @threads), 0, '... by the clock of CPUs, too');
my @players = grep { $_->{exited} } map { task($_, 'pingpong') } @refreshes;
is(scalar(@players), 2, 'ping-pong of two processes');
cmp_ok(abs(total('context-switches', @players) - 200), '<=', 5, '... on one CPU: two hundred switches, and those of their begin and end');
my $most = total('context-switches', map { $_->{total} } @refreshes);
my $nobodys = total('context-switches', map { $_->{unattributed} } @refreshes);
cmp_ok($nobodys, '<=', 0.02 * $most, 'nearly nothing is nobody\'s');

# Processes have what their threads have.
my (undef, @processes) = play($lives, qw(-n 2 -d 0.05), @counted);
is_deeply([map { total('context-switches', @{$_->{tasks}}) } @processes], [map { total('context-switches', @{$_->{tasks}}) } @refreshes],
    'rows of processes add up to those of threads');

# The reader of rings that hold 8 KiB has no CPU for 30 ms.
my @held = qw(RINGS_SIZE=8192 RINGS_HELD=10,40);
my (undef, @lossy) = play($lives, @held, qw(-H -n 2 -d 0.05), @counted);
balances('loss', @lossy);
for my $event (qw(context-switches page-faults)) {
    is(total($event, map { $_->{total} } @lossy), total($event, map { $_->{total} } @refreshes), "loss: what all did is known: $event");
}
# The kernel tells a loss with the CPU's next record, which may be in the next interval.
my $lost = sum0(map { $_->{lost_records} } @lossy);
cmp_ok($lost, '>', 1000, '... lost records are told');
cmp_ok($lossy[0]{unattributed}{counts}{'context-switches'}, '>', 0.5 * $lossy[0]{total}{counts}{'context-switches'}, '... most of it is nobody\'s');
cmp_ok(total('context-switches', @{$lossy[0]{tasks}}), '>', 0, '... not what they did before');
is($lossy[1]{unattributed}{counts}{'page-faults'}, 0, '... nor after it');
my $text = run(played($lives, @held), qw(-b -n 2 -d 0.05), @counted)->{out};
is(sum0($text =~ /^countertop .*  lost (\d+) records  /mg), $lost, '... the text says it');

# ---- on x86, beside others ----

my $x86 = rings('x86');
(undef, @refreshes) = play($x86, qw(-H -n 3 -d 0.05 -s waits -e cpu-clock,context-switches));
balances('x86', @refreshes);
for my $life (lives('spin', @refreshes)) {
    is_deeply([map { sprintf '%.0f', $_->{oncpu} * 1e9 + $_->{counts}{'wait-time'} + $_->{counts}{'block-time'} } @{$life}[1, 2]], [(50_000_000) x 2],
        'x86: the life of one that computes is the interval');
}
my ($reader) = lives('reader', @refreshes);
is(total('wakeups', @$reader), total('voluntary-switches', @$reader), '... a reader that slept before is woken as often as it sleeps');
done_testing;

#!/usr/bin/env perl
# Too few descriptors, too little lockable memory for the rings, missing CPUs: what can be counted
# is correct, the rest has a reason.
use Countertop;

chomp(my $cpus = `nproc --all`);
my $spin = start('spin');
# Tasks come and go meanwhile, also those that cannot be counted.
my $births =
    start('perl', '-e', 'while () { system "births", 20; select undef, undef, undef, 0.05 }');

# One line that names what is short, and how to get more.
sub complains {
    my ($run, $name) = @_;
    is($run->{status}, 1, "$name: it does not begin");
    like($run->{err}, qr/^countertop: [^\n]*(descriptors|open files)[^\n]*\n\z/, '... says why');
    like($run->{err}, qr/ulimit -n|prlimit --nofile/, '... and the remedy');
    is($run->{out}, '', '... before it writes anything');
}

sub counts_rightly {
    my ($name, $header, @refreshes) = @_;
    my @missing;
    for my $event (@{$header->{events}}) {
        my $counted = $event->{state} eq 'counted';
        if (!$counted) {
            push @missing, $event->{name};
            like("$event->{state}: $event->{reason}", qr/^no_descriptor: .*(ulimit -n|prlimit)/,
                "$name: $event->{name} is not counted, with the reason");
        }
        for my $refresh (@refreshes) {
            my @rows = ($refresh->{total}, @{$refresh->{tasks}}, @{$refresh->{cpus}},
                grep { $_ } $refresh->{idle}, $refresh->{unattributed});
            # A task that got no descriptor has no number either, nor has a sum without it.
            my @wrong = grep { !$counted && defined } map { $_->{counts}{$event->{name}} } @rows;
            is("@wrong", '', "$name: $event->{name} has no number");
            next if !$counted || $header->{engine} ne 'cpu';
            my ($ledger, $total, $sum) = sums($refresh, $event->{name});
            is("$ledger $sum", "$total $total", "$name: $event->{name} adds up");
        }
    }
    like($header->{notice}, qr/\Q$_\E/, "$name: the notice names $_") for @missing;
    like($header->{notice}, qr/descriptors/, '... and what is short') if @missing;
    return scalar @missing;
}

my (%failed, %partly, %whole);
my ($least, $most) = (18, 10 * $cpus + 40);
my %limits = (
    auto => [$least, $most],
    cpu => [$least, 8 * $cpus + 4, 3 * $cpus + 24, 5 * $cpus + 24, $most],
    task => [$least, $most],
);
for my $engine (sort keys %limits) {
    for my $limit (@{$limits{$engine}}) {
        my $name = "engine $engine, $limit descriptors";
        my $run = run('prlimit', "--nofile=$limit", '--', qw(countertop -b --format json -n 2),
            qw(-d 0.2 --engine), $engine, $engine eq 'task' ? ('-p', $spin->{pid}) : ());
        if ($run->{status}) {
            complains($run, $name);
            $failed{$engine}++;
            next;
        }
        is($run->{err}, '', "$name: no word on standard error");
        my $missing = counts_rightly($name, json_lines($run->{out}));
        ($missing ? \%partly : \%whole)->{$engine}++;
    }
}
ok($failed{cpu} && $partly{cpu} && $whole{cpu}, 'engine cpu: none, a part and all of it came up');
ok($whole{task}, 'engine task: all of it came up');

# More threads than descriptors: those of some are missing, and it is told how many.
my $sleepers = start(qw(sleepers -a 40 0));
next_line($sleepers);
my $run = run(qw(prlimit --nofile=64 -- countertop -b -H -i --format json -d 0.2 -n 2),
    '--engine', 'task', '-p', $sleepers->{pid});
is($run->{status}, 0, 'more threads than descriptors');
my ($header, undef, $refresh) = json_lines($run->{out});
my @nothing = grep { !defined $_->{oncpu} } @{$refresh->{tasks}};
is(scalar(@nothing), $refresh->{starved_tasks}, '... those without are told');
cmp_ok($refresh->{starved_tasks}, '>', 0, '... which there are');
is((grep { defined } map { values %{$_->{counts}} } @nothing), 0, '... and have no numbers');
cmp_ok(scalar(@{$refresh->{tasks}}), '>', @nothing, '... the others have');
stop($sleepers);

$run = countertop(qw(-b -n 1 -C), $cpus + 5);
is($run->{status}, 1, 'a CPU that is not there');
is($run->{err}, 'countertop: cannot count cpu ' . ($cpus + 5) . ': it is not online (see ' .
    "/sys/devices/system/cpu/online)\n", '... is named');

SKIP: {
    skip 'only root can give up all but CAP_PERFMON', 1 if $> != 0;
    my $user = 50_000 + $$ % 10_000; # of no other test: what a user may lock is one sum
    my @perfmon = ('setpriv', "--reuid=$user", "--regid=$user", '--clear-groups',
        qw(--inh-caps=+perfmon --ambient-caps=+perfmon --));
    skip "user $user cannot run what was built here", 1
        if run(@perfmon, 'countertop', '--version')->{status};
    open my $sysctl, '<', '/proc/sys/kernel/perf_event_mlock_kb' or die "mlock_kb: $!";
    chomp(my $granted = readline $sysctl);
    skip "perf_event_mlock_kb is $granted: that is no limit here", 1 if $granted >= 4100;
    # Without a limit of its own, it has what perf_event_mlock_kb grants each CPU: a page, and a
    # power of two of pages.
    my $run = run('prlimit', '--memlock=0', '--', @perfmon, qw(countertop -b --format json -n 2),
        qw(-d 0.3 --engine cpu));
    is("$run->{status}$run->{err}", 0, 'with memory for small rings it counts');
    my ($header, @refreshes) = json_lines($run->{out});
    counts_rightly('small rings', $header, @refreshes);
    my $ring = 4;
    $ring *= 2 while 2 * $ring + 4 <= $granted;
    like($header->{notice}, qr/rings of $ring KiB instead of 4096.*perf_event_mlock_kb/,
        '... and says how small they are, and what limits them');
    my $text = run('prlimit', '--memlock=0', '--', @perfmon, qw(countertop -b -n 1 -d 0.2),
        qw(--engine cpu));
    like($text->{out}, qr/^.*rings of $ring KiB instead of 4096.*perf_event_mlock_kb/m,
        '... also as text');
    my $free = run(qw(countertop -b --format json -n 1 -d 0.2 --engine cpu));
    unlike((json_lines($free->{out}))[0]{notice} // '', qr/rings/, '... root has no such limit');
}

stop($_) for $spin, $births;
done_testing;

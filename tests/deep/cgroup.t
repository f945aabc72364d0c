#!/usr/bin/env perl
# -G: only the tasks of a cgroup are counted, to the last event; and rows by cgroup.
use Countertop;
use List::Util qw(sum0 uniq);

# Cgroups of this test's own, in the hierarchy that perf counts by.
my $mount = cgroup_mount();
my $name = "countertop-test-$$";
my $top = defined $mount ? "$mount/$name" : '';
if (!$top || !mkdir $top) {
    plan skip_all => $top ? "cannot make a cgroup in $mount: $!" : 'no cgroup2 is mounted';
}
mkdir "$top/inner" or die "$top/inner: $!";

my @members;
my $owner = $$;

END {
    if ($top && $$ == $owner) {
        my $status = $?;
        stop($_) for splice @members;
        # A cgroup is dropped when its last task is gone.
        for my $folder ("$top/inner", $top) {
            for (1 .. 100) { last if rmdir $folder; select undef, undef, undef, 0.05 }
        }
        $? = $status;
    }
}

# Starts a program in a cgroup, from its first instruction on.
sub start_in {
    my ($cgroup, @command) = @_;
    my $program = start('sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', $cgroup, @command);
    push @members, $program;
    return $program;
}

sub comms {
    return join ' ', uniq sort map { $_->{comm} } @{$_[0]{tasks}};
}

my @events = qw(context-switches cpu-clock task-clock page-faults cpu-migrations);
my @count = ('-e', join(',', @events));
my $spin = start_in($top, 'spin');
my $inner = start_in("$top/inner", 'perl', '-e', 'while () { system "births", 20 }');
my $outside = start('spin', '-n', 2); # more to do than CPUs: members come and go
my $births = start('perl', '-e', 'while () { system "births", 5; select undef, undef, undef, 0.01 }');

my $counting = start(qw(countertop -b --format json -d 0.4 -n 100 -G), $name, @count);
my $header = next_refresh($counting);
is($header->{engine}, 'cpu', 'the ledger counts');
my ($all, $clock, $allowed, @refreshes, @born) = (0, 0, 0);
# Counts are those of the first record after the moment that time is cut at. A virtual CPU may be
# late with it, in any refresh; and who had a CPU at the start is known from the first tick on. The
# kernel's clock also runs while perf sets its counters to another cgroup, 40 us of each switch here.
while (@refreshes < 4 || @born < 20 || abs($all - $clock) > $allowed) {
    my $refresh = next_refresh($counting) // last;
    push @born, grep { $_->{comm} eq 'births' } @{$refresh->{tasks}} if @refreshes;
    push @refreshes, $refresh;
    my @wrong;
    for my $event (@events) {
        my ($ledger, $total, $cpus) = sums($refresh, $event);
        push @wrong, "$event: $ledger, total $total, cpus $cpus"
            if $ledger != $total || $cpus != $total;
    }
    is("@wrong", '', "refresh $refresh->{seq} balances");
    is(sum0(map { $_ // 0 } values %{$refresh->{idle}{counts}}), 0, '... nothing is idle');
    is_deeply($refresh->{total}{coverage}, {}, '... all of the time that it runs is counted');
    # Who was there before, and ended before anyone could ask, has no name.
    my $others = $refresh->{seq} > 1 ? qr/^(?!spin$|perl$|births$)/ : qr/^(?!spin$|perl$|births$|$)/;
    is((grep { $_->{comm} =~ $others } @{$refresh->{tasks}}), 0,
        '... and nobody else has a row') or diag comms($refresh);
    my $busy = sum0(map { $_->{oncpu} } @{$refresh->{cpus}});
    my $time = sum0(map { $_->{oncpu} } @{$refresh->{tasks}});
    cmp_ok(abs($busy - $time), '<=', 1e-6, '... the CPUs were busy as long as the rows ran');
    $all += $time;
    $clock += $refresh->{total}{counts}{'task-clock'} / 1e9;
    $allowed += 0.01 * $time + 0.0001 * $refresh->{total}{counts}{'context-switches'};
}
stop($counting);
cmp_ok(abs($all - $clock), '<=', $allowed, 'the rows ran as long as the kernel counts');
my @tasks = map { @{$_->{tasks}} } @refreshes[1 .. $#refreshes];
my @spinning = grep { $_->{comm} eq 'spin' } @tasks;
is(join(' ', uniq map { $_->{pid} } @spinning), $spin->{pid}, 'of two with one name the member is told');
cmp_ok(@born, '>=', 20, 'who was born there is there');
my %parent = map { $_->{pid} => $_->{ppid} } map { @{$_->{tasks}} } @refreshes;
is((grep { $_->{ppid} != $inner->{pid} && ($parent{$_->{ppid}} // 0) != $inner->{pid} } @born), 0,
    '... and no one who was born elsewhere');
my $unknown = sum0(map { $_->{unattributed}{counts}{'context-switches'} } @refreshes);
my $switches = sum0(map { $_->{total}{counts}{'context-switches'} } @refreshes);
cmp_ok($unknown, '<=', 0.02 * $switches, 'next to nothing is unattributed');

# How it is named.
for my $given ("/$name/inner", "$top/inner", "$name/inner/") {
    my $watch = start(qw(countertop -b --format json -d 0.2 -n 100 -G), $given);
    my ($spins, $births) = (0, 0);
    while (!$births && (my $refresh = next_refresh($watch))) {
        $spins += grep { $_->{comm} eq 'spin' } @{$refresh->{tasks}};
        $births += grep { $_->{comm} eq 'births' } @{$refresh->{tasks}};
    }
    stop($watch);
    is($spins, 0, "$given: only what is in there");
    ok($births, '... runs');
}
my (undef, $root) = refreshes('-d', 0.3, '-n', 1, '-G', '/');
ok((grep { $_->{pid} == $outside->{pid} } @{$root->{tasks}}), 'everything is in the root');

# Everybody who is in it, with -i; together with other choices.
my $sleeper = start_in($top, 'sleep', 1000);
my $idle;
for (1 .. 50) {
    (undef, $idle) = refreshes('-d', 0.1, '-n', 1, '-i', '-G', $name);
    last if grep { $_->{comm} eq 'sleep' } @{$idle->{tasks}};
}
is((grep { $_->{pid} == $sleeper->{pid} } @{$idle->{tasks}}), 1, '-i: also who sleeps');
is((grep { $_->{pid} == $births->{pid} || $_->{pid} == $$ } @{$idle->{tasks}}), 0,
    '... but no one who is elsewhere');
my (undef, $narrow) = refreshes('-d', 0.2, '-n', 1, '-G', $name, '-p', 'spin', '-C', '0-1');
is(join(' ', map { $_->{pid} } @{$narrow->{tasks}}), $spin->{pid}, '-G and -p: who is meant by both')
    if -e '/sys/devices/system/cpu/cpu1';

# With descriptors on each thread it is the same choice.
for my $threads ([], ['-H']) {
    my ($header, $refresh) = refreshes(qw(--engine task -d 0.3 -n 1), @$threads, '-G', $name);
    is($header->{engine}, 'task', 'the other engine counts');
    is((grep { $_->{pid} == $spin->{pid} } @{$refresh->{tasks}}), 1, '... who is in there');
    is((grep { $_->{comm} !~ /^(?:spin|perl|births|sh)?$/ || $_->{pid} == $outside->{pid} }
        @{$refresh->{tasks}}), 0, '... and nobody else') or diag comms($refresh);
}

# A cgroup that goes while it is counted.
mkdir "$top/brief" or die "$top/brief: $!";
my $brief = start_in("$top/brief", 'spin');
my $watch = start(qw(countertop -b --format json -d 0.2 -n 40 -G), "$name/brief");
next_refresh($watch);
my $ran = 0;
while (!$ran && (my $refresh = next_refresh($watch))) {
    $ran = grep { $_->{pid} == $brief->{pid} && $_->{oncpu} > 0 } @{$refresh->{tasks}};
}
ok($ran, 'a member is counted');
stop($brief);
@members = grep { $_ != $brief } @members;
for (1 .. 100) { last if rmdir "$top/brief"; select undef, undef, undef, 0.02 }
ok(!-e "$top/brief", '... its cgroup goes');
my @after;
while (@after < 3 && (my $refresh = next_refresh($watch))) {
    push @after, $refresh if !grep { $_->{pid} == $brief->{pid} } @{$refresh->{tasks}};
}
is(join(' ', map { $_->{total}{counts}{'context-switches'} } @after), '0 0 0', '... and counts 0');
stop($watch);

# Rows by cgroup.
my (undef, @groups) = refreshes('-d', 0.3, '-n', 2, '--view', 'cgroups');
my %group = map { $_->{name} // '' => $_ } @{$groups[1]{groups}};
is($group{"/$name"}{processes}, 1, '--view cgroups: a row for the cgroup');
ok($group{"/$name"}{oncpu} > 0, '... with what its processes did');
ok($group{"/$name/inner"}, '... and one for that in it');
my $text = countertop(qw(-b -d 0.3 -n 1 --view cgroups))->{out};
like($text, qr/^ *PROCS .* CGROUP$/m, 'as text');
like($text, qr/^ *1 .* \Q$name\E$/m, '... by its last part');
$text = countertop(qw(-b -c -d 0.3 -n 1 --view cgroups))->{out};
like($text, qr{^ *1 .* /\Q$name\E$}m, '... with -c by its path');

# What is no cgroup.
my $run = countertop('-b', '-G', "$name/innner");
is($run->{status}, 2, 'a cgroup that is not there is wrong usage');
is($run->{err}, "countertop: unknown cgroup '$name/innner': expected a unit, a container or a path below '$mount'; " .
    "nearest is '$name/inner'\n", '... told with the nearest name');
$run = countertop('-b', '-G', '/etc');
is($run->{status}, 2, 'what is no directory is wrong usage');
is($run->{err}, "countertop: cannot count '/etc': it is not in the hierarchy '$mount', which perf " .
    "counts by; expected a cgroup there\n", '... told as that');

done_testing;

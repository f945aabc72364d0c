#!/usr/bin/env perl
# A command's run has a row for each process that it starts, exact to the last page fault, with both
# engines, and without any privilege: a thousand children have 1 to 1,000 of them.
use Countertop;
use List::Util qw(max sum0 uniq);

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;
my @as_nobody = qw(setpriv --reuid=65534 --clear-groups -- env HOME=/);

# The header, the refreshes, and what the command wrote.
sub run_of {
    my ($user, @arguments) = @_;
    my $file = "$dir/run.json";
    unlink $file;
    my $run = run(@$user, qw(countertop -b --format json -o), $file, @arguments);
    is("$run->{status}|$run->{err}", '0|', "@arguments ends well");
    open my $json, '<', $file or return;
    local $/;
    return (json_lines(readline $json), $run->{out});
}

for (['task', []], ['task', \@as_nobody], ['cpu', []]) {
    my ($engine, $user) = @$_;
    my $name = "$engine engine" . (@$user ? ', nobody' : '');
    my ($header, $last, $out) = run_of($user, '--engine', $engine, qw(-e page-faults -- brood -n -u 1000 1));
    is($header->{engine}, $engine, "$name: it counts");
    my @children = sort { $a->[1] <=> $b->[1] } map { [split / /] } $out =~ /^(\d+ \d+)$/mg;
    is(scalar(@children), 1000, "$name: the command had a thousand children");
    # Beside others who start many, numbers of processes come round: the one with fewer faults has the row with fewer.
    my %rows;
    push @{$rows{$_->{pid}}}, $_ for sort { $a->{counts}{'page-faults'} <=> $b->{counts}{'page-faults'} } @{$last->{tasks}};
    my @found = map { my $row = shift @{$rows{$_->[0]} // []}; $row ? {row => $row, faults => $_->[1]} : () } @children;
    is(scalar(@found), 1000, "$name: each has its row");
    is_deeply([uniq map { "$_->{row}{comm} $_->{row}{exited}" } @found], ['brood 1'], "$name: ... with its name and its end");
    # In user mode each child has the same one or two faults less: the kernel took them.
    my $kernel = $header->{mode} eq 'user' ? $found[0]{faults} - $found[0]{row}{counts}{'page-faults'} : 0;
    ok($kernel >= 0 && $kernel <= 2, "$name: the kernel took few") or diag $kernel;
    $_->{faults} -= $kernel for @found;
    my @wrong = grep { ($_->{row}{counts}{'page-faults'} // 'null') ne $_->{faults} } @found;
    # The ledger says what it could not attribute: on this kernel some slices leave no record.
    my $nobodys = $last->{unattributed} ? $last->{unattributed}{counts}{'page-faults'} : 0;
    my $off = sum0 map { abs(($_->{row}{counts}{'page-faults'} // 0) - $_->{faults}) } @wrong;
    # A page that the kernel moves costs a child one more fault, perhaps in the kernel.
    my $kernels = $header->{mode} eq 'user' ? 2 * @wrong : 0;
    ok(@wrong <= ($engine eq 'task' && !$kernels ? 0 : 10) && $off <= $nobodys + $kernels, "$name: each count is exact")
        or diag join "\n", map { "$_->{row}{pid}: $_->{row}{counts}{'page-faults'}, not $_->{faults}" } @wrong;
    if ($engine eq 'task') {
        is(sum0(map { $_->{counts}{'page-faults'} } @{$last->{tasks}}), $last->{total}{counts}{'page-faults'},
            "$name: the sum over rows is the total");
        is_deeply([uniq map { %{$_->{coverage}} } @{$last->{tasks}}], [], "$name: ... nothing is estimated");
    }
    is($last->{lost_records}, 0, "$name: no record is lost");
    is_deeply([@$last{qw(final status)}], [Cpanel::JSON::XS::true, 0], "$name: the line says that it is the last one");
    cmp_ok(abs($last->{elapsed} - $last->{interval}), '<', 1, "$name: ... and how long it took");
}

# Those that end on two CPUs at once, as below a parallel make.
for my $user ([], \@as_nobody) {
    my $name = 'side by side' . (@$user ? ', nobody' : '');
    my ($exact, $children, $lost, $unequal) = (0) x 4;
    for (1 .. 2) {
        my ($header, $last, $out) = run_of($user, qw(--engine task -e page-faults -- sh -c),
            join(' & ', ('brood -n -u 400 1') x 3) . ' & wait');
        my %rows;
        push @{$rows{$_->{pid}}}, $_->{counts}{'page-faults'} for @{$last->{tasks}};
        my %took; # by the kernel, in user mode
        while ($out =~ /^(\d+) (\d+)$/mg) {
            my ($row) = sort { abs($2 - $a) <=> abs($2 - $b) } @{$rows{$1} // []};
            $took{defined $row ? $2 - $row : 'none'}++;
            $children++;
        }
        $exact += max(values %took);
        $lost += $last->{lost_records};
        $unequal++ if $last->{total}{counts}{'page-faults'} != sum0 map { $_->{counts}{'page-faults'} } @{$last->{tasks}};
    }
    # A page that the kernel moves is one more fault, perhaps in the kernel: in user mode the row has one less.
    is("$children $lost $unequal", '2400 0 0', "$name: three processes with four hundred children each, twice");
    cmp_ok($children - $exact, '<=', @$user ? 10 : 0, "$name: ... each exact");
}

# Thousands, each of which the kernel works for before and after it is counted: none is missed.
my ($many) = (refreshes(qw(--engine task -e page-faults -- brood -n -p 5000 1)))[-1];
is(scalar(grep { !defined $_->{counts}{'page-faults'} } @{$many->{tasks}}), 0, 'five thousand children: all are counted');
cmp_ok(scalar(@{$many->{tasks}}), '>=', 5001, '... each with its row');

# While nobody reads, the rings fill: what is lost is said, and the sum is right.
my ($stopped) = (refreshes(qw(--engine task -e page-faults -- sh -c),
    'kill -STOP $PPID; brood -n -p 5000 1; kill -CONT $PPID'))[-1];
cmp_ok($stopped->{lost_records}, '>', 5000, 'stopped meanwhile: it says that records were lost');
cmp_ok($stopped->{total}{counts}{'page-faults'}, '>', 5000, '... all were counted');
is(sum0(map { $_->{counts}{'page-faults'} } @{$stopped->{tasks}}), $stopped->{total}{counts}{'page-faults'},
    '... in the rows that there are');

# Names, parents and threads of what a shell starts; the kernel may exchange the events of two tasks,
# so that one of them writes nothing at its end: several runs find each case.
for my $round (1 .. 6) {
    my ($header, $last) = refreshes('-e', 'minor-faults', '--', 'sh', '-c', 'brood -n -p 3 100; brood -n 2 50');
    my %by;
    push @{$by{$_->{comm}}}, $_ for @{$last->{tasks}};
    my @faults = sort { $a <=> $b } map { $_->{counts}{'minor-faults'} } @{$by{brood}};
    my ($sh) = @{$by{sh}};
    ok(@{$by{sh}} == 1 && @{$by{brood}} == 5 && $faults[0] > 20 && $faults[1] > 90 && $faults[4] > 140,
        "run $round: all have counts of their own") or diag "sh $sh->{counts}{'minor-faults'}, brood @faults";
    is(sum0(map { $_->{counts}{'minor-faults'} } @{$last->{tasks}}), $last->{total}{counts}{'minor-faults'},
        "run $round: ... whose sum is the total");
    my %pid = map { $_->{pid} => $_ } @{$by{brood}};
    is_deeply([sort { $a <=> $b } map { $pid{$_->{ppid}} ? 2 : $_->{ppid} == $sh->{pid} } @{$by{brood}}], [1, 1, 2, 2, 2],
        "run $round: ... and parents");
}
my (undef, $threads) = refreshes(qw(-H -- brood -n 3 50));
is(join(' ', map { $_->{comm} } @{$threads->{tasks}}), 'brood brood brood brood', '-H: each thread has a row');

# What outlives the command is said, and its status is in the line.
my $run = countertop(qw(-b --format json -- sh -c), "sleep 30 >/dev/null 2>&1 & exec sh -c 'exit 4'");
is($run->{status}, 4, 'a command that leaves a process behind');
my ($header, $last) = json_lines($run->{out});
is_deeply([@$last{qw(final status)}], [Cpanel::JSON::XS::true, 4], '... its status');
is(sum0(map { $_->{counts}{'page-faults'} // 0 } @{$last->{tasks}}), $last->{total}{counts}{'page-faults'},
    '... nothing of it is lost');
like(countertop(qw(-b -- sh -c), "sleep 30 >/dev/null 2>&1 & exec true")->{out},
    qr/1 thread of the command outlived it: the counts until then are in one row/, '... it is said');

# Waiting is read in /proc, for each task that lives: never 0 because nobody looked.
my ($waiting, $waited) = refreshes(qw(--engine task -s waits -- sh -c), 'sleep 0.6; true');
my ($slept) = map { $_->{counts}{'block-time'} } grep { $_->{comm} eq 'sh' } @{$waited->{tasks}};
cmp_ok($slept // 0, '>', 3e8, 'what a shell waited for its child');
like($waiting->{notice}, qr/waiting is read in \/proc, .* others have no row/, '... and what that misses is said');

# With -d rows are live: what computes, or is in the kernel all the time, has its time in each interval;
# children that live between two refreshes are exact; rows add up to the total in every interval.
my $job = "$dir/job";
open my $script, '>', $job or die;
print $script "spin & spin=\$!\ndd if=/dev/zero of=/dev/null bs=64k 2>/dev/null & dd=\$!\n",
    "sleep 0.5; brood -n -u 300 1; echo | takeover brood -n -u 3 1000; sleep 0.5\nkill \$spin \$dd; wait\n";
close $script;
for my $user ([], \@as_nobody) {
    my $name = 'live' . (@$user ? ', nobody' : '');
    my ($header, @rest) = run_of($user, qw(--engine task -d 0.1 -e page-faults -- sh), $job);
    my ($out, @intervals) = (pop @rest, @rest);
    unlike($header->{notice} // '', qr/counted together/, "$name: none stands for others");
    my (%lives, %over, %busy, @unequal, @odd);
    for my $interval (@intervals) {
        my $total = $interval->{total}{counts}{'page-faults'};
        my $rows = sum0 map { $_->{counts}{'page-faults'} } @{$interval->{tasks}};
        push @unequal, "$rows, not $total" if $rows != $total;
        for my $task (@{$interval->{tasks}}) {
            push @odd, join ' ', @$task{qw(pid comm)}, $task->{counts}{'page-faults'}, %{$task->{coverage}}
                if $task->{counts}{'page-faults'} > 100000 || %{$task->{coverage}};
            $busy{$task->{comm}}++ if $task->{oncpu} > 0 && !$task->{exited};
            next if $task->{comm} ne 'brood';
            # Beside others who start many, numbers of processes come round.
            push @{$lives{$task->{pid}}}, 0 if delete $over{$task->{pid}} // !$lives{$task->{pid}};
            $lives{$task->{pid}}[-1] += $task->{counts}{'page-faults'};
            $over{$task->{pid}} = 1 if $task->{exited};
        }
    }
    is("@unequal", '', "$name: rows add up to the total in each interval");
    is("@odd", '', "$name: ... none has more than there was, or less than nothing, or an estimate");
    cmp_ok($busy{$_} // 0, '>=', 5, "$name: $_ is there while it lives") for qw(spin dd);
    my ($taken) = $out =~ /^ready (\d+)$/m;
    my $of_taken = pop @{$lives{$taken // 0} // []};
    my @children = map { [split / /] } $out =~ /^(\d+ \d+)$/mg;
    is(scalar(@children), 303, "$name: the command had children");
    my %faults;
    push @{$faults{$_->[0]}}, $_->[1] for @children;
    my @kernel = uniq map {
        my @rows = sort { $a <=> $b } @{$lives{$_} // []};
        map { $_ - (shift @rows // 0) } sort { $a <=> $b } @{$faults{$_}};
    } keys %faults;
    ok(@kernel == 1 && $kernel[0] >= 0 && $kernel[0] <= ($header->{mode} eq 'user' ? 2 : 0), "$name: ... each exact")
        or diag "@kernel";
    ok(defined $of_taken && $of_taken > 30 && $of_taken < 1000, "$name: a thread that takes over its process is counted once")
        or diag $of_taken // 'never';
}

# Processes that take long to give back their memory, which /proc has as their time and which is
# counted for nobody from Linux 6.18 on: nothing is withheld for it.
for my $how ([], ['-d', 0.2], ['-p', $$]) {
    my ($header, @refreshes) = run_of([], qw(-s software -e page-faults), @$how, '--', 'bulky', 200, 80);
    my $faults = pop @refreshes;
    my @counted = map { $_->{total}{counts}{'page-faults'} } @refreshes;
    is((grep { !defined } @counted), 0, 'much memory: each refresh has numbers');
    my @of_other = map { $_->{counts}{'page-faults'} // 0 } grep { $_->{pid} == $$ } map { @{$_->{tasks}} } @refreshes;
    my $off = abs(sum0(map { $_ // 0 } @counted) - sum0(@of_other) - $faults);
    # Those of the execution are counted or not by rusage, as the kernel's version is.
    cmp_ok($off, '<=', 100, '... of all page faults') or diag "$off of $faults";
    is((grep { ($_->{notice} // '') =~ /not all of the command/ } $header, @refreshes), 0, '... and no false reason');
}

# With -d and -n, all lines but the last are not final.
my @lines = json_lines(countertop(qw(-b --format json -d 0.1 -- sleep 0.35))->{out});
is_deeply([map { $_->{final} ? 1 : 0 } @lines[1 .. $#lines]], [(0) x (@lines - 2), 1], 'only the last line is final');
done_testing;

#!/usr/bin/env perl
# Commands as experiments: run again and again, and against each other. A command that forks a
# number of children is an exact counter.
use Countertop qw(:DEFAULT write_file);

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;
my $forks = 'sched:sched_process_fork';
my @as_nobody = qw(setpriv --reuid=65534 --clear-groups -- env HOME=/);
my $traced = -e '/sys/kernel/tracing/events/sched/sched_process_fork' ||
    -e '/sys/kernel/debug/tracing/events/sched/sched_process_fork';

sub compared {
    my $run = countertop('--format', 'json', @_);
    is($run->{err}, '', "@_: nothing is said") or return {};
    return (json_lines($run->{out}))[0];
}

sub metric {
    my ($compared, $name) = @_;
    return (grep { $_->{name} eq $name } @{$compared->{metrics}})[0] // {};
}

# An exact counter has no deviation, and a change of it is exact.
SKIP: {
    skip 'no tracepoints are readable', 10 if !$traced;
    for my $engine ('cpu', 'task') {
        my $pair = compared('--engine', $engine, '-e', "forks=$forks", qw(-r 4 --compare), 'brood -n -p 30 2', 'brood -n -p 60 2',
            'brood -n -p 30 2');
        my $forked = metric($pair, 'forks');
        SKIP: {
            # On a busy machine of this kind slices may leave no record: then counts are estimates.
            skip "$engine: some forks could not be attributed, and the table says so", 4 if grep { $_ < 1 } @{$forked->{coverage}};
            is_deeply([@$forked{qw(mean sd)}], [[30, 60, 30], [0, 0, 0]], "$engine: an exact counter of three commands has no deviation");
            is_deeply($forked->{change}, [undef, 1, 0], "$engine: ... their changes are exact");
            is_deeply($forked->{significant}, [undef, Cpanel::JSON::XS::true, Cpanel::JSON::XS::false],
                "$engine: equal ones are not called different");
            ok($forked->{low}[1] > 0.9 && $forked->{low}[1] < 1 && $forked->{high}[1] > 1 &&
                $forked->{high}[1] < 1.1, "$engine: an interval around it");
        }
    }
}

# Page faults of commands whose own are known; starting and ending takes some more.
my @faults = (qw(--engine task -e page-faults -r 4));
my @touch = ('shares faults 50', 'shares faults 100');
my $pair = compared(@faults, '--compare', @touch);
is($pair->{runs}, 4, 'four runs');
is_deeply($pair->{commands}, \@touch, '... of each command');
my $touched = metric($pair, 'page-faults');
my $own = $touched->{mean}[0] - 5000;
ok($own > 0 && $own < 500 && abs($touched->{mean}[1] - 10_000 - $own) < 20, '... whose pages are all of the difference')
    or diag explain $touched;
cmp_ok(abs($touched->{change}[1] - ($touched->{mean}[1] / $touched->{mean}[0] - 1)), '<', 1e-9, '... which is the change');
is_deeply($touched->{significant}, [undef, Cpanel::JSON::XS::true], '... and significant');
my $single = compared(@faults, '--', split / /, $touch[0]);
is_deeply([@{metric($single, 'page-faults')}{qw(significant change)}], [[undef], [undef]], 'one command: nothing to compare with');

my $run = countertop(@faults, '--warmup', 1, '--compare', @touch);
like($run->{out}, qr/^countertop \S+  engine task  4 runs of each of 2 commands, in turn, after 1 to warm up\n/, 'text: what was done');
like($run->{out}, qr/Welch's t-test \(Biometrika 34, 1947\)/, '... how it was tested');
like($run->{out}, qr/^METRIC +1 +2 +CHANGE OF 2$/m, '... a column for each');
like($run->{out}, qr/^page-faults +5\d\d\d\S* ± \S+ +10\d\d\d\S* ± \S+ +\+9\d\S* % \[\+\d+[\d.]*, \+\d+[\d.]*\] \*$/m,
    '... a row for each metric') or diag $run->{out};
is((grep { length > 100 } split /\n/, $run->{out}), 0, '... in lines that are not too long');
like(countertop(@faults, '--ascii', '--', split / /, $touch[0])->{out},
    qr/^METRIC +MEAN \+- SD +MIN +MAX\n(?:.*\n)*page-faults +5\d\d\d\S* \+- \S+ +5\d\d\d +5\d\d\d$/m, '--ascii, one command');

# As an ordinary user, too; a time has a spread.
my $plain = run(@as_nobody, qw(countertop --format json -r 3 -- loop 1000000));
my ($ordinary) = json_lines($plain->{out});
is($ordinary->{engine}, 'task', 'an ordinary user');
is($ordinary->{runs}, 3, '... has three runs');
is_deeply([grep { /^(?:busy|steal|irq|throttled|psi_\w+)_pct$|^run_queue$/ } map { $_->{name} } @{$ordinary->{metrics}}], [],
    '... and no rows that only CPUs or cgroups can have');
my $faults = metric($ordinary, 'page-faults');
ok($faults->{min}[0] > 10 && $faults->{max}[0] >= $faults->{mean}[0], '... with page faults');
my $elapsed = metric($ordinary, 'elapsed');
ok($elapsed->{sd}[0] > 0 && $elapsed->{min}[0] > 0, '... and a time that has a deviation');

# A command that is much slower is found so; CSV says the same as JSON.
my @lines = split /\n/, countertop(qw(--format csv -r 10 --warmup 1 -e task-clock --compare),
    'loop 3000000', 'loop 90000000')->{out};
my @titles = split /,/, $lines[0];
is("@titles", 'metric unit command runs outliers mean sd min max coverage change low high significant',
    'CSV: its columns');
my %row;
for (@lines[1 .. $#lines]) {
    my %cell;
    @cell{@titles} = split /,/, $_, -1;
    is(scalar(keys %cell), scalar(@titles), "CSV: $cell{metric} of $cell{command} has all fields");
    $row{$cell{metric}}{$cell{command}} = \%cell;
}
my $slow = $row{'task-clock'}{'loop 90000000'};
ok($slow->{change} > 3 && $slow->{significant} == 1 && ($slow->{low} || 1) > 0, 'a slower command is found')
    or diag join "\n", @lines;
is($row{'task-clock'}{'loop 3000000'}{change}, '', '... the first one has no change');

# In turn, every other round in reverse order, after those to warm up.
my $log = "$dir/log";
countertop(qw(-r 3 --warmup 1 --compare), "echo a >>$log", "echo b >>$log");
open my $file, '<', $log or die "$log: $!";
is(join('', map { s/\n//r } readline $file), 'abbaabba', 'the order of runs');
unlink $log;
countertop(qw(--time 0.2 -- sh -c), "echo a >>$log");
cmp_ok(-s $log, '>=', 4, '--time: more than one run');
my $timed = compared(qw(--time 0.3 --compare), 'sleep 0.02', 'sleep 0.01');
cmp_ok($timed->{runs}, '>=', 2, '... with --compare');
cmp_ok($timed->{runs}, '<=', 20, '... not more than fit');
is(compared('--compare', 'true', 'exit 0')->{runs}, 10, '10 runs without -r and --time');

# A run that fails.
my $failing = "test -e $dir/second || { touch $dir/second; exit 0; }; exit 7";
$run = countertop(qw(-r 5 -- sh -c), $failing);
is("$run->{status}|$run->{out}", '7|', 'a run that fails ends it, with its status');
like($run->{err}, qr/^countertop: 'sh -c .*' ended with status 7 in run 2: --ignore-failure goes on\n\z/,
    '... and says so');
unlink "$dir/second";
$run = countertop(qw(--format json -r 5 --ignore-failure -- sh -c), $failing);
is($run->{status}, 0, '--ignore-failure');
is((json_lines($run->{out}))[0]{runs}, 5, '... goes on');
$run = countertop(qw(-r 2 -- no-such-program));
is("$run->{status}|$run->{err}", "127|countertop: cannot start 'no-such-program': No such file or directory\n",
    'what cannot be started');
$run = countertop('-r', 2, '--compare', 'kill -9 $$', 'true');
is($run->{status}, 137, 'a run that a signal ends');

# Input and output are none of the user's, but with -o output is.
$run = run('sh', '-c', 'echo in | countertop -r 2 -- sh -c "cat; echo out"');
unlike($run->{out}, qr/^(?:in|out)$/m, 'no input, no output');
$run = run('sh', '-c', "echo in | countertop -o $dir/table -r 2 -- sh -c 'cat; echo out'");
is($run->{out}, "out\nout\n", '-o FILE: the output of the command stays');
ok(-s "$dir/table", '... and the table is in FILE');
my $state = q(grep -E '^Sig(Blk|Ign)' /proc/self/status; ls -l /proc/self/fd | sed -n 's/.* \([0-9]* ->\)/\1/p' | grep -v /proc/; ulimit -a);
# Signals 32 and 33 are the C library's: it takes them when a program has threads.
sub plain_state {
    no warnings 'portable'; # masks of 64 signals
    return $_[0] =~ s/(pipe|socket):\[\d+\]|\/(tmp|dev)\S*//gr =~ s/^(SigIgn:\s+)(\w+)/$1 . (hex($2) & ~0x180000000)/gemr;
}
is(plain_state(countertop('-o', "$dir/table", qw(-r 2 -- sh -c), $state)->{out}),
    plain_state(run('sh', '-c', "($state); ($state)")->{out}),
    'signals, descriptors and limits are those that it would have anyway');

# Signals: the first one is the command's, and ends the runs.
my $watch = start(qw(sh -c), 'exec countertop -o "$@" 2>"$0"', "$dir/err", "$dir/table", qw(-r 50 --ignore-failure -- sh -c),
    'trap "echo got; exit 3" TERM; echo ready; while :; do sleep 0.05; done');
is(next_line($watch), "ready\n", 'a run');
kill TERM => $watch->{pid};
is(next_line($watch), "got\n", '... gets the signal');
is(finish($watch)->{status}, 143, '... which ends all');
is(slurp("$dir/err"), "countertop: interrupted in run 1: nothing is compared\n", '... and says so');

# ^C at any moment, which a command gets, too, that waits for its start.
my %said;
for my $runs (1 .. 20) {
    $watch = start(qw(sh -c), 'exec countertop -o "$@" 2>"$0"', "$dir/err", "$dir/table", '-r', 100_000, '--compare', 'echo ran', 'echo ran');
    next_line($watch) for 1 .. $runs;
    kill INT => -$watch->{pid};
    finish($watch);
    $said{slurp("$dir/err") =~ s/in run \d+:/in a run:/r}++;
}
is_deeply([keys %said], ["countertop: interrupted in a run: nothing is compared\n"], '^C says that nothing is compared') or diag explain \%said;

# A ratio that is undefined is another matter than what is not counted. Settings of rows in a file
# are for other uses, and harm nothing.
mkdir "$dir/own" or die "$dir/own: $!";
write_file("$dir/own/my.ini", "[settings]\ntree = yes\nexact = yes\nidle = yes\ncpu-min = 1\nlevel = core\n" .
    "[metric no_ratio]\nexpr = 'page-faults' / (2 * 'page-faults' - 2 * 'page-faults')\n");
my @own = ('-W', "$dir/own");
like(countertop(@own, qw(-r 2 -- true))->{out}, qr{^no_ratio +n/a +n/a +n/a$}m, 'a ratio that is undefined');
like(countertop(@own, qw(-r 2 --compare true true))->{out}, qr{^no_ratio +n/a +n/a +n/a$}m, '... of two commands');
is_deeply(metric(compared(@own, qw(-r 2 -- true)), 'no_ratio')->{mean}, [undef], '... is null');

# Wrong usage.
for (
    [['-r', 0, '--', 'true'], qr/'0' for --repeat: expected a whole number from 1/],
    [['--time', 'x', '--', 'true'], qr/'x' for --time: expected seconds/],
    [['-r', 2], qr/--repeat needs --compare or a command after '--'/],
    [['--warmup', 2, '-b', '--', 'true'], qr/--warmup needs --compare, --repeat or --time/],
    [['--compare', 'true'], qr/--compare needs two commands/],
    [['--compare', 'true', 'true', '--', 'true'], qr/--compare cannot be used with a command after '--'/],
    [['-r', 2, '-d', 1, '--', 'true'], qr/--delay cannot be used with --repeat/],
    # It counts the commands, and no others; it has no refreshes, and no rows of tasks.
    (map { [[@$_, '-r', 2, '--', 'true'], qr/^countertop: --[\w-]+ cannot be used with --repeat: see --help all$/] }
        ['-u', 'nobody'], ['-p', 1], ['-t', 1], ['--tree'], ['-i'], ['--rows', 1], ['--cpu-min', 1], ['--exact'],
        ['--epoch'], ['--timestamp'], ['--sticky'], ['--watch', 1], ['--level', 'core'], ['-c'], ['-H'],
        ['--call-graph', 'no'], ['--debuginfod'], ['--source', 'no']),
    [['--tree', '--compare', 'true', 'true'], qr/--tree cannot be used with --compare/],
    [['--rows', 1, '--compare', 'true', 'true'], qr/--rows cannot be used with --compare of commands/],
    [['-r', 2, '--format', 'svg', '--', 'true'], qr/svg cannot show repeated runs: use text, csv or json/],
) {
    my ($arguments, $pattern) = @$_;
    my $refused = countertop(@$arguments);
    is("$refused->{status}|$refused->{out}", '2|', "@$arguments: wrong usage");
    like($refused->{err}, $pattern, '... and why');
}
done_testing;

#!/usr/bin/env perl
# make bench prints figures for each program, or why it is left out. The figures themselves are not
# checked: tests share their machine with others.
use Countertop;
use lib "$ENV{TOP}/tests/bench";
use Sleepers;

plan skip_all => 'this build is without sanitizers: cli/bench.t does the same' if $ENV{B} =~ /asan/;
my $bench = "$ENV{TOP}/tests/bench/run";
my $run = run($bench, '--quick', qw(sleepers switch pingpong others compile sampling));
is($run->{err}, '', 'it says nothing');
is($run->{status}, $run->{out} =~ /^failed: /m ? 1 : 0, '... and fails only where records were lost');

# A row of a table: all figures after the name are numbers, but for those named as absent.
sub shows {
    my ($title, $name, $figures) = @_;
    my ($table) = $run->{out} =~ /^(\Q$title\E .*\n(?:.*\S.*\n)*)/m;
    my $row = qr/^\Q$name\E((?: +[\d.]+){$figures})$/m;
    my @numbers = ($table // '') =~ $row ? split ' ', $1 : ();
    my $absent = $run->{out} =~ /^\Q$name\E: left out, \S/m;
    ok(@numbers == $figures || $absent, "$title: $name") or diag $run->{out};
    return @numbers;
}

my $calls_most = 0;
for my $name ('countertop -b -H', 'countertop -b -H -i', 'countertop -H', 'top -b -H', 'htop',
    'pidstat -t') {
    my ($ms, $ratio, $calls, $rss, $descriptors) =
        shows('100 sleeping threads, a refresh', $name, 5) or next;
    cmp_ok($ms, '>', 0, '... which took time');
    $calls_most = $calls if $calls > $calls_most;
    is($descriptors > 0, $name =~ /countertop/, '... and only countertop counts');
}
cmp_ok($calls_most, '>=', 1, 'system calls are counted');
for my $name ('countertop -b -H', 'countertop -H') {
    my ($rate, $counter, $process) = shows('own time for a switch', $name, 3) or next;
    cmp_ok($rate, '>', 0, '... there are switches');
    cmp_ok($counter, '>', 0, '... which the counting thread notices');
    cmp_ok($process, '>=', $counter, '... which is a part of the process');
}
for my $name ('alone', 'countertop', 'countertop -s waits', 'countertop --engine task', 'perf stat --per-thread') {
    shows('ping-pong of two threads', $name, 4);
}
my @others = $run->{out} =~ /^(\d+) switches a second .*\nalone .*\nminimal reader .*\n((?:(?:ledger|--engine) .* [\d.]+ +-?[\d.]+ +[\d.]+\n){2})/mg;
is(@others, 6, 'what those pay who are not watched, at three rates') or diag $run->{out};
cmp_ok($others[0], '<=', 2_000, '... the least'); # a game at pace, and what its rests take
cmp_ok($others[4], '>', $others[0], '... and the most');
for my $name ('alone', 'countertop -b', grep { Bench::have('perf') } 'perf stat') {
    shows('make -j2', $name, 4);
}
for my $name ('alone', 'countertop', 'countertop --view functions', grep { Bench::have('perf') } 'perf stat', 'perf record -g') {
    like($run->{out}, qr/^\Q$name\E +[\d.]+ +[\d.]+ +(?:[\d.]+|-)$/m, "what functions cost: $name");
}
my @goals = $run->{out} =~ /^  goal: (.* at most [\d.]+: (?:met|missed), [\d.]+)$/mg;
is(@goals, Bench::have('perf') ? 18 : 16, 'goals stand beside the figures');

$run = run($bench, qw(--quick bytes));
is("$run->{err}$run->{status}", 0, 'bytes: it ends well and says nothing');
for my $name ('countertop', 'countertop -H', grep { Bench::have($_) } qw(top htop)) {
    my ($bytes) = $run->{out} =~ /^\Q$name\E +(\d+)(?: +(?:[\d.]+|-)){3}$/m;
    cmp_ok($bytes // 0, '>', 0, "... of $name") or diag $run->{out};
}

$run = run($bench, qw(--quick quick));
is($run->{err}, '', 'quick: it says nothing');
is($run->{status}, $run->{out} =~ /^failed: /m ? 1 : 0, '... and fails only where records were lost');
for my $figure ('one table', 'own time for a switch', 'a switch of the watched') {
    like($run->{out}, qr/^  $figure: [\d.]+ of \S/m, "... $figure is a ratio") if $figure ne 'one table' || Bench::have('perf');
}

$run = run($bench, qw(--quick wide));
is("$run->{err}$run->{status}", 0, 'wide: it ends well and says nothing');
for my $cpus (2, 256, '256, on 16', '256, on 2') {
    my ($ns, undef, undef, $wakeups, $rings, $all, $descriptors, $start, $lost) =
        shows('CPUs, switches a second', "$cpus, 1000000", 9) or next;
    cmp_ok($ns, '>', 0, '... which takes time');
    cmp_ok($all, '>', $rings, '... and memory');
    is($descriptors, 11 * ($cpus =~ s/,.*//r), '... eight events, two that sample, one that tracks, on each CPU');
    is($lost, 0, '... no record is lost');
}

$run = run($bench, qw(--quick memory));
is("$run->{err}$run->{status}", 0, 'memory: it ends well and says nothing');
like($run->{out}, qr/^(?:after .*\n(?:[12] s +[1-9][\d.]+ +[\d.]+ +\d+\n){2}|memory: left out, \S)/m, '... of each minute');

# What is kept, and what is above it.
my $ratios = tempdir(CLEANUP => 1) . '/ratios';
local $ENV{RATIOS} = $ratios;
sub keep {
    open my $file, '>', $ratios or die "$ratios: $!";
    print $file $_[0];
    close $file;
}
$run = run($bench, qw(--quick --keep pingpong));
is($run->{status}, 0, '--keep');
my $kept = slurp($ratios);
like($kept, qr/\A(?:[\d.]+ pingpong: countertop(?: --engine task| -s waits(?: --waits-over 1)?| --view cgroups)? to (?:alone|countertop)\n){6}\z/, '... writes the ratios');
keep($kept =~ s/^[\d.]+/1000/gmr);
$run = run($bench, qw(--quick --check pingpong));
is($run->{status}, 0, '--check: nothing is slower');
like($run->{out}, qr/^no ratio is more than 20 % above what is kept$/m, '... it says so');
keep($kept =~ s/^[\d.]+/0.001/gmr);
$run = run($bench, qw(--quick --check pingpong));
is($run->{status}, 1, '--check: all is slower');
is(() = $run->{out} =~ /^slower, 3 times in a row: pingpong: countertop/mg, 6, '... the ratios are named');
is(() = $run->{out} =~ /^  countertop to alone, round [123]: /mg, 3, '... after three rounds');

$run = run($bench, 'nonsense');
is($run->{status}, 2, 'an unknown part is wrong usage');
like($run->{err}, qr/the parts are: quick sleepers switch pingpong others compile sampling testbed attach bytes keys wide record memory pace truth$/, '... and it says');

chomp(my $most = do { local @ARGV = '/proc/sys/kernel/threads-max'; readline });
is(Sleepers::limit(1_000_000_000), "kernel.threads-max is $most",
    'the limit that is in the way is named');
is(Sleepers::limit(1), undef, 'or none');

# Attacks, each for a moment: the script does all of them, and none does harm.
$run = run("$ENV{TOP}/tests/bench/attack", 0.3);
is("$run->{err}$run->{status}", 0, 'no attack does harm');
is((grep { /^ok   / } split /\n/, $run->{out}), 12, '... of all that there are') or diag $run->{out};
done_testing;

#!/usr/bin/env perl
# Time off the CPU by the code that led there: threads that share a CPU, one that sleeps, and all of
# them together, whose time on and off CPUs is all the time there is.
use Countertop;
use List::Util qw(sum0);

plan skip_all => 'switches happen in the kernel, which may not be sampled here' if $> != 0;

my @sampling = ('--view', 'functions', '--sample', 'context-switches');
my $dir = tempdir(CLEANUP => 1);

# Some refreshes: seconds of it all, on CPUs, and of each kind of wait; by function, too. Those before
# each thread has left its CPU once are not among them: beside a whole run, after 2 s.
sub waits {
    my ($pids, @options) = @_;
    my @refreshes = refreshes(@sampling, '-p', join(',', @$pids), @options);
    my %sum = (seconds => 0, oncpu => 0, blocked => 0, preempted => 0);
    for my $refresh (@refreshes[5 .. $#refreshes]) {
        $sum{seconds} += $refresh->{interval};
        $sum{oncpu} += $_->{oncpu} for @{$refresh->{tasks}};
        for my $function (@{$refresh->{functions}}) {
            $sum{$_} += $function->{$_} for qw(blocked preempted);
            $sum{by}{$function->{function}}{$_} += $function->{$_} for qw(samples blocked preempted);
        }
        $sum{lost} += $refresh->{sampling}{lost};
    }
    return \%sum;
}

# Whether two times are the same: by the given part of all time, and what a cut may be late.
sub is_time {
    my ($time, $expected, $all, $name) = @_;
    my $allowed = 0.02 * $all + 0.02;
    ok(abs($time - $expected) <= $allowed, $name) or diag sprintf '%.6f s, expected %.6f, allowed %.6f off', $time, $expected, $allowed;
}

# Four that compute on one CPU: each has a quarter of it, or less beside other work, and waits else.
my @spins = map { start('spin', '-c', 0) } 1 .. 4;
my @pids = map { $_->{pid} } @spins;
my $sum = waits(\@pids, '-n', 10, '-d', 0.5);
my $all = 4 * $sum->{seconds};
is($sum->{lost}, 0, 'nothing is lost');
is_time($sum->{oncpu} + $sum->{blocked} + $sum->{preempted}, $all, $all, 'four spinning threads on one CPU: time on and off it is all their time');
cmp_ok($sum->{blocked}, '<', 0.01 * $all, '... they never block');
cmp_ok($sum->{preempted}, '>=', 0.73 * $all, '... and wait three quarters of it');
my ($most) = sort { $sum->{by}{$b}{preempted} <=> $sum->{by}{$a}{preempted} } keys %{$sum->{by}};
like($most, qr/user|irq|resched/, '... in the way back from an interrupt');
my @own = grep { /^_*schedule$/ } keys %{$sum->{by}};
is("@own", '', '... not in the scheduler, where all wait');
stop($_) for @spins;

# One that sleeps most of the time, in one function of the kernel.
my $sleeper = start('perl', '-e', '$| = 1; print "ready\n"; while () { select undef, undef, undef, 0.01 }');
next_line($sleeper);
$sum = waits([$sleeper->{pid}], '-n', 10, '-d', 0.5);
is_time($sum->{oncpu} + $sum->{blocked} + $sum->{preempted}, $sum->{seconds}, $sum->{seconds}, 'a thread that sleeps: time on and off CPUs is all its time');
($most) = sort { $sum->{by}{$b}{blocked} <=> $sum->{by}{$a}{blocked} } keys %{$sum->{by}};
like($most, qr/sleep|select|poll/, '... most of it where it sleeps');
cmp_ok($sum->{by}{$most}{blocked}, '>', 0.8 * $sum->{blocked}, '... nearly all');

# A wait that is longer than an interval belongs to each as far as it is in it.
my $slow = start('perl', '-e', '$| = 1; print "ready\n"; while () { select undef, undef, undef, 0.7 }');
next_line($slow);
my (undef, @refreshes) = refreshes(@sampling, '-p', $slow->{pid}, '-n', 12, '-d', 0.2);
my @blocked = map { my $refresh = $_; sum0(map { $_->{blocked} } @{$refresh->{functions}}) / $refresh->{sampling}{seconds} } @refreshes;
cmp_ok((sort { $a <=> $b } @blocked[6 .. 11])[0], '>', 0.8, 'a wait over several intervals is in each of them') or diag "@blocked";
cmp_ok((sort { $b <=> $a } @blocked)[0], '<=', 1.02, '... and never more than the time that was sampled') or diag "@blocked";

# Text, CSV, the books, and a recording.
my $record = "$dir/waits.db";
my $run = countertop('-b', @sampling, '-p', $sleeper->{pid}, '-n', 3, '-d', 0.3, '--record', $record);
# The ledger's samples of the same switches are as long as the stacks make them.
my ($part) = $run->{out} =~ /.*context-switches: (?:samples stand for )?(\S+) % of \d+ (?:explained|counted so far); off the CPU: +\d\S*s blocked, +\d\S* preempted; /s;
ok(defined $part && $part >= 90 && $part <= 110, 'text: the books have the sums, and the exact count') or diag $run->{out};
like($run->{out}, qr/^ *SHARE SAMPLES +BLOCKED PREEMPTED .*FUNCTION$/m, '... and functions their times');
my $replayed = countertop('-b', @sampling[0, 1], '--replay', $record);
my ($waits) = $run->{out} =~ /(off the CPU: +\d\S*s blocked)(?!.*off the CPU)/s;
ok(index($replayed->{out}, $waits) >= 0, 'a recording has them, too') or diag $replayed->{out};
like($replayed->{out}, qr/^ *SHARE SAMPLES +BLOCKED PREEMPTED .*FUNCTION$/m, '... in the same columns');
my ($titles, @rows) = split /\n/, countertop('-b', '--format', 'csv', @sampling, '-p', $sleeper->{pid}, '-n', 2, '-d', 0.3)->{out};
like($titles, qr/,blocked,preempted$/, 'CSV has two more columns');
like("@rows", qr/\bfunction,.*?,(?!0\.0)\d\.\d+,\d\.\d+( |$)/, '... with seconds');
stop($_) for $sleeper, $slow;

# One that sleeps all along; and callers from copies of the stack, which are known later than the time.
my $nap = start('perl', '-e', '$| = 1; print "ready\n"; <STDIN>');
next_line($nap);
my $limit = time + 60;
select undef, undef, undef, 0.01 until slurp("/proc/$nap->{pid}/stat") =~ /\) S / || time > $limit;
my $asleep = (refreshes(@sampling, '-p', $nap->{pid}, '-n', 1, '-d', 0.3))[-1];
is_deeply($asleep->{functions}, [], 'a thread that sleeps all along is in no function');
is($asleep->{sampling}{note}, '1 thread has slept since sampling began: that time is in no function', '... which is said');
stop($nap);
my @run = json_lines(countertop('-b', '--format', 'json', '-d', 0.2, @sampling, '--call-graph', 'dwarf', '--', 'perl', '-e', 'select undef, undef, undef, 0.3 for 1 .. 5')->{out});
my @sampled = grep { $_->{sampling} } @run;
my %by;
$by{$_->{function}} += $_->{blocked} for map { @{$_->{functions}} } @sampled;
($most) = sort { $by{$b} <=> $by{$a} } keys %by;
like($most, qr/sleep|select|poll/, 'with copies of stacks: most of the time is where it sleeps');
# Of the first interval a busy machine may not have read the names yet.
cmp_ok(sum0(values %by), '>=', 1.5, '... all of it at least as long as it asked for') or diag explain \%by;
is($sampled[0]{sampling}{note}, undef, '... and each switch is sampled');
SKIP: {
    skip 'stacks are not unwound here', 1 if `uname -m` !~ /^(?:x86_64|aarch64)$/;
    cmp_ok(sum0(map { $_->{sampling}{unwound} } @sampled), '>', 0, '... with copies of stacks, which are unwound');
}

# With a rate only some switches are sampled: no times, and no columns.
my $some = (refreshes('--view', 'functions', '--sample', 'context-switches/99', '-n', 2, '-d', 0.3))[-1];
is(scalar(grep { exists $_->{blocked} && defined $_->{blocked} } @{$some->{functions}}), 0, 'with a rate there are no times');
done_testing;

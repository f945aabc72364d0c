#!/usr/bin/env perl
# What a CPU does beside what is counted: time that a hypervisor takes, interrupts, and the tasks
# that wait for it, exact, in each format and in recordings.
use Countertop;
use List::Util 'sum0';
use Stolen;

plan skip_all => 'all CPUs may not be counted here' if $> != 0;
plan skip_all => 'for two CPUs' if `nproc` < 2;
my $dir = tempdir(CLEANUP => 1);
my $file = "$dir/stolen.db";
my $refresh = stolen_recording("$dir/root", $file);

is_deeply($refresh->{machine}{cpus}[0],
    {cpu => 0, busy => 0.8, kernel => 0.2, steal => 0.2, irq => 0.05, softirq => 0.1, queue => 2.5}, 'JSON: each part of the time');
is_deeply($refresh->{machine}{cpus}[1],
    {cpu => 1, busy => 0, kernel => 0, steal => 0, irq => 0, softirq => 0, queue => 0}, '... of each CPU');
my %expected = (busy_pct => 80, steal_pct => 20, irq_pct => 5, softirq_pct => 10, run_queue => 2.5);
my $metrics = $refresh->{cpus}[0]{metrics};
is_deeply({map { $_ => $metrics->{$_} } keys %expected}, \%expected, '... as metrics');
is((grep { defined $_->{metrics}{steal_pct} } @{$refresh->{tasks}}), 0, '... which tasks do not have');

# The recording has the same. What is before and after that interval has nothing.
my @again = refreshes('--replay', $file);
my ($same) = grep { $_->{seq} == $refresh->{seq} } @again[1 .. $#again];
is_deeply($same->{machine}{cpus}, $refresh->{machine}{cpus}, 'a recording has the same');
is_deeply($same->{cpus}[0]{metrics}, $metrics, '... metrics, too');
my @replay = ('-b', '--replay', $file);
my $text = countertop(@replay, qw(--view cpus -s software))->{out};
like($text, qr/ %STEAL +%IRQ +%SOFT +RUNQ$/m, 'text: columns of CPUs');
like($text, qr/^ +0 .* 20\.0 +5\.0 +10\.0 +2\.50$/m, '... with the numbers');
like($text, qr/^ +all .* 10\.0 +2\.5 +5\.0 +1\.25$/m, '... the mean of all CPUs');
like($text, qr/^countertop .*  steal 10%/m, '... and what is taken in the head');
unlike(countertop(@replay, qw(-s software))->{out}, qr/%STEAL/, '... not in rows of tasks');
like(countertop(@replay, qw(--view cpus -s software --sort steal_pct -f), 'steal_pct > 10')->{out}, qr/^ +0 .* 20\.0 /m, '... a condition');
my ($titles, @lines) = split /\n/, countertop(@replay, qw(--format csv))->{out};
my %field;
@field{split /,/, $titles} = (0 .. 1000);
my @cells = map { [split /,/, $_, -1] } grep { /^cpu,/ } @lines;
my ($cpu) = grep { $_->[$field{seq}] == $refresh->{seq} && $_->[$field{cpu}] == 0 } @cells;
is_deeply({map { $_ => 0 + $cpu->[$field{$_}] } keys %expected}, \%expected, 'CSV');
my ($document) = countertop(@replay, qw(--format openmetrics))->{out};
for ([steal => 0.2], [irq => 0.05], [softirq => 0.1], [queue => 2.5]) {
    my ($name, $part) = @$_;
    like($document, qr/^countertop_cpu_${name}_seconds_total\{cpu="0"\} \Q$part\E$/m, "OpenMetrics: $name");
}

# What is not known is absent: a recording from before there were these columns, a kernel without
# the file.
SKIP: {
    skip 'no sqlite3', 2 if system('command -v sqlite3 >/dev/null');
    is(system('sqlite3', $file, join ';', map { "ALTER TABLE loads DROP COLUMN $_" } qw(steal irq softirq queue kernel)), 0, 'an older recording');
    my (undef, @older) = refreshes('--replay', $file);
    is_deeply([map { @{$_->{cpus}[0]{metrics}}{sort keys %expected} } grep { $_->{seq} == $refresh->{seq} } @older],
        [80, undef, undef, undef, undef], '... knows how busy it was, and not with what');
}
$refresh = stolen_recording("$dir/bare", "$dir/bare.db", 'schedstat');
is($refresh->{machine}{cpus}[0]{queue}, undef, 'without /proc/schedstat: the queue is absent');
is($refresh->{machine}{cpus}[0]{steal}, 0.2, '... the rest is there');
like(countertop(qw(-b --view cpus -s software --replay), "$dir/bare.db")->{out}, qr/ 20\.0 +5\.0 +10\.0 +-$/m, '... in text, too');

# Who waited for that CPU waited for the hypervisor and for interrupts, too: as large a part of its wait as of the
# CPU's busy time, and all parts are the wait, to the nanosecond.
my @loops = map { start('spin', '-c', 0) } 1, 2;
my $root = "$dir/waiting";
mkdir $_ for $root, "$root/proc";
symlink "/proc/$_", "$root/proc/$_" for qw(self sys mounts kallsyms), map { $_->{pid} } @loops;
symlink '/sys', "$root/sys";
Stolen::put_seconds($root, 0);
{
    local $ENV{COUNTERTOP_ROOT} = $root;
    my $watch = start(qw(countertop -b --format json -s waits -d 0.3 -p), join ',', map { $_->{pid} } @loops);
    next_refresh($watch) for 1 .. 3;
    Stolen::put_seconds($root, 1);
    my @waited;
    for (1 .. 50) {
        @waited = grep { ($_->{taken}{stolen} // 0) > 0 } @{next_refresh($watch)->{tasks}};
        last if @waited;
    }
    stop($watch);
    is(scalar @waited, 2, 'both wait for a CPU that a hypervisor takes');
    for my $task (@waited) {
        my %part = %{$task->{taken}};
        my $processes = $part{others} + sum0 map { $_->{seconds} } @{$task->{taken_by}};
        my $had = $processes + $part{stolen} + $part{interrupts};
        cmp_ok(abs($part{stolen} / $had - 20 / 80), '<', 1e-6, '... which has a quarter of what others had');
        cmp_ok(abs($part{interrupts} / $had - 15 / 80), '<', 1e-6, '... and interrupts their part');
        cmp_ok(abs($had + $part{nobody} + $part{throttled} - $task->{counts}{'wait-time'} / 1e9), '<', 2e-9, '... and all are its wait');
    }
}
stop($_) for @loops;

done_testing;

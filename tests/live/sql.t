#!/usr/bin/env perl
# The views of a recording are fast: a sum over an hour of 500 tasks takes at most 2 s of CPU time. The
# hour is written by SQL, with counts that are known.
use Countertop;
use File::Copy;
use List::Util qw(min sum0);

my $file = tempdir(CLEANUP => 1) . '/hour.db';
my ($intervals, $tasks, $pack) = (3600, 500, 32);
my $packs = int(($tasks + $pack - 1) / $pack);
copy("$ENV{TOP}/tests/data/recording/small.db", $file) or die "$file: $!";

sub sql {
    my ($sql) = @_;
    my $before = sum0((times)[2, 3]);
    my $run = run('sqlite3', $file, $sql);
    is($run->{err}, '', 'sqlite3');
    return ($run->{out} =~ s/\n\z//r, sum0((times)[2, 3]) - $before);
}

sub numbers {
    my ($name, $count) = @_;
    return "$name(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM $name WHERE x + 1 < $count)";
}

# Task n of a pack has 3 + n page faults in each interval, and 1000 + 300 n ns on a CPU.
my $more = join '', map { sprintf '%02x', $_ } 0 .. $pack - 1;
my $times = join '', map { sprintf '%04x', 300 * $_ } 0 .. $pack - 1;
my @keys = map { [$_ * $pack + 1, min($pack, $tasks - $_ * $pack)] } 0 .. $packs - 1;
my $parts = join ', ', map { my ($n, $key, $count) = ($_, @{$keys[$_]});
    my $keys = join '', map { sprintf '%02x', $_ } 0 .. $count - 1;
    my ($faults, $oncpu) = (substr($more, 0, 2 * $count), substr($times, 0, 4 * $count));
    "($n, $count, $key, x'$keys', x'$faults', x'$oncpu')" } 0 .. $#keys;
sql(join ' ', 'BEGIN; DELETE FROM task_packs; DELETE FROM tasks; DELETE FROM intervals; DELETE FROM cpu_rows;',
    'WITH', numbers('n', $tasks), "INSERT INTO tasks SELECT x + 1, 1, x + 1, 1, x + 1, 'task' || (x % 10), 1, NULL FROM n;",
    'WITH', numbers('n', $intervals), 'INSERT INTO intervals (id, session, event_set, generation, time, length, task_first,',
    "task_last, cpu_first, cpu_last) SELECT x + 1, 1, 1, 1, 1.7e9 + x, 1000000000, x * $packs + 1, (x + 1) * $packs, 1, 0 FROM n;",
    'WITH', numbers('n', $intervals) . ", p(n, tasks, key, keys, faults, oncpu) AS (VALUES $parts)",
    'INSERT INTO task_packs (id, tasks, near, flags, cpu, oncpu, oncpu_more, task, task_more, c0, c1, c2, c2_more)',
    "SELECT x * $packs + p.n + 1, tasks, 0, 0, 0, 1000, oncpu, key, keys, 0, 0, 3, faults FROM n, p; COMMIT");

my $expected = $intervals * sum0(map { my $count = $_->[1]; map { 3 + $_ } 0 .. $count - 1 } @keys);
my ($sum, $seconds) = sql('SELECT sum("page-faults") FROM task_counts');
is($sum, $expected, 'the sum of all tasks in an hour');
cmp_ok($seconds, '<', 2, '... takes less than 2 s') or diag $seconds;
note "$seconds s";
my ($by, $longer) = sql('SELECT sum(n) FROM (SELECT comm, sum("page-faults") n FROM task_counts GROUP BY comm)');
is($by, $expected, '... as have their commands together');
note "$longer s";
my (undef, @refreshes) = refreshes(qw(-H -n 2 --replay), $file);
is(sum0(map { $_->{counts}{'page-faults'} } @{$refreshes[1]{tasks}}), $expected / $intervals, '... and the program shows the same');
done_testing;

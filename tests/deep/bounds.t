#!/usr/bin/env perl
# A recording whose amounts have no sense is refused by an interval that names the bound, before it
# takes much memory: tasks, and the lines of sources, from a file of some MB.
use Countertop;
use File::Copy 'copy';

my $dir = tempdir(CLEANUP => 1);
# More than it takes to refuse (about 350 MB), less than without bounds. Sanitizers reserve addresses.
my $limit = $ENV{ASAN_OPTIONS} ? 'unlimited' : 1 << 20; # KiB

sub numbers {
    my ($count) = @_;
    return "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < $count)";
}

sub refused {
    my ($name, $source, $sql, $message, @options) = @_;
    my $path = "$dir/" . ($name =~ s/\W/-/gr) . '.db';
    copy("$ENV{TOP}/tests/data/recording/$source.db", $path) or die $!;
    my $made = run('sqlite3', $path, $sql);
    is($made->{err}, '', "$name: a recording with too many");
    my $run = run('sh', '-c', "ulimit -v $limit; exec \"\$@\"", 'sh', qw(countertop -b -i --format json --replay), $path, @options);
    is($run->{status}, 1, '... is refused');
    is($run->{err}, "countertop: cannot read interval 2 of '$path': $message\n", '... by a line with the bound');
    is(() = $run->{out} =~ /^\{"type":"refresh"/mg, 1, '... what comes before is shown');
    unlink $path;
}

# Packs of tasks (record/schema.h) that are all alike: the number of each column is there once.
my $fields = 'flags, cpu, oncpu, ident, tid, comm, process_ident, ppid, uid, user, process_comm, command';
refused('tasks', 'small', numbers(40000) . " INSERT INTO task_packs (id, tasks, near, $fields) SELECT 1000 + x, 32, 0, $fields" .
    ' FROM n, (SELECT * FROM task_packs WHERE process_ident LIMIT 1); UPDATE intervals SET task_first = 1001, task_last = 41000 WHERE id = 2',
    'it takes more than 256 MiB of memory');
my $functions = 1000;
my $of_function = numbers($functions) . ' INSERT INTO';
refused('lines', 'small', <<"END", 'functions and their code take more than 256 MiB of memory', '--view', 'functions');
INSERT INTO objects VALUES (1, 'o', '/o', NULL);
INSERT INTO profiles (interval, first, last, event) VALUES (2, 1, $functions, 'cpu-clock');
$of_function functions SELECT x, 1, 0, x * 16, 16, 'f' || x FROM n;
$of_function profile_rows (id, interval, pid, tid, function, stack, samples, weight) SELECT x, 2, 1, 1, x, 0, 1, 1 FROM n;
$of_function code SELECT x, printf('%x 10 0 0 nop', x * 16) || char(10), printf('f /s%d.c', x) || char(10) ||
    printf('r %x 0 5', x * 16) || char(10) FROM n;
$of_function source_lines SELECT 1, printf('/s%d.c', x), 900000, 'x' FROM n;
END
done_testing;

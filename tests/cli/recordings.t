#!/usr/bin/env perl
# Recordings compared by command: means and deviations over their intervals, changes with their
# confidence, and what is new or gone. The counts of a real recording are replaced by known ones.
use Countertop;
use List::Util 'sum0';

my $dir = tempdir(CLEANUP => 1);
my $tens = 30; # intervals of 0.1 s
my $faults;    # the column of their counts

sub sql {
    my ($file, $sql) = @_;
    my $run = run('sqlite3', '-separator', ' ', $file, $sql);
    die "sqlite3: $run->{err}" if $run->{err};
    return split /\n/, $run->{out};
}

# A recording with counts by a formula of the interval's number, i.id.
my $of_interval = '(SELECT %s FROM intervals i WHERE task_packs.id BETWEEN i.task_first AND i.task_last)';
sub copy_with {
    my ($name, $count, $further) = @_;
    run('cp', "$dir/real.db", "$dir/$name.db");
    sql("$dir/$name.db", 'UPDATE intervals SET length = 100000000;' .
        "UPDATE task_packs SET $faults = " . sprintf($of_interval, $count) . ';' . ($further // ''));
    return "$dir/$name.db";
}

# Mean and deviation of the rate of a command, or of all, from the file.
sub expected {
    my ($file, $comm) = @_;
    my %counts = map { split ' ' } sql($file, "SELECT i.id, sum(r.$faults) FROM intervals i JOIN task_packs r" .
        ' ON r.id BETWEEN i.task_first AND i.task_last JOIN tasks t ON t.id = r.task JOIN processes p' .
        ' ON p.id = t.process' . (defined $comm ? " WHERE p.comm = '$comm'" : '') . ' GROUP BY i.id');
    my @rates = map { 10 * ($counts{$_} // 0) } sql($file, 'SELECT id FROM intervals');
    my $mean = sum0(@rates) / @rates;
    return ($mean, sqrt(sum0(map { ($_ - $mean) ** 2 } @rates) / (@rates - 1)));
}

sub compared {
    my $run = countertop('--format', 'json', '--compare', @_);
    is("$run->{status}|$run->{err}", '0|', 'it is compared');
    return (json_lines($run->{out}))[0];
}

sub metric {
    my ($compared, $command, $name) = @_;
    return (grep { $_->{name} eq $name && ($_->{command} // '') eq $command } @{$compared->{metrics}})[0];
}

my @busy = (start('spin', '-r'), start('sh', '-c', 'while sleep 0.02; do :; done'));
refreshes('-d', 0.1, '-n', $tens, '-e', 'page-faults', '-s', 'software', '--engine', 'task',
    '--record', "$dir/real.db", map { ('-p', $_->{pid}) } @busy);
stop($_) for @busy;
# A pack for each task, so that its counts can be replaced.
my $columns = join ', ', map { "c$_" } sql("$dir/real.db", 'SELECT position FROM events');
sql("$dir/real.db", "DELETE FROM task_packs; INSERT INTO task_packs (id, tasks, near, task, cpu, flags, oncpu, $columns)" .
    ' SELECT i.id * 1000 + t.id, 1, 0, t.id, 0, 0, i.length / 2' . $columns =~ s/(?:, )?c\d+/, 1/gr . ' FROM intervals i, tasks t;' .
    ' UPDATE intervals SET task_first = id * 1000, task_last = id * 1000 + 999');
$faults = 'c' . (sql("$dir/real.db", "SELECT position FROM events WHERE name = 'page-faults'"))[0];

# The first recording has 1,000 faults a second and a little more, the second one twice as many, in
# the third everything is as in the first, but one command has another name.
my $a = copy_with('a', '100 + i.id % 3');
my $b = copy_with('b', '200 + i.id % 3');
my $c = copy_with('c', '100 + i.id % 3', "UPDATE processes SET comm = 'other' WHERE comm = 'sh'");
my $compared = compared($a, $b, $c);
is($compared->{type}, 'compare', 'JSON');
is_deeply([map { [@$_{qw(file intervals engine mode)}] } @{$compared->{recordings}}],
    [map { [$_, $tens, 'task', 'all'] } $a, $b, $c], '... what was compared');
ok(abs($compared->{recordings}[0]{seconds} - $tens / 10) < 1e-6, '... and how long it was');
for my $command ('spin', 'sh', '') {
    my $found = metric($compared, $command, 'page-faults');
    my $name = $command || 'all together';
    for (0 .. ($command eq 'sh' ? 1 : 2)) {
        my @expected = expected(($a, $b, $c)[$_], $command || undef);
        ok(abs($found->{mean}[$_] - $expected[0]) < 1e-6 && abs($found->{sd}[$_] - $expected[1]) < 1e-6,
            "$name: mean and deviation of recording $_") or diag "@expected: $found->{mean}[$_] $found->{sd}[$_]";
    }
    my $expected = $found->{mean}[1] / $found->{mean}[0] - 1;
    ok(abs($found->{change}[1] - $expected) < 1e-9, "$name: the change");
    ok($found->{low}[1] < $expected && $expected < $found->{high}[1], "$name: ... in its interval");
}
my $spin = metric($compared, 'spin', 'page-faults');
is_deeply($spin->{significant}, [undef, Cpanel::JSON::XS::true, Cpanel::JSON::XS::false], 'more is found, and as much is not');
is($spin->{change}[2], 0, '... there is no change');
is_deeply({map { $_->{command} // '' => $_->{state} } @{$compared->{rows}}},
    {'' => [undef, undef, undef], spin => [undef, undef, undef], sh => [undef, undef, 'gone'],
        other => [undef, undef, 'new']}, 'new and gone commands are said to be so');
my $gone = metric($compared, 'sh', 'page-faults');
is_deeply([map { $gone->{$_}[2] } qw(mean sd min max change significant)], [(undef) x 6], '... without values');

# Text and CSV say the same.
my $text = countertop('--compare', $a, $b, $c)->{out};
like($text, qr{^countertop  3 recordings by command: means of their intervals\n  1:  \S+/a.db    $tens intervals in 3 s, host \S+, engine task\n},
    'text: what was compared');
like($text, qr/^COMMAND  METRIC +1 +2 +3 +CHANGE OF 2 +CHANGE OF 3$/m, '... a column for each');
like($text, qr/^\(all\) +context-switches .*\n(?: .*\n)* +page-faults .*\+\d+[\d.]* % \[\+\d[\d.]*, \+\d[\d.]*\] \* /m, '... all together first') or diag $text;
like($text, qr/^sh +\S+ +\S+ ± \S+ \/s +\S+ ± \S+ \/s +- .* gone$/m, '... what is gone') or diag $text;
like($text, qr/^other +\S+ +- +- +\S+ ± \S+ \/s +n\/a +new$/m, '... what is new') or diag $text;
like(countertop('--rows', 1, '--compare', $a, $b)->{out}, qr/^1 more command$/m, '--rows');
my ($titles, @lines) = split /\n/, countertop(qw(--format csv --compare), $a, $b, $c)->{out};
is($titles, 'command,metric,unit,recording,intervals,ran,mean,sd,min,max,coverage,change,low,high,significant',
    'CSV: its columns');
my ($line) = grep { /^spin,page-faults,.*b\.db/ } @lines;
like($line, qr{^spin,page-faults,/s,\Q$b\E,$tens,\d+,$spin->{mean}[1],.*,1$}, '... the same values');
is(scalar(@lines), 3 * @{$compared->{metrics}}, '... all of them');

# What resembles its neighbours is fewer values: a slow swing is not called a change.
my $swing = copy_with('swing', '1000 + 100 * (i.id / 15)');
my $swung = copy_with('swung', '1000 + 100 * (i.id / 10)');
my $slow = metric(compared($swing, $swung), 'spin', 'page-faults');
ok(!$slow->{significant}[1], 'two slow swings are not called different') or diag "$slow->{change}[1]";

# One interval proves nothing; what is no recording is a command.
refreshes('-d', 0.1, '-n', 1, '-e', 'page-faults', '-s', 'software', '--record', "$dir/one.db");
like(countertop('--compare', "$dir/one.db", "$dir/one.db")->{out},
    qr/^one interval cannot tell a change from chance: nothing is tested$/m, 'one interval');
my $run = countertop('--compare', $a, 'true');
is("$run->{status}|$run->{out}", '2|', 'a recording and a command');
like($run->{err}, qr/cannot compare a recording with a command: '\S+a\.db' is a recording, 'true' is not/, '... are refused');
like(countertop('--compare', $a, "$dir/none.db")->{err}, qr/ '\S+none\.db' is not: there is no such file$/,
    '... and a file that does not exist is said to be none');
unlike(countertop('--compare', $a, $0)->{err}, qr/no such file/, '... one that exists is not');
for my $option (['-r', 2], ['--engine', 'cpu'], ['-e', 'cycles']) {
    $run = countertop(@$option, '--compare', $a, $b);
    is($run->{status}, 2, "@$option: wrong usage");
    like($run->{err}, qr/^countertop: --\w+ cannot be used with --compare of recordings: see --help all$/, '... and why');
}
sql("$dir/c.db", 'UPDATE intervals SET length = -1 WHERE id = 7');
$run = countertop('--compare', $a, $c);
is("$run->{status}|$run->{out}", '1|', 'a damaged recording');
like($run->{err}, qr/^countertop: cannot read interval 7 of '\S+c\.db': it is damaged$/m, '... is named');
run('sqlite3', "$dir/other.db", 'CREATE TABLE a(b)');
$run = countertop('--compare', $a, "$dir/other.db");
is($run->{status}, 2, 'another database');
like($run->{err}, qr/other\.db/, '... is refused');
done_testing;

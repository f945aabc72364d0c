#!/usr/bin/env perl
# --test-when: a thousand conditions made at random, over a recording of 32 intervals, fire when and for as
# many rows as an evaluation in Perl of what sqlite3 reads from the recording.
use Countertop;
use POSIX 'strftime';

my $recording = "$ENV{TOP}/tests/data/recording/demo.db";
my $seed = $ENV{SEED} // time;
srand $seed;
diag "SEED=$seed" if $ENV{SEED};

sub query {
    my ($sql) = @_;
    my $run = run('sqlite3', '-json', $recording, $sql);
    die "sqlite3: $run->{err}" if $run->{status};
    return @{(json_lines($run->{out} =~ tr/\n//dr))[0]};
}

# ---- the recording ----

my @events = qw(cycles instructions page-faults context-switches);
my @intervals = query('SELECT id, time, length / 1e9 AS seconds,'
    . ' (SELECT avg(busy * 1.0 / total) FROM loads WHERE interval = i.id AND cpu >= 0) AS busy FROM intervals AS i ORDER BY id');
my %at = map { $_->{id} => $_ } @intervals;
push @{$at{$_->{interval}}{rows}}, $_ for query('SELECT * FROM task_counts ORDER BY interval, tid');
$at{$_->{interval}}{total} = $_ for query("SELECT * FROM summary WHERE kind = 'total'");

# The numbers of a row, or of the total, as the columns have them.
sub numbers {
    my ($row, $interval) = @_;
    my %number = map { $_ => $row->{$_} / $interval->{seconds} } @events;
    $number{cpu} = $row->{oncpu} / $interval->{seconds} * 100 if exists $row->{oncpu};
    $number{ipc} = $row->{cycles} ? $row->{instructions} / $row->{cycles} : undef;
    $number{$_} = $row->{$_} for grep { exists $row->{$_} } qw(pid tid);
    $number{busy} = $interval->{busy} if !exists $row->{tid};
    return \%number;
}
for my $interval (@intervals) {
    $_->{number} = numbers($_, $interval) for @{$interval->{rows}}, $interval->{total};
}

# ---- conditions: a text, and what says of a row whether it is true: 1, 0, or undef if it is not known ----

sub one_of { return $_[rand @_] }

# A value near those that there are, so that comparisons are true for some and false for others.
sub comparison {
    my ($machine) = @_;
    if (!$machine && rand() < 0.25) {
        my ($name, $key) = @{one_of(['command', 'comm'], ['user', 'user'])};
        my $word = one_of(qw(spin sleepers pingpong root births kworker calls));
        my $not = one_of(0, 1);
        return [$name . one_of($not ? ' != ' : (' = ', ' == ')) . $word, sub { defined $_[0]{$key} ? (lc $_[0]{$key} eq $word) != $not : undef }];
    }
    my $name = one_of(@events, 'ipc', $machine ? 'busy' : ('cpu', 'pid', 'tid'));
    my $some = one_of(@intervals);
    my $value = ($machine ? $some->{total} : one_of(@{$some->{rows}}))->{number}{$name} // 1;
    my $sign = one_of('<', '<=', '>', '>=');
    my $text = sprintf one_of('%.3f', '%.6g'), $value * one_of(0.5, 0.9, 1.1, 2) + 0.001;
    return [$name . one_of(' ', '') . $sign . one_of(' ', '') . $text, sub {
        my $number = $_[0]{number}{$name} // return undef;
        return ($sign eq '<' ? $number < $text : $sign eq '<=' ? $number <= $text : $sign eq '>' ? $number > $text : $number >= $text) ? 1 : 0;
    }];
}

sub rows_of {
    my $of = condition(0, 2);
    my $holds = sub { my $sum = 0; $sum += $of->[1]->($_, $_[1]) // 0 for @{$_[1]{rows}}; return $sum };
    return ["any($of->[0])", sub { $holds->(@_) > 0 ? 1 : 0 }] if rand() < 0.5;
    my $most = int rand 12;
    return ["count($of->[0]) > $most", sub { $holds->(@_) > $most ? 1 : 0 }];
}

sub condition {
    my ($machine, $depth) = @_;
    my $kind = rand();
    return $machine && rand() < 0.4 ? rows_of() : comparison($machine) if $depth == 0 || $kind < 0.3;
    my ($left, $right) = map { condition($machine, $depth - 1) } 1, 2;
    if ($kind < 0.4) {
        return ["not ($left->[0])", sub { my $is = $left->[1]->(@_); return defined $is ? 1 - ($is ? 1 : 0) : undef }];
    }
    my ($word, $decides) = $kind < 0.7 ? ('and', 0) : ('or', 1);
    return ["($left->[0]) $word ($right->[0])", sub {
        my @is = map { my $is = $_->[1]->(@_); defined $is ? ($is ? 1 : 0) : undef } $left, $right;
        return $decides if grep { defined && $_ == $decides } @is;
        return (grep { !defined } @is) ? undef : 1 - $decides;
    }];
}

# When it fires, of how many rows and of which: a row's alarm is over when it was false for $after.
sub alarms {
    my ($is, $scope, $for, $after) = @_;
    my ($now, %since, %last, %fired, @alarms) = (0);
    for my $interval (@intervals) {
        my ($begin, @fires) = ($now);
        $now += $interval->{seconds};
        my %true = $scope eq 'machine' ? ($is->($interval->{total}, $interval) ? (0 => 1) : ())
            : map { $is->($_, $interval) ? (($scope eq 'any' ? 0 : "$_->{pid} $_->{tid}") => 1) : () } @{$interval->{rows}};
        for my $id (keys %true) {
            $since{$id} = $begin if !defined $last{$id} || $last{$id} < $begin - 1e-7;
            $last{$id} = $now;
            next if $fired{$id} || $now - $since{$id} < $for - 1e-6;
            $fired{$id} = 1;
            push @fires, $id;
        }
        for my $id (keys %fired) {
            delete $fired{$id} if $now - $last{$id} >= $after - 1e-9;
        }
        push @alarms, [strftime('%Y-%m-%d %H:%M:%S', localtime int $interval->{time}), @fires] if @fires;
    }
    return @alarms;
}

# ---- a thousand of them ----

my ($tried, $fires, @wrong) = (0, 0);
for (1 .. $ENV{CONDITIONS} // 1000) {
    my $scope = one_of(qw(row any machine));
    my $condition = condition($scope eq 'machine', int rand 4);
    my ($for, $after) = (one_of(0, 0, 1.5, 3.2), one_of(1.5, 4.1, 60));
    my $text = ($scope eq 'machine' ? 'machine: ' : $scope eq 'any' ? 'any ' : '') . $condition->[0] . ($for ? " for ${for}s" : '');
    my $run = countertop('-H', '--replay', $recording, '--after', $after, '--test-when', $text);
    my @expected = alarms($condition->[1], $scope, $for, $after);
    my @found = split /\n/, $run->{out};
    my $same = $run->{status} == 0 && @found == @expected;
    for my $i ($same ? 0 .. $#found : ()) {
        my ($when, @ids) = @{$expected[$i]};
        my ($more) = $found[$i] =~ /, and (\d+) more$/;
        my ($tid) = $found[$i] =~ /^\S+ \S+: (\d+) \(/;
        $same &&= $found[$i] =~ /^\Q$when\E/ && 1 + ($more // 0) == @ids;
        $same &&= grep { / $tid$/ } @ids if $scope eq 'row';
    }
    $tried++;
    $fires += @expected;
    push @wrong, "$text --after $after: $run->{err}got\n$run->{out}expected\n" . join '', map { "@$_\n" } @expected if !$same;
}
is(scalar(@wrong), 0, "$tried conditions, $fires alarms (SEED=$seed)") or diag join "\n", @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)];
cmp_ok($fires, '>', $tried / 4, '... of which many became true');

done_testing;

#!/usr/bin/env perl
# The tasks selected by -p, -t, -u, -C, -G and a command, alone and combined, with both engines: the
# resulting rows, and refused combinations.
use Countertop;
use List::Util qw(shuffle sum0 uniq);

plan skip_all => 'another user is only for root to become' if $>;

# Programs with names that nobody else's have: tests may run side by side.
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my ($spin, $kettle) = ("spin$$", "kettle$$");
for my $name ($spin, $kettle) {
    system 'cp', "$ENV{B}/work/spin", "$dir/$name";
}
# A user who has no process: this test may run beside itself, with sanitizers or in another root.
my %owner = map { ((stat)[4] // -1) => 1 } glob '/proc/[0-9]*';
my ($user) = grep { defined getpwnam($_) && !$owner{getpwnam $_} }
    shuffle qw(games man lp news uucp proxy backup list irc);
my $uid = getpwnam($user);
my %work = (
    one => start("$dir/$spin", '-r', '-n', 2),
    two => start("$dir/$spin", '-r'),
    other => start("$dir/$kettle", '-r'),
    theirs => start(qw(setpriv --reuid), $uid, '--clear-groups', "$dir/$spin", '-r'),
);
my %name = map { $work{$_}{pid} => $_ } keys %work;
for my $program (values %work) { # until each is what it will be
    while (open my $file, '<', "/proc/$program->{pid}/comm") {
        last if readline($file) =~ /^(?:$spin|$kettle)$/;
        select undef, undef, undef, 0.02;
    }
}
my ($tid) = grep { $_ != $work{one}{pid} } map { m{(\d+)$} } glob "/proc/$work{one}{pid}/task/*";
my ($one, $two) = ($work{one}{pid}, $work{two}{pid});
my @ours = ('-d', 0.3, '-n', 1, '-s', 'software');

# Those of our programs that have a row in any refresh; others are only counted.
sub rows {
    my ($engine, @options) = @_;
    my (undef, @refreshes) = refreshes('--engine', $engine, @ours, @options);
    my @pids = uniq map { $_->{pid} } map { @{$_->{tasks}} } @refreshes;
    my @known = sort map { $name{$_} // () } @pids;
    my $others = grep { !$name{$_} } @pids;
    return join ' ', @known, $others ? 'others' : ();
}

for my $engine (qw(cpu task)) {
    my $is = sub {
        my ($expected, @options) = @_;
        is(rows($engine, @options), $expected, "$engine: " . join ' ', @options[0 .. ($#options < 3 ? $#options : 3)]);
    };
    $is->('one', '-p', $one);
    $is->('one other two', '-p', "$one,$two,$kettle");
    $is->('one other theirs two', '-p', $spin, '-p', $kettle);
    $is->('other', '-p', "$kettle,nobody-is-called-so");
    $is->('one', '-t', $tid);
    $is->('one two', '-t', $tid, '-p', $two);
    $is->('theirs', '-u', $user);
    $is->('theirs', '-u', $uid, '-p', $spin);
    $is->('', '-u', $user, '-p', $kettle);
    $is->('one two', '-u', 'root', '-p', $spin);
    # It ends when the first of them has had a CPU twice (the third number of schedstat).
    my @command = ('--', 'sh', '-c', 'read -r _ _ first < $1; last=$first
        while [ $last -lt $((first + 2)) ]; do read -r _ _ last < $1; done', 'sh', "/proc/$one/schedstat");
    $is->('one others', '-p', $one, @command);

    my (undef, @refreshes) = refreshes('--engine', $engine, @ours, '-H', '-t', $tid);
    is_deeply([uniq map { $_->{tid} } map { @{$_->{tasks}} } @refreshes], [$tid],
        "$engine: -H -t: that thread alone");
    (undef, @refreshes) = refreshes('--engine', $engine, @ours, '-H', '-p', $one);
    is((uniq map { $_->{tid} } map { @{$_->{tasks}} } @refreshes), 2, "$engine: -H -p: all its threads");

    # A name stands also for those that begin later.
    my $watch = start(qw(countertop -b --format json -d 0.2 -n 25 -s software --engine), $engine,
        '-p', $kettle);
    next_refresh($watch); # the header
    next_refresh($watch);
    my $late = start("$dir/$kettle", '-r');
    my $seen;
    while (!$seen && (my $refresh = next_refresh($watch))) {
        $seen = grep { $_->{pid} == $late->{pid} } @{$refresh->{tasks}};
    }
    ok($seen, "$engine: a name stands also for those that begin later");
    stop($watch);
    stop($late);
}

# The engine of tasks has no CPUs: its total is the sum of its rows, though some end before they are
# listed, and though a replay shows fewer.
my $births = start(qw(setpriv --reuid), $uid, '--clear-groups', 'sh', '-c', 'while :; do /bin/true; done');
for (["-u $user", qw(-n 8 -d 0.1 -s software --engine task --record), "$dir/run.db", '-u', $user],
    ['replay', '--replay', "$dir/run.db"], ['replay -p', '--replay', "$dir/run.db", '-p', $births->{pid}]) {
    my ($name, @options) = @$_;
    my (undef, @shown) = refreshes(@options);
    my @sums = map { my $name = $_; [map { sum0 map { $_->{counts}{$name} } @{$_->{tasks}} } @shown] } qw(context-switches page-faults);
    is_deeply([map { my $name = $_; [map { $_->{total}{counts}{$name} } @shown] } qw(context-switches page-faults)], \@sums, "$name: the total");
    cmp_ok(sum0(map { @$_ } @sums), '>', 0, '... of what is counted');
}
stop($births);

# -C goes with the ledger.
my ($header, @refreshes) = refreshes('--engine', 'cpu', @ours, '-C', 0, '-p', $spin);
is_deeply([map { map { $_->{cpu} } @{$_->{cpus}} } @refreshes], [0], '-C: that CPU alone');
is((grep { $_->{cpu} != 0 } map { @{$_->{tasks}} } @refreshes), 0, '... and who ran there');
is((grep { $_->{comm} ne $spin } map { @{$_->{tasks}} } @refreshes), 0, '... of those watched');
for (['-C', 0, 'cannot count single CPUs'], ['--view', 'cpus', 'cannot show CPUs']) {
    my ($option, $value, $failure) = @$_;
    my $run = countertop(qw(-b -n 1 --engine task), $option, $value);
    is($run->{status}, 1, "$option with the engine 'task' is refused");
    is($run->{err}, "countertop: $failure: that needs the engine 'cpu'\n", '... with the reason');
}
# A name or a user of no process is waited for, and that is told: at once, and until there is one.
for my $case (['-p', "none$$", "no process is called 'none$$' yet"], ['-u', 4_000_000_001, 'no process of uid 4000000001 yet'],
    ['-p', "$$,none$$", "no process is called 'none$$' yet"]) {
    my ($option, $value, $told) = @$case;
    my $run = countertop(qw(-b -n 1 -d 0.05 -s software), $option, $value);
    is("$run->{status} $run->{err}", "0 countertop: $told: it is counted once there is one\n", "$option $value: told");
    like($run->{out}, qr/^$told: it is counted once there is one$/m, '... and beside the table');
    is(countertop(qw(-b -n 1 -d 0.05 -s software --format csv -o /dev/null), $option, $value)->{err}, $run->{err}, '... of every format');
}
my $name = "late$$";
my $late = start('countertop', qw(-b -d 0.05 -s software -p), $name);
my ($line, $end) = ('', time + 60);
$line = next_line($late) // '' until $line =~ /^no process is called '$name' yet/ || time > $end;
my $comes = start('perl', '-e', '$0 = shift; select undef, undef, undef, 0.01 while 1', $name);
for (1 .. 1000) { # the first page whose notice has gone
    $line = next_line($late) // last;
    last if $line =~ /^countertop / && ($line = next_line($late)) !~ /no process is called/;
}
unlike($line, qr/no process is called/, 'no longer when there is one');
1 while defined($line = next_line($late)) && $line !~ / $name$/ && time < $end;
like($line // '', qr/ $name$/, '... which is counted');
stop($_) for $late, $comes;

# One that has ended is not one that slept.
my $ends = start('perl', '-e', '$0 = shift; select undef, undef, undef, 0.01 while 1', $name);
my $watches = start('countertop', qw(-b -d 0.05 -s software -p), "$ends->{pid},$ends->{pid}");
1 while defined($line = next_line($watches)) && $line !~ / $name$/;
stop($ends);
1 while defined($line = next_line($watches)) && $line !~ /^the one that is watched has ended$/;
ok(defined $line, 'a table says that what was watched has ended');
stop($watches);
like(countertop('--replay', "$ENV{TOP}/tests/data/recording/small.db", qw(-b -p 424242))->{out},
    qr/\nthe one that is watched is not recorded in this interval\n\z/, 'nor did one sleep that a recording does not have');

done_testing;

#!/usr/bin/env perl
# The screen of waits in all formats, on rings that were recorded once (rings.t has the numbers), and
# what is said where waits are not known.
use Countertop;
use List::Util 'sum0';
use Rings;

my $dir = tempdir(CLEANUP => 1);
my $shared = rings('shared');
my @watched = (qw(-s waits -n 2 -d 0.094 -p), 'spin');
my ($file, $debug) = ("$dir/waits.db", "$dir/debug");

my $text = run(played($shared), '-b', @watched, '--record', $file)->{out};
like($text, qr/^ *PID +%CPU +WAITING TAKEN BY +WAITS FOR +%WAIT +%BLOCK +%RUN S USER +us\/wakeup preempt\/s yield\/s us\/wakemax us\/slice us\/waitp50 us\/waitp99 us\/wakep99 COMMAND/m, 'text: the columns');
sub cells {
    return [$_[0] =~ /^ *\d+ +([\d.]+ +[\d.]+ .*? [\d.]+ +[\d.]+) +[SR-] .* spin$/mg];
}
my $cells = cells($text);
is(scalar @$cells, 8, '... and the numbers of four in two refreshes') or diag $text;
my @waiting = ($text =~ /^ *\d+ +[\d.]+ +([\d.]+) .* spin$/mg)[0 .. 3];
is_deeply(\@waiting, [sort { $b <=> $a } @waiting], 'what waited most is first, not who lived for a moment and waited');
is_deeply(cells(countertop('-b', qw(-s waits --replay), $file)->{out}), $cells, 'a replay shows the same');
for my $view (qw(commands users)) {
    my $table = run(played($shared), '-b', @watched, '--view', $view)->{out};
    like($table, qr/^ *4 +\d+\.\d +\d\.\d\d .* 7\d\.\d +0\.0 +2\d\.\d .*(?:spin|root)$/m, "--view $view: of four") or diag $table;
}
like((split /\n/, run(played($shared), qw(-b --format csv), @watched)->{out})[0], qr/,wait-time,block-time,preemptions,/, 'CSV: the counts');
like(run(played($shared), qw(-b --format openmetrics), @watched)->{out}, qr/^countertop_tasks_wait_time_\w*total\{.*spin.*\} (?!0$)\d/m,
    'OpenMetrics: seconds of a name');
my ($cpu) = @{(play($shared, qw(-s waits --view cpus -n 2 -d 0.094)))[2]{cpus}};
is($cpu->{metrics}{block_pct}, undef, 'nobody sleeps on a CPU');

# Single waits: for each thread the longest in the list is the longest that its row knows, exactly; all of them
# are as many as its returns to a CPU; text has the same list.
my @over = (qw(-s waits -H -n 2 -d 0.094 --waits-over 0.000001));
my @over_all = (play($shared, @over, '--record', "$dir/over.db"))[1, 2];
for my $refresh (grep { $_->{long_waits} } @over_all) {
    my (%longest, %woken);
    for my $wait (@{$refresh->{long_waits}}) {
        my ($tid, $us) = ($wait->{tid}, $wait->{seconds} * 1e6);
        $longest{$tid} = $us if $us > ($longest{$tid} // 0);
        $woken{$tid} += $wait->{kind} eq 'wakeup';
        fail("$tid has its CPU taken for longer than it waits") if $wait->{taken} > $wait->{seconds} + 1e-9;
        fail("$tid was preempted, and woken") if $wait->{kind} eq 'preempted' && defined $wait->{waker_comm};
    }
    my @waited = grep { $longest{$_->{tid}} && defined $_->{counts}{wakeups} } @{$refresh->{tasks}};
    cmp_ok(@waited, '>', 3, 'threads waited');
    is_deeply({map { $_->{tid} => sprintf '%.1f', $_->{metrics}{wait_max_us} } @waited},
        {map { $_->{tid} => sprintf '%.1f', $longest{$_->{tid}} } @waited}, '... each for as long as the list says');
    is_deeply({map { $_->{tid} => $_->{counts}{wakeups} } @waited}, {map { $_->{tid} => $woken{$_->{tid}} } @waited},
        '... and after as many wake-ups');
}
# A recording has the same list; CSV has a row for each; OpenMetrics counts them by command.
my @over_listed = map { $_->{long_waits} // [] } @over_all;
cmp_ok(scalar(my @over_each = map { @$_ } @over_listed), '>', 50, 'waits are listed');
is((grep { $_->{comm} eq '' || ($_->{taker_comm} // 'none') eq '' } @over_each), 0, '... with names, from the first interval on');
is_deeply([map { $_->{long_waits} // [] } (refreshes('--replay', "$dir/over.db"))[1, 2]], \@over_listed, '... in a replay, too');
my @over_lines = countertop(qw(-b --replay), "$dir/over.db")->{out} =~ /^wait \S+ (.*)/mg;
is(@over_lines, @over_each, '... in its text');
for my $total (run(played($shared), '-b', @over, qw(--show total)), countertop(qw(-b --show total --replay), "$dir/over.db")) {
    is_deeply([(split /^countertop /m, $total->{out})[-1] =~ /^wait \S+ (.*)/mg], \@over_lines, '... all of them in the total');
}
my ($over_titles, @over_rows) = map { [split /,/, $_, -1] } split /\n/, countertop(qw(-b --format csv --replay), "$dir/over.db")->{out};
my %over_place = map { $over_titles->[$_] => $_ } 0 .. $#$over_titles;
is((grep { $_->[0] eq 'wait' && @$_ != @$over_titles } @over_rows), 0, '... in CSV, whose rows have all columns');
is_deeply([map { join ' ', @{$_}[@over_place{qw(tid comm waited waited_until taken_by woken_by)}] } grep { $_->[0] eq 'wait' } @over_rows],
    [map { sprintf '%d %s %.9f %.6f %s %s', $_->{tid}, $_->{comm}, $_->{seconds}, $_->{time},
        defined $_->{taker} ? sprintf('%.9f %d %s', @{$_}{qw(taken taker taker_comm)}) : '',
        $_->{kind} eq 'preempted' ? 'preempted' : $_->{waker_comm} eq 'interrupt' ? 'interrupt'
            : defined $_->{waker} ? "$_->{waker} $_->{waker_comm}" : '' } @over_each], '... with who, how long, whose CPU it was, and woken by whom');
my ($over_metrics) = run(played($shared), qw(-b --format openmetrics), @over)->{out} =~ /.*^# EOF\n(.+)/ms;
my %over_told = $over_metrics =~ /^countertop_tasks_long_waits_total\{kind="(?:task",command="(?=.)|(?=other))([^"]+)"\} (\d+)$/mg;
my %over_known = (other => 0);
$over_known{$_->{comm}}++ for @over_each;
is($over_told{spin}, $over_known{spin}, 'OpenMetrics counts them by command');
is(sum0(values %over_told), @over_each, '... and all together');
unlike(run(played($shared), qw(-b --format openmetrics -s waits -n 1 -d 0.094))->{out}, qr/long_waits/, '... and not where none are listed');
my @listed = run(played($shared), '-b', qw(-n 2 -d 0.094 --waits-over 5 -p spin))->{out}
    =~ /^wait [\d:]{8}\.\d{3}  (spin \d+: .*)$/mg;
my $short = (my $long = scalar @listed) - grep { /^spin \d+: (?:[5-9]|\d\d)\.?\d*ms preempted; spin \d+ had the CPU for \d\.\d\dms of it$/ } @listed;
cmp_ok($long, '>', 10, 'text: waits of more than 5 ms');
is($short, 0, '... with their length, and who had the CPU') or diag explain \@listed;
like(countertop(qw(-b -n 1 -d 0.05 --engine task --waits-over 5 -p), $$)->{out}, qr/wakeup-latency-max not counted \(\/proc does not tell/,
    'without records of switches it says that they are not known');
like(countertop('-b', '--waits-over', 'x')->{err}, qr/^countertop: bad value 'x' for --waits-over: expected ms above 0, or 20ms, 1s/, 'a length that is none');

# How long single waits, slices and sleeps were: as many as there were wake-ups, also in SQL and in
# counters; a sleep of 10 ms and a little is in its bucket; a replay has the same.
my @spans = (qw(-s waits -n 3 -d 0.094), '--record', "$dir/spans.db");
my (undef, @refreshes) = play($shared, '-H', @spans);
my @sleepers = grep { $_->{counts}{wakeups} > 5 } map { grep { $_->{comm} eq 'sleepers' } @{$_->{tasks}} } @refreshes[1, 2];
for my $sleeper (@sleepers) {
    cmp_ok(abs($sleeper->{metrics}{sleep_p50_us} / 10_000 - 1), '<', 0.1, 'half of the sleeps are 10 ms');
    is($sleeper->{metrics}{wait_max_us}, $sleeper->{metrics}{wakeup_max_us}, '... the longest wait is the one after a wake-up, exactly');
    my ($p50, $p95, $p99, $max) = map { $sleeper->{metrics}{"wait_${_}_us"} } qw(p50 p95 p99 max);
    ok($p50 <= $p95 && $p95 <= $p99 && $p99 <= $max, '... and the quantiles ascend') or diag "$p50 $p95 $p99 $max";
}
my $wakeups = sum0(map { $_->{counts}{wakeups} } map { @{$_->{tasks}} } @refreshes);
my $sql = run('sqlite3', "$dir/spans.db", "SELECT sum(value) FROM wait_facts, json_each(spans) WHERE kind = 'wakeup'")->{out};
is($sql + 0, $wakeups, 'a recording has a wait for each wake-up');
# More waits than an interval can have would take minutes to add up.
run('cp', "$dir/spans.db", "$dir/endless.db");
run('sqlite3', "$dir/endless.db", q(UPDATE wait_facts SET spans = '{' || replace(hex(zeroblob(200)), '00', '"5":2147483648,') || '"6":1}' WHERE interval = 2));
my $endless = countertop(qw(-b --replay), "$dir/endless.db");
is($endless->{status}, 1, 'an endless number of waits in a recording');
is($endless->{err}, "countertop: cannot read interval 2 of '$dir/endless.db': it takes more than 256 MiB of memory\n", '... is refused');
my $samples = run(played($shared), qw(-b --format openmetrics), @spans[0 .. 5])->{out};
$samples =~ s/.*^# EOF\n(?=.)//sm;
my ($count) = $samples =~ /^countertop_wakeup_spans_seconds_count (\d+)$/m;
is($count, $wakeups, '... so has the histogram of OpenMetrics');
my @buckets = $samples =~ /^countertop_wakeup_spans_seconds_bucket\{le="[\d.+Inf]+"\} (\d+)$/mg;
is(scalar @buckets, 26, '... with the same buckets always');
is_deeply(\@buckets, [sort { $a <=> $b } @buckets], '... each of which has those before it');
is($buckets[-1], $wakeups, '... and the last all');
my (undef, @again) = refreshes('-H', '--replay', "$dir/spans.db", qw(-s waits));
is_deeply([map { {$_->{tid} => $_->{metrics}} } map { sort { $a->{tid} <=> $b->{tid} } @{$_->{tasks}} } @again],
    [map { {$_->{tid} => $_->{metrics}} } map { sort { $a->{tid} <=> $b->{tid} } @{$_->{tasks}} } @refreshes], 'a replay has the same metrics');
my ($all) = grep { $_->{comm} eq 'spin' } @{(play($shared, qw(-s waits --view commands -n 2 -d 0.094)))[2]{tasks}};
cmp_ok($all->{metrics}{slice_max_us}, '>', 0, 'processes have those of their threads') if $all;

# What a sleeping task waits for: a recording has it for the rows that were shown, and a replay shows
# the same, by processes and by threads, in JSON, CSV and text.
my $sleep = start(qw(sleep 1000));
wait_for(sub { slurp_or_empty("/proc/$sleep->{pid}/syscall") =~ /^\d/ && slurp_or_empty("/proc/$sleep->{pid}/comm") eq "sleep\n" });
my @asleep = (qw(-b -i -s waits -p), $sleep->{pid});
my (undef, @now) = refreshes(qw(-n 2 -d 0.05 -i -s waits --record), "$dir/asleep.db", '-p', $sleep->{pid});
is($now[0]{tasks}[0]{waits_for}{text}, 'sleep 1000.0 s', 'what it waits for');
for my $rows ([], ['-H']) {
    my (undef, @then) = refreshes(@$rows, qw(-i -s waits --replay), "$dir/asleep.db");
    is_deeply([map { $_->{tasks}[0]{waits_for} } @then], [map { $_->{tasks}[0]{waits_for} } @now], "... in a replay (@$rows)");
}
like(countertop(qw(-b -i -s waits --replay), "$dir/asleep.db")->{out}, qr/ sleep 1000\.0 s .* sleep$/m, '... in its text');
my ($titles, @fields) = map { [split /,/, $_, -1] } split /\n/, countertop(qw(-b -i -s waits --format csv --replay), "$dir/asleep.db")->{out};
my ($place) = grep { $titles->[$_] eq 'waits_for' } 0 .. $#$titles;
is_deeply([map { $_->[$place] } grep { $_->[0] eq 'task' } @fields], [('sleep 1000.0 s') x 2], '... in its CSV');
is((grep { @$_ != @$titles } @fields), 0, '... whose rows have all columns');
is(run('sqlite3', "$dir/asleep.db", 'SELECT w.interval, t.text, k.text FROM waits_for w JOIN texts t ON t.id = w.text JOIN texts k ON k.id = kind')->{out},
    "1|sleep 1000.0 s|sleep\n2|sleep 1000.0 s|sleep\n", '... and in SQL');
(undef, @now) = refreshes('-i', qw(-n 1 -d 0.05 --record), "$dir/other.db", '-p', $sleep->{pid});
is(run('sqlite3', "$dir/other.db", 'SELECT count(*) FROM waits_for')->{out}, "0\n", 'nothing is looked up for a recording that was not shown');
stop($sleep);

# Who had the CPU: of four that share one, each waits for as long as the others run, to the nanosecond.
sub ns { return sprintf '%.0f', $_[0] * 1e9 }
sub parts { return sum0(map { ns($_) } (map { $_->{seconds} } @{$_[0]{taken_by}}), values %{$_[0]{taken}}) }
(undef, @refreshes) = play($shared, qw(-s waits -n 3 -d 0.094 --record), "$dir/taken.db");
for my $refresh (@refreshes) {
    my @waiting = grep { $_->{counts}{'wait-time'} } @{$refresh->{tasks}};
    is_deeply([map { parts($_) } @waiting], [map { $_->{counts}{'wait-time'} } @waiting], 'the parts are what was waited');
}
my @spins = grep { $_->{comm} eq 'spin' } @{$refreshes[2]{tasks}};
is(scalar @spins, 4, 'four');
for my $spin (@spins) {
    my %by = map { $_->{pid} => $_ } @{$spin->{taken_by}};
    my @others = grep { $_ != $spin } @spins;
    is_deeply([map { ns($by{$_->{pid}}{seconds}) } @others], [map { ns($_->{oncpu}) } @others], '... each other one took what it ran');
    is((grep { !$_->{exact} } values %by), 0, '... certainly, on a machine with one CPU');
    is($spin->{taken}{throttled} + $spin->{taken}{nobody}, 0, '... and always one of them had it');
}
# What cpu.max stopped waits for that, and for no call of its own; what live processes of these ids waited for
# is taken out.
run('cp', "$dir/taken.db", "$dir/throttled.db");
run('sqlite3', "$dir/throttled.db", q(UPDATE OR REPLACE wait_takers SET pid = 0, comm = 'throttled', sure = 0; DELETE FROM waits_for));
my (undef, @stopped) = refreshes('--replay', "$dir/throttled.db", qw(-s waits));
is_deeply([map { $_->{waits_for}{text} } grep { $_->{taken}{throttled} } map { @{$_->{tasks}} } @stopped],
    [('throttled by cpu.max') x grep { $_->{counts}{'wait-time'} } map { @{$_->{tasks}} } @stopped], 'throttled by cpu.max');
($text) = run('sh', '-c', '"$@" | tail -n 40', 'sh', played($shared), qw(-b -s waits -n 3 -d 0.094))->{out};
like($text, qr/ spin \d+% .* spin$/m, 'the column: the largest and its share, of all with one name');
(undef, @again) = refreshes('--replay', "$dir/taken.db", qw(-s waits));
my @taken = map { [map { [$_->{pid}, $_->{taken_by}, $_->{taken}] } sort { $a->{pid} <=> $b->{pid} } @{$_->{tasks}}] } $refreshes[2], $again[2];
is_deeply($taken[1], $taken[0], 'a replay has the same');
my %csv;
@csv{split /,/, (split /\n/, run(played($shared), qw(-b --format csv -s waits -n 1 -d 0.094))->{out})[0]} = ();
ok(exists $csv{taken_by}, 'CSV has a column of takers');
my ($line) = grep { /^task,1,.*,spin,/ } split /\n/, run(played($shared), qw(-b --format csv -s waits -n 1 -d 0.094))->{out};
like($line, qr/,0\.\d{9} \d+ spin;0\.\d{9} \d+ spin;0\.\d{9} \d+ spin/, '... the largest first');
my ($group) = grep { $_->{name} eq 'spin' } @{(play($shared, qw(-s waits --view commands -n 2 -d 0.094)))[2]{groups}};
is(parts($group), $group->{counts}{'wait-time'}, 'a command has the parts of its processes');

# Who takes from whom: the parts of all rows, added up by both names; the screen is that of waits.
(undef, @refreshes) = play($shared, qw(--view takers -n 3 -d 0.094 --record), "$dir/takers.db");
for my $refresh (@refreshes[1, 2]) {
    my (%parts, %waited, %told, %told_waited);
    for my $task (@{$refresh->{tasks}}) {
        $parts{"$task->{comm} $_->{comm}"} += ns($_->{seconds}) for @{$task->{taken_by}};
        $waited{$task->{comm}} += $task->{counts}{'wait-time'};
    }
    for (@{$refresh->{groups}}) {
        $told{"$_->{name} $_->{taker}"} = ns($_->{seconds}) if $_->{taker} !~ /^\(|^others$/;
        $told_waited{$_->{name}} += ns($_->{seconds});
        is(ns($_->{waited}), $waited{$_->{name}}, "all that $_->{name} waited") if $_->{name} eq 'spin';
    }
    is_deeply(\%told, \%parts, '--view takers: each pair of names has the parts of its tasks, to the nanosecond');
    is_deeply(\%told_waited, {map { $_ => $waited{$_} } grep { $waited{$_} } keys %waited}, '... and all pairs of a name what it waited');
}
my ($pair) = grep { $_->{name} eq 'spin' && $_->{taker} eq 'spin' } @{$refreshes[2]{groups}};
is($pair->{certain}, $pair->{seconds}, '... certainly, on a machine with one CPU');
(undef, @again) = refreshes('--replay', "$dir/takers.db", qw(--view takers));
is_deeply([map { $_->{groups} } @again], [map { $_->{groups} } @refreshes], '... a replay has the same');
($text) = run('sh', '-c', '"$@" | tail -n 40', 'sh', played($shared), qw(-b --view takers -n 3 -d 0.094))->{out};
like($text, qr/^ +TAKEN +%WAITED +%SURE +TAKEN BY +WAITED\n +\d+ms +\d+\.\d\d +100 +spin +spin$/m, '... in text, the largest first') or diag $text;
my %last = map { ("$_->{name} $_->{taker}" => $_->{seconds} / $_->{waited} * 100) } @{$refreshes[2]{groups}};
my ($heads, $of_spin) = $text =~ /^% OF WAITING +WAITED (.*)\nspin +\d+ms (.*)\n/m;
my @heads = split ' ', $heads // '';
is_deeply([split ' ', $of_spin], [map { my $part = $last{"spin $_"}; !$part ? '.' : $part < 0.5 ? '<1' : sprintf '%.0f', $part } @heads], '... and as a matrix') or diag $text;
my @rows = grep { /^taken,/ } split /\n/, run(played($shared), qw(-b --format csv --view takers -n 3 -d 0.094))->{out};
like($rows[-1], qr/^taken,3,/, '... in CSV');
ok((grep { /,spin,.*,0\.\d{9} 0 spin,/ } @rows), '... with name and seconds');
my ($cgroups) = (play($shared, qw(--view cgroup-takers -n 3 -d 0.094)))[3];
like(run(played($shared), qw(-b --view cgroup-takers -n 1 -d 0.094))->{out}, qr/^% OF WAITING +WAITED +\S.* rest\n\S+ +\d+ms +\d+/m, '... of cgroups, too');
is(sum0(map { ns($_->{seconds}) } @{$cgroups->{groups}}), sum0(map { $_->{counts}{'wait-time'} // 0 } @{$cgroups->{tasks}}), '--view cgroup-takers: the parts are what was waited');

# Nothing is added where no such column is shown.
run(played($shared), qw(-b -n 1 -d 0.094 -s software --debug), $debug);
unlike(slurp($debug), qr/wait-time/, 'other screens do not count it');

# Without tracefs records of switches are all that there is; /proc has less.
system('rm', '-r', "$shared->{root}/sys/kernel") == 0 or die;
my %event = map { $_->{name} => $_ } @{(play($shared, qw(-n 1 -d 0.094 -s waits)))[0]{events}};
like($event{'wakeup-latency-max'}{reason}, qr/tracefs/, 'the longest wait after a wake-up needs records of wake-ups');
my ($header, $refresh) = refreshes(qw(-n 1 -d 0.1 -s waits -i --engine task -p), $$);
%event = map { $_->{name} => $_ } @{$header->{events}};
like($event{'wakeup-latency'}{reason}, qr/^\/proc does not tell .*: count all CPUs/, 'what /proc does not tell has a reason');
is($refresh->{tasks}[0]{metrics}{wakeup_latency_us}, undef, '... and is absent');
done_testing;

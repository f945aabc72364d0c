#!/usr/bin/env perl
# Trace events: each is one of the published format ("Trace Event Format", JSON Array Format), and says what
# JSON says of the same intervals.
use Countertop;
use Cpanel::JSON::XS;
use Rings;
use Script;

my $dir = tempdir(CLEANUP => 1);

# What the format demands of the phases that are written: the types of members.
my $number = qr/\A-?\d+(?:\.\d+)?(?:e\+\d+)?\z/;
my %async = (cat => qr/./, id => qr/\A\d+\z/);
my %needed = (M => {}, X => {cat => qr/./, dur => $number}, C => {}, b => \%async, e => \%async);
my %names = map { $_ => 1 } qw(process_name thread_name);
sub wrong {
    my ($event) = @_;
    my $phase = $needed{$event->{ph} // ''} or return 'phase';
    my %types = (name => qr/^/, # a task may have an empty one
         ph => qr/./, ts => $number, pid => qr/\A\d+\z/, tid => qr/\A\d+\z/, %$phase);
    $event->{$_} =~ $types{$_} or return $_ for grep { defined $event->{$_} || return "no $_" } sort keys %types;
    return 'arguments' if ref $event->{args} ne 'HASH' || (!%{$event->{args}} && $event->{ph} ne 'e');
    return 'metadata' if $event->{ph} eq 'M' && (!$names{$event->{name}} || !defined $event->{args}{name});
    return 'a value' if $event->{ph} eq 'C' && grep { $_ !~ $number } values %{$event->{args}};
    return 'members' if grep { !$types{$_} && $_ ne 'args' && $_ ne 'id' } keys %$event;
    return;
}
sub events {
    my ($what, $text) = @_;
    my $events = eval { Cpanel::JSON::XS->new->decode($text) } // [];
    cmp_ok(scalar @$events, '>', 0, "$what: one array of events") or diag $@, $text;
    is_deeply([map { wrong($_) // () } @$events], [], '... each as the format has it');
    # Perfetto drops a slice that begins before the last one of its thread has ended
    # (slice_drop_overlapping_complete_event). ns, which doubles do not have.
    my (%end, @early);
    while ($text =~ /"ph":"X","ts":(\d+)\.(\d{3}),"pid":(\d+),"tid":(\d+),.*?"dur":(\d+)\.(\d{3})/g) {
        push @early, $& if $end{"$3 $4"} && $end{"$3 $4"} > "$1$2";
        $end{"$3 $4"} = "$1$2" + "$5$6";
    }
    is_deeply(\@early, [], '... no slice begins before the last one of its thread has ended');
    return @$events;
}

# A process of three threads; one that ends, and comes again.
sub script {
    my $script = Script->new('task 101 name=wo"rk uid=0 cpu=1', 'task 102 pid=101', 'task 103 pid=101', 'task 104 name=now ppid=101');
    $script->next_after(0.5, 'run 101 oncpu=0.25 cpu=1 context-switches=10 page-faults=7', 'run 102 oncpu=0.125 context-switches=1',
        'run 103 oncpu=0.125 context-switches=2', $_ == 2 ? () : 'run 104 oncpu=0.0625 page-faults=1') for 1 .. 3;
    return $script;
}
my @options = qw(-n 3 -d 0.5 -s software);
for my $threads ([], ['-H']) {
    my @events = events("trace @$threads", script()->run(qw(-b --format trace), @options, @$threads)->{out});
    my (undef, @refreshes) = script()->refreshes(@options, @$threads);
    my @slices = grep { $_->{ph} eq 'X' } @events;
    is_deeply([sort map { join ' ', @$_{qw(pid tid name)}, $_->{ts} / 1e6 + $_->{dur} / 1e6, @{$_->{args}}{qw(oncpu)} } @slices],
        [sort map { my $time = $_->{time}; map { join ' ', @$_{qw(pid tid comm)}, $time, $_->{oncpu} } @{$_->{tasks}} } @refreshes],
        '... a slice for each task and interval');
    is_deeply([map { @{$_->{args}}{qw(counts coverage metrics)} } sort { $a->{ts} <=> $b->{ts} || $a->{tid} <=> $b->{tid} } @slices],
        [map { map { @$_{qw(counts coverage metrics)} } sort { $a->{tid} <=> $b->{tid} } @{$_->{tasks}} } @refreshes], '... with its counts and metrics');
    my @counts = map { [$_->{ts} / 1e6 - 1767225600, $_->{args}{value}] } grep { $_->{ph} eq 'C' && $_->{pid} == 104 && $_->{name} eq 'page-faults' } @events;
    is_deeply(\@counts, [[0, 1], [0.5, 0], [1, 1]], '... a counter is 0 where its task does nothing');
    my %named = map { ("$_->{name} $_->{tid}" => $_->{args}{name}) } grep { $_->{ph} eq 'M' } @events;
    is_deeply([@named{'process_name 101', 'thread_name 104'}], ['wo"rk', 'now'], '... processes and threads have names');
    is(join(' ', sort { $a <=> $b } map { $_->{id} // () } grep { $_->{ph} eq 'C' && $_->{ts} == 1767225600e6 && $_->{name} eq 'page-faults' } @events),
        @$threads ? '102 103' : '', '... counters of further threads have an id');
}

# Rows are chosen as elsewhere.
my @chosen = events('trace -f', script()->run(qw(-b --format trace), @options, '-f', 'now')->{out});
is_deeply([keys %{{map { $_->{pid} => 1 } grep { $_->{ph} eq 'X' } @chosen}}], [104], '... only of the rows chosen');

# Long waits, from when they began to when they ended.
my @waits = (qw(-s waits -n 2 -d 0.094 --waits-over 5 -p), 'spin');
my @waited = events('long waits', run(played(rings('shared')), qw(-b --format trace), @waits)->{out});
my (undef, @told) = play(rings('shared'), @waits);
my @long = map { @{$_->{long_waits} // []} } @told;
cmp_ok(scalar @long, '>', 0, '... some');
my @begun = grep { $_->{ph} eq 'b' } @waited;
my @ended = grep { $_->{ph} eq 'e' } @waited;
is_deeply([map { sprintf '%d %d %.4f', $begun[$_]{tid}, $ended[$_]{id}, ($ended[$_]{ts} - $begun[$_]{ts}) / 1e6 } 0 .. $#begun],
    [map { sprintf '%d %d %.4f', @$_{qw(tid tid seconds)} } @long], '... those of JSON');
is_deeply([map { $_->{args}{taker} } @begun], [map { $_->{taker} } @long], '... and who had the CPU');

# A recording, and a command.
is(countertop(qw(-b -s software -n 2 -d 0.1 -o /dev/null --record), "$dir/run.db")->{status}, 0, 'a recording');
my (undef, @recorded) = refreshes('--replay', "$dir/run.db");
my @replayed = events('its trace', countertop(qw(-b --format trace --replay), "$dir/run.db")->{out});
is(scalar(grep { $_->{ph} eq 'X' } @replayed), scalar(grep { grep { $_ } $_->{oncpu}, values %{$_->{counts}} } map { @{$_->{tasks}} } @recorded), '... has all tasks that ran');
is(run('sqlite3', "$dir/run.db", 'UPDATE intervals SET time = time - 0.05 WHERE id = (SELECT max(id) FROM intervals)')->{status}, 0, 'a clock that was set back');
events('its trace', countertop(qw(-b --format trace --replay), "$dir/run.db")->{out});
is(run('sqlite3', "$dir/run.db", 'UPDATE intervals SET length = 0')->{status}, 0, 'intervals without a length');
events('their trace', countertop(qw(-b --format trace --replay), "$dir/run.db")->{out});
events('a command', countertop(qw(-b --format trace -s software -d 0.05 -- sh -c), ':')->{out});
# A signal ends the array, too.
my $run = start(qw(countertop -b --format trace -s software -d 0.05 -p), $$);
my $text = '';
$text .= next_line($run) while $text !~ /"ph":"X"/;
kill INT => $run->{pid};
events('ended by SIGINT', $text . finish($run)->{out});

done_testing;

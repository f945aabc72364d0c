#!/usr/bin/env perl
# JSON Lines: the form of both kinds of lines, nulls with reasons, times that add up, and hostile
# names.
use Countertop;
use B;
use Encode;
use Script;

# A shape is a type (with '?' also null), a list [shape], an object {key => shape}, or an object
# with any keys {'*' => shape}. Keys beyond the shape are allowed. Returns what does not fit.
sub kind {
    my ($value) = @_;
    return 'null' if !defined $value;
    return 'boolean' if ref $value eq 'JSON::PP::Boolean';
    return lc ref $value if ref $value;
    return 'string' if B::svref_2object(\$value)->FLAGS & B::SVf_POK;
    return $value =~ /^-?\d+\z/ ? 'integer' : 'number';
}

sub misfits {
    my ($value, $shape, $path) = @_;
    my $kind = kind($value);
    if (!ref $shape) {
        my $wanted = $shape =~ s/\?\z//r;
        my $good = $kind eq $wanted || ($wanted eq 'number' && $kind eq 'integer') ||
            ($wanted ne $shape && $kind eq 'null');
        return $good ? () : "$path is $kind, not $shape";
    }
    return "$path is $kind" if $kind ne lc ref $shape;
    return map { misfits($value->[$_], $shape->[0], "$path\[$_]") } 0 .. $#$value
        if $kind eq 'array';
    return map { misfits($value->{$_}, $shape->{'*'}, "$path.$_") } keys %$value if $shape->{'*'};
    return map {
        exists $value->{$_} ? misfits($value->{$_}, $shape->{$_}, "$path.$_") : "no $path.$_"
    } keys %$shape;
}

sub fits {
    my ($value, $shape, $name) = @_;
    is_deeply([misfits($value, $shape, 'line')], [], $name);
}

my $header_shape = {
    (map { $_ => 'string' } qw(type version host kernel cpu_model engine mode)),
    cpus => ['integer'],
    delay => 'number',
    events => [{name => 'string', pmu => 'string?', state => 'string', reason => 'string?'}],
    metrics => [{name => 'string', expr => 'string', unit => 'string'}],
};
my $counts = {'*' => 'integer?'};
my %measured = (counts => $counts, coverage => {'*' => 'number'}, metrics => {'*' => 'number?'});
my $task_shape = {
    (map { $_ => 'integer' } qw(pid tid ppid)),
    (map { $_ => 'integer?' } qw(threads cpu)),
    (map { $_ => 'string?' } qw(comm user state)),
    exited => 'boolean',
    oncpu => 'number?',
    %measured,
};
my $refresh_shape = {
    type => 'string',
    seq => 'integer',
    time => 'number',
    interval => 'number',
    (map { $_ => {counts => $counts} } qw(total idle unattributed)),
    (map { $_ => 'integer' } qw(lost_records throttled denied_tasks starved_tasks)),
    self => {cpu_seconds => 'number', descriptors => 'integer', rss_bytes => 'integer'},
    cpus => [{cpu => 'integer', %measured}],
    tasks => [$task_shape],
};

# Live: both engines tell what the form has.
my ($header, $refresh) = refreshes(qw(-n 1 -d 0.2 -i --engine task -e cycles -e r1 -p), $$);
fits($header, $header_shape, 'the header');
fits($_, $task_shape, 'a task') for @{$refresh->{tasks}};
chomp(my $kernel = `uname -r`);
chomp(my $host = `uname -n`);
chomp(my $online = `nproc --all`);
is_deeply([@$header{qw(type kernel host engine mode)}], ['header', $kernel, $host, 'task', 'all'], 'its machine and engine');
is_deeply([map { $_->{pid} } @{$refresh->{tasks}}], [$$], 'its task');
is_deeply([@$refresh{'idle', 'unattributed'}, @{$refresh->{cpus}}], [undef, undef],
    'the engine of tasks does not know idle, unattributed and cpus: null');
($header, $refresh) = refreshes(qw(-n 1 -d 0.2 -i --engine cpu -p), $$);
fits($header, $header_shape, 'the header of the other engine');
fits($refresh, $refresh_shape, 'its refresh');
is_deeply([$header->{cpus}, [map { $_->{cpu} } @{$refresh->{cpus}}]], [[0 .. $online - 1], [0 .. $online - 1]], 'its cpus');
ok($refresh->{self}{rss_bytes} > 1e6 && $refresh->{self}{descriptors} > 2, 'its own cost is told');
my ($own) = @{$refresh->{tasks}};
is_deeply([@$own{qw(pid tid ppid threads user exited)}], [$$, $$, getppid, 1, scalar getpwuid($>), Cpanel::JSON::XS::false],
    'a process and whose it is');

# A process of three threads, one that ends, one that sleeps.
my @machine = ('refuse minor-faults denied not%20permitted', 'task 101 name=work uid=0 cpu=1', 'task 102 pid=101',
    'task 103 pid=101', 'task 104 name=ends ppid=101', 'task 105 name=sleep');
my @interval = ('run 101 oncpu=0.25 cpu=1 context-switches=10 page-faults=7', 'run 102 oncpu=0.125 context-switches=1',
    'run 103 oncpu=0.125 context-switches=2', 'idle 0 context-switches=3', 'unattributed 1 page-faults=5 cpu-migrations=1');
sub scripted {
    my ($intervals, @options) = @_;
    my $script = Script->new(@machine);
    $script->next_after(0.5, @interval, $_ == 1 ? ('run 104 oncpu=0.0625 page-faults=1', 'exit 104') : ()) for 1 .. $intervals;
    return $script->refreshes('-n', $intervals, qw(-d 0.5 -s software), @options);
}

($header, my @refreshes) = scripted(3, '-e', 'cpu-clock,minor-faults');
fits($_, $refresh_shape, "refresh $_->{seq}") for @refreshes;
is($header->{delay}, 0.5, 'the delay');
my @names = map { $_->{name} } @{$header->{events}};
is("@names[-2, -1]", 'cpu-clock minor-faults', 'events asked for come last, in their order');
is_deeply([map { [@$_{qw(state reason)}] } @{$header->{events}}[-2, -1]], [['counted', undef], ['denied', 'not permitted']],
    'states, and a reason where nothing is counted');
my @counted = map { my $name = $_; [map { $_->{counts}{$name} } map { (@$_{qw(total idle unattributed)}, @{$_->{cpus}}, @{$_->{tasks}}) } @refreshes] }
    @names;
is((grep { defined } @{$counted[-1]}), 0, 'what is not counted has a count nowhere');
is((grep { !defined } map { @$_ } @counted[0 .. $#counted - 1]), 0, '... all else everywhere');
is_deeply([map { [@$_{qw(seq interval)}, sprintf '%.3f', $_->{time} - 1767225600] } @refreshes],
    [[1, 0.5, '0.500'], [2, 0.5, '1.000'], [3, 0.5, '1.500']], 'refreshes are numbered, and intervals add up to the time');
my ($first, $last) = @refreshes[0, -1];
is_deeply([map { $last->{$_}{counts}{'context-switches'} } qw(total idle unattributed)], [16, 3, 0], 'a total, and idle');
is_deeply([map { $last->{$_}{counts}{'page-faults'} } qw(total idle unattributed)], [12, 0, 5], '... and unattributed');
is_deeply([map { [@$_{qw(cpu oncpu)}, $_->{counts}{'page-faults'}] } @{$last->{cpus}}], [[0, 0.25, 0], [1, 0.25, 12]], 'CPUs');

my @metrics = sort map { $_->{name} } @{$header->{metrics}};
my %metric = map { $_ => 1 } @metrics;
is_deeply([grep { !$metric{$_} } qw(cpu_pct ctxsw_per_s migrations_per_s faults_per_s)], [],
    'metrics of what the screen counts');
is((grep { "@{[sort keys %{$_->{metrics}}]}" ne "@metrics" } map { (@{$_->{cpus}}, @{$_->{tasks}}) } @refreshes), 0,
    'each row has all metrics of the header');
is_deeply([map { $last->{cpus}[1]{metrics}{$_} } qw(cpu_pct ctxsw_per_s migrations_per_s faults_per_s)], [50, 20, 2, 24],
    'each is what its name says, of a CPU');

sub rows {
    my ($refresh) = @_;
    return [map { [@$_{qw(tid threads comm oncpu)}, $_->{counts}{'context-switches'}, $_->{exited} ? 'exited' : $_->{state}] }
        sort { $a->{tid} <=> $b->{tid} } @{$refresh->{tasks}}];
}
is_deeply(rows($last), [[101, 3, 'work', 0.5, 13, 'S']], 'a process has what its threads had');
is_deeply([map { $last->{tasks}[0]{metrics}{$_} } qw(cpu_pct ctxsw_per_s faults_per_s)], [100, 26, 14], '... as metrics, too');
is_deeply(rows($first)->[1], [104, undef, 'ends', 0.0625, 0, 'exited'], 'one that ended');
is($first->{tasks}[-1]{ppid} + $first->{tasks}[0]{ppid}, 101, '... and whose child it was');
is_deeply(rows((scripted(2, '-H'))[-1]),
    [[101, 1, 'work', 0.25, 10, 'S'], [102, 1, 'work', 0.125, 1, 'S'], [103, 1, 'work', 0.125, 2, 'S']], '-H: a row for each thread');
is_deeply([map { $_->[0] } @{rows((scripted(1, '-H', @$_))[-1])}], [101 .. 103], "@$_: only threads of that process") for ['-p', 101], ['-p', 'work'];
is_deeply([map { $_->[0] } @{rows((scripted(1, '-H', '-t', 102))[-1])}], [102], '-t: only that thread');
is_deeply(rows((scripted(2, '-i', '-p', 105))[-1]), [[105, 1, 'sleep', 0, 0, 'S']], '-i lists what slept, with counts of 0');
is_deeply(rows((scripted(2, '-p', 105))[-1]), [], '... which is not listed else');

# A row that is asleep is not written again as long as it sleeps: what ran in between may be in another state.
my $sleeper = start('sleep', 1000);
my $watch = start('countertop', qw(-b --format json -i -d 0.05 -p), $sleeper->{pid});
my $state = sub { ((next_refresh($watch) // {})->{tasks} // [{}])->[0]{state} // '' };
my @seen;
for my $round (1 .. 12) {
    my ($signal, $wanted) = $round % 2 ? ('STOP', 'T') : ('CONT', 'S');
    kill $signal, $sleeper->{pid};
    last if !wait_for(sub { $state->() eq $wanted });
    push @seen, join '', map { $state->() } 1 .. 3;
}
stop($_) for $watch, $sleeper;
is("@seen", join(' ', ('TTT', 'SSS') x 6), 'the state of what is stopped and continued, while it sleeps');

# Names: quotes, control characters, bytes that are no UTF-8, a character cut off at 15 bytes.
my %names = (
    'quotes and backslashes' => 'a"b\\c\\"{}',
    'control characters' => "\e[31m\n\t\x01\x7f",
    'C1 control characters' => "x\xc2\x9b31m",
    'no UTF-8' => "\xff\xc3(\xed\xa0\x80",
    'a cut character' => "\xc3\xa9" x 9,
    "of a file: \"\\\n\xfe" => "\"\\\n\xfe",
);
my @kinds = sort keys %names;
my $script = Script->new(map { "task $_" } 1 .. @kinds);
# They get their names while they are watched.
$script->next(map { ("task $_ name=" . Script::text($names{$kinds[$_ - 1]}), "run $_ oncpu=0.1") } 1 .. @kinds);
my $text = $script->run(qw(-b --format json -n 1 -s software))->{out};
my $decoded = eval { Encode::decode('UTF-8', my $copy = $text, Encode::FB_CROAK) };
ok(defined $decoded, 'all output is UTF-8');
unlike($decoded // '', qr/[\x00-\x09\x0b-\x1f\x7f-\x9f]/, '... without control characters');
binmode $_, ':utf8' for Test::More->builder->failure_output;
my (undef, $named) = eval { json_lines($decoded) };
is($@, '', '... and valid JSON line by line');
for my $task (@{$named->{tasks}}) {
    my $what = $kinds[$task->{pid} - 1];
    # Each byte that belongs to no character becomes U+FFFD.
    my $wanted = Encode::decode('UTF-8', substr($names{$what}, 0, 15), sub { "\x{fffd}" x @_ });
    is($task->{comm}, $wanted, "name: $what" =~ s/[^ -~]/?/gr);
}
is(@{$named->{tasks}}, @kinds, 'all have a row');

# Two that ended before anybody read their names are not one without a name.
my $dir = tempdir(CLEANUP => 1);
my @nameless = ('task 101 unnamed=1', 'task 102 unnamed=1', 'task 103 name=', map({ "run $_ oncpu=0.1 page-faults=1" } 101 .. 103));
sub nameless {
    my (@options) = @_;
    $script = Script->new;
    $script->next(@nameless);
    return $script->run(qw(-b -n 1 -s software), @options)->{out};
}
my @each = ([101, undef], [102, undef], [103, '']);
is_deeply([map { [@$_{qw(pid comm)}] } @{(json_lines(nameless(qw(--format json --record), "$dir/a.db")))[1]{tasks}}], \@each, 'a name that is not known: null');
is_deeply([map { [@$_{qw(pid comm)}] } @{(refreshes('--replay', "$dir/a.db"))[1]{tasks}}], \@each, '... in a replay');
my %processes = (nameless => 2, '' => 1);
for (nameless(qw(--format json --view commands)), countertop(qw(-b --format json --view commands --replay), "$dir/a.db")->{out}) {
    is_deeply({map { $_->{name} // 'nameless' => $_->{processes} } @{(json_lines($_))[1]{groups}}}, \%processes, '... a command of its own');
}
like(nameless(), qr/^ +101 .* \(name not known\)$/m, '... in text');
like(nameless(qw(--format openmetrics)), qr/^countertop_tasks_page_faults_total\{.*command="\(name not known\)".*\} 2$/m, '... a label of its own');

done_testing;

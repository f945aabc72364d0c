#!/usr/bin/env perl
# JSON Lines: the form of both kinds of lines, nulls with reasons, times that add up, and hostile
# names.
use strict;
use warnings;
use B;
use Countertop;
use Encode;
use File::Copy;
use File::Temp 'tempdir';
use List::Util 'sum0';
use Test::More;

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
    (map { $_ => 'string?' } qw(user state)),
    comm => 'string',
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

# Something that runs in every interval, under the name given.
sub start_ticker {
    return start('perl', '-e', '$0 = shift; $| = 1; print "ready\n";
        while () { select undef, undef, undef, 0.02 }', @_);
}

my $ticker = start_ticker('json_ticker');
next_line($ticker);
my $run = countertop(qw(-b --format json -n 4 -d 0.5 -e cycles -e), "r1,minor-faults");
is("$run->{status}$run->{err}", 0, 'ends well and says nothing');
my @lines = split /\n/, $run->{out}, -1;
is(@lines, 6, 'a header, a line for each refresh, and an end of the last line');
my ($header, @refreshes) = json_lines($run->{out});

fits($header, $header_shape, 'the header');
is($header->{type}, 'header', 'comes first');
is($header->{delay}, 0.5, 'its delay');
is($header->{mode}, 'all', 'its mode');
is($header->{engine}, 'cpu', 'its engine');
chomp(my $kernel = `uname -r`);
chomp(my $host = `uname -n`);
is("$header->{kernel} $header->{host}", "$kernel $host", 'its kernel and host');
chomp(my $online = `nproc --all`);
is_deeply($header->{cpus}, [0 .. $online - 1], 'its cpus');
my @names = map { $_->{name} } @{$header->{events}};
is("@names[-3 .. -1]", 'cycles r1 minor-faults', 'events asked for come last, in their order');
my $states = qr/^(counted|unsupported|denied|no_counter|no_descriptor|invalid)\z/;
is((grep { $_->{state} !~ $states } @{$header->{events}}), 0, 'states are those of the contract');

for my $event (@{$header->{events}}) {
    my $counted = $event->{state} eq 'counted';
    ok($counted ? !defined $event->{reason} : $event->{reason} =~ /\w/,
        "$event->{name} is $event->{state}" . ($counted ? '' : ', with a reason'));
    # Of idle it is not known where its first record comes in the next interval.
    my @sums = map { @$_{'total', $counted ? () : 'idle', 'unattributed'}, @{$_->{cpus}} } @refreshes;
    push @sums, map { @{$_->{tasks}} } @refreshes if !$counted;
    is((grep { defined $_->{counts}{$event->{name}} != $counted } @sums), 0,
        $counted ? '... has counts' : '... has a count nowhere');
}

is_deeply([map { $_->{seq} } @refreshes], [1 .. 4], 'refreshes are numbered');
fits($_, $refresh_shape, "refresh $_->{seq}") for @refreshes;
my ($first, @later) = @refreshes;
my $sum = sum0(map { $_->{interval} } @later);
my $elapsed = $later[-1]{time} - $first->{time};
ok(abs($sum - $elapsed) < 0.005, 'the intervals add up to the time that passed')
    or diag "$sum s of $elapsed s";
ok($sum >= 1.4, 'three delays have passed');
ok((grep { $_->{interval} > 0.4 && $_->{interval} < 0.6 } @later), 'one of them is near 0.5 s');
ok($first->{self}{rss_bytes} > 1e6 && $first->{self}{descriptors} > 2, 'its own cost is told');

my @metrics = map { $_->{name} } @{$header->{metrics}};
my %metric = map { $_ => 1 } @metrics;
is_deeply([grep { !$metric{$_} } qw(cpu_pct ctxsw_per_s migrations_per_s faults_per_s)], [],
    'metrics of what the screen counts');
my @rows = map { my $r = $_; map { [$r, $_] } @{$r->{cpus}}, @{$r->{tasks}} } @refreshes;
is((grep { join(' ', sort keys %{$_->[1]{metrics}}) ne join ' ', sort @metrics } @rows), 0,
    'each row has all metrics of the header');

# That of a task that could not be counted is null.
sub is_ratio {
    my ($metric, $value) = @_;
    my @wrong = grep {
        my ($refresh, $row) = @$_;
        my ($got, $wanted) = ($row->{metrics}{$metric}, $value->($row));
        defined $got != defined $wanted || (defined $got &&
            abs($got - $wanted / $refresh->{interval}) > 1e-5 * ($got + 1));
    } @rows;
    is(@wrong, 0, "$metric is what its name says");
}

is_ratio('cpu_pct', sub { $_[0]{oncpu} * 100 });
is_ratio('ctxsw_per_s', sub { $_[0]{counts}{'context-switches'} });
is_ratio('faults_per_s', sub { $_[0]{counts}{'page-faults'} });

my ($row) = grep { $_->{pid} == $ticker->{pid} } task($later[-1], 'json_ticker');
is_deeply([@$row{'pid', 'tid', 'ppid', 'threads', 'user'}],
    [$ticker->{pid}, $ticker->{pid}, $$, 1, scalar getpwuid $>], 'a process and whose it is');
ok($row->{state} =~ /^[RSD]\z/ && !$row->{exited}, 'its state');
ok((grep { $_ == $row->{cpu} } @{$header->{cpus}}), 'its cpu');

# -H: a row for each thread; without: their sum. -i: beside others one may not run for a while.
my $spin = start('spin', '-n', 3);
my (undef, @threads) = refreshes('-H', '-i', '-n', 3, '-d', 0.3, '-p', $spin->{pid});
is((grep { $_->{pid} != $spin->{pid} || $_->{threads} != 1 } @{$threads[-1]{tasks}}), 0,
    '-p and -H: only threads of that process');
is(@{$threads[-1]{tasks}}, 3, '... each of them');
my (undef, @processes) = refreshes('-i', '-n', 2, '-d', 0.3, '-p', 'spin');
my ($process) = grep { $_->{pid} == $spin->{pid} } @{$processes[-1]{tasks}};
is($process->{threads}, 3, 'a process knows the number of its threads');
my $leader = (grep { $_->{tid} == $spin->{pid} } @{$threads[-1]{tasks}})[0];
(undef, @threads) = refreshes('-H', '-i', '-n', 2, '-d', 0.3, '-t', $leader->{tid});
is_deeply([map { $_->{tid} } @{$threads[-1]{tasks}}], [$leader->{tid}], '-t: only that thread');
stop($spin);

# -i lists what slept.
my $sleeper = start('sleep', 600);
my (undef, undef, $busy) = refreshes('-n', 2, '-d', 0.3, '-p', $sleeper->{pid});
my (undef, undef, $all) = refreshes('-i', '-n', 2, '-d', 0.3, '-p', $sleeper->{pid});
my ($slept) = @{$all->{tasks}};
is_deeply([@$slept{'pid', 'comm', 'state', 'oncpu'}, $slept->{counts}{'context-switches'}],
    [$sleeper->{pid}, 'sleep', 'S', 0, 0], '-i lists what slept, with counts of 0');
is(@{$busy->{tasks}}, 0, '... which is not listed else');
stop($sleeper);

# The task engine keeps no books for what nobody did.
my ($task_header, $watched) =
    refreshes('--engine', 'task', '-p', $ticker->{pid}, '-n', 1, '-d', 0.3);
fits($task_header, $header_shape, 'the header of the task engine');
is($task_header->{engine}, 'task', '... names it');
is_deeply([@$watched{'idle', 'unattributed'}, @{$watched->{cpus}}], [undef, undef],
    'it does not know idle, unattributed and cpus: null');
fits($_, $task_shape, 'its tasks') for @{$watched->{tasks}};

# Names: quotes, control characters, bytes that are no UTF-8, a character cut off at 15 bytes.
my %names = (
    'quotes and backslashes' => 'a"b\\c\\"{}',
    'control characters' => "\e[31m\n\t\x01\x7f",
    'C1 control characters' => "x\xc2\x9b31m",
    'no UTF-8' => "\xff\xc3(\xed\xa0\x80",
    'a cut character' => "\xc3\xa9" x 9,
);
my $dir = tempdir(CLEANUP => 1);
my %program = ("of a file: \"\\\n\xfe" => "\"\\\n\xfe");
copy("$ENV{B}/work/spin", "$dir/$_") && chmod 0755, "$dir/$_" for values %program;
my %expected;
my @tickers = map { start_ticker($names{$_}) } sort keys %names;
@expected{map { $_->{pid} } @tickers} = map { [$_, $names{$_}] } sort keys %names;
next_line($_) for @tickers;

binmode $_, ':utf8' for Test::More->builder->failure_output;
my $watch = start(qw(countertop -b --format json -d 0.5));
my @raw = (next_line($watch), next_line($watch));
# These get their names while they are watched.
my $renamed = start('perl', '-e', '<STDIN>; $0 = shift; while () { select undef, undef, undef, 0.02 }',
    $names{'control characters'});
my $old = start_ticker('json_before');
next_line($old);
my @execed = map { start("$dir/$_", '-n', 1) } values %program;
print {$renamed->{in}} "now\n";
$expected{$renamed->{pid}} = ['changed while watched', $names{'control characters'}];
@expected{map { $_->{pid} } @execed} = map { [$_, $program{$_}] } keys %program;
# Until two refreshes after the kernel has the last of the names: in each of them all have run.
my $since = 1e12;
while (@raw < 5 || (json_lines($raw[-1]))[0]{time} < $since + 1) {
    push @raw, next_line($watch);
    $since = time if $since > time && !grep {
        open my $file, '<', "/proc/$_/comm" or die "comm of $_: $!";
        local $/;
        readline($file) ne substr($expected{$_}[1], 0, 15) . "\n";
    } keys %expected;
}
my $told = @raw - 1; # refreshes in which all live
stop($_) for @execed, $renamed, @tickers, $old, $ticker;
push @raw, stop($watch)->{out};

my $text = join '', @raw;
my $decoded = eval { Encode::decode('UTF-8', my $copy = $text, Encode::FB_CROAK) };
ok(defined $decoded, 'all output is UTF-8');
unlike($decoded // '', qr/[\x00-\x09\x0b-\x1f\x7f-\x9f]/, '... without control characters');
my (undef, @named) = eval { json_lines($decoded) };
is($@, '', '... and valid JSON line by line');
my %last = map { $_->{pid} => $_->{comm} } map { @{$_->{tasks}} } @named[0 .. $told - 1];
for my $pid (sort keys %expected) {
    my ($what, $bytes) = @{$expected{$pid}};
    # Each byte that belongs to no character becomes U+FFFD.
    my $wanted = Encode::decode('UTF-8', substr($bytes, 0, 15), sub { "\x{fffd}" x @_ });
    is($last{$pid}, $wanted, "name: $what" =~ s/[^ -~]/?/gr);
}

done_testing;

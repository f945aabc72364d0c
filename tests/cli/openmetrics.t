#!/usr/bin/env perl
# Counters for Prometheus: both forms of the text, counters that never decrease and whose sums
# balance, the output file that is replaced, and the server.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use HTTP::Tiny;
use IO::Socket::INET;
use List::Util 'sum0';
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my @software = qw(-s software);

# The samples of a text as {name => {labels => value}}, its families as {name => type}; what breaks
# the rules of OpenMetrics 1.0 (strict) or of the older text format dies. Every family is described
# before its samples, which stand together; no sample is there twice; "# EOF" ends it.
sub parse {
    my ($text, $strict) = @_;
    my (%types, %samples, $family, $type);
    die "it does not end with # EOF\n" if $text !~ s/\n# EOF\n\z/\n/;
    for (split /\n/, $text) {
        if (/^# TYPE (\w+) (\w+)$/) {
            ($family, $type) = ($1, $2);
            die "$family is described twice\n" if $types{$family};
            die "type of $family: $type\n" if $type !~ ($strict ? qr/^(counter|gauge|info)$/ : qr/^(counter|gauge)$/);
            $types{$family} = $type;
        } elsif (/^# UNIT (\w+) (\w+)$/) {
            die "unit of $1: $2\n" if !$strict || $1 ne $family || substr($1, -1 - length $2) ne "_$2";
        } elsif (/^# HELP (\w+) \S/) {
            die "help of $1 in $family\n" if $1 ne $family;
        } elsif (/^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\["\\n])*",?)*)\})? (\d[\d.e+-]*)$/) {
            my ($name, $labels, $value) = ($1, $2 // '', $3);
            $labels =~ s/,$//;
            my $suffix = !$strict ? '' : $type eq 'counter' ? '_total' : $type eq 'info' ? '_info' : '';
            die "$name in family $family\n" if $name ne "$family$suffix";
            die "counter $name\n" if $type eq 'counter' && $name !~ /_total$/;
            die "$name\{$labels} twice\n" if exists $samples{$name}{$labels};
            $samples{$name}{$labels} = $value;
        } else {
            die "line '$_'\n";
        }
    }
    return (\%samples, \%types);
}

sub lint {
    my ($text, $name) = @_;
    open my $file, '>', "$dir/lint" or die $!;
    print $file $text;
    close $file;
    my $run = run('sh', '-c', "promtool check metrics <$dir/lint");
    is("$run->{status}$run->{out}$run->{err}", '0', "$name: promtool has nothing to say");
}

# The sums of an event: what CPUs counted; all labels and what was retired.
sub balance {
    my ($samples, $event, $metric) = @_;
    return [sum0(values %{$samples->{"countertop_${metric}_total"}}),
        sum0(values %{$samples->{"countertop_tasks_${metric}_total"}},
            $samples->{countertop_retired_total}{qq(event="$event")})];
}

# One text, and what it tells.
my $name = "om_spin$$"; # of which there is one
my $spin = start('perl', '-e', '$| = 1; $0 = shift; print "ready\n"; 1 while 1', $name);
next_line($spin);
my $run = countertop(qw(-b -n 1 -d 0.3 --format openmetrics -e cycles -e cpu-clock), @software);
is("$run->{status}$run->{err}", 0, '--format openmetrics');
lint($run->{out}, 'text');
my ($samples, $types) = eval { parse($run->{out}) };
is($@, '', '... and its form is sound');
chomp(my $cpus = `nproc`);
is_deeply([sort keys %{$samples->{countertop_page_faults_total}}], [map { qq(cpu="$_") } 0 .. $cpus - 1],
    'each CPU has its counter');
my ($info) = keys %{$samples->{countertop_info}};
like($info, qr/^version="[\d.]+",host="[^"]+",kernel="[^"]+",cpu_model="[^"]*",engine="cpu",mode="all"$/,
    'the machine');
my @infos = keys %{$samples->{countertop_event_info}};
is(@infos, 5, 'each event is told of');
like("@infos", qr/event="cpu-clock",state="counted",pmu="software",metric="countertop_cpu_clock_seconds_total"/,
    '... with its metric');
my ($cycles) = grep { /^event="cycles"/ } @infos;
is(exists $samples->{countertop_cycles_total}, $cycles =~ /state="counted"/,
    'what is not counted has no counter');
like($cycles, qr/metric="|reason="\w/, '... but a reason');
my $clock = sum0(values %{$samples->{countertop_cpu_clock_seconds_total}});
my $interval = $samples->{countertop_interval_seconds}{''};
# A busy CPU is read late by as much as its run queue, and by what the host takes of it.
cmp_ok($clock, '<', (1.05 * $interval + 0.2) * $cpus, 'clocks are in seconds');
cmp_ok($clock, '>', 0.05, '... of the interval');
ok(exists $samples->{countertop_tasks_busy_seconds_total}{qq(kind="task",command="$name")},
    'a command by its name');

# Each metric that an event is told to have is there, also of events of tasks alone.
$run = countertop(qw(-b -n 1 -d 0.1 --format openmetrics -s waits));
($samples) = parse($run->{out});
my @metrics = map { /metric="(\w+)"/ } keys %{$samples->{countertop_event_info}};
ok(@metrics > 0, '-s waits: events have metrics');
is(join(' ', grep { !$samples->{$_} } @metrics), '', '... which are there');

# Events may have any name, also one of countertop's own metrics.
$run = countertop(qw(-b -n 1 -d 0.1 --format openmetrics -e cpu_kernel=cpu-clock -e pressure=task-clock));
($samples) = eval { parse($run->{out}) };
is($@, '', 'events that are called as metrics of countertop are');
ok(exists $samples->{$_}, "... $_")
    for qw(countertop_event_cpu_kernel_seconds_total countertop_cpu_kernel_seconds_total);

# Seconds that a process has run on CPUs, as the scheduler says: proc(5). So long as nobody has
# waited for it, one that ended tells as well.
sub oncpu {
    return (split ' ', slurp("/proc/$_[0]/schedstat"))[0] / 1e9;
}

# A run: no counter falls, each refresh balances; a command that ended keeps what it had.
my $outside = oncpu($spin->{pid}); # before it is counted
my $taken_before = sum0(map { stolen($_) } 0 .. $cpus - 1);
my ($inside, $lived, $taken);
my $watch = start(qw(countertop -b --format openmetrics -d 0.15 -n 12), @software);
my (@texts, $text, $ended);
while (defined(my $line = next_line($watch))) {
    $text .= $line;
    next if $line ne "# EOF\n";
    push @texts, $text;
    $text = '';
    $inside //= oncpu($spin->{pid}); # it is counted
    next if @texts != 5;
    kill TERM => $spin->{pid};
    select undef, undef, undef, 0.01 until slurp("/proc/$spin->{pid}/stat") =~ /\) Z /;
    $lived = oncpu($spin->{pid});
    $taken = sum0(map { stolen($_) } 0 .. $cpus - 1) - $taken_before;
    finish($spin);
}
finish($watch);
is(@texts, 12, 'a text each refresh');
my (%last, @fell, @unbalanced, $gone);
for my $one (@texts) {
    my ($now, $kinds) = parse($one);
    for my $name (grep { $kinds->{$_} eq 'counter' } keys %$kinds) {
        for my $labels (keys %{$last{$name}}) {
            my $value = $now->{$name}{$labels};
            push @fell, "$name $labels" if !defined $value || $value < $last{$name}{$labels};
        }
        $last{$name} = $now->{$name};
    }
    for (['page-faults', 'page_faults'], ['context-switches', 'context_switches']) {
        my ($left, $right) = @{balance($now, @$_)};
        push @unbalanced, "@$_: $left, $right" if $left != $right;
    }
    $gone = $now->{countertop_tasks_busy_seconds_total}{qq(kind="task",command="$name")};
}
is("@fell", '', 'no counter falls, and none is gone');
is("@unbalanced", '', 'tasks, idle and unattributed are the sum of the CPUs');
# The scheduler's figure is as old as the last tick, and without what the host took.
cmp_ok($gone, '>=', 0.97 * ($lived - $inside) - 0.02, 'a command that ended keeps its counter');
cmp_ok($gone, '<=', 1.03 * ($lived - $outside) + 0.02 + $taken, '... no more and no less');

# Few names: the others are one, and nothing is lost.
my @busy = map { start('perl', '-e', '$0 = shift; while () { select undef, undef, undef, 0.005 }',
    "om_busy$_") } 1 .. 4;
$run = countertop(qw(-b -n 1 -d 0.5 --format openmetrics --label-sets 2), @software);
($samples) = parse($run->{out});
# Of a task that writes no records the time is known, and no count.
my @labels = keys %{$samples->{countertop_tasks_busy_seconds_total}};
is((grep { /kind="task"/ } @labels), 2, '--label-sets: that many names');
cmp_ok($samples->{countertop_tasks_context_switches_total}{'kind="other"'}, '>', 0,
    '... the others are one');
my ($left, $right) = @{balance($samples, 'context-switches', 'context_switches')};
is($left, $right, '... and sums balance');
$run = countertop(qw(-b -n 1 -d 0.3 --format openmetrics --view users), @software);
($samples) = parse($run->{out});
ok((grep { $_ eq 'kind="task",user="' . getpwuid($>) . '"' }
    keys %{$samples->{countertop_tasks_page_faults_total}}), '--view users: by user');
$run = countertop(qw(-b -n 1 -d 0.3 --format openmetrics --view cgroups), @software);
ok((grep { m{^kind="task",cgroup="/} } keys %{(parse($run->{out}))[0]{countertop_tasks_page_faults_total}}),
    '--view cgroups: by cgroup');
$run = countertop(qw(-b -n 1 -d 0.3 --format openmetrics -p om_busy1), @software);
($samples) = parse($run->{out});
is(join(' ', grep { /task/ } sort keys %{$samples->{countertop_tasks_context_switches_total}}),
    'kind="task",command="om_busy1"', '-p: what is watched has a name');
($left, $right) = @{balance($samples, 'context-switches', 'context_switches')};
is($left, $right, '... and sums balance with the rest');

# The file: readers see one text or the next, whole; nothing else is left in its directory.
mkdir "$dir/textfile";
my $path = "$dir/textfile/countertop.prom";
my $writer = start(qw(countertop -b --format openmetrics -d 0.05 -o), $path, @software);
my (%refreshes, @partial);
vec(my $end = '', fileno $writer->{out}, 1) = 1; # it writes nothing there
until (keys %refreshes >= 30 || select my $now = $end, undef, undef, 0.01) {
    if (open my $file, '<', $path) {
        my $read = do { local $/; readline $file };
        $refreshes{$1} = 1 if $read =~ /^countertop_refreshes_total (\d+)$/m;
        push @partial, $read if $read !~ /^# TYPE.*\n# EOF\n\z/s;
    }
}
is(stop($writer)->{status}, 0, '-o FILE');
is(@partial, 0, '-o: whoever reads it sees all of a text');
is(keys %refreshes, 30, '... of each refresh');
opendir my $handle, "$dir/textfile" or die $!;
is(join(' ', grep { !/^\.\.?$/ } readdir $handle), 'countertop.prom', '... and there is no other file');
is((stat $path)[2] & 0777, 0666 & ~umask, '... that others may read, as the umask says');
my $before = slurp($path);
$run = run('sh', '-c', "ulimit -f 1; exec countertop -b --format openmetrics -n 1 -d 0.05 -o $path");
is($run->{status}, 1, '... where there is no room for it that is a failure');
like($run->{err}, qr/^countertop: cannot write '\Q$path\E': File too large\n\z/, '... told');
is(slurp($path), $before, '... and the file is as it was');
symlink $path, "$dir/link";
countertop(qw(-b --format openmetrics -n 1 -d 0.05 -o), "$dir/link", @software);
ok(-l "$dir/link", 'a symbolic link stays one');

# The server.
my ($server, $url);
sub serving {
    my @options = @_;
    my ($program, $served) = serve('countertop', @options);
    my ($at) = ($served // '') =~ m{^(http://\S+/metrics)\z};
    ok($at, "@options: it says where it serves") or diag $served;
    return ($program, $at);
}
# Seconds that an answer may take: much more than it ever does.
my $patience = 100;
my $http = HTTP::Tiny->new(timeout => $patience);

# True as soon as the condition is, false when the time is over.
sub await {
    my ($condition) = @_;
    my $end = time + $patience;
    until ($condition->()) {
        return 0 if time > $end;
        select undef, undef, undef, 0.05;
    }
    return 1;
}

my $accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';

# The text when it has an interval, which the first may not.
sub scrape {
    my @request = ($url, @_);
    my $answer;
    await(sub { $answer = $http->get(@request); $answer->{content} ne "# EOF\n" });
    return $answer;
}

($server, $url) = serving(qw(-b --listen 0 -d 0.1), @software);
like($url, qr{^http://127\.0\.0\.1:\d+/metrics$}, '... this machine alone');
my $answer = scrape();
is("$answer->{status} $answer->{headers}{'content-type'}",
    '200 text/plain; version=0.0.4; charset=utf-8', 'GET: plain text');
lint($answer->{content}, 'served');
$answer = scrape({headers => {Accept => $accept}});
is("$answer->{status} $answer->{headers}{'content-type'}",
    '200 application/openmetrics-text; version=1.0.0; charset=utf-8', 'who asks for it gets OpenMetrics 1.0');
my ($strict) = eval { parse($answer->{content}, 1) };
is($@, '', '... which is sound');
ok(exists $strict->{countertop_page_faults_total}, '... with the same counters');
is($http->head($url)->{headers}{'content-length'} > 1000, 1, 'HEAD has the length');
is($http->head($url)->{content} // '', '', '... and no text');
is($http->get("$url?x=1")->{status}, 200, 'a query is passed over');
is($http->get($_)->{status}, 404, "$_: not found")
    for "${url}x", "$url/", $url =~ s{/metrics}{/}r, $url =~ s{/metrics}{/../metrics}r;
for my $method (qw(POST PUT DELETE OPTIONS)) {
    $answer = $http->request($method, $url, {content => 'x' x 100_000});
    is("$answer->{status} $answer->{headers}{allow}", '405 GET, HEAD', "$method is refused");
}
my ($port) = $url =~ /:(\d+)\//;
# More connections than it takes, that say nothing, or nonsense.
my @idle = map { IO::Socket::INET->new("127.0.0.1:$port") } 1 .. 48;
print {$_} "GET /metrics HTTP/1.1\r\nX-Y: " . 'z' x 40_000 for grep { $_ } @idle[0 .. 7];
close $_ for grep { $_ } @idle;
my $refresh = sub { (parse(scrape()->{content}))[0]{countertop_refreshes_total}{''} };
my $first = $refresh->();
is(scrape()->{status}, 200, 'it survives those that hang on');
ok(await(sub { $refresh->() > $first }), '... and goes on counting');
$run = countertop('-b', '--listen', $port, '-n', 1);
is($run->{status}, 1, 'a port in use is a failure');
is($run->{err}, "countertop: cannot listen at '127.0.0.1:$port': Address already in use; give another port\n",
    '... told');
my $stopped = stop($server);
is("$stopped->{out}$stopped->{status}", 0, 'without --format it writes nothing, and ends well');
($server, $url) = serving(qw(-b --listen :0 -d 0.1 --format json -n 2), @software);
my @written = json_lines(finish($server)->{out});
is(@written, 3, 'with --format it does both');
SKIP: {
    skip 'no IPv6 here', 3 if !-e '/proc/net/if_inet6' || `cat /proc/net/if_inet6` !~ /\blo$/m;
    ($server, $url) = serving('-b', '--listen', '[::1]:0', '-d', 0.1);
    like($url, qr{^http://\[::1\]:\d+/metrics$}, 'IPv6');
    is(scrape()->{status}, 200, '... is served');
    stop($server);
}

# A command of one's own: its counters grow while it runs.
($server, $url) = serving(qw(-b --listen 0 -d 0.1), @software, '--', 'sleep', 30);
is(scrape()->{status}, 200, 'a command is served while it runs');
is(stop($server)->{status}, 143, '... whose status is the end');

# Prometheus itself.
sub free_port {
    return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
}
($server, $url) = serving(qw(-b --listen 0 -d 0.2), @software);
my ($target) = $url =~ m{//(.+)/};
open my $config, '>', "$dir/prometheus.yml" or die $!;
print $config "global: {scrape_interval: 1s}\nscrape_configs:\n",
    "  - {job_name: countertop, static_configs: [{targets: ['$target']}]}\n";
close $config;
my $own = '127.0.0.1:' . free_port();
my $prometheus = start('sh', '-c', "exec prometheus --config.file=$dir/prometheus.yml " .
    "--storage.tsdb.path=$dir/data --web.listen-address=$own >$dir/prometheus.log 2>&1");
sub query {
    my $answer = $http->get("http://$own/api/v1/query?" . $http->www_form_urlencode({query => $_[0]}));
    return $answer->{status} == 200 ? @{(json_lines($answer->{content}))[0]{data}{result}} : ();
}
my @ratio;
await(sub {
    @ratio = query('sum(rate(countertop_context_switches_total[10s])) / sum(rate(countertop_busy_seconds_total[10s]))');
    return @ratio && $ratio[0]{value}[1] > 0; # NaN: both texts were of the same refresh
});
is(@ratio, 1, 'Prometheus answers a query for a ratio');
cmp_ok($ratio[0]{value}[1] // -1, '>', 0, '... with a number');
my @up = query('up');
is($up[0]{value}[1], 1, '... its target is up');
my @balance = query('sum(countertop_tasks_context_switches_total) - sum(countertop_context_switches_total)');
is($balance[0]{value}[1], 0, '... and sums balance there');
my ($kept) = query('countertop_info');
is($kept->{metric}{engine}, 'cpu', '... the machine is there');
stop($prometheus);
stop($server);
stop($_) for @busy;
done_testing;

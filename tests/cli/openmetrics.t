#!/usr/bin/env perl
# Counters for Prometheus: both forms of the text, counters that never decrease and whose sums
# balance, the output file that is replaced, and the server.
use Countertop;
use HTTP::Tiny;
use IO::Socket::INET;
use List::Util 'sum0';
use Script;

my $dir = tempdir(CLEANUP => 1);
my $patience = 100; # seconds that an answer may take: much more than it ever does
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
            die "type of $family: $type\n" if $type !~ ($strict ? qr/^(counter|gauge|info|histogram)$/ : qr/^(counter|gauge|histogram)$/);
            $types{$family} = $type;
        } elsif (/^# UNIT (\w+) (\w+)$/) {
            die "unit of $1: $2\n" if !$strict || $1 ne $family || substr($1, -1 - length $2) ne "_$2";
        } elsif (/^# HELP (\w+) \S/) {
            die "help of $1 in $family\n" if $1 ne $family;
        } elsif (/^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\["\\n])*",?)*)\})? (\d[\d.e+-]*)$/) {
            my ($name, $labels, $value) = ($1, $2 // '', $3);
            $labels =~ s/,$//;
            my $suffix = !$strict ? '' : $type eq 'counter' ? '_total' : $type eq 'info' ? '_info' : '';
            $suffix = $name =~ /(_(?:bucket|count|sum))$/ ? $1 : '_' if $type eq 'histogram';
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

# The sums of an event: what CPUs counted; all labels and what was retired.
sub balance {
    my ($samples, $event, $metric) = @_;
    return [sum0(values %{$samples->{"countertop_${metric}_total"}}),
        sum0(values %{$samples->{"countertop_tasks_${metric}_total"}},
            $samples->{countertop_retired_total}{qq(event="$event")})];
}

# Three commands, of which one ends; a counter in seconds, and an event that cannot be counted.
my @machine = ('refuse cycles unsupported no%20counters', 'task 101 name=om_spin', 'task 102 name=om_nap cpu=1 cgroup=/work',
    'task 103 name=om_rest uid=65534');
my @interval = ('run 101 oncpu=0.5 cpu-clock=500000000 context-switches=3 page-faults=2',
    'run 102 oncpu=0.25 cpu-clock=250000000 context-switches=100 page-faults=1', 'run 103 oncpu=0.125 context-switches=7',
    'idle 1 context-switches=4', 'unattributed 0 page-faults=5');

# A text of one interval.
sub text {
    my $script = Script->new(@machine);
    $script->next(@interval);
    my $run = $script->run(qw(-b -n 1 --format openmetrics), @software, @_);
    is("$run->{status}$run->{err}", 0, "@_");
    my ($samples, $types) = eval { parse($run->{out}) };
    is($@, '', '... its form is sound');
    return $samples;
}

my $samples = text(qw(-e cycles -e cpu-clock));
is_deeply($samples->{countertop_page_faults_total}, {'cpu="0"' => 7, 'cpu="1"' => 1}, 'each CPU has its counter');
my ($info) = keys %{$samples->{countertop_info}};
like($info, qr/^version="[\d.]+",host="[^"]+",kernel="[^"]+",cpu_model="[^"]*",engine="cpu",mode="all"$/,
    'the machine');
my @infos = sort keys %{$samples->{countertop_event_info}};
is(@infos, 5, 'each event is told of');
like("@infos", qr/event="cpu-clock",state="counted",pmu="software",metric="countertop_cpu_clock_seconds_total"/,
    '... with its metric');
like("@infos", qr/event="cycles",state="unsupported",[^ ]*reason="no counters"/, 'what is not counted has a reason');
ok(!exists $samples->{countertop_cycles_total}, '... and no counter');
is_deeply($samples->{countertop_cpu_clock_seconds_total}, {'cpu="0"' => 0.5, 'cpu="1"' => 0.25}, 'clocks are in seconds');
is($samples->{countertop_interval_seconds}{''}, 1, '... of the interval');
is($samples->{countertop_tasks_busy_seconds_total}{'kind="task",command="om_spin"'}, 0.5, 'a command by its name');
is_deeply(balance($samples, 'page-faults', 'page_faults'), [8, 8], 'tasks, idle and unattributed are the sum of the CPUs');

# Events may have any name, also one of countertop's own metrics.
$samples = text(qw(-e cpu_kernel=cpu-clock -e pressure=task-clock));
ok(exists $samples->{$_}, "any name for an event: $_")
    for qw(countertop_event_cpu_kernel_seconds_total countertop_cpu_kernel_seconds_total);

# A run: no counter falls, each refresh balances; a command that ended keeps what it had.
my $script = Script->new(@machine);
$script->next($_ > 5 ? @interval[1 .. $#interval] : @interval, $_ == 5 ? 'exit 101' : ()) for 1 .. 12;
my @texts = $script->run(qw(-b --format openmetrics -n 12), @software)->{out} =~ /(.*?^# EOF\n)/gms;
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
    $gone = $now->{countertop_tasks_busy_seconds_total}{'kind="task",command="om_spin"'};
}
is("@fell", '', 'no counter falls, and none is gone');
is("@unbalanced", '', 'tasks, idle and unattributed are the sum of the CPUs');
is($gone, 2.5, 'a command that ended keeps its counter');

# Few names: the others are one, and nothing is lost.
$samples = text(qw(--label-sets 1));
is_deeply($samples->{countertop_tasks_context_switches_total},
    {'kind="task",command="om_spin"' => 3, 'kind="other"' => 107, 'kind="idle"' => 4, 'kind="unattributed"' => 0},
    '--label-sets: that many names, the others are one');
is_deeply(balance($samples, 'context-switches', 'context_switches'), [114, 114], '... and sums balance');

my $nobody = getpwuid 65534;
$samples = text(qw(--view users));
is($samples->{countertop_tasks_context_switches_total}{"kind=\"task\",user=\"$nobody\""}, 7, '--view users: by user');
$samples = text(qw(--view cgroups));
is($samples->{countertop_tasks_context_switches_total}{'kind="task",cgroup="/work"'}, 100, '--view cgroups: by cgroup');

# The file: readers see one text or the next, whole; nothing else is left in its directory.
mkdir "$dir/textfile";
my $path = "$dir/textfile/countertop.prom";
$script = Script->new(@machine);
my $writer = start($script->words(qw(-b --format openmetrics -o), $path, @software));
my (%refreshes, @partial);
for my $number (1 .. 30) {
    $script->next(@interval);
    await(sub {
        open my $file, '<', $path or return 0;
        my $read = do { local $/; readline $file };
        $refreshes{$1} = 1 if $read =~ /^countertop_refreshes_total (\d+)$/m;
        push @partial, $read if $read !~ /^# TYPE.*\n# EOF\n\z/s;
        return $refreshes{$number};
    });
}
is(stop($writer)->{status}, 0, '-o FILE');
is(@partial, 0, '-o: whoever reads it sees all of a text');
is(keys %refreshes, 30, '... of each refresh');
opendir my $handle, "$dir/textfile" or die $!;
is(join(' ', grep { !/^\.\.?$/ } readdir $handle), 'countertop.prom', '... and there is no other file');
is((stat $path)[2] & 0777, 0666 & ~umask, '... that others may read, as the umask says');
my $before = slurp($path);
my $run = run('sh', '-c', "ulimit -f 1; exec countertop -b --format openmetrics -n 1 -d 0.05 -o $path");
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
# The dashboard and the rules for many machines ask for names as they are here: those of a processor's events and of
# waits are there only where they are counted.
my @panels = grep { $_->{type} eq 'timeseries' } @{Cpanel::JSON::XS::decode_json(run('countertop', '--dashboard')->{out})->{panels}};
cmp_ok(scalar @panels, '>', 10, '--dashboard: panels');
my %taken;
for my $panel (@panels) {
    my ($x, $y, $w, $h) = @{$panel->{gridPos}}{qw(x y w h)};
    $taken{"$_,$y"}++ for $x .. $x + $w - 1;
}
is_deeply([grep { $taken{$_} > 1 || /^(\d+)/ && $1 > 23 } sort keys %taken], [], '... each in its place');
my $rules = run('countertop', '--rules')->{out};
is(scalar(() = $rules =~ /^ +expr: '.*'$/mg), scalar(() = $rules =~ /^ +- (?:alert|record): \S+$/mg), '--rules: each has an expression');
done_testing;

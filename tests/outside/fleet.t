#!/usr/bin/env perl
# Many machines: twenty countertops, each of which watches a job, one real Prometheus, the rules of
# --rules and the expressions of --dashboard, and PromQL that finds the job that is odd.
use Countertop;
use Cpanel::JSON::XS ();
use List::Util 'uniq';
use Prometheus;
use Time::HiRes qw(sleep time);

my $dashboard = run('countertop', '--dashboard')->{out};
my $rules = run('countertop', '--rules')->{out};
my @panels = grep { $_->{type} eq 'timeseries' } @{Cpanel::JSON::XS->new->decode($dashboard)->{panels}};
my @expressions = map { $_->{targets}[0]{expr} } @panels;
s/\$__rate_interval/10s/g, s/\$instance/.*/g, s/\$by/command/g for @expressions;

plan skip_all => "'prometheus' is not here (make test-deps)" if !have_prometheus();
my $dir = tempdir(CLEANUP => 1);
open my $file, '>', "$dir/rules.yml" or die $!;
print $file $rules;
close $file;
my $checked = run('promtool', 'check', 'rules', "$dir/rules.yml");
is($checked->{status}, 0, '--rules: promtool takes them') or diag @$checked{qw(out err)};

# The first one looks at the machine, the others at jobs that wake ten times a second, but one.
my ($count, $odd) = (20, 13);
my @jobs = map {
    start($^X, '-e', '($| , $0, my $rate) = (1, "fleetjob", @ARGV); print "ready\n"; select undef, undef, undef, 1 / $rate while 1', $_ == $odd ? 200 : 10);
} 1 .. $count - 1;
next_line($_) for @jobs;
delete $_->{out} for @jobs;
my (@servers, @targets);
for my $i (0 .. $count - 1) {
    my ($server, $url) = serve(qw(countertop -b --listen 0 -d 1), $i ? (qw(-s software -p), $jobs[$i - 1]{pid})
        : ('-e', 'context-switches,page-faults,wait-time'));
    push @servers, $server;
    push @targets, target($url);
}
my $prometheus = prometheus($dir, \@targets, "$dir/rules.yml");

my $end = time + 60;
sleep 0.2 until value('count(count_over_time(countertop_info[1m]) >= 4)') == $count || time > $end;
is(value('count(countertop_info)'), $count, 'all machines are there') or diag join ', ', map { $_->{metric}{instance} } query('up == 0');

# The first machine sees all the jobs.
my $switches = 'sum by (instance) (rate(countertop_tasks_context_switches_total{kind="task",command="fleetjob",' .
    "instance!=\"$targets[0]\"}[30s]))";
$end = time + 60;
sleep 0.2 until value("count($switches > 0)") == $count - 1 || time > $end;
my ($found) = query("topk(1, $switches)");
is($found->{metric}{instance}, $targets[$odd], 'PromQL finds the odd machine') or diag explain query($switches);
cmp_ok(value("max($switches) / quantile(0.5, $switches)"), '>', 3, '... which is far from the others');

# What the dashboard asks for has data, where this machine counts it.
my %here = map { $_->{metric}{__name__} => 1 } query('{__name__=~"countertop_.*"}');
my %unknown;
for my $expression (@expressions, $rules =~ /expr: '(.*)'/g) {
    my @missing = grep { !$here{$_} } $expression =~ /\b(countertop_\w+)/g;
    next if $expression =~ /instance:|> 0$|> 30/;
    $unknown{$_} = 1 for @missing;
    next if @missing;
    my @results = query($expression =~ s/\[5m\]/[10s]/gr);
    cmp_ok(scalar @results, '>', 0, "it has data: $expression");
}
my @events = uniq map { s/^countertop_(?:tasks_)?|_total$//gr } sort keys %unknown;
is("@events", 'cache_misses cycles instructions', '... and lacks data only for want of hardware counters');
my $known = run('countertop', '--list-events')->{out};
like($known, qr/^  (?:yes|no ) +$_\b/m, "... '$_' is an event") for map { tr/_/-/r } @events;
cmp_ok(value('instance:countertop_busy_cpus:rate5m'), '>', 0, 'rules are evaluated');
is_deeply([map { $_->{metric}{alertname} } query('ALERTS{alertstate="firing"}')], [], '... and none of the alerts fires');

is(join(' ', uniq map { stop($_)->{status} } @servers), '0', 'all end well');
done_testing;

#!/usr/bin/env perl
# Counters for Prometheus, by its own programs: promtool has nothing to say of the text, and a server
# scrapes it.
use Countertop;
use HTTP::Tiny;
use IO::Socket::INET;

my $dir = tempdir(CLEANUP => 1);
my @software = qw(-s software);
my $http = HTTP::Tiny->new(timeout => 100);

# True as soon as the condition is, false when the time is over.
sub await {
    my ($condition) = @_;
    my $end = time + 100;
    until ($condition->()) {
        return 0 if time > $end;
        select undef, undef, undef, 0.05;
    }
    return 1;
}

sub lint {
    my ($text, $name) = @_;
    open my $file, '>', "$dir/lint" or die $!;
    print $file $text;
    close $file;
    my $run = run('sh', '-c', "promtool check metrics <$dir/lint");
    is("$run->{status}$run->{out}$run->{err}", '0', "$name: promtool has nothing to say");
}

lint(countertop(qw(-b -n 1 -d 0.3 --format openmetrics -e cycles -e cpu-clock), @software)->{out}, 'text');

# Prometheus itself.
sub free_port {
    return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
}
my ($server, $served) = serve(qw(countertop -b --listen 0 -d 0.2), @software);
my ($url, $target) = ($served // '') =~ m{^(http://(\S+)/metrics)\z} or die "it serves nowhere\n";
await(sub { $http->get($url)->{content} ne "# EOF\n" });
lint($http->get($url)->{content}, 'served');
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
done_testing;

# A real Prometheus that asks every second, and what PromQL says of what it got.
package Prometheus;
use strict;
use warnings;
use Countertop;
use Exporter 'import';
use HTTP::Tiny;
use IO::Socket::INET;
use Time::HiRes 'time';
our @EXPORT = qw(have_prometheus target prometheus query value);

my $http = HTTP::Tiny->new(timeout => 60);
my $own;

sub have_prometheus {
    return !run(qw(sh -c), 'command -v prometheus')->{status};
}

# Its name for what serve() returned.
sub target {
    my ($url) = @_;
    return ($url // '') =~ m{^http://(.*)/metrics\z} ? $1 : die 'no server';
}

# In that folder, for these addresses, with these files of rules.
sub prometheus {
    my ($dir, $targets, @rules) = @_;
    open my $config, '>', "$dir/prometheus.yml" or die $!;
    print $config "global: {scrape_interval: 1s, evaluation_interval: 1s}\n",
        'rule_files: [', join(', ', @rules), "]\nscrape_configs:\n",
        '  - {job_name: countertop, static_configs: [{targets: [', join(', ', map { "'$_'" } @$targets), "]}]}\n";
    close $config;
    $own = '127.0.0.1:' . IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
    return start('sh', '-c', "exec prometheus --config.file=$dir/prometheus.yml " .
        "--storage.tsdb.path=$dir/data --web.listen-address=$own >$dir/prometheus.log 2>&1");
}

# What PromQL says of a moment.
sub query {
    my ($text, $time) = @_;
    my $answer = $http->get("http://$own/api/v1/query?" .
        $http->www_form_urlencode({query => $text, time => $time // time}));
    return $answer->{status} == 200 ? @{(json_lines($answer->{content}))[0]{data}{result}} : ();
}
sub value {
    my ($result) = query(@_);
    return $result ? $result->{value}[1] : 0;
}

1;

#!/usr/bin/env perl
# A real Prometheus asks every second, for 500 commands: every scrape succeeds and has every series.
# SCRAPE_SECONDS=300 does so for five minutes.
use Countertop;
use List::Util qw(max min);
use Prometheus;
use Time::HiRes qw(sleep time);

my ($count, $seconds) = (500, $ENV{SCRAPE_SECONDS} // 12);
plan skip_all => "'prometheus' is not here (make test-deps)" if !have_prometheus();
my $dir = tempdir(CLEANUP => 1);

# Commands, each of which runs a little, several times in a second.
my $name = "sc$$";
my $crowd = start($^X, '-e', <<'END', $name, $count);
my ($name, $count) = @ARGV;
for my $i (1 .. $count) {
    next if fork // die "fork: $!";
    $0 = sprintf '%s_%03d', $name, $i;
    select undef, undef, undef, 0.3 while 1;
}
$| = 1;
print "ready\n";
sleep 1 while 1;
END
next_line($crowd);

my ($server, $url) = serve(qw(countertop -b --listen 0 -d 1 -s software --label-sets), $count, '-f', $name);
my $prometheus = prometheus($dir, [target($url)]);

my $series = qq(countertop_tasks_busy_seconds_total{kind="task",command=~"${name}_.*"});
my $end = time + 60;
sleep 0.2 until value("count($series)") == $count || time > $end;
is(value("count($series)"), $count, "$count commands have their series") or done_testing, exit;
sleep $seconds;
my ($now, $span) = (time, $seconds . 's');

# What it began to ask before, it has stored once it has a later one.
my $stored = time + 60;
sleep 0.2 until value('timestamp(up)') > $now || time > $stored;
# Prometheus may be late on a busy machine; what it asked was answered.
my ($up) = query("up[$span]", $now);
my @asked = map { $_->[0] } @{$up->{values}};
cmp_ok(scalar @asked, '>=', 0.5 * $seconds, 'Prometheus asked each second');
is(join(' ', map { $_->[0] } grep { $_->[1] ne '1' } @{$up->{values}}), '', 'each scrape succeeded');
my ($refreshes) = query("countertop_refreshes_total[$span]", $now);
is_deeply([map { $_->[0] } @{$refreshes->{values}}], \@asked, '... and has an interval');
my @counts = map { $_->{value}[1] } query("count_over_time(${series}[$span])", $now);
is("@counts[0, -1] " . @counts, @asked . ' ' . @asked . " $count", '... and no series has a gap')
    if is(min(@counts), max(@counts), 'all series are equally long');
is(value("sum(resets({job=\"countertop\",__name__=~\".*_total\"}[$span]))", $now), 0, 'no counter begins again');
my $took = value("max_over_time(scrape_duration_seconds[$span])", $now);
cmp_ok($took, '<', 5, 'the longest scrape took ' . 1000 * $took . ' ms');
note sprintf '%d scrapes, %d samples each, the longest took %.1f ms', scalar @asked,
    value('scrape_samples_scraped', $now), 1000 * $took;
is(stop($server)->{status}, 0, 'it ends well');
done_testing;

#!/usr/bin/env perl
# The screen of waits in all formats, on rings that were recorded once (rings.t has the numbers), and
# what is said where waits are not known.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use Rings;
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my $shared = rings('shared');
my @watched = (qw(-s waits -n 2 -d 0.094 -p), 'spin');
my ($file, $debug) = ("$dir/waits.db", "$dir/debug");

my $text = run(played($shared), '-b', @watched, '--record', $file)->{out};
like($text, qr/^ *PID USER +S +%CPU +%RUN +%WAIT +%BLOCK WAITING us\/wakeup preempt\/s yield\/s us\/wakemax us\/slice WAITS FOR +COMMAND/m, 'text: the columns');
sub cells {
    return [$_[0] =~ /^ *\d+ \S+ +[SR-] +([\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+) .* spin$/mg];
}
my $cells = cells($text);
is(scalar @$cells, 8, '... and the numbers of four in two refreshes') or diag $text;
is_deeply(cells(countertop('-b', qw(-s waits --replay), $file)->{out}), $cells, 'a replay shows the same');
for my $view (qw(commands users)) {
    my $table = run(played($shared), '-b', @watched, '--view', $view)->{out};
    like($table, qr/^ *4 +\d+\.\d +2\d\.\d +7\d\.\d +0\.0 .*(?:spin|root)$/m, "--view $view: of four") or diag $table;
}
like((split /\n/, run(played($shared), qw(-b --format csv), @watched)->{out})[0], qr/,wait-time,block-time,preemptions,/, 'CSV: the counts');
like(run(played($shared), qw(-b --format openmetrics), @watched)->{out}, qr/^countertop_tasks_wait_time_\w*total\{.*spin.*\} (?!0$)\d/m,
    'OpenMetrics: seconds of a name');
my ($cpu) = @{(play($shared, qw(-s waits --view cpus -n 2 -d 0.094)))[2]{cpus}};
is($cpu->{metrics}{block_pct}, undef, 'nobody sleeps on a CPU');

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

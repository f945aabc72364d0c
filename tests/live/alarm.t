#!/usr/bin/env perl
# A burst of a known cause in noise: one alarm, whose recording has the seconds before it, and the functions
# of the burst within what chance allows.
use strict;
use warnings;
use Countertop;
use File::Copy 'copy';
use File::Temp 'tempdir';
use List::Util 'sum0';
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my $name = "cause$$";
copy("$ENV{B}/work/shares", "$dir/$name") or die $!;
chmod 0755, "$dir/$name";

my ($before, $for) = (60, 2);
my @noise = (start('spin', '-r'), start('births', 1_000_000), start('pingpong', '-t', '-p', 1000, 1_000_000_000));
my $armed = start('sh', '-c', "exec \"\$@\" 2>$dir/told", 'sh', qw(countertop -b -s software -d 0.5 --sample cpu-clock/499 --before), $before,
    '--after', 3, '--record-dir', $dir, '--record', "$dir/all.db", '--exec', "echo >>$dir/done", '--when',
    "command = $name and cpu > 5 for ${for}s");
for my $intervals (60, 2 * $before + 10) {
    ok(wait_for(sub { -e "$dir/all.db" && (run('sqlite3', "$dir/all.db", 'SELECT count(*) FROM intervals')->{out} || 0) >= $intervals }),
        "$intervals intervals of noise");
}
is(slurp("$dir/told"), '', '... is no alarm');
my $cause = start("$dir/$name", 'cycles');
ok(wait_for(sub { -s "$dir/done" }), 'the burst is one');
stop($_) for $cause, $armed, @noise;
is(slurp("$dir/told") =~ tr/\n//, 1, '... and only one');
my ($file) = glob "$dir/alarm-*.db";

my ($header, @refreshes) = refreshes('--replay', $file, '--view', 'functions');
my ($moment) = grep { abs($refreshes[$_]{time} - $header->{alarm}{time}) < 0.002 } 0 .. $#refreshes;
is($header->{alarm}{pid}, $cause->{pid}, 'its recording says of whom');
my ($began) = split ' ', run('sqlite3', $file, "SELECT min(interval) - (SELECT min(id) FROM intervals) FROM task_counts WHERE comm = '$name'")->{out};
cmp_ok(sum0(map { $_->{interval} } @refreshes[0 .. $began - 1]), '>=', $before - 0.6, '... and has the seconds before the burst, but for an interval');
cmp_ok(sum0(map { $_->{interval} } @refreshes[$began .. $moment]), '>=', $for - 0.001, '... and those until it was told');
my %samples;
for my $row (map { @{$_->{functions} // []} } @refreshes) {
    $samples{$1} += $row->{samples} if $row->{function} =~ /^cycles_(seventy|twenty|ten)$/;
}
my $all = sum0 values %samples;
cmp_ok($all, '>', 50, 'functions of the burst are there');
my %part = (seventy => 0.7, twenty => 0.2, ten => 0.1);
for my $part (sort keys %part) { # three standard deviations
    my $error = 3 * sqrt($part{$part} * (1 - $part{$part}) / ($all || 1));
    cmp_ok(abs(($samples{$part} // 0) / ($all || 1) - $part{$part}), '<=', $error, "... $part is $part{$part}, by chance $error off");
}

done_testing;

#!/usr/bin/env perl
# --demo NAME: a workload runs in the normal terminal, with a panel below the table that has what it
# should count beside what is counted; keys change it, and it ends with the program.
use Countertop;
use Screen;

my ($page) = json_lines(countertop(qw(--check --format json))->{out});
my $hardware = $page->{result} eq 'hardware';

sub demo {
    my ($name, $width, $height, @more) = @_;
    return Screen->countertop($width, $height, qw(--no-config -d 0.3 --demo), $name, @more);
}

# The pid of the workload, as its row has it.
sub worker {
    my ($screen, $name) = @_;
    my $pid;
    $screen->wait(sub { ($pid) = $_[0] =~ /^ *(\d+) .* $name$/m });
    return $pid;
}

sub gone {
    my ($pid) = @_;
    return wait_for(sub { !-e "/proc/$pid" });
}

# ---- what can be counted everywhere ----

my $screen = demo('faults', 80, 24);
ok($screen->wait(qr/^faults: page faults: memory comes when it is touched *$/m), 'the workload and what it teaches');
like($screen->text, qr/^Asks for memory, writes a byte .*\n.*first touch: that is a page fault, and no other is\.$/m,
    '... what it does');
like($screen->text, qr/^formula: page-faults = turns$/m, '... the formula');
ok($screen->wait(qr/^in this interval +expected +measured +difference$/m), '... a table');
# Beside others an interval can be short, and the part of some turns in it is then not small.
ok($screen->wait(sub {
    my ($expected, $measured) = $_[0] =~ /^page-faults +(\d+) +(\d+) +[+-]\d+\.\d\d %$/m or return 0;
    return $expected > 1000 && abs($measured / $expected - 1) < 0.05;
}), 'expected and measured are the same, but for the turns that go on') or diag $screen->text;
like($screen->text, qr/^a turn takes \d+\.\d\d [nu]s/m, '... how long a turn takes');
like($screen->text, qr/^try: e major-faults/m, '... and what to try');
like($screen->text, qr/^ *PID .*faults\/s.*COMMAND(?: +>)?$/m, 'the table is above it');
my $pid = worker($screen, 'faults');
$screen->type("'");
ok($screen->wait(qr/threads 2 \(' more, " less\)$/m), 'one more thread');
ok(wait_for(sub { 2 == (() = glob "/proc/$pid/task/*") }), '... is there');
$screen->type('"');
ok(wait_for(sub { 1 == (() = glob "/proc/$pid/task/*") }), '... and gone again');
$screen->type('"');
ok($screen->wait(qr/^this is the least$/m), '... but for the last one');
$screen->type('B');
ok($screen->wait(qr/^this workload has nothing of the kind to change$/m), 'there is nothing else to change');
$screen->key('H');
ok($screen->wait(qr/^ *PID +TID /m), 'keys of the table do what they always do');
$screen->key(',');
ok($screen->wait(qr/^an interval of the past: \$ goes back to now$/m), 'the panel says that it has no past');
$screen->key('$');
ok($screen->wait(qr/^in this interval/m), '... and is back with the present');
$screen->key('F1');
ok($screen->wait(sub { $_[0] !~ /^formula:/m }), 'the help has all of the screen');
$screen->key('q');
ok($screen->wait(qr/^formula:/m), '... then the panel is back');

# Every size.
for ([60, 12], [20, 5], [200, 50]) {
    my ($width, $height) = @$_;
    $screen->resize($width, $height);
    ok($screen->wait(qr/^ *$pid /m), "${width}x$height has the row");
    my $panel = substr 'faults: page faults: memory comes', 0, $width;
    ok($screen->wait(qr/^\Q$panel\E/m), '... and the panel') if $height > 8;
}
$screen->key('q');
ok(gone($pid), 'q ends the workload');
$screen->close;

# Each of these has all of its panel.
for my $name (qw(alias4k-not stream)) {
    my ($listed) = grep { $_->{name} eq $name } json_lines(countertop(qw(--demo list --format json))->{out});
    $screen = demo($name, 80, 24);
    ok($screen->wait(sub {
        my @missing = grep { $_[0] !~ $_ } qr/^$name: \Q$listed->{teaches}\E *$/m, qr/^formula: \S/m,
            qr/^in this interval +expected +measured +difference$/m, qr/^a turn takes \d/m, qr/^change: \S/m, qr/^try: \S/m;
        return !@missing;
    }), "$name: its panel at 80x24") or diag $screen->text;
    $screen->close;
}

# ---- what needs counters ----

$screen = demo('branch-random', 80, 24);
ok($screen->wait(qr/^misses\/turn +0\.500 /m), 'half of the random branches are to be missed');
SKIP: {
    skip 'there are counters', 1 if $hardware;
    ok($screen->wait(qr/^misses\/turn +0\.500 +-$/m), '... what is not counted is no number');
    ok($screen->wait(qr/^not measured: no hardware counters /m), '... with the reason');
}
$screen->type('D');
ok($screen->wait(qr/^change: random branches 90 % \(B more, D less\), threads 1 /m), 'fewer random branches');
ok($screen->wait(qr/^misses\/turn +0\.450 /m), '... then fewer are to be missed');
$pid = worker($screen, 'branch-random');
my ($parent) = slurp_or_empty("/proc/$pid/status") =~ /^PPid:\s+(\d+)/m;
kill KILL => $parent;
ok(gone($pid), 'it ends with the program, however that ends');
$screen->close;

done_testing;

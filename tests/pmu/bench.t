#!/usr/bin/env perl
# The parts of make bench that use the emulated machine. make bench fetches tiptop: then its rows
# have figures, otherwise they are left out with the reason.
use Countertop;

guest('true'); # skips all where there is no such machine
my $run = run("$ENV{TOP}/tests/bench/run", '--quick', qw(testbed attach));
is("$run->{err}$run->{status}", 0, 'it ends well and says nothing');
my $number = qr/ +[\d.]+/;
my $tiptop = -x "$ENV{TOP}/build-arm64/tiptop/tiptop";
my $ratio = $tiptop ? $number : qr/ +-/;

sub shows {
    my ($name, @figures) = @_;
    my $figures = join '', @figures;
    like($run->{out}, qr/^\Q$name\E$figures$/m, $name);
}

shows('alone', $number, $number, $ratio, qr/ +- +-/);
for my $name ('countertop -H -s pair', 'countertop -H', 'countertop -H -s pair -p',
    'countertop -H -p') {
    # The last is the IPC of the ping-pong: it was counted.
    shows($name, $number, $number, $ratio, qr/ +[1-9]\d*/, qr/ +(?:0\.9[89]|1\.0[01])/);
}
# What waits for an alarm, and the work beside it.
shows($_, ($number) x 4) for 'countertop -b', 'countertop -b --when', 'countertop -b --when --sample';
# This machine: 3 events of each thread, and the sign that it did not run, which is one of them with -H.
my %descriptors = ('countertop -p PID -H' => 150, 'countertop -p PID' => 200);
for my $name (sort keys %descriptors) {
    shows($name, $number, qr/ +\S+/, $number, $number, qr/ +$descriptors{$name}/);
}
# Two hardware counters on each of 50 threads.
shows($_, $number, $ratio, qr/ +150/)
    for 'countertop -p PID -H -s pair', 'countertop -p PID -s pair';
for my $name ('tiptop -H', 'tiptop -H -p', 'tiptop -p PID -H', 'tiptop -p PID') {
    like($run->{out}, $tiptop ? qr/^\Q$name\E$number/m : qr/^\Q$name\E: left out, \S/m, $name);
}
done_testing;

#!/usr/bin/env perl
# The list of errors: each once, with its remedy, count and time.
use Screen;

my $spin = start_work('spin', '-r');
my $time = qr/\d\d:\d\d:\d\d/;

sub ask_for {
    my ($screen, $event) = @_;
    $screen->key('e');
    $screen->answer(qr/^Add event:/m, $event);
    $screen->wait(qr/'\Q$event\E'/);
    $screen->key('Escape');
    $screen->wait(sub { $_[0] !~ /^Add event/m });
}

my $screen = Screen->countertop(80, 24, '-p', $spin, '-d', 0.3, '-s', 'software', '--engine', 'cpu');
$screen->wait(qr/^ *$spin .*spin/m);
$screen->key('E');
# Beside load, records can be lost.
ok($screen->wait(qr/^What went wrong *\n(?:nothing so far *|.*records lost.*(?:\n.*){0,4})\n(?:Cells with - .*\n(?:- .*\n(?: .*\n)*)*)?Counting *$/m),
    'nothing at first');
$screen->key('Escape');
$screen->wait(qr/COMMAND/);

ask_for($screen, 'no-such-event');
ask_for($screen, 'bogus-event');
ask_for($screen, 'no-such-event');
$screen->key('E');
ok($screen->wait(qr/^$time +unknown event 'no-such-event'[^~]*?\(2 times since $time\)/m),
   'the same twice is told once, counted');
like($screen->text, qr/no-such-event'.*^$time +unknown event 'bogus-event'/ms,
     'the last one is the first');
like($screen->text, qr/^Events *\ncontext-switches +counted by/m, 'the events are below');
$screen->key('Escape');
$screen->wait(qr/COMMAND/);

# The row under the cursor: why it has no number.
{
    my $sleep = start_work('sleep', 600);
    my $screen = Screen->countertop(120, 40, '-p', $sleep, '-s', 'waits', '-i', '--engine', 'cpu');
    $screen->wait(qr/^ *$sleep .* - +sleep/m);
    $screen->key('E');
    ok($screen->wait(qr/^Cells with - in the first row\n- .*%BLOCK\b[^:]*: no\s+record\s+tells\s+of\s+it:\s+it\s+did\s+not\s+run/m),
        'a thread that slept has its reason');
    $screen->close;
}

# A search that finds nothing is nothing that went wrong.
$screen->key('/');
$screen->wait(qr/^Search:/m);
$screen->type('zzz');
$screen->wait(qr/no row contains 'zzz'/);
$screen->key('Escape', 'E');
$screen->wait(qr/^What went wrong/m);
unlike($screen->text, qr/zzz/, 'a miss has no match');

$screen->close;

# Events that cannot be counted, with the reason in full; more of them than the notice has room for.
$screen = Screen->countertop(100, 40, '-p', $spin, '-d', 0.3, '-s', 'software', '-e',
    'nopmu/config=1/,stillno/config=2/');
$screen->wait(qr/^ *$spin .*spin/m);
$screen->key('E');
ok($screen->wait(qr/^$time +nopmu\S+ not counted: .*^$time +\S*nopmu|^$time +\S*stillno\S* not counted: /ms),
   'events that are not counted went wrong, too');
$screen->close;

done_testing;

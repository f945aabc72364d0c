#!/usr/bin/env perl
# Details of a thread say what it waits for, what the thread does that has its lock, and in the verdict
# that threads wait for each other for ever.
use Screen;
use IPC::Open2;

my $ring = open2(my $out, my $in, 'waiter', 'ring', 3);
my @tids = map { scalar(<$out>) =~ /(\d+)/ } 1 .. 3;
my $screen = Screen->countertop(120, 40, '-i', '-H', '-d', 0.3, '-s', 'waits', '-t', $tids[0]);
ok($screen->wait(qr/ waiter *$/m), 'the thread is listed');
$screen->key('Enter');
ok($screen->wait(qr/^verdict +deadlock: 3 threads wait for each other: $tids[0], \d+, \d+/m), 'the verdict names those in a deadlock')
    or diag $screen->text;
like($screen->text, qr/^state +S, waits for: mutex waiter\+0x[0-9a-f]+, held by (\d+), which waits for: mutex waiter\+0x/m, 'what it waits for, and the holder')
    or diag $screen->text;
# One wait in all looks, whoever holds the mutex.
ok($screen->wait(qr/^waited +100 % mutex waiter\+0x[0-9a-f]+ \(([3-9]|\d\d+) looks in a minute\)/m), 'what it waited for when it was looked at')
    or diag $screen->text;
$screen->close;
kill KILL => $ring;
waitpid $ring, 0;
done_testing;

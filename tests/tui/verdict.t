#!/usr/bin/env perl
# The details of a row say in a sentence what keeps it from running, where that was counted.
use Screen;

plan skip_all => 'this kernel has no /proc/PID/schedstat' if !-e '/proc/self/schedstat';
my @spins = map { start_work('spin', '-c', 0) } 1 .. 4;
my $sleeper = start_work('sleepers', 1);
# It waits for a CPU, too, until both of its threads sleep.
sub asleep {
    my @states = map { slurp_or_empty($_) =~ /\) (\w)/ } glob "/proc/$sleeper/task/*/stat";
    return @states == 2 && "@states" eq 'S S' && slurp_or_empty("/proc/$sleeper/comm") eq "sleepers\n";
}
wait_for(\&asleep) or die 'sleepers does not sleep';

{
    my $screen = Screen->countertop(80, 24, '-i', '-d', 0.5, '-s', 'waits', '-p', join ',', @spins, $sleeper);
    ok($screen->wait(sub { Screen::pids($_[0]) == 5 }), 'five programs');
    $screen->choose($spins[0]);
    $screen->key('Enter');
    ok($screen->wait(qr/^verdict +[6-9]\d % of its life it could run but has no CPU *$/m), 'four share a CPU: each waits for it');
    $screen->key('Escape');
    $screen->wait(qr/^ *$sleeper /m);
    $screen->choose($sleeper);
    $screen->key('Enter');
    ok($screen->wait(qr/^command +sleepers 1 *$/m), 'one that sleeps');
    unlike($screen->text, qr/^verdict/m, '... has no verdict');
    $screen->key('Escape');
    $screen->close;
}
my $screen = Screen->countertop(120, 40, '-d', 0.5, '-s', 'waits', '--view', 'commands', '-p', join ',', @spins);
$screen->wait(qr/ spin *$/m);
$screen->key('Down', 'Enter');
ok($screen->wait(qr/^verdict +[6-9]\d % of its life it could run but has no CPU *$/m), 'a command has one, too');
$screen->close;
$screen = Screen->countertop(120, 40, '-d', 0.5, '-s', 'software', '-p', $spins[0]);
$screen->wait(qr/^ *$spins[0] /m);
$screen->key('Down', 'Enter');
ok($screen->wait(qr/^command +spin -c 0 *$/m), 'on a screen that does not count waiting');
unlike($screen->text, qr/^verdict/m, '... nothing is said of it');
done_testing;

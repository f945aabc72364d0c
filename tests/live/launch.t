#!/usr/bin/env perl
# What of a command's run depends on time and on what others do: when the run begins, and which engine is
# chosen for a few processes. All else: tests/cli/launch.t.
use Countertop;
use Time::HiRes 'time';

# The run begins with the command, not with what it takes to count others.
my $crowd = start('sleepers', 6000);
next_line($crowd);
my $began = time;
my (undef, $brief) = refreshes(qw(--engine task -e page-faults -p), $crowd->{pid}, '--', 'true');
cmp_ok($brief->{interval}, '<', (time - $began) / 2,
    'what was opened before is not a part of the run');
stop($crowd);

# A few processes: the one that disturbs others less, by what others switch. Beside other tests a
# ping-pong may get little of its CPU, or they switch more than it does.
chomp(my $cpus = `nproc`);
my $game = start(qw(pingpong -t -c 0 100000000000));
sub chosen {
    my ($engine, $reason, $what, @options) = @_;
    my $header;
    ok(wait_for(sub {
        ($header) = refreshes(@options, qw(-n 1 -d 0.1));
        $header->{engine} eq $engine && $header->{engine_reason} =~ $reason;
    }), $what) or diag("$header->{engine}: $header->{engine_reason}");
}
SKIP: {
    skip 'a ping-pong is too slow for so many CPUs', 2 if $cpus > 4;
    chosen('task', qr/^disturbs only what is watched: others switch \d{5,} times a second$/,
        'the task engine is for a few processes where others switch often', '-p', $$);
    chosen('cpu', qr/^costs the watched less, which make most of \d{5,} switches a second$/,
        '... but not for those who switch', '-p', $game->{pid});
}
stop($game);
chosen('cpu', qr/^costs the watched less, and others next to nothing: \d+ switches a second$/,
    'the ledger where others do not', '-p', $$);
done_testing;

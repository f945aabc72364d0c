#!/usr/bin/env perl
# A signal ends batch mode after a complete last refresh, with exit status 0.
use Countertop;

for my $signal (qw(INT TERM HUP QUIT)) {
    for my $format (qw(text json)) {
        my $watch = start(qw(countertop -b -i -d 0.05 --format), $format);
        my $out = join '', map { next_line($watch) } 1 .. 3;
        kill $signal => $watch->{pid};
        my $end = finish($watch);
        $out .= $end->{out};
        is($end->{status}, 0, "SIG$signal ends $format output well");
        like($out, qr/\n\z/, '... with a whole line');
        ok(eval { my @lines = json_lines($out); 1 }, '... and whole JSON') or diag $@
            if $format eq 'json';
    }
}

# Also when nothing is due for a long time.
my $slow = start(qw(countertop -b -d 3600));
# Its thread that counts is there.
select undef, undef, undef, 0.01 until run('grep', '-lx', 'counter', glob "/proc/$slow->{pid}/task/*/comm")->{out};
kill TERM => $slow->{pid};
is(finish($slow)->{status}, 0, 'it does not wait for the next refresh');

# Stopped and continued, it counts on.
my $watch = start(qw(countertop -b --format json -d 0.1));
next_refresh($watch) for 1 .. 2;
kill STOP => $watch->{pid};
select undef, undef, undef, 0.3;
kill CONT => $watch->{pid};
my @refreshes = map { next_refresh($watch) } 1 .. 8;
is($refreshes[-1]{seq}, $refreshes[0]{seq} + 7, 'after SIGSTOP and SIGCONT it goes on');
is(stop($watch)->{status}, 0, '... and ends well');

# What was told to go on regardless of a signal does.
my $nohup = start('sh', '-c', 'trap "" HUP; exec countertop -b --format json -d 0.1');
next_refresh($nohup) for 1 .. 2;
kill HUP => $nohup->{pid};
ok(next_refresh($nohup), 'nohup is heeded') for 1 .. 3;
stop($nohup);

done_testing;

#!/usr/bin/env perl
# The server of --listen with slow clients: others are answered in time, deadlines hold, and where
# descriptors run out it rests.
use Countertop;
use Clients;
use HTTP::Tiny;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Time::HiRes qw(sleep time);

my $ask_seconds = 10; # until the header of a request is whole

my $server = listen_to(qw(countertop -b --listen 0 -d 0.1 -s software));

# Waits until it is so; false after that many seconds, a minute where none are given.
sub await {
    my ($is_so, $seconds) = @_;
    for (my $end = time + ($seconds // 60); time < $end; sleep 0.02) {
        return 1 if $is_so->();
    }
    return 0;
}

sub cpu_seconds {
    open my $stat, '<', "/proc/$serving/stat" or die $!;
    my @fields = split ' ', <$stat> =~ s/.*\) //r;
    return ($fields[11] + $fields[12]) / 100;
}

my $listening = sockets();
is(ask(), 200, 'it answers');
ok(await(sub { sockets() <= $listening }), '... and closes the connection');

# These say a byte now and then, from now on; the others say nothing, and all stay.
my @slow = map { connection('127.0.0.2') } 1 .. 8;
my $dripped = time;
my $header = "GET /metrics HTTP/1.1\r\nX: " . 'y' x 10_000;
my $at = 0;
sub drip {
    return if $at >= 5 * (time - $dripped);
    syswrite $_, substr($header, $at, 1) for @slow;
    $at++;
}

# These do not read what they asked for, more than the kernel keeps for them.
sub ask_deaf {
    my ($from, $count) = @_;
    my @deaf = map { connection($from) } 1 .. $count;
    for (@deaf) {
        setsockopt $_, SOL_SOCKET, SO_RCVBUF, pack 'i', 1;
        syswrite $_, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" x 4000;
    }
    return @deaf;
}
my @asleep = ask_deaf('127.0.0.5', 4);

# Twice as many that dribble, and stay.
my @drip = map { connection() } 1 .. 65;
syswrite $_, 'GET /metrics HTTP/1.1' for @drip;
is(ask(), 200, 'among 65 that dribble who asks is answered');
my $kept_from = time;
my $kept = HTTP::Tiny->new(timeout => 20, keep_alive => 1, local_address => '127.0.0.3');
is($kept->get("http://127.0.0.1:$port/metrics")->{status}, 200, 'a connection that is kept');
my ($socket) = map { $_->{fh} } $kept->{handle};
push @drip, map { connection() } 1 .. 40;
is(ask(), 200, '... who asks after 40 more is answered: all of them were taken'); # in their order
ok(!closed($socket) || time - $kept_from >= $ask_seconds,
    '... that one is not what gave way to those of an address that has more');
ok(await(sub { (grep { !closed($_) } @drip) <= $places }, $ask_seconds / 2),
    'there are not more than it takes, long before a deadline');
undef $kept;
close $_ for @drip;

my @deaf = ask_deaf('127.0.0.4', 40);
is(ask(), 200, 'among 40 that ask and do not read who reads is answered');
is(ask('127.0.0.4'), 200, '... from the same address too');
close $_ for @deaf;

# The deadlines: no byte now and then makes them longer. Half-closed ones end too.
my $half = connection();
syswrite $half, 'GET /';
shutdown $half, 1;
ok(await(sub { drip(); closed($half) }), 'one that is half closed is closed');
my %closed;
ok(await(sub { drip(); $closed{$_} //= time - $dripped for grep { closed($_) } @slow; keys %closed == @slow }),
    'a header that does not become whole is not waited for');
my ($first) = sort { $a <=> $b } values %closed;
cmp_ok($first, '>=', $ask_seconds - 1, '... before its time');
ok(await(sub { sockets() <= $listening }), 'those who do not read are gone too');

is(stop($server)->{status}, 0, 'it ends well');

# Where descriptors run out it waits for some, without turning round and round.
$server = listen_to('sh', '-c', 'ulimit -Sn 16; exec countertop -b --listen 0 -d 0.1 -s software');
my @holding = map { connection() } 1 .. 16;
ok(await(sub { descriptors() == 16 }), 'it has no descriptor left');
my $waiting = connection();
print $waiting "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
my $before = cpu_seconds();
sleep 2;
cmp_ok(cpu_seconds() - $before, '<', 1, '... and rests');
is(stop($server)->{status}, 0, 'it ends well');
done_testing;

#!/usr/bin/env perl
# The server of --listen with hostile or slow clients: each request is answered, and no client's
# resources remain in use.
use strict;
use warnings;
use Countertop;
use HTTP::Tiny;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);

my $places = 32;      # connections that it takes
my $ask_seconds = 10; # until the header of a request is whole

my ($server, $url) = serve(qw(countertop -b --listen 0 -d 0.1 -s software));
my ($port) = ($url // '') =~ m{:(\d+)/metrics\z} or die 'no server';
my $serving = server_process($server);

# Waits until it is so; false after that many seconds, a minute where none are given.
sub await {
    my ($is_so, $seconds) = @_;
    for (my $end = time + ($seconds // 60); time < $end; sleep 0.02) {
        return 1 if $is_so->();
    }
    return 0;
}

# A connection, from an address of this machine.
sub connection {
    my ($from, @options) = @_;
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port,
        LocalAddr => $from // '127.0.0.1', Timeout => 20, @options) // die "connect: $!";
}

# The status of a request from an address, '' where there is no answer in time.
sub ask {
    my ($from, $text) = @_;
    my $socket = connection($from);
    local $SIG{ALRM} = sub { die "late\n" };
    alarm 20;
    my $answer = eval {
        print $socket $text // "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        local $/;
        <$socket>;
    };
    alarm 0;
    return ($answer // '') =~ m{^HTTP/1\.1 (\d+) } ? $1 : '';
}

# Whether the other side closed it: read, what is there is thrown away.
sub closed {
    my ($socket) = @_;
    $socket->blocking(0);
    my $got = sysread $socket, my $bytes, 1 << 16;
    return defined $got ? $got == 0 : !$!{EAGAIN};
}

sub descriptors {
    my @open = glob "/proc/$serving/fd/*";
    return scalar @open;
}

# Connections, and the socket that waits for them.
sub sockets {
    return scalar grep { (readlink // '') =~ /^socket:/ } glob "/proc/$serving/fd/*";
}

sub cpu_seconds {
    open my $stat, '<', "/proc/$serving/stat" or die $!;
    my @fields = split ' ', <$stat> =~ s/.*\) //r;
    return ($fields[11] + $fields[12]) / 100;
}

my $listening = sockets();
is(ask(), 200, 'it answers');
ok(await(sub { sockets() <= $listening }), '... and closes the connection');
my $quiet = descriptors();

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

# More at once than there are places, which close together: it goes on.
for my $round (1 .. 3) {
    my @many = map { connection() } 1 .. $places + 8;
    is(ask(), 200, "$round: who asks among " . @many . ' that say nothing is answered');
    close $_ for @many;
    drip();
    is(ask(), 200, '... and when they have gone');
}
ok(await(sub { drip(); descriptors() <= $quiet + @slow + @asleep }), '... nothing of them stays');

# Twice as many that dribble, and stay.
my @drip = map { connection() } 1 .. 65;
syswrite $_, 'GET /metrics HTTP/1.1' for @drip;
is(ask(), 200, 'among 65 that dribble who asks is answered');
is(ask('127.0.0.3'), 200, '... from another address too');
is(ask(undef, "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"), 405,
    '... and refused what is to be');
# The form in which a proxy sends a target: its host counts, not the header's (RFC 9112, 3.2.2).
for my $case (['http://localhost/metrics', 'elsewhere', 200], ["HTTP://127.0.0.1:$port/metrics?x=1", 'localhost', 200],
    ['http://localhost/healthz', 'localhost', 200], ['http://elsewhere/metrics', 'localhost', 421],
    ['http://localhost', 'localhost', 404], ['http://localhost/', 'localhost', 404],
    ['http://elsewhere@localhost/metrics', 'localhost', 421], ['http:///metrics', 'localhost', 421]) {
    my ($target, $host, $status) = @$case;
    is(ask(undef, "GET $target HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n"), $status, "GET $target of host $host");
}
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

# Requests that are too large, or none.
like(ask(undef, "GET /metrics HTTP/1.1\r\nX: " . 'y' x 100_000 . "\r\n\r\n"), qr/^(4\d\d|)$/, 'a header of 100 kB is refused');
like(ask(undef, 'GET /' . 'y' x 100_000 . " HTTP/1.1\r\n\r\n"), qr/^(4\d\d|)$/, '... or such an address');
like(ask(undef, "\0\xff\r\n\r\n"), qr/^(4\d\d|)$/, '... or what is no HTTP');
is(ask(), 200, '... and it goes on');

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


# What counts needs no descriptor for a page; poll(2) wants a limit of as many as it waits for.
SKIP: {
    my $limit = sub { run('prlimit', '--pid', $server->{pid}, "--nofile=$_[0]:")->{status} == 0 };
    skip 'prlimit(1) cannot set a limit here', 1 if !$limit->(8);
    is(ask(), 200, 'it answers when what counts has no descriptor left');
    $limit->(1024);
}
is(stop($server)->{status}, 0, 'it ends well');

# Where descriptors run out it waits for some, without turning round and round.
($server, $url) = serve('sh', '-c', 'ulimit -Sn 16; exec countertop -b --listen 0 -d 0.1 -s software');
($port) = ($url // '') =~ m{:(\d+)/metrics\z} or die 'no server';
$serving = server_process($server);
my @holding = map { connection() } 1 .. 16;
ok(await(sub { descriptors() == 16 }), 'it has no descriptor left');
my $waiting = connection();
print $waiting "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
my $before = cpu_seconds();
sleep 2;
cmp_ok(cpu_seconds() - $before, '<', 1, '... and rests');
$waiting->blocking(0);
is(sysread($waiting, my $bytes, 1), undef, '... who asks waits: has no answer, and no end');
close $_ for @holding;
$waiting->blocking(1);
like(scalar <$waiting>, qr/^HTTP\/1\.1 200 /, '... and is answered when there is one');
is(stop($server)->{status}, 0, 'it ends well');
done_testing;

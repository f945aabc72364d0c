#!/usr/bin/env perl
# The server of --listen with many or hostile clients: each request is answered, and no client's
# resources remain in use. Slow ones, and deadlines: tests/live/listen.t.
use Countertop;
use Clients;

my $server = listen_to(qw(countertop -b --listen 0 -d 0.1 -s software));

my $listening = sockets();
is(ask(), 200, 'it answers');
ok(wait_for(sub { sockets() <= $listening }), '... and closes the connection');
my $quiet = descriptors();

# More at once than there are places, which close together: it goes on.
for my $round (1 .. 2) {
    my @many = map { connection() } 1 .. $places + 8;
    is(ask(), 200, "$round: who asks among " . @many . ' that say nothing is answered');
    close $_ for @many;
    is(ask(), 200, '... and when they have gone');
}
ok(wait_for(sub { descriptors() <= $quiet }), '... nothing of them stays');

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
# One header that says how long a body is (6.1): a proxy may see another request in the rest.
is(ask(undef, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n$_\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400,
    "both of @{[join ', ', split /\r\n/]}") for "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6";
# One header Host, which only HTTP/1.0 may lack (RFC 9112, 3.2), and no zero byte that ends a path.
for my $case (['1.1', '/metrics', '', 400], ['1.0', '/metrics', '', 200], ['1.1', '/metrics', 'hh', 400],
    ['1.0', '/metrics', 'hh', 400], ['1.1', '/metrics%00x', 'h', 400], ['1.1', '/metrics?x=%00', 'h', 200],
    ['1.1', '/%6detrics', 'h', 200], ['1.1', '/metrics%20', 'h', 404]) {
    my ($version, $target, $hosts, $status) = @$case;
    my $header = "Host: localhost\r\n" x length $hosts;
    is(ask(undef, "GET $target HTTP/$version\r\n${header}Connection: close\r\n\r\n"), $status,
        "GET $target HTTP/$version, " . length($hosts) . ' headers Host');
}
# No control characters (RFC 9110, 5.5), names of headers are tokens, and another coding than chunked has no
# end that is known. All is answered at once, not after a body.
for my $case (["Host: localhost\0.example.org"], ["Host: localhost\0"], ["Host: localhost\r\nX: a\0b"],
    ["Host: localhost\r\nX: a\rb"], ["Host: localhost\r\nX: a\nHost: example.org"], ["Host: localhost\r\nX\1: a"], ["Host: localhost\r\nHost : a"], [": a\r\nHost: localhost"],
    ["Host: localhost\r\nTransfer-Encoding: gzip, chunked"], ["Host: localhost", "/metrics\0x"], ["Host: localhost", "/metrics?a\0b"],
    ["Host: localhost", '/metrics', "GET\0X"], ["Host: localhost\r\nX: a\tb\xe9", '/metrics', 'GET', 200]) {
    my ($header, $target, $method, $status) = @$case;
    my $request = join(' ', $method // 'GET', $target // '/metrics', "HTTP/1.1\r\n$header\r\nConnection: close\r\n\r\n");
    is(ask(undef, $request), $status // 400, $request =~ s/([^ -~])/sprintf '\%02x', ord $1/ger);
}
ok(wait_for(sub { (grep { !closed($_) } @drip) <= $places }), 'there are not more than it takes');
close $_ for @drip;

# Requests that are too large, or none.
like(ask(undef, "GET /metrics HTTP/1.1\r\nX: " . 'y' x 100_000 . "\r\n\r\n"), qr/^(4\d\d|)$/, 'a header of 100 kB is refused');
like(ask(undef, 'GET /' . 'y' x 100_000 . " HTTP/1.1\r\n\r\n"), qr/^(4\d\d|)$/, '... or such an address');
like(ask(undef, "\0\xff\r\n\r\n"), qr/^(4\d\d|)$/, '... or what is no HTTP');
is(ask(), 200, '... and it goes on');

# What counts needs no descriptor for a page; poll(2) wants a limit of as many as it waits for.
SKIP: {
    my $limit = sub { run('prlimit', '--pid', $server->{pid}, "--nofile=$_[0]:")->{status} == 0 };
    skip 'prlimit(1) cannot set a limit here', 1 if !$limit->(8);
    is(ask(), 200, 'it answers when what counts has no descriptor left');
    $limit->(1024);
}
is(stop($server)->{status}, 0, 'it ends well');

# Where descriptors run out it waits for some.
$server = listen_to('sh', '-c', 'ulimit -Sn 16; exec countertop -b --listen 0 -d 0.1 -s software');
my @holding = map { connection() } 1 .. 16;
ok(wait_for(sub { descriptors() == 16 }), 'it has no descriptor left');
my $waiting = connection();
print $waiting "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
$waiting->blocking(0);
is(sysread($waiting, my $bytes, 1), undef, '... who asks waits: has no answer, and no end');
close $_ for @holding;
$waiting->blocking(1);
like(scalar <$waiting>, qr/^HTTP\/1\.1 200 /, '... and is answered when there is one');
is(stop($server)->{status}, 0, 'it ends well');
done_testing;

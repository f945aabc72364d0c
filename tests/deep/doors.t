#!/usr/bin/env perl
# Where the server of --listen can be reached, and whom it answers: sockets in the file system and
# sockets that are handed over, the header Host, and /healthz.
use Countertop;
use Fcntl;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX 'WNOHANG';
use Socket;

my $dir = tempdir(CLEANUP => 1);

my @listen = qw(countertop -b -s software -d 0.1 --listen);

# The status of an answer and its text.
sub ask {
    my ($socket, $path, $header) = @_;
    return ('', '') if !$socket;
    print $socket "GET $path HTTP/1.1\r\n$header\r\nConnection: close\r\n\r\n";
    my $answer = do { local $/; <$socket> } // '';
    return $answer =~ m{\AHTTP/1\.1 (\d+) .*?\r\n\r\n(.*)\z}s ? ($1, $2) : ('', '');
}

# --- The header Host ---

my ($server, $url) = serve(@listen, 0);
my ($port) = $url =~ m{^http://127\.0\.0\.1:(\d+)/metrics$} or die 'no server';
sub hosted {
    my ($host, $path) = @_;
    return (ask(IO::Socket::INET->new("127.0.0.1:$port"), $path // '/metrics', "Host: $host"))[0];
}
chomp(my $name = `uname -n`);
is(hosted($_), 200, "'$_' is this machine") for "127.0.0.1:$port", 'localhost', "LocalHost:$port", $name,
    "[::1]:$port", '192.0.2.1';
is(hosted($_), 421, "'$_' is not: a name that was made to lead here") for 'example.org', "example.org:$port",
    "127.0.0.1.example.org", 'localhost.example.org', "$name.example.org", 'localhost:x', '[::1', '';
is(hosted('example.org', '/healthz'), 421, '... whatever it asks for');
like((ask(IO::Socket::INET->new("127.0.0.1:$port"), '/metrics', 'Host: example.org'))[1],
    qr/^the header Host is not this machine: ask by address/, '... it says what to do');
my $old = IO::Socket::INET->new("127.0.0.1:$port");
print $old "GET /metrics HTTP/1.0\r\n\r\n";
like(scalar <$old>, qr{^HTTP/1\.[01] 200 }, 'a program that sends none is answered');

# --- /healthz ---

sub health {
    return ask(IO::Socket::INET->new("127.0.0.1:$port"), '/healthz', 'Host: localhost');
}
is(join('', health()), "200ok\n", '/healthz while it counts');
SKIP: {
    # Only the thread that counts is held: the other goes on answering.
    my ($sampler) = map { m{/(\d+)$} } grep { slurp_or_empty("$_/comm") eq "counter\n" } glob "/proc/$server->{pid}/task/*";
    my $tracer = start('strace', '-qq', '-o', "$dir/trace", '-p', $sampler, '-e',
        'inject=ppoll:delay_exit=600000000');
    skip 'strace(1) cannot hold a thread here', 2
        if !wait_for(sub { -s "$dir/trace" || waitpid($tracer->{pid}, WNOHANG) }) || !-s "$dir/trace";
    my ($status, $text);
    wait_for(sub { ($status, $text) = health(); $status ne 200 });
    is("$status $text", "503 no interval has ended in time\n", '... and when it no longer does');
    kill KILL => $tracer->{pid};
    finish($tracer);
    ok(wait_for(sub { (health())[0] eq 200 }), '... until it does again');
}

# The process that serves answers also while what counts is stopped. It has no page of the interval.
kill STOP => $server->{pid};
sub counters {
    return ask(IO::Socket::INET->new("127.0.0.1:$port"), '/metrics', 'Host: localhost');
}
my ($status, $said);
ok(wait_for(sub { ($status, $said) = counters(); $status eq 503 }), 'while it is stopped there are no counters');
is($said, "the counters did not come in time\n", '... which is told');
is((counters())[0], 503, '... who asks next is told, too');
is((health())[0], 200, '... /healthz is answered');
kill CONT => $server->{pid};
ok(wait_for(sub { (counters())[0] eq 200 }), '... until it goes on');
is(stop($server)->{status}, 0, 'it ends');

# --- A path ---

my $path = "$dir/a socket";
sub knock {
    my ($header) = @_;
    return ask(IO::Socket::UNIX->new($path), '/metrics', $header // 'Host: proxied.example.org');
}
($server, $url) = serve(@listen, "unix:$path");
is($url, "http://unix:$path:/metrics", 'a socket in the file system');
is((knock())[0], 200, '... is answered, whichever host the proxy was asked for');
my $run = countertop('-b', '-n', 1, '--listen', "unix:$path");
is("$run->{status} $run->{err}", "1 countertop: cannot listen at 'unix:$path': Address already in use; give " .
    "another path, or remove what is there\n", 'one that is in use stays');
is((knock())[0], 200, '... and is answered');
my @many = map { IO::Socket::UNIX->new($path) } 1 .. 40;
is((knock())[0], 200, 'who asks among 40 that say nothing is answered');
close $_ for grep { $_ } @many;
is(stop($server)->{status}, 0, 'it ends');
ok(!-e $path, '... and takes the socket away');
($server) = serve(@listen, "unix:$path");
kill KILL => $server->{pid};
finish($server);
ok(-S $path, 'one that was killed leaves it');
wait_for(sub { !IO::Socket::UNIX->new($path) }) or die 'its helper goes on'; # which ends when it notices
($server, $url) = serve(@listen, "unix:$path");
is((knock())[0], 200, '... and the next takes its place');
stop($server);
open my $file, '>', $path or die $!;
close $file;
$run = countertop('-b', '-n', 1, '--listen', "unix:$path");
is($run->{status}, 1, 'any other file is an error');
ok(-f $path, '... and stays');
$run = countertop('-b', '-n', 1, '--listen', 'unix:' . 'x' x 108);
is($run->{status}, 2, 'a path too long for a socket is wrong usage');
like($run->{err}, qr/expected 1 to 107 bytes\n\z/, '... told');

# --- A socket that is handed over, as sd_listen_fds(3) says ---

# Runs it with a descriptor 3; pid: whom LISTEN_PID names, count: LISTEN_FDS.
sub handed {
    my ($socket, %is) = @_;
    fcntl $socket, F_SETFD, 0;
    my $pid = $is{pid} // '$$';
    my $count = $is{count} // 1;
    return ($^X, '-MPOSIX', '-e', "POSIX::dup2(shift, 3); \@ENV{qw(LISTEN_PID LISTEN_FDS)} = ($pid, $count); " .
        'exec @ARGV', fileno $socket);
}
my $door = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die $!;
$port = $door->sockport;
my $early = IO::Socket::INET->new("127.0.0.1:$port");
($server, $url) = serve(handed($door), @listen, 'systemd');
is($url, "http://127.0.0.1:$port/metrics", 'a socket that is handed over');
is((ask($early, '/metrics', 'Host: localhost'))[0], 200, '... who came before the server is answered');
is(hosted('example.org'), 421, '... with the same care');
is(stop($server)->{status}, 0, 'it ends');
ok(IO::Socket::INET->new("127.0.0.1:$port"), '... and the socket is still open for the next');
$path = "$dir/given";
my $given = IO::Socket::UNIX->new(Listen => 1, Local => $path) or die $!;
($server, $url) = serve(handed($given), @listen, 'systemd');
is($url, "http://unix:$path:/metrics", 'or one in the file system');
is((knock())[0], 200, '... is answered');
stop($server);
ok(-S $path, '... and stays with whom it belongs to');

# A command does not inherit it.
($server) = serve(handed($door), @listen, 'systemd', '--', 'sh', '-c', "ls -l /proc/self/fd >$dir/fds; exec sleep 600");
ok(wait_for(sub { -s "$dir/fds" }), 'a command');
unlike(slurp("$dir/fds"), qr/ 3 -> socket:/, '... has none of it');
stop($server);

my $refused = qr/^countertop: cannot listen at 'systemd': /;
for (['none', countertop(qw(-b -n 1 --listen systemd))], ['for another', run(handed($door, pid => 1), @listen, 'systemd')],
    ['two', run(handed($door, count => 2), @listen, 'systemd')]) {
    is($_->[1]{status}, 1, "$_->[0]");
    like($_->[1]{err}, qr/${refused}it handed over no socket, or several/, '... told');
}
my $datagrams = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1');
my $closed = IO::Socket::INET->new(Proto => 'tcp', LocalAddr => '127.0.0.1');
open my $null, '<', '/dev/null' or die $!;
for (['datagrams', $datagrams], ['one that does not listen', $closed], ['no socket', $null]) {
    my $wrong = run(handed($_->[1]), @listen, 'systemd');
    is($wrong->{status}, 1, "$_->[0]");
    like($wrong->{err}, qr/${refused}descriptor 3 is no stream socket that listens/, '... told');
}
done_testing;

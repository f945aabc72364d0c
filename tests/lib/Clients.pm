# Clients of a countertop that listens: what they ask, and what it holds for them.
package Clients;
use strict;
use warnings;
use Countertop;
use Exporter 'import';
use IO::Socket::INET;

our @EXPORT = qw(listen_to connection ask closed descriptors sockets $places $port $serving);
our $places = 32; # connections that it takes
our ($port, $serving); # the process that serves

# Starts one that clients ask from now on.
sub listen_to {
    my ($server, $url) = serve(@_);
    ($port) = ($url // '') =~ m{:(\d+)/metrics\z} or die 'no server';
    $serving = server_process($server);
    return $server;
}

# A connection, from an address of this machine.
sub connection {
    my ($from) = @_;
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port,
        LocalAddr => $from // '127.0.0.1', Timeout => 100) // die "connect: $!";
}

# The status of a request from an address, '' where there is no answer in time.
sub ask {
    my ($from, $text) = @_;
    my $socket = connection($from);
    local $SIG{ALRM} = sub { die "late\n" };
    alarm 100;
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
    return scalar(() = glob "/proc/$serving/fd/*");
}

# Connections, and the socket that waits for them.
sub sockets {
    return scalar grep { (readlink // '') =~ /^socket:/ } glob "/proc/$serving/fd/*";
}

1;

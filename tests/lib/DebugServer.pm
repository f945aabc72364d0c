# A server of debug files on this machine, as debuginfod(8): /buildid/ID/debuginfo. It is a process
# that writes each request into a file, and does with it what `how` says.
package DebugServer;
use strict;
use warnings;
use DynaLoader;
use File::Temp 'tempdir';
use IO::Socket::INET;
use POSIX ();
use Slurp;

# Whether the library that asks such servers is installed.
sub library {
    return defined DynaLoader::dl_load_file('libdebuginfod.so.1');
}

# how: 'file' sends `path`; 'missing': 404; 'garbage': bytes that are no file of that program;
# 'short': a part of the file, then the end; 'endless'; 'hang': never answers; 'slow': a twentieth
# of the file each 0.3 s.
sub new {
    my ($class, $how, $path) = @_;
    my $dir = tempdir(CLEANUP => 1);
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 20, ReuseAddr => 1) or die "socket: $!";
    my $self = bless {log => "$dir/log", url => 'http://127.0.0.1:' . $socket->sockport . '/', owner => $$}, $class;
    open my $log, '>', $self->{log} or die "$self->{log}: $!";
    $log->autoflush(1);
    my $bytes = $path ? slurp($path) : '';
    $self->{pid} = fork // die "fork: $!";
    return $self if $self->{pid};
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = 'IGNORE';
    $SIG{$_} = 'DEFAULT' for qw(INT TERM);
    while (my $client = $socket->accept) {
        my $line = <$client> // next;
        print $log $line;
        next if fork // 1; # clients that are not answered keep nobody
        while (<$client>) { last if /^\r?$/ }
        answer($client, $how, $bytes);
        POSIX::_exit(0);
    }
    POSIX::_exit(0);
}

sub answer {
    my ($client, $how, $bytes) = @_;
    my $size = length $bytes;
    $client->autoflush(1);
    if ($how eq 'missing') {
        print $client "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    } elsif ($how eq 'garbage') {
        print $client "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nConnection: close\r\n\r\n", 'garbage..,' x 500;
    } elsif ($how eq 'endless') {
        print $client "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
        my $piece = 'x' x (1 << 16);
        1 while print $client $piece;
    } elsif ($how eq 'hang') {
        select undef, undef, undef, 1 while getppid() != 1 && $client->connected;
    } else {
        my $sent = $how eq 'short' ? int($size / 2) : $size;
        print $client "HTTP/1.1 200 OK\r\nContent-Length: $size\r\nX-DEBUGINFOD-SIZE: $size\r\nConnection: close\r\n\r\n";
        my $piece = $how eq 'slow' ? int($size / 20) : $size;
        for (my $at = 0; $at < $sent; $at += $piece) {
            print $client substr($bytes, $at, $sent - $at < $piece ? $sent - $at : $piece) or last;
            select undef, undef, undef, 0.3 if $how eq 'slow';
        }
    }
    close $client;
}

# The requests so far.
sub requests { return split /\n/, slurp($_[0]{log}) }

sub DESTROY {
    my ($self) = @_;
    local ($?, $!);
    if ($$ == $self->{owner}) {
        kill KILL => $self->{pid};
        waitpid $self->{pid}, 0;
    }
}

1;

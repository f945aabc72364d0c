# A pseudo-terminal with a program on it and nothing between: a test types bytes, changes the size,
# and reads what is written. Unlike a terminal emulator it can stop to read, and it sends anything.
package Pty;
use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY O_NONBLOCK F_SETFL);
use POSIX qw(setsid WNOHANG);
use Time::HiRes qw(sleep time);

# ioctl_tty(2), as most architectures number them.
my ($unlock, $number, $set_size) = (0x40045431, 0x80045430, 0x5414);

# Pty->start({width, height, environment => {...}, directory}, command...)
sub start {
    my ($class, $setting, @command) = @_;
    sysopen my $ours, '/dev/ptmx', O_RDWR | O_NOCTTY or die "/dev/ptmx: $!";
    my $given = pack 'i', 0;
    ioctl $ours, $unlock, $given or die "TIOCSPTLCK: $!";
    ioctl $ours, $number, $given or die "TIOCGPTN: $!";
    my $path = '/dev/pts/' . unpack 'i', $given;
    sysopen my $theirs, $path, O_RDWR | O_NOCTTY or die "$path: $!";
    my $self = bless {ours => $ours, theirs => $theirs, output => ''}, $class;
    $self->resize($setting->{width}, $setting->{height});
    $self->{mode} = $self->mode;
    $self->{pid} = fork // die "fork: $!";
    run($path, $setting, @command) if !$self->{pid};
    fcntl $ours, F_SETFL, O_NONBLOCK or die "fcntl: $!";
    return $self;
}

# In the child: the terminal becomes the controlling one, as the first that a new session opens.
sub run {
    my ($path, $setting, @command) = @_;
    setsid;
    chdir $setting->{directory} or POSIX::_exit(126) if $setting->{directory};
    sysopen my $terminal, $path, O_RDWR or POSIX::_exit(126);
    POSIX::dup2(fileno $terminal, $_) // POSIX::_exit(126) for 0 .. 2;
    my %more = %{$setting->{environment} // {}};
    @ENV{keys %more} = values %more;
    exec { $command[0] } @command or POSIX::_exit(127);
}

# Whatever is different after a program took the terminal over.
sub mode {
    my ($self) = @_;
    my $mode = POSIX::Termios->new;
    $mode->getattr(fileno $self->{theirs}) or die "tcgetattr: $!";
    return join ' ', $mode->getiflag, $mode->getoflag, $mode->getcflag, $mode->getlflag;
}

sub resize {
    my ($self, $width, $height) = @_;
    my $size = pack 'S4', $height, $width, 0, 0;
    ioctl $self->{ours}, $set_size, $size or die "TIOCSWINSZ: $!";
}

# Takes what was written, for that many seconds; false when nothing was.
sub read {
    my ($self, $seconds) = @_;
    my ($end, $some) = (time + $seconds, 0);
    do {
        my $wanted = '';
        vec($wanted, fileno $self->{ours}, 1) = 1;
        my $left = $end - time;
        my $ready = select $wanted, undef, undef, $left > 0 ? $left : 0;
        my $got = $ready > 0 ? sysread $self->{ours}, my $bytes, 1 << 16 : 0;
        if ($got) {
            $self->{output} .= $bytes;
            $some = 1;
        }
    } while (time < $end);
    return $some;
}

# Types bytes; what the program writes meanwhile is read, lest both wait for each other.
sub type {
    my ($self, $bytes) = @_;
    my $end = time + 20;
    while (length $bytes) {
        my $taken = syswrite $self->{ours}, $bytes;
        substr $bytes, 0, $taken // 0, '';
        die "the terminal takes no more input\n" if time > $end;
        $self->read(0.01) if length $bytes;
    }
}

# The status as the shell gives it, once the program has ended and all that it wrote is read.
sub ended {
    my ($self) = @_;
    if (!defined $self->{status} && waitpid($self->{pid}, WNOHANG) == $self->{pid}) {
        $self->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
        1 while $self->read(0);
    }
    return $self->{status};
}

# Ends the program if it has not ended.
sub close {
    my ($self) = @_;
    return if defined $self->ended;
    kill KILL => $self->{pid};
    waitpid $self->{pid}, 0;
    $self->{status} = 128 + 9;
}

sub DESTROY {
    local $?;
    $_[0]->close if $_[0]{pid};
}

1;

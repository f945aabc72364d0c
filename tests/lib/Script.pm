# A script for `scripted`, the program whose counts, tasks and time are those that a test says
# (tests/lib/scripted.c has the lines of a script).
package Script;
use strict;
use warnings;
use Countertop ();
use File::Temp 'tempdir';
use IO::Handle;
use POSIX 'mkfifo';

# Script->new(lines...): lines about the machine and its tasks are known to the program at its start.
sub new {
    my ($class, @lines) = @_;
    my $dir = tempdir(CLEANUP => 1);
    chmod 0755, $dir; # for tests that become another user
    my $self = bless {path => "$dir/script"}, $class;
    for (['fifo', ''], ['done', '.done']) {
        my ($name, $path) = ($_->[0], "$self->{path}$_->[1]");
        mkfifo($path, 0666) && chmod 0666, $path or die "$path: $!";
        open $self->{$name}, '+<', $path or die "$path: $!";
    }
    fcntl $self->{fifo}, 1031, 1 << 20; # F_SETPIPE_SZ: all of a script fits, before anybody reads it
    $self->{fifo}->autoflush;
    $self->say(@lines);
    return $self;
}

sub say {
    my ($self, @lines) = @_;
    print {$self->{fifo}} map { "$_\n" } @lines;
}

# Lines, and the end of their interval, which lasts 1 s.
sub next {
    my ($self, @lines) = @_;
    $self->next_after(1, @lines);
}

sub next_after {
    my ($self, $seconds, @lines) = @_;
    $self->say(@lines, "next $seconds");
    $self->{asked}++;
}

# As next(), and waits until the program has counted the interval, and all before it. After a key with
# which the program counts at once (i, t, r, Z), wait first for what it shows.
sub step {
    my ($self, @lines) = @_;
    $self->step_after(1, @lines);
}

sub step_after {
    my ($self, $seconds, @lines) = @_;
    $self->next_after($seconds, @lines);
    while ($self->{asked}) {
        vec(my $ready = '', fileno $self->{done}, 1) = 1;
        select($ready, undef, undef, 100) or die "an interval is not counted\n";
        $self->{asked} -= sysread $self->{done}, my $bytes, $self->{asked};
    }
}

# The value of a key, as a line has it.
sub text {
    return $_[0] =~ s/([^!-\$&-~])/sprintf '%%%02x', ord $1/ger;
}

# The program and its arguments: as a list for start(), and as a shell's command for Screen->new().
sub words {
    my ($self, @arguments) = @_;
    return ('env', "SCRIPT=$self->{path}", 'TZ=UTC', 'scripted', @arguments);
}

sub command {
    return join ' ', map { "'$_'" } words(@_);
}

sub run {
    my ($self, @arguments) = @_;
    return Countertop::run($self->words(@arguments));
}

# As refreshes() of Countertop.pm: the header, then the refreshes.
sub refreshes {
    my ($self, @arguments) = @_;
    my $run = $self->run('-b', '--format', 'json', @arguments);
    die "scripted @arguments: status $run->{status}: $run->{err}" if $run->{status};
    return Countertop::json_lines($run->{out});
}

1;

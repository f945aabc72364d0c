#!/usr/bin/env perl
# A terminal that goes away ends the program, also where SIGHUP is ignored (nohup, disown) and says
# nothing: reading finds its end at once, again and again.
use Screen;
use Pty;

sub begin {
    my @command = @_;
    my $pty = Pty->start({width => 80, height => 24, environment => {TERM => 'xterm'}},
        'sh', '-c', "trap '' HUP; exec \"\$@\"", 'sh', @command);
    wait_for(sub { $pty->read(0.05); $pty->{output} =~ /COMMAND/ });
    like($pty->{output}, qr/COMMAND/, "@command: it runs");
    return $pty;
}

# Both ends are closed: the program is the last to have it open.
sub hang_up {
    my ($pty) = @_;
    close delete $pty->{theirs};
    close delete $pty->{ours};
    ok(wait_for(sub { waitpid($pty->{pid}, POSIX::WNOHANG()) == $pty->{pid} }), '... ends with its terminal');
    is($pty->{status} = $?, 0, '... with status 0');
}

hang_up(begin(qw(countertop -d 0.2 -s software)));
# Between refreshes nothing is written: input tells it.
hang_up(begin(qw(countertop -d 3600 -s software)));
# A command's table stays until a key is pressed, and none will be.
my $pty = begin(qw(countertop -d 0.2 -s software -- true));
ok(wait_for(sub { $pty->read(0.05); $pty->{output} =~ /status 0|exited|ended/ }), '... the command has ended');
hang_up($pty);

# Output alone is gone, and the keyboard is there: the next screen finds that out.
my $keyboard = Pty->start({width => 80, height => 24}, 'sleep', 1000);
my $input = do {
    my $number = pack 'i', 0;
    ioctl $keyboard->{ours}, 0x80045430, $number or die "TIOCGPTN: $!";
    '/dev/pts/' . unpack 'i', $number;
};
$pty = begin('sh', '-c', "exec countertop -d 0.2 -s software <$input");
hang_up($pty);

done_testing;

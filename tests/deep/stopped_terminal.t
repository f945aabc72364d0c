#!/usr/bin/env perl
# A message to a terminal that ^S stopped waits until it goes on; signals end the program meanwhile.
use Countertop;
use lib "$ENV{TOP}/tests/tui";
use Pty;

my $pty = Pty->start({width => 80, height => 24, environment => {TERM => 'unknown-terminal'}},
    'sh', '-c', 'read line; exec countertop --no-config -s software');
$pty->type("\cS");
$pty->type("\n");
# Its signals are blocked while it runs: they have to be unblocked before it writes.
my $name = sub { slurp_or_empty("/proc/$pty->{pid}/comm") };
my $waits = wait_for(sub { $name->() eq "countertop\n" && slurp_or_empty("/proc/$pty->{pid}/syscall") =~ /^\d+ 0x2 / });
SKIP: {
    skip 'where a process waits is not shown here', 1 if !$waits;
    kill TERM => $pty->{pid};
    ok(wait_for(sub { defined $pty->ended }), 'SIGTERM ends a program whose message waits for the terminal');
}
$pty->close;
done_testing;

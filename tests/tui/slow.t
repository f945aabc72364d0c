#!/usr/bin/env perl
# A terminal that accepts no output, after Ctrl-S or without a reader: counting goes on, memory does
# not grow, signals end the program, and the next frame shown is current.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Pty;
use Screen;
use Slurp;
use Storm;
use Test::More;
use Time::HiRes qw(sleep time);

# How often the thread that counts has run so far.
sub turns {
    my ($pid) = @_;
    for my $task (glob "/proc/$pid/task/*") {
        return (split ' ', slurp_or_empty("$task/schedstat"))[2] if slurp_or_empty("$task/comm") eq "counter\n";
    }
    return 0;
}

sub memory {
    return slurp_or_empty("/proc/$_[0]/status") =~ /^VmRSS:\s+(\d+)/m ? $1 : die "no memory of $_[0]\n";
}

# Passes that many refreshes, however they are shown.
sub let_pass {
    my ($pid, $refreshes) = @_;
    my $first = turns($pid);
    return wait_for(sub { turns($pid) - $first >= $refreshes });
}

# Seconds until now that a process has neither run nor waited for a CPU, which beside others may
# take long; undef of one that has ended.
sub asleep {
    my ($pid) = @_;
    my ($cpu, $waited) = split ' ', slurp_or_empty("/proc/$pid/schedstat");
    return defined $waited ? time - ($cpu + $waited) / 1e9 : undef;
}

# SIGTERM ends a process, which the condition says.
sub ends_soon {
    my ($pid, $ended) = @_;
    my $asked = asleep($pid);
    my $now = $asked;
    kill TERM => $pid;
    my $well = wait_for(sub {
        return 1 if $ended->();
        $now = asleep($pid) // $now;
        return 0;
    });
    ok($well, 'SIGTERM ends it');
    cmp_ok($now - $asked, '<', 15, '... soon');
}

# What a held screen shows as long as it is held: all but the state and the part of kernel time,
# which are those of now.
sub held {
    my ($text) = @_;
    my @rows = Screen::rows($text);
    delete @$_{'S', '%SYS'} for @rows;
    return {rows => \@rows, rest => $text =~ s/^ *\d+ .*//gmr};
}

# Sanitizers keep what is freed for a while.
my $kept = $ENV{ASAN_OPTIONS} ? 64 * 1024 : 1024;
my $sleeper = start_work('sh', '-c', 'exec sleepers -a 20 20 >/dev/null'); # 2,000 switches a second
wait_for(sub { switches_of($sleeper) > 1000 });

for my $size ([80, 24], [200, 50]) {
    my $at = join 'x', @$size;
    my $screen = Screen->countertop(@$size, '-p', $sleeper, '-d', 0.1, '-e', 'context-switches',
        '-s', 'software', '--show', 'total', '--exact', '--engine', 'cpu');
    my $total = sub { ($_[0] =~ /^ *$sleeper(?: +\S+){3} +(\d+) /m)[0] };
    ok($screen->wait(sub { $total->($_[0]) }), "$at: it runs");
    my $pid = $screen->pid_of('countertop');
    # What a held screen shows, and what the kernel knew before that was counted, and after it.
    my $look = sub {
        my ($before, @shown) = (switches_of($sleeper), $total->($screen->text));
        # The next may have been counted before we asked, the one after it was not.
        push @shown, $total->($screen->text)
            while @shown < 3 && $screen->wait(sub { ($total->($_[0]) // $shown[-1]) ne $shown[-1] });
        $screen->key('Z');
        $screen->wait(qr/paused/i);
        return ($total->($screen->text), $before, switches_of($sleeper));
    };
    my ($counted, @known) = $look->();
    $screen->key('Z');
    $screen->key('C-s');
    my ($before, $text);
    # What was written before it stopped is shown still.
    wait_for(sub {
        ($before, $text) = ($text, $screen->text);
        return defined $before && $before eq $text || !let_pass($pid, 5);
    });
    let_pass($pid, 10); # the frame that waits for the terminal is made
    my $memory = memory($pid);
    ok(let_pass($pid, 20), '... while the terminal is stopped it counts');
    is($screen->text, $text, '... and shows nothing');
    cmp_ok(memory($pid) - $memory, '<', $kept, '... and keeps nothing for it (KiB)');
    $screen->type('I'); # a key, too
    $screen->key('C-q');
    ok($screen->wait(qr/\^%CPU|▲%CPU/), '... then it shows what a key did meanwhile');
    my ($counted_then, @known_then) = $look->();
    my $more = $counted_then - $counted;
    ok($more >= $known_then[0] - $known[1] && $more <= $known_then[1] - $known[0],
        '... and nothing was lost') or diag "$more of @known to @known_then";
    my $shown = $screen->text;
    $screen->key('C-l');
    $screen->type('i'); # seen when both keys have been answered
    $screen->type('i');
    sleep 0.5;
    is_deeply(held($screen->text), held($shown), '... and all of the screen is right');
    $screen->key('Z');
    $screen->key('C-s');
    let_pass($pid, 10);
    ends_soon($pid, sub { !runs($pid) });
    $screen->key('C-q');
}

sub open_pty {
    my ($width, $height, @command) = @_;
    my %environment = (TERM => 'xterm-256color');
    return Pty->start({width => $width, height => $height, environment => \%environment}, @command);
}


# Nobody reads at all: a pseudo-terminal keeps 64 KiB at most, which 100 refreshes are more than.
my $pty = open_pty(200, 50, 'countertop', '-d', 0.05, '-i', '-H', '--engine', 'cpu', '--exact');
ok(let_pass($pty->{pid}, 100), 'it counts where nobody reads');
my $memory = memory($pty->{pid});
ok(let_pass($pty->{pid}, 20), '... and goes on');
cmp_ok(memory($pty->{pid}) - $memory, '<', 2 * $kept, '... and keeps nothing for it (KiB)');
$pty->{output} = '';
$pty->read(0.05);
my $missed = length $pty->{output};
cmp_ok($missed, '<', 80_000, '... and there is not all that was missed');
$pty->{output} = '';
ok(wait_for(sub { $pty->read(0.1) && $pty->{output} =~ /\e\[/ }), 'read again, it goes on');
ends_soon($pty->{pid}, sub { defined $pty->ended });
is($pty->ended, 0, '... well');

# As another user it may not open the terminal again: it has only what it shares with the shell.
my @as_another = $> == 0 ? qw(setpriv --reuid=65534 --clear-groups) : ();
$pty = open_pty(80, 24, @as_another, 'countertop', '-d', 0.1);
ok(wait_for(sub { $pty->read(0.1); $pty->{output} =~ /COMMAND/ }), 'as another user: it runs');
$pty->type("\cS");
wait_for(sub { !$pty->read(0.5) });
ok(let_pass($pty->{pid}, 10), '... it counts while the terminal is stopped');
ok(!$pty->read(0.1), '... and shows nothing');
$pty->type("\cQ");
ok(wait_for(sub { $pty->read(0.1) }), '... then it goes on');
$pty->type("\cS");
let_pass($pty->{pid}, 10);
ends_soon($pty->{pid}, sub { defined $pty->ended });
is($pty->ended, 0, '... well');
is($pty->mode, $pty->{mode}, '... with the modes of the terminal as they were');

done_testing;

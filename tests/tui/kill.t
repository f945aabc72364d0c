#!/usr/bin/env perl
# Signals: the list, the confirmation that names the process, tagged rows, and failures.
use Screen;
use POSIX 'WNOHANG';

# The signal that ended a process of ours, 0 while it has not.
sub ended_by {
    my ($pid) = @_;
    return wait_for(sub { waitpid($pid, WNOHANG) == $pid }) ? $? & 127 : 0;
}

sub selected {
    my ($screen, $line) = @_;
    return sub {
        my $style = $screen->style_of($line);
        return $style->{reverse} || $style->{background};
    };
}

# Idle rows too, so that none is missing under load.
my @watch = ('-d', 0.2, '-s', 'software', '--engine', 'cpu', '-i');

my @victims = (start_work('spin', '-r'), map { start_named("victim$_") } 2 .. 4);
my $list = join ',', @victims;
my $screen = Screen->countertop(80, 24, @watch, '-p', $list);
my $is_selected = sub { wait_for(selected($screen, $_[0])) };
$screen->wait(sub { Screen::pids($_[0]) == 4 });

$screen->key('k');
ok($screen->wait(qr/no row is chosen to send a signal to: Up and Down choose one/),
   'without a cursor there is nobody to send a signal to');

ok($screen->choose($victims[0]), 'a row is chosen');
$screen->key('k');
ok($screen->wait(qr/^(?:Signal )?for $victims[0] 'spin'/m), 'k opens the list');
ok($is_selected->(qr/^ 15 SIGTERM/), 'SIGTERM is under the cursor');
$screen->type('usr1');
ok($screen->wait(qr/^Signal.*: usr1\b.*COMMAND/m), 'letters are typed, beside the table');
ok($is_selected->(qr/^ 10 SIGUSR1/), '... and find a signal');
$screen->key('C-u');
$screen->type('9');
ok($is_selected->(qr/^  9 SIGKILL/), 'and digits another');
$screen->type('99');
ok($screen->wait(qr/no signal begins with '999'/), 'a miss is told');
$screen->key('C-u');
$screen->type('rtmax');
ok($screen->wait(qr/^ 64 SIGRTMAX/m), 'there are those of real time');
$screen->key('C-u');
$screen->type('sigusr2');
$screen->key('Enter');
ok($screen->wait(qr/^send SIGUSR2 to $victims[0] 'spin'\? y \/ n *$/m),
   'a question names the process');
$screen->key('n');
ok($screen->wait(sub { $_[0] =~ /^Signal\b/m && $_[0] !~ /^send SIG/m }),
   'n leads back to the list');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ /^Signal\b/m }), 'Esc closes it');
ok(kill(0, $victims[0]), 'nothing was sent');

$screen->key('F9');
$screen->wait(qr/^Signal\b/m);
$screen->key('Enter');
$screen->wait(qr/^send SIGTERM to/m);
$screen->key('y');
ok($screen->wait(qr/^sent SIGTERM to $victims[0] 'spin'/m), 'F9, Enter, y sends SIGTERM');
is(ended_by($victims[0]), 15, '... and it arrives');

# Several, by tags.
for my $victim (@victims[1, 2]) {
    $screen->choose($victim);
    $screen->key('Space');
    ok($screen->wait(qr/^\* *$victim /m), 'Space tags a row');
}
ok($screen->wait(qr/tagged 2\b/), 'the header tells how many are tagged');
$screen->key('k');
ok($screen->wait(qr/^(?:Signal )?for 2 processes:/m), 'k is for the tagged');
$screen->type('kill');
$screen->key('Enter');
my $both = "send SIGKILL to 2 processes: $victims[1] 'victim2', $victims[2] 'victim3'";
ok($screen->wait(qr/^\Q$both\E\? y \/ n *$/m), 'the question names all of them');
$screen->key('y');
ok($screen->wait(qr/^sent SIGKILL to 2 processes: /m), 'it is sent to both');
is(ended_by($_), 9, '... and arrives') for @victims[1, 2];

# It ends while the question is asked.
$screen->wait(sub { $_[0] !~ /tagged/ });
$screen->choose($victims[3]);
$screen->key('k');
$screen->wait(qr/^(?:Signal )?for $victims[3]/m);
$screen->key('Enter');
$screen->wait(qr/^send SIGTERM to $victims[3]/m);
kill KILL => $victims[3];
is(ended_by($victims[3]), 9, 'the test ends the last one');
$screen->key('y');
my $late = "cannot send SIGTERM to $victims[3] 'victim4': it has ended";
ok($screen->wait(qr/^\Q$late\E/m), 'what has ended meanwhile is told');
$screen->key('E');
ok($screen->wait(qr/^What went wrong *\n[\d:]{8} +cannot send SIGTERM to $victims[3]/m),
   'the page of errors keeps it');
$screen->close;

# Threads, and rows that are no processes.
my $spin = start_work('spin', '-rn', 3);
$screen = Screen->countertop(100, 24, @watch, '-H', '-p', $spin);
my $thread;
$screen->wait(sub {
    my @tids = grep { $_ != $spin } map { $_->{TID} // () } Screen::rows($_[0]);
    $thread = $tids[0];
});
ok($thread, 'threads are shown');
$screen->type($thread);
$screen->wait(qr/^tid $thread\b/m);
$screen->key('k');
ok($screen->wait(qr/^Signal: .*\nfor $spin 'spin', the/m),
   'a signal to a thread is for its process, and says so');
$screen->key('Escape');
$screen->wait(sub { $_[0] !~ /^Signal/m });
$screen->key('H', 'Tab', 'Tab', 'Down', 'k');
ok($screen->wait(qr/cannot send a signal to this row, which is no process: Tab leads to the tasks/),
   'rows of users are refused, with what to do instead');
$screen->close;

# Who is in a recording is not who has the pid now.
my $file = tempdir(CLEANUP => 1) . '/run.db';
system 'countertop', '-b', '-n', 2, '-d', 0.3, '-p', $spin, '-s', 'software', '--record', $file, '-o', '/dev/null';
$screen = Screen->countertop(100, 24, '--replay', $file);
$screen->wait(qr/^ *$spin .*spin/m);
$screen->choose($spin);
$screen->key('k');
ok($screen->wait(qr/cannot send a signal to $spin 'spin': .*a recording/),
   'a recording gets no signals');
$screen->close;

SKIP: {
    skip 'only root can give up a capability', 1 if $> != 0;
    my $other = start_work('setpriv', '--reuid=65534', '--clear-groups', 'spin', '-r');
    $screen = Screen->new(100, 24, 'setpriv --bounding-set=-kill ' .
        countertop_command(@watch, '-p', $other));
    $screen->wait(qr/^ *$other .*spin/m);
    $screen->choose($other);
    $screen->key('k', 'Enter');
    $screen->wait(qr/^send SIGTERM/m);
    $screen->key('y');
    ok($screen->wait(qr/cannot send SIGTERM to $other 'spin': not permitted; its user and root may: 'sudo\s+kill -15 $other'/),
       'a refusal says who may');
    $screen->close;
}

done_testing;

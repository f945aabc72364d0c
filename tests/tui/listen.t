#!/usr/bin/env perl
# --listen serves the counters while the terminal is used, whatever the terminal shows.
use Countertop;
use Screen;
use IO::Socket::UNIX;

# A socket of its own: ports are the machine's.
my $path = tempdir(CLEANUP => 1) . '/socket';

# The counters as they are served; '' where nobody serves them.
sub page {
    local $SIG{PIPE} = 'IGNORE';
    my $socket = IO::Socket::UNIX->new($path) or return '';
    print $socket "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    my $answer = do { local $/; <$socket> } // '';
    return $answer =~ m{\AHTTP/1\.1 200 } ? $answer : '';
}

# The value of a sample, undef where there is none.
sub counter {
    my ($name) = @_;
    return page() =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}

sub grows {
    my ($name) = @_;
    my $first = counter($name) // 0;
    return wait_for(sub { (counter($name) // 0) > $first });
}

my $spin = start_work('spin', '-r');
my $screen = Screen->countertop(160, 24, '--listen', "unix:$path", '--engine', 'cpu', '-p', $spin,
    '-d', 0.1, '-s', 'software');
ok($screen->wait(sub { join(' ', Screen::pids($_[0])) eq $spin }), 'the terminal shows');
my $busy = 'countertop_tasks_busy_seconds_total{kind="task",command="spin"}';
ok(grows($busy), 'the counters are served');
$screen->key('Tab');
ok($screen->wait(qr/^ *▲?CPU /m), 'another view');
ok(grows($busy), '... has no part in them');
$screen->key('Z');
ok($screen->wait(qr/PAUSED/), 'a pause');
ok(grows($busy), '... neither');
$screen->key('Z');

# Other events: each goes on where it was.
my $before = counter('countertop_page_faults_total{cpu="0"}');
$screen->key('e');
$screen->type('minor-faults');
$screen->key('Enter');
my $added = 'countertop_minor_faults_total{cpu="0"}';
ok(wait_for(sub { defined counter($added) }), 'an event that is added has a counter');
cmp_ok(counter('countertop_page_faults_total{cpu="0"}'), '>=', $before, '... and none begins again');

# The end of the process that serves is said, and costs nothing else.
my $ended = qr{the server at http://unix:\S+ was ended by signal 9};
kill KILL => server_process({pid => $screen->pid_of('countertop')}) // die 'no process serves';
ok($screen->wait($ended), 'the end of the server is said');
is(page(), '', '... nobody serves');
$screen->key('Z');
ok($screen->wait(sub { $_[0] =~ /PAUSED/ && $_[0] =~ $ended }), '... keys go on, and the message stays');
$screen->key('q');

# What a command did stays when it has ended, once.
$screen = Screen->countertop(80, 24, '--listen', "unix:$path", '-d', 0.1, '-s', 'software', '--engine', 'task', '--',
    'sh', '-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
ok($screen->wait(qr/q quits/), 'the command has ended');
my $shell = 'countertop_tasks_busy_seconds_total{kind="task",command="sh"}';
my $seconds;
ok(wait_for(sub { defined($seconds = counter($shell)) && $seconds > 0 }), 'its counter is there');
is(counter('countertop_tasks_busy_seconds_total{kind="other"}'), 0, '... alone');
is(counter($shell), $seconds, '... as it was');
$screen->key('q');
ok(wait_for(sub { page() eq '' }), 'q ends the server');

done_testing;

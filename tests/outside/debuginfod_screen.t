#!/usr/bin/env perl
# --debuginfod in the terminal: what is fetched is on the screen, keys are answered meanwhile, one of
# them ends it, only one process opens sockets, and what failed is not asked for again.
use Screen;
use File::Copy 'copy';
use DebugServer;
use Time::HiRes 'time';

plan skip_all => 'libdebuginfod is not installed' if !DebugServer::library();
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
$ENV{XDG_CACHE_HOME} = "$dir/cache";
delete $ENV{$_} for grep { /^DEBUGINFOD_/ } keys %ENV;
my ($bare, $debug) = ("$dir/shares", "$dir/debug");
for (['objcopy', '--only-keep-debug', "$ENV{B}/work/shares", $debug], ['objcopy', '--strip-debug', "$ENV{B}/work/shares", $bare]) {
    system(@$_) == 0 or plan skip_all => 'objcopy is needed';
}
chmod 0755, $bare;
my $shares = start_work($bare, 'cycles');

my $functions = qr/^ *\W?SHARE +SAMPLES .*OBJECT +FUNCTION *$/m;
sub screen_with {
    my ($server, $function) = @_;
    $ENV{DEBUGINFOD_URLS} = $server->{url};
    my $screen = Screen->countertop(200, 40, '-d', 0.5, '-s', 'software', '--view', 'functions', '--sample', 'cpu-clock', '--debuginfod', '-p', $shares);
    $screen->wait(qr/\bcycles_seventy *$/m);
    enter($screen, $function);
    return $screen;
}

sub enter {
    my ($screen, $function) = @_;
    $screen->type('/');
    $screen->answer(qr/^Search:/m, $function);
    $screen->key('Enter');
}

# All processes of the program, and how many sockets each has that lead to other machines.
sub sockets {
    my ($pid) = @_;
    my %inet = map { (split)[9] => 1 } split /\n/, slurp("/proc/$pid/net/tcp"); # inode: proc_net_tcp(5)
    my %found;
    my @left = $pid;
    while (defined(my $next = shift @left)) {
        my $name = slurp_or_empty("/proc/$next/comm") =~ s/\n//r;
        $found{$name} += grep { /^socket:\[(\d+)\]/ && $inet{$1} } map { readlink($_) // '' } glob "/proc/$next/fd/*";
        push @left, split ' ', join ' ', map { slurp_or_empty($_) } glob "/proc/$next/task/*/children";
    }
    return \%found;
}

# ---- a server that never answers ----

my $server = DebugServer->new('hang');
my $screen = screen_with($server, 'cycles_seventy');
ok($screen->wait(qr/^cycles_seventy \(shares\): .*; lines: fetching debug information of shares \([1-9]\d* s\); /m), 'a server hangs: what is fetched, and for how long');
ok($screen->wait(qr/^ +[0-9a-f]+ +[\d.]+ +\d+ /m), '... the instructions are there');
my $sockets = sockets($screen->pid_of('countertop'));
is(delete $sockets->{'countertop-get'}, 1, '... one process has a socket to the server');
is_deeply([grep { $sockets->{$_} } sort keys %$sockets], [], '... and no other process has one');
my $own = $screen->pid_of('countertop');
like(slurp("/proc/$own/status"), qr/^Seccomp:\t2$/m, '... the program is in the sandbox');
my $began = time;
$screen->type('T');
ok($screen->wait(qr/lines: still being read/), 'a key is answered');
cmp_ok(time - $began, '<', 5, '... soon');
$screen->type('TT');
$screen->type('Q');
ok($screen->wait(qr/debug information is given up; Q reads it after all/), 'Q ends it');
ok($screen->wait(qr/lines: the debug information of '\S+shares' is not read: it was given up; /), '... which the title says');
ok(wait_for(sub { !exists sockets($own)->{'countertop-get'} }), '... and the process has ended');
my @asked = $server->requests;
is(scalar(@asked), 1, '... after one request');
$screen->type('Q');
ok($screen->wait(qr/lines: fetching debug information of shares \(/), 'Q again asks again');
ok(wait_for(sub { (my @now = $server->requests) == 2 }), '... the server');
$screen->close;
ok(wait_for(sub { !(my @parts = glob "$dir/cache/debuginfod_client/*/debuginfo.*") }), 'after the end no part of a file is left');

# ---- one that does not have it ----

$server = DebugServer->new('missing');
$screen = screen_with($server, 'cycles_seventy');
ok($screen->wait(qr/lines: no debug information in '\S+shares', and none was fetched: The requested URL returned error: 404; /), 'it is not there: the title says so');
$screen->key('BSpace');
$screen->wait($functions);
enter($screen, 'cycles_twenty');
ok($screen->wait(qr/^cycles_twenty \(shares\): .*; lines: no debug information in '\S+shares', and none was fetched: /m), 'the next function of it');
is(scalar(@asked = $server->requests), 1, '... does not ask again');
$screen->close;

# ---- one that sends it, slowly ----

system('rm', '-rf', "$dir/cache");
$server = DebugServer->new('slow', $debug);
$screen = screen_with($server, 'cycles_seventy');
ok($screen->wait(qr/lines: fetching debug information of shares \(\d+ s, \d+\.\d of \d+\.\d MB\); /), 'it comes: how much of how much') ;
# Sources that somebody else named are read as nobody: not where a folder above them is closed.
my $closed = system(qw(setpriv --reuid=65534 --clear-groups test -r), "$ENV{TOP}/tests/work/work.h") != 0;
ok($screen->wait($closed ? qr/^ +work\.h:\d+ in burn\b/m : qr/^ +work\.h:\d+ in burn +\S/m), '... and its lines are there');
$screen->close;

done_testing;

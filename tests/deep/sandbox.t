#!/usr/bin/env perl
# While it runs the program is forbidden what it never needs; its command is not, and --no-sandbox
# turns that off. What exactly is forbidden: unit/sandbox_test.
use Countertop;
use HTTP::Tiny;
use Time::HiRes qw(sleep time);

plan skip_all => 'the sandbox is not possible here (countertop --check)'
    if countertop('--check')->{out} !~ /^sandbox +yes\b/m;
is((json_lines(countertop(qw(--check --format json))->{out}))[0]{sandbox}, Cpanel::JSON::XS::true, '--check says so');
like(countertop(qw(--check --no-sandbox))->{out}, qr/^sandbox +no\b/m, '... or that it is turned off');

# What the kernel says of confinement, one of filters and privileges for each thread or process.
sub confined {
    return map { my $text = slurp($_); join ' ', map { $text =~ /^$_:\s+(\d+)$/m } qw(Seccomp NoNewPrivs) } @_;
}
my ($outside) = confined('/proc/self/status');
plan skip_all => 'these tests are confined themselves' if $outside ne '0 0';

sub threads_of {
    my @options = @_;
    my $program = start('countertop', qw(-b -d 0.1 --format json), @options);
    next_refresh($program) for 1 .. 2; # the header, and one when all threads run
    my @threads = confined(glob "/proc/$program->{pid}/task/*/status");
    is(stop($program)->{status}, 0, "@options: it ends well");
    return @threads;
}
my @threads = threads_of(qw(-s software));
cmp_ok(scalar @threads, '>=', 2, 'threads');
is_deeply(\@threads, [('2 1') x @threads], '... are all confined');
is_deeply([threads_of(qw(-s software --no-sandbox))], [('0 0') x @threads], '--no-sandbox: none is');

my $command = 'grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status';
my $run = run('countertop', '-b', '-s', 'software', '--', 'sh', '-c', $command);
like($run->{out}, qr/^NoNewPrivs:\t0\nSeccomp:\t0\n/m, 'a command is not');

# A recording is read by a program that can count no more, and has no capabilities of its file.
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $db = "$dir/run.db";
is(countertop(qw(-b -n 2 -d 0.1 -s software --format json --record), $db)->{status}, 0, 'a recording');
SKIP: {
    skip "'strace' is not here", 5 if run(qw(sh -c), 'command -v strace')->{status};
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0'; # which traces, too
    $run = run('strace', '-f', '-o', "$dir/calls", 'countertop', '--replay', $db, qw(-b --format json));
    is((grep { $_->{type} eq 'refresh' } json_lines($run->{out})), 2, '... is shown');
    my @calls = split /\n/, slurp("$dir/calls");
    my ($filter) = grep { $calls[$_] =~ /SECCOMP_SET_MODE_FILTER/ } 0 .. $#calls;
    my ($opened) = grep { $calls[$_] =~ /openat.*run\.db"/ } 0 .. $#calls;
    cmp_ok($filter // 1e9, '<', $opened // 0, '... by what was confined before it opened it');

    # A baseline is read by a process of its own, confined in the same way; it opens no counter.
    my %openers;
    for my $seconds (3, 10, 30) { # beside load it takes longer until it counts
        run('strace', '-f', '-o', "$dir/calls", 'onscreen', $seconds, 80, 24, 'countertop', '--baseline', $db, qw(-s software));
        @calls = split /\n/, slurp("$dir/calls");
        %openers = map { /^(\d+) .*(openat.*run\.db"|perf_event_open\()/ ? ($1 => 1) : () } @calls;
        last if keys %openers >= 2;
    }
    my ($reader) = map { /^(\d+) .*openat.*run\.db"/ ? $1 : () } @calls;
    ($filter) = grep { $calls[$_] =~ /^$reader .*SECCOMP_SET_MODE_FILTER/ } 0 .. $#calls;
    ($opened) = grep { $calls[$_] =~ /openat.*run\.db"/ } 0 .. $#calls;
    cmp_ok($filter // 1e9, '<', $opened // 0, 'a baseline is read by what was confined before');
    cmp_ok(scalar(keys %openers), '>=', 2, '... while others count');
    is((grep { /^$reader .*perf_event_open\(/ } @calls), 0, '... which it does not');
}

# The server is a process of its own that can count nothing.
for my $options ([], ['--no-sandbox']) {
    my ($program, $url) = serve(qw(countertop -b -d 0.1 -s software --listen 0), @$options);
    my $serving = server_process($program) or die 'no process serves';
    my $status = slurp("/proc/$serving/status");
    is_deeply([map { $status =~ /^$_:\s+(\w+)$/m } qw(CapPrm CapEff Seccomp NoNewPrivs)],
        ['0' x 16, '0' x 16, @$options ? 0 : 2, 1], "@$options: what serves has no right");
    unlike($status, qr/^[UG]id:.*\b0\b/m, '... and is not root');
    my %open;
    $open{(readlink) =~ s/\[?\d+\]?$//r}++ for glob "/proc/$serving/fd/*";
    is_deeply([@open{'socket:', '/memfd:page (deleted)', '/dev/null'}], [2, 2, 2], '... but two sockets, and pages');
    is(join(' ', grep { !/^socket:|^\/memfd:page|^\/dev\/null$|^anon_inode:\[(eventpoll|timerfd|eventfd)\]$/ } keys %open), '',
        '... and what it waits with');
    my $text = '';
    for (my $end = time + 60; $text !~ /^countertop_refreshes_total [1-9]/m && time < $end; sleep 0.1) {
        $text = HTTP::Tiny->new->get($url)->{content};
    }
    like($text, qr/^countertop_context_switches_total/m, '... and serves');
    if (@$options) {
        kill KILL => $program->{pid};
        is(finish($program)->{status}, 128 + 9, 'what counts is killed');
        my $gone;
        for (my $end = time + 20; !$gone && time < $end; sleep 0.02) {
            $gone = slurp_or_empty("/proc/$serving/stat") =~ /^(\d+ \S+ [^Z])?/ && !$1;
        }
        ok($gone, '... and what serves ends with it');
    } else {
        kill $_ => $serving for qw(INT TERM HUP QUIT TSTP);
        is(HTTP::Tiny->new->get($url)->{status}, 200, 'signals to all of a service do not end it before');
        is(stop($program)->{status}, 0, '... it ends with what counts');
    }
}

# Its end is the end of a service, with a reason; in a terminal it is said.
my $err = "$dir/err";
my $program = start('sh', '-c', "exec countertop -b -d 0.1 -s software --listen 0 2>$err");
sleep 0.02 while !-s $err;
kill KILL => server_process($program);
is(finish($program)->{status}, 1, 'the end of the server ends the program');
like(slurp($err), qr{^countertop: the server at http://127\.0\.0\.1:\d+/metrics was ended by signal 9 \(Killed\)$}m,
    '... which says why');
done_testing;

#!/usr/bin/env perl
# Source lines between the instructions in the terminal; the process that reads them: what it holds,
# that nothing waits for it, that it can be given up and can die.
use Screen;

my $shares = start_work(qw(shares cycles));
my $chain = start_work('chain');
my $titles = qr/^ +\W?ADDRESS +SHARE +SAMPLES .*INSTRUCTION *$/m;
my $functions = qr/^ *\W?SHARE +SAMPLES .*OBJECT +FUNCTION *$/m;

# The instructions of a function, from the table of functions. In an interval without a sample of it the
# cursor is elsewhere.
sub enter {
    my ($screen, $function) = @_;
    wait_for(sub {
        $screen->wait(qr/\b$function *$/m);
        $screen->type('/');
        $screen->answer(qr/^Search:/m, $function);
        $screen->key('Enter');
        $screen->wait(sub { $_[0] =~ $titles || $_[0] =~ /no sample of it/ });
        return 1 if $screen->text =~ /^(?:\w+ \d+: )?$function \(/m;
        $screen->key('BSpace') if $screen->text =~ $titles;
        $screen->wait($functions);
        return 0;
    });
}

# The process that reads lines for the countertop of a screen.
sub reader_of {
    my ($screen) = @_;
    my $own = $screen->pid_of('countertop');
    my ($reader) = grep { slurp_or_empty("/proc/$_/comm") eq "countertop-line\n" }
        split ' ', join ' ', map { slurp_or_empty($_) } glob "/proc/$own/task/*/children";
    return $reader;
}

my $screen = Screen->countertop(120, 30, '-d', 0.5, '-s', 'software', '--view', 'functions', '--sample', 'cpu-clock', '-p', "$shares,$chain");
ok($screen->wait(qr/\bcycles_seventy *$/m), 'functions');
enter($screen, 'cycles_seventy');
ok($screen->wait(sub { $_[0] =~ $titles && $_[0] =~ /^ +work\.h:\d+ in burn +\S/m }), 'Enter shows lines with the instructions');
like($screen->text, qr/^ +[0-9a-f]+ +[\d.]+ +\d+ .*(?:  |[↓↑→←] )(?:sub|jnz) /m, '... which have the numbers');
$screen->type('T');
ok($screen->wait(sub { $_[0] =~ /^ +\W?LINE +SHARE +SAMPLES .*INSTRUCTION *$/m && $_[0] =~ /^ +\d+ +\d+\.\d+ +\d+ .*work\.h:\d+ in burn +\S/m }),
    'T: lines alone, with numbers');
unlike($screen->text, qr/^ +[0-9a-f]+ .* jnz /m, '... without instructions');
$screen->type('T');
ok($screen->wait(sub { $_[0] =~ $titles && $_[0] !~ /work\.h:\d/ }), 'again: instructions alone');
$screen->type('T');
ok($screen->wait(sub { $_[0] =~ $titles && $_[0] =~ /work\.h:\d/ }), 'again: both');
$screen->type('G');
ok($screen->wait(qr/^Inlined into it.*^ *work \(inlined\)|^Inlined into it.*\bwork \(inlined\)/ms), 'G: what is inlined into it');
$screen->key('Escape');
ok($screen->wait($titles), '... and back');
$screen->close;
# ---- the process that reads ----

$screen = Screen->countertop(250, 40, '-d', 0.5, '-s', 'software', '--view', 'functions', '--sample', 'cpu-clock', '-p', "$shares,$chain");
$screen->wait(qr/\bcycles_seventy *$/m);
enter($screen, 'cycles_seventy');
$screen->wait(qr/work\.h:\d/);
my $reader = reader_of($screen);
ok($reader, 'it is a child of its own') or BAIL_OUT('no process that reads');
SKIP: {
    skip 'sanitizers reserve more memory than any limit allows', 1 if $ENV{B} =~ /asan/;
    unlike(slurp("/proc/$reader/limits"), qr/^Max address space +unlimited/m, 'its memory is limited');
}
like(slurp("/proc/$reader/limits"), qr/^Max core file size +0 /m, '... it leaves no core file');
my @files = map { readlink $_ } glob "/proc/$reader/fd/*";
is_deeply([grep { !m{^socket:|^/dev/null$|/work/(?:shares|chain)$} } @files], [], '... and it holds nothing but its socket and the program');
cmp_ok((split ' ', slurp("/proc/$reader/stat") =~ s/.*\) //r)[16], '>=', 10, '... with low priority');

# It is stopped: the screen goes on.
kill STOP => $reader;
$screen->key('BSpace');
$screen->wait($functions);
enter($screen, 'chain');
ok($screen->wait(qr/^chain \(chain\): .* % of samples; lines: reading chain \([1-9]\d* s, \d+ MB\); /m), 'while it reads: what, for how long, its memory');
ok($screen->wait(qr/^ +[0-9a-f]+ +[\d.]+ +\d+ .*add \$0x1, %rsi/m), '... and the instructions are there with their samples') if `uname -m` =~ /^x86_64/;
$screen->type('T');
ok($screen->wait(qr/^lines: still being read|lines: still being read/m), 'keys are answered meanwhile');
$screen->type('TT');
$screen->type('Q');
ok($screen->wait(qr/debug information is given up; Q reads it after all/), 'Q gives it up');
ok($screen->wait(qr/lines: the debug information of '\S+chain' is not read: it was given up; /), '... which the title says');
ok(wait_for(sub { !-e "/proc/$reader" }), '... and the process has ended');
$screen->type('Q');
ok($screen->wait(qr/chain\.c:\d/), 'Q again reads it after all');

# It dies.
$reader = reader_of($screen);
kill STOP => $reader;
$screen->key('BSpace');
$screen->wait($functions);
enter($screen, 'cycles_twenty');
$screen->wait(qr/lines: reading shares /);
kill ABRT => $reader;
kill CONT => $reader;
ok($screen->wait(qr/lines: the process that read the debug information of '\S+shares' was ended by signal 6 \(Aborted\); /),
    'it is ended by a signal: the title says so');
$screen->key('BSpace');
$screen->wait($functions);
enter($screen, 'cycles_ten');
$screen->type('Q');
ok($screen->wait(qr/work\.h:\d+ in burn/), '... and after Q another one reads the next function');
$reader = reader_of($screen) // 0;
$screen->close;
ok(wait_for(sub { !-e "/proc/$reader" }), 'it ends with the program');

done_testing;

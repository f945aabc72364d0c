#!/usr/bin/env perl
# A terminal that accepts no output, after Ctrl-S or without a reader: counting goes on, memory does
# not grow, signals end the program, and the next frame shown is current.
use Screen;
use Pty;
use Script;

sub memory {
    return slurp_or_empty("/proc/$_[0]/status") =~ /^VmRSS:\s+(\d+)/m ? $1 : die "no memory of $_[0]\n";
}

# Lets intervals pass, with 100 switches in each: they are counted, whether they are shown or not.
my $script;
my $counted = 0;
sub count {
    $script->step('run 1001 oncpu=0.5 context-switches=100') for 1 .. $_[0];
    $counted += $_[0];
}

sub ends {
    my ($pid, $ended) = @_;
    kill TERM => $pid;
    ok(wait_for($ended), 'SIGTERM ends it');
}

# Sanitizers keep what is freed for a while.
my $kept = $ENV{ASAN_OPTIONS} ? 64 * 1024 : 1024;
{
    $script = Script->new('task 1001 name=sleeper');
    my $screen = Screen->new(80, 24, $script->command(qw(-e context-switches -s software --show total --exact --engine cpu)));
    my $total = sub { my ($n) = @_; return sub { $_[0] =~ /^ *1001(?: +\S+){3} +${\($n * 100)} /m } };
    count(5);
    ok($screen->wait($total->(5)), 'it runs');
    my $pid = $screen->pid_of('scripted');
    $screen->key('C-s');
    my $text;
    # What was written before it stopped is shown still.
    wait_for(sub {
        my $before = $text // '';
        count(1);
        return ($text = $screen->still) eq $before;
    });
    count(10); # the frame that waits for the terminal is made
    my $memory = memory($pid);
    count(20);
    is($screen->still, $text, '... while the terminal is stopped it counts, and shows nothing');
    cmp_ok(memory($pid) - $memory, '<', $kept, '... and keeps nothing for it (KiB)');
    $screen->type('I'); # a key, too
    $screen->key('C-q');
    ok($screen->wait(qr/\^%CPU|▲%CPU/), '... then it shows what a key did meanwhile');
    
    ok($screen->wait($total->($counted)), '... and nothing was lost');
    my $shown = $screen->still;
    $screen->key('C-l');
    ok($screen->wait(sub { $_[0] eq $shown }), '... and all of the screen is right');
    $screen->key('C-s');
    count(10);
    ends($pid, sub { !runs($pid) });
    $screen->key('C-q');
}

sub open_pty {
    my ($width, $height, @command) = @_;
    my %environment = (TERM => 'xterm-256color');
    return Pty->start({width => $width, height => $height, environment => \%environment}, @command);
}

# Nobody reads at all: a pseudo-terminal keeps 64 KiB at most, which 100 refreshes of many rows are more than.
$script = Script->new(map { "task $_ name=task$_" } 1001 .. 1040);
my $number = 0;
sub count_many {
    for (1 .. $_[0]) {
        $number++;
        $script->step(map { "run $_ oncpu=0.01 page-faults=" . ($_ * $number) } 1001 .. 1040);
    }
}
my $pty = open_pty(200, 50, $script->words(qw(-s software --engine cpu --exact)));
count_many(100);
pass('it counts where nobody reads');
my $memory = memory($pty->{pid});
count_many(20);
cmp_ok(memory($pty->{pid}) - $memory, '<', 2 * $kept, '... and keeps nothing for it (KiB)');
$pty->{output} = '';
$pty->read(0.05);
cmp_ok(length $pty->{output}, '<', 80_000, '... and there is not all that was missed');
$pty->{output} = '';
count_many(1);
ok(wait_for(sub { $pty->read(0.1) && $pty->{output} =~ /\e\[/ }), 'read again, it goes on');
ends($pty->{pid}, sub { defined $pty->ended });
is($pty->ended, 0, '... well');

# What restores the terminal arrives where nobody reads before the end, or output is stopped by Ctrl-S;
# frames that were not shown are given up for it.
for my $case (['nobody reads', '', 'TERM'], ['output is stopped', "\cS", 'TERM'],
    ['nobody reads', '', 'QUIT'], ['output is stopped', "\cS", 'QUIT']) {
    my ($name, $typed, $signal) = @$case;
    $script = Script->new(map { "task $_ name=task$_" } 1001 .. 1040);
    $pty = open_pty(200, 50, $script->words(qw(-s software --engine cpu --exact)));
    $number = 0;
    count_many(1);
    ok(wait_for(sub { $pty->read(0.1); $pty->{output} =~ /COMMAND/ }), 'it runs');
    $pty->type($typed);
    count_many(100);
    $pty->{output} = '';
    kill $signal => $pty->{pid};
    ok(wait_for(sub { defined $pty->ended }), "$name: SIG$signal ends it");
    ok(scalar($pty->{output} =~ /\e\[\?1049l[^\e]*(?:\e\[(?!\?1049h)[^\e]*)*\z/), '... the screen of before is back')
        or diag length($pty->{output}), ' bytes, ending in ', quotemeta substr $pty->{output}, -100;
    is($pty->mode, $pty->{mode}, '... and the modes');
}

# As another user it may not open the terminal again: it has only what it shares with the shell.
my @as_another = $> == 0 ? qw(setpriv --reuid=65534 --clear-groups) : ();
$script = Script->new('task 1001');
$pty = open_pty(80, 24, @as_another, $script->words(qw(-s software)));
count(1);
ok(wait_for(sub { $pty->read(0.1); $pty->{output} =~ /COMMAND/ }), 'as another user: it runs');
$pty->type("\cS");
wait_for(sub { count(1); !$pty->read(0.5) });
count(10);
ok(!$pty->read(0.1), '... it counts while the terminal is stopped, and shows nothing');
$pty->type("\cQ");
ok(wait_for(sub { $pty->read(0.1) }), '... then it goes on');
$pty->type("\cS");
count(10);
ends($pty->{pid}, sub { defined $pty->ended });
is($pty->ended, 0, '... well');
is($pty->mode, $pty->{mode}, '... with the modes of the terminal as they were');

done_testing;

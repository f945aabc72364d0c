#!/usr/bin/env perl
# Instructions in the terminal: of a function, with the cursor at the hottest; jumps and calls are
# followed and come back; in a pause, too.
use Screen;
use Time::HiRes qw(sleep time);

plan skip_all => 'the text of instructions is known for x86' if `uname -m` !~ /^x86_64/;

my $chain = start_work('chain');
my $spin = start_work('spin', '-r');
# Beside load, the kernel's own functions may have the most samples of an interval.
my @user = ('-d', 0.5, '-s', 'software', '--mode', 'user');
my $functions = qr/^ *\W?SHARE +SAMPLES .*OBJECT +FUNCTION *$/m;
my $instructions = qr/^ +\W?ADDRESS +SHARE +SAMPLES .*INSTRUCTION *$/m;

# Whether the cursor is in a row, one of those with these texts: it alone has a background.
sub is_at {
    my ($screen, @texts) = @_;
    return grep { my $style = $screen->style_of(qr/^ +[0-9a-f]+ .*$_/); $style->{reverse} || $style->{background} } @texts;
}

# Whether it comes there.
sub cursor_at {
    my ($screen, $name, @texts) = @_;
    ok($screen->wait(sub { is_at($screen, @texts) }), $name);
}

my $screen = Screen->countertop(100, 30, @user, '-p', "$chain,$spin");
ok($screen->wait(sub { Screen::pids($_[0]) == 2 }), 'two programs run');
$screen->type('!');
ok($screen->wait(qr/^only instructions have a hottest one: Enter on a function shows them/m), '! is for instructions');
$screen->key('BSpace');
ok($screen->wait(qr/^only instructions have a way back: Enter on a function shows them/m), 'Backspace, too');
$screen->type('/');
$screen->answer(qr/^Search:/m, 'chain');
$screen->type('p');
ok($screen->wait(sub { $_[0] =~ $functions && $_[0] =~ /\bchain +chain$/m }), 'functions');
$screen->key('Enter');
ok($screen->wait($instructions), 'Enter shows the instructions of one');
ok($screen->wait(qr/^(?:chain $chain: )?chain \(chain\): [\d.]+ % of samples; the cause is usually/m), '... which, and where the cause is');
like($screen->text, qr/\[Functions\]/, '... the tab is that of functions');
# Of few samples, any may be: those of an interval in which it hardly ran.
my $hottest = sub {
    $screen->key('Home');
    $screen->type('!');
    my $end = time + 2;
    sleep 0.05 until is_at($screen, qr/add \$0x1, %rsi/, qr/div %r/) || time > $end;
    return time <= $end;
};
ok(wait_for(sub { is_at($screen, qr/add \$0x1, %rsi/, qr/div %r/) || $hottest->() }), 'the cursor is at the hottest');
ok(wait_for($hottest), '... and there again by !');

# Jumps.
$screen->type('/');
$screen->answer(qr/^Search:/m, 'jnz');
cursor_at($screen, 'a jump up', qr/↑ jnz 0x/);
$screen->key('Enter');
cursor_at($screen, 'Enter goes where it leads', qr/or \$0x7fffffff, %rax/);
$screen->key('Enter');
ok($screen->wait(qr/neither a jump nor a call/), '... what leads nowhere says so');
$screen->key('BSpace');
cursor_at($screen, 'Backspace goes back to the jump', qr/↑ jnz 0x/);
$screen->type('G');
ok($screen->wait(qr/^chain  .*\n.*^itself +[\d.]+ % of all samples/ms), 'G shows callers');
$screen->key('Escape');
$screen->wait($instructions);
$screen->key('BSpace');
ok($screen->wait($functions), 'Backspace again goes back to the functions');

# Calls, in a pause.
$screen->type('p');
$screen->wait(qr/^ *$spin .*\bspin/m);
$screen->key('BTab');
ok($screen->wait(sub { $_[0] =~ $functions && $_[0] =~ /\bspin +main$/m }), 'functions of all');
$screen->type('/');
$screen->answer(qr/^Search:/m, 'main');
$screen->type('Z');
$screen->wait(qr/PAUSED/);
$screen->key('Enter');
ok($screen->wait(qr/^main \(spin\): [\d.]+ % of samples/m), 'paused: another function');
$screen->wait(qr/^ +[0-9a-f]+ +[\d.-]+ +[\d.-]+ /m); # the code has been read
$screen->type('/');
$screen->answer(qr/^Search:/m, 'signal@plt');
cursor_at($screen, 'a call', qr/→ call 0x[0-9a-f]+ <signal\@plt>/);
$screen->key('Enter');
ok($screen->wait(qr/^signal\@plt \(spin\): 0.00 % of samples/m), 'Enter goes to the function');
ok($screen->wait(qr/^ +[0-9a-f]+ +- +- .*jmp/m), '... and lists it');
$screen->key('BSpace');
cursor_at($screen, 'Backspace goes back to the call', qr/→ call 0x[0-9a-f]+ <signal\@plt>/);
$screen->type('Z');
$screen->type('p');
ok($screen->wait($functions), 'p goes back to the functions');
$screen->key('Enter');
# In an interval without a sample of the function there is nothing to open.
ok($screen->wait(sub { $screen->key('Enter') if $_[0] =~ /no sample of it/; $_[0] =~ $instructions }),
    'Enter opens them again');
$screen->key('Tab');
ok($screen->wait(sub { $_[0] !~ $instructions && $_[0] =~ /\[Tasks\]/ }), 'Tab leads on from the functions');
$screen->close;
# Without colours and beyond ASCII.
$screen = Screen->countertop(80, 24, @user, '-p', $chain, '--ascii', '--no-color', '--view', 'instructions');
ok($screen->wait(qr/^ +[0-9a-f]+ +- +- .*\^ jnz 0x/m), 'ASCII: the hottest function at the start');
unlike($screen->text, qr/[^\x00-\x7f]/, '... in ASCII alone');
$screen->close;

done_testing;

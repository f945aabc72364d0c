#!/usr/bin/env perl
# Every kind of exit restores the terminal: modes, cursor, and the old contents of the screen.
use Screen;

my $dir = tempdir(CLEANUP => 1);

sub modes {
    my ($screen) = @_;
    my $file = "$dir/modes";
    unlink $file;
    $screen->type("stty -a >$file.new; mv $file.new $file");
    $screen->key('Enter');
    wait_for(sub { -e $file });
    $screen->wait(qr/^ready> *\n*\z/m); # what is typed before the prompt stands on a line of its own
    return slurp($file);
}

# The shell's prompt below what stood there before, and nothing of the table.
sub is_back {
    my ($text) = @_;
    return $text =~ /^what stood there before$/m && $text =~ /^ready>\s*$/m && $text !~ /COMMAND/;
}

sub begin {
    my (@size) = @_;
    my $screen = Screen->shell(@size);
    $screen->type('echo what stood there before');
    $screen->key('Enter');
    $screen->wait(qr/^what stood there before$/m);
    my $modes = modes($screen);
    start($screen);
    return ($screen, $modes);
}

sub start {
    my ($screen) = @_;
    $screen->type(countertop_command('-d', 0.2, '-s', 'software') . '; echo ended');
    $screen->key('Enter');
    $screen->wait(sub { $_[0] =~ /COMMAND/ && Screen::rows($_[0]) > 1 });
}

sub ends {
    my ($screen, $modes, $name) = @_;
    ok($screen->wait(sub { is_back($_[0]) && $_[0] =~ /^ended$/m }), "$name: the screen is back");
    is(modes($screen), $modes, "$name: the modes too");
    is($screen->tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}'), "1 0\n",
       "$name: the cursor is shown, on the ordinary screen");
}

my ($screen, $modes) = begin(80, 24);
unlike($screen->text, qr/what stood/, 'a screen of its own');
$screen->key('q');
ends($screen, $modes, 'q');
start($screen);
$screen->key('F10');
ends($screen, $modes, 'F10');

($screen, $modes) = begin(80, 24);
$screen->key('C-c');
ends($screen, $modes, 'SIGINT');
for my $signal ('TERM', 'HUP', 'QUIT', 'ABRT') {
    start($screen);
    kill $signal, $screen->pid_of('countertop');
    ends($screen, $modes, "SIG$signal");
}

# Stopped and continued: the shell has its terminal in between.
($screen, $modes) = begin(80, 50);
my @stops = (['▲', sub { $screen->key('C-z') }],
             ['▼', sub { kill 'TSTP', $screen->pid_of('countertop') }]);
for my $case (@stops) {
    my ($mark, $stop) = @$case;
    $stop->();
    ok($screen->wait(sub { is_back($_[0]) && $_[0] =~ /Stopped/ }), 'SIGTSTP: the screen is back');
    is(modes($screen), $modes, 'SIGTSTP: the modes too');
    $screen->type('fg');
    $screen->key('Enter');
    ok($screen->wait(sub { Screen::rows($_[0]) > 1 && $_[0] !~ /Stopped/ }), 'fg: it goes on');
    $screen->key('I');
    ok($screen->wait(qr/$mark%CPU/), 'fg: keys work');
}
# SIGSTOP cannot be seen coming, so the shell finds our modes, in which Enter is no newline; ours are
# set again when it goes on.
kill 'STOP', $screen->pid_of('countertop');
$screen->wait(sub { $_[0] =~ s/\s+//gr =~ /ready>/ }); # anywhere in the table, also around the edge
$screen->type('fg');
$screen->key('C-j');
ok($screen->wait(sub { Screen::rows($_[0]) > 1 && $_[0] !~ /Stopped/ }), 'SIGSTOP, fg: drawn again');
$screen->key('I');
ok($screen->wait(qr/▲%CPU/), 'SIGSTOP, fg: keys work without Enter');
$screen->key('q');
ok($screen->wait(sub { $_[0] =~ /^ready>\s*$/m && $_[0] !~ /COMMAND/ }), 'it still can be left');
is(modes($screen), $modes, 'with all modes as they were');

# A terminal that goes away, as when ssh is cut off, takes it along.
start($screen);
my $pid = $screen->pid_of('countertop');
$screen->close;
ok(wait_for(sub { !runs($pid) }), 'it does not outlive its terminal');

done_testing;

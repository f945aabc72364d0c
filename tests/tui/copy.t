#!/usr/bin/env perl
# The pid, the command line or the row under the cursor goes to the clipboard of the terminal (OSC 52).
use Screen;

my $named = start_named('日本語 é');
my $spin = start_work('spin', '-rn', 1);
my @watch = ('-s', 'software', '-d', 0.3, '-p');

# What the clipboard of tmux has, once it has something.
sub clipboard {
    my ($screen) = @_;
    my $text = '';
    wait_for(sub { ($text = eval { $screen->tmux('show-buffer') } // '') !~ /^(?:no buffers)?\s*\z/ });
    eval { $screen->tmux('delete-buffer') };
    return $text =~ s/\n\z//r =~ s/\\t/\t/gr; # some versions of tmux show tabs so
}

my $screen = Screen->new(100, 24, countertop_command(@watch, $spin));
$screen->tmux('set-option', '-s', 'set-clipboard', 'on');
$screen->wait(qr/^ *$spin .*spin/m);
$screen->key('Down');
wait_for(sub { $screen->is_selected($spin) });
for (['#', 'the pid', qr/^$spin$/], ['~', 'the command line', qr/^spin -rn 1$/],
     ['|', 'the row', qr/^$spin\t\w+\t\d+\t[\d.]+\t.*\tspin$/]) {
    my ($key, $what, $text) = @$_;
    $screen->type($key);
    like(clipboard($screen), $text, "$what is copied");
    ok($screen->wait(qr/^copied: /m), '... it says so');
}
$screen->close;

$screen = Screen->new(100, 24, countertop_command(@watch, $named));
$screen->tmux('set-option', '-s', 'set-clipboard', 'on');
$screen->wait(qr/^ *$named /m);
$screen->key('Down');
wait_for(sub { $screen->is_selected($named) });
$screen->type('~');
like(clipboard($screen), qr/日本語 é/, 'other characters, too');
$screen->key('v');
$screen->wait(qr/\bHEAT\b/);
$screen->type('#');
ok($screen->wait(qr/^no row here is a process: Tab leads to the tasks/m), 'what has no pid says so');
$screen->close;

$screen = Screen->new(100, 24, 'TERM=vt100 ' . countertop_command(@watch, $spin));
$screen->wait(qr/^ *$spin .*spin/m);
$screen->key('Down');
wait_for(sub { $screen->is_selected($spin) });
$screen->type('#');
ok($screen->wait(qr/^cannot copy: this terminal has no clipboard/m), 'a terminal without one is told apart');
$screen->close;

done_testing;

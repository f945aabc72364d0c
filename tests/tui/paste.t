#!/usr/bin/env perl
# Pasted text is typed into a prompt, and is not taken as commands elsewhere.
use Screen;

my $spin = start_work('spin', '-r');
my $screen = Screen->countertop(80, 24, '-p', $spin, '-d', 0.2, '-s', 'software');
my $shown = sub { join(' ', Screen::pids($_[0])) eq $spin };
ok($screen->wait($shown), 'it runs');

sub paste {
    my ($text) = @_;
    $screen->type("\e[200~$text\e[201~");
}

# q would end it, K count again, A detach, 1 show CPUs, F4 open a prompt.
paste("qqq\nKA1\t\eOS\e[14~q\r\n");
$screen->key('I');
ok($screen->wait(qr/▲%CPU/), 'a text pasted over the table ends nothing, and keys work after it');
ok($shown->($screen->text), '... the table is as it was');
unlike($screen->text, qr/filter:/i, '... and no prompt is open');

$screen->key('\\');
$screen->wait(qr/^Filter/m);
paste("no such\nname é\t\e[A\x01x");
ok($screen->wait(qr/^Filter: no such name é x *$/m), 'in a prompt it is text, in one line')
    or diag $screen->text;
$screen->key('Enter');
ok($screen->wait(sub { !Screen::pids($_[0]) }), '... and Enter is Enter again');

# Where the mark of its end is lost, Esc gets one out of it.
$screen->key('\\');
$screen->key('C-u');
$screen->key('Enter');
$screen->wait($shown);
$screen->key('Down');
wait_for(sub { $screen->is_selected($spin) });
$screen->type("\e[200~abc");
$screen->key('Escape'); # alone: with another key behind it at once it would be part of the text
ok(wait_for(sub { !$screen->is_selected($spin) }), 'Esc ends what has no end');
$screen->key('I');
ok($screen->wait(qr/▼%CPU/), '... and keys are keys again');
$screen->key('q');
ok(wait_for(sub { $screen->text !~ /COMMAND/ }), '... and q ends it all');

done_testing;

#!/usr/bin/env perl
# Pausing, single steps, the delay, the size of the terminal, and the help.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Screen;
use Test::More;
use Time::HiRes qw(sleep time);

my $spin = start_work('spin');

for my $size ([80, 24], [200, 50]) {
    my ($width, $height) = @$size;
    my $at = "${width}x$height";
    my $screen = Screen->countertop(@$size, '-p', $spin, '-d', 0.1, '-s', 'software');
    my $shown = sub { join(' ', Screen::pids($_[0])) eq $spin };
    ok($screen->wait($shown), "$at: counting");

    $screen->key('Z');
    ok($screen->wait(qr/PAUSED/), "$at: Z says that it pauses");
    my $held = $screen->text;
    my $end = time + 1.2; # a dozen refreshes, and the clock of the header
    my $same = 1;
    $same &&= $screen->text eq $held while time < $end && sleep 0.05;
    ok($same, "$at: nothing moves");
    $screen->type('I');
    ok($screen->wait(qr/▲%CPU/), "$at: keys work all the same");
    my ($clock) = $held =~ /(\d\d:\d\d:\d\d)/;
    $screen->key('r');
    ok($screen->wait(sub { $_[0] =~ /PAUSED/ && $_[0] !~ /\Q$clock\E/ }), "$at: r is one step");
    $screen->key('Z');
    ok($screen->wait(sub { $_[0] !~ /PAUSED/ }), "$at: Z goes on");

    $screen->key('d');
    $screen->wait(qr/^Seconds between refreshes:/m);
    $screen->type('soon');
    $screen->key('Enter');
    ok($screen->wait(qr/delay must be 0\.05 to 3600 seconds, not 'soon'/), "$at: no delay, and why");
    $screen->key('C-u');
    $screen->type('0.25');
    $screen->key('Enter');
    ok($screen->wait(qr/every 0\.25 s/), "$at: the header shows the new delay");

    # Each size is drawn at once, with the line of keys last.
    for my $new ([40, 10], [132, 43], [20, 5], [$width, $height]) {
        $screen->resize(@$new);
        my $fits = sub {
            my @lines = split /\n/, $_[0], -1;
            return $shown->($_[0]) && ($new->[1] < 8 || $lines[$new->[1] - 1] =~ /help/);
        };
        ok($screen->wait($fits), "$at: drawn anew at $new->[0]x$new->[1]");
    }
    $screen->resize(15, 4);
    ok($screen->wait(qr/^terminal too s/), "$at: too small is told");
    $screen->resize(@$size);
    ok($screen->wait($shown), "$at: and is no end");

    $screen->key('F1');
    ok($screen->wait(qr/^Keys\s*$/m), "$at: F1 is the help");
    my ($help, $page) = ('', '');
    my $more = sub { # each page once, when it is drawn
        my $text = $screen->text;
        return 0 if $text eq $page;
        $page = $text;
        $help .= $text;
        return 1 if $help =~ /^Columns of the table\s*$/m && $help =~ /^COMMAND +\S/m;
        $screen->key('NPage');
        return 0;
    };
    ok(wait_for($more), "$at: it can be read to its end");
    for my $key ('F1 h ?', 'F3 / L', 'F4 \\', 'F6 O', '< >', 'I R', 'P', 'H', 'v', 'i', 'c', 'e', 'a', 'd s',
                 'Enter', 'o', 'X', 'K', 'r', 'Z', '^L', 'q F10') {
        like($help, qr/^\Q$key\E {2,}\S/m, "$at: it explains $key");
    }
    $screen->key('q');
    ok($screen->wait($shown), "$at: q closes it");
    $screen->key('C-l');
    ok($screen->wait($shown), "$at: ^L draws the same");
}

done_testing;

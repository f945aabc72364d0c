#!/usr/bin/env perl
# Curves take the full width: a window of 1, 2 or 5 minutes, the newest value at the right edge.
use Screen;
use Script;

my @machine = ('cpus 1', 'task 101 name=spin');
my $dots = qr/[⠁-⣿]/;

# Each interval is as busy as the others, so a curve has no gap where there are values.
sub run_intervals {
    my ($script, $count) = @_;
    $script->step('run 101 oncpu=0.9 context-switches=40') for 1 .. $count;
}

# The line of a measure in details, without blanks at its end.
sub curve_of {
    my ($text, $name) = @_;
    return $text =~ /^(\Q$name\E .*?) *$/m ? $1 : '';
}

for my $size ([80, 24], [120, 40], [200, 50]) {
    my ($width, $height) = @$size;
    my $at = "${width}x$height";
    my $script = Script->new(@machine);
    my $screen = Screen->new($width, $height, $script->command(qw(-s software --engine cpu -p 101)));
    run_intervals($script, 3);
    # The history in the header ends beside its numbers from the first values on ...
    ok($screen->wait(qr/^(?:\d+ s)? +$dots+ max 90%/m), "$at: the newest value is at the right");
    run_intervals($script, 140);
    # ... and has no empty cells when there are enough.
    ok($screen->wait(sub {
        my ($seconds, $lead, $curve) = $_[0] =~ /^(\d+) s( +)($dots+) max 90%/m or return;
        return $seconds >= 60 && length("$seconds s$lead") <= 7 && length $curve > $width / 4;
    }), "$at: the header's history fills its place");

    ok($screen->choose(101), "$at: a row");
    $screen->key('Enter');
    my @least = (60, 120, 300, 301);
    for my $i (0 .. 2) {
        ok($screen->wait(sub { $_[0] =~ /^ +now .* last (\d+) s/m && $1 >= $least[$i] && $1 < $least[$i + 1] }),
            "$at: details show at least $least[$i] s");
        is(length curve_of($screen->text, '%CPU'), $width, "$at: ... up to the right edge");
        $screen->key('-') if $i < 2;
    }
    $screen->key('+');
    ok($screen->wait(qr/^ +now .* last 1\d\d s/m), "$at: + shows less again");
    $screen->key('Escape');
    $screen->wait(qr/COMMAND/);
    $screen->key('F8');
    # In a chart, all of its width, whatever the window.
    for my $key ('+', '-') {
        $screen->key($key);
        ok($screen->wait(sub {
            my ($curve) = $_[0] =~ /%CPU .*\n.{8}┤.*\n.{8}[┤│](.*?) *$/m or return;
            return length $curve == $width - 9;
        }), "$at: a chart is as wide as the screen");
    }
    $screen->close;
}

# Low screens: a notice takes one line, and one that is too small says so in whole words.
my $low = Screen->countertop(60, 15, '-p', "none$$", '-d', 0.3, '-s', 'software');
ok($low->wait(qr/^no process is called 'none$$' yet: .*\.\.\. *\nF1 help/m), '60x15: the notice has one line');
$low->resize(10, 4);
ok($low->wait(qr/\Aterminal *\ntoo small/), '10x4: it is too small');
$low->close;

done_testing;

#!/usr/bin/env perl
# Pausing, single steps, the delay, the size of the terminal, and the help.
use Screen;
use Script;

my ($spin, $ends) = (1001, 1002);
my @machine = ("task $spin name=spin cmd=spin", "task $ends name=spin cmd=spin%20-s%203600 cpu=1");
my @ran = ("run $spin oncpu=0.5 context-switches=3", "run $ends oncpu=0.25 context-switches=2");

{
    my ($width, $height) = (80, 24);
    my $at = "${width}x$height";
    my $script = Script->new(@machine);
    my $screen = Screen->new($width, $height, $script->command('-p', $spin, '-s', 'software'));
    my $shown = sub { join(' ', Screen::pids($_[0])) eq $spin };
    $script->step(@ran);
    ok($screen->wait($shown), "$at: counting");

    $screen->key('Z');
    ok($screen->wait(qr/PAUSED/), "$at: Z says that it pauses");
    my $held = $screen->still;
    $script->step(@ran) for 1 .. 12;
    is($screen->still, $held, "$at: nothing moves");
    $screen->type('I');
    ok($screen->wait(qr/▲%CPU/), "$at: keys work all the same");
    my ($clock) = $held =~ /(\d\d:\d\d:\d\d)/;
    $screen->key('r');
    ok($screen->wait(sub { $_[0] =~ /PAUSED/ && $_[0] !~ /\Q$clock\E/ }), "$at: r is one step");
    $screen->key('Z');
    ok($screen->wait(sub { $_[0] !~ /PAUSED/ }), "$at: Z goes on");
    $script->step(@ran);
    $screen->wait($shown);

    $screen->key('d');
    $screen->answer(qr/^Seconds between refreshes:/m, 'soon');
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
        ok($screen->wait($fits), "$at: drawn at $new->[0]x$new->[1]");
    }
    $screen->resize(15, 4);
    ok($screen->wait(qr/^terminal too\s+small/), "$at: too small is told");
    $screen->resize($width, $height);
    ok($screen->wait($shown), "$at: and is no end");

    $screen->key('F1');
    ok($screen->wait(qr/^Keys\s*$/m), "$at: F1 is the help");
    $screen->key('q');
    ok($screen->wait($shown), "$at: q closes it");
    $screen->key('C-l');
    ok($screen->wait($shown), "$at: ^L draws the same");
}

# What keys draw in a pause is of the pause, too: neither later intervals, which push the first ones
# out of histories, nor what /proc says now, which is nothing once a task has ended.
my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/proc.ini" or die;
print $ini "[screen proc]\nevents = context-switches\n",
    "columns = pid state sys_pct cpu_pct context-switches command\n";
close $ini;
my $script = Script->new(@machine);
my $screen = Screen->new(100, 40, $script->command('-p', "$spin,$ends", '-W', $dir, '-s', 'proc', '--sort', '-pid', '-i', '-c'));
$script->step(@ran) for 1 .. 10;
ok($screen->choose($ends), 'a task that will end');
$screen->key('F8');
ok($screen->wait(qr/^spin -s 3600 .*PID $ends\b/m), 'its chart');
$screen->key('Z');
$screen->wait(qr/PAUSED/);
my $held = $screen->still;
$screen->key('m');
ok($screen->wait(qr/^machine: /m), 'the chart of the machine');
my $machine = $screen->still;
$script->step($ran[0], $_ == 1 ? "exit $ends" : ()) for 1 .. 130; # more than a history keeps
$screen->resize(99, 40);
ok($screen->wait(sub { $_[0] ne $machine }), 'another size');
$screen->resize(100, 40);
ok($screen->wait(sub { $_[0] eq $machine }), 'the machine is as it was');
$screen->key('m');
ok($screen->wait(sub { $_[0] eq $held }), 'and the task');
my @away = (Screen::pids($held))[0] == $ends ? ('Down', 'Up') : ('Up', 'Down');
$screen->key($away[0]);
ok($screen->wait(qr/^spin +PID $spin\b/m), 'another task');
$screen->key($away[1]);
ok($screen->wait(sub { $_[0] eq $held }), '... and back');
$screen->key('Z');
$screen->wait(sub { $_[0] !~ /PAUSED/ });
$script->step($ran[0]);
ok($screen->wait(sub { $_[0] !~ /PAUSED/ && !grep { $_ == $ends } Screen::pids($_[0]) }), 'then it has ended');
$screen->close;

done_testing;

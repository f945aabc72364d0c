#!/usr/bin/env perl
# The mouse: a press selects a row, a double press opens it, titles sort, the line of keys runs
# commands, the wheel moves.
use Screen;

my @spins = map { start_work('spin', '-r') } 1 .. 6;

{
    my $screen = Screen->countertop(80, 24, '-p', join(',', @spins), '-d', 0.3, '-s', 'software', '--sort',
        '-pid', '--engine', 'cpu');
    my @sorted = sort { $a <=> $b } @spins;
    $screen->wait(sub { join(' ', Screen::pids($_[0])) eq "@sorted" }) or die;
    my $is = sub { my ($pid) = @_; return wait_for(sub { $screen->is_selected($pid) }) };

    $screen->press($screen->place(qr/\b$sorted[1]\b.*spin/));
    ok($is->($sorted[1]), 'a press chooses the row');
    $screen->press(5, 10, 65);
    ok($is->($sorted[4]), 'the wheel moves three rows down');
    $screen->press(5, 10, 64);
    ok($is->($sorted[1]), '... and up');

    my ($x, $y) = $screen->place(qr/PID/);
    $screen->press($x, $y);
    ok($screen->wait(sub { join(' ', Screen::pids($_[0])) eq join ' ', reverse @sorted }),
       'a press on the title that sorts inverts');
    ($x, $y) = $screen->place(qr/COMMAND/);
    $screen->press($x + 2, $y);
    ok($screen->wait(qr/COMMAND[▲▼]/), '... on another sorts by that');

    ($x, $y) = $screen->place(qr/\b$sorted[2]\b.*spin/);
    $screen->press($x, $y);
    $is->($sorted[2]);
    $screen->press($x, $y, 0, 2);
    ok($screen->wait(qr/^ *.*\b$sorted[2]\b.*\n(?:.*\n)*?.*now\/s/m), 'two presses open the row');
    $screen->key('Escape');
    $screen->wait(qr/COMMAND/);

    $screen->press($x, $y, 2);
    ok($screen->wait(qr/^ *.*\b$sorted[2]\b.*\n(?:.*\n)*?.*now\/s/m), '... and one of the right button, too');
    $screen->key('Escape');
    $screen->wait(qr/COMMAND/);

    ($x, $y) = $screen->place(qr/CPUs? +■/);
    $screen->press($x, $y);
    ok($screen->wait(qr/^ctxsw\/s +■|^migr\/s +■|^faults\/s +■/m), 'a press on the bar shows the next metric');
    $screen->press($x, $y) for 1 .. 3;
    $screen->wait(qr/CPUs? +■/);

    $screen->press($screen->place(qr/F6 sort/));
    ok($screen->wait(qr/^Sort by\b/m), 'a press in the line of keys runs the command');
    ($x, $y) = $screen->place(qr/^%CPU/);
    $screen->press($x, $y, 0, 2);
    ok($screen->wait(qr/▼%CPU/), 'two presses choose from a list');

    $screen->press($screen->place(qr/F4 filter/));
    ok($screen->wait(qr/^Filter:/m), 'another key of the line');
    $screen->key('Escape');
    $screen->wait(qr/COMMAND/);

    $screen->key('F2');
    $screen->wait(qr/^ Display/m);
    $screen->press($screen->place(qr/Display/));
    ok($screen->wait(qr/^>Display/m), 'a press on a title of the setup shows its lines');
    $screen->press($screen->place(qr/what the rows are/));
    $screen->key('Enter');
    ok($screen->wait(qr/what the rows are +cpus +Tab/), '... and one on a line chooses that line');
    $screen->close;
}

my $screen = Screen->countertop(80, 24, '--no-mouse', '-p', $spins[0], '-d', 0.3, '-s', 'software');
$screen->wait(qr/^ *$spins[0] /m);
$screen->press($screen->place(qr/F6 sort/));
$screen->key('F1');
ok($screen->wait(qr/^Keys *$/m), '--no-mouse: a press is nothing');
unlike($screen->text, qr/Sort by/, '... but keys are');
$screen->close;

done_testing;

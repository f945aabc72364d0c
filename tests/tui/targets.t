#!/usr/bin/env perl
# Changing the watched tasks at run time: a attaches, A detaches, u selects a user; counts of tasks
# that stay watched go on. With both engines.
use Screen;

plan skip_all => 'another user is only for root to become' if $>;

my $tea = start_named('teacup');
my $jug = start_named('jug');
my $theirs = start_work(qw(setpriv --reuid nobody --clear-groups spin -r));

sub shows_only {
    my @wanted = sort @_;
    return sub { join(' ', sort(Screen::pids($_[0]))) eq "@wanted" };
}

# Opens the prompt of a key, types, and enters.
sub answer {
    my ($screen, $key, $label, $text) = @_;
    $screen->key($key);
    $screen->answer(qr/^\Q$label\E:/m, $text);
}

for (['cpu', 80, 250], ['task', 200, 250]) {
    my ($engine, @size) = @$_;
    my $at = "$engine, " . join 'x', @size;
    my $screen = Screen->countertop(@size, '-d', 0.2, '-s', 'software', '--engine', $engine, '-p', $tea);
    ok($screen->wait(shows_only($tea)), "$at: at first the one asked for");
    like($screen->text, qr/watching $tea\b/, "$at: the header says so");

    $screen->key('a');
    $screen->wait(qr/^Attach to:/m);
    $screen->type("$tea,ju");
    $screen->key('Tab');
    ok($screen->wait(qr/^Attach to: $tea,jug *$/m), "$at: Tab completes a name that is not watched yet");
    $screen->key('Enter');
    ok($screen->wait(shows_only($tea, $jug)), "$at: a adds one, by name");
    ok($screen->wait(qr/watching jug,$tea\b/), "$at: the header tells both");
    answer($screen, 'a', 'Attach to', $theirs);
    ok($screen->wait(shows_only($tea, $jug, $theirs)), "$at: and one more, by pid");
    answer($screen, 'a', 'Attach to', 'nosuchname,jug');
    ok($screen->wait(qr/no process is called 'nosuchname' yet: it is counted once there is one/),
        "$at: a name that nobody has yet is told");
    answer($screen, 'A', 'Detach from', 'nosuchname');
    $screen->wait(sub { $_[0] !~ /nosuchname/ });
    answer($screen, 'a', 'Attach to', '');
    ok($screen->wait(sub { $_[0] !~ /^Attach to:/m && shows_only($tea, $jug, $theirs)->($_[0]) }),
        "$at: nothing named changes nothing");
    answer($screen, 'a', 'Attach to', 999_999_999);
    ok($screen->wait(qr/cannot watch process 999999999: no process has that pid/),
        "$at: a pid of no process is told");
    $screen->key('Escape');

    answer($screen, 'u', 'Only processes of', 'nobody');
    ok($screen->wait(shows_only($theirs)), "$at: u narrows to a user");
    ok($screen->wait(qr/watching .*user nobody/), "$at: the header says so");
    answer($screen, 'u', 'Only processes of', 'nobdy');
    ok($screen->wait(qr/unknown user 'nobdy': expected .*'nobody'/s), "$at: an unknown one is told");
    $screen->key('C-u', 'Enter');
    ok($screen->wait(shows_only($tea, $jug, $theirs)), "$at: with nothing, everybody's again");

    answer($screen, 'A', 'Detach from', "jug,$theirs");
    ok($screen->wait(shows_only($tea)), "$at: A stops watching those named");
    $screen->key('A', 'Tab');
    ok($screen->wait(qr/^Detach from: $tea *$/m), "$at: Tab offers what is watched");
    $screen->key('C-u');
    $screen->type('jug');
    $screen->key('Enter');
    ok($screen->wait(qr/'jug' is not watched/), "$at: of one that is not watched it cannot");
    $screen->key('C-u', 'Enter');
    my $all = sub {
        my %there = map { $_ => 1 } Screen::pids($_[0]);
        return $there{$tea} && $there{$jug} && $there{$theirs};
    };
    ok($screen->wait($all), "$at: with nothing, of all");
    unlike($screen->text, qr/watching/, "$at: and so does the header");

    $screen->close;
}

# Nothing is there yet: the table does not say that it sleeps.
my $screen = Screen->countertop(120, 24, '-d', 0.2, '-s', 'software', '-p', "none$$");
ok($screen->wait(sub { $_[0] =~ /no process is called 'none$$' yet: it is counted once there is one/
    && $_[0] =~ /^no process is called 'none$$' *$/m }), 'a name that nobody has yet');
unlike($screen->text, qr/slept/, '... does not sleep');

done_testing;

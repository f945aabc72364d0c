#!/usr/bin/env perl
# The filter while it is typed: text, conditions, and mistakes in them.
use Screen;

my $named = start_named('teapot');
my $spin = start_work('spin', '-r');

sub only {
    my @wanted = sort @_;
    return sub { join(' ', sort(Screen::pids($_[0]))) eq "@wanted" };
}

my $screen = Screen->countertop(80, 24, '-p', "$named,$spin", '-d', 0.3, '-s', 'software', '--engine', 'cpu');
ok($screen->wait(only($named, $spin)), 'both are there');
$screen->key('F4');
$screen->wait(qr/^Filter:/m);
$screen->type('teap');
ok($screen->wait(only($named)), 'text is a part of a name');
$screen->key('C-u');
ok($screen->wait(only($named, $spin)), 'without it all are there');

$screen->type("pid = $spin and");
ok($screen->wait(qr/^Filter: pid = $spin and *$/m), 'a condition is typed');
ok($screen->wait(only($spin)), 'unfinished, it leaves what its beginning found');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] =~ /at column \d+/ && $_[0] =~ /^Filter: /m }),
   'unfinished, Enter tells the mistake and its place, and the prompt stays');
$screen->type(' user = root');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] !~ /^Filter:/m && $_[0] =~ /filter pid = $spin and/ && only($spin)->($_[0]) }),
   'finished, Enter keeps it');

$screen->key('\\');
$screen->wait(qr/^Filter: pid = $spin/m);
$screen->key('C-u');
$screen->type('pid = = 3');
ok($screen->wait(qr/at column \d+.*/), 'a mistake is told while it is typed');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ /^Filter:/m && only($spin)->($_[0]) }), 'Esc leaves the filter as it was');

# What is no condition, but compares, is searched for as a text; Tab makes it the condition that was meant.
my $user = getpwuid $>;
for my $case (["$user pid = $spin", "user = $user and pid = $spin"], ["pid = $spin spin", "pid = $spin and 'spin'"],
    ["$spin faults >= 0", "pid = $spin and faults >= 0"], ["not teapot and pid != 1", "not 'teapot' and pid != 1"]) {
    my ($typed, $meant) = @$case;
    $screen->key('\\');
    $screen->wait(qr/^Filter:/m);
    $screen->key('C-u');
    $screen->type($typed);
    ok($screen->wait(qr/^no condition; Tab makes it: \Q$meant\E *$/m), "'$typed' is told to be none, and what it could be");
    $screen->key('Tab');
    ok($screen->wait(sub { $_[0] =~ /^Filter: \Q$meant\E *$/m && $_[0] !~ /no condition/ && only($spin)->($_[0]) }), '... which Tab takes');
    $screen->key('Enter');
    ok($screen->wait(sub { $_[0] !~ /^Filter:/m && $_[0] =~ /filter \Q$meant\E/ }), '... and Enter keeps');
}
$screen->key('\\');
$screen->answer(qr/^Filter:/m, "$user pid = $spin");
ok($screen->wait(qr/^searched as a text; the condition would be: user = $user and pid = $spin *$/m), 'Enter alone says what it is');
$screen->key('\\', 'C-u');
$screen->type("pid = $spin and context-sw");
$screen->key('Tab');
ok($screen->wait(qr/^Filter: pid = $spin and context-switches *$/m), 'Tab completes the name of a column');
$screen->key('C-u');
$screen->type("teapot");
ok($screen->wait(sub { $_[0] =~ /^Filter: teapot/m && $_[0] !~ /no condition/ && only($named)->($_[0]) }), 'a text that compares nothing is one');
$screen->key('Escape');
$screen->close;

done_testing;

#!/usr/bin/env perl
# The selection of rows: attach, filter, search, threads, CPUs.
use Screen;

my $first = start_work('spin', '-rn', 3);
my $second = start_work('spin', '-r');
my $named = start_named('kettle');

sub shows_only {
    my @wanted = sort @_;
    return sub { join(' ', sort(Screen::pids($_[0]))) eq "@wanted" };
}

my $screen = Screen->countertop(80, 250, '-d', 0.2, '-s', 'software');
my $all = sub {
    my %there = map { $_ => 1 } Screen::pids($_[0]);
    return $there{$first} && $there{$second} && $there{$named};
};
ok($screen->wait($all), 'at first all that runs');

$screen->key('a');
$screen->wait(qr/^Attach to:/m);
$screen->type("$first,kettle");
$screen->key('Enter');
ok($screen->wait(shows_only($first, $named)), 'attached by pid and by name');
like($screen->text, qr/watching /, 'the header says so');

$screen->key('H');
my $threads = sub { $_[0] =~ /\bTID\b/ && (grep { $_ == $first } Screen::pids($_[0])) >= 3 };
ok($screen->wait($threads), 'H shows each of its threads');
$screen->key('H');
ok($screen->wait(shows_only($first, $named)), 'and the processes again');

$screen->key('A');
$screen->wait(qr/^Detach from:/m);
$screen->key('Enter');
ok($screen->wait($all), 'A and an empty text lets go');

$screen->key('F4');
$screen->wait(qr/^Filter:/m);
$screen->type('kett');
ok($screen->wait(shows_only($named)), 'the filter works while it is typed');
$screen->key('Escape');
ok($screen->wait($all), 'Esc takes it back');
$screen->type('\\');
$screen->wait(qr/^Filter:/m);
$screen->type('kettle');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] !~ /^Filter:/m && shows_only($named)->($_[0]) }),
   'Enter keeps it');
ok($screen->wait(qr/filter kettle/), 'the header says so');
$screen->key('F4');
$screen->wait(qr/^Filter: kettle\s*$/m);
$screen->key('C-u', 'Enter');
ok($screen->wait($all), 'an empty one shows all again');

$screen->key('/');
$screen->wait(qr/^Search:/m);
# Beside others it may not run in an interval, and then has no row.
my $finds = sub {
    $screen->key('C-u');
    $screen->type('ettle');
    my $looks = 0;
    return wait_for(sub { $looks++ >= 10 || $screen->is_selected($named) }) && $looks <= 10;
};
ok(wait_for($finds), 'the search moves the cursor to the row');
$screen->key('Escape');
ok(wait_for(sub { !$screen->is_selected($named) }), 'Esc takes it away again');
$screen->key('F3');
$screen->wait(qr/^Search:/m);
$screen->type('nothing has this name');
ok($screen->wait(qr/no row contains 'nothing has this name'/), 'a miss is told');
$screen->key('Escape');

$screen->key('v');
ok($screen->wait(qr/^ *\W?CPU +/m) && $screen->wait(sub { $_[0] !~ /\bPID\b/ }),
   'v shows the CPUs');
$screen->key('v');
ok($screen->wait($all), 'and the tasks again');

$screen->key('c');
ok($screen->wait(qr/spin -rn 3/), 'c shows command lines');

done_testing;

#!/usr/bin/env perl
# Tasks of one name that ended in the interval are one row, which + or Enter opens and - closes; batch formats list each.
use Countertop;
use Screen;

my $file = tempdir(CLEANUP => 1) . '/ended.db';
record_whole($file, '--', 'sh', '-c', 'for i in 1 2 3 4 5; do /bin/true; done; /bin/false; exit 0');
my @listed = grep { $_->{comm} eq 'true' } map { @{$_->{tasks}} } grep { $_->{type} eq 'refresh' }
    json_lines(countertop(qw(-b --format json --replay), $file)->{out});
is(scalar @listed, 5, 'JSON lists each task');

my $one = qr/^ *×5 \S+ .* true  \(ended\) +\+ opens them *$/m;
my $all = sub { 5 == (() = $_[0] =~ /^[+ ]*\d+ \S+ .* true *$/mg) };
my $screen = Screen->new(120, 30, countertop_command('--replay', $file, qw(--view tasks)));
ok($screen->wait($one), 'the terminal has one row for those of one name');
ok($screen->wait(qr/^ *\d+ \S+ .* false *$/m), '... and a plain one for one alone');
sub choose_folded {
    $screen->type('/');
    $screen->answer(qr/^Search/m, 'true');
}
choose_folded();
$screen->type('+');
ok($screen->wait($all), '+ opens it');
$screen->type('-');
ok($screen->wait($one), '- closes it again');
$screen->key('Enter');
ok($screen->wait($all), 'Enter opens it, too');
$screen->type('-');
$screen->wait($one);
$screen->key('F8');
ok($screen->wait(qr/true  \(ended\)  PID ×5.*^.?%CPU  now [\d.]+/ms), 'F8: its history is that of all of them');
$screen->key('Escape');
$screen->wait(sub { $_[0] !~ /PID ×5/ });
$screen->key('F9');
ok($screen->wait(qr/cannot send a signal to .*'true': it has ended/), 'no signal is sent to it');
$screen->type('S');
ok($screen->wait($all), 'S: those that are kept have rows of their own');
$screen->close;

$screen = Screen->new(80, 24, countertop_command('--replay', $file, qw(--view tasks)));
ok($screen->wait(qr/^ *×5 \S+ .* true  \(ended\)(?: +\+ opens them)? *$/m), 'at 80 columns nothing is cut');
$screen->close;
done_testing;

#!/usr/bin/env perl
# W saves the shown columns as a screen of the user, which can then be chosen by name; an existing
# file is never replaced.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp 'tempdir';
use Screen;
use Slurp;
use Test::More;

my $config = $ENV{XDG_CONFIG_HOME} = tempdir(CLEANUP => 1) . '/config'; # which is not there yet
my $file = "$config/countertop/mine.ini";

my $screen = Screen->countertop(200, 50, '-d', 0.2, '-s', 'software', '-e', '{minor-faults,major-faults}');
ok($screen->wait(qr{\bPID\b.*\bminor/s .*COMMAND}), 'the table, with more events than its screen has');
for my $case (['../mine', qr/no name for a screen '\.\.\/mine'/], ['.x', qr/no name for a screen '\.x'/]) {
    $screen->key('W');
    ok($screen->wait(qr/Save screen as/), 'W asks for a name');
    $screen->type($case->[0]);
    $screen->key('Enter');
    ok($screen->wait($case->[1]), "'$case->[0]' is refused");
    $screen->key('Escape');
    ok($screen->wait(qr/F1 help/), 'Esc goes back');
}
ok(!-e $config, '... and nothing is written');
$screen->key('W');
$screen->wait(qr/Save screen as/);
$screen->type('mine');
$screen->key('Enter');
ok($screen->wait(qr/wrote \Q$file\E: 'countertop -s mine' shows it/), 'it says where it is');
my $text = slurp_or_empty($file);
is($text, <<'END', 'the file has events, columns and order');
[screen mine]
events = context-switches
events = cpu-migrations
events = page-faults
events = {minor-faults,major-faults}
columns = pid user cpu cpu_pct ctxsw_per_s migrations_per_s faults_per_s minor-faults major-faults
columns = command
sort = cpu_pct
END
$screen->key('W');
$screen->wait(qr/Save screen as/);
$screen->type('mine');
$screen->key('Enter');
ok($screen->wait(qr/there is one already; choose another name/), 'it is not written a second time');
is(slurp_or_empty($file), $text, '... and is as it was');
$screen->close;

my $again = Screen->countertop(200, 50, '-d', 0.2, '-s', 'mine');
ok($again->wait(qr{PID USER +P +\W?%CPU ctxsw/s migr/s faults/s +minor/s +major/s +COMMAND}),
    'the screen can be asked for');
$again->close;

my $readonly = Screen->countertop(80, 24, '-d', 0.2, '-W', '/proc');
ok($readonly->wait(qr/\bPID\b/), 'a directory where nothing can be written');
$readonly->key('W');
$readonly->wait(qr/Save screen as/);
$readonly->type('mine');
$readonly->key('Enter');
ok($readonly->wait(qr{cannot write '/proc/mine\.ini'}), '... is said to be one');

done_testing;

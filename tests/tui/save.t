#!/usr/bin/env perl
# W saves the shown columns as a screen of the user, which can then be chosen by name; an existing
# file is never replaced.
use Countertop;
use Screen;

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
$screen->answer(qr/Save screen as/, 'mine');
ok($screen->wait(qr/wrote \Q$file\E: 'countertop -s mine' shows it/), 'it says where it is');
{ # A start like this one does not read what --no-config let one write.
    local $ENV{XDG_CONFIG_HOME} = tempdir(CLEANUP => 1);
    my $bare = Screen->countertop(200, 24, qw(-s software --no-config -p), $$);
    $bare->type('iW');
    $bare->answer(qr/Save screen as/, 'bare');
    ok($bare->wait(qr/shows it, without --no-config, which does not read it/), '--no-config: it says that it is not read then');
    # The row under the cursor is offered to attach to.
    $bare->choose($$);
    $bare->type('a');
    ok($bare->wait(qr/^Attach to: $$\b/m), 'a offers the process under the cursor');
    $bare->close;
}
my $text = slurp_or_empty($file);
is($text, <<'END', 'the file has events, columns and order');
[screen mine]
description = made from 'software'
events = context-switches
events = cpu-migrations
events = page-faults
events = {minor-faults,major-faults}
columns = pid user cpu cpu_pct ctxsw_per_s migrations_per_s faults_per_s minor-faults major-faults
columns = command
sort = cpu_pct
END
ok($screen->wait(qr/\A.*(?:‹|<)mine(?:›|>).*\n(?:.*\n)*.*\bPID\b.*minor\/s/), '... and its screen is the one shown');
$screen->key('V');
ok($screen->wait(qr/^mine +in use; made from 'software'/m), '... in the list of screens, too');
$screen->key('Escape', 'Left');
ok($screen->wait(qr/\A(?!.*(?:‹|<)mine)/), 'another screen');
$screen->key('Right');
ok($screen->wait(qr/\A.*(?:‹|<)mine(?:›|>).*\n(?:.*\n)*.*minor\/s/), '... and back to the new one');
$screen->key('W');
$screen->answer(qr/Save screen as/, 'mine');
ok($screen->wait(qr/there is one already; choose another name/), 'it is not written a second time');
is(slurp_or_empty($file), $text, '... and is as it was');
$screen->key('Escape', 'x');
$screen->answer(qr/^Remove event/m, 'cpu-migrations');
$screen->key('W');
$screen->answer(qr/^Save screen as/m, 'fewer');
ok($screen->wait(qr/wrote \S+fewer\.ini/), 'saved again after an event was removed');
sub lists {
    return join ' ', map { /^(?:events|columns) = (.*)/ } split /\n/, $_[0];
}
is(lists(slurp_or_empty("$config/countertop/fewer.ini")), lists($text) =~ s/ cpu-migrations| migrations_per_s//gr,
    '... the file has neither it nor a column of it');
$screen->close;

my $again = Screen->countertop(200, 50, '-d', 0.2, '-s', 'mine');
ok($again->wait(qr{PID USER +P +\W?%CPU ctxsw/s migr/s faults/s +minor/s +major/s +COMMAND}),
    'the screen can be asked for');
$again->close;

my $readonly = Screen->countertop(80, 24, '-d', 0.2, '-W', '/proc');
ok($readonly->wait(qr/\bPID\b/), 'a directory where nothing can be written');
$readonly->key('W');
$readonly->answer(qr/Save screen as/, 'mine');
ok($readonly->wait(qr{cannot write '/proc/mine\.ini'}), '... is said to be one');

# Saved before the events of a screen that was just chosen have a frame: what is written can be read.
my $early = Screen->countertop(200, 50, '-d', 0.5, '-s', 'software');
ok($early->wait(qr{migr/s}), 'the table');
$early->key('Right', 'W', 'e', 'a', 'r', 'l', 'y', 'Enter');
ok($early->wait(qr/wrote \S+early\.ini/), 'another screen is chosen, and saved at once');
$early->close;
my $run = run('countertop', '-b', '-n', 1, '-d', 0.1, '-s', 'early');
is("$run->{status}$run->{err}", 0, '... and can be shown');

# A mistake in a file of the user is a notice in the terminal; what writes for programs refuses it.
for my $case (["[screen mine]\ncolumns = pid xyzzy\n", qr/mine\.ini:2: cannot show screen 'mine': its column 'xyzzy'/],
    ["[settings]\nthme = dark\n", qr/mine\.ini:2: unknown setting 'thme'/], ["[screen\n", qr/mine\.ini:1: /]) {
    my ($wrong, $message) = @$case;
    open my $out, '>', $file or die "$file: $!";
    print $out $wrong;
    close $out;
    my $shown = Screen->countertop(200, 50, '-d', 0.2);
    ok($shown->wait(qr/(?=.*\bPID\b.*COMMAND).*$message/s), "$message is told beside the table");
    $shown->close;
    $run = run('countertop', '-b', '-n', 1);
    like("$run->{status} $run->{err}", qr/^2 .*$message/, '... and ends a run in batch mode');
}

done_testing;

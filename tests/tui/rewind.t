#!/usr/bin/env perl
# Looking back while counting goes on: past intervals have their old numbers, a mark shows that they
# are past, and one key returns to the present.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Countertop;
use File::Temp 'tempdir';
use Screen;
use Test::More;
use Time::HiRes qw(time);

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/exact.ini" or die;
print $ini <<'INI';
[screen exact]
events = context-switches, page-faults
columns = pid cpu_pct context-switches page-faults command
[screen faultless]
events = context-switches
columns = pid cpu_pct context-switches command
INI
close $ini;

my @pids = (start_work('spin'), start_work('spin'), start_work('pingpong', '-t', 1000000000));
my @shown = ('-p', join(',', @pids), '-W', $dir, '-s', 'exact', '--show', 'interval', '--exact', '--sort',
    '-pid');

sub rows_of {
    my ($refresh) = @_;
    return [map { [$_->{pid}, defined $_->{oncpu} ? sprintf('%.1f', $_->{metrics}{cpu_pct}) : '-',
        map { $_ // '-' } @{$_->{counts}}{qw(context-switches page-faults)}] }
        sort { $a->{pid} <=> $b->{pid} } @{$refresh->{tasks}}];
}

sub rows_on {
    my ($text) = @_;
    return [map { [@$_{('PID', '%CPU', 'ctxsw', 'faults')}] } Screen::rows($text)];
}

# What was recorded so far beside the screen: the same intervals, by another way.
sub recorded {
    my ($file) = @_;
    my $run = countertop('-b', '--format', 'json', '--replay', $file, '-W', $dir, '-s', 'exact');
    return undef if $run->{status} == 2; # nothing is in it yet
    return (undef, map { rows_of($_) } grep { $_->{type} eq 'refresh' } json_lines($run->{out}));
}

my $past = qr/ PAST \d\d:\d\d:\d\d -\d[\d.]*(?: s|m\d\ds)/;

sub go_to {
    my ($screen, $text) = @_;
    $screen->type('b');
    $screen->wait(qr/^Go to:/m);
    $screen->type($text);
    $screen->key('Enter');
    $screen->wait(sub { $_[0] !~ /^Go to:/m });
}

for my $size ([80, 24], [200, 50]) {
    my $at = join 'x', @$size;
    my $file = "$dir/$at.db";
    my $screen = Screen->countertop(@$size, @shown, '-d', 0.1, '--record', $file);
    my $kept = sub { my $sum = () = recorded($file); return $sum - 1 };
    wait_for(sub { -s $file && $kept->() >= 14 }) or die 'nothing is recorded';
    unlike($screen->text, qr/PAST/, "$at: this is now");

    # Each interval as it was.
    go_to($screen, '#3');
    ok($screen->wait($past), "$at: the mark of the past");
    my @expected = recorded($file);
    is_deeply($screen->reads(\&rows_on, $expected[3]), $expected[3], "$at: the third interval is as it was");
    like($screen->text, qr/ , back +\. on +\$ now/, "$at: keys that move");
    my $shows = sub {
        my ($keys, $interval, $name) = @_;
        $screen->type($keys);
        my $same = $screen->wait(sub { "@{[map { @$_ } @{rows_on($_[0])}]}"
            eq "@{[map { @$_ } @{$expected[$interval]}]}" });
        ok($same, "$at: $name");
    };
    $shows->('.', 4, 'one on');
    $shows->('}', 14, 'ten on');
    $shows->(',', 13, 'one back');
    $shows->('{', 3, 'ten back');
    $shows->('^', 1, 'the first that is kept');
    $screen->type(',');
    ok($screen->wait(qr/^nothing before this is kept: --rewind says how much is *$/m),
        "$at: nothing is before it");
    $shows->('...', 4, 'three on');

    # It stays while counting goes on.
    my ($age) = $screen->text =~ / PAST \S+ -([\d.]+) s\b/;
    my ($clock) = $screen->text =~ / PAST (\S+)/;
    my ($stayed, $end) = (1, time + 1);
    wait_for(sub {
        my $text = $screen->text;
        $stayed &&= "@{[map { @$_ } @{rows_on($text)}]}" eq "@{[map { @$_ } @{$expected[4]}]}"
            && $text =~ / PAST \Q$clock\E /;
        return !$stayed || time >= $end;
    });
    ok($stayed, "$at: it stays");
    ok($screen->wait(sub { $_[0] =~ / PAST \S+ -([\d.]+) s\b/ && $1 >= $age + 0.6 }),
        "$at: ... and becomes older");

    # Details and histories are those of then: where a busy machine let the first row run twice.
    my ($then) = grep { my $n = $_; !grep { ($_->[0][0] // 0) != $pids[0] } @expected[$n - 1, $n] } 4, 3, 5, 6;
    go_to($screen, "#$then");
    $shows->('', $then, 'two intervals in which a row is the first');
    $screen->key('Down');
    ok(wait_for(sub { $screen->is_selected($pids[0]) }), "$at: a row is chosen");
    $screen->type(',');
    ok(wait_for(sub { $screen->is_selected($pids[0]) }), "$at: ... and stays so in another interval");
    $screen->key('Enter');
    ok($screen->wait(qr{^spin .*$past.*\n(?:.*\n)*?.*now/s}m), "$at: details say that they are past");
    my $curve = sub { (sort { length $b <=> length $a } $_[0] =~ /([⠀-⣿]+)/g)[0] // '' };
    my $details = $screen->text =~ s/ PAST.*//r;
    $screen->type('..');
    ok($screen->wait(sub { $_[0] =~ s/ PAST.*//r ne $details }), "$at: they move");
    $screen->type(',,');
    ok($screen->wait(sub { $_[0] =~ s/ PAST.*//r eq $details }), "$at: ... and back");
    cmp_ok(length $curve->($details), '<=', 3, "$at: nothing in a curve is of what came later");
    $screen->type('$');
    ok($screen->wait(sub { $_[0] !~ /PAST/ && length $curve->($_[0]) >= 6 }),
        "$at: now the whole history is there");
    $screen->key('Escape');
    ok($screen->wait(qr/PID/), "$at: the table");

    # Back to now, by three ways.
    for my $way (['$', '$'], ['Z', 'Z'], ['. beyond the newest', '}}}}}}}}}}}}}}}}']) {
        my ($name, $keys) = @$way;
        go_to($screen, '#2');
        ok($screen->wait($past), "$at: the past");
        # Of a long test there are more intervals than these keys pass.
        while ($screen->text =~ /( PAST \S+)/) {
            my $then = $1;
            $screen->type($keys);
            $screen->wait(sub { $_[0] !~ /\Q$then\E / }) or last;
        }
        ok($screen->wait(sub { $_[0] !~ /PAST/ }), "$at: $name is back");
        my $text = $screen->text;
        ok($screen->wait(sub { $_[0] !~ /PAST|PAUSED/
            && "@{[map { @$_ } @{rows_on($_[0])}]}" ne "@{[map { @$_ } @{rows_on($text)}]}" }),
            "$at: ... and goes on");
    }

    # From a screen that is held it is the one before that.
    $screen->type('Z');
    $screen->wait(qr/PAUSED/);
    my $held = rows_on($screen->text);
    my $number = 0;
    wait_for(sub {
        @expected = recorded($file);
        ($number) = grep { "@{[map { @$_ } @{$expected[$_]}]}" eq "@{[map { @$_ } @$held]}" }
            1 .. $#expected;
        return $number && $#expected >= $number + 3;
    }) or die 'the interval shown is not recorded';
    $shows->(',', $number - 1, 'the interval before the one that is held');
    like($screen->text, $past, "$at: ... which is past");
    unlike($screen->text, qr/PAUSED/, "$at: ... and not only held");
    $shows->('.', $number, 'and the one that was held');
    $screen->type('Z');
    ok($screen->wait(sub { $_[0] !~ /PAST|PAUSED/ }), "$at: Z goes on");

    # What is counted stays as it is meanwhile.
    go_to($screen, '#2');
    $screen->wait($past);
    for my $ask (['e', 'Add event', 'minor-faults'], ['a', 'Attach to', 'sh'],
            ['d', 'Seconds between refreshes', '2']) {
        my ($key, $prompt, $text) = @$ask;
        $screen->type($key);
        $screen->wait(qr/^$prompt:/m);
        $screen->type($text);
        $screen->key('Enter');
        ok($screen->wait(qr/^this interval is over: go back to now to change what is counted *$/m),
            "$at: no $prompt");
        $screen->key('Escape');
        $screen->wait(qr/PID/);
    }
    $screen->key('Home', 'Down', 'F9');
    ok($screen->wait(qr/^cannot send a signal to \d+ '\S+': this interval is over/m),
        "$at: no signals");
    $screen->type('z');
    ok($screen->wait(qr/^live: use , and \. to look back *$/m), "$at: no playing");

    # Another screen.
    $screen->type(']');
    ok($screen->wait(sub { $_[0] =~ /^screen 'faultless'/m && $_[0] =~ $past }), "$at: another screen");
    $screen->type('$');
    ok($screen->wait(sub { $_[0] !~ /PAST/ && $_[0] =~ /ctxsw/ && $_[0] !~ /\bfaults\b/ }),
        "$at: ... is that of now, too");
    $screen->close;

    # On a small one.
    $screen = Screen->countertop(40, 10, @shown, '-d', 0.2);
    $screen->wait(qr/PID/);
    ok(wait_for(sub { $screen->type(','); $screen->text =~ $past }), 'the mark at 40x10');
    $screen->close;
}

# When all is over the totals are what is now.
my $screen = Screen->countertop(80, 24, '-d', 0.2, '-s', 'software', '--', 'spin', '-s', 1);
ok($screen->wait(qr/totals since its start/), 'the end of a command');
my $end = $screen->text;
$screen->type(',');
ok($screen->wait($past), 'one can look back from there');
$screen->type('$');
ok($screen->wait(sub { $_[0] eq $end }), '... and come back to its totals');
$screen->close;

# Somebody who looks back when it ends sees the end.
$screen = Screen->countertop(80, 24, '-d', 0.2, '-s', 'software', '--', 'spin', '-s', 2);
ok(wait_for(sub { $screen->type(','); $screen->text =~ $past }), 'back while it runs');
ok($screen->wait(sub { $_[0] =~ /totals since its start/ && $_[0] !~ /PAST/ }), 'the end is shown');
$screen->close;

$screen = Screen->countertop(80, 24, @shown, '-d', 0.2, '--rewind', 0);
$screen->wait(qr/^ *$pids[0] /m);
for my $key (',', 'b') {
    $screen->type($key);
    ok($screen->wait(qr/^nothing is kept to look back at: start without --rewind 0 *$/m),
        "--rewind 0: $key");
    $screen->key('Down');
    $screen->wait(sub { $_[0] !~ /nothing is kept/ });
}
$screen->close;

done_testing;

#!/usr/bin/env perl
# Looking back while counting goes on: past intervals have their old numbers, a mark shows that they
# are past, and one key returns to the present.
use Screen;
use POSIX 'mkfifo';
use Script;

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

my @pids = 1001 .. 1003;
my @machine = map { "task $_ name=" . ($_ == 1003 ? 'pingpong' : 'spin') } @pids;
my @shown = ('-p', join(',', @pids), '-W', $dir, '-s', 'exact', '--show', 'interval', '--exact', '--sort',
    '-pid');
my ($script, $passed, @expected); # rows of each interval so far, from 1

# Lets intervals pass, each with other numbers.
sub let_pass {
    for (1 .. $_[0]) {
        my $n = ++$passed;
        $expected[$n] = [map { [$pids[$_], sprintf('%.1f', $_ + $n), 100 * $_ + $n, 10 * $n] } 0 .. 2];
        $script->step(map { sprintf 'run %d oncpu=%.3f context-switches=%d page-faults=%d', $_->[0], $_->[1] / 100, @$_[2, 3] }
            @{$expected[$n]});
    }
}

sub open_screen {
    my ($width, $height, @options) = @_;
    $script = Script->new(@machine);
    $passed = 0;
    return Screen->new($width, $height, $script->command(@shown, @options));
}

sub rows_on {
    my ($text) = @_;
    return [map { [@$_{('PID', '%CPU', 'ctxsw', 'faults')}] } Screen::rows($text)];
}

# Whether the screen shows an interval's rows.
sub shows {
    my ($text, $n) = @_;
    return "@{[map { @$_ } @{rows_on($text)}]}" eq "@{[map { @$_ } @{$expected[$n]}]}";
}

my $past = qr/ PAST \d\d:\d\d:\d\d -\d[\d.]*(?: s|m\d\ds)/;

sub go_to {
    my ($screen, $text) = @_;
    $screen->type('b');
    $screen->answer(qr/^Go to:/m, $text);
    $screen->wait(sub { $_[0] !~ /^Go to:/m });
}

{
    my $at = '80x24';
    my $screen = open_screen(80, 24);
    let_pass(14);
    ok($screen->wait(sub { shows($_[0], 14) && $_[0] !~ /PAST/ }), "$at: this is now");

    # Each interval as it was.
    go_to($screen, '#3');
    ok($screen->wait($past), "$at: the mark of the past");
    is_deeply($screen->reads(\&rows_on, $expected[3]), $expected[3], "$at: the third interval is as it was");
    like($screen->text, qr/ , back +\. on .* Esc now/, "$at: keys that move");
    my $shows = sub {
        my ($keys, $interval, $name) = @_;
        $screen->type($keys);
        ok($screen->wait(sub { shows($_[0], $interval) }), "$at: $name");
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
    my ($clock) = $screen->text =~ / PAST (\S+) -10 s\b/;
    let_pass(3);
    ok($screen->wait(sub { shows($_[0], 4) && $_[0] =~ / PAST \Q$clock\E -13 s\b/ }), "$at: it stays, and becomes older");

    # Details and histories are those of then.
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
    ok($screen->wait(sub { $_[0] !~ /PAST/ && length $curve->($_[0]) >= 8 }),
        "$at: now the whole history is there");
    $screen->key('Escape');
    ok($screen->wait(qr/PID/), "$at: the table");

    # Back to now, by four ways.
    for my $way (['$', '$'], ['Esc', "\e"], ['Z', 'Z'], ['. beyond the newest', '}}}}}}}}}}}}}}}}']) {
        my ($name, $keys) = @$way;
        go_to($screen, '#2');
        ok($screen->wait($past), "$at: the past");
        $screen->type($keys);
        ok($screen->wait(sub { $_[0] !~ /PAST|PAUSED/ }), "$at: $name is back");
        let_pass(1);
        ok($screen->wait(sub { shows($_[0], $passed) && $_[0] !~ /PAST|PAUSED/ }), "$at: ... and goes on");
    }

    # From a screen that is held it is the one before that.
    $screen->type('Z');
    $screen->wait(qr/PAUSED/);
    my $number = $passed;
    let_pass(3);
    $shows->(',', $number - 1, 'the interval before the one that is held');
    like($screen->text, $past, "$at: ... which is past");
    unlike($screen->text, qr/PAUSED/, "$at: ... and not only held");
    $shows->('.', $number, 'and the one that was held');
    $screen->type('Z');
    ok($screen->wait(sub { $_[0] !~ /PAST|PAUSED/ }), "$at: Z goes on");

    # What is counted stays as it is meanwhile.
    go_to($screen, '#2');
    $screen->wait($past);
    for my $key (qw(e a A d x)) {
        $screen->type($key);
        ok($screen->wait(qr/^this interval is over: go back to now to change what is counted *$/m),
            "$at: $key refuses at once");
        $screen->key('Down');
        $screen->wait(sub { $_[0] !~ /is over/ });
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
    $screen->wait(sub { $_[0] !~ /PAST/ });
    let_pass(1);
    ok($screen->wait(sub { $_[0] !~ /PAST/ && $_[0] =~ /ctxsw/ && $_[0] !~ /\bfaults\b/ }),
        "$at: ... is that of now, too");
    $screen->close;

    # On a small one.
    $screen = open_screen(40, 10);
    let_pass(2);
    $screen->wait(sub { $_[0] =~ /^ *1001 +2\.0/m });
    $screen->type(',');
    ok($screen->wait($past), 'the mark at 40x10');
    $screen->close;
}

# A command, which ends when it is told to; two intervals of it.
mkfifo("$dir/end", 0666);
sub open_command {
    unlink "$dir/begun";
    $script = Script->new(map { "$_ command=1" } @machine);
    $passed = 0;
    my $screen = Screen->new(80, 24, $script->command('-s', 'software', '--', 'sh', '-c', "echo >$dir/begun; read end <$dir/end"));
    wait_for(sub { -e "$dir/begun" }) or die 'no command';
    let_pass(2);
    $screen->wait(sub { $_[0] =~ /^ *1003 .* 4\.0 /m && 3 == Screen::rows($_[0]) }); # the second one
    return $screen;
}

sub end_command {
    open my $gate, '>', "$dir/end" or die;
    print $gate "\n";
}

# When all is over the totals are what is now.
my $screen = open_command();
end_command();
ok($screen->wait(qr/totals since its start/), 'the end of a command');
my $end = $screen->text;
$screen->type(',');
ok($screen->wait($past), 'one can look back from there');
$screen->type('$');
ok($screen->wait(sub { $_[0] eq $end }), '... and come back to its totals');
$screen->close;

# Somebody who looks back when it ends sees the end.
$screen = open_command();
$screen->type(',');
ok($screen->wait($past), 'back while it runs');
end_command();
ok($screen->wait(sub { $_[0] =~ /totals since its start/ && $_[0] !~ /PAST/ }), 'the end is shown');
$screen->close;

$screen = open_screen(80, 24, '--rewind', 0);
let_pass(2);
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

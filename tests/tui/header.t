#!/usr/bin/env perl
# The header: bars and their values, their history, and which parts remain on smaller terminals.
use Screen;
use Script;

my @quick = ('-s', 'software', '--engine', 'cpu');
my $spin = 101;
my @ran = ('run 101 oncpu=0.93 sys=0.31 context-switches=12 page-faults=7', 'self 0.02');
my ($screen, $script);

# A screen of a script with these lines, after some intervals in which a task runs.
sub open_screen {
    my ($width, $height, $lines, $intervals, @options) = @_;
    $script = Script->new('load 1.5 0.75 0.25', 'task 101 name=spin', @$lines);
    $screen = Screen->new($width, $height, $script->command(@quick, @options));
    $script->step(@ran) for 1 .. $intervals;
}

# Bars as [{label, filled, room, number, from, to}, ...] in the order of the screen: cells of the
# filled part, of all, and where it stands in its line.
sub bars {
    my ($text) = @_;
    my @bars;
    for my $line (split /\n/, $text) {
        while ($line =~ m{(\d+ CPUs?|[^ ]+) (([■▪|+]*)[·.]*) +([\d.]+)(?:%|\b)}g) {
            my $bar = {label => $1, room => length $2, filled => length $3, number => $4};
            @$bar{qw(from to)} = ($-[0], $+[0]);
            push @bars, $bar if $bar->{room} >= 8;
        }
    }
    return @bars;
}

# Whether a bar is filled to a share of it, as known to so and so much.
sub is_filled {
    my ($bar, $share, $error) = @_;
    my ($least, $most) = map { $_ > 1 ? 1 : $_ < 0 ? 0 : $_ } $share - $error, $share + $error;
    return $bar->{filled} >= int($least * $bar->{room} + 0.499) && $bar->{filled} <= $most * $bar->{room} + 0.501;
}

sub header {
    return $_[0] =~ /^(.*?)^ *PID /ms ? $1 : $_[0];
}

# The cells of the lowest line of the curve, between the time that it covers and its largest value.
sub curve {
    my ($text) = @_;
    return header($text) =~ /^\d+ (?:s|min) +?([⠀-⣿ _.=*#-]*?) max +(\S+)/m ? ($1, $2) : ('', '');
}

sub values_in {
    my ($curve) = curve($_[0]);
    my $dots = 0;
    $dots += 1 + (ord($_) - 0x2800 > 0 && !(~(ord($_) - 0x2800) & 0xc0) ? 1 : 0)
        for grep { /[⠁-⣿]/ } split //, $curve;
    return $dots;
}

for my $size ([80, 24], [200, 50]) {
    my $at = join 'x', @$size;
    open_screen(@$size, ['cpus 1'], 6);
    my $of_one = qr/^1 CPU +[■▪]+·* +93\.0%/m;
    ok($screen->wait($of_one), "$at: a bar of the machine, which is busy");
    my ($bar) = bars($screen->text);
    is($bar->{label}, '1 CPU', "$at: it says what it is of");
    ok(is_filled($bar, $bar->{number} / 100, 0.001), "$at: it is filled so far") or diag explain $bar;
    like($screen->text, qr/load  1\.50  0\.75  0\.25  self +2%$/m, "$at: load and own cost beside it");
    ok($screen->wait(sub { (curve($_[0]))[0] =~ /[⣤⣶⣿⣴⣼⣾⣷⣧]{3}$/ }), "$at: the history is below");
    is((curve($screen->text))[1], '93%', "$at: ... with its largest value");
    like($screen->text, qr/^(?:6[0-9]|1[01][0-9]) s /m, "$at: ... and the time it covers");
    is($screen->text =~ /^100%/m ? 3 : 1, $size->[1] < 30 ? 1 : 3, "$at: it is as tall as there is room");

    # User and kernel time are told apart.
    if ($size->[0] > 80) {
        like($screen->text, qr/user +62% kernel +31%/, "$at: user and kernel time");
        my ($first, $second, $rest) = map { length } $screen->text =~ /^1 CPU +(■*)(▪*)(·*) /m;
        my $cell = 100 / ($first + $second + $rest);
        ok(abs($first * $cell - 62) <= $cell && abs($second * $cell - 31) <= $cell, "$at: ... in the bar, too") or diag "$first $second $rest";
    }

    # Nothing moves while it pauses; what was counted meanwhile is there afterwards.
    $screen->key('Z');
    $screen->wait(qr/PAUSED/);
    my $held = header($screen->text);
    my $before = values_in($screen->text);
    $script->step(@ran) for 1 .. 4;
    is(header($screen->still), $held, "$at: it is held while it pauses");
    $screen->key('Z');
    $screen->wait(sub { $_[0] !~ /PAUSED/ });
    $script->step(@ran);
    ok($screen->wait(sub { $_[0] =~ $of_one && values_in($_[0]) >= $before + 4 }), "$at: ... and has learned meanwhile");

    # Each CPU.
    $screen->key('m');
    ok($screen->wait(qr/^0 [■▪]+·* +\d[\d.]*%/m), "$at: m shows a bar for each CPU");
    ($bar) = grep { $_->{label} eq '0' } bars($screen->text);
    ok(is_filled($bar, $bar->{number} / 100, 0.001), "$at: filled so far");
    like((curve($screen->text))[0], qr/[⠁-⣿]/, "$at: the history has a line of its own");
    $screen->key('m');
    ok($screen->wait(sub { header($_[0]) !~ /[■▪]/ }), "$at: m again shows none");
    like(header($screen->text), qr/^1 CPU +93\.0% /m, "$at: ... and how busy it is, as text");
    unlike(header($screen->text), qr/ max /, "$at: ... and no history");
    $screen->key('m');
    ok($screen->wait($of_one), "$at: m once more, and the machine is back");

    # Another metric.
    like(header($screen->text), qr{ ctxsw/s +\S+  migr/s +\S+}, "$at: the screen's first metrics in total");
    $screen->key('M');
    ok($screen->wait(qr{^ctxsw/s [■·]+ +\S+ }m), "$at: M takes a metric of the screen");
    is(() = header($screen->text) =~ m{ctxsw/s}g, 1, "$at: it is told once");
    $screen->key('m');
    ok($screen->wait(qr{^0 [■·]+ +[\d.]+}m), "$at: of each CPU");
    $screen->key('m', 'm', 'M');
    ok($screen->wait(qr{^migr/s [■·]}m), "$at: M takes the next one");
    $screen->key('M');
    ok($screen->wait(qr{^faults/s [■·]}m), "$at: and the one behind it");
    $screen->key('M');
    ok($screen->wait($of_one), "$at: and is around");
}

# Where one is: the views as tabs, and the screen between its neighbours; a press leads there.
{
    open_screen(140, 24, [], 1);
    ok($screen->wait(qr/\A\[Tasks\] CPUs  Users  Commands  Cgroups  .*‹software›/), 'tabs');
    $screen->press(11, 1);
    ok($screen->wait(qr/\A Tasks \[CPUs\] Users .*\n(?:.*\n)*^▲CPU HEAT/m), '... a press shows that view');
    $screen->press(3, 1);
    ok($screen->wait(qr/\A\[Tasks\] CPUs /), '... and back');
    my ($before, $after) = $screen->text =~ /\A.* (\S+) ‹software› (\S+)/;
    isnt($before // '', $after // '', 'the screen has two neighbours');
    ok($screen->press_until(qr/(?<=› )\Q$after\E/, qr/\A.*‹\Q$after\E›/), '... a press shows the next one');
    $screen->key('Left');
    ok($screen->wait(qr/\A.*‹software›/), '... the key the one before');
}

# A notice gives its line back after ten seconds, and E has it.
{
    open_screen(100, 24, [], 1, '-e', 'nopmu/config=1/');
    ok($screen->wait(qr{^nopmu/config=1/ not counted}m), 'a notice');
    $script->step for 1 .. 8;
    like($screen->still, qr{^nopmu/config=1/ not counted}m, '... stays for a while');
    $script->step for 1 .. 3;
    ok($screen->wait(sub { $_[0] !~ m{^nopmu/config=1/ not}m && $_[0] =~ /^F1 help .* E notice\b/m}), '... folds');
    $screen->key('E');
    ok($screen->wait(qr{nopmu/config=1/}), '... E has it');
}

# All CPUs, in the order of their numbers, none on another.
open_screen(80, 24, ['cpus 12', map { "task $_ cpu=" . ($_ - 200) } 201 .. 211], 0);
$script->step(@ran, map { "run $_ oncpu=0.0" . ($_ - 200) } 201 .. 209);
$screen->wait(qr/^12 CPUs +[■▪·]/m);
$screen->key('m');
ok($screen->wait(sub { 12 == grep { $_->{label} =~ /^\d+$/ } bars($_[0]) }), 'bars of all CPUs');
my @bars = grep { $_->{label} =~ /^\d+$/ } bars($screen->text);
is_deeply({map { $_->{label} => $_->{number} } @bars}, {0 => '93.0', map({ $_ => "$_.0" } 1 .. 9), 10 => '0.0', 11 => '0.0'}, '... each has one');
is((grep { $_->{to} > 80 || !is_filled($_, $_->{number} / 100, 0.001) } @bars), 0, '... filled so far');

# A refresh in the engine 'task' knows no CPUs: m leaves them out.
open_screen(80, 24, [], 1, '--engine', 'task', '-p', $spin);
ok($screen->wait(qr/^2 CPUs +[■▪]+·* +46\.5.* watched  0\.93 CPUs/m), "engine task: what is watched, beside the machine");
$screen->key('m');
ok($screen->wait(sub { header($_[0]) !~ /[■▪]/ }), "engine task: m shows none");

# Without Unicode and colours.
for my $environment ('LC_ALL=C', 'LC_ALL=C TERM=vt100', 'LC_ALL=C.UTF-8 NO_COLOR=1') {
    $script = Script->new('cpus 1', 'task 101');
    my $screen = Screen->new(80, 24, "$environment " . $script->command(@quick));
    $script->step(@ran) for 1 .. 8;
    my $marks = $environment =~ /UTF/ ? qr/[⣤⣶⣿⣷]{2}$/ : qr/[#*]{4}$/;
    ok($screen->wait(sub { (curve($_[0]))[0] =~ $marks }), "$environment: the history");
    my ($bar) = bars($screen->text);
    ok($bar && is_filled($bar, $bar->{number} / 100, 0.001), "$environment: the bar");
}

# Step by step: what each size shows of it. A filter, a watch, and a pause are told everywhere.
my $where = qr/\A\[Tasks\].*watching $spin  filter spin/;
my @steps = (
    [200, 50, $where, qr/\A.* events 3 of 4 counted .* every 1 s  00:00$/m, qr/^\d+ CPUs? .* self +\S+$/m, qr/^100%/m],
    [80, 24, $where, qr/^\d+ CPUs? .* self +\S+$/m, qr/^\d+ s .* max /m],
    [60, 15, $where, qr/^\d+ CPUs? .* self +\S+$/m, qr/^\d+ s .* max /m],
    [40, 10, qr/\A\[Tasks\].*filter spin/, qr/^\d+ CPUs? .*\d%/m],
    [30, 8, qr/\A.*filter spin/],
    [20, 5, qr/\A *PID/],
    [19, 5, qr/\Aterminal too small/],
    [20, 4, qr/\Aterminal too small/],
);
open_screen(80, 24, [], 2, '-p', $spin, '-f', 'spin', '-e', 'nopmu/config=1/');
$screen->wait(qr/^\d+ CPUs? +[■▪·]/m);
for my $step (@steps) {
    my ($width, $height, @expected) = @$step;
    $screen->resize($width, $height);
    my $text;
    ok($screen->wait(sub { $text = $_[0]; !grep { $text !~ $_ } @expected }),
        "${width}x$height: what it has room for");
    next if $height < 8;
    # Half of the lines, and at least four, are the table's: those behind the titles but the keys.
    my @lines = split /\n/, $text, -1;
    my ($titles) = grep { $lines[$_] =~ /^ *PID / } 0 .. $#lines;
    cmp_ok($height - 1 - $titles - 1, '>=', $height / 2 > 4 ? int($height / 2) : 4,
        "${width}x$height: half of it is the table's");
}
$screen->resize(40, 10);
$screen->wait(qr/filter spin/);
$screen->key('Z');
ok($screen->wait(qr/\A.*PAUSED/), 'a pause is told at 40x10');
$screen->resize(30, 8);
ok($screen->wait(qr/\A.*PAUSED/), '... and at 30x8');

# What a filter and a baseline do to the rows is told, shortened if need be, and leaves room for more.
my @recording = ('--replay', "$ENV{TOP}/tests/data/recording/small.db");
$screen = Screen->countertop(80, 24, @recording, '-f', 'cpu > 0.1 and (user = root or user = nobody)');
ok($screen->wait(qr/\A\[\w+\].*  filter cpu > 0\.1 .*\.\.\.  (?:replay .*  )?interval \d+ of \d+ /), 'a long filter of a recording at 80x24');
$screen = Screen->countertop(80, 24, @recording, '--view', 'commands');
$screen->wait(qr/\A\[Commands\].*interval 1 of/);
$screen->type('$=');
ok($screen->wait(qr/\A\[Commands\].*  change from \d\d:\d\d:\d\d  (?:replay .*  )?interval /), '... and a baseline');
open_screen(80, 24, [], 1, '-f', 'cpu > 0.1 and (user = root or user = nobody) and not "firefox" and not "chromium"');
ok($screen->wait(qr/\A\[Tasks\] CPUs  Users .*‹software› .*filter cpu > 0\.1 and \(user \.\.\.(?:  |$)/m), 'tabs and the screen beside a long filter');

# What a hypervisor takes.
open_screen(120, 40, [], 0);
$script->step(@ran, 'steal 0 0.2');
ok($screen->wait(qr/^F1 help .*  steal +10%/m), 'what a hypervisor takes is a warning');

done_testing;

#!/usr/bin/env perl
# The header: bars and their values, their history, and which parts remain on smaller terminals.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Screen;
use Test::More;

my $spin = start_work('spin', '-c', 0);
my @quick = ('-d', 0.2, '-s', 'software', '--engine', 'cpu');

# Bars as [{label, text, filled, room, from, to}, ...] in the order of the screen: cells of the
# filled part, of all, and where it stands in its line.
sub bars {
    my ($text) = @_;
    my @bars;
    for my $line (split /\n/, $text) {
        while ($line =~ m{(?<![^ \]])([^ \[\]]+)\[((\|*) *([^\[\]|]+))\]}g) {
            my $bar = {label => $1, room => length $2, filled => length $3, text => $4};
            @$bar{qw(from to)} = ($-[0], $+[0]);
            ($bar->{number}) = $bar->{text} =~ /([\d.]+)/;
            push @bars, $bar;
        }
    }
    return @bars;
}

# Whether a bar is filled to a share of it, as known to so and so much, as far as its text lets it.
sub is_filled {
    my ($bar, $share, $error) = @_;
    my $free = $bar->{room} - length $bar->{text} =~ s/^ +//r;
    my ($least, $most) = map { $_ > $free ? $free : $_ < 0 ? 0 : int($_ + 0.5) }
        ($share - $error) * $bar->{room}, ($share + $error) * $bar->{room};
    return $bar->{filled} >= $least && $bar->{filled} <= $most;
}

sub header {
    return $_[0] =~ /^(.*?)^ *PID /ms ? $1 : $_[0];
}

# The cells of the curve in front of the range of its values.
sub curve {
    my ($text) = @_;
    return header($text) =~ /([⠀-⣿ _.=*#-]*?) (\d\S*\.\.\S+)$/m ? ($1, $2) : ('', '');
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
    my $screen = Screen->countertop(@$size, '-C', 0, @quick);
    my $of_one = qr/^busy\[\|+ *(\d\.\d\d) of 1 CPU\]/m;
    ok($screen->wait(sub { $_[0] =~ $of_one && $1 > 0.9 }), "$at: a bar of the machine, which is busy");
    my ($bar) = bars($screen->text);
    is($bar->{label}, 'busy', "$at: it says what it is of");
    ok(is_filled($bar, $bar->{number}, 0.006), "$at: it is filled so far") or diag explain $bar;
    unlike($screen->text, qr/busy \d/, "$at: what it tells is not told again");
    ok($screen->wait(sub { (curve($_[0]))[0] =~ /[⣤⣶⣿⣴⣼⣾⣷⣧]{3}$/ }), "$at: the history is beside it");
    like((curve($screen->text))[1], qr/^\d+\.\.\d+%$/, "$at: ... with its range");

    # Nothing moves while it pauses; what was counted meanwhile is there afterwards.
    $screen->key('Z');
    $screen->wait(qr/PAUSED/);
    my $held = header($screen->text);
    my $before = values_in($screen->text);
    my $refreshed = time + 2;
    my $same = 1;
    wait_for(sub { $same &&= header($screen->text) eq $held; !$same || time >= $refreshed });
    ok($same, "$at: it is held while it pauses");
    $screen->key('Z');
    $screen->wait(sub { $_[0] !~ /PAUSED/ });
    cmp_ok(values_in($screen->text), '>=', $before + 4, "$at: ... and has learned meanwhile");

    # Each CPU.
    $screen->key('m');
    ok($screen->wait(qr/^0\[\|+ *\d[\d.]*%\]/m), "$at: m shows a bar for each CPU");
    ($bar) = bars($screen->text);
    ok(is_filled($bar, $bar->{number} / 100, 0.001), "$at: filled so far");
    like($screen->text, qr/^busy \d[\d.]*% +\S/m, "$at: the history has a line of its own");
    $screen->key('m');
    ok($screen->wait(sub { header($_[0]) !~ /\[/ }), "$at: m again shows none");
    like(header($screen->text), qr/^busy \d\.\d\d of 1 CPU /m, "$at: ... and how busy it is, as text");
    unlike(header($screen->text), qr/\.\./, "$at: ... and no history");
    $screen->key('m');
    ok($screen->wait($of_one), "$at: m once more, and the machine is back");

    # Another metric.
    $screen->key('M');
    ok($screen->wait(qr{^ctxsw/s\[}m), "$at: M takes a metric of the screen");
    like(header($screen->text), qr/^busy \d\.\d\d of 1 CPU /m, "$at: how busy it is is told still");
    is(() = header($screen->text) =~ m{ctxsw/s}g, 1, "$at: and that metric once");
    $screen->key('m');
    ok($screen->wait(qr{^0\[\|+ *ctxsw/s \S+\]}m), "$at: of each CPU, with its name");
    $screen->key('m', 'm', 'M');
    ok($screen->wait(qr{^migr/s\[}m), "$at: M takes the next one");
    $screen->key('M');
    ok($screen->wait(qr{^faults/s\[}m), "$at: and the one behind it");
    $screen->key('M');
    ok($screen->wait($of_one), "$at: and is around");
}

# All CPUs, in the order of their numbers, none on another.
my $cpus = grep { /^processor/ } `cat /proc/cpuinfo`;
my $screen = Screen->countertop(80, 24, @quick);
$screen->wait(qr/^busy\[/m);
$screen->key('m');
ok($screen->wait(qr/^ *0(?:-\d+)?\[/m), 'bars of all CPUs');
my @bars = bars($screen->text);
SKIP: {
    skip 'more CPUs than bars', 2 if $cpus > 16;
    is("@{[sort { $a <=> $b } map { $_->{label} } @bars]}", "@{[0 .. $cpus - 1]}", '... each has one');
    is((grep { $_->{to} > 80 || !is_filled($_, $_->{number} / 100, 0.001) } @bars), 0,
        '... filled so far');
}

# A refresh in the engine 'task' knows no CPUs: m leaves them out.
$screen = Screen->countertop(80, 24, '-d', 0.2, '-s', 'software', '--engine', 'task', '-p', $spin);
ok($screen->wait(qr/^busy\[\|+ *\d\.\d\d of $cpus CPU/m), "engine task: what is watched, as a bar");
$screen->key('m');
ok($screen->wait(sub { header($_[0]) !~ /\[/ }), "engine task: m shows none");

# Without Unicode and colours.
for my $environment ('LC_ALL=C', 'LC_ALL=C TERM=vt100', 'LC_ALL=C.UTF-8 NO_COLOR=1') {
    my $screen = Screen->new(80, 24, "$environment " . countertop_command('-C', 0, @quick));
    my $marks = $environment =~ /UTF/ ? qr/[⣤⣶⣿⣷]{2}$/ : qr/[#*]{4}$/;
    ok($screen->wait(sub { (curve($_[0]))[0] =~ $marks }), "$environment: the history");
    my ($bar) = bars($screen->text);
    ok($bar && is_filled($bar, $bar->{number}, 0.006), "$environment: the bar");
}

# Step by step: what each size shows of it. A filter, a watch, and a pause are told everywhere.
my @steps = (
    [200, 50, qr/\Acountertop  .*  Linux \S+ .*\d\d:\d\d:\d\d$/m, qr/^engine cpu \(system-wide/m,
     qr/^whole machine:  ctxsw.*  unattributed \d.*  self .*MiB$/m, qr/^busy\[.*\] .*\.\.\d+%$/m],
    [80, 24, qr/\Acountertop  .*\d\d:\d\d:\d\d$/m, qr/^engine cpu .*watching $spin/m,
     qr/^whole machine:  ctxsw/m, qr/ self \S+ CPU/, qr/^busy\[.*\] .*\.\.\d+%$/m],
    [60, 15, qr/^engine cpu .*watching $spin/m, qr/^whole machine:  ctxsw/m, qr/self \S+ CPU/,
     qr/^busy\[/m],
    [40, 10, qr/\A(?=.*watching $spin)(?=.*filter spin).*\n.*busy \d\.\d\d of \d+ CPU/],
    [30, 8, qr/\Abusy \d\.\d\d\/\d+ .*filter spin/],
    [20, 5, qr/\A *PID/],
    [19, 5, qr/\Aterminal too small/],
    [20, 4, qr/\Aterminal too small/],
);
$screen = Screen->countertop(80, 24, '-p', $spin, '-f', 'spin', @quick, '-e', 'nopmu/config=1/');
$screen->wait(qr/^busy\[/m);
for my $step (@steps) {
    my ($width, $height, @expected) = @$step;
    $screen->resize($width, $height);
    my $text;
    ok($screen->wait(sub { $text = $_[0]; !grep { $text !~ $_ } @expected }),
        "${width}x$height: what it has room for");
    next if $height < 8;
    like($text, qr{^nopmu/config=1/ not c}m, "${width}x$height: what is missing is told");
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
ok($screen->wait(qr/\Abusy .*PAUSED/), '... and at 30x8');

done_testing;

#!/usr/bin/env perl
# F2: screens, themes and switches, previewed when chosen, and saved as settings.
use Screen;
use File::Path 'make_path';

my $config = $ENV{XDG_CONFIG_HOME} = tempdir(CLEANUP => 1);
my $directory = "$config/countertop";
make_path($directory);

sub put {
    my ($name, $text) = @_;
    open my $file, '>', "$directory/$name" or die "$name: $!";
    print $file $text;
    close $file;
}

# A PMU that no x86 has, another one that no Arm has.
put('foreign.ini', <<'END');
[screen foreign]
description = of other machines
events = armv8_pmuv3_0/l1d_cache/,amd_df/event=1/
requires = armv8_pmuv3_0/l1d_cache/ amd_df/event=1/
columns = pid command
END
my @screens = map { /^(\S+)/ ? $1 : () } split /\n/, `countertop --list-screens`;
my @themes = map { /^(\S+)/ ? $1 : () } split /\n/, `countertop --list-themes`;

sub index_of {
    my ($name, @list) = @_;
    my ($index) = grep { $list[$_] eq $name } 0 .. $#list;
    return $index // die "no $name";
}

# Moves the cursor of a list to the line that begins with that name: the last line of the list says at
# which one the cursor is.
sub go_to {
    my ($screen, $name, $count) = @_;
    $screen->key('Home');
    for my $line (1 .. $count + 1) {
        $screen->wait(qr{^Enter show.* $line/\d+$}m) or last;
        my $style = $screen->style_of(qr/^.*[ >]\Q$name\E  /);
        return 1 if $style->{reverse} || $style->{background};
        $screen->key('Down');
    }
    die "no '$name' in the list";
}

# The line of titles, without the mark of the one that sorts.
sub titles {
    my ($text) = @_;
    my ($line) = $text =~ /^(.*\bPID\b.*COMMAND.*)$/m;
    return ($line // '') =~ s/[▼▲v^<>](?=[%A-Z])|[<>]| +$//gr;
}

my $spin = start_work('spin', '-r');

sub try_screens {
    my ($at, $screen) = @_;
    $screen->key('Down');
    ok($screen->wait(qr/^>Screens/m), "$at: the next section");
    $screen->key('Enter');
    ok($screen->wait(qr/^Enter show.* 2\/\d+$/m), "$at: the cursor is on the one in use");
    go_to($screen, 'foreign', scalar @screens);
    $screen->key('Enter');
    ok($screen->wait(qr/cannot show screen 'foreign': cannot count '\S+': this\s+machine has no PMU/),
       "$at: a screen that cannot be counted says why");
    ok($screen->wait(qr/foreign +of other machines; not here/), "$at: ... in the list, too, behind what it is for");
    go_to($screen, 'faults', scalar @screens);
    $screen->key('Enter');
    ok($screen->wait(sub { $_[0] =~ /^screen 'faults'/m && titles($_[0]) =~ m{minor/s +major/s} }),
       "$at: Enter shows the screen");
    ok($screen->wait(qr/^.* faults +in use; page faults/m), "$at: ... which is told in the list");
    $screen->key('Left');
}

sub try_themes {
    my ($at, $screen, $colors) = @_;
    $screen->key('Down');
    ok($screen->wait(qr/^>Themes/m), "$at: the next section");
    ok($screen->wait($colors ? qr/Themes, on $colors colours/ : qr/Themes, without colours/),
       "$at: ... says how many colours there are");
    ok($screen->wait(qr/ dark +in use; /), "$at: ... and what is in use");
    my $look = sub { $screen->style_of(qr/^ *PID +USER/)->{background} };
    my $before = $look->();
    $screen->key('Right', 'Home', ('Down') x index_of('gruvbox', @themes));
    ok(wait_for(sub { $look->() ne $before }), "$at: a theme is shown under the cursor") if $colors;
    $screen->key('Escape');
    ok(wait_for(sub { $look->() eq $before }), "$at: Esc takes that back");
    $screen->key('Right', 'Home', ('Down') x index_of('gruvbox', @themes));
    put('settings.ini', "; Written by countertop when it is told to keep the settings; others go into another file here.\n"
        . "[settings]\ncpu-min = 0.25\n");
    $screen->key('Enter');
    ok($screen->wait(qr/^theme 'gruvbox', kept\s+in\s+\S+settings\.ini/m), "$at: Enter takes it");
    my $kept = join '', sort grep { !/^[;\[]/ } split /^/, slurp_or_empty("$directory/settings.ini");
    is($kept, "cpu-min = 0.25\ntheme = gruvbox\n", "$at: ... and keeps it beside what was kept before, but nothing of this run");
    unlink "$directory/settings.ini";
    $screen->key('Escape');
    ok($screen->wait(qr/ gruvbox +in use; /), "$at: it is in use");
    isnt($look->(), $before, "$at: ... and stays shown") if $colors;
}

# [what F2 says of a switch, its key, what it is before and after, the keys that change it]
my @toggles = (
    ['rows are threads, not processes', 'H', 'no', 'yes', 'Enter', qr/^ *PID +TID/m],
    ['what the rows are', 'Tab', 'tasks', 'cpus'],
    ['rows of the view of CPUs', 'l', 'cpu', 'cpu', 'Enter', qr/^only the view of CPUs has/m],
    ['processes below their parents', 'F5', 'no', 'yes', 'Space'],
    ['what did not run is shown, too', 'i', 'no', 'yes'],
    ['hidden are rows below this %CPU', '%', '0', '0.5', 'Enter', qr/%CPU from 0\.5/],
    ['tasks that have ended stay', 'S', 'no', 'yes'],
    ['command lines, not only names', 'c', 'no', 'yes'],
    ['seconds between two refreshes', 'd', '0.2', '0.3', 'Enter', qr/every 0\.3 s/],
    ['code: instructions, lines, or both', 'T', 'both', 'lines'],
    ['counts: rate, interval or total', 'o', 'rate', 'interval', 'Enter', qr/\A.*counts in the interval/],
    ['all digits of numbers', 'X', 'no', 'yes'],
    ['count in mode: all, user, kernel', 'K', 'all', 'user', 'Enter', qr/user only/],
    ['bars at the top', 'm', 'machine', 'cpus', 'Enter', qr/^ *0 [■▪|+]/m],
    ['what bars and history show', 'M', 'busy', 'minor_faults_per_s'],
);

sub try_display {
    my ($at, $screen, $ascii) = @_;
    $screen->key('Down', 'Right');
    ok($screen->wait(qr/^>Display/m) || $screen->wait(qr/Display: what is set/), "$at: the switches");
    $screen->key('End') if $ascii;
    for ($ascii ? () : @toggles) {
        my ($name, $key, $before, $after, $press, $effect) = @$_;
        ok($screen->wait(qr/ \Q$name\E +$before +\Q$key\E$/m), "$at: $name is $before");
        $screen->key($press // 'Enter');
        $screen->answer(qr/^Least %CPU:/m, $after) if $key eq '%';
        $screen->answer(qr/^Seconds between/m, '0.3') if $key eq 'd';
        ok($screen->wait(qr/ \Q$name\E +$after +\Q$key\E$/m), "$at: it is $after then");
        ok($screen->wait($effect), "$at: ... which is seen") if $effect;
        $screen->key(('Enter') x 6) if $key eq 'Tab'; # back to the tasks
        $screen->wait(qr/ what the rows are +tasks/) if $key eq 'Tab';
        $screen->key('Enter') if $key =~ /^[mMK]$/;
        $screen->key('Down');
    }
    ok($screen->wait($ascii ? qr/ only ASCII characters +yes/ : qr/ only ASCII characters +no/), "$at: ascii is as the locale has it");
    $screen->key('Enter');
    ok($screen->wait($ascii ? qr/the locale has only ASCII/ : sub { $_[0] =~ / only ASCII characters +yes/ && $_[0] !~ /[^\x00-\x7f]/ }),
       "$at: ... and can be chosen where there is a choice");
    $screen->key('Left');
}

sub try_settings {
    my ($at, $screen, $open) = @_;
    unlink "$directory/settings.ini";
    $screen->key('Down', 'Right', 'Enter');
    ok($screen->wait(qr/^wrote \S+settings\.ini *$/m), "$at: settings are saved");
    my $text = slurp_or_empty("$directory/settings.ini");
    like($text, qr/^\Q$_\E$/m, "$at: ... $_") for 'screen = faults', 'threads = yes', 'tree = yes', 'idle = yes',
        'cpu-min = 0.5', 'sticky = yes', 'cmdline = yes', 'show = interval', 'exact = yes', 'mode = kernel',
        'theme = gruvbox', 'delay = 0.3', 'ascii = yes', 'bars = off';
    ok($screen->wait(qr/In \S+settings\.ini.* screen +faults/s), "$at: what was written is listed");
    $screen->key('Escape');
    $screen->wait(qr/^Enter open/m);
    $screen->key('Escape');
    ok($screen->wait(qr/^F1 help/m), "$at: Esc leaves the setup");
    my $again = $open->();
    ok($again->wait(qr{^ *PID +TID .*minor}m), "$at: the next start is so");
    ok($again->wait(qr/kernel only +counts in the interval/), "$at: ... and so");
    $again->close;
    unlink "$directory/settings.ini";
}

sub try_all {
    my ($at, $open, $ascii, $colors) = @_;
    my $screen = $open->('-d', 0.2, '-s', 'software');
    $screen->wait(qr/^ *$spin /m) or die;
    $screen->key('F2');
    $screen->wait(qr/^>Columns/m);
    try_screens($at, $screen);
    try_themes($at, $screen, $colors);
    try_display($at, $screen, $ascii);
    try_settings($at, $screen, $open) if !$ascii;
    $screen->close;
}

my @watch = ('-p', $spin, '--engine', 'cpu');
try_all('80x24', sub { Screen->countertop(80, 24, @watch, @_) }, 0, 256);
try_all('vt100', sub {
    return Screen->new(80, 24, 'TERM=vt100 LANG=C LC_ALL=C ' . countertop_command(@watch, @_));
}, 1, 0);

done_testing;

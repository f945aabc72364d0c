#!/usr/bin/env perl
# ':' lists the commands of the pane: found by a part of a name or of what they do, with their keys, run by Enter.
use utf8;
use Screen;
use Script;

$ENV{XDG_CONFIG_HOME} = tempdir(CLEANUP => 1); # for the theme that is kept

# Each command that --list-keys has for all panes, and for the table, whose own come before them.
my @keys = split /\n/, `countertop --list-keys --no-config`;
my %table = map { my $pane = $_; map { /^$pane +(\S+) +(\S+)/ ? ($1 => $2) : () } @keys } qw(any table);

for my $size ([80, 24], [200, 50]) {
    my $at = join 'x', @$size;
    my $script = Script->new('task 101 name=spin', 'task 102 name=other');
    my $screen = Screen->new(@$size, $script->command(qw(-s software --engine cpu)));
    $script->step('run 101 oncpu=0.5', 'run 102 oncpu=0.1');
    $screen->wait(qr/^ *101 /m);
    my $order = join ' ', Screen::pids($screen->text);
    $screen->key(':');
    ok($screen->wait(qr/^Command:/m), "$at: ':' asks for a command");
    like($screen->text, qr/^help +F1 +this help/m, '... all are listed, each with its key');
    $screen->type('sort-i');
    ok($screen->wait(sub { $_[0] =~ /^Command: sort-i/m && $_[0] =~ /^sort-invert +I +invert/m && $_[0] !~ /^help /m }),
        '... a part of a name finds it');
    $screen->key('Enter');
    ok($screen->wait(sub { $_[0] !~ /^Command:/m && join(' ', Screen::pids($_[0])) eq join ' ', reverse split / /, $order }),
        '... Enter runs it');
    $screen->key(':');
    $screen->answer(qr/^Command:/m, 'show threads');
    ok($screen->wait(sub { $_[0] !~ /^Command:/m && $_[0] =~ /\bPID +TID\b/ }), '... what it does finds it, too');
    $screen->key('H');
    $screen->key(':');
    $screen->answer(qr/^Command:/m, 'workload-more');
    ok($screen->wait(qr/^there is no workload to change: /m), '... what cannot be done now says why');
    for (['cgroups', qr/^view cgroups +Tab /m, qr/^ *PROCS\b.* CGROUP\b/m], ['tasks', qr/^view tasks +Tab /m, qr/^ *PID\b.* COMMAND\b/m],
        ['switches', qr/^screen switches +V /m, qr/\A.*[‹<]switches[›>]/],
        ['theme nord', qr/^theme nord +F2 /m, qr/^theme 'nord', kept in /m]) {
        my ($name, $line, $shown) = @$_;
        $screen->key(':');
        $screen->wait(qr/^Command:/m);
        $screen->type($name);
        ok($screen->wait($line), "... and '$name' with its key");
        $screen->key('Enter');
        ok($screen->wait(sub { $_[0] !~ /^Command:/m && $_[0] =~ $shown }), '... which Enter shows');
    }
    $screen->key(':');
    $screen->answer(qr/^Command:/m, 'software');
    $screen->key(':');
    $screen->wait(qr/^Command:/m);
    $screen->type('zzz');
    ok($screen->wait(qr/^nothing has this text/m), '... so does a text that none has');
    $screen->key('Enter');
    ok($screen->wait(qr/^Command: zzz/m), '... of which Enter runs none');
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ /^Command:/m }), '... Esc closes it');

    # Of another pane its own.
    $screen->key('E');
    $screen->wait(qr/^Events *$/m);
    $screen->key(':');
    ok($screen->wait(sub { $_[0] =~ /^back +Esc +close/m && $_[0] !~ /^sort /m }), "$at: a page has its own commands");
    $screen->answer(qr/^Command:/m, 'back');
    ok($screen->wait(sub { $_[0] !~ /^Command:|^Events *$/m }), '... which are for it');
    next if $size->[0] != 200;
    $screen->resize(200, 120);
    $screen->key(':');
    $screen->wait(qr/^Command:/m);
    my %listed = map { /^([a-z-]+) +(\S+) +\w/ ? ($1 => $2) : () } split /\n/, $screen->still;
    is_deeply([grep { ($listed{$_} // '') ne $table{$_} } sort keys %table], [], "$at: no command and no key is missing");
}

done_testing;

#!/usr/bin/env perl
# Functions in the terminal: of a row, of all that is watched, with the books above; what is sampled
# ends with the view; pause, filter, sort, rewind.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Screen;
use Slurp;
use Test::More;

my $work = start_work('shares', 'cycles');
my $other = start_work('spin');
my $titles = qr/^ *\W?SHARE +SAMPLES .*OBJECT +FUNCTION *$/m;
my $three = sub {
    my ($text) = @_;
    my @found = $text =~ /^ *([\d.]+) +\d+ .*\bshares +cycles_(?:seventy|twenty|ten)$/mg;
    return @found == 3 && $found[0] > 50 ? 1 : 0;
};

# The perf descriptors that a process holds.
sub events {
    my ($pid) = @_;
    return scalar grep { (readlink($_) // '') =~ /perf_event/ } glob "/proc/$pid/fd/*";
}

for my $size ([80, 24], [120, 40]) {
    my $at = join 'x', @$size;
    # The ledger opens and closes its events for switch records as it needs them.
    my $screen = Screen->countertop(@$size, '-d', 0.5, '-s', 'software', '--engine', 'task', '-p', "$work,$other");
    my $pid = $screen->pid_of('countertop');
    ok($screen->wait(sub { join(' ', sort { $a <=> $b } Screen::pids($_[0])) eq join ' ', sort { $a <=> $b } $work, $other }),
        "$at: two programs run");
    my $before = events($pid);
    my $row = qr/^ *$work .*\bshares\b/m;
    $screen->type('/');
    $screen->answer(qr/^Search:/m, 'shares');
    $screen->type('p');
    ok($screen->wait(sub { $_[0] =~ $titles && $three->($_[0]) }), "$at: p shows the functions of the row under the cursor");
    my $rest = $size->[0] > 80 ? qr/0; stacks: frame pointers, \d+ % short$/m : qr//;
    ok($screen->wait(qr/^shares $work: cpu-clock: [\d.]+ % of [\d.]+m?s explained; \d+\/s; lost 0; throttled $rest/m),
        "$at: ... whose they are, and what they explain");
    unlike($screen->text, qr/^ *[\d.]+ +\d+ .*\bspin +main/m, "$at: ... not those of others");
    cmp_ok(events($pid), '>', $before, "$at: ... events are open for that");
    ok($screen->wait(qr/\[Functions\]/), "$at: ... and the tab says so");
    $screen->key('Down');
    $screen->type('G');
    ok($screen->wait(sub { $_[0] =~ /^Callers, in % of its stacks/m && $_[0] =~ /^ *\d+\.\d\d % +(?:cycles_round|main) +shares$/m }),
        "$at: G shows who calls a function");
    like($screen->text, qr/^itself +\d+\.\d\d % of all samples/m, "$at: ... and its share");
    $screen->key('Escape');
    $screen->wait($titles);
    $screen->type('F');
    $screen->key('F4');
    $screen->type('twenty');
    ok($screen->wait(sub { my @f = $_[0] =~ /\bcycles_(\w+)$/mg; "@f" eq 'twenty' }), "$at: a filter");
    $screen->key('C-u', 'Enter');
    ok($screen->wait($three), "$at: ... is taken away");
    $screen->type('Z');
    $screen->wait(qr/PAUSED/);
    my $still = $screen->text;
    is($screen->reads(sub { $_[0] }, $still), $still, "$at: a pause holds them");
    $screen->type('Z');
    $screen->type('p');
    ok($screen->wait(sub { $_[0] =~ /^ *$other .*\bspin/m && $_[0] !~ $titles }), "$at: p again goes back");
    ok(wait_for(sub { events($pid) == $before }), "$at: ... and closes what was open");
    $screen->key('BTab');
    ok($screen->wait(sub { $three->($_[0] =~ s/^ *[\d.]+ +\d+ .*\bspin .*\n//mgr) || $_[0] =~ /cycles_seventy/ && $_[0] =~ /\bspin +main$/m }),
        "$at: Tab leads to the functions of all that is watched");
    ok($screen->wait(qr/^cpu-clock: [\d.]+ % of /m), "$at: ... and their books");
    # The interval before may be one without samples.
    ok(wait_for(sub {
        $screen->type('$');
        $screen->wait(sub { $_[0] !~ /\bPAST\b/ });
        $screen->type(',');
        return $screen->wait(qr/\bPAST\b/) && $screen->text =~ /\bcycles_seventy$/m;
    }), "$at: rewind has them, too");
    $screen->type('$');
    $screen->key('Tab');
    ok($screen->wait(sub { $_[0] !~ $titles }), "$at: Tab leads on");
    ok(wait_for(sub { events($pid) == $before }), "$at: ... and sampling ends");
    $screen->close;
}

# Switches: where threads wait, and for how long.
SKIP: {
    skip 'switches happen in the kernel, which may not be sampled here', 3 if $> != 0;
    my $switching = start_work('shares', 'switches');
    my $screen = Screen->countertop(120, 40, '-d', 0.5, '-s', 'switches', '--sort', 'ctxsw_per_s', '-p', $switching);
    $screen->wait(qr/^ *$switching .*\bshares\b/m);
    $screen->type('p');
    ok($screen->wait(qr/^ *\S+ +\d+ +\d+\S*s +\d+\S*s .*\[kernel\] +\w*pipe_read\w*$/m), 'p on switches: functions that wait, with the time');
    like($screen->text, qr/^ *SHARE SAMPLES +BLOCKED PREEMPTED .*FUNCTION *$/m, '... in columns of their own');
    like($screen->text, qr/^(?:shares \d+: )?context-switches: .*; off the CPU: +\S+ blocked, +\S+ preempted/m, '... and the sums above');
    $screen->close;
}

# What cannot be sampled: why, and what can.
SKIP: {
    skip 'user 65534 cannot run what was built here', 2 if $> != 0 || system("$ENV{B}/countertop -V >/dev/null") != 0
        || system(qw(setpriv --reuid=65534 --regid=65534 --clear-groups -- sh -c), "exec $ENV{B}/countertop -V >/dev/null 2>&1") != 0;
    my $own = start_work(qw(setpriv --reuid=65534 --regid=65534 --clear-groups --), "$ENV{B}/work/shares", 'cycles');
    my $screen = Screen->new(100, 30, 'exec setpriv --reuid=65534 --regid=65534 --clear-groups -- ' .
        Screen::countertop_command('-d', 0.5, '-p', $own));
    $screen->wait(qr/\bshares\b/);
    $screen->key('Down');
    $screen->type('p');
    ok($screen->wait(sub { $three->($_[0]) }), 'an ordinary user sees the functions of own programs');
    ok($screen->wait(qr/; user mode only/), '... in user mode, as is said');
    $screen->close;
}

done_testing;

#!/usr/bin/env perl
# Details of a process list its threads, the busiest first, with what each counted; those of a process with
# one thread do not.
use Screen;
use Script;

for my $size ([120, 40], [200, 50]) {
    my ($width, $height) = @$size;
    my $at = "${width}x$height";
    my $script = Script->new('cpus 2', 'task 101 name=main', map({ "task 10$_ pid=101 name=worker$_" } 2 .. 4), 'task 201 name=single');
    my $screen = Screen->new($width, $height, $script->command(qw(-s software --engine cpu)));
    for my $n (1 .. 3) {
        $script->step(map({ sprintf 'run 10%d oncpu=%.1f context-switches=%d', $_, 0.1 * $_, 10 * $_ + $n } 1 .. 4), 'run 201 oncpu=0.1');
    }
    ok($screen->choose(101), "$at: a process");
    $screen->key('Enter');
    # Busy 40, 30, 20 and 10 %.
    my $wanted = join ' *\n', '^ +TID +%CPU +context-switches +cpu-migrations +page-faults THREAD',
        map { my $name = $_ == 1 ? 'main' : "worker$_"; sprintf ' +10%d +%d\.0 +%d +0 +0 %s', $_, 10 * $_, 10 * $_ + 3, $name } reverse 1 .. 4;
    ok($screen->wait(qr/$wanted *$/m), "$at: its threads, with what each counted");
    $script->step(map({ sprintf 'run 10%d oncpu=%.1f context-switches=%d', $_, 0.5 - 0.1 * $_, $_ } 1 .. 4), 'run 201 oncpu=0.1');
    ok($screen->wait(qr/^ +101 +40\.0 +1 +0 +0 main *\n +102 +30\.0 +2 .* worker2 *$/m), "$at: ... in the next interval, too");
    $screen->key('Escape');
    ok($screen->choose(201), "$at: another process");
    $screen->key('Enter');
    ok($screen->wait(qr/^single +PID 201\b/m), "$at: its details");
    unlike($screen->text, qr/\bTHREAD\b/, "$at: ... list no threads");
    $screen->close;
}

# H says how many threads it hides: of two that /proc has, one slept.
my $sleepers = start_work('sleepers', 1);
wait_for(sub { (() = glob "/proc/$sleepers/task/*") == 2 }) or die 'no threads';
my $script = Script->new("task $sleepers name=sleepers", 'task 1999 name=single');
my $screen = Screen->new(80, 24, $script->command(qw(-s waits --engine cpu)));
$script->step("run $sleepers oncpu=0.1", 'run 1999 oncpu=0.1');
$screen->wait(qr/^ *$sleepers /m);
$screen->type('H');
ok($screen->wait(qr/^hidden: 1 threads? of these processes that slept; i shows them *$/m), 'H says what it hides');
like($screen->text, qr/^ +PID +TID +%CPU .*TAKEN BY +WAITS FOR +COMMAND/m, '... and who took a CPU and what a thread waits for are in sight');
done_testing;

#!/usr/bin/env perl
# Whole stacks in the terminal, of a program without frame pointers: the key says so, the title and the
# picture how good they are.
use Screen;

chomp(my $machine = `uname -m`);
plan skip_all => "stacks are not unwound on $machine" if $machine !~ /^(?:x86_64|aarch64)$/;
my $work = start_work('shares', 'cycles');
my $deep = start_work('deep', 1_000_000_000);
my $screen = Screen->countertop(160, 40, '-d', 0.5, '-s', 'software', '-p', "$deep,$work");
$screen->wait(qr/^ *$deep .*\bdeep\b/m);
$screen->type('/');
$screen->answer(qr/^Search:/m, 'deep');
$screen->type('p');
ok($screen->wait(qr/^deep $deep: .*; stacks: frame pointers, \d+ % cut off/m), 'by frame pointers');
$screen->type('J');
ok($screen->wait(qr/; stacks: unwound, [0-4] % cut off(?:, \d+ late)? \(copies: [\d.]+[kM]?B\/s, \d+\.\d % CPU\)/m),
    'J: from copies of the stack, less than 5 % cut off');
$screen->type('Y');
ok($screen->wait(qr/unwound, [0-4] % cut off/), 'the picture says how good they are');
ok($screen->wait(sub { my $last = -1; for my $name (map { "deep_$_" } qw(one two three four five six seven eight nine ten)) {
    my $at = index $_[0], $name; return 0 if $at <= $last; $last = $at } return 1 }), '... and has all ten functions, one below the other');
$screen->type('J');
ok($screen->wait(qr/frame pointers, \d+ % cut off/), 'J again: by frame pointers');
$screen->close;
$screen = Screen->countertop(160, 30, '-d', 0.5, '-s', 'software', '--view', 'functions', '-p', "$deep,$work");
$screen->wait(qr/\bcycles_seventy$/m);
$screen->type('J');
ok($screen->wait(qr/cannot copy the stacks of all tasks: choose a process with -p, -t or -- COMMAND, in the terminal with p on its row/), 'not of several processes: what to do');
ok($screen->wait(qr/; stacks: frame pointers, \d+ % cut off/m), '... sampling goes on as before');
$screen->close;
done_testing;

#!/usr/bin/env perl
# The picture of stacks: its boxes, the cursor, zoom, search, inlined functions, time off the CPU; of a
# recording, live, and without Unicode or colours.
use Countertop;
use Screen;

my $file = tempdir(CLEANUP => 1) . '/stacks.db';
record_whole($file, qw(--sample page-faults -- shares faults 5));
my $seventy = 350 / (refreshes('--replay', $file, '--view', 'functions'))[-1]{sampling}{samples};
my $work = start_work('shares', 'cycles');
my $title = qr/^(?:shares \d+: )?stacks by (?:page-faults|cpu-clock)/m;
my $found = qr/^stacks .*'faults_seventy': ([\d.]+) %/m;

# The cells of the box of a function, on a screen of that width: spaces at ends of lines are not read.
sub cells {
    my ($text, $function, $width) = @_;
    my ($before, $box) = $text =~ /^(.*)([▏▸*|>]\Q$function\E *)/m or return 0;
    return $text =~ /\Q$box\E$/m ? $width - length $before : length $box;
}

# ---- a recording: nothing moves ----

my $screen = Screen->countertop(120, 40, '--replay', $file, '--view', 'functions');
$screen->wait(qr/\breplay\b/);
$screen->type('$');
$screen->wait(qr/^ *[\d.]+ +\d+ .*\bfaults_seventy$/m) or die "no names\n";
$screen->type('Y');
ok($screen->wait(sub { $_[0] =~ $title && $_[0] =~ /^▸all *\n▏shares *\n/m }), 'Y: the picture of stacks, all at the top')
    or die "no picture\n";
like($screen->text, qr/^stacks .* frame pointers, \d+ % cut off\b/m, '... and how good they are');
my $box = cells($screen->text, 'faults_seventy', 120);
like($screen->text, qr/^all .* 100\.00 %$/m, '... what is under the cursor');
$screen->key('Down');
ok($screen->wait(sub { $_[0] =~ /^▏all *\n▸shares/m && $_[0] =~ /^shares .* 100\.00 %$/m }), 'Down: its heaviest child');
$screen->key('Up');
ok($screen->wait(qr/^▸all/m), 'Up: its caller');
$screen->type('/');
$screen->wait(qr/^Search stacks:/m);
$screen->type('faults_seventy');
ok($screen->wait($found), 'a text that is typed has its share in the title');
ok($screen->wait(qr/\*faults_seventy/), '... and marks');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ $found && $_[0] !~ /\*/ }), 'Esc takes them away');
$screen->key('F3');
$screen->answer(qr/^Search stacks:/m, 'faults_seventy');
ok($screen->wait(qr/^faults_seventy  shares .* ([\d.]+) %$/m), 'Enter goes there');
my ($share) = $screen->text =~ $found;
my ($own) = $screen->text =~ /^faults_seventy  shares .* ([\d.]+) %$/m;
cmp_ok(abs($box / 120 - $own / 100), '<', 0.02, '... a box is as wide as its share');
is($own, $share, '... its share is that of the search');
cmp_ok(abs($own / 100 - $seventy), '<', 0.0001, '... and that of the table of functions');
$screen->key('Right');
ok($screen->wait(sub { $_[0] =~ /▸\w*(?:fau|…)/ && $_[0] =~ /^faults_ten  shares /m }), 'Right: the next box of the line');
$screen->key('Left');
ok($screen->wait(qr/^faults_seventy  shares /m), 'Left: the one before');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] =~ /^all > shares > .*main(?: > faults_round)? > faults_seventy$/m && cells($_[0], 'faults_seventy', 120) == 120 }),
    'Enter: the picture is of one function, and the way to it');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ /^all > / && $_[0] =~ /^▏all/m }), 'Esc: of all again');
$screen->key('Enter');
$screen->wait(qr/^all > /m);
$screen->key('BSpace');
ok($screen->wait(sub { $_[0] !~ /^all > / && $_[0] =~ /▸faults_seventy/ }), 'Backspace, too; the cursor stays');
$screen->type('/');
$screen->answer(qr/^Search stacks:/m, 'FAULTS_T');
ok($screen->wait(qr/^faults_ten  shares /m), 'a search from the cursor on, in any case of letters');
$screen->type('n');
ok($screen->wait(qr/^faults_twenty  shares /m), 'n: the next one');
$screen->type('N');
ok($screen->wait(qr/^faults_ten  shares /m), 'N: the one before');
$screen->type('c');
ok($screen->wait(qr/^IPC is not known: /m), 'IPC is not known: why');
$screen->type('w');
ok($screen->wait(qr/^widths are of the sampled event: /m), 'widths have no choice: why');
for my $size ([80, 24], [200, 50]) {
    $screen->resize(@$size);
    ok($screen->wait(sub { cells($_[0], 'shares', $size->[0]) == $size->[0] && $_[0] =~ /^stacks .* \d+ % cut off\b/m }),
        "@{[join 'x', @$size]}: the boxes and the title fit");
}
ok($screen->press_until(qr/\*faults_twenty/, qr/^faults_twenty  shares /m), 'a press of the mouse moves the cursor');
$screen->key('Home');
$screen->wait(qr/^▸all/m);
$screen->type('q');
ok($screen->wait(qr/SHARE +SAMPLES .*FUNCTION *$/m), 'q closes');
$screen->close;

# The same as if it were of cycles, with the instructions between samples.
is(system('sqlite3', $file, "UPDATE profiles SET event = 'cycles', unit = '', beside = 'instructions' || char(10);"
    . ' UPDATE profile_rows SET b0 = weight * (SELECT CASE WHEN name IN (\'faults_ten\', \'faults_twenty\') THEN 2.5 ELSE 0.4 END'
    . ' FROM functions WHERE id = function);'), 0, 'a recording with IPC');
$screen = Screen->countertop(120, 40, '--replay', $file, '--view', 'functions');
$screen->wait(qr/\breplay\b/);
$screen->type('$');
$screen->wait(qr/^ *[\d.]+ +\d+ .*\bfaults_seventy$/m);
$screen->type('Y');
$screen->wait(qr/^stacks by cycles/m);
$screen->key('F3');
$screen->answer(qr/^Search stacks:/m, 'seventy');
ok($screen->wait(qr/^faults_seventy  shares .* IPC 0\.40 /m), 'IPC of what is under the cursor');
$screen->key('F3');
$screen->answer(qr/^Search stacks:/m, '');
$screen->key('Home');
$screen->wait(qr/▏faults_seventy/);
my $object = $screen->style_of(qr/▏faults_seventy/)->{background};
$screen->type('c');
ok($screen->wait(qr/^colours say how good IPC is/m), 'c: colours are of IPC');
isnt($screen->style_of(qr/▏faults_seventy/)->{background}, $object, '... others than those of objects');
$screen->close;

# ---- live ----

$screen = Screen->new(100, 30, 'TERM=vt100 LANG=C LC_ALL=C ' . countertop_command('-d', 0.3, '-s', 'software', '-p', $work));
$screen->wait(qr/^ *$work .*\bshares\b/m);
$screen->key('Down');
$screen->type('Y');
ok($screen->wait(sub { $_[0] =~ $title && $_[0] =~ /^>all *\n\|shares/m && $_[0] =~ /\|cycles_seventy/ }),
    'Y on a row of a table: its stacks, in ASCII');
unlike($screen->text, qr/[^\0-\x7f]/, '... and nothing else');
$screen->resize(44, 30);
ok($screen->wait(qr/^s\w+ .*\.\.\. +frame pointers, \d+ % cut off *$/m), '... a title that has no room ends in dots');
$screen->resize(100, 30);
$screen->wait($title);
my ($amount) = $screen->text =~ /^all +samples (\d+) /m;
ok($screen->wait(sub { $_[0] =~ /^all +samples (\d+) /m && $1 != $amount }), 'it goes on counting');
$screen->type('i');
ok($screen->wait(qr/\|work \(inlined\)/), 'i: with inlined functions');
$screen->type('i');
ok($screen->wait(sub { $_[0] =~ /^>all/m && $_[0] !~ /\(inlined\)/ }), '... and without');
$screen->type('Z');
$screen->wait(qr/PAUSED/);
my $still = $screen->text;
is($screen->reads(sub { $_[0] }, $still), $still, 'a pause holds it');
$screen->key('Down');
ok($screen->wait(qr/^>shares/m), '... and the cursor moves in it');
$screen->type('Y');
ok($screen->wait(qr/SHARE +SAMPLES .*FUNCTION *$/m), 'Y closes it');
$screen->close;

$screen = Screen->countertop(100, 30, '-d', 0.3, '-s', 'software', '--call-graph', 'no', '--view', 'functions', '-p', $work);
$screen->wait(qr/\bcycles_seventy$/m);
$screen->type('Y');
ok($screen->wait(sub { $_[0] =~ /^stacks .*no callers: --call-graph no/m && $_[0] =~ /^▏shares *\n[▏▸]cycles_seventy/m }),
    'without callers the title says so');
$screen->close;

SKIP: {
    skip 'switches happen in the kernel, which may not be sampled here', 4 if $> != 0;
    my $switching = start_work('shares', 'switches');
    $screen = Screen->countertop(120, 40, '-d', 0.3, '-s', 'switches', '--sort', 'ctxsw_per_s', '-p', $switching);
    $screen->wait(qr/^ *$switching .*\bshares\b/m);
    $screen->type('Y');
    ok($screen->wait(sub { $_[0] =~ /^(?:shares $switching: )?stacks by time off the CPU/m && $_[0] =~ /▏switches_seventy/ }),
        'of switches: the time off the CPU');
    ok($screen->wait(qr/^all +samples \d+  \d\S*s  itself/m), '... as a time');
    $screen->type('w');
    ok($screen->wait(qr/stacks by time blocked/), 'w: that in which they were blocked');
    $screen->type('ww');
    ok($screen->wait(qr/stacks by context-switches/), '... at last the switches');
    $screen->close;
}

# Copied stacks, where they are unwound.
SKIP: {
    chomp(my $machine = `uname -m`);
    skip "stacks are not unwound on $machine", 4 if $machine !~ /^(?:x86_64|aarch64)$/;
    my $deep = start_work('deep', 1_000_000_000);
    $screen = Screen->countertop(160, 40, '-d', 0.5, '-s', 'software', '--view', 'functions', '-p', $deep);
    ok($screen->wait(qr/; stacks: frame pointers, \d+ % cut off/m), 'stacks by frame pointers');
    $screen->type('J');
    ok($screen->wait(qr/; stacks: unwound, \d+ % cut off/m), 'J: from copies of the stack');
    $screen->type('Y');
    ok($screen->wait(qr/unwound, \d+ % cut off/), 'the picture says so, too');
    $screen->type('J');
    ok($screen->wait(qr/frame pointers, \d+ % cut off/), 'J again: by frame pointers');
    $screen->close;
}

done_testing;

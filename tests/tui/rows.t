#!/usr/bin/env perl
# Commands on rows: jumping, following, tags, marks, the tree, levels of CPUs, screens.
use Screen;
use Script;

# A parent with a child, and others by themselves: an interval in which some of them ran.
my %cpu = (1001 => 0.5, 1002 => 0.25, 1003 => 0.75, 1004 => 0.6, 1005 => 0.9);
my ($elder, $younger, $spin, $short, $last) = sort keys %cpu;

sub ran {
    return map { "run $_ oncpu=$cpu{$_} context-switches=5" } @_;
}

sub attach {
    my ($screen, $script, $pid) = @_;
    $screen->key('a');
    $screen->answer(qr/^Attach to:/m, $pid);
    $screen->wait(sub { $_[0] !~ /^Attach to:/m });
    $script->step(ran($pid));
    return $screen->wait(qr/^ *$pid /m);
}

sub try_all {
    my ($at, $environment, $wide) = @_;
    my $script = Script->new("task $elder name=elder", "task $younger name=younger ppid=$elder cpu=1",
        map { "task $_ name=spin" } $spin, $short, $last);
    my $screen = Screen->new(80, 24, "$environment " .
        $script->command('-p', join(',', $elder, $younger, $spin, $short), qw(-s software --engine cpu)));
    my $count = sub { my ($wanted) = @_; return sub { Screen::pids($_[0]) == $wanted } };
    $script->step(ran($elder, $younger, $spin, $short));
    ok($screen->wait($count->(4)), "$at: all are there");

    # Digits.
    $screen->type($younger);
    ok($screen->wait(qr/^pid $younger\b/m), "$at: digits are shown");
    ok(wait_for(sub { $screen->is_selected($younger) }), "$at: ... and lead to the row");
    $screen->key('Home');
    $screen->type('4');
    $screen->type('194303');
    ok($screen->wait(qr/^no row has the pid 4194303; i shows rows that did not run, too/m), "$at: a miss is told");

    # Following.
    $screen->choose($short);
    $screen->key('F');
    ok($screen->wait(qr/following $short\b/), "$at: F follows the row");
    ok($screen->is_selected($short), "$at: ... under the cursor");
    $screen->key('I');
    ok(wait_for(sub { $screen->is_selected($short) }), "$at: ... in another order too");
    $script->step(ran($elder, $younger, $spin));
    ok($screen->wait(qr/following $short \(not running\)/), "$at: it is told when it does not run");
    ok(wait_for(sub { !grep { $screen->is_selected($_) } $elder, $younger, $spin }),
        "$at: ... and no other row has the cursor");
    for my $key ('Enter', 'p', 'Y', 'k', 'Space') {
        $screen->key($key);
        ok($screen->wait(qr/following $short \(not running\)(?=.*^$short is not running: i shows it *$)/ms),
            "$at: $key says that it is not there, and does nothing to another row");
        $screen->key('r');
        $screen->wait(sub { $_[0] !~ /i shows it/ });
        $script->step(ran($elder, $younger, $spin));
    }
    $script->step(ran($elder, $younger, $spin, $short));
    ok(wait_for(sub { $screen->is_selected($short) }), "$at: when it is back it has the cursor");
    $screen->key('Up');
    ok($screen->wait(sub { $_[0] !~ /following/ }), "$at: a step ends that");
    $screen->key('I');

    # Tags and marks.
    $screen->choose($spin);
    $screen->key('Space');
    ok($screen->wait(qr/^\* *$spin /m), "$at: Space tags a row");
    ok($screen->wait(qr/tagged 1\b/), "$at: the header counts it");
    $screen->key('U');
    ok($screen->wait(sub { $_[0] !~ /^\*|tagged/m }), "$at: U tags none");
    $screen->key('w');
    $screen->answer(qr/^Mark rows of:/m, "elder,$spin");
    ok($screen->wait(sub { $_[0] =~ /^> *$elder /m && $_[0] =~ /^> *$spin /m && $_[0] !~ /^> *$short /m }),
       "$at: w marks rows by name and by pid");
    $screen->key('w');
    ok($screen->wait(qr/^Mark rows of: elder,$spin *$/m), "$at: it begins with those that are marked");
    $screen->key('C-u', 'Enter');
    ok($screen->wait(sub { $_[0] !~ /^>/m && $count->(4)->($_[0]) }), "$at: an empty list ends it");

    # The tree. With rows that did not run: the cursor leaves a row that is gone for an interval.
    $screen->key('i', 'F5');
    my $branch = $wide ? qr/[└├]─ / : qr/[`|]- /;
    ok($screen->wait(qr/^ *$elder .*elder *\n *$younger .*$branch/m), "$at: F5 is a tree");
    $screen->choose($younger);
    $screen->key('-');
    ok($screen->wait($count->(3)), "$at: - on a leaf folds those beside it");
    ok(wait_for(sub { $screen->is_selected($elder) }), "$at: ... and goes to their parent");
    $screen->key('+');
    ok($screen->wait($count->(4)), "$at: + unfolds");
    $screen->key('*');
    ok($screen->wait($count->(3)), "$at: * folds all");
    $screen->key('*');
    ok($screen->wait($count->(4)), "$at: ... and unfolds all");
    $screen->key('t');
    ok($screen->wait(sub { $_[0] !~ $branch && $count->(4)->($_[0]) }), "$at: t shows the list again");
    $screen->key('-');
    ok($screen->wait(qr/no tree to fold: t shows it/), "$at: without one there is nothing to fold");
    $screen->key('i');
    $screen->wait($count->(0)); # none ran since

    # The least %CPU, and those that ended.
    $script->step(ran($spin, $short));
    ok($screen->wait($count->(2)), "$at: two are idle");
    $screen->key('%');
    $screen->answer(qr/^Least %CPU:/m, 'x');
    ok($screen->wait(qr/'x' is no percentage/), "$at: %: nonsense is told");
    $screen->key('C-u');
    $screen->type(210);
    $screen->key('Enter');
    ok($screen->wait($count->(0)), "$at: nothing takes more than all");
    ok($screen->wait(qr/%CPU from \d+/), "$at: the header says so");
    $screen->key('%', '0', 'Enter');
    ok($screen->wait($count->(2)), "$at: 0 is all again");
    $screen->key('S');
    ok($screen->wait(qr/keeping tasks that have ended, marked \+/), "$at: S keeps those that end");
    $script->step(ran($spin, $short), "exit $short");
    ok($screen->wait(qr/^\+ *$short .*spin/m), "$at: they stay, marked");
    $screen->key('S');
    $script->step(ran($spin));
    ok($screen->wait(sub { $_[0] !~ /^\+? *$short /m }), "$at: S lets them go");
    attach($screen, $script, $last);
    $screen->choose($last);
    $screen->key('F');
    $script->step("exit $last");
    ok($screen->wait(sub { $_[0] =~ /following $last \(ended\)/ && $_[0] =~ /^\+ *$last .*spin/m }),
       "$at: what is followed stays when it ends, marked");
    $screen->key('Up');
    $script->step(ran($spin));
    ok($screen->wait(sub { $_[0] !~ /^\+? *$last |following/m }), "$at: ... until it is left");

    # Levels of the CPUs.
    $screen->key('l');
    ok($screen->wait(qr/only the view of CPUs has cores and sockets: v shows it/), "$at: l is for CPUs");
    $screen->key('v');
    $screen->wait(qr/^ *CPU .*\n(?:.*\n)*? *1 /m);
    $screen->key('1');
    ok($screen->wait(qr/^CPU 1\b/m), "$at: digits are CPUs there");
    for my $level ('cores', 'sockets', 'core types', 'CPUs') {
        $screen->key('l');
        ok($screen->wait(qr/^rows are $level\b/m), "$at: l shows $level");
    }
    $screen->key('F5');
    ok($screen->wait(qr/only tasks and cgroups make a tree: Tab leads to the tasks/), "$at: CPUs make no tree");
    $screen->key('v');

    # Screens, and columns that have no room.
    $screen->wait(qr/COMMAND/);
    $screen->key('Right');
    ok($screen->wait(qr/^screen '(?!software)[\w-]+'/m), "$at: Right is another screen");
    my ($other) = $screen->text =~ /^screen '([\w-]+)'/m;
    $screen->key(']', '[');
    ok($screen->wait(qr/^screen '\Q$other\E'/m), "$at: ] and [ are screens too");
    $screen->key('Left');
    ok($screen->wait(qr/^screen 'software'/m), "$at: Left is the one before");

    # Refresh.
    $screen->key('Z');
    $screen->wait(qr/PAUSED/);
    my ($clock) = $screen->text =~ /PAUSED +(\d\d:\d\d:\d\d)/; # another one may say when records were lost
    $script->step(ran($spin));
    $screen->key('r');
    ok($screen->wait(sub { $_[0] =~ /PAUSED +\d/ && $_[0] !~ /PAUSED +\Q$clock\E/ }), "$at: r is a step");
    $screen->close;
}

try_all('80x24', '', 1);
try_all('vt100', 'TERM=vt100 LANG=C LC_ALL=C', 0);

# A search goes on both ways, and columns scroll.
my ($first, $second) = (1001, 1002);
my @twins = ("task $first name=twinA", "task $second name=twinB");
my $script = Script->new(@twins);
my $screen = Screen->new(50, 24, $script->command(qw(-s software --sort -pid)));
$script->step(ran($first, $second));
$screen->wait(sub { Screen::pids($_[0]) == 2 });
my $is = sub { my ($pid) = @_; return wait_for(sub { $screen->is_selected($pid) }) };
$screen->key('F3');
$screen->wait(qr/^Search:/m);
$screen->type('twin');
ok($is->($first), 'the search finds the first');
$screen->key('F3');
ok($is->($second), 'F3 goes to the next');
$screen->key('F3');
ok($is->($first), '... and around');
$screen->key('S-F3');
ok($is->($second), 'Shift-F3 goes back, and around');
$screen->key('Enter', 'N');
ok($is->($first), 'N is the one before');
$screen->key('n');
ok($is->($second), 'n is the next one');
$screen->key('F3', 'F3');
ok($screen->wait(qr/^Search: twin *$/m) && $is->($first), 'F3 twice takes the last text up');
$screen->key('Escape');
my $titles = join ' ', Screen::titles($screen->text);
for (['S-Right', 'S-Left'], [')', '(']) {
    my ($right, $left) = @$_;
    $screen->key($right);
    ok($screen->wait(sub { (join ' ', Screen::titles($_[0])) =~ /<(?!.*USER)/ }), "$right scrolls the columns");
    $screen->key($left);
    ok($screen->wait(sub { (join ' ', Screen::titles($_[0])) eq $titles }), "$left scrolls back");
}
$screen->close;

# What hides no rows is not in the header: functions have no %CPU.
$script = Script->new(@twins);
$screen = Screen->new(160, 24, $script->command(qw(-s software --cpu-min 5 --view functions)));
ok($screen->wait(qr/\[Functions\]/), 'the view of functions');
unlike($screen->text, qr/%CPU from/, '... hides none by their %CPU');
$screen->key('Tab');
ok($screen->wait(sub { $_[0] !~ /\[Functions\]/ && $_[0] =~ /%CPU from 5/ }), '... the next view does');
$screen->close;

done_testing;

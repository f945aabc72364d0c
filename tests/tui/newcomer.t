#!/usr/bin/env perl
# What those who come from other tools try first: two pids with a blank, a number of seconds ago, Esc to clear a
# filter, letters in lists, the list of what is counted; and the line of keys has what the page can do.
use Screen;
use Script;

my $script = Script->new('cpus 2', map { "task $_ name=work$_" } 101 .. 104);
my $screen = Screen->new(120, 30, $script->command(qw(-s software --engine cpu)));
sub run_interval {
    $script->step(map { "run $_ oncpu=0.2 context-switches=" . ($_ + $_[0]) } 101 .. 104);
}
sub pids {
    return join ' ', sort(Screen::pids($_[0]));
}
run_interval($_) for 1 .. 9;
ok($screen->wait(sub { pids($_[0]) eq '101 102 103 104' }), 'four tasks');
like((split /\n/, $screen->text)[-1], qr/^F1 help .*F4 filter .*F6 sort .*Enter details .*p functions .*q quit/, 'the keys of the table, best first');

# A filter, and the key that the line of keys has for it.
$screen->type('\\');
$screen->answer(qr/^Filter:/m, 'work103');
ok($screen->wait(sub { pids($_[0]) eq '103' && $_[0] =~ /\bEsc no filter\b/ }), 'a filter, and how to clear it');
$screen->key('Down');
ok($screen->wait(sub { $_[0] !~ /no filter/ }), 'with a cursor');
$screen->key('Escape');
ok($screen->wait(sub { pids($_[0]) eq '103' && $_[0] =~ /\bEsc no filter\b/ }), '... Esc takes that away first');
$screen->key('Escape');
ok($screen->wait(sub { pids($_[0]) eq '101 102 103 104' && $_[0] !~ /no filter/ }), '... then the filter');

# Of a user, with at least 5 %CPU: six keys, which the line of keys has where it is wide.
my $wide = Screen->countertop(200, 30);
ok($wide->wait(qr/\bu user .*% min %CPU\b|% min %CPU .*\bu user\b/), 'the keys of a user and of the least %CPU');
$wide->close;
$script->step('run 101 oncpu=0.2', 'run 102 oncpu=0.02', 'run 103 oncpu=0.1');
$screen->type('ur');
$screen->key('Enter');
$screen->type('%5');
$screen->key('Enter');
ok($screen->wait(sub { $_[0] =~ /watching +user root\b/ && pids($_[0]) eq '101 103' }), '... leave those') or diag $screen->text;
$screen->type('u');
$screen->key('Home', 'Enter');
$screen->type('%0');
$screen->key('Enter');
run_interval(10);
ok($screen->wait(sub { pids($_[0]) eq '101 102 103 104' }), '... and all are back');

# Two at once.
$screen->type('a');
$screen->answer(qr/^Attach to:/m, '101 104');
ok($screen->wait(sub { pids($_[0]) eq '101 104' && $_[0] =~ /watching +101,104\b/ }), 'a 101 104 attaches to both');
$screen->type('A');
$screen->answer(qr/^Detach from:/m, '101 104');
ok($screen->wait(sub { pids($_[0]) eq '101 102 103 104' }), '... and A 101 104 detaches from both');

# Five seconds ago.
$screen->type('b');
$screen->answer(qr/^Go to:/m, '5');
ok($screen->wait(sub { $_[0] =~ / PAST \S+ -5 s\b/ && $_[0] =~ /^ *101 .* 107 /m }), 'b 5 is 5 s ago');
$screen->type('$');
$screen->wait(sub { $_[0] !~ / PAST / });

# Letters in a list.
$screen->key('F6');
$screen->wait(qr/^Sort by/m);
for (['c', 'ctxsw/s'], ['m', 'migr/s'], ['f', 'faults/s'], ['C', 'COMMAND'], ['mig', 'migr/s'], ['%s', '%SYS']) {
    my ($letters, $title) = @$_;
    $screen->type($letters);
    my $style = sub { my $style = $screen->style_of(qr/^ *\Q$title\E\b/); $style->{reverse} || $style->{background} };
    ok(wait_for($style), "$letters jumps to $title");
}
$screen->type('m');
$screen->type('f');
ok($screen->wait(qr/^no entry begins with 'mf': 'f' begins anew *$/m), '... what no entry begins with is said');
$screen->type('m');
$screen->key('Enter');
ok($screen->wait(qr/[▼▲]migr\/s/), '... and Enter takes it');

# What can be removed.
$screen->type('x');
ok($screen->wait(qr/^counted: context-switches, cpu-migrations, page-faults *$/m), 'x lists the events');
$screen->key('C-u', 'Enter');
ok($screen->wait(sub { $_[0] =~ /^nothing was typed: nothing has changed *$/m && $_[0] =~ /\bmigr\/s/ }), '... and Enter without a name says that it does nothing');
$screen->close;

# Functions have their own keys.
for my $size ([80, 24], [120, 40]) {
    my ($width, $height) = @$size;
    my $spin = start_work('spin');
    $screen = Screen->countertop($width, $height, qw(-d 0.5 --view functions -p), $spin);
    my @keys = ('Enter code', 'Y stacks', 'G callers', $width > 80 ? 'J unwind' : ());
    ok($screen->wait(sub { my $line = (split /\n/, $_[0])[-1]; @keys == grep { $line =~ /\b$_\b/ } @keys }), "$width columns: keys of functions");
    unlike($screen->text, qr/\b(?:kill|attach|tree)\b/, "$width columns: ... and none of processes");
    end_work($spin);
    $screen->close;
}
# So have rows that wait, those who let others wait, and instructions.
for (['tasks', 'waits', 'Tab views Enter details p functions ` long waits q quit'],
    ['takers', 'waits', 'Tab views Enter details ` long waits Y matrix q quit'],
    ['tasks', 'software', 'Tab views Enter details p functions q quit']) {
    my ($view, $name, $keys) = @$_;
    $screen = Screen->countertop(80, 24, '--view', $view, '-s', $name);
    ok($screen->wait(qr/^F1 help .*\Q$keys\E *(?:[\d\/]+ *)?\Z/m), "80 columns: keys of $view on the screen $name") or diag $screen->text;
    $screen->close;
}

# F1: this page first, in groups, in as many columns as there is room for; all keys are there.
for my $size ([80, 24, 1], [120, 40, 2], [200, 50, 3]) {
    my ($width, $height, $columns) = @$size;
    $screen = Screen->countertop($width, $height, qw(-d 5 -s software));
    $screen->wait(qr/\bPID\b.*COMMAND/);
    $screen->key('F1');
    ok($screen->wait(qr/\AKeys\b.*\nF1 h \? +this help/), "$width columns: help begins with this page");
    my $width_of = int(($width + 2) / $columns);
    my ($seen, $shown) = ('', 0);
    for my $page (1 .. 12) {
        # Each column by itself, one below the other.
        my @lines = map { sprintf "%-${width}s", $_ } (split /\n/, $screen->text)[0 .. $height - 2];
        $seen .= join "\n", map({ my $from = $_ * $width_of; map { substr $_, $from, $width_of } @lines } 0 .. $columns - 1), '';
        last if $screen->text =~ m{ (\d+)/\1 *$};
        $shown = $1 if $screen->text =~ m{ (\d+)/\d+ *$};
        $screen->key('NPage');
        $screen->wait(sub { $_[0] =~ m{ (\d+)/\d+ *$} && $1 != $shown }); # it is drawn last
    }
    my @missing = grep { $seen !~ /^\Q$_\E +\S/m } 'F4 \\', 'Enter', 'p', 'F8 y', 'x', '# ~ |', 'W', 'b @', 'Esc Home g', 'q F10', 'ctxsw/s';
    is("@missing", '', "$width columns: all keys are in it");
    my @groups = grep { $seen !~ /^\Q$_\E *$/m } 'Find and mark rows', 'A row, and in which code', 'Time', 'Cells', 'Columns of the table';
    is("@groups", '', "$width columns: ... in groups");
    $screen->close;
}
done_testing;

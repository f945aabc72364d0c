#!/usr/bin/env perl
# A recording in the terminal: each interval has the numbers of batch mode, in any order of access;
# playing; the position; and keys that need counting.
use Countertop qw(:DEFAULT installed);
use Screen;
use POSIX 'strftime';

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/exact.ini" or die;
print $ini <<'INI';
[screen exact]
events = context-switches, page-faults
columns = pid cpu_pct context-switches page-faults command
INI
close $ini;

my @pids = (start_work('spin', '-r'), start_work('spin', '-r'), start_work('births', 1000000),
    start_work('pingpong', '-t', '-r', 1, 1000000));
my @watched = ('-p', join(',', @pids));
my @shown = ('-W', $dir, '-s', 'exact', '--show', 'interval', '--exact', '--sort', '-pid');
my ($file, $count) = ("$dir/run.db", 24);
refreshes('-n', $count, '-d', 0.15, '-H', @watched, '-W', $dir, '-s', 'exact', '--record', $file);
end_work(@pids);

# [pid, %CPU, switches, faults] of each row, in the order of pids.
sub rows_of {
    my ($refresh, $id) = @_;
    return [map { [$_->{$id}, sprintf('%.1f', $_->{metrics}{cpu_pct}),
        map { $_ // '-' } @{$_->{counts}}{qw(context-switches page-faults)}] }
        sort { $a->{$id} <=> $b->{$id} } @{$refresh->{tasks}}];
}

my (undef, @intervals) = refreshes('--replay', $file, '-W', $dir, '-s', 'exact');
my (undef, @threads) = refreshes('--replay', $file, '-W', $dir, '-s', 'exact', '-H');
is(@intervals, $count, 'what is expected');
my @expected = (undef, map { rows_of($_, 'pid') } @intervals);
my @expected_threads = (undef, map { rows_of($_, 'tid') } @threads);
my @times = (0, map { $_->{time} } @intervals);

sub clock_of {
    return strftime('%H:%M:%S', localtime $times[$_[0]]);
}

# Rows on the screen, likewise.
sub rows_on {
    my ($text, $id) = @_;
    return [map { [@$_{($id, '%CPU', 'ctxsw', 'faults')}] } Screen::rows($text)];
}

sub header {
    return $_[0] =~ /^(.*?)^ *PID /ms ? $1 : $_[0];
}

# Waits until the interval is shown, with its rows.
sub shows {
    my ($screen, $interval, $name) = @_;
    my $clock = clock_of($interval);
    ok($screen->wait(qr/^.*\binterval $interval of $count  $clock  \S/m), "$name: interval $interval");
    is_deeply($screen->reads(sub { rows_on($_[0], 'PID') }, $expected[$interval]), $expected[$interval],
        '... as batch mode has it');
}

sub press {
    my ($screen, $keys, $interval, $name) = @_;
    $screen->type($keys);
    shows($screen, $interval, $name);
}

sub go_to {
    my ($screen, $text) = @_;
    $screen->type('b');
    $screen->answer(qr/^Go to:/m, $text);
}

my $screen = Screen->countertop(80, 24, '--replay', $file, @shown);
shows($screen, 1, 'the beginning');
like($screen->text, qr/^.*\breplay run\.db  interval 1 of $count  \S+  stopped *$/m,
    'what is shown, and that it stands still');
# Warnings of a machine under load take the room of keys.
ok($screen->wait(qr/ , (?:back +\. on\b| *\w+ +\d+%)/), "keys that move");

# Steps.
press($screen, '.', 2, '.');
press($screen, '..', 4, 'twice');
press($screen, '}', 14, '} goes ten on');
press($screen, ',', 13, ',');
press($screen, '{', 3, '{ goes ten back');
press($screen, '$', $count, "\$ is the end");
like($screen->text, qr/ end *$/m, '... which the header says');
$screen->type('.');
ok($screen->wait(qr/^this is the end of the recording *$/m), 'beyond there is nothing');
press($screen, '^', 1, '^ is the beginning');
$screen->type(',');
ok($screen->wait(qr/^this is the beginning of the recording *$/m), 'before it is nothing');

# To a time.
go_to($screen, '#7');
shows($screen, 7, 'by its number');
my ($second) = grep { $times[$_] >= int $times[16] } 1 .. $count;
go_to($screen, clock_of(16));
shows($screen, $second, 'the first of a second');
my $back = $times[12] - 0.22; # between two ends
my ($before) = grep { $times[$_] >= $back } 1 .. $count;
go_to($screen, '#12');
shows($screen, 12, 'from there');
go_to($screen, '-0.22');
shows($screen, $before, '... some way back');
# Ago: before the end, whatever is shown.
$back = $times[$count] - 0.22;
($before) = grep { $times[$_] >= $back } 1 .. $count;
go_to($screen, '0.22 s ago');
shows($screen, $before, '... that long before the end');
go_to($screen, '1h');
ok($screen->wait(qr/^only [\d.]+ s are kept: this is the first interval *$/m), '... and no more than there is');
shows($screen, 1, '... the first');
$screen->type('@');
ok($screen->wait(qr/^Go to: +20 s ago: from the end; .* #120 *$/m), 'the hint says from where, and fits');
my ($first, $last) = map { clock_of($_) } 1, $count;
ok($screen->wait(qr/^kept: #1 to #$count, $first to $last *$/m), "\@ says what there is");
$screen->key('C-u');
$screen->type('2001-02-03 04:05');
$screen->key('Enter');
ok($screen->wait(qr/^2001-02-03 04:05 is not kept \(kept: /m), 'no time of this recording');
$screen->key('Escape');

# What is shown is chosen as always.
go_to($screen, '#12');
shows($screen, 12, 'interval 12');
$screen->type('H');
ok($screen->wait(sub { @{rows_on($_[0], 'TID')} == @{$expected_threads[12]} }), 'its threads');
my $threads = $screen->reads(sub { [sort { $a->[0] <=> $b->[0] } @{rows_on($_[0], 'TID')}] }, $expected_threads[12]);
is_deeply($threads, $expected_threads[12],
    '... as batch mode has them');
$screen->type('H');
$screen->type('I');
ok($screen->wait(sub { join(' ', Screen::pids($_[0])) eq join ' ', map { $_->[0] }
    reverse @{$expected[12]} }), 'the other way round');
$screen->type('I');
$screen->type('\\');
$screen->answer(qr/^Filter:/m, 'pingpong');
ok($screen->wait(sub { join(' ', Screen::pids($_[0])) eq $pids[3] }), 'a filter');
$screen->type('..');
ok($screen->wait(qr/\binterval 14 of/), '... stays');
my ($row) = grep { $_->[0] == $pids[3] } @{$expected[14]};
is_deeply($screen->reads(sub { rows_on($_[0], 'PID') }, [$row]), [$row], '... in another interval');
$screen->type('\\');
$screen->key('C-u', 'Enter');

# Histories are those up to what is shown, wherever one comes from.
$screen->key('Tab', 'BTab');
go_to($screen, '#5');
shows($screen, 5, 'interval 5');
my $early = header($screen->text);
press($screen, '}' , 15, 'on');
isnt(header($screen->text), $early, 'another header');
press($screen, '{', 5, 'and back');
is(header($screen->text), $early, 'the same header and history');
$screen->key('Down', 'Enter');
ok($screen->wait(qr/now\/s/), 'details');
like($screen->text, qr/^\S.*  interval 5 of $count  \S+  stopped *\n(?:.*\n)*?.*now\/s/m, '... say where one is');
$screen->wait(qr/^%CPU .*\d/m);
my $details = $screen->text;
$screen->type('...');
ok($screen->wait(sub { $_[0] =~ /interval 8 of/ && $_[0] ne $details }), 'they move');
$screen->type('$');
$screen->wait(qr/interval $count of/);
$screen->type('b');
$screen->answer(qr/^Go to:/m, '#5');
ok($screen->wait(sub { $_[0] eq $details }), '... and are the same from the other side')
    or diag $details;
$screen->key('Escape');

# Playing.
press($screen, '^', 1, 'again');
$screen->type('z');
ok($screen->wait(qr/  x1 *$/m), 'z plays');
ok($screen->wait(qr/interval [4-9] of/), '... and time passes');
$screen->type('Z');
ok($screen->wait(qr/  stopped *$/m), 'Z stops');
my ($held) = $screen->text =~ /interval (\d+) of/;
shows($screen, $held, 'held');
$screen->type('Z');
ok($screen->wait(qr/  x1 *$/m), 'Z goes on');
for my $speed (qw(x2 x10)) {
    $screen->type('z');
    ok($screen->wait(qr/  (?:$speed|end) *$/m), "z once more is $speed");
}
ok($screen->wait(qr/^this is the end of the recording *$/m), 'the end is said');
shows($screen, $count, 'the end');
$screen->type('z');
ok($screen->wait(qr/^this is the end of the recording *$/m), 'nothing is played beyond');

# What needs something to be counted.
for my $key (qw(d e x C ^W)) {
    $screen->key('Down');
    $screen->wait(sub { $_[0] !~ /this is a recording/ });
    $key =~ /\^(.)/ ? $screen->key("C-$1") : $screen->type($key);
    my $reason = $key eq '^W' ? 'nothing is watched: this is a recording; --test-when .*' : 'nothing is counted: this is a recording *';
    ok($screen->wait(qr/^$reason$/m), "$key refuses at once");
}
$screen->key('Down');
$screen->wait(sub { $_[0] !~ /this is a recording/ });
$screen->type('K');
ok($screen->wait(qr/^nothing is counted: this is a recording *$/m), 'no other mode');
$screen->key('Home', 'Down', 'F9');
ok($screen->wait(qr/^cannot send a signal to \d+ '\S+': this is a recording/m),
    'no signals');

# On a small one.
$screen->resize(40, 10);
ok($screen->wait(qr/^ *interval $count of $count  \S+  end *$/m), 'where one is, at 40x10');
$screen->close;

# The columns of a wide terminal are there at once.
my $wide = Screen->countertop(150, 50, '--replay', $file);
ok($wide->wait(qr/interval 1 of $count/), 'a wide terminal');
like($wide->text, qr/^ *PID .*\bTREND +S +THR +%SYS +(?:us\/ctxsw +)?COMMAND/m, '... with its columns at the beginning');
$wide->close;

# A screen that becomes wide has what it has room for then, of the past, too.
my $grows = Screen->countertop(80, 24, '--replay', $file, '-s', 'software');
$grows->wait(qr/interval 1 of $count/) or die;
$grows->type('}');
ok($grows->wait(qr/\A\[Tasks\](?!.* every ).*interval 11 of $count/), 'the position takes the place of the delay');
$grows->resize(120, 40);
ok($grows->wait(qr/TREND.*COMMAND.*\n(?:.*\n)*? *\d+ .*[\x{2801}-\x{28ff}·]{3}/), 'TREND is filled when it appears');
$grows->close;

# Where the clock was set back, the next interval is earlier than the one before.
SKIP: {
    skip 'there is no sqlite3', 2 if !installed('sqlite3');
    is(system('sqlite3', $file, 'UPDATE intervals SET time = time - 3600 WHERE id > 2'), 0, 'set back after two');
    my $back = Screen->countertop(120, 40, '--replay', $file);
    $back->wait(qr/interval 1 of $count/);
    $back->type('z');
    ok($back->wait(qr/interval $count of $count/), '... plays to its end');
    $back->close;
}

done_testing;

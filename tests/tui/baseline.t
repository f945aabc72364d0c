#!/usr/bin/env perl
# = compares with the rows as they were: changes in the cells, and what is new or gone, until = again.
use Countertop;
use Screen;
use File::Copy 'copy';

# Programs with names of their own, which others do not run.
my $dir = tempdir(CLEANUP => 1);
my ($old, $new, $late) = map { "$_$$" } qw(old new late);
for my $name ($old, $new, $late) {
    copy("$ENV{B}/work/spin", "$dir/$name") or die "$name: $!";
    chmod 0755, "$dir/$name";
}
my $change = qr/(?:=|[+-][\d.]+%|x[\d.]+)/;
my $spin = start("$dir/$old", '-r');
my $screen = Screen->new(120, 24, countertop_command(qw(-d 0.1 -s software -p), "$old,$new"));
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +[\d.]+ .* $old\b/m), 'a row with numbers');
$screen->type('=');
ok($screen->wait(qr/change from \d\d:\d\d:\d\d, mean of \d+; 0 new, 0 gone/), '=: the header says what cells are compared with');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +$change .* $old\b/m), '... and they have changes');

my $other = start("$dir/$new", '-r');
ok($screen->wait(qr/; 1 new, 0 gone/), 'a row that was not there is counted');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +new +new .* $new\b/m), '... and says so');
stop($spin);
ok($screen->wait(qr/; 1 new, 1 gone/), 'so is one that is gone');

$screen->key('Tab');
ok($screen->wait(qr/baseline of other rows, \d\d:\d\d:\d\d/), 'in another view nothing is compared');
ok($screen->wait(qr/\[CPUs\]/), '... of CPUs');
unlike($screen->text, qr/^ *\d+ .*\bnew\b/m, '... which are not new');
$screen->key('BTab');
ok($screen->wait(qr/; 1 new, 1 gone/), 'back again');
$screen->type('=');
ok($screen->wait(sub { $_[0] !~ /change from/ && $_[0] =~ /^ *\d+ \S+ +\d+ +[\d.]+ .* $new\b/m }), '=: numbers again');

$screen->type('=');
ok($screen->wait(qr/^ *\d+ \S+ +\d+ +$change .* $new\b/m), '=: a baseline of now');
$screen->type('K');
ok($screen->wait(qr/^counts of another mode are not compared/m), 'K: another mode');
ok($screen->wait(sub { $_[0] =~ /user only/ && $_[0] !~ /change from/ }), '... has no baseline');
$screen->close;

# A recording as the baseline: of other processes with the same names.
my $file = "$dir/before.db";
my $gone = start("$dir/$old", '-r');
my @watch = (qw(-s software -p), "$old,$new,$late");
countertop(qw(-b -d 0.1 -n 4 --record), $file, @watch);
run('sqlite3', $file, 'PRAGMA journal_mode = WAL'); # as one that was not ended well, without its FILE-wal
stop($gone);
stop($other);
$other = start("$dir/$new", '-r');
my $fresh = start("$dir/$late", '-r');
$screen = Screen->new(120, 24, countertop_command('-d', 0.1, '--baseline', $file, @watch));
ok($screen->wait(qr/\[Commands\].* change from before\.db, mean of [34]; 1 new, 1 gone/), '--baseline: the view of commands, compared with the recording');
ok($screen->wait(qr/^ *1 +$change .* $new\b/m), '... a program that ran in it has changes');
ok($screen->wait(qr/^ *1 +new +new .* $late\b/m), '... another is new');
$screen->key('BTab');
ok($screen->wait(qr/\[Users\].* change from before\.db, mean of [34]; 0 new, 0 gone/), 'in another view its rows are compared');
ok($screen->wait(qr/^ *2 +$change .* root\b/m), '... with those of the recording');
$screen->key('BTab');
ok($screen->wait(qr/\[CPUs\].* change from before\.db/), 'CPUs, too');
$screen->key('BTab');
ok($screen->wait(qr/\[Tasks\].* baseline of other rows, before\.db/), 'tasks are others');
$screen->type('==');
ok($screen->wait(qr/the tasks of a recording are others: choose a view of commands/), '... which = says');
$screen->key('Tab');
ok($screen->wait(qr/\[CPUs\]/), 'back to CPUs');
$screen->type('=');
ok($screen->wait(qr/change from before\.db/), '=: takes the recording again');
$screen->close;
stop($other);
stop($fresh);

# What cannot be compared.
my $run = sub { countertop(@_) };
like($run->('-b', '--baseline', $file)->{err}, qr/^countertop: --baseline cannot be used with --batch: see --help all$/, 'text has no baseline');
is($run->('-b', '--baseline', $file)->{status}, 2, '... status 2');
$screen = Screen->new(120, 24, countertop_command('--mode', 'user', '--baseline', $file));
ok($screen->wait(qr/^countertop: cannot compare with '.*before\.db': it was counted in another mode \('--mode'\)/m), 'another mode');
$screen->close;
$screen = Screen->new(80, 24, countertop_command('--baseline', "$dir/none.db"));
ok($screen->wait(qr/^countertop: .*none\.db/m), 'no such recording: one line');
done_testing;

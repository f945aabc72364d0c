#!/usr/bin/env perl
# Details say who had the CPU that a row waited for, and have histograms of single waits, slices and sleeps, a line for each power of two, as wide as
# the screen: of a recording of rings (tests/data/rings), in which one sleeps for 10 ms each time.
use Countertop;
use Screen;
use Rings;

my $dir = tempdir(CLEANUP => 1);
my $shared = rings('shared');
my (undef, @refreshes) = play($shared, qw(-s waits -n 3 -d 0.094 --record), "$dir/r.db");
my ($sleeper) = grep { $_->{comm} eq 'sleepers' && $_->{counts}{wakeups} > 5 } @{$refreshes[2]{tasks}};
for (['■', 100], ['#', 60, '--ascii']) {
    my ($mark, $width, @ascii) = @$_;
    my $screen = Screen->countertop($width, 60, '--replay', "$dir/r.db", qw(-s waits), @ascii);
    $screen->wait(qr/^ *$sleeper->{pid} /m) or die "no sleeper\n";
    $screen->type('$'); # the last interval
    $screen->wait(qr/ end *$/m) or die "no last interval\n";
    $screen->choose($sleeper->{pid});
    $screen->key('Enter');
    $screen->wait(qr/ now\/s +total /);
    like($screen->text, qr/^taken by (?:\(no task ran\)|spin) ~?\d+%/m, 'who had the CPU that it waited for');
    my ($run, $wait, $block) = $screen->text =~ /^life +run (\d+) % [█#]* +wait (\d+) % [▒=]* +block (\d+) % [░.]{3}/m;
    ok(defined $block && abs($run + $wait + $block - 100) <= 1 && $block > 50, 'where its life goes');
    $screen->key('End');
    ok($screen->wait(qr/^$sleeper->{counts}{wakeups} waits after a wake-up  p50 /m), "$width wide: as many waits as wake-ups");
    like($screen->text, qr/^\d+ sleeps  p50 9\.96ms  p95 /m, '... and the quantiles of sleeps');
    my $room = $width - 9 - 8 - 3;
    like($screen->text, qr/^ +8\.39ms +\d+ \Q$mark\E{$room} *$/m, '... each about 10 ms: a bar as wide as there is room');
    $screen->key('Escape');
    $screen->choose((grep { $_->{comm} eq 'spin' } @{$refreshes[2]{tasks}})[0]{pid});
    $screen->key('Enter');
    ok($screen->wait(qr/^takes +(?:at least )?(?:spin|sleepers) [\d.]+m?s/m), '... and from whom a row took the CPU');
}
my $past = Screen->countertop(100, 30, '--replay', "$dir/r.db", qw(-s waits));
$past->wait(qr/^ *\d+ /m) or die "no replay\n";
$past->type('`');
ok($past->wait(qr/^Single waits for a CPU that were listed in this interval *\n +none /m), 'a replay has those that were listed');
my $screen = Screen->new(100, 30, 'exec ' . join ' ', map { "'$_'" } played($shared), qw(-s waits -d 0.094 --waits-over 5));
$screen->wait(qr/\bspin\b/);
$screen->type('`');
ok($screen->wait(qr/^Single waits for a CPU over 5 ms *\n +\d\d:\d\d:\d\d\.\d{3}  \w+ \d+: /m), 'a page of long waits');
$screen = Screen->new(100, 30, 'exec ' . join ' ', map { "'$_'" } played($shared), qw(-s waits -d 0.094 --waits-over 0.000001 -p spin --record), "$dir/spin.db");
$screen->wait(qr/\bspin\b/);
$screen->type('`');
ok($screen->wait(qr/^Single waits for a CPU over .*(?:\n +\d\d:\d\d:\d\d\.\d{3} .*){20}/m), '... of what is watched');
is((grep { !/^ +[\d:.]{12}  spin / } $screen->text =~ /^( +\d\d:\d\d:\d\d\.\d{3} .*)/mg), 0, '... and of nothing else');
is(`sqlite3 $dir/spin.db 'SELECT DISTINCT comm FROM long_waits'`, "spin\n", '... and so in a recording');
# Who takes from whom, with letters for names where there is little room.
for my $size ([80, 24, 'a    b', 'Escape'], [120, 40, 'a    b', 'Enter'], [200, 50, 'other +\w+', 'q']) {
    $screen = Screen->new(@$size[0, 1], 'exec ' . join ' ', map { "'$_'" } played(rings('x86')), qw(--view takers -d 0.07));
    $screen->wait(qr/\bspin\b/);
    $screen->type('Y');
    ok($screen->wait(qr/^Who takes from whom.*\n +% OF WAITING +WAITED +$size->[2].* rest *\n +other +\d+ms +\d+ /m), "$size->[0] wide: a matrix of the largest");
    $screen->key($size->[3]);
    ok($screen->wait(qr/TAKEN +%WAITED /), "... that $size->[3] closes");
}
done_testing;

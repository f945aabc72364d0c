#!/usr/bin/env perl
# Columns of memory and disks: RES, IO/s and OOM of the rows in sight, as /proc has them.
use POSIX;
use Screen;

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/memory.ini" or die;
print $ini "[screen memory]\nevents = context-switches\ncolumns = pid ctxsw_per_s res io oom command\n";
close $ini;
my $page = POSIX::sysconf(POSIX::_SC_PAGESIZE());

# They sleep, so nothing of them changes; their pids are in the order of their start.
my @pids = map { start_work('sleepers', $_) } 1, 2, 3;
wait_for(sub { 3 == grep { (slurp_or_empty("/proc/$_/stat") =~ /\) (\w)/)[0] // '' eq 'S' && slurp_or_empty("/proc/$_/comm") eq "sleepers\n" } @pids });

# A number as cells have it, or one in its last digit beside it.
sub is_about {
    my ($text, $number) = @_;
    my ($digits, $suffix) = $text =~ /^([\d.]+)([kMG]?)$/ or return 0;
    my %times = ('' => 1, k => 1e3, M => 1e6, G => 1e9);
    return abs($digits * $times{$suffix} - $number) <= 0.006 * $number;
}

my $watched = join ',', @pids;
my $screen = Screen->countertop(80, 24, '-W', $dir, qw(-s memory -i -d 0.3 -p), $watched);
ok($screen->wait(sub { 3 == grep { $_->{'IO/s'} eq '0' } Screen::rows($_[0]) }), 'who sleeps reads and writes nothing');
my %rows = map { $_->{PID} => $_ } Screen::rows($screen->text);
for my $pid (@pids) {
    my ($pages) = slurp("/proc/$pid/statm") =~ /^\d+ (\d+)/;
    ok(is_about($rows{$pid}{RES}, $pages * $page), "RES of $pid: $rows{$pid}{RES}") or diag $pages * $page;
    chomp(my $score = slurp("/proc/$pid/oom_score"));
    is($rows{$pid}{OOM}, $score, "OOM of $pid");
}
# They sort.
$screen->type('>') for 1 .. 2;
ok($screen->wait(qr/[▲▼]RES/), 'sorted by memory');
$screen->type(',');
ok($screen->wait(sub { $_[0] =~ / PAST / && 3 == grep { "$_->{RES} $_->{'IO/s'} $_->{OOM}" eq '- - -' } Screen::rows($_[0]) }),
    'nothing of that is known of the past');
$screen->close;

# On a wide terminal they are there unasked, on a narrow one not.
for ([300, 1], [100, 0]) {
    my ($width, $there) = @$_;
    my $wide = Screen->countertop($width, 30, qw(-s software -i -p), $watched);
    ok($wide->wait($there ? qr{\bPID\b.* RES +IO/s .*COMMAND} : qr/\bPID\b(?!.* RES ).*COMMAND/), "$width columns");
    $wide->close;
}
done_testing;

#!/usr/bin/env perl
# Sorting: < > P I and F6, and the cursor, which stays on its row.
use Screen;

my @spins = map { start_work('spin', '-r') } 1 .. 3;
my $list = join ',', @spins;
my ($low, undef, $high) = sort { $a <=> $b } @spins;

# The title with the mark, without it, and the mark.
sub sorted {
    my ($title) = grep { /[▼▲]/ } split /(?<=.)(?=[▼▲])|\s+/, join ' ', Screen::titles($_[0]);
    return $title // '';
}

sub in_order {
    my ($text, $column, $sign) = @_;
    my @numbers = map { $_->{$column} } Screen::rows($text);
    return @numbers == 3 && join(' ', @numbers) eq join ' ', sort { $sign * ($a <=> $b) } @numbers;
}

my $screen = Screen->countertop(80, 24, '-p', $list, '-d', 0.2, '-s', 'software');
ok($screen->wait(sub { sorted($_[0]) eq '▼%CPU' && in_order($_[0], '%CPU', -1) }),
   'at first by CPU time, the greatest first');

$screen->key('I');
ok($screen->wait(sub { sorted($_[0]) eq '▲%CPU' && in_order($_[0], '%CPU', 1) }), 'I inverts');
$screen->key('>');
ok($screen->wait(sub { sorted($_[0]) =~ /ctxsw/ }), '> goes to the next column');
$screen->key('<', '<');
ok($screen->wait(sub { sorted($_[0]) =~ /P$/ && sorted($_[0]) !~ /%/ }), '< goes back');
$screen->key('P');
ok($screen->wait(sub { sorted($_[0]) eq '▼%CPU' }), 'P is the CPU time, greatest first');

$screen->key('F6');
ok($screen->wait(qr/^Sort by\b.*COMMAND/m), 'F6 lists the columns');
my $menu = $screen->text;
like($menu, qr/^\Q$_\E +\S/m, "with $_ and what it is") for 'PID', '%CPU', 'COMMAND';
$screen->key('Home', 'Enter');
ok($screen->wait(sub { sorted($_[0]) eq '▼PID' && in_order($_[0], 'PID', -1) }),
   'Home and Enter choose the first');
$screen->key('F6');
$screen->wait(qr/^Sort by\b.*COMMAND/m);
$screen->key('Down', 'Escape');
ok($screen->wait(sub { sorted($_[0]) eq '▼PID' }), 'Esc leaves the order as it was');

$screen->key('Down');
ok(wait_for(sub { $screen->is_selected($high) }), 'Down shows the cursor on the first row');
$screen->key('I');
ok($screen->wait(sub { ((Screen::pids($_[0]))[2] // 0) == $high }), 'inverted again');
ok(wait_for(sub { $screen->is_selected($high) }), 'the cursor went with its row');
$screen->key('Up', 'Up');
ok(wait_for(sub { $screen->is_selected($low) }), 'Up moves it to the first one now');

done_testing;

#!/usr/bin/env perl
# Problems found by random keys (monkey.t), each with the shortest sequence.
use Screen;

my $spin = start_work('spin', '-r');
my @arguments = ('-i', '-p', $spin, '-d', 0.1, '-s', 'software', '--engine', 'cpu');
my $table = qr/^ *$spin .*spin *$/m;

sub type_bytes {
    my ($screen, $text) = @_;
    utf8::encode($text);
    $screen->type($text);
}

for my $case (['xterm-256color', 'C.UTF-8'], ['linux', 'C.UTF-8'], ['vt100', 'C']) {
    my ($term, $locale) = @$case;
    my $screen = Screen->new(80, 24, "TERM=$term LC_ALL=$locale " . countertop_command(@arguments));
    $screen->wait($table);
    # 'ñ' and 'ù' have bytes that are 'q' and 'y' without their highest bit.
    type_bytes($screen, 'ñùé');
    $screen->key('/');
    ok($screen->wait(qr/^Search:/m), "$term, $locale: no command is a letter beyond ASCII");
    type_bytes($screen, 'é日x');
    my $shown = $locale eq 'C' ? qr/^Search: [?]+x/m : qr/^Search: é日x/m;
    ok($screen->wait($shown), "$term, $locale: ... which can be typed");
    $screen->close;
}

my $screen = Screen->countertop(80, 24, @arguments);
$screen->wait($table);

# A prompt that is asked for over the help of another one takes its place.
$screen->key('/');
$screen->wait(qr/^Search:/m);
$screen->key('F1');
$screen->wait(qr/^Where text is typed *$/m);
$screen->key('b');
ok($screen->wait(qr/^Go to:/m), 'a prompt over the help of another');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] =~ $table && $_[0] !~ /^(?:Search|Go to):/m }), '... closes to the table');

# Details of measures that no interval has told of yet.
$screen->key('Z');
$screen->wait(qr/PAUSED/);
$screen->key(']');
$screen->wait(qr/^screen '(?!software)/m);
$screen->key('Down', 'Enter');
ok($screen->wait(qr{\bnow/s\b}), 'details while paused, of other columns');
my $looks = 0; # what is held still does not show that intervals pass
ok(wait_for(sub { $looks++ > 20 && $screen->text =~ m{\bnow/s\b} }), '... stay while counting goes on');
$screen->key('Escape', 'Z');
ok($screen->wait(sub { $_[0] !~ /PAUSED/ && $_[0] =~ $table }), '... and back');
$screen->key('[');
$screen->wait(qr/^screen 'software'/m);

# A key that is pressed with the mouse where it stood before another pane opened is not there.
my $y = 24;
$screen->type("/\e[<0;2;${y}M\e[<0;60;${y}M");
ok($screen->wait(qr/^Search:/m), 'a press on keys that were there');
$screen->key('Escape');
$screen->wait($table);
$screen->close;

done_testing;

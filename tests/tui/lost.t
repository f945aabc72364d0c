#!/usr/bin/env perl
# The header reports lost records, throttled counters and tasks that are not counted, as long as that is
# news; and an event that is refused at run time leaves what is counted as it is.
use Screen;
use Script;

my @ran = ('run 1001 oncpu=0.5 context-switches=2000');
my $script = Script->new('task 1001 name=pingpong', 'refuse cpu-clock denied not%20permitted:%20ask%20somebody');
my $screen = Screen->new(120, 24, $script->command(qw(-s software --engine cpu)));
my $shows = sub {
    my ($text, $ctxsw) = @_;
    return grep { $_->{COMMAND} eq 'pingpong' && $_->{'ctxsw/s'} eq $ctxsw } Screen::rows($text);
};
$script->step(@ran);
ok($screen->wait(sub { $shows->($_[0], '2.00k') }), 'a load');
unlike($screen->text, qr/\blost \d|throttled|not permitted|no descriptor/, '... of which nothing is lost');

$script->step(@ran, 'lost 12');
ok($screen->wait(qr/\blost 12 records at 00:00:02\b/), 'the header shows lost records, and when');
$screen->resize(80, 24);
ok($screen->wait(qr/\blost 12 records\b/), '... on a small screen, too');
$screen->key('E');
ok($screen->wait(qr/^\d\d:\d\d:\d\d +12 records lost: the kernel wrote them faster/m), 'the list of errors keeps them');
like($screen->text =~ s/\s+/ /gr, qr/records lost: .* start it with 'chrt -r 1'/, '... with what helps');
$screen->key('Escape');
$screen->resize(120, 24);
$script->step(@ran) for 1 .. 4;
$script->step(@ran, 'lost 5');
ok($screen->wait(qr/\blost 17 records at 00:00:07\b/), '... all of some intervals');
$script->step(@ran) for 1 .. 8;
like($screen->still, qr/\blost 17 records\b/, '... for some intervals');
$script->step(@ran) for 1 .. 3;
ok($screen->wait(sub { $_[0] !~ /\blost \d/ }), '... but not for good');

for (['throttled 3', 'throttled 3 times'], ['denied 4', 'not permitted 4 threads'], ['starved 5', 'no descriptor 5 threads']) {
    my ($line, $text) = @$_;
    $script->step(@ran, $line);
    ok($screen->wait(qr/\b$text\b/), $text);
    $script->step(@ran, $line =~ s/\d/0/r);
    ok($screen->wait(sub { $_[0] !~ /\b$text\b/ }), '... while it lasts');
}

$screen->key('e');
$screen->answer(qr/^Add event:/m, 'cpu-clock');
ok($screen->wait(qr/cannot count 'cpu-clock'.*not permitted/), 'another event is refused with the reason');
$screen->key('Escape');
$script->step('run 1001 oncpu=0.5 context-switches=3000');
ok($screen->wait(sub { $shows->($_[0], '3.00k') }), '... and what was counted goes on');
is((grep { /cpu-clock/ } Screen::titles($screen->text)), 0, '... without a column for what is not');

# What was lost is still known when counting begins again with another event.
$script->step(@ran, 'lost 9');
$screen->wait(qr/\blost 9 records\b/);
$screen->key('e');
$screen->answer(qr/^Add event:/m, 'minor-faults');
$screen->wait(qr/^counting 'minor-faults'/m);
$script->step(@ran);
ok($screen->wait(sub { $_[0] =~ /^ *PID .*minor/m && $_[0] =~ /\blost 9 records\b/ }), 'with another event it is the same number');
$screen->close;

done_testing;

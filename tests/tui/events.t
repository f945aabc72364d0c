#!/usr/bin/env perl
# Events added at run time: a column with counts, or a refusal with the reason.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use IPC::Open2;
use Screen;
use Test::More;

for my $size ([120, 24], [200, 50]) {
    my $at = join 'x', @$size;
    my $faults = open2(my $out, my $in, 'faults', 5000);
    like(scalar <$out>, qr/^ready $faults /, "$at: the work is ready");

    my $screen = Screen->countertop(@$size, '-p', $faults, '-i', '-d', 0.3, '-s', 'software');
    ok($screen->wait(sub { join(' ', Screen::pids($_[0])) eq $faults }), "$at: it is watched");

    $screen->key('e');
    ok($screen->wait(qr/^Add event:/m), "$at: e asks for an event");
    $screen->type('minor-faults:u');
    ok($screen->wait(qr/^Add event: minor-faults:u\s*$/m), "$at: it can be typed");
    my $events = sub { $_[0] =~ /events (\d+)/ ? $1 : 0 };
    my $before; # not while the header says what is wrong instead
    ok($screen->wait(sub { $before = $events->($_[0]) }), "$at: the header counts events");
    $screen->key('Enter');
    ok($screen->wait(sub { grep { $_ eq 'minor:u/s' } Screen::titles($_[0]) }),
       "$at: it has a column, in sight");
    ok($screen->wait(sub { $events->($_[0]) == $before + 1 }), "$at: ... and one more then");

    # 5000 faults in one interval, or two.
    my $most = '';
    print $in "\n";
    ok($screen->wait(sub {
           my ($row) = Screen::rows($_[0]);
           my $cell = $row ? $row->{'minor:u/s'} // '' : '';
           $most = $cell if $cell =~ /k/;
           return $most;
       }),
       "$at: it counts");
    like($most, qr/^[\d.]+k$/, "$at: some thousand a second");
    close $in;
    waitpid $faults, 0;

    # What was typed stays there to be mended.
    $screen->key('e');
    $screen->wait(qr/^Add event:/m);
    $screen->type('page-faulst');
    $screen->key('Enter');
    ok($screen->wait(qr/page-faulst.*nearest/s), "$at: an unknown event is refused with the nearest");
    like($screen->text, qr/^Add event: page-faulst\s*$/m, "$at: the prompt stays open with the text");
    $screen->key('BSpace', 'BSpace');
    $screen->type('ts:u');
    $screen->key('Enter');
    ok($screen->wait(sub { $_[0] !~ /^Add event/m && $events->($_[0]) == $before + 2 }),
       "$at: mended, it is taken");

    $screen->key('e');
    $screen->wait(qr/^Add event:/m);
    $screen->type('no-such-thing');
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ /^Add event/m }), "$at: Esc closes the prompt");

    $screen->key('E');
    ok($screen->wait(qr/^minor-faults:u +counted/m), "$at: E lists the events");
    ok($screen->wait(qr/^page-faults +counted/m), "$at: those of the screen too");
    $screen->key('Escape');
    ok($screen->wait(qr/COMMAND/), "$at: Esc leads back");
}

# However many columns there are: who it is, %CPU and the column sorted by stay, and columns scroll.
{
    my $screen = Screen->countertop(80, 24, qw(-H -d 0.3 -s software --sort migrations_per_s -e),
        'minor-faults,major-faults,alignment-faults,emulation-faults');
    my $titles = sub { join ' ', Screen::titles($_[0]) };
    ok($screen->wait(sub { $titles->($_[0]) =~ /PID TID.*%CPU.*migr.*COMMAND/ }), 'many columns: the first ones');
    $screen->key((')') x 7);
    ok($screen->wait(sub { $titles->($_[0]) =~ /PID.*TID.*%CPU.*migr.*emul-flt.*COMMAND/ && $titles->($_[0]) !~ /USER/ }),
        '... scrolled to the last: PID, TID, %CPU and what it is sorted by are there');
}

# Added events are narrow, so that the usual columns stay, and may have names of their own.
{
    my $screen = Screen->countertop(80, 24, qw(-d 0.3 -s software));
    my $add = sub {
        $screen->key('e');
        $screen->answer(qr/^Add event:/m, $_[0]);
    };
    $screen->wait(qr/COMMAND/);
    $add->('sw=context-switches:k');
    ok($screen->wait(qr{PID USER +P +\W?%CPU ctxsw/s migr/s faults/s +sw/s +COMMAND}),
        'an event is added under a name of its own: all columns stay at 80');
    $add->('minor-faults');
    ok($screen->wait(qr{PID\b.* \W?%CPU ctxsw/s migr/s faults/s +sw/s minor/s COMMAND}),
        '... and another: it and %CPU are there');
    $add->('sw=page-faults');
    ok($screen->wait(qr/bad name 'sw' of event 'page-faults': it is that of 'context-switches:k'/),
        '... the name is not given twice');
    $screen->key('Escape');
    $add->('user=page-faults');
    ok($screen->wait(qr/'user' is already a column/), '... nor that of a column');
    $screen->key('Escape', 'K');
    ok($screen->wait(qr{sw/s}), '... and stays in another mode');
    $screen->key('K');
    $screen->wait(qr/kernel mode only|kernel only/);
    $screen->key('x');
    $screen->answer(qr/^Remove event:/m, 'sw');
    ok($screen->wait(sub { $_[0] !~ m{sw/s +minor} && $_[0] =~ m{minor/s} }), '... until it is removed by it');
}

done_testing;

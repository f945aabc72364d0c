#!/usr/bin/env perl
# Events added at run time: a column with counts, or a refusal with the reason.
use Screen;
use Script;

my $script;
sub open_screen {
    my ($width, @options) = @_;
    $script = Script->new('task 1001 name=faults');
    my $screen = Screen->new($width, 24, $script->command(qw(-s software), @options));
    $script->step('run 1001 oncpu=0.5 page-faults=1');
    return $screen;
}

# Lets an interval pass when the event is counted.
sub count {
    my ($screen, $event) = @_;
    $screen->wait(qr/^(?:no longer )?counting '\Q$event\E'/m);
    $script->step('run 1001 oncpu=0.5');
}

{
    my $at = '120x24';
    my $screen = open_screen(120, qw(-p 1001 -i));
    ok($screen->wait(sub { "@{[Screen::pids($_[0])]}" eq 1001 }), "$at: it is watched");

    $screen->key('e');
    ok($screen->wait(qr/^Add event:/m), "$at: e asks for an event");
    $screen->type('minor-faults:u');
    ok($screen->wait(qr/^Add event: minor-faults:u\s*$/m), "$at: it can be typed");
    my $events = sub { $_[0] =~ /events (\d+)/ ? $1 : 0 };
    my $before; # not while the header says what is wrong instead
    ok($screen->wait(sub { $before = $events->($_[0]) }), "$at: the header counts events");
    $screen->key('Enter');
    count($screen, 'minor-faults:u');
    ok($screen->wait(sub { grep { $_ eq 'minor:u/s' } Screen::titles($_[0]) }),
       "$at: it has a column, in sight");
    ok($screen->wait(sub { $events->($_[0]) == $before + 1 }), "$at: ... and one more then");

    $script->step('run 1001 oncpu=0.5 minor-faults:u=5040');
    ok($screen->wait(sub { map { ($_->{'minor:u/s'} // '') eq '5.04k' } Screen::rows($_[0]) }), "$at: it counts");

    # What was typed stays there to be mended.
    $screen->key('e');
    $screen->answer(qr/^Add event:/m, 'page-faulst');
    ok($screen->wait(qr/page-faulst.*nearest/s), "$at: an unknown event is refused with the nearest");
    like($screen->text, qr/^Add event: page-faulst\s*$/m, "$at: the prompt stays open with the text");
    $screen->key('BSpace', 'BSpace');
    $screen->type('ts:u');
    $screen->key('Enter');
    count($screen, 'page-faults:u');
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
    my $screen = open_screen(80, qw(-H --sort migrations_per_s -e),
        'minor-faults,major-faults,alignment-faults,emulation-faults');
    my $titles = sub { join ' ', Screen::titles($_[0]) };
    ok($screen->wait(sub { $titles->($_[0]) =~ /PID TID.*%CPU.*migr.*COMMAND/ }), 'many columns: the first ones');
    $screen->key((')') x 7);
    ok($screen->wait(sub { $titles->($_[0]) =~ /PID.*TID.*%CPU.*migr.*emul-flt.*COMMAND/ && $titles->($_[0]) !~ /USER/ }),
        '... scrolled to the last: PID, TID, %CPU and what it is sorted by are there');
}

# Added events are narrow, so that the usual columns stay, and may have names of their own.
{
    my $screen = open_screen(80);
    my $add = sub {
        $screen->key('e');
        $screen->answer(qr/^Add event:/m, $_[0]);
    };
    $screen->wait(qr/COMMAND/);
    $add->('sw=context-switches:k');
    count($screen, 'sw=context-switches:k');
    ok($screen->wait(qr{PID USER +P +\W?%CPU ctxsw/s migr/s faults/s +sw/s +COMMAND}),
        'an event is added under a name of its own: all columns stay at 80');
    $add->('minor-faults');
    count($screen, 'minor-faults');
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
    count($screen, 'sw');
    ok($screen->wait(sub { $_[0] !~ m{sw/s +minor} && $_[0] =~ m{minor/s} }), '... until it is removed by it');
}

done_testing;

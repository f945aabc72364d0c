#!/usr/bin/env perl
# F7: the catalogue of events is searched while typing, and adds and removes events; x, and Tab in
# prompts.
use Countertop;
use Screen;

my $spin = start_named('samovar');
my @arguments = ('-p', $spin, '-d', 0.3, '-s', 'software', '--engine', 'cpu');
my $open = qr/^Search events: /m;
my $closed = sub { $_[0] !~ /^Search events: / && $_[0] =~ /COMMAND/ };

# The mark of an event in the list.
my $fires = breakpoints_fire();

sub mark {
    my ($text, $name) = @_;
    return $text =~ /^ (\S+) +\Q$name\E(?: |$)/m ? $1 : '';
}

sub has_mark {
    my ($name, $mark) = @_;
    return sub { mark($_[0], $name) eq $mark };
}

# There are at least that many; tracepoints only where there is a tracefs.
my $least = -r '/sys/kernel/tracing/events' ? 1000 : 60;

sub events {
    return $_[0] =~ /events (\d+)/ ? $1 : -1;
}

sub column {
    my ($name) = @_;
    return sub { scalar grep { $_ eq $name } Screen::titles($_[0]) };
}

my $screen = Screen->countertop(120, 24, @arguments);
ok($screen->wait(sub { events($_[0]) == 3 }), 'three events are counted');

$screen->key('F7');
ok($screen->wait($open), 'F7 opens the catalogue');
my ($all) = $screen->text =~ /(\d+) entries$/m;
cmp_ok($all, '>', $least, 'it tells how many there are');
# The groups that count here come first: on machines without a PMU not that of cycles.
like($screen->text, qr/^(?:hardware|software) events$/m, 'the first group has its title');
ok($screen->wait(sub { $_[0] =~ /^(?:hardware|software) events\n (?:yes|now) /m }), 'events are tried');

# Searching.
$screen->type('MINOR');
ok($screen->wait(qr/^Search events: MINOR .* (\d+) entries$/m), 'typing searches');
ok($screen->wait(has_mark('minor-faults', 'yes')), 'what counts is marked');
$screen->key('C-u');
$screen->type('software faults');
$screen->wait(qr/^Search events: software faults /m);
ok($screen->wait(has_mark('page-faults', 'now')), 'so is what is counted now');
unlike($screen->text, qr/^ (yes|no|now) +cpu-clock /m, 'the rest is not there');
$screen->key('BSpace') for 1 .. 7;
ok($screen->wait(has_mark('cpu-clock', 'yes')), 'taking letters back finds more again');

# The entry under the cursor in full.
$screen->key('C-u');
$screen->type('disk page faults');
ok($screen->wait(qr/^minor-faults\s*$/m), 'the first one found is under the cursor');
like($screen->text, qr/^what +page faults served without reading from disk$/m,
    'described');
like($screen->text, qr/^here +fits: takes none of the cores' counters$/m,
    'whether it fits');
like($screen->text, qr/^encoding +software type=1 config=0x5$/m, 'and as it is encoded');
$screen->key('Down');
ok($screen->wait(qr/^encoding +software type=1 config=0x6$/m), 'Down goes to the next');
$screen->key('End');
$screen->key('Home');
ok($screen->wait(qr/config=0x5$/m), 'Home goes to the first');

# Adding, and removing again.
$screen->key('Enter');
ok($screen->wait(qr/^counting 'minor-faults'\s*$/m), 'Enter adds the event');
ok($screen->wait(has_mark('minor-faults', 'now')), 'which is then marked');
ok($screen->wait(qr/^here +counted now; Enter removes it$/m), 'and said to be counted');
$screen->key('Escape');
ok($screen->wait($closed), 'Esc goes back');
ok($screen->wait(column('minor/s')), 'where it has a column');
ok($screen->wait(sub { events($_[0]) == 4 }), 'the header counts it');

$screen->key('C');
ok($screen->wait($open), 'C opens the catalogue too');
$screen->type('minor-faults');
$screen->wait(has_mark('minor-faults', 'now'));
$screen->key('Enter');
ok($screen->wait(has_mark('minor-faults', 'yes')), 'Enter removes what is counted');
$screen->key('F7');
ok($screen->wait($closed), 'F7 closes');
ok($screen->wait(sub { events($_[0]) == 3 && !column('minor/s')->($_[0]) }),
    'its column is gone');

# What is no event is begun in the prompt.
$screen->key('F7');
$screen->wait($open);
$screen->type('mem:ADDRESS');
ok($screen->wait(qr/^here +Enter starts to type one$/m), 'a spelling is found');
my $silent = qr/^here +hardware breakpoints never fire here/m;
ok($screen->wait(sub { $fires xor $_[0] =~ $silent }), 'with what keeps it from counting');
ok($screen->wait(has_mark('mem:ADDRESS[/LENGTH][:rwx]', $fires ? '' : 'no')), 'and marked so');
$screen->key('Enter');
ok($screen->wait(qr/^Add event: mem:\s*$/m), 'Enter begins to write one');
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ /^Add event/m && $_[0] =~ $open }), 'Esc goes back to it');
$screen->key('C-u');
$screen->type('no such event zyxwv');
ok($screen->wait(qr/^no event has all these words$/m), 'nothing found is said');
$screen->key('Enter', 'Down', 'PPage', 'End');

# Any size, and back.
$screen->key('C-u');
$screen->type('minor-faults');
$screen->resize(40, 10);
ok($screen->wait(sub { mark($_[0], 'minor-faults') eq 'yes' && $_[0] =~ /^minor-faults$/m }),
    'at 40x10 there is a list and what it is about');
$screen->resize(20, 5);
ok($screen->wait(sub { $_[0] =~ /^ yes +minor-fault/m && $_[0] !~ /^what/m }),
    'at 20x5 a list');
$screen->resize(120, 24);
ok($screen->wait(qr/^what +page faults served without/m), 'and all again');
$screen->key('Escape');
$screen->wait($closed);

# x removes by name.
$screen->key('x');
ok($screen->wait(qr/^Remove event:/m), 'x asks for an event');
$screen->type('c');
$screen->key('Tab');
ok($screen->wait(qr/^context-switches, cpu-migrations\s*$/m), 'Tab tells the ways to go');
$screen->type('o');
$screen->key('Tab');
ok($screen->wait(qr/^Remove event: context-switches\s*$/m), 'Tab goes the only way');
$screen->key('Enter');
ok($screen->wait(sub { events($_[0]) == 2 }), 'it is counted no longer');
$screen->key('x');
$screen->type('page-faulst');
$screen->key('Enter');
ok($screen->wait(qr/^'page-faulst' is not counted; nearest is 'page-faults'/m),
    'one that is not counted is refused');
$screen->key('C-u');
$screen->type('page-faults');
$screen->key('Enter');
ok($screen->wait(sub { events($_[0]) == 1 }), 'mended, it is taken');
$screen->key('x');
$screen->type('cpu-m');
$screen->key('Tab', 'Enter');
ok($screen->wait(sub { events($_[0]) <= 0 && $_[0] =~ /^no longer counting 'cpu-migrations'/m }),
    'even the last one');
ok($screen->wait(sub { grep { $_ eq $spin } Screen::pids($_[0]) }), 'rows are still there');

# e completes from the catalogue, and an event has its column back.
$screen->key('e');
$screen->wait(qr/^Add event:/m);
$screen->type('alignment-faults,minor-f');
$screen->key('Tab');
ok($screen->wait(qr/^Add event: alignment-faults,minor-faults\s*$/m), 'e completes names');
$screen->type(',xyzzy');
$screen->key('Tab');
ok($screen->wait(qr/^no name begins with 'xyzzy'/m), 'or says that there is none');
$screen->key('BSpace') for 1 .. 6;
$screen->key('Enter');
ok($screen->wait(sub { events($_[0]) == 2 && column('minor/s')->($_[0]) }),
    'both are counted');

# The column that sorts is the one that x means.
$screen->key('F6');
$screen->wait(qr/^Sort by/m);
$screen->key('End', ('Up') x 8); # the last are TREND, S, THR, %SYS, us/ctxsw, RES, IO/s, COMMAND
$screen->key('Enter');
$screen->wait(qr{[▼v]minor/s });
$screen->key('x');
ok($screen->wait(qr/^Remove event: minor-faults\s*$/m), 'x offers the column that sorts');
$screen->key('Escape', 'q');
ok($screen->wait(sub { $_[0] !~ /COMMAND/ }), 'q ends as ever');
$screen->close;
# Terminals and locales with less than usual.
for my $environment ('TERM=vt100', 'LANG=C LC_ALL=') {
    my $screen = Screen->new(120, 24, "$environment " . countertop_command(@arguments));
    $screen->wait(sub { events($_[0]) == 3 });
    $screen->key('C');
    ok($screen->wait(sub { $_[0] =~ /^(?:hardware|software) events\n (?:yes|now) /m }), "$environment: it is there");
    $screen->type('page-faults');
    ok($screen->wait(has_mark('page-faults', 'now')), "$environment: and searched");
    unlike($screen->text, qr/[^\x00-\x7e]/, "$environment: in ASCII") if $environment =~ /LANG=C/;
    my $seen = sub { # the line is there before all of the word is typed
        my $style = $screen->style_of(qr/^ now +page-faults /);
        return $style->{reverse} || $style->{background};
    };
    ok(wait_for($seen), "$environment: the cursor can be seen");
}

# What is asked for and may not be counted is not said to be.
SKIP: {
    my $as = 'setpriv --reuid=65534 --regid=65534 --clear-groups --';
    my $run = `$as $ENV{B}/countertop --list-events 'context-switches task left' 2>&1`;
    skip 'nobody cannot be told from root here', 2 if $run !~ /^  no   context-switches /m;
    my $screen = Screen->new(80, 24, "$as " . countertop_command('-s', 'software', '-d', 0.3));
    $screen->wait(qr/COMMAND/);
    $screen->key('F7');
    $screen->type('context-switches task left');
    ok($screen->wait(has_mark('context-switches', 'no')), 'what is denied is not counted');
    ok($screen->wait(qr/^here +happens in kernel mode only: [^\n]*\n +\(perf_event_paranoid is /m),
        '... and it says why');
}

done_testing;

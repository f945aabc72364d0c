#!/usr/bin/env perl
# Terminals that send exactly the keys of their terminfo entry, and a terminal that does not follow
# ECMA-48.
use Screen;
use Pty;
use Time::HiRes ();

my $spin = start_work('spin', '-r');

# The table is there.
sub open_pty {
    my ($term) = @_;
    my $pty = Pty->start({width => 80, height => 24,
        environment => {TERM => $term, LC_ALL => $term eq 'vt52' ? 'C' : 'C.UTF-8'}}, 'countertop', '-p', $spin, '-d', 0.2,
        '-s', 'software', '--engine', 'cpu');
    ok(reads($pty, qr/COMMAND/), "$term: the table is there");
    return $pty;
}

sub reads {
    my ($pty, $pattern) = @_;
    return wait_for(sub { $pty->read(0.05); $pty->{output} =~ $pattern });
}

sub ends {
    my ($pty) = @_;
    return wait_for(sub { $pty->read(0.05); defined $pty->ended });
}

# What the page of keys has, and the table has not: of a word whose letters stood there before only the
# others are written.
my $keys = qr/Keys|this help|screens and switches|cursor to a row/;

# F1 shows the keys; F10 ends it. What is no key with that terminal: cons25's F1 begins as the mouse of
# others does, and vt100's F10 is a digit of their keypads.
for my $case (['xterm', "\eOP", "\e[21~"], ['linux', "\e[[A", "\e[21~"], ['vt100', "\eOP", "\eOx"],
              ['cons25', "\e[M", "\e[V"], ['sun', "\e[224z", "\e[233z"]) {
    my ($term, $first, $tenth) = @$case;
    my $pty = open_pty($term);
    $pty->type($first);
    ok(reads($pty, $keys), '... F1');
    $pty->type('q');
    $pty->type($tenth);
    ok(ends($pty), '... F10');
}

# Bytes after the key that ends it stay for the shell.
my $pty = open_pty('xterm');
$pty->type("qls\n");
ok(ends($pty), 'a key that ends it');
sysread $pty->{theirs}, my $left, 100;
is($left, "ls\n", '... leaves what was typed behind it');

# Halves of a character; the second one comes when the first one waits.
$pty = open_pty('xterm');
$pty->type("/\xc3");
ok(reads($pty, qr/Search:/), 'half of a character');
$pty->read(0.3);
$pty->type("\xa9");
ok(reads($pty, qr/\xc3\xa9/), '... and the other one');
undef $pty;

# A key whose bytes come apart, as over a slow line, runs no command: O would sort, [ show another screen.
# Where this machine held up the test or the program for longer than a line does, it is tried again.
for my $rest ('OB', '[B') {
    ok(wait_for(sub {
        my $slow = Pty->start({width => 80, height => 24, environment => {TERM => 'xterm', LC_ALL => 'C.UTF-8'}},
            'countertop', '-p', $spin, '-d', 60, '-s', 'software');
        reads($slow, qr{COMMAND.*spin}s);
        $slow->type("\e");
        my $until = Time::HiRes::time() + 0.06;
        wait_for(sub { Time::HiRes::time() > $until });
        my $before = length $slow->{output};
        $slow->type($rest);
        reads($slow, qr/.{$before}.+/s);
        $slow->type('qq');
        ends($slow);
        return substr($slow->{output}, $before) !~ /Sort by|faults\W/;
    }), "Esc, and later $rest, is a key");
}

# A VT52 has ESC and a letter, with two bytes behind Y.
$pty = open_pty('vt52');
$pty->type("\eP");
ok(reads($pty, $keys), '... F1');
$pty->type('qq');
ok(ends($pty), '... and ends');
like($pty->{output}, qr/\eH\eJ/, '... cleared');
like($pty->{output}, qr/\eY[ -7][ -o]/, '... the cursor was moved');
unlike($pty->{output} =~ s/\e(?:Y[ -7][ -o]|[A-DH-KF-G=>])//gr, qr/[^\x20-\x7e\r\n]/a,
    '... told nothing it does not know');

done_testing;

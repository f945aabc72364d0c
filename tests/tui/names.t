#!/usr/bin/env perl
# Hostile names and command lines of other users are displayed safely, and leave nothing behind on
# the screen.
use Screen;
use Encode qw(encode decode);
binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

# Each as [what, name, how it is shown].
my @names = (
    ['an escape sequence', "a\e[31mred", 'a?[31mred'],
    ['one that clears', "b\e[2J\e[H", 'b?[2J?[H'],
    ['a title for the window', "c\e]0;x\a", 'c?]0;x?'],
    ['lines', "d\ne\rf\tg", 'd?e?f?g'],
    ['an eight-bit control', "h\x{9b}2J", 'h?2J'],
    ['wide characters', '日本語x', '日本語x'],
    ['an accent of its own', "e\x{301}k", "e\x{301}k"],
    ['no width', "l\x{200b}m\x{ad}n", 'l?m?n'],
    ['the other direction', "o\x{202e}pq", 'o?pq'],
    ['joined emoji', "\x{1f468}\x{200d}\x{1f467}r", "\x{1f468}?\x{1f467}r"],
    ['a variation selector', "\x{2764}\x{fe0f}s", "\x{2764}?s"],
);
# Bytes that are no UTF-8, as bytes.
my $invalid = "t\xff\xc0\xafu";

# Processes that sleep, with these command lines; the name is the beginning of it.
sub start_line {
    my ($line) = @_;
    return Screen::start_titled($line, sub { sleep 10 while 1 });
}
my @pids = map { start_line(encode('UTF-8', $_->[1])) } @names;
my $odd = start_line($invalid);

# What stands behind the pid and the user of each row, without the command line beside a name.
sub shown {
    my ($text) = @_;
    return map { /^ *(\d+) +\w+ +[\d.]+ (?!%)(.*?)(?: {2,}.*)?\s*$/ ? ($1 => $2) : () } split /\n/, $text;
}

sub check {
    my ($screen, $what) = @_;
    my %shown;
    ok($screen->wait(sub {
        %shown = shown($_[0]);
        return !grep { !defined $shown{$_} } @pids, $odd;
    }), "$what: all are shown");
    is($shown{$pids[$_]}, $names[$_][2], "$what: $names[$_][0]") for 0 .. $#names;
    is($shown{$odd}, 't???u', "$what: bytes that are no characters");
}

my $dir = tempdir(CLEANUP => 1);
open my $file, '>', "$dir/name.ini" or die;
print $file "[screen name]\ndescription = names\nevents = context-switches\n",
    "columns = pid user cpu_pct command\nsort = pid\n";
close $file;

my @options = ('-W', $dir, '-s', 'name', '-d', 0.2, '-i', '-p', join ',', @pids, $odd);
my $screen = Screen->countertop(80, 24, @options);
check($screen, 'names');
$screen->key('c');
check($screen, 'command lines');
unlike($screen->tmux('display-message', '-p', '#{pane_title}'), qr/^x$/,
    'the title of the window is not theirs');

# A page over them, and what is left when they are gone.
$screen->key('I');
check($screen, 'in another order');
$screen->key('Z');
$screen->wait(qr/paused/i);
$screen->key('F4');
$screen->type('nobody has this');
$screen->key('Enter');
ok($screen->wait(sub { !shown($_[0]) }), 'none is left');
my ($rest) = $screen->text =~ /^ *PID USER[^\n]*\n[^\n]*\n(.*)\nF1 help/ms;
like($rest, qr/^\s*$/, '... and nothing of them');

# In ASCII each is as long as it was, in characters.
$screen = Screen->countertop(80, 24, @options, '--ascii');
my %shown;
ok($screen->wait(sub {
    %shown = shown($_[0]);
    return !grep { !defined $shown{$_} } @pids;
}), 'ASCII: all are shown');
is($shown{$pids[$_]}, $names[$_][2] =~ s/[^ -~]/?/gr, "ASCII: $names[$_][0]") for 0 .. $#names;

done_testing;

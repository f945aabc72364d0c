#!/usr/bin/env perl
# The modes of the terminal: set, and restored at every kind of exit; each frame is one write that
# is shown at once; nothing is sent that a terminal without these modes would display.
use Screen;
use Pty;

my $spin = start_work('spin', '-r');
start_work('sleepers', 60); # with them a frame is large, however few processes there are
my $dir = tempdir(CLEANUP => 1);

sub open_pty {
    my ($width, $height, $term, @command) = @_;
    my %environment = (TERM => $term, LC_ALL => $term eq 'vt100' ? 'C' : 'C.UTF-8');
    return Pty->start({width => $width, height => $height, environment => \%environment},
        @command);
}

sub reads {
    my ($pty, $pattern) = @_;
    return wait_for(sub { $pty->read(0.05); $pty->{output} =~ $pattern });
}

sub ends {
    my ($pty) = @_;
    return wait_for(sub { $pty->read(0.05); defined $pty->ended });
}

sub count {
    my ($text, $pattern) = @_;
    return scalar(() = $text =~ /$pattern/g);
}

my @options = ('-d', 0.2, '-s', 'software', '--engine', 'cpu');
my %modes = (mouse => qr/\e\[\?1000;1006h/, 'pasted text' => qr/\e\[\?2004h/,
    'whole updates' => qr/\e\[\?2026h/);
my %ends = (mouse => qr/\e\[\?1006;1000l/, 'pasted text' => qr/\e\[\?2004l/,
    'whole updates' => qr/\e\[\?2026l/);

for my $case (['q', sub { $_[0]->type('q') }, 0], ['SIGTERM', sub { kill TERM => $_[0]{pid} }, 0],
              ['a crash', sub { kill ABRT => $_[0]{pid} }, 128 + 6]) {
    my ($name, $end, $status) = @$case;
    my $pty = open_pty(200, 50, 'xterm-256color', 'countertop', '-H', '-i', @options);
    ok(reads($pty, qr/\e\[\?2026h.*COMMAND/s), "$name: it runs");
    like($pty->{output}, $modes{$_}, "... $_ switched on") for sort keys %modes;
    $pty->{output} = '';
    $end->($pty);
    ok(ends($pty), '... ends');
    is($pty->ended, $status, '... with its status');
    my ($last) = $pty->{output} =~ /(\e\[\?2026l(?!.*\e\[\?2026h).*)/s;
    like($last // '', $ends{$_}, "... $_ switched off") for sort keys %ends;
    like($last // '', qr/\e\[\?1049l/, '... and the screen as it was');
    is($pty->mode, $pty->{mode}, '... with its modes');
}

# Suspended, it takes none of it along, and comes back with all of it. Nobody could continue the leader
# of a session, as in `xterm -e countertop` or `docker run -it`: it comes back by itself.
my $pty = open_pty(80, 24, 'xterm-256color', 'countertop', @options);
reads($pty, qr/COMMAND/);
for my $case (['SIGTSTP', sub { kill TSTP => $pty->{pid} }], ['Ctrl-Z', sub { $pty->type("\x1a") }]) {
    my ($name, $stop) = @$case;
    $pty->{output} = '';
    $stop->();
    ok(reads($pty, qr/$ends{mouse}.*COMMAND/s), "$name: the mouse is the terminal's, then it is drawn again");
    like($pty->{output}, $ends{'pasted text'}, '... pasted text too');
    like($pty->{output}, qr/$ends{mouse}.*$modes{$_}/s, "... $_ switched on again")
        for 'mouse', 'pasted text';
    is(count($pty->{output}, qr/\e\[H\e\[2J/), 1, '... cleared once');
}
$pty->type('q');
ok(ends($pty), '... and q still ends it');
undef $pty;

$pty = open_pty(80, 24, 'xterm-256color', 'countertop', '--no-mouse', @options);
reads($pty, qr/COMMAND/);
unlike($pty->{output}, qr/\e\[\?(?:1000|1006)/, '--no-mouse: not a word of the mouse');
like($pty->{output}, $modes{'pasted text'}, '... but of the rest');
undef $pty;

# Only what a VT100 has: movements, erasing, attributes, its keypad; numbers of one or two digits.
$pty = open_pty(80, 24, 'vt100', 'countertop', @options);
ok(reads($pty, qr/COMMAND/), 'vt100: it runs');
$pty->read(1);
$pty->type('q');
ok(ends($pty), '... and ends');
my $left = $pty->{output} =~ s/\e\[(?:\d*(?:;\d+)?[HABCDKJ]|(?:[01457](?:;[1457])*)?m|\?1[hl])//gr
    =~ s/\e[=>]//gr;
unlike($left, qr/[^\x20-\x7e\r\n\b\x0f]/, '... told nothing it does not know')
    or diag $left =~ s/[\x20-\x7e\r\n]+/ /gr =~ s/\e/^[/gr;

# A frame is one write, whatever its size; resized, the screen is cleared once.
{
    my $file = "$dir/calls";
    my $pty = open_pty(80, 24, 'xterm-256color', 'strace', '-f', '-o', $file, '-s', 100_000, '-e',
        'trace=write,writev', 'countertop', @options);
    ok(reads($pty, qr/COMMAND/), 'it runs');
    $pty->{output} = '';
    $pty->resize(100, 30);
    ok(reads($pty, qr/\e\[H\e\[2J.*COMMAND/s), '... and is resized');
    ok(reads($pty, qr/(?:\e\[\?2026l.*?){4}/s), '... and goes on');
    is(count($pty->{output}, qr/\e\[H\e\[2J/), 1, '... and cleared once');
    $pty->type('q');
    ok(ends($pty), '... and ends');
    open my $trace, '<', $file or die "$file: $!";
    my @writes = grep { /"\\33|\\33\[/ } readline $trace;
    cmp_ok(@writes, '>=', 5, '... after some frames');
    my @whole = grep { /\\33\[H\\33\[2J/ } @writes;
    is(@whole, 2, '... two of them the whole screen');
    is(grep({ /COMMAND.*help/ } @whole), 2, '... from the titles to the line of keys in one write');
    is(grep({ /\[\?2026h/ } @writes), grep({ /\[\?2026h.*\[\?2026l/ } @writes),
        '... each as a whole');
}

done_testing;

#!/usr/bin/env perl
# Colours, and terminals and locales with reduced abilities.
use Screen;

my $named = start_named('日本語 é');
my @arguments = ('-p', $named, '-d', 0.2, '-s', 'software');

sub open_with {
    my ($environment, @more) = @_;
    my $screen = Screen->new(80, 24, "$environment " . countertop_command(@arguments, @more));
    return $screen;
}

my $shown = sub { join(' ', Screen::pids($_[0])) eq $named };

# A sequence that sets a colour; tmux itself writes 39 and 49, the default colours.
my $color = qr/\e\[(?:[\d;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)[;m]/;

for my $case (['TERM=screen', [], 1], ['TERM=tmux-256color', [], 1], ['TERM=linux', [], 1],
              ['TERM=tmux-256color', ['--theme', 'light'], 1],
              ['TERM=tmux-256color', ['--theme', 'high-contrast'], 1],
              ['TERM=tmux-256color NO_COLOR=', [], 1],
              ['TERM=tmux-256color NO_COLOR=1', [], 0], ['TERM=tmux-256color', ['--no-color'], 0],
              ['TERM=tmux-256color', ['--theme', 'mono'], 0], ['TERM=vt100', [], 0]) {
    my ($environment, $more, $wanted) = @$case;
    my $name = join ' ', $environment, @$more;
    my $screen = open_with($environment, @$more);
    ok($screen->wait($shown), "$name: the table is there");
    my $text = $screen->colored;
    $wanted ? like($text, $color, "$name: with colours") : unlike($text, $color, "$name: no colour");
    like($text, qr/\e\[/, "$name: with attributes") if !$wanted;
    $screen->key('Down');
    ok(wait_for(sub { $screen->is_selected($named) }), "$name: the cursor can be seen");
    $screen->key('F1');
    ok($screen->wait(qr/^Keys\s*$/m), "$name: function keys work");
}

# Wide characters take two cells and break no column; what the locale lacks is '?'.
my $screen = open_with('LC_ALL=C.UTF-8');
ok($screen->wait(qr/^ *$named .* 日本語 é$/m), 'UTF-8: names as they are');
like($screen->text, qr/▼%CPU/, 'UTF-8: a mark of its own');
for my $case (['LC_ALL=C'], ['LANG=C LC_ALL='], ['LC_ALL=C.UTF-8', '--ascii']) {
    my $name = "@$case";
    $screen = open_with(@$case);
    ok($screen->wait($shown), "$name: the table is there");
    $screen->key('Down');
    $screen->wait(qr/v%CPU/);
    my $text = $screen->text;
    unlike($text, qr/[^\x00-\x7e]/, "$name: nothing but ASCII");
    like($text, qr/v%CPU/, "$name: an ASCII mark");
    like($text, qr/^ *$named .* [?]{3,} [?]+$/m, "$name: names too");
}
# The fonts of the Linux console have 256 or 512 characters: marks and curves are ASCII, names are as
# they are.
for my $keys ([], ['Enter'], ['Tab', 'Tab', 'Tab'], ['F2'], ['m']) {
    $screen = open_with('LC_ALL=C.UTF-8 TERM=linux');
    ok($screen->wait($shown), 'TERM=linux: the table is there');
    like($screen->text, qr/^ *$named .* 日本語 é$/m, '... with names as they are') if !@$keys;
    $screen->key(@$keys) if @$keys;
    $screen->settle;
    unlike($screen->text =~ s/日本語 é//gr, qr/[^\x00-\x7e]/, "... and after '@$keys' nothing else is beyond ASCII");
    $screen->close;
}

# A theme of one's own, and the wrong ones.
my $dir = tempdir(CLEANUP => 1);
my $file;

# Themes with colours of their own: as they are where terminfo says so, the nearest of 256, or what
# they name for 16 and 8. COLORTERM says so, too, but not where GNU screen may have passed it on, or where a
# terminal has no colours.
open $file, '>', "$dir/direct.ti" or die;
print $file <<'TI';
test-direct|direct colours as xterm-direct has them, RGB, colors#0x1000000, pairs#0x10000,
    setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
    setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
    setb@, setf@, use=tmux-256color,
test-tc|true colours as tmux names them,
    Tc, use=tmux-256color,
test-16|the 16 colours of xterm, colors#16, pairs#256,
    setab=\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,
    setaf=\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm, use=tmux-256color,
TI
close $file;
is(system('tic', '-x', '-o', "$dir/terminfo", "$dir/direct.ti"), 0, 'terminals of other colours');
my @direct = ("TERM=test-direct TERMINFO=$dir/terminfo", qr/\e\[(?:[\d;]*;)?48;2;46;52;64m/);
my $exact = $direct[1];
my $black = qr/\e\[(?:[\d;]*;)?40m/;
for my $case ([@direct], ['TERM=tmux-256color', qr/\e\[(?:[\d;]*;)?48;5;23[67]m/],
              ['TERM=tmux-256color COLORTERM=truecolor', $exact], ['TERM=xterm COLORTERM=24bit', $exact],
              ["TERM=test-tc TERMINFO=$dir/terminfo", $exact],
              ['TERM=tmux-256color COLORTERM=yes', qr/\e\[(?:[\d;]*;)?48;5;23[67]m/],
              ['TERM=screen COLORTERM=truecolor TMUX=', $black],
              ["TERM=test-16 TERMINFO=$dir/terminfo", $black], ['TERM=screen', $black]) {
    my ($environment, $background) = @$case;
    my $name = $environment =~ s/ TERMINFO.*//r;
    my $screen = open_with($environment, '--theme', 'nord');
    ok($screen->wait($shown), "$name, nord: the table is there");
    like($screen->colored, $background, "$name, nord: its background");
    $screen->key('Down');
    ok(wait_for(sub { $screen->is_selected($named) }), "$name, nord: the cursor can be seen");
}

# Themes of the user are found by name, and listed.
mkdir "$dir/countertop" or die;
open $file, '>', "$dir/countertop/own.theme" or die;
print $file "[theme]\ndescription = of my own\n[roles]\nheading = white on magenta\n";
close $file;
$screen = open_with("TERM=screen XDG_CONFIG_HOME=$dir", '--theme', 'own');
ok($screen->wait($shown), 'a theme of the user\'s');
like($screen->colored, qr/\e\[45m *PID/, 'its colours are used');
like(`XDG_CONFIG_HOME=$dir countertop --list-themes`, qr/^nord +Nord.*\nown +of my own$/m,
    'it is listed');

# A newer terminal that terminfo does not know is taken for what it is compatible with.
for my $case (['alacritty-new', 'xterm-256color'], ['xterm-newest', 'xterm-256color'], ['tmux-newest', 'screen-256color']) {
    my ($type, $as) = @$case;
    $screen = open_with("TERM=$type");
    ok($screen->wait($shown), "TERM=$type: the table is there");
    $screen->type('E');
    ok($screen->wait(qr/^terminal +taken for $as: terminfo does not know\s+TERM=$type/m), '... and page E says what it is taken for');
    $screen->close;
}

for my $case (['TERM=screen', 'drak', qr/unknown theme 'drak'.*did you mean 'dark'/s],
              ['TERM=no-such-terminal', 'dark', qr/cannot use the terminal 'no-such-terminal'/],
              ['TERM=dumb', 'dark', qr/cannot use the terminal 'dumb': it cannot move its cursor/],
              ['TERM=', 'dark', qr/TERM is not set/]) {
    my ($environment, $theme, $message) = @$case;
    my $failing = open_with($environment, '--theme', $theme);
    ok($failing->wait($message), "$environment $theme: refused with a message");
}

done_testing;

#!/usr/bin/env perl
# The states of a cell on the screen: with colours, without, and in ASCII; and the keys for the
# amount shown and the mode.
use Screen;

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/cells.ini" or die "$dir: $!";
print $ini <<'END';
[metric ratio]
title = RATIO
expr = cpu-migrations / emulation-faults
[metric busy]
title = BUSY
decimals = 0
expr = oncpu * 0 + 7
[screen cells]
events = page-faults,cpu-migrations,emulation-faults
columns = pid busy cpu-migrations ratio command
END
close $ini;

# A loop that cannot move to another CPU.
my $spin = start_work('spin', '-c', 0);
my @watch = ('-p', $spin, '-d', 0.3, '-W', $dir, '-s', 'cells', '-e', 'nopmu/config=1/');

# The sequences that colour the cells of the row: {counted, zero, undefined, missing}.
sub looks {
    my ($screen) = @_;
    my ($line) = grep { s/\e\[[\d;]*m//gr =~ /^ *$spin / } split /\n/, $screen->colored;
    my ($style, %look) = ('');
    my @names = qw(pid counted zero undefined missing);
    while (defined $line && $line =~ /\G(?:\e\[([\d;]*)m|([^\e ]+)| +)/g) {
        $style = $1 eq '' || $1 eq '0' ? '' : "$style;$1" =~ s/^;?(?:.*;)?0;?//r if defined $1;
        $look{shift @names} = "$style $2" if defined $2 && @names;
    }
    return \%look;
}

# A sequence that sets a colour, of letters or of what is behind them.
my $colour = qr/\e\[[\d;]*\b(?:3[0-8]|4[0-8]|9[0-7])[;m]/;
my $row = qr/^ *$spin +7 +0 +n\/a +- spin(?: +spin -c 0)? *$/m;
{
    my $screen = Screen->countertop(80, 24, @watch);
    ok($screen->wait($row), 'counted, nothing happened, undefined, not counted');
    my $look = looks($screen);
    my ($counted, @others) = map { $look->{$_} =~ s/ .*//r =~ s/.*;//r } qw(counted zero undefined missing);
    is_deeply(\@others, [($others[0]) x 3], 'what did not happen or is not known is dim')
        or diag explain $look;
    isnt($counted, $others[0], '... what happened is not');
    $screen->key('E');
    ok($screen->wait(qr/^nopmu\S+ +not counted: .*no PMU/m), 'E says why');
    $screen->key('Escape');
    $screen->wait($row);

    # Amounts.
    my $header = sub { my ($text) = @_; return sub { $_[0] =~ /counts \Q$text\E/ } };
    $screen->key('o');
    ok($screen->wait($header->('in the interval')), 'o: in the interval');
    $screen->key('o');
    ok($screen->wait(qr/counts since the start(?:, [\d.]+m?s)?\b/), 'o: since the start');
    $screen->key('o');
    ok($screen->wait(sub { $_[0] !~ /in the interval|since the start/ }), 'o: a second');
    $screen->close;
}

for (['--no-color'], ['--ascii'], ['--ascii', '--no-color', '--theme', 'mono']) {
    my $screen = Screen->countertop(80, 24, @watch, @$_);
    ok($screen->wait($row), "@$_: the states differ in text alone");
    unlike($screen->text, qr/[^\x00-\x7f]/, '... in ASCII') if $_->[0] eq '--ascii';
    unlike($screen->colored, $colour, '... and has no colour')
        if grep { /color/ } @$_;
}

# All digits, and a total that goes on.
my $game = start_work('pingpong', '-t', '-c', 0, 1_000_000_000);
my $screen = Screen->countertop(120, 24, '-p', $game, '-d', 0.3, '-s', 'software');
ok($screen->wait(qr/^ *$game .* [\d.]+k .*pingpong/m), 'counts are short');
$screen->key('X');
ok($screen->wait(qr/^ *$game .* \d{4,} .*pingpong/m), 'X: all digits');
$screen->key('X');
ok($screen->wait(qr/^ *$game .* [\d.]+k .*pingpong/m), 'X: short again');
$screen->key('o', 'o', 'X');
my $switches = sub { $_[0] =~ /^ *$game +\S+ +\d+ +[\d.]+ +(\d{4,})/m ? $1 : 0 };
ok($screen->wait(sub { $switches->($_[0]) }), 'since the start, with all digits');
like($screen->text, qr/\bctxsw\b(?!\/s)/, 'the title says no rate');
my $before = $switches->($screen->text);
ok($screen->wait(sub { $switches->($_[0]) > $before + 1000 }), 'it grows');

# Modes; each begins again.
$before = $switches->($screen->text);
$screen->key('K');
ok($screen->wait(qr/user only/), 'K: user mode');
$screen->key('K');
ok($screen->wait(qr/kernel only/), 'K: kernel mode');
ok($screen->wait(sub { my $now = $switches->($_[0]); $now && $now < 1e9 }), 'it counts');
$screen->key('K');
ok($screen->wait(sub { $_[0] !~ /user only|kernel only/ }), 'K: both again');
$screen->close;

SKIP: {
    skip 'only root can become someone else', 3 if $> != 0;
    my $shell = 'setpriv --reuid=65534 --clear-groups -- env HOME=/ ';
    my $own = $shell . countertop_command('-s', 'faults', '-d', 0.3);
    chomp(my $paranoid = do { open my $f, '<', '/proc/sys/kernel/perf_event_paranoid'; <$f> });
    skip 'only a level of 2 allows user mode alone', 3 if $paranoid != 2;
    $screen = Screen->new(120, 24, $own);
    ok($screen->wait(qr/user only/), 'without rights: user mode');
    $screen->key('K');
    ok($screen->wait(qr/cannot count kernel mode: .*in user mode/), '... K says why it stays so');
    $screen->close;
    my $narrow = Screen->new(80, 24, $shell . countertop_command('-s', 'software'));
    ok($narrow->wait(qr/\A\[Tasks\] (?:CPUs  )?Users  .* user only\n.* not permitted \d+ threads/s),
        '... and at 80 columns the views stay in sight, and what may not be counted has its place below');
    $narrow->close;
}
done_testing;

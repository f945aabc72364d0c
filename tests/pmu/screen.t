#!/usr/bin/env perl
# The terminal with multiplexed events: estimates are marked, with colours and without, and %COV
# shows their coverage. And the header on a machine with counters. The emulated machine draws, and
# its output is displayed here.
use Countertop;
use Screen;
use List::Util 'max';
use MIME::Base64;

my $dir = tempdir(CLEANUP => 1);
my $terminal = 'screen-256color';
my ($known) = grep { -e "$_/s/$terminal" } qw(/lib/terminfo /usr/share/terminfo /etc/terminfo);
die "no terminfo of $terminal here\n" if !$known;
mkdir "$dir/terminfo";
mkdir "$dir/terminfo/s";
system('cp', '-L', "$known/s/$terminal", "$dir/terminfo/s/") == 0 or die;

# Ten counters are wanted, and there are seven: instructions:u and cycles:k are in different groups.
open my $ini, '>', "$dir/turns.ini" or die "$dir: $!";
print $ini <<'END';
[metric apart]
title = APART
expr = 'instructions:u' / 'cycles:k'
[screen turns]
events = page-faults
events = {cycles:u,instructions:u,r11:u,r8:u,cycles}
events = {cycles:k,instructions:k,r11:k,r8:k,instructions}
columns = pid cpu_pct page-faults cycles:u instructions:u ipc apart coverage_pct command
END
close $ini;

my $script = <<'END';
mkdir screens; mv turns.ini screens
spin -c 0 & spin=$!
for environment in COLOR=1 NO_COLOR=1; do
    echo "== $environment"
    env TERM=screen-256color TERMINFO=$PWD/terminfo $environment onscreen 8 120 12 \
        countertop -W screens -s turns -d 0.5 --engine cpu -p $spin | base64
done
echo '== header'
env TERM=screen-256color TERMINFO=$PWD/terminfo onscreen 4 80 24 \
    countertop -d 0.4 --engine cpu -e r23 | base64
kill $spin
echo '== demo'
env TERM=screen-256color TERMINFO=$PWD/terminfo onscreen 5 80 24 countertop -d 1 --demo loop | base64
echo '== steady'
env TERM=screen-256color TERMINFO=$PWD/terminfo onscreen 5 80 24 countertop -d 1 --demo turns | base64
END
my $phases = <<'END';
for keys in B BB BBB; do
    echo "== $keys"
    env TERM=screen-256color TERMINFO=$PWD/terminfo onscreen -k $keys 9 80 24 countertop -d 1 --demo turns | base64
done
END

# Runs it in the emulated machine, and adds what it drew.
my %drawn;
sub draw {
    my ($run) = @_;
    my $ran = guest($run, '--smp', 1, '--shift', 2, '--add', "$dir/terminfo", '--add', "$dir/turns.ini");
    is($ran->{status}, 0, 'it runs in the emulated machine') or diag $ran->{out};
    my (undef, %new) = split /^== (\S+)\n/m, $ran->{out};
    %drawn = (%drawn, %new);
}
draw("$script$phases");
is_deeply([sort keys %drawn], ['B', 'BB', 'BBB', 'COLOR=1', 'NO_COLOR=1', 'demo', 'header', 'steady'], 'with colours and without');

# A terminal on which that was drawn.
sub drawn {
    my ($name, $width, $height) = @_;
    open my $file, '>:raw', "$dir/$name" or die;
    print $file decode_base64($drawn{$name});
    close $file;
    return Screen->new($width, $height, "stty -opost; cat $dir/$name"); # as it was written to
}

for my $environment ('COLOR=1', 'NO_COLOR=1') {
    my $screen = drawn($environment, 120, 12);
    ok($screen->wait(qr/^ *\d+ .*\bspin +spin -c 0 *$/m), "$environment: the row is there");
    my ($row) = $screen->text =~ /^( *\d+ .*\bspin) +spin -c 0 *$/m;
    note $row;
    my ($pid, $cpu, $faults, $cycles, $instructions, $ipc, $apart, $coverage_pct) = split ' ', $row;
    is($faults, '0', '... what is counted all of the time has no mark');
    like($_, qr/^\d[\d.]*[kMG]?~$/, '... an estimate has') for $cycles, $instructions;
    # Counted at the same times, the ratio is right: one instruction takes four cycles.
    like($ipc, qr/^0\.2\d~$/, '... and so has their ratio');
    like($apart, qr/~$|^n\/a$/, '... as has one over two groups');
    cmp_ok($coverage_pct, '>', 10, '... %COV is how much of the time that was');
    cmp_ok($coverage_pct, '<', 95, '... not all of it');
    my ($line) = grep { s/\e\[[\d;]*m//gr =~ /\bspin -c 0 *$/ } split /\n/, $screen->colored;
    my ($style) = $line =~ /(\e\[[\d;]*m) *\Q$cycles\E/;
    my ($plain) = $line =~ /(\e\[[\d;]*m)? *\Q$pid\E/;
    if ($environment eq 'COLOR=1') {
        isnt($style // '', $plain // '', '... it has a colour of its own');
    } else {
        unlike($line, qr/\e\[(?:\d+;)*[34][0-8]/, '... there are no colours');
    }
    like($screen->text, qr/ coverage from \d\d%: 10 events on 7 counters /,
        '... and the header tells how many counters there are for how many events');
    $screen->close;
}

# One instruction takes four cycles, whoever runs; the only CPU is busy all of the time.
my $screen = drawn('header', 80, 24);
ok($screen->wait(qr/^ *\d+ .*\bspin *$/m), 'the header: it is drawn');
my ($header) = $screen->text =~ /^(.*?)^ *PID /ms;
like($header, qr/^1 CPU [■▪]+ 100\.0%/m, '... the bar, which is full');
like($header, qr/ IPC +0\.25 /, '... the main ratio of the screen');
like($header, qr/^\d\S* s +[⢀⢠⢰⢸⣀⣤⣶⣿⣴⣼⣷⣾]{2,} max 100%/m, '... the history of the machine');
unlike($header, qr/coverage|unattributed|lost/, '... nothing is wrong');
$screen->close;

# A workload of --demo: the instructions of its turns are those that are counted.
$screen = drawn('demo', 80, 24);
ok($screen->wait(qr/^instructions +\d+ +\d+ /m), 'a workload: expected and measured');
my ($expected, $measured) = $screen->text =~ /^instructions +(\d+) +(\d+) /m;
cmp_ok(abs(($measured // 0) / ($expected || 1) - 1), '<', 0.02, '... are the same, but for the turns that go on');
$screen->close;

# More events than counters: scaled counts are near the true ones while the work is steady, and not
# where it has phases, at least of one of three lengths: how much depends on when the counters turn.
sub off {
    my ($name) = @_;
    my $screen = drawn($name, 80, 24);
    ok($screen->wait(qr/^instructions, scaled +\d/m), "$name: expected and scaled");
    my ($true, $scaled) = $screen->text =~ /^instructions, scaled +([\d.]+) +([\d.]+)/m;
    $screen->close;
    return abs(($scaled // 0) / ($true || 1) - 1);
}
cmp_ok(off('steady'), '<', 0.05, 'steady work is estimated well');
my $most = 0;
for my $try (1 .. 3) {
    draw($phases) if $try > 1;
    $most = max($most, map { off($_) } qw(B BB BBB));
    last if $most > 0.1;
}
cmp_ok($most, '>', 0.1, '... work in phases is not');
done_testing;

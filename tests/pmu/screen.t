#!/usr/bin/env perl
# What the terminal shows of events that take turns on the counters: estimates are marked, with
# colours and without, and %RUN tells how little they rest on. The emulated machine draws, and what
# it wrote to its terminal is shown here.
use strict;
use warnings;
use utf8;
use Countertop;
use File::Temp 'tempdir';
use MIME::Base64;
use Test::More;
use lib "$ENV{TOP}/tests/tui";
use Screen;

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
columns = pid cpu_pct page-faults cycles:u instructions:u ipc apart run_pct command
END
close $ini;

my $script = <<'END';
mkdir screens; mv turns.ini screens
spin -c 0 & spin=$!
for environment in COLOR=1 NO_COLOR=1; do
    echo "== $environment"
    env TERM=screen-256color TERMINFO=$PWD/terminfo $environment onscreen 3 120 12 \
        countertop -W screens -s turns -d 0.5 --engine cpu -p $spin | base64
done
kill $spin
END
my $run = guest($script, '--smp', 1, '--shift', 2, '--add', "$dir/terminfo", '--add', "$dir/turns.ini");
is($run->{status}, 0, 'it runs in the emulated machine') or diag $run->{out};
my (undef, %drawn) = split /^== (\S+)\n/m, $run->{out};
is_deeply([sort keys %drawn], ['COLOR=1', 'NO_COLOR=1'], 'with colours and without');

for my $environment (sort keys %drawn) {
    open my $file, '>:raw', "$dir/drawn" or die;
    print $file decode_base64($drawn{$environment});
    close $file;
    my $screen = Screen->new(120, 12, "cat $dir/drawn");
    ok($screen->wait(qr/^ *\d+ .*\bspin *$/m), "$environment: the row is there");
    my ($row) = $screen->text =~ /^( *\d+ .*\bspin) *$/m;
    note $row;
    my ($pid, $cpu, $faults, $cycles, $instructions, $ipc, $apart, $run_pct) = split ' ', $row;
    is($faults, '0', '... what is counted all of the time has no mark');
    like($_, qr/^\d[\d.]*[kMG]?~$/, '... an estimate has') for $cycles, $instructions;
    # Counted at the same times, the ratio is right: one instruction takes four cycles.
    like($ipc, qr/^0\.2\d~$/, '... and so has their ratio');
    like($apart, qr/~$|^n\/a$/, '... as has one over two groups');
    cmp_ok($run_pct, '>', 10, '... %RUN is how much of the time that was');
    cmp_ok($run_pct, '<', 95, '... not all of it');
    my ($line) = grep { s/\e\[[\d;]*m//gr =~ /\bspin *$/ } split /\n/, $screen->colored;
    my ($style) = $line =~ /(\e\[[\d;]*m) *\Q$cycles\E/;
    my ($plain) = $line =~ /(\e\[[\d;]*m)? *\Q$pid\E/;
    if ($environment eq 'COLOR=1') {
        isnt($style // '', $plain // '', '... it has a colour of its own');
    } else {
        unlike($line, qr/\e\[(?:\d+;)*[34][0-8]/, '... there are no colours');
    }
    $screen->close;
}
done_testing;

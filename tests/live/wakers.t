#!/usr/bin/env perl
# The details of a task say who woke it up: tasks by their share, timers as interrupts, the last one.
use Countertop;
use Screen;

my $format = slurp_or_empty('/sys/kernel/tracing/events/sched/sched_waking/format');
plan skip_all => 'no tracepoint sched:sched_waking' if !$format;
my $first_namespace = (readlink('/proc/self/ns/pid') // '') eq 'pid:[4026531836]';
plan skip_all => 'a pid namespace of its own has other ids' if !$first_namespace;

# The details of a process, opened in the table.
sub open_details {
    my ($size, $pid, @options) = @_;
    my $screen = Screen->countertop(@$size, '-p', $pid, '-i', '-d', 0.3, '-s', 'software', @options);
    $screen->wait(qr/^ *$pid /m) or die "$pid is not in the table\n";
    $screen->choose($pid);
    $screen->key('Enter');
    return $screen;
}

# The shares of a line, by who.
sub shares {
    my ($text) = @_;
    my ($line) = $text =~ /^woken by (.*?);/m or return {};
    return {map { /^(.*) (\d+) %$/ ? ($1 => $2) : () } split /, /, $line};
}

# A reader sleeps until one of two writers has a byte for it: three times of four the first. Who
# writes sleeps before, so that the reader sleeps, too.
my $program = <<'END';
pipe my $reads, my $writes;
pipe my $turn1, my $give1;
pipe my $turn2, my $give2;
for my $writer ([$turn1, $give2, 3, 'thrice'], [$turn2, $give1, 1, 'once']) {
    my ($turn, $give, $times, $name) = @$writer;
    next if fork;
    $0 = $name;
    alarm 600;
    close $_ for $reads, $turn == $turn1 ? ($turn2, $give1) : ($turn1, $give2); # so each ends with the others
    while (sysread $turn, my $byte, 1) {
        for (1 .. $times) {
            select undef, undef, undef, 0.004;
            syswrite $writes, 'x' or exit;
        }
        syswrite $give, 'x' or exit;
    }
    exit;
}
syswrite $give1, 'x';
close $_ for $writes, $turn1, $turn2, $give1, $give2;
1 while sysread $reads, my $byte, 1;
END
my $reader = start_work('perl', '-e', $program);
for my $size ([80, 24], [120, 40]) {
    my $at = join 'x', @$size;
    my $screen = open_details($size, $reader);
    my $seen = qr/^woken by (?=.*\bthrice \d+ \d+ %)(?=.*\bonce \d+ \d+ %)/m;
    ok($screen->wait($seen), "$at: a task's wakers are named");
    # Shares settle with the number of times. The line may be cut behind them at 80 columns.
    my %share;
    ok(wait_for(sub {
        my $shares = shares($screen->text);
        %share = map { /^(\w+)/ ? ($1 => $shares->{$_}) : () } keys %$shares;
        return abs(($share{thrice} // 0) - 75) <= 8 && abs(($share{once} // 0) - 25) <= 8;
    }), "$at: ... with their shares") or diag $screen->text;
    like($screen->text, qr/; \d+ times, last by (?:thrice|once) \d+ *$/m, "$at: ... and the last one") if $size->[0] > 80;
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ /^woken by/m }), "$at: Esc closes them");
}

# A process: all of its threads.
my $pair = start_work('pingpong', '-t', 1_000_000_000);
my $screen = open_details([120, 40], $pair);
ok($screen->wait(qr/^woken by pingpong \d+ \d+ %, pingpong \d+ \d+ %[,;]/m), 'both threads of a process wake each other');
# Not quite as often: there are more than their records have room for.
ok($screen->wait(sub {
    my @shares = $_[0] =~ /^woken by pingpong \d+ (\d+) %, pingpong \d+ (\d+) %/m;
    return @shares == 2 && !grep { $_ < 25 } @shares;
}), '... by turns') or diag $screen->text;
$screen->close;

done_testing;

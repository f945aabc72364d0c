#!/usr/bin/env perl
# Nothing changes its place while numbers change: 60 intervals of a busy machine, in which numbers get longer,
# tasks begin and end, and warnings come and go, move no tab, meter, title or key.
use Screen;
use Script;

# Where each part of the screen is, as "NAME LINE:FROM-TO".
sub places {
    my ($text) = @_;
    my @lines = split /\n/, $text;
    my @places;
    my $take = sub {
        my ($y, $name, $pattern) = @_;
        while ($lines[$y] =~ /$pattern/g) {
            push @places, "$name " . ($1 // '') . " $y:$-[0]-$+[0]";
        }
    };
    $take->(0, "tab", qr{(\[?[A-Za-z‹][\w›]*\]?)});
    $take->($_, 'meter', qr/[■▪·]{8,}/), $take->($_, 'label', qr/\b(user|kernel|load|self|max|processes|ctxsw\/s|migr\/s)\b/)
        for 1 .. 5;
    for my $y (0 .. $#lines) {
        push @places, "titles $y $lines[$y]" if $lines[$y] =~ /\bPID\b.*COMMAND/;
    }
    push @places, 'keys ' . ($lines[-1] =~ /^(.*?\bsort)\b/ ? "$#lines $1" : $lines[-1]);
    return join "\n", @places;
}

for my $size ([80, 24], [120, 40], [200, 50]) {
    my $at = join 'x', @$size;
    my $script = Script->new('cpus 2', 'load 0.5 0.25 0.1', 'task 101 name=spin',
        map({ "task $_ name=cc$_" } 200 .. 260));
    my $screen = Screen->new(@$size, $script->command(qw(-s software --engine cpu)));
    my (%seen, $first, @moved);
    for my $n (1 .. 60) {
        my $busy = 0.01 + 0.98 * ($n * 7 % 10) / 10;
        my $task = 199 + $n;
        my @lines = ("run 101 oncpu=$busy sys=" . $busy * ($n % 3) / 3 . " context-switches=" . 3 ** ($n % 13)
                . " page-faults=" . ($n % 5 ? 0 : 1e6), "run $task oncpu=0.1 context-switches=$n",
            'self 0.0' . $n % 7, sprintf('load %.2f %.2f 0.10', 25 * ($n % 4), 110 * ($n % 2)));
        push @lines, "exit $task" if $n % 2;
        push @lines, 'lost 12' if $n % 20 == 7;
        push @lines, 'throttled 3' if $n % 9 == 4;
        push @lines, 'denied 4' if $n % 9 == 6;
        push @lines, 'denied 0' if $n % 9 == 7;
        push @lines, 'steal 0 0.3' if $n % 8 == 3;
        $script->step(@lines);
        my $faults = sprintf '%.1f', $busy * 100;
        $screen->wait(qr/^ *101 .* \Q$faults\E .* spin\b/m) or last;
        $screen->wait(qr/‹software›/); # from the second drawing on
        my $now = places($screen->text);
        $first //= $now;
        push @moved, "interval $n:\n$now\nfirst:\n$first" if $now ne $first;
        $seen{$_} = 1 for $screen->text =~ /\b(lost|throttled|steal)\b/g;
    }
    is(scalar @moved, 0, "$at: nothing has moved") or diag $moved[0];
    is_deeply([sort keys %seen], [qw(lost steal throttled)], "$at: the warnings came");
    like($screen->text, qr/^F1 help/m, "$at: the keys stay");
    $screen->close;
}

done_testing;

#!/usr/bin/env perl
# Functions by elapsed time: a program that works a second alone and a second on two threads at once.
use Countertop;
use List::Util qw(sum0);

# With a real-time priority both threads run at once on a busy machine, too.
my @first = $> == 0 && system('chrt -f 10 true 2>/dev/null') == 0 ? qw(chrt -f 10) : ();
plan skip_all => 'one CPU' if `nproc` < 2;
my %expected = (wall => {alone => 50, together => 50}, cpu => {alone => 33, together => 67});
for my $by (sort keys %expected) {
    my $last = (refreshes('--view', 'functions', '--by', $by, '--', @first, 'serial', 1000))[-1];
    my %share = map { $_->{function} =~ /^part_(\w+)$/ ? ($1 => $_->{share}) : () } @{$last->{functions}};
    my $all = sum0 values %share;
    for my $part (sort keys %{$expected{$by}}) {
        my $percent = 100 * ($share{$part} // 0) / ($all || 1);
        cmp_ok(abs($percent - $expected{$by}{$part}), '<=', 3, sprintf("by %s: %s has %.1f of 100", $by, $part, $percent));
    }
    next if $by eq 'cpu';
    cmp_ok(abs($last->{sampling}{running} - 1.5), '<=', 0.1, '... one and a half of the threads run in the mean');
    cmp_ok(abs($last->{sampling}{alone} - 0.5), '<=', 0.05, '... half of the time one alone');
    is($last->{sampling}{threads}, 2, '... of two');
}
done_testing();

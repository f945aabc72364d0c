#!/usr/bin/env perl
# Each child of a command has a row with exactly the instructions that it retired. Where the kernel
# does not tell them without privilege, the row of the command is the sum, and the notice says so.
use strict;
use warnings;
use Countertop;
use List::Util qw(sum0 uniq);
use Test::More;

my $script = <<'END';
exec 2>errors
brood -n -p -i 2 1000 # brings the program into memory
for events in instructions:u cycles,instructions:u; do
    countertop -b --format json -s software -e $events -- brood -n -p -i 20 1000000
    countertop -b --format json -s software -e $events -- brood -n -i 5 1000000 # threads
done
countertop -b --format json --engine task -s software -e instructions:u -- brood -n -p -i 20 1000000
cat errors
END

for my $cpus (1, 2) {
    my $run = guest($script, '--smp', $cpus, '--append', 'norandmaps');
    is($run->{status}, 0, "$cpus CPUs: the script ends well") or diag $run->{out}, $run->{err};
    my @lines = json_lines($run->{out} =~ s/^[^{].*\n//mgr);
    cmp_ok(scalar(@lines), '>=', 10, "$cpus CPUs: all runs have told");
    while (my ($header, $last) = splice @lines, 0, 2) {
        my $name = "$cpus CPUs, $header->{engine}, '$header->{command}'";
        my @rows = sort { $a->{pid} <=> $b->{pid} } grep { $_->{comm} eq 'brood' } @{$last->{tasks}};
        my $all = sum0 map { $_->{counts}{'instructions:u'} } @rows;
        is_deeply([uniq map { %{$_->{coverage}} } @rows], [], "$name: nothing is estimated");
        if ($header->{engine} eq 'task') {
            is($all, $last->{total}{counts}{'instructions:u'}, "$name: rows add up to the total");
            cmp_ok($all, '>', 20000000, "$name: ... which has all of them");
            if (@rows == 1) {
                like($header->{notice} // '', qr/processes of the command are counted together: this kernel/,
                    "$name: that there is one row is said");
                next;
            }
        }
        next if $header->{command} !~ / -p /;
        my ($parent, @children) = @rows;
        is(scalar(@children), 20, "$name: each child has a row");
        my @counts = map { $_->{counts}{'instructions:u'} } @children;
        my ($first) = sort { $a <=> $b } @counts;
        ok($first >= 1000000 && $first < 1001000, "$name: ... of a million instructions, and few more")
            or diag "@counts";
        # The emulator counts for the whole machine: if it goes on to CPU 1 in the middle of a
        # program, what that retires in the kernel is added to the program's instructions, with
        # counters of the task, too.
        my @odd = grep { $_ - $first > ($cpus > 1 ? 20000 : 0) } @counts;
        is("@odd", '', "$name: ... each exactly as many") or diag "@counts";
    }
}
done_testing;

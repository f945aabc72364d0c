#!/usr/bin/env perl
# A task's counts in user mode and in kernel mode, counted in one group, add up to its total; --mode
# sets the mode of events without a modifier.
use Countertop;

my @runs = map { my $engine = $_; map { [$engine, $_] } 'all', 'user', 'kernel' } 'cpu', 'task';
# The load comes second: beside it the emulated machine starts a program very slowly.
my $script = <<'END';
for engine in cpu task; do
    for mode in all user kernel; do
        rm -f out
        countertop -b --format json -d 0.1 -n 4 --engine $engine --mode $mode \
            -s software -e cycles:u,cycles:k,cycles,instructions:u,instructions:k,instructions \
            >out & top=$!
        until [ -s out ] || ! kill -0 $top; do usleep 10000; done
        calls 500 & load=$!
        wait $top || exit
        kill $load
        cat out
    done
done
END

# One CPU: while the emulator runs another one, the clock goes on in whatever mode this one is in.
my $run = guest($script, '--smp', 1, '--shift', 2);
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my @lines = json_lines($run->{out});
for (@runs) {
    my ($engine, $mode) = @$_;
    my ($header, @refreshes) = splice @lines, 0, 5;
    is("$header->{engine} $header->{mode}", "$engine $mode", "$engine engine, mode $mode");
    for my $refresh (@refreshes[2, 3]) {
        my ($calls) = task($refresh, 'calls');
        for my $event ('cycles', 'instructions') {
            my ($user, $kernel, $plain) = @{$calls->{counts}}{"$event:u", "$event:k", $event};
            my %wanted = (all => $user + $kernel, user => $user, kernel => $kernel);
            cmp_ok($user, '>', 0, "$event:u counts");
            cmp_ok($kernel, '>', 0, "$event:k counts");
            # A sample reads its counters one after another, a few instructions apart, always as far;
            # but on Debian 13 (Linux 6.12, QEMU 10) 1 of 500 differences was 12 instructions off.
            cmp_ok(abs($plain - $wanted{$mode}), '<=', 50, "$event is what mode $mode says")
                or diag "$plain for $wanted{$mode}";
        }
        is_deeply($calls->{coverage}, {}, 'all of that fits into one group');
    }
}
done_testing;

#!/usr/bin/env perl
# What a sleeping thread waits for where Yama forbids to look into processes that are no descendants
# (Documentation/admin-guide/LSM/Yama.rst): its own user is told 'not permitted', root from scope 3 on.
# The emulated machine has that module.
use Countertop;

my $script = <<'END';
[ -e /proc/sys/kernel/yama/ptrace_scope ] || { echo '"no Yama"'; exit; }
echo 2 >/proc/sys/kernel/perf_event_paranoid
su user -c 'exec sleep 1000' & pid=$!
until grep -q sleep /proc/$pid/comm && grep -q '^[0-9]' /proc/$pid/syscall; do usleep 10000; done
watch="countertop -b --format json -n 1 -d 0.1 -i -s waits -p $pid"
for scope in 0 1 2 3; do
    echo $scope >/proc/sys/kernel/yama/ptrace_scope
    su user -c "$watch"
    $watch
done
kill $pid
END

my $run = guest($script, '--smp', 1);
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
SKIP: {
    skip "the emulated machine has $1", 1 if $run->{out} =~ /^"(no .*)"$/m;
    my @told = map { $_->{tasks}[0]{waits_for} } grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    is(scalar @told, 8, 'four scopes, two users');
    my ($asleep, $not) = ('sleep 1000.0 s', 'not permitted');
    for my $scope (0 .. 3) {
        my ($user, $root) = map { $_->{text} // $_->{reason} } @told[2 * $scope, 2 * $scope + 1];
        is($user, $scope == 0 ? $asleep : $not, "ptrace_scope $scope: its user");
        is($root, $scope == 3 ? $not : $asleep, '... and root');
    }
}
done_testing;

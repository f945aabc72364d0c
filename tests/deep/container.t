#!/usr/bin/env perl
# In namespaces of its own. Of pids: all tasks outside of it would look like idle ones, so only those
# inside are counted, and what needs all of them is refused. Of time: records have another clock.
use Countertop;

my @spins = map { start('spin') } 1 .. 2; # outside

SKIP: {
    my @inside = qw(unshare --pid --fork --mount-proc);
    skip 'no pid namespace can be made here', 13 if run(@inside, 'true')->{status};
    my $run = run(@inside, qw(countertop -b --format json -n 2 -d 0.3 -e cpu-clock));
    my ($header, @refreshes) = json_lines($run->{out});
    like($header->{notice}, qr/^only the tasks of this container: start it with 'docker run --pid=host --cap-add PERFMON'/,
        'the notice begins with what helps');
    is($header->{engine}, 'task', 'tasks inside are counted one by one');
    my ($last) = grep { $_->{type} eq 'refresh' } reverse @refreshes;
    is_deeply([grep { $_->{pid} != 1 } @{$last->{tasks}}], [], '... and no other one has a row');
    ok(!defined $last->{idle}, '... nor is it taken for idle');
    my $reason = qr/tasks outside of this pid namespace look like idle ones: start it in the machine's \('docker run --pid=host --cap-add PERFMON'\)/;
    for my $asked (['--engine', 'cpu'], ['--view', 'cpus'], ['--cpu', '0']) {
        $run = run(@inside, qw(countertop -b -n 1), @$asked);
        is($run->{status}, 1, "@$asked is refused");
        like($run->{err}, qr/^countertop: .*$reason$/, '... with the reason and the remedy');
    }
    $run = run(@inside, qw(countertop --check));
    like($run->{out}, qr/^ *all tasks of a CPU +no$/m, '--check says no');
    like($run->{out}, qr/$reason/, '... and why');
    like($run->{out}, qr/\AYou can count [^\n]* of the tasks of this container\.\n/, '... and begins with what can be counted');
}

# The namespace's clock may be ahead or behind.
for my $shift (-10000, 10000) {
    my @inside = ('unshare', '--time', '--monotonic', $shift, '--fork');
    SKIP: {
        skip "no time namespace can be made here ($shift s)", 6 if run(@inside, 'true')->{status};
        for my $engine (qw(cpu task)) {
            my $run = run(@inside, qw(countertop -b --format json -e cpu-clock --engine), $engine, '--', qw(spin -s 1));
            my ($last) = grep { $_->{type} eq 'refresh' } reverse json_lines($run->{out});
            my ($row) = grep { $_->{comm} eq 'spin' } @{$last->{tasks}};
            ok($row, "clock $shift s, $engine: the command has its row") or next;
            cmp_ok($row->{counts}{'cpu-clock'}, '>', 5e6, '... with its time');
            cmp_ok(abs($row->{oncpu} * 1e9 - $row->{counts}{'cpu-clock'}), '<', 0.3 * $row->{counts}{'cpu-clock'},
                '... as long as it was on a CPU');
        }
    }
}

done_testing;

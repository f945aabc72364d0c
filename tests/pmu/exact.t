#!/usr/bin/env perl
# A loop of N instructions adds exactly N to a program's retired instructions in user mode, however
# short the program's life.
use Countertop;

# All of as many digits, so that reading the argument takes as long.
my @lengths = (1000000, 1000000, 5000000, 9000000);

# The cpu engine sees a program from its birth. The task engine has to be there before it: a shell
# waits until it is, and becomes the program then.
my $script = "lengths='@lengths'\n" . <<'END';
show() {
    rm -f out
    countertop -b --format json -d 0.3 -n 3 --engine $1 -s software \
        -e instructions:u,instructions >out & top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 10000; done
}

loop 0 # brings the program into memory
show cpu
for n in $lengths; do loop $n; done
wait $top || exit
cat out

mkfifo gate1 gate2 gate3 gate4
# Each of these shells does the same, hence a list that is never empty.
i=0 pids=$$
for n in $lengths; do
    i=$((i + 1))
    (read line <gate$i; exec loop $n) & pids=$pids,$!
done
show task
for gate in gate?; do echo >$gate; done
wait $top || exit
cat out
echo "[$pids]"
END

sub check {
    my ($engine, $pids, $header, @refreshes) = @_;
    is($header->{engine}, $engine, "the $engine engine runs");
    my (%user, %all);
    for my $task (map { @{$_->{tasks}} } @refreshes) {
        $user{$task->{pid}} += $task->{counts}{'instructions:u'};
        $all{$task->{pid}} += $task->{counts}{instructions};
    }
    my $start = $user{$pids->[0]} - $lengths[0];
    cmp_ok($start, '>', 0, "$engine: starting takes instructions");
    cmp_ok($start, '<', $lengths[0] / 5, "$engine: but few");
    is($user{$pids->[$_]}, $start + $lengths[$_], "$engine: exactly $lengths[$_] on top")
        for 1 .. $#lengths;
    cmp_ok($all{$_}, '>', $user{$_}, "$engine: and some in the kernel") for @$pids;
}

# Without random addresses: the way through the dynamic linker depends on them.
my $run = guest($script, '--smp', 1, '--append', 'norandmaps');
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
my @lines = json_lines($run->{out});
my @born = sort { $a <=> $b } map { $_->{pid} } map { task($_, 'loop') } @lines[1 .. 3];
is(scalar(@born), @lengths, 'each run is a task, in one refresh');
check('cpu', \@born, @lines[0 .. 3]);
my (undef, @waited) = @{$lines[8]};
check('task', \@waited, @lines[4 .. 7]);
done_testing;

#!/usr/bin/env perl
# Cgroups of version 1: the hierarchy of perf_event. Only a machine of our own may mount it: while it
# exists, version 2 has no cgroups for perf, and it can outlast its mount.
use Countertop qw(:DEFAULT cgroup_faults);

my $script = <<'END';
first=/tmp/first second=/tmp/second
mkdir $first $second
mount -t cgroup2 none $second && mount -t cgroup -o perf_event none $first || { echo '"no cgroups of both versions"'; exit; }

# $1: what is looked at, by options; then the programs, each as a line for sh.
watch() {
    options=$1
    shift
    rm -f out
    countertop -b --format json --view cgroups -d 0.3 -s software -e page-faults $options >out & top=$!
    until [ "$(wc -l <out)" -gt 2 ] || ! kill -0 $top; do usleep 10000; done
    for program; do sh -c "$program" & programs="$programs $!"; done
    [ -z "$programs" ] || wait $programs
    programs=
    seen=$(wc -l <out)
    until [ "$(wc -l <out)" -gt $((seen + 2)) ] || ! kill -0 $top; do usleep 10000; done
    kill $top
    wait $top
    cat out
}

# The hierarchy has no cgroup but its root, as where systemd uses version 2 beside it.
mkdir $second/hybrid
(echo 0 >$second/hybrid/cgroup.procs; exec spin) & inside=$!
watch ''
kill $inside
wait $inside 2>/dev/null

mkdir $first/one $first/three $first/moved
grouped -n 1 $first/one 1 >/dev/null # brings the program into memory
watch '' "grouped -n 100 $first/one 100" "grouped -n 100 $first/three 300"
watch '' "grouped -w 20000 20 $first/one 1000 $first/moved 3000"
watch '--engine cpu -G three' "grouped -n 20 $first/one 100" "grouped -n 20 $first/three 300"

# It stays when it is unmounted, since it has cgroups.
umount $first
(echo 0 >$second/hybrid/cgroup.procs; exec spin) & inside=$!
watch ''
kill $inside
wait $inside 2>/dev/null
echo "refused $(countertop -b -G hybrid -n 1 2>&1)"
END

my $run = guest($script, '--smp', 2);
is($run->{status}, 0, 'countertop ends well') or do {
    diag $run->{out};
    done_testing;
    exit;
};
if ($run->{out} =~ /^"(no .*)"$/m) {
    SKIP: { skip "the emulated machine has $1", 1 }
    done_testing;
    exit;
}

# Each run: what the programs said, and the sums of its refreshes.
my @said = map { [split ' ', $_] } $run->{out} =~ /^done (.*)/mg;
my @runs;
for my $line (json_lines($run->{out} =~ s/^(?:done|refused) .*\n//mgr)) {
    push @runs, {found => {}, unattributed => 0, wrong => 0, faults => 0} if $line->{type} eq 'header';
    next if $line->{type} ne 'refresh';
    my $now = $runs[-1];
    $now->{found}{$_->{name} // ''} += $_->{counts}{'page-faults'} for @{$line->{groups}};
    $now->{unattributed} += $line->{unattributed}{counts}{'page-faults'};
    my $sum = 0;
    $sum += $_->{counts}{'page-faults'} for @{$line->{groups}}, $line->{idle}, $line->{unattributed};
    $now->{wrong} += $sum != $line->{total}{counts}{'page-faults'};
    $now->{faults} += $line->{total}{counts}{'page-faults'};
}
is(@runs, 5, 'five runs') or diag $run->{out};
is($runs[$_]{wrong}, 0, "run $_: the sum over cgroups is the total in each refresh") for 0 .. 2;
ok(exists $runs[0]{found}{'/hybrid'}, 'an empty hierarchy: names are those of version 2') or diag explain $runs[0];
ok(exists $runs[4]{found}{'/hybrid'}, '... also where it is mounted nowhere') or diag explain $runs[4];
like($run->{out}, qr/^refused countertop: cannot count cgroup 'hybrid': the controller perf_event is in a hierarchy of version 1 that is not mounted here: as root/m,
    '... and -G says why it counts none');

my ($one, $three) = sort { $a <=> $b } map { $_->[0] } @said[0, 1];
cgroup_faults($runs[1], '/one', $one);
cgroup_faults($runs[1], '/three', $three);
cgroup_faults($runs[2], '/one', $said[2][0]);
cgroup_faults($runs[2], '/moved', $said[2][1]);
(undef, $three) = sort { $a <=> $b } map { $_->[0] } @said[3, 4];
cmp_ok(abs($runs[3]{faults} - $three), '<=', 8, "-G: $three faults of its own alone") or diag $runs[3]{faults};

done_testing;

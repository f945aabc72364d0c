#!/usr/bin/env perl
# Each count belongs to the cgroup in which it happened: of processes that live for less than a
# millisecond, and of one that moves. What programs count of themselves is the measure.
use Countertop qw(:DEFAULT cgroup_faults installed);
use List::Util qw(sum0);
use Slurp;

my ($top, $why) = cgroup_make('countertop-faults', qw(one three moved));
plan skip_all => $why if !$top;
my $short = $top =~ s{.*/}{/}r;
my $processes = 5000;

# The events of a refresh whose sum over cgroups, idle and unattributed is not the total.
sub unbalanced {
    my ($refresh) = @_;
    my @rows = (@{$refresh->{groups}}, $refresh->{idle}, $refresh->{unattributed});
    return grep { my $event = $_; sum0(map { $_->{counts}{$event} // 0 } @rows) != $refresh->{total}{counts}{$event} }
        qw(page-faults wait-time);
}

# What the view says of each of these cgroups while the programs run: their faults, what is in no
# task, all, and what is in no cgroup.
sub watched {
    my (@programs) = @_;
    # With waiting times each slice is known, also on kernels whose idle tasks write no records.
    my $watch = start(qw(countertop -b --format json --view cgroups -d 0.5 -e), "page-faults,wait-time");
    next_refresh($watch) for 1 .. 2;
    my @running = map { start(@$_) } @programs;
    my (@lines, %found);
    for my $program (@running) {
        push @lines, next_line($program);
        finish($program);
    }
    my $end = time + 1;
    my ($lost, $unattributed, $total, $unknown, $wrong) = (0) x 5;
    while (my $refresh = next_refresh($watch)) {
        $wrong += unbalanced($refresh);
        $found{$_->{name} // ''} += $_->{counts}{'page-faults'} for @{$refresh->{groups}};
        $unattributed += $refresh->{unattributed}{counts}{'page-faults'};
        $total += $refresh->{total}{counts}{'page-faults'};
        $lost += $refresh->{lost_records};
        last if $refresh->{time} > $end;
    }
    stop($watch);
    is($wrong, 0, 'cgroups + idle + unattributed = total in each refresh');
    return {said => [map { /^done (.*)/ ? split(/ /, $1) : () } @lines], found => \%found, lost => $lost,
        unattributed => $unattributed, total => $total};
}

for my $try (1 .. 5) {
    my $run = watched(['grouped', '-n', $processes, "$top/one", 100], ['grouped', '-n', $processes, "$top/three", 300]);
    # What else runs on this machine meanwhile may be of tasks without records, as those of pid 1.
    my $share = $run->{unattributed} / $run->{total};
    next if ($run->{lost} || $share > 0.001) && $try < 5;
    cgroup_faults($run, "$short/one", $run->{said}[0]);
    cgroup_faults($run, "$short/three", $run->{said}[1]);
    is($run->{found}{''} // 0, 0, 'no fault is in no cgroup');
    cmp_ok($share, '<=', 0.001, 'of all faults 99.9 % are explained');
    note sprintf '%d processes: said %d and %d, %d of %d faults unattributed, %.4f %%', 2 * $processes,
        @{$run->{said}}[0, 1], @$run{qw(unattributed total)}, 100 * $share;
    last;
}

# The same of a shell that starts one program after another, as on a machine that only runs short
# processes.
for my $try (1 .. 5) {
    my $run = watched(['perl', '-e', 'open my $in, ">", "$ARGV[0]/cgroup.procs" or die; print $in $$; close $in;
        my ($end, $n) = (time + 4, 0);
        while (time < $end) { my $pid = fork; if (!$pid) { exec "/bin/true" } waitpid $pid, 0; $n++ } print "done $n\n"', "$top/one"]);
    my $share = ($run->{unattributed} + ($run->{found}{''} // 0)) / $run->{total};
    next if ($run->{lost} || $share > 0.001) && $try < 5;
    cmp_ok($share, '<=', 0.001, 'beside a loop of /bin/true 99.9 % of the faults are in a cgroup or of the idle tasks');
    cmp_ok($run->{found}{"$short/one"}, '>', 20 * $run->{said}[0], '... those of the loop in its own');
    note sprintf '%d processes: %d of %d faults in its cgroup, %d unattributed, %.4f %%', $run->{said}[0], $run->{found}{"$short/one"},
        @$run{qw(total unattributed)}, 100 * $share;
    last;
}

for my $try (1 .. 5) {
    my $run = watched(['grouped', '-w', 50000, 40, "$top/one", 1000, "$top/moved", 3000]);
    next if $run->{lost} && $try < 5;
    cgroup_faults($run, "$short/one", $run->{said}[0]);
    cgroup_faults($run, "$short/moved", $run->{said}[1]);
    note "moves: said @{$run->{said}}, unattributed $run->{unattributed}";
    last;
}

# Tasks that move while they wait for a CPU, and others that are born and have not run yet, at the end of
# most intervals.
{
    my @storm = ((map { start('grouped', '-w', 300, 1e9, "$top/one", 1, "$top/moved", 1) } 1 .. 3),
        map { start('sh', '-c', 'while :; do /bin/true; done') } 1 .. 5);
    my $watch = start(qw(countertop -b --format json --view cgroups -d 0.05 -n 150 -e), 'page-faults,wait-time');
    my ($count, $waited, $moved, @wrong) = (0, 0, 0);
    next_refresh($watch);
    while (my $refresh = next_refresh($watch)) {
        my @events = unbalanced($refresh);
        push @wrong, "@events in $refresh->{seq}" if @events;
        $count++;
        $waited++ if $refresh->{total}{counts}{'wait-time'} > 0;
        $moved++ if 2 == grep { ($_->{name} // '') =~ m{^\Q$short\E/(one|moved)$} && $_->{counts}{'wait-time'} > 0 } @{$refresh->{groups}};
    }
    finish($watch);
    # Some tasks were born before counting began, and wait for their first CPU.
    my @begun = map { (refreshes(qw(-d 0.1 -n 2 --view cgroups -s waits)))[1, 2] } 1 .. 10;
    stop($_) for @storm;
    is((grep { grep { !defined $_->{name} } @{$_->{groups}} } @begun), 0, 'each wait is in a cgroup, from the start');
    is("@wrong", '', "waits of tasks that move, and that are born: the sum is the total in each of $count refreshes");
    cmp_ok($waited, '>', $count / 2, '... which have waits');
    cmp_ok($moved, '>', $count / 4, '... in each cgroup, for one that moves between them');
}

# Cgroups that live for a moment, 500 of them within a minute, beside a storm of switches: each is named,
# and has the faults that happened in it.
{
    my $storm = start(qw(pingpong -c 0 1000000000));
    my $watch = start(qw(countertop -b --format json --view cgroups -d 0.5 -e), 'page-faults,wait-time');
    next_refresh($watch) for 1 .. 2;
    my ($made, $end, %said, %found) = (0, time + 55);
    my ($lost, $unattributed, $wrong) = (0, 0, 0);
    my $take = sub {
        my ($refresh) = @_;
        $wrong += unbalanced($refresh);
        for my $group (@{$refresh->{groups}}) {
            $found{$1} += $group->{counts}{'page-faults'} if ($group->{name} // '') =~ m{^\Q$short\E/(brief\d+)$};
        }
        $unattributed += $refresh->{unattributed}{counts}{'page-faults'};
        $lost += $refresh->{lost_records};
        return $refresh->{time};
    };
    my $last = time;
    while ($made < 500 && time < $end) {
        my $name = sprintf 'brief%d', ++$made;
        mkdir "$top/$name" or die "$name: $!";
        my $program = start('grouped', 1, "$top/$name", 50 + $made);
        ($said{$name}) = next_line($program) =~ /^done (\d+)/;
        finish($program);
        for (1 .. 500) { last if rmdir "$top/$name"; select undef, undef, undef, 0.01 }
        $take->(next_refresh($watch)) if time - $last >= 1;
        $last = time if time - $last >= 1;
    }
    my $done = time + 1;
    1 while $take->(next_refresh($watch)) < $done;
    stop($watch);
    stop($storm);
    is($wrong, 0, "$made cgroups, made and removed: the sum is the total in each refresh");
    my ($all, $missing, $more) = (0, 0, 0);
    for my $name (keys %said) {
        my $difference = $said{$name} - ($found{$name} // 0);
        $all += $said{$name};
        $missing += $difference if $difference > 0;
        $more -= $difference if $difference < 0;
    }
    ok($missing <= $unattributed && $more <= 8 * $made, '... each has its faults') or
        diag "of $all faults $missing are missing, $more too many, $unattributed unattributed";
    is(scalar(keys %found), $made, '... and its name') if !$lost && !$unattributed;
    note "$made cgroups in a minute: $all faults, $missing missing, $more more (ends of programs), " .
        "$unattributed unattributed, $lost records lost, " . keys(%found) . ' named';
}

# The same beside perf stat, which opens counters for each cgroup.
SKIP: {
    skip 'perf is not installed', 2 if !installed('perf');
    my $output = "$ENV{TMPDIR}/perf-$$";
    my @groups = map { "$short/$_" =~ s{^/}{}r } qw(one three);
    my $perf = start('sh', '-c', 'exec perf stat -a -x, -e page-faults --for-each-cgroup "$0" -o "$1" sleep 8', join(',', @groups), $output);
    select undef, undef, undef, 1;
    my $run = watched(['grouped', '-n', 500, "$top/one", 100], ['grouped', '-n', 500, "$top/three", 300]);
    finish($perf);
    my %perf;
    open my $in, '<', $output or die "$output: $!";
    while (<$in>) {
        my @field = split /,/;
        $perf{$1} = $field[0] if @field > 4 && /(one|three)\b/;
    }
    skip "perf stat counted no cgroup: " . (-s $output // 0) . ' bytes', 2 if !$perf{one};
    for my $group ('one', 'three') {
        my $found = $run->{found}{"$short/$group"};
        ok(abs($found - $perf{$group}) <= 0.01 * $perf{$group} + $run->{unattributed}, "$group: as perf stat counts")
            or diag "countertop $found, perf $perf{$group}";
        note "$group: countertop $found, perf stat $perf{$group}, the program @{$run->{said}}[$group eq 'three']";
    }
    unlink $output;
}

done_testing;

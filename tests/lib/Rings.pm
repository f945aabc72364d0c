# Runs countertop on rings that were recorded once (tests/data/rings): the same records, clock and
# tasks in each run. $B/lib/played is the program with the kernel of tests/lib/played.c.
package Rings;
use strict;
use warnings;
use Countertop qw(:DEFAULT write_file);
use Exporter 'import';
use File::Path 'make_path';
use File::Temp 'tempdir';
use Slurp;

our @EXPORT = qw(rings played play);

my $dir = tempdir(CLEANUP => 1);

# A recording by its name, unpacked, with a root (COUNTERTOP_ROOT) that has the files of /proc and
# /sys that belong to it: {file, root, first => {tid => task}, last, cpus}, a task as
# {pid, tid, ppid, uid, run, delay, comm}; times are ns.
sub rings {
    my ($name) = @_;
    my %rings = (file => "$dir/$name", root => "$dir/$name.root", first => {}, last => {});
    system("gzip -dc '$ENV{TOP}/tests/data/rings/$name.gz' >'$rings{file}'") == 0 or die "no rings '$name'\n";
    my ($head) = slurp($rings{file}) =~ /^(.*?\n)\n/s;
    my ($wakes, %cpus);
    for (split /\n/, $head) {
        $cpus{$1} = 1 if /^file \d+ cpu (\d+)/;
        $wakes = $1 if /type 2 config (\d+)/;
        my ($when, @task) = /^(first|last) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (.*)/ or next;
        my %task;
        @task{qw(pid tid ppid uid run delay comm)} = @task;
        $rings{$when}{$task{tid}} = \%task;
    }
    $rings{cpus} = [sort { $a <=> $b } keys %cpus];
    my ($proc, $sys) = map { "$rings{root}/$_" } 'proc', 'sys';
    make_path("$proc/sys/kernel", "$sys/devices/system/cpu");
    write_file("$proc/sys/kernel/perf_event_paranoid", "-1\n");
    write_file("$sys/devices/system/cpu/online", join(',', @{$rings{cpus}}) . "\n");
    my %all = (%{$rings{first}}, %{$rings{last}});
    for my $task (values %all) {
        my $stat = "$task->{tid} ($task->{comm}) S $task->{ppid}" . ' 0' x 48 . "\n";
        for my $place ("$task->{pid}/task/$task->{tid}", $task->{tid}) {
            make_path("$proc/$place");
            write_file("$proc/$place/stat", $stat);
            write_file("$proc/$place/comm", "$task->{comm}\n");
            write_file("$proc/$place/status", "Name:\t$task->{comm}\nTgid:\t$task->{pid}\nUid:" . "\t$task->{uid}" x 4 . "\n");
        }
    }
    if ($wakes) {
        my $waking = "$sys/kernel/tracing/events/sched/sched_waking";
        make_path($waking);
        write_file("$waking/id", "$wakes\n");
        write_file("$waking/format", "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n");
    }
    return \%rings;
}

# The command that plays them, before the options; @set: more variables, RINGS_SIZE=BYTES.
sub played {
    my ($rings, @set) = @_;
    return ('env', "RINGS=$rings->{file}", "COUNTERTOP_ROOT=$rings->{root}", @set,
        "$ENV{B}/lib/played", qw(--engine cpu --no-config));
}

# Plays them with these options: the header, then the refreshes.
sub play {
    my ($rings, @options) = @_;
    my $run = run(played($rings, grep { /^RINGS_/ } @options), qw(-b --format json), grep { !/^RINGS_/ } @options);
    die "played: status $run->{status}: $run->{err}" if $run->{status};
    return json_lines($run->{out});
}

1;

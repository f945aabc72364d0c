# A machine whose host takes a fifth of its first CPU's time, by the files of another root.
package Stolen;
use strict;
use warnings;
use Countertop;
use Exporter 'import';

our @EXPORT = qw(stolen_recording);

# Ticks of 10 ms of a second: user nice system idle iowait irq softirq steal; and ns of waiting.
my @once = ([[40, 0, 5, 20, 0, 5, 10, 20], 2_500_000_000], [[0, 0, 0, 100, 0, 0, 0, 0], 0]);

# Writes in place, each file at once, since it is read meanwhile.
sub put {
    my ($path, $text) = @_;
    open my $file, -e $path ? '+<' : '>', $path or die "$path: $!";
    syswrite($file, $text) == length $text or die "$path: $!";
}

sub put_seconds {
    my ($root, $seconds) = @_;
    put("$root/proc/schedstat", join '', "version 17\n",
        map { sprintf "cpu%d 0 0 0 0 0 0 %020d %020d %010d\ndomain0 MC 3 0 0\n", $_, 1, 5 + $seconds * $once[$_][1], 7 } 0, 1);
    put("$root/proc/stat", join '', map { my $cpu = $_;
        sprintf "cpu%d%s 0 0\n", $cpu, join '', map { sprintf ' %010d', 100 + $seconds * $_ } @{$once[$cpu][0]} } 0, 1);
}

# Records such a second on that machine, whose folder is made; the refresh that has it. without: a
# file of /proc that the machine lacks.
sub stolen_recording {
    my ($root, $file, $without) = @_;
    mkdir $_ for $root, "$root/proc";
    symlink "/proc/$_", "$root/proc/$_" for 'self', 'sys', 'mounts';
    symlink '/sys', "$root/sys";
    put_seconds($root, 0);
    unlink "$root/proc/$without" if $without;
    local $ENV{COUNTERTOP_ROOT} = $root;
    my $watch = start(qw(countertop -b --format json -d 0.2 -s software --record), $file);
    next_refresh($watch) for 1 .. 2; # the header, and the first interval
    put_seconds($root, 1);
    unlink "$root/proc/$without" if $without;
    my $refresh;
    for (1 .. 50) {
        $refresh = next_refresh($watch);
        last if $refresh->{machine}{cpus}[0]{steal};
    }
    stop($watch);
    return $refresh;
}

1;

# What a refresh takes where many threads exist and few run.
package Sleepers;
use strict;
use warnings;
use Bench;
use Countertop;
use Slurp;

my $active = 20;
my @sizes = quick() ? (100) : (100, 1_000, 10_000, 30_000);
my $goal_size = 10_000;
my $delay = quick() ? 0.2 : 0.5;
my $refreshes = quick() ? 2 : 8;

my $page = '^countertop \d';
my @programs = (
    {name => 'countertop -b -H', command => [qw(countertop -b -H -d), $delay], mark => $page},
    {name => 'countertop -b -H -i', command => [qw(countertop -b -H -i -d), $delay],
        mark => $page},
    {name => 'countertop -H', command => [qw(countertop -H -d), $delay],
        terminal => 1, keeps_pace => 1},
    {name => 'top -b -H', command => [qw(top -b -H -d), $delay], mark => '^top - '},
    {name => 'htop', command => [qw(htop -d), 10 * $delay], terminal => 1},
    {name => 'pidstat -t', command => [qw(pidstat -t 1)], mark => 'TGID +TID'},
);

# The value after a word at the start of a line of a file, undef if it is no number.
sub setting {
    my ($path, $before) = @_;
    return slurp_or_empty($path) =~ /^$before\s*(\d+)/m ? $1 : undef;
}

# Limits of the cgroups that this process is in: [name, number].
sub cgroup_limits {
    my @limits;
    for (split /\n/, slurp_or_empty('/proc/self/cgroup')) {
        my ($controllers, $path) = /^\d+:(.*?):(.*)/;
        my $root = $controllers eq '' ? '/sys/fs/cgroup' : "/sys/fs/cgroup/$controllers";
        for (; $path =~ m{/}; $path =~ s{/[^/]*$}{}) {
            my $file = "$root$path/pids.max";
            push @limits, [$file, setting($file, '')];
        }
    }
    return @limits;
}

# Why that many more threads cannot be started, as far as the limits tell: undef if there can.
sub limit {
    my ($threads) = @_;
    my ($present) = slurp_or_empty('/proc/loadavg') =~ m{/(\d+)};
    my @limits = (
        ['kernel.threads-max', setting('/proc/sys/kernel/threads-max', '')],
        ['kernel.pid_max', setting('/proc/sys/kernel/pid_max', '')],
        cgroup_limits(),
    );
    push @limits, ['ulimit -u', setting('/proc/self/limits', 'Max processes')] if $> != 0;
    for (@limits) {
        my ($name, $most) = @$_;
        # The kernel keeps 300 pids for itself.
        return "$name is $most" if defined $most && $most < $present + $threads + 300;
    }
    # Each has a stack and a page that guards it.
    my $maps = setting('/proc/sys/vm/max_map_count', '');
    return "vm.max_map_count is $maps" if defined $maps && $maps < 2 * $threads + 100;
    return undef;
}

my @columns = (['CPU ms', '%.2f'], ['to top', '%.4f'], ['system calls', '%.1f'],
    ['RSS MiB', '%.1f'], ['perf fds', '%d']);

sub table {
    my ($size, $cost) = @_;
    my $top = ($cost->{'top -b -H'} // {})->{ms};
    header("$size sleeping threads, a refresh", @columns);
    for my $name (map { $_->{name} } @programs) {
        my $c = $cost->{$name} // next;
        row($name, \@columns, $c->{ms}, $top ? $c->{ms} / $top : undef,
            @$c{qw(calls rss descriptors)});
    }
    return if $size != $goal_size;
    chomp(my $cpus = `nproc`);
    for my $name ('countertop -b -H', 'countertop -H') {
        my $c = $cost->{$name};
        ratio("$name to top -b -H", '%.4f', $c->{ms} / $top, 0.01) if $top;
        ratio("system calls of $name (13 and three a CPU)", '%.1f', $c->{calls},
            13 + 3 * $cpus);
    }
}

sub measure {
    my ($size) = @_;
    my $why = limit($size + $active);
    return left_out("$size threads", $why) if $why;
    my $sleepers = start('sleepers', '-a', $active, $size);
    return left_out("$size threads", 'the kernel refuses') if !defined next_line($sleepers);
    my %cost = map { $_->{name} => costs({delay => $delay, %$_}, $refreshes) } @programs;
    stop($sleepers);
    table($size, \%cost);
    return \%cost;
}

sub measure_all {
    print "\nCPU time of a refresh: $active threads wake 100 times a second, the others sleep;\n",
        "a refresh each $delay s (pidstat: each second); terminals of 160x50\n";
    for my $program (@programs) {
        my $needed = $program->{command}[0];
        $program->{missing} = "$needed is not installed" if !have($needed);
        $program->{missing} //= 'script is not installed'
            if $program->{terminal} && !have('script');
        left_out($program->{name}, $program->{missing}) if $program->{missing};
    }
    @programs = grep { !$_->{missing} } @programs;
    my %cost = map { $_ => measure($_) } @sizes;
    my ($few, $many) = @cost{@sizes[0, -1]};
    return if !$few || !$many || $few == $many;
    print "\n";
    # Twice is what noise may make of one and the same figure.
    for my $name (grep { $few->{$_} } 'countertop -b -H', 'countertop -H') {
        ratio("$name at $sizes[-1] threads to $sizes[0]", '%.2f',
            $many->{$name}{ms} / $few->{$name}{ms}, 2);
    }
}

1;

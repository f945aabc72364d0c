#!/usr/bin/env perl
# The machine's load where it cannot be read, and in recordings; live/busy.t has its numbers, rings.t
# those of CPUs.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
chomp(my $cpus = `nproc`);
my $sleeper = start(qw(sleep 1000));

# Another root without /proc/stat, with what counting a process takes.
mkdir "$dir/root";
mkdir "$dir/root/proc";
symlink "/proc/$_", "$dir/root/proc/$_" for $sleeper->{pid}, 'self', 'sys', 'mounts';
symlink '/sys', "$dir/root/sys";
my @elsewhere = ('env', "COUNTERTOP_ROOT=$dir/root", "$ENV{B}/countertop");
my @watch = (qw(-b -d 0.2 -n 1 -p), $sleeper->{pid});
my $reason = "cannot read '/proc/stat': No such file or directory";
my $run = run(@elsewhere, @watch, qw(--format json));
my (undef, $refresh) = json_lines($run->{out});
my %no_pressure = map { $_ => {some => undef, full => undef} } qw(cpu memory io);
$no_pressure{reason} = "cannot read '/proc/pressure/cpu' (No such file or directory): boot the kernel with psi=1";
is_deeply($refresh->{machine}, {busy => undef, reason => $reason, cpus => [], pressure => \%no_pressure},
    'without /proc/stat: absent, with the reason') or diag $run->{err};
$run = run(@elsewhere, @watch);
like($run->{out}, qr/^countertop .*  watched 0\.00 CPUs  busy - \(\Q$reason\E\)/m, '... in text, too');

# A recording has it; replay does not show this machine's.
{
    my $file = "$dir/machine.db";
    my @written = json_lines(countertop(qw(-b --format json -d 0.2 -n 3 --record), $file, '-p',
        $sleeper->{pid})->{out});
    my @shown = json_lines(run(@elsewhere, qw(-b --format json --replay), $file)->{out});
    is_deeply([map { [@$_{'machine', 'self'}] } @shown[1 .. 3]],
        [map { [@$_{'machine', 'self'}] } @written[1 .. 3]], 'replay: what was recorded');
}

stop($sleeper);
done_testing;

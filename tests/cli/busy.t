#!/usr/bin/env perl
# The machine's load where it cannot be read, and in recordings; live/busy.t has its numbers, rings.t
# those of CPUs.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use Test::More;

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
SKIP: {
    my $file = "$dir/machine.db";
    my @written = json_lines(countertop(qw(-b --format json -d 0.2 -n 3 --record), $file, '-p',
        $sleeper->{pid})->{out});
    my @shown = json_lines(run(@elsewhere, qw(-b --format json --replay), $file)->{out});
    is_deeply([map { [@$_{'machine', 'self'}] } @shown[1 .. 3]],
        [map { [@$_{'machine', 'self'}] } @written[1 .. 3]], 'replay: what was recorded');
    skip 'no sqlite3', 7 if system('command -v sqlite3 >/dev/null');
    # One from before it had the time in the kernel.
    is(system('sqlite3', $file, 'ALTER TABLE loads DROP COLUMN kernel'), 0, 'an older recording');
    my @older = json_lines(run(@elsewhere, qw(-b --format json --replay), $file)->{out});
    is_deeply([map { $_->{machine}{busy} } @older[1 .. 3]], [map { $_->{machine}{busy} } @shown[1 .. 3]], '... has the rest');
    is((grep { defined $_->{kernel} } map { @{$_->{machine}{cpus}} } @older[1 .. 3]), 0, '... and not that');
    # One from before there was such a table.
    is(system('sqlite3', $file, 'DROP TABLE loads; DROP TABLE pressures'), 0, 'an old recording');
    (undef, $refresh) = refreshes('--replay', $file);
    $no_pressure{reason} = 'it is not in the recording';
    is_deeply($refresh->{machine},
        {busy => undef, reason => 'it is not in the recording', cpus => [], pressure => \%no_pressure}, '... does without');
    is(countertop(qw(-b -d 0.2 -n 2 --record), $file, '-p', $sleeper->{pid})->{status}, 0,
        '... and can be gone on with');
    my @all = refreshes('--replay', $file);
    is_deeply([map { defined $_->{machine}{busy} ? 1 : 0 } grep { $_->{type} eq 'refresh' } @all],
        [0, 0, 0, 1, 1], '... from then on with it');
}

stop($sleeper);
done_testing;

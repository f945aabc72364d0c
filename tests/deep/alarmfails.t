#!/usr/bin/env perl
# Alarms while the disk is full, and when the clock is set back: what was promised is there, and one line
# says what is not.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
my $compiler = $ENV{CC} // 'cc';

sub query {
    my ($path, $sql) = @_;
    my $run = run('sqlite3', $path, $sql);
    die "sqlite3 $path: $run->{err}" if $run->{status};
    return join ' ', split /\n/, $run->{out};
}

sub said { return split /\n/, slurp_or_empty("$dir/said") }

sub armed {
    my ($folder, @options) = @_;
    unlink "$dir/said";
    return start('sh', '-c', "exec \"\$@\" 2>$dir/said", 'sh', @options, '--record-dir', $folder);
}

# ---- the clock is set back by an hour while a recording is written ----

mkdir "$dir/clock";
Countertop::write_file("$dir/clock.c", <<~'EOF');
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <time.h>
    #include <unistd.h>
    int clock_gettime(clockid_t clock, struct timespec *time)
    {
        int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
        int result = real(clock, time);
        if (clock == CLOCK_REALTIME && access(FILE, F_OK) == 0)
            time->tv_sec -= 3600;
        return result;
    }
    EOF
SKIP: {
    skip 'no library that sets the clock back can be built', 6
        if run($compiler, '-shared', '-fPIC', qq(-DFILE="$dir/back"), "$dir/clock.c", '-o', "$dir/clock.so", '-ldl')->{status};
    my @spins = map { start('spin', '-r') } 1 .. 2;
    my $program = armed("$dir/clock", 'env', "LD_PRELOAD=$dir/clock.so", qw(countertop -b -s software -d 0.05 --keep 2 --before 0.5 --after 1 --when),
        "pid = $spins[0]{pid}", '--record', "$dir/all.db", '--exec', "echo >>$dir/done");
    ok(wait_for(sub { said() >= 1 }), 'an alarm');
    Countertop::write_file("$dir/back", '');
    ok(wait_for(sub { slurp_or_empty("$dir/done") eq "\n" }), '... whose recording is completed after the clock was set back');
    my ($first) = glob "$dir/clock/alarm-*.db";
    is(query($first, 'SELECT count(*) FROM intervals AS a JOIN intervals AS b ON b.id = a.id + 1 WHERE b.time < a.time - 3000'), '1',
        '... and has both times');
    is(query($first, 'SELECT max(id) - min(id) + 1 - count(*) FROM intervals'), '0', '... without a gap');
    my ($seconds) = split ' ', query($first, 'SELECT sum(length) / 1e9 FROM intervals');
    cmp_ok($seconds, '>=', 1, '... and is as long as was asked for');
    cmp_ok($seconds, '<', 3600, '... no longer');
    stop($program);
    stop($_) for @spins;
}

# ---- the disk is full ----

my $mounted;
END {
    local $?;
    system('umount', $mounted) if $mounted;
}
SKIP: {
    skip 'a small disk needs root', 10 if $> != 0;
    my $disk = "$dir/disk";
    mkdir $disk;
    is(system('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', $disk), 0, 'a small disk');
    $mounted = $disk;
    run('dd', 'if=/dev/zero', "of=$disk/filler", 'bs=4k');
    my $program = armed($disk, qw(countertop -b -H -i -s software -d 0.05 --before 0.5 --after 600 --when), 'machine: busy >= 0');
    ok(wait_for(sub { said() >= 1 }), 'an alarm when it is full');
    like((said())[0], qr/^countertop: alarm at .*: cannot record to '\Q$disk\E\/alarm-.*\.db': no space left; trying again for 600 s$/, '... says so');
    is_deeply([glob "$disk/*"], ["$disk/filler"], '... and leaves no part of a file');
    unlink "$disk/filler";
    ok(wait_for(sub { glob "$disk/alarm-*.db" }), 'when there is room the recording is made');
    my ($file) = glob "$disk/alarm-*.db";
    ok(wait_for(sub { said() >= 2 }), '... until it is full again');
    like((said())[1], qr/^countertop: cannot record to '\Q$file\E': no space left; recording ended, (\d+) intervals of it are in the file$/, '... which is said');
    my ($kept) = (said())[1] =~ /(\d+) intervals/;
    is(stop($program)->{status}, 1, '... and counting goes on; the status says at the end that one is not whole');
    is(join('', (said())[2 .. 9]), 'countertop: 1 recording of alarms is missing or not whole', '... and so does the last line');
    is(query($file, 'PRAGMA integrity_check; SELECT count(*) >= ' . ($kept // 0) . ' FROM intervals'), 'ok 1', '... and what is said to be there is there');
    system('umount', $disk);
    undef $mounted;
}

done_testing;

#!/usr/bin/env perl
# What a machine or its limits can lack: memory, a stack, /sys. The program goes on, or says what is
# missing.
use Countertop qw(countertop run write_file json_lines);
use Screen;
use Pty;

my $dir = tempdir(CLEANUP => 1);

# A small stack, hard limit and all: threads and the program have their own, and the command has the
# limit that it would have without us.
my @small = ('sh', '-c', 'ulimit -s 64 && exec "$@"', 'sh', 'countertop');
plan skip_all => 'sanitizers need memory of their own' if $ENV{B} =~ /-asan\b/;
my @quick = qw(-b -d 0.1 -s software);
for my $options ([@quick, qw(-n 1)], [@quick, '--record', "$dir/run.db", qw(-n 2 --view functions --sample cpu-clock)],
    ['-b', '--replay', "$dir/run.db"], ['--list-events'], [qw(-r 2 -- true)], [@quick, qw(-n 1 --format json)]) {
    my $run = run(@small, @$options);
    is("$run->{status}$run->{err}", 0, "ulimit -s 64: @$options");
    isnt($run->{out}, '', '... there is a table');
}
my $limited = run(@small, @quick, '-o', '/dev/null', '--', 'sh', '-c', 'ulimit -s; ulimit -Hs');
is($limited->{out}, "64\n64\n", '... and the command has that limit');

# An allocation that fails: the reason is told, below the screen as it was.
write_file("$dir/fail.c", <<'END');
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
extern void *__libc_calloc(size_t count, size_t size);
static const char *path;
__attribute__((constructor)) static void begin(void) { path = getenv("FAIL_WHEN"); }
void *calloc(size_t count, size_t size)
{
    return path && access(path, F_OK) == 0 ? NULL : __libc_calloc(count, size);
}
END
SKIP: {
    my $compiler = $ENV{CC} // 'cc';
    skip "no compiler '$compiler'", 6 if system("$compiler -shared -fPIC -o $dir/fail.so $dir/fail.c 2>/dev/null");
    local %ENV = (%ENV, FAIL_WHEN => "$dir/now", ASAN_OPTIONS => 'verify_asan_link_order=0');
    write_file("$dir/now", '');
    my $failed = run('env', "LD_PRELOAD=$dir/fail.so", 'countertop', @quick, qw(-n 1));
    is("$failed->{status} $failed->{err}", "1 countertop: out of memory\n", 'no memory: it is told');
    unlink "$dir/now";
    my $pty = Pty->start({width => 80, height => 24, environment => {TERM => 'xterm', LD_PRELOAD => "$dir/fail.so"}},
        'countertop', qw(-d 0.1 -s software));
    ok(wait_for(sub { $pty->read(0.05); $pty->{output} =~ /COMMAND/ }), 'in a terminal it runs');
    write_file("$dir/now", '');
    ok(wait_for(sub { $pty->read(0.05); defined $pty->ended }), '... and ends without memory');
    like($pty->{output}, qr/\e\[\?1049l(?:(?!\e\[\?1049h).)*countertop: out of memory\r?\n\z/s, '... told below the old screen');
    is($pty->mode, $pty->{mode}, '... with its modes');
    is($pty->ended, 1, '... with the status of a failure');
}

# One event that cannot be enabled, whichever it is.
write_file("$dir/enable.c", <<'END');
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int ioctl(int fd, unsigned long request, ...)
{
    static int count;
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    errno = EIO;
    return request == PERF_EVENT_IOC_ENABLE && ++count == atoi(getenv("FAIL_AT"))
        ? -1 : (int)syscall(SYS_ioctl, fd, request, argument);
}
END
SKIP: {
    my $compiler = $ENV{CC} // 'cc';
    skip "no compiler '$compiler'", 2 if system("$compiler -shared -fPIC -o $dir/enable.so $dir/enable.c 2>/dev/null");
    local %ENV = (%ENV, ASAN_OPTIONS => 'verify_asan_link_order=0');
    my $said = sub {
        my ($said, @options) = @_;
        return scalar grep { run('env', "LD_PRELOAD=$dir/enable.so", "FAIL_AT=$_", 'countertop', '-b', qw(-s software), @options)->{out}
            =~ $said } 1 .. 24;
    };
    my $why = 'Input/output error';
    ok($said->(qr/^1 threads not counted: .*$why/m, qw(--engine task -n 1 -d 0.05 -p), $$), 'a task that cannot be counted is told');
    ok($said->(qr/^the command's row has what starting it counted: $why/m, qw(--engine cpu -- true)),
        'what starting a command counts that cannot be told apart is told');
}

# Without sysfs the kernel still tells the CPUs in /proc.
SKIP: {
    skip 'mounts need root', 3 if $> || system('unshare -m true 2>/dev/null');
    my @bare = ('unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /sys && exec "$@"', 'sh', 'countertop');
    my $run = run(@bare, @quick, qw(-n 1 --format json --engine cpu));
    is("$run->{status}$run->{err}", 0, 'no /sys: it counts');
    my ($header, $refresh) = json_lines($run->{out});
    my ($full) = json_lines(countertop(@quick, qw(-n 1 --format json))->{out});
    is_deeply($header->{cpus}, $full->{cpus}, '... on the same CPUs');
    cmp_ok($refresh->{total}{counts}{'context-switches'}, '>', 0, '... what happens');
}

done_testing;

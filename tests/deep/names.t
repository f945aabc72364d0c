#!/usr/bin/env perl
# Names of functions where the first file, table or list that fits would be the wrong one: parts of a
# program that share a page, labels, symbols that are packed, programs that are deleted or in memory,
# lists of JIT compilers, and files that never end. Page faults are sampled each time, so that counts
# of functions are exact.
use Countertop qw(:DEFAULT installed write_file);
use List::Util 'sum0';
use Pty;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
chomp(my $machine = `uname -m`);
plan skip_all => 'gcc is not installed' if !installed('gcc');
my @faults = ('--sample', 'page-faults');
my @nobody = $> == 0 ? qw(setpriv --reuid=65534 --regid=65534 --clear-groups -- env HOME=/nonexistent) : ();
my $nobody = run(@nobody, 'countertop', '--version')->{status} == 0;

# touch() writes to 100 new pages, so it has 100 page faults. Compiled, it may be copied elsewhere.
my $touch = <<'END';
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
enum { PAGES = 100, ROOM = 256 };
static long page;
#ifndef TOUCH
#define TOUCH touch
__attribute__((noinline, noclone)) void TOUCH(char *at, long size, long count)
{
    for (; count > 0; count--, at += size)
        *(volatile char *)at = 1;
}
#else
void TOUCH(char *at, long size, long count);
#endif
__attribute__((constructor)) static void know_page(void)
{
    page = sysconf(_SC_PAGESIZE);
}
static char *fresh(void)
{
    char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(at, PAGES * page, MADV_NOHUGEPAGE);
    return at;
}
/* Touches pages until its input ends. */
__attribute__((noinline, noclone)) static int touch_on(void)
{
    char byte;
    fcntl(0, F_SETFL, O_NONBLOCK);
    while (read(0, &byte, 1) != 0) {
        char *at = fresh();
        TOUCH(at, page, PAGES);
        munmap(at, PAGES * page);
        usleep(2000);
    }
    return 0;
}
END

# Compiles main() behind that; the flags may name more files. undef: it cannot be built here.
sub compile {
    my ($name, $main, @flags) = @_;
    write_file("$dir/$name.c", "$touch$main");
    my $run = run('gcc', '-O1', '-fno-stack-protector', '-fcf-protection=none', "$dir/$name.c", @flags, '-o', "$dir/$name");
    diag $run->{err} if $run->{status};
    return $run->{status} == 0 ? "$dir/$name" : undef;
}

# The functions of the last refresh by name, with their numbers of page faults.
# By name: where several files have functions without a name, the row with most samples.
sub by_name {
    return map { ($_->{function} => $_) } sort { $a->{samples} <=> $b->{samples} } @{$_[0]{functions}};
}

sub functions {
    return by_name(whole_refresh('--view', 'functions', @faults, @_));
}

sub faults_of {
    my ($name, %found) = @_;
    return $found{$name} ? $found{$name}{counts}{'page-faults'} : 0;
}

my $once = 'int main(void) { TOUCH(fresh(), page, PAGES); return 0; }';

# ---- a part without rights to execute ends in the page in which the code begins ----

SKIP: {
    skip "stacks are not unwound on $machine", 2 if $machine !~ /^(?:x86_64|aarch64)$/;
    my ($script) = run('ld', '-z', 'separate-code', '--verbose')->{out} =~ /^={20,}\n(.*)^={20,}$/ms;
    $script //= '';
    my $shared = $script =~ s/\. = ALIGN\(CONSTANT \(MAXPAGESIZE\)\);(\s*\.init\b)/. = . + CONSTANT (MAXPAGESIZE);$1/;
    write_file("$dir/lld.ld", $script);
    my $program = $shared && compile('shared', 'int main(void) { return touch_on() + (page == 0); }', '-fomit-frame-pointer', '-no-pie', "-Wl,-T,$dir/lld.ld");
    skip 'this linker does not link so', 2 if !$program;
    my ($read, $code) = map { [map { hex } @$_] } run('readelf', '-lW', $program)->{out} =~ /LOAD +(0x\w+) (0x\w+) \S+ (0x\w+) \S+ R  +0x.*\n +LOAD +(0x\w+) (0x\w+) \S+ (0x\w+) \S+ R E/
        ? ([$1, $2, $3], [$4, $5, $6]) : ([0, 0, 0], [0, 0, 0]);
    ok($read->[0] + $read->[2] > ($code->[0] & ~4095) && $read->[1] - $read->[0] != $code->[1] - $code->[0],
        'a program is linked as LLD does it');
    my $work = start($program);
    my $folded = countertop('-b', '--format', 'folded', @faults, '--call-graph', 'dwarf', '-n', 2, '-d', 0.5, '-p', $work->{pid})->{out};
    like($folded, qr/;main;touch_on;touch\b/, '... its stacks are whole') or diag $folded;
    finish($work);
}

# ---- symbols ----

my %assembler = (
    x86_64 => ['mov %rdx, %rcx', 'movb $1, (%rdi)', 'add %rsi, %rdi', 'dec %rcx', 'jnz inside', 'ret'],
    aarch64 => ['mov w4, #1', 'strb w4, [x0]', 'add x0, x0, x1', 'subs x2, x2, #1', 'b.ne inside', 'ret'],
);
SKIP: {
    my ($first, @loop) = @{$assembler{$machine} // []};
    skip "no assembler for $machine here", 2 if !$first;
    for my $typed (0, 1) {
        my @lines = ('.text', '.globl by_hand', 'by_hand:', $first, 'inside:', @loop,
            '.section .note.GNU-stack,"",%progbits');
        splice @lines, -1, 0, '.type by_hand, %function', '.size by_hand, . - by_hand' if $typed;
        @lines = map { s/\binside\b/.Linside/r } @lines if !$typed;
        write_file("$dir/hand.s", join '', map { "$_\n" } @lines);
        my $program = compile('assembled', $once, '-DTOUCH=by_hand', "$dir/hand.s") or skip 'it cannot be assembled', 1;
        is(faults_of('by_hand', functions('--', $program)), 100,
            $typed ? 'a label inside a function is no function' : 'a label without a type is a function');
    }
}
SKIP: {
    skip 'xz or objcopy is not installed', 1 if !installed('xz') || !installed('objcopy');
    my $program = compile('packed', $once);
    run('objcopy', '--only-keep-debug', $program, "$dir/mini");
    run('objcopy', '-S', '--keep-symbol=touch', "$dir/mini");
    run('xz', "$dir/mini");
    run('strip', $program);
    run('objcopy', '--add-section', ".gnu_debugdata=$dir/mini.xz", $program);
    is(faults_of('touch', functions('--', $program)), 100, 'symbols in .gnu_debugdata');
}

# ---- programs without a path ----

# Names of a program that runs, as its own user or as root.
sub names_of_running {
    my ($what, $program, $before) = @_;
    for my $own (0, 1) {
        SKIP: {
            skip 'as an ordinary user: one cannot run what was built here', 1 if $own && !$nobody;
            skip 'as root only', 1 if !$own && $> != 0;
            run('cp', $program, "$program.kept") if !-e "$program.kept";
            run('cp', '--remove-destination', "$program.kept", $program);
            my $work = start(@nobody, $program);
            my $end = time + 60;
            select undef, undef, undef, 0.01
                while time < $end && (readlink("/proc/$work->{pid}/exe") // '') !~ /^(?:\Q$program\E|\/memfd:.*)$/;
            $before->() if $before;
            my $run = run($own ? @nobody : (), 'countertop', '-b', '--format', 'json', '--view', 'functions', @faults,
                '-n', 2, '-d', 0.5, '-p', $work->{pid});
            my ($last) = (json_lines($run->{out}))[-1];
            is((map { $_->{function} } sort { $b->{samples} <=> $a->{samples} } @{$last->{functions}})[0], 'touch',
                "$what, as " . ($own ? 'its user' : 'root')) or diag $run->{err};
            finish($work);
        }
    }
}

names_of_running('a program with a newline in its path', compile("new\nline", 'int main(void) { return touch_on() + (page == 0); }'));
my $gone = compile('gone', 'int main(void) { return touch_on() + (page == 0); }');
names_of_running('a program that was replaced', $gone, sub { run('cp', '--remove-destination', "$gone.kept", $gone) });
names_of_running('a program that was deleted', $gone, sub { unlink $gone });
names_of_running('a program in memory', compile('memory', <<'END'));
int main(int count, char **words)
{
    char bytes[1 << 16], *again[] = {words[0], "again", NULL};
    ssize_t got;
    if (count > 1)
        return touch_on();
    int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("payload", 0);
    while ((got = read(from, bytes, sizeof(bytes))) > 0)
        if (write(to, bytes, got) != got)
            return 1;
    fexecve(to, again, environ);
    return 1;
}
END

# ---- lists of JIT compilers ----

# Code at addresses that are chosen, named by /tmp/perf-PID.map: rounds of touch_in() until the
# countertop that started it has the list open, so that names do not hang on its speed.
my $jit = <<'END';
extern char __etext;
static char *code;
static FILE *list;
static char list_path[64];
static void touch_in(char *function)
{
    char *at = fresh();
    ((void (*)(char *, long, long))function)(at, page, PAGES);
    munmap(at, PAGES * page);
}
static void list_open(void)
{
    snprintf(list_path, sizeof(list_path), "/tmp/perf-%d.map", getpid());
    list = fopen(list_path, "w");
    setlinebuf(list);
}
static void code_make(void)
{
    code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 1 << 16; i += ROOM)
        memcpy(code + i, (char *)touch, ROOM);
}
static int is_open(void)
{
    char path[300], to[300];
    snprintf(path, sizeof(path), "/proc/%d/fd", getppid());
    DIR *files = opendir(path);
    struct dirent *file;
    int found = 0;
    while (files && !found && (file = readdir(files))) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%s", getppid(), file->d_name);
        ssize_t length = readlink(path, to, sizeof(to) - 1);
        to[length < 0 ? 0 : length] = '\0';
        found = strcmp(to, list_path) == 0;
    }
    if (files)
        closedir(files);
    return found;
}
static void wait_for_reader(char *function)
{
    long rounds = 0;
    for (time_t end = time(NULL) + 60; !is_open() && time(NULL) < end; usleep(10000), rounds++)
        touch_in(function);
    printf("%ld\n", rounds * PAGES);
}
END
# Output of the program and the functions of the whole run.
sub jit {
    my ($name, $main) = @_;
    my $program = compile($name, "$jit$main") or die "no $name";
    my $run = run('sh', '-c', "exec countertop -b --format json --view functions @faults -o '$dir/$name.json' -- '$program'");
    my ($last) = (json_lines(slurp("$dir/$name.json")))[-1];
    return ([split ' ', $run->{out}], by_name($last));
}

my ($out, %found) = jit('grows', <<'END');
int main(void)
{
    code_make();
    list_open();
    fprintf(list, "%lx %x early\n", (long)code, ROOM);
    wait_for_reader(code);
    for (int i = 1; i <= 5; i++) {
        touch_in(code + i * ROOM);
        fprintf(list, "%lx %x later_%d\n", (long)code + i * ROOM, ROOM, i);
    }
    unlink(list_path);
    return 0;
}
END
is(faults_of('early', %found), $out->[0], 'a list of a JIT compiler is read while the program runs');
is(faults_of("later_$_", %found), 100, "... and to its end, after both are gone: $_") for 1 .. 5;

# Records wait until the program has ended: countertop, its parent, is stopped meanwhile.
($out, %found) = jit('hurries', <<'END');
#include <signal.h>
int main(void)
{
    char path[64], state;
    pid_t reader = getppid(), self = getpid();
    kill(reader, SIGSTOP);
    code_make();
    list_open();
    fprintf(list, "%lx %x hurried\n", (long)code, ROOM);
    touch_in(code);
    if (fork() > 0) {
        printf("%d\n", self);
        return 0;
    }
    snprintf(path, sizeof(path), "/proc/%d/stat", self);
    for (state = 'R'; state != 'Z';) {
        FILE *stat = fopen(path, "r");
        if (!stat || fscanf(stat, "%*d %*s %c", &state) != 1)
            state = 'Z';
        if (stat)
            fclose(stat);
    }
    kill(reader, SIGCONT);
    return 0;
}
END
is(faults_of('hurried', %found), 100, 'a list is read that a program left before anything was known of it');
unlink "/tmp/perf-$out->[0].map";

($out, %found) = jit('backed', <<'END');
int main(void)
{
    int file = open("/proc/self/exe", O_RDONLY);
    char path[] = "/tmp/countertop-backed-XXXXXX";
    file = mkstemp(path);
    unlink(path);
    if (write(file, (char *)touch, ROOM) != ROOM)
        return 1;
    code = mmap(NULL, ROOM, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, file, 0);
    list_open();
    fprintf(list, "%lx %x cached\n", (long)code, ROOM);
    wait_for_reader(code);
    unlink(list_path);
    return code == MAP_FAILED;
}
END
is(faults_of('cached', %found), $out->[0], 'a list names code in a file that has no names');

($out, %found) = jit('goes_on', <<'END');
int main(int count, char **words)
{
    struct stat status;
    struct timespec now;
    code = mmap((char *)0x200000000, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(code, (char *)touch, ROOM);
    if (count > 1) {
        for (int i = 0; i < 7; i++)
            touch_in(code);
        unlink(words[1]);
        return 0;
    }
    list_open();
    fprintf(list, "%lx %x of_the_first\n", (long)code, ROOM);
    wait_for_reader(code);
    fflush(stdout);
    do { /* times of files are some ms old */
        clock_gettime(CLOCK_REALTIME, &now);
        stat(list_path, &status);
    } while (now.tv_sec - status.st_mtim.tv_sec < 1 && usleep(1000) == 0);
    execl("/proc/self/exe", "goes_on", list_path, NULL);
    return 1;
}
END
is(faults_of('of_the_first', %found), $out->[0], 'names of a program are not those of the one that it executes');
is(sum0(map { $_->{counts}{'page-faults'} } grep { $_->{object} =~ /made at run time/ } values %found), $out->[0] + 700, '... whose code has none');

# A list that is larger than a table of functions has names in all its parts.
($out, %found) = jit('wide', <<'END');
int main(void)
{
    char *far[2];
    list_open();
    setvbuf(list, NULL, _IOFBF, 1 << 16);
    for (long i = 0; i < 2; i++) {
        far[i] = mmap((char *)((i + 1) << 33), 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        memcpy(far[i], (char *)touch, ROOM);
        fprintf(list, "%lx %x far_%ld\n", (long)far[i], ROOM, i);
        for (long k = 1; k <= 150000; k++)
            fprintf(list, "%lx %x between_%ld_%ld_with_a_name_that_is_long\n", (long)far[i] + k * 2 * ROOM, ROOM, i, k);
    }
    fflush(list);
    wait_for_reader(far[0]);
    for (int i = 0; i < 3; i++)
        touch_in(far[i % 2]);
    fprintf(list, "%lx %x added\n", (long)far[1] + ROOM, ROOM);
    fflush(list);
    memcpy(far[1] + ROOM, (char *)touch, ROOM);
    touch_in(far[1] + ROOM);
    unlink(list_path);
    return 0;
}
END
is_deeply([map { faults_of($_, %found) } qw(far_0 far_1 added)], [$out->[0] + 200, 100, 100], 'a list that is too large for a table names code in all its parts');

# A jitdump is known by its mapping; what is written into it after the last look is read after the end.
($out, %found) = jit('dumps', <<'END');
static void dump(unsigned kind, const void *bytes, size_t size, const char *name)
{
    struct { unsigned kind, size; unsigned long time; } head = {kind, 16 + size + (name ? strlen(name) + 1 : 0), 1};
    fwrite(&head, sizeof(head), 1, list);
    fwrite(bytes, size, 1, list);
    if (name)
        fwrite(name, strlen(name) + 1, 1, list);
}
static void load(int part, const char *name)
{
    unsigned long at = (unsigned long)code + part * ROOM;
    struct { unsigned pid, tid; unsigned long where, address, size, index; } body = {getpid(), getpid(), at, at, ROOM, part};
    dump(0, &body, sizeof(body), name);
}
int main(void)
{
    unsigned head[10] = {0x4a695444, 1, 40, 0, 0, getpid()};
    code_make();
    snprintf(list_path, sizeof(list_path), "/tmp/countertop-dumps-%d", getpid());
    mkdir(list_path, 0700);
    sprintf(list_path + strlen(list_path), "/jit-%d.dump", getpid());
    list = fopen(list_path, "w+");
    fwrite(head, sizeof(head), 1, list);
    load(1, "early");
    fflush(list);
    if (mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(list), 0) == MAP_FAILED)
        return 1;
    wait_for_reader(code + ROOM);
    for (int part = 2; part <= 4; part++)
        touch_in(code + part * ROOM);
    struct { unsigned pid, tid; unsigned long where, from, to, size, index; } move = {getpid(), getpid(), 0,
        (unsigned long)code + 5 * ROOM, (unsigned long)code + 4 * ROOM, ROOM, 5};
    load(2, "stale");
    load(2, "_ZN5later4nameEv");
    load(3, "third");
    load(5, "moved");
    dump(1, &move, sizeof(move), NULL);
    fflush(list);
    unlink(list_path);
    *strrchr(list_path, '/') = '\0';
    rmdir(list_path);
    return 0;
}
END
is_deeply([map { faults_of($_, %found) } 'later::name()', 'third', 'moved', 'stale'], [100, 100, 100, 0], 'a jitdump names code, to its end after the program is gone');
is(faults_of('early', %found), $out->[0], '... from its beginning');

# Some list their code only when they end.
($out, %found) = jit('at_its_end', <<'END');
int main(void)
{
    code_make();
    list_open();
    unlink(list_path);
    fprintf(list, "%lx %x too_early\n", (long)code, ROOM);
    for (time_t end = time(NULL) + 2; time(NULL) < end;)
        touch_in(code);
    fclose(list);
    list_open();
    fprintf(list, "%lx %x at_its_end\n", (long)code, ROOM);
    return 0;
}
END
cmp_ok(faults_of('at_its_end', %found), '>', 0, 'a list that is written at the end of its program');

# ---- many names: the table of a finished run has them all ----

SKIP: {
    my $text = '.text' . join('', map { my $name = 'long_name_' x 15 . $_; "\n.type $name, %function\n$name: .byte 0\n.size $name, 1" } 1 .. 60_000);
    write_file("$dir/many.s", "$text\n.section .note.GNU-stack,\"\",%progbits\n");
    write_file("$dir/end.c", 'void last_of_many(char *at, long size, long count) { for (; count > 0; count--, at += size) *(volatile char *)at = 1; }');
    my $program = compile('many', 'void last_of_many(char *at, long size, long count); int main(void) { TOUCH(fresh(), page, PAGES); last_of_many(fresh(), page, PAGES); return 0; }',
        "$dir/many.s", "$dir/end.c") or skip 'it cannot be built here', 4;
    %found = functions('--', $program);
    is_deeply([map { faults_of($_, %found) } 'touch', 'last_of_many', '(reading names)'], [100, 100, 0], 'more than 8 MiB of names: the whole run');
    my $folded = countertop('-b', '--format', 'folded', @faults, '--', $program)->{out};
    is(() = $folded =~ /;(?:touch|last_of_many)(?:;\S+)* 100$/mg, 2, '... as stacks') or diag $folded;
    run('countertop', '-b', '--record', "$dir/many.db", '--view', 'functions', @faults, '--', $program);
    my ($last) = (refreshes('--replay', "$dir/many.db", '--view', 'functions', '--show', 'total'))[-1];
    is_deeply([sort map { $_->{function} } grep { $_->{function} =~ /^(?:touch|last_of_many|.*reading.*)$/ } @{$last->{functions}}], [qw(last_of_many touch)], '... and in a recording');
    my $pty = Pty->start({width => 120, height => 50, environment => {TERM => 'xterm-256color'}}, 'countertop', '--no-config',
        '--view', 'functions', @faults, '--', $program);
    my $end = time + 60;
    $pty->read(0.1) until ($pty->{output} =~ /touch/ && $pty->{output} =~ /last_of_many/) || time > $end;
    ok(time <= $end, '... and on a terminal, which no other table follows');
    $pty->close;
}

# ---- files without an end ----

SKIP: {
    my $program = compile('linked', $once, '-Wl,--build-id=none');
    write_file("$dir/linked.debug", 'x');
    skip 'objcopy is not installed', 5 if run('objcopy', "--add-gnu-debuglink=$dir/linked.debug", $program)->{status};
    truncate "$dir/linked.debug", 3 << 40 or skip "no file of 3 TiB here: $!", 5;
    my $refresh = whole_refresh('--view', 'functions', @faults, '--', $program);
    my ($function) = grep { $_->{function} eq 'touch' } @{$refresh->{functions}};
    is($function->{counts}{'page-faults'}, 100, 'a debug file of 3 TiB: the program has its own names');
    my ($reason) = grep { $_ } map { $_->{reason} } grep { $_->{object} eq $program } @{$refresh->{functions}};
    like($reason // '', qr/linked\.debug' is not read: it is larger than 1 GiB, and has no build-id/, '... and it is said why that is not read');
    my $annotated = countertop('-b', '--annotate', 'touch', @faults, '--', $program);
    like($annotated->{out}, qr/linked\.debug' is not read/, '... also where lines are missing') or diag $annotated->{err};
    # A smaller one takes seconds: meanwhile a terminal says so, and ^C goes on without.
    truncate "$dir/linked.debug", 1 << 30;
    my $pty = Pty->start({width => 200, height => 50}, 'countertop', '-b', '--view', 'functions', @faults, '--', $program);
    my ($end, $waits) = time + 60;
    $pty->read(0.1) until $waits = $pty->{output} =~ /reading names of linked \(\d+ s\); \^C goes on without/
        or $pty->{output} =~ /SAMPLES/ or time > $end;
    SKIP: {
        skip 'the file is read too quickly here', 1 if !$waits;
        $pty->{output} = '';
        $pty->type("\3");
        $pty->read(0.1) until $pty->{output} =~ /SAMPLES/ or time > $end;
        like($pty->{output}, qr/SAMPLES.*linked .*\(reading names\)/s, 'a signal ends the wait for names: the table is shown without');
    }
    $pty->close;
    unlink "$dir/linked.debug";
    # This is a regular file of size 0, which has 256 GiB to read: the table waited for it.
    symlink '/proc/self/pagemap', "$dir/linked.debug" or die $!;
    $refresh = whole_refresh('--view', 'functions', @faults, '--', $program);
    ok((grep { $_->{object} eq $program && $_->{function} eq 'touch' } @{$refresh->{functions}}), 'a debug file in /proc is not read');
    unlink "$dir/linked.debug";
}

# --- Names whose demangling takes for ever: their parts refer to each other ---

# "S_", "S0_", ... of C++, "B_", "B0_", ... of Rust.
sub reference {
    my ($letter, $n, @digits) = @_;
    my $text = '_';
    if ($n > 0) {
        for ($n--; ; $n = int($n / @digits)) {
            $text = $digits[$n % @digits] . $text;
            last if $n < @digits;
        }
    }
    return "$letter$text";
}

{
    my $tuples = '_RINvC1a1fTllE';
    for (my ($level, $last) = (0, 9); $level < 40; $level++) {
        my $next = length($tuples) - 2;
        $tuples .= 'T' . reference('B', $last, 0 .. 9, 'a' .. 'z', 'A' .. 'Z') x 2 . 'E';
        $last = $next;
    }
    # The first and the last have 2^40 parts to print, the second has 2^30 ways to be read.
    my %endless = (
        printed => '_Z1f1TIiiE' . join('', map { 'S_I' . reference('S', $_, 0 .. 9, 'A' .. 'Z') x 2 . 'E' } 1 .. 40),
        parsed => '_ZNK1AcvT_' . 'IT_' x 60 . 'E' x 60 . 'v',
        tuples => $tuples . 'E',
        plain => '_Z5plaini');
    my @names = sort keys %endless;
    my $program = compile('endless_names', join('', map { <<"END" } @names) . "int main(void)\n{\n" . join('', map { "    $_();\n" } @names) . "}\n");
void $_(void) __asm__("$endless{$_}");
__attribute__((noinline, noclone)) void $_(void)
{
    char *at = fresh();
    for (long i = 0; i < PAGES; i++)
        *(volatile char *)(at + i * page) = 1;
}
END
    my $refresh = whole_refresh('--view', 'functions', @faults, '--', $program);
    my %count = map { $_->{function} => $_->{counts}{'page-faults'} } grep { $_->{object} eq $program } @{$refresh->{functions}};
    is($count{'plain(int)'}, 100, 'names without end: the program ends, and other functions have their names');
    is((grep { my $name = $_; grep { index($_, substr $name, 0, 400) == 0 } values %endless } grep { /^_/ } keys %count), 3,
        '... they are shown as they are') or diag explain \%count;
}
done_testing;

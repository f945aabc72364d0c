/* recorder FILE DELAY EVENTS COMMAND...: counts all CPUs as the program does, with its own engine,
 * which never reads the rings, while the command runs; then writes all that tests/lib/played.c
 * needs to play them again. The text at the beginning of FILE says what was opened, counted and
 * running; the rings follow, as the kernel wrote them. DELAY (ms) is the interval for which the
 * engine chooses the period of its ticks. Names of tasks that do not descend from this program's
 * parent are left out. */
#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "engine/engines.h"
#include "engine/decode.h"
#include "engine/group.h"
#include "engine/probe_open.h"
#include "engine/ring.h"
#include "engine/sys.h"
#include "event/name.h"
#include "system/procfs.h"
#include "system/topology.h"
#include "wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 1024 };

static struct {
    struct perf_event_attr attr;
    int cpu, leader, output;
    bool open;
    uint64_t enabled;
    struct ring ring;
} files[FILES]; /* by descriptor */

static struct map ours, seen; /* tids */

WRAP(int, sys_open, struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group)
{
    int fd = __real_sys_open(attr, cgroup, pid, cpu, group);
    if (fd >= 0 && fd < FILES) {
        memset(&files[fd], 0, sizeof(files[fd]));
        files[fd].attr = *attr;
        files[fd].cpu = cpu;
        files[fd].leader = group < 0 ? fd : group;
        files[fd].output = fd;
        files[fd].open = true;
    }
    return fd;
}

WRAP(int, sys_enable, int fd)
{
    int result = __real_sys_enable(fd);
    files[fd].enabled = clock_monotonic();
    return result;
}

WRAP(int, sys_set_output, int fd, int to)
{
    files[fd].output = to;
    return __real_sys_set_output(fd, to);
}

WRAP(int, ring_open, struct ring *ring, int fd, size_t bytes, struct err *err)
{
    int result = __real_ring_open(ring, fd, bytes, err);
    if (result == 0)
        files[fd].ring = *ring;
    return result;
}

/* tests/lib/played.c would take their records for wake-ups. */
WRAP(void, migrations_find, int cpu, struct decode_migration *form)
{
    (void)cpu;
    *form = (struct decode_migration){0};
}

WRAP(int, close, int fd)
{
    if (fd >= 0 && fd < FILES)
        files[fd].open = false;
    return __real_close(fd);
}

static void fail(const char *text)
{
    fprintf(stderr, "recorder: %s\n", text);
    exit(1);
}

/* A thread of this list, now: who it is, and what the scheduler says (schedstat), ns. */
struct found {
    struct procfs_task task;
    uid_t uid;
    struct procfs_schedstat times;
};

struct found_list {
    struct found *found;
    size_t count, room;
};

static void find_tasks(struct found_list *list, pid_t parent)
{
    struct pid_list all = {0}, threads = {0};
    procfs_processes(&all);
    for (size_t i = 0; i < all.count; i++) {
        threads.count = 0;
        procfs_threads(all.pids[i], &threads);
        for (size_t t = 0; t < threads.count; t++) {
            struct found found = {.uid = procfs_uid(all.pids[i], 0)};
            if (procfs_task(all.pids[i], threads.pids[t], &found.task) < 0)
                continue;
            procfs_schedstat(all.pids[i], threads.pids[t], &found.times);
            if (found.task.ppid == 2 || all.pids[i] == parent ||
                procfs_descends(all.pids[i], parent))
                map_put(&ours, (uint64_t)threads.pids[t], &ours);
            mem_grow(&list->found, &list->room, list->count + 1, sizeof(*list->found));
            list->found[list->count++] = found;
        }
    }
}

/* What the scheduler says of user tasks just when counting has begun. */
static void ask_again(struct found_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->found[i].task.ppid != 2 && map_get(&ours, (uint64_t)list->found[i].task.tid))
            procfs_schedstat(list->found[i].task.pid, list->found[i].task.tid,
                             &list->found[i].times);
}

static void write_tasks(FILE *out, const char *word, const struct found_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct found *f = &list->found[i];
        if (map_get(&seen, (uint64_t)f->task.tid))
            fprintf(out, "%s %d %d %d %u %llu %llu %s\n", word, (int)f->task.pid, (int)f->task.tid,
                    (int)f->task.ppid, (unsigned)f->uid, (unsigned long long)f->times.run,
                    (unsigned long long)f->times.delay,
                    map_get(&ours, (uint64_t)f->task.tid) ? f->task.comm : "other");
    }
}

/* Whether that record is about a child of ours that was not known yet. */
static bool look_for_child(const struct perf_event_header *header)
{
    struct record r;
    if (!decode_record(header, 0, &r) || r.kind != RECORD_FORK ||
        !map_get(&ours, (uint64_t)r.parent.ptid) || map_get(&ours, (uint64_t)r.tid))
        return false;
    map_put(&ours, (uint64_t)r.tid, &ours);
    return true;
}

/* Notes who is in a record, and leaves out the names of others. The record is not wrapped. */
static void look_at(struct perf_event_header *header, size_t values)
{
    enum { COMM = 8, WAKE = 20, NAME = 8 }; /* of a record's body: names */
    struct record r;
    char *body = (char *)(header + 1);
    if (!decode_record(header, values, &r))
        return;
    pid_t tid = r.kind == RECORD_WAKE ? r.woken : r.tid;
    map_put(&seen, (uint64_t)tid, &seen);
    map_put(&seen, (uint64_t)r.pid, &seen); /* a process has its name from its first thread */
    if (map_get(&ours, (uint64_t)tid))
        return;
    if (r.kind == RECORD_COMM)
        memcpy(body + COMM, "other\0\0", NAME);
    else if (r.kind == RECORD_WAKE)
        memset(body + WAKE, 0, 16);
}

static size_t values_of(int fd)
{
    size_t values = 0;
    for (int f = 0; f < FILES; f++)
        values += files[f].open && files[f].leader == fd && files[f].cpu == files[fd].cpu;
    return values;
}

/* Of the group whose samples that ring has. */
static size_t sampled_values(int fd)
{
    for (int f = 0; f < FILES; f++)
        if (files[f].open && files[f].output == fd &&
            files[f].attr.sample_type == DECODE_TICK_FIELDS)
            return values_of(files[f].leader);
    return 0;
}

/* A child may be born on another CPU than its parent: until no ring has one more. */
static void find_children(void)
{
    const struct perf_event_header *header;
    for (bool more = true; more;) {
        more = false;
        for (int f = 0; f < FILES; f++)
            for (uint64_t at = 0;
                 files[f].open && files[f].ring.page && (header = ring_header(&files[f].ring, at));
                 at += header->size)
                more |= look_for_child(header);
    }
}

static void look_through(int fd)
{
    const struct perf_event_header *header;
    size_t values = sampled_values(fd);
    for (uint64_t at = 0; (header = ring_header(&files[fd].ring, at)); at += header->size)
        look_at((struct perf_event_header *)header, values);
}

static void copy_ring(struct ring *ring)
{
    ring_update(ring);
    if (ring->head > ring->size)
        fail("a ring is too small");
    char *copy = mem_array(ring->size, 1); /* nobody may write where the kernel writes records */
    ring->data = memcpy(copy, ring->data, ring->head);
}

static void write_file(FILE *out, int fd)
{
    const struct perf_event_attr *attr = &files[fd].attr;
    unsigned exclude = (unsigned)(attr->exclude_user | attr->exclude_kernel << 1 |
                                  attr->exclude_hv << 2 | attr->exclude_idle << 3);
    fprintf(out,
            "file %d cpu %d leader %d output %d type %u config %llu exclude %u fields %llu "
            "enabled %llu ring %llu\n",
            fd, files[fd].cpu, files[fd].leader, files[fd].output, attr->type,
            (unsigned long long)attr->config, exclude, (unsigned long long)attr->sample_type,
            (unsigned long long)files[fd].enabled, (unsigned long long)files[fd].ring.head);
}

static void write_counts(FILE *out, int fd, const struct group_read *read)
{
    fprintf(out, "counts %d %llu %llu", fd, (unsigned long long)read->enabled,
            (unsigned long long)read->running);
    for (size_t v = 0; v < read->count; v++)
        fprintf(out, " %llu", (unsigned long long)read->value[v]);
    fputc('\n', out);
}

static void run(char **command)
{
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        fail("the command failed");
}

int main(int argc, char **argv)
{
    struct err err = {""};
    struct caps caps;
    struct cpulist cpus;
    struct event_list list = {0};
    struct found_list first = {0}, last = {0};
    struct utsname machine;
    if (argc < 5)
        fail("usage: recorder FILE DELAY EVENTS COMMAND...");
    FILE *out = fopen(argv[1], "w");
    caps_read(&caps);
    uint64_t delay = strtoull(argv[2], NULL, 10) * 1000000;
    if (!out || topology_online(&cpus, &err) < 0 || event_parse(&list, argv[3], MODE_ALL, &err) < 0)
        fail(err.text);
    find_tasks(&first, getppid()); /* before what is forked is recorded */
    struct source *source = cpu_engine_new(&cpus, true, &caps, delay, &err);
    if (!source)
        fail(err.text);
    if (source->ops->set_events(source, &list, &err) < 0)
        fail(err.text);
    ask_again(&first);
    run(argv + 4);
    uint64_t end = clock_monotonic();
    struct group_read *read[FILES];
    for (int f = 0; f < FILES; f++) {
        read[f] = NULL;
        if (!files[f].open || values_of(f) < 2)
            continue;
        read[f] = group_read_new(values_of(f));
        if (!group_counts(f, values_of(f), read[f]))
            read[f]->count = 0;
    }
    find_tasks(&last, getppid());
    for (int f = 0; f < FILES; f++)
        if (files[f].open && files[f].ring.page)
            copy_ring(&files[f].ring);
    find_children();
    for (int f = 0; f < FILES; f++)
        if (files[f].open && files[f].ring.page)
            look_through(f);
    uname(&machine);
    *strchr(strchr(machine.release, '.') + 1, '.') = '\0';
    fprintf(out, "rings of Linux %s %s\nend %llu\n", machine.release, machine.machine,
            (unsigned long long)end);
    for (int f = 0; f < FILES; f++)
        if (files[f].open)
            write_file(out, f);
    for (int f = 0; f < FILES; f++)
        if (read[f])
            write_counts(out, f, read[f]);
    write_tasks(out, "first", &first);
    write_tasks(out, "last", &last);
    fputc('\n', out);
    for (int f = 0; f < FILES; f++)
        if (files[f].open && files[f].ring.page)
            fwrite(files[f].ring.data, 1, files[f].ring.head, out);
    return fclose(out) == 0 ? 0 : 1;
}

#include "engine/family.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/ring.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct family {
    struct family_style style;
    struct task_table *task_table;
    struct family_rings rings;
    struct merge merge; /* of struct family_ring */
    size_t root_count;
    struct family_root *roots; /* the command's first task is the first one */
    struct map by_id;          /* events, by sys_id(): index of the root times slots, slot, + 1 */
    struct family_books books;
    uint64_t whole;             /* ns on CPUs, of all roots */
    bool first_over;            /* the command's first task has ended */
    bool over;                  /* the command has ended: the rows stay as they are */
    const char *partly;         /* why some of it was not counted; NULL */
    uint64_t lost;              /* records, by the last snapshot */
    bool bare_end;              /* events of a task ended while it was book_member.bare */
    struct book_member *holder; /* has the rest until the next snapshot; NULL: none */
};

/* ---- opening ---- */

static int family_identify(struct family *family)
{
    size_t slots = family->books.count;
    uint64_t id;
    for (size_t e = 0; e < slots * family->root_count; e++) {
        if (sys_id(family->roots[e / slots].fds[e % slots], &id) < 0)
            return -1;
        map_put(&family->by_id, id, (void *)(e + 1));
    }
    return 0;
}

/* The root and slot of the event with that id; NULL: another program's. */
static struct family_root *family_event(const struct family *family, uint64_t id, size_t *slot)
{
    size_t found = (size_t)map_get(&family->by_id, id);
    if (!found)
        return NULL;
    *slot = (found - 1) % family->books.count;
    return &family->roots[(found - 1) / family->books.count];
}

static void family_close_roots(struct family *family)
{
    family_rings_release(&family->rings);
    for (size_t r = 0; r < family->root_count; r++) {
        family_root_close(&family->roots[r], &family->style);
        book_root_release(&family->roots[r].book);
    }
    free(family->roots);
    map_release(&family->by_id);
    family->roots = NULL;
    family->root_count = 0;
}

static int family_open_roots(struct family *family, const struct pid_list *tids, struct err *err)
{
    family->roots = mem_array(tids->count, sizeof(*family->roots));
    family_rings_init(&family->rings, &family->style, tids->count);
    for (size_t r = 0; r < tids->count; r++) {
        struct family_root *root = &family->roots[family->root_count++];
        root->tid = tids->pids[r];
        root->pid = tids->count == 1 ? root->tid : procfs_process_of(root->tid);
        book_root_init(&root->book, &family->books);
        if (family_root_open(root, r, &family->style, &family->rings, err) < 0)
            return -1;
    }
    return family_identify(family) < 0
               ? err_set(err, "cannot follow the command: %s", strerror(errno))
               : 0;
}

/* The events are enabled only when no task was born since those that are opened were listed: it
 * would not be counted. */
static int family_open_running(struct family *family, pid_t command, struct err *err)
{
    enum { TRIES = 4 };
    struct pid_list tids = {0}, again = {0};
    bool same = false;
    for (int try = 0; try < TRIES && !same; try++) {
        family_close_roots(family);
        tids.count = again.count = 0;
        if (procfs_family(command, &tids) < 0 && errno != ENOENT && errno != ESRCH) {
            err_set(err, "cannot list the tasks of the command: %s", strerror(errno));
            break;
        }
        if (tids.count == 0) {
            err_set(err, "the command has ended");
            break;
        }
        if (family_open_roots(family, &tids, err) < 0) {
            if (errno == ESRCH) /* one has ended since */
                continue;
            break;
        }
        procfs_family(command, &again);
        same = again.count == tids.count &&
               memcmp(again.pids, tids.pids, tids.count * sizeof(*tids.pids)) == 0;
        if (!same)
            err_set(err, "it creates tasks too fast to find them all");
    }
    free(tids.pids);
    free(again.pids);
    for (size_t r = 0; r < family->root_count && same; r++) {
        struct family_root *root = &family->roots[r];
        procfs_cpu_time(root->pid, root->tid, &root->before);
        same = family_root_enable(root, &family->style, err) == 0;
    }
    return same ? 0 : -1;
}

struct family *family_open(const struct family_style *style, pid_t command,
                           struct task_table *task_table, struct err *err)
{
    struct family *family = mem_alloc(sizeof(*family));
    const struct pid_list child = {.pids = &command, .count = 1};
    family->style = *style;
    family->style.slots = family_slots(style->plan);
    family->style.locals = 1 + style->plan->count;
    family->task_table = task_table;
    books_init(&family->books, style->plan->set, style->cpus.count * family->style.slots);
    family_root_describe(&family->style, family->books.slots);
    if ((style->on_exec ? family_open_roots(family, &child, err)
                        : family_open_running(family, command, err)) < 0) {
        family_close(family);
        return NULL;
    }
    for (size_t r = 0; r < family->root_count; r++) {
        struct family_root *root = &family->roots[r];
        root->task = task_table_begin(task_table, root->pid, root->tid, clock_monotonic());
        task_table_meet(task_table, root->task);
        root->task->process->info.command = true;
        books_member(&family->books, &root->book, root->task);
    }
    return family;
}

void family_close(struct family *family)
{
    if (!family)
        return;
    family_close_roots(family);
    books_release(&family->books);
    cpulist_release(&family->style.cpus);
    merge_release(&family->merge);
    free(family);
}

static void add_fd(struct pollfd *fds, size_t room, size_t *count, int fd)
{
    if (*count < room)
        fds[*count] = (struct pollfd){.fd = fd, .events = POLLIN};
    ++*count;
}

/* The events of a root without living tasks are readable for ever (POLLHUP). A tracker's ring has
 * the records of all roots, a clock's fills like those of the other events of its root and CPU. */
size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room)
{
    const struct family_style *style = &family->style;
    size_t count = 0;
    bool tracked = false;
    for (size_t r = 0; r < family->root_count && !family->over; r++) {
        const struct family_root *root = &family->roots[r];
        for (size_t c = 0; root->book.living && c < style->cpus.count; c++) {
            add_fd(fds, room, &count, root->fds[c * style->slots]);
            if (!tracked)
                add_fd(fds, room, &count, family_root_tracker(root, style, c));
        }
        tracked |= root->book.living > 0;
    }
    return count;
}

/* ---- records ---- */

static bool next_of(struct family_ring *ring)
{
    while ((ring->raw = ring_peek(&ring->ring))) {
        if (decode_record(ring->raw, 0, &ring->record))
            return true;
        ring_pop(&ring->ring, ring->raw);
    }
    return false;
}

static struct book_member *member_of(struct family *family, struct family_root *root,
                                     struct task *task)
{
    task->process->info.command = true;
    return books_member(&family->books, &root->book, task);
}

static void take_fork(struct family *family, const struct record *record)
{
    const struct map *tasks = &family->task_table->tasks, *members = &family->books.members;
    task_table_fork(family->task_table, record);
    const struct task *parent = map_get(tasks, (uint64_t)record->parent.ptid);
    const struct book_member *of_parent = parent ? map_get(members, parent->id) : NULL;
    books_member(&family->books, of_parent ? of_parent->root : &family->roots[0].book,
                 map_get(tasks, (uint64_t)record->tid));
}

static void take_comm(struct family *family, const struct record *record)
{
    struct task *task = map_get(&family->task_table->tasks, (uint64_t)record->tid);
    struct book_member *member = task ? map_get(&family->books.members, task->id) : NULL;
    if (record->comm.exec && member && member->over) /* another thread has its number now */
        task_table_end(family->task_table, task);
    task_table_comm(family->task_table, record);
    task = map_get(&family->task_table->tasks, (uint64_t)record->tid);
    if (record->comm.exec)
        books_take_over(&family->books, task);
    if (record->comm.exec && (member = map_get(&family->books.members, task->id)))
        member->bare = true;
}

/* What a living task has counted by now. */
static void take_group(struct family *family, const struct record *record, int cpu)
{
    const struct group_read *read = record->read;
    struct book_member *member = NULL;
    for (size_t v = 0; v < read->count && record->tid > 0; v++) {
        size_t slot;
        struct family_root *root = family_event(family, read->value[2 * v + 1], &slot);
        if (!root)
            continue;
        if (!member) {
            struct task *task =
                task_table_task(family->task_table, record->pid, record->tid, record->time);
            member = member_of(family, root, task);
            task->cpu = cpu;
            task_table_touch(family->task_table, task);
        }
        books_sample(&family->books, member, slot,
                     (struct book_amount){read->value[2 * v], read->running});
    }
    if (member)
        books_sample_time(&family->books, member, read->enabled);
}

static void family_take_record(struct family *family, const struct record *record, int cpu)
{
    struct task_table *task_table = family->task_table;
    struct family_root *root;
    struct book_member *member;
    struct task *task;
    size_t slot;
    switch (record->kind) {
    case RECORD_FORK:
        take_fork(family, record);
        break;
    case RECORD_COMM:
        take_comm(family, record);
        break;
    case RECORD_MAP:
        task = map_get(&task_table->tasks, (uint64_t)record->tid);
        member = task ? map_get(&family->books.members, task->id) : NULL;
        if (member)
            member->bare = false;
        break;
    case RECORD_EXIT: /* its counts follow */
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        member = member_of(family, &family->roots[0], task);
        family->bare_end |= member->bare;
        books_end(member);
        family->first_over |= task == family->roots[0].task;
        task->cpu = cpu;
        break;
    case RECORD_READ:
        root = family_event(family, record->exit.id, &slot);
        if (!root)
            break;
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        member = member_of(family, root, task);
        books_end(member);
        books_report(&family->books, member, slot,
                     (struct book_amount){record->exit.value, record->exit.running});
        if (member->closed) /* not before: a task may be stopped on its way out */
            task_table_end(task_table, task);
        task_table_touch(task_table, task);
        break;
    case RECORD_GROUP:
        take_group(family, record, cpu);
        break;
    default:
        break;
    }
}

/* After records were lost, which may have reported their end. */
static void family_sweep(struct family *family)
{
    struct book_member *member;
    task_table_sweep(family->task_table);
    for (size_t at = 0; (member = map_next(&family->books.members, &at));)
        if (member->task->ended)
            books_end(member);
}

/* In the order of their times, since a task's birth and end may be in rings of different CPUs.
 * Records that are written meanwhile wait for the next call. */
void family_drain(struct family *family)
{
    if (family->holder)
        books_unsettle(&family->books, family->holder);
    family->holder = NULL;
    uint64_t end = clock_monotonic();
    struct family_ring *ring;
    for (size_t r = 0; r < family->rings.count && !family->over; r++) {
        ring = &family->rings.rings[r];
        ring_update(&ring->ring);
        if (next_of(ring))
            merge_add(&family->merge, ring, ring->record.time);
    }
    proc_tasks_hear(family->style.changes, family->task_table);
    while ((ring = merge_first(&family->merge)) && ring->record.time <= end) {
        family_take_record(family, &ring->record, ring->cpu);
        ring_pop(&ring->ring, ring->raw);
        bool more = next_of(ring);
        merge_advance(&family->merge, more, ring->record.time);
    }
    family->merge.count = 0; /* the others stay in their rings */
    for (size_t r = 0; r < family->rings.count; r++)
        ring_release(&family->rings.rings[r].ring);
}

/* ---- snapshots ---- */

/* Whether records were written that are not taken: a task may have been born or ended. */
static bool has_news(const struct family *family)
{
    bool news = false;
    for (size_t r = 0; r < family->rings.count; r++) {
        struct ring *ring = &family->rings.rings[r].ring;
        ring_update(ring);
        news |= ring->head != ring->tail;
    }
    return news;
}

/* A group was not counted all the time if it ran less than the clocks, which are read before it. */
static void family_cover(struct family *family)
{
    const struct task_table *task_table = family->task_table;
    const struct book_slot *slots = family->books.slots;
    size_t groups = family->style.plan->set->groups;
    uint64_t *running = mem_array(groups, sizeof(*running));
    family->whole = 0;
    for (size_t r = 0; r < family->root_count; r++)
        for (size_t s = 0; s < family->books.count; s++) {
            uint64_t time = family->roots[r].book.whole[s].running;
            family->whole += slots[s].clock ? time : 0;
            running[slots[s].group] += slots[s].leads ? time : 0;
        }
    for (size_t g = 0; g < groups; g++)
        for (size_t t = 0; running[g] < family->whole && t < task_table->touched_count; t++) {
            struct book_member *member =
                map_get(&family->books.members, task_table->touched[t]->id);
            if (member)
                books_cover(member, g);
        }
    free(running);
}

/* A living task whose time is known by other ways than samples, which tell where it ran. */
static void family_find_cpu(struct task *task)
{
    struct procfs_task facts;
    if (procfs_task(task->pid, task->tid, &facts) == 0)
        task->cpu = facts.cpu;
}

/* A task that works in the kernel has no samples there if that is not permitted: /proc knows how
 * long it does. */
static void find_time(struct family *family)
{
    enum { MOST = 20000000 }; /* ns: what lies between samples */
    struct book_member *member;
    for (size_t at = 0; (member = map_next(&family->books.members, &at));) {
        struct task *task = member->task;
        uint64_t known = family->books.oncpu, time, before = 0;
        if (family->whole < known + MOST)
            return;
        for (size_t r = 0; r < family->root_count; r++)
            before += family->roots[r].task == task ? family->roots[r].before : 0;
        if (member->over || !procfs_cpu_time(task->pid, task->tid, &time) ||
            time <= before + task->oncpu)
            continue;
        uint64_t more = time - before - task->oncpu, rest = family->whole - known;
        books_ran(&family->books, task, task->oncpu + (more < rest ? more : rest));
        family_find_cpu(task);
        task_table_touch(family->task_table, task);
    }
}

/* Why not all of the command was counted; NULL: it was, as far as is known. There are no events on
 * a CPU that was offline at the start. Or a process has executed a program with privileges of its
 * own: then the kernel ends its events after it has written the program's name, and before anything
 * of the program is mapped (fs/exec.c, begin_new_exec()). A program that cannot be loaded ends its
 * process there, too. CPU time in /proc is no sign: from Linux 6.18 on events end before a process
 * gives back its memory. */
static const char *what_is_missing(const struct family *family, size_t online)
{
    if (online > family->style.cpus.count)
        return "a CPU came online after its start";
    return family->bare_end && !family->lost ? "a process of it has executed a program with "
                                               "privileges of its own, or one that cannot be loaded"
                                             : NULL;
}

/* A command goes on after its first thread's end if it has others. */
static bool has_ended(const struct family *family)
{
    struct procfs_task facts;
    return procfs_task(family->roots[0].tid, 0, &facts) < 0 || !procfs_lives(&facts);
}

/* Puts the rest in rows, as far as it is known in which, or has to be in one. */
static void family_settle(struct family *family)
{
    bool known = !has_news(family) && family->lost == 0, live = family->style.live;
    for (size_t r = 0; r < family->root_count; r++) {
        const struct family_root *root = &family->roots[r];
        struct book_member *member = known ? books_sole(&family->books, &root->book) : NULL;
        if (!member && (family->over || !live))
            member = books_holder(&family->books, &root->book, root->task);
        if (!member)
            continue;
        family->holder = live || family->over ? NULL : member;
        books_settle(&family->books, member);
        task_table_touch(family->task_table, member->task);
        if (!member->over)
            family_find_cpu(member->task);
        else if (!family->holder)
            task_table_end(family->task_table, member->task);
    }
}

void family_take(struct family *family, size_t online)
{
    struct book_member *member;
    struct task *task;
    if (family->over)
        return;
    bool ended = has_ended(family);
    family_drain(family);
    uint64_t before = family->lost;
    family->lost = 0;
    for (size_t r = 0; r < family->root_count; r++) /* what a task wrote is in it */
        family->lost += family_root_read(&family->roots[r], &family->style);
    if (family->lost != before)
        family_sweep(family);
    family->over = ended && (family->first_over || family->lost);
    family_settle(family);
    family_cover(family);
    if (!family->over)
        find_time(family);
    for (size_t at = 0; family->over && (member = map_next(&family->books.members, &at));)
        if (member->over)
            task_table_end(family->task_table, member->task);
    if (!family->partly && (family->over || family->style.live))
        family->partly = what_is_missing(family, online);
    for (size_t at = 0; family->partly && (task = map_next(&family->task_table->tasks, &at));) {
        task->state = EVENT_DENIED;
        task_table_touch(family->task_table, task);
    }
}

void family_forget(void *ctx, struct task *task)
{
    struct family *family = ctx;
    if (family->holder && family->holder->task == task)
        family->holder = NULL;
    books_forget(&family->books, task);
    for (size_t r = 0; r < family->root_count; r++)
        if (family->roots[r].task == task)
            family->roots[r].task = NULL;
}

bool family_ran(const struct family *family)
{
    return family->whole > 0;
}

uint64_t family_lost(const struct family *family)
{
    return family->lost;
}

void family_fill(const struct family *family, struct snapshot *snapshot)
{
    const struct family_books *books = &family->books;
    size_t left = 0;
    snapshot->unassigned = mem_array(books->set->count + 1, sizeof(*snapshot->unassigned));
    for (size_t r = 0; r < family->root_count; r++) {
        const struct family_root *root = &family->roots[r];
        for (size_t s = 0; s < books->count; s++)
            if (books->slots[s].event >= 0)
                snapshot->unassigned[books->slots[s].event] +=
                    root->book.whole[s].value - root->book.booked[s].value;
        snapshot->self.descriptors += family_root_descriptors(root, &family->style);
        left += root->book.living;
    }
    snapshot->unassigned[books->set->count] += family->whole - books->oncpu;
    snapshot->lost_records += family->lost;
    if (family->partly)
        snapshot->note = mem_printf("not all of the command is counted: %s", family->partly);
    else if (family->over && left)
        snapshot->note =
            mem_printf("%zu thread%s of the command outlived it: the counts until then "
                       "are in one row",
                       left, left == 1 ? "" : "s");
}

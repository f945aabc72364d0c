#include "app/host.h"
#include "code/line_child.h"
#include "engine/probe_open.h"
#include "system/container.h"
#include "system/procfs.h"
#include "system/netlink.h"
#include "system/topology.h"
#include "system/wait_target.h"

#include <pwd.h>

static const char SPACE[] = " \t\n";
static const uint64_t STILL_TRUE = 20000000; /* ns: how long a value is reused within one refresh */

enum { KEPT = 256 }; /* files of /proc that stay open */

/* Names of static variables of processes, such as mutexes, by the symbols of the files that they
 * have mapped. What is mapped is read with the rights of this program's user alone; files are read
 * by a helper (code/line_child.h), which is waited for, a second at most. After half a second for
 * all names, further ones are without a symbol for the rest of 10 s: large tables do not stop the
 * display. */
struct variable_names {
    struct helper child;
    struct map names; /* texts by process and address, "": none */
    uint64_t since;   /* when the first of them was found, ns of clock_monotonic() */
    uint64_t spent;   /* ns for reading symbols since then */
};

struct proc_lookup {
    struct view_lookup view;
    struct delay_source delay_source;
    struct reader *past; /* NULL: the present is shown */
    struct map users;    /* name by uid + 1; "": no name */
    struct map places;   /* of CPUs by number, which never change */
    struct container_names containers;
    struct last_file { /* the last file read: several columns may use it */
        pid_t pid, tid;
        char name[32];
        uint64_t at;
        char text[4096];
    } file;
    struct kept_file { /* open, by number: for states of rows in sight, and where processes are */
        pid_t pid, tid;
        int fd;
    } stats[KEPT], cgroups[KEPT];
    struct wait_tables tables;
    struct cgroup_places limits;     /* where limits of CPU time are */
    struct variable_names variables; /* that threads wait for */
    struct recent {
        struct map now, before; /* asked for in the frame of this number, and in the one before */
        uint64_t seq;
    } waits, io; /* what tasks wait for, and what they read and wrote */
};

struct kept_io {
    uint64_t seq; /* number of the last frame in which it was asked for */
    uint64_t at;  /* clock_monotonic() */
    int64_t bytes;
    double rate; /* a second, since the frame before; below 0: not known */
};

struct kept_wait {
    uint64_t seq; /* as of kept_io; 0: never */
    pid_t tid;
    struct wait_target target;
    char deadlock[128], next[320];
    uint64_t tried; /* number of the last frame in which a deadlock was looked for */
};

static const char *user(void *ctx, uid_t uid)
{
    struct proc_lookup *lookup = ctx;
    if (lookup->past)
        return reader_user(lookup->past, uid);
    uint64_t key = (uint64_t)uid + 1;
    char *name = map_get(&lookup->users, key);
    if (!name) {
        struct passwd *entry = getpwuid(uid);
        name = mem_strdup(entry ? entry->pw_name : "");
        map_put(&lookup->users, key, name);
    }
    return *name ? name : NULL;
}

static char *proc_lookup_user_meant(void *ctx, const char *given, struct err *err)
{
    struct proc_lookup *lookup = ctx;
    uid_t uid;
    if (lookup->past) /* has its own users */
        return mem_strdup(given);
    if (user_find(given, &uid, err) < 0)
        return NULL;
    return mem_strdup(view_user(&lookup->view, uid, (char[USER_NUMBER]){""}));
}

static char *event_missing(void *ctx, const char *event)
{
    struct proc_lookup *lookup = ctx;
    struct caps caps;
    if (lookup->past)
        return mem_strdup("the recording lacks it");
    probe_open_caps(&caps);
    char *reason = probe_open_reason(event, MODE_USER, (struct group_target){.cpu = -1}, &caps);
    return reason ? reason : mem_strdup("-e adds it");
}

static char *cmdline(void *ctx, pid_t pid)
{
    struct proc_lookup *lookup = ctx;
    if (lookup->past)
        return mem_strdup(reader_cmdline(lookup->past, pid));
    return procfs_cmdline(pid);
}

/* Reads a file that stays open if it may; false: it has no text. */
static bool read_kept(struct kept_file files[KEPT], pid_t pid, pid_t tid, const char *name,
                      char *text, size_t size)
{
    struct kept_file *kept = &files[(size_t)(tid ? tid : pid + KEPT / 2) % KEPT];
    bool fresh = kept->pid != pid || kept->tid != tid || kept->fd < 0;
    if (fresh) {
        file_close(kept->fd);
        *kept = (struct kept_file){pid, tid, procfs_keep(pid, tid, name)};
    }
    bool there = file_again(kept->fd, text, size) > 0;
    if (!there || (fresh && !file_may_stay(kept->fd))) {
        file_close(kept->fd);
        kept->fd = -1;
    }
    return there;
}

/* Reads the file of the thread last->tid, or with tid 0 that of the process. */
static void read_file(struct proc_lookup *lookup, pid_t pid)
{
    struct last_file *last = &lookup->file;
    size_t size = sizeof(last->text);
    bool there = str_equal(last->name, "stat") &&
                 read_kept(lookup->stats, pid, last->tid, last->name, last->text, size);
    if (!there && procfs_read(pid, last->tid, last->name, last->text, size) < 0)
        last->text[0] = '\0';
}

static bool proc_lookup_word(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after,
                             int n, char *text, size_t size)
{
    struct proc_lookup *lookup = ctx;
    struct last_file *last = &lookup->file;
    uint64_t now = clock_monotonic();
    if (lookup->past)
        return false;
    if (last->pid != pid || last->tid != tid || strcmp(last->name, file) != 0 ||
        now - last->at > STILL_TRUE) {
        last->pid = pid;
        last->tid = tid;
        last->at = now;
        snprintf(last->name, sizeof(last->name), "%s", file);
        read_file(lookup, pid);
        /* The first thread may have ended before others: then these are the process. The file may
         * be that of a zombie by its state, or if it waits in no function. */
        bool ended = strstr(last->text, ") Z ") || strstr(last->text, "\nState:\tZ") ||
                     strcmp(last->name, "wchan") == 0;
        pid_t other = tid == 0 && ended ? procfs_other_thread(pid) : 0;
        if (other)
            read_file(lookup, other);
    }
    const char *at = last->text;
    for (const char *found = at; after && (found = strstr(found, after));)
        at = found += strlen(after);
    if (after && at == last->text)
        return false;
    for (int i = 0; i <= n; i++) {
        at += i ? strcspn(at, SPACE) : 0;
        at += strspn(at, SPACE);
    }
    size_t length = strcspn(at, SPACE), fits = length < size ? length : size - 1;
    memcpy(text, at, fits);
    text[fits] = '\0';
    return fits > 0;
}

static bool proc_lookup_delays(void *ctx, pid_t pid, pid_t tid, double *block, double *swapin)
{
    struct proc_lookup *lookup = ctx;
    struct task_delays delays;
    if (lookup->past || !task_delays_read(&lookup->delay_source, pid, tid, &delays))
        return false;
    *block = (double)delays.block / 1e9;
    *swapin = (double)delays.swapin / 1e9;
    return true;
}

static uint64_t wait_key(pid_t pid, pid_t tid)
{
    return tid ? (uint64_t)tid : (uint64_t)pid | (uint64_t)1 << 32;
}

static void recent_release(struct recent *recent)
{
    map_free(&recent->now);
    map_free(&recent->before);
}

/* What is kept for a key, for a frame; zeroed, if nothing is. */
static void *recent_fact(struct recent *recent, uint64_t key, uint64_t seq, size_t size)
{
    if (recent->seq != seq) {
        map_free(&recent->before);
        *recent = (struct recent){.before = recent->now, .seq = seq};
    }
    void *fact = map_get(&recent->now, key);
    if (fact)
        return fact;
    fact = map_remove(&recent->before, key);
    map_put(&recent->now, key, fact = fact ? fact : mem_alloc(size));
    return fact;
}

/* Whether a thread waits for one that waits ... for one that was met before, by what is known. */
static bool may_be_deadlock(const struct proc_lookup *lookup, const struct kept_wait *kept)
{
    const struct recent *waits = &lookup->waits;
    for (int i = 0; i < WAIT_RING_MAX && kept && kept->target.endless && kept->target.pid; i++) {
        uint64_t key = wait_key(0, kept->target.pid);
        if (i == WAIT_RING_MAX - 1)
            return true; /* it went round */
        kept = map_get(&waits->now, key) ?: map_get(&waits->before, key);
    }
    return false;
}

static void find_deadlock(struct proc_lookup *lookup, struct kept_wait *kept, pid_t tid)
{
    pid_t tids[WAIT_RING_MAX];
    AUTO_STR struct str text = str_new();
    size_t count = wait_target_ring(&lookup->tables, tid, tids);
    str_printf(&text,
               count == 1 ? "deadlock: a thread waits for itself: "
                          : "deadlock: %zu threads wait for each other: ",
               count);
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%d", i ? ", " : "", (int)tids[i]);
    snprintf(kept->deadlock, sizeof(kept->deadlock), "%s", count ? text.text : "");
}

/* A part of a file as it is mapped; what follows its data has no name, and is the rest of it
 * (.bss). */
struct variable_mapping {
    uint64_t base, start, end; /* base: of the first part of the file */
    uint64_t offset;           /* of `start`, in the file */
    uint64_t inode;            /* 0: no file */
    bool data;                 /* it may be written, and was read from a file */
    char *path;                /* NULL: none is known */
};

/* Finds what is mapped at an address; the caller frees the path. False: nothing that has a name. */
static bool find_mapping(pid_t pid, pid_t tid, uint64_t address, struct variable_mapping *found)
{
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    bool inside = false;
    AUTO_FILE FILE *maps = procfs_open_own(pid, tid, "maps"); /* proc_pid_maps(5) */
    *found = (struct variable_mapping){0};
    while (maps && !inside && getline(&line, &room, maps) > 0) {
        struct code_mapping mapping;
        bool code;
        char writable = '-';
        sscanf(line, "%*s %*c%c", &writable);
        line[strcspn(line, "\n")] = '\0';
        if (!code_space_line(line, &mapping, &code))
            break;
        const char *path = mapping.path;
        uint64_t end = mapping.start + mapping.size;
        if (!*path && found->data && mapping.start == found->end) {
            found->end = end;
            found->data = false;
        } else {
            struct variable_mapping next = {
                .base = str_equal(found->path, path) ? found->base : mapping.start,
                .start = mapping.start,
                .end = end,
                .offset = mapping.offset,
                .inode = mapping.inode,
                .data = mapping.inode && writable == 'w',
                .path = *path == '/' || str_equal(path, "[heap]") ? mem_strdup(path) : NULL};
            free(found->path);
            *found = next;
        }
        inside = address >= found->start && address < found->end;
    }
    return inside && found->path;
}

/* Asks the helper for the symbol; empty: there is none. */
static void find_symbol(struct variable_names *names, const struct variable_mapping *mapping,
                        pid_t pid, uint64_t address, struct str *text)
{
    enum { SECONDS = 1 };
    static const uint64_t SPENT_MAX = 500000000; /* ns for all names of the table */
    struct stat status;
    uint64_t begin = clock_monotonic();
    struct line_request request = {
        .ask = VARIABLE_READ, .start = mapping->offset, .size = address - mapping->start};
    AUTO_CLOSE int fd = names->spent < SPENT_MAX ? procfs_open_inside(pid, mapping->path, 0) : -1;
    if (fd < 0 || fstat(fd, &status) < 0 || status.st_ino != mapping->inode)
        return;
    if (names->child.pid == 0)
        line_child_start(&names->child, 0, SECONDS, NULL, NULL);
    if (names->child.pid > 0 &&
        line_child_ask(&names->child, &request, fd, -1, NULL, text, NULL) < 0) {
        helper_end(&names->child);
        str_clear(text);
    }
    names->spent += clock_monotonic() - begin;
}

/* What is at an address of a process, one of whose threads is tid: "cache_lock", "table+0x28";
 * without a symbol the mapping and how far it is from its beginning: "[libdb.so+0x4028]",
 * "[heap+0x2a0]". NULL: other memory, or it may not be read. Names of files are not cleaned. Valid
 * until the next call. */
static const char *variable_name(struct variable_names *names, pid_t pid, pid_t tid,
                                 uint64_t address)
{
    /* ns: then another program, or another library may be there. */
    static const uint64_t NAME_TRUE = 10000000000;
    const uint64_t place[] = {(uint64_t)pid, address};
    uint64_t key = str_hash_bytes(place, sizeof(place)), now = clock_monotonic();
    struct variable_mapping mapped;
    if (now - names->since > NAME_TRUE) {
        map_free(&names->names);
        names->since = now;
        names->spent = 0;
    }
    const char *known = map_get(&names->names, key);
    if (!known) {
        AUTO_STR struct str text = str_new();
        if (find_mapping(pid, tid, address, &mapped)) {
            if (mapped.inode)
                find_symbol(names, &mapped, pid, address, &text);
            const char *slash = strrchr(mapped.path, '/'),
                       *name = slash ? slash + 1 : mapped.path + 1;
            if (!text.length)
                str_printf(&text, "[%.*s+0x%" PRIx64 "]", (int)strcspn(name, "]"), name,
                           address - mapped.base);
        }
        free(mapped.path);
        known = mem_strdup(text.text);
        free(map_put(&names->names, key, (char *)known));
    }
    return *known ? known : NULL;
}

/* Names the memory that a thread waits for in a futex, instead of its address. */
static void name_futex(struct proc_lookup *lookup, pid_t pid, pid_t tid, struct wait_target *target)
{
    bool futex = str_starts(target->address, "0x");
    const char *name =
        futex ? variable_name(&lookup->variables, pid, tid, strtoull(target->address, NULL, 16))
              : NULL;
    char *at = name ? strstr(target->text, target->address) : NULL;
    if (!at)
        return;
    AUTO_FREE char *rest = mem_strdup(at + strlen(target->address));
    snprintf(at, sizeof(target->text) - (size_t)(at - target->text), "%.200s%s", name, rest);
}

/* Finds what the one that a thread waits for does itself. */
static void follow_wait(struct proc_lookup *lookup, struct kept_wait *kept)
{
    struct wait_target next;
    char state;
    pid_t pid = wait_target_next(&lookup->tables, &kept->target, &next, &state);
    if (pid && next.kind) {
        name_futex(lookup, pid, kept->target.pid, &next);
        snprintf(kept->next, sizeof(kept->next), ", which waits for: %.290s", next.text);
    } else {
        snprintf(kept->next, sizeof(kept->next), "%s", state == 'R' ? ", which runs" : "");
    }
}

static struct task_wait tell_wait(const struct kept_wait *kept)
{
    const struct wait_target *target = &kept->target;
    return (struct task_wait){.kind = target->kind,
                              .text = *target->text ? target->text : NULL,
                              .address = *target->address ? target->address : NULL,
                              .path = *target->path ? target->path : NULL,
                              .next = kept->next,
                              .reason = target->reason,
                              .deadlock = *kept->deadlock ? kept->deadlock : NULL,
                              .seq = kept->seq,
                              .tid = kept->tid,
                              .pid = target->pid};
}

bool proc_lookup_next_wait(void *ctx, size_t *at, struct task_wait *wait)
{
    const struct proc_lookup *lookup = ctx;
    const struct kept_wait *kept = map_next(&lookup->waits.now, at);
    while (kept && !kept->target.kind && !kept->target.reason)
        kept = map_next(&lookup->waits.now, at);
    if (kept)
        *wait = tell_wait(kept);
    return kept != NULL;
}

static bool proc_lookup_waits(void *ctx, const struct row *row, uint64_t seq, bool follow,
                              struct task_wait *wait)
{
    struct proc_lookup *lookup = ctx;
    pid_t tid = row->process ? row->tid : 0;
    uint64_t key = wait_key(row->pid, tid);
    char state[4] = "", threads[16];
    if (lookup->past)
        return reader_wait(lookup->past, tid ? tid : row->pid, wait);
    struct kept_wait *kept = recent_fact(&lookup->waits, key, seq, sizeof(*kept));
    bool lasts = kept->seq && kept->seq + 1 == seq && !row->ran; /* else it may have run since */
    if (kept->seq == seq ||
        (lasts && wait_target_lasts(&lookup->tables, row->pid, &kept->target))) {
        kept->seq = seq;
    } else {
        *kept = (struct kept_wait){.seq = seq, .tid = tid ? tid : row->pid};
        if (proc_lookup_word(ctx, row->pid, tid, "stat", ")", STAT_STATE, state, sizeof(state)) &&
            proc_lookup_word(ctx, row->pid, tid, "stat", ")", STAT_THREADS, threads,
                             sizeof(threads)))
            wait_target_read(&lookup->tables, row->pid, tid, *state, strtoul(threads, NULL, 10),
                             &kept->target);
        if (*state == 'R' && cgroup_stops(&lookup->limits, row->pid, kept->tid)) {
            kept->target.kind = "throttled";
            /* /proc/timer_list has the ends of periods, but not of which cgroup they are. */
            strcpy(kept->target.text, "throttled by cpu.max");
        }
        name_futex(lookup, row->pid, tid, &kept->target);
    }
    if (kept->tried != seq && !*kept->deadlock && (follow || may_be_deadlock(lookup, kept))) {
        kept->tried = seq;
        if (follow)
            follow_wait(lookup, kept);
        if (kept->target.endless)
            find_deadlock(lookup, kept, tid ? tid : row->pid);
    }
    *wait = tell_wait(kept);
    return wait->kind || wait->reason;
}

static bool proc_lookup_io(void *ctx, const struct row *row, uint64_t seq, double *rate)
{
    static const char *const lines[] = {"\nread_bytes:", "\nwrite_bytes:"};
    struct proc_lookup *lookup = ctx;
    pid_t tid = row->process ? row->tid : 0;
    uint64_t key = wait_key(row->pid, tid);
    char word[32];
    if (lookup->past)
        return false;
    struct kept_io *kept = recent_fact(&lookup->io, key, seq, sizeof(*kept));
    if (kept->seq != seq) {
        struct kept_io now = {.seq = seq, .at = clock_monotonic(), .rate = -1};
        for (int i = 0; i < 2; i++) {
            if (!proc_lookup_word(ctx, row->pid, tid, "io", lines[i], 0, word, sizeof(word)))
                return false;
            now.bytes += strtoll(word, NULL, 10);
        }
        if (kept->at && now.at > kept->at && now.bytes >= kept->bytes)
            now.rate = (double)(now.bytes - kept->bytes) / ((double)(now.at - kept->at) / 1e9);
        *kept = now;
    }
    *rate = kept->rate;
    return kept->rate >= 0;
}

static bool proc_lookup_gone(void *ctx, pid_t id, bool *past)
{
    char state[4];
    *past = ((struct proc_lookup *)ctx)->past != NULL;
    return proc_lookup_word(ctx, id, 0, "stat", ")", STAT_STATE, state, sizeof(state))
               ? strchr("ZX", *state) != NULL
               : !*past && kill(id, 0) < 0 && errno == ESRCH;
}

/* From the second time on the file of the first thread stays open: most processes are asked for
 * once. When that thread has ended it tells no more of the process. */
static bool cgroup(void *ctx, pid_t pid, char *path, size_t size)
{
    struct proc_lookup *lookup = ctx;
    char state[4] = "", text[CGROUP_TEXT_SIZE];
    if (lookup->past)
        return reader_cgroup(lookup->past, pid, path, size);
    struct kept_file *kept = &lookup->cgroups[(size_t)pid % KEPT];
    bool again = kept->pid == pid;
    if (!again) {
        file_close(kept->fd);
        *kept = (struct kept_file){pid, pid, -1};
    }
    if (!again || !proc_lookup_word(ctx, pid, pid, "stat", ")", STAT_STATE, state, sizeof(state)) ||
        *state == 'Z' || !read_kept(lookup->cgroups, pid, pid, "cgroup", text, sizeof(text)))
        return cgroup_of(pid, path, size);
    cgroup_in(text, path, size);
    return true;
}

static char *state_of_cgroup(void *ctx, const char *path)
{
    return ((struct proc_lookup *)ctx)->past ? NULL : cgroup_state(path);
}

static const char *container(void *ctx, const char *path)
{
    struct proc_lookup *lookup = ctx;
    return lookup->past ? reader_container(lookup->past, path)
                        : container_name(&lookup->containers, path);
}

static void shorten(void *ctx, const char *path, char *name, size_t size)
{
    cgroup_name(path, container(ctx, path), name, size);
}

static void proc_lookup_place(void *ctx, int cpu, struct view_place *place)
{
    struct proc_lookup *lookup = ctx;
    if (lookup->past) /* the recording may be of another machine */
        return;
    struct topology_place *known = map_get(&lookup->places, (uint64_t)cpu), found;
    if (!known) {
        if (topology_place(cpu, &found) < 0)
            return;
        known = mem_copy(&found, sizeof(found));
        map_put(&lookup->places, (uint64_t)cpu, known);
    }
    place->socket = known->socket;
    place->core = known->core;
    memcpy(place->type, known->type, sizeof(place->type));
}

struct proc_lookup *proc_lookup_new(void)
{
    struct proc_lookup *lookup = mem_alloc(sizeof(*lookup));
    lookup->view = (struct view_lookup){
        .ctx = lookup,
        .user = user,
        .user_meant = proc_lookup_user_meant,
        .event_missing = event_missing,
        .cmdline = cmdline,
        .word = proc_lookup_word,
        .cgroup = cgroup,
        .cgroup_state = state_of_cgroup,
        .cgroup_name = shorten,
        .container = container,
        .place = proc_lookup_place,
        .delays = proc_lookup_delays,
        .waits = proc_lookup_waits,
        .io = proc_lookup_io,
        .gone = proc_lookup_gone,
    };
    lookup->delay_source.socket = -1;
    for (size_t i = 0; i < KEPT; i++)
        lookup->stats[i].fd = lookup->cgroups[i].fd = -1;
    return lookup;
}

void proc_lookup_open(struct proc_lookup *lookup, bool delays)
{
    wait_tables_open(&lookup->tables);
    if (delays)
        task_delays_open(&lookup->delay_source);
}

void proc_lookup_free(struct proc_lookup *lookup)
{
    if (!lookup)
        return;
    map_free(&lookup->users);
    map_free(&lookup->places);
    container_names_release(&lookup->containers);
    recent_release(&lookup->waits);
    recent_release(&lookup->io);
    wait_tables_release(&lookup->tables);
    cgroup_places_release(&lookup->limits);
    if (lookup->variables.child.pid > 0)
        helper_end(&lookup->variables.child);
    map_free(&lookup->variables.names);
    task_delays_close(&lookup->delay_source);
    for (size_t i = 0; i < KEPT; i++) {
        file_close(lookup->stats[i].fd);
        file_close(lookup->cgroups[i].fd);
    }
    free(lookup);
}

const struct view_lookup *proc_lookup_view(struct proc_lookup *lookup)
{
    return &lookup->view;
}

void proc_lookup_use(struct proc_lookup *lookup, struct reader *reader)
{
    lookup->past = reader;
}

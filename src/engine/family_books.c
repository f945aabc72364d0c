#include "engine/family_books.h"

void books_init(struct family_books *books, const struct event_set *set, size_t slots)
{
    *books = (struct family_books){
        .set = set, .count = slots, .slots = mem_array(slots, sizeof(*books->slots))};
}

static void member_free(struct book_member *member)
{
    if (member)
        free(member->last);
    free(member);
}

void books_release(struct family_books *books)
{
    MAP_EACH (struct book_member, member, &books->members)
        member_free(member);
    map_release(&books->members);
    free(books->slots);
}

void book_root_init(struct book_root *root, const struct family_books *books)
{
    root->whole = mem_array(books->count, sizeof(*root->whole));
    root->booked = mem_array(books->count, sizeof(*root->booked));
}

void book_root_release(struct book_root *root)
{
    free(root->whole);
    free(root->booked);
}

struct book_member *books_member(struct family_books *books, struct book_root *root,
                                 struct task *task)
{
    struct book_member *member = map_get(&books->members, task->id);
    if (member)
        return member;
    member = mem_alloc(sizeof(*member));
    member->task = task;
    member->root = root;
    root->open++;
    root->living++;
    map_put(&books->members, task->id, member);
    return member;
}

void books_end(struct book_member *member)
{
    member->root->living -= !member->over;
    member->over = true;
}

static void close_member(struct book_member *member)
{
    member->root->open -= !member->closed;
    member->closed = true;
}

void books_ran(struct family_books *books, struct task *task, uint64_t oncpu)
{
    if (oncpu <= task->oncpu)
        return;
    books->oncpu += oncpu - task->oncpu;
    task->oncpu = oncpu;
}

/* Times enabled do not tell when a task was on the event's CPU. Its clocks, software events, run
 * whenever the task does; before they tell, a group was counted as long as it was enabled, unless
 * books_cover() says otherwise. */
static void raise_enabled(struct task *task, size_t group, uint64_t enabled)
{
    struct group_time *times = &task->counts.times[group];
    times->enabled = enabled > times->enabled ? enabled : times->enabled;
}

/* Times running add up, since a task is on one CPU at a time. */
static void book(struct family_books *books, struct book_member *member, size_t slot,
                 struct book_amount more)
{
    const struct book_slot *of = &books->slots[slot];
    struct task *task = member->task;
    if (of->event >= 0)
        task->counts.value[of->event] += more.value;
    if (of->leads) {
        task->counts.times[of->group].running += more.running;
        raise_enabled(task, of->group, task->counts.times[of->group].running);
    }
    if (of->clock) {
        member->clock += more.running;
        for (size_t g = 0; g < books->set->groups; g++)
            raise_enabled(task, g, member->clock);
        books_ran(books, task, member->clock);
    }
    member->root->booked[slot].value += more.value;
    member->root->booked[slot].running += more.running;
    if (member->last) {
        member->last[slot].value += more.value;
        member->last[slot].running += more.running;
    }
}

/* What an amount has beyond what the row has of it. */
static struct book_amount beyond(const struct book_amount *now, const struct book_amount *before)
{
    return (struct book_amount){
        .value = now->value > before->value ? now->value - before->value : 0,
        .running = now->running > before->running ? now->running - before->running : 0,
    };
}

void books_report(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now)
{
    book(books, member, slot, member->last ? beyond(&now, &member->last[slot]) : now);
    if (++member->reported >= books->count)
        close_member(member);
}

static struct book_amount *last_of_member(const struct family_books *books,
                                          struct book_member *member)
{
    if (!member->last)
        member->last = mem_array(books->count, sizeof(*member->last));
    return member->last;
}

void books_sample(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now)
{
    book(books, member, slot, beyond(&now, &last_of_member(books, member)[slot]));
}

void books_sample_time(struct family_books *books, struct book_member *member, uint64_t enabled)
{
    if (enabled <= member->enabled)
        return;
    member->ran += enabled - member->enabled;
    member->enabled = enabled;
    books_ran(books, member->task, member->ran);
}

void books_cover(struct book_member *member, size_t group)
{
    raise_enabled(member->task, group, member->ran);
}

void books_take_over(struct family_books *books, struct task *task)
{
    struct book_member *member, *before = NULL;
    for (size_t at = 0; !before && (member = map_next(&books->members, &at));)
        if (member->task != task && member->task->process == task->process && !member->over)
            before = member;
    if (!before || map_get(&books->members, task->id))
        return;
    member = books_member(books, before->root, task);
    member->last = before->last;
    member->enabled = before->enabled;
    before->last = NULL;
    books_end(before);
    close_member(before);
}

struct book_member *books_sole(const struct family_books *books, const struct book_root *root)
{
    struct book_member *member;
    for (size_t at = 0; root->open == 1 && (member = map_next(&books->members, &at));)
        if (member->root == root && !member->closed)
            return member;
    return NULL;
}

struct book_member *books_holder(const struct family_books *books, const struct book_root *root,
                                 const struct task *first)
{
    struct book_member *member, *found = NULL;
    int best = 0;
    for (size_t at = 0; (member = map_next(&books->members, &at));) {
        bool of_first = member->task == first;
        int rank = member->root != root ? 0
                   : member->closed     ? of_first
                   : of_first           ? 4
                   : member->over       ? 3
                                        : 2;
        if (rank <= best)
            continue;
        best = rank;
        found = member;
    }
    return found;
}

void books_settle(struct family_books *books, struct book_member *member)
{
    const struct book_root *root = member->root;
    last_of_member(books, member);
    for (size_t s = 0; s < books->count; s++)
        book(books, member, s, beyond(&root->whole[s], &root->booked[s]));
}

void books_forget(struct family_books *books, const struct task *task)
{
    struct book_member *member = map_remove(&books->members, task->id);
    if (!member)
        return;
    books_end(member);
    close_member(member);
    member_free(member);
}

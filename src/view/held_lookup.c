#include "view/state.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files of which other questions than for a word are asked. */
static const char CMDLINE[] = "/cmdline", CGROUP[] = "/cgroup";

static uint64_t question_key(struct held_lookup *held, pid_t pid, pid_t tid,
                             const struct held_question *question)
{
    size_t i = 0;
    while (i < held->count && (held->questions[i].n != question->n ||
                               !str_equal(held->questions[i].file, question->file) ||
                               !str_equal(held->questions[i].after, question->after)))
        i++;
    if (i == held->count) {
        held->questions = mem_resize(held->questions, ++held->count, sizeof(*held->questions));
        held->questions[i] = *question;
    }
    uint32_t task = tid ? (uint32_t)tid | 1u << 31 : (uint32_t)pid;
    return (uint64_t)i << 32 | task;
}

/* Copies the answer to the text if there is one; false: ask. */
static bool is_answered(const struct held_lookup *held, uint64_t key, char *text, size_t size,
                        bool *there)
{
    const char *answer = map_get(&held->answers, key);
    if (!answer)
        return false;
    *there = *answer;
    snprintf(text, size, "%s", *there ? answer + 1 : "");
    return true;
}

static bool hold_answer(struct held_lookup *held, uint64_t key, bool there, const char *text)
{
    map_put(&held->answers, key, there ? mem_printf("+%s", text) : mem_strdup(""));
    return there;
}

static const char *held_user(void *ctx, uid_t uid)
{
    const struct view_lookup *asked = ((struct held_lookup *)ctx)->asked;
    return asked->user(asked->ctx, uid);
}

static char *held_cmdline(void *ctx, pid_t pid)
{
    struct held_lookup *held = ctx;
    uint64_t key = question_key(held, pid, 0, &(struct held_question){CMDLINE, NULL, 0});
    const char *answer = map_get(&held->answers, key);
    if (answer)
        return *answer ? mem_strdup(answer + 1) : NULL;
    char *line = held->asked->cmdline(held->asked->ctx, pid);
    hold_answer(held, key, line != NULL, line);
    return line;
}

static bool held_word(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after, int n,
                      char *word, size_t size)
{
    struct held_lookup *held = ctx;
    const struct view_lookup *asked = held->asked;
    uint64_t key = question_key(held, pid, tid, &(struct held_question){file, after, n});
    bool there;
    if (is_answered(held, key, word, size, &there))
        return there;
    return hold_answer(held, key, asked->word(asked->ctx, pid, tid, file, after, n, word, size),
                       word);
}

static bool held_cgroup(void *ctx, pid_t pid, char *path, size_t size)
{
    struct held_lookup *held = ctx;
    uint64_t key = question_key(held, pid, 0, &(struct held_question){CGROUP, NULL, (int)size});
    bool there;
    if (is_answered(held, key, path, size, &there))
        return there;
    return hold_answer(held, key, held->asked->cgroup(held->asked->ctx, pid, path, size), path);
}

static char *held_cgroup_state(void *ctx, const char *path)
{
    const struct view_lookup *asked = ((struct held_lookup *)ctx)->asked;
    return asked->cgroup_state(asked->ctx, path);
}

static void held_cgroup_name(void *ctx, const char *path, char *name, size_t size)
{
    const struct view_lookup *asked = ((struct held_lookup *)ctx)->asked;
    asked->cgroup_name(asked->ctx, path, name, size);
}

static void held_place(void *ctx, int cpu, struct view_place *place)
{
    const struct view_lookup *asked = ((struct held_lookup *)ctx)->asked;
    asked->place(asked->ctx, cpu, place);
}

/* A frame's answer stays as it is until another frame's is asked for. */
static bool held_waits(void *ctx, const struct row *row, uint64_t seq, bool follow,
                       struct view_wait *wait)
{
    const struct view_lookup *asked = ((struct held_lookup *)ctx)->asked;
    return asked->waits(asked->ctx, row, seq, follow, wait);
}

void held_lookup_init(struct held_lookup *held, const struct view_lookup *asked)
{
    static const struct view_lookup none;
    const struct view_lookup *has = asked ? asked : &none;
    *held = (struct held_lookup){.asked = asked};
    held->lookup = (struct view_lookup){
        .ctx = held,
        .user = has->user ? held_user : NULL,
        .cmdline = has->cmdline ? held_cmdline : NULL,
        .word = has->word ? held_word : NULL,
        .cgroup = has->cgroup ? held_cgroup : NULL,
        .cgroup_state = has->cgroup_state ? held_cgroup_state : NULL,
        .cgroup_name = has->cgroup_name ? held_cgroup_name : NULL,
        .place = has->place ? held_place : NULL,
        .waits = has->waits ? held_waits : NULL,
    };
}

void held_lookup_release(struct held_lookup *held)
{
    map_free(&held->answers);
    free(held->questions);
    held->questions = NULL;
    held->count = 0;
}

#include "front/folded.h"
#include "base/mem.h"
#include "view/view_kind.h"
#include "view/sampling.h"

#include <stdlib.h>
#include <string.h>

struct folded {
    char *stack;
    uint64_t weight;
};

static int folded_by_stack(const void *a, const void *b)
{
    return strcmp(((const struct folded *)a)->stack, ((const struct folded *)b)->stack);
}

/* Appends a name without what separates stacks. */
static void add_frame(struct str *stack, const char *name)
{
    struct str safe;
    str_init(&safe);
    str_add_visible(&safe, name);
    for (char *c = safe.text; (c = strchr(c, ';'));)
        *c = ':';
    str_printf(stack, ";%s", safe.text);
    str_release(&safe);
}

static void add_place(struct str *stack, struct code_book *book, struct code_place place)
{
    char name[1024];
    struct function function = {0};
    code_book_function(book, place, &function.code);
    code_book_object(book, place.object, &function.object);
    if (function.code.state == CODE_NAMED || function.code.state == CODE_BOUNDED) {
        function_text(&function, name, sizeof(name));
        add_frame(stack, name);
    } else {
        add_frame(stack, function.object.name);
    }
}

/* The stack of a site, the process first; the caller frees it. */
static char *stack_of(const struct profile *profile, const struct profile_site *site,
                      const char *comm)
{
    const struct profile_chain *chain = &profile->chains[site->chain];
    struct str stack;
    str_init(&stack);
    if (*comm)
        add_frame(&stack, comm);
    else
        str_printf(&stack, ";%d", (int)site->pid);
    for (size_t f = chain->depth; f-- > 0;)
        add_place(&stack, profile->book, chain->frames[f]);
    add_place(&stack, profile->book, site->place);
    char *text = mem_strdup(stack.text + 1);
    str_release(&stack);
    return text;
}

int folded_write(struct batch *batch, const struct session *session, struct err *err)
{
    (void)session, (void)err;
    const struct profile *profile = batch->frame->profile;
    struct view *view = batch->in.view;
    view_set_frame(view, batch->frame);
    if (!profile)
        return 0;
    struct folded *lines = mem_array(profile->site_count, sizeof(*lines));
    size_t count = 0;
    for (size_t s = 0; s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        const char *comm;
        if (site->weight > 0 && view_covers(view, site, &comm))
            lines[count++] = (struct folded){stack_of(profile, site, comm), site->weight};
    }
    qsort(lines, count, sizeof(*lines), folded_by_stack);
    bool clock = strcmp(profile->unit, "ns") == 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t weight = lines[i].weight;
        for (; i + 1 < count && strcmp(lines[i].stack, lines[i + 1].stack) == 0; i++) {
            free(lines[i].stack);
            weight += lines[i + 1].weight;
        }
        str_printf(&batch->text, "%s %llu\n", lines[i].stack,
                   (unsigned long long)(clock ? (weight + 500) / 1000 : weight));
        free(lines[i].stack);
    }
    free(lines);
    return 0;
}

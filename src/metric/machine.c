#include "metric/machine.h"
#include "base/ini.h"

#include <fnmatch.h>

/* What sets have changes with them, and with the names. */
static void forget_marks(struct machine *machine)
{
    for (size_t i = 0; i < machine->set_count; i++) {
        free(machine->sets[i].has);
        machine->sets[i].has = NULL;
    }
}

void machine_release(struct machine *machine)
{
    forget_marks(machine);
    names_release(&machine->names);
    for (size_t i = 0; i < machine->set_count; i++) {
        free(machine->sets[i].name);
        free(machine->sets[i].match);
        free(machine->sets[i].label);
    }
    free(machine->sets);
    *machine = (struct machine){0};
}

void machine_add(struct machine *machine, const char *name)
{
    if (!*name)
        return;
    forget_marks(machine);
    names_add(&machine->names, name);
}

static struct cpu_set_text *find_set(const struct machine *machine, const char *name)
{
    return STR_FIND(machine->sets, machine->set_count, name, name);
}

/* The set of that name; adds an empty one if necessary. */
static struct cpu_set_text *machine_add_set(struct machine *machine, const char *name)
{
    struct cpu_set_text *set = find_set(machine, name);
    if (set)
        return set;
    set = MEM_ADD(machine->sets, machine->set_count, machine->set_room);
    *set = (struct cpu_set_text){.name = mem_strdup(name)};
    return set;
}

static int machine_take_entry(void *ctx, const char *name, const char *key, const char *value,
                              int line, struct err *err)
{
    enum { MOST_SLOTS = 64 };
    static const char *const keys[] = {"match", "label", "slots", NULL};
    struct machine *fresh = ctx;
    if (!*name || strpbrk(name, " \t@"))
        return err_set(err, "no name for a set of CPUs '%s': expected one word", name);
    struct cpu_set_text *set = machine_add_set(fresh, name);
    set->line = set->line ? set->line : line;
    if (str_equal(key, "slots")) {
        unsigned long long slots;
        if (!str_to_u64(value, 1, MOST_SLOTS, &slots))
            return err_set(err, "slots is '%s': expected a number from 1 to %d", value, MOST_SLOTS);
        set->slots = (int)slots;
        return 0;
    }
    char **field = str_equal(key, "match") ? &set->match : &set->label;
    if (!str_equal(key, "match") && !str_equal(key, "label"))
        return ini_unknown_key(key, "set of CPUs", keys, err);
    /* Several lines of one key are one. */
    AUTO_FREE char *before = *field;
    *field = before ? mem_printf("%s %s", before, value) : mem_strdup(value);
    return 0;
}

int machine_load(struct machine *machine, const char *text, const char *origin, struct err *err)
{
    struct machine fresh = {0};
    int result = ini_read(text, origin, "cpus", machine_take_entry, &fresh, err);
    for (size_t i = 0; i < fresh.set_count && result == 0; i++) {
        struct cpu_set_text *set = &fresh.sets[i];
        if (!set->match)
            result =
                err_set(err, "%s:%d: set of CPUs '%s' has no match", origin, set->line, set->name);
        if (!set->label)
            set->label = mem_strdup(set->name);
    }
    forget_marks(machine);
    for (size_t i = 0; i < fresh.set_count && result == 0; i++) {
        /* Swapped, so that a replaced set is released with the others. */
        struct cpu_set_text *old = machine_add_set(machine, fresh.sets[i].name), set = *old;
        *old = fresh.sets[i];
        fresh.sets[i] = set;
    }
    machine_release(&fresh);
    return result;
}

/* The next of the words separated by blanks, which the caller frees; NULL after the last. */
static char *machine_next_word(const char **words)
{
    *words += strspn(*words, " \t");
    size_t length = strcspn(*words, " \t");
    char *word = length ? mem_strndup(*words, length) : NULL;
    *words += length;
    return word;
}

/* What stands before the first wildcard mostly says that a pattern does not match: fnmatch(3) is
 * slow. */
static bool part_matches(const char *pattern, const char *name)
{
    size_t plain = strcspn(pattern, "*?[\\");
    bool found = false;
    while (!found && *(name += strspn(name, " \t"))) {
        size_t length = strcspn(name, " \t");
        if (strncasecmp(pattern, name, plain) == 0 && pattern[plain]) {
            AUTO_FREE char *part = mem_strndup(name, length);
            found = fnmatch(pattern, part, FNM_CASEFOLD) == 0;
        } else {
            found = length == plain && strncasecmp(pattern, name, plain) == 0;
        }
        name += length;
    }
    return found;
}

/* Marks the names that one of the words matches, or that a set has which one of them names. What a
 * set has is found out once; one that contains itself has nothing more by that. */
static void mark_names(const struct machine *machine, const char *words, bool *marks)
{
    char *word;
    while ((word = machine_next_word(&words))) {
        struct cpu_set_text *set = find_set(machine, word);
        if (set && !set->has) {
            set->has = mem_array(machine->names.count + 1, sizeof(*set->has));
            mark_names(machine, set->match, set->has);
        }
        for (size_t i = 0; i < machine->names.count; i++)
            marks[i] |= set ? set->has[i] : part_matches(word, machine->names.items[i]);
        free(word);
    }
}

/* Whether the words have one of the names or, of a machine with core types, each of these. */
static bool machine_has(const struct machine *machine, const char *words)
{
    size_t cores = 0, found = 0;
    bool plain = false;
    AUTO_FREE bool *marks = mem_array(machine->names.count + 1, sizeof(*marks));
    mark_names(machine, words, marks);
    for (size_t i = 0; i < machine->names.count; i++) {
        bool core = str_starts(machine->names.items[i], "0x"); /* "0x410fd0b1 Cortex-A76" */
        plain |= marks[i] && !core;
        cores += core;
        found += marks[i] && core;
    }
    return plain || (found > 0 && found == cores);
}

bool machine_matches(const struct machine *machine, const char *words)
{
    if (!words || !words[strspn(words, " \t")])
        return true;
    return machine && machine_has(machine, words);
}

int machine_slots(const struct machine *machine)
{
    static const char said[] = "caps/slots=";
    for (size_t i = 0; i < machine->names.count; i++)
        if (str_starts(machine->names.items[i], said))
            return atoi(machine->names.items[i] + strlen(said));
    for (size_t i = 0; i < machine->set_count; i++) {
        const struct cpu_set_text *set = &machine->sets[i];
        if (set->slots && machine_has(machine, set->match))
            return set->slots;
    }
    return 0;
}

char *machine_describe(const struct machine *machine, const char *words)
{
    struct str text = str_new();
    char *word;
    while ((word = machine_next_word(&words))) {
        const struct cpu_set_text *set = machine ? find_set(machine, word) : NULL;
        str_printf(&text, "%s%s", text.length ? ", " : "", set ? set->label : word);
        free(word);
    }
    return str_detach(&text);
}

void machine_take_set(char **name, char **cpus)
{
    char *at = strchr(*name, '@');
    if (!at)
        return;
    if (!*cpus)
        *cpus = mem_strdup(at + 1);
    *at = '\0';
}

#include "record/write.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* How often, and each time for how long, the end of a recording waits for what is still read. */
enum { FINISH_STEPS = 4, AWAIT_STEPS = 1000 };
static const double FINISH_SECONDS = 1;

struct unnamed_function {
    int64_t id;
    int64_t row; /* of profile_rows: the first one that may be of this place */
    struct code_place place;
};

void write_profile_init(struct write_profile *profiles, struct db *db)
{
    profiles->db = db;
    profiles->object = db_number(db, "SELECT max(id) FROM objects", 0);
    profiles->function = db_number(db, "SELECT max(id) FROM functions", 0);
    profiles->stack = db_number(db, "SELECT max(id) FROM stacks", 0);
    profiles->row = db_number(db, "SELECT max(id) FROM profile_rows", 0);
}

/* The maps have ids as pointers: nothing to free. */
void write_profile_forget(struct write_profile *profiles)
{
    map_clear(&profiles->objects);
    map_clear(&profiles->functions);
    map_clear(&profiles->stacks);
    map_clear(&profiles->codes);
    profiles->pending_count = 0;
}

void write_profile_release(struct write_profile *profiles)
{
    map_release(&profiles->objects);
    map_release(&profiles->functions);
    map_release(&profiles->stacks);
    map_release(&profiles->codes);
    code_book_drop(profiles->book);
    free(profiles->pending);
}

static int64_t known_id(const struct map *map, uint64_t key)
{
    return (int64_t)(intptr_t)map_get(map, key);
}

static void know_id(struct map *map, uint64_t key, int64_t id)
{
    map_put(map, key, (void *)(intptr_t)id);
}

/* The id of the object's row, written if necessary; 0 if writing failed. */
static int64_t object_id(struct write_profile *profiles, uint32_t number)
{
    int64_t id = known_id(&profiles->objects, (uint64_t)number + 1);
    if (id)
        return id;
    struct code_object object;
    code_book_object(profiles->book, number, &object);
    id = ++profiles->object;
    if (!db_put(profiles->db, "INSERT INTO objects", "%jd %s %s %s", id, object.name, object.path,
                object.reason))
        return 0;
    know_id(&profiles->objects, (uint64_t)number + 1, id);
    return id;
}

static uint64_t function_key(uint32_t object, uint64_t start, enum code_state state)
{
    return ((uint64_t)object + 1) << 42 ^ start << 2 ^ state;
}

/* The same for the function of a place. Places whose names are still looked up have rows of their
 * own, which get the name later, and so have the rows of their samples, which get the address. */
static int64_t function_id(struct write_profile *profiles, struct code_place place)
{
    struct code_function code;
    code_book_function(profiles->book, place, &code);
    bool bounds = code.state == CODE_NAMED || code.state == CODE_BOUNDED;
    uint64_t start = bounds ? code.start : code.state == CODE_PENDING ? place.address : 0;
    uint64_t key = function_key(code.object, start, code.state);
    int64_t id = known_id(&profiles->functions, key), object = object_id(profiles, code.object);
    if (id || !object)
        return id;
    id = ++profiles->function;
    if (!db_put(profiles->db, "INSERT INTO functions", "%jd %jd %d %ju %ju %s", id, object,
                (int)code.state, start, code.size, code.name))
        return 0;
    know_id(&profiles->functions, key, id);
    if (code.state == CODE_PENDING) {
        mem_grow(&profiles->pending, &profiles->pending_room, profiles->pending_count + 1,
                 sizeof(*profiles->pending));
        profiles->pending[profiles->pending_count++] =
            (struct unnamed_function){id, profiles->row + 1, place};
    }
    return id;
}

void write_profile_continue(struct write_profile *profiles, const struct write_profile *from)
{
    profiles->book = from->book ? code_book_share(from->book) : NULL;
    profiles->pending_count = from->pending_count;
    mem_grow(&profiles->pending, &profiles->pending_room, from->pending_count + 1,
             sizeof(*profiles->pending));
    if (from->pending_count)
        memcpy(profiles->pending, from->pending, from->pending_count * sizeof(*profiles->pending));
}

/* The instruction of a place; DB_NULL: it is not known. */
static int64_t instruction(const struct code_function *code)
{
    bool known = (code->state == CODE_NAMED || code->state == CODE_BOUNDED) && !code->whole;
    return known ? (int64_t)code->address : DB_NULL;
}

/* Adds what has been found since the functions were written. */
static bool name_pending(struct write_profile *profiles)
{
    size_t kept = 0;
    for (size_t i = 0; i < profiles->pending_count; i++) {
        struct code_function code;
        const struct unnamed_function *unnamed = &profiles->pending[i];
        code_book_function(profiles->book, unnamed->place, &code);
        if (code.state == CODE_PENDING) {
            profiles->pending[kept++] = *unnamed;
            continue;
        }
        if (!db_put(
                profiles->db,
                "UPDATE functions SET state = ?2, start = ?3, size = ?4, name = ?5 WHERE id = ?1",
                "%jd %d %ju %ju %s", unnamed->id, (int)code.state, code.start, code.size,
                code.name) ||
            !db_put(profiles->db,
                    "UPDATE profile_rows SET address = ?3 WHERE id >= ?2 AND function = ?1 AND"
                    " address IS NULL",
                    "%jd %jd %jd", unnamed->id, unnamed->row, instruction(&code)))
            return false;
        uint64_t key = function_key(code.object, code.start, code.state);
        if (!known_id(&profiles->functions, key))
            know_id(&profiles->functions, key, unnamed->id);
    }
    profiles->pending_count = kept;
    return true;
}

/* Writes the lines of a function that are in files which have been read. */
static bool write_sources(struct write_profile *profiles, uint32_t object,
                          const struct line_table *table)
{
    int64_t id = object_id(profiles, object);
    bool good = id > 0;
    for (size_t f = 0; f < table->file_count && good; f++) {
        struct source_file *source = code_book_source(profiles->book, object, table->files[f]);
        for (size_t r = 0; source && r < table->count && good; r++) {
            const struct line_row *row = &table->rows[r];
            char text[1024];
            if (row->line == 0 || row->file != f)
                continue;
            source_file_line(source, row->line, text, sizeof(text));
            good = !*text || db_put(profiles->db, "REPLACE INTO source_lines", "%jd %s %jd %s", id,
                                    table->files[f], (int64_t)row->line, text);
        }
        source_file_drop(source);
    }
    return good;
}

static bool write_listing(struct write_profile *profiles, int64_t id,
                          const struct code_listing *listing, const struct line_table *table)
{
    AUTO_STR struct str instructions = str_new(), lines = str_new();
    code_listing_write(listing, &instructions);
    if (table)
        line_table_write(table, &lines);
    return db_put(profiles->db, "REPLACE INTO code", "%jd %s %s", id, instructions.text,
                  table ? lines.text : NULL);
}

/* Writes what is known of the code of a function, unless as much is written already: its
 * instructions count 1, its lines 1, and each source file 1. */
static bool write_code(struct write_profile *profiles, const struct code_listed *listed)
{
    const struct code_listing *listing = listed->listing;
    struct code_function function = {.state = CODE_NAMED,
                                     .start = listing->start,
                                     .size = listing->size,
                                     .object = listed->object,
                                     .address = listing->start};
    int64_t id =
        known_id(&profiles->functions, function_key(function.object, function.start, CODE_NAMED));
    if (!id)
        id = known_id(&profiles->functions,
                      function_key(function.object, function.start, CODE_BOUNDED));
    if (!id || listing->count == 0)
        return true;
    struct line_table *table = code_book_lines(profiles->book, &function);
    size_t known = table ? 2 : 1;
    bool good = true;
    profiles->code_pending |= !table;
    for (size_t f = 0; table && f < table->file_count; f++) {
        struct source_file *source =
            code_book_source(profiles->book, function.object, table->files[f]);
        known += source != NULL;
        profiles->code_pending |= !source;
        source_file_drop(source);
    }
    if (known > (size_t)known_id(&profiles->codes, (uint64_t)id)) {
        good = (!table || write_sources(profiles, function.object, table)) &&
               write_listing(profiles, id, listing, table);
        if (good)
            know_id(&profiles->codes, (uint64_t)id, (int64_t)known);
    }
    line_table_drop(table);
    return good;
}

/* The code of functions that were looked at. */
static bool write_codes(struct write_profile *profiles)
{
    struct code_listed *listed;
    bool good = true;
    profiles->code_pending = false;
    size_t count = code_book_listed(profiles->book, &listed);
    for (size_t i = 0; i < count; i++) {
        good = good && write_code(profiles, &listed[i]);
        code_listing_drop(listed[i].listing);
    }
    free(listed);
    return good;
}

void write_profile_finish(struct write_profile *profiles, bool last)
{
    if (last && profiles->book)
        code_book_finish(profiles->book);
    /* Names and instructions lead to lines, and these to sources. A table that is too large for the
     * book is read in parts. */
    int awaited = 0;
    for (int step = 0; step < FINISH_STEPS && profiles->book; step++) {
        if (step > 0 && last && profiles->pending_count > 0 && awaited < AWAIT_STEPS &&
            code_book_await(profiles->book)) {
            step--;
            awaited++;
        } else if (step > 0)
            code_book_settle(profiles->book, FINISH_SECONDS, false);
        if (db_exec(profiles->db, NULL, "BEGIN") < 0)
            return;
        bool good = name_pending(profiles) && write_codes(profiles);
        db_exec(profiles->db, NULL, good ? "COMMIT" : "ROLLBACK");
        if (!good || (profiles->pending_count == 0 && !profiles->code_pending))
            return;
    }
}

/* The id of a chain of callers, the outermost first; each has a row that names its caller's. 0:
 * there are none; -1 if writing failed. */
static int64_t stack_id(struct write_profile *profiles, const struct profile_chain *chain)
{
    int64_t stack = 0;
    for (size_t f = chain->depth; f-- > 0;) {
        int64_t function = function_id(profiles, chain->frames[f]), caller = stack;
        if (!function)
            return -1;
        uint64_t key = ((uint64_t)caller << 32 ^ (uint64_t)function) + 1;
        stack = known_id(&profiles->stacks, key);
        if (stack)
            continue;
        stack = ++profiles->stack;
        if (!db_put(profiles->db, "INSERT INTO stacks", "%jd %jd %jd", stack, caller, function))
            return -1;
        know_id(&profiles->stacks, key, stack);
    }
    return stack;
}

static bool add_site(struct write_profile *profiles, int64_t interval,
                     const struct profile *profile, size_t at)
{
    const struct profile_site *site = &profile->sites[at];
    struct code_function code;
    int64_t function = function_id(profiles, site->place);
    int64_t stack = stack_id(profiles, &profile->chains[site->chain]);
    if (!function || stack < 0)
        return false;
    enum { OWN = 8, ADDRESS = OWN + SCHEMA_BESIDE_MAX };
    int64_t row[ADDRESS + 1] = {
        ++profiles->row,
        interval,
        site->pid,
        site->tid,
        function,
        stack,
        (int64_t)site->samples,
        (int64_t)site->weight,
    };
    for (size_t e = 0; e < SCHEMA_BESIDE_MAX; e++)
        row[OWN + e] =
            e < profile->events ? (int64_t)profile->values[at * profile->events + e] : DB_NULL;
    code_book_function(profiles->book, site->place, &code);
    row[ADDRESS] = instruction(&code);
    return db_run(db_statement(profiles->db, "INSERT INTO profile_rows VALUES (?1, ?2, ?3, ?4, ?5,"
                                             " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"),
                  row, ADDRESS + 1);
}

bool write_profile_take(struct write_profile *profiles, int64_t interval,
                        const struct profile *profile)
{
    if (profile->book != profiles->book) {
        write_profile_forget(profiles);
        code_book_drop(profiles->book);
        profiles->book = code_book_share(profile->book);
    }
    int64_t first = profiles->row + 1;
    bool good = name_pending(profiles);
    for (size_t s = 0; s < profile->site_count && good; s++)
        good = add_site(profiles, interval, profile, s);
    good = good && write_codes(profiles);
    AUTO_STR struct str names = str_new();
    for (size_t e = 0; e < profile->events && e < SCHEMA_BESIDE_MAX; e++)
        str_printf(&names, "%s\n", profile->names[e]);
    return good &&
           db_put(profiles->db, "INSERT INTO profiles",
                  "%jd %jd %jd %ju %ju %ju %ju %jd %d %s %s %s %s %d %ju %ju %ju %ju %ju %ju",
                  interval, first, profiles->row, profile->rate, profile->lost, profile->throttled,
                  profile->exact,
                  profile->stacks != STACKS_NONE ? (int64_t)profile->short_stacks : -1,
                  profile->user_only, profile->event, profile->unit, names.text, profile->note,
                  (int)profile->stacks, profile->unwound, profile->late, profile->copied,
                  profile->unwinding, profile->ran, profile->alone);
}

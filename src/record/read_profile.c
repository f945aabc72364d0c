#include "record/read.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256 };
enum { FUNCTION_BYTES = 200 }; /* of memory, what a book of code has of each, about */

void read_profile_release(struct read_profile *profiles)
{
    map_free(&profiles->functions);
    map_release(&profiles->codes);
    map_release(&profiles->sources);
    code_book_drop(profiles->book);
}

static void read_source_lines(struct read_profile *profiles, int64_t object, uint32_t number,
                              const char *path)
{
    sqlite3_stmt *find = db_query(profiles->db,
                                  "SELECT line, text FROM source_lines WHERE object = ?1 AND"
                                  " path = ?2 ORDER BY line",
                                  object);
    struct source_file *file = source_file_new(path);
    db_bind_text(find, 2, path);
    while (sqlite3_step(find) == SQLITE_ROW && !db_excess(profiles->db)) {
        int64_t line = sqlite3_column_int64(find, 0);
        AUTO_FREE char *text = db_text(find, 1);
        if (text && line > 0 && line <= UINT32_MAX)
            source_file_add_line(file, (uint32_t)line, text);
    }
    sqlite3_reset(find);
    /* It replaces what was read for another function. */
    uint64_t key = str_hash(path) ^ number,
             bytes = sizeof(*file) + file->size + file->room * sizeof(*file->lines);
    profiles->db->taken[DB_CODE] -= (uintptr_t)map_get(&profiles->sources, key);
    db_take(profiles->db, DB_CODE, NULL, bytes);
    map_put(&profiles->sources, key, (void *)(uintptr_t)bytes);
    code_book_learn_source(profiles->book, number, file);
}

/* The code that the recording has of a function, if it has; what is invalid is left out. What is
 * recorded meanwhile may get some later. */
static void read_code(struct read_profile *profiles, int64_t id, struct code_place place)
{
    void *known = map_get(&profiles->codes, (uint64_t)id);
    if (known == profiles)
        return;
    sqlite3_stmt *find = db_query(profiles->db,
                                  "SELECT instructions, lines, object FROM code, functions"
                                  " WHERE code.function = ?1 AND functions.id = code.function",
                                  id);
    if (sqlite3_step(find) == SQLITE_ROW) {
        AUTO_FREE char *instructions = db_text(find, 0), *text = db_text(find, 1);
        struct code_listing *listing = instructions ? code_listing_read(instructions) : NULL;
        struct line_table *lines = listing && text ? line_table_read(text) : NULL;
        if (!known)
            db_take(profiles->db, DB_CODE, find,
                    listing ? listing->room * sizeof(*listing->instructions) : 0);
        if (lines)
            db_take(profiles->db, DB_CODE, NULL, lines->bytes);
        for (size_t f = 0; lines && f < lines->file_count; f++)
            read_source_lines(profiles, sqlite3_column_int64(find, 2), place.object,
                              lines->files[f]);
        map_put(&profiles->codes, (uint64_t)id, lines ? (void *)profiles : &profiles->codes);
        if (listing)
            code_book_learn_code(profiles->book, place, listing, lines);
    }
    sqlite3_reset(find);
}

/* The place of a function of the recording; NULL if that is invalid. */
static const struct code_place *place_of(struct read_profile *profiles, int64_t id)
{
    struct code_place *place = map_get(&profiles->functions, (uint64_t)id);
    if (place || id < 1)
        return place;
    sqlite3_stmt *find = db_query(
        profiles->db,
        "SELECT functions.state, functions.start, functions.size, functions.name, objects.name,"
        " objects.path, objects.reason FROM functions, objects WHERE functions.id = ?1 AND"
        " objects.id = functions.object",
        id);
    if (sqlite3_step(find) == SQLITE_ROW) {
        struct code_function function = {0};
        int64_t state;
        AUTO_FREE char *name = NULL, *object = NULL, *path = NULL, *reason = NULL;
        db_columns(find, 0, "%jd %ju %ju %ms %ms %ms %ms", &state, &function.start, &function.size,
                   &name, &object, &path, &reason);
        bool good = state >= CODE_NAMED && state <= CODE_PENDING && object &&
                    (name || state != CODE_NAMED) && strlen(object) < SCHEMA_TEXT_MAX;
        /* What was not known when it was written never will be. */
        function.state = state == CODE_PENDING ? CODE_UNKNOWN : (enum code_state)state;
        function.name = name;
        if (good) {
            place = mem_alloc(sizeof(*place));
            *place = code_book_learn(
                profiles->book,
                &(struct code_object){.name = object, .path = path ? path : "", .reason = reason},
                &function);
            map_put(&profiles->functions, (uint64_t)id, place);
            db_take(profiles->db, DB_CODE, find, sizeof(*place) + FUNCTION_BYTES);
        }
    }
    sqlite3_reset(find);
    return place;
}

/* Reads the chain of callers of a stack into the profile; *chain is its index. The id of a caller's
 * caller is less, so that a damaged recording has no loops. */
static bool read_stack(struct read_profile *profiles, struct profile *profile, struct map *known,
                       int64_t stack, uint32_t *chain)
{
    struct code_place frames[DEPTH_MAX];
    struct profile_chain made = {0};
    *chain = (uint32_t)(uintptr_t)map_get(known, (uint64_t)stack);
    if (stack == 0 || *chain)
        return true;
    for (int64_t at = stack; at != 0;) {
        sqlite3_stmt *find =
            db_query(profiles->db, "SELECT caller, function FROM stacks WHERE id = ?1", at);
        bool found = sqlite3_step(find) == SQLITE_ROW;
        int64_t caller = found ? sqlite3_column_int64(find, 0) : -1;
        int64_t function = found ? sqlite3_column_int64(find, 1) : 0;
        sqlite3_reset(find);
        const struct code_place *place = found ? place_of(profiles, function) : NULL;
        if (!place || caller < 0 || caller >= at || made.depth == DEPTH_MAX)
            return false;
        frames[made.depth++] = *place;
        at = caller;
    }
    made.frames = frames;
    *chain = profile_add_chain(profile, &made);
    db_take(profiles->db, DB_INTERVAL, NULL,
            2 * sizeof(made) + made.depth * sizeof(*made.frames) + 4 * sizeof(void *));
    map_put(known, (uint64_t)stack, (void *)(uintptr_t)*chain);
    return true;
}

enum { ROW_PID = 2, ROW_TID, ROW_FUNCTION, ROW_STACK, ROW_SAMPLES, ROW_WEIGHT, ROW_BESIDE };
enum { ROW_ADDRESS = ROW_BESIDE + SCHEMA_BESIDE_MAX };

static bool read_row(struct read_profile *profiles, struct profile *profile, struct map *stacks,
                     sqlite3_stmt *row)
{
    int64_t function = sqlite3_column_int64(row, ROW_FUNCTION);
    const struct code_place *place = place_of(profiles, function);
    uint32_t chain;
    int64_t stack = sqlite3_column_int64(row, ROW_STACK);
    if (!place || stack < 0 || !read_stack(profiles, profile, stacks, stack, &chain) ||
        !db_take(profiles->db, DB_INTERVAL, NULL,
                 sizeof(struct profile_site) + profile->events * sizeof(*profile->values)) ||
        db_excess(profiles->db))
        return false;
    struct code_place at = *place;
    if (profiles->has_code)
        read_code(profiles, function, at);
    if (sqlite3_column_type(row, ROW_ADDRESS) == SQLITE_INTEGER)
        at = code_book_learn_address(profiles->book, at,
                                     (uint64_t)sqlite3_column_int64(row, ROW_ADDRESS));
    struct profile_site *site = profile_add_site(profile);
    *site = (struct profile_site){
        .pid = (pid_t)sqlite3_column_int64(row, ROW_PID),
        .tid = (pid_t)sqlite3_column_int64(row, ROW_TID),
        .place = at,
        .chain = chain,
        .samples = (uint64_t)sqlite3_column_int64(row, ROW_SAMPLES),
        .weight = (uint64_t)sqlite3_column_int64(row, ROW_WEIGHT),
    };
    size_t first = (profile->site_count - 1) * profile->events;
    for (size_t e = 0; e < profile->events; e++)
        profile->values[first + e] = (uint64_t)sqlite3_column_int64(row, ROW_BESIDE + (int)e);
    profile->samples += site->samples;
    profile->weight += site->weight;
    return true;
}

static bool read_rows_between(struct read_profile *profiles, struct profile *profile, int64_t first,
                              int64_t last)
{
    struct map stacks = {0};
    int64_t before = first - 1;
    bool good = true;
    sqlite3_stmt *find = db_query(
        profiles->db, "SELECT * FROM profile_rows WHERE id BETWEEN ?1 AND ?2 ORDER BY id", first);
    sqlite3_bind_int64(find, 2, last);
    while (db_next(find, &good)) {
        int64_t id = sqlite3_column_int64(find, 0);
        good = id > before && read_row(profiles, profile, &stacks, find);
        before = id;
    }
    map_release(&stacks);
    return good;
}

/* The names of events that were read with samples, one per line. */
static void read_names(struct profile *profile, const char *text)
{
    profile->names = mem_array(SCHEMA_BESIDE_MAX, sizeof(*profile->names));
    for (const char *end; profile->events < SCHEMA_BESIDE_MAX && (end = strchr(text, '\n'));
         text = end + 1)
        profile->names[profile->events++] = mem_strndup(text, (size_t)(end - text));
}

bool read_profile_read(struct read_profile *profiles, int64_t interval, struct profile **profile)
{
    sqlite3_stmt *head =
        db_query(profiles->db, "SELECT * FROM profiles WHERE interval = ?1", interval);
    *profile = NULL;
    profiles->has_code = db_number(profiles->db, "SELECT 1 FROM code LIMIT 1", 0) != 0;
    int found = sqlite3_step(head);
    if (found != SQLITE_ROW) {
        sqlite3_reset(head);
        return found == SQLITE_DONE;
    }
    if (!profiles->book)
        profiles->book = code_book_new();
    struct profile *made = profile_new(profiles->book);
    int64_t first, last, short_stacks, callers, user_only;
    AUTO_FREE char *beside = NULL;
    /* ran and alone are 0 in older recordings, which have no such columns. */
    db_columns(
        head, 1, "%jd %jd %ju %ju %ju %ju %jd %jd %ms %ms %ms %ms %jd %ju %ju %ju %ju %ju %ju",
        &first, &last, &made->rate, &made->lost, &made->throttled, &made->exact, &short_stacks,
        &user_only, &made->event, &made->unit, &beside, &made->note, &callers, &made->unwound,
        &made->late, &made->copied, &made->unwinding, &made->ran, &made->alone);
    sqlite3_reset(head);
    made->stacks = short_stacks < 0                                ? STACKS_NONE
                   : callers >= STACKS_FP && callers < STACKS_NONE ? (enum stacks)callers
                                                                   : STACKS_FP;
    made->short_stacks = short_stacks >= 0 ? (uint64_t)short_stacks : 0;
    made->wall = made->ran > 0;
    made->user_only = user_only != 0;
    made->event = made->event ? made->event : mem_strdup("");
    made->unit = made->unit ? made->unit : mem_strdup("");
    read_names(made, beside ? beside : "");
    if (first >= 1 && read_rows_between(profiles, made, first, last)) {
        *profile = made;
        return true;
    }
    profile_drop(made);
    return false;
}

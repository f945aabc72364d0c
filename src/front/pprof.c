/* A profile for pprof(1) and all that read its files (go tool pprof, Pyroscope, Parca): one message
 * of protocol buffers, compressed by gzip, as defined in
 * https://github.com/google/pprof/blob/main/proto/profile.proto. Encoding:
 * https://protobuf.dev/programming-guides/encoding.
 *
 * A sample of the file is a site of the profile: an instruction of a thread with its callers. Its
 * values are the number of samples, the estimated count of the sampled event (of a clock: ns), and
 * the counts of the events that were read with it. Texts, functions, locations and mappings are
 * numbered in the order in which they occur, each written once. */
#include "front/batch.h"
#include "view/sampling.h"

#include <zlib.h>

/* Numbers of fields in profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_TIME = 9,
    PROFILE_DURATION,
    PROFILE_DEFAULT_TYPE = 14,
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
    MAPPING_ID = 1,
    MAPPING_FILE = 5,
    MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS, /* and file names, line numbers, inlined functions: the next three */
    MAPPING_LAST = 10,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* Things by their bytes, numbered from 0 in the order in which they were asked for first. */
struct numbered {
    struct map map; /* struct numbered_thing by the hash of its bytes, or a key after it */
    uint64_t count;
};

struct numbered_thing {
    uint64_t number;
    size_t length;
    char bytes[];
};

struct pprof {
    struct str message; /* of the profile, as far as it is written */
    struct numbered texts, functions, locations, mappings;
    struct code_book *book;
};

/* The number of a thing. *fresh: it was not asked for before. */
static uint64_t number_of(struct numbered *numbered, const void *bytes, size_t length, bool *fresh)
{
    uint64_t key = str_hash_bytes(bytes, length);
    struct numbered_thing *thing;
    while ((thing = map_get(&numbered->map, key)) &&
           (thing->length != length || memcmp(thing->bytes, bytes, length) != 0))
        key++;
    *fresh = !thing;
    if (!thing) {
        thing = mem_alloc(sizeof(*thing) + length);
        *thing = (struct numbered_thing){numbered->count++, length};
        memcpy(thing->bytes, bytes, length);
        map_put(&numbered->map, key, thing);
    }
    return thing->number;
}

/* ---- encoding ---- */

static void put_varint(struct str *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        str_add_char(to, (char)(number | 0x80));
    str_add_char(to, (char)number);
}

static void put_number(struct str *to, unsigned field, uint64_t number)
{
    put_varint(to, field << 3);
    put_varint(to, number);
}

static void put_bytes(struct str *to, unsigned field, const char *bytes, size_t length)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, length);
    str_add_n(to, bytes, length);
}

/* Writes a part of a message, and releases it. */
static void put_part(struct str *to, unsigned field, struct str *part)
{
    put_bytes(to, field, part->text, part->length);
    str_release(part);
}

/* ---- the parts of a profile ---- */

/* Texts of the format are UTF-8; viewers print them as they are. */
static uint64_t text_number(struct pprof *pprof, const char *text)
{
    bool fresh;
    AUTO_STR struct str safe = str_new();
    str_add_visible(&safe, text);
    uint64_t number = number_of(&pprof->texts, safe.text, safe.length, &fresh);
    if (fresh)
        put_bytes(&pprof->message, PROFILE_STRING, safe.text, safe.length);
    return number;
}

static uint64_t mapping_number(struct pprof *pprof, uint32_t number)
{
    bool fresh;
    uint64_t id = 1 + number_of(&pprof->mappings, &number, sizeof(number), &fresh);
    if (!fresh)
        return id;
    struct code_object object;
    struct str part = str_new(), build_id = str_new();
    code_book_object(pprof->book, number, &object);
    for (size_t i = 0; i < object.build_id_size; i++)
        str_printf(&build_id, "%02x", object.build_id[i]);
    put_number(&part, MAPPING_ID, id);
    put_number(&part, MAPPING_FILE, text_number(pprof, *object.path ? object.path : object.name));
    put_number(&part, MAPPING_BUILD_ID, text_number(pprof, build_id.text));
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_LAST; field++)
        put_number(&part, field, 1);
    put_part(&pprof->message, PROFILE_MAPPING, &part);
    str_release(&build_id);
    return id;
}

/* Viewers take the first mapping for the program: the file in which most was counted. */
static void put_main_mapping(struct pprof *pprof, const struct profile *profile)
{
    const struct profile_site *most = NULL;
    for (size_t s = 0; s < profile->site_count; s++) {
        struct code_object object;
        code_book_object(pprof->book, profile->sites[s].place.object, &object);
        if (*object.path && (!most || profile->sites[s].weight > most->weight))
            most = &profile->sites[s];
    }
    if (most)
        mapping_number(pprof, most->place.object);
}

/* A function in a file of the source; file NULL: not known. */
static uint64_t function_number(struct pprof *pprof, const char *name, const char *file)
{
    bool fresh;
    const uint64_t key[] = {text_number(pprof, name), text_number(pprof, file ? file : "")};
    uint64_t id = 1 + number_of(&pprof->functions, key, sizeof(key), &fresh);
    if (!fresh)
        return id;
    struct str part = str_new();
    put_number(&part, FUNCTION_ID, id);
    put_number(&part, FUNCTION_NAME, key[0]);
    put_number(&part, FUNCTION_SYSTEM_NAME, key[0]);
    put_number(&part, FUNCTION_FILE, key[1]);
    put_part(&pprof->message, PROFILE_FUNCTION, &part);
    return id;
}

static void put_line(struct pprof *pprof, struct str *location, const char *name,
                     struct line_place place)
{
    struct str part = str_new();
    put_number(&part, LINE_FUNCTION, function_number(pprof, name, place.file));
    put_number(&part, LINE_NUMBER, place.file ? place.line : 0);
    put_part(location, LOCATION_LINE, &part);
}

/* The lines of a location: of the function, before it those inlined there, the innermost first. */
static void put_lines(struct pprof *pprof, struct str *location, const struct function *function)
{
    char name[1024];
    const struct code_function *code = &function->code;
    if (code->state != CODE_NAMED && code->state != CODE_BOUNDED) {
        put_line(pprof, location, function->object.name, (struct line_place){0});
        return;
    }
    const struct line_inline *inlined[LINE_INLINES_MAX];
    struct line_table *table;
    size_t count = functions_inlined(pprof->book, code, inlined, &table);
    struct line_place place = {0};
    if (table && !code->whole)
        place = line_table_find(table, code->address);
    for (size_t i = count; i-- > 0;) {
        put_line(pprof, location, inlined[i]->name, place);
        place = (struct line_place){table->files[inlined[i]->file], inlined[i]->line};
    }
    function_text(function, name, sizeof(name));
    put_line(pprof, location, name, place);
    line_table_drop(table);
}

static uint64_t location_number(struct pprof *pprof, struct code_place place)
{
    bool fresh;
    const uint64_t key[] = {place.object, place.address};
    uint64_t id = 1 + number_of(&pprof->locations, key, sizeof(key), &fresh);
    if (!fresh)
        return id;
    struct function function = {0};
    struct str part = str_new();
    code_book_function(pprof->book, place, &function.code);
    code_book_object(pprof->book, place.object, &function.object);
    put_number(&part, LOCATION_ID, id);
    put_number(&part, LOCATION_MAPPING, mapping_number(pprof, place.object));
    put_number(&part, LOCATION_ADDRESS, place.address);
    put_lines(pprof, &part, &function);
    put_part(&pprof->message, PROFILE_LOCATION, &part);
    return id;
}

static void put_type(struct pprof *pprof, const char *name, bool time)
{
    struct str part = str_new();
    put_number(&part, TYPE_NAME, text_number(pprof, name));
    put_number(&part, TYPE_UNIT, text_number(pprof, time ? "nanoseconds" : "count"));
    put_part(&pprof->message, PROFILE_SAMPLE_TYPE, &part);
}

static void put_label(struct pprof *pprof, struct str *sample, const char *key, const char *text,
                      uint64_t number)
{
    struct str part = str_new();
    put_number(&part, LABEL_KEY, text_number(pprof, key));
    put_number(&part, text ? LABEL_TEXT : LABEL_NUMBER, text ? text_number(pprof, text) : number);
    put_part(sample, SAMPLE_LABEL, &part);
}

static void put_sample(struct pprof *pprof, const struct batch *batch, size_t index,
                       const char *comm)
{
    const struct profile *profile = batch->frame->profile;
    const struct profile_site *site = &profile->sites[index];
    const struct profile_chain *chain = &profile->chains[site->chain];
    const struct view_lookup *lookup = view_lookup_of(batch->in.view);
    struct str sample = str_new();
    char cgroup[4096];
    put_number(&sample, SAMPLE_LOCATIONS, location_number(pprof, site->place));
    for (size_t f = 0; f < chain->depth; f++)
        put_number(&sample, SAMPLE_LOCATIONS, location_number(pprof, chain->frames[f]));
    put_number(&sample, SAMPLE_VALUES, site->samples);
    put_number(&sample, SAMPLE_VALUES, site->weight);
    for (size_t e = 0; e < profile->events; e++)
        put_number(&sample, SAMPLE_VALUES, profile->values[index * profile->events + e]);
    put_label(pprof, &sample, "pid", NULL, (uint64_t)site->pid);
    put_label(pprof, &sample, "tid", NULL, (uint64_t)site->tid);
    if (*comm)
        put_label(pprof, &sample, "comm", comm, 0);
    const struct row *thread = frame_row(batch->frame, site->pid, site->tid);
    if (thread && *thread->comm)
        put_label(pprof, &sample, "thread", thread->comm, 0);
    if (lookup && lookup->cgroup && lookup->cgroup(lookup->ctx, site->pid, cgroup, sizeof(cgroup)))
        put_label(pprof, &sample, "cgroup", cgroup, 0);
    put_part(&pprof->message, PROFILE_SAMPLE, &sample);
}

/* Appends the bytes as a file of gzip(1). -1 with a message. */
static int compress_bytes(struct str *to, const struct str *bytes, struct err *err)
{
    enum { GZIP = 16 }; /* added to the window: zlib.h, deflateInit2() */
    z_stream stream = {.next_in = (Bytef *)bytes->text, .avail_in = (uInt)bytes->length};
    if (bytes->length > UINT32_MAX / 2 ||
        deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return err_set(err, "cannot compress the profile: it is too large, or memory is short");
    uLong room = deflateBound(&stream, bytes->length);
    AUTO_FREE char *all = mem_alloc(room);
    stream.next_out = (Bytef *)all;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    str_add_n(to, all, stream.total_out);
    deflateEnd(&stream);
    return 0;
}

int pprof_write(struct batch *batch, const struct session *session UNUSED, struct err *err)
{
    const struct frame *frame = batch->frame;
    const struct profile *profile = frame->profile;
    struct pprof pprof = {.message = str_new(), .book = profile ? profile->book : NULL};
    view_set_frame(batch->in.view, batch->frame);
    text_number(&pprof, ""); /* the format wants it first */
    put_type(&pprof, "samples", false);
    if (profile) {
        int waits = profile_waits(profile);
        put_type(&pprof, profile->event, str_equal(profile->unit, "ns"));
        for (size_t e = 0; e < profile->events; e++) {
            int event = event_set_find(frame->events, profile->names[e]);
            bool wait = waits >= 0 && e >= (size_t)waits && e < (size_t)waits + PROFILE_WAITS;
            put_type(&pprof, profile->names[e],
                     wait || (event >= 0 && str_equal(frame->events->events[event].unit, "ns")));
        }
        put_number(&pprof.message, PROFILE_DEFAULT_TYPE, text_number(&pprof, profile->event));
        put_number(&pprof.message, PROFILE_DURATION, profile->duration);
        const char *comm;
        put_main_mapping(&pprof, profile);
        for (size_t s = 0; s < profile->site_count; s++)
            if (view_covers_site(batch->in.view, &profile->sites[s], &comm))
                put_sample(&pprof, batch, s, comm);
    }
    put_number(&pprof.message, PROFILE_TIME,
               (uint64_t)llround((frame->wall - frame->interval) * 1e9));
    int result = compress_bytes(&batch->text, &pprof.message, err);
    str_release(&pprof.message);
    map_free(&pprof.texts.map);
    map_free(&pprof.functions.map);
    map_free(&pprof.locations.map);
    map_free(&pprof.mappings.map);
    return result;
}

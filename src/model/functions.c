#include "model/functions.h"

static void source_lines_clear(struct source_lines *lines)
{
    for (size_t i = 0; lines->sources && i < lines->table->file_count; i++)
        source_file_drop(lines->sources[i]);
    free(lines->sources);
    lines->sources = NULL;
    line_table_drop(lines->table);
    lines->table = NULL;
    lines->pending = false;
    lines->count = 0;
}

static void source_lines_release(struct source_lines *lines)
{
    source_lines_clear(lines);
    free(lines->rows);
    free(lines->row_of);
    *lines = (struct source_lines){0};
}

static bool same_line(const struct line_place *a, const struct line_place *b)
{
    return a->file == b->file && a->line == b->line; /* a table has each file once */
}

size_t source_lines_inlined(const struct source_lines *lines, const struct code_line *row,
                            const struct line_inline **found)
{
    return lines->table ? line_table_inlined(lines->table, row->address, found) : 0;
}

static struct code_line line_at(const struct source_lines *lines, uint64_t address)
{
    const struct line_inline *inlined[LINE_INLINES_MAX];
    struct code_line line = {.address = address};
    size_t depth = source_lines_inlined(lines, &line, inlined);
    if (lines->table)
        line.place = line_table_find(lines->table, address);
    line.inlined = depth > 0 ? inlined[depth - 1]->name : NULL;
    return line;
}

static void add_row(struct source_lines *lines, struct code_line row)
{
    *MEM_ADD(lines->rows, lines->count, lines->room) = row;
}

/* Instructions, and above each run of them its line. */
static void make_both(struct source_lines *lines, const struct code_listing *listing, bool sources)
{
    struct line_place last = {NULL, 0};
    for (size_t i = 0; i < listing->count; i++) {
        struct code_line line = line_at(lines, listing->instructions[i].address);
        if (sources && line.place.file && !same_line(&line.place, &last))
            add_row(lines, line);
        last = line.place;
        line.instruction = &listing->instructions[i];
        lines->row_of[i] = lines->count;
        add_row(lines, line);
    }
}

/* By file, that of the function itself first, and number. */
static int by_place(const void *pa, const void *pb, void *ctx)
{
    const struct code_line *a = pa, *b = pb;
    const char *own = ctx;
    if (a->place.file != b->place.file) {
        bool a_own = a->place.file == own, b_own = b->place.file == own;
        int order = a->place.file && b->place.file ? strcmp(a->place.file, b->place.file)
                                                   : !a->place.file - !b->place.file;
        return a_own != b_own ? b_own - a_own : order;
    }
    return a->place.line != b->place.line ? (a->place.line > b->place.line ? 1 : -1)
                                          : (a->address > b->address) - (a->address < b->address);
}

/* Each line once; what has none is together in a last row. */
static void make_lines(struct source_lines *lines, const struct code_listing *listing)
{
    size_t kept = 0;
    const char *own = NULL;
    for (size_t i = 0; i < listing->count; i++)
        add_row(lines, line_at(lines, listing->instructions[i].address));
    for (size_t i = 0; i < lines->count && !own; i++)
        own = lines->rows[i].inlined ? NULL : lines->rows[i].place.file;
    qsort_r(lines->rows, lines->count, sizeof(*lines->rows), by_place, (void *)own);
    for (size_t i = 0; i < lines->count; i++) {
        struct code_line row = lines->rows[i];
        size_t index = code_listing_find(listing, row.address);
        if (i == 0 || !same_line(&row.place, &lines->rows[kept - 1].place))
            lines->rows[kept++] = row;
        lines->row_of[index] = kept - 1;
    }
    lines->count = kept;
}

/* Asks for the texts of the lines in the rows. */
static void get_sources(struct source_lines *lines, struct code_book *book, uint32_t object)
{
    struct line_table *table = lines->table;
    lines->sources = mem_array(table->file_count + 1, sizeof(*lines->sources));
    for (size_t f = 0; f < table->file_count; f++) {
        bool wanted = false;
        for (size_t i = 0; i < lines->count && !wanted; i++)
            wanted = !lines->rows[i].instruction && lines->rows[i].place.file == table->files[f];
        if (wanted && !(lines->sources[f] = code_book_source(book, object, table->files[f])))
            lines->pending = true;
    }
}

/* Replaces the rows by those of a function's listing. Lines come before their instructions, or
 * alone in the order of files and numbers. Where no lines are known the rows are instructions. */
static void source_lines_make(struct source_lines *lines, const struct code_listing *listing,
                              struct code_book *book, const struct code_function *function,
                              enum source_rows rows)
{
    source_lines_clear(lines);
    lines->table = code_book_lines(book, function);
    lines->pending = !lines->table;
    mem_grow(&lines->row_of, &lines->row_of_room, listing->count + 1, sizeof(*lines->row_of));
    bool known = lines->table && lines->table->count > 0;
    if (known && rows == SOURCE_LINES && listing->count > 0)
        make_lines(lines, listing);
    else
        make_both(lines, listing, known && rows == SOURCE_BOTH);
    if (known && rows != SOURCE_NONE)
        get_sources(lines, book, function->object);
}

static const struct source_file *source_of(const struct source_lines *lines, const char *file)
{
    for (size_t f = 0; lines->sources && f < lines->table->file_count; f++)
        if (lines->table->files[f] == file)
            return lines->sources[f];
    return NULL;
}

void source_lines_text(const struct source_lines *lines, const struct code_line *row, char *text,
                       size_t size)
{
    const char *name = row->place.file ? strrchr(row->place.file, '/') : NULL;
    const struct source_file *source = source_of(lines, row->place.file);
    char line[1024] = "";
    if (!row->place.file) {
        snprintf(text, size, "(no source line)");
        return;
    }
    if (source)
        source_file_line(source, row->place.line, line, sizeof(line));
    for (char *c = line; *c; c++)
        *c = *c == '\t' ? ' ' : *c == '\r' && !c[1] ? '\0' : *c;
    snprintf(text, size, "%s:%u%s%s%s%s", name ? name + 1 : row->place.file, row->place.line,
             row->inlined ? " in " : "", row->inlined ? row->inlined : "", *line ? "  " : "", line);
}

const char *source_lines_reason(const struct source_lines *lines)
{
    const char *reason = lines->table ? lines->table->reason : NULL;
    for (size_t f = 0; !reason && lines->sources && f < lines->table->file_count; f++)
        if (lines->sources[f])
            reason = lines->sources[f]->reason;
    return reason || !lines->pending ? reason : "still being read";
}

static void functions_clear(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->rows[i].counts);
    functions->count = 0;
    functions->samples = functions->weight = 0;
    functions->all_samples = functions->all_weight = 0;
    code_listing_drop(functions->listing);
    functions->listing = NULL;
    source_lines_clear(&functions->source);
    while (functions->name_count > 0)
        free(functions->names[--functions->name_count]);
    memset(functions->waits, 0, sizeof(functions->waits));
    functions->pending = false;
    map_clear(&functions->found);
}

void functions_release(struct functions *functions)
{
    functions_clear(functions);
    source_lines_release(&functions->source);
    map_release(&functions->found);
    free(functions->names);
    free(functions->rows);
    free(functions->functions);
    *functions = (struct functions){0};
}

/* Whether both are in one row. */
static bool same_function(const struct code_function *a, const struct code_function *b)
{
    bool bounds = code_function_known(a);
    return a->state == b->state && a->object == b->object && (!bounds || a->start == b->start);
}

/* Adds a row without samples. */
static size_t functions_add(struct functions *functions, const struct frame *frame, uint64_t id,
                            struct function function)
{
    size_t index = functions->count++;
    mem_grow(&functions->rows, &functions->room, functions->count, sizeof(*functions->rows));
    mem_grow(&functions->functions, &functions->function_room, functions->count,
             sizeof(*functions->functions));
    struct row *row = &functions->rows[index];
    *row = row_sum_new(frame->events);
    row->id = id;
    row->ran = true;
    functions->functions[index] = function;
    return index;
}

/* The index of the function's row; adds a new one if necessary. */
static size_t functions_find(struct functions *functions, const struct frame *frame,
                             struct code_place place)
{
    struct function function = {0};
    struct code_function code;
    code_book_function(frame->profile->book, place, &code);
    bool bounds = code_function_known(&code);
    functions->pending |= code.state == CODE_PENDING;
    /* The same in every frame, so that the cursor finds its row. */
    uint64_t id = ((uint64_t)code.object + 1) << 40 ^ (bounds ? code.start : code.state);
    for (void *found; (found = map_get(&functions->found, id)); id++) {
        const struct function *known = &functions->functions[(uintptr_t)found - 1];
        if (same_function(&known->code, &code))
            return (uintptr_t)found - 1;
    }
    function.code = code;
    code_book_object(frame->profile->book, code.object, &function.object);
    size_t index = functions_add(functions, frame, id, function);
    map_put(&functions->found, id, (void *)(uintptr_t)(index + 1));
    return index;
}

/* For each event of the frame's set its position among a site's values; -1: the sampled event, -2:
 * not read with the samples. */
enum { FROM_WEIGHT = -1, FROM_NOTHING = -2 };

static int *functions_origins(const struct frame *frame)
{
    const struct profile *profile = frame->profile;
    int *origins = mem_array(frame->events->count + 1, sizeof(*origins));
    for (size_t e = 0; e < frame->events->count; e++) {
        const char *name = frame->events->events[e].name;
        origins[e] = str_equal(name, profile->event) ? FROM_WEIGHT : FROM_NOTHING;
        int value = profile_value(profile, name);
        if (origins[e] == FROM_NOTHING && value >= 0)
            origins[e] = value;
    }
    return origins;
}

/* What rows are made from. */
struct making {
    struct functions *functions;
    const struct frame *frame;
    const struct annotated *annotated; /* rows are its instructions; NULL: functions */
    int *origins, waits;
};

/* The row of a place. False: it is not in the function whose instructions are rows. Its row is
 * `count` where the instruction is not listed. */
static bool find_row(const struct making *making, struct code_place place, size_t *at)
{
    struct functions *functions = making->functions;
    struct code_function code;
    if (!making->annotated) {
        *at = functions_find(functions, making->frame, place);
        return true;
    }
    code_book_function(making->frame->profile->book, place, &code);
    functions->pending |= code.state == CODE_PENDING;
    *at = functions->count;
    if (functions->listing && !code.whole) {
        size_t listed = code_listing_find(functions->listing, code.address);
        if (listed < functions->listing->count)
            *at = functions->source.row_of[listed];
    }
    return same_function(&code, &making->annotated->function.code);
}

static void sum_site(const struct making *making, size_t index)
{
    struct functions *functions = making->functions;
    const struct event_set *set = making->frame->events;
    const struct profile *profile = making->frame->profile;
    const struct profile_site *site = &profile->sites[index];
    const uint64_t *values = profile->values + index * profile->events;
    size_t at;
    functions->all_samples += site->samples;
    functions->all_weight += site->weight;
    if (!find_row(making, site->place, &at))
        return;
    functions->samples += site->samples;
    functions->weight += site->weight;
    for (size_t w = 0; making->waits >= 0 && w < PROFILE_WAITS; w++)
        functions->waits[w] += values[(size_t)making->waits + w];
    if (at >= functions->count)
        return;
    struct function *function = &functions->functions[at];
    function->samples += site->samples;
    function->weight += site->weight;
    for (size_t w = 0; making->waits >= 0 && w < PROFILE_WAITS; w++)
        function->waits[w] += values[(size_t)making->waits + w];
    for (size_t e = 0; e < set->count; e++)
        if (making->origins[e] != FROM_NOTHING)
            functions->rows[at].counts[e].value += making->origins[e] == FROM_WEIGHT
                                                       ? site->weight
                                                       : values[(size_t)making->origins[e]];
}

/* Adds up the sites in the rows. */
static void add_sites(struct functions *functions, const struct annotated *annotated,
                      const struct frame *frame, functions_wanted *wanted, void *ctx)
{
    const struct profile *profile = frame->profile;
    struct making making = {functions, frame, annotated, functions_origins(frame),
                            profile_waits(profile)};
    for (size_t s = 0; s < profile->site_count; s++)
        if (wanted(ctx, profile->sites[s].pid, profile->sites[s].tid))
            sum_site(&making, s);
    bool clock = str_equal(profile->unit, "ns");
    for (size_t i = 0; i < functions->count; i++) {
        struct row *row = &functions->rows[i];
        row->oncpu = clock ? (double)functions->functions[i].weight / 1e9 : -1;
        for (size_t e = 0; e < frame->events->count; e++)
            row->counts[e].coverage = making.origins[e] != FROM_NOTHING;
    }
    free(making.origins);
}

void functions_make(struct functions *functions, const struct frame *frame,
                    functions_wanted *wanted, void *ctx)
{
    functions_clear(functions);
    if (frame->profile)
        add_sites(functions, NULL, frame, wanted, ctx);
}

/* ---- instructions ---- */

struct annotated annotated_new(const struct frame *frame, const struct function *function)
{
    char name[1024];
    function_text(function, name, sizeof(name));
    return (struct annotated){
        .name = mem_strdup(name),
        .object = mem_strdup(function->object.name),
        .book = mem_share(frame->profile->book),
        .function = {.code = function->code, .object = function->object},
    };
}

void annotated_copy(struct annotated *to, const struct annotated *from)
{
    *to = *from;
    to->name = mem_strdup(from->name);
    to->object = mem_strdup(from->object);
    if (to->book)
        mem_share(to->book);
}

void annotated_release(struct annotated *annotated)
{
    code_book_drop(annotated->book);
    free(annotated->name);
    free(annotated->object);
    *annotated = (struct annotated){0};
}

/* The function of that name with the most weight; NULL: none. */
static const struct function *functions_named(const struct functions *functions, const char *name,
                                              const char *object)
{
    const struct function *most = NULL;
    char text[1024];
    for (size_t i = 0; i < functions->count; i++) {
        const struct function *function = &functions->functions[i];
        bool known = code_function_known(&function->code);
        if (!known || (most && most->weight >= function->weight) ||
            (object && strcmp(object, function->object.name) != 0))
            continue;
        function_text(function, text, sizeof(text));
        if (!name || strcmp(text, name) == 0)
            most = function;
    }
    return most;
}

/* Looks the function up by name in the frame's book; replaces the rows meanwhile. Returns whether
 * names are still pending. */
static bool annotated_find(struct annotated *annotated, struct functions *functions,
                           const struct frame *frame, functions_wanted *wanted, void *ctx)
{
    functions_make(functions, frame, wanted, ctx);
    const struct function *found = functions_named(functions, annotated->name, annotated->object);
    code_book_drop(annotated->book);
    annotated->book = found ? mem_share(frame->profile->book) : NULL;
    if (found)
        annotated->function = (struct function){.code = found->code, .object = found->object};
    annotated->early = functions->pending;
    return annotated->early;
}

/* Lines come before the instructions of the same address. */
static uint64_t line_row_id(const struct code_line *line)
{
    return line->address << 1 | (line->instruction != NULL);
}

uint64_t functions_instruction_id(uint64_t address)
{
    static const struct code_instruction any;
    return line_row_id(&(struct code_line){.instruction = &any, .address = address});
}

void functions_list(struct functions *functions, struct annotated *annotated,
                    const struct frame *frame, enum source_rows rows, functions_wanted *wanted,
                    void *ctx)
{
    bool pending = frame->profile &&
                   (annotated->book != frame->profile->book || annotated->early) &&
                   annotated_find(annotated, functions, frame, wanted, ctx);
    functions_clear(functions);
    functions->pending = pending;
    if (!frame->profile || !annotated->book)
        return;
    const struct code_function *code = &annotated->function.code;
    functions->listing = code_book_listing(frame->profile->book, code);
    functions->pending |= !functions->listing;
    if (functions->listing)
        source_lines_make(&functions->source, functions->listing, frame->profile->book, code, rows);
    for (size_t i = 0; i < functions->source.count; i++)
        functions_add(functions, frame, line_row_id(&functions->source.rows[i]),
                      annotated->function);
    add_sites(functions, annotated, frame, wanted, ctx);
}

/* Whether the place is in the function. */
static bool is_in(const struct frame *frame, struct code_place place,
                  const struct function *function)
{
    struct code_function code;
    code_book_function(frame->profile->book, place, &code);
    return same_function(&code, &function->code);
}

size_t functions_inlined(struct code_book *book, const struct code_function *code,
                         const struct line_inline **found, struct line_table **table)
{
    *table = code_book_lines(book, code);
    return *table && !code->whole ? line_table_inlined(*table, code->address, found) : 0;
}

/* The index of the row of an inlined function; adds a new one if necessary. */
static size_t find_inlined(struct functions *functions, const struct frame *frame,
                           const struct code_function *code, const char *name)
{
    struct function function = {.code = {.state = CODE_NAMED, .object = code->object}};
    AUTO_FREE char *shown = mem_printf("%s (inlined)", name);
    for (size_t i = 0; i < functions->count; i++)
        if (functions->functions[i].code.object == code->object &&
            str_equal(functions->functions[i].code.name, shown))
            return i;
    function.code.name = *MEM_ADD(functions->names, functions->name_count, functions->name_room) =
        mem_strdup(shown);
    code_book_object(frame->profile->book, code->object, &function.object);
    return functions_add(functions, frame, functions->name_count, function);
}

static void functions_add_related(struct functions *related, size_t row,
                                  const struct profile_site *site)
{
    related->functions[row].samples += site->samples;
    related->functions[row].weight += site->weight;
}

/* Adds what is inlined at a place, each function once; or only the innermost one. False: nothing
 * is, or that is not known yet. */
static bool add_inlined(struct functions *related, const struct frame *frame,
                        struct code_place place, bool innermost, const struct profile_site *site)
{
    const struct line_inline *found[LINE_INLINES_MAX];
    struct code_function code;
    struct line_table *table;
    code_book_function(frame->profile->book, place, &code);
    size_t count = functions_inlined(frame->profile->book, &code, found, &table);
    for (size_t i = innermost && count > 0 ? count - 1 : 0; i < count; i++) {
        bool again = false;
        for (size_t before = 0; before < i && !innermost; before++)
            again |= strcmp(found[before]->name, found[i]->name) == 0;
        if (!again)
            functions_add_related(related, find_inlined(related, frame, &code, found[i]->name),
                                  site);
    }
    related->source.pending |= !table;
    line_table_drop(table);
    return count > 0;
}

/* Adds a place that calls the function, or that it calls. */
static void add_other(struct functions *related, const struct frame *frame, struct code_place place,
                      bool caller, const struct profile_site *site)
{
    related->weight += site->weight;
    if (!caller || !add_inlined(related, frame, place, true, site))
        functions_add_related(related, functions_find(related, frame, place), site);
}

uint64_t functions_related(struct functions related[RELATED_KINDS], const struct frame *frame,
                           const struct function *function, functions_wanted *wanted, void *ctx)
{
    const struct profile *profile = frame->profile;
    uint64_t inclusive = 0;
    for (enum related kind = 0; kind < RELATED_KINDS; kind++)
        functions_clear(&related[kind]);
    for (size_t s = 0; profile && s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        const struct profile_chain *chain = &profile->chains[site->chain];
        size_t index = 0; /* in the stack: 0 is the site itself */
        if (!wanted(ctx, site->pid, site->tid))
            continue;
        while (index <= chain->depth &&
               !is_in(frame, index == 0 ? site->place : chain->frames[index - 1], function))
            index++;
        if (index > chain->depth)
            continue;
        inclusive += site->weight;
        add_inlined(&related[RELATED_INLINED], frame,
                    index == 0 ? site->place : chain->frames[index - 1], false, site);
        if (index < chain->depth)
            add_other(&related[RELATED_CALLERS], frame, chain->frames[index], true, site);
        if (index > 0)
            add_other(&related[RELATED_CALLEES], frame,
                      index > 1 ? chain->frames[index - 2] : site->place, false, site);
    }
    return inclusive;
}

void functions_of_wait(const struct profile *profile, const struct long_wait *wait,
                       struct names *names)
{
    const struct profile_site *most = NULL;
    int waits = profile ? profile_waits(profile) : -1;
    size_t value = (size_t)waits + (wait->woken ? PROFILE_BLOCKED : PROFILE_PREEMPTED);
    uint64_t weight = 0;
    for (size_t s = 0; profile && s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        uint64_t more = waits < 0 ? site->weight : profile->values[s * profile->events + value];
        if (site->pid != wait->pid || site->tid != wait->task.id || more <= weight)
            continue;
        most = site;
        weight = more;
    }
    const struct profile_chain *chain = most ? &profile->chains[most->chain] : NULL;
    for (size_t i = 0; most && i <= chain->depth; i++) {
        struct function function = {0};
        char name[1024];
        code_book_function(profile->book, i ? chain->frames[i - 1] : most->place, &function.code);
        code_book_object(profile->book, function.code.object, &function.object);
        function_text(&function, name, sizeof(name));
        names_add(names, name);
    }
}

void function_text(const struct function *function, char *text, size_t size)
{
    const struct code_function *code = &function->code;
    if (code->state == CODE_NAMED)
        snprintf(text, size, "%s", code->name);
    else if (code->state == CODE_BOUNDED)
        snprintf(text, size, "%s+0x%llx", function->object.name, (unsigned long long)code->start);
    else
        snprintf(text, size, "%s",
                 code->state == CODE_PENDING ? "(reading names)" : "(no function known)");
}

double functions_counted(const struct frame *frame, functions_wanted *wanted, void *ctx)
{
    if (!frame->profile || frame->profile->cpus.count)
        return -1;
    int event = event_set_find(frame->events, frame->profile->event);
    bool clock = str_equal(frame->profile->unit, "ns");
    if (!clock && (event < 0 || frame->events->events[event].state != EVENT_COUNTED))
        return -1;
    double counted = 0;
    bool all = true;
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *row = &frame->threads[i];
        if (wanted(ctx, row->pid, row->tid))
            counted += clock ? row->oncpu * 1e9 : (double)row->counts[event].value;
        else
            all = false;
    }
    if (all && frame->unassigned)
        counted += (double)(int64_t)frame->unassigned[clock ? frame->events->count : (size_t)event];
    return counted;
}

/* ---- names in other builds ---- */

static void cut_out(char *from, const char *to)
{
    memmove(from, to, strlen(to) + 1);
}

/* Cuts what compilers append to the names of parts and copies of a function. */
static void cut_suffixes(char *name)
{
    static const char *const words[] = {"constprop", "isra",     "part",  "cold",
                                        "llvm",      "lto_priv", "clone", "__uniq"};
    char *clone = strstr(name, " [clone ");
    if (clone)
        *clone = '\0';
    for (char *dot = *name ? strchr(name + 1, '.') : NULL; dot; dot = strchr(dot + 1, '.'))
        for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
            if (str_starts(dot + 1, words[w]) && !isalpha(dot[1 + strlen(words[w])])) {
                *dot = '\0';
                return;
            }
}

/* Cuts "::h0123456789abcdef" at the end, and "[0123abcd]" in front of "::". */
static void cut_hashes(char *name)
{
    enum { HASH = 16 };
    size_t length = strlen(name);
    char *hash = length > HASH + 3 ? name + length - HASH - 3 : NULL;
    if (hash && str_starts(hash, "::h") && strspn(hash + 3, "0123456789abcdef") == HASH)
        *hash = '\0';
    for (char *open = name; (open = strchr(open, '['));) {
        size_t digits = strspn(open + 1, "0123456789abcdef");
        if (digits > 0 && digits <= HASH && str_starts(open + 1 + digits, "]::"))
            cut_out(open, open + digits + 2);
        else
            open++;
    }
}

/* Cuts ", std::allocator<int> " and others that are defaults of the standard's templates. */
static void cut_defaults(char *name)
{
    static const char *const defaults[] = {
        ", std::allocator<", ", std::less<",  ", std::hash<",        ", std::equal_to<",
        ", std::greater<",   ", std::deque<", ", std::char_traits<", ", std::default_delete<"};
    for (size_t d = 0; d < sizeof(defaults) / sizeof(*defaults); d++)
        for (char *at = name; (at = strstr(at, defaults[d]));) {
            char *end = at + strlen(defaults[d]);
            for (int depth = 1; *end && depth > 0; end++)
                depth += (*end == '<') - (*end == '>');
            cut_out(at, end);
        }
}

static void cut_all(char *name, const char *text, size_t kept)
{
    for (char *at = name; (at = strstr(at, text));)
        cut_out(at, at + strlen(text) - kept);
}

char *function_match_name(const char *name)
{
    char *match = mem_strdup(name);
    if (str_starts(match, "JS:") && match[3] && strchr("*^~+", match[3]))
        cut_out(match + 3, match + 4);
    cut_suffixes(match);
    cut_hashes(match);
    cut_defaults(match);
    cut_all(match, "__cxx11::", 0);
    cut_all(match, "[abi:cxx11]", 0);
    cut_all(match, " >", 1);
    return match;
}

char *function_match_object(const char *object)
{
    char *match = mem_strdup(object);
    char *library = strstr(match, ".so");
    if (!library || library == match || (library[3] && library[3] != '.'))
        return match;
    library[3] = '\0';
    char *version = library;
    while (version > match && (isdigit(version[-1]) || version[-1] == '.'))
        version--;
    if (version > match + 1 && version < library && version[-1] == '-')
        cut_out(version - 1, library);
    return match;
}

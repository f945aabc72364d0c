/* Functions in a recording: read back they are what they were, and need no programs. */
#include "unit/recorded.h"
#include "unit/test.h"

#include <stdlib.h>

struct both {
    struct writer *writer;
    struct reader *reader;
    struct event_set *set;
    struct session session;
    struct code_book *book;
};

static int setup(void **state)
{
    struct both *both = mem_alloc(sizeof(*both));
    both->writer = recorded_writer(NULL);
    both->reader = reader_of(writer_db(both->writer));
    both->set = recorded_set(2);
    both->session = recorded_session("");
    both->book = code_book_new();
    *state = both;
    return 0;
}

static int teardown(void **state)
{
    struct both *both = *state;
    reader_close(both->reader);
    writer_close(both->writer);
    event_set_drop(both->set);
    session_release(&both->session);
    code_book_drop(both->book);
    free(both);
    return 0;
}

static struct code_place learn(struct both *both, const char *object, const char *name,
                               uint64_t start)
{
    const struct code_function function = {
        name ? CODE_NAMED : CODE_BOUNDED, start, 16, name, 0, 0, false};
    char *path = mem_printf("/usr/lib/%s", object);
    struct code_place place =
        code_book_learn(both->book, &(struct code_object){.name = object, .path = path}, &function);
    free(path);
    return place;
}

static struct profile *handmade_profile(struct both *both)
{
    struct profile *profile = profile_new(both->book);
    profile->event = mem_strdup("cycles");
    profile->unit = mem_strdup("");
    profile->note = mem_strdup("a note");
    profile->rate = 997;
    profile->lost = 1;
    profile->throttled = 2;
    profile->exact = 3;
    profile->stacks = STACKS_DWARF;
    profile->short_stacks = 4;
    profile->unwound = 5;
    profile->late = 6;
    profile->copied = 7;
    profile->unwinding = 8;
    profile->user_only = true;
    profile->names = mem_array(2, sizeof(*profile->names));
    profile->names[0] = mem_strdup("instructions");
    profile->names[1] = mem_strdup("an odd name");
    profile->events = 2;
    return profile;
}

static void add(struct both *both, struct profile *profile, struct code_place place, uint32_t chain,
                uint64_t number)
{
    (void)both;
    struct profile_site *site = profile_add_site(profile);
    *site = (struct profile_site){.pid = 7,
                                  .tid = (pid_t)number,
                                  .place = place,
                                  .chain = chain,
                                  .samples = number,
                                  .weight = number * 100};
    profile->values[(profile->site_count - 1) * 2] = number * 10;
    profile->values[(profile->site_count - 1) * 2 + 1] = UINT32_MAX;
}

static void write_one(struct both *both, struct profile *profile, double wall)
{
    struct err err = {""};
    struct snapshot *s = recorded_interval(both->set, wall);
    recorded_add(s, 7, 3);
    s->profile = profile;
    assert_int_equal(writer_take(both->writer, &both->session, s, &err), 0);
    snapshot_free(s);
}

static const char *name_of(const struct profile *profile, struct code_place place)
{
    struct code_function function;
    code_book_function(profile->book, place, &function);
    return function.name                    ? function.name
           : function.state == CODE_BOUNDED ? "(bounded)"
                                            : "(unknown)";
}

/* The code of a function that was looked at: its instructions, lines and their texts, and where the
 * samples are in it. */
static void with_code(void **state)
{
    struct both *both = *state;
    struct err err = {""};
    struct code_place f = learn(both, "libx.so", "f", 0x100);
    struct code_place other = learn(both, "libx.so", "other", 0x200);
    struct code_listing *listing =
        code_listing_read("n cut\n100 2 0 0 mov %a, %b\n102 3 2 100 jnz 0x100\n");
    char lines[] = "f /src/x.c\nf /src/y.h\nr 100 0 7\nr 102 1 900\ni 102 105 1 0 7 inner\n";
    struct source_file *x = source_file_new("/src/x.c"), *y = source_file_new("/src/y.h");
    assert_true(source_file_add_line(x, 7, "seven"));
    assert_true(source_file_add_line(y, 900, "nine hundred\nmore"));
    assert_false(source_file_add_line(y, 900, "again"));
    code_book_learn_code(both->book, f, listing, line_table_read(lines));
    code_book_learn_source(both->book, f.object, x);
    code_book_learn_source(both->book, f.object, y);
    struct profile *profile = handmade_profile(both);
    add(both, profile, code_book_learn_address(both->book, f, 0x102), 0, 5);
    add(both, profile, code_book_learn_address(both->book, f, 0x100), 0, 6);
    add(both, profile, f, 0, 7);
    add(both, profile, other, 0, 8);
    write_one(both, profile, 1);

    struct snapshot *s = reader_read(both->reader, 1, READ_ACTIVE, &err);
    assert_non_null(s);
    const struct profile *read = s->profile;
    struct code_function code[4];
    for (size_t i = 0; i < 4; i++) {
        code_book_function(read->book, read->sites[i].place, &code[i]);
        assert_int_equal(code[i].start, i < 3 ? 0x100 : 0x200);
        assert_int_equal(code[i].whole, i >= 2); /* no instruction is known */
    }
    assert_int_equal(code[0].address, 0x102);
    assert_int_equal(code[1].address, 0x100);
    struct code_listing *kept = code_book_listing(read->book, &code[0]);
    assert_string_equal(kept->reason, "cut");
    assert_int_equal(kept->count, 2);
    assert_string_equal(code_listing_text(kept, &kept->instructions[0]), "mov %a, %b");
    assert_int_equal(kept->instructions[1].flow, FLOW_BRANCH);
    assert_int_equal(kept->instructions[1].target, 0x100);
    code_listing_drop(kept);
    struct line_table *table = code_book_lines(read->book, &code[0]);
    struct line_place place = line_table_find(table, 0x103);
    assert_string_equal(place.file, "/src/y.h");
    assert_int_equal(place.line, 900);
    const struct line_inline *inlined[LINE_INLINES_MAX];
    assert_int_equal(line_table_inlined(table, 0x103, inlined), 1);
    assert_string_equal(inlined[0]->name, "inner");
    line_table_drop(table);
    char text[64];
    struct source_file *source = code_book_source(read->book, code[0].object, "/src/y.h");
    source_file_line(source, 900, text, sizeof(text));
    assert_string_equal(text, "nine hundred");
    source_file_line(source, 899, text, sizeof(text));
    assert_string_equal(text, "");
    source_file_drop(source);
    kept = code_book_listing(read->book, &code[3]);
    assert_int_equal(kept->count, 0);
    assert_non_null(kept->reason);
    code_listing_drop(kept);
    table = code_book_lines(read->book, &code[3]);
    assert_string_equal(table->reason, "the recording has no lines of this function");
    line_table_drop(table);
    snapshot_free(s);
    static const char *const wrong[] = {"100 0 0 0 nop\n",
                                        "100 1 9 0 nop\n",
                                        "100 1 0 0 nop",
                                        "100 1 0 nop\n",
                                        "100 1 0 0 nop\n102 1 0 0 nop\n",
                                        "x\n"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_null(code_listing_read(wrong[i]));
}

/* Where memory is limited, intervals go with their functions, and later ones are whole. */
static void limited(void **state)
{
    struct both *both = *state;
    struct err err = {""};
    for (unsigned i = 0; i < 200; i++) {
        struct profile *profile = handmade_profile(both);
        for (uint64_t k = 0; k < 50; k++) {
            char *name = mem_printf("function_%u_%u", i, (unsigned)k);
            add(both, profile, learn(both, "libx.so", name, i * 1000 + k), 0, k + 1);
            free(name);
        }
        write_one(both, profile, i);
    }
    uint64_t bytes = writer_bytes(both->writer);
    assert_int_equal(writer_trim(both->writer, bytes / 3, &err), 0);
    assert_true(writer_bytes(both->writer) <= bytes / 3);
    struct profile *profile = handmade_profile(both);
    add(both, profile, learn(both, "libx.so", "function_0_0", 0), 0, 9);
    write_one(both, profile, 300);
    int64_t first, last;
    reader_span(both->reader, &first, &last, NULL);
    assert_int_equal(last, 201);
    struct snapshot *s = reader_read(both->reader, last, READ_ACTIVE, &err);
    assert_non_null(s);
    assert_string_equal(name_of(s->profile, s->profile->sites[0].place), "function_0_0");
    snapshot_free(s);
}

/* What is no recording's: refused, not believed. */
static void damaged(void **state)
{
    static const char *const wounds[] = {
        "UPDATE stacks SET caller = id",      "UPDATE stacks SET caller = id + 1",
        "UPDATE stacks SET function = 99",    "DELETE FROM stacks",
        "UPDATE functions SET object = 99",   "UPDATE functions SET state = 77",
        "UPDATE functions SET name = NULL",   "UPDATE profile_rows SET function = -1",
        "UPDATE profile_rows SET stack = -1", "UPDATE profiles SET first = 0",
        "UPDATE objects SET name = x'00'",
    };
    for (size_t i = 0; i < sizeof(wounds) / sizeof(*wounds); i++) {
        struct both *both;
        struct err err = {""};
        setup((void **)&both);
        struct profile *profile = handmade_profile(both);
        struct code_place f = learn(both, "libx.so", "f", 0x100), caller[] = {f};
        add(both, profile, f, profile_add_chain(profile, &(struct profile_chain){1, caller}), 5);
        write_one(both, profile, 1);
        assert_int_equal(db_exec(writer_db(both->writer), &err, "%s", wounds[i]), 0);
        struct snapshot *s = reader_read(both->reader, 1, READ_ACTIVE, &err);
        if (s)
            fail_msg("'%s' is believed", wounds[i]);
        assert_non_null(strstr(err.text, "damaged"));
        teardown((void **)&both);
    }
}

/* Records of events that sample code, and their sums. */

#include "engine/code_samples.h"
#include "base/mem.h"
#include "code/stack_dwarf.h"
#include "unit/rawrecord.h"
#include "unit/test.h"

static const uint64_t ALL = DECODE_CODE_FIELDS | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;

enum { PERIOD = 1000 }; /* what the kernel aims at: no count */

/* DECODE_CODE_FIELDS, then a group of two values and a chain. */
static void sample(struct raw *raw, pid_t tid, uint64_t address, uint64_t count, uint64_t value,
                   size_t depth, const uint64_t *chain)
{
    raw_begin(raw, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
    raw_add(raw, address);
    raw_add_pair(raw, 7, tid);
    raw_add(raw, 1000);
    raw_add_pair(raw, 1, 0);
    raw_add(raw, PERIOD);
    raw_add(raw, 2);
    raw_add(raw, 500);
    raw_add(raw, 500);
    raw_add(raw, count);
    raw_add(raw, value);
    raw_add(raw, depth);
    for (size_t i = 0; i < depth; i++)
        raw_add(raw, chain[i]);
}

static void trailer(struct raw *raw, uint64_t time)
{
    raw_trailer(raw, 7, 8, time);
    raw_add_pair(raw, 1, 0);
}

/* No part of a record is one. */
static void refuse_parts(const struct raw *raw, uint64_t fields)
{
    struct raw cut = *raw;
    struct code_record record;
    while (cut.header.size > sizeof(cut.header)) {
        cut.header.size = (uint16_t)(cut.header.size - 8);
        assert_false(decode_code_record(&cut.header, fields, &record));
    }
}

static void samples(void **state)
{
    struct raw raw;
    struct code_record record;
    const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x400100, 0x400205};
    sample(&raw, 8, 0x400100, 3, 22, 3, chain);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.common.kind, RECORD_SAMPLE);
    assert_int_equal(record.common.pid, 7);
    assert_int_equal(record.common.tid, 8);
    assert_int_equal(record.common.time, 1000);
    assert_int_equal(record.sample.address, 0x400100);
    assert_int_equal(record.sample.period, PERIOD);
    assert_int_equal(record.sample.cpu, 1);
    assert_true(record.sample.exact && !record.sample.kernel);
    assert_int_equal(record.sample.value_count, 2);
    assert_int_equal(record.sample.values[1], 22);
    assert_int_equal(record.sample.chain_count, 3);
    assert_int_equal(record.sample.chain[2], 0x400205);
    refuse_parts(&raw, ALL);
    assert_true(decode_code_record(&raw.header, DECODE_CODE_FIELDS, &record)); /* and more */
    raw.words[5] = UINT64_MAX / 8; /* more values than fit */
    assert_false(decode_code_record(&raw.header, ALL, &record));
}

/* DECODE_CODE_FIELDS, then no chain. */
static void begin_bare(struct raw *raw)
{
    raw_begin(raw, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    raw_add(raw, 0x400100);
    raw_add_pair(raw, 7, 8);
    raw_add(raw, 1000);
    raw_add_pair(raw, 1, 0);
    raw_add(raw, PERIOD);
    raw_add(raw, 0);
}

static void branches(void **state)
{
    const uint64_t fields = DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
    struct raw raw;
    struct code_record record;
    begin_bare(&raw);
    raw_add(&raw, 2);
    for (uint64_t i = 0; i < 6; i++)
        raw_add(&raw, 0x100 + i);
    assert_true(decode_code_record(&raw.header, fields, &record));
    assert_int_equal(record.sample.branch_count, 2);
    assert_int_equal(record.sample.branches[DECODE_CODE_BRANCH], 0x103);
    refuse_parts(&raw, fields);
    raw.words[6] = UINT64_MAX / 3; /* more than fit */
    assert_false(decode_code_record(&raw.header, fields, &record));
}

static void copies(void **state)
{
    const uint64_t fields =
        DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    struct raw raw;
    struct code_record record;
    if (stack_registers.mask == 0)
        skip();
    begin_bare(&raw);
    raw_add(&raw, PERF_SAMPLE_REGS_ABI_64);
    for (uint64_t i = 0; i < stack_registers.count; i++)
        raw_add(&raw, 0x100 + i);
    raw_add(&raw, 16);
    raw_add(&raw, 0xaa);
    raw_add(&raw, 0xbb);
    raw_add(&raw, 8); /* of which are good */
    assert_true(decode_code_record(&raw.header, fields, &record));
    assert_int_equal(record.sample.registers[stack_registers.stack], 0x100 + stack_registers.stack);
    assert_int_equal(record.sample.stack_size, 8);
    assert_memory_equal(record.sample.stack, "\xaa", 1);
    refuse_parts(&raw, fields);
    size_t size_at = 7 + stack_registers.count;
    raw.words[size_at + 3] = 17; /* more than were copied */
    assert_false(decode_code_record(&raw.header, fields, &record));
    raw.words[size_at + 3] = 0;
    assert_true(decode_code_record(&raw.header, fields, &record));
    assert_null(record.sample.stack);
    raw.words[size_at + 3] = 8;
    raw.words[size_at] = 12; /* no words */
    assert_false(decode_code_record(&raw.header, fields, &record));
    raw.words[size_at] = 16;
    raw.words[6] = PERF_SAMPLE_REGS_ABI_32; /* of another processor */
    assert_true(decode_code_record(&raw.header, fields, &record));
    assert_null(record.sample.stack);
    begin_bare(&raw); /* a thread of the kernel */
    raw_add(&raw, PERF_SAMPLE_REGS_ABI_NONE);
    raw_add(&raw, 0);
    assert_true(decode_code_record(&raw.header, fields, &record));
    assert_null(record.sample.stack);
}

static void recorded_calls(void **state)
{
    const uint64_t fields = DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
    struct code_samples samples = {.book = code_book_new(), .stacks = STACKS_LBR};
    struct profile *profile = profile_new(samples.book);
    struct raw raw;
    struct code_record record;
    profile->event = mem_strdup("cycles");
    profile->unit = mem_strdup("");
    code_book_map(samples.book, 7,
                  &(struct code_mapping){.start = 0x400000, .size = 0x1000, .path = "/x"});
    code_samples_begin(&samples);
    code_samples_into(&samples, profile);
    raw_begin(&raw, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    raw_add(&raw, 0x400100);
    raw_add_pair(&raw, 7, 8);
    raw_add(&raw, 1000);
    raw_add_pair(&raw, 1, 0);
    raw_add(&raw, PERIOD);
    raw_add(&raw, 3); /* frame pointers lead elsewhere */
    raw_add(&raw, (uint64_t)PERF_CONTEXT_USER);
    raw_add(&raw, 0x400100);
    raw_add(&raw, 0x123);
    raw_add(&raw, 2);
    const uint64_t calls[] = {0x400200, 0x400100, 0, 0x400300, 0x400200, 0};
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        raw_add(&raw, calls[i]);
    assert_true(decode_code_record(&raw.header, fields, &record));
    code_samples_take(&samples, &record);
    assert_int_equal(profile->chain_count, 2);
    assert_int_equal(profile->chains[1].depth, 2);
    assert_int_equal(profile->chains[1].frames[0].address, 0x200); /* the call itself */
    assert_int_equal(profile->chains[1].frames[1].address, 0x300);
    assert_int_equal(profile->short_stacks, 0);
    code_samples_end(&samples);
    code_book_drop(samples.book);
}

static void tasks(void **state)
{
    struct raw raw;
    struct code_record record;
    raw_begin(&raw, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    raw_add_pair(&raw, 7, 8);
    raw_add(&raw, 0x1000);
    raw_add(&raw, 0x2000);
    raw_add(&raw, 0x300);
    raw_add_pair(&raw, 254, 1);
    raw_add(&raw, 77);
    raw_add(&raw, 0);
    raw_add_pair(&raw, 5, 2);
    struct raw unfinished = raw;
    raw_add_text(&raw, "x.so", 8);
    trailer(&raw, 44);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.common.kind, RECORD_MAP);
    assert_int_equal(record.common.time, 44);
    assert_int_equal(record.mapping.start, 0x1000);
    assert_int_equal(record.mapping.size, 0x2000);
    assert_int_equal(record.mapping.offset, 0x300);
    assert_int_equal(record.mapping.major, 254);
    assert_int_equal(record.mapping.inode, 77);
    assert_int_equal(record.mapping.build_id_size, 0);
    assert_string_equal(record.mapping.path, "x.so");
    refuse_parts(&raw, ALL);
    raw_add(&unfinished, UINT64_MAX); /* a path without an end */
    trailer(&unfinished, 44);
    assert_false(decode_code_record(&unfinished.header, ALL, &record));
    raw.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
    memcpy(&raw.words[4], (unsigned char[]){3, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0}, 8);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.mapping.build_id_size, 3);
    assert_int_equal(record.mapping.build_id[1], 0xbb);
    *(unsigned char *)&raw.words[4] = 21; /* a longer one than there are */
    assert_false(decode_code_record(&raw.header, ALL, &record));

    for (int thread = 0; thread < 2; thread++) {
        raw_begin(&raw, PERF_RECORD_FORK, 0);
        raw_add_pair(&raw, thread ? 7 : 9, 7);
        raw_add_pair(&raw, 9, 7);
        raw_add(&raw, 5);
        trailer(&raw, 5);
        assert_true(decode_code_record(&raw.header, ALL, &record));
        assert_int_equal(record.common.kind, RECORD_FORK);
        assert_int_equal(record.common.parent.ppid, 7);
        assert_int_equal(record.common.pid, thread ? 7 : 9);
    }
    raw_begin(&raw, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    raw_add_pair(&raw, 7, 7);
    raw_add(&raw, 0x6e69616d);
    trailer(&raw, 5);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.common.kind, RECORD_COMM);
    assert_true(record.common.comm.exec);
    raw_begin(&raw, PERF_RECORD_EXIT, 0);
    raw_add_pair(&raw, 7, 1);
    raw_add_pair(&raw, 9, 1);
    raw_add(&raw, 5);
    trailer(&raw, 5);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.common.kind, RECORD_EXIT);
    assert_int_equal(record.common.pid, 7);
    assert_int_equal(record.common.tid, 9);
    static const uint16_t ways[] = {0, PERF_RECORD_MISC_SWITCH_OUT,
                                    PERF_RECORD_MISC_SWITCH_OUT |
                                        PERF_RECORD_MISC_SWITCH_OUT_PREEMPT};
    for (int wide = 0; wide < 2; wide++)
        for (unsigned way = 0; way < 3; way++) {
            raw_begin(&raw, wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, ways[way]);
            if (wide)
                raw_add_pair(&raw, 1, 1); /* the other one */
            trailer(&raw, 6);
            assert_true(decode_code_record(&raw.header, ALL, &record));
            assert_int_equal(record.common.kind, way ? RECORD_SWITCH_OUT : RECORD_SWITCH_IN);
            assert_int_equal(record.common.preempted, way == 2);
            assert_int_equal(record.common.tid, 8);
            assert_int_equal(record.common.time, 6);
        }
    raw_begin(&raw, PERF_RECORD_LOST, 0);
    raw_add(&raw, 1);
    raw_add(&raw, 12);
    trailer(&raw, 5);
    assert_true(decode_code_record(&raw.header, ALL, &record));
    assert_int_equal(record.common.kind, RECORD_LOST);
    assert_int_equal(record.common.lost, 12);
}

/* By elapsed time: a thread alone, then two at once, then it alone again, one sample a ms each. */
static void by_wall(void **state)
{
    enum { MS = 1000000 };
    struct code_samples samples = {.book = code_book_new(), .clock = true, .together = 1500000};
    struct profile *profile = profile_new(samples.book);
    profile->event = mem_strdup("cpu-clock");
    profile->unit = mem_strdup("ns");
    profile->wall = true;
    code_samples_begin(&samples);
    code_samples_into(&samples, profile);
    for (uint64_t ms = 0; ms < 300; ms++)
        for (pid_t tid = 7; tid < (ms < 100 || ms >= 200 ? 8 : 9); tid++) {
            struct code_record record = {.common = {RECORD_SAMPLE, .pid = 7, .tid = tid}};
            record.common.time = 100 * MS + ms * MS + (uint64_t)(tid - 7) * MS / 2;
            record.sample.address = ms >= 100 && ms < 200 ? 0x2000 : 0x1000;
            record.sample.period = MS;
            code_samples_take(&samples, &record);
        }
    uint64_t alone = 0, together = 0;
    for (size_t i = 0; i < profile->site_count; i++)
        *(profile->sites[i].place.address == 0x2000 ? &together : &alone) +=
            profile->sites[i].weight;
    /* The first sample beside another, and one after its last: half a ms each. */
    assert_int_equal(together, 100 * MS + MS / 2);
    assert_int_equal(alone, 200 * MS - MS / 2);
    assert_int_equal(profile->ran, 400 * MS);
    assert_int_equal(profile->alone, 200 * MS);
    code_samples_end(&samples);
    code_book_drop(samples.book);
}

enum { RETURNS, LEAVES, IS_TAKEN, ENDS }; /* what a thread does with its CPU */

static void turn(struct code_samples *samples, int way, pid_t tid, uint64_t time)
{
    static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xf010,  0xf020, 0x8000,
                                     (uint64_t)PERF_CONTEXT_USER,   0x400105};
    struct code_record record = {.common = {RECORD_SAMPLE, .time = time, .pid = 7, .tid = tid}};
    if (way == LEAVES || way == IS_TAKEN) {
        record.sample.address = chain[1];
        record.sample.period = 1;
        record.sample.kernel = true;
        record.sample.chain = chain;
        record.sample.chain_count = sizeof(chain) / sizeof(*chain);
        code_samples_take(samples, &record);
    }
    record = (struct code_record){.common = {way == RETURNS ? RECORD_SWITCH_IN
                                             : way == ENDS  ? RECORD_EXIT
                                                            : RECORD_SWITCH_OUT,
                                             .time = time + 1, .preempted = way == IS_TAKEN,
                                             .pid = 7, .tid = tid}};
    code_samples_take(samples, &record);
}

static struct profile *waits_profile(struct code_samples *samples)
{
    struct profile *profile = profile_new(samples->book);
    profile->names = mem_array(PROFILE_WAITS, sizeof(*profile->names));
    for (size_t w = 0; w < PROFILE_WAITS; w++)
        profile->names[w] = mem_strdup(profile_wait_names[w]);
    profile->event = mem_strdup("context-switches");
    profile->unit = mem_strdup("");
    profile->events = PROFILE_WAITS;
    code_samples_into(samples, profile);
    return profile;
}

static void expect_waits(const struct profile *profile, uint64_t samples, uint64_t blocked,
                         uint64_t preempted)
{
    uint64_t sums[PROFILE_WAITS] = {0};
    for (size_t s = 0; s < profile->site_count; s++)
        for (size_t w = 0; w < PROFILE_WAITS; w++)
            sums[w] += profile->values[s * PROFILE_WAITS + w];
    assert_int_equal(profile->samples, samples);
    assert_int_equal(sums[PROFILE_BLOCKED], blocked);
    assert_int_equal(sums[PROFILE_PREEMPTED], preempted);
}

/* Switches: time off the CPU, by interval and by what called the scheduler. */
static void waits(void **state)
{
    struct code_samples samples = {
        .book = code_book_new(), .switches = true, .scheduler = {0xf000, 0x10000}};
    code_samples_begin(&samples);
    struct profile *profile = waits_profile(&samples);
    turn(&samples, RETURNS, 8, 900); /* nobody saw it leave */
    turn(&samples, LEAVES, 8, 1000);
    turn(&samples, RETURNS, 8, 1499);
    turn(&samples, IS_TAKEN, 9, 1100);
    turn(&samples, LEAVES, 0, 1200); /* the idle task does not wait */
    code_samples_cut(&samples, 2000);
    expect_waits(profile, 3, 500, 900);
    assert_int_equal(profile->sites[0].place.address, 0x7fff); /* before the return address */
    assert_int_equal(profile->chains[profile->sites[0].chain].depth, 1);
    profile_drop(profile);

    profile = waits_profile(&samples); /* it goes on, without a switch, and through the next one */
    code_samples_cut(&samples, 3000);
    expect_waits(profile, 0, 0, 1000);
    profile_drop(profile);
    profile = waits_profile(&samples);
    turn(&samples, RETURNS, 9, 3099);
    turn(&samples, LEAVES, 9, 3050); /* read late: it is back already */
    turn(&samples, ENDS, 9, 3199);
    turn(&samples, LEAVES, 9, 3250); /* its last one, from which it does not return */
    turn(&samples, ENDS, 10, 3300);
    turn(&samples, LEAVES, 10, 3350);
    code_samples_cut(&samples, 4000);
    expect_waits(profile, 3, 0, 100);
    code_samples_cut(&samples, 4000000000);
    assert_int_equal(samples.waits.count, 1); /* the one that slept last */
    code_samples_end(&samples);
    code_book_drop(samples.book);
}

/* Nothing is dropped where there are too many sites or stacks. */
static void limits(void **state)
{
    struct code_book *book = code_book_new();
    struct profile_sum sum = {.profile = profile_new(book)};
    for (uint64_t i = 0; i < PROFILE_SITES_MAX + 1000; i++) {
        struct code_place caller = {0, i};
        struct profile_site site = {.pid = 1, .tid = 1, .place = {0, i}, .samples = 1, .weight = 2};
        site.chain = profile_sum_chain(&sum, &(struct profile_chain){1, &caller});
        profile_sum_add(&sum, &site, NULL);
    }
    assert_int_equal(sum.profile->samples, PROFILE_SITES_MAX + 1000);
    assert_int_equal(sum.profile->weight, 2 * (PROFILE_SITES_MAX + 1000));
    assert_int_equal(sum.profile->site_count, PROFILE_PLACES_MAX + 1); /* the thread's rest */
    assert_int_equal(sum.profile->chain_count, PROFILE_CHAINS_MAX);
    assert_non_null(profile_note(sum.profile));           /* which is told */
    for (pid_t pid = 2; pid < PROFILE_SITES_MAX; pid++) { /* ever more threads */
        const struct profile_site site = {.pid = pid, .tid = pid, .samples = 1, .weight = 1};
        profile_sum_add(&sum, &site, NULL);
    }
    assert_int_equal(sum.profile->site_count, PROFILE_SITES_MAX + 1); /* the object's rest */
    assert_int_equal(sum.profile->samples, 2 * PROFILE_SITES_MAX + 1000 - 2);
    uint64_t weight = 0;
    for (size_t s = 0; s < sum.profile->site_count; s++)
        weight += sum.profile->sites[s].weight;
    assert_int_equal(weight, sum.profile->weight);
    profile_sum_release(&sum);
    sum.profile = profile_new(book);
    for (uint64_t i = 0; i < PROFILE_CHAINS_MAX - 1; i++) { /* deep ones */
        struct code_place callers[100] = {{0, i}};
        profile_sum_chain(&sum, &(struct profile_chain){100, callers});
    }
    assert_int_equal(sum.profile->frame_count, PROFILE_FRAMES_MAX / 100 * 100);
    profile_sum_release(&sum);
    code_book_drop(book);
}

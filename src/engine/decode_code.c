#include "engine/decode_code.h"
#include "code/stack_dwarf.h"

/* The rest of a record. */
struct code_bytes {
    const uint64_t *at;
    size_t words;
};

/* Takes that many words; NULL if there are fewer. */
static const uint64_t *take_words(struct code_bytes *bytes, uint64_t words)
{
    const uint64_t *at = bytes->at;
    if (words > bytes->words)
        return NULL;
    bytes->at += words;
    bytes->words -= (size_t)words;
    return at;
}

/* PERF_SAMPLE_REGS_USER and _STACK_USER: `abi`, registers; size, bytes, and how many of them are
 * good. */
static bool take_stack(struct code_bytes *bytes, struct code_record *record)
{
    const uint64_t *abi = take_words(bytes, 1), *registers = NULL, *size, *good, *stack = NULL;
    if (!abi || *abi > PERF_SAMPLE_REGS_ABI_64)
        return false;
    if (*abi != PERF_SAMPLE_REGS_ABI_NONE &&
        !(registers = take_words(bytes, stack_registers.count)))
        return false;
    if (!(size = take_words(bytes, 1)) || *size % sizeof(*size))
        return false;
    if (*size == 0)
        return true;
    if (!(stack = take_words(bytes, *size / sizeof(*size))) || !(good = take_words(bytes, 1)) ||
        *good > *size)
        return false;
    if (*abi != PERF_SAMPLE_REGS_ABI_64 || *good == 0)
        return true;
    record->sample.registers = registers;
    record->sample.stack = stack;
    record->sample.stack_size = (size_t)*good;
    return true;
}

/* perf_event_open(2), PERF_RECORD_SAMPLE: the fields in this order. */
static bool decode_code_sample(const struct perf_event_header *header, struct code_bytes bytes,
                               uint64_t fields, struct code_record *record)
{
    enum { ADDRESS, TASK, TIME, CPU, PERIOD, FIXED };
    enum { NUMBER, ENABLED, RUNNING, READ_FIXED };
    const uint64_t *fixed = take_words(&bytes, FIXED), *read, *depth;
    if (!fixed)
        return false;
    record->common.kind = RECORD_SAMPLE;
    record->common.time = fixed[TIME];
    take_pair(&fixed[TASK], &record->common.pid, &record->common.tid);
    record->sample.address = fixed[ADDRESS];
    record->sample.period = fixed[PERIOD];
    take_pair(&fixed[CPU], &record->sample.cpu, &(int){0});
    unsigned mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    record->sample.kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_HYPERVISOR;
    record->sample.exact = header->misc & PERF_RECORD_MISC_EXACT_IP;
    if (fields & PERF_SAMPLE_READ) {
        if (!(read = take_words(&bytes, READ_FIXED)))
            return false;
        record->sample.enabled = read[ENABLED];
        record->sample.running = read[RUNNING];
        record->sample.value_count = (size_t)read[NUMBER];
        if (!(record->sample.values = take_words(&bytes, read[NUMBER])))
            return false;
    }
    if (fields & PERF_SAMPLE_CALLCHAIN) {
        if (!(depth = take_words(&bytes, 1)) ||
            !(record->sample.chain = take_words(&bytes, *depth)))
            return false;
        record->sample.chain_count = (size_t)*depth;
    }
    if (fields & PERF_SAMPLE_BRANCH_STACK) {
        if (!(depth = take_words(&bytes, 1)) || *depth > UINT16_MAX ||
            !(record->sample.branches = take_words(&bytes, *depth * DECODE_CODE_BRANCH)))
            return false;
        record->sample.branch_count = (size_t)*depth;
    }
    if (fields & PERF_SAMPLE_STACK_USER && !take_stack(&bytes, record))
        return false;
    return true; /* there may be more: engine/decode.h */
}

/* PERF_RECORD_MMAP2. */
static bool decode_mapping(const struct perf_event_header *header, struct code_bytes bytes,
                           struct code_record *record)
{
    enum { TASK, START, SIZE, OFFSET, IDENTITY, FLAGS = 7, FIXED };
    enum { BUILD_ID_AT = 4 };
    const uint64_t *fixed = take_words(&bytes, FIXED);
    if (!fixed || bytes.words == 0 || !memchr(bytes.at, '\0', bytes.words * sizeof(*bytes.at)))
        return false;
    struct code_mapping *mapping = &record->mapping;
    const unsigned char *identity = (const unsigned char *)&fixed[IDENTITY];
    record->common.kind = RECORD_MAP;
    take_pair(&fixed[TASK], &record->common.pid, &record->common.tid);
    *mapping = (struct code_mapping){
        .start = fixed[START],
        .size = fixed[SIZE],
        .offset = fixed[OFFSET],
        .path = (const char *)bytes.at,
    };
    if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        mapping->build_id_size = identity[0];
        if (mapping->build_id_size > CODE_BUILD_ID_MAX)
            return false;
        memcpy(mapping->build_id, identity + BUILD_ID_AT, CODE_BUILD_ID_MAX);
    } else {
        uint32_t device[2];
        memcpy(device, identity, sizeof(device));
        mapping->major = device[0];
        mapping->minor = device[1];
        mapping->inode = fixed[IDENTITY + 1];
    }
    return true;
}

bool decode_code_record(const struct perf_event_header *header, uint64_t fields,
                        struct code_record *record)
{
    enum { CPU = sizeof(uint64_t) }; /* bytes of it at the end */
    if (header->size < sizeof(*header) + CPU || header->size % 8)
        return false;
    size_t size = header->size - sizeof(*header);
    struct code_bytes bytes = {(const uint64_t *)(header + 1), size / 8};
    *record = (struct code_record){.common.kind = RECORD_OTHER};
    if (header->type == PERF_RECORD_SAMPLE)
        return decode_code_sample(header, bytes, fields, record);
    bool good = decode_other(header, size - CPU, &record->common);
    bytes.words -= good ? 3 : 0;          /* TID, TIME, CPU */
    if (header->type == PERF_RECORD_MMAP) /* has no inode: MMAP2 is asked for */
        record->common.kind = RECORD_OTHER;
    return good && (header->type != PERF_RECORD_MMAP2 || decode_mapping(header, bytes, record));
}

/* Records of any content. What decodes has to lie within its own bytes. */
#include "code/stack_dwarf.h"
#include "engine/decode_code.h"
#include "fuzz/fuzz.h"

static volatile uint64_t sum;

static void read_words(const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum += words[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t fields[] = {
        DECODE_CODE_FIELDS,
        DECODE_CODE_FIELDS | PERF_SAMPLE_READ,
        DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN,
        DECODE_CODE_FIELDS | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
        DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
        DECODE_CODE_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
    };
    while (size >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        struct code_record record;
        memcpy(&header, data, sizeof(header));
        size_t length = header.size < size ? header.size : size;
        length = length < sizeof(header) ? sizeof(header) : length;
        header.size = (uint16_t)length;
        /* Exactly as long as the record, so that a read beyond it is seen. */
        struct perf_event_header *copy = malloc(length);
        if (!copy)
            return 0;
        memcpy(copy, data, length);
        *copy = header;
        for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
            if (!decode_code_record(copy, fields[f], &record))
                continue;
            if (record.common.kind == RECORD_SAMPLE && fields[f] & PERF_SAMPLE_READ)
                read_words(record.sample.values, record.sample.value_count);
            if (record.common.kind == RECORD_SAMPLE && fields[f] & PERF_SAMPLE_CALLCHAIN)
                read_words(record.sample.chain, record.sample.chain_count);
            if (record.common.kind == RECORD_SAMPLE)
                read_words(record.sample.branches, record.sample.branch_count * DECODE_CODE_BRANCH);
            if (record.common.kind == RECORD_SAMPLE && record.sample.stack) {
                read_words(record.sample.registers, stack_registers.count);
                sum += ((const uint8_t *)record.sample.stack)[record.sample.stack_size - 1];
            }
            if (record.common.kind == RECORD_MAP)
                sum += strlen(record.mapping.path) +
                       record.mapping.build_id[record.mapping.build_id_size % CODE_BUILD_ID_MAX];
        }
        free(copy);
        data += length;
        size -= length;
    }
    return 0;
}

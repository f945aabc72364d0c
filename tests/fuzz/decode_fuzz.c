/* A stream of records of any content. What decodes has to lie within its own bytes. */
#include "engine/decode.h"
#include "fuzz/fuzz.h"

/* words: of each value, with its id or without. */
static uint64_t check_read(const struct perf_event_header *header, const struct group_read *read,
                           uint64_t words)
{
    const char *begin = (const char *)header, *end = begin + header->size;
    check((const char *)read > begin && (const char *)read->value <= end);
    check(read->count <= (size_t)(end - (const char *)read->value) / sizeof(uint64_t) / words);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < read->count * words; i++)
        sum += read->value[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;
    while (size >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        memcpy(&header, data, sizeof(header));
        size_t length = header.size < size ? header.size : size;
        if (length < sizeof(header))
            length = sizeof(header);
        if (header.size > length)
            header.size = (uint16_t)length; /* what the caller vouches for */
        /* Exactly as long as the record, so that a read beyond it is seen. */
        struct perf_event_header *copy = malloc(length);
        if (!copy)
            return 0;
        memcpy(copy, data, length);
        *copy = header;
        struct record record;
        if (decode_record(copy, length / 8 % 8, &record)) {
            if (record.kind == RECORD_SAMPLE)
                sum += check_read(copy, record.read, 1);
            if (record.kind == RECORD_GROUP)
                sum += check_read(copy, record.read, 2);
            if (record.kind == RECORD_COMM)
                check(memchr(record.comm.text, '\0', sizeof(record.comm.text)));
            check(record.kind <= RECORD_OTHER);
        }
        free(copy);
        data += length;
        size -= length;
    }
    static volatile uint64_t read_all; /* else nobody would have to read the values */
    read_all = sum;
    (void)read_all;
    return 0;
}

/* Decodes the records of events that sample code. Pure; rejects records that do not fit their own
 * size. */
#pragma once

#include "engine/decode.h"

/* What the events must have for their records to be decoded here; sample_id_all too. With
 * PERF_SAMPLE_READ, _CALLCHAIN, _BRANCH_STACK (without its index), _REGS_USER (those of
 * code/stack_registers.h) and _STACK_USER samples have more. */
enum {
    DECODE_CODE_FIELDS =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
};

enum { DECODE_CODE_BRANCH = 3 }; /* words */

struct code_record {
    struct record common; /* RECORD_SAMPLE: the member `sample` below instead of `read` */
    union {
        struct {
            uint64_t address, period;
            bool kernel; /* it was in kernel mode */
            bool exact;  /* the address is that of the instruction */
            int cpu;
            /* PERF_SAMPLE_READ: a group's values and times; NULL: not read. */
            const uint64_t *values;
            size_t value_count;
            uint64_t enabled, running;
            /* PERF_SAMPLE_CALLCHAIN: addresses and PERF_CONTEXT_ marks, the innermost first. */
            const uint64_t *chain;
            size_t chain_count;
            /* PERF_SAMPLE_BRANCH_STACK: the newest first, of three words each: from, to, flags. */
            const uint64_t *branches;
            size_t branch_count;
            /* PERF_SAMPLE_REGS_USER of a 64-bit program and PERF_SAMPLE_STACK_USER; NULL: none, as
             * of threads of the kernel. */
            const uint64_t *registers;
            const void *stack;
            size_t stack_size; /* of what was copied */
        } sample;
        struct code_mapping mapping; /* RECORD_MAP; its path points into the bytes */
    };
};

/* fields: the sample_type of the ring's events. header->size bytes must be readable, aligned to 8.
 * False if the bytes are not a record of such events. */
bool decode_code_record(const struct perf_event_header *header, uint64_t fields,
                        struct code_record *record);

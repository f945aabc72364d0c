/* Any bytes may be code: each is in exactly one instruction, whose text is of one line. */
#include "code/listing.h"
#include "fuzz/fuzz.h"

#include <elf.h>
#include <stdio.h>

static bool name_of(void *ctx, uint64_t address, char *text, size_t size)
{
    (void)ctx;
    snprintf(text, size, "<at %llx>", (unsigned long long)address);
    return address % 2;
}

static void list(const uint8_t *data, size_t size, unsigned machine)
{
    static const uint64_t START = 0xffffffff81000000;
    struct code_listing *listing = code_listing_new(START, size);
    disassemble(listing, machine, data, size, name_of, NULL);
    uint64_t next = START;
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_instruction *instruction = &listing->instructions[i];
        const char *text = code_listing_text(listing, &listing->instructions[i]);
        if (instruction->address != next || instruction->size == 0 || !*text ||
            strchr(text, '\n') || (instruction->target && instruction->flow == FLOW_ON) ||
            code_listing_find(listing, next + instruction->size - 1) != i)
            abort();
        next += instruction->size;
    }
    if (listing->count && next != START + size)
        abort();
    code_listing_drop(listing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
    list(data, size, EM_X86_64);
    list(data, size, EM_386);
#endif
    list(data, size, EM_NONE);
    return 0;
}

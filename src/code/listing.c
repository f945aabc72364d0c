#include "code/listing.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct code_listing *code_listing_new(uint64_t start, uint64_t size)
{
    struct code_listing *listing = mem_alloc(sizeof(*listing));
    *listing = (struct code_listing){.references = 1, .start = start, .size = size};
    return listing;
}

struct code_listing *code_listing_share(struct code_listing *listing)
{
    __atomic_add_fetch(&listing->references, 1, __ATOMIC_RELAXED);
    return listing;
}

void code_listing_drop(struct code_listing *listing)
{
    if (!listing || __atomic_sub_fetch(&listing->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(listing->instructions);
    free(listing->texts);
    free(listing->reason);
    free(listing);
}

void code_listing_add(struct code_listing *listing, struct code_instruction instruction,
                      const char *text)
{
    size_t size = strlen(text) + 1;
    mem_grow(&listing->texts, &listing->text_room, listing->text_bytes + size, 1);
    memcpy(listing->texts + listing->text_bytes, text, size);
    instruction.text = (uint32_t)listing->text_bytes;
    listing->text_bytes += size;
    mem_grow(&listing->instructions, &listing->room, listing->count + 1,
             sizeof(*listing->instructions));
    listing->instructions[listing->count++] = instruction;
}

const char *code_listing_text(const struct code_listing *listing,
                              const struct code_instruction *instruction)
{
    return listing->texts + instruction->text;
}

size_t code_listing_find(const struct code_listing *listing, uint64_t address)
{
    size_t low = 0, high = listing->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct code_instruction *instruction = &listing->instructions[middle];
        if (address >= instruction->address && address - instruction->address < instruction->size)
            return middle;
        if (address < instruction->address)
            high = middle;
        else
            low = middle + 1;
    }
    return listing->count;
}

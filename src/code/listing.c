#include "code/listing.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_MAX = 1 << 20 }; /* instructions of a text that is believed */

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
    size_t after =
        mem_after(listing->instructions, listing->count, sizeof(*listing->instructions), address);
    const struct code_instruction *last = after > 0 ? &listing->instructions[after - 1] : NULL;
    return last && address - last->address < last->size ? after - 1 : listing->count;
}

void code_listing_write(const struct code_listing *listing, struct str *text)
{
    if (listing->reason)
        str_printf(text, "n %s\n", listing->reason);
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_instruction *one = &listing->instructions[i];
        str_printf(text, "%llx %x %x %llx %s\n", (unsigned long long)one->address, one->size,
                   one->flow, (unsigned long long)one->target, code_listing_text(listing, one));
    }
}

/* Adds the instruction that a line of the text is; false: it is not one. */
static bool read_instruction(struct code_listing *listing, const char *line)
{
    unsigned long long address, target;
    unsigned size, flow;
    int length = 0;
    const struct code_instruction *last =
        listing->count > 0 ? &listing->instructions[listing->count - 1] : NULL;
    if (sscanf(line, "%16llx %2x %1x %16llx%n", &address, &size, &flow, &target, &length) != 4 ||
        line[length] != ' ' || size == 0 || flow > FLOW_RETURN || listing->count >= READ_MAX ||
        address + size < address || (last && address != last->address + last->size))
        return false;
    AUTO_FREE char *text = str_visible(line + length + 1);
    struct code_instruction one = {
        .address = address, .target = target, .size = (uint8_t)size, .flow = (uint8_t)flow};
    code_listing_add(listing, one, text);
    return true;
}

struct code_listing *code_listing_read(const char *text)
{
    struct code_listing *listing = code_listing_new(0, 0);
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        AUTO_FREE char *line = mem_strndup(text, end ? (size_t)(end - text) : 0);
        bool reason = str_starts(line, "n ") && !listing->reason;
        if (reason)
            listing->reason = str_visible(line + 2);
        else if (!end || !read_instruction(listing, line)) {
            code_listing_drop(listing);
            return NULL;
        }
    }
    if (listing->count > 0) {
        const struct code_instruction *last = &listing->instructions[listing->count - 1];
        listing->start = listing->instructions->address;
        listing->size = last->address + last->size - listing->start;
    }
    return listing;
}

#include "code/elf_plt.h"
#include "base/mem.h"
#include "base/str.h"

#include <endian.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* A word of data with the address of a function of another object. */
struct plt_slot {
    uint64_t address;
    const char *name;
};

struct plt_slots {
    struct plt_slot *slots;
    size_t count, room;
};

static int by_address(const void *a, const void *b)
{
    const struct plt_slot *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static const char *slot_name(const struct plt_slots *slots, uint64_t address)
{
    struct plt_slot key = {.address = address};
    const struct plt_slot *slot =
        slots->count ? bsearch(&key, slots->slots, slots->count, sizeof(key), by_address) : NULL;
    return slot ? slot->name : NULL;
}

/* A slot of a procedure linkage table has no use for an addend: ld -z mark-plt, Debian 13's for its
 * C library, has put the entry's address there. Elsewhere one means another place than the symbol.
 */
static bool means_symbol(unsigned machine, const GElf_Rela *relocation)
{
    uint64_t type = GELF_R_TYPE(relocation->r_info);
    return relocation->r_addend == 0 ||
           type == (machine == EM_X86_64 ? R_X86_64_JUMP_SLOT : R_AARCH64_JUMP_SLOT);
}

static void read_relocations(struct plt_slots *slots, Elf *elf, unsigned machine, Elf_Scn *section,
                             size_t linked)
{
    GElf_Shdr table;
    Elf_Scn *symbols = elf_getscn(elf, linked);
    Elf_Data *data = elf_getdata(section, NULL), *names = elf_getdata(symbols, NULL);
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (!data || !names || !gelf_getshdr(symbols, &table))
        return;
    for (int i = 0; gelf_getrela(data, i, &relocation); i++) {
        uint64_t number = GELF_R_SYM(relocation.r_info);
        if (number == 0 || number > INT32_MAX || !means_symbol(machine, &relocation) ||
            !gelf_getsym(names, (int)number, &symbol))
            continue;
        const char *name = elf_strptr(elf, table.sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        mem_grow(&slots->slots, &slots->room, slots->count + 1, sizeof(*slots->slots));
        slots->slots[slots->count++] = (struct plt_slot){relocation.r_offset, name};
    }
}

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return le32toh(word);
}

struct plt_entry {
    size_t size;
    uint64_t slot; /* address of the word that it jumps through */
};

/* jmp *slot(%rip), where calls are checked after endbr64 and perhaps a prefix bnd. Then padding, or
 * what finds the function when it is called first. */
static bool is_entry_x86(const unsigned char *bytes, size_t size, uint64_t at,
                         struct plt_entry *entry)
{
    static const unsigned char ENDBR64[] = {0xf3, 0x0f, 0x1e, 0xfa}, JUMP[] = {0xff, 0x25};
    enum { BND = 0xf2, LENGTH = 6, SHORT = 8, LONG = 16 };
    size_t jump = 0;
    if (size > LENGTH && memcmp(bytes, ENDBR64, sizeof(ENDBR64)) == 0)
        jump = sizeof(ENDBR64) + (bytes[sizeof(ENDBR64)] == BND);
    if (size < jump + LENGTH || memcmp(bytes + jump, JUMP, sizeof(JUMP)) != 0)
        return false;
    bool padded = jump == 0 && size >= SHORT && bytes[LENGTH] == 0x66 && bytes[LENGTH + 1] == 0x90;
    entry->size = padded ? SHORT : LONG;
    entry->slot = at + jump + LENGTH + (uint64_t)(int32_t)word_at(bytes + jump + sizeof(JUMP));
    return true;
}

/* adrp x16, page; ldr x17, [x16, #offset]; add x16, ...; perhaps autia1716; br x17. Where calls are
 * checked after bti c. */
static bool is_entry_arm64(const unsigned char *bytes, size_t size, uint64_t at,
                           struct plt_entry *entry)
{
    enum { WORD = 4, SHORTEST = 4, LONGEST = 5 };
    const uint32_t bti_c = 0xd503245f, br_x17 = 0xd61f0220;
    size_t first = size >= WORD && word_at(bytes) == bti_c ? 1 : 0, words = size / WORD;
    if (words < first + SHORTEST)
        return false;
    uint32_t adrp = word_at(bytes + first * WORD), ldr = word_at(bytes + (first + 1) * WORD);
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
        return false;
    size_t last = first + SHORTEST - 1;
    if (word_at(bytes + last * WORD) != br_x17)
        last = first + LONGEST - 1;
    if (last >= words || word_at(bytes + last * WORD) != br_x17)
        return false;
    uint64_t sign = 1 << 20, pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
    uint64_t page = (at + first * WORD) >> 12;
    entry->size = (last + 1) * WORD;
    entry->slot = ((page + (pages ^ sign) - sign) << 12) + (ldr >> 10 & 0xfff) * sizeof(uint64_t);
    return true;
}

static void read_entries(struct function_table *table, const struct plt_slots *slots,
                         unsigned machine, const unsigned char *bytes, size_t size, uint64_t start)
{
    bool x86 = machine == EM_X86_64;
    struct plt_entry entry;
    for (size_t at = 0; at < size; at += entry.size) {
        bool found =
            (x86 ? is_entry_x86 : is_entry_arm64)(bytes + at, size - at, start + at, &entry);
        const char *name = found ? slot_name(slots, entry.slot) : NULL;
        if (!found)
            entry.size = x86 ? 8 : 4; /* entries are aligned */
        if (!name)
            continue;
        char *called = mem_printf("%s@plt", name);
        function_table_add(table, start + at, entry.size, called, 0);
        free(called);
    }
}

void elf_plt_read(struct function_table *table, Elf *elf)
{
    GElf_Ehdr head;
    GElf_Shdr header;
    size_t names;
    if (!gelf_getehdr(elf, &head) || elf_getshdrstrndx(elf, &names) < 0 ||
        (head.e_machine != EM_X86_64 && head.e_machine != EM_AARCH64))
        return;
    struct plt_slots slots = {0};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
            header.sh_flags & SHF_ALLOC)
            read_relocations(&slots, elf, head.e_machine, section, header.sh_link);
    if (slots.count > 0)
        qsort(slots.slots, slots.count, sizeof(*slots.slots), by_address);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !str_starts(name, ".plt") || header.sh_type != SHT_PROGBITS)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf)
            read_entries(table, &slots, head.e_machine, data->d_buf, data->d_size, header.sh_addr);
    }
    free(slots.slots);
}

#include "code/elf_table.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <zlib.h>

/* Names of the entries of procedure linkage tables, through which calls into other objects go:
 * "puts@plt". An entry jumps to an address in a word of data, and the relocation of that word names
 * the function; so the entry's instructions are read, not the order of entries believed. x86-64
 * (System V ABI, AMD64 supplement, "Procedure Linkage Table") and AArch64 (ELF for the Arm 64-bit
 * Architecture, the same chapter). */

/* A word of data with the address of a function of another object. */
struct plt_slot {
    uint64_t address;
    const char *name;
};

struct plt_slots {
    struct plt_slot *slots;
    size_t count, room;
};

/* A slot of a procedure linkage table has no use for an addend: ld -z mark-plt, Debian 13's for its
 * C library, has put the entry's address there. Elsewhere one means another place than the symbol.
 */
static bool means_symbol(unsigned machine, const GElf_Rela *relocation)
{
    uint64_t type = GELF_R_TYPE(relocation->r_info);
    return relocation->r_addend == 0 ||
           type == (machine == EM_X86_64 ? R_X86_64_JUMP_SLOT : R_AARCH64_JUMP_SLOT);
}

/* NULL: it has none, or more bytes than are believed. */
static const char *symbol_name(Elf *elf, size_t names, const GElf_Sym *symbol)
{
    enum { NAME_MAX_BYTES = 1 << 14 };
    const char *name = elf_strptr(elf, names, symbol->st_name);
    return name && *name && strlen(name) < NAME_MAX_BYTES ? name : NULL;
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
        const char *name = symbol_name(elf, table.sh_link, &symbol);
        if (!name)
            continue;
        *MEM_ADD(slots->slots, slots->count, slots->room) =
            (struct plt_slot){relocation.r_offset, name};
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
        if (!found)
            entry.size = x86 ? 8 : 4; /* entries are aligned */
        size_t after =
            found ? mem_after(slots->slots, slots->count, sizeof(*slots->slots), entry.slot) : 0;
        if (after == 0 || slots->slots[after - 1].address != entry.slot)
            continue;
        AUTO_FREE char *called = mem_printf("%s@plt", slots->slots[after - 1].name);
        function_table_add(table, start + at, entry.size, called, 0);
    }
}

/* Adds the entries that are found; of another machine none. */
static void elf_plt_read(struct function_table *table, Elf *elf)
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
    mem_sort(slots.slots, slots.count, sizeof(*slots.slots));
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

void elf_image_release(struct elf_image *image)
{
    function_table_release(&image->table);
    free(image->segments);
    free(image->ends);
    *image = (struct elf_image){0};
}

/* The segment with `at` as address, or as offset in the file. */
static const struct elf_segment *segment_at(const struct elf_image *image, uint64_t at, bool offset)
{
    for (size_t s = 0; s < image->segment_count; s++) {
        const struct elf_segment *segment = &image->segments[s];
        uint64_t start = offset ? segment->offset : segment->address;
        if (at >= start && at - start < segment->size)
            return segment;
    }
    return NULL;
}

bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
    const struct elf_segment *segment = segment_at(image, offset, true);
    if (segment)
        *address = segment->address + (offset - segment->offset);
    return segment;
}

bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *offset)
{
    const struct elf_segment *segment = segment_at(image, address, false);
    if (segment)
        *offset = segment->offset + (address - segment->address);
    return segment;
}

static void add_end(struct elf_image *image, uint64_t end)
{
    *MEM_ADD(image->ends, image->end_count, image->end_room) = end;
}

static void read_segments(struct elf_image *image, Elf *elf)
{
    GElf_Phdr part;
    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X))
            continue;
        *MEM_ADD(image->segments, image->segment_count, image->segment_room) =
            (struct elf_segment){part.p_vaddr, part.p_offset, part.p_filesz};
        add_end(image, part.p_vaddr + part.p_filesz);
    }
}

/* ---- reading ---- */

enum { PACKED_MAX = 64 << 20, GO_MAX = 256 << 20 };

/* ---- symbols ---- */

/* Of several names for an address: global before weak before local, few leading underscores. */
static uint32_t name_rank(const GElf_Sym *symbol, const char *name)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    uint32_t rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 100 : 200;
    size_t underscores = strspn(name, "_");
    return rank + (uint32_t)(underscores < 50 ? underscores : 50);
}

/* Whether a symbol names code: a function, or a label in a section of code, as assemblers write
 * functions without .type. Mapping symbols and compilers' labels name nothing ("ELF for the Arm
 * 64-bit Architecture", "Mapping symbols": $x, $d). */
static bool names_code(Elf *elf, const GElf_Sym *symbol, uint64_t start, const char *name)
{
    GElf_Shdr header;
    Elf_Scn *section;
    unsigned char kind = GELF_ST_TYPE(symbol->st_info);
    if (kind != STT_NOTYPE)
        return kind == STT_FUNC || kind == STT_GNU_IFUNC;
    return strncmp(name, ".L", 2) != 0 && !(*name == '$' && strchr("adtx", name[1])) &&
           symbol->st_shndx < SHN_LORESERVE && (section = elf_getscn(elf, symbol->st_shndx)) &&
           gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
           start >= header.sh_addr && start - header.sh_addr < header.sh_size;
}

static void read_symbols(struct elf_image *image, Elf *elf, Elf_Scn *section, size_t names,
                         bool thumb)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        unsigned char kind = GELF_ST_TYPE(symbol.st_info);
        uint64_t start = symbol.st_value & ~(uint64_t)thumb;
        if ((kind != STT_FUNC && kind != STT_GNU_IFUNC && kind != STT_NOTYPE) ||
            symbol.st_shndx == SHN_UNDEF || !function_table_covers(&image->table, start))
            continue;
        const char *name = symbol_name(elf, names, &symbol);
        if (name && names_code(elf, &symbol, start, name))
            function_table_add(&image->table, start, symbol.st_size, name,
                               name_rank(&symbol, name) +
                                   (kind == STT_NOTYPE ? TABLE_RANK_LABEL : 0));
    }
}

/* ---- .eh_frame ---- */

/* Bytes that are read one number after the other; `at` beyond the end: it was too short. */
struct frame_bytes {
    const unsigned char *bytes;
    size_t at, size;
};

static uint64_t take_fixed(struct frame_bytes *from, size_t size)
{
    uint64_t value = 0;
    if (from->at > from->size || size > from->size - from->at) {
        from->at = from->size + 1;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)from->bytes[from->at + (BYTE_ORDER == BIG_ENDIAN ? size - 1 - i : i)]
                 << 8 * i;
    from->at += size;
    return value;
}

/* DW_EH_PE_: how addresses are written (Linux Standard Base, "DWARF Exception Header Encoding"). */
enum { PE_SIZE = 7, PE_SIGNED = 8, PE_RELATIVE = 0x70, PE_PCREL = 0x10, PE_OMIT = 0xff };

/* Bytes of an address; 0: it is none of a fixed size. */
static size_t encoded_size(unsigned encoding, size_t word)
{
    const size_t sizes[PE_SIZE + 1] = {word, 0, 2, 4, 8};
    return encoding == PE_OMIT ? 0 : sizes[encoding & PE_SIZE];
}

/* The encoding of addresses in the FDEs of a CIE. */
static unsigned cie_encoding(const Dwarf_CIE *cie, size_t word)
{
    const char *letters = cie->augmentation;
    struct frame_bytes data = {cie->augmentation_data, 0, cie->augmentation_data_size};
    uint64_t encoding = 0;
    if (*letters != 'z')
        return *letters ? PE_OMIT : 0;
    while (*++letters) {
        if (*letters == 'R')
            encoding = take_fixed(&data, 1);
        else if (*letters == 'L')
            take_fixed(&data, 1);
        else if (*letters == 'P')
            take_fixed(&data, encoded_size((unsigned)take_fixed(&data, 1), word));
        else if (!strchr("SB", *letters))
            return PE_OMIT;
    }
    return data.at <= data.size ? (unsigned)encoding : PE_OMIT;
}

/* Adds the bounds of the functions that the section describes. */
static void read_frames(struct elf_image *image, Elf_Scn *section, uint64_t address,
                        const char *ident, size_t word)
{
    enum { END = 4 }; /* bytes of a length 0, of which linked files may have several */
    const unsigned char *kind = (const unsigned char *)ident;
    Elf_Data *data = elf_rawdata(section, NULL);
    const unsigned char *bytes = data ? data->d_buf : NULL;
    Dwarf_CFI_Entry entry, cie;
    Dwarf_Off next, behind, cie_at = UINT64_MAX;
    unsigned encoding = PE_OMIT;
    for (Dwarf_Off at = 0; bytes && at + END < data->d_size; at = next) {
        next = memcmp(bytes + at, (char[END]){0}, END) == 0 ? at + END : UINT64_MAX - END;
        if (next == at + END || dwarf_next_cfi(kind, data, true, at, &next, &entry) != 0 ||
            dwarf_cfi_cie_p(&entry))
            continue;
        if (entry.fde.CIE_pointer != cie_at) {
            cie_at = entry.fde.CIE_pointer;
            bool found = dwarf_next_cfi(kind, data, true, cie_at, &behind, &cie) == 0 &&
                         dwarf_cfi_cie_p(&cie);
            encoding = found ? cie_encoding(&cie.cie, word) : PE_OMIT;
        }
        struct frame_bytes fde = {entry.fde.start, 0, (size_t)(entry.fde.end - entry.fde.start)};
        size_t width = encoded_size(encoding, word);
        if (width == 0)
            continue;
        uint64_t start = take_fixed(&fde, width), range = take_fixed(&fde, width);
        if (encoding & PE_SIGNED && width < 8)
            start = (uint64_t)((int64_t)(start << (64 - 8 * width)) >> (64 - 8 * width));
        if ((encoding & PE_RELATIVE) == PE_PCREL)
            start += address + (uint64_t)(entry.fde.start - bytes);
        if (word == 4)
            start = (uint32_t)start;
        if (range > 0 && range < UINT32_MAX)
            function_table_add(&image->table, start, range, NULL, 0);
    }
}

/* ---- Go ---- */

/* Adds the functions that the runtime of Go knows, which stripped programs keep
 * (src/runtime/symtab.go of Go 1.16 and later: struct pcHeader, functab, _func). Of a program whose
 * table has no address of its code, which is filled in when it is loaded, none is known. */
static void read_go(struct elf_image *image, Elf_Scn *section)
{
    enum { RANK = 300, MAGIC = 4, ZEROS = 3 }; /* behind symbols of the file; bytes */
    static const uint32_t GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1;
    const Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf)
        return;
    struct frame_bytes head = {data->d_buf, 0, data->d_size};
    uint64_t magic = take_fixed(&head, MAGIC), base = 0;
    take_fixed(&head, ZEROS); /* the last one is the size of instructions */
    size_t word = take_fixed(&head, 1), width = magic == GO_1_16 ? word : sizeof(uint32_t);
    if ((magic != GO_1_16 && magic != GO_1_18 && magic != GO_1_20) || (word != 4 && word != 8))
        return;
    uint64_t count = take_fixed(&head, word);
    take_fixed(&head, word); /* number of files */
    if (magic != GO_1_16 && (base = take_fixed(&head, word)) == 0)
        return;
    uint64_t names = take_fixed(&head, word);
    head.at += 3 * word; /* compilation units, files, line numbers */
    uint64_t functions = take_fixed(&head, word);
    for (uint64_t i = 0; functions < head.size && i < count && i < head.size; i++) {
        struct frame_bytes entry = {head.bytes, functions + i * 2 * width, head.size};
        uint64_t start = take_fixed(&entry, width), at = take_fixed(&entry, width);
        uint64_t end = take_fixed(&entry, width);
        if (entry.at > entry.size || at > head.size)
            break;
        struct frame_bytes function = {head.bytes, functions + at + width, head.size};
        uint64_t name = names + take_fixed(&function, sizeof(uint32_t));
        if (function.at > function.size || name >= head.size || end <= start ||
            !memchr(head.bytes + name, '\0', head.size - name))
            continue;
        function_table_add(&image->table, base + start, end - start,
                           (const char *)head.bytes + name, RANK);
    }
}

/* ---- files ---- */

/* Its build-id, and the link to a debug file. */
static void read_identity(struct elf_image *image, Elf *elf)
{
    const void *build_id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);
    const char *link = dwelf_elf_gnu_debuglink(elf, &image->identity.link_check);
    if (link)
        snprintf(image->identity.link, sizeof(image->identity.link), "%s", link);
    if (size > 0 && size <= CODE_BUILD_ID_MAX) {
        image->identity.build_id_size = (size_t)size;
        memcpy(image->identity.build_id, build_id, image->identity.build_id_size);
    }
}

static bool elf_image_take(struct elf_image *image, Elf *elf, enum elf_part wanted);

/* The symbols that distributions leave in stripped files, as a compressed ELF file in a section
 * (gdb's manual, "MiniDebugInfo"). libdw, which unpacks files, wants a descriptor. */
static void read_packed(struct elf_image *image, Elf_Scn *section)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    AUTO_CLOSE int fd = data && data->d_buf ? memfd_create("symbols", MFD_CLOEXEC) : -1;
    bool good = fd >= 0 && write(fd, data->d_buf, data->d_size) == (ssize_t)data->d_size;
    Elf *elf = good ? dwelf_elf_begin(fd) : NULL;
    if (elf)
        elf_image_take(image, elf, ELF_SYMBOLS);
    elf_end(elf);
}

static bool elf_image_take(struct elf_image *image, Elf *elf, enum elf_part wanted)
{
    const char *ident = elf_kind(elf) == ELF_K_ELF ? elf_getident(elf, NULL) : NULL;
    GElf_Ehdr head;
    if (!ident || ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
        !gelf_getehdr(elf, &head))
        return false;
    size_t names, word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    image->identity.machine = head.e_machine;
    if (wanted != ELF_SYMBOLS)
        read_identity(image, elf);
    if (wanted == ELF_IDENTITY)
        return true;
    if (wanted == ELF_ALL) {
        read_segments(image, elf);
        elf_image_address(image, image->table.around, &image->table.around);
    }
    if (elf_getshdrstrndx(elf, &names) < 0)
        return true; /* no sections */
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_symbols(image, elf, section, header.sh_link, head.e_machine == EM_ARM);
        if (wanted == ELF_SYMBOLS || !name || header.sh_type == SHT_NOBITS)
            continue;
        if (header.sh_flags & SHF_EXECINSTR)
            add_end(image, header.sh_addr + header.sh_size);
        const char *go = strstr(name, ".gopclntab"); /* or ".data.rel.ro.gopclntab" */
        if (strcmp(name, ".eh_frame") == 0)
            read_frames(image, section, header.sh_addr, ident, word);
        else if (go && header.sh_size <= GO_MAX)
            read_go(image, section);
        else if (strcmp(name, ".gnu_debugdata") == 0 && header.sh_size <= PACKED_MAX)
            read_packed(image, section);
    }
    if (wanted == ELF_ALL)
        elf_plt_read(&image->table, elf);
    return true;
}

bool elf_image_read(struct elf_image *image, int fd, enum elf_part wanted)
{
    elf_version(EV_CURRENT);
    /* Read, not mapped: a file that shrinks meanwhile would raise SIGBUS. */
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool good = elf && elf_image_take(image, elf, wanted);
    elf_end(elf);
    return good;
}

/* The address of what is mapped from a page of the file on as data; 0: it is in no such segment. */
static uint64_t data_address(Elf *elf, uint64_t offset)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    GElf_Phdr part;
    for (int i = 0; gelf_getphdr(elf, i, &part); i++)
        if (part.p_type == PT_LOAD && part.p_flags & PF_W && offset >= (part.p_offset & -page) &&
            offset - (part.p_offset & -page) < part.p_filesz + page)
            return part.p_vaddr + (offset - part.p_offset);
    return 0;
}

char *elf_variable(int fd, uint64_t offset, uint64_t behind, uint64_t *within)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    uint64_t address = data_address(elf, offset) + behind;
    uint32_t best = UINT32_MAX;
    const char *found = NULL;
    for (Elf_Scn *section = NULL; address > behind && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Sym symbol;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            const char *name = symbol_name(elf, header.sh_link, &symbol);
            if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || address < symbol.st_value ||
                address - symbol.st_value >= symbol.st_size || !name ||
                name_rank(&symbol, name) >= best)
                continue;
            best = name_rank(&symbol, name);
            found = name;
            *within = address - symbol.st_value;
        }
    }
    char *copy = mem_strdup(found);
    elf_end(elf);
    return copy;
}

bool elf_image_check(struct elf_image *image, int fd)
{
    enum { PART = 1 << 16 };
    uLong sum = crc32(0, NULL, 0);
    AUTO_FREE unsigned char *part = mem_alloc(PART);
    ssize_t got;
    /* A file may grow, or have no size at all, as in /proc. */
    for (off_t at = 0; (got = pread(fd, part, PART, at)) > 0 && at < ELF_CHECKED_MAX; at += got)
        sum = crc32(sum, part, (uInt)got);
    image->identity.link_check = (uint32_t)sum;
    return got == 0;
}

bool elf_image_memory(struct elf_image *image, const void *bytes, size_t size)
{
    elf_version(EV_CURRENT);
    AUTO_FREE char *copy = mem_alloc(size + 1);
    memcpy(copy, bytes, size);
    Elf *elf = elf_memory(copy, size);
    bool good = elf && elf_image_take(image, elf, ELF_ALL);
    elf_end(elf);
    return good;
}

void elf_image_finish(struct elf_image *image)
{
    mem_sort(image->ends, image->end_count, sizeof(*image->ends));
    function_table_finish(&image->table, image->ends, image->end_count);
}

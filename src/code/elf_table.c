#include "code/elf_table.h"
#include "base/mem.h"
#include "code/elf_plt.h"

#include <endian.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

void elf_image_release(struct elf_image *image)
{
    function_table_release(&image->table);
    free(image->segments);
    free(image->ends);
    free(image->link);
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
    mem_grow(&image->ends, &image->end_room, image->end_count + 1, sizeof(*image->ends));
    image->ends[image->end_count++] = end;
}

static void read_segments(struct elf_image *image, Elf *elf)
{
    GElf_Phdr part;
    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X))
            continue;
        mem_grow(&image->segments, &image->segment_room, image->segment_count + 1,
                 sizeof(*image->segments));
        image->segments[image->segment_count++] =
            (struct elf_segment){part.p_vaddr, part.p_offset, part.p_filesz};
        add_end(image, part.p_vaddr + part.p_filesz);
    }
}

/* ---- symbols ---- */

/* Of several names for an address: global before weak before local, few leading underscores. */
static uint32_t name_rank(const GElf_Sym *symbol, const char *name)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    uint32_t rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 100 : 200;
    size_t underscores = strspn(name, "_");
    return rank + (uint32_t)(underscores < 50 ? underscores : 50);
}

static void read_symbols(struct elf_image *image, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header, bool thumb)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        unsigned char kind = GELF_ST_TYPE(symbol.st_info);
        if ((kind != STT_FUNC && kind != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name)
            function_table_add(&image->table, symbol.st_value & ~(uint64_t)thumb, symbol.st_size,
                               name, name_rank(&symbol, name));
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

/* Skips a number of LEB128; returns it. */
static uint64_t take_leb(struct frame_bytes *from)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (uint64_t byte = 0x80; byte & 0x80 && from->at <= from->size; shift += 7) {
        byte = take_fixed(from, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
    }
    return value;
}

/* DW_EH_PE_: how addresses are written (Linux Standard Base, "DWARF Exception Header Encoding"). */
enum { PE_FORMAT = 0x0f, PE_RELATIVE = 0x70, PE_PCREL = 0x10, PE_OMIT = 0xff };

static size_t encoded_size(unsigned encoding, size_t word)
{
    switch (encoding & PE_FORMAT & 7) {
    case 0:
        return word;
    case 2:
        return 2;
    case 3:
        return 4;
    case 4:
        return 8;
    default:
        return 0;
    }
}

/* The encoding of addresses in the FDEs of a CIE, whose content begins after its id. */
static unsigned cie_encoding(struct frame_bytes cie, size_t word)
{
    const unsigned char *end;
    unsigned version = (unsigned)take_fixed(&cie, 1), encoding = 0;
    if (cie.at > cie.size || !(end = memchr(cie.bytes + cie.at, 0, cie.size - cie.at)))
        return PE_OMIT;
    const char *letters = (const char *)cie.bytes + cie.at;
    cie.at = (size_t)(end - cie.bytes) + 1;
    if (*letters != 'z')
        return *letters ? PE_OMIT : 0;
    take_leb(&cie);                                      /* code alignment */
    take_leb(&cie);                                      /* data alignment */
    version == 1 ? take_fixed(&cie, 1) : take_leb(&cie); /* return address */
    take_leb(&cie);                                      /* length of the augmentation */
    for (letters++; *letters; letters++) {
        unsigned kind;
        if (*letters == 'R')
            encoding = (unsigned)take_fixed(&cie, 1);
        else if (*letters == 'L')
            take_fixed(&cie, 1);
        else if (*letters == 'P') {
            kind = (unsigned)take_fixed(&cie, 1);
            take_fixed(&cie, encoded_size(kind, word));
        } else if (!strchr("SB", *letters))
            return PE_OMIT;
    }
    return cie.at <= cie.size ? encoding : PE_OMIT;
}

/* Adds the bounds of the functions that the section describes; address: of the section. */
static void read_frames(struct elf_image *image, const unsigned char *bytes, size_t size,
                        uint64_t address, size_t word)
{
    struct frame_bytes all = {bytes, 0, size};
    size_t cie_at = SIZE_MAX;
    unsigned encoding = PE_OMIT;
    while (all.at + 8 <= size) {
        uint64_t length = take_fixed(&all, 4);
        if (length == 0xffffffff)
            length = take_fixed(&all, 8);
        size_t body = all.at;
        if (length == 0) /* the end; linked files may have several */
            continue;
        if (length < 4 || length > size - body)
            return;
        size_t next = body + (size_t)length;
        uint64_t id = take_fixed(&all, 4);
        if (id == 0 || id > body) {
            all.at = next;
            continue;
        }
        size_t cie = body - (size_t)id; /* the distance back to the CIE's length */
        if (cie != cie_at) {
            struct frame_bytes from = {bytes, cie, size};
            if (take_fixed(&from, 4) == 0xffffffff)
                take_fixed(&from, 8);
            encoding = take_fixed(&from, 4) == 0 ? cie_encoding(from, word) : PE_OMIT;
            cie_at = cie;
        }
        size_t width = encoding == PE_OMIT ? 0 : encoded_size(encoding, word);
        uint64_t base = (encoding & PE_RELATIVE) == PE_PCREL ? address + all.at : 0;
        if (width > 0) {
            uint64_t start = take_fixed(&all, width), range = take_fixed(&all, width);
            if (encoding & 8 && width < 8) /* signed */
                start = (uint64_t)((int64_t)(start << (64 - 8 * width)) >> (64 - 8 * width));
            start += base;
            if (word == 4)
                start = (uint32_t)start;
            if (range > 0 && range < UINT32_MAX)
                function_table_add(&image->table, start, range, NULL, 0);
        }
        all.at = next;
    }
}

/* ---- files ---- */

/* A note with the build-id. */
static void read_notes(struct elf_image *image, Elf_Scn *section)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Nhdr note;
    size_t name, text;
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &text)) > 0;)
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
            memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) == 0 &&
            note.n_descsz <= CODE_BUILD_ID_MAX) {
            image->build_id_size = note.n_descsz;
            memcpy(image->build_id, (char *)data->d_buf + text, note.n_descsz);
        }
}

static bool elf_image_take(struct elf_image *image, Elf *elf, bool symbols)
{
    const char *ident = elf_kind(elf) == ELF_K_ELF ? elf_getident(elf, NULL) : NULL;
    GElf_Ehdr head;
    if (!ident || ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
        !gelf_getehdr(elf, &head))
        return false;
    size_t names, word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    image->machine = head.e_machine;
    if (!symbols)
        read_segments(image, elf);
    if (elf_getshdrstrndx(elf, &names) < 0)
        return true; /* no sections */
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_symbols(image, elf, section, &header, head.e_machine == EM_ARM);
        else if (header.sh_type == SHT_NOTE)
            read_notes(image, section);
        if (symbols || !name || header.sh_type == SHT_NOBITS)
            continue;
        if (header.sh_flags & SHF_EXECINSTR)
            add_end(image, header.sh_addr + header.sh_size);
        bool frames = strcmp(name, ".eh_frame") == 0, link = strcmp(name, ".gnu_debuglink") == 0;
        Elf_Data *data = frames || link ? elf_rawdata(section, NULL) : NULL;
        if (!data || !data->d_buf)
            continue;
        if (frames)
            read_frames(image, data->d_buf, data->d_size, header.sh_addr, word);
        else if (!image->link && memchr(data->d_buf, '\0', data->d_size)) {
            enum { CHECK = sizeof(image->link_check) }; /* aligned, behind the name */
            size_t at = (strlen(data->d_buf) + CHECK) / CHECK * CHECK;
            image->link = mem_strdup(data->d_buf);
            if (at + CHECK <= data->d_size)
                memcpy(&image->link_check, (char *)data->d_buf + at, CHECK);
        }
    }
    if (!symbols)
        elf_plt_read(&image->table, elf);
    return true;
}

bool elf_image_read(struct elf_image *image, int fd, bool symbols)
{
    elf_version(EV_CURRENT);
    /* Read, not mapped: a file that shrinks meanwhile would raise SIGBUS. */
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool good = elf && elf_image_take(image, elf, symbols);
    elf_end(elf);
    return good;
}

bool elf_image_memory(struct elf_image *image, const void *bytes, size_t size)
{
    elf_version(EV_CURRENT);
    char *copy = mem_alloc(size + 1);
    memcpy(copy, bytes, size);
    Elf *elf = elf_memory(copy, size);
    bool good = elf && elf_image_take(image, elf, false);
    elf_end(elf);
    free(copy);
    return good;
}

static int end_order(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

void elf_image_finish(struct elf_image *image)
{
    if (image->end_count > 0)
        qsort(image->ends, image->end_count, sizeof(*image->ends), end_order);
    function_table_finish(&image->table, image->ends, image->end_count);
}

#include "event/elf.h"
#include "base/mem.h"
#include "event/names.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SECTIONS_MOST = 65536, /* what e_shnum can say: elf(5) */
    NAMES_MOST = 20000,    /* to choose the nearest from */
};

struct elf {
    int fd;
    uint64_t size;
    bool wide;                   /* 64 bits */
    uint64_t segments, sections; /* offsets of their headers */
    size_t segment_count, segment_size, section_count, section_size;
};

/* A section or a segment, in either class. */
struct part {
    uint32_t type;
    uint32_t link; /* a symbol table's: the section with its names */
    uint64_t address, offset, size;
};

struct symbol {
    uint32_t name; /* offset in the names */
    unsigned char info;
    uint16_t section;
    uint64_t value;
};

/* A table of symbols with their names, both as long as they say. */
struct table {
    unsigned char *symbols;
    char *names; /* ends with '\0' */
    size_t count, names_size;
};

static bool elf_read(const struct elf *elf, uint64_t offset, void *to, size_t size)
{
    if (size > elf->size || offset > elf->size - size)
        return false;
    for (char *p = to; size > 0;) {
        ssize_t n = pread(elf->fd, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false; /* shorter than a moment ago */
        p += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* Bytes of the file, with a '\0' behind them; NULL where it has not so many. */
static void *elf_load(const struct elf *elf, uint64_t offset, uint64_t size)
{
    if (size > elf->size)
        return NULL;
    char *bytes = mem_alloc((size_t)size + 1);
    if (elf_read(elf, offset, bytes, (size_t)size))
        return bytes;
    free(bytes);
    return NULL;
}

static bool read_header(struct elf *elf)
{
    unsigned char ident[EI_NIDENT];
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;
    if (!elf_read(elf, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
        ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
        return false;
    elf->wide = ident[EI_CLASS] == ELFCLASS64;
    if (elf->wide && elf_read(elf, 0, &wide, sizeof(wide))) {
        elf->segments = wide.e_phoff;
        elf->sections = wide.e_shoff;
        elf->segment_count = wide.e_phnum;
        elf->segment_size = wide.e_phentsize;
        elf->section_count = wide.e_shnum;
        elf->section_size = wide.e_shentsize;
        return true;
    }
    if (ident[EI_CLASS] != ELFCLASS32 || !elf_read(elf, 0, &narrow, sizeof(narrow)))
        return false;
    elf->segments = narrow.e_phoff;
    elf->sections = narrow.e_shoff;
    elf->segment_count = narrow.e_phnum;
    elf->segment_size = narrow.e_phentsize;
    elf->section_count = narrow.e_shnum;
    elf->section_size = narrow.e_shentsize;
    return true;
}

/* An entry of a table whose entries have that size, into a buffer of `least` bytes. */
static bool read_entry(const struct elf *elf, uint64_t table, size_t size, size_t number,
                       void *buffer, size_t least)
{
    uint64_t at = table + number * size;
    return size >= least && at >= table && elf_read(elf, at, buffer, least);
}

static bool read_section(const struct elf *elf, size_t number, struct part *part)
{
    Elf64_Shdr wide;
    Elf32_Shdr narrow;
    if (!read_entry(elf, elf->sections, elf->section_size, number,
                    elf->wide ? (void *)&wide : (void *)&narrow,
                    elf->wide ? sizeof(wide) : sizeof(narrow)))
        return false;
    if (elf->wide)
        *part =
            (struct part){wide.sh_type, wide.sh_link, wide.sh_addr, wide.sh_offset, wide.sh_size};
    else
        *part = (struct part){narrow.sh_type, narrow.sh_link, narrow.sh_addr, narrow.sh_offset,
                              narrow.sh_size};
    return true;
}

static bool read_segment(const struct elf *elf, size_t number, struct part *part)
{
    Elf64_Phdr wide;
    Elf32_Phdr narrow;
    if (!read_entry(elf, elf->segments, elf->segment_size, number,
                    elf->wide ? (void *)&wide : (void *)&narrow,
                    elf->wide ? sizeof(wide) : sizeof(narrow)))
        return false;
    if (elf->wide)
        *part = (struct part){wide.p_type, 0, wide.p_vaddr, wide.p_offset, wide.p_filesz};
    else
        *part = (struct part){narrow.p_type, 0, narrow.p_vaddr, narrow.p_offset, narrow.p_filesz};
    return true;
}

/* The place in the file of what is loaded at an address. */
static bool find_offset(const struct elf *elf, uint64_t address, uint64_t *offset)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        struct part part;
        if (!read_segment(elf, i, &part))
            return false;
        if (part.type != PT_LOAD || address < part.address || address - part.address >= part.size)
            continue;
        *offset = part.offset + (address - part.address);
        return *offset < elf->size;
    }
    return false;
}

static bool load_table(const struct elf *elf, const struct part *part, struct table *table)
{
    struct part names;
    *table = (struct table){0};
    if (part->link >= elf->section_count || !read_section(elf, part->link, &names))
        return false;
    table->symbols = elf_load(elf, part->offset, part->size);
    table->names = elf_load(elf, names.offset, names.size);
    table->names_size = (size_t)names.size;
    table->count = (size_t)part->size / (elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    return table->symbols && table->names;
}

static void release_table(struct table *table)
{
    free(table->symbols);
    free(table->names);
}

static struct symbol symbol_at(const struct elf *elf, const struct table *table, size_t i)
{
    if (elf->wide) {
        Elf64_Sym wide;
        memcpy(&wide, table->symbols + i * sizeof(wide), sizeof(wide));
        return (struct symbol){wide.st_name, wide.st_info, wide.st_shndx, wide.st_value};
    }
    Elf32_Sym narrow;
    memcpy(&narrow, table->symbols + i * sizeof(narrow), sizeof(narrow));
    return (struct symbol){narrow.st_name, narrow.st_info, narrow.st_shndx, narrow.st_value};
}

/* The name of a symbol that is a function of this file, else NULL. */
static const char *function_name(const struct table *table, const struct symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->section == SHN_UNDEF ||
        symbol->name >= table->names_size)
        return NULL;
    return table->names + symbol->name;
}

/* Looks the function up in one table; adds its names to `names` where it is not there. */
static bool find_in(const struct elf *elf, const struct part *part, const char *function,
                    uint64_t *offset, struct names *names)
{
    struct table table;
    bool found = false, loaded = load_table(elf, part, &table);
    for (size_t i = 0; loaded && i < table.count && !found; i++) {
        struct symbol symbol = symbol_at(elf, &table, i);
        const char *name = function_name(&table, &symbol);
        if (name && strcmp(name, function) == 0)
            found = find_offset(elf, symbol.value, offset);
        else if (name && names->count < NAMES_MOST)
            names_add(names, name);
    }
    release_table(&table);
    return found;
}

static bool find_function(const struct elf *elf, const char *function, uint64_t *offset,
                          struct names *names)
{
    static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (size_t i = 0; i < elf->section_count && i < SECTIONS_MOST; i++) {
            struct part part;
            if (!read_section(elf, i, &part))
                return false;
            if (part.type == kinds[k] && find_in(elf, &part, function, offset, names))
                return true;
        }
    return false;
}

int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err)
{
    struct stat st;
    struct elf elf = {.fd = -1};
    /* To open some devices is to do something with them. */
    if (stat(path, &st) < 0 ||
        (S_ISREG(st.st_mode) && (elf.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0))
        return err_set(err, "cannot read '%s': %s", path, strerror(errno));
    if (elf.fd >= 0)
        elf.size = (uint64_t)st.st_size;
    struct names names;
    names_init(&names);
    int result = 0;
    if (!read_header(&elf)) {
        result = err_set(err, "'%s' is no program or library of this machine", path);
    } else if (!find_function(&elf, function, offset, &names)) {
        const char *nearest = names_nearest(&names, function);
        result =
            names.count == 0
                ? err_set(err, "'%s' has no symbols: give the offset in the file instead", path)
                : err_set(err, "'%s' has no function '%s'%s%s%s", path, function,
                          nearest ? "; nearest is '" : "", nearest ? nearest : "",
                          nearest ? "'" : "");
    }
    names_release(&names);
    if (elf.fd >= 0)
        close(elf.fd);
    return result;
}

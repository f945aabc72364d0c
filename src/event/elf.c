#include "event/elf.h"
#include "base/file.h"
#include "base/names.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 20000 }; /* names from which the nearest is chosen */

/* The file offset of a loaded address. */
static bool elf_find_offset(Elf *elf, uint64_t address, uint64_t size, uint64_t *offset)
{
    GElf_Phdr part;
    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type != PT_LOAD || address < part.p_vaddr ||
            address - part.p_vaddr >= part.p_filesz)
            continue;
        *offset = part.p_offset + (address - part.p_vaddr);
        return *offset < size;
    }
    return false;
}

/* A file has at most one section of the types that are asked for here (elf(5)). */
static Elf_Data *elf_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    do
        section = elf_nextscn(elf, section);
    while (section && (!gelf_getshdr(section, header) || header->sh_type != type));
    return section ? elf_getdata(section, NULL) : NULL;
}

/* What a symbol table says of a name. */
struct elf_found {
    uint64_t address;
    bool there, several; /* a function has that name; functions at different addresses have */
    bool chosen; /* one of them chooses a function when the program is loaded: STT_GNU_IFUNC */
};

/* Looks the function up in the symbol table of that type. Of the versions of a name that a library
 * has, the default one counts, with which programs are linked today. Adds the names of the other
 * functions to `names`. */
static struct elf_found elf_find_symbol(Elf *elf, GElf_Word type, const char *function,
                                        struct names *names)
{
    enum { VERSION_HIDDEN = 0x8000 };
    GElf_Shdr header, of_versions;
    Elf_Data *table = elf_table(elf, type, &header);
    Elf_Data *versions = type == SHT_DYNSYM ? elf_table(elf, SHT_GNU_versym, &of_versions) : NULL;
    struct elf_found found = {0};
    bool hidden = false; /* that is not the default version */
    GElf_Sym symbol;
    GElf_Versym version;
    for (int i = 0; table && gelf_getsym(table, i, &symbol); i++) {
        unsigned char kind = GELF_ST_TYPE(symbol.st_info);
        if ((kind != STT_FUNC && kind != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name && strcmp(name, function) != 0 && names->count < NAMES_MAX)
            names_add(names, name);
        if (!name || strcmp(name, function) != 0)
            continue;
        bool old = versions && gelf_getversym(versions, i, &version) && version & VERSION_HIDDEN;
        if (found.there && old && !hidden)
            continue;
        if (found.there && hidden && !old)
            found = (struct elf_found){0};
        hidden = old;
        found.several |= found.there && symbol.st_value != found.address;
        found.there = true;
        found.address = symbol.st_value;
        found.chosen |= kind == STT_GNU_IFUNC;
    }
    return found;
}

/* -1 with errno set, and nothing to close. Else *elf is NULL if it is no regular file. */
static int elf_open(const char *path, struct stat *st, int *fd, Elf **elf)
{
    *fd = -1;
    /* Opening a device can have effects, so only regular files are opened. */
    if (stat(path, st) < 0 ||
        (S_ISREG(st->st_mode) && (*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0))
        return -1;
    elf_version(EV_CURRENT);
    /* Read, not mapped: a file that shrinks meanwhile would raise SIGBUS. */
    *elf = *fd >= 0 ? elf_begin(*fd, ELF_C_READ, NULL) : NULL;
    return 0;
}

static void elf_close(int fd, Elf *elf)
{
    elf_end(elf);
    file_close(fd);
}

bool elf_has_section(const char *path, const char *name)
{
    struct stat st;
    int fd;
    Elf *elf;
    size_t names;
    GElf_Shdr header;
    bool found = false;
    if (elf_open(path, &st, &fd, &elf) < 0)
        return false;
    if (elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(elf, section));) {
            const char *other =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            found = other && strcmp(other, name) == 0;
        }
    elf_close(fd, elf);
    return found;
}

int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err)
{
    struct stat st;
    int fd, result = 0;
    Elf *elf;
    if (elf_open(path, &st, &fd, &elf) < 0)
        return err_set(err, "cannot read '%s': %s", path, strerror(errno));
    const char *ident = elf_kind(elf) == ELF_K_ELF ? elf_getident(elf, NULL) : NULL;
    struct names names = {0};
    struct elf_found found = {0};
    if (!ident || ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)) {
        result = err_set(err, "'%s' is no program or library of this machine", path);
    } else {
        found = elf_find_symbol(elf, SHT_SYMTAB, function, &names);
        if (!found.there)
            found = elf_find_symbol(elf, SHT_DYNSYM, function, &names);
    }
    if (result == 0 && found.chosen) {
        result = err_set(err,
                         "'%s' of '%s' is called once, to choose the function that programs then "
                         "call by this name (IFUNC): name that one, or give its offset in the file",
                         function, path);
    } else if (result == 0 && found.several) {
        result =
            err_set(err, "'%s' has several functions '%s': give the offset in the file instead",
                    path, function);
    } else if (result == 0 && (!found.there || !elf_find_offset(elf, found.address,
                                                                (uint64_t)st.st_size, offset))) {
        if (names.count == 0)
            err_set(err, "'%s' has no symbols: give the offset in the file instead", path);
        else
            err_set(err, "'%s' has no function '%s'", path, function);
        result = err_add_nearest(err, names_nearest(&names, function));
    }
    names_release(&names);
    elf_close(fd, elf);
    return result;
}

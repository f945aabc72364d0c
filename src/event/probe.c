#include "event/pmu.h"
#include "event/query.h"

#include <endian.h>
#include <gelf.h>
#include <linux/hw_breakpoint.h>

/* ---- breakpoints ---- */

static const char memory[] = "mem:";

bool breakpoint_is(const char *text)
{
    return str_starts(text, memory);
}

/* "rw": each letter once. */
static bool take_access(const char *text, uint32_t *access)
{
    *access = HW_BREAKPOINT_EMPTY;
    for (; *text; text++) {
        uint32_t one = *text == 'r'   ? HW_BREAKPOINT_R
                       : *text == 'w' ? HW_BREAKPOINT_W
                       : *text == 'x' ? HW_BREAKPOINT_X
                                      : HW_BREAKPOINT_EMPTY;
        if (one == HW_BREAKPOINT_EMPTY || (*access & one))
            return false;
        *access |= one;
    }
    return *access != HW_BREAKPOINT_EMPTY;
}

enum answer breakpoint_ask(struct query *q)
{
    if (!breakpoint_is(q->base))
        return ANSWER_NO;
    const char *p = q->base + strlen(memory);
    uint64_t address = 0, length = 0;
    uint32_t access = HW_BREAKPOINT_RW;
    bool fine = str_take_number(&p, &address);
    bool sized = fine && *p == '/';
    if (sized) {
        p++;
        fine = str_take_number(&p, &length);
    }
    if (fine && *p)
        fine = *p == ':' && take_access(p + 1, &access);
    if (!fine)
        return query_fail(
            q, "bad event '%s': expected mem:ADDRESS[/LENGTH][:rwx], such as mem:0x1238/8:w",
            q->text);
    if (sized && length != 1 && length != 2 && length != 4 && length != 8)
        return query_fail(q, "bad event '%s': bad length %" PRIu64 ": expected 1, 2, 4 or 8",
                          q->text, length);
    if (!sized)
        length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
    q->event.attr.type = PERF_TYPE_BREAKPOINT;
    q->event.attr.bp_type = access;
    q->event.attr.bp_addr = address;
    q->event.attr.bp_len = length;
    if (access == HW_BREAKPOINT_X || address % length == 0)
        return ANSWER_YES;
    q->event.pmu = mem_strdup("breakpoint");
    query_not_here(q,
                   "address 0x%" PRIx64 " is not a multiple of %" PRIu64
                   ": use one that is, such as 0x%" PRIx64 ", or a length of %" PRIu64,
                   address, length, address - address % length, address & -address);
    q->event.state = EVENT_INVALID;
    return ANSWER_NOT_HERE;
}

/* ---- functions of programs ---- */

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

/* Opens a file with libelf; *elf is NULL if it is none for that. Only regular files, since opening
 * a device can have effects; read, not mapped, since one that shrinks meanwhile would raise SIGBUS.
 * Returns its descriptor; -1 with errno. */
static int elf_open(const char *path, struct stat *st, Elf **elf)
{
    *elf = NULL;
    if (stat(path, st) < 0)
        return -1;
    int fd = open(S_ISREG(st->st_mode) ? path : "/dev/null", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    elf_version(EV_CURRENT);
    *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    return fd;
}

bool elf_has_section(const char *path, const char *name)
{
    struct stat st;
    Elf *elf;
    size_t names;
    GElf_Shdr header;
    bool found = false;
    AUTO_CLOSE int fd = elf_open(path, &st, &elf);
    if (elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(elf, section));)
            found = gelf_getshdr(section, &header) &&
                    str_equal(elf_strptr(elf, names, header.sh_name), name);
    elf_end(elf);
    return found;
}

static int elf_locate(Elf *elf, uint64_t size, const char *path, const char *function,
                      uint64_t *offset, struct err *err)
{
    AUTO_NAMES struct names names = {0};
    const char *ident = elf_kind(elf) == ELF_K_ELF ? elf_getident(elf, NULL) : NULL;
    if (!ident || ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
        return err_set(err, "'%s' is no program or library of this machine", path);
    struct elf_found found = elf_find_symbol(elf, SHT_SYMTAB, function, &names);
    if (!found.there)
        found = elf_find_symbol(elf, SHT_DYNSYM, function, &names);
    if (found.chosen)
        return err_set(err,
                       "'%s' of '%s' is called once, to choose the function that programs then "
                       "call by this name (IFUNC): name that one, or give its offset in the file",
                       function, path);
    if (found.several)
        return err_set(err, "'%s' has several functions '%s': give the offset in the file instead",
                       path, function);
    if (found.there && elf_find_offset(elf, found.address, size, offset))
        return 0;
    if (names.count == 0)
        err_set(err, "'%s' has no symbols: give the offset in the file instead", path);
    else
        err_set(err, "'%s' has no function '%s'", path, function);
    return err_add_nearest(err, names_nearest(&names, function));
}

int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err)
{
    struct stat st;
    Elf *elf;
    AUTO_CLOSE int fd = elf_open(path, &st, &elf);
    if (fd < 0)
        return err_set(err, "cannot read '%s': %s", path, err_reason(errno));
    int result = elf_locate(elf, (uint64_t)st.st_size, path, function, offset, err);
    elf_end(elf);
    return result;
}

/* ---- probes ---- */

/* Longest name of a kernel function: include/linux/kallsyms.h, KSYM_NAME_LEN. */
enum { FUNCTION_SIZE = 512 };

struct probe_kind {
    const char *prefix, *pmu, *terms, *expected;
    bool user;
};

static const struct probe_kind kinds[] = {
    {"uprobe:", "uprobe", "retprobe=0", "uprobe:/path:function[+offset]", true},
    {"uretprobe:", "uprobe", "retprobe=1", "uretprobe:/path:function", true},
    {"kprobe:", "kprobe", "retprobe=0", "kprobe:function[+offset]", false},
    {"kretprobe:", "kprobe", "retprobe=1", "kretprobe:function", false},
};

static const struct probe_kind *kind_of(const char *text)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (str_starts(text, kinds[i].prefix))
            return &kinds[i];
    return NULL;
}

bool probe_is(const char *text)
{
    return kind_of(text) != NULL;
}

size_t probe_colons(const char *text)
{
    const struct probe_kind *kind = kind_of(text);
    return kind && kind->user ? 2 : 1;
}

/* "function", "function+0x10", "0x1234". A number alone leaves function empty. */
static bool parse_place(const char *text, char *function, uint64_t *offset)
{
    bool number = *text >= '0' && *text <= '9';
    size_t length = number ? 0 : strcspn(text, "+");
    const char *p = text + length;
    *offset = 0;
    snprintf(function, FUNCTION_SIZE, "%.*s", (int)length, text);
    if (!number && (length == 0 || length >= FUNCTION_SIZE))
        return false;
    if (!number && !*p++)
        return true;
    return str_take_number(&p, offset) && !*p;
}

/* A missing function is not wrong usage, since functions differ between kernels. If the kernel
 * hides its symbols, only opening the probe can tell. */
static enum answer find_in_kernel(struct query *q, const char *function)
{
    char line[FUNCTION_SIZE + 64], name[FUNCTION_SIZE];
    AUTO_NAMES struct names names = {0};
    AUTO_FILE FILE *symbols = file_open("/proc/kallsyms");
    bool found = !symbols, any = false;
    while (!found && fgets(line, sizeof(line), symbols)) {
        /* address, kind, name: t, T, w and W are code (nm(1)) */
        char kind;
        if (sscanf(line, "%*s %c %511s", &kind, name) != 2 || !strchr("tTwW", kind))
            continue;
        any = true;
        found = str_equal(name, function);
        if (!found && name[0] == function[0])
            names_add(&names, name);
    }
    if (found || !any)
        return ANSWER_YES;
    err_set(&q->err, "this kernel has no function '%s'", function);
    err_add_nearest(&q->err, names_nearest(&names, function));
    return query_not_here(q, "%s", q->err.text);
}

static enum answer place_in_file(struct query *q, const char *text)
{
    char function[FUNCTION_SIZE], path[PATH_MAX];
    const char *colon = strrchr(text, ':');
    uint64_t offset, start = 0;
    if (*text != '/' || !colon || (size_t)(colon - text) >= sizeof(path) ||
        !parse_place(colon + 1, function, &offset))
        return ANSWER_NO;
    snprintf(path, sizeof(path), "%.*s", (int)(colon - text), text);
    struct err cause;
    if (*function && elf_function(path, function, &start, &cause) != 0)
        return query_fail(q, "bad event '%s': %s", q->text, cause.text);
    q->event.target = mem_strdup(path);
    q->event.attr.config2 = start + offset;
    return ANSWER_YES;
}

enum answer probe_ask(struct query *q)
{
    const struct probe_kind *kind = kind_of(q->base);
    uint32_t type;
    if (!kind)
        return ANSWER_NO;
    /* The other mode would always count 0. */
    q->has_mode = !kind->user;
    const char *place = q->base + strlen(kind->prefix);
    enum answer answer = kind->user ? place_in_file(q, place) : ANSWER_NO;
    char function[FUNCTION_SIZE];
    uint64_t offset;
    if (!kind->user && parse_place(place, function, &offset)) {
        q->event.attr.config2 = offset;
        answer = ANSWER_YES; /* a number alone is kprobe_addr, with kprobe_func NULL */
        if (*function) {
            q->event.target = mem_strdup(function);
            answer = find_in_kernel(q, function);
        }
    }
    if (answer == ANSWER_NO)
        return query_fail(q, "bad event '%s': expected %s", q->text, kind->expected);
    if (answer == ANSWER_ERROR)
        return answer;
    q->event.pmu = mem_strdup(kind->pmu);
    if (!pmu_type(kind->pmu, &type))
        return query_not_here(q, "this kernel has no %ss (built without CONFIG_%s_EVENTS)",
                              kind->pmu, kind->user ? "UPROBE" : "KPROBE");
    struct perf_event_attr attr = {0};
    if (pmu_encode(kind->pmu, kind->terms, &attr, &q->err) != 0)
        return ANSWER_ERROR;
    q->event.attr.type = attr.type;
    q->event.attr.config = attr.config;
    return answer;
}

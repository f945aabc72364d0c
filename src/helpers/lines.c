/* countertop-lines: reads symbols and debug information, and unwinds stacks by it, for
 * code/line_child.h. What it reads may take long, much memory, and fail in any way where a file is
 * damaged. */
#include "base/socket.h"
#include "code/line_child.h"
#include "system/sandbox.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

/* ---- source lines and inlined functions, out of DWARF debug information by libdw ---- */

/* Not all that a file claims is followed. */
enum { DEPTH_MAX = 64, NESTING_MAX = 256 };

struct unit_range {
    uint64_t start, end;
    Dwarf_Off unit; /* of its DIE */
};

struct line_dwarf {
    Dwarf *dwarf;
    struct unit_range *ranges; /* ascending */
    size_t count, room;
};

static void add_unit(struct line_dwarf *dwarf, Dwarf_Die *unit)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;) {
        if (start >= end)
            continue;
        *MEM_ADD(dwarf->ranges, dwarf->count, dwarf->room) =
            (struct unit_range){start, end, dwarf_dieoffset(unit)};
    }
}

/* What covers which addresses is asked of the units themselves: not all compilers write
 * .debug_aranges. */
static void add_units(struct line_dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t kind;
    Dwarf_Die die, split;
    while (dwarf_get_units(dwarf->dwarf, unit, &unit, &version, &kind, &die, &split) == 0)
        if (kind == DW_UT_compile || kind == DW_UT_skeleton)
            add_unit(dwarf, &die);
    mem_sort(dwarf->ranges, dwarf->count, sizeof(*dwarf->ranges));
}

static void line_dwarf_close(struct line_dwarf *dwarf)
{
    if (!dwarf)
        return;
    dwarf_end(dwarf->dwarf);
    free(dwarf->ranges);
    free(dwarf);
}

/* Opens what a program, a library or a debug file has, which stays in use and is not closed. NULL:
 * no debug information. */
static struct line_dwarf *line_dwarf_open(int fd)
{
    struct line_dwarf *dwarf = mem_alloc(sizeof(*dwarf));
    dwarf->dwarf = dwarf_begin(fd, DWARF_C_READ);
    if (dwarf->dwarf)
        add_units(dwarf);
    if (dwarf->count > 0)
        return dwarf;
    line_dwarf_close(dwarf);
    return NULL;
}

/* ---- the text ---- */

struct telling {
    struct str *text;
    const char *directory; /* of the compiler, where paths that are not absolute begin; NULL */
    uint64_t start, end;   /* of the function */
    const char **paths;    /* as libdw keeps them */
    size_t path_count, path_room;
    struct str inlines[DEPTH_MAX + 1]; /* by depth */
};

static uint32_t file_number(struct telling *telling, const char *path)
{
    path = path && *path ? path : "?";
    for (size_t p = telling->path_count; p-- > 0;) /* mostly it is one of the last */
        if (strcmp(telling->paths[p], path) == 0)
            return (uint32_t)p;
    *MEM_ADD(telling->paths, telling->path_count, telling->path_room) = path;
    str_add(telling->text, "f ");
    if (*path != '/' && telling->directory) { /* libdw leaves that out in DWARF 5 */
        str_add_visible(telling->text, telling->directory);
        str_add_char(telling->text, '/');
    }
    str_add_visible(telling->text, path);
    str_add_char(telling->text, '\n');
    return (uint32_t)(telling->path_count - 1);
}

/* ---- lines ---- */

/* Where several lines have one address the last one counts, as for addr2line(1). */
static void tell_lines(struct telling *telling, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t count, at = 0;
    uint64_t last = UINT64_MAX;
    Dwarf_Addr next;
    char row[96] = "";
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    while (dwarf_lineaddr(dwarf_onesrcline(lines, at + 1), &next) == 0 && next <= telling->start)
        at++;
    for (; at < count; at++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, at);
        Dwarf_Addr address = 0;
        int number = 0;
        bool end = false;
        dwarf_lineaddr(line, &address);
        dwarf_lineno(line, &number);
        dwarf_lineendsequence(line, &end);
        if (address >= telling->end)
            break;
        address = address < telling->start ? telling->start : address;
        if (address != last)
            str_add(telling->text, row);
        last = address;
        uint32_t file = file_number(telling, dwarf_linesrc(line, NULL, NULL));
        snprintf(row, sizeof(row), "r %" PRIx64 " %u %d\n", (uint64_t)address, file,
                 end || number < 0 ? 0 : number);
    }
    str_add(telling->text, row);
}

/* ---- inlined functions ---- */

static const char *die_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_attr_integrate(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
}

static char *die_name(Dwarf_Die *die)
{
    const char *name = die_text(die, DW_AT_linkage_name) ?: die_text(die, DW_AT_MIPS_linkage_name)
                                                         ?: die_text(die, DW_AT_name);
    return function_name_shown(name && *name ? name : "?", true);
}

static uint64_t die_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word number;
    bool good = dwarf_attr(die, attribute, &found) && dwarf_formudata(&found, &number) == 0;
    return good && number <= INT32_MAX ? number : 0;
}

static void tell_inline(struct telling *telling, Dwarf_Die *die, Dwarf_Files *files, size_t count,
                        unsigned depth)
{
    Dwarf_Addr base, start, end;
    uint64_t number = die_number(die, DW_AT_call_file);
    const char *path = files && number < count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
    AUTO_FREE char *name = NULL;
    uint32_t file = file_number(telling, path);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
        start = start < telling->start ? telling->start : start;
        end = end > telling->end ? telling->end : end;
        if (start >= end)
            continue;
        name = name ?: die_name(die);
        str_printf(&telling->inlines[depth], "i %" PRIx64 " %" PRIx64 " %u %u %" PRIu64 " %s\n",
                   (uint64_t)start, (uint64_t)end, depth, file, die_number(die, DW_AT_call_line),
                   name);
    }
}

static bool overlaps(const struct telling *telling, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        if (start < telling->end && end > telling->start)
            return true;
    return false;
}

/* Tells what is inlined below a DIE; `depth`: of what it is in, 0: not in a function that has a
 * part of the code. False if it found none that has. */
static bool tell_below(struct telling *telling, Dwarf_Die *parent, Dwarf_Files *files, size_t count,
                       unsigned depth, bool inside, bool deep, unsigned nesting)
{
    Dwarf_Die die;
    bool found = false;
    if (nesting > NESTING_MAX || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        bool function = tag == DW_TAG_subprogram, here = inside;
        unsigned below = depth;
        if (function) {
            here = overlaps(telling, &die);
            below = 0;
            found |= here;
        } else if (tag == DW_TAG_inlined_subroutine && inside && overlaps(telling, &die)) {
            if (depth >= DEPTH_MAX)
                continue;
            tell_inline(telling, &die, files, count, below = depth + 1);
        } else if (tag == DW_TAG_inlined_subroutine) {
            continue;
        }
        bool scope = tag == DW_TAG_namespace || tag == DW_TAG_module ||
                     tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        bool within = here && (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                               tag == DW_TAG_catch_block || tag == DW_TAG_common_block ||
                               tag == DW_TAG_inlined_subroutine);
        if (scope || within || (function && (here || deep)) ||
            (deep && tag == DW_TAG_lexical_block))
            found |= tell_below(telling, &die, files, count, below, here, deep, nesting + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

static void tell_inlines(struct telling *telling, Dwarf_Die *unit)
{
    Dwarf_Half version;
    uint8_t kind = DW_UT_compile;
    Dwarf_Die split, *from = unit;
    Dwarf_Files *files = NULL;
    size_t count = 0;
    memset(&split, 0, sizeof(split));
    dwarf_cu_info(unit->cu, &version, &kind, NULL, &split, NULL, NULL, NULL);
    if (kind == DW_UT_skeleton && !split.addr) {
        const char *name = die_text(unit, DW_AT_dwo_name) ?: die_text(unit, DW_AT_GNU_dwo_name);
        str_add(telling->text, "n inlined functions are not known: '");
        str_add_visible(telling->text, name ? name : "?");
        str_add(telling->text, "', where the rest of the debug information is, was not found\n");
        return;
    }
    if (kind == DW_UT_skeleton)
        from = &split;
    if (dwarf_getsrcfiles(from, &files, &count) != 0)
        files = NULL;
    /* Most functions are not inside of others; to look there takes longer. */
    if (!tell_below(telling, from, files, count, 0, false, false, 0))
        tell_below(telling, from, files, count, 0, false, true, 0);
}

/* Adds what is known of a function's instructions, as text of code/line_table.h. */
static void line_dwarf_read(struct line_dwarf *dwarf, uint64_t start, uint64_t size,
                            struct str *text)
{
    struct telling telling = {.text = text, .start = start, .end = start + size};
    Dwarf_Off done = 0;
    Dwarf_Die unit;
    for (size_t d = 0; d <= DEPTH_MAX; d++)
        telling.inlines[d] = str_new();
    for (size_t r = 0; r < dwarf->count && dwarf->ranges[r].start < telling.end; r++) {
        if (dwarf->ranges[r].end <= start || dwarf->ranges[r].unit == done)
            continue;
        if (done) /* code of several units: a function that is not one */
            break;
        done = dwarf->ranges[r].unit;
        if (!dwarf_offdie(dwarf->dwarf, done, &unit))
            continue;
        telling.directory = die_text(&unit, DW_AT_comp_dir);
        tell_lines(&telling, &unit);
        tell_inlines(&telling, &unit);
    }
    for (size_t d = 0; d <= DEPTH_MAX; d++) {
        str_add(text, telling.inlines[d].text);
        str_release(&telling.inlines[d]);
    }
    free(telling.paths);
}

/* ---- questions and answers ---- */

/* What LINE_OPEN has opened. */
struct line_work {
    struct line_dwarf *dwarf;
    int file;   /* of it; -1 */
    FILE *dump; /* it is a jitdump; NULL */
};

/* Replaces what is open; false: the files have no debug information. The debug file comes first. */
static bool open_files(struct line_work *work, const int files[SOCKET_FILES_MAX])
{
    AUTO_STR struct str none = str_new();
    line_dwarf_close(work->dwarf);
    file_close(work->file);
    if (work->dump)
        fclose(work->dump);
    *work = (struct line_work){.file = -1};
    for (int i = SOCKET_FILES_MAX; i-- > 0 && !work->dwarf;) {
        file_close(work->file);
        work->file = dup(files[i]);
        work->dwarf = work->file >= 0 ? line_dwarf_open(work->file) : NULL;
    }
    work->dump = work->dwarf ? NULL : fdopen(dup(files[0]), "r");
    if (work->dump && !jit_dump_lines(work->dump, 0, &none)) {
        fclose(work->dump);
        work->dump = NULL;
    }
    return work->dwarf || work->dump;
}

/* False: the parent does not keep to the protocol. */
static bool answer_stack(struct stack_dwarf *space, const struct stack_copy *copy, size_t size)
{
    struct stack_frames frames;
    if (size < sizeof(*copy) || copy->size != size - sizeof(*copy))
        return false;
    stack_dwarf_unwind(space, copy, copy + 1, &frames);
    return socket_send(STDIN_FILENO, &frames, sizeof(frames));
}

static bool read_list(struct elf_image *image, int fd)
{
    AUTO_FILE FILE *file = fdopen(dup(fd), "r");
    if (file && (image->table.listed > 0 || !jit_dump_read(&image->table, file)))
        text_table_jit(&image->table, file);
    return file;
}

static bool read_image(struct elf_image *image, enum line_image what, const int *files)
{
    switch (what) {
    case LINE_IMAGE_IDENTITY:
        return elf_image_read(image, files[0], ELF_IDENTITY);
    case LINE_IMAGE_CHECK:
        return elf_image_check(image, files[0]);
    case LINE_IMAGE_JIT:
        return read_list(image, files[0]);
    case LINE_IMAGE_ELF:
    case LINE_IMAGES:
        break;
    }
    bool found = elf_image_read(image, files[0], ELF_ALL);
    if (found && files[1] >= 0)
        elf_image_read(image, files[1], ELF_SYMBOLS);
    elf_image_finish(image);
    return found;
}

/* -1 with errno. Links in a path below a root directory stay below it. */
static int open_source(int root, const char *path, bool everybody)
{
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    struct open_how how = {.flags = HOW, .resolve = RESOLVE_IN_ROOT};
    struct stat status;
    int fd = root >= 0 ? (int)syscall(SYS_openat2, root, path, &how, sizeof(how)) : open(path, HOW);
    if (fd < 0 && root >= 0 && (errno == ENOENT || errno == ENOSYS))
        return open_source(-1, path, true);
    if (fd < 0)
        return -1;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && (!everybody || status.st_mode & S_IROTH))
        return fd;
    close(fd);
    errno = regular ? EACCES : EINVAL;
    return -1;
}

/* Reads a source until its end, even if it grows. An errno, and no text; 0. */
static int read_source(int root, const char *path, bool everybody, struct str *text)
{
    enum { PART = 1 << 16 };
    char part[PART];
    ssize_t got = -1;
    AUTO_CLOSE int fd = open_source(root, path, everybody);
    while (fd >= 0 && (got = read(fd, part, sizeof(part))) > 0 &&
           text->length + (size_t)got <= LINE_SOURCE_MAX)
        str_add_n(text, part, (size_t)got);
    int error = got > 0 ? EFBIG : got < 0 ? errno : 0;
    if (error)
        str_clear(text);
    return error;
}

/* A name that takes longer than that of a CPU, us, ends this process. */
static void show_name(const char *name, struct str *text)
{
    static const struct itimerval most = {.it_value.tv_usec = 200000}, none;
    if (setitimer(ITIMER_PROF, &most, NULL) < 0)
        _exit(EXIT_FAILURE);
    AUTO_FREE char *shown = function_name_shown(name, true);
    str_add(text, shown);
    setitimer(ITIMER_PROF, &none, NULL);
}

static void name_variable(const struct line_request *request, int fd, struct str *text)
{
    uint64_t within;
    AUTO_FREE char *name = elf_variable(fd, request->start, request->size, &within);
    AUTO_FREE char *shown = name ? function_name_shown(name, true) : NULL;
    if (shown)
        str_printf(text, within ? "%s+0x%" PRIx64 : "%s", shown, within);
}

/* False: the parent does not keep to the protocol, or is gone. */
static bool answer_request(struct line_work *work, struct stack_dwarf **spaces,
                           const struct line_request *request, const int files[SOCKET_FILES_MAX])
{
    _Static_assert((int)LINE_IMAGES <= (int)LINE_CHILD_SPACES, "both are numbers in a request");
    if (request->space >= LINE_CHILD_SPACES || request->bytes > LINE_BYTES_MAX)
        return false;
    struct stack_dwarf **space = &spaces[request->space];
    AUTO_STR struct str text = str_new();
    AUTO_FREE char *bytes = mem_alloc(request->bytes + 1);
    struct elf_image image = {.table.around = request->start, .table.listed = request->size};
    struct line_answer answer = {0};
    if (!socket_receive(STDIN_FILENO, bytes, request->bytes))
        return false;
    if (!*space && (request->ask == STACK_ADD || request->ask == STACK_UNWIND))
        *space = stack_dwarf_new();
    switch ((enum line_ask)request->ask) {
    case LINE_OPEN:
        answer.found = open_files(work, files);
        break;
    case LINE_READ:
        if (work->dwarf)
            line_dwarf_read(work->dwarf, request->start, request->size, &text);
        else if (work->dump)
            jit_dump_lines(work->dump, request->start, &text);
        break;
    case SOURCE_READ:
        answer.found = (uint32_t)read_source(files[0], bytes, request->space, &text);
        break;
    case NAME_READ:
        show_name(bytes, &text);
        break;
    case VARIABLE_READ:
        name_variable(request, files[0], &text);
        break;
    case IMAGE_READ:
        prctl(PR_SET_NAME, "countertop-elf");
        answer.found = read_image(&image, (enum line_image)request->space, files);
        break;
    case STACK_FORGET:
        stack_dwarf_free(*space);
        *space = NULL;
        break;
    case STACK_ADD:
        stack_dwarf_add(*space, request->start, request->size, files[0]);
        break;
    case STACK_UNWIND:
        return answer_stack(*space, (struct stack_copy *)bytes, request->bytes);
    default:
        return false;
    }
    if (text.length > LINE_TEXT_MAX)
        str_clear(&text);
    answer.length = (uint32_t)text.length;
    bool good = socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
                socket_send(STDIN_FILENO, text.text, text.length) &&
                (request->ask != IMAGE_READ || !answer.found || image_send(STDIN_FILENO, &image));
    elf_image_release(&image);
    return good;
}

/* Half of the machine's memory, at most 4 GiB; files that are mapped count, too. */
static rlim_t memory_limit(void)
{
    enum { PARTS = 2 };
    static const rlim_t MOST = (rlim_t)4 << 30;
    struct sysinfo info;
    rlim_t limit = sysinfo(&info) == 0 ? (rlim_t)info.totalram * info.mem_unit / PARTS : MOST;
    return limit < MOST ? limit : MOST;
}

int main(int argc, char **argv)
{
    struct line_request request;
    struct line_work work = {.file = -1};
    struct stack_dwarf *spaces[LINE_CHILD_SPACES] = {0};
    int files[SOCKET_FILES_MAX];
    helper_begin(argc, argv, SOCK_STREAM);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mem_limit(memory_limit());
    /* Unless the program itself is in no sandbox (--no-sandbox), which this one would have
     * inherited. It writes no file; which ones it reads is not known: debug information names
     * others (DWARF 5, split units, supplementary files), which may be anywhere. */
    if (sandbox_entered())
        path_rules_enter(path_rules_new(true));
    while (socket_receive_files(STDIN_FILENO, &request, sizeof(request), files, SOCKET_FILES_MAX) &&
           answer_request(&work, spaces, &request, files))
        for (int i = 0; i < SOCKET_FILES_MAX; i++)
            file_close(files[i]);
    return EXIT_SUCCESS;
}

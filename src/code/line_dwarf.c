#include "code/line_dwarf.h"
#include "base/map.h"
#include "base/mem.h"
#include "code/function_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        mem_grow(&dwarf->ranges, &dwarf->room, dwarf->count + 1, sizeof(*dwarf->ranges));
        dwarf->ranges[dwarf->count++] = (struct unit_range){start, end, dwarf_dieoffset(unit)};
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

struct line_dwarf *line_dwarf_open(int fd)
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

void line_dwarf_close(struct line_dwarf *dwarf)
{
    if (!dwarf)
        return;
    dwarf_end(dwarf->dwarf);
    free(dwarf->ranges);
    free(dwarf);
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
    mem_grow(&telling->paths, &telling->path_room, telling->path_count + 1,
             sizeof(*telling->paths));
    telling->paths[telling->path_count++] = path;
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
    const char *name = die_text(die, DW_AT_linkage_name);
    name = name ? name : die_text(die, DW_AT_MIPS_linkage_name);
    name = name ? name : die_text(die, DW_AT_name);
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
        name = name ? name : die_name(die);
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

/* "n ...": why inlined functions are not known. */
static void tell_missing(struct telling *telling, Dwarf_Die *skeleton)
{
    const char *name = die_text(skeleton, DW_AT_dwo_name);
    name = name ? name : die_text(skeleton, DW_AT_GNU_dwo_name);
    str_add(telling->text, "n inlined functions are not known: '");
    str_add_visible(telling->text, name ? name : "?");
    str_add(telling->text, "', where the rest of the debug information is, was not found\n");
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
        tell_missing(telling, unit);
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

void line_dwarf_read(struct line_dwarf *dwarf, uint64_t start, uint64_t size, struct str *text)
{
    struct telling telling = {.text = text, .start = start, .end = start + size};
    Dwarf_Off done = 0;
    Dwarf_Die unit;
    for (size_t d = 0; d <= DEPTH_MAX; d++)
        str_init(&telling.inlines[d]);
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

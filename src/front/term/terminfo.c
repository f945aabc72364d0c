#include "front/term/terminfo.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* xterm's private modes (its "Control Sequences"): mouse buttons with coordinates beyond 223, marks
 * around pasted text, and synchronized updates. */
static const char mouse_on[] = "\33[?1000;1006h", mouse_off[] = "\33[?1006;1000l";
static const char paste_on[] = "\33[?2004h", paste_off[] = "\33[?2004l";
static const char update_begins[] = "\33[?2026h", update_ends[] = "\33[?2026l";

static const char *capability(const char *name)
{
    const char *text = tigetstr(name);
    return text && text != (char *)-1 ? text : "";
}

/* For terminfo_collect(), since tputs(3) passes no context. */
static struct str *collecting;

static int terminfo_collect(int c)
{
    str_add_char(collecting, (char)c);
    return c;
}

/* Adds a capability with its parameters filled in, without the NULs that pad it for slow terminals.
 */
static void terminfo_add_text(struct str *out, const char *text)
{
    collecting = out;
    tputs(text, 1, terminfo_collect);
}

static void terminfo_move_cursor(void *ctx, struct str *out, int from_y, int from_x, int y, int x)
{
    const struct terminfo *info = ctx;
    if (info->ecma)
        ecma_move(out, from_y, from_x, y, x);
    else
        terminfo_add_text(out, tparm(capability("cup"), y, x));
}

static void add_look(struct str *out, const struct appearance *as)
{
    static const struct {
        unsigned attribute;
        const char *capability;
    } attributes[] = {
        {STYLE_BOLD, "bold"},   {STYLE_DIM, "dim"},     {STYLE_UNDERLINE, "smul"},
        {STYLE_REVERSE, "rev"}, {STYLE_ITALIC, "sitm"},
    };
    terminfo_add_text(out, capability("sgr0"));
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (as->attributes & attributes[i].attribute)
            terminfo_add_text(out, capability(attributes[i].capability));
    if (as->foreground >= 0)
        terminfo_add_text(out, tparm(capability("setaf"), as->foreground));
    if (as->background >= 0)
        terminfo_add_text(out, tparm(capability("setab"), as->background));
}

static void change_look(void *ctx, struct str *out, int from, int to)
{
    const struct terminfo *info = ctx;
    if (info->ecma)
        ecma_look(out, info->cancels, from < 0 ? NULL : &info->looks[from].ecma,
                  &info->looks[to].ecma);
    else
        add_look(out, &info->looks[to].appearance);
}

static bool are_alike(void *ctx, int a, int b, bool blank)
{
    const struct look *looks = ((const struct terminfo *)ctx)->looks;
    const struct appearance *one = &looks[a].appearance, *other = &looks[b].appearance;
    if (one->background != other->background)
        return false;
    if (blank && !((one->attributes | other->attributes) & (STYLE_REVERSE | STYLE_UNDERLINE)))
        return true;
    return one->attributes == other->attributes && one->foreground == other->foreground;
}

static bool erases(void *ctx, int look)
{
    const struct terminfo *info = ctx;
    const struct appearance *as = &info->looks[look].appearance;
    return !(as->attributes & (STYLE_REVERSE | STYLE_UNDERLINE)) &&
           (info->bce || as->background < 0);
}

/* The parameters of the sequence that sets a colour; false if it is not ECMA-48's. */
static bool color_parameters(const char *name, int color, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (color < 0)
        return true;
    const char *text = tparm(capability(name), color);
    size_t length = strlen(text);
    if (length < 3 || length - 3 >= size || !str_starts(text, "\33[") || text[length - 1] != 'm')
        return false;
    memcpy(buffer, text + 2, length - 3);
    buffer[length - 3] = '\0';
    return true;
}

/* The terminal's attributes, with colours without those in `ncv`. */
static unsigned known_attributes(bool colored)
{
    static const struct {
        unsigned attribute;
        const char *capability;
        int number; /* terminfo(5), no_color_video */
    } attributes[] = {
        {STYLE_BOLD, "bold", 32},  {STYLE_DIM, "dim", 16},        {STYLE_UNDERLINE, "smul", 2},
        {STYLE_REVERSE, "rev", 4}, {STYLE_ITALIC, "sitm", 32768},
    };
    unsigned known = 0;
    int not_colored = tigetnum("ncv");
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (*capability(attributes[i].capability) &&
            !(colored && not_colored > 0 && not_colored & attributes[i].number))
            known |= attributes[i].attribute;
    return known;
}

void terminfo_set_theme(struct terminfo *info, const struct theme *theme)
{
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct appearance as = theme_appearance(theme, (enum role)i, info->colors);
        as.attributes &= known_attributes(as.foreground >= 0 || as.background >= 0);
        struct ecma_look *ecma = &info->looks[i].ecma;
        ecma->attributes = as.attributes;
        if (!color_parameters("setaf", as.foreground, ecma->foreground, sizeof(ecma->foreground)) ||
            !color_parameters("setab", as.background, ecma->background, sizeof(ecma->background)))
            info->ecma = false;
        info->looks[i].appearance = as;
    }
}

/* initscr(3) and newterm(3) print or exit if the type is unusable, so check it before. */
int terminfo_check(struct err *err)
{
    const char *type = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, "cannot show a screen: standard %s is not a terminal; use -b",
                       isatty(STDIN_FILENO) ? "output" : "input");
    if (!type || !*type)
        return err_set(err, "cannot use the terminal: TERM is not set; try TERM=xterm");
    int status;
    if (setupterm(NULL, STDOUT_FILENO, &status) != OK) {
        if (status < 0)
            return err_set(err,
                           "cannot use the terminal '%s': no terminfo database found; install "
                           "ncurses-base or ncurses-term, or set TERMINFO",
                           type);
        return err_set(err,
                       "cannot use the terminal '%s': terminfo does not know it; try "
                       "TERM=xterm, or use -b",
                       type);
    }
    char *move = tigetstr("cup");
    bool moves = move && move != (char *)-1;
    del_curterm(cur_term); /* newterm(3) gets its own */
    if (!moves)
        return err_set(err, "cannot use the terminal '%s': it cannot move its cursor; use -b",
                       type);
    return 0;
}

void terminfo_init(struct terminfo *info, bool color)
{
    const char *ends = capability("sgr0"), *own = capability("op");
    int colors = tigetnum("colors");
    *info = (struct terminfo){
        .colors = color && colors >= 8 && *own && *capability("setaf") ? colors : 0,
        .ecma = str_starts(capability("cup"), "\33[%i%p1%d;%p2%dH") &&
                (strstr(ends, "\33[m") || strstr(ends, "\33[0m") || strstr(ends, "\33[0;10m")),
        .cancels = strstr(own, "39;49") != NULL,
        .bce = tigetflag("bce") > 0,
        .modern = *capability("kmous") || *capability("Sync"),
    };
    str_init(&info->clear);
    str_init(&info->clear_line);
    terminfo_add_text(&info->clear, capability("clear"));
    terminfo_add_text(&info->clear_line, capability("el"));
    info->canvas = (struct canvas_terminal){
        .ctx = info,
        .move = terminfo_move_cursor,
        .look = change_look,
        .alike = are_alike,
        .erases = erases,
        .clear = info->clear.text,
        .clear_line = info->clear_line.text,
        .scrolls = tigetflag("am") > 0 && tigetflag("xenl") <= 0,
    };
}

void terminfo_release(struct terminfo *info)
{
    str_release(&info->clear);
    str_release(&info->clear_line);
}

void terminfo_size(int *height, int *width)
{
    *height = tigetnum("lines");
    *width = tigetnum("cols");
    if (*height > 0 && *width > 0)
        return;
    *height = 24;
    *width = 80;
}

void terminfo_enter(const struct terminfo *info, bool mouse, struct str *out)
{
    static const char *const capabilities[] = {"smcup", "smkx", "sgr0", "civis"};
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
        terminfo_add_text(out, capability(capabilities[i]));
    if (info->modern)
        str_printf(out, "%s%s", paste_on, mouse ? mouse_on : "");
}

void terminfo_leave(const struct terminfo *info, struct str *out)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    if (info->modern)
        str_printf(out, "%s%s%s", update_ends, mouse_off, paste_off);
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
        terminfo_add_text(out, capability(capabilities[i]));
}

void terminfo_show_cursor(bool show, struct str *out)
{
    terminfo_add_text(out, capability(show ? "cnorm" : "civis"));
}

bool terminfo_has_screens(void)
{
    return *capability("rmcup");
}

const char *terminfo_update(const struct terminfo *info, bool begins)
{
    return !info->modern ? "" : begins ? update_begins : update_ends;
}

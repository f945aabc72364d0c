#include "front/term/screen.h"
#include "front/term/key.h"

#include <curses.h>
#include <term.h>

/* xterm's private modes (its "Control Sequences"): mouse buttons with coordinates beyond 223, marks
 * around pasted text, and synchronized updates. */
static const char mouse_on[] = "\33[?1000;1006h", mouse_off[] = "\33[?1006;1000l";
static const char paste_on[] = "\33[?2004h", paste_off[] = "\33[?2004l";
static const char update_begins[] = "\33[?2026h", update_ends[] = "\33[?2026l";

static const struct {
    unsigned attribute;
    int on, off; /* SGR (ECMA-48) */
    const char *capability;
    int not_colored; /* bit of `ncv` (terminfo(5), no_color_video) */
} attributes[] = {
    {STYLE_BOLD, 1, 22, "bold", 32},        {STYLE_DIM, 2, 22, "dim", 16},
    {STYLE_ITALIC, 3, 23, "sitm", 1 << 15}, {STYLE_UNDERLINE, 4, 24, "smul", 2},
    {STYLE_REVERSE, 7, 27, "rev", 4},
};
enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };

static const char *capability(const char *name)
{
    const char *text = tigetstr(name);
    return text && text != (char *)-1 ? text : "";
}

void terminfo_add(struct str *out, const char *text)
{
    for (; *text; text++) {
        size_t delay = str_starts(text, "$<") ? strspn(text + 2, "0123456789.*/") : 0;
        if (delay > 0 && text[delay + 2] == '>')
            text += delay + 2;
        else
            str_add_char(out, *text);
    }
}

/* --- The entry --- */

/* Whether the terminal takes colours as 38;2;R;G;B (SGR of ECMA-48, ISO 8613-6): by the extensions
 * RGB (user_caps(5)) or Tc (tmux) of its entry, or by COLORTERM. GNU screen, which is not tmux,
 * passes that variable on and does not know them. */
static bool has_true_color(const char *type)
{
    const char *colors = getenv("COLORTERM"), *tmux = getenv("TMUX");
    if (tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || *capability("RGB") || tigetflag("Tc") > 0)
        return true;
    return (str_equal(colors, "truecolor") || str_equal(colors, "24bit")) &&
           (!str_starts(type, "screen") || (tmux && *tmux));
}

/* A common terminal that a newer one is compatible with, which terminfo may not know yet; NULL. */
static const char *similar_to(const char *type)
{
    static const char *const names[] = {"xterm", "alacritty", "foot", "wezterm", "ghostty",
                                        "kitty", "contour",   "rio",  "vte",     "konsole"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (str_starts(type, names[i]))
            return "xterm-256color";
    return str_starts(type, "tmux") ? "screen-256color" : NULL;
}

int terminfo_open(struct terminfo *info, bool color, struct err *err)
{
    const char *type = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, "cannot show a screen: standard %s is not a terminal; use -b",
                       isatty(STDIN_FILENO) ? "output" : "input");
    if (!type || !*type)
        return err_set(err, "cannot use the terminal: TERM is not set; try TERM=xterm");
    int status;
    const char *instead = NULL;
    if (setupterm(NULL, STDOUT_FILENO, &status) != OK &&
        (status < 0 || !(instead = similar_to(type)) ||
         setupterm(instead, STDOUT_FILENO, &status) != OK))
        return err_set(err, "cannot use the terminal '%s': %s", type,
                       status < 0 ? "no terminfo database found; install ncurses-base or "
                                    "ncurses-term, or set TERMINFO"
                                  : "terminfo does not know it; try TERM=xterm, or use -b");
    const char *own = capability("op"), *end = capability("sgr0");
    int colors = tigetnum("colors");
    *info = (struct terminfo){
        .move = capability("cup"),
        .reset = end,
        .clear = capability("clear"),
        .clear_line = capability("el"),
        .colors = color && colors >= 8 && *own && *capability("setaf") ? colors : 0,
        .ecma = str_starts(capability("cup"), "\33[%i%p1%d;%p2%dH") &&
                (strstr(end, "\33[m") || strstr(end, "\33[0m") || strstr(end, "\33[0;10m")),
        .cancels = strstr(own, "39;49") != NULL,
        .bce = tigetflag("bce") > 0,
        .shifts = str_equal(capability("il1"), "\33[L") && str_equal(capability("dl1"), "\33[M"),
        .rises = str_equal(capability("ri"), "\33M"),
        .by_column = str_equal(capability("hpa"), "\33[%i%p1%dG"),
        .scrolls = tigetflag("am") > 0 && tigetflag("xenl") <= 0,
        .modern = *capability("kmous") || *capability("Sync"),
        .instead = instead,
    };
    info->direct = info->colors > 0 && info->colors < DIRECT_COLORS && info->ecma &&
                   info->cancels && has_true_color(type);
    if (info->direct)
        info->colors = DIRECT_COLORS;
    if (*info->move)
        return 0;
    terminfo_release(info);
    return err_set(err, "cannot use the terminal '%s': it cannot move its cursor; use -b", type);
}

bool terminfo_is_console(void)
{
    const char *type = getenv("TERM"), *last = type ? strrchr(type, '.') : NULL;
    type = last ? last + 1 : type;
    return type && str_starts(type, "linux") && (!type[5] || type[5] == '-');
}

void terminfo_release(struct terminfo *info)
{
    del_curterm(cur_term);
    *info = (struct terminfo){0};
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

const char *terminfo_key(size_t i, int *key)
{
    static const struct {
        const char *capability;
        int key;
    } keys[] = {
        {"kent", K_ENTER},       {"kbs", K_BACKSPACE}, {"kcuu1", K_UP},     {"kcud1", K_DOWN},
        {"kcub1", K_LEFT},       {"kcuf1", K_RIGHT},   {"khome", K_HOME},   {"kend", K_END},
        {"kpp", K_PAGE_UP},      {"knp", K_PAGE_DOWN}, {"kich1", K_INSERT}, {"kdch1", K_DELETE},
        {"kfnd", K_HOME},        {"kslt", K_END},      {"kcbt", K_BACKTAB}, {"kLFT", K_SHIFT_LEFT},
        {"kRIT", K_SHIFT_RIGHT}, {"kf15", K_SHIFT_F3}, /* kf15: usual for Shift-F3 */
    };
    *key = K_NONE;
    const char *name = strnames[i];
    if (!name)
        return NULL;
    /* The mouse's reports go on after `kmous`; key.c reads them. */
    if (name[0] != 'k' || strcmp(name, "kmous") == 0)
        return "";
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
        if (strcmp(keys[k].capability, name) == 0)
            *key = keys[k].key;
    unsigned long long number;
    if (name[1] == 'f' && str_to_u64(name + 2, 1, 12, &number))
        *key = K_F1 + (int)number - 1;
    return capability(name);
}

/* --- Looks --- */

/* Writes a colour in the form of struct look; false if it does not follow ECMA-48. */
static bool color_text(const struct terminfo *info, bool back, int color, char *buffer, size_t size)
{
    bool ecma = info->ecma;
    const char *name = back ? "setab" : "setaf";
    buffer[0] = '\0';
    if (color < 0)
        return true;
    if (info->direct && color >= 8) {
        snprintf(buffer, size, "%d;2;%d;%d;%d", back ? 48 : 38, color >> 16, color >> 8 & 0xff,
                 color & 0xff);
        return true;
    }
    const char *text = tparm(capability(name), color);
    size_t length = strlen(text);
    bool sgr = length > 3 && str_starts(text, "\33[") && text[length - 1] == 'm';
    if (length < size)
        snprintf(buffer, size, "%.*s", (int)(ecma && sgr ? length - 3 : length),
                 ecma && sgr ? text + 2 : text);
    return sgr;
}

static bool has_lines(const struct look *look)
{
    return look->attributes & (STYLE_REVERSE | STYLE_UNDERLINE);
}

/* Whether two looks cannot be distinguished; with `blank` for a space. */
static bool are_alike(const struct terminfo *info, int a, int b, bool blank)
{
    const struct look *one = &info->looks[a], *other = &info->looks[b];
    if (strcmp(one->background, other->background) != 0)
        return false;
    if (blank && !has_lines(one) && !has_lines(other))
        return true;
    return one->attributes == other->attributes && strcmp(one->foreground, other->foreground) == 0;
}

void terminfo_liken(struct terminfo *info)
{
    for (int i = 0; i < 2 * ROLE_COUNT; i++) {
        uint8_t *like = &info->like[i / ROLE_COUNT][i % ROLE_COUNT];
        for (*like = 0; !are_alike(info, *like, i % ROLE_COUNT, i / ROLE_COUNT); ++*like)
            ;
    }
}

void terminfo_set_theme(struct terminfo *info, const struct theme *theme)
{
    int not_colored = tigetnum("ncv");
    bool ecma = info->ecma;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct appearance as = theme_appearance(theme, (enum role)i, info->colors);
        struct look *look = &info->looks[i];
        bool colored = as.foreground >= 0 || as.background >= 0;
        look->attributes = 0;
        for (size_t k = 0; k < ATTRIBUTES; k++)
            if (*capability(attributes[k].capability) &&
                !(colored && not_colored > 0 && not_colored & attributes[k].not_colored))
                look->attributes |= as.attributes & attributes[k].attribute;
        ecma &= color_text(info, false, as.foreground, look->foreground, sizeof(look->foreground));
        ecma &= color_text(info, true, as.background, look->background, sizeof(look->background));
    }
    if (ecma != info->ecma) {
        info->ecma = false; /* its colours do not follow it: use whole sequences for all of them */
        terminfo_set_theme(info, theme);
        return;
    }
    terminfo_liken(info);
}

bool terminfo_erases(const struct terminfo *info, int look)
{
    return !has_lines(&info->looks[look]) && (info->bce || !*info->looks[look].background);
}

/* Adds a parameter of SGR. */
static void add_parameter(struct str *out, const char *text)
{
    str_add(out, out->length > 0 ? ";" : "");
    str_add(out, text);
}

static void add_number(struct str *out, int number)
{
    add_parameter(out, "");
    str_add_number(out, (uint64_t)number);
}

/* The parameters of SGR for the differences. */
static void add_changes(struct str *out, const struct look *from, const struct look *to)
{
    unsigned ended = from->attributes & ~to->attributes;
    unsigned begun = to->attributes & ~from->attributes;
    int last = 0;
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (!(ended & attributes[i].attribute) || attributes[i].off == last)
            continue;
        add_number(out, last = attributes[i].off);
        if (last == 22) /* ends both bold and dim */
            begun |= to->attributes & (STYLE_BOLD | STYLE_DIM);
    }
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (begun & attributes[i].attribute)
            add_number(out, attributes[i].on);
    if (strcmp(from->foreground, to->foreground) != 0)
        add_parameter(out, *to->foreground ? to->foreground : "39");
    if (strcmp(from->background, to->background) != 0)
        add_parameter(out, *to->background ? to->background : "49");
}

void terminfo_look(const struct terminfo *info, struct str *out, int from, int to)
{
    static const struct look plain;
    const struct look *old = from < 0 ? NULL : &info->looks[from], *new = &info->looks[to];
    if (!info->ecma) {
        terminfo_add(out, info->reset);
        for (size_t i = 0; i < ATTRIBUTES; i++)
            if (new->attributes & attributes[i].attribute)
                terminfo_add(out, capability(attributes[i].capability));
        terminfo_add(out, new->foreground);
        terminfo_add(out, new->background);
        return;
    }
    char room[2][2 * sizeof(*new)]; /* as its colours and a few numbers */
    struct str all = str_within(room[0], sizeof(room[0]));
    struct str changes = str_within(room[1], sizeof(room[1]));
    add_changes(&all, &plain, new);
    bool ends =
        old && (old->attributes & ~new->attributes || (*old->foreground && !*new->foreground) ||
                (*old->background && !*new->background));
    bool may = old && (info->cancels || !ends);
    if (may)
        add_changes(&changes, old, new);
    /* An empty list means 0, a reset. */
    size_t length = all.length > 0 ? all.length + 2 : 0;
    bool change = may && changes.length <= length;
    str_add(out, change || length == 0 ? "\33[" : "\33[0;");
    str_add(out, change ? changes.text : all.text);
    str_add_char(out, 'm');
}

/* --- Movements --- */

/* Adds a sequence with a number (ECMA-48, 5.4: CSI). */
static void add_sequence(struct str *out, int number, char final)
{
    str_add(out, "\33[");
    str_add_number(out, (uint64_t)number);
    str_add_char(out, final);
}

static int digits_of(int number)
{
    int digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* The length of `steps` as one sequence, or as characters if those are not longer. */
static int steps_size(int steps, bool character)
{
    int size = steps <= 0 ? 0 : steps == 1 ? 3 : 3 + digits_of(steps);
    return character && steps > 0 && steps <= size ? steps : size;
}

/* Adds them; '\0': there is no character. */
static void add_steps(struct str *out, int steps, char character, char final)
{
    if (steps > 0 && character && steps_size(steps, true) == steps)
        while (steps-- > 0)
            str_add_char(out, character);
    else if (steps > 1)
        add_sequence(out, steps, final);
    else if (steps == 1)
        str_add_n(out, (const char[]){'\33', '[', final}, 3);
}

void terminfo_move(const struct terminfo *info, struct str *out, int from_y, int from_x, int y,
                   int x)
{
    if (!info->ecma) {
        terminfo_add(out, tparm(info->move, y, x));
        return;
    }
    bool rises = y == from_y - 1 && info->rises;
    int place = 3 + (x > 0 || y > 0 ? digits_of(y + 1) : 0) + (x > 0 ? 1 + digits_of(x + 1) : 0);
    int down = rises ? 2 : steps_size(from_y - y, false) + steps_size(y - from_y, true);
    int steps = steps_size(x - from_x, false) + steps_size(from_x - x, true);
    int edge = x < from_x ? 1 + steps_size(x, false) : INT_MAX;
    int column = info->by_column ? 3 + digits_of(x + 1) : INT_MAX;
    bool by_edge = edge < steps + (x == 0); /* of equal ways to column 0 the edge */
    bool by_column = column < (by_edge ? edge : steps);
    int across = by_column ? column : by_edge ? edge : steps;
    /* Within a line it is never longer. */
    if (from_x < 0 || (y != from_y && down + across > place)) {
        if (x > 0) {
            add_sequence(out, y + 1, ';');
            str_add_number(out, (uint64_t)x + 1);
            str_add_char(out, 'H');
        } else {
            y == 0 ? str_add(out, "\33[H") : add_sequence(out, y + 1, 'H');
        }
        return;
    }
    rises ? str_add(out, "\33M") : add_steps(out, from_y - y, '\0', 'A');
    add_steps(out, y - from_y, '\n', 'B'); /* \n: down, in the same column */
    if (by_column) {
        add_sequence(out, x + 1, 'G');
    } else if (by_edge) {
        str_add_char(out, '\r');
        add_steps(out, x, '\0', 'C');
    } else {
        add_steps(out, x - from_x, '\0', 'C');
        add_steps(out, from_x - x, '\b', 'D');
    }
}

void terminfo_shift(struct str *out, int count)
{
    add_steps(out, abs(count), '\0', count > 0 ? 'L' : 'M');
}

/* --- Modes --- */

void terminfo_enter(const struct terminfo *info, bool mouse, struct str *out)
{
    static const char *const capabilities[] = {"smcup", "smkx", "sgr0", "civis"};
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
        terminfo_add(out, capability(capabilities[i]));
    if (info->modern)
        str_printf(out, "%s%s", paste_on, mouse ? mouse_on : "");
}

void terminfo_leave(const struct terminfo *info, struct str *out)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    if (info->modern)
        str_printf(out, "%s%s%s", update_ends, mouse_off, paste_off);
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
        terminfo_add(out, capability(capabilities[i]));
}

void terminfo_show_cursor(bool show, struct str *out)
{
    terminfo_add(out, capability(show ? "cnorm" : "civis"));
}

void terminfo_copy(const char *text, struct str *out)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text);
    str_add(out, "\33]52;c;");
    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = 0;
        for (size_t k = i; k < i + 3; k++)
            bits = bits << 8 | (k < length ? (unsigned char)text[k] : 0);
        for (size_t k = 0; k < 4; k++)
            str_add_char(out, i + k > length ? '=' : base64[bits >> (18 - 6 * k) & 63]);
    }
    str_add(out, "\a");
}

bool terminfo_has_screens(void)
{
    return *capability("rmcup");
}

const char *terminfo_update(const struct terminfo *info, bool begins)
{
    return !info->modern ? "" : begins ? update_begins : update_ends;
}

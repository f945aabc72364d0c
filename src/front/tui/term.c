#include "front/tui/term.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cells.h"
#include "front/tui/crash.h"

#include <langinfo.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

enum {
    ESC_DELAY = 25,  /* ms to tell the key Esc from the beginning of another key */
    CELL_WCHARS = 4, /* most wide characters kept for a cell: one and what combines with it */
};

struct look {
    attr_t attributes;
    short pair;
};

struct terminal {
    SCREEN *screen;
    bool ascii;
    bool color;
    struct look looks[ROLE_COUNT];
    wchar_t *buffer; /* for one line */
    size_t room;
    bool suspended;
    int cursor_y, cursor_x; /* -1: hidden */
    char partial[8];        /* bytes of a character that has not arrived as a whole */
    size_t partial_length;
};

/* --- Opening and closing --- */

/* tputs(3) wants a function without a context. */
static struct crash_text restoring;

static int collect(int c)
{
    if (restoring.length < sizeof(restoring.bytes))
        restoring.bytes[restoring.length++] = (char)c;
    return c;
}

/* What a crash has to write: ends attributes and colours, leaves the keypad's mode and the
 * alternate screen, shows the cursor. */
static void arm(void)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    restoring.length = 0;
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        char *text = tigetstr(capabilities[i]);
        if (text && text != (char *)-1)
            tputs(text, 1, collect);
    }
    collect('\r');
    collect('\n');
    crash_arm(&restoring);
}

/* initscr(3) and newterm(3) print or exit where the type is of no use: ask before. */
static int check_type(struct err *err)
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

static bool wants_color(const struct term_options *options)
{
    const char *variable = getenv("NO_COLOR");
    return !options->no_color && !(variable && *variable);
}

static attr_t attributes_of(unsigned style)
{
    attr_t attributes = 0;
    if (style & STYLE_BOLD)
        attributes |= A_BOLD;
    if (style & STYLE_DIM)
        attributes |= A_DIM;
    if (style & STYLE_UNDERLINE)
        attributes |= A_UNDERLINE;
    if (style & STYLE_REVERSE)
        attributes |= A_REVERSE;
    if (style & STYLE_ITALIC)
        attributes |= A_ITALIC;
    return attributes;
}

static bool same_color(struct color a, struct color b)
{
    return a.kind == b.kind && a.value == b.value;
}

static struct look look_of(const struct theme *theme, size_t role, bool color)
{
    const struct style *style = &theme->styles[role];
    struct look look = {attributes_of(style->attributes), 0};
    if (!color) {
        /* Something to see where the theme counts on a background to set it off. */
        if (!same_color(style->background, theme->styles[ROLE_TEXT].background))
            look.attributes |= A_REVERSE;
        return look;
    }
    enum color_help help;
    int foreground = color_number(style->foreground, COLORS, &help);
    int background = color_number(style->background, COLORS, NULL);
    if (help == COLOR_WITH_BOLD)
        look.attributes |= A_BOLD;
    else if (help == COLOR_WITH_DIM)
        look.attributes |= A_DIM;
    look.pair = (short)(role + 1);
    if (init_extended_pair(look.pair, foreground, background) == ERR)
        look.pair = 0;
    return look;
}

/* Curses installs handlers for signals that main.c takes by signalfd; they are not wanted. */
static SCREEN *open_screen(void)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    enum { TAKEN = sizeof(taken) / sizeof(taken[0]) };
    struct sigaction before[TAKEN];
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], NULL, &before[i]);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], &before[i], NULL);
    if (screen) {
        /* Until curses has come back from endwin(3) once, it takes itself for a terminfo program
         * and writes after each movement of the cursor (ncurses 6.4, lib_mvcur.c, ewInitial):
         * dozens of writes a frame instead of one. */
        endwin();
        refresh();
    }
    return screen;
}

struct terminal *term_open(const struct term_options *options, struct err *err)
{
    if (check_type(err) < 0)
        return NULL;
    crash_prepare();
    SCREEN *screen = open_screen();
    if (!screen) {
        err_set(err, "cannot use the terminal '%s'", getenv("TERM"));
        return NULL;
    }
    struct terminal *term = mem_alloc(sizeof(*term));
    term->screen = screen;
    term->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    arm();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    typeahead(-1); /* a frame is one write: no need to look for keys while it is drawn */
    scrollok(stdscr, FALSE);
    set_escdelay(ESC_DELAY);
    /* Without start_color(3) curses writes no colour sequence at all. */
    term->color = wants_color(options) && has_colors() && start_color() == OK && COLORS >= 8;
    if (term->color)
        use_default_colors();
    for (size_t i = 0; i < ROLE_COUNT; i++)
        term->looks[i] = look_of(options->theme, i, term->color);
    if (term->color)
        bkgdset((chtype)' ' | (chtype)COLOR_PAIR(term->looks[ROLE_TEXT].pair));
    return term;
}

void term_close(struct terminal *term)
{
    if (!term)
        return;
    endwin();
    crash_disarm();
    delscreen(term->screen);
    free(term->buffer);
    free(term);
}

void term_suspend(struct terminal *term)
{
    endwin();
    crash_disarm();
    term->suspended = true;
}

void term_resume(struct terminal *term)
{
    crash_arm(&restoring);
    if (!term->suspended) /* stopped without notice: the shell has set its own mode since */
        reset_prog_mode();
    term->suspended = false;
    refresh(); /* back from endwin(3) */
    term_resize(term);
    term_repaint(term);
}

void term_resize(struct terminal *term)
{
    (void)term;
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
}

int term_width(const struct terminal *term)
{
    (void)term;
    return COLS;
}

int term_height(const struct terminal *term)
{
    (void)term;
    return LINES;
}

bool term_ascii(const struct terminal *term)
{
    return term->ascii;
}

/* --- Keys --- */

static int key_of_curses(int c)
{
    static const struct {
        int curses, key;
    } keys[] = {
        {KEY_ENTER, K_ENTER},   {KEY_BACKSPACE, K_BACKSPACE},
        {KEY_UP, K_UP},         {KEY_DOWN, K_DOWN},
        {KEY_LEFT, K_LEFT},     {KEY_RIGHT, K_RIGHT},
        {KEY_HOME, K_HOME},     {KEY_END, K_END},
        {KEY_PPAGE, K_PAGE_UP}, {KEY_NPAGE, K_PAGE_DOWN},
        {KEY_IC, K_INSERT},     {KEY_DC, K_DELETE},
        {KEY_FIND, K_HOME},     {KEY_SELECT, K_END},
        {KEY_BTAB, K_BACKTAB},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].curses == c)
            return keys[i].key;
    if (c >= KEY_F(1) && c <= KEY_F(12))
        return K_F1 + c - KEY_F(1);
    return K_NONE;
}

/* A sequence that terminfo does not have for this terminal (ECMA-48: ESC [ parameters, a final
 * byte; ESC O letter). The usual keys of terminals that call themselves something else are known,
 * the rest is read to its end, lest it be taken for commands. Its first two bytes were read. */
static int read_sequence(void)
{
    static const struct {
        char final;
        int parameter, key;
    } keys[] = {
        {'A', 0, K_UP},        {'B', 0, K_DOWN},    {'C', 0, K_RIGHT},   {'D', 0, K_LEFT},
        {'Z', 0, K_BACKTAB},   {'H', 0, K_HOME},    {'F', 0, K_END},     {'P', 0, K_F1},
        {'Q', 0, K_F1 + 1},    {'R', 0, K_F1 + 2},  {'S', 0, K_F1 + 3},  {'~', 1, K_HOME},
        {'~', 2, K_INSERT},    {'~', 3, K_DELETE},  {'~', 4, K_END},     {'~', 5, K_PAGE_UP},
        {'~', 6, K_PAGE_DOWN}, {'~', 11, K_F1},     {'~', 12, K_F1 + 1}, {'~', 13, K_F1 + 2},
        {'~', 14, K_F1 + 3},   {'~', 15, K_F1 + 4}, {'~', 17, K_F1 + 5}, {'~', 18, K_F1 + 6},
        {'~', 19, K_F1 + 7},   {'~', 20, K_F1 + 8}, {'~', 21, K_F1 + 9}, {'~', 23, K_F1 + 10},
        {'~', 24, K_F1 + 11},
    };
    int c, parameter = 0;
    bool plain = true; /* one number at most */
    while ((c = getch()) != ERR && c < 0x40) {
        if (c >= '0' && c <= '9' && parameter < 1000)
            parameter = parameter * 10 + c - '0';
        else
            plain = false;
    }
    for (size_t i = 0; plain && i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].final == c && keys[i].parameter == parameter)
            return keys[i].key;
    return K_NONE;
}

/* Takes in a byte of a character; its value when it is whole, else K_NONE. */
static int character(struct terminal *term, int byte)
{
    if (term->partial_length > 0 && (byte & 0xc0) != 0x80)
        term->partial_length = 0; /* the one before was never finished */
    term->partial[term->partial_length++] = (char)byte;
    term->partial[term->partial_length] = '\0';
    unsigned code;
    if (str_utf8(term->partial, &code)) {
        term->partial_length = 0;
        return (int)code;
    }
    if (term->partial_length >= 4)
        term->partial_length = 0;
    return K_NONE;
}

int term_key(struct terminal *term)
{
    for (;;) {
        int c = getch(), key = K_NONE;
        if (c == ERR)
            return K_NONE;
        if (c >= KEY_MIN) {
            key = key_of_curses(c);
        } else if (c == K_ESC) {
            int next = getch(); /* there at once in a sequence, as curses has waited */
            if (next == ERR)
                return K_ESC;
            if (next == '[' || next == 'O') {
                key = read_sequence();
            } else {
                /* Two keys that arrived together, as over a slow line; Alt means nothing here. */
                ungetch(next);
                key = K_ESC;
            }
        } else if (c == '\r' || c == '\n') {
            key = K_ENTER;
        } else if (c == '\t') {
            key = K_TAB;
        } else if (c == '\b' || c == 0x7f) {
            key = K_BACKSPACE;
        } else if (c < 0x80) {
            key = c;
        } else {
            key = character(term, c);
        }
        if (key != K_NONE)
            return key;
    }
}

/* --- Drawing --- */

void term_begin(struct terminal *term)
{
    erase();
    term->cursor_y = term->cursor_x = -1;
}

void term_end(struct terminal *term)
{
    if (term->cursor_y >= 0)
        move(term->cursor_y, term->cursor_x);
    curs_set(term->cursor_y >= 0);
    refresh();
}

void term_repaint(struct terminal *term)
{
    (void)term;
    clearok(stdscr, TRUE);
}

void term_cursor(struct terminal *term, int y, int x)
{
    term->cursor_y = y;
    term->cursor_x = x;
}

/* Wide characters for the beginning of text that fits; *used receives the cells. */
static size_t convert(struct terminal *term, const char *text, int width, int *used)
{
    size_t count = 0, most = (size_t)width * CELL_WCHARS;
    mem_grow(&term->buffer, &term->room, most + (size_t)width + 1, sizeof(*term->buffer));
    *used = 0;
    while (*text && count < most) {
        unsigned code;
        int cells;
        text += cells_char(text, &code, &cells);
        if (term->ascii && code >= 0x7f) {
            code = '?';
            cells = cells > 0 ? cells : 1;
        }
        if (*used + cells > width)
            break;
        *used += cells;
        term->buffer[count++] = (wchar_t)code;
        if (term->ascii && cells == 2)
            term->buffer[count++] = '?';
    }
    return count;
}

static int put(struct terminal *term, int y, int x, int width, enum role role, const char *text,
               bool fill)
{
    if (y < 0 || y >= LINES || x < 0 || x >= COLS)
        return 0;
    if (width > COLS - x)
        width = COLS - x;
    if (width <= 0)
        return 0;
    int used;
    size_t count = convert(term, text, width, &used);
    for (; fill && used < width; used++)
        term->buffer[count++] = ' ';
    const struct look *look = &term->looks[role];
    attr_set(look->attributes, look->pair, NULL);
    mvaddnwstr(y, x, term->buffer, (int)count);
    return used;
}

int term_put(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    return put(term, y, x, width, role, text, false);
}

void term_field(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    put(term, y, x, width, role, text, true);
}

#include "front/term/term.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/term/canvas.h"
#include "front/term/crash.h"
#include "front/term/terminfo.h"
#include "front/term/tty.h"

#include <langinfo.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    ESC_DELAY = 25, /* ms in which the rest of a key must follow Esc */
    PACKET = 1024,  /* bytes: smaller frames arrive in one piece anyway */
    PATIENCE = 500, /* ms to wait at the end for a terminal that takes no output */
    HEIGHT_MAX = 1000,
    WIDTH_MAX = 2000,
};

/* Curses reads the terminal's keys. It does not draw: it would write several times per frame, wait
 * for the terminal, and need twice the bytes. */
struct terminal {
    SCREEN *screen;
    FILE *nowhere; /* /dev/null, for curses' output */
    WINDOW *keys;
    struct tty *tty;
    struct canvas canvas;
    struct terminfo info;
    bool ascii;
    bool mouse;
    bool entered;           /* countertop has the screen */
    bool late;              /* the last frame is not sent yet */
    int cursor_y, cursor_x; /* -1: hidden */
    bool cursor_shown;
    char partial[8]; /* bytes of an incomplete character */
    size_t partial_length;
    struct mouse last_mouse;
    bool pasting; /* between the marks of pasted text */
    bool pasted;  /* the last key was pasted */
};

/* --- Opening and closing --- */

static void term_arm(const struct terminal *term)
{
    struct str text;
    str_init(&text);
    terminfo_leave(&term->info, &text);
    str_add(&text, "\r\n");
    struct crash_text restoring = {.length = text.length};
    if (restoring.length > sizeof(restoring.bytes))
        restoring.length = sizeof(restoring.bytes);
    memcpy(restoring.bytes, text.text, restoring.length);
    str_release(&text);
    crash_arm(&restoring);
}

/* Removes the handlers that curses installs: main.c reads these signals by signalfd. */
static SCREEN *new_screen(FILE *output)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    enum { TAKEN = sizeof(taken) / sizeof(taken[0]) };
    struct sigaction before[TAKEN];
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], NULL, &before[i]);
    SCREEN *screen = newterm(NULL, output, stdin);
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], &before[i], NULL);
    return screen;
}

static void set_up_keys(struct terminal *term)
{
    cbreak(); /* else curses would wait for lines; tty_grab sets the terminal's mode */
    noecho();
    term->keys = newpad(1, 1); /* reading keys from a window would draw it, from a pad does not */
    keypad(term->keys, TRUE);
    nodelay(term->keys, TRUE);
    meta(term->keys, TRUE);  /* else it would clear the high bit of bytes */
    keyok(KEY_MOUSE, FALSE); /* curses would wait to see if a press becomes a click */
    set_escdelay(ESC_DELAY);
}

struct terminal *term_open(const struct term_options *options, struct err *err)
{
    if (terminfo_check(err) < 0)
        return NULL;
    struct terminal *term = mem_alloc(sizeof(*term));
    canvas_init(&term->canvas);
    term->nowhere = fopen("/dev/null", "we");
    term->screen = term->nowhere ? new_screen(term->nowhere) : NULL;
    if (!term->screen) {
        err_set(err, term->nowhere ? "cannot use the terminal '%s'" : "cannot open '/dev/null'",
                getenv("TERM"));
        if (term->nowhere)
            fclose(term->nowhere);
        free(term);
        return NULL;
    }
    crash_prepare();
    term->tty = tty_open();
    term_set_ascii(term, options->ascii);
    term->mouse = options->mouse;
    const char *no_color = getenv("NO_COLOR");
    terminfo_init(&term->info, !options->no_color && !(no_color && *no_color));
    terminfo_set_theme(&term->info, options->theme);
    set_up_keys(term);
    term_arm(term);
    tty_grab(term->tty);
    term_resize(term);
    return term;
}

void term_set_theme(struct terminal *term, const struct theme *theme)
{
    terminfo_set_theme(&term->info, theme);
    canvas_recolor(&term->canvas);
}

/* Restores the terminal, as far as it takes output. */
static void term_leave(struct terminal *term)
{
    struct str text;
    str_init(&text);
    if (term->entered) {
        canvas_move(&term->canvas, &term->info.canvas, &text, term->canvas.height - 1, 0);
        terminfo_leave(&term->info, &text);
        str_add(&text, terminfo_has_screens() ? "\r" : "\r\n");
    }
    tty_send(term->tty, text.text, text.length);
    str_release(&text);
    tty_drain(term->tty, PATIENCE);
    tty_release(term->tty);
    crash_disarm();
    term->entered = false;
}

void term_close(struct terminal *term)
{
    if (!term)
        return;
    term_leave(term);
    delwin(term->keys);
    delscreen(term->screen);
    fclose(term->nowhere);
    tty_close(term->tty);
    canvas_release(&term->canvas);
    terminfo_release(&term->info);
    free(term);
}

void term_suspend(struct terminal *term)
{
    term_leave(term);
}

void term_resume(struct terminal *term)
{
    term_arm(term);
    tty_grab(term->tty);
    term->entered = false; /* after SIGSTOP other programs may have used the screen */
    term_resize(term);
}

static int bounded(int value, int most)
{
    return value < most ? value : most;
}

void term_resize(struct terminal *term)
{
    int height, width;
    if (!tty_size(&height, &width))
        terminfo_size(&height, &width);
    canvas_resize(&term->canvas, bounded(height, HEIGHT_MAX), bounded(width, WIDTH_MAX));
}

int term_width(const struct terminal *term)
{
    return term->canvas.width;
}

int term_height(const struct terminal *term)
{
    return term->canvas.height;
}

bool term_ascii(const struct terminal *term)
{
    return term->ascii;
}

void term_set_ascii(struct terminal *term, bool ascii)
{
    term->ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int term_colors(const struct terminal *term)
{
    return term->info.colors;
}

/* --- Keys --- */

static int key_of_curses(int c)
{
    static const struct {
        int curses, key;
    } keys[] = {
        {KEY_ENTER, K_ENTER},
        {KEY_BACKSPACE, K_BACKSPACE},
        {KEY_UP, K_UP},
        {KEY_DOWN, K_DOWN},
        {KEY_LEFT, K_LEFT},
        {KEY_RIGHT, K_RIGHT},
        {KEY_HOME, K_HOME},
        {KEY_END, K_END},
        {KEY_PPAGE, K_PAGE_UP},
        {KEY_NPAGE, K_PAGE_DOWN},
        {KEY_IC, K_INSERT},
        {KEY_DC, K_DELETE},
        {KEY_FIND, K_HOME},
        {KEY_SELECT, K_END},
        {KEY_BTAB, K_BACKTAB},
        {KEY_SLEFT, K_SHIFT_LEFT},
        {KEY_SRIGHT, K_SHIFT_RIGHT},
        {KEY_F(15), K_SHIFT_F3}, /* F15 in most terminfo entries */
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].curses == c)
            return keys[i].key;
    if (c >= KEY_F(1) && c <= KEY_F(12))
        return K_F1 + c - KEY_F(1);
    return K_NONE;
}

static int next_byte(void *ctx)
{
    struct terminal *term = ctx;
    int c = wgetch(term->keys);
    return c == ERR ? -1 : c;
}

/* After Esc: a sequence that is not in terminfo, or the key Esc. */
static int escaped(struct terminal *term)
{
    int next = wgetch(term->keys); /* curses has waited ESC_DELAY for it */
    if (next == ERR) {
        term->pasting = false; /* in case the end mark was lost */
        return K_ESC;
    }
    if (!sequence_begins(next)) {
        /* Two keys that arrived together, as over a slow line; Alt has no meaning here. */
        ungetch(next);
        return K_ESC;
    }
    struct sequence sequence = sequence_read(next, next_byte, term);
    switch (sequence.kind) {
    case SEQUENCE_KEY:
        return sequence.key;
    case SEQUENCE_MOUSE:
        term->last_mouse = sequence.mouse;
        return term->mouse ? K_MOUSE : K_NONE;
    case SEQUENCE_PASTE:
    case SEQUENCE_PASTED:
        term->pasting = sequence.kind == SEQUENCE_PASTE;
        break;
    case SEQUENCE_OTHER:
        break;
    }
    return K_NONE;
}

/* Adds a byte of a character; its value when it is complete, else K_NONE. */
static int character(struct terminal *term, int byte)
{
    if (term->partial_length > 0 && (byte & 0xc0) != 0x80)
        term->partial_length = 0; /* the previous one was incomplete */
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

static int key_of(struct terminal *term, int c)
{
    if (c >= KEY_MIN)
        return key_of_curses(c);
    if (c == K_ESC)
        return escaped(term);
    if (c == '\r' || c == '\n')
        return K_ENTER;
    if (c == '\t')
        return K_TAB;
    if (c == '\b' || c == 0x7f)
        return K_BACKSPACE;
    return c < 0x80 ? c : character(term, c);
}

/* The character for a key in pasted text. */
static int pasted_key(int key)
{
    if (key == K_ENTER || key == K_TAB)
        return ' ';
    return key_is_text(key) ? key : K_NONE;
}

int term_key(struct terminal *term)
{
    int c;
    while ((c = wgetch(term->keys)) != ERR) {
        int key = key_of(term, c);
        term->pasted = term->pasting;
        if (term->pasted)
            key = pasted_key(key);
        if (key != K_NONE)
            return key;
    }
    return K_NONE;
}

struct mouse term_mouse(const struct terminal *term)
{
    return term->last_mouse;
}

bool term_pasted(const struct terminal *term)
{
    return term->pasted;
}

/* --- Drawing --- */

void term_begin(struct terminal *term)
{
    canvas_begin(&term->canvas, ROLE_TEXT);
    term->cursor_y = term->cursor_x = -1;
}

static void add_cursor(struct terminal *term, struct str *out)
{
    bool show = term->cursor_y >= 0;
    if (show)
        canvas_move(&term->canvas, &term->info.canvas, out, term->cursor_y, term->cursor_x);
    if (show != term->cursor_shown)
        terminfo_show_cursor(show, out);
    term->cursor_shown = show;
}

static void send_frame(struct terminal *term)
{
    struct str frame, bytes;
    str_init(&frame);
    str_init(&bytes);
    term->late = false;
    if (!term->entered) {
        terminfo_enter(&term->info, term->mouse, &bytes);
        canvas_forget(&term->canvas);
        term->cursor_shown = false;
        term->entered = true;
    }
    canvas_update(&term->canvas, &term->info.canvas, &frame);
    add_cursor(term, &frame);
    bool mark = frame.length > PACKET;
    str_add(&bytes, mark ? terminfo_update(&term->info, true) : "");
    str_add_n(&bytes, frame.text, frame.length);
    str_add(&bytes, mark ? terminfo_update(&term->info, false) : "");
    tty_send(term->tty, bytes.text, bytes.length);
    str_release(&frame);
    str_release(&bytes);
}

void term_end(struct terminal *term)
{
    term->late = true;
    if (term_waits(term) < 0)
        send_frame(term);
}

int term_waits(const struct terminal *term)
{
    return tty_waits(term->tty);
}

void term_flush(struct terminal *term)
{
    if (tty_flush(term->tty) && term->late)
        send_frame(term);
}

void term_repaint(struct terminal *term)
{
    canvas_forget(&term->canvas);
}

void term_cursor(struct terminal *term, int y, int x)
{
    term->cursor_y = y;
    term->cursor_x = x;
}

int term_put(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    return canvas_put(&term->canvas, y, x, width, role, text, false, term->ascii);
}

void term_field(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    canvas_put(&term->canvas, y, x, width, role, text, true, term->ascii);
}

#include "front/term/term.h"
#include "front/term/screen.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <termios.h>

enum {
    ESC_DELAY = 25,       /* ms in which the rest of a key must follow its first byte */
    SEQUENCE_DELAY = 250, /* and after ESC [ or ESC O, which no key alone sends */
    LATE_DELAY = 300,     /* in which [ or O and more after an Esc are its rest, on a slow line */
    PACKET = 1024,        /* bytes: smaller frames arrive in one piece anyway */
    PATIENCE = 500,       /* ms to wait at the end for a terminal that takes no output */
    HEIGHT_MAX = 1000,
    WIDTH_MAX = 2000,
};

/* What a key sends, by terminfo. */
struct key_text {
    const char *text;
    int key;
};

struct terminal {
    /* The device. Writing never blocks: what it does not take (Ctrl-S, a slow line) waits. */
    int fd;     /* for writing */
    int shared; /* flags of fd if it is standard output, which others share; -1: it is our own */
    bool gone;  /* reading or writing fails for good */
    struct termios mode; /* as it was */
    struct str bytes;    /* pending from `sent` on */
    size_t sent;

    struct canvas canvas;
    struct terminfo info;
    bool ascii;
    bool plain; /* marks are ASCII; with `ascii`, text too */
    bool mouse;
    bool entered;           /* the program uses the screen */
    bool late;              /* the last frame is not sent yet */
    int cursor_y, cursor_x; /* -1: hidden */
    bool cursor_shown;
    char *copied; /* for the clipboard, with the next frame; NULL: nothing */
    int origin;   /* of what is drawn */

    struct key_text *keys;
    size_t key_count, key_capacity;
    char typed[64]; /* bytes that were read but belong to no key yet */
    size_t typed_length;
    bool key_begun;   /* bytes of the current key have been taken: wait for the next ones */
    bool key_ended;   /* and no more bytes came */
    int key_delay;    /* ms to wait for them */
    uint64_t escaped; /* clock_monotonic() of the last Esc that was alone */
    struct mouse last_mouse;
    bool pasting; /* between the marks of pasted text */
    bool pasted;  /* the last key was pasted */
};

/* --- The device --- */

/* SIGQUIT is not a crash, but ends the program in the same way if it is not blocked. */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
enum { DEADLY = sizeof(deadly) / sizeof(deadly[0]) };

/* Static, for the signal handler. */
static struct {
    const struct terminal *volatile term; /* NULL: nothing to restore */
    char text[256];                       /* restores the screen */
    size_t length;
    struct sigaction before[DEADLY];
    char stack[1 << 16]; /* of the handler: the crash may be a stack overflow */
} crash;

/* Writes what the terminal takes at once; a signal handler may call it. */
static ssize_t write_some(const struct terminal *term, const char *bytes, size_t length)
{
    if (term->shared >= 0)
        fcntl(term->fd, F_SETFL, term->shared | O_NONBLOCK);
    ssize_t written = write(term->fd, bytes, length);
    int error = errno;
    if (term->shared >= 0)
        fcntl(term->fd, F_SETFL, term->shared);
    errno = error;
    return written;
}

/* Writes bytes without waiting. A terminal that does not take them all drops what it has not shown
 * yet, and is started if it was stopped (Ctrl-S), then they are written again. */
static void write_anyway(const struct terminal *term, const char *bytes, size_t length)
{
    if (write_some(term, bytes, length) == (ssize_t)length)
        return;
    tcflush(term->fd, TCOFLUSH);
    /* TCOON ends only a stop by TCOOFF, and with it that by Ctrl-S (tty_io.c: start_tty()). */
    tcflow(term->fd, TCOOFF);
    tcflow(term->fd, TCOON);
    write_some(term, bytes, length);
}

static void crash_restore(void)
{
    const struct terminal *term = crash.term;
    crash.term = NULL;
    if (!term)
        return;
    write_anyway(term, crash.text, crash.length);
    tcsetattr(STDIN_FILENO, TCSANOW, &term->mode);
}

static void crash_handle(int number)
{
    int saved = errno;
    crash_restore();
    for (size_t i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
            sigaction(number, &crash.before[i], NULL);
    raise(number); /* waits until this handler returns */
    errno = saved;
}

/* Sets the mode: keys one by one and without echo, output unprocessed. ISIG and IXON stay, so the
 * terminal still handles Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q. TCSANOW, since TCSADRAIN would wait for
 * a stopped terminal. Until term_release() a deadly signal restores screen and mode, then calls the
 * handlers from before. -1 with errno: it stays as it is. */
static int term_grab(struct terminal *term)
{
    AUTO_STR struct str restoring = str_new();
    terminfo_leave(&term->info, &restoring);
    str_add(&restoring, "\r\n");
    term_resize(term);
    if (!crash.term) {
        crash.length = strnlen(restoring.text, sizeof(crash.text));
        memcpy(crash.text, restoring.text, crash.length);
        stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};
        sigaltstack(&stack, NULL);
        struct sigaction action = {.sa_handler = crash_handle, .sa_flags = SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        for (size_t i = 0; i < DEADLY; i++)
            sigaction(deadly[i], &action, &crash.before[i]);
        crash.term = term;
        mem_before_abort(crash_restore);
    }
    struct termios mode = term->mode;
    mode.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
    mode.c_oflag &= ~(tcflag_t)OPOST;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
    mode.c_lflag |= ISIG;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

static void term_release(const struct terminal *term)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &term->mode);
    if (!crash.term)
        return;
    crash.term = NULL;
    mem_before_abort(NULL);
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &crash.before[i], NULL);
    stack_t stack = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
}

static void drop_pending(struct terminal *term)
{
    str_clear(&term->bytes);
    term->sent = 0;
}

/* Writes as many pending bytes as the terminal takes. False: some are still pending. */
static bool send_pending(struct terminal *term)
{
    while (term->sent < term->bytes.length) {
        ssize_t written =
            write_some(term, term->bytes.text + term->sent, term->bytes.length - term->sent);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN)
            return false;
        term->gone |= written <= 0;
        if (term->gone)
            break; /* the output is dropped */
        term->sent += (size_t)written;
    }
    drop_pending(term);
    return true;
}

/* Writes bytes after pending ones; with one write(2) if the terminal takes them all. */
static void send_text(struct terminal *term, const struct str *text)
{
    bool waits = term_waits(term) >= 0;
    str_add_n(&term->bytes, text->text, text->length);
    if (!waits)
        send_pending(term);
}

/* --- Opening and closing --- */

static void term_free(struct terminal *term)
{
    if (term->fd != STDOUT_FILENO)
        close(term->fd);
    str_release(&term->bytes);
    canvas_release(&term->canvas);
    terminfo_release(&term->info);
    free(term->keys);
    free(term->copied);
    free(term);
}

struct terminal *term_open(const struct term_options *options, struct err *err)
{
    const char *no_color = getenv("NO_COLOR");
    struct terminal *term = mem_alloc(sizeof(*term));
    if (terminfo_open(&term->info, !options->no_color && !(no_color && *no_color), err) < 0) {
        free(term);
        return NULL;
    }
    canvas_init(&term->canvas);
    term->bytes = str_new();
    /* O_NONBLOCK would also affect the shell, which shares the open file description, so the
     * terminal is opened again. If that is not allowed (after su), only writes have the flag. */
    term->shared = -1;
    term->fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (term->fd < 0) {
        term->fd = STDOUT_FILENO;
        term->shared = fcntl(STDOUT_FILENO, F_GETFL);
    }
    if (tcgetattr(STDIN_FILENO, &term->mode) < 0) {
        err_set(err, "cannot use the terminal: cannot read its modes: %s", err_reason(errno));
        term_free(term);
        return NULL;
    }
    term_set_ascii(term, options->ascii);
    term->plain |= terminfo_is_console();
    term->mouse = options->mouse;
    terminfo_set_theme(&term->info, options->theme);
    const char *text;
    int key;
    for (size_t i = 0; (text = terminfo_key(i, &key)); i++)
        if (*text) {
            *MEM_ADD(term->keys, term->key_count, term->key_capacity) =
                (struct key_text){text, key};
        }
    return term;
}

int term_start(struct terminal *term, struct err *err)
{
    if (term_grab(term) == 0)
        return 0;
    return err_set(err, "cannot use the terminal: cannot set its modes: %s", err_reason(errno));
}

void term_set_theme(struct terminal *term, const struct theme *theme)
{
    terminfo_set_theme(&term->info, theme);
    canvas_recolor(&term->canvas);
}

/* Restores the terminal, if it still takes output. */
void term_suspend(struct terminal *term)
{
    AUTO_STR struct str text = str_new();
    if (term->entered) {
        /* A frame may end in the middle, where the terminal takes no more of it. */
        str_add(&text, terminfo_update(&term->info, false));
        canvas_move(&term->canvas, &term->info, &text, term->canvas.height - 1, 0);
        terminfo_leave(&term->info, &text);
        str_add(&text, terminfo_has_screens() ? "\r" : "\r\n");
    }
    send_text(term, &text);
    struct pollfd wait = {.fd = term->fd, .events = POLLOUT};
    bool done;
    while (!(done = send_pending(term)) && poll(&wait, 1, PATIENCE) != 0)
        ;
    drop_pending(term);
    if (!done)
        write_anyway(term, text.text, text.length);
    term_release(term);
    term->entered = false;
}

void term_close(struct terminal *term)
{
    if (!term)
        return;
    term_suspend(term);
    term_free(term);
}

void term_resume(struct terminal *term)
{
    term->entered = false; /* after SIGSTOP other programs may have used the screen */
    term_grab(term);
}

void term_resize(struct terminal *term)
{
    struct winsize size;
    int height, width;
    terminfo_size(&height, &width);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        height = size.ws_row;
        width = size.ws_col;
    }
    canvas_resize(&term->canvas, height < HEIGHT_MAX ? height : HEIGHT_MAX,
                  width < WIDTH_MAX ? width : WIDTH_MAX);
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
    return term->plain;
}

void term_set_ascii(struct terminal *term, bool ascii)
{
    term->plain = term->ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

const char *term_instead(const struct terminal *term)
{
    return term->info.instead;
}

int term_colors(const struct terminal *term)
{
    return term->info.colors;
}

/* --- Keys --- */

/* The i-th byte typed since the last key; -1 if there is none. Waits up to key_delay after the
 * first byte. Bytes are read one by one: those after the last key are the shell's. */
static int byte_at(struct terminal *term, size_t i)
{
    while (i >= term->typed_length && !term->key_ended) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        term->key_ended = i >= sizeof(term->typed) ||
                          poll(&input, 1, i > 0 || term->key_begun ? term->key_delay : 0) <= 0;
        if (term->key_ended)
            break;
        ssize_t got = read(STDIN_FILENO, term->typed + term->typed_length, 1);
        term->gone |= got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
        term->key_ended = got != 1;
        term->typed_length += got == 1;
    }
    return i < term->typed_length ? (unsigned char)term->typed[i] : -1;
}

static void take_bytes(struct terminal *term, size_t count)
{
    size_t left = count < term->typed_length ? term->typed_length - count : 0;
    memmove(term->typed, term->typed + count, left);
    term->typed_length = left;
    term->key_begun = true;
}

static int next_byte(void *ctx)
{
    int byte = byte_at(ctx, 0);
    if (byte >= 0)
        take_bytes(ctx, 1);
    return byte;
}

/* After Esc: a sequence that is not in terminfo, or the key Esc. */
static int escaped(struct terminal *term)
{
    int next = byte_at(term, 0);
    if (next < 0)
        term->pasting = false; /* in case the end mark was lost */
    /* Otherwise two keys arrived together, for example over a slow line; Alt has no meaning. */
    if (next < 0 || !sequence_begins(next)) {
        term->escaped = clock_monotonic();
        return K_ESC;
    }
    take_bytes(term, 1);
    term->key_ended = false; /* on a busy machine the rest comes late */
    term->key_delay = SEQUENCE_DELAY;
    struct sequence sequence = sequence_read(next, next_byte, term);
    if (sequence.kind == SEQUENCE_PASTE || sequence.kind == SEQUENCE_PASTED)
        term->pasting = sequence.kind == SEQUENCE_PASTE;
    if (sequence.kind == SEQUENCE_MOUSE) {
        term->last_mouse = sequence.mouse;
        return term->mouse ? K_MOUSE : K_NONE;
    }
    return sequence.kind == SEQUENCE_KEY ? sequence.key : K_NONE;
}

/* A character beyond ASCII. An incomplete one stays where it is. */
static int character(struct terminal *term)
{
    char text[5] = "";
    unsigned code;
    for (size_t length = 0; length < sizeof(text) - 1;) {
        int byte = byte_at(term, length);
        if (byte < 0)
            return K_NONE;
        if (length > 0 && (byte & 0xc0) != 0x80) {
            take_bytes(term, length);
            return K_NONE;
        }
        text[length++] = (char)byte;
        if (str_utf8(text, &code)) {
            take_bytes(term, length);
            return (int)code;
        }
    }
    take_bytes(term, sizeof(text) - 1);
    return K_NONE;
}

static int read_key(struct terminal *term)
{
    /* The longest of terminfo's sequences. */
    size_t longest = 0;
    int key = K_NONE;
    for (size_t i = 0; i < term->key_count; i++) {
        const char *text = term->keys[i].text;
        size_t length = 0;
        while (text[length] && byte_at(term, length) == (unsigned char)text[length])
            length++;
        if (!text[length] && length >= longest) {
            longest = length;
            key = term->keys[i].key;
        }
    }
    if (longest > 0) {
        take_bytes(term, longest);
        return key;
    }
    int c = byte_at(term, 0);
    if (c >= 0x80)
        return character(term);
    if (sequence_begins(c) && clock_monotonic() - term->escaped < LATE_DELAY * 1000000ull) {
        term->key_delay = SEQUENCE_DELAY;
        if (byte_at(term, 1) >= 0)
            return escaped(term);
    }
    take_bytes(term, 1);
    if (c == K_ESC)
        return escaped(term);
    if (c == '\r' || c == '\n')
        return K_ENTER;
    if (c == '\t')
        return K_TAB;
    return c == '\b' || c == 0x7f ? K_BACKSPACE : c;
}

int term_key(struct terminal *term)
{
    do {
        term->key_begun = term->key_ended = false;
        term->key_delay = ESC_DELAY;
        if (byte_at(term, 0) < 0)
            break;
        int key = read_key(term);
        term->pasted = term->pasting;
        if (term->pasted && (key == K_ENTER || key == K_TAB))
            return ' ';
        if (key != K_NONE && (!term->pasted || key_is_text(key)))
            return key;
    } while (term->key_begun); /* else a character is incomplete */
    return K_NONE;
}

bool term_gone(const struct terminal *term)
{
    return term->gone;
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
    term->origin = 0;
}

static void send_frame(struct terminal *term)
{
    AUTO_STR struct str frame = str_new(), bytes = str_new();
    term->late = false;
    if (!term->entered) {
        terminfo_enter(&term->info, term->mouse, &bytes);
        canvas_forget(&term->canvas);
        term->cursor_shown = false;
        term->entered = true;
    }
    if (term->copied)
        terminfo_copy(term->copied, &bytes);
    mem_replace(&term->copied, NULL);
    canvas_update(&term->canvas, &term->info, &frame);
    bool show = term->cursor_y >= 0;
    if (show)
        canvas_move(&term->canvas, &term->info, &frame, term->cursor_y, term->cursor_x);
    if (show != term->cursor_shown)
        terminfo_show_cursor(show, &frame);
    term->cursor_shown = show;
    bool mark = frame.length > PACKET;
    str_add(&bytes, mark ? terminfo_update(&term->info, true) : "");
    str_add_n(&bytes, frame.text, frame.length);
    str_add(&bytes, mark ? terminfo_update(&term->info, false) : "");
    send_text(term, &bytes);
}

void term_end(struct terminal *term)
{
    term->late = true;
    if (term_waits(term) < 0)
        send_frame(term);
}

bool term_copy(struct terminal *term, const char *text)
{
    mem_replace(&term->copied, term->info.modern ? mem_strdup(text) : NULL);
    return term->info.modern;
}

int term_waits(const struct terminal *term)
{
    return term->gone || term->sent < term->bytes.length ? term->fd : -1;
}

void term_flush(struct terminal *term)
{
    if (send_pending(term) && term->late)
        send_frame(term);
}

void term_repaint(struct terminal *term)
{
    canvas_forget(&term->canvas);
}

void term_cursor(struct terminal *term, int y, int x)
{
    term->cursor_y = y;
    term->cursor_x = x + term->origin;
}

void term_origin(struct terminal *term, int x)
{
    term->origin = x;
}

int term_put(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    return canvas_put(&term->canvas, y, x + term->origin, width, role, text, false, term->ascii);
}

void term_field(struct terminal *term, int y, int x, int width, enum role role, const char *text)
{
    canvas_put(&term->canvas, y, x + term->origin, width, role, text, true, term->ascii);
}

void term_line(struct terminal *term, int y, uint64_t thing)
{
    canvas_line(&term->canvas, y, thing);
}

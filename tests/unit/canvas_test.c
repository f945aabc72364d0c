#include "base/str.h"
#include "front/term/screen.h"
#include "unit/test.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- A terminal that does what it is told --- */

enum { HEIGHT_MOST = 12, WIDTH_MOST = 40, LOOKS = 5 };

static const struct look looks[LOOKS] = {
    {0, "", ""},
    {STYLE_BOLD, "", ""},
    {STYLE_BOLD | STYLE_ITALIC, "31", ""},
    {STYLE_DIM, "38;5;208", "44"},
    {STYLE_UNDERLINE | STYLE_REVERSE, "", "44"},
};

struct emulated {
    int height, width, y, x;
    bool wraps; /* the last column was written: the next character goes to the next line */
    char text[HEIGHT_MOST][WIDTH_MOST];
    char looks[HEIGHT_MOST][WIDTH_MOST][80]; /* parameters that make it, in order; of "" none */
    char look[80];
    bool cleared;
};

static void erase(struct emulated *screen, int y, int x)
{
    for (; x < screen->width; x++) {
        screen->text[y][x] = ' ';
        strcpy(screen->looks[y][x], screen->look);
    }
}

/* Line y becomes what line `from` is; -1: blank. */
static void take_line(struct emulated *screen, int y, int from)
{
    if (from < 0) {
        erase(screen, y, 0);
        return;
    }
    memcpy(screen->text[y], screen->text[from], sizeof(*screen->text));
    memcpy(screen->looks[y], screen->looks[from], sizeof(*screen->looks));
}

/* Attributes and colours after a sequence, in an order of their own: "1;3;f31;b44". */
static void set_look(struct emulated *screen, const char *parameters)
{
    bool on[8] = {false};
    char foreground[20] = "", background[20] = "";
    char *text = strdup(screen->look), *rest = NULL;
    for (char *word = strtok_r(text, ";", &rest); word; word = strtok_r(NULL, ";", &rest))
        if (*word == 'f')
            snprintf(foreground, sizeof(foreground), "%s", word);
        else if (*word == 'b')
            snprintf(background, sizeof(background), "%s", word);
        else
            on[atoi(word)] = true;
    free(text);
    text = strdup(*parameters ? parameters : "0");
    rest = NULL;
    for (char *word = strtok_r(text, ";", &rest); word; word = strtok_r(NULL, ";", &rest)) {
        int number = atoi(word);
        if (number == 0) {
            memset(on, 0, sizeof(on));
            *foreground = *background = '\0';
        } else if (number < 8) {
            on[number] = true;
        } else if (number == 22) {
            on[1] = on[2] = false;
        } else if (number >= 23 && number <= 27) {
            on[number - 20] = false;
        } else if (number == 38) {
            assert_string_equal(strtok_r(NULL, ";", &rest), "5");
            snprintf(foreground, sizeof(foreground), "f5:%s", strtok_r(NULL, ";", &rest));
        } else if (number >= 30 && number <= 37) {
            snprintf(foreground, sizeof(foreground), "f%d", number);
        } else if (number >= 40 && number <= 47) {
            snprintf(background, sizeof(background), "b%d", number);
        } else {
            assert_true(number == 39 || number == 49);
            *(number == 39 ? foreground : background) = '\0';
        }
    }
    free(text);
    int used = 0;
    screen->look[0] = '\0';
    for (int i = 1; i < 8; i++)
        if (on[i])
            used += snprintf(screen->look + used, sizeof(screen->look) - (size_t)used, "%d;", i);
    snprintf(screen->look + used, sizeof(screen->look) - (size_t)used, "%s;%s", foreground,
             background);
}

static void control(struct emulated *screen, const char *parameters, char final)
{
    int first = atoi(parameters), second = 1;
    const char *semicolon = strchr(parameters, ';');
    if (semicolon)
        second = atoi(semicolon + 1);
    int steps = first ? first : 1;
    screen->wraps = false;
    switch (final) {
    case 'G':
        screen->x = steps - 1;
        break;
    case 'H':
        screen->y = steps - 1;
        screen->x = second - 1;
        break;
    case 'A':
        screen->y -= steps;
        break;
    case 'B':
        screen->y += steps;
        break;
    case 'C':
        screen->x += steps;
        break;
    case 'D':
        screen->x -= steps;
        break;
    case 'K':
        erase(screen, screen->y, screen->x);
        break;
    case 'L':
        assert_true(screen->y + steps <= screen->height);
        for (int y = screen->height - 1; y >= screen->y; y--)
            take_line(screen, y, y - steps >= screen->y ? y - steps : -1);
        screen->x = 0;
        break;
    case 'M':
        assert_true(screen->y + steps <= screen->height);
        for (int y = screen->y; y < screen->height; y++)
            take_line(screen, y, y + steps < screen->height ? y + steps : -1);
        screen->x = 0;
        break;
    case 'J':
        assert_int_equal(first, 2);
        screen->cleared = true;
        for (int y = 0; y < screen->height; y++)
            erase(screen, y, 0);
        break;
    case 'm':
        set_look(screen, parameters);
        break;
    default:
        fail_msg("unknown sequence: %s%c", parameters, final);
    }
    assert_in_range(screen->y, 0, screen->height - 1);
    assert_in_range(screen->x, 0, screen->width - 1);
}

static void show(struct emulated *screen, const char *bytes)
{
    while (*bytes) {
        char c = *bytes++;
        if (c == '\33' && *bytes == 'M') {
            assert_true(screen->y > 0); /* else it would scroll */
            screen->y--;
            screen->wraps = false;
            bytes++;
        } else if (c == '\33') {
            char parameters[80];
            assert_int_equal(*bytes++, '[');
            size_t length = strspn(bytes, "0123456789;");
            assert_true(length < sizeof(parameters));
            snprintf(parameters, sizeof(parameters), "%.*s", (int)length, bytes);
            bytes += length;
            control(screen, parameters, *bytes++);
        } else if (c == '\r') {
            screen->x = 0;
            screen->wraps = false;
        } else if (c == '\b') {
            assert_true(screen->x > 0 && !screen->wraps);
            screen->x--;
        } else if (c == '\n') {
            assert_true(screen->y + 1 < screen->height); /* else it would scroll */
            screen->y++;
        } else {
            assert_true(isprint((unsigned char)c));
            assert_false(screen->wraps);
            screen->text[screen->y][screen->x] = c;
            strcpy(screen->looks[screen->y][screen->x], screen->look);
            screen->wraps = screen->x + 1 == screen->width;
            screen->x += !screen->wraps;
        }
    }
}

/* --- What the canvas is told of it --- */

static struct terminfo terminal(bool cancels)
{
    struct terminfo info = {.ecma = true,
                            .cancels = cancels,
                            .bce = true,
                            .shifts = true,
                            .rises = true,
                            .by_column = true,
                            .clear = "\33[H\33[2J",
                            .clear_line = "\33[K"};
    memcpy(info.looks, looks, sizeof(looks));
    terminfo_liken(&info);
    return info;
}

static char *update(struct canvas *canvas, const struct terminfo *told)
{
    struct str out;
    out = str_new();
    canvas_update(canvas, told, &out);
    return str_detach(&out);
}

/* --- Tests --- */

/* What a look is to the terminal, by telling it of nothing else. */
static void look_text(int number, char *buffer, size_t size)
{
    struct emulated screen = {.height = 1, .width = 1};
    AUTO_STR struct str out = str_new();
    struct terminfo told = terminal(false);
    terminfo_look(&told, &out, -1, number);
    show(&screen, out.text);
    snprintf(buffer, size, "%s", screen.look);
}

static void check_screen(const struct emulated *screen, char text[][WIDTH_MOST],
                         char numbers[][WIDTH_MOST], const char *bytes)
{
    for (int y = 0; y < screen->height; y++)
        for (int x = 0; x < screen->width; x++) {
            char wanted[80];
            look_text(numbers[y][x], wanted, sizeof(wanted));
            bool same = strcmp(wanted, screen->looks[y][x]) == 0;
            /* Of a space only the background and lines are seen. */
            if (text[y][x] == ' ' && numbers[y][x] < 3)
                same = !strchr(screen->looks[y][x], 'b') && !strchr(screen->looks[y][x], '4') &&
                       !strchr(screen->looks[y][x], '7');
            if (text[y][x] == ' ' && numbers[y][x] == 3)
                same = strstr(screen->looks[y][x], "b44") && !strstr(screen->looks[y][x], "7;");
            if (text[y][x] != screen->text[y][x] || !same)
                fail_msg("(%d, %d) is '%c' in %s, not '%c' in %s after %s", y, x,
                         screen->text[y][x], screen->looks[y][x], text[y][x], wanted, bytes);
        }
}

/* A frame, and what it is drawn on. */
struct drawing {
    struct canvas canvas;
    struct emulated screen;
    char text[HEIGHT_MOST][WIDTH_MOST], numbers[HEIGHT_MOST][WIDTH_MOST];
    unsigned seed;
};

static void draw_word(struct drawing *d)
{
    int y = rand_r(&d->seed) % d->screen.height, x = rand_r(&d->seed) % d->screen.width;
    int number = rand_r(&d->seed) % LOOKS, length = rand_r(&d->seed) % 12;
    bool fill = rand_r(&d->seed) % 2;
    char word[16];
    for (int k = 0; k < length; k++)
        word[k] = "ab c"[rand_r(&d->seed) % 4];
    word[length] = '\0';
    int width = 1 + rand_r(&d->seed) % 15;
    canvas_put(&d->canvas, y, x, width, number, word, fill, false);
    for (int k = 0; k < width && x + k < d->screen.width; k++)
        if (k < length || fill) {
            d->text[y][x + k] = k < length ? word[k] : ' ';
            d->numbers[y][x + k] = (char)number;
        }
}

/* The lines of the last frame from one of them on, some in another place, and blank ones. */
static void draw_lines_again(struct drawing *d)
{
    char text[HEIGHT_MOST][WIDTH_MOST], numbers[HEIGHT_MOST][WIDTH_MOST];
    memcpy(text, d->text, sizeof(text));
    memcpy(numbers, d->numbers, sizeof(numbers));
    memset(d->text, ' ', sizeof(text));
    memset(d->numbers, 0, sizeof(numbers));
    int from = rand_r(&d->seed) % d->screen.height;
    for (int y = 0; y < d->screen.height; y++, from++) {
        if (rand_r(&d->seed) % 4 == 0)
            from += rand_r(&d->seed) % 3 - 1;
        if (from < 0 || from >= d->screen.height)
            continue;
        canvas_line(&d->canvas, y, (uint64_t)from + 1);
        for (int x = 0; x < d->screen.width; x++) {
            char cell[] = {text[from][x], '\0'};
            canvas_put(&d->canvas, y, x, 1, numbers[from][x], cell, false, false);
            d->text[y][x] = text[from][x];
            d->numbers[y][x] = numbers[from][x];
        }
    }
}

/* Whatever is drawn over whatever was there, the terminal shows it in the end. */
static void any_frame_after_any_other(void **state)
{
    struct drawing d = {.seed = 1};
    size_t shifts = 0;
    for (int run = 0; run < 120; run++) {
        struct terminfo told = terminal(run % 2);
        told.shifts = run % 3;
        told.bce = run % 4;
        told.rises = run % 5;
        told.by_column = run % 6;
        told.clear_line = run % 7 ? told.clear_line : "";
        d.screen = (struct emulated){.height = 1 + run % HEIGHT_MOST, .width = 5 + run % 36};
        canvas_init(&d.canvas);
        canvas_resize(&d.canvas, d.screen.height, d.screen.width);
        for (int frame = 0; frame < 20; frame++) {
            canvas_begin(&d.canvas, 0);
            bool again = frame % 3 == 2;
            if (again) {
                draw_lines_again(&d);
            } else {
                memset(d.text, ' ', sizeof(d.text));
                memset(d.numbers, 0, sizeof(d.numbers));
            }
            for (int i = rand_r(&d.seed) % (again ? 4 : 20); i > 0; i--)
                draw_word(&d);
            char *bytes = update(&d.canvas, &told);
            d.screen.cleared = false;
            show(&d.screen, bytes);
            assert_int_equal(d.screen.cleared, frame == 0);
            check_screen(&d.screen, d.text, d.numbers, bytes);
            shifts += strchr(bytes, 'L') != NULL;
            free(bytes);
        }
        canvas_release(&d.canvas);
    }
    assert_in_range(shifts, 50, SIZE_MAX);
}

static void expect_update(struct canvas *canvas, const char *wanted)
{
    struct terminfo told = terminal(true);
    char *bytes = update(canvas, &told);
    assert_string_equal(bytes, wanted);
    free(bytes);
}

/* The last cell of the last line is not written where that would scroll. */
static void the_last_cell(void **state)
{
    struct terminfo told = terminal(true);
    told.scrolls = true;
    struct canvas canvas;
    canvas_init(&canvas);
    canvas_resize(&canvas, 2, 3);
    canvas_begin(&canvas, 0);
    canvas_put(&canvas, 0, 0, 3, 0, "abc", false, false);
    canvas_put(&canvas, 1, 0, 3, 0, "def", false, false);
    char *bytes = update(&canvas, &told);
    assert_string_equal(bytes, "\33[m\33[H\33[2Jabc\33[2Hde");
    free(bytes);
    canvas_release(&canvas);
}

/* Wide characters take two cells, and where half of one is drawn over the other half is blank. What
 * terminals may not agree on is followed by a movement to a place that is certain. */
static void wide_characters(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas);
    canvas_resize(&canvas, 1, 10);
    canvas_begin(&canvas, 0);
    assert_int_equal(canvas_put(&canvas, 0, 0, 10, 0, "日本x", false, false), 5);
    expect_update(&canvas, "\33[m\33[H\33[2J日\33[1;3H本\33[1;5Hx");
    canvas_put(&canvas, 0, 1, 1, 0, "y", false, false);
    expect_update(&canvas, "\r y");
    canvas_put(&canvas, 0, 2, 1, 0, "z", false, false);
    expect_update(&canvas, "z ");
    /* One that would stick out is left out. */
    canvas_begin(&canvas, 0);
    assert_int_equal(canvas_put(&canvas, 0, 7, 2, 0, "a日", false, false), 1);
    assert_int_equal(canvas_put(&canvas, 0, 9, 10, 0, "日", false, false), 0);
    /* A letter and its accent are one cell. */
    assert_int_equal(canvas_put(&canvas, 0, 0, 10, 0, "e\xcc\x81x", false, false), 2);
    expect_update(&canvas, "\re\xcc\x81\33[1;2Hx     a");
    /* And in ASCII each takes as many cells as it would. */
    canvas_begin(&canvas, 0);
    assert_int_equal(canvas_put(&canvas, 0, 0, 10, 0, "日é", false, true), 3);
    assert_int_equal(canvas.next[0].codes[0], '?');
    assert_int_equal(canvas.next[1].codes[0], '?');
    assert_int_equal(canvas.next[2].codes[0], '?');
    canvas_release(&canvas);
}

static int begin(void **state)
{
    setlocale(LC_ALL, "C.UTF-8");
    return 0;
}

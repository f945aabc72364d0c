/* Names from outside on the screen: whatever they are made of, no control character reaches the
 * terminal, and they take the cells that were counted. */
#include "base/cells.h"
#include "base/str.h"
#include "front/term/screen.h"
#include "view/format.h"
#include "fuzz/fuzz.h"

#include <locale.h>

enum { WIDTH = 40, HEIGHT = 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return setlocale(LC_ALL, "C.UTF-8") ? 0 : -1;
}

static void require(bool true_always)
{
    if (!true_always)
        abort();
}

/* Printable, in UTF-8, and nothing of what changes the text around it. */
static void check_clean(const char *text, bool ascii)
{
    while (*text) {
        unsigned code = 0;
        size_t length = str_utf8(text, &code);
        require(length > 0 && code >= 0x20 && (code < 0x7f || code > 0x9f));
        require(!ascii || code < 0x80);
        require(code < 0x200b || code > 0x200f);
        require(code < 0x202a || code > 0x202e);
        text += length;
    }
}

/* Of a row each wide character has both its cells; of what is sent only movements have Esc. */
static void check_canvas(struct canvas *canvas)
{
    static const struct terminfo terminal = {
        .ecma = true, .bce = true, .clear = "", .clear_line = ""};
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const struct canvas_cell *cell = &canvas->next[i];
        require(cell->width <= 2 && (cell->width == 0) == (cell->codes[0] == 0));
        bool half = i % WIDTH > 0 && canvas->next[i - 1].width == 2;
        require(half == (cell->width == 0));
        require(cell->width < 2 || i % WIDTH < WIDTH - 1);
    }
    AUTO_STR struct str out = str_new();
    canvas_update(canvas, &terminal, &out);
    for (const char *at = out.text; *at; at++)
        require((unsigned char)*at >= 0x20 || *at == '\r' || *at == '\n' || *at == '\b' ||
                (*at == '\33' && at[1] == '['));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    bool ascii = data[0] & 1, fill = data[0] & 2;
    int x = data[0] >> 2 & 31, width = data[1] % (WIDTH + 8);
    char *text = strndup((const char *)data + 2, size - 2), clean[300];
    struct canvas canvas;
    canvas_init(&canvas);
    canvas_resize(&canvas, HEIGHT, WIDTH);

    text_clean(clean, sizeof(clean), text, ascii);
    check_clean(clean, ascii);
    int used;
    size_t fits = cells_fit(clean, width, &used);
    require(used <= width && fits <= strlen(clean) && used <= cells_width(clean));
    canvas_begin(&canvas, 0);
    int taken = canvas_put(&canvas, 0, x, width, 0, clean, fill, ascii);
    require(taken <= width && taken <= WIDTH - x);
    require(width > WIDTH - x || ascii || taken == used);
    canvas_put(&canvas, 1, width % WIDTH, WIDTH, 1, clean, fill, ascii);
    check_canvas(&canvas);
    /* Over it, and what was never cleaned. */
    canvas_put(&canvas, 0, width % WIDTH, WIDTH, 1, text, fill, ascii);
    check_canvas(&canvas);
    text_cut(clean, width);
    check_clean(clean, ascii);

    canvas_release(&canvas);
    free(text);
    return 0;
}

#include "front/tui/tui.h"
#include "base/mem.h"
#include "front/tui/ui.h"

#include <stdlib.h>

struct tui {
    struct front front; /* first: a front is the beginning of a tui */
    struct tui_options options;
    struct ui ui;
};

static struct tui *tui_of(struct front *front)
{
    return (struct tui *)front;
}

static int tui_start(struct front *front, struct err *err)
{
    struct tui *tui = tui_of(front);
    struct ui *ui = &tui->ui;
    struct theme theme;
    if (theme_load(&theme, ui->theme ? ui->theme : THEME_DEFAULT, err) < 0)
        return -1;
    struct term_options options = {
        .theme = &theme,
        .ascii = tui->options.ascii,
        .no_color = tui->options.no_color,
        .mouse = tui->options.mouse,
    };
    ui->term = term_open(&options, err);
    if (!ui->term)
        return -1;
    if (term_ascii(ui->term)) {
        view_settings(ui->view)->ascii = true;
        ui_apply(ui);
    }
    ui_draw(ui);
    return 0;
}

static int tui_present(struct front *front, const struct session *session, struct frame *frame,
                       struct err *err)
{
    struct ui *ui = &tui_of(front)->ui;
    (void)err;
    ui_take(ui, session, frame);
    ui_draw(ui);
    return 0;
}

static enum front_wish tui_input(struct front *front)
{
    struct ui *ui = &tui_of(front)->ui;
    bool typed = false;
    int key;
    while (!ui->quit && (key = term_key(ui->term)) != K_NONE) {
        ui_key(ui, key);
        typed = true;
    }
    if (ui->quit)
        return FRONT_QUIT;
    if (typed)
        ui_draw(ui);
    return FRONT_GO_ON;
}

static int tui_waits(const struct front *front)
{
    return term_waits(((const struct tui *)front)->ui.term);
}

static void tui_flush(struct front *front)
{
    term_flush(tui_of(front)->ui.term);
}

static void tui_resize(struct front *front)
{
    struct ui *ui = &tui_of(front)->ui;
    term_resize(ui->term);
    ui_draw(ui);
}

static void tui_suspend(struct front *front)
{
    term_suspend(tui_of(front)->ui.term);
}

static void tui_resume(struct front *front)
{
    struct ui *ui = &tui_of(front)->ui;
    term_resume(ui->term);
    ui_draw(ui);
}

static void tui_close(struct front *front)
{
    struct tui *tui = tui_of(front);
    ui_release(&tui->ui); /* panes that are open may use the terminal until they are closed */
    term_close(tui->ui.term);
    free(tui);
}

static const struct front_ops tui_ops = {
    .start = tui_start,
    .present = tui_present,
    .input = tui_input,
    .waits = tui_waits,
    .flush = tui_flush,
    .resize = tui_resize,
    .suspend = tui_suspend,
    .resume = tui_resume,
    .close = tui_close,
};

struct front *tui_new(struct view *view, struct host *host, const struct tui_options *options)
{
    struct tui *tui = mem_alloc(sizeof(*tui));
    tui->front.ops = &tui_ops;
    tui->options = *options;
    ui_init(&tui->ui, view, host);
    keymap_copy(&tui->ui.keymap, options->keymap);
    tui->ui.metric_set = options->metric_set;
    tui->ui.meters.bars = options->bars;
    tui->ui.theme = mem_strdup(options->theme);
    tui->ui.ascii = options->ascii;
    tui->ui.session = options->session;
    return &tui->front;
}

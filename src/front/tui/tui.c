#include "front/tui/tui.h"
#include "view/sampling.h"
#include "front/tui/setup/setup.h"

enum { NOTICE_LINES = 3, LOW = 20, MESSAGE_LINES = 3, WHEEL_STEPS = 3, TWICE_MS = 400 };

struct tui {
    struct front front; /* must be first: a struct front * is cast to struct tui * */
    struct ui ui;
    /* Positions from the last drawing, and the last press of the mouse. */
    struct pointer {
        const struct pane *pane; /* the topmost pane; NULL: not drawn yet */
        struct band header, meters, titles, keys;
        struct band main; /* the topmost pane of more than a line */
        struct band rows; /* the table above it */
        struct line key_line;
        const struct line *warnings; /* drawn over it */
        int side;                    /* cells of the main pane at the left; 0: all */
        int y;                       /* of the last press */
        uint64_t pressed;            /* clock_monotonic() at that time */
    } pointer;
};

static struct tui *tui_of(struct front *front)
{
    return (struct tui *)front;
}

/* --- Drawing --- */

/* Cells at the end of the line of keys: of the position, and of warnings beside it. */
enum { POSITION = 7, WARNINGS = 28, POSITION_RANK = 95 };

/* Where one is in what is longer than its window: the last line that is visible, or the line under
 * the cursor, of how many. */
static void add_position(struct ui *ui, struct line *line)
{
    const struct pane *main = pane_main(ui);
    const struct page *page = main->fill ? pane_list(ui) : NULL;
    const struct table *table = &ui->table;
    size_t at = 0, all = 0, height = 0;
    if (page && page->choosing) {
        for (size_t i = 0; i < page->count; i++) {
            all += !page->lines[i].title;
            at += !page->lines[i].title && i <= page->cursor;
        }
        height = page->total > page->height ? 0 : all;
    } else if (page) {
        height = page->height;
        all = page->total;
        at = page->top + height;
    } else if (main == &pane_table && table->height > 0) {
        height = (size_t)table->height;
        all = view_rows(ui->view);
        at = table->selecting ? table->row + 1 : table->top + height;
    }
    char text[32];
    snprintf(text, sizeof(text), "%zu/%zu", at, all);
    if (all > height)
        line_add_right(line, POSITION_RANK, "", "%*s", POSITION, text)->role = ROLE_LABEL;
}

static void draw_keys(struct tui *tui, const struct band *band, int width)
{
    enum { NARROW = 100, KEYS_ONLY = 40 }; /* below, keys need the place of the position */
    enum { ONE_WARNING = 10 };             /* there is mostly room for one */
    struct ui *ui = &tui->ui;
    const struct pane *pane = pane_now(ui);
    const struct key_command *command;
    struct line *line = &tui->pointer.key_line;
    if (band->height == 0)
        return;
    line->count = 0;
    size_t all = 0, own = 0;
    while (keymap_command(ui->keymap, pane, all))
        all++;
    while (pane->commands[own].name)
        own++;
    for (size_t n = 0; n < all && line->count < LINE_PIECES; n++) {
        /* Behind the table's help stands what every pane can do: warnings cut the end. */
        size_t i = pane != &pane_table || n == 0 ? n : n <= all - own ? own + n - 1 : n + own - all;
        command = keymap_command(ui->keymap, pane, i);
        const char *label = pane->label ? pane->label(ui, command) : command->label;
        char key[16] = "";
        if (label)
            keymap_keys(ui->keymap, pane, command, true, key, sizeof(key));
        if (!key[0])
            continue;
        struct piece *piece = line_add(line, command->rank, key, "%s", label);
        piece->label_role = ROLE_KEY;
        piece->role = ROLE_KEY_LABEL;
        piece->press = (int)i + 1;
        if (width < NARROW)
            piece->gap = 1;
    }
    line_fit(line, width < KEYS_ONLY
                       ? width
                       : width - POSITION - LINE_GAP - (width < NARROW ? 0 : ONE_WARNING));
    line_draw(line, ui->term, band->y, width);
    struct line *warnings = header_warnings(ui);
    if (width >= KEYS_ONLY)
        add_position(ui, warnings);
    line_fit(warnings, POSITION + (width / 3 > WARNINGS ? width / 3 : WARNINGS));
    int left = width - line_width(warnings) - LINE_GAP;
    if (warnings->count > 0) { /* a key that they would cut is not shown */
        const struct piece *cut = line_piece_at(line, left);
        int from = cut ? cut->x : left;
        term_field(ui->term, band->y, from, width - from, ROLE_TEXT, "");
    }
    line_draw(warnings, ui->term, band->y, width);
    tui->pointer.warnings = warnings;
}

/* Cells at the left for a pane beside the table; 0: none, or the screen is too narrow for both. */
static int side_width(const struct pane *pane, int width)
{
    enum { LEAST = 34, MOST = 44, BOTH = 60 };
    if (pane->cover != COVER_SIDE || width < BOTH)
        return 0;
    return width / 3 < LEAST ? LEAST : width / 3 > MOST ? MOST : width / 3;
}

/* Lines for a pane below the table; 0: none, or it takes all of the screen. */
static int lower_lines(const struct ui *ui, const struct pane *pane, const struct layout *layout)
{
    enum { LEAST = 6, ROWS = 3 };
    int lines = layout->height / 2 - layout->keys.height;
    bool room = lines >= LEAST && layout->table.height - lines >= ROWS;
    return pane->cover == COVER_LOWER && room && !ui->enlarged ? lines : 0;
}

/* The line at y `marked` points to what is beside it; -1: none does. */
static void draw_edge(struct ui *ui, const struct band *band, int x, int marked)
{
    static const char *const unicode[] = {"│", "▶"}, *const ascii[] = {"|", ">"};
    const char *const *marks = term_ascii(ui->term) ? ascii : unicode;
    for (int y = band->y; y < band->y + band->height; y++)
        term_put(ui->term, y, x, 1, y == marked ? ROLE_KEY : ROLE_DIM, marks[y == marked]);
}

static void draw_all(struct tui *tui)
{
    struct ui *ui = &tui->ui;
    struct pointer *pointer = &tui->pointer;
    const struct pane *now = pane_now(ui), *main = pane_main(ui);
    int width = term_width(ui->term), height = term_height(ui->term);
    int side = side_width(main, width), beside = details_beside_width(ui, width);
    AUTO_FREE char *notice = header_notice(ui);
    AUTO_FREE char *books = functions_books(ui);
    const char *verdict = books ? books : header_verdict(ui, height);
    AUTO_FREE char *line = page_statements(verdict ? verdict : "", books ? INT_MAX : width);
    struct layout_wish wish = {
        .header = 1,
        .meters = gauges_lines(ui, width, height),
        .notice = main->cover == COVER_ALL
                      ? 0
                      : cells_lines(notice, width, height < LOW ? 1 : NOTICE_LINES),
        .books = verdict != NULL,
        .panel = main->cover == COVER_ALL && !workload_tour(ui)
                     ? 0
                     : workload_draw(ui, &(struct band){0}, width),
        .message = cells_lines(ui->message.text, width, MESSAGE_LINES),
        .prompt = now->cover == COVER_LINE,
    };
    struct layout layout;
    layout_make(&layout, width, height, &wish);
    pointer->pane = NULL;
    if (layout.too_small) {
        page_put(ui->term, 0, 0, width, height, ROLE_ERROR, "terminal too small");
        return;
    }
    struct band band = layout.table;
    int lower = lower_lines(ui, main, &layout);
    layout.table.height -= lower;
    ui->table.window = meters_of(ui)->window;
    table_place(&ui->table, ui->view, width - side - beside, layout.table.height);
    if (main->cover == COVER_ALL || (main->cover == COVER_LOWER && lower == 0)) {
        band.height += band.y;
        band.y = 0;
        pointer->header = pointer->meters = (struct band){0};
    } else {
        pointer->header = layout.header;
        pointer->meters = layout.meters;
        header_draw(ui, &layout);
        page_put(ui->term, layout.books.y, 0, width, layout.books.height,
                 books ? ROLE_LABEL : ROLE_TEXT, line);
    }
    if (main == &pane_table || side > 0 || lower > 0) {
        term_origin(ui->term, side);
        table_draw_titles(&ui->table, ui->view, ui->term, &layout.titles, width - side - beside);
        if (main != &pane_table)
            rows_draw(ui, &layout.table, width - side);
        term_origin(ui->term, 0);
    }
    if (main->cover == COVER_SIDE || (main->cover == COVER_TABLE && main != &pane_table)) {
        band.height += band.y - layout.titles.y;
        band.y = layout.titles.y;
    } else if (lower > 0) {
        band = (struct band){band.y + band.height - lower, lower};
    }
    if (beside > 0) {
        struct band right = {layout.titles.y, layout.table.height + layout.titles.height};
        size_t row = details_row_beside(ui) - ui->table.top;
        bool seen = row < (size_t)layout.table.height;
        draw_edge(ui, &right, width - beside, seen ? layout.table.y + (int)row : -1);
        term_origin(ui->term, width - beside + 2);
        details_draw_beside(ui, &right, beside - 2);
        term_origin(ui->term, 0);
    }
    if (side > 0)
        draw_edge(ui, &band, side - 1, -1);
    pointer->titles = main == &pane_table ? layout.titles : (struct band){0};
    pointer->pane = now;
    pointer->rows = lower > 0 ? layout.table : (struct band){0};
    pointer->main = band;
    pointer->keys = layout.keys;
    pointer->side = beside > 0 ? width - beside : side;
    pane_draw(ui, &band, side > 0 ? side - 1 : width - beside);
    workload_draw(ui, &layout.panel, width);
    page_put(ui->term, layout.notice.y, 0, width, layout.notice.height, ROLE_NOTICE, notice);
    page_put(ui->term, layout.message.y, 0, width, layout.message.height, ui->message_role,
             ui->message.text);
    if (now->cover == COVER_LINE)
        now->draw(ui, &layout.prompt, width);
    draw_keys(tui, &layout.keys, width);
}

static void tui_draw(struct tui *tui)
{
    struct ui *ui = &tui->ui;
    size_t cells; /* of the strips, whose past is read when their width is known */
    details_follow_beside(ui);
    view_hold(ui->view, ui->paused && ui_is_live(ui)); /* nothing moves in a pause */
    do {
        cells = ui->table.strip.count;
        rewind_catch_up(ui);
        term_begin(ui->term);
        draw_all(tui);
    } while (ui->table.strip.count > cells && !ui_is_live(ui));
    term_end(ui->term);
}

/* --- Keys --- */

static bool within(const struct band *band, int y)
{
    return y >= band->y && y < band->y + band->height;
}

/* Handles a press or a turn of the wheel, which is three steps. A press on the line of keys acts as
 * that key; any other goes to the topmost pane. One of the right button is like two of the left. */
static void answer_mouse(struct tui *tui, const struct mouse *mouse)
{
    struct ui *ui = &tui->ui;
    struct pointer *pointer = &tui->pointer;
    const struct pane *pane = pane_now(ui);
    if (mouse->button == MOUSE_WHEEL_UP || mouse->button == MOUSE_WHEEL_DOWN) {
        enum step step = mouse->button == MOUSE_WHEEL_UP ? STEP_UP : STEP_DOWN;
        for (int i = 0; i < WHEEL_STEPS; i++)
            pane_step(ui, step);
        return;
    }
    if (pane != pointer->pane)
        return; /* a key has changed the panes since the last drawing */
    uint64_t now = clock_monotonic();
    bool twice = mouse->button == MOUSE_RIGHT ||
                 (mouse->y == pointer->y && now - pointer->pressed < TWICE_MS * 1000000ull);
    pointer->y = mouse->y;
    pointer->pressed = twice ? 0 : now;
    if (pane == &pane_table && within(&pointer->header, mouse->y)) {
        header_press(ui, mouse->x);
    } else if (pane == &pane_table && within(&pointer->meters, mouse->y)) {
        gauges_press(ui);
    } else if (pane->titles && within(&pointer->titles, mouse->y)) {
        pane->titles(ui, mouse->x);
    } else if (within(&pointer->main, mouse->y) &&
               (pointer->side == 0 || mouse->x < pointer->side)) {
        pane_press(ui, mouse->y - pointer->main.y, twice);
    } else if (within(&pointer->rows, mouse->y)) {
        pane_table.press(ui, mouse->y - pointer->rows.y, false);
        if (pane->moved)
            pane->moved(ui);
    } else if (within(&pointer->keys, mouse->y)) {
        const struct piece *piece = line_piece_at(&pointer->key_line, mouse->x);
        if (line_piece_at(pointer->warnings, mouse->x))
            pane_open(ui, &pane_page);
        else if (piece && piece->press > 0)
            pane_run(ui, keymap_command(ui->keymap, pane, (size_t)piece->press - 1));
    }
}

/* A followed task stays visible after its end. */
static void keep_followed(struct ui *ui)
{
    struct view_settings next = *view_settings(ui->view);
    uint64_t before = next.kept;
    next.kept = ui->table.following && next.kind == VIEW_TASKS ? ui->table.id : 0;
    if (next.kept != before)
        frames_change(ui, &next);
}

static void answer_key(struct tui *tui, int key)
{
    struct ui *ui = &tui->ui;
    const struct pane *pane = pane_now(ui);
    if (term_pasted(ui->term) && !pane->types)
        return; /* pasted text is for prompts only; elsewhere it would run commands */
    bool text = pane->types && key_is_text(key);
    const struct key_command *command = text ? NULL : keymap_find(ui->keymap, pane, key);
    struct mouse mouse = term_mouse(ui->term);
    ui->key = key;
    ui->keys++;
    ui->message.text[0] = '\0';
    if (key == K_MOUSE)
        answer_mouse(tui, &mouse);
    else if (pane_jump(ui, false))
        command = NULL; /* it is one of the letters of a name */
    else if (command)
        pane_run(ui, command);
    else if (pane->key)
        pane->key(ui, key);
    else
        pane_jump(ui, true);
    if (workload_tour(ui))
        tour_follow(ui, pane, command);
}

/* --- The front end --- */

static int tui_start(struct front *front, struct err *err)
{
    struct tui *tui = tui_of(front);
    struct ui *ui = &tui->ui;
    if (term_start(ui->term, err) < 0)
        return -1;
    struct view_settings next = *view_settings(ui->view);
    next.plain = term_ascii(ui->term);
    frames_change(ui, &next);
    tui_draw(tui);
    return 0;
}

/* Whether names or lines of what is shown are read. */
static bool names_pending(struct ui *ui)
{
    const struct functions *functions = view_functions(ui->view);
    bool pending = functions->pending || functions->source.pending;
    return icicle_follow(ui) || functions_beside_pending(ui) || pending;
}

static bool tui_renew(struct front *front)
{
    struct ui *ui = &tui_of(front)->ui;
    if (!names_pending(ui) && !header_grows(ui))
        return false;
    frames_apply(ui);
    instructions_follow(ui);
    tui_draw(tui_of(front));
    return true;
}

static int tui_present(struct front *front, const struct session *session, struct frame *frame,
                       struct err *err UNUSED)
{
    struct ui *ui = &tui_of(front)->ui;
    ui->session = session;
    if (frame->last && frame->profile)
        code_book_finish(frame->profile->book);
    rewind_take(ui);
    errors_take(&ui->errors, session, frame);
    ui->paused &= !session->end; /* the last frame ends a pause */
    bool still = ui->paused && !ui->step && ui->frame && ui_is_live(ui);
    pages_take_waits(ui, frame);
    frames_take(ui, frame);
    rewind_open(ui);
    if (!still)
        workload_take(ui);
    functions_follow(ui);
    bool found = names_pending(ui) && still; /* names, perhaps */
    if (found)
        frames_apply(ui);
    instructions_follow(ui);
    if (!still || found)
        tui_draw(tui_of(front));
    if (header_settle(ui))
        tui_draw(tui_of(front));
    return 0;
}

static enum front_wish tui_input(struct front *front)
{
    struct tui *tui = tui_of(front);
    struct ui *ui = &tui->ui;
    bool typed = false;
    int key;
    while (!ui->quit && (key = term_key(ui->term)) != K_NONE) {
        answer_key(tui, key);
        keep_followed(ui);
        typed = true;
    }
    if (ui->quit || term_gone(ui->term))
        return FRONT_QUIT;
    if (typed)
        tui_draw(tui);
    return FRONT_GO_ON;
}

static int tui_waits(const struct front *front)
{
    return term_waits(((const struct tui *)front)->ui.term);
}

static enum front_wish tui_flush(struct front *front)
{
    term_flush(tui_of(front)->ui.term);
    return term_gone(tui_of(front)->ui.term) ? FRONT_QUIT : FRONT_GO_ON;
}

static void tui_resize(struct front *front)
{
    term_resize(tui_of(front)->ui.term);
    tui_draw(tui_of(front));
}

static void tui_suspend(struct front *front)
{
    term_suspend(tui_of(front)->ui.term);
}

static void tui_resume(struct front *front)
{
    term_resume(tui_of(front)->ui.term);
    tui_draw(tui_of(front));
}

static void tui_close(struct front *front)
{
    struct ui *ui = &tui_of(front)->ui;
    while (ui->depth > 1) /* open panes may use the terminal until they are closed */
        pane_close(ui);
    view_set_frame(ui->view, NULL);
    frame_free(ui->recent);
    free(ui->table.spans);
    free(ui->theme);
    ui_close(ui);
    str_release(&ui->prompt.text);
    str_release(&ui->words.text);
    errors_release(&ui->errors);
    term_close(ui->term);
    free(front);
}

static const struct front_ops tui_ops = {
    .start = tui_start,
    .present = tui_present,
    .renew = tui_renew,
    .input = tui_input,
    .waits = tui_waits,
    .flush = tui_flush,
    .resize = tui_resize,
    .suspend = tui_suspend,
    .resume = tui_resume,
    .close = tui_close,
};

struct front *tui_new(struct view *view, struct host *host, const struct tui_options *options,
                      struct err *err)
{
    struct theme theme;
    const struct term_options look = {.theme = &theme,
                                      .ascii = options->ascii,
                                      .no_color = options->no_color,
                                      .mouse = options->mouse};
    if (theme_load(&theme, options->theme ? options->theme : THEME_DEFAULT, err) < 0)
        return NULL;
    struct terminal *term = term_open(&look, err);
    if (!term)
        return NULL;
    struct tui *tui = mem_alloc(sizeof(*tui));
    struct ui *ui = &tui->ui;
    tui->front.ops = &tui_ops;
    *ui = (struct ui){
        .term = term,
        .view = view,
        .host = host,
        .keymap = options->keymap,
        .metric_set = options->metric_set,
        .session = options->session,
        .theme = mem_strdup(options->theme),
        .prompt = {.text = str_new()},
        .words = {.text = str_new()},
    };
    frames_begin(ui, options->ranks);
    setup_of(ui)->ascii = options->ascii;
    pane_open(ui, &pane_table);
    workload_take(ui);
    meters_open(ui, options->bars);
    return &tui->front;
}

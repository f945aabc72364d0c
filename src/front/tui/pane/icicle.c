#include "front/tui/pane/panes.h"
#include "view/sampling.h"
#include "view/stack_boxes.h"

/* The picture as it is drawn: its tree of stacks, the boxes, and what keys have chosen. */
struct icicle {
    /* Choices. */
    enum stack_measure measure; /* where there is only one, that */
    bool inlined, by_ipc;
    char *searched;           /* NULL: nothing */
    char *searched_before;    /* when the prompt opened */
    struct stack_path cursor; /* passes the node that the picture is of */
    size_t *zooms;            /* how many names of that lead to this node; one for each zoom */
    size_t zoom_count, zoom_room;
    size_t first; /* level of the first line */
    struct coloured {
        char *name;
        uint64_t weight; /* in the tree that it was first in */
    } * objects;         /* in the order of their colours */
    size_t object_count, object_room;

    /* Made from these choices and a profile. */
    bool stale;
    struct profile *profile; /* shared; NULL: none */
    struct stack_tree tree;
    struct stack_boxes boxes;
    uint64_t found; /* weight of the stacks with what is searched for */

    struct band picture; /* from the last drawing */
};

enum { DIGITS = 6, COLOURS = ROLE_BOX_6 - ROLE_BOX_1 + 1 };

static void icicle_end(void *own)
{
    struct icicle *icicle = own;
    stack_path_release(&icicle->cursor);
    while (icicle->object_count > 0)
        free(icicle->objects[--icicle->object_count].name);
    stack_tree_release(&icicle->tree);
    stack_boxes_release(&icicle->boxes);
    profile_drop(icicle->profile);
    free(icicle->objects);
    free(icicle->searched);
    free(icicle->searched_before);
    free(icicle->zooms);
}

static const struct icicle initial = {.measure = STACK_OFF_CPU};
static UI_OWN(struct icicle, icicle_of, .initial = &initial, .end = icicle_end);

/* Names of the cursor's path that lead to the node that the picture is of. */
static size_t icicle_zoom_depth(const struct icicle *icicle)
{
    return icicle->zoom_count > 0 ? icicle->zooms[icicle->zoom_count - 1] : 0;
}

static size_t icicle_cursor_node(const struct icicle *icicle)
{
    return stack_path_find(&icicle->cursor, icicle->cursor.count, &icicle->tree, NULL);
}

/* Switches are sampled, with their times. */
static bool icicle_has_waits(const struct icicle *icicle)
{
    return icicle->profile && profile_waits(icicle->profile) >= 0;
}

/* --- Colours --- */

static size_t object_index(const struct icicle *icicle, const char *name)
{
    size_t i = 0;
    while (i < icicle->object_count && strcmp(icicle->objects[i].name, name) != 0)
        i++;
    return i;
}

static int objects_by_weight(const void *pa, const void *pb)
{
    const struct coloured *a = pa, *b = pb;
    return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1) : strcmp(a->name, b->name);
}

/* Gives colours to objects that have none yet, the heaviest first. They keep them. */
static void give_colours(struct icicle *icicle)
{
    size_t before = icicle->object_count;
    for (size_t n = 0; n < icicle->tree.count; n++) {
        const struct stack_node *node = &icicle->tree.nodes[n];
        size_t i = node->object ? object_index(icicle, node->object) : 0;
        if (!node->object || i < before)
            continue;
        if (i == icicle->object_count) {
            mem_grow(&icicle->objects, &icicle->object_room, ++icicle->object_count,
                     sizeof(*icicle->objects));
            icicle->objects[i].name = mem_strdup(node->object);
        }
        icicle->objects[i].weight += node->self;
    }
    if (icicle->object_count > before)
        qsort(icicle->objects + before, icicle->object_count - before, sizeof(*icicle->objects),
              objects_by_weight);
}

static enum role ipc_role(const struct ui *ui, const struct stack_node *node)
{
    const struct metric *metric = metric_set_find(ui->metric_set, "ipc");
    if (node->cycles == 0)
        return ROLE_BOX;
    double ipc = (double)node->instructions / (double)node->cycles;
    int judged = metric && metric->has_good ? metric_judge(metric, ipc) : 0;
    return judged > 0 ? ROLE_BOX_GOOD : judged < 0 ? ROLE_BOX_BAD : ROLE_BOX_MID;
}

static bool icicle_has_ipc(const struct icicle *icicle)
{
    return icicle->tree.instructions > 0 && icicle->tree.cycles > 0;
}

static enum role box_role(const struct ui *ui, const struct stack_node *node)
{
    const struct icicle *icicle = icicle_of(ui);
    if (stack_node_has(node, icicle->searched))
        return ROLE_BOX_FOUND;
    if (icicle->by_ipc && icicle_has_ipc(icicle))
        return ipc_role(ui, node);
    return node->object ? ROLE_BOX_1 + (enum role)(object_index(icicle, node->object) % COLOURS)
                        : ROLE_BOX;
}

/* --- The tree --- */

/* Makes the tree of the frame's profile, unless it is there. */
static void icicle_take(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    struct profile *profile = ui->frame ? ui->frame->profile : NULL;
    if (icicle->stale || profile != icicle->profile) {
        stack_tree_release(&icicle->tree);
        icicle->tree.measure = icicle->measure;
        icicle->tree.outermost = !icicle->inlined;
        view_stacks(ui->view, &icicle->tree);
        profile_drop(icicle->profile);
        icicle->profile = mem_share(profile);
        icicle->stale = false;
        give_colours(icicle);
    }
    icicle->found = stack_tree_share(&icicle->tree, icicle->searched);
}

/* Makes the boxes of a picture that is `width` cells wide, of a tree that has been taken. False:
 * there are none; else *box is the one under the cursor. */
static bool icicle_boxes(struct icicle *icicle, int width, size_t *box)
{
    size_t known, zoomed = icicle_zoom_depth(icicle);
    size_t top = stack_path_find(&icicle->cursor, zoomed, &icicle->tree, &known);
    stack_boxes_make(&icicle->boxes, &icicle->tree, top, known < zoomed ? 0 : width);
    *box = icicle->boxes.count > 0
               ? stack_boxes_find(&icicle->boxes, &icicle->tree, icicle_cursor_node(icicle))
               : 0;
    return icicle->boxes.count > 0;
}

/* --- Drawing --- */

/* Durations where a weight is a time. */
static void amount_write(const struct icicle *icicle, uint64_t weight, char text[FORMAT_SIZE])
{
    bool time = icicle_has_waits(icicle) ? icicle->measure != STACK_EVENT
                                         : str_equal(icicle->profile->unit, "ns");
    if (time)
        format_duration(text, (double)weight / 1e9, DIGITS);
    else
        format_count(text, (double)weight, DIGITS);
}

static const char *icicle_measure_name(const struct icicle *icicle)
{
    static const char *const names[] = {[STACK_OFF_CPU] = "time off the CPU",
                                        [STACK_BLOCKED] = "time blocked",
                                        [STACK_PREEMPTED] = "time preempted"};
    bool time = icicle_has_waits(icicle) && icicle->measure != STACK_EVENT;
    return time ? names[icicle->measure] : icicle->profile->event;
}

/* Whose stacks these are, how good they are, and what the picture leaves out. */
static void icicle_draw_head(struct ui *ui, int y, int width)
{
    enum { HEAD_MIN = 16 };
    const struct icicle *icicle = icicle_of(ui);
    const struct profile *profile = icicle->profile;
    const char *scope = functions_scope(ui);
    double explained = view_explained(ui->view);
    size_t levels = icicle->boxes.levels, lines = (size_t)icicle->picture.height;
    struct line line = {0};
    AUTO_STR struct str text = str_new();
    rewind_mark(ui, &line);
    size_t marks = line.count;
    if (icicle->searched && icicle->tree.count > 0)
        line_add_right(&line, RANK_VIEW, "", "'%s': %.2f %%", icicle->searched,
                       100 * (double)icicle->found / (double)icicle->tree.nodes->weight);
    view_explain_stacks(ui->view, &text);
    if (profile && profile->stacks == STACKS_NONE)
        str_add(&text, "no callers: --call-graph no");
    if (text.length > 0) {
        struct piece *piece = line_add_right(&line, RANK_TROUBLE, "", "%s", text.text);
        const char *comma = strchr(text.text, ','), *brief = comma ? comma + 2 : "no callers";
        snprintf(piece->brief, sizeof(piece->brief), "%.*s", (int)strcspn(brief, ",("), brief);
    }
    if (levels > lines)
        line_add_right(&line, RANK_DEPTH, "", "depth %zu-%zu of %zu", icicle->first + 1,
                       icicle->first + lines, levels);
    if (icicle->boxes.narrow > 0)
        line_add_right(&line, RANK_NARROW, "", "%zu too narrow", icicle->boxes.narrow);
    str_clear(&text);
    if (icicle->tree.pending && !code_book_reading(profile->book, &text))
        str_add(&text, "being read");
    if (icicle->tree.pending)
        line_add_right(&line, RANK_NAMES, "", "names: %s", text.text);
    if (profile && explained >= 0)
        line_add_right(&line, RANK_EXPLAINED, "", "%.1f %% %s", 100 * explained,
                       explained > 1 ? "of what is counted so far" : "explained");
    for (; marks < line.count; marks++)
        line.pieces[marks].role = ROLE_HEADING;
    str_clear(&text);
    str_printf(&text, "%s%sstacks%s%s", scope, *scope ? ": " : "", profile ? " by " : "",
               profile ? icicle_measure_name(icicle) : "");
    term_field(ui->term, y, 0, width, ROLE_HEADING, "");
    width = line_put(&line, ui->term, y, width, width > HEAD_MIN ? width - HEAD_MIN : width);
    page_put(ui->term, y, 0, width, 1, ROLE_HEADING, text.text);
}

/* The way to the node that the picture is of; its end, where there is no room for all. */
static void draw_way(struct ui *ui, int y, int width)
{
    const struct icicle *icicle = icicle_of(ui);
    AUTO_STR struct str way = str_new();
    const char *text;
    str_add(&way, "all");
    for (size_t i = 0; i < icicle_zoom_depth(icicle); i++)
        str_printf(&way, " > %s", icicle->cursor.names[i]);
    for (text = way.text; cells_width(text) > width && strstr(text + 1, " > ");)
        text = strstr(text + 1, " > ");
    term_put(ui->term, y, 0, width, ROLE_LABEL, text);
}

/* A box: what its first cell says, and as much of the name as there is room for. */
static void draw_box(struct ui *ui, const struct stack_box *box, int y, bool chosen)
{
    const struct stack_node *node = &icicle_of(ui)->tree.nodes[box->node];
    bool ascii = term_ascii(ui->term), found = stack_node_has(node, icicle_of(ui)->searched);
    /* Without colours the cursor is where boxes are not reversed. */
    enum role role = chosen ? ROLE_VALUE : box_role(ui, node);
    const char *mark = chosen ? (ascii ? ">" : "▸") : found ? "*" : ascii ? "|" : "▏";
    size_t length = cells_fit(node->name, box->width - 1, NULL);
    bool cut = node->name[length] && box->width > 4;
    if (cut)
        length = cells_fit(node->name, box->width - (ascii ? 3 : 2), NULL);
    AUTO_FREE char *text = mem_printf("%s%.*s%s", mark, (int)length, node->name,
                                      !cut    ? ""
                                      : ascii ? ".."
                                              : "…");
    term_field(ui->term, y, box->x, box->width, role, text);
}

/* What is under the cursor. */
static void draw_frame(struct ui *ui, size_t chosen, int y, int width)
{
    enum { NAME_MIN = 24 };
    const struct icicle *icicle = icicle_of(ui);
    size_t known, all = icicle->cursor.count;
    size_t at = stack_path_find(&icicle->cursor, all, &icicle->tree, &known);
    const struct stack_node *node = &icicle->tree.nodes[at];
    enum { SAMPLES, AMOUNT, IPC, SELF, NARROW, SHARE }; /* ranks */
    double of = (double)icicle->tree.nodes->weight;
    char amount[FORMAT_SIZE];
    struct line line = {0};
    if (known < all) {
        AUTO_FREE char *text =
            mem_printf("%s: not in this interval", icicle->cursor.names[all - 1]);
        term_put(ui->term, y, 0, width, ROLE_NOTICE, text);
        return;
    }
    if (at != icicle->boxes.boxes[chosen].node)
        line_add_right(&line, NARROW, "", "narrower than a cell")->role = ROLE_DIM;
    if (icicle_has_ipc(icicle) && node->cycles > 0)
        line_add_right(&line, IPC, "IPC", "%.2f",
                       (double)node->instructions / (double)node->cycles);
    line_add_right(&line, SAMPLES, "samples", "%llu", (unsigned long long)node->samples);
    amount_write(icicle, node->weight, amount);
    line_add_right(&line, AMOUNT, "", "%s", amount);
    line_add_right(&line, SELF, "itself", "%.2f %%", 100 * (double)node->self / of);
    line_add_right(&line, SHARE, "", "%.2f %%", 100 * (double)node->weight / of);
    width = line_put(&line, ui->term, y, width, width > NAME_MIN ? width - NAME_MIN : width);
    int used = term_put(ui->term, y, 0, width, ROLE_VALUE, node->name);
    if (node->object && width > used + LINE_GAP)
        term_put(ui->term, y, used + LINE_GAP, width - used - LINE_GAP, ROLE_LABEL, node->object);
}

/* Scrolls so that the level of the cursor is visible. */
static void show_level(struct icicle *icicle, size_t level)
{
    size_t lines = (size_t)icicle->picture.height, levels = icicle->boxes.levels;
    size_t most = levels > lines ? levels - lines : 0;
    if (icicle->first > level)
        icicle->first = level;
    else if (level >= icicle->first + lines)
        icicle->first = level + 1 - lines;
    if (icicle->first > most)
        icicle->first = most;
}

static void icicle_draw(struct ui *ui, const struct band *band, int width)
{
    enum { LEAST = 4 };
    struct icicle *icicle = icicle_of(ui);
    size_t chosen;
    int way = icicle_zoom_depth(icicle) > 0, y = band->y + 1 + way;
    icicle_take(ui);
    if (band->height < LEAST) {
        term_put(ui->term, band->y, 0, width, ROLE_NOTICE, "too low for a picture of stacks");
        return;
    }
    icicle->picture = (struct band){y, band->height - 2 - way};
    bool some = icicle_boxes(icicle, width, &chosen);
    const struct stack_boxes *boxes = &icicle->boxes;
    show_level(icicle, some ? boxes->boxes[chosen].level : 0);
    icicle_draw_head(ui, band->y, width);
    if (way)
        draw_way(ui, band->y + 1, width);
    if (!some) {
        const char *why = icicle->tree.count > 0 ? "it is not in this interval"
                          : icicle->profile && icicle->profile->samples && icicle->measure
                              ? "no such time in this interval"
                              : functions_empty(ui);
        term_put(ui->term, y, 0, width, ROLE_NOTICE, why);
        return;
    }
    for (size_t i = 0; i < boxes->count; i++) {
        const struct stack_box *box = &boxes->boxes[i];
        if (box->level >= icicle->first &&
            box->level < icicle->first + (size_t)icicle->picture.height)
            draw_box(ui, box, y + (int)(box->level - icicle->first), i == chosen);
    }
    draw_frame(ui, chosen, band->y + band->height - 1, width);
}

/* --- Keys --- */

/* The boxes of now: a frame or a key may have changed them since they were drawn. */
static bool boxes_now(struct ui *ui, size_t *box)
{
    icicle_take(ui);
    return icicle_boxes(icicle_of(ui), term_width(ui->term), box);
}

static void icicle_step(struct ui *ui, enum step step)
{
    enum { PAGE = 10 };
    struct icicle *icicle = icicle_of(ui);
    const struct stack_boxes *boxes = &icicle->boxes;
    size_t box, times = step == STEP_PAGE_UP || step == STEP_PAGE_DOWN ? PAGE : 1;
    if (!boxes_now(ui, &box))
        return;
    if (step == STEP_HOME || step == STEP_END)
        times = boxes->levels;
    for (; times > 0; times--)
        if (step == STEP_LEFT || step == STEP_RIGHT)
            box = stack_boxes_beside(boxes, box, step == STEP_LEFT ? -1 : 1);
        else if (step == STEP_UP || step == STEP_PAGE_UP || step == STEP_HOME)
            box = stack_boxes_parent(boxes, box);
        else
            box = stack_boxes_child(boxes, &icicle->tree, box);
    stack_path_set(&icicle->cursor, &icicle->tree, boxes->boxes[box].node);
}

static void zoom_in(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    size_t box;
    if (!boxes_now(ui, &box))
        return;
    stack_path_set(&icicle->cursor, &icicle->tree, icicle_cursor_node(icicle));
    if (icicle->cursor.count == icicle_zoom_depth(icicle)) {
        ui_say(ui, ROLE_NOTICE, "the picture shows only this already");
        return;
    }
    *MEM_ADD(icicle->zooms, icicle->zoom_count, icicle->zoom_room) = icicle->cursor.count;
    icicle->first = 0;
}

/* The cursor goes to what the picture was of. */
static void zoom_out(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    bool closes = ui->command->how;
    if (icicle->zoom_count > 0) {
        stack_path_shorten(&icicle->cursor, icicle->zooms[--icicle->zoom_count]);
        icicle->first = 0;
    } else if (closes) {
        pane_close(ui);
    }
}

static void icicle_press(struct ui *ui, int line UNUSED, bool twice)
{
    struct icicle *icicle = icicle_of(ui);
    struct mouse mouse = term_mouse(ui->term);
    size_t box, level = icicle->first + (size_t)(mouse.y - icicle->picture.y);
    if (mouse.y < icicle->picture.y || !boxes_now(ui, &box))
        return;
    for (size_t i = 0; i < icicle->boxes.count; i++) {
        const struct stack_box *pressed = &icicle->boxes.boxes[i];
        if (pressed->level != level || mouse.x < pressed->x ||
            mouse.x >= pressed->x + pressed->width)
            continue;
        stack_path_set(&icicle->cursor, &icicle->tree, pressed->node);
        if (twice)
            zoom_in(ui);
        return;
    }
}

static void switch_colours(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    if (!icicle_has_ipc(icicle)) {
        ui_say(ui, ROLE_NOTICE,
               "IPC is not known: samples of cycles have instructions beside them where both are "
               "in one group");
        return;
    }
    icicle->by_ipc = !icicle->by_ipc;
    ui_say(ui, ROLE_VALUE,
           icicle->by_ipc ? "colours say how good IPC is" : "colours are of objects");
}

static void switch_inlined(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    icicle->inlined = !icicle->inlined;
    icicle->stale = true;
    ui_say(ui, ROLE_VALUE,
           icicle->inlined ? "with inlined functions, from debug information"
                           : "without inlined functions");
}

static void next_measure(struct ui *ui)
{
    struct icicle *icicle = icicle_of(ui);
    if (!icicle_has_waits(icicle)) {
        ui_say(ui, ROLE_NOTICE,
               "widths are of the sampled event: time off the CPU is known where context-switches "
               "are sampled");
        return;
    }
    icicle->measure = icicle->measure == STACK_PREEMPTED ? STACK_EVENT : icicle->measure + 1;
    icicle->stale = true;
    ui_say(ui, ROLE_VALUE, "widths are %s", icicle_measure_name(icicle));
}

/* --- Search --- */

static void mark(struct ui *ui, const char *text)
{
    mem_replace(&icicle_of(ui)->searched, text && *text ? mem_strdup(text) : NULL);
}

/* Moves the cursor to the next one that is marked; the picture is of all where that is outside. */
static bool go_to_mark(struct ui *ui, bool backwards, bool stay)
{
    struct icicle *icicle = icicle_of(ui);
    const struct stack_tree *tree = &icicle->tree;
    if (!icicle->searched)
        return false;
    icicle_take(ui);
    size_t found =
        stack_tree_search(tree, icicle_cursor_node(icicle), icicle->searched, backwards, stay);
    if (found >= tree->count) {
        ui_say(ui, ROLE_NOTICE, "no function and no object contains '%s'", icicle->searched);
        return true;
    }
    size_t known, zoomed = icicle_zoom_depth(icicle);
    size_t top = stack_path_find(&icicle->cursor, zoomed, tree, &known);
    if (known < zoomed || !stack_tree_is_below(tree, found, top))
        icicle->zoom_count = 0;
    stack_path_set(&icicle->cursor, tree, found);
    return true;
}

static bool mark_next(struct ui *ui, bool backwards)
{
    return go_to_mark(ui, backwards, false);
}

static void mark_begin(struct ui *ui, struct str *text UNUSED)
{
    mem_replace(&icicle_of(ui)->searched_before, mem_strdup(icicle_of(ui)->searched));
}

static int mark_enter(struct ui *ui, const char *text, struct err *err UNUSED)
{
    mark(ui, text);
    go_to_mark(ui, false, true);
    return 0;
}

static void mark_cancel(struct ui *ui)
{
    mark(ui, icicle_of(ui)->searched_before);
}

static const struct dialog prompt_stacks = {
    .label = "Search stacks",
    .hint = "text of functions or objects; empty: no marks",
    .enter = "go to the first",
    .takes_empty = true,
    .begin = mark_begin,
    .change = mark,
    .enter_text = mark_enter,
    .cancel = mark_cancel,
    .next = mark_next,
};

/* --- The pane --- */

bool icicle_follow(struct ui *ui)
{
    bool waits = pane_is_open(ui, &pane_icicle) && icicle_of(ui)->tree.pending;
    if (waits)
        icicle_of(ui)->stale = true;
    return waits;
}

static bool icicle_open(struct ui *ui)
{
    if (!view_of_code(view_settings(ui->view)->kind))
        functions_open(ui);
    stack_path_shorten(&icicle_of(ui)->cursor, 0);
    icicle_of(ui)->zoom_count = 0;
    icicle_of(ui)->stale = true;
    return view_of_code(view_settings(ui->view)->kind); /* false: that was refused */
}

static const char *icicle_label(const struct ui *ui, const struct key_command *command)
{
    const struct icicle *icicle = icicle_of(ui);
    if (command->run == zoom_out)
        return icicle->zoom_count > 0 && command->how ? "zoom out" : command->label;
    if (command->run == switch_colours)
        return !icicle_has_ipc(icicle) ? NULL : icicle->by_ipc ? "objects" : command->label;
    if (command->run == next_measure)
        return icicle_has_waits(icicle) ? command->label : NULL;
    return rewind_label(ui, command);
}

static const struct key_command icicle_commands[] = {
    {"zoom", "Enter", "zoom", 80, .run = zoom_in},
    {"zoom-out", "Backspace", NULL, 0, .run = zoom_out},
    {"back", "Esc", "close", 90, .run = zoom_out, .how = true},
    {"icicle", "q Y", NULL, 0, .run = pane_close},
    {"search", "/ F3", "search", 75, .run = dialog_ask, .dialog = &prompt_stacks},
    {"search-again", "n", "next", 60, .run = dialog_again, .how = 1, .dialog = &prompt_stacks},
    {"search-back", "N", NULL, 0, .run = dialog_again, .how = -1, .dialog = &prompt_stacks},
    {"inlined", "i", "inlined", 65, .run = switch_inlined},
    {"colours", "c", "IPC", 70, .run = switch_colours},
    {"stacks", "J", NULL, 0, .run = functions_stacks},
    {"measure", "w", "widths", 68, .run = next_measure},
    {0},
};

const struct pane pane_icicle = {
    .name = "icicle",
    .title = "In the picture of stacks",
    .commands = icicle_commands,
    .cover = COVER_ALL,
    .open = icicle_open,
    .draw = icicle_draw,
    .step = icicle_step,
    .press = icicle_press,
    .label = icicle_label,
};

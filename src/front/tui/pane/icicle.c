#include "front/tui/pane/icicle.h"
#include "base/mem.h"
#include "front/tui/pane/dialog.h"
#include "front/tui/pane/functions.h"
#include "front/tui/pane/icicle_picture.h"
#include "front/tui/pane/rewind.h"
#include "view/view_kind.h"

#include <stdlib.h>

/* --- Keys --- */

static void choose_node(struct icicle *icicle, size_t node)
{
    stack_path_set(&icicle->cursor, &icicle->tree, node);
}

/* The boxes of now: a frame or a key may have changed them since they were drawn. */
static bool boxes_now(struct ui *ui, size_t *box)
{
    icicle_take(ui);
    return icicle_boxes(ui->icicle, term_width(ui->term), box);
}

static void icicle_step(struct ui *ui, enum step step)
{
    enum { PAGE = 10 };
    struct icicle *icicle = ui->icicle;
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
    choose_node(icicle, boxes->boxes[box].node);
}

static void zoom_in(struct ui *ui)
{
    struct icicle *icicle = ui->icicle;
    size_t box;
    if (!boxes_now(ui, &box))
        return;
    choose_node(icicle, icicle_cursor_node(icicle)); /* what is there of it */
    if (icicle->cursor.count == icicle_zoom_depth(icicle)) {
        ui_say(ui, ROLE_NOTICE, "the picture shows only this already");
        return;
    }
    mem_grow(&icicle->zooms, &icicle->zoom_room, icicle->zoom_count + 1, sizeof(*icicle->zooms));
    icicle->zooms[icicle->zoom_count++] = icicle->cursor.count;
    icicle->first = 0;
}

/* The cursor goes to what the picture was of. */
static void zoom_out(struct ui *ui)
{
    struct icicle *icicle = ui->icicle;
    if (icicle->zoom_count == 0)
        return;
    stack_path_shorten(&icicle->cursor, icicle->zooms[--icicle->zoom_count]);
    icicle->first = 0;
}

static void zoom_out_or_close(struct ui *ui)
{
    if (ui->icicle->zoom_count > 0)
        zoom_out(ui);
    else
        pane_close(ui);
}

static void icicle_press(struct ui *ui, int line, bool twice)
{
    struct icicle *icicle = ui->icicle;
    struct mouse mouse = term_mouse(ui->term);
    size_t box, level = icicle->first + (size_t)(mouse.y - icicle->picture.y);
    (void)line;
    if (mouse.y < icicle->picture.y || !boxes_now(ui, &box))
        return;
    for (size_t i = 0; i < icicle->boxes.count; i++) {
        const struct stack_box *pressed = &icicle->boxes.boxes[i];
        if (pressed->level != level || mouse.x < pressed->x ||
            mouse.x >= pressed->x + pressed->width)
            continue;
        choose_node(icicle, pressed->node);
        if (twice)
            zoom_in(ui);
        return;
    }
}

static void switch_colours(struct ui *ui)
{
    struct icicle *icicle = ui->icicle;
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
    struct icicle *icicle = ui->icicle;
    icicle->inlined = !icicle->inlined;
    icicle->stale = true;
    ui_say(ui, ROLE_VALUE,
           icicle->inlined ? "with inlined functions, from debug information"
                           : "without inlined functions");
}

static void next_measure(struct ui *ui)
{
    struct icicle *icicle = ui->icicle;
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
    char *copy = text && *text ? mem_strdup(text) : NULL; /* it may be the old one */
    free(ui->icicle->searched);
    ui->icicle->searched = copy;
}

/* Moves the cursor to the next one that is marked; the picture is of all where that is outside. */
static void go_to_mark(struct ui *ui, bool backwards, bool stay)
{
    struct icicle *icicle = ui->icicle;
    const struct stack_tree *tree = &icicle->tree;
    if (!icicle->searched)
        return;
    icicle_take(ui);
    size_t found =
        stack_tree_search(tree, icicle_cursor_node(icicle), icicle->searched, backwards, stay);
    if (found >= tree->count) {
        ui_say(ui, ROLE_NOTICE, "no function and no object contains '%s'", icicle->searched);
        return;
    }
    size_t known, zoomed = icicle_zoom_depth(icicle);
    size_t top = stack_path_find(&icicle->cursor, zoomed, tree, &known);
    if (known < zoomed || !stack_tree_is_below(tree, found, top))
        icicle->zoom_count = 0;
    choose_node(icicle, found);
}

static void mark_begin(struct ui *ui, struct str *text)
{
    (void)text;
    free(ui->icicle->searched_before);
    ui->icicle->searched_before = mem_strdup(ui->icicle->searched);
}

static int mark_enter(struct ui *ui, const char *text, struct err *err)
{
    (void)err;
    mark(ui, text);
    go_to_mark(ui, false, true);
    return 0;
}

static void mark_cancel(struct ui *ui)
{
    mark(ui, ui->icicle->searched_before);
}

static void mark_next(struct ui *ui, bool backwards)
{
    go_to_mark(ui, backwards, false);
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

static void mark_again(struct ui *ui)
{
    if (ui->icicle->searched)
        go_to_mark(ui, ui->command->how < 0, false);
    else
        dialog_ask(ui);
}

/* --- The pane --- */

bool icicle_follow(struct ui *ui)
{
    bool waits = pane_is_open(ui, &pane_icicle) && ui->icicle->tree.pending;
    if (waits)
        ui->icicle->stale = true;
    return waits;
}

void icicle_release(struct ui *ui)
{
    struct icicle *icicle = ui->icicle;
    if (!icicle)
        return;
    stack_path_release(&icicle->cursor);
    while (icicle->object_count > 0)
        free(icicle->objects[--icicle->object_count]);
    stack_tree_release(&icicle->tree);
    stack_boxes_release(&icicle->boxes);
    profile_drop(icicle->profile);
    free(icicle->objects);
    free(icicle->searched);
    free(icicle->searched_before);
    free(icicle->zooms);
    free(icicle);
}

void icicle_open(struct ui *ui)
{
    if (!view_of_code(view_settings(ui->view)->kind))
        functions_open(ui);
    if (!view_of_code(view_settings(ui->view)->kind))
        return; /* that was refused */
    if (!ui->icicle) {
        ui->icicle = mem_alloc(sizeof(*ui->icicle));
        ui->icicle->measure = STACK_OFF_CPU;
    }
    stack_path_shorten(&ui->icicle->cursor, 0);
    ui->icicle->zoom_count = 0;
    ui->icicle->stale = true;
    pane_open(ui, &pane_icicle);
}

static const char *icicle_label(const struct ui *ui, const struct key_command *command)
{
    const struct icicle *icicle = ui->icicle;
    if (command->run == zoom_out_or_close)
        return icicle->zoom_count > 0 ? "zoom out" : command->label;
    if (command->run == switch_colours)
        return !icicle_has_ipc(icicle) ? NULL : icicle->by_ipc ? "objects" : command->label;
    if (command->run == next_measure)
        return icicle_has_waits(icicle) ? command->label : NULL;
    return rewind_label(ui, command);
}

static const struct key_command icicle_commands[] = {
    {"zoom", "Enter", "zoom", 80, "the picture of the function under the cursor and what it calls",
     .run = zoom_in},
    {"zoom-out", "Backspace", NULL, 0, "back to the picture before", .run = zoom_out},
    {"back", "Esc", "close", 90, "the picture before; of all stacks, close",
     .run = zoom_out_or_close},
    {"icicle", "q Y", NULL, 0, "close", .run = pane_close},
    {"search", "/ F3", "search", 75,
     "mark the functions and objects that contain a text; the title has their share",
     .run = dialog_ask, .dialog = &prompt_stacks},
    {"search-again", "n", "next", 60, "the next one, or the one before", .run = mark_again,
     .how = 1, .dialog = &prompt_stacks},
    {"search-back", "N", NULL, 0, NULL, .run = mark_again, .how = -1, .dialog = &prompt_stacks},
    {"inlined", "i", "inlined", 65, "with inlined functions, from debug information, or without",
     .run = switch_inlined},
    {"colours", "c", "IPC", 70, "colours are of objects, or say how good IPC is",
     .run = switch_colours},
    {"stacks", "J", NULL, 0,
     "callers from copies of the stack (for processes without frame pointers), or by frame "
     "pointers",
     .run = functions_stacks},
    {"measure", "w", "widths", 68,
     "where switches are sampled, widths are time off the CPU, blocked, preempted, or switches",
     .run = next_measure},
    {0},
};

const struct pane pane_icicle = {
    .name = "icicle",
    .title = "In the picture of stacks",
    .commands = icicle_commands,
    .cover = COVER_ALL,
    .draw = icicle_draw,
    .step = icicle_step,
    .press = icicle_press,
    .label = icicle_label,
};

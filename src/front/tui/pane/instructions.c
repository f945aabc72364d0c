#include "front/tui/pane/panes.h"
#include "view/sampling.h"

static const double READ_SECONDS = 0.03; /* a key waits at most this for the code */

struct instructions {
    struct instruction_step {
        struct annotated function;
        uint64_t id; /* row of the instruction that led away */
    } * steps;
    size_t depth, room;
    bool seeking; /* with samples the cursor goes to the hottest instruction, unless it was moved */
};

static void forget_steps(struct instructions *instructions)
{
    while (instructions->depth > 0)
        annotated_release(&instructions->steps[--instructions->depth].function);
}

static void instructions_end(void *own)
{
    forget_steps(own);
    free(((struct instructions *)own)->steps);
}

static UI_OWN(struct instructions, instructions_of, .end = instructions_end);

/* Whether the rows are instructions; says what shows them if not. */
static bool in_instructions(struct ui *ui, const char *what)
{
    if (view_settings(ui->view)->kind == VIEW_INSTRUCTIONS)
        return true;
    ui_say(ui, ROLE_NOTICE, "only instructions have %s: Enter on a function shows them", what);
    return false;
}

/* Remembers where the cursor is. */
static void push_step(struct ui *ui, const struct annotated *function)
{
    struct instructions *instructions = instructions_of(ui);
    struct instruction_step *step =
        MEM_ADD(instructions->steps, instructions->depth, instructions->room);
    annotated_copy(&step->function, function);
    step->id = ui->table.id;
}

static void select_id(struct ui *ui, uint64_t id)
{
    ui->table.selecting = true;
    ui->table.id = id;
    table_follow(&ui->table, ui->view);
}

/* Shows the instructions of a function, at once if they can be read quickly. */
static void show_function(struct ui *ui, const struct annotated *function)
{
    struct view_settings next = *view_settings(ui->view);
    view_annotate(ui->view, function);
    next.kind = VIEW_INSTRUCTIONS;
    table_home(&ui->table);
    frames_change(ui, &next);
    if (view_functions(ui->view)->pending && function->book &&
        code_book_settle(function->book, READ_SECONDS, false))
        frames_apply(ui);
    instructions_of(ui)->seeking = true;
    instructions_follow(ui);
}

void instructions_open(struct ui *ui)
{
    size_t row = ui->table.selecting ? ui->table.row : 0;
    if (ui->table.absent || row >= view_rows(ui->view)) {
        ui_say(ui, ROLE_NOTICE, "no sample of it in this interval");
        return;
    }
    struct annotated function = annotated_new(ui->frame, view_row_function(ui->view, row));
    forget_steps(instructions_of(ui));
    show_function(ui, &function);
    annotated_release(&function);
}

void instructions_enter(struct ui *ui)
{
    const struct annotated *from = view_annotated(ui->view);
    const struct row *row = table_row(&ui->table, ui->view);
    if (!from || !row)
        return;
    const struct code_instruction *instruction =
        view_row_code(ui->view, ui->table.row)->instruction;
    const struct code_listing *listing = view_functions(ui->view)->listing;
    if (!instruction) {
        ui_say(ui, ROLE_NOTICE, "a source line: T shows its instructions");
        return;
    }
    uint64_t target = instruction->target;
    if (target == 0) {
        ui_say(ui, ROLE_NOTICE,
               instruction->flow == FLOW_ON ? "neither a jump nor a call"
                                            : "its target is not in the instruction");
        return;
    }
    struct function next = {.object = from->function.object};
    if (code_listing_find(listing, target) < listing->count) {
        push_step(ui, from);
        select_id(ui, functions_instruction_id(target));
        return;
    }
    code_book_function_at(from->book, from->function.code.object, target, &next.code);
    if (next.code.state != CODE_NAMED && next.code.state != CODE_BOUNDED) {
        ui_say(ui, ROLE_NOTICE, "no function is known at 0x%llx", (unsigned long long)target);
        return;
    }
    struct annotated function = annotated_new(ui->frame, &next);
    push_step(ui, from);
    show_function(ui, &function);
    annotated_release(&function);
}

void instructions_back(struct ui *ui)
{
    struct instructions *instructions = instructions_of(ui);
    if (!in_instructions(ui, "a way back"))
        return;
    if (instructions->depth == 0) {
        functions_show_view(ui, VIEW_FUNCTIONS);
        return;
    }
    struct instruction_step step = instructions->steps[--instructions->depth];
    show_function(ui, &step.function);
    instructions->seeking = false;
    select_id(ui, step.id);
    annotated_release(&step.function);
}

static void select_hottest(struct ui *ui)
{
    size_t hottest = 0, rows = view_rows(ui->view);
    if (view_settings(ui->view)->kind != VIEW_INSTRUCTIONS || rows == 0)
        return;
    for (size_t row = 1; row < rows; row++)
        if (view_row_function(ui->view, row)->weight > view_row_function(ui->view, hottest)->weight)
            hottest = row;
    table_select(&ui->table, ui->view, hottest);
    /* In the middle, so that the code before it is visible. */
    size_t before = ui->table.height > 0 ? (size_t)ui->table.height / 2 : 0;
    ui->table.top = hottest > before ? hottest - before : 0;
}

void instructions_hottest(struct ui *ui)
{
    if (in_instructions(ui, "a hottest one"))
        select_hottest(ui);
}

void instructions_source(struct ui *ui)
{
    static const char *const names[] = {[SOURCE_BOTH] = "source lines and instructions",
                                        [SOURCE_LINES] = "source lines",
                                        [SOURCE_NONE] = "instructions"};
    struct view_settings next = *view_settings(ui->view);
    bool selecting = ui->table.selecting, shown = next.kind == VIEW_INSTRUCTIONS;
    next.source = next.source == SOURCE_NONE ? SOURCE_BOTH : next.source + 1;
    if (shown)
        table_home(&ui->table);
    frames_change(ui, &next);
    if (!shown) {
        ui_say(ui, ROLE_VALUE, "a function is shown as %s", names[next.source]);
        return;
    }
    if (selecting)
        select_hottest(ui);
    const char *reason = source_lines_reason(&view_functions(ui->view)->source);
    if (reason && next.source != SOURCE_NONE)
        ui_say(ui, ROLE_NOTICE, "lines: %s", reason);
    else
        ui_say(ui, ROLE_VALUE, "rows are %s", names[next.source]);
}

void instructions_stop(struct ui *ui)
{
    enum code_given given = ui->frame && ui->frame->profile
                                ? code_book_give_up(ui->frame->profile->book)
                                : CODE_NOT_READING;
    frames_apply(ui);
    if (given == CODE_NOT_READING)
        ui_say(ui, ROLE_NOTICE, "no debug information is being read");
    else
        ui_say(ui, ROLE_VALUE,
               given == CODE_GIVEN_UP ? "debug information is given up; Q reads it after all"
                                      : "debug information is read again");
}

void instructions_follow(struct ui *ui)
{
    const struct functions *functions = view_functions(ui->view);
    bool moved = ui->table.selecting;
    if (!instructions_of(ui)->seeking ||
        (!moved && (functions->weight == 0 || functions->count == 0)))
        return;
    instructions_of(ui)->seeking = false;
    if (!moved)
        select_hottest(ui);
}

const char *instructions_empty(const struct ui *ui)
{
    const struct functions *functions = view_functions(ui->view);
    if (!ui->frame || !ui->frame->profile)
        return functions_empty(ui);
    if (functions->pending)
        return "reading the code...";
    if (functions->listing && functions->listing->reason)
        return functions->listing->reason;
    return view_annotated(ui->view) ? "it has no code" : "no sample in this function yet";
}

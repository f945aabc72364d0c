#include "front/tui/pane/panes.h"
#include "view/sampling.h"

struct functions_scope {
    struct watch watch;
    int cpu;                  /* -1: all */
    char *event;              /* of the column; NULL: the usual one */
    char text[64];            /* "spin 1234", "user web"; "": all that is watched */
    enum view_kind from;      /* the view to go back to */
    struct annotated chosen;  /* the function whose callers are shown */
    struct err refusal;       /* why nothing is sampled; "": it is */
    struct event_set *events; /* counted when sampling began; NULL: none yet */
    bool switched;            /* how callers are found, by the key; before: */
    enum stacks before;
    struct functions hot; /* the code of the function that is shown beside the table */
};

static void scope_end(void *own)
{
    struct functions_scope *scope = own;
    watch_release(&scope->watch);
    event_set_drop(scope->events);
    annotated_release(&scope->chosen);
    free(scope->event);
    functions_release(&scope->hot);
}

static const struct functions_scope initial = {.cpu = -1};
static UI_OWN(struct functions_scope, scope_of, .initial = &initial, .end = scope_end);

static void scope_clear(struct ui *ui, struct functions_scope *scope)
{
    if (scope->switched) /* copies may be of a single process */
        host_style(ui->host)->stacks = scope->before;
    scope_end(scope);
    *scope = (struct functions_scope){.cpu = -1, .from = scope->from};
}

/* --- Callers and callees --- */

static int functions_by_weight(const void *pa, const void *pb)
{
    const struct function *a = pa, *b = pb;
    return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1)
                                  : strcmp(a->object.name, b->object.name);
}

static void add_share(struct page *list, double part, double of, const char *name,
                      const char *object)
{
    char share[16];
    snprintf(share, sizeof(share), "%6.2f %%", of > 0 ? 100 * part / of : 0);
    page_add(list, ROLE_VALUE, share, "%s  %s", name, object);
}

static void add_related(struct page *list, const char *title, struct functions *related, double of)
{
    page_title(list, "%s", title);
    if (related->count > 0)
        qsort(related->functions, related->count, sizeof(*related->functions), functions_by_weight);
    for (size_t i = 0; i < related->count; i++) {
        char name[512];
        function_text(&related->functions[i], name, sizeof(name));
        add_share(list, (double)related->functions[i].weight, of, name,
                  related->functions[i].object.name);
    }
    if (related->count == 0)
        page_add(list, ROLE_DIM, "none", "%s", "");
}

/* The rows of a function's code with the most weight, in the order of the code. */
static void add_hottest(struct page *list, const struct functions *code)
{
    enum { MOST = 10 };
    const char *reason = code->listing ? code->listing->reason : "reading the code...";
    bool lines = code->count > 0 && !code->source.rows[0].instruction;
    page_title(list, "Hottest %s, in %% of its samples", lines ? "lines" : "instructions");
    if (reason)
        page_add(list, ROLE_DIM, "", "%s", reason);
    AUTO_FREE uint64_t *weights = mem_array(code->count + 1, sizeof(*weights));
    for (size_t i = 0; i < code->count; i++)
        weights[i] = code->functions[i].weight;
    mem_sort(weights, code->count, sizeof(*weights));
    uint64_t least = code->count > MOST ? weights[code->count - MOST] : 1;
    for (size_t i = 0; i < code->count; i++) {
        const struct code_line *line = &code->source.rows[i];
        uint64_t weight = code->functions[i].weight;
        char text[512];
        if (weight < least || weight == 0)
            continue;
        if (line->instruction)
            snprintf(text, sizeof(text), "%llx  %s", (unsigned long long)line->address,
                     code_listing_text(code->listing, line->instruction));
        else
            source_lines_text(&code->source, line, text, sizeof(text));
        char *gap = strstr(text, "  "); /* and the line's indentation */
        if (gap)
            memmove(gap + 2, gap + strspn(gap, " "), strlen(gap + strspn(gap, " ")) + 1);
        add_share(list, (double)weight, (double)code->weight, text, "");
    }
}

/* code: its rows, of which the hottest come first; NULL: without them. */
static void add_relations(const struct ui *ui, const struct annotated *chosen,
                          const struct functions *code, struct page *list)
{
    const struct function *function = &chosen->function;
    static const char *const titles[] = {"Callers, in % of its stacks", "Callees",
                                         "Inlined into it"};
    struct functions related[RELATED_KINDS] = {{0}};
    double all = (double)view_functions(ui->view)->all_weight;
    double inside = (double)view_related(ui->view, function, related);
    double below = (double)related[RELATED_CALLEES].weight; /* of stacks that go on below it */
    page_title(list, "%s  %s", chosen->name,
               *function->object.path ? function->object.path : function->object.name);
    page_add(list, ROLE_VALUE, "itself", "%.2f %% of all samples",
             all > 0 ? 100 * (inside - below) / all : 0);
    page_add(list, ROLE_VALUE, "with callees", "%.2f %%", all > 0 ? 100 * inside / all : 0);
    if (function->object.reason)
        page_add(list, ROLE_NOTICE, "names", "%s", function->object.reason);
    if (code)
        add_hottest(list, code);
    for (enum related kind = 0; kind < RELATED_KINDS; kind++) {
        if (related[kind].count > 0 || kind != RELATED_INLINED)
            add_related(list, titles[kind], &related[kind], inside);
        functions_release(&related[kind]);
    }
}

static void fill_callers(struct ui *ui, struct page *list)
{
    const struct annotated *chosen = &scope_of(ui)->chosen;
    if (ui->frame && ui->frame->profile && ui->frame->profile->book == chosen->book) {
        add_relations(ui, chosen, NULL, list);
        return;
    }
    page_title(list, "%s", chosen->name);
    page_add(list, ROLE_DIM, "", "no samples in this interval");
}

void functions_draw_beside(struct ui *ui, const struct band *band, int width)
{
    enum { COLUMN = 10 };
    struct page list = {.column = COLUMN};
    struct functions *code = &scope_of(ui)->hot;
    if (table_row(&ui->table, ui->view)) {
        struct annotated shown =
            annotated_new(ui->frame, view_row_function(ui->view, ui->table.row));
        view_code(ui->view, &shown, code);
        add_relations(ui, &shown, code, &list);
        annotated_release(&shown);
    } else
        page_add(&list, ROLE_DIM, "", "no samples in this interval");
    page_draw(&list, ui->term, band, 0, width);
    page_release(&list);
}

bool functions_beside_pending(const struct ui *ui)
{
    const struct functions *code = &scope_of(ui)->hot;
    bool shown = view_settings(ui->view)->kind == VIEW_FUNCTIONS && table_row(&ui->table, ui->view);
    return shown && (code->pending || code->source.pending);
}

const struct pane pane_callers = {
    .name = "callers",
    .title = "On a page of callers",
    .commands = page_commands,
    .cover = COVER_TABLE,
    .fill = fill_callers,
    .reads = true,
};

void functions_relations(struct ui *ui)
{
    struct functions_scope *scope = scope_of(ui);
    const struct annotated *shown = view_annotated(ui->view);
    size_t row = ui->table.selecting ? ui->table.row : 0;
    bool instructions = view_settings(ui->view)->kind == VIEW_INSTRUCTIONS;
    if (!view_of_code(view_settings(ui->view)->kind)) {
        ui_say(ui, ROLE_NOTICE, "functions have callers: p shows those of this row");
        return;
    }
    if (instructions ? !shown : ui->table.absent || row >= view_rows(ui->view)) {
        ui_say(ui, ROLE_NOTICE, "no sample of it in this interval");
        return;
    }
    annotated_release(&scope->chosen);
    if (instructions)
        annotated_copy(&scope->chosen, shown);
    else
        scope->chosen = annotated_new(ui->frame, view_row_function(ui->view, row));
    pane_open(ui, &pane_callers);
}

static void scope_name(struct functions_scope *scope, const char *comm, pid_t id)
{
    snprintf(scope->text, sizeof(scope->text), "%.40s %d", comm, (int)id);
}

/* The tasks of the row. False if there is no such set of tasks. */
static bool scope_row(struct ui *ui, const struct row *row, struct functions_scope *scope)
{
    const struct view_settings *settings = view_settings(ui->view);
    const struct group *group = view_row_group(ui->view, ui->table.row);
    const char *key = group ? group->key : NULL;
    struct watch *watch = &scope->watch;
    if (view_of_cpus(settings->kind)) {
        scope->cpu = row->cpu;
        snprintf(scope->text, sizeof(scope->text), "CPU %d", row->cpu);
        return row->cpu >= 0;
    }
    if (settings->kind == VIEW_TASKS && row->pid > 0) {
        char id[16];
        bool thread = row->process != 0;
        snprintf(id, sizeof(id), "%d", (int)(thread ? row->tid : row->pid));
        scope_name(scope, row->comm, thread ? row->tid : row->pid);
        return thread ? watch_add_threads(watch, id, NULL) == 0
                      : (watch_add_pid(watch, row->pid), true);
    }
    if (!key)
        return false;
    snprintf(scope->text, sizeof(scope->text), "%s %.40s", view_types[settings->kind].naming, key);
    if (settings->kind == VIEW_USERS) {
        watch_add_user(watch, row->uid);
        return row->uid != (uid_t)-1;
    }
    if (settings->kind == VIEW_CGROUPS || settings->kind == VIEW_CGROUP_TAKERS) {
        watch->cgroup = mem_strdup(key);
        return true;
    }
    names_add(&watch->names, key);
    return true;
}

/* Samples for the scope. */
static void scope_sample(struct ui *ui)
{
    struct functions_scope *scope = scope_of(ui);
    const struct watch *watch = watch_all(&scope->watch) ? NULL : &scope->watch;
    struct event_set *events = ui->frame ? mem_share(ui->frame->events) : NULL;
    event_set_drop(scope->events); /* the old set is referenced, so a new one has another address */
    scope->events = events;
    scope->refusal.text[0] = '\0';
    if (host_sample(ui->host, scope->event, watch, scope->cpu, &scope->refusal) < 0)
        ui_say(ui, ROLE_ERROR, "%s", scope->refusal.text);
}

void functions_show_view(struct ui *ui, enum view_kind kind)
{
    struct view_settings next = *view_settings(ui->view);
    if (view_of_code(kind) && !view_of_code(next.kind)) {
        scope_clear(ui, scope_of(ui));
        scope_of(ui)->from = next.kind;
        scope_sample(ui);
    } else if (!view_of_code(kind)) {
        scope_clear(ui, scope_of(ui));
        host_stop_sampling(ui->host);
    }
    next.samples = scope_of(ui)->watch;
    next.kind = kind;
    table_home(&ui->table);
    frames_change(ui, &next);
}

void functions_follow(struct ui *ui)
{
    struct functions_scope *scope = scope_of(ui);
    bool shown = ui_is_live(ui) && view_of_code(view_settings(ui->view)->kind);
    if (shown && ui->frame && scope->events != ui->frame->events)
        scope_sample(ui);
    /* A process that executes another program has that one's name. */
    bool one = ui->frame && scope->watch.pid_count == 1;
    const struct row *row = one ? frame_row(ui->frame, *scope->watch.pids, 0) : NULL;
    if (row)
        scope_name(scope, row->comm, row->pid);
}

/* Samples in another style; one that is refused, which is said, changes nothing. */
static void scope_restyle(struct ui *ui, struct sampling_style style, const char *now)
{
    const struct functions_scope *scope = scope_of(ui);
    struct sampling_style before = *host_style(ui->host);
    *host_style(ui->host) = style;
    scope_sample(ui);
    struct err refusal = scope->refusal;
    if (*refusal.text) {
        *host_style(ui->host) = before;
        scope_sample(ui);
    }
    ui_say(ui, *refusal.text ? ROLE_ERROR : ROLE_VALUE, "%s", *refusal.text ? refusal.text : now);
}

/* Whether samples are taken now; else says why not. */
static bool scope_is_live(struct ui *ui)
{
    bool code = view_of_code(view_settings(ui->view)->kind), live = code && ui_is_live(ui);
    if (!live)
        ui_say(ui, ROLE_NOTICE, "%s",
               code ? "the stacks and weights of the past stay as they are"
                    : "functions have stacks and weights: p shows those of this row");
    return live;
}

void functions_stacks(struct ui *ui)
{
    struct functions_scope *scope = scope_of(ui);
    struct sampling_style style = *host_style(ui->host);
    bool copies = style.stacks != STACKS_DWARF;
    if (!scope_is_live(ui))
        return;
    if (!scope->switched)
        scope->before = style.stacks;
    scope->switched = true;
    style.stacks = copies ? STACKS_DWARF : STACKS_FP;
    scope_restyle(ui, style,
                  copies ? "callers are found in copies of the stack"
                         : "callers are found by frame pointers");
}

void functions_by_wall(struct ui *ui)
{
    struct sampling_style style = *host_style(ui->host);
    style.wall = !style.wall;
    if (scope_is_live(ui))
        scope_restyle(ui, style,
                      style.wall ? "shares are of elapsed time" : "shares are of time on CPUs");
}

void functions_open(struct ui *ui)
{
    struct functions_scope next = {.cpu = -1}, *scope = scope_of(ui);
    struct view_settings settings = *view_settings(ui->view);
    const struct row *row = table_row(&ui->table, ui->view);
    if (view_of_code(settings.kind)) {
        bool instructions = settings.kind == VIEW_INSTRUCTIONS;
        functions_show_view(ui, instructions ? VIEW_FUNCTIONS : scope->from);
        return;
    }
    if (ui_row_is_away(ui))
        return;
    if (row && row->id != 0 && !scope_row(ui, row, &next) && !view_of_cpus(settings.kind)) {
        ui_say(ui, ROLE_NOTICE, "these processes have ended: their code cannot be sampled");
        scope_clear(ui, &next);
        return;
    }
    if (!ui_is_live(ui) && (next.cpu >= 0 || next.watch.cgroup)) {
        ui_say(ui, ROLE_NOTICE, "samples of the past have no CPU and no cgroup: these are all");
        scope_clear(ui, &next);
    }
    scope_clear(ui, scope);
    next.from = settings.kind;
    next.event = view_sort_event(ui->view);
    *scope = next;
    host_stop_sampling(ui->host);
    scope_sample(ui);
    settings.samples = scope->watch;
    settings.kind = VIEW_FUNCTIONS;
    table_home(&ui->table);
    frames_change(ui, &settings);
    if (!ui->paused)
        host_refresh(ui->host);
}

const char *functions_scope(const struct ui *ui)
{
    return scope_of(ui)->text;
}

char *functions_books(const struct ui *ui)
{
    const struct functions_scope *scope = scope_of(ui);
    if (!view_of_code(view_settings(ui->view)->kind))
        return NULL;
    struct str line = str_new();
    if (*functions_scope(ui))
        str_printf(&line, "%s: ", functions_scope(ui));
    if (*scope->refusal.text)
        str_add(&line, "nothing is sampled");
    else
        view_explain(ui->view, &line);
    return str_detach(&line);
}

const char *functions_empty(const struct ui *ui)
{
    const struct functions_scope *scope = scope_of(ui);
    if (*scope->refusal.text)
        return scope->refusal.text;
    if (!ui->frame || !ui->frame->profile)
        return ui_is_live(ui) ? "sampling..." : "nothing was sampled in this interval";
    return "no samples in this interval";
}

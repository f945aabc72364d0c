/* Conditions as a filter: what they mean for rows, what is a mistake and where, and what is plain
 * text after all. */
#include "unit/viewed.h"

#include "view/condition.h"

/* Rows of `screen hw`, best first by %CPU: 2 Beta 90 %, IPC 0.25, 400 cycles, on CPU 1, of
 * systemd-timesync; 1 alpha 50 %, IPC 2, 100 cycles, CPU 0, of root; 3 gamma 10 %, no cycles and so
 * no IPC, CPU 2, of the uid 4242. */
static void show(struct fixture *f)
{
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
}

static void expect(struct fixture *f, const char *text, const char *rows)
{
    struct err err = {""};
    if (view_set_filter(f->view, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(settings_of(f->view)->filter, text);
    expect_rows(f, rows);
}

static void expect_mistake(struct fixture *f, const char *text, const char *message)
{
    struct err err = {""};
    if (view_set_filter(f->view, text, &err) == 0)
        fail_msg("%s: no mistake", text);
    assert_string_equal(err.text, message);
}

static void numbers_compare(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "ipc < 0.5", "2");
    expect(f, "ipc<0.5", "2");
    expect(f, "ipc >= 0.25", "2 1");
    expect(f, "ipc > 0.25", "1");
    expect(f, "ipc <= 2", "2 1");
    expect(f, "ipc == 2", "1");
    expect(f, "ipc = 2", "1");
    expect(f, "pid != 1", "2 3");
    expect(f, "pid = 3", "3");
    expect(f, "cycles > 0.2k", "2");
    expect(f, "cycles < 0.0001M", "3");
    expect(f, "cycles <= 1e2", "1 3");
    expect(f, "page-faults > 1K", "2");
    expect(f, "faults > 1k", "2"); /* an alias of it */
    expect(f, "ipc > -1", "2 1");
    expect(f, "rate > 100", "2"); /* a metric that is not shown */
    settings_of(f->view)->amount = AMOUNT_INTERVAL;
    view_apply(f->view);
    expect(f, "cycles > 100", "2"); /* the interval is a second */
}

/* = is as exact as the column shows, but for 0. */
static void equal_is_as_it_is_shown(void **state)
{
    struct fixture *f = *state;
    f->frame->processes[0].oncpu = 0.50024;
    f->frame->processes[2].oncpu = 0.0001;
    show(f);
    expect(f, "cpu = 50", "1");
    expect(f, "cpu != 50", "2 3");
    expect(f, "cpu = 50.1", "");
    expect(f, "cpu = 0", "");
    expect(f, "cpu != 0", "2 1 3");
}

static void cpu_is_its_share_of_time(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "cpu > 20", "2 1");
    expect(f, "%cpu > 20%", "2 1"); /* the title, whatever its case */
    expect(f, "CPU_PCT > 60", "2");
    expect(f, "processor = 2", "3");
    expect(f, "'%CPU' < 20", "3");
}

static void texts_compare(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "user = root", "1");
    expect(f, "user=ROOT", "1");
    expect(f, "user != root", "2 3");
    expect(f, "user ~ time", "2");
    expect(f, "user = '4242'", "3");
    expect(f, "s = R", "1"); /* a title; no column of it is shown */
    expect(f, "command = beta", "2");
    expect(f, "command = bet", "");
    expect(f, "command ~ bet", "2");
    expect(f, "command ~ pid=3", "3"); /* its command line */
    expect(f, "cgroup = web.service", "2");
}

static void words_join(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "cpu > 20 and user = root", "1");
    expect(f, "cpu > 80 or user = root", "2 1");
    expect(f, "cpu > 80 OR cpu < 20 AND ipc > 0", "2"); /* `and` binds closer */
    expect(f, "(cpu > 80 or cpu < 20) and pid != 2", "3");
    expect(f, "not cpu > 20", "3");
    expect(f, "not (cpu > 80 or cpu < 20)", "1");
    expect(f, "not not cpu > 80", "2");
    expect(f, "'bet' or pid = 3", "2 3");
    expect(f, "not \"bet\"", "1 3");
}

/* A cell without a value is on neither side. */
static void no_value_satisfies_nothing(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "ipc < 100", "2 1");
    expect(f, "ipc != 2", "2");
    expect(f, "not ipc < 1", "1");
    expect(f, "not (ipc < 1 or pid = 1)", "");
    expect(f, "ipc < 1 or pid = 3", "2 3");
    expect(f, "not (ipc > 1 and pid = 1)", "2 3");
    expect(f, "ppid = 0", "");
}

static void other_views_have_their_rows(void **state)
{
    struct fixture *f = *state;
    show(f);
    settings_of(f->view)->kind = VIEW_USERS;
    view_apply(f->view);
    expect(f, "user = root", "0");
    expect(f, "cpu > 20", "0 0"); /* rows that add up have no thread id */
    expect(f, "processes > 1", "");
    expect(f, "pid > 0", "");
    expect(f, "\"roo\"", "0");
    settings_of(f->view)->kind = VIEW_TASKS;
    view_apply(f->view);
    expect(f, "processes > 0", ""); /* none of a task */
}

static void cpus_too(void **state)
{
    struct fixture *f = *state;
    f->frame->has_cpus = true;
    for (int i = 0; i < 2; i++) {
        struct row cpu = handmade_row(f->frame, (uint64_t[]){100, 0, 0});
        cpu.cpu = i;
        cpu.oncpu = i ? 0.75 : 0.25;
        handmade_add(&f->frame->cpus, &f->frame->cpu_count, cpu);
    }
    settings_of(f->view)->kind = VIEW_CPUS;
    view_set_frame(f->view, f->frame);
    size_t all = view_rows(f->view);
    assert_int_equal(view_set_filter(f->view, "processor >= 0 and cpu > 50", NULL), 0);
    assert_int_equal(view_rows(f->view), 2); /* all in one row stay on top */
    assert_int_equal(view_row(f->view, 1)->cpu, 1);
    assert_int_equal(view_set_filter(f->view, "processor = 0 and cycles = 100", NULL), 0);
    assert_int_equal(view_rows(f->view), 2);
    assert_int_equal(view_row(f->view, 1)->cpu, 0);
    assert_int_equal(view_set_filter(f->view, "alpha", NULL), 0);
    assert_int_equal(view_rows(f->view), all); /* plain text is about names */
}

static void plain_text_stays_so(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "alp", "1");
    expect(f, "--pid=2", "");
    expect(f, "pid=3 ", "3"); /* a condition: there is such a column */
    view_set_filter(f->view, "--pid=3", NULL);
    expect_rows(f, "3");
    expect(f, "prog=3", "");
    expect(f, "=1", "1");
    expect(f, "not", "");
    expect(f, "(alpha)", "");
    expect(f, "cpu", "");
    assert_int_equal(view_set_filter(f->view, NULL, NULL), 0);
    assert_null(settings_of(f->view)->filter);
    expect_rows(f, "2 1 3");
    /* Set past the check, a condition with a mistake is a text. */
    settings_of(f->view)->filter = mem_strdup("ipc <");
    view_apply(f->view);
    expect_rows(f, "");
    strcpy(settings_of(f->view)->filter, "ipc<1");
    view_apply(f->view);
    expect_rows(f, "2");
}

static void mistakes_have_a_place(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "pid = 1", "1");
    expect_mistake(f, "ipcc < 1",
                   "no column and no counted event 'ipcc' (nearest is 'ipc') at column 1: "
                   "^ipcc < 1");
    expect_mistake(f, "ipc < fast",
                   "expected a number such as 0.5 or 10k at column 7: ipc < ^fast");
    expect_mistake(f, "ipc < 1 pid = 1", "expected 'and' or 'or' at column 9: ipc < 1 ^pid = 1");
    expect_mistake(f, "(ipc < 1", "expected 'and', 'or' or ')' at column 9: (ipc < 1^");
    expect_mistake(f, "ipc < 1)", "expected 'and' or 'or' at column 8: ipc < 1^)");
    expect_mistake(f, "ipc < 1 and alpha",
                   "expected = != < <= > >= or ~ at column 18: ipc < 1 and alpha^");
    expect_mistake(f, "user > root",
                   "'user' is a text: expected = != or ~ before it at column 8: user > ^root");
    expect_mistake(f, "pid ~ 1",
                   "'pid' is a number: expected = != < <= > or >= before it at "
                   "column 7: pid ~ ^1");
    expect_mistake(f, "cpu > and pid = 1", "expected a value at column 7: cpu > ^and pid = 1");
    expect_mistake(f, "'alpha", "no closing quote for the one at column 1: ^'alpha");
    expect_mistake(f, "user = ''", "no text between the quotes at column 8: user = ^''");
    expect_mistake(f, "cache-misses > 1",
                   "no column and no counted event 'cache-misses' at column 1: "
                   "^cache-misses > 1");
    expect_rows(f, "1"); /* the filter is as it was */
}

static void needs_what_is_counted(void **state)
{
    struct fixture *f = *state;
    struct err err;
    metric_set_load(&f->metric_set, "[metric bmiss]\nexpr = branch-misses / branches\n", "ini",
                    NULL);
    view_renew_metrics(f->view);
    show(f);
    expect_mistake(f, "bmiss > 1",
                   "'bmiss' needs the event 'branch-misses', which is not counted (-e adds it), "
                   "at column 1: ^bmiss > 1");
    /* Before it is known what is counted, it may be. */
    struct view *early = view_new(&f->metric_set, &f->screens, NULL);
    assert_int_equal(view_set_filter(early, "bmiss > 1 and cache-misses > 2", &err), 0);
    view_set_frame(early, f->frame);
    assert_int_equal(view_rows(early), 0);
    view_free(early);
}

static void bounds_hold(void **state)
{
    struct fixture *f = *state;
    struct err err;
    struct str text;
    show(f);
    str_init(&text);
    for (int i = 0; i < 32; i++)
        str_add(&text, "(");
    str_add(&text, "pid = 1");
    for (int i = 0; i < 32; i++)
        str_add(&text, ")");
    expect(f, text.text, "1");
    char *deeper = mem_printf("(%s)", text.text);
    assert_int_equal(view_set_filter(f->view, deeper, &err), -1);
    assert_non_null(strstr(err.text, "too deeply nested at column 33"));
    free(deeper);
    str_clear(&text);
    for (int i = 0; i < 128; i++)
        str_printf(&text, "%spid = %d", i ? " or " : "", i);
    expect(f, text.text, "2 1 3");
    str_add(&text, " or pid = 0");
    assert_int_equal(view_set_filter(f->view, text.text, &err), -1);
    assert_non_null(strstr(err.text, "too many conditions"));
    str_release(&text);
}

static void type(struct fixture *f, const char *text, enum view_typed outcome, const char *rows)
{
    struct err err;
    assert_int_equal(view_type_filter(f->view, text, &err), outcome);
    expect_rows(f, rows);
}

/* The screen is not emptied by what is not finished. */
static void typing_keeps_the_rows(void **state)
{
    struct fixture *f = *state;
    show(f);
    type(f, "cy", VIEW_TYPED_UNFINISHED, "2 1 3"); /* as in cycles; no shown name has it */
    type(f, "cycles ", VIEW_TYPED_UNFINISHED, "2 1 3");
    type(f, "cycles x", VIEW_TYPED_TAKEN, "");
    view_set_filter(f->view, NULL, NULL);
    type(f, "ipc <", VIEW_TYPED_UNFINISHED, "2 1 3");
    type(f, "ipc < 0", VIEW_TYPED_UNFINISHED, "2 1 3"); /* holds for no row */
    type(f, "ipc < 0.", VIEW_TYPED_UNFINISHED, "2 1 3");
    type(f, "ipc < 0.5", VIEW_TYPED_TAKEN, "2");
    type(f, "ipc < 0.5 o", VIEW_TYPED_WRONG, "2");
    type(f, "ipc < 0.5 or", VIEW_TYPED_UNFINISHED, "2");
    type(f, "ipc < 0.5 or (user = 'ro", VIEW_TYPED_UNFINISHED, "2");
    type(f, "ipc < 0.5 or (user = 'root'", VIEW_TYPED_UNFINISHED, "2");
    type(f, "ipc < 0.5 or (user = 'root')", VIEW_TYPED_TAKEN, "2 1");
    type(f, "ipcc < 0.5", VIEW_TYPED_WRONG, "2 1");
    type(f, "zzz", VIEW_TYPED_TAKEN, ""); /* plain text, and there is none */
    type(f, "", VIEW_TYPED_TAKEN, "2 1 3");
}

/* With other events it is the same condition; one that is gone has no value. */
static void events_change(void **state)
{
    struct fixture *f = *state;
    show(f);
    expect(f, "page-faults > 1000", "2");
    static const char *const fewer[] = {"page-faults"};
    struct frame *frame = handmade_frame(handmade_set(1, fewer));
    handmade_process(frame, 7, "other", 0.5, (uint64_t[]){2000});
    frame->processes[0].ran = true;
    view_set_frame(f->view, frame);
    expect_rows(f, "7");
    assert_int_equal(view_set_filter(f->view, "page-faults > 3k", NULL), 0);
    expect_rows(f, "");
    view_set_frame(f->view, f->frame);
    expect_rows(f, "");
    expect(f, "cycles > 200", "2");
    view_set_frame(f->view, frame);
    expect_rows(f, "");
    view_set_frame(f->view, NULL);
    frame_free(frame);
}

/* Conditions as a filter: what they mean for rows, what is a mistake and where, and what is plain
 * text after all. */
#include "base/str.h"
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

static void bounds_hold(void **state)
{
    struct fixture *f = *state;
    struct err err;
    AUTO_STR struct str text = str_new();
    show(f);
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
}

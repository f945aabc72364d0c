#include "report/report.h"
#include "app/startup.h"
#include "base/json.h"
#include "demo/verify.h"
#include "engine/probe_open.h"

/* ---- the list ---- */

enum { COLUMNS = 80, NAME = 13, WHAT = 26, CELL = 10 };

/* Adds the events of its checks, each once; in lines of that many columns, below each other. */
static void add_events(struct str *text, const struct workload *workload, size_t width)
{
    size_t start = 0; /* of the last line */
    for (const struct demo_check *check = workload->checks; check->what; check++) {
        const struct demo_check *before = workload->checks;
        while (before < check && strcmp(before->events, check->events) != 0)
            before++;
        if (before < check)
            continue;
        const char *events = check->scaled ? "instructions:u, 24 times" : check->events;
        if (text->length && text->length - start + strlen("; ;") + strlen(events) > width) {
            str_printf(text, ";\n%*s ", NAME, "");
            start = text->length;
        } else if (text->length) {
            str_add(text, "; ");
        }
        str_add(text, events);
    }
}

void demo_page_list(FILE *out, bool json)
{
    struct caps caps;
    AUTO_STR struct str text = str_new(), events = str_new();
    char *before = NULL;
    probe_open_caps(&caps);
    struct workload_list *list = workload_list_new();
    for (const struct workload *workload = list->workloads; workload->name; workload++) {
        char *reason = verify_obstacle(workload, &caps);
        str_clear(&events);
        add_events(&events, workload, json ? SIZE_MAX : COLUMNS - NAME - 1);
        str_clear(&text);
        if (json) {
            json_open(&text, NULL, '{');
            json_text(&text, "type", "workload");
            json_text(&text, "name", workload->name);
            json_text(&text, "teaches", workload->teaches);
            json_text(&text, "events", events.text);
            json_bool(&text, "measurable", !reason);
            json_text(&text, "reason", reason);
            json_close(&text, '}');
            str_add(&text, "\n");
        } else {
            str_printf(&text, "%-*s %s\n%*s %s\n", NAME, workload->name, workload->teaches, NAME,
                       "", events.text);
            if (reason && str_equal(reason, before))
                str_printf(&text, "%*s not measurable here, as above\n", NAME, "");
            else if (reason)
                str_printf(&text, "%*s not measurable here: %s\n", NAME, "", reason);
        }
        fputs(text.text, out);
        if (reason)
            mem_replace(&before, reason);
    }
    if (!json)
        fprintf(out,
                "%-*s ten steps through the program: --demo tour\n"
                "%-*s all workloads: --demo all --verify\n",
                NAME, "tour", NAME, "all");
    free(before);
    workload_list_free(list);
}

/* ---- the self-test ---- */

struct verify_page {
    FILE *out;
    bool json;
    unsigned count[DEMO_VERDICTS];
    char *cause; /* the last cause */
};

static const char *number_format(double number)
{
    static const double WHOLE = 1e6; /* from here on, digits after the point say nothing */
    return fabs(number) >= WHOLE || number == floor(number) ? "%.0f" : "%.4g";
}

static void add_member(struct str *text, const char *key, double number)
{
    json_known(text, key, isfinite(number), number_format(number), number);
}

static void add_cell(struct str *text, double number)
{
    char cell[32] = "-";
    if (isfinite(number))
        snprintf(cell, sizeof(cell), number_format(number), number);
    str_printf(text, " %*s", CELL, cell);
}

static void add_result_object(struct str *text, const struct demo_result *result)
{
    AUTO_FREE char *cause = isnan(result->from_time) ? mem_strdup(result->cause)
                                                     : mem_printf("%s; from time: about %.2f",
                                                                  result->cause, result->from_time);
    json_open(text, NULL, '{');
    json_text(text, "type", "check");
    json_text(text, "name", result->name);
    json_text(text, "what", result->what);
    add_member(text, "expected", result->expected);
    add_member(text, "low", result->low);
    add_member(text, "high", result->high);
    add_member(text, "measured", result->measured);
    json_text(text, "verdict", verify_words[result->verdict]);
    json_text(text, "cause", cause);
    json_close(text, '}');
    str_add(text, "\n");
}

static void tell_result(void *ctx, const struct demo_result *result)
{
    struct verify_page *page = ctx;
    AUTO_STR struct str text = str_new();
    page->count[result->verdict]++;
    if (page->json) {
        add_result_object(&text, result);
    } else {
        bool shown = result->verdict != DEMO_PASS || result->tries > 1;
        str_printf(&text, "%-*s %-*s", NAME, result->name, WHAT, result->what);
        add_cell(&text, result->expected);
        add_cell(&text, result->measured);
        str_printf(&text, " %s\n", verify_words[result->verdict]);
        if (!isnan(result->from_time))
            str_printf(&text, "%*s from time: about %.2f\n", NAME, "", result->from_time);
        if (shown && isfinite(result->low)) {
            str_printf(&text, "%*s expected ", NAME, "");
            str_printf(&text, number_format(result->low), result->low);
            str_add(&text, " to ");
            str_printf(&text, number_format(result->high), result->high);
            str_add(&text, "\n");
        }
        if (shown && result->cause && !str_equal(result->cause, page->cause)) {
            str_printf(&text, "%*s %s: %s\n", NAME, "",
                       result->verdict == DEMO_FAIL ? "known causes" : "why", result->cause);
            mem_replace(&page->cause, mem_strdup(result->cause));
        }
    }
    fputs(text.text, page->out);
    fflush(page->out); /* before there is another process */
}

int demo_page_verify(FILE *out, const char *name, bool json, struct err *err)
{
    bool all = strcmp(name, "all") == 0;
    struct workload_list *list = workload_list_new();
    if (!all && !workload_find(list, name)) {
        err_set(err, "unknown workload '%.60s': see --demo list", name);
        err_add_nearest(err, str_nearest(name, workload_name, list));
        workload_list_free(list);
        return EXIT_USAGE;
    }
    struct verify_page page = {.out = out, .json = json};
    struct verify_pace pace;
    struct caps caps;
    caps_raise_descriptors();
    probe_open_caps(&caps);
    verify_pace(list, &pace);
    if (!json)
        fprintf(out, "%-*s %-*s %*s %*s %s\n", NAME, "workload", WHAT, "counted", CELL, "expected",
                CELL, "measured", "verdict");
    fflush(out);
    for (const struct workload *workload = list->workloads; workload->name; workload++)
        if (all || strcmp(workload->name, name) == 0)
            verify_workload(workload, &caps, &pace, tell_result, &page);
    if (!json) {
        for (int v = 0; v < DEMO_VERDICTS; v++)
            fprintf(out, "%s%u %s", v ? ", " : "", page.count[v], verify_words[v]);
        fputs("\n", out);
    }
    free(page.cause);
    workload_list_free(list);
    return page.count[DEMO_FAIL] ? EXIT_RUNNING : 0;
}

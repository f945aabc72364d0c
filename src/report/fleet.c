#include "report/fleet.h"
#include "base/json.h"
#include "base/str.h"

#include <stdio.h>

/* What is done in a second. Expressions are formats of printf(3) with three arguments: the labels
 * of the sum, what selects the machines, and the time over which it is the mean. */
#define RATE(name) "sum by (%1$s) (rate(countertop_" name "_total%2$s[%3$s]))"
#define IPC(prefix) RATE(prefix "instructions") " / " RATE(prefix "cycles")
#define MPKI "1000 * " RATE("cache_misses") " / " RATE("instructions")
#define TOP(name) "topk(10, " RATE("tasks_" name) ")"

/* --- Dashboard --- */

enum { COLUMNS = 24, HEIGHT = 8 }; /* of Grafana's grid: the width of the page, a panel's height */

struct graph_panel {
    const char *title, *help;
    const char *unit; /* a name of Grafana's */
    const char *expression;
    const char *legend;
    int width; /* 0: a new row with that title begins */
};

static const char machine[] = "{{instance}}", whom[] = "{{command}}{{user}}{{cgroup}}";

static const struct graph_panel panels[] = {
    {.title = "Machines: choose one by a click on its line"},
    {"Instructions per cycle", "Low: tasks on a CPU wait, mostly for memory", "none", IPC(""),
     machine, 8},
    {"CPUs busy", "Time on a CPU in a second", "none", RATE("busy_seconds"), machine, 8},
    {"Cache misses of 1,000 instructions", "MPKI: above 10, memory is what it waits for", "none",
     MPKI, machine, 8},
    {"Context switches", "", "ops", RATE("context_switches"), machine, 8},
    {"Waiting for a CPU", "Tasks that could run and had no CPU; needs the screen waits", "none",
     RATE("wait_time_seconds"), machine, 8},
    {"Pressure", "Share of time in which some task, or each (full), lacked it", "percentunit",
     "sum by (%1$s, resource, kind) (rate(countertop_pressure_seconds_total%2$s[%3$s]))",
     "{{instance}} {{resource}} {{kind}}", 8},
    {"Page faults", "", "ops", RATE("page_faults"), machine, 8},
    {"Lost records", "Counts of that time are unattributed", "ops", RATE("lost_records"), machine,
     8},
    {"What countertop takes", "Share of one CPU", "percentunit", RATE("self_cpu_seconds"), machine,
     8},
    {.title = "$instance: by name"},
    {"On a CPU", "", "none", TOP("busy_seconds"), whom, 12},
    {"Instructions per cycle", "Of those that take most time", "none",
     IPC("tasks_") " and " TOP("busy_seconds"), whom, 12},
    {"Cache misses", "", "ops", TOP("cache_misses"), whom, 12},
    {"Context switches", "", "ops", TOP("context_switches"), whom, 12},
    {"Waiting for a CPU", "Needs the screen waits", "none", TOP("wait_time_seconds"), whom, 12},
    {"Page faults", "", "ops", TOP("page_faults"), whom, 12},
};

/* "${datasource}" is the one that is chosen in the page. */
static void add_datasource(struct str *json)
{
    json_open(json, "datasource", '{');
    json_text(json, "type", "prometheus");
    json_text(json, "uid", "${datasource}");
    json_close(json, '}');
}

static void add_variable(struct str *json, const char *name, const char *type, const char *query,
                         bool several)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "type", type);
    json_text(json, "query", query);
    if (several) {
        add_datasource(json);
        json_number(json, "refresh", "2");
        json_bool(json, "multi", true);
        json_bool(json, "includeAll", true);
        json_text(json, "allValue", ".*");
        json_open(json, "current", '{');
        json_text(json, "text", "All");
        json_text(json, "value", "$__all");
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void add_graph(struct str *json, const struct graph_panel *panel)
{
    struct str expression;
    bool of_machines = panel->legend != whom;
    str_init(&expression);
    str_printf(&expression, panel->expression, of_machines ? "instance" : "$by",
               of_machines ? "{instance=~\"$instance\"}"
                           : "{instance=~\"$instance\",kind=\"task\"}",
               "$__rate_interval");
    json_text(json, "type", "timeseries");
    json_text(json, "description", panel->help);
    add_datasource(json);
    json_open(json, "targets", '[');
    json_open(json, NULL, '{');
    json_text(json, "refId", "A");
    json_text(json, "expr", expression.text);
    json_text(json, "legendFormat", panel->legend);
    json_close(json, '}');
    json_close(json, ']');
    json_open(json, "fieldConfig", '{');
    json_open(json, "defaults", '{');
    json_text(json, "unit", panel->unit);
    json_number(json, "min", "0");
    if (of_machines) {
        json_open(json, "links", '[');
        json_open(json, NULL, '{');
        json_text(json, "title", "Show ${__field.labels.instance}");
        json_text(json, "url", "/d/countertop?var-instance=${__field.labels.instance}");
        json_close(json, '}');
        json_close(json, ']');
    }
    json_close(json, '}');
    json_close(json, '}');
    str_release(&expression);
}

static void add_panels(struct str *json)
{
    int x = 0, y = 0;
    for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
        const struct graph_panel *panel = &panels[i];
        int width = panel->width ? panel->width : COLUMNS, height = panel->width ? HEIGHT : 1;
        if (x + width > COLUMNS || (!panel->width && x)) {
            x = 0;
            y += HEIGHT;
        }
        json_open(json, NULL, '{');
        json_number(json, "id", "%zu", i + 1);
        json_text(json, "title", panel->title);
        json_open(json, "gridPos", '{');
        json_number(json, "x", "%d", x);
        json_number(json, "y", "%d", y);
        json_number(json, "w", "%d", width);
        json_number(json, "h", "%d", height);
        json_close(json, '}');
        if (panel->width)
            add_graph(json, panel);
        else
            json_text(json, "type", "row");
        json_close(json, '}');
        x += panel->width;
        y += panel->width ? 0 : 1;
    }
}

void fleet_write_dashboard(void)
{
    struct str json;
    str_init(&json);
    json_open(&json, NULL, '{');
    json_text(&json, "uid", "countertop");
    json_text(&json, "title", "countertop");
    json_number(&json, "schemaVersion", "39");
    json_text(&json, "refresh", "30s");
    json_open(&json, "time", '{');
    json_text(&json, "from", "now-1h");
    json_text(&json, "to", "now");
    json_close(&json, '}');
    json_open(&json, "templating", '{');
    json_open(&json, "list", '[');
    add_variable(&json, "datasource", "datasource", "prometheus", false);
    add_variable(&json, "instance", "query", "label_values(countertop_info, instance)", true);
    add_variable(&json, "by", "custom", "command,user,cgroup", false);
    json_close(&json, ']');
    json_close(&json, '}');
    json_open(&json, "panels", '[');
    add_panels(&json);
    json_close(&json, ']');
    json_close(&json, '}');
    puts(json.text);
    str_release(&json);
}

/* --- Rules --- */

struct rule {
    const char *name, *expression;
    const char *duration, *summary; /* of an alert; else NULL */
};

static const struct rule rules[] = {
    {"instance:countertop_ipc:rate5m", IPC(""), NULL, NULL},
    {"instance:countertop_busy_cpus:rate5m", RATE("busy_seconds"), NULL, NULL},
    {"instance:countertop_cache_mpki:rate5m", MPKI, NULL, NULL},
    {"instance:countertop_context_switches:rate5m", RATE("context_switches"), NULL, NULL},
    {"instance:countertop_waiting_tasks:rate5m", RATE("wait_time_seconds"), NULL, NULL},
    {"instance:countertop_self_cpus:rate5m", RATE("self_cpu_seconds"), NULL, NULL},
    {"CountertopStopped",
     "time() - countertop_last_refresh_timestamp_seconds > "
     "30 + 3 * countertop_interval_seconds",
     "1m", "no interval has ended for {{ $value | humanizeDuration }}"},
    {"CountertopLosesRecords", RATE("lost_records") " > 0", "5m",
     "counts are unattributed: {{ $value }} records a second are lost"},
    {"CountertopDenied", "max by (instance) (countertop_denied_tasks) > 0", "5m",
     "{{ $value }} tasks are not counted: see countertop --check there"},
    {"CountertopCosts",
     "instance:countertop_self_cpus:rate5m > "
     "0.01 * count by (instance) (countertop_busy_seconds_total)",
     "10m", "countertop takes more than 1 % of the machine: {{ $value }} of a CPU"},
    {"IpcFell",
     "instance:countertop_ipc:rate5m < 0.5 * avg_over_time(instance:countertop_ipc:rate5m[1d]) "
     "and instance:countertop_busy_cpus:rate5m > 0.5",
     "15m", "instructions per cycle are half of the mean of a day: {{ $value }}"},
    {"WaitsForCpus",
     "instance:countertop_waiting_tasks:rate5m > instance:countertop_busy_cpus:rate5m "
     "and instance:countertop_busy_cpus:rate5m > 0.5",
     "15m", "more tasks wait for a CPU than run: {{ $value }}"},
};

void fleet_write_rules(void)
{
    puts("groups:\n  - name: countertop\n    rules:");
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct rule *rule = &rules[i];
        struct str expression;
        str_init(&expression);
        str_printf(&expression, rule->expression, "instance", "", "5m");
        printf("      - %s: %s\n        expr: '%s'\n", rule->summary ? "alert" : "record",
               rule->name, expression.text);
        if (rule->summary)
            printf("        for: %s\n        labels: {severity: warning}\n"
                   "        annotations: {summary: '{{ $labels.instance }}: %s'}\n",
                   rule->duration, rule->summary);
        str_release(&expression);
    }
}

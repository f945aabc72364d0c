/* `=` in the view of functions: who watches an unchanged program sees no mark, however long; a
 * change is marked. Samples are made: as many as by chance. */
#include "unit/test.h"

#include "model/frame.h"
#include "sample/profile.h"
#include "view/baseline.h"
#include "view/column.h"
#include "view/state.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 5, SAMPLES = 200, LOOKS = 60 };

static double by_chance(double mean)
{
    double pair = sqrt(-2 * log(1 - drand48())) * cos(2 * M_PI * drand48());
    return fmax(0, round(mean + sqrt(mean) * pair));
}

/* Shares of 1, 1/2, 1/3 ... in an interval of 0.1 s; the second one takes `factor` of its share. */
static void sample(struct view *view, struct frame *frame, double factor)
{
    struct functions *functions = &view->rows.functions;
    functions->samples = 0;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double mean = SAMPLES / 2.3 / (double)(f + 1) * (f == 1 ? factor : 1);
        functions->functions[f].samples = (uint64_t)by_chance(mean);
        functions->functions[f].weight = functions->functions[f].samples * 1000000;
        functions->samples += functions->functions[f].samples;
    }
    functions->all_samples = functions->samples;
    functions->weight = functions->all_weight = functions->samples * 1000000;
    frame->wall += frame->interval;
    view_record_functions(view, false, frame, functions, false);
}

static bool is_marked(const struct view *view)
{
    const struct column samples = {.shown.name = "samples"};
    for (size_t f = 0; f < FUNCTIONS; f++) {
        struct cell cell = {.text = ""};
        baseline_cell(view, &samples, &view->rows.functions.rows[f], &cell);
        if (strchr(cell.text, '*'))
            return true;
    }
    return false;
}

/* How many of the comparisons have a mark in any of their looks. */
static size_t marked(double factor, size_t comparisons)
{
    static char names[FUNCTIONS][4] = {"f0", "f1", "f2", "f3", "f4"};
    const struct metric_set metrics = {0};
    const struct screen_list screens = {0};
    struct row rows[FUNCTIONS] = {{0}};
    struct function functions[FUNCTIONS];
    struct profile profile = {.event = (char *)"cpu-clock", .unit = (char *)"ns"};
    size_t count = 0;
    srand48(1);
    memset(functions, 0, sizeof(functions));
    for (size_t f = 0; f < FUNCTIONS; f++) {
        rows[f].id = f + 1;
        functions[f].code = (struct code_function){.state = CODE_NAMED, .name = names[f]};
        functions[f].object.name = (char *)"program";
    }
    for (size_t c = 0; c < comparisons; c++) {
        struct view *view = view_new(&metrics, &screens, NULL);
        struct frame frame = {.interval = 0.1, .profile = &profile};
        struct err err;
        view->settings.kind = VIEW_FUNCTIONS;
        view->frame = &frame;
        view->rows.functions =
            (struct functions){.count = FUNCTIONS, .rows = rows, .functions = functions};
        for (size_t i = 0; i < BASELINE_INTERVALS; i++)
            sample(view, &frame, 1);
        assert_int_equal(view_take_baseline(view, &err), 0);
        bool any = false;
        for (size_t i = 0; i < LOOKS && !any; i++) {
            sample(view, &frame, factor);
            any = is_marked(view);
        }
        count += any;
        view->frame = NULL;
        view->rows.functions = (struct functions){0};
        view_free(view);
    }
    return count;
}

/* One of 100 at most. */
static void an_unchanged_program_has_no_mark(void **state)
{
    (void)state;
    size_t count = marked(1, 400);
    print_message("%zu of 400 comparisons of equal programs have a mark in one of %d looks\n",
                  count, LOOKS);
    assert_true(count <= 4);
}

static void a_change_is_marked(void **state)
{
    (void)state;
    size_t count = marked(2, 100);
    print_message("%zu of 100 comparisons have a mark where a function takes twice as much\n",
                  count);
    assert_true(count >= 85);
}

/* A flame graph: the stacks of the samples as a picture that needs nothing but a browser.
 * Each function is a box over its caller, as wide as its part of the sampled event; boxes too
 * narrow to be seen are left out, which the title says. A click on a box zooms, '/' searches. */
#include "base/embed.h"
#include "front/batch.h"
#include "view/format.h"
#include "view/sampling.h"

/* Pixels: the picture's width, a box's height, the margin around all boxes, the space above. */
enum { WIDTH = 1200, BOX = 17, MARGIN = 10, TITLES = 60 };
static const double LETTER = 7.3;    /* width of a letter */
static const double NARROWEST = 0.1; /* what is narrower is not drawn */

struct svg {
    struct str *text;
    const struct stack_tree *tree;
    const char *event;
    double unit; /* pixels for a weight of 1 */
    bool clock;
    double before; /* of a comparison: what the weight of before is multiplied by; 0: of none */
    size_t narrow; /* nodes that are not drawn, without those above them */
};

/* Adds text for the inside of an element or of an attribute in double quotes. */
static void svg_escape(struct str *text, const char *from)
{
    AUTO_STR struct str safe = str_new();
    str_add_visible(&safe, from);
    for (const char *c = safe.text; *c; c++)
        if (*c == '&')
            str_add(text, "&amp;");
        else if (*c == '<')
            str_add(text, "&lt;");
        else if (*c == '>')
            str_add(text, "&gt;");
        else if (*c == '"')
            str_add(text, "&quot;");
        else
            str_add_char(text, *c);
}

/* Adds as much of a name as fits. */
static void svg_label(struct str *text, const char *name, double width)
{
    AUTO_STR struct str safe = str_new();
    size_t room = width > 3 * LETTER ? (size_t)(width / LETTER) - 2 : 0, length = 0;
    unsigned code;
    str_add_visible(&safe, name);
    const char *end = safe.text;
    while (*end && length < room)
        end += str_utf8(end, &code), length++;
    bool whole = *end == '\0';
    safe.text[end - safe.text] = '\0';
    if (length > 0)
        svg_escape(text, safe.text);
    if (length > 0 && !whole)
        str_add(text, "…");
}

/* What has grown, or shrunk, is the warmer or colder, and has stripes or dots, the more that is: a
 * twentieth, a fifth, a half of what it was. The patterns are in flamegraph.defs. */
enum { GRADES = 3 };
static const double grades[GRADES] = {0.05, 0.2, 0.5};

/* The fill of a node, and what its title says of the change. */
static void svg_change(const struct svg *svg, const struct stack_node *node, char fill[32],
                       char change[64])
{
    double before = (double)node->before * svg->before, now = (double)node->weight;
    double part = before > 0 ? now / before - 1 : INFINITY;
    int grade = -1;
    while (grade + 1 < GRADES && fabs(part) >= grades[grade + 1])
        grade++;
    if (grade < 0)
        snprintf(fill, 32, "#e5e5e5");
    else
        snprintf(fill, 32, "url(#%s%d)", part > 0 ? "more" : "less", grade);
    if (isinf(part))
        snprintf(change, 64, ", new");
    else
        snprintf(change, 64, ", %+.1f %%", part * 100);
}

static void svg_box(struct svg *svg, const struct stack_node *node, double x, double y,
                    size_t level)
{
    enum { DIGITS = 6 };
    struct str *text = svg->text;
    double width = (double)node->weight * svg->unit;
    char amount[FORMAT_SIZE], colour[32] = "hsl(0,0%,80%)", change[64] = "";
    if (svg->clock)
        format_duration(amount, (double)node->weight / 1e9, DIGITS);
    else
        format_count(amount, (double)node->weight, DIGITS);
    if (node->object)
        snprintf(colour, sizeof(colour), "hsl(%u,75%%,70%%)",
                 (unsigned)(str_hash(node->object) % 360)); /* one for all of its functions */
    if (svg->before > 0)
        svg_change(svg, node, colour, change);
    str_printf(text, "<g data-x=\"%.3f\" data-w=\"%.3f\" data-d=\"%zu\" data-n=\"", x, width,
               level);
    svg_escape(text, node->name);
    str_add(text, "\"><title>");
    svg_escape(text, node->name);
    if (node->object) {
        str_add(text, " (");
        svg_escape(text, node->object);
        str_add_char(text, ')');
    }
    str_printf(text, ": %.2f %%, %s of ", 100 * width / (WIDTH - 2 * MARGIN), amount);
    svg_escape(text, svg->event);
    str_add(text, change);
    str_printf(text,
               "</title><rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%d\" fill=\"%s\"/>"
               "<text x=\"%.3f\" y=\"%.0f\">",
               x, y, width, BOX - 1, colour, x + 3, y + BOX - 5);
    svg_label(text, node->name, width);
    str_add(text, "</text></g>\n");
}

/* Draws a node and what is above it; returns where it ends. */
static double svg_draw(struct svg *svg, size_t index, double x, size_t level)
{
    const struct stack_node *node = &svg->tree->nodes[index];
    double end = x + (double)node->weight * svg->unit;
    if (end - x < NARROWEST) {
        svg->narrow++;
        return end;
    }
    svg_box(svg, node, x, (double)(TITLES + (svg->tree->depth - 1 - level) * BOX), level);
    for (size_t child = node->child; child; child = svg->tree->nodes[child].next)
        x = svg_draw(svg, child, x, level + 1);
    return end;
}

/* books: what the picture is of. */
static void svg_titles(struct str *text, struct str *books, const struct svg *svg)
{
    if (svg->narrow > 0)
        str_printf(books, "; %zu boxes narrower than %g pixels are not drawn", svg->narrow,
                   NARROWEST);
    str_printf(text, "<text x=\"%d\" y=\"20\">", MARGIN);
    svg_escape(text, books->text);
    str_printf(text,
               "</text>\n<text x=\"%d\" y=\"40\" class=\"keys\">click a box: zoom   Esc: all   "
               "/: search</text>\n<text x=\"%d\" y=\"40\" text-anchor=\"end\" id=\"found\"/>\n",
               MARGIN, WIDTH - MARGIN);
}

/* The picture of a tree, whose first node has all; count 0: none. */
static void svg_picture(struct svg *svg, struct str *books)
{
    struct str *text = svg->text;
    int height = TITLES + (int)svg->tree->depth * BOX + MARGIN;
    str_printf(text,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n%s<rect width=\"100%%\" height=\"100%%\" "
               "fill=\"#fff\"/>\n",
               WIDTH, height, WIDTH, height, embedded_text("flamegraph.defs"));
    bool drawn = svg->tree->count > 0 && svg->tree->nodes->weight > 0;
    if (drawn) {
        svg->unit = (WIDTH - 2.0 * MARGIN) / (double)svg->tree->nodes->weight;
        svg_draw(svg, 0, MARGIN, 0);
    }
    svg_titles(text, books, svg);
    if (drawn) /* what a click, Escape and '/' do */
        str_printf(
            text,
            "<script><![CDATA[\nconst margin = %d, inner = %d, letter = %g;\n%s]]></script>\n",
            MARGIN, WIDTH - 2 * MARGIN, LETTER, embedded_text("flamegraph.js"));
    str_add(text, "</svg>\n");
}

int svg_write(struct batch *batch, const struct session *session UNUSED, struct err *err UNUSED)
{
    struct view *view = batch->in.view;
    const struct profile *profile = batch->frame->profile;
    view_set_frame(view, batch->frame);
    struct stack_tree tree = {0};
    AUTO_STR struct str books = str_new();
    view_stacks(view, &tree);
    view_explain(view, &books);
    struct svg svg = {.text = &batch->text, .tree = &tree};
    if (tree.count > 0) {
        svg.event = profile->event;
        svg.clock = str_equal(profile->unit, "ns");
    }
    svg_picture(&svg, &books);
    stack_tree_release(&tree);
    return 0;
}

void svg_compare(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input)
{
    const struct comparison_metric *all = comparison_all(comparison);
    const struct comparison_side *sides = comparison->sides;
    AUTO_STR struct str books = str_new();
    bool clock = all && all->kind == COMPARE_SECONDS;
    double first = comparison->recordings ? sides[0].seconds : (double)sides[0].runs;
    double second = comparison->recordings ? sides[1].seconds : (double)sides[1].runs;
    struct svg svg = {.text = text,
                      .tree = input->stacks,
                      .event = clock || !all ? "time" : all->name,
                      .clock = clock,
                      .before = second / first};
    if (input->stacks->count > 0)
        stack_tree_sort(input->stacks);
    str_printf(&books,
               "%s, against %s: wider is more; orange with stripes has grown by %g, %g or "
               "%g %%, blue with dots has shrunk",
               sides[1].text, sides[0].text, grades[0] * 100, grades[1] * 100, grades[2] * 100);
    svg_picture(&svg, &books);
}

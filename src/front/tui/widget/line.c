#include "front/tui/widget/line.h"
#include "base/cells.h"

#include <stdarg.h>
#include <stdio.h>

struct piece *line_add(struct line *line, int rank, const char *label, const char *format, ...)
{
    /* No real line has LINE_PIECES pieces; if one is full, replace its last. */
    if (line->count == LINE_PIECES)
        line->count--;
    struct piece *piece = &line->pieces[line->count++];
    *piece = (struct piece){.label_role = ROLE_LABEL, .role = ROLE_VALUE, .rank = rank};
    snprintf(piece->label, sizeof(piece->label), "%s", label);
    va_list args;
    va_start(args, format);
    vsnprintf(piece->text, sizeof(piece->text), format, args);
    va_end(args);
    return piece;
}

struct piece *line_add_right(struct line *line, int rank, enum role role, const char *text)
{
    struct piece *piece = line_add(line, rank, "", "%s", text);
    piece->role = role;
    piece->right = true;
    return piece;
}

void line_append(struct line *line, const struct line *other)
{
    enum { BELOW = 1000 };
    for (size_t i = 0; i < other->count && line->count < LINE_PIECES; i++) {
        line->pieces[line->count] = other->pieces[i];
        line->pieces[line->count++].rank -= BELOW;
    }
}

static const char *line_shown(const struct piece *piece)
{
    return piece->shortened ? piece->brief : piece->text;
}

static int piece_width(const struct piece *piece)
{
    int label = cells_width(piece->label), text = cells_width(line_shown(piece));
    return label + text + (label > 0 && text > 0 ? 1 : 0);
}

static int gap(const struct piece *piece)
{
    return piece->joined ? 1 : LINE_GAP;
}

int line_width(const struct line *line)
{
    int width = 0;
    for (size_t i = 0; i < line->count; i++)
        if (!line->pieces[i].gone)
            width += piece_width(&line->pieces[i]) + (width > 0 ? gap(&line->pieces[i]) : 0);
    return width;
}

/* The next piece to shorten or leave out; NULL: only one is left and cannot be shortened. */
static struct piece *lowest(struct line *line)
{
    struct piece *found = NULL;
    size_t left = 0;
    for (size_t i = 0; i < line->count; i++) {
        struct piece *piece = &line->pieces[i];
        if (piece->gone)
            continue;
        left++;
        if (!found || piece->rank < found->rank)
            found = piece;
    }
    return left > 1 || (found && found->brief[0] && !found->shortened) ? found : NULL;
}

void line_fit(struct line *line, int width)
{
    struct piece *piece;
    while (line_width(line) > width && (piece = lowest(line))) {
        if (piece->brief[0] && !piece->shortened)
            piece->shortened = true;
        else
            piece->gone = true;
    }
}

static int draw_piece(const struct piece *piece, struct terminal *term, int y, int x, int width)
{
    int used = term_put(term, y, x, width, piece->label_role, piece->label);
    if (used > 0 && line_shown(piece)[0])
        used += term_put(term, y, x + used, width - used, ROLE_TEXT, " ");
    return used + term_put(term, y, x + used, width - used, piece->role, line_shown(piece));
}

void line_draw(const struct line *line, struct terminal *term, int y, int width)
{
    int x = 0, edge = width;
    for (size_t i = line->count; i-- > 0;) {
        const struct piece *piece = &line->pieces[i];
        if (piece->gone || !piece->right)
            continue;
        edge -= piece_width(piece);
        draw_piece(piece, term, y, edge > 0 ? edge : 0, width);
        edge -= LINE_GAP;
    }
    for (size_t i = 0; i < line->count; i++) {
        const struct piece *piece = &line->pieces[i];
        if (piece->gone || piece->right)
            continue;
        x += x > 0 ? gap(piece) : 0;
        x += draw_piece(piece, term, y, x, edge + LINE_GAP - x);
    }
}

void line_place(const struct line *line, size_t piece, int *x, int *width)
{
    *x = 0;
    for (size_t i = 0; i < piece; i++)
        if (!line->pieces[i].gone && !line->pieces[i].right)
            *x += (*x > 0 ? gap(&line->pieces[i]) : 0) + piece_width(&line->pieces[i]);
    *x += *x > 0 ? gap(&line->pieces[piece]) : 0;
    *width = line->pieces[piece].gone ? 0 : piece_width(&line->pieces[piece]);
}

#include "front/tui/widget/line.h"

struct piece *line_add_piece(struct line *line, int rank, bool right, const char *label,
                             const char *format, ...)
{
    va_list args;
    /* No real line has LINE_PIECES pieces; if one is full, replace its last. */
    if (line->count == LINE_PIECES)
        line->count--;
    struct piece *piece = &line->pieces[line->count++];
    *piece = (struct piece){.label_role = ROLE_LABEL,
                            .role = ROLE_VALUE,
                            .rank = rank,
                            .gap = LINE_GAP,
                            .right = right};
    snprintf(piece->label, sizeof(piece->label), "%s", label);
    va_start(args, format);
    vsnprintf(piece->text, sizeof(piece->text), format, args);
    va_end(args);
    return piece;
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

int line_width(const struct line *line)
{
    int width = 0;
    for (size_t i = 0; i < line->count; i++)
        if (!line->pieces[i].gone)
            width += piece_width(&line->pieces[i]) + (width > 0 ? line->pieces[i].gap : 0);
    return width;
}

/* The piece of highest rank that is not in the line; NULL: all are. */
static struct piece *next_piece(struct line *line)
{
    struct piece *found = NULL;
    for (size_t i = 0; i < line->count; i++) {
        struct piece *piece = &line->pieces[i];
        if (piece->gone && (!found || piece->rank >= found->rank))
            found = piece;
    }
    return found;
}

/* Makes a piece that is `over` cells too wide shorter, if its text can be. */
static void shorten_piece(struct piece *piece, int over)
{
    enum { LEAST = 8, MOST = 23 }; /* less tells nothing; more leaves no room for the others */
    static const char dots[] = "...";
    if (piece->cut) {
        int room = cells_width(piece->text) - over;
        if (room < LEAST)
            return;
        room = (room < MOST ? room : MOST) - (int)strlen(dots);
        snprintf(piece->brief, sizeof(piece->brief), "%.*s%s",
                 (int)cells_fit(piece->text, room, NULL), piece->text, dots);
    }
    piece->shortened = piece->brief[0];
}

/* From the highest rank down: what a long piece leaves when it is shortened is for those below. */
void line_fit(struct line *line, int width)
{
    struct piece *piece;
    for (size_t i = 0; i < line->count; i++) {
        line->pieces[i].gone = true;
        line->pieces[i].shortened = false;
    }
    for (bool first = true; (piece = next_piece(line)); first = false) {
        piece->gone = false;
        int over = line_width(line) - width;
        if (over > 0)
            shorten_piece(piece, over);
        if (line_width(line) > width && !first) {
            piece->gone = true;
            return;
        }
    }
}

static int draw_piece(const struct piece *piece, struct terminal *term, int y, int x, int width)
{
    int used = term_put(term, y, x, width, piece->label_role, piece->label);
    if (used > 0 && line_shown(piece)[0])
        used += term_put(term, y, x + used, width - used, ROLE_TEXT, " ");
    return used + term_put(term, y, x + used, width - used, piece->role, line_shown(piece));
}

void line_draw(struct line *line, struct terminal *term, int y, int width)
{
    int x = 0, edge = width;
    for (size_t i = line->count; i-- > 0;) {
        struct piece *piece = &line->pieces[i];
        if (piece->gone || !piece->right)
            continue;
        edge -= piece_width(piece);
        piece->x = edge > 0 ? edge : 0;
        draw_piece(piece, term, y, piece->x, width);
        edge -= LINE_GAP;
    }
    for (size_t i = 0; i < line->count; i++) {
        struct piece *piece = &line->pieces[i];
        if (piece->gone || piece->right)
            continue;
        x += x > 0 ? piece->gap : 0;
        piece->x = x;
        x += draw_piece(piece, term, y, x, edge + LINE_GAP - x);
    }
}

int line_put(struct line *line, struct terminal *term, int y, int width, int most)
{
    line_fit(line, most);
    line_draw(line, term, y, width);
    return width - (line->count > 0 ? line_width(line) + LINE_GAP : 0);
}

void line_put_right(struct terminal *term, int y, int x, int width, enum role role,
                    const char *text)
{
    int used = cells_width(text), skip = used < width ? width - used : 0;
    term_put(term, y, x + skip, width - skip, role, text);
}

const struct piece *line_piece_at(const struct line *line, int x)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct piece *piece = &line->pieces[i];
        if (!piece->gone && x >= piece->x && x < piece->x + piece_width(piece))
            return piece;
    }
    return NULL;
}

#include "record/task_pack.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

size_t pack_fields(enum pack_kind kind)
{
    static const size_t fields[PACK_KINDS] = {PACK_TASK + 1, PACK_PROCESS + 1, PACK_FIELDS};
    return fields[kind];
}

static size_t pack_width(const struct pack_style *style, const struct event_set *set)
{
    return pack_fields(style->kind) + set->count + (style->timed ? 2 * set->groups : 0);
}

/* ---- differences ---- */

/* Differences wrap, so that any two numbers have one. */
static uint64_t from_difference(uint64_t number, uint64_t base)
{
    uint64_t difference = number - base;
    return difference << 1 ^ (difference >> (WORD_BITS - 1) ? UINT64_MAX : 0);
}

static uint64_t of_difference(uint64_t written, uint64_t base)
{
    return base + (written >> 1 ^ (written & 1 ? UINT64_MAX : 0));
}

static bool pack_is_near(const struct pack_style *style, size_t event)
{
    return event < PACK_NEAR_MAX && style->near >> event & 1;
}

/* The column that a count in `near`, or the time in which a group was enabled, is near to. */
static size_t near_column(const struct pack_style *style, size_t event)
{
    while (style->columns && event-- > 0)
        if (pack_is_near(style, event))
            return pack_fields(style->kind) + event;
    return PACK_ONCPU;
}

/* Whether a number of a row is written as a difference, and to what. before: the row before, of
 * zeros for the first one. What a difference depends on is in columns further left. */
static bool is_difference(const struct pack_style *style, const struct event_set *set,
                          const uint64_t *row, const uint64_t *before, size_t column,
                          uint64_t *base)
{
    size_t fields = pack_fields(style->kind);
    if (column < fields) {
        size_t beside = !style->columns || style->kind != PACK_ALONE ? column
                        : column == PACK_PROCESS_IDENT               ? PACK_IDENT
                        : column == PACK_PROCESS_COMM                ? PACK_COMM
                                                                     : column;
        *base = before[column];
        if (beside != column)
            *base += row[beside] - before[beside];
        return column != PACK_FLAGS && column != PACK_ONCPU;
    }
    size_t event = column - fields;
    bool running = event >= set->count && (event - set->count) % 2 == 1;
    *base = row[running && style->columns
                    ? column - 1
                    : near_column(style, event < set->count ? event : set->count)];
    return event >= set->count || pack_is_near(style, event);
}

/* ---- bits ---- */

static unsigned length_of(uint64_t number)
{
    return number ? WORD_BITS - (unsigned)__builtin_clzll(number) : 0;
}

static uint64_t low_bits(uint64_t number, unsigned width)
{
    return width < WORD_BITS ? number & ((1ull << width) - 1) : number;
}

enum { BYTE_BITS = 8, LEAST_BITS = 7, WIDTH_BITS = 3 };

/* `at` is the number of bits in the text. */
static void put_bits(struct str *bytes, size_t *at, uint64_t number, unsigned width)
{
    while (width > 0) {
        unsigned used = *at % BYTE_BITS, free = BYTE_BITS - used;
        unsigned take = width < free ? width : free;
        if (used == 0)
            str_add_char(bytes, 0);
        bytes->text[bytes->length - 1] |= (char)(low_bits(number, take) << used);
        number >>= take;
        *at += take;
        width -= take;
    }
}

struct bit_reader {
    const unsigned char *bytes;
    size_t at, end; /* in bits */
};

static bool take_bits(struct bit_reader *reader, unsigned width, uint64_t *number)
{
    *number = 0;
    if (width > reader->end - reader->at)
        return false;
    for (unsigned done = 0, take; done < width; done += take) {
        unsigned used = reader->at % BYTE_BITS, left = BYTE_BITS - used;
        take = width - done < left ? width - done : left;
        *number |= low_bits(reader->bytes[reader->at / BYTE_BITS] >> used, take) << done;
        reader->at += take;
    }
    return true;
}

static void put_column(struct str *bytes, size_t *at, const uint64_t *numbers, size_t count)
{
    unsigned least = WORD_BITS, most = 0, usual = 0, of_length[WORD_BITS + 1] = {0};
    for (size_t r = 0; r < count; r++) {
        unsigned length = length_of(numbers[r]);
        least = length < least ? length : least;
        most = length > most ? length : most;
        of_length[length]++;
        usual = of_length[length] > of_length[usual] ? length : usual;
    }
    unsigned width = length_of(most - least);
    put_bits(bytes, at, least, LEAST_BITS);
    put_bits(bytes, at, width, WIDTH_BITS);
    if (width > 0) {
        put_bits(bytes, at, usual - least, width);
        for (size_t r = 0; r < count; r++)
            put_bits(bytes, at, length_of(numbers[r]) != usual, 1);
        for (size_t r = 0; r < count; r++)
            if (length_of(numbers[r]) != usual)
                put_bits(bytes, at, length_of(numbers[r]) - least, width);
    }
    for (size_t r = 0; r < count; r++)
        if (numbers[r])
            put_bits(bytes, at, numbers[r], length_of(numbers[r]) - 1);
}

/* Reads a column into numbers that are `step` apart. */
static bool take_column(struct bit_reader *reader, uint64_t *numbers, size_t step, size_t count)
{
    uint64_t least, width, usual, lengths[PACK_ROWS];
    bool good = take_bits(reader, LEAST_BITS, &least) && take_bits(reader, WIDTH_BITS, &width) &&
                take_bits(reader, (unsigned)width, &usual);
    for (size_t r = 0; r < count && good; r++)
        good = take_bits(reader, width > 0, &lengths[r]); /* whether it is unusual */
    for (size_t r = 0; r < count && good; r++) {
        if (!lengths[r])
            lengths[r] = usual;
        else
            good = take_bits(reader, (unsigned)width, &lengths[r]);
        lengths[r] += least;
        good = good && lengths[r] <= WORD_BITS;
    }
    for (size_t r = 0; r < count && good; r++) {
        uint64_t *number = &numbers[r * step];
        good = take_bits(reader, lengths[r] ? (unsigned)lengths[r] - 1 : 0, number);
        if (lengths[r])
            *number |= 1ull << (lengths[r] - 1);
    }
    return good;
}

/* ---- writing ---- */

/* Chooses style->near: the events whose counts are shorter as differences. */
static void choose_near(struct pack_style *style, const uint64_t *rows, size_t count,
                        const struct event_set *set)
{
    size_t width = pack_width(style, set), fields = pack_fields(style->kind);
    style->near = 0;
    for (size_t e = 0; e < set->count && e < PACK_NEAR_MAX; e++) {
        size_t plain = 0, difference = 0, near = near_column(style, e);
        for (size_t r = 0; r < count; r++) {
            const uint64_t *row = rows + r * width;
            plain += length_of(row[fields + e]);
            difference += length_of(from_difference(row[fields + e], row[near]));
        }
        if (difference < plain)
            style->near |= (int64_t)1 << e;
    }
}

static void flatten(uint64_t *numbers, const struct pack_row *row, const struct pack_style *style,
                    const struct event_set *set)
{
    for (size_t f = 0; f < pack_fields(style->kind); f++)
        *numbers++ = (uint64_t)row->field[f];
    for (size_t e = 0; e < set->count; e++)
        *numbers++ = row->counts.value[e];
    for (size_t g = 0; g < set->groups && style->timed; g++) {
        *numbers++ = row->counts.times[g].enabled;
        *numbers++ = row->counts.times[g].running;
    }
}

void pack_write(struct str *bytes, struct pack_style *style, const struct pack_row *rows,
                size_t count, const struct event_set *set)
{
    style->columns = true;
    size_t width = pack_width(style, set), at = BYTE_BITS;
    uint64_t *numbers = mem_array((count + 1) * width, sizeof(*numbers)); /* the first row: zeros */
    for (size_t r = 0; r < count; r++)
        flatten(numbers + (r + 1) * width, &rows[r], style, set);
    choose_near(style, numbers + width, count, set);
    str_add_char(bytes, (char)count);
    for (size_t c = 0; c < width; c++) {
        uint64_t column[PACK_ROWS], base;
        for (size_t r = 0; r < count; r++) {
            const uint64_t *before = numbers + r * width, *row = before + width;
            column[r] = is_difference(style, set, row, before, c, &base)
                            ? from_difference(row[c], base)
                            : row[c];
        }
        put_column(bytes, &at, column, count);
    }
    free(numbers);
}

/* ---- reading ---- */

static bool read_columns(struct pack *pack, const unsigned char *bytes, size_t size)
{
    if (size == 0 || bytes[0] == 0 || bytes[0] > PACK_ROWS)
        return false;
    struct bit_reader reader = {bytes, BYTE_BITS, size * BYTE_BITS};
    bool good = true;
    pack->rows = bytes[0];
    mem_grow(&pack->numbers, &pack->room, (pack->rows + 1) * pack->width, sizeof(*pack->numbers));
    for (size_t c = 0; c < pack->width && good; c++)
        good = take_column(&reader, pack->numbers + pack->width + c, pack->width, pack->rows);
    return good && reader.end - reader.at < BYTE_BITS;
}

static bool take_digits(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
    enum { DIGIT_BITS = 7, DIGIT = 1 << DIGIT_BITS };
    *number = 0;
    for (unsigned shift = 0; shift < WORD_BITS && *at < end; shift += DIGIT_BITS) {
        uint64_t digit = **at % DIGIT;
        if (digit << shift >> shift != digit)
            return false;
        *number |= digit << shift;
        if (*(*at)++ < DIGIT)
            return true;
    }
    return false;
}

static bool read_rows_of(struct pack *pack, const unsigned char *bytes, size_t size)
{
    const unsigned char *end = bytes + size;
    bool good = true;
    for (pack->rows = 0; bytes < end && good; pack->rows++) {
        mem_grow(&pack->numbers, &pack->room, (pack->rows + 2) * pack->width,
                 sizeof(*pack->numbers));
        good = pack->rows < PACK_ROWS;
        for (size_t c = 0; c < pack->width && good; c++)
            good = take_digits(&bytes, end, &pack->numbers[(pack->rows + 1) * pack->width + c]);
    }
    return good;
}

bool pack_read(struct pack *pack, const struct pack_style *style, const void *bytes, size_t size,
               const struct event_set *set)
{
    pack->style = *style;
    pack->width = pack_width(style, set);
    if (!(style->columns ? read_columns : read_rows_of)(pack, bytes, size))
        return false;
    if (pack->rows > 0)
        memset(pack->numbers, 0, pack->width * sizeof(*pack->numbers));
    for (size_t r = 0; r < pack->rows; r++) {
        uint64_t *before = pack->numbers + r * pack->width, *row = before + pack->width, base;
        for (size_t c = 0; c < pack->width; c++)
            if (is_difference(style, set, row, before, c, &base))
                row[c] = of_difference(row[c], base);
    }
    return true;
}

void pack_release(struct pack *pack)
{
    free(pack->numbers);
    *pack = (struct pack){0};
}

const int64_t *pack_row_fields(const struct pack *pack, size_t row)
{
    return (const int64_t *)(pack->numbers + (row + 1) * pack->width);
}

void pack_row_counts(const struct pack *pack, size_t row, const struct event_set *set,
                     struct counts *counts)
{
    const uint64_t *number = pack->numbers + (row + 1) * pack->width;
    uint64_t oncpu = number[PACK_ONCPU];
    number += pack_fields(pack->style.kind);
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = *number++;
    for (size_t g = 0; g < set->groups; g++)
        counts->times[g] = pack->style.timed ? (struct group_time){number[2 * g], number[2 * g + 1]}
                                             : (struct group_time){oncpu, oncpu};
}

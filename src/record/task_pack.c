#include "record/task_pack.h"

size_t pack_fields(enum pack_kind kind)
{
    static const size_t fields[PACK_KINDS] = {PACK_TASK + 1, PACK_PROCESS + 1, PACK_FIELDS};
    return fields[kind];
}

/* Whether a field is a difference to the row before. */
static bool follows(size_t field)
{
    return field != PACK_FLAGS && field != PACK_ONCPU;
}

static bool follows_time(const struct pack_style *style, size_t event)
{
    return event < PACK_NEAR_MAX && style->near >> event & 1;
}

/* ---- numbers ---- */

enum { DIGIT_BITS = 7, DIGIT = 1 << DIGIT_BITS, WORD_BITS = 64 };

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

static size_t length_of(uint64_t number)
{
    size_t length = 1;
    while (number >>= DIGIT_BITS)
        length++;
    return length;
}

static void write_number(struct str *bytes, uint64_t number)
{
    for (; number >= DIGIT; number >>= DIGIT_BITS)
        str_add_char(bytes, (char)(number % DIGIT + DIGIT));
    str_add_char(bytes, (char)number);
}

static bool take_number(struct pack_reader *reader, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < WORD_BITS && reader->at < reader->end; shift += DIGIT_BITS) {
        uint64_t digit = *reader->at % DIGIT;
        if (digit << shift >> shift != digit)
            return false;
        *number |= digit << shift;
        if (*reader->at++ < DIGIT)
            return true;
    }
    return false;
}

/* ---- rows ---- */

static int64_t choose_near(const struct pack_row *rows, size_t count, const struct event_set *set)
{
    int64_t near = 0;
    for (size_t e = 0; e < set->count && e < PACK_NEAR_MAX; e++) {
        size_t plain = 0, difference = 0;
        for (size_t r = 0; r < count; r++) {
            uint64_t value = rows[r].counts.value[e];
            plain += length_of(value);
            difference += length_of(from_difference(value, (uint64_t)rows[r].field[PACK_ONCPU]));
        }
        if (difference < plain)
            near |= (int64_t)1 << e;
    }
    return near;
}

void pack_write(struct str *bytes, struct pack_style *style, const struct pack_row *rows,
                size_t count, const struct event_set *set)
{
    style->near = choose_near(rows, count, set);
    for (size_t r = 0; r < count; r++) {
        const struct pack_row *row = &rows[r];
        uint64_t oncpu = (uint64_t)row->field[PACK_ONCPU];
        for (size_t f = 0; f < pack_fields(style->kind); f++) {
            uint64_t number = (uint64_t)row->field[f];
            uint64_t before = r ? (uint64_t)rows[r - 1].field[f] : 0;
            write_number(bytes, follows(f) ? from_difference(number, before) : number);
        }
        for (size_t e = 0; e < set->count; e++) {
            uint64_t value = row->counts.value[e];
            write_number(bytes, follows_time(style, e) ? from_difference(value, oncpu) : value);
        }
        for (size_t g = 0; g < set->groups && style->timed; g++) {
            write_number(bytes, from_difference(row->counts.times[g].enabled, oncpu));
            write_number(bytes, from_difference(row->counts.times[g].running, oncpu));
        }
    }
}

struct pack_reader pack_read(const void *bytes, size_t size)
{
    return (struct pack_reader){.at = bytes, .end = (const unsigned char *)bytes + size};
}

bool pack_more(const struct pack_reader *reader)
{
    return reader->at < reader->end;
}

bool pack_read_fields(struct pack_reader *reader, const struct pack_style *style)
{
    bool good = reader->rows++ < PACK_ROWS;
    for (size_t f = 0; f < pack_fields(style->kind) && good; f++) {
        uint64_t number;
        good = take_number(reader, &number);
        if (good)
            reader->field[f] =
                (int64_t)(follows(f) ? of_difference(number, (uint64_t)reader->field[f]) : number);
    }
    return good;
}

bool pack_read_counts(struct pack_reader *reader, const struct pack_style *style,
                      const struct event_set *set, struct counts *counts)
{
    uint64_t oncpu = (uint64_t)reader->field[PACK_ONCPU], number;
    for (size_t e = 0; e < set->count; e++) {
        if (!take_number(reader, &number))
            return false;
        counts->value[e] = follows_time(style, e) ? of_difference(number, oncpu) : number;
    }
    for (size_t g = 0; g < set->groups; g++) {
        uint64_t enabled = 0, running = 0; /* as differences */
        if (style->timed && (!take_number(reader, &enabled) || !take_number(reader, &running)))
            return false;
        counts->times[g] =
            (struct group_time){of_difference(enabled, oncpu), of_difference(running, oncpu)};
    }
    return true;
}

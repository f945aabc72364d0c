#include "view/format.h"

static int limit(int width)
{
    return width < 0 ? 0 : width >= FORMAT_SIZE ? FORMAT_SIZE - 1 : width;
}

static void format_fill(char text[FORMAT_SIZE], int width)
{
    memset(text, '#', (size_t)limit(width));
    text[limit(width)] = '\0';
}

static double power_of_ten(int exponent)
{
    double power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Formats with integers: printf(3) uses the locale's decimal sign. False if it does not fit. */
static bool write_decimal(char text[FORMAT_SIZE], double number, int decimals, const char *suffix,
                          int width)
{
    double scale = power_of_ten(decimals);
    double rounded = round(fabs(number) * scale);
    if (!(rounded < 1e18))
        return false;
    uint64_t digits = (uint64_t)rounded, point = (uint64_t)scale;
    char buffer[64], *end = buffer;
    if (number < 0 && digits)
        *end++ = '-';
    end = str_put_number(end, digits / point, 1);
    if (decimals > 0) {
        *end++ = '.';
        end = str_put_number(end, digits % point, decimals);
    }
    end = stpcpy(end, suffix);
    if (end - buffer > limit(width))
        return false;
    memcpy(text, buffer, (size_t)(end - buffer) + 1);
    return true;
}

/* The most decimals, up to `decimals`, with which the rounded number has at most three digits
 * (9.996 becomes 10.0); -1 if its integer part has more. */
static int three_digits(double number, int decimals)
{
    for (int d = decimals; d >= 0; d--)
        if (round(fabs(number) * power_of_ten(d)) < 1000)
            return d;
    return -1;
}

/* The last resort of all: with an SI suffix, else '#'. */
static void write_si(char text[FORMAT_SIZE], double number, int width)
{
    static const char *const suffixes[] = {"k", "M", "G", "T", "P", "E"};
    double scaled = number;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        scaled /= 1000;
        /* Skips units in which it would be less than 1. */
        if (fabs(scaled) < 0.9995)
            continue;
        for (int d = three_digits(scaled, 2); d >= 0; d--)
            if (write_decimal(text, scaled, d, suffixes[i], width))
                return;
    }
    format_fill(text, width);
}

void format_count(char text[FORMAT_SIZE], double number, int width)
{
    double size = fabs(number);
    const char *tiny = number > 0 ? "<0.1" : ">-0.1";
    /* 9.96 is 10, not 10.0. */
    bool totals = size == floor(size) || round(size * 10) >= 100;
    if (size > 0 && size < 0.05 && (int)strlen(tiny) <= limit(width))
        strcpy(text, tiny);
    else if (size > 0 && size < 0.05)
        format_fill(text, width);
    else if (round(size) >= 1000)
        write_si(text, number, width);
    else if ((totals || !write_decimal(text, number, 1, "", width)) &&
             !write_decimal(text, number, 0, "", width))
        write_si(text, number, width);
}

void format_digits(char text[FORMAT_SIZE], double number, int width)
{
    bool tiny = number > 0 && number < 0.5;
    if (tiny && limit(width) >= 2)
        strcpy(text, "<1");
    else if (tiny)
        format_fill(text, width);
    else if (!write_decimal(text, number, 0, "", width))
        write_si(text, number, width);
}

void format_fixed(char text[FORMAT_SIZE], double number, int decimals, int width)
{
    for (int d = decimals > 9 ? 9 : decimals; d >= 0; d--)
        if (write_decimal(text, number, d, "", width))
            return;
    write_si(text, number, width);
}

void format_id(char text[FORMAT_SIZE], int64_t number, int width)
{
    char buffer[32], *end = buffer;
    if (number < 0)
        *end++ = '-';
    end = str_put_number(end, number < 0 ? -(uint64_t)number : (uint64_t)number, 1);
    if (end - buffer > limit(width))
        format_fill(text, width);
    else
        memcpy(text, buffer, (size_t)(end - buffer) + 1);
}

/* Writes two adjacent units, or only the larger if both do not fit. */
static bool write_pair(char text[FORMAT_SIZE], uint64_t large, const char *large_unit,
                       uint64_t small, const char *small_unit, int width)
{
    char buffer[64];
    int length = snprintf(buffer, sizeof(buffer), "%" PRIu64 "%s%02" PRIu64 "%s", large, large_unit,
                          small, small_unit);
    if (length > limit(width))
        length = snprintf(buffer, sizeof(buffer), "%" PRIu64 "%s", large, large_unit);
    if (length > limit(width))
        return false;
    memcpy(text, buffer, (size_t)length + 1);
    return true;
}

void format_duration(char text[FORMAT_SIZE], double seconds, int width)
{
    static const struct {
        double size;
        const char *suffix;
    } units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
    bool written = false, valid = seconds >= 0 && seconds <= 1e15;
    if (seconds == 0)
        written = write_decimal(text, 0, 0, "s", width);
    for (size_t i = 0; valid && seconds > 0 && seconds < 59.95 && !written && i < 4; i++) {
        double scaled = seconds / units[i].size;
        for (int d = three_digits(scaled, i == 0 ? 0 : 2); d >= 0 && !written; d--)
            written = write_decimal(text, scaled, d, units[i].suffix, width);
    }
    if (valid && seconds >= 59.95) {
        uint64_t s = (uint64_t)(seconds + 0.5);
        if (s < 3600)
            written = write_pair(text, s / 60, "m", s % 60, "s", width);
        else if (s < 86400)
            written = write_pair(text, s / 3600, "h", s / 60 % 60, "m", width);
        else
            written = write_pair(text, s / 86400, "d", s / 3600 % 24, "h", width);
    }
    if (!written)
        format_fill(text, width);
}

double format_whole_rate(double number, double seconds)
{
    static const double LONG = 1.1; /* s: intervals of a second are longer at times */
    double whole = round(number);
    return number >= 0.5 && (seconds < LONG || fabs(number - whole) < 0.05) ? whole : number;
}

/* ---- texts ---- */

/* Characters that must not reach a terminal, as ranges: controls; those that change lines or the
 * direction of the surrounding text; invisible ones, whose width differs between terminals (Unicode
 * TR 36, 3.6; property Default_Ignorable_Code_Point; 202a is the first that changes the direction,
 * 200d joins emoji, fe0f selects colour). */
static bool is_harmful(unsigned code)
{
    static const struct {
        unsigned from, to;
    } ranges[] = {
        {0x0001, 0x001f},   {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x034f, 0x034f},
        {0x061c, 0x061c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},
        {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb},   {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return true;
    return false;
}

void text_clean(char *out, size_t size, const char *text, bool ascii)
{
    size_t used = 0;
    while (*text) {
        unsigned code = 0;
        if (*text >= ' ' && *text <= '~' && used + 1 < size) { /* nearly all are */
            out[used++] = *text++;
            continue;
        }
        size_t length = str_utf8(text, &code);
        const char *from = text;
        text += length ? length : 1;
        if (length == 0 || is_harmful(code) || (ascii && code >= 0x80)) {
            from = "?";
            length = 1;
        }
        if (used + length >= size) {
            bool full = used + 1 >= size;
            while (full && used > 0)
                full = (out[--used] & 0xc0) == 0x80;
            if (size > 1)
                out[used++] = '+';
            break;
        }
        memcpy(out + used, from, length);
        used += length;
    }
    out[used] = '\0';
}

void text_cut(char *text, int width)
{
    if (!text[cells_fit(text, width, NULL)])
        return;
    size_t end = width > 0 ? cells_fit(text, width - 1, NULL) : 0;
    text[end] = '+';
    text[end + (width > 0)] = '\0';
}

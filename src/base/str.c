#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>

static char empty[1];

struct str str_new(void)
{
    return (struct str){.text = empty};
}

struct str str_within(char *room, size_t size)
{
    *room = '\0';
    return (struct str){.text = room, .room = size};
}

void str_clear(struct str *s)
{
    s->length = 0;
    if (s->room)
        s->text[0] = '\0';
}

void str_release(struct str *s)
{
    if (s->room)
        free(s->text);
    *s = str_new();
}

char *str_detach(struct str *s)
{
    char *text = s->room ? s->text : mem_strdup("");
    *s = str_new();
    return text;
}

static void reserve(struct str *s, size_t more)
{
    size_t need = s->length + more + 1;
    if (need <= s->room)
        return;
    size_t room = s->room * 2 > need ? s->room * 2 : need + 32;
    s->text = mem_resize(s->room ? s->text : NULL, room, 1);
    s->room = room;
}

void str_add_n(struct str *s, const char *text, size_t length)
{
    reserve(s, length);
    memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_add_n(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
    str_add_n(s, &c, 1);
}

void str_add_spaces(struct str *s, size_t count)
{
    reserve(s, count);
    memset(s->text + s->length, ' ', count);
    s->length += count;
    s->text[s->length] = '\0';
}

void str_vprintf(struct str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    reserve(s, 64);
    int length = vsnprintf(s->text + s->length, s->room - s->length, format, args);
    if (length > 0 && (size_t)length >= s->room - s->length) {
        reserve(s, (size_t)length);
        vsnprintf(s->text + s->length, s->room - s->length, format, again);
    }
    if (length > 0)
        s->length += (size_t)length;
    va_end(again);
}

void str_printf(struct str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vprintf(s, format, args);
    va_end(args);
}

size_t str_utf8(const char *text, unsigned *code)
{
    const unsigned char *p = (const unsigned char *)text;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (length == 0 || p[0] > 0xf4)
        return 0;
    unsigned c = length == 1 ? p[0] : p[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *code = c;
    return length;
}

char *str_visible(const char *text)
{
    struct str safe = str_new();
    str_add_visible(&safe, text);
    return str_detach(&safe);
}

bool str_controls(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t str_clean(char *text, bool lines)
{
    char *to = text;
    for (char *from = text; *from;) {
        unsigned code = 0;
        if (*from >= ' ' && *from <= '~') { /* nearly all are */
            *to++ = *from++;
            continue;
        }
        size_t length = str_utf8(from, &code), step = length ? length : 1;
        if ((length == 0 || str_controls(code)) && !(lines && *from == '\n'))
            *to++ = '?';
        else
            to = (char *)memmove(to, from, step) + step;
        from += step;
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* Adds text: json with its escapes and quotes escaped, else like str_add_visible(). */
static void add_escaped(struct str *s, const char *text, bool json)
{
    while (*text) {
        unsigned code = 0;
        size_t length = str_utf8(text, &code);
        /* Noncharacters, too, of which XML forbids the first two (XML 1.0, 2.2), and JSON none. */
        bool control = str_controls(code) ||
                       (!json && ((code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)));
        if (length == 0) {
            str_add(s, json ? "\\ufffd" : "\xef\xbf\xbd");
        } else if (control) {
            str_printf(s, code < 0x100 && !json ? "\\x%02x" : "\\u%04x", code);
        } else {
            if (json && (code == '"' || code == '\\'))
                str_add_char(s, '\\');
            str_add_n(s, text, length);
        }
        text += length ? length : 1;
    }
}

void str_add_visible(struct str *s, const char *text)
{
    add_escaped(s, text, false);
}

void str_add_json(struct str *s, const char *text)
{
    add_escaped(s, text, true);
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

uint64_t str_hash_bytes(const void *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

const void *str_find(const void *items, size_t count, size_t size, size_t member, const char *text)
{
    const char *item = items, *found;
    for (size_t i = 0; i < count && text; i++, item += size) {
        memcpy(&found, item + member, sizeof(found));
        if (!found && count == SIZE_MAX)
            break;
        if (str_equal(found, text))
            return item;
    }
    return NULL;
}

size_t str_index(const char *const *texts, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && !str_equal(texts[i], text))
        i++;
    return i;
}

uint64_t str_hash(const char *text)
{
    return str_hash_bytes(text, strlen(text));
}

bool str_take_number(const char **text, uint64_t *number)
{
    const char *p = *text;
    char *end;
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    if (!isdigit((unsigned char)*p) || (hex && !isxdigit((unsigned char)p[2])))
        return false;
    errno = 0;
    *number = strtoull(p, &end, hex ? 16 : 10);
    *text = end;
    return errno == 0;
}

bool str_to_u64(const char *text, unsigned long long min, unsigned long long max,
                unsigned long long *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || value < min || value > max)
        return false;
    *out = value;
    return true;
}

bool str_to_double(const char *text, double *out)
{
    /* The C locale's decimal point, so that files and options do not depend on LC_NUMERIC. */
    if ((!isdigit((unsigned char)text[0]) && !strchr("+-.", text[0])) || strpbrk(text, "xX"))
        return false; /* strtod(3) takes leading space, names and hexadecimal numbers as well */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return false;
    char *end;
    double value = strtod_l(text, &end, c);
    freelocale(c);
    if (end == text || *end || !isfinite(value))
        return false;
    *out = value;
    return true;
}

char *str_put_number(char *to, uint64_t number, int digits)
{
    uint64_t rest = number;
    int length = 1;
    while ((rest /= 10) > 0)
        length++;
    length = length < digits ? digits : length;
    to[length] = '\0';
    for (int at = length; at-- > 0; number /= 10)
        to[at] = (char)('0' + number % 10);
    return to + length;
}

void str_add_number(struct str *str, uint64_t number)
{
    reserve(str, 24);
    str->length = (size_t)(str_put_number(str->text + str->length, number, 1) - str->text);
}

double str_unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}},
      words[] = {{"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}};
    size_t length = strlen(unit);
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (str_equal(unit, units[i].name))
            return units[i].seconds;
    length -= length > 1 && unit[length - 1] == 's';
    for (size_t i = 0; length && i < sizeof(words) / sizeof(*words); i++)
        if (strncmp(words[i].name, unit, length) == 0)
            return words[i].seconds;
    return 0;
}

bool str_to_seconds(const char *text, double *out)
{
    static const char digits[] = "0123456789.";
    double sum = 0, value;
    do {
        char number[32], unit[16];
        size_t length = strspn(text, digits);
        snprintf(number, sizeof(number), "%.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
        size_t letters = strcspn(text, " 0123456789.");
        snprintf(unit, sizeof(unit), "%.*s", (int)letters, text);
        text += letters;
        text += strspn(text, " ");
        double seconds = letters ? str_unit_seconds(unit) : *text ? 0 : 1;
        if (length >= sizeof(number) || letters >= sizeof(unit) || seconds == 0 ||
            !str_to_double(number, &value))
            return false;
        sum += value * seconds;
    } while (*text);
    *out = sum;
    return true;
}

size_t str_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return SIZE_MAX;
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            now[j] = last[j - 1] + (same ? 0 : 1);
            if (last[j] + 1 < now[j])
                now[j] = last[j] + 1;
            if (now[j - 1] + 1 < now[j])
                now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

const char *str_nearest(const char *text, const char *(*candidate)(void *ctx, size_t i), void *ctx)
{
    const char *best = NULL, *name;
    size_t length = strlen(text), allowed = length / 3, least = allowed ? allowed + 1 : 2;
    for (size_t i = 0; (name = candidate(ctx, i)); i++) {
        size_t other = strlen(name), longer = other > length ? other - length : length - other;
        size_t d = longer < least ? str_distance(text, name) : longer;
        if (d < least) {
            least = d;
            best = name;
        }
    }
    return best;
}

struct member_texts {
    const void *items;
    size_t count, size, member;
};

static const char *member_text(void *ctx, size_t i)
{
    const struct member_texts *texts = ctx;
    const char *text = NULL;
    if (i < texts->count)
        memcpy(&text, (const char *)texts->items + i * texts->size + texts->member, sizeof(text));
    return text;
}

const char *str_nearest_member(const void *items, size_t count, size_t size, size_t member,
                               const char *text)
{
    return str_nearest(text, member_text, &(struct member_texts){items, count, size, member});
}

size_t str_encode(char bytes[4], unsigned code)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)(lead[length] | code);
    return length;
}

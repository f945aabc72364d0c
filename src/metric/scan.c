#include "metric/scan.h"

enum { DEEPEST = 32 };

int scan_fail(struct scan *scan, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    AUTO_FREE char *what = mem_vprintf(format, args);
    va_end(args);
    scan->incomplete = !*at;
    return err_point(scan->err, what, scan->text, at);
}

int scan_open(struct scan *scan, const char *at)
{
    return ++scan->depth > DEEPEST ? scan_fail(scan, at, "too deeply nested") : 0;
}

void scan_space(struct scan *scan)
{
    scan->at += strspn(scan->at, " \t\r\n");
}

bool scan_accept(struct scan *scan, char c)
{
    scan_space(scan);
    bool is = *scan->at == c;
    scan->at += is;
    return is;
}

size_t scan_sign(struct scan *scan, const char *const *signs, size_t count)
{
    size_t i = 0;
    scan_space(scan);
    while (i < count && !str_starts(scan->at, signs[i]))
        i++;
    return i;
}

int scan_number(struct scan *scan, double *number)
{
    static const char digits[] = "0123456789";
    const char *start = scan->at, *p = start + strspn(start, "0123456789.");
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        p += strspn(p, digits);
    }
    AUTO_FREE char *text = mem_strndup(start, (size_t)(p - start));
    if (strlen(text) >= 64)
        return scan_fail(scan, start, "the number is too long");
    if (!str_to_double(text, number))
        return scan_fail(scan, start, "no number");
    scan->at = p;
    return 0;
}

char *scan_quoted(struct scan *scan, const char *empty)
{
    const char *open = scan->at, *close = strchr(open + 1, *open);
    if (!close || close == open + 1) {
        scan_fail(scan, open, "%s", close ? empty : "no closing quote for the one");
        return NULL;
    }
    scan->at = close + 1;
    return mem_strndup(open + 1, (size_t)(close - open - 1));
}

bool scan_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool scan_is_word(char c)
{
    return scan_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#include "model/function_match.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void cut_out(char *from, const char *to)
{
    memmove(from, to, strlen(to) + 1);
}

/* Cuts what compilers append to the names of parts and copies of a function. */
static void cut_suffixes(char *name)
{
    static const char *const words[] = {"constprop", "isra",     "part",  "cold",
                                        "llvm",      "lto_priv", "clone", "__uniq"};
    char *clone = strstr(name, " [clone ");
    if (clone)
        *clone = '\0';
    for (char *dot = *name ? strchr(name + 1, '.') : NULL; dot; dot = strchr(dot + 1, '.'))
        for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
            if (str_starts(dot + 1, words[w]) && !isalpha(dot[1 + strlen(words[w])])) {
                *dot = '\0';
                return;
            }
}

/* Cuts "::h0123456789abcdef" at the end, and "[0123abcd]" in front of "::". */
static void cut_hashes(char *name)
{
    enum { HASH = 16 };
    size_t length = strlen(name);
    char *hash = length > HASH + 3 ? name + length - HASH - 3 : NULL;
    if (hash && str_starts(hash, "::h") && strspn(hash + 3, "0123456789abcdef") == HASH)
        *hash = '\0';
    for (char *open = name; (open = strchr(open, '['));) {
        size_t digits = strspn(open + 1, "0123456789abcdef");
        if (digits > 0 && digits <= HASH && str_starts(open + 1 + digits, "]::"))
            cut_out(open, open + digits + 2);
        else
            open++;
    }
}

/* Cuts ", std::allocator<int> " and others that are defaults of the standard's templates. */
static void cut_defaults(char *name)
{
    static const char *const defaults[] = {
        ", std::allocator<", ", std::less<",  ", std::hash<",        ", std::equal_to<",
        ", std::greater<",   ", std::deque<", ", std::char_traits<", ", std::default_delete<"};
    for (size_t d = 0; d < sizeof(defaults) / sizeof(*defaults); d++)
        for (char *at = name; (at = strstr(at, defaults[d]));) {
            char *end = at + strlen(defaults[d]);
            for (int depth = 1; *end && depth > 0; end++)
                depth += (*end == '<') - (*end == '>');
            cut_out(at, end);
        }
}

static void cut_all(char *name, const char *text, size_t kept)
{
    for (char *at = name; (at = strstr(at, text));)
        cut_out(at, at + strlen(text) - kept);
}

char *function_match_name(const char *name)
{
    char *match = mem_strdup(name);
    if (str_starts(match, "JS:") && match[3] && strchr("*^~+", match[3]))
        cut_out(match + 3, match + 4);
    cut_suffixes(match);
    cut_hashes(match);
    cut_defaults(match);
    cut_all(match, "__cxx11::", 0);
    cut_all(match, "[abi:cxx11]", 0);
    cut_all(match, " >", 1);
    return match;
}

char *function_match_object(const char *object)
{
    char *match = mem_strdup(object);
    char *library = strstr(match, ".so");
    if (!library || library == match || (library[3] && library[3] != '.'))
        return match;
    library[3] = '\0';
    char *version = library;
    while (version > match && (isdigit(version[-1]) || version[-1] == '.'))
        version--;
    if (version > match + 1 && version < library && version[-1] == '-')
        cut_out(version - 1, library);
    return match;
}

#include "front/term/theme.h"
#include "base/embed.h"
#include "base/ini.h"

enum {
    FILE_LIMIT = 1 << 20,
    PALETTE = 256,        /* colours from which on [roles] applies, not [roles 16] */
    PALETTE_STEPS = 8,    /* shades of an amount in them */
    STYLE_UNSET = 1 << 8, /* the role was not given */
};

/* --- Colours --- */

enum { BRIGHT_BLACK = 8, COLOR_NAMES = 16 }; /* "default" is none of these */

static const char *const color_names[] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white", "default",       NULL,
};

/* xterm's named colours (XTerm-col.ad); other terminals differ a little. */
static const unsigned named[16] = {
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

bool color_parse(const char *text, struct color *color)
{
    if (strcmp(text, "default") == 0) {
        *color = (struct color){COLOR_DEFAULT, 0};
        return true;
    }
    size_t index = str_index(color_names, COLOR_NAMES, text);
    if (index < COLOR_NAMES) {
        *color = (struct color){COLOR_INDEX, (unsigned)index};
        return true;
    }
    if (text[0] == '#') {
        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            return false;
        *color = (struct color){COLOR_RGB, (unsigned)strtoul(text + 1, NULL, 16)};
        return true;
    }
    unsigned long long number;
    if (!str_to_u64(text, 0, 255, &number))
        return false;
    *color = (struct color){COLOR_INDEX, (unsigned)number};
    return true;
}

/* 16 to 231 are a cube with these steps, 232 to 255 a grey ramp (xterm, 256colres.pl). */
static unsigned palette(unsigned index)
{
    static const unsigned step[6] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
    if (index < 16)
        return named[index];
    if (index >= 232)
        return (8 + 10 * (index - 232)) * 0x010101u;
    index -= 16;
    return step[index / 36] << 16 | step[index / 6 % 6] << 8 | step[index % 6];
}

unsigned color_rgb(struct color color)
{
    return color.kind == COLOR_INDEX ? palette(color.value) : color.value;
}

/* The square of how far apart two colours look, times 512: red counts for more among light colours,
 * blue among dark ones (T. Riemersma, "Colour metric", compuphase.com). */
static long difference(unsigned a, unsigned b)
{
    long reds = (long)(a >> 16) + (long)(b >> 16), red = (long)(a >> 16) - (long)(b >> 16);
    long green = (long)(a >> 8 & 0xff) - (long)(b >> 8 & 0xff);
    long blue = (long)(a & 0xff) - (long)(b & 0xff);
    return (1024 + reds) * red * red + 2048 * green * green + (1534 - reds) * blue * blue;
}

static unsigned nearest(unsigned rgb, unsigned first, unsigned last)
{
    unsigned best = first;
    for (unsigned i = first + 1; i <= last; i++)
        if (difference(palette(i), rgb) < difference(palette(best), rgb))
            best = i;
    return best;
}

int color_number(struct color color, int colors, enum color_help *help)
{
    if (help)
        *help = COLOR_EXACT;
    if (color.kind == COLOR_UNSET || color.kind == COLOR_DEFAULT || colors < 8)
        return -1;
    bool index = color.kind == COLOR_INDEX;
    unsigned rgb = color_rgb(color);
    if (colors >= DIRECT_COLORS) {
        if (index && color.value < 8)
            return (int)color.value;
        return rgb < 8 ? 0 : (int)rgb; /* numbers below 8 are names, so use black */
    }
    if (colors >= 256)
        return (int)(index ? color.value : nearest(rgb, 16, 255));
    unsigned number = index && color.value < 16 ? color.value : nearest(rgb, 0, 15);
    if (colors >= 16 || number < 8)
        return (int)number;
    if (number == BRIGHT_BLACK) {
        /* Bold black is invisible on many terminals. */
        if (help)
            *help = COLOR_WITH_DIM;
        return -1;
    }
    if (help)
        *help = COLOR_WITH_BOLD;
    return (int)number - 8;
}

/* --- Reading --- */

static const char suffix[] = ".theme";

static const char *const meanings[MEANINGS + 1] = {
    "text",   "background", "faint",       "ink",     "quiet",
    "accent", "amount-low", "amount-high", "warning", "alarm",
};

static const char *const attributes[] = {"bold", "dim", "underline", "reverse", "italic", NULL};
enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) - 1 };

static const char *role_candidate(void *ctx UNUSED, size_t i)
{
    return i < ROLE_NAMES ? role_name((enum role)i) : NULL;
}

/* Words that may be there: several lists, each of which ends with NULL. */
static const char *const *const words_of_color[] = {color_names, NULL};
static const char *const *const words_of_role[] = {color_names, meanings, attributes, NULL};
static const char *const *const words_of_meaning[] = {meanings, NULL};

static const char *word_candidate(void *ctx, size_t i)
{
    for (const char *const *const *list = ctx; *list; list++)
        for (const char *const *word = *list; *word; word++)
            if (i-- == 0)
                return *word;
    return NULL;
}

static int refuse_color(const char *word, const char *const *const *expected, struct err *err)
{
    const char *near = str_nearest(word, word_candidate, (void *)expected);
    if (near)
        return err_set(err, "unknown colour '%s'; did you mean '%s'?", word, near);
    return err_set(err,
                   "unknown colour '%s': expected a name such as 'red' or 'bright-red', "
                   "'default', 0 to 255, or #rrggbb",
                   word);
}

/* A colour of a role: also one of the theme's own. */
static bool role_color_parse(const char *text, struct color *color)
{
    size_t meaning = str_index(meanings, MEANINGS, text);
    if (meaning == MEANINGS)
        return color_parse(text, color);
    *color = (struct color){COLOR_MEANING, (unsigned)meaning};
    return true;
}

static int style_parse(struct style *style, const char *value, struct err *err)
{
    struct style next = {0};
    bool background = false; /* "on" was the word before */
    char *text = strdupa(value), *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        struct color color;
        size_t attribute = str_index(attributes, ATTRIBUTES, word);
        if (strcmp(word, "on") == 0 && !background) {
            background = true;
        } else if (background && role_color_parse(word, &color)) {
            next.background = color;
            background = false;
        } else if (background) {
            return err_set(err, "expected a colour after 'on', not '%s'", word);
        } else if (attribute < ATTRIBUTES) {
            next.attributes |= 1u << attribute;
        } else if (role_color_parse(word, &color)) {
            if (next.foreground.kind != COLOR_UNSET)
                return err_set(err, "a second colour '%s': the background is 'on %s'", word, word);
            next.foreground = color;
        } else {
            return refuse_color(word, words_of_role, err);
        }
    }
    if (background)
        return err_set(err, "expected a colour after 'on'");
    *style = next;
    return 0;
}

static int theme_take_entry(void *ctx, const char *section, const char *name, const char *value,
                            int line UNUSED, struct err *err)
{
    struct theme *theme = ctx;
    if (strcmp(section, "theme") == 0) {
        if (strcmp(name, "description") != 0)
            return err_set(err, "unknown name '%s': expected 'description'", name);
        snprintf(theme->description, sizeof(theme->description), "%s", value);
        return 0;
    }
    bool colors = str_starts(section, "colours");
    const char *rest = section + strlen(colors ? "colours" : "roles");
    bool few = strcmp(rest, " 16") == 0;
    if ((!colors && !str_starts(section, "roles")) || (*rest && !few))
        return err_set(err,
                       "unknown section '%s': expected [theme], [colours], [roles], "
                       "[colours 16] or [roles 16]",
                       section);
    struct theme_looks *looks = few ? &theme->few : &theme->many;
    for (size_t i = 0; i < ROLE_NAMES && !colors; i++)
        if (strcmp(name, role_name((enum role)i)) == 0)
            return style_parse(&looks->styles[i], value, err);
    size_t meaning = str_index(meanings, MEANINGS, name);
    if (colors && meaning < MEANINGS)
        return color_parse(value, &looks->colors[meaning])
                   ? 0
                   : refuse_color(value, words_of_color, err);
    const char *what = colors ? "name" : "role";
    const char *near =
        str_nearest(name, colors ? word_candidate : role_candidate, (void *)words_of_meaning);
    if (near)
        return err_set(err, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return err_set(err, "unknown %s '%s'", what, name);
}

/* Sets colours that were left out to those of ordinary text. */
static void fill_colors(struct style *styles)
{
    struct style *ordinary = &styles[ROLE_TEXT];
    if (ordinary->foreground.kind == COLOR_UNSET)
        ordinary->foreground.kind = COLOR_DEFAULT;
    if (ordinary->background.kind == COLOR_UNSET)
        ordinary->background.kind = COLOR_DEFAULT;
    for (size_t i = 0; i < ROLE_NAMES; i++) {
        if (styles[i].foreground.kind == COLOR_UNSET)
            styles[i].foreground = ordinary->foreground;
        if (styles[i].background.kind == COLOR_UNSET)
            styles[i].background = ordinary->background;
    }
}

int theme_read(struct theme *theme, const char *text, const char *origin, struct err *err)
{
    static const struct color unset;
    struct theme next = *theme;
    for (size_t i = 0; i < ROLE_NAMES; i++)
        next.few.styles[i] = next.many.styles[i] = (struct style){.attributes = STYLE_UNSET};
    for (size_t i = 0; i < MEANINGS; i++)
        next.few.colors[i] = next.many.colors[i] = unset;
    if (ini_read(text, origin, NULL, theme_take_entry, &next, err) < 0)
        return -1;
    for (size_t i = 0; i < ROLE_NAMES; i++) {
        struct style *many = &next.many.styles[i], *few = &next.few.styles[i];
        bool given = many->attributes != STYLE_UNSET;
        if (few->attributes == STYLE_UNSET)
            *few = given ? *many : theme->few.styles[i];
        if (!given)
            *many = theme->many.styles[i];
    }
    for (size_t i = 0; i < MEANINGS; i++) {
        struct color *many = &next.many.colors[i], *few = &next.few.colors[i];
        bool given = many->kind != COLOR_UNSET;
        if (few->kind == COLOR_UNSET)
            *few = given ? *many : theme->few.colors[i];
        if (!given)
            *many = theme->many.colors[i];
    }
    fill_colors(next.many.styles);
    fill_colors(next.few.styles);
    *theme = next;
    return 0;
}

static struct color own_color(const struct theme_looks *looks, struct color color)
{
    return color.kind == COLOR_MEANING ? looks->colors[color.value] : color;
}

/* A shade of amounts: 0 is the lowest, AMOUNT_STEPS - 1 the highest. */
static struct color amount_shade(const struct theme_looks *looks, unsigned shade, int colors)
{
    struct color low = looks->colors[MEANING_AMOUNT_LOW];
    struct color high = looks->colors[MEANING_AMOUNT_HIGH];
    if (colors < PALETTE || low.kind != COLOR_RGB || high.kind != COLOR_RGB)
        return shade < AMOUNT_STEPS / 2 ? low : high;
    unsigned steps = colors > PALETTE ? AMOUNT_STEPS : PALETTE_STEPS;
    unsigned step = shade * steps / AMOUNT_STEPS, last = steps - 1, rgb = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        unsigned from = low.value >> shift & 0xff, to = high.value >> shift & 0xff;
        rgb |= (from * (last - step) + to * step + last / 2) / last << shift;
    }
    return (struct color){COLOR_RGB, rgb};
}

struct appearance theme_appearance(const struct theme *theme, enum role role, int colors)
{
    const struct theme_looks *looks = colors > 0 && colors < PALETTE ? &theme->few : &theme->many;
    const struct style *style = &looks->styles[role < ROLE_AMOUNT ? role : ROLE_AMOUNT];
    struct color own = looks->styles[ROLE_TEXT].background, background = style->background;
    struct color foreground = own_color(looks, style->foreground);
    if (role >= ROLE_AMOUNT)
        foreground = amount_shade(looks, role - ROLE_AMOUNT, colors);
    enum color_help help;
    struct appearance as = {
        .foreground = color_number(foreground, colors, &help),
        .background = color_number(own_color(looks, background), colors, NULL),
        .attributes = style->attributes,
    };
    bool shades = colors >= PALETTE && foreground.kind == COLOR_RGB;
    if (role >= ROLE_AMOUNT + AMOUNT_STEPS / 2 && !shades)
        as.attributes |= STYLE_BOLD;
    if (colors == 0 && (background.kind != own.kind || background.value != own.value))
        as.attributes |= background.kind == COLOR_MEANING && background.value == MEANING_FAINT
                             ? STYLE_UNDERLINE
                             : STYLE_REVERSE;
    if (help == COLOR_WITH_BOLD)
        as.attributes |= STYLE_BOLD;
    else if (help == COLOR_WITH_DIM)
        as.attributes |= STYLE_DIM;
    return as;
}

static bool is_theme(const char *file)
{
    size_t length = strlen(file);
    return length >= sizeof(suffix) && strcmp(file + length - (sizeof(suffix) - 1), suffix) == 0;
}

static const struct embedded_file *find_embedded(const char *name)
{
    size_t length = strlen(name);
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (is_theme(file->name) && strncmp(file->name, name, length) == 0 &&
            strcmp(file->name + length, suffix) == 0)
            return file;
    return NULL;
}

int theme_load(struct theme *theme, const char *name, struct err *err)
{
    struct theme next = {0};
    const struct embedded_file *base = find_embedded(THEME_DEFAULT), *built_in;
    if (base && theme_read(&next, base->text, base->name, err) < 0)
        return -1;
    next.description[0] = '\0';
    int result = -1;
    bool is_path = strchr(name, '/');
    AUTO_FREE char *path = is_path ? mem_strdup(name) : NULL;
    AUTO_FREE char *directory = home_directory();
    if (!is_path && directory && *name)
        path = mem_printf("%s/%s%s", directory, name, suffix);
    struct err why;
    AUTO_FREE char *text = path ? file_load(path, FILE_LIMIT, &why) : NULL;
    if (text)
        result = theme_read(&next, text, path, err);
    else if (!is_path && (built_in = find_embedded(name)))
        result = theme_read(&next, built_in->text, built_in->name, err);
    else if (!is_path && (!path || access(path, R_OK) < 0)) {
        struct theme_list list;
        struct names known = {0};
        AUTO_STR struct str names = str_new();
        theme_list_make(&list);
        for (size_t i = 0; i < list.count; i++) {
            str_printf(&names, "%s%s", i ? ", " : "", list.entries[i].name);
            names_add(&known, list.entries[i].name);
        }
        const char *near = names_nearest(&known, name);
        result = err_set(err,
                         near ? "unknown theme '%s'; did you mean '%s'? (%s, or a path with '/')"
                              : "unknown theme '%s': expected %sone of %s, or a path with '/'",
                         name, near ? near : "", names.text);
        theme_list_release(&list);
        names_release(&known);
    } else {
        err_set(err, "%s", why.text);
    }
    if (result == 0)
        *theme = next;
    return result;
}

int theme_check(const char *name, struct err *err)
{
    struct theme theme;
    return theme_load(&theme, name, err);
}

/* --- The list --- */

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct theme_entry *)a)->name, ((const struct theme_entry *)b)->name);
}

static void theme_add_entry(struct theme_list *list, const char *file)
{
    char *name = mem_strndup(file, strlen(file) - (sizeof(suffix) - 1));
    if (STR_FIND(list->entries, list->count, name, name)) { /* the user's file replaces it */
        free(name);
        return;
    }
    struct theme_entry *entry = MEM_ADD(list->entries, list->count, list->room);
    struct theme theme = {0};
    *entry = (struct theme_entry){.name = name};
    theme_load(&theme, name, &entry->err);
    memcpy(entry->description, theme.description, sizeof(entry->description));
}

void theme_list_make(struct theme_list *list)
{
    *list = (struct theme_list){0};
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (is_theme(file->name))
            theme_add_entry(list, file->name);
    AUTO_FREE char *path = home_directory();
    DIR *directory = path ? opendir(path) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (is_theme(entry->d_name) && entry->d_name[0] != '.')
            theme_add_entry(list, entry->d_name);
    if (directory)
        closedir(directory);
    qsort(list->entries, list->count, sizeof(*list->entries), compare_entries);
}

void theme_list_release(struct theme_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->entries[i].name);
    free(list->entries);
    *list = (struct theme_list){0};
}

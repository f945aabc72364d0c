#include "front/csv_field.h"

#include <string.h>

void csv_add_empty(struct str *text, size_t fields)
{
    while (fields--)
        if (text->length && text->text[text->length - 1] != '\n')
            str_add_char(text, ',');
}

void csv_add_field(struct str *line, const char *text, bool safe)
{
    AUTO_STR struct str field = str_new();
    csv_add_empty(line, 1);
    if (!text)
        return;
    str_add_visible(&field, text);
    const char *quote = strpbrk(field.text, "\",") ? "\"" : "";
    bool begins = true;
    str_add(line, quote);
    for (const char *c = field.text; *c; c++) {
        /* Whether spreadsheets take it as a formula. Tabs and carriage returns may begin one, too:
         * they are escaped. Some spreadsheets accept the fullwidth forms of the characters. */
        unsigned code = 0;
        str_utf8(c, &code);
        bool formula = (code && code < 0x80 && strchr("=+-@", (int)code)) || code == 0xff1d ||
                       code == 0xff0b || code == 0xff0d || code == 0xff20;
        if (safe && begins && formula)
            str_add_char(line, '\'');
        if (*c == '"')
            str_add_char(line, '"');
        str_add_char(line, *c);
        begins = *c == ',' || *c == ';' || *c == '"';
    }
    str_add(line, quote);
}

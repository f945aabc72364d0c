#include "view/settings.h"

bool view_needs_idle(const struct view_settings *settings)
{
    return settings->idle || settings->tree;
}

bool view_marks_ascii(const struct view_settings *settings)
{
    return settings->ascii || settings->plain;
}

const char *view_amount_text(enum view_amount amount)
{
    static const char *const texts[] = {"a second", "in the interval", "since the start"};
    return texts[amount];
}

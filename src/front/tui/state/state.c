#include "front/tui/state/state.h"

struct owned {
    const struct own *kind;
    struct owned *next;
    max_align_t own[];
};

void *ui_own(const struct ui *ui, const struct own *kind)
{
    struct owned *owned = ui->owned;
    while (owned && owned->kind != kind)
        owned = owned->next;
    if (owned)
        return owned->own;
    owned = mem_alloc(sizeof(*owned) + kind->size);
    *owned = (struct owned){kind, ui->owned};
    if (kind->initial)
        memcpy(owned->own, kind->initial, kind->size);
    ((struct ui *)ui)->owned = owned;
    return owned->own;
}

void ui_close(struct ui *ui)
{
    for (struct owned *owned; (owned = ui->owned); free(owned)) {
        ui->owned = owned->next;
        if (owned->kind->end)
            owned->kind->end(owned->own);
    }
}

void own_names_end(void *own)
{
    names_release(own);
}

void ui_say(struct ui *ui, enum role role, const char *format, ...)
{
    char text[sizeof(ui->message.text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    err_set(&ui->message, "%s", text);
    ui->message_role = role;
    if (role == ROLE_ERROR)
        errors_say(&ui->errors, ui->message.text, clock_wall());
}

bool ui_done(struct ui *ui, int result)
{
    if (result < 0)
        ui_say(ui, ROLE_ERROR, "%s", ui->failure.text);
    return result == 0;
}

bool ui_row_is_away(struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    const struct table *table = &ui->table;
    if (!table->absent)
        return false;
    ui_say(ui, ROLE_NOTICE, "%s %s", table->followed,
           table->ended                                    ? "has ended"
           : settings->filter || view_needs_idle(settings) ? "is not in the table"
                                                           : "is not running: i shows it");
    return true;
}

bool ui_is_live(const struct ui *ui)
{
    return !ui->moment.past && !ui->moment.replay;
}

bool ui_looks_back(const struct ui *ui)
{
    return ui->moment.past && !ui->moment.replay;
}

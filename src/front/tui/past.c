#include "front/tui/past.h"

#include <time.h>

static struct front_moment moment_of(const struct ui *ui)
{
    struct front_moment moment = {0};
    if (ui->host->time.tell)
        ui->host->time.tell(ui->host->time.ctx, &moment);
    return moment;
}

bool past_shown(const struct ui *ui)
{
    struct front_moment moment = moment_of(ui);
    return moment.past && !moment.replay;
}

static void say_moment(struct ui *ui)
{
    struct front_moment moment = moment_of(ui);
    time_t seconds = (time_t)moment.time;
    struct tm when;
    char clock[32];
    localtime_r(&seconds, &when);
    strftime(clock, sizeof(clock), "%Y-%m-%d %H:%M:%S", &when);
    ui_say(ui, ROLE_VALUE, "%s, interval %llu of %llu%s", clock, (unsigned long long)moment.at,
           (unsigned long long)moment.count,
           moment.replay ? ""
           : moment.past ? "; counting goes on"
                         : ": now");
}

/* Takes the frame, NULL: there is a message instead. */
static void show(struct ui *ui, struct frame *frame, const struct err *err)
{
    if (!frame) {
        ui_say(ui, ROLE_VALUE, "%s", err->text);
        return;
    }
    ui_put(ui, frame);
    say_moment(ui);
}

void past_step(struct ui *ui, int64_t intervals)
{
    struct err err = {""};
    show(ui, ui->host->time.step(ui->host->time.ctx, intervals, &err), &err);
}

void past_seek(struct ui *ui, double time)
{
    struct err err = {""};
    show(ui, ui->host->time.seek(ui->host->time.ctx, time, &err), &err);
}

void past_live(struct ui *ui)
{
    ui->host->time.live(ui->host->time.ctx);
    ui->host->refresh(ui->host->ctx);
}

void past_play(struct ui *ui, double speed)
{
    struct err err;
    if (ui->host->time.play(ui->host->time.ctx, speed, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
}

#include "app/program.h"

int stages_run(const struct stage *stages, int (*run)(struct program *program, struct err *err),
               struct program *program, struct err *err)
{
    size_t opened = 0;
    int code = 0;
    while (code == 0 && stages[opened].name) {
        log_line("start: %s", stages[opened].name);
        code = stages[opened++].open(program, err);
    }
    if (code == 0)
        code = run(program, err);
    while (opened-- > 0) {
        log_line("end: %s", stages[opened].name);
        stages[opened].close(program);
    }
    return code;
}

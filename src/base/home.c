#include "base/home.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *home_directory(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return mem_printf("%s/countertop", config);
    return home && *home == '/' ? mem_printf("%s/.config/countertop", home) : NULL;
}

char *home_share(void)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    for (int parents = 0; parents < 2; parents++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return mem_printf("%s/share/countertop", program);
}

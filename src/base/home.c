#include "base/home.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Below the directory that a variable names, else below `usual` in the user's home. */
static char *directory_of(const char *variable, const char *usual)
{
    const char *named = getenv(variable), *home = getenv("HOME");
    if (named && *named == '/')
        return mem_printf("%s/countertop", named);
    return home && *home == '/' ? mem_printf("%s/%s/countertop", home, usual) : NULL;
}

char *home_directory(void)
{
    return directory_of("XDG_CONFIG_HOME", ".config");
}

char *home_cache(void)
{
    return directory_of("XDG_CACHE_HOME", ".cache");
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

#include "base/home.h"
#include "base/mem.h"

#include <stdlib.h>

char *home_directory(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return mem_printf("%s/countertop", config);
    return home && *home == '/' ? mem_printf("%s/.config/countertop", home) : NULL;
}

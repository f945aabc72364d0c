#include "system/words.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

static bool is_found(const char *name, char *const *environment)
{
    static const char variable[] = "PATH=";
    const char *path = "";
    bool found = false;
    if (strchr(name, '/'))
        return is_program(name);
    for (; *environment; environment++)
        if (strncmp(*environment, variable, strlen(variable)) == 0)
            path = *environment + strlen(variable);
    char *directories = mem_strdup(path), *rest = directories, *directory;
    while (!found && (directory = strsep(&rest, ":"))) {
        char *file = mem_printf("%s/%s", *directory ? directory : ".", name);
        found = is_program(file);
        free(file);
    }
    free(directories);
    return found;
}

char **words_of(const char *text, char *const *environment)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-+=./:,@%^_ \t";
    size_t count = 0;
    char **words = mem_array(strlen(text) / 2 + 4, sizeof(*words));
    char *copy = mem_strdup(text), *rest = copy, *word;
    while ((word = strsep(&rest, " \t")))
        if (*word)
            words[count++] = mem_strdup(word);
    free(copy);
    if (count && !text[strspn(text, plain)] && !strchr(words[0], '=') &&
        is_found(words[0], environment))
        return words;
    words_free(words);
    words = mem_array(4, sizeof(*words));
    words[0] = mem_strdup("/bin/sh");
    words[1] = mem_strdup("-c");
    words[2] = mem_strdup(text);
    return words;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

#include "base/mem.h"
#include "cli/config.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct definitions definitions;
    struct config config;
    struct options options;
    struct err err;
    char directory[64];
};

static int setup(void **state)
{
    struct fixture *fixture = mem_alloc(sizeof(*fixture));
    const char *parent = getenv("TMPDIR");
    definitions_init(&fixture->definitions);
    config_init(&fixture->config);
    options_init(&fixture->options);
    snprintf(fixture->directory, sizeof(fixture->directory), "%s/config-XXXXXX",
             parent && strlen(parent) < 40 ? parent : "/tmp");
    *state = fixture;
    return mkdtemp(fixture->directory) ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char *path = mem_printf("%s/settings.ini", fixture->directory);
    unlink(path);
    rmdir(fixture->directory);
    options_release(&fixture->options);
    config_release(&fixture->config);
    definitions_release(&fixture->definitions);
    free(path);
    free(fixture);
    return 0;
}

static void what_cannot_be_kept(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.theme = "./a ;comment";
    assert_null(
        config_save(&fixture->config, fixture->directory, &fixture->options, &fixture->err));
    assert_string_equal(fixture->err.text,
                        "cannot keep 'theme': an INI file cannot hold the value './a ;comment'");
    fixture->options.theme = NULL;
    assert_null(config_save(&fixture->config, NULL, &fixture->options, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "start with -W DIR"));
}

static void files_of_others_stay(void **state)
{
    struct fixture *fixture = *state;
    char *path = mem_printf("%s/settings.ini", fixture->directory);
    FILE *file = fopen(path, "w");
    fputs("[settings]\nidle = yes\n", file);
    fclose(file);
    assert_null(
        config_save(&fixture->config, fixture->directory, &fixture->options, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "it was not written by countertop"));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 22);
    free(path);
}

static void directories_are_made(void **state)
{
    struct fixture *fixture = *state;
    char *below = mem_printf("%s/a", fixture->directory), *deep = mem_printf("%s/b", below);
    char *path = config_save(&fixture->config, deep, &fixture->options, &fixture->err);
    assert_non_null(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(below), 0);
    free(path);
    free(deep);
    free(below);
}

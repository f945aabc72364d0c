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

static void read_text(struct fixture *fixture, const char *text, bool own)
{
    if (config_read(&fixture->config, text, "t.ini", own, &fixture->err) < 0)
        fail_msg("%s", fixture->err.text);
}

static void later_ones_count(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "[settings]\nidle = yes\ndelay = 3\nview = cpus\n", false);
    read_text(fixture, "[settings]\nidle = no\nmode = user\n[screen x]\ndelay = 5\n", false);
    config_apply(&fixture->config, &fixture->definitions, &fixture->options);
    assert_false(fixture->options.view.idle);
    assert_true(fixture->options.delay == 3);
    assert_int_equal(fixture->options.view.kind, VIEW_CPUS);
    assert_int_equal(fixture->options.mode, MODE_USER);
    /* It is not as if the command line had said so. */
    assert_false(options_given(&fixture->options, "delay"));
}

static void mistakes(void **state)
{
    struct fixture *fixture = *state;
    static const char *const texts[][2] = {
        {"[settings]\nthme = x\n", "t.ini:2: unknown setting 'thme': did you mean 'theme'?"},
        {"[settings]\nbatch = yes\n",
         "t.ini:2: 'batch' is no setting: it goes on the command line only"},
        {"[settings]\nidle=\n", "t.ini:2: no value for the setting 'idle'"},
        {"[keys]\n\nfliter = x\n", "t.ini:3: unknown command 'fliter': did you mean 'filter'?"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(config_read(&fixture->config, texts[i][0], "t.ini", false, &fixture->err),
                         -1);
        assert_string_equal(fixture->err.text, texts[i][1]);
    }
    assert_int_equal(fixture->config.count, 0);
}

/* The text of settings.ini behind its first line. */
static char *saved(struct fixture *fixture)
{
    static char text[1024];
    char *path =
        config_save(&fixture->config, fixture->directory, &fixture->options, &fixture->err);
    if (!path)
        fail_msg("%s", fixture->err.text);
    FILE *file = fopen(path, "r");
    free(path);
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_ptr_equal(strstr(text, "; Written by countertop"), text);
    return strchr(text, '\n') + 1;
}

static void only_what_differs_is_kept(void **state)
{
    struct fixture *fixture = *state;
    assert_string_equal(saved(fixture), "[settings]\n");
    read_text(fixture, "[settings]\nidle = yes\ntheme = nord\n", false);
    config_apply(&fixture->config, &fixture->definitions, &fixture->options);
    assert_string_equal(saved(fixture), "[settings]\n");
    /* What another file sets is undone, and what settings.ini said is no reason to leave it out. */
    read_text(fixture, "[settings]\ndelay = 0.5\n", true);
    fixture->options.view.idle = false;
    fixture->options.delay = 0.5;
    fixture->options.view.kind = VIEW_USERS;
    fixture->options.view.amount = AMOUNT_TOTAL;
    fixture->options.batch = true; /* no setting */
    assert_string_equal(saved(fixture),
                        "[settings]\nview = users\nidle = no\ndelay = 0.5\nshow = total\n");
}

static void what_is_kept_is_read_again(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.view.threads = fixture->options.view.exact = true;
    fixture->options.theme = "./a theme, with blanks = and such";
    fixture->options.delay = 2.25;
    char *text = mem_strdup(saved(fixture));
    read_text(fixture, text, true);
    struct options again;
    options_init(&again);
    config_apply(&fixture->config, &fixture->definitions, &again);
    assert_true(again.view.threads && again.view.exact && !again.view.idle);
    assert_string_equal(again.theme, fixture->options.theme);
    assert_true(again.delay == 2.25);
    options_release(&again);
    free(text);
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

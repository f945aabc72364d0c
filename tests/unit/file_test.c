#include "base/file.h"
#include "unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/file_test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static int begin(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    return setenv("COUNTERTOP_ROOT", folder, 1);
}

static int end(void **state)
{
    unlink(in_folder("some"));
    unlink(in_folder("none"));
    unlink(in_folder("large"));
    unsetenv("COUNTERTOP_ROOT");
    return rmdir(folder);
}

static void files_beneath_the_root(void **state)
{
    char text[16];
    write_file("some", "one\ntwo\n", 8);
    assert_int_equal(file_read("/some", text, sizeof(text)), 8);
    assert_string_equal(text, "one\ntwo\n");
    assert_int_equal(file_read("/some", text, 4), 3);
    assert_string_equal(text, "one");
    assert_int_equal(file_read("/some", text, 1), 0);
    assert_string_equal(text, "");
    assert_int_equal(file_readf(text, sizeof(text), "/%s%s", "so", "me"), 8);
    assert_string_equal(text, "one\ntwo\n");
    assert_int_equal(file_line("/some", text, sizeof(text)), 0);
    assert_string_equal(text, "one");
    write_file("none", "", 0);
    assert_int_equal(file_read("/none", text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_int_equal(file_line("/none", text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

static void what_cannot_be_read(void **state)
{
    char text[16];
    errno = 0;
    assert_int_equal(file_read("/missing", text, sizeof(text)), -1);
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_int_equal(file_line("/missing", text, sizeof(text)), -1);
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_int_equal(file_read("/", text, sizeof(text)), -1);
    assert_int_equal(errno, EISDIR);
    assert_null(file_opendir("/missing"));
    assert_int_equal(errno, ENOENT);
    DIR *dir = file_opendir("/");
    assert_non_null(dir);
    closedir(dir);
}

static void without_a_root(void **state)
{
    char text[64];
    setenv("COUNTERTOP_ROOT", "", 1);
    assert_true(file_read("/proc/self/stat", text, sizeof(text)) > 0);
    unsetenv("COUNTERTOP_ROOT");
    assert_true(file_read("/proc/self/stat", text, sizeof(text)) > 0);
    setenv("COUNTERTOP_ROOT", folder, 1);
    assert_int_equal(file_read("/proc/self/stat", text, sizeof(text)), -1);
}

static void whole_files(void **state)
{
    static char many[10000];
    struct err err = {""};
    memset(many, 'x', sizeof(many));
    write_file("large", many, sizeof(many));
    char *text = file_load(in_folder("large"), sizeof(many), &err);
    assert_non_null(text);
    assert_int_equal(strlen(text), sizeof(many));
    free(text);
    write_file("none", "", 0);
    text = file_load(in_folder("none"), 0, &err);
    assert_string_equal(text, "");
    free(text);
    assert_string_equal(err.text, "");
}

static void whole_files_that_cannot_be_had(void **state)
{
    struct err err = {""};
    char message[400];
    write_file("large", "12345", 5);
    assert_null(file_load(in_folder("large"), 4, &err));
    snprintf(message, sizeof(message), "cannot read '%s': it is larger than 4 bytes",
             in_folder("large"));
    assert_string_equal(err.text, message);
    assert_null(file_load("/missing", 4, &err));
    assert_string_equal(err.text, "cannot read '/missing': No such file or directory");
    assert_null(file_load(folder, 4, &err));
    snprintf(message, sizeof(message), "cannot read '%s': it is no readable file", folder);
    assert_string_equal(err.text, message);
    assert_null(file_load("/dev/zero", 100000, NULL));
}

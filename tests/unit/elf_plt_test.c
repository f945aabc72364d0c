#include "code/elf_table.h"
#include "unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Compares all entries of a file with those that objdump names; returns their number, or -1 without
 * file or objdump. */
static long entries_of(const char *objdump, const char *path)
{
    char command[4500], line[4096];
    long count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    struct elf_image image = {0};
    assert_true(elf_image_read(&image, fd, ELF_ALL));
    close(fd);
    elf_image_finish(&image);
    snprintf(command, sizeof(command), "%s -d -j .plt -j .plt.sec -j .plt.got '%s' 2>/dev/null",
             objdump, path);
    FILE *told = popen(command, "r");
    assert_non_null(told);
    while (fgets(line, sizeof(line), told)) {
        char *name = strstr(line, " <"), *end = strstr(line, "@plt>:");
        if (!name || !end || name[2] == '*') /* "*ABS*+0x9d150@plt": no name in the relocation */
            continue;
        uint64_t address = strtoull(line, NULL, 16);
        /* "realloc+0x28020@plt": the addend that ld -z mark-plt wrote is the entry's own address.
         */
        char *addend = strstr(name, "+0x");
        if (addend && strtoull(addend + 1, NULL, 16) == address)
            end = addend;
        const struct table_function *function = function_table_find(&image.table, address);
        assert_non_null(function);
        assert_int_equal(function->start, address);
        const char *found = function_table_name(&image.table, function);
        memcpy(end, "@plt", sizeof("@plt"));
        assert_string_equal(found, name + 2);
        count++;
    }
    int status = pclose(told);
    elf_image_release(&image);
    return status == 0 ? count : -1;
}

/* The processors whose entries are known; a file is read on machines of its own byte order. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { KNOWN_HERE = 1 };
#else
enum { KNOWN_HERE = 0 };
#endif

/* This program, and all that it has mapped. */
static void of_this_machine(void **state)
{
    char line[4096], last[4096] = "";
    long all = 0;
    if (!KNOWN_HERE || system("objdump --version >/dev/null 2>&1") != 0)
        skip();
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        char *path = strchr(line, '/');
        if (!path || strcmp(path, last) == 0)
            continue;
        strcpy(last, path);
        path[strcspn(path, "\n")] = '\0';
        long count = entries_of("objdump", path);
        all += count > 0 ? count : 0;
    }
    fclose(maps);
    assert_true(all > 20);
}

static void of_arm64(void **state)
{
    static const char folder[] = "/usr/aarch64-linux-gnu/lib/";
    /* Not libstdc++: objdump gives a stub for thread-local data the name of the variable. */
    const char *names[] = {"libc.so.6", "libgomp.so.1", "libgcc_s.so.1", "libasan.so.8"};
    long all = 0;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ||
        system("aarch64-linux-gnu-objdump --version >/dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[200];
        snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        long count = entries_of("aarch64-linux-gnu-objdump", path);
        all += count > 0 ? count : 0;
    }
    if (all == 0)
        skip();
    assert_true(all > 20);
}

/* A root of its own for targets that read files beneath COUNTERTOP_ROOT: made at the first use,
 * removed at the end. */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree_root[256];

static int tree_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void tree_remove(void)
{
    nftw(tree_root, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file, and the folders above it. */
static void tree_write(const char *path, const void *data, size_t size)
{
    char full[512];
    if (!*tree_root) {
        const char *temporary = getenv("TMPDIR");
        snprintf(tree_root, sizeof(tree_root), "%s/fuzz-XXXXXX", temporary ? temporary : "/tmp");
        if (!mkdtemp(tree_root))
            abort();
        setenv("COUNTERTOP_ROOT", tree_root, 1);
        atexit(tree_remove);
    }
    snprintf(full, sizeof(full), "%s%s", tree_root, path);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (char *p = full + strlen(tree_root) + 1; fd < 0 && (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
    if (fd < 0)
        fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

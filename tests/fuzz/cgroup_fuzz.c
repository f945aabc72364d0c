/* The mounts and the cgroups of a process, whatever is in the files: the part before the first NUL
 * byte is mountinfo, the rest the process' file. */
#include "system/cgroup.h"
#include "base/mem.h"
#include "base/str.h"
#include "fuzz/tree.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    size_t mounts = end ? (size_t)(end - data) : size, rest = end ? size - mounts - 1 : 0;
    tree_write("/proc/self/mountinfo", data, mounts);
    tree_write("/proc/7/cgroup", end ? (const void *)(end + 1) : "", rest);
    tree_write("/sys/fs/cgroup/web/cgroup.type", "domain\n", 7);

    char path[64], name[24];
    memset(path, 'x', sizeof(path));
    check(cgroup_of(7, path, sizeof(path)) && path[0] == '/' && memchr(path, '\0', sizeof(path)));
    cgroup_name(path, NULL, name, sizeof(name));
    check(*name && memchr(name, '\0', sizeof(name)));

    /* What the kernel keeps of it. */
    struct cgroup_places places = {0};
    struct kernel_times times;
    tree_write("/sys/fs/cgroup/web/cpu.stat", data, size);
    tree_write("/sys/fs/cgroup/web/cpu.pressure", data, size);
    cgroup_kernel_times(&places, path, &times);
    cgroup_kernel_times(&places, "/web/below", &times);
    check(times.known & 1u << CGROUP_TIME && times.known >> CGROUP_TIMES == 0);
    cgroup_places_release(&places);

    struct err err = {""};
    char *given = mem_strndup((const char *)data, mounts < 100 ? mounts : 100);
    char *found = cgroup_find(given, &err);
    check(!found == (*err.text != '\0'));
    free(given);
    free(found);
    found = cgroup_find("web", NULL);
    if (found) {
        check(str_starts(found, "/"));
        cgroup_has(found, 7);
        cgroup_is_root(found);
    }
    free(found);
    return 0;
}

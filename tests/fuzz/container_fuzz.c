/* What container runtimes keep in files, whatever is in them: the first byte chooses one. */
#include "system/container.h"
#include "base/str.h"
#include "fuzz/tree.h"
#include "fuzz/fuzz.h"

#define ID "4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {
        "/var/lib/docker/containers/" ID "/config.v2.json",
        "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
        "/var/lib/containers/storage/overlay-containers/containers.json",
    };
    enum { FILES = sizeof(files) / sizeof(*files) };
    struct container_names names = {0};
    for (size_t i = 0; i < FILES; i++) {
        bool chosen = size && data[0] % FILES == i;
        tree_write(files[i], chosen ? (const void *)(data + 1) : "", chosen ? size - 1 : 0);
    }
    const char *name = container_name(&names, "/docker/" ID);
    check(!name || (*name && strlen(name) <= CONTAINER_NAME_MAX));
    for (; name && *name; name++)
        check((unsigned char)*name >= ' ' && *name != 0x7f);
    container_names_release(&names);
    return 0;
}

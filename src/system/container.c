#include "system/container.h"

#include <jansson.h>

static const uint64_t NAMES_KEPT = 10000000000; /* ns */

/* ---- ids ---- */

/* Exactly CONTAINER_ID_DIGITS hexadecimal digits in a row, in a part of a path. */
static const char *id_in(const char *part)
{
    for (size_t digits; *part && *part != '/';
         part += digits + (part[digits] && part[digits] != '/')) {
        digits = strspn(part, "0123456789abcdefABCDEF");
        if (digits == CONTAINER_ID_DIGITS)
            return part;
    }
    return NULL;
}

const char *container_id(const char *path)
{
    const char *slash = strrchr(path, '/'), *part = slash ? slash + 1 : path;
    const char *id = id_in(part);
    /* Podman puts a container's processes into a child of the cgroup with the id. */
    if (!id && slash > path && str_equal(part, "container")) {
        const char *above = memrchr(path, '/', (size_t)(slash - path));
        id = id_in(above ? above + 1 : path);
    }
    return id;
}

/* ---- names ---- */

static uint64_t hash_of(const char *id)
{
    return str_hash_bytes(id, CONTAINER_ID_DIGITS);
}

static char *pod_name(const char *pod, const char *container)
{
    return mem_printf("%s%s%s", pod, *container ? "/" : "", container);
}

/* Takes ownership of the name; NULL: there is none. */
static const char *keep_name(struct container_names *names, const char *id, char *name)
{
    char *kept = mem_strndup(name ? name : "", CONTAINER_NAME_MAX);
    free(name);
    str_clean(kept, false);
    free(map_put(&names->names, hash_of(id), kept));
    return kept;
}

/* Docker and CRI-O give a pod's container the name "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT", where
 * CONTAINER is "POD" for what holds its namespaces (Kubernetes, cri-dockerd, core/naming.go). */
static char *plain_name(const char *name)
{
    char container[128], pod[256];
    if (!name || sscanf(name, "k8s_%127[^_]_%255[^_]_", container, pod) != 2)
        return mem_strdup(name);
    return pod_name(pod, str_equal(container, "POD") ? "" : container);
}

/* ---- files ---- */

/* An open file, and how many bytes of it are still read. */
struct state_file {
    int fd;
    size_t left;
};

static size_t read_state(void *buffer, size_t size, void *ctx)
{
    struct state_file *file = ctx;
    ssize_t length = read(file->fd, buffer, size < file->left ? size : file->left);
    file->left -= length > 0 ? (size_t)length : 0;
    return (size_t)length; /* jansson takes -1 for an error, as read(2) means it */
}

/* A file of a runtime; NULL: it cannot be read, is no JSON, or too large. */
static json_t *load(const char *path)
{
    AUTO_CLOSE int fd = file_keep(path);
    struct state_file file = {fd, 4 << 20};
    return fd < 0 ? NULL : json_load_callback(read_state, &file, JSON_REJECT_DUPLICATES, NULL);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The lists of containers/storage, which Podman and CRI-O use: of containers that stay, that go
 * with their end, and, with transient storage, with the machine's (storage.conf(5), graphroot,
 * runroot, transient_store). */
static void read_lists(struct container_names *names)
{
    static const char *const lists[] = {
        "/var/lib/containers/storage/overlay-containers/containers.json",
        "/var/lib/containers/storage/overlay-containers/volatile-containers.json",
        "/run/containers/storage/overlay-containers/volatile-containers.json",
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        json_t *list = load(lists[i]), *entry;
        size_t e;
        json_array_foreach(list, e, entry)
        {
            const char *id = text_of(entry, "id");
            const char *name =
                json_string_value(json_array_get(json_object_get(entry, "names"), 0));
            if (id && name && strlen(id) == CONTAINER_ID_DIGITS)
                keep_name(names, id, plain_name(name));
        }
        json_decref(list);
    }
}

/* The name in a file of the container's own: Docker's state, where it begins with '/'; else the
 * configuration of containerd's bundle (OCI's config.json), which has it in annotations: of
 * Kubernetes (containerd, internal/cri/annotations), or of nerdctl (nerdctl, pkg/labels). */
static char *own_name(const char *id)
{
    static const char *const files[] = {
        "/var/lib/docker/containers/%.*s/config.v2.json",
        "/run/containerd/io.containerd.runtime.v2.task/k8s.io/%.*s/config.json",
        "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/%.*s/config.json",
        "/run/containerd/io.containerd.runtime.v2.task/default/%.*s/config.json",
    };
    char *name = NULL;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !name; i++) {
        AUTO_FREE char *path = mem_printf(files[i], CONTAINER_ID_DIGITS, id);
        json_t *root = load(path), *notes = json_object_get(root, "annotations");
        const char *docker = i == 0 ? text_of(root, "Name") : NULL;
        const char *pod = text_of(notes, "io.kubernetes.cri.sandbox-name");
        const char *container = text_of(notes, "io.kubernetes.cri.container-name");
        if (docker && *docker == '/')
            name = plain_name(docker + 1);
        else if (pod)
            name = pod_name(pod, container ? container : "");
        else
            name = plain_name(text_of(notes, "nerdctl/name"));
        json_decref(root);
    }
    return name;
}

void container_names_release(struct container_names *names)
{
    map_free(&names->names);
    names->read = 0;
}

const char *container_name(struct container_names *names, const char *path)
{
    const char *id = container_id(path);
    uint64_t now = clock_monotonic();
    if (!id)
        return NULL;
    if (!names->read || now - names->read > NAMES_KEPT) {
        container_names_release(names);
        read_lists(names);
        names->read = now;
    }
    const char *name = map_get(&names->names, hash_of(id));
    name = name ? name : keep_name(names, id, own_name(id));
    return *name ? name : NULL;
}

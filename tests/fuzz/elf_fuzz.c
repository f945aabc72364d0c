/* Programs and libraries that anyone may have made: whatever the file says of itself, a function
 * of it is found within it or not at all. */
#include "event/query.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    uint64_t offset = UINT64_MAX;
    struct err err = {""};
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (elf_function(path, "f", &offset, &err) == 0) {
        if (offset >= size || err.text[0])
            abort();
    } else if (!err.text[0]) {
        abort();
    }
    close(fd);
    return 0;
}

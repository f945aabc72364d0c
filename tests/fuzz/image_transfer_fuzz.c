/* What a process that has been taken over by a file sends as its functions. */
#include "base/socket.h"
#include "code/line_child.h"
#include "fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 15 }; /* which a socket holds */
    int ends[2];
    struct elf_image image = {0};
    if (size > MOST || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return 0;
    socket_send(ends[0], data, size);
    close(ends[0]);
    if (image_receive(ends[1], &image)) {
        uint64_t at;
        for (size_t i = 0; i < image.table.count; i++) {
            const struct table_function *function = &image.table.functions[i];
            const char *name = function_table_name(&image.table, function);
            if (name && strlen(name) > size)
                abort();
            function_table_find(&image.table, function->start);
        }
        elf_image_address(&image, size, &at);
        elf_image_offset(&image, size, &at);
        if (strlen(image.identity.link) >= sizeof(image.identity.link))
            abort();
    }
    elf_image_release(&image);
    close(ends[1]);
    return 0;
}

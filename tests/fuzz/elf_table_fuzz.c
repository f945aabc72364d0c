/* Programs and libraries that anyone may have made: their functions lie where the file says, or are
 * not known. */
#include "code/elf_table.h"
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_image image = {0};
    if (elf_image_memory(&image, data, size)) {
        uint64_t address;
        elf_image_finish(&image);
        for (size_t i = 0; i < image.table.count; i++) {
            const struct table_function *function = &image.table.functions[i];
            if (i > 0 && function[-1].start >= function->start)
                abort();
            const char *name = function_table_name(&image.table, function);
            if (name && memchr(name, '\0', image.table.name_bytes - function->name) == NULL)
                abort();
            if (i < 8 && name)
                free(function_name_shown(name, true));
            function_table_find(&image.table, function->start + function->size / 2);
        }
        elf_image_address(&image, size / 2, &address);
        if (image.identity.build_id_size > CODE_BUILD_ID_MAX)
            abort();
    }
    elf_image_release(&image);

    /* The same as a file: its variables. */
    static int file = -1;
    uint64_t within;
    file = file < 0 ? memfd_create("elf", MFD_CLOEXEC) : file;
    if (ftruncate(file, 0) < 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return 0;
    free(elf_variable(file, size / 2 & ~(uint64_t)0xfff, size % 0x1000, &within));
    return 0;
}

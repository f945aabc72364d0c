/* Registers and a stack of any content, unwound by the call frame information of this program. */
#include "code/stack_dwarf.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

/* As if this program were loaded at `start`: its pages that the kernel would map as code. */
static void add_code(struct stack_dwarf *dwarf, uint64_t start, int fd)
{
    const ElfW(Phdr) *parts = (const void *)getauxval(AT_PHDR);
    const uint64_t in_page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
    for (size_t i = 0; i < getauxval(AT_PHNUM); i++)
        if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_X)
            stack_dwarf_add(dwarf, start + (parts[i].p_vaddr & ~in_page),
                            parts[i].p_offset & ~in_page, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t START = 0x400000, CODE = 32 << 20;
    static struct stack_dwarf *dwarf;
    struct stack_copy copy = {{0}, 0};
    struct stack_frames frames;
    size_t registers = stack_registers.count * sizeof(*copy.registers);
    if (size < registers || stack_registers.mask == 0)
        return 0;
    if (!dwarf) {
        int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        dwarf = stack_dwarf_new();
        add_code(dwarf, START, fd);
        stack_dwarf_add(dwarf, START + 2 * CODE, 0, -1);
        close(fd);
    }
    memcpy(copy.registers, data, registers);
    copy.registers[stack_registers.pc] = START + copy.registers[stack_registers.pc] % CODE;
    copy.size = size - registers;
    /* Exactly as long, so that a read beyond it is seen. */
    unsigned char *stack = malloc(copy.size + 1);
    if (!stack)
        return 0;
    unsigned char *bytes = stack + 1;
    memcpy(bytes, data + registers, copy.size);
    stack_dwarf_unwind(dwarf, &copy, bytes, &frames);
    free(stack);
    if (frames.count > STACK_FRAMES_MAX || (frames.whole && frames.count == 0))
        abort();
    return 0;
}

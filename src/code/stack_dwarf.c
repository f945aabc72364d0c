#include "code/stack_dwarf.h"

#include <elfutils/libdwfl.h>
#include <sys/auxv.h>

#if defined(__x86_64__)

/* asm/perf_regs.h: AX, BX, CX, DX, SI, DI, BP, SP, IP, and from bit 16 on R8 to R15. System V ABI,
 * AMD64 supplement, figure 3.36: RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8 to R15, and the return
 * address. */
const struct stack_registers stack_registers = {
    .mask = 0xff01ff,
    .count = 17,
    .stack = 7,
    .pc = 8,
    .dwarf = 17,
    .numbers = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8},
};

#elif defined(__aarch64__)

/* asm/perf_regs.h: X0 to X30, SP, PC. DWARF for the Arm 64-bit Architecture, 4.1: the same. */
const struct stack_registers stack_registers = {
    .mask = 0x1ffffffff,
    .count = 33,
    .stack = 31,
    .pc = 32,
    .dwarf = 32,
    .numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
};

#else

const struct stack_registers stack_registers = {0};

#endif

struct stack_dwarf {
    Dwfl *dwfl;
    bool attached; /* libdwfl knows the processor, from a file */
    unsigned files;
    /* While it unwinds: */
    const struct stack_copy *copy;
    const unsigned char *bytes;
    bool missed; /* what is behind the copied part */
};

/* ---- what libdwfl asks for ---- */

/* A module's file was opened when it was reported. */
static int give_elf(Dwfl_Module *module UNUSED, void **kept, const char *name UNUSED,
                    Dwarf_Addr base UNUSED, char **path UNUSED, Elf **elf)
{
    *elf = *kept;
    *kept = NULL; /* it is libdwfl's now */
    return -1;
}

/* Call frame information is in the file itself. */
static int no_debug_file(Dwfl_Module *module UNUSED, void **kept UNUSED, const char *name UNUSED,
                         Dwarf_Addr base UNUSED, const char *path UNUSED, const char *link UNUSED,
                         GElf_Word check UNUSED, char **debug UNUSED)
{
    return -1;
}

/* There is one. */
static pid_t the_thread(Dwfl *dwfl, void *ctx, void **thread)
{
    if (*thread)
        return 0;
    *thread = ctx;
    return dwfl_pid(dwfl);
}

static bool read_copy(Dwfl *dwfl UNUSED, Dwarf_Addr address, Dwarf_Word *word, void *ctx)
{
    struct stack_dwarf *dwarf = ctx;
    uint64_t from = dwarf->copy->registers[stack_registers.stack], size = dwarf->copy->size;
    dwarf->missed |=
        address < from || size < sizeof(*word) || address - from > size - sizeof(*word);
    if (dwarf->missed)
        return false;
    memcpy(word, dwarf->bytes + (address - from), sizeof(*word));
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
    const struct stack_dwarf *dwarf = ctx;
    Dwarf_Word words[STACK_REGISTERS_MAX];
    for (unsigned i = 0; i < stack_registers.dwarf; i++)
        words[i] = dwarf->copy->registers[stack_registers.numbers[i]];
    dwfl_thread_state_register_pc(thread, dwarf->copy->registers[stack_registers.pc]);
    return dwfl_thread_state_registers(thread, 0, stack_registers.dwarf, words);
}

static int take_frame(Dwfl_Frame *frame, void *ctx)
{
    struct stack_frames *frames = ctx;
    Dwarf_Addr pc;
    bool activation;
    if (frames->count >= STACK_FRAMES_MAX || !dwfl_frame_pc(frame, &pc, &activation))
        return DWARF_CB_ABORT;
    frames->addresses[frames->count++] = pc - !activation;
    return DWARF_CB_OK;
}

/* ---- files ---- */

static const Dwfl_Callbacks callbacks = {.find_elf = give_elf, .find_debuginfo = no_debug_file};
static const Dwfl_Thread_Callbacks threads = {
    .next_thread = the_thread, .memory_read = read_copy, .set_initial_registers = set_registers};

struct stack_dwarf *stack_dwarf_new(void)
{
    struct stack_dwarf *dwarf = mem_alloc(sizeof(*dwarf));
    elf_version(EV_CURRENT);
    dwarf->dwfl = dwfl_begin(&callbacks);
    return dwarf;
}

static int drop_unused(Dwfl_Module *module UNUSED, void **kept, const char *name UNUSED,
                       Dwarf_Addr base UNUSED, void *ctx UNUSED)
{
    elf_end(*kept);
    *kept = NULL;
    return DWARF_CB_OK;
}

void stack_dwarf_free(struct stack_dwarf *dwarf)
{
    if (!dwarf)
        return;
    dwfl_getmodules(dwarf->dwfl, drop_unused, NULL, 0);
    dwfl_end(dwarf->dwfl);
    free(dwarf);
}

/* The file in memory, so that it needs no descriptor. */
static Elf *open_elf(int fd)
{
    enum { VDSO_MAX = 2 << 12 };
    char *vdso = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* this process has the same one */
    if (fd < 0)
        return vdso ? elf_memory(vdso, VDSO_MAX) : NULL;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (elf)
        elf_cntl(elf, ELF_C_FDREAD);
    return elf;
}

/* Where the file lies as a whole, by the part that is mapped as code (elf(5), PT_LOAD). Whole pages
 * are mapped, so parts may share one: the part without rights to execute is not meant, and of two
 * with them it is the one that begins in the first page of the mapping. */
static bool find_bounds(Elf *elf, uint64_t start, uint64_t offset, uint64_t *low, uint64_t *high)
{
    size_t count = 0;
    uint64_t bias = 0;
    bool found = false;
    GElf_Phdr part;
    const uint64_t in_page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
    *low = UINT64_MAX;
    *high = 0;
    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(elf, (int)i, &part) || part.p_type != PT_LOAD)
            continue;
        uint64_t align = part.p_align ? part.p_align : 1, page = part.p_offset & ~in_page;
        uint64_t from = part.p_vaddr & -align, to = part.p_vaddr + part.p_memsz;
        *low = from < *low ? from : *low;
        *high = to > *high ? to : *high;
        if (part.p_flags & PF_X && (!found || offset == page) && offset >= page &&
            offset < part.p_offset + part.p_filesz) {
            bias = start - (part.p_vaddr + (offset - part.p_offset));
            found = true;
        }
    }
    *low += bias;
    *high += bias;
    return found && *low < *high;
}

void stack_dwarf_add(struct stack_dwarf *dwarf, uint64_t start, uint64_t offset, int fd)
{
    uint64_t low, high;
    char name[16];
    Elf *elf = open_elf(fd);
    if (!elf || !find_bounds(elf, start, offset, &low, &high)) {
        elf_end(elf);
        return;
    }
    snprintf(name, sizeof(name), "%u", dwarf->files++);
    dwfl_report_begin_add(dwarf->dwfl);
    Dwfl_Module *module = dwfl_report_module(dwarf->dwfl, name, low, high);
    void **kept = NULL;
    if (module)
        dwfl_module_info(module, &kept, NULL, NULL, NULL, NULL, NULL, NULL);
    if (kept)
        *kept = elf;
    else
        elf_end(elf);
    dwfl_report_end(dwarf->dwfl, NULL, NULL);
}

void stack_dwarf_unwind(struct stack_dwarf *dwarf, const struct stack_copy *copy, const void *bytes,
                        struct stack_frames *frames)
{
    enum { PROCESS = 1 }; /* libdwfl wants numbers */
    frames->count = frames->whole = 0;
    dwarf->copy = copy;
    dwarf->bytes = bytes;
    dwarf->missed = false;
    if (!dwarf->attached)
        dwarf->attached = dwfl_attach_state(dwarf->dwfl, NULL, PROCESS, &threads, dwarf);
    /* To libdwfl a return address that could not be read may be the end, too. */
    if (dwarf->attached)
        frames->whole = dwfl_getthread_frames(dwarf->dwfl, PROCESS, take_frame, frames) == 0 &&
                        frames->count > 0 && !dwarf->missed;
}

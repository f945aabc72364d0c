#include "base/mem.h"
#include "code/listing.h"
#include "code/elf_table.h"
#include "unit/test.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool no_name(void *ctx, uint64_t address, char *text, size_t size)
{
    (void)ctx;
    (void)address;
    (void)text;
    (void)size;
    return false;
}

static bool some_name(void *ctx, uint64_t address, char *text, size_t size)
{
    (void)ctx;
    snprintf(text, size, "<at %llx>", (unsigned long long)address);
    return true;
}

static const struct expected {
    uint64_t address, target;
    enum code_flow flow;
    const char *text;
} x86_lines[] = {
    {0x1000, 0, FLOW_ON, "push %rbp"},
    {0x1001, 0, FLOW_ON, "divl 0x8(%rdi)"},
    {0x1004, 0x1001, FLOW_BRANCH, "jnz 0x1001"},
    {0x1006, 0x2000, FLOW_CALL, "call 0x2000 <at 2000>"},
    {0x100b, 0x1010, FLOW_JUMP, "jmp 0x1010"},
    {0x100d, 0, FLOW_ON, "(bad)"},
    {0x100e, 0, FLOW_CALL, "call *%rax"},
    {0x1010, 0, FLOW_RETURN, "ret"},
};
static const unsigned char x86_code[] = {0x55, 0xf7, 0x77, 0x08, 0x75, 0xfb, 0xe8, 0xf5, 0x0f,
                                         0x00, 0x00, 0xeb, 0x03, 0x06, 0xff, 0xd0, 0xc3};

static void expect_lines(const struct code_listing *listing)
{
    size_t count = sizeof(x86_lines) / sizeof(*x86_lines);
    assert_null(listing->reason);
    assert_int_equal(listing->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct code_instruction *instruction = &listing->instructions[i];
        assert_int_equal(instruction->address, x86_lines[i].address);
        assert_int_equal(instruction->target, x86_lines[i].target);
        assert_int_equal(instruction->flow, x86_lines[i].flow);
        uint64_t end = i + 1 < count ? x86_lines[i + 1].address : 0x1000 + sizeof(x86_code);
        assert_int_equal(instruction->address + instruction->size, end);
        assert_int_equal(code_listing_find(listing, end - 1), i);
    }
    assert_int_equal(code_listing_find(listing, 0xfff), count);
    assert_int_equal(code_listing_find(listing, 0x1000 + sizeof(x86_code)), count);
}

static void instructions_have_text_flow_and_target(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    struct code_listing *listing = code_listing_new(0x1000, sizeof(x86_code));
    disassemble(listing, EM_X86_64, x86_code, sizeof(x86_code), some_name, NULL);
    expect_lines(listing);
    for (size_t i = 0; i < listing->count; i++)
        assert_string_equal(code_listing_text(listing, &listing->instructions[i]),
                            x86_lines[i].text);
    code_listing_drop(listing);
}

/* The objdump of another processor, or none: the test runs with binutils for this one. */
static void objdump_finds_the_same(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    if (system("objdump --version >/dev/null 2>&1") != 0)
        skip();
    struct code_listing *listing = code_listing_new(0x1000, sizeof(x86_code));
    assert_true(
        disassemble_objdump(listing, EM_X86_64, x86_code, sizeof(x86_code), some_name, NULL));
    expect_lines(listing);
    assert_string_equal(code_listing_text(listing, listing->instructions), "push %rbp");
    assert_string_equal(code_listing_text(listing, &listing->instructions[3]),
                        "call 0x2000 <at 2000>");
    code_listing_drop(listing);
}

/* What nothing disassembles: words, and why. */
static void words_where_there_is_no_disassembler(void **state)
{
    const unsigned char code[] = {0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6};
    AUTO_FREE char *path = mem_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    struct code_listing *listing = code_listing_new(0x400, sizeof(code));
    disassemble(listing, EM_AARCH64, code, sizeof(code), some_name, NULL);
    assert_int_equal(listing->count, 2);
    assert_string_equal(code_listing_text(listing, listing->instructions), ".inst 0xd503201f");
    assert_int_equal(listing->instructions[1].address, 0x404);
    assert_string_equal(listing->reason,
                        "cannot run 'objdump': No such file or directory: install binutils");
    code_listing_drop(listing);
    listing = code_listing_new(0x400, sizeof(code));
    disassemble(listing, EM_NONE, code, sizeof(code), some_name, NULL);
    assert_int_equal(listing->count, 0);
    assert_string_equal(listing->reason, "no disassembler knows this processor");
    code_listing_drop(listing);
    setenv("PATH", path, 1);
}

/* Marks where `objdump -d` has an instruction. */
static unsigned char *objdump_marks(const char *path, size_t size)
{
    unsigned char *marks = mem_alloc(size);
    char *command = mem_printf("LC_ALL=C objdump -d -w --no-show-raw-insn '%s'", path), *end;
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (getline(&line, &room, output) > 0) {
        unsigned long address = strtoul(line, &end, 16);
        if (end > line && *end == ':' && line[0] == ' ' && address < size)
            marks[address] = 1;
    }
    assert_int_equal(pclose(output), 0);
    free(command);
    return marks;
}

/* Every function of a file has the instructions that `objdump -d` finds. */
static void is_as_objdump_has_it(const char *path, size_t least)
{
    struct elf_image image = {0};
    if (system("objdump --version >/dev/null 2>&1") != 0)
        skip();
#ifndef __x86_64__
    skip();
#endif
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(elf_image_read(&image, fd, ELF_ALL));
    elf_image_finish(&image);
    size_t size = (size_t)lseek(fd, 0, SEEK_END) * 2, functions = 0, instructions = 0, wrong = 0,
           trampolines = 0;
    unsigned char *marks = objdump_marks(path, size), *bytes = mem_alloc(size);
    for (size_t f = 0; f < image.table.count; f++) {
        const struct table_function *function = &image.table.functions[f];
        uint64_t offset;
        if (function->size == 0 || !elf_image_offset(&image, function->start, &offset) ||
            pread(fd, bytes, function->size, (off_t)offset) != (ssize_t)function->size)
            continue;
        if (!marks[function->start] && !function_table_name(&image.table, function)) {
            trampolines++; /* its .eh_frame begins one byte before the code that signals return to
                            */
            continue;
        }
        struct code_listing *listing = code_listing_new(function->start, function->size);
        disassemble(listing, EM_X86_64, bytes, function->size, no_name, NULL);
        functions++;
        instructions += listing->count;
        uint64_t next = function->start;
        bool same = true;
        for (size_t i = 0; i < listing->count; i++) {
            uint64_t address = listing->instructions[i].address;
            same &= address == next && marks[address];
            next = address + listing->instructions[i].size;
            for (uint64_t inside = address + 1; inside < next; inside++)
                same &= !marks[inside];
        }
        same &= next == function->start + function->size;
        if (!same && wrong++ < 10)
            print_error("%s at %llx differs\n", function_table_name(&image.table, function),
                        (unsigned long long)function->start);
        code_listing_drop(listing);
    }
    print_message("%zu functions, %zu instructions\n", functions, instructions);
    assert_true(functions > least);
    assert_int_equal(wrong, 0);
    assert_true(trampolines <= 1);
    free(bytes);
    free(marks);
    close(fd);
    elf_image_release(&image);
}

static void libc_is_as_objdump_has_it(void **state)
{
    Dl_info info;
    assert_true(dladdr((void *)(uintptr_t)gnu_get_libc_version, &info));
    is_as_objdump_has_it(info.dli_fname, 1000);
}

/* A program has an _init() without a size, which ends with its section. */
static void program_is_as_objdump_has_it(void **state)
{
    char path[4096] = "";
    assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    is_as_objdump_has_it(path, 20);
}

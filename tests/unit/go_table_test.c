/* The functions that the runtime of Go knows, in a stripped program. */
#include "code/elf_table.h"
#include "unit/test.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

enum { TEXT = 0x401000, NAMES_AT = 0x60, FUNCTIONS_AT = 0x100, COUNT = 3 };
static const uint32_t GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1;
static const char *const go_names[COUNT] = {"main.main", "main.(*T).run",
                                            "runtime.f[go.shape.int]"};
static const uint64_t starts[COUNT + 1] = {0x0, 0x40, 0x60, 0x100};

/* A program with that section alone. */
struct program {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    char names[32];
    unsigned char table[1024];
};

static void put(struct program *program, size_t *at, uint64_t number, size_t size)
{
    memcpy(program->table + *at, &number, size);
    *at += size;
}

static struct program program_new(uint32_t magic, uint64_t text)
{
    static const char names[] = "\0.gopclntab\0.names";
    struct program program = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                             BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_shoff = offsetof(struct program, sections),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 3,
                 .e_shstrndx = 2},
        .sections = {{0},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_offset = offsetof(struct program, table),
                      .sh_size = sizeof(program.table)},
                     {.sh_name = 12,
                      .sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct program, names),
                      .sh_size = sizeof(names)}}};
    bool early = magic == GO_1_16;
    size_t at = 0, name = NAMES_AT, width = early ? 8 : 4, code = 0x200;
    memcpy(program.names, names, sizeof(names));
    put(&program, &at, magic, 4);
    put(&program, &at, 8 << 24 | 1 << 16, 4); /* sizes of words and of instructions */
    put(&program, &at, COUNT, 8);
    put(&program, &at, 0, 8);
    if (!early)
        put(&program, &at, text, 8);
    const uint64_t places[] = {NAMES_AT, 0, 0, 0, FUNCTIONS_AT};
    for (size_t i = 0; i < 5; i++)
        put(&program, &at, places[i], 8);
    at = FUNCTIONS_AT;
    for (size_t f = 0; f <= COUNT; f++) {
        uint64_t start = starts[f] + (early ? TEXT : 0);
        put(&program, &at, start, width);
        size_t to = FUNCTIONS_AT + code;
        if (f < COUNT) {
            put(&program, &at, code, width);
            put(&program, &to, start, width);
            put(&program, &to, name - NAMES_AT, 4);
            strcpy((char *)program.table + name, go_names[f]);
            name += strlen(go_names[f]) + 1;
        }
        code += 0x20;
    }
    return program;
}

/* How many functions it has; those that are there are right. */
static size_t functions_of(const struct program *program)
{
    struct elf_image image = {0};
    assert_true(elf_image_memory(&image, program, sizeof(*program)));
    elf_image_finish(&image);
    size_t count = image.table.count;
    for (size_t f = 0; f < COUNT && count == COUNT; f++) {
        const struct table_function *function =
            function_table_find(&image.table, TEXT + starts[f] + 1);
        assert_non_null(function);
        assert_int_equal(function->start, TEXT + starts[f]);
        assert_int_equal(function->size, starts[f + 1] - starts[f]);
        assert_string_equal(function_table_name(&image.table, function), go_names[f]);
    }
    elf_image_release(&image);
    return count;
}

static void versions(void **state)
{
    (void)state;
    struct program program = program_new(GO_1_16, TEXT);
    assert_int_equal(functions_of(&program), COUNT);
    program = program_new(GO_1_18, TEXT);
    assert_int_equal(functions_of(&program), COUNT);
    program = program_new(GO_1_20, TEXT);
    assert_int_equal(functions_of(&program), COUNT);
    program = program_new(GO_1_20, 0); /* filled in when it is loaded */
    assert_int_equal(functions_of(&program), 0);
    program = program_new(0xfffffffb, TEXT); /* of Go 1.2 */
    assert_int_equal(functions_of(&program), 0);
}

static void go_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(((struct program *)0)->table); i++) {
        struct program program = program_new(GO_1_18, TEXT);
        memset(program.table + i, 0xff, sizeof(program.table) - i);
        program.sections[1].sh_size = i % 2 ? sizeof(program.table) : i;
        struct elf_image image = {0};
        elf_image_memory(&image, &program, sizeof(program));
        elf_image_finish(&image);
        assert_true(image.table.count <= COUNT);
        elf_image_release(&image);
    }
}

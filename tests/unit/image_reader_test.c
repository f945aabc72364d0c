/* Files are read by another process: it has the same answers, and what it is told to be given may
 * be wrong or endless. */
#include "base/mem.h"
#include "base/socket.h"
#include "code/code_file.h"
#include "code/line_child.h"
#include "unit/test.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void same_images(const struct elf_image *a, const struct elf_image *b)
{
    assert_int_equal(a->table.count, b->table.count);
    assert_int_equal(a->table.sum, b->table.sum);
    assert_int_equal(a->table.reach, b->table.reach);
    for (size_t i = 0; i < a->table.count; i++) {
        const struct table_function *left = &a->table.functions[i], *right = &b->table.functions[i];
        assert_true(left->start == right->start && left->size == right->size);
        const char *name = function_table_name(&a->table, left);
        const char *other = function_table_name(&b->table, right);
        assert_string_equal(name ? name : "", other ? other : "");
    }
    assert_int_equal(a->segment_count, b->segment_count);
    assert_memory_equal(a->segments, b->segments, a->segment_count * sizeof(*a->segments));
    assert_int_equal(a->identity.build_id_size, b->identity.build_id_size);
    assert_memory_equal(a->identity.build_id, b->identity.build_id, a->identity.build_id_size);
    assert_string_equal(a->identity.link, b->identity.link);
    assert_int_equal(a->identity.link_check, b->identity.link_check);
    assert_int_equal(a->identity.machine, b->identity.machine);
}

static void expect_own(struct image_reader *reader)
{
    struct elf_image own = {0}, image = {0}, facts = {0};
    char *reason = NULL;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && elf_image_read(&own, fd, ELF_ALL));
    elf_image_finish(&own);
    assert_true(own.table.count > 10);
    assert_true(image_reader_read(reader, LINE_IMAGE_ELF, fd, -1, &image, &reason));
    same_images(&own, &image);
    assert_true(image_reader_read(reader, LINE_IMAGE_IDENTITY, fd, -1, &facts, &reason));
    assert_int_equal(facts.identity.build_id_size, own.identity.build_id_size);
    assert_memory_equal(facts.identity.build_id, own.identity.build_id, own.identity.build_id_size);
    assert_int_equal(facts.table.count, 0);
    close(fd);
    elf_image_release(&own);
    elf_image_release(&image);
    elf_image_release(&facts);
}

static void the_same_as_here(void **state)
{
    struct image_reader *reader = image_reader_new();
    struct elf_image image = {0};
    AUTO_FREE char *reason = NULL;
    expect_own(reader);
    expect_own(reader);
    int fd = memfd_create("list", MFD_CLOEXEC);
    static const char list[] = "123456789"; /* of which the CRC-32 is known */
    assert_int_equal(write(fd, list, sizeof(list) - 1), sizeof(list) - 1);
    assert_true(image_reader_read(reader, LINE_IMAGE_CHECK, fd, -1, &image, &reason));
    assert_int_equal(image.identity.link_check, 0xcbf43926);
    elf_image_release(&image);
    assert_int_equal(pwrite(fd, "10 20 f(x)\n", 11, 0), 11);
    for (int again = 0; again < 2; again++) { /* from its beginning each time */
        assert_true(image_reader_read(reader, LINE_IMAGE_JIT, fd, -1, &image, &reason));
        assert_int_equal(image.table.count, 1);
        elf_image_release(&image);
    }
    close(fd);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_false(image_reader_read(reader, LINE_IMAGE_ELF, fd, -1, &image, &reason));
    assert_null(reason);
    assert_false(image_reader_read(reader, LINE_IMAGE_IDENTITY, fd, -1, &image, &reason));
    assert_null(reason);
    image_reader_stop(reader);
    assert_false(image_reader_read(reader, LINE_IMAGE_ELF, fd, -1, &image, &reason));
    assert_non_null(reason);
    close(fd);
    image_reader_free(reader);
}

/* A file without blocks whose table of symbols is a TiB long. */
static int huge_file(void)
{
    static const uint64_t LONG = (uint64_t)1 << 40;
    char path[] = "/tmp/countertop-huge-XXXXXX";
    struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[3];
    } file = {0};
    const uint16_t order = 1;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && unlink(path) == 0);
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = *(const char *)&order ? ELFDATA2LSB : ELFDATA2MSB;
    file.head.e_ident[EI_VERSION] = EV_CURRENT;
    file.head.e_type = ET_EXEC;
    file.head.e_version = EV_CURRENT;
    file.head.e_ehsize = sizeof(file.head);
    file.head.e_shoff = offsetof(__typeof__(file), sections);
    file.head.e_shentsize = sizeof(*file.sections);
    file.head.e_shnum = sizeof(file.sections) / sizeof(*file.sections);
    file.head.e_shstrndx = 2;
    file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_offset = sizeof(file),
                                    .sh_size = LONG,
                                    .sh_entsize = sizeof(Elf64_Sym),
                                    .sh_link = 2};
    file.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = sizeof(file), .sh_size = 8};
    assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
    assert_int_equal(ftruncate(fd, (off_t)(2 * LONG)), 0);
    return fd;
}

static void a_huge_table(void **state)
{
    struct image_reader *reader = image_reader_new();
    struct elf_image image = {0};
    char *reason = NULL;
    int fd = huge_file();
    assert_true(image_reader_read(reader, LINE_IMAGE_ELF, fd, -1, &image, &reason));
    assert_null(reason);
    assert_int_equal(image.table.count, 0);
    elf_image_release(&image);
    close(fd);
    expect_own(reader);
    image_reader_free(reader);
}

/* Children of this process. */
static size_t own_children(pid_t *pids, size_t most)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (count < most && fscanf(file, "%d", &pids[count]) == 1)
        count++;
    fclose(file);
    return count;
}

static void a_child_that_has_ended_meanwhile(void **state)
{
    enum { CHILDREN = 2 };
    pid_t pids[CHILDREN + 1];
    struct image_reader *reader = image_reader_new();
    expect_own(reader);
    assert_int_equal(own_children(pids, CHILDREN + 1), CHILDREN);
    for (int i = 0; i < CHILDREN; i++)
        assert_int_equal(kill(pids[i], SIGKILL), 0);
    expect_own(reader);
    image_reader_free(reader);
    assert_int_equal(own_children(pids, CHILDREN), 0);
}

/* ---- what the other end sends ---- */

static bool sent(const struct elf_image *wrong)
{
    int ends[2];
    struct elf_image image = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_true(image_send(ends[0], wrong));
    close(ends[0]);
    bool good = image_receive(ends[1], &image);
    if (good)
        same_images(wrong, &image);
    else
        assert_true(!image.table.functions && !image.table.names && image.table.count == 0 &&
                    !image.segments && image.segment_count == 0 && !*image.identity.link);
    elf_image_release(&image);
    close(ends[1]);
    return good;
}

static void what_is_sent(void **state)
{
    struct table_function functions[] = {{0x100, 8, 1}, {0x200, 8, 0}};
    struct elf_segment segment = {0x100, 0, 0x1000};
    char names[] = "\0f";
    struct elf_image image = {
        .table = {.functions = functions, .count = 2, .names = names, .name_bytes = sizeof(names)},
        .segments = &segment,
        .segment_count = 1,
        .identity.build_id_size = CODE_BUILD_ID_MAX,
        .identity.link = "x.debug",
    };
    assert_true(sent(&(struct elf_image){0}));
    assert_true(sent(&image));
    image.table.name_bytes--; /* the last name does not end */
    assert_false(sent(&image));
    image.table.name_bytes = 0;
    assert_false(sent(&image));
    image.table.name_bytes = sizeof(names);
    functions[1].name = sizeof(names);
    assert_false(sent(&image));
    functions[1] = functions[0];
    assert_false(sent(&image)); /* two at one address */
    functions[1].start++;
    assert_true(sent(&image));
    image.identity.build_id_size = CODE_BUILD_ID_MAX + 1;
    assert_false(sent(&image));
}

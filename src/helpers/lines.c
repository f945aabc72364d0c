/* countertop-lines: reads symbols and debug information, and unwinds stacks by it, for
 * code/line_child.h. */
#include "base/file.h"
#include "base/mem.h"
#include "base/socket.h"
#include "code/jit_dump.h"
#include "code/line_child.h"
#include "code/line_dwarf.h"
#include "system/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

/* What it has opened. */
struct line_work {
    struct line_dwarf *dwarf;
    int file;   /* of it; -1 */
    FILE *dump; /* it is a jitdump; NULL */
    struct stack_dwarf *spaces[LINE_CHILD_SPACES];
    unsigned char stack[UINT16_MAX];
};

/* Replaces what is open; takes over the file that stays open, which gets -1. The debug file comes
 * first. */
static void open_files(struct line_work *work, int files[SOCKET_FILES_MAX])
{
    AUTO_STR struct str none = str_new();
    line_dwarf_close(work->dwarf);
    file_close(work->file);
    if (work->dump)
        fclose(work->dump);
    work->dwarf = NULL;
    work->dump = NULL;
    work->file = -1;
    for (int i = SOCKET_FILES_MAX; i-- > 0 && !work->dwarf;)
        if (files[i] >= 0 && (work->dwarf = line_dwarf_open(files[i]))) {
            work->file = files[i];
            files[i] = -1;
        }
    work->dump = work->dwarf ? NULL : fdopen(dup(files[0]), "r");
    if (work->dump && !jit_dump_lines(work->dump, 0, &none)) {
        fclose(work->dump);
        work->dump = NULL;
    }
}

static bool answer_text(uint32_t found, struct str *text)
{
    if (text->length > LINE_TEXT_MAX)
        str_clear(text);
    struct line_answer answer = {found, (uint32_t)text->length};
    return socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
           socket_send(STDIN_FILENO, text->text, text->length);
}

static bool answer_lines(struct line_work *work, const struct line_request *request)
{
    AUTO_STR struct str text = str_new();
    if (request->ask == LINE_READ && work->dwarf)
        line_dwarf_read(work->dwarf, request->start, request->size, &text);
    else if (request->ask == LINE_READ && work->dump)
        jit_dump_lines(work->dump, request->start, &text);
    return answer_text(work->dwarf || work->dump, &text);
}

static bool answer_stack(struct line_work *work, struct stack_dwarf *space)
{
    struct stack_copy copy;
    struct stack_frames frames;
    if (!socket_receive(STDIN_FILENO, &copy, sizeof(copy)) || copy.size > sizeof(work->stack) ||
        !socket_receive(STDIN_FILENO, work->stack, copy.size))
        return false;
    stack_dwarf_unwind(space, &copy, work->stack, &frames);
    return socket_send(STDIN_FILENO, &frames, sizeof(frames));
}

static bool read_list(struct elf_image *image, int fd)
{
    FILE *file = fdopen(dup(fd), "r");
    if (file) {
        rewind(file); /* the parent's descriptor is where it was read to */
        if (!jit_dump_read(&image->table, file)) {
            rewind(file);
            text_table_jit(&image->table, file);
        }
        fclose(file);
    }
    return file;
}

static bool read_image(struct elf_image *image, enum line_image what, const int *files)
{
    switch (what) {
    case LINE_IMAGE_IDENTITY:
        return elf_image_identify(image, files[0]);
    case LINE_IMAGE_CHECK:
        return elf_image_check(image, files[0]);
    case LINE_IMAGE_JIT:
        return read_list(image, files[0]);
    case LINE_IMAGE_ELF:
    case LINE_IMAGES:
        break;
    }
    bool found = elf_image_read(image, files[0], false);
    if (found && files[1] >= 0)
        elf_image_read(image, files[1], true);
    elf_image_finish(image);
    return found;
}

static bool answer_image(const struct line_request *request, const int files[SOCKET_FILES_MAX])
{
    struct elf_image image = {0};
    image.table.around = request->start;
    struct line_answer answer = {.found =
                                     read_image(&image, (enum line_image)request->space, files)};
    bool good = socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
                (!answer.found || image_send(STDIN_FILENO, &image));
    elf_image_release(&image);
    return good;
}

/* -1 with errno. Links in a path below a root directory stay below it. */
static int open_source(int root, const char *path, bool everybody)
{
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    struct open_how how = {.flags = HOW, .resolve = RESOLVE_IN_ROOT};
    struct stat status;
    int fd = root >= 0 ? (int)syscall(SYS_openat2, root, path, &how, sizeof(how)) : open(path, HOW);
    if (fd < 0 && root >= 0 && (errno == ENOENT || errno == ENOSYS))
        return open_source(-1, path, true);
    if (fd < 0)
        return -1;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && (!everybody || status.st_mode & S_IROTH))
        return fd;
    close(fd);
    errno = regular ? EACCES : EINVAL;
    return -1;
}

/* Reads until its end, even if it grows. */
static int read_source(int fd, struct str *text)
{
    enum { PART = 1 << 16 };
    char part[PART];
    ssize_t got;
    while ((got = read(fd, part, sizeof(part))) > 0 &&
           text->length + (size_t)got <= LINE_SOURCE_MAX)
        str_add_n(text, part, (size_t)got);
    return got > 0 ? EFBIG : got < 0 ? errno : 0;
}

/* A name that takes longer than that of a CPU, us, ends this process. */
static bool answer_name(const struct line_request *request)
{
    static const struct itimerval most = {.it_value.tv_usec = 200000}, none;
    if (request->size > LINE_NAME_MAX)
        return false;
    AUTO_STR struct str text = str_new();
    AUTO_FREE char *name = mem_alloc(request->size + 1);
    if (!socket_receive(STDIN_FILENO, name, request->size) ||
        setitimer(ITIMER_PROF, &most, NULL) < 0)
        return false;
    AUTO_FREE char *shown = function_name_shown(name, true);
    setitimer(ITIMER_PROF, &none, NULL);
    str_add(&text, shown);
    return answer_text(0, &text);
}

static bool answer_source(const struct line_request *request, int root)
{
    AUTO_STR struct str text = str_new();
    char path[PATH_MAX];
    if (request->size >= sizeof(path) || !socket_receive(STDIN_FILENO, path, request->size))
        return false;
    path[request->size] = '\0';
    AUTO_CLOSE int fd = open_source(root, path, request->space);
    int error = fd < 0 ? errno : read_source(fd, &text);
    if (error != 0)
        str_clear(&text);
    return answer_text((uint32_t)error, &text);
}

/* False: the parent does not keep to the protocol, or is gone. */
static bool answer_request(struct line_work *work, const struct line_request *request,
                           int files[SOCKET_FILES_MAX])
{
    _Static_assert((int)LINE_IMAGES <= (int)LINE_CHILD_SPACES, "both are numbers in a request");
    if (request->space >= LINE_CHILD_SPACES)
        return false;
    struct stack_dwarf **space = &work->spaces[request->space];
    if (!*space && (request->ask == STACK_ADD || request->ask == STACK_UNWIND))
        *space = stack_dwarf_new();
    switch ((enum line_ask)request->ask) {
    case LINE_OPEN:
        open_files(work, files);
        return answer_lines(work, request);
    case LINE_READ:
        return answer_lines(work, request);
    case STACK_FORGET:
        stack_dwarf_free(*space);
        *space = NULL;
        return true;
    case STACK_ADD:
        stack_dwarf_add(*space, request->start, request->size, files[0]);
        return true;
    case STACK_UNWIND:
        return answer_stack(work, *space);
    case SOURCE_READ:
        return answer_source(request, files[0]);
    case NAME_READ:
        return answer_name(request);
    case IMAGE_READ:
        prctl(PR_SET_NAME, "countertop-elf");
        return answer_image(request, files);
    }
    return false;
}

/* Unless the program itself is in no sandbox (--no-sandbox), which this one would have inherited.
 * It writes no file; which ones it reads is not known: debug information names others (DWARF 5,
 * split units, supplementary files), which may be anywhere. */
static void confine_lines(void)
{
    if (!sandbox_entered())
        return;
    path_rules_enter(path_rules_new(true));
}

/* Half of the machine's memory, at most 4 GiB; files that are mapped count, too. */
static rlim_t memory_limit(void)
{
    enum { PARTS = 2 };
    static const rlim_t MOST = (rlim_t)4 << 30;
    struct sysinfo info;
    rlim_t limit = sysinfo(&info) == 0 ? (rlim_t)info.totalram * info.mem_unit / PARTS : MOST;
    return limit < MOST ? limit : MOST;
}

int main(int argc, char **argv)
{
    struct line_request request;
    int files[SOCKET_FILES_MAX];
    helper_begin(argc, argv, SOCK_STREAM);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mem_limit(memory_limit());
    confine_lines();
    struct line_work *work = mem_alloc(sizeof(*work));
    work->file = -1;
    while (socket_receive_files(STDIN_FILENO, &request, sizeof(request), files, SOCKET_FILES_MAX) &&
           answer_request(work, &request, files))
        for (int i = 0; i < SOCKET_FILES_MAX; i++)
            file_close(files[i]);
    return EXIT_SUCCESS;
}

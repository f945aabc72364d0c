#include "code/listing.h"

#include <endian.h>
#include <link.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#if defined(__x86_64__) || defined(__i386__)
#include <Zydis/Zydis.h>
#endif

enum { READ_MAX = 1 << 20 }; /* instructions of a text that is believed */

struct code_listing *code_listing_new(uint64_t start, uint64_t size)
{
    return mem_copy(&(struct code_listing){.references = 1, .start = start, .size = size},
                    sizeof(struct code_listing));
}

void code_listing_drop(struct code_listing *listing)
{
    if (!mem_drop(listing))
        return;
    free(listing->instructions);
    free(listing->texts);
    free(listing->reason);
    free(listing);
}

void code_listing_add(struct code_listing *listing, struct code_instruction instruction,
                      const char *text)
{
    size_t size = strlen(text) + 1;
    mem_grow(&listing->texts, &listing->text_room, listing->text_bytes + size, 1);
    memcpy(listing->texts + listing->text_bytes, text, size);
    instruction.text = (uint32_t)listing->text_bytes;
    listing->text_bytes += size;
    *MEM_ADD(listing->instructions, listing->count, listing->room) = instruction;
}

const char *code_listing_text(const struct code_listing *listing,
                              const struct code_instruction *instruction)
{
    return listing->texts + instruction->text;
}

size_t code_listing_find(const struct code_listing *listing, uint64_t address)
{
    size_t after =
        mem_after(listing->instructions, listing->count, sizeof(*listing->instructions), address);
    const struct code_instruction *last = after > 0 ? &listing->instructions[after - 1] : NULL;
    return last && address - last->address < last->size ? after - 1 : listing->count;
}

void code_listing_write(const struct code_listing *listing, struct str *text)
{
    if (listing->reason)
        str_printf(text, "n %s\n", listing->reason);
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_instruction *one = &listing->instructions[i];
        str_printf(text, "%llx %x %x %llx %s\n", (unsigned long long)one->address, one->size,
                   one->flow, (unsigned long long)one->target, code_listing_text(listing, one));
    }
}

/* Adds the instruction that a line of the text is; false: it is not one. */
static bool read_instruction(struct code_listing *listing, const char *line)
{
    unsigned long long address, target;
    unsigned size, flow;
    int length = 0;
    const struct code_instruction *last =
        listing->count > 0 ? &listing->instructions[listing->count - 1] : NULL;
    if (sscanf(line, "%16llx %2x %1x %16llx%n", &address, &size, &flow, &target, &length) != 4 ||
        line[length] != ' ' || size == 0 || flow > FLOW_RETURN || listing->count >= READ_MAX ||
        address + size < address || (last && address != last->address + last->size))
        return false;
    AUTO_FREE char *text = str_visible(line + length + 1);
    struct code_instruction one = {
        .address = address, .target = target, .size = (uint8_t)size, .flow = (uint8_t)flow};
    code_listing_add(listing, one, text);
    return true;
}

struct code_listing *code_listing_read(const char *text)
{
    struct code_listing *listing = code_listing_new(0, 0);
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        AUTO_FREE char *line = mem_strndup(text, end ? (size_t)(end - text) : 0);
        bool reason = str_starts(line, "n ") && !listing->reason;
        if (reason)
            listing->reason = str_visible(line + 2);
        else if (!end || !read_instruction(listing, line)) {
            code_listing_drop(listing);
            return NULL;
        }
    }
    if (listing->count > 0) {
        const struct code_instruction *last = &listing->instructions[listing->count - 1];
        listing->start = listing->instructions->address;
        listing->size = last->address + last->size - listing->start;
    }
    return listing;
}

/* ---- disassembling ---- */

/* The ELF header of this program, which the linker names so. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

unsigned disassemble_own(void)
{
    return __ehdr_start.e_machine;
}

/* What objdump(1) calls a processor, and how its instructions leave the line. */
static const struct instruction_set {
    unsigned machine;
    const char *name; /* -m */
    uint8_t word;     /* size of each instruction; 0: it varies */
    /* Mnemonics of each kind, between spaces; "b.": so it begins. */
    const char *words[FLOW_RETURN + 1];
} machines[] = {
    {EM_X86_64, "i386:x86-64", .words = {"", " jmp ", " j ", " call ", " ret retq "}},
    {EM_386, "i386", .words = {"", " jmp ", " j ", " call ", " ret "}},
    {EM_AARCH64, "aarch64", 4,
     .words = {"", " b br ", " b. cbz cbnz tbz tbnz ", " bl blr ", " ret "}},
    {EM_RISCV, "riscv",
     .words = {"", " j jr ", " beq bne blt bge bltu bgeu beqz bnez ", " jal jalr ", " ret "}},
    {EM_PPC64, "powerpc:common64", 4,
     .words = {"", " b bctr ", " beq bne blt bgt ble bge ", " bl bctrl ", " blr "}},
    {EM_S390, "s390:64-bit",
     .words = {"", " j jg ", " je jne jl jh jle jhe ", " brasl bras basr ", " br "}},
};

static const struct instruction_set *machine_of(unsigned number)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
        if (machines[i].machine == number)
            return &machines[i];
    return NULL;
}

/* Adds an instruction, with the name of a target that lies elsewhere. */
static void add_instruction(struct code_listing *listing, struct code_instruction instruction,
                            const char *text, disassemble_name *name, void *ctx)
{
    AUTO_STR struct str line = str_new();
    char where[256];
    bool inside = instruction.target - listing->start < listing->size;
    str_add_visible(&line, text);
    if (instruction.target && !inside && name(ctx, instruction.target, where, sizeof(where)))
        str_printf(&line, " %s", where);
    code_listing_add(listing, instruction, line.text);
}

/* ---- objdump ---- */

static bool has_word(const char *words, const char *word, size_t length)
{
    char wanted[32];
    snprintf(wanted, sizeof(wanted), " %.*s ", (int)length, word);
    return strstr(words, wanted) != NULL;
}

static enum code_flow flow_of(const struct instruction_set *machine, const char *text)
{
    size_t length = strcspn(text, " \t");
    const char *dot = memchr(text, '.', length);
    const char *branches = machine->words[FLOW_BRANCH];
    for (enum code_flow flow = FLOW_JUMP; flow <= FLOW_RETURN; flow++)
        if (has_word(machine->words[flow], text, length))
            return flow;
    bool begins = (dot && has_word(branches, text, (size_t)(dot - text) + 1)) ||
                  (*text == 'j' && has_word(branches, text, 1));
    return begins ? FLOW_BRANCH : FLOW_ON;
}

/* The address that is the last operand; 0: it is no address. */
static uint64_t target_of(const char *text)
{
    const char *last = strstr(text, "0x");
    for (const char *next = last; next; next = strstr(next + 1, "0x"))
        last = next;
    bool separate = last && (last == text || strchr(" \t,", last[-1]));
    char *end = NULL;
    uint64_t target = separate ? strtoull(last, &end, 16) : 0;
    return end && (*end == '\0' || *end == ' ' || *end == '\t') ? target : 0;
}

/* One tab and blanks between mnemonic and operands become one blank; without the line's end. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool blank = strchr(" \t\n", *from);
        if (!blank || (to > text && to[-1] != ' '))
            *to++ = blank ? ' ' : *from;
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* The last instruction ends there. */
static void end_last(struct code_listing *listing, uint64_t end)
{
    if (listing->count == 0)
        return;
    struct code_instruction *last = &listing->instructions[listing->count - 1];
    if (end <= last->address || end - last->address > UINT8_MAX)
        listing->count--;
    else
        last->size = (uint8_t)(end - last->address);
}

/* Adds the instruction of a line "  401136:\tpush   %rbp", which ends where the next one begins. */
static void take_line(struct code_listing *listing, const struct instruction_set *machine,
                      char *line, disassemble_name *name, void *ctx)
{
    char *text;
    struct code_instruction instruction = {.address = strtoull(line, &text, 16)};
    if (text == line || *text != ':')
        return;
    end_last(listing, instruction.address);
    squeeze(++text);
    char *remark = strstr(text, " //"); /* "b.ne 0x401140 // b.any" */
    if (remark)
        *remark = '\0';
    instruction.flow = (uint8_t)flow_of(machine, text);
    if (instruction.flow != FLOW_ON)
        instruction.target = target_of(text);
    add_instruction(listing, instruction, text, name, ctx);
}

/* Starts objdump with the code as its standard input. An error number; 0: it runs, and *output,
 * which the caller closes, is what it prints. */
static int start_objdump(const struct instruction_set *machine, uint64_t start, int code,
                         pid_t *pid, int *output)
{
    char from[64];
    char *words[] = {"objdump", "-D",
                     "-z",      "-b",
                     "binary",  "--no-show-raw-insn",
                     "-m",      (char *)machine->name,
                     from,      "/dev/stdin",
                     NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    snprintf(from, sizeof(from), "--adjust-vma=0x%llx", (unsigned long long)start);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, code, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = ends[0];
    if (error)
        close(ends[0]);
    return error;
}

bool disassemble_objdump(struct code_listing *listing, unsigned machine, const unsigned char *bytes,
                         size_t size, disassemble_name *name, void *ctx)
{
    enum { USUAL = 128, LONGEST = 1 << 12 }; /* bytes of a line */
    const struct instruction_set *known = machine_of(machine);
    AUTO_CLOSE int code = known ? memfd_create("code", MFD_CLOEXEC) : -1;
    int output = -1;
    char line[LONGEST];
    size_t left = (size + 16) * USUAL;
    pid_t pid;
    bool good = code >= 0 && write(code, bytes, size) == (ssize_t)size && lseek(code, 0, 0) == 0;
    int error = good ? start_objdump(known, listing->start, code, &pid, &output) : ENOMEM;
    if (!known)
        listing->reason = mem_strdup("no disassembler knows this processor");
    else if (error)
        listing->reason =
            mem_printf("cannot run 'objdump': %s: install binutils", err_reason(error));
    if (error)
        return false;
    FILE *lines = fdopen(output, "r");
    while (left > 0 && fgets(line, sizeof(line), lines)) {
        left -= strlen(line) < left ? strlen(line) : left;
        take_line(listing, known, line, name, ctx);
    }
    fclose(lines);
    if (left == 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    end_last(listing, listing->start + size);
    if (listing->count == 0)
        listing->reason = mem_strdup("'objdump' failed: install binutils");
    return listing->count > 0;
}

/* The words of code that nothing disassembles. */
static void list_words(struct code_listing *listing, const unsigned char *bytes, size_t size,
                       size_t word)
{
    for (size_t at = 0; at + word <= size; at += word) {
        char text[32];
        uint32_t value;
        memcpy(&value, bytes + at, sizeof(value));
        value = le32toh(value); /* Arm's are little-endian in all data orders */
        snprintf(text, sizeof(text), ".inst 0x%08x", value);
        code_listing_add(
            listing,
            (struct code_instruction){.address = listing->start + at, .size = (uint8_t)word}, text);
    }
}

/* ---- Zydis ---- */

#ifdef ZYDIS_H
static const uint8_t zydis_flows[ZYDIS_CATEGORY_MAX_VALUE + 1] = {
    [ZYDIS_CATEGORY_CALL] = FLOW_CALL,
    [ZYDIS_CATEGORY_RET] = FLOW_RETURN,
    [ZYDIS_CATEGORY_UNCOND_BR] = FLOW_JUMP,
    [ZYDIS_CATEGORY_COND_BR] = FLOW_BRANCH,
};

/* As objdump(1) and perf(1) write it. */
static void zydis_style(ZydisFormatter *formatter)
{
    static const ZydisFormatterProperty unpadded[] = {
        ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
        ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_FORMATTER_PROP_IMM_PADDING};
    ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_ATT);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
    ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    for (size_t i = 0; i < sizeof(unpadded) / sizeof(*unpadded); i++)
        ZydisFormatterSetProperty(formatter, unpadded[i], ZYDIS_PADDING_DISABLED);
}

static void zydis_list(struct code_listing *listing, bool narrow, const unsigned char *bytes,
                       size_t size, disassemble_name *name, void *ctx)
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    char text[256];
    ZydisDecoderInit(&decoder, narrow ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LONG_64,
                     narrow ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64);
    zydis_style(&formatter);
    for (size_t at = 0; at < size;) {
        struct code_instruction instruction = {.address = listing->start + at, .size = 1};
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&decoder, bytes + at, size - at, &decoded, operands))) {
            code_listing_add(listing, instruction, "(bad)");
            at++;
            continue;
        }
        instruction.size = decoded.length;
        instruction.flow = zydis_flows[decoded.meta.category];
        bool relative = decoded.operand_count_visible > 0 &&
                        operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                        operands[0].imm.is_relative;
        if (relative)
            ZydisCalcAbsoluteAddress(&decoded, &operands[0], instruction.address,
                                     &instruction.target);
        if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &decoded, operands,
                                                          decoded.operand_count_visible, text,
                                                          sizeof(text), instruction.address, NULL)))
            snprintf(text, sizeof(text), "(no text)");
        char *operand = strrchr(text, ' '); /* a prefix may stand before the mnemonic */
        bool indirect = !relative && operand &&
                        (instruction.flow == FLOW_CALL || instruction.flow == FLOW_JUMP);
        if (indirect && strlen(text) + 1 < sizeof(text)) {
            memmove(operand + 2, operand + 1, strlen(operand));
            operand[1] = '*';
        }
        add_instruction(listing, instruction, text, name, ctx);
        at += decoded.length;
    }
}
#endif

void disassemble(struct code_listing *listing, unsigned machine, const unsigned char *bytes,
                 size_t size, disassemble_name *name, void *ctx)
{
#ifdef ZYDIS_H
    if (machine == EM_X86_64 || machine == EM_386) {
        zydis_list(listing, machine == EM_386, bytes, size, name, ctx);
        return;
    }
#endif
    const struct instruction_set *known = machine_of(machine);
    if (!disassemble_objdump(listing, machine, bytes, size, name, ctx) && known && known->word)
        list_words(listing, bytes, size, known->word);
}

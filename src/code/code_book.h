/* Which function the address of a sample belongs to. The book knows what is mapped where in each
 * process, the objects that are mapped (files, the vdso, the kernel, code made by a JIT compiler),
 * and the functions in them. Objects are read by a thread of the book, so no call here waits for a
 * file; until an object is read its functions are pending.
 *
 * All functions may be called by any thread. Texts are valid as long as the book. */
#pragma once

#include "code/code_space.h"
#include "code/line_table.h"
#include "code/listing.h"
#include "code/source_file.h"

struct code_book;
struct debug_fetch;

struct code_book *code_book_new(void);       /* one reference */
void code_book_drop(struct code_book *book); /* NULL is fine */
/* From now on servers are asked for debug files that are not here; NULL: nobody is. It must live as
 * long as the book. */
void code_book_fetch(struct code_book *book, struct debug_fetch *fetch);

/* An instruction, wherever its object is mapped. */
struct code_place {
    uint32_t object; /* number in the book */
    uint64_t
        address; /* in a file: as its symbols count (ELF's virtual addresses); else as mapped */
};

/* --- What is mapped: called in the order of the kernel's records --- */

void code_book_map(struct code_book *book, pid_t pid, const struct code_mapping *mapping);
/* The process executes another program, at that time (monotonic, ns; 0: not known): forgets its
 * mappings, and the names of code that the program before made. */
void code_book_exec(struct code_book *book, pid_t pid, uint64_t time);
/* Of a process, no thread. */
void code_book_fork(struct code_book *book, pid_t parent, pid_t child);
/* Reads from /proc what a process has mapped now, while it lives. */
void code_book_know(struct code_book *book, pid_t pid);
/* Kernel symbols changed (PERF_RECORD_KSYMBOL: a BPF program, a module): they are read again. */
void code_book_kernel_changed(struct code_book *book);

/* Where an address is. The mappings of a process of which no record was seen are read from
 * /proc/PID/maps at its first address. Where nothing is known, the place is in an object whose name
 * says why. kernel: the address is in kernel mode (PERF_RECORD_MISC_CPUMODE_MASK). */
struct code_place code_book_place(struct code_book *book, pid_t pid, uint64_t address, bool kernel);

/* The number of times that something that the process had mapped was replaced: what is where before
 * and after may differ. */
uint64_t code_book_epoch(struct code_book *book, pid_t pid);

/* The files that a process has mapped as code, and the vdso. */
struct code_mapped {                /* zeroed: none are known */
    struct space_mapping *mappings; /* the caller frees them */
    size_t count, room;
    uint64_t version, epoch;
};
/* Brings the list up to date. False: it was, and is unchanged. */
bool code_book_mapped(struct code_book *book, pid_t pid, struct code_mapped *mapped);
/* Opens the file of an object for reading; -1: that is not possible, or it is no file. *vdso: it is
 * the vdso. May wait for the file. */
int code_book_open(struct code_book *book, uint32_t object, bool *vdso);

/* Adds a function of a recording and its object, with the names that they had then, and returns its
 * place. Copies the texts. */
struct code_function;
struct code_object;
struct code_place code_book_learn(struct code_book *book, const struct code_object *object,
                                  const struct code_function *function);

/* Adds an instruction of a function whose place code_book_learn() returned, and returns the
 * instruction's place. */
struct code_place code_book_learn_address(struct code_book *book, struct code_place function,
                                          uint64_t address);
/* Add what a recording has of the code of such a function, and a source file of its object. The
 * book takes ownership of the listing, the lines (NULL: not known) and the file. */
void code_book_learn_code(struct code_book *book, struct code_place function,
                          struct code_listing *listing, struct line_table *lines);
void code_book_learn_source(struct code_book *book, uint32_t object, struct source_file *file);

/* --- What it is called --- */

enum code_state {
    CODE_NAMED,   /* start, size and name are a symbol's */
    CODE_BOUNDED, /* no name; start and size are from .eh_frame or another table of bounds */
    CODE_UNKNOWN, /* neither: start is the address */
    CODE_PENDING, /* the object is not read yet */
};
struct code_function {
    enum code_state state;
    uint64_t start, size; /* size 0: not known */
    const char *name;     /* demangled, control characters escaped; NULL: none */
    uint32_t object;      /* that of the place, or an earlier one of the same file */
    uint64_t address;     /* of the place, as `start` counts */
    bool whole; /* of a recording: the instruction is not known, the address is the start */
};
/* Whether start and size are those of a function. */
static inline bool code_function_known(const struct code_function *function)
{
    return function->state == CODE_NAMED || function->state == CODE_BOUNDED;
}
/* Finds the function that contains a place: never a symbol that ends before it. If the object is
 * not read, asks for that and the state is CODE_PENDING. */
void code_book_function(struct code_book *book, struct code_place place,
                        struct code_function *function);

/* The same for an address in an object, as the object counts, also where no sample was. */
void code_book_function_at(struct code_book *book, uint32_t object, uint64_t address,
                           struct code_function *function);

/* The instructions of a function; NULL while they are read: ask again. Where they cannot be read,
 * the listing is empty and has the reason. The caller drops it. */
struct code_listing *code_book_listing(struct code_book *book,
                                       const struct code_function *function);

/* All listings that were read so far: fills *listed, an array that the caller frees after it has
 * dropped each listing in it, and returns their number. */
struct code_listed {
    uint32_t object;
    struct code_listing *listing;
};
size_t code_book_listed(struct code_book *book, struct code_listed **listed);

/* The source lines of a function, and what is inlined into it; NULL while they are read: ask again.
 * Where nothing is known, the table is empty and has the reason. The caller drops it. */
struct line_table *code_book_lines(struct code_book *book, const struct code_function *function);
/* A source file that one of the object's tables names; as above. */
struct source_file *code_book_source(struct code_book *book, uint32_t object, const char *path);

/* What is being read: "reading librbd.so.1 (3 s, 350 MB)", "reading names of node (2 s)"; false:
 * nothing. */
bool code_book_reading(struct code_book *book, struct str *text);
/* Ends the reading of debug information; or where none is being read, allows again what was given
 * up. */
enum code_given { CODE_GIVEN_UP, CODE_RESUMED, CODE_NOT_READING };
enum code_given code_book_give_up(struct code_book *book);

/* False for an address that no mapping of the process had, which is no code. */
bool code_book_is_mapped(struct code_book *book, struct code_place place);

struct code_object {
    const char *name; /* as shown: "libc.so.6", "[kernel]", "[vdso]", "java (JIT)", "[unmapped]" */
    const char *path; /* the file's, as the process sees it; "" if it is no file */
    const char
        *reason; /* why functions have no names, one line; NULL: they were read, or pending */
    size_t build_id_size; /* 0: not known */
    unsigned char build_id[CODE_BUILD_ID_MAX];
};
void code_book_object(struct code_book *book, uint32_t object, struct code_object *info);

/* Nothing is sampled any more: what JIT compilers have listed since it was read last is read once
 * more, and functions that it may have are pending until then. */
void code_book_finish(struct code_book *book);
/* Waits until no object, listing, line or source is pending, at most that many seconds, or until a
 * signal ends the program; false: some still are. fetched: waits for servers of debug files, too.
 * For output that is written once. */
bool code_book_settle(struct code_book *book, double seconds, bool fetched);
/* Waits for objects and listings as long as it takes, at most 10 minutes, or until such a signal. A
 * terminal as standard error shows meanwhile what is read. False: nothing was pending, or something
 * still is. For the last output of a run. */
bool code_book_await(struct code_book *book);

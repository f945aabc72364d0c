/* Functions that are listed in a text: by the kernel of itself, by JIT compilers of their code. */
#ifndef CODE_TEXT_TABLE_H
#define CODE_TEXT_TABLE_H

#include "code/function_table.h"

#include <stdio.h>

/* Reads /proc/kallsyms (proc_kallsyms(5)): "ffffffff81000000 T name [module]". A module's name
 * stays behind the function's. False if all addresses are 0: the kernel hides them. */
bool text_table_kernel(struct function_table *table, FILE *file);

/* The bounds of the kernel's scheduler in the same text, functions in which every thread waits
 * (__sched_text_start, in_sched_functions() in the kernel's sources): 0 and 0 if it hides them. */
void text_table_scheduler(FILE *file, uint64_t bounds[2]);

/* Reads a perf-PID.map (tools/perf/Documentation/jit-interface.txt in the kernel's sources):
 * "start size name", numbers in hexadecimal. Where lines overlap, the last one counts: space for
 * code is used again. Of a file with more bytes than TEXT_TABLE_JIT_MAX the end is read; names are
 * cut at 4 KiB. */
enum { TEXT_TABLE_JIT_MAX = 256 << 20 };
void text_table_jit(struct function_table *table, FILE *file);

#endif

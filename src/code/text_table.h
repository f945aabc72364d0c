/* Functions that are listed in a text: by the kernel of itself, by JIT compilers of their code. */
#ifndef CODE_TEXT_TABLE_H
#define CODE_TEXT_TABLE_H

#include "code/function_table.h"

#include <stdio.h>

/* Reads /proc/kallsyms (proc_kallsyms(5)): "ffffffff81000000 T name [module]". A module's name
 * stays behind the function's. False if all addresses are 0: the kernel hides them. */
bool text_table_kernel(struct function_table *table, FILE *file);

/* Reads a perf-PID.map (tools/perf/Documentation/jit-interface.txt in the kernel's sources):
 * "start size name", numbers in hexadecimal. Of overlapping lines the last counts. */
void text_table_jit(struct function_table *table, FILE *file);

#endif

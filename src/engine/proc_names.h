/* The task table's lookup from /proc. */
#ifndef ENGINE_PROC_NAMES_H
#define ENGINE_PROC_NAMES_H

#include "engine/task_table.h"

extern const struct task_table_lookup proc_names_lookup;

#endif

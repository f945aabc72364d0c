/* A part of the engine of all CPUs: the records of all rings, and up to when they are taken. Rings
 * are merged by time, so that a birth on one CPU is known before the newborn is seen running on
 * another. */
#ifndef ENGINE_CPU_RECORDS_H
#define ENGINE_CPU_RECORDS_H

#include "engine/cpu_engine_private.h"

/* Takes what was written until now. */
void cpu_records_drain(struct cpu_engine *engine);

/* Whether the kernel writes switch records of that CPU from now on. */
void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu_events, bool on);

/* The period of all tickers (ns); 0: as the delay wants it. */
void cpu_records_set_ticks(struct cpu_engine *engine, uint64_t period);

/* A command's end is known before its last slice is told of: moments, unless the CPU is taken away
 * from it just then. Its totals are to be whole. */
void cpu_records_await_ends(struct cpu_engine *engine);

/* Cuts time: the next snapshot tells time up to the moment (ns) that it returns. */
uint64_t cpu_records_cut(struct cpu_engine *engine);

/* Where a ring had no room, the kernel tells of the loss with the next record, and what was counted
 * meanwhile comes with one after that: it belongs to this interval, whenever that will be. */
void cpu_records_settle(struct cpu_engine *engine);

#endif

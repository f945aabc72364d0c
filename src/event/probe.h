/* Probes through the kernel's dynamic PMUs: perf_event_open(2), "kprobe and uprobe".
 * `uprobe:/path:function[+offset]` counts how often that instruction of a program or library is
 * executed, `uprobe:/path:0x1234` that at an offset in the file, `uretprobe:/path:function`
 * returns; `kprobe:function[+offset]`, `kprobe:0xADDRESS` and `kretprobe:function` the same in the
 * kernel. */
#ifndef EVENT_PROBE_H
#define EVENT_PROBE_H

#include "event/query.h"

/* Whether text begins as a probe does; it may be malformed. A path in it may have slashes. */
bool probe_is(const char *text);

/* The number of colons in the probe; modifiers follow another one. */
size_t probe_colons(const char *text);

enum answer probe_ask(struct query *q);

#endif

/* Whether hardware breakpoints fire on this machine: writes to a variable of its own, which a
 * breakpoint watches, as often as asked, and prints how often the kernel counted that. Virtual
 * machines accept breakpoints that never fire. */
#include "work.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char usage_text[] = "watchpoint WRITES";

static volatile uint64_t watched;

int main(int argc, char **argv)
{
    if (argc != 2)
        usage(usage_text);
    uint64_t writes = number(argv[1], usage_text), count;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof attr,
        .bp_type = HW_BREAKPOINT_W,
        .bp_addr = (uintptr_t)&watched,
        .bp_len = sizeof watched,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    check(fd < 0, "perf_event_open");
    for (uint64_t i = 0; i < writes; i++)
        watched = i;
    check(read(fd, &count, sizeof count) != sizeof count, "read");
    printf("%llu\n", (unsigned long long)count);
    return 0;
}

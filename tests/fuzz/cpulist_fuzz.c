/* Lists of CPUs: refused with a message and without a trace, or taken and then written and read
 * again with the same result. */
#include "base/cpulist.h"
#include "base/mem.h"
#include "base/str.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct cpulist list, again;
    struct err err = {""};
    if (cpulist_parse(&list, text, &err) < 0) {
        check(err.text[0] && !list.count && !list.cpus);
        free(text);
        return 0;
    }
    struct str written;
    written = str_new();
    for (size_t i = 0; i < list.count; i++) {
        check(list.cpus[i] >= 0 && (i == 0 || list.cpus[i] > list.cpus[i - 1]));
        check(cpulist_has(&list, list.cpus[i]));
        str_printf(&written, "%s%d", i ? "," : "", list.cpus[i]);
    }
    check(!cpulist_has(&list, -1));
    if (list.count > 1000) { /* slow, and no different */
        str_release(&written);
        cpulist_release(&list);
        free(text);
        return 0;
    }
    check(cpulist_parse(&again, written.text, &err) == 0);
    check(again.count == list.count);
    for (size_t i = 0; i < list.count; i++)
        check(again.cpus[i] == list.cpus[i]);
    str_release(&written);
    cpulist_release(&again);
    cpulist_release(&list);
    free(text);
    return 0;
}

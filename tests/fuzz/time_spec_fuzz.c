/* Times as they are typed: a time that is kept, an interval that there is, a length that can be
 * added, or a message; and what is written of a time is read as that second. */
#include "base/mem.h"
#include "front/tui/state/state.h"
#include "fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct front_moment moment = {
        .at = 100, .count = 300, .first = 1.7951e9, .last = 1.79514e9, .time = 1.79512e9};
    struct time_spec when;
    struct err err = {""};
    char *text = mem_strndup((const char *)data, size);
    int result = time_spec_read(text, &moment, &when, &err);
    check((result < 0) == (*err.text != '\0'));
    check(result < 0 || when.number <= moment.count);
    check(result < 0 || when.number > 0 || isfinite(when.time));
    if (result == 0 && when.number == 0 && when.time >= moment.first && when.time <= moment.last) {
        char shown[TIME_SPEC_SIZE];
        struct time_spec again;
        time_spec_write(shown, when.time, 0);
        check(time_spec_read(shown, &moment, &again, NULL) == 0 && again.time == floor(when.time));
    }
    free(text);
    return 0;
}

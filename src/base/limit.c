#include "base/limit.h"

#include <stdbool.h>
#include <sys/resource.h>

/* The sanitizers reserve more addresses than any limit allows. */
#if defined(__SANITIZE_ADDRESS__)
static const bool limited = false;
#elif defined(__has_feature)
static const bool limited = !__has_feature(address_sanitizer);
#else
static const bool limited = true;
#endif

void limit_addresses(uint64_t bytes)
{
    struct rlimit most = {bytes, bytes};
    if (limited)
        setrlimit(RLIMIT_AS, &most);
}

/* What the reader of a recording sends: taken as a baseline or not, and never more memory than its
 * limits allow. */
#include "base/socket.h"
#include "view/baseline.h"
#include "fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 32768 }; /* what a socket holds without a reader */
    int ends[2];
    if (size > MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return 0;
    socket_send(ends[1], data, size);
    close(ends[1]);
    for (int i = 0; i < 2; i++)
        baseline_free(baseline_receive(ends[0], "fuzz.db"));
    close(ends[0]);
    return 0;
}

/* What a client of HTTP sends, and where one is to listen: the one gets one of the two forms if it
 * asks this machine, the other is refused with a message, or is an address that reads the same when
 * it is written. */
#include "base/mem.h"
#include "front/listen.h"
#include "front/address.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size), first[ADDRESS_TEXT_SIZE],
         second[ADDRESS_TEXT_SIZE];
    struct address address, again;
    struct err err = {""};
    /* Who does not name it does not get it. */
    check(!accept_openmetrics(text) || strcasestr(text, "application/openmetrics-text"));
    /* A page of another site has a name with a dot in it. */
    if (authority_is_own(text, "machine"))
        check(strcasestr(text, "machine") || strcasestr(text, "localhost") || *text == '[' ||
              (*text >= '0' && *text <= '9'));
    if (address_parse(&address, text, &err) < 0) {
        check(err.text[0]);
    } else {
        address_write(&address, first);
        check(address_parse(&again, first, &err) == 0);
        address_write(&again, second);
        check(strcmp(first, second) == 0);
    }
    free(text);
    return 0;
}

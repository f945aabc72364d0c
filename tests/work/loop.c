/* Retires N instructions in a loop and exits; starting and ending the program comes on top. */
#include "work.h"

static const char usage_text[] = "loop N";

int main(int argc, char **argv)
{
    if (argc != 2)
        usage(usage_text);
    uint64_t n = number(argv[1], usage_text);
    if (n >= 2)
        burn(n / 2);
    return 0;
}

/* Reads programs, libraries, debug files and lists of JIT compilers, which may be endless or
 * damaged, or made by somebody who wants this program to fail: in child processes, of which one
 * reads functions, another one identifies files meanwhile, and a third one demangles names. They
 * are started when they are needed first, and have limits on time and memory.
 *
 * All functions may be called by any thread. */
#ifndef CODE_IMAGE_READER_H
#define CODE_IMAGE_READER_H

#include "code/line_child.h"

struct image_reader;

/* seconds: what takes longer is ended; 0: the usual limits. */
struct image_reader *image_reader_new(unsigned seconds);
/* Ends what is being read, and refuses all from now on: so nobody waits. */
void image_reader_stop(struct image_reader *reader);
void image_reader_free(struct image_reader *reader); /* NULL is fine */

/* Reads that of a file (code/line_child.h) into an image that is empty but for table.around; debug:
 * its separate debug file, -1 without; both descriptors stay the caller's. False: the file is not
 * of that kind; or where *reason is set, the process that read it ended. The caller frees that. */
bool image_reader_read(struct image_reader *reader, enum line_image what, int fd, int debug,
                       struct elf_image *image, char **reason);

/* A function's name as it is shown (function_name_shown()), demangled by a child; of a name for
 * which that takes too long the mangled one, and of all after some of them. The caller frees it. */
char *image_reader_name(struct image_reader *reader, const char *name);

#endif

/* Reads programs and libraries, which may be large or damaged, or made by somebody who wants this
 * program to fail: in child processes (code/line_child.h), of which one reads functions, and
 * another one identifies files meanwhile. They are started when they are needed first.
 *
 * All functions may be called by any thread. */
#ifndef CODE_IMAGE_READER_H
#define CODE_IMAGE_READER_H

#include "code/elf_table.h"

struct image_reader;

/* seconds: what takes longer is ended; 0: the usual limits. */
struct image_reader *image_reader_new(unsigned seconds);
/* Ends what is being read, and refuses all from now on: so nobody waits. */
void image_reader_stop(struct image_reader *reader);
void image_reader_free(struct image_reader *reader); /* NULL is fine */

/* What elf_image_identify() finds, into an empty image. False: the file is no program or library of
 * this machine; or where *reason is set, the process that read it ended. The caller frees that. */
bool image_reader_identify(struct image_reader *reader, int fd, struct elf_image *image,
                           char **reason);
/* The functions of a file, and of its separate debug file (-1: none), into an image that is empty
 * but for table.around; both descriptors stay the caller's. False: as above. */
bool image_reader_read(struct image_reader *reader, int fd, int debug, struct elf_image *image,
                       char **reason);

#endif

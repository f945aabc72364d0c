/* What was read of an ELF file, from the process that read it: over a stream socket, between two
 * processes of the same program. The receiver believes nothing. */
#ifndef CODE_IMAGE_TRANSFER_H
#define CODE_IMAGE_TRANSFER_H

#include "code/elf_table.h"

/* Sends a finished image, or one that was only identified. False: the other end is gone. */
bool image_send(int to, const struct elf_image *image);
/* Takes one into an image that is empty. False: the other end is gone, or what it sent is no image:
 * then the image is empty. */
bool image_receive(int from, struct elf_image *image);

#endif

/* The files compiled into the binary: EMBED in the Makefile. Apart from base/file.h, so that
 * helpers, which use none of them, do not contain them. */
#pragma once

struct embedded_file {
    const char *name; /* without its folder: "all.ini", "dark.theme" */
    const char *text;
};

extern const struct embedded_file embedded_files[]; /* ends with name NULL */

const char *embedded_text(const char *name); /* "" if there is none */

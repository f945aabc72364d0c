/* The metrics and screens there are: those that are compiled in, then the user's. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "metric/catalog.h"
#include "metric/machine.h"
#include "view/screen.h"

struct library {
    struct machine machine;
    struct catalog catalog;
    struct screen_list screens;
};

void library_init(struct library *library); /* it stays where it is from then on */
void library_release(struct library *library);

/* Where the user's files are: `given`, or with NULL $XDG_CONFIG_HOME/countertop or
 * ~/.config/countertop. The caller frees it; NULL where nothing tells. */
char *library_directory(const char *given);

/* Loads all, chosen for this machine: what is compiled in, then the files *.ini of that directory
 * in the order of their names. If it was not given, there need not be any. -1 with a message that
 * begins with the file and line of what is wrong. */
int library_load(struct library *library, const char *given, struct err *err);

#endif

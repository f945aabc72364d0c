/* The directory of the user's files. */
#ifndef BASE_HOME_H
#define BASE_HOME_H

/* $XDG_CONFIG_HOME/countertop or ~/.config/countertop, which the caller frees; NULL if neither
 * XDG_CONFIG_HOME nor HOME is an absolute path (XDG Base Directory Specification). */
char *home_directory(void);

#endif

/* The directories of the user's files, and of those that are installed with the program. */
#ifndef BASE_HOME_H
#define BASE_HOME_H

/* $XDG_CONFIG_HOME/countertop or ~/.config/countertop, which the caller frees; NULL if neither
 * XDG_CONFIG_HOME nor HOME is an absolute path (XDG Base Directory Specification). */
char *home_directory(void);
/* The same with $XDG_CACHE_HOME and ~/.cache: for what can be made again. */
char *home_cache(void);

/* PREFIX/share/countertop for a program that is PREFIX/bin/countertop, which the caller frees; NULL
 * if /proc is not there. */
char *home_share(void);

#endif

/* Short text for numbers: at most `width` characters, with a decimal point in every locale. A
 * number that does not fit loses decimals, then gets a larger unit; digits are never cut off. If
 * nothing fits, the text is `width` times '#'. */
#pragma once

#include "sample/wait_facts.h"

/* Buffer size; wider columns get no longer text. */
enum { FORMAT_SIZE = 32 };

/* Counts and rates with SI suffixes, three significant digits: 0 0.4 9.9 10 999 1.00k 12.3k 999k
 * 1.00M ... 999E. Whole numbers below 1000 have no decimals. A positive number that rounds to 0.0
 * is "<0.1": only zero is 0. */
void format_count(char text[FORMAT_SIZE], double number, int width);

/* Rounded to a whole number with all its digits, as format_count() where they do not fit. A
 * positive number is never 0: "<1". */
void format_digits(char text[FORMAT_SIZE], double number, int width);

/* Exactly that many decimals (at most 9); SI suffixes from 1000 on if it does not fit without. */
void format_fixed(char text[FORMAT_SIZE], double number, int decimals, int width);

/* All digits or none, for ids and numbers of things. */
void format_id(char text[FORMAT_SIZE], int64_t number, int width);

/* Seconds: 0s 850ns 12.3us 4.56ms 9.99s 59.9s 12m34s 5h06m 12d03h. */
void format_duration(char text[FORMAT_SIZE], double seconds, int width);

/* Whole events a second, unless the interval is so long that one event more or less is a part of
 * that: 3 in 1.01 s are 3, not "3.0" now and "2.9" then, and 3 in 2 s are 1.5. */
double format_whole_rate(double number, double seconds);

/* Makes text from outside (names of tasks and users, command lines) safe for a terminal. */

/* Copies text; if it is longer than `size` bytes with the '\0', it is cut and ends in '+'.
 * Characters that control, that change the direction or lines of the text around, invisible ones,
 * and bytes that are not UTF-8 become '?'; with `ascii` all but ASCII. */
void text_clean(char *out, size_t size, const char *text, bool ascii);

/* Cuts clean text to at most width cells; it ends in '+' then. */
void text_cut(char *text, int width);

/* "12:03:04.567 spin 12: 34.2ms after a wake-up by sh 7; backup 44 had the CPU for 30ms of it", and
 * where the profile (NULL: none) has samples of the thread functions_of_wait(). */
struct profile;
void format_long_wait(struct str *text, const struct long_wait *wait, const struct profile *profile,
                      bool ascii);

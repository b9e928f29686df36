/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workload scripts: what is typed and clicked, and when. One grammar for input that the image
 * makes itself (input.h) and input that comes from outside (`tare boot --keys`, a person's hands).
 *
 *     script    = { statement }, separated by ";" or line ends; "#" begins a comment, to the line's
 *                 end
 *     statement = [ "at" TIME ] action
 *     action    = "key" KEY [ "hold=" TIME ] [ "every=" TIME ] [ TIMES ]
 *               | KEY ...                            the same without the word: pagedown x3
 *               | "type" TEXT [ "wpm=" N | "fast" ] [ "seed=" N ] [ "hold=" TIME ]
 *               | "click" BUTTON [ "hold=" TIME ] [ "every=" TIME ] [ TIMES ]
 *               | "move" DX "," DY [ "every=" TIME ] [ TIMES ]
 *               | "pause" TIME
 *     TEXT      = a string in double quotes, with \" \\ \n \t
 *               | "words=" N          N characters of made-up words and sentences, by the seed
 *     BUTTON    = left | right | middle
 *     TIME      = N ( "us" | "ms" | "s" )            N may have a fraction: 1.5ms
 *     TIMES     = ( "x" | "×" ) N                    so often
 *
 * The timeline is absolute: every event has its moment, counted from the script's begin, whatever
 * the system under test makes of the one before; a late system is charged with its lateness. "at"
 * sets the cursor, an action begins at the cursor and leaves it behind itself: `every` after each
 * key, click or movement (default 120 ms, or hold if that is longer), the typist's interval after
 * each character. `hold` is the time from down to up (default 40 ms of a key, 90 ms of a click; of
 * typed characters half the shortest interval, at most 40 ms; and in any case at most half
 * the character's own interval). Of times, what is finer than a microsecond is cut off.
 *
 * A character that takes shift is four events within its interval: shift goes down at the
 * character's moment, the key half a `hold` later.
 *
 * The typist (typist.h): `wpm` words of 5 characters a minute (default 100: 120 ms a character on
 * average, Endo et al. 1996, section 2; at most SCRIPT_WPM_MAX), whose intervals vary by the seed
 * (default 1), are longer before a word and longest before a sentence. Without variation: seed=0.
 * "fast", or `wpm=0`: all at once, every event at the same moment, the infinitely fast typist of
 * throughput benchmarks.
 *
 * Events come out ordered by time, those of one moment in the order of the script. Where "at" sets
 * the cursor back behind earlier events, they are merged. What is held may not be pressed
 * again: a keyboard would send a repeat, which is no event.
 *
 * Pure: compiled for the image and for the host. No floating point.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

#define SCRIPT_ERROR_MAX  160
#define SCRIPT_EVENTS_MAX 20000
#define SCRIPT_US_MAX     3600000000ull /* an hour */
#define SCRIPT_WPM_MAX    6000          /* 2 ms a character */

struct script_event {
    uint64_t at_us; /* since the script's begin */
    struct input_event event;
};

/* Reads `length` characters into at most `capacity` events, and never more than SCRIPT_EVENTS_MAX;
 * events NULL: only counts them, and does not see that something held is pressed. False on bad
 * input, or where there are more events; `error` then names statement and cause. */
bool script_read(const char *text, size_t length, struct script_event *events, size_t capacity,
                 size_t *count, char error[SCRIPT_ERROR_MAX]);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workload scripts: what is typed and clicked, and when. One grammar for input that the image
 * makes itself (input.h) and input that comes from outside (`tare boot --keys`, a person's hands).
 *
 *     script    = { statement }, separated by ";" or line ends; "#" begins a comment, to the line's
 *                 end
 *     statement = [ "at" TIME | "then" TIME ] action
 *     action    = "key" CHORD [ "hold=" TIME ] [ "every=" TIME ] [ TIMES ] [ "as=" NAME ]
 *               | CHORD ...                          the same without the word: pagedown x3
 *               | "type" TEXT [ "wpm=" N | "fast" ] [ "seed=" N ] [ "hold=" TIME ]
 *                      [ "errors=" N "%" ] [ "compose=" TIME ] [ "as=" NAME ]
 *               | "click" BUTTON [ "hold=" TIME ] [ "every=" TIME ] [ TIMES ] [ "as=" NAME ]
 *               | "wheel" N [ "every=" TIME ] [ TIMES ] [ "as=" NAME ]
 *               | "move" DX "," DY [ "every=" TIME ] [ TIMES ] [ "as=" NAME ]
 *               | "pause" TIME
 *     CHORD     = { ( "ctrl" | "shift" | "alt" ) "+" } KEY     ctrl+s
 *     TEXT      = a string in double quotes, with \" \\ \n \t
 *               | "words=" N              N words, made up, in sentences, by the seed
 *               | "characters=" N         so many characters of such words
 *     BUTTON    = left | right | middle
 *     TIME      = N ( "us" | "ms" | "s" )                      N may have a fraction: 1.5ms
 *     TIMES     = ( "x" | "×" ) N                              so often
 *
 * N of "wheel": notches away from the user, -7 to 7 and not 0.
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
 * "then" is a closed loop, as of Microsoft Test and of a user who waits: the action begins so long
 * after all events before it were done, whenever that is. Where that is unknown (a script
 * played from outside), after their planned times.
 *
 * An action of one key, click, character, chord or movement is what a person did at once: its
 * events, from the first down to the last up, have the same number. `as` names its class; else that
 * follows from the key (enum script_class).
 *
 * "errors": so many of a hundred characters come as a neighbour of the right key on the keyboard;
 * that is noticed after 1 to 4 further characters, and all are taken back by backspaces and typed
 * anew: the text is right in the end. "compose": a pause of 0.5 to 1.5 times so long before each
 * sentence. Both by the seed.
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
#define SCRIPT_NAMES_MAX  32 /* classes of the script's own */
#define SCRIPT_NAME_MAX   24 /* characters of one, of a to z, 0 to 9, - and _ */
#define SCRIPT_EVENTS_MAX 20000
#define SCRIPT_US_MAX     3600000000ull /* an hour */
#define SCRIPT_WPM_MAX    6000          /* 2 ms a character */

enum script_class {
    SCRIPT_PRINTABLE, /* a character, shifted or not, and backspace */
    SCRIPT_NEWLINE,
    SCRIPT_PAGE,    /* page up and down */
    SCRIPT_CURSOR,  /* arrows, home, end */
    SCRIPT_COMMAND, /* a chord with ctrl or alt, a function key, escape, tab, ... */
    SCRIPT_CLICK,
    SCRIPT_WHEEL,
    SCRIPT_MOVE,
    SCRIPT_CLASSES, /* those of the script's own follow */
};
/* "printable", "newline", "page", "cursor", "command", "click", "wheel", "move"; of others NULL. */
const char *script_class_name(unsigned class);
/* Of an event; `chord`: ctrl or alt is held with it. Of a modifier alone SCRIPT_COMMAND. */
enum script_class script_class_of(const struct input_event *event, bool chord);

struct script_event {
    uint64_t at_us; /* since the script's begin; where `then`, since the end of all before */
    struct input_event event;
    bool then;       /* begins a closed-loop action */
    uint8_t class;   /* enum script_class, or SCRIPT_CLASSES + index into script_names */
    uint32_t action; /* from 0 */
};

struct script_names {
    size_t count;
    char name[SCRIPT_NAMES_MAX][SCRIPT_NAME_MAX + 1];
};

/* Reads `length` characters into at most `capacity` events, and never more than SCRIPT_EVENTS_MAX;
 * events NULL: only counts them, and does not see that something held is pressed. False on bad
 * input, or where there are more events; `error` then names statement and cause. */
bool script_read(const char *text, size_t length, struct script_event *events, size_t capacity,
                 size_t *count, char error[SCRIPT_ERROR_MAX]);

/* The names of classes that the script that was read last gave, in the order of their first use. */
const struct script_names *script_own_classes(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input scripts: what is typed and clicked, and when. The same grammar is used for input that the
 * image makes itself (input.h) and for input from outside (`tare boot --keys`, or a person's
 * hands).
 *
 *     script    = { statement }, separated by ";" or line ends; "#" begins a comment, up to the end
 *                 of the line
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
 *               | "words=" N              N made-up words, in sentences, by the seed
 *               | "characters=" N         N characters of such words
 *     BUTTON    = left | right | middle
 *     TIME      = N ( "us" | "ms" | "s" )                      N may have a fraction: 1.5ms
 *     TIMES     = ( "x" | "×" ) N                              number of repetitions
 *
 * "wheel" N turns the wheel by N notches away from the user, -7 to 7 and not 0.
 *
 * The timeline is absolute: the time of every event counts from the start of the script, however
 * long the system under test takes for the event before it. A late system is charged with its
 * lateness. "at" sets the cursor. An action begins at the cursor and moves it on: by `every` for
 * each key, click or movement (by default 120 ms, or `hold` if that is longer), and by the typist's
 * interval for each character. `hold` is the time from down to up. Its default is 40 ms for a key
 * and 90 ms for a click; for typed characters it is half the shortest interval, at most 40 ms. It
 * is never longer than half of the character's own interval. Times are cut off to whole
 * microseconds.
 *
 * A character that needs shift consists of four events within its interval: shift goes down at the
 * time of the character, and the key half a `hold` later.
 *
 * The typist (typist.h) types `wpm` words of 5 characters a minute: by default 100, which is 120 ms
 * a character on average (Endo et al. 1996, section 2), and at most SCRIPT_WPM_MAX. The intervals
 * vary by the seed (by default 1), are longer before a word and longest before a sentence. seed=0
 * switches the variation off. With "fast", or `wpm=0`, all events have the same time: the
 * infinitely fast typist of throughput benchmarks.
 *
 * "then" makes a closed loop, as in Microsoft Test, or as a user who waits: the action begins TIME
 * after the system has finished all events before it. If that is unknown, because the script is
 * played from outside, it begins TIME after their planned times.
 *
 * One key, click, character, chord or movement is one action, something that a person does at once:
 * all its events, from the first down to the last up, have the same action number. `as` names the
 * class of the action; without it the class follows from the key (enum script_class).
 *
 * "errors" gives how many of a hundred characters are replaced by a neighbour on the keyboard. The
 * error is noticed after 1 to 4 further characters; these are deleted by backspaces and typed
 * again, so the text is correct in the end. "compose" adds a pause of 0.5 to 1.5 times TIME before
 * each sentence. Both depend on the seed.
 *
 * The resulting events are ordered by time, and events of the same time in the order of the script.
 * If "at" sets the cursor back, the new events are merged with the earlier ones. A key or button
 * that is held must not be pressed again: a keyboard would send a repeat, which is not an event.
 *
 * Accesses no hardware and uses no floating point: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

#define SCRIPT_ERROR_MAX  160
#define SCRIPT_NAMES_MAX  32 /* classes named by the script */
#define SCRIPT_NAME_MAX   24 /* most characters of a class name, from a to z, 0 to 9, - and _ */
#define SCRIPT_EVENTS_MAX 20000
#define SCRIPT_US_MAX     3600000000ull /* an hour */
#define SCRIPT_WPM_MAX    6000          /* 2 ms a character */

enum script_class {
    SCRIPT_PRINTABLE, /* a character, with or without shift, and backspace or delete */
    SCRIPT_NEWLINE,
    SCRIPT_PAGE,    /* page up and down */
    SCRIPT_CURSOR,  /* arrows, home, end */
    SCRIPT_COMMAND, /* a chord with ctrl or alt, a function key, escape, tab, ... */
    SCRIPT_CLICK,
    SCRIPT_WHEEL,
    SCRIPT_MOVE,
    SCRIPT_CLASSES, /* classes named by the script follow */
};
/* Returns "printable", "newline", "page", "cursor", "command", "click", "wheel" or "move", or NULL
 * for other values. */
const char *script_class_name(unsigned class);
/* Returns the class of an event. `chord`: ctrl or alt is held with it. The class of a modifier
 * alone is SCRIPT_COMMAND. */
enum script_class script_class_of(const struct input_event *event, bool chord);

struct script_event {
    uint64_t at_us; /* since the start of the script; if `then`, since the end of earlier events */
    struct input_event event;
    bool then;       /* the event begins a closed-loop action */
    uint8_t class;   /* enum script_class, or SCRIPT_CLASSES + index into script_names */
    uint32_t action; /* number of the action, from 0 */
};

struct script_names {
    size_t count;
    char name[SCRIPT_NAMES_MAX][SCRIPT_NAME_MAX + 1];
};

/* Reads a script of `length` characters into at most `capacity` events, never more than
 * SCRIPT_EVENTS_MAX. If `events` is NULL it only counts them, and does not notice that something
 * held is pressed. Returns false on bad input or if there are too many events; `error` then names
 * the statement and the cause. */
bool script_read(const char *text, size_t length, struct script_event *events, size_t capacity,
                 size_t *count, char error[SCRIPT_ERROR_MAX]);

/* Returns the class names that the last script gave, in the order of their first use. */
const struct script_names *script_own_classes(void);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of bench windows, in ring 3: draws all that there is to draw, by messages of its
 * bench. In ring 0 it is user_windows_main.
 */
#pragma once

/* A message of type QUEUE_KEY_DOWN, by its code. */
enum windows_step {
    WINDOWS_DRAW,       /* every kind of request, in several flushes, some of them merged */
    WINDOWS_INVALIDATE, /* two areas; a message to paint follows, and draws them */
    WINDOWS_CROSS,      /* times WINDOWS_CROSSINGS flushes of nothing */
    WINDOWS_TIMER,      /* draws when a timer has gone off, the second of two */
};

#define WINDOWS_CROSSINGS 20
#define WINDOWS_TIMER_US  2000
#define WINDOWS_HELD_US   3000 /* from a button's message to the one that it is up */

enum windows_result {
    WINDOWS_LEAST,  /* ticks of a flush of nothing, with the readings of the TSC */
    WINDOWS_MOST,   /* the same */
    WINDOWS_PAINTS, /* messages to paint */
    WINDOWS_AREA,   /* of the last, as USER_AREA() has it */
    WINDOWS_TIMERS, /* messages of timers */
    WINDOWS_PEEKS,  /* messages that were looked at, left, and then taken */
    WINDOWS_HELD,   /* ticks in client_button_down() */
    WINDOWS_RESULTS,
};

void windows_main(void *argument);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of bench windows, in ring 3: makes every kind of request to draw, at the bench's
 * messages. In ring 0 its name is user_windows_main.
 */
#pragma once

/* Codes of QUEUE_KEY_DOWN messages, each of which asks for one step. */
enum windows_step {
    WINDOWS_DRAW,       /* every kind of request, in several flushes, with some requests merged */
    WINDOWS_INVALIDATE, /* invalidates two areas; a message to paint follows, which draws them */
    WINDOWS_CROSS,      /* WINDOWS_CROSSINGS flushes of an empty batch */
    /* starts two timers, of which the second replaces the first; draws when that one expires */
    WINDOWS_TIMER,
};

#define WINDOWS_CROSSINGS 20
#define WINDOWS_WORK_US   700
#define WINDOWS_TIMER_US  2000
/* from the message that the button is down to the message that it is up */
#define WINDOWS_HELD_US 3000

enum windows_result {
    /* least ticks of a flush of an empty batch, including the readings of the TSC */
    WINDOWS_LEAST,
    WINDOWS_MOST,    /* most ticks of such a flush */
    WINDOWS_PAINTS,  /* messages to paint */
    WINDOWS_AREA,    /* area of the last message to paint, as packed by USER_AREA() */
    WINDOWS_TIMERS,  /* messages of timers */
    WINDOWS_PEEKS,   /* messages that were looked at, left in the queue, and then taken */
    WINDOWS_HELD,    /* ticks in client_button_down() */
    WINDOWS_POINTER, /* position of the last click, as packed by USER_AREA() */
    WINDOWS_RESULTS,
};

void windows_main(void *argument);

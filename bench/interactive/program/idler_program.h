/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the tasks profile and desktop: it does only what a system does without a user. Its
 * cursor blinks, and it reports each input as done at once.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry idle_window;      /* the program's name in ring 3 */
extern thread_entry user_idle_window; /* the same function's name in ring 0 */

/* Numbers for client_parameter(). */
enum idler_parameter {
    IDLER_BLINK_US, /* time from one change of the cursor to the next; 0: none */
};

/* Numbers for client_result(). Ticks are differences of two readings of the TSC in ring 3. */
enum idler_result {
    IDLER_BLINKS,
    IDLER_BLINK_TICKS, /* sum over all blinks */
};

#define IDLER_OWN_BYTES 4096

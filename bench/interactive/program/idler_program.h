/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task profile: it does only what a system does without a user. Its cursor
 * blinks. In the segmented structure it also looks after a device and a clock every few
 * milliseconds and draws the time, because Windows 95 was never quite idle.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry idle_window;      /* the program's name in ring 3 */
extern thread_entry user_idle_window; /* the same function's name in ring 0 */

/* Numbers for client_parameter(). */
enum idler_parameter {
    IDLER_BLINK_US, /* time from one change of the cursor to the next */
    IDLER_CHORE_US, /* time from one chore of the segmented structure to the next */
    IDLER_WORK_US,  /* work of a chore */
};

/* Numbers for client_result(). Ticks are differences of two readings of the TSC in ring 3. */
enum idler_result {
    IDLER_BLINKS,
    IDLER_CHORES,
    IDLER_BLINK_TICKS, /* sum over all blinks */
    IDLER_CHORE_TICKS,
};

#define IDLER_OWN_BYTES 4096

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system as Windows 95 has it: the application's own process calls 16-bit code, which
 * takes the batch record by record, and then draws in ring 3 on the screen that it shows. A flush
 * is one far call; it makes no system call and leaves no address space.
 *
 * With daemon_us a thread below the application works so long behind each burst of input, when the
 * application waits: from the begin again when more input is taken meanwhile.
 */
#pragma once

#include "bench/interactive/window/operations.h"

/* Of each far call: SS, CS, DS, ES, and CS and SS on the way back. */
#define SEGMENTED_LOADS 6
/* Of each record: 6 writes of 8 bytes by who packs it, 24 reads of 2 bytes by 16-bit code. */
#define SEGMENTED_UNALIGNED 30

extern const struct window_operations segmented_operations;

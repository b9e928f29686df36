/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system as in Windows 95: the application's own process calls 16-bit code, which takes
 * the batch record by record, and then draws in ring 3 on the screen that it maps. A flush is one
 * far call. It makes no system call and does not change the address space.
 *
 * With chore_us, a thread of higher priority than the application does chores, which Windows 95 did
 * when it was idle. With daemon_us, a thread of lower priority than the application works for that
 * time after each burst of input, while the application waits. If more input is taken meanwhile, it
 * starts again.
 */
#pragma once

#include "bench/interactive/window/operations.h"

/* Segment loads per far call: SS, CS, DS and ES, then CS and SS on the way back. */
#define SEGMENTED_LOADS 6
/* Segment loads per record: 16-bit code loads a segment for each far pointer that it follows. */
#define SEGMENTED_WALK 20
/* Unaligned accesses per record: 6 writes of 8 bytes when it is packed, 24 reads of 2 bytes by the
 * 16-bit code. */
#define SEGMENTED_UNALIGNED 30

extern const struct window_operations segmented_operations;

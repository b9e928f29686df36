/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 16-bit code in a process: 64 KiB below 4 GiB, of which four pages are there, at the same address
 * in every process.
 *
 *     SEGMENTS_CODE    code, the same for all: a trampoline of 64-bit code at its beginning, and
 *                      16-bit code; CS begins here
 *     SEGMENTS_DATA    DS begins here
 *     SEGMENTS_EXTRA   ES begins here
 *     SEGMENTS_STACK   the stack of 16-bit code, below SEGMENTS_END; SS begins at SEGMENTS_CODE
 *
 * Data and stack are private to each process: one thread of it at a time may be there. Nothing
 * saves DS and ES when threads are switched. No 64-bit code uses or changes them, and no 16-bit
 * code loads others than the two selectors of descriptors.h: so they stay as they were loaded.
 *
 * Under QEMU an IRET to 16-bit code restores 16 bits of RSP: the trampoline reloads RSP before it
 * uses the stack. SYSCALL in 16-bit code ends the bench as CRASH. So does any fault there; the
 * report has CS, and RIP as an offset into it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/task/process.h"

#define SEGMENTS_CODE  0x0000
#define SEGMENTS_DATA  0x1000
#define SEGMENTS_EXTRA 0x2000
#define SEGMENTS_STACK 0x3000
#define SEGMENTS_END   0x4000

/* Gives them to a process that has no thread yet; `code` is copied, at most a page, the same for
 * all processes of a session. *base becomes the address of SEGMENTS_CODE. NULL, or why not. */
const char *segments_give(struct process *process, const void *code, size_t bytes, uint64_t *base);

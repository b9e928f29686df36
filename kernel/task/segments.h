/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 16-bit code in a process: an area of 64 KiB below 4 GiB, of which four pages are mapped, at the
 * same address in every process.
 *
 *     SEGMENTS_CODE    code, the same for all processes: it begins with a trampoline of 64-bit
 *                      code, followed by 16-bit code; CS begins here
 *     SEGMENTS_DATA    DS begins here
 *     SEGMENTS_EXTRA   ES begins here
 *     SEGMENTS_STACK   the stack of 16-bit code, below SEGMENTS_END; SS begins at SEGMENTS_CODE
 *
 * Data and stack are private to each process, so only one thread of it may use them at a time. A
 * thread switch does not save DS and ES. That is safe because no 64-bit code uses or changes them,
 * and 16-bit code loads no others than the two selectors of descriptors.h.
 *
 * Under QEMU an IRET to 16-bit code restores only 16 bits of RSP, so the trampoline reloads RSP
 * before it uses the stack. SYSCALL and any fault in 16-bit code end the bench as CRASH; the report
 * has CS, and RIP as an offset into it.
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

/* Maps the pages in a process that has no thread yet. `code` is copied; it has at most a page and
 * must be the same for all processes of a session. Sets *base to the address of SEGMENTS_CODE.
 * Returns NULL on success, otherwise the reason. */
const char *segments_give(struct process *process, const void *code, size_t bytes, uint64_t *base);

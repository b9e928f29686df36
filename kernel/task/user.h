/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What code in ring 3 may do: where it lies, which memory it has, and the system calls.
 *
 * Code that runs in ring 3 is marked PROCESS_CODE: it lies in pages that ring 3 may execute in
 * every address space. It may call only other PROCESS_CODE and the functions of this file, and must
 * not use constants that the compiler keeps in memory (strings, jump tables, large initialisers),
 * because everything else in the image belongs to the kernel. A process can read and write only its
 * own memory: PROCESS_BYTES from PROCESS_BASE on, whose pages are absent until touched and then
 * zeroed ("demand zero"), and its stacks above, which work the same way, with a guard page below
 * each.
 *
 * PROCESS_CODE makes system calls with the number in rax, arguments in rdi, rsi, rdx, r10, r8 and
 * r9, and the result in rax. rcx and r11 are lost (SDM volume 2, SYSCALL), as are the registers
 * that a C function may change. An unknown number or object yields SYSCALL_REFUSED.
 *
 * SYSCALL always works. INT SYSCALL_VECTOR and user_sysenter() work where syscall.h says so, with
 * the same registers.
 */
#pragma once

#include <stdint.h>

#define PROCESS_BASE  (3ull << 45) /* private: each process has other page tables here */
#define PROCESS_BYTES (16ull << 20)
/* Sections that a process shares with others (process.h), above its memory and stacks. */
#define SECTIONS_BASE (PROCESS_BASE + (64ull << 20))
#define SECTIONS_END  (PROCESS_BASE + (1ull << 30))

#define PROCESS_CODE __attribute__((section(".user"), noinline, used))

enum syscall_number {
    SYSCALL_NULL = 0, /* (); returns 0 */
    SYSCALL_EXIT = 1,
    SYSCALL_YIELD = 2,
    SYSCALL_SLEEP_UNTIL = 3, /* (deadline) */
    /* (thread id, tag, value); returns 1 if sent, 0 if too many messages are under way */
    SYSCALL_SEND = 4,
    SYSCALL_RECEIVE = 5,     /* (); returns value | tag << 32 | from << 48 */
    SYSCALL_RECEIVE_TAG = 6, /* (tag); returns the same */
    /* (pipe, byte); pipes are numbered in the order of process_offer_pipe() */
    SYSCALL_PIPE_WRITE = 7,
    SYSCALL_PIPE_READ = 8, /* (pipe); returns the byte */
    SYSCALL_MARK = 9,      /* (what, value) */
    SYSCALL_SUM1 = 10,     /* (a); this and the following calls return the sum of the arguments */
    SYSCALL_SUM2 = 11,
    SYSCALL_SUM3 = 12,
    SYSCALL_SUM4 = 13,
    SYSCALL_SUM5 = 14,
    SYSCALL_SUM6 = 15,
    /* (address of 64 bytes of the process's memory, not its stacks); returns 0; refused if they are
     * not all there */
    SYSCALL_COPY64 = 16,
    /* (address of a thread's name, in USER_NAME_BYTES of the process's memory; address of a struct
     * user_stat there); fills in the struct and returns 0; refused if either is not all there or no
     * thread has that name */
    SYSCALL_STAT = 17,
    /* File calls, if the session has files (kernel/block); otherwise refused: */
    /* (address of a file's name, in USER_NAME_BYTES of the process's memory); returns a number for
     * the calls below; refused if the name is not all there or no file has it */
    SYSCALL_OPEN = 18,
    /* (file, address, bytes): reads whole pages into whole pages of the process's memory that it
     * has written to; returns the bytes read, which are fewer at the end of the file */
    SYSCALL_READ = 19,
    SYSCALL_SEEK = 20, /* (file, offset where the next read begins); returns 0 */
    /* (file, address, bytes): maps the file's pages, from where the next read would begin, to whole
     * pages of the process's memory, read only; returns 0 */
    SYSCALL_MAP = 21,
    /* Window calls, for the application of a window system (bench/interactive/window); otherwise
     * refused: */
    /* (); takes the oldest message of its queue, waits if there is none; returns type | code << 16
     * | number << 32 */
    SYSCALL_QUEUE_GET = 22,
    /* (1 to remove it); returns the same without waiting; refused if there is none */
    SYSCALL_QUEUE_PEEK = 23,
    SYSCALL_QUEUE_DONE = 24, /* (number): that input has had its effect; returns 0 */
    /* (us): requests a message after this time, replacing an earlier request; 0 cancels it; returns
     * 0 */
    SYSCALL_TIMER = 25,
    SYSCALL_DRAW = 26,       /* (): draws the batch; returns 0 */
    SYSCALL_INVALIDATE = 27, /* (area, from USER_AREA()): the area must be drawn again; returns 0 */
    SYSCALL_PAINT = 28,      /* (); takes the invalid area; refused if nothing is invalid */
    SYSCALL_COUNT = 29,
};

/* Parts of what SYSCALL_RECEIVE returns. */
#define USER_MESSAGE_TAG(message)  ((uint16_t)((message) >> 32))
#define USER_MESSAGE_FROM(message) ((uint16_t)((message) >> 48))

#define USER_NAME_BYTES 64 /* including a zero after the name */

/* Packs a rectangle into a register, with 16 bits for each of the four numbers. */
#define USER_AREA(x, y, width, height)                                                             \
    ((uint64_t)(uint16_t)(x) | (uint64_t)(uint16_t)(y) << 16 | (uint64_t)(uint16_t)(width) << 32 | \
     (uint64_t)(uint16_t)(height) << 48)

struct user_stat {
    uint64_t id;
    uint64_t process; /* 0 for the kernel */
    uint64_t priority;
    uint64_t base_priority;
    uint64_t state;       /* enum thread_state (kernel/trace/trace.h) */
    uint64_t wait_reason; /* enum wait_reason while it waits */
    uint64_t charged;     /* number of clock ticks charged to it */
    uint64_t stack_bytes; /* size of its kernel stack */
};

#define SYSCALL_VECTOR 0x80

#define SYSCALL_REFUSED UINT64_MAX

static inline __attribute__((always_inline)) uint64_t
system_call(enum syscall_number number, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t result = number;

    __asm__ volatile("syscall"
                     : "+a"(result), "+D"(a), "+S"(b), "+d"(c)
                     :
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return result;
}

/* Reads the TSC after all earlier instructions and before all later ones, like tsc_read_ordered(),
 * which ring 3 may not call. */
static inline __attribute__((always_inline)) uint64_t user_tsc(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

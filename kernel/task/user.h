/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What code of ring 3 may do, and where.
 *
 * Code that runs in ring 3 is marked PROCESS_CODE: it lies in pages that ring 3 may execute, in
 * every address space, and may call nothing but other PROCESS_CODE and the functions of this file,
 * and use no constant that the compiler keeps in memory (text, tables of a switch, large
 * initialisers): all else of the image is the kernel's. What a process reads and writes is its own:
 * PROCESS_BYTES of memory from PROCESS_BASE on, absent until touched (a page of zeroes then,
 * "demand zero"), and its stacks above, the same, with a guard page below each.
 *
 * System calls, as PROCESS_CODE makes them: number in rax, arguments in rdi, rsi, rdx, r10, r8, r9,
 * result in rax; rcx and r11 are lost (SDM volume 2, SYSCALL), as are the registers that a C
 * function may change. An unknown number or object gives SYSCALL_REFUSED.
 *
 * SYSCALL is the way in for all; INT SYSCALL_VECTOR and user_sysenter() are open where syscall.h
 * describes it, and take the same registers.
 */
#pragma once

#include <stdint.h>

#define PROCESS_BASE  (3ull << 45) /* private: other page tables in each process */
#define PROCESS_BYTES (16ull << 20)
/* Above memory and stacks, what it shares with others: sections (process.h). */
#define SECTIONS_BASE (PROCESS_BASE + (64ull << 20))
#define SECTIONS_END  (PROCESS_BASE + (1ull << 30))

#define PROCESS_CODE __attribute__((section(".user"), noinline, used))

enum syscall_number {
    SYSCALL_NULL = 0, /* (); 0 */
    SYSCALL_EXIT = 1,
    SYSCALL_YIELD = 2,
    SYSCALL_SLEEP_UNTIL = 3, /* (deadline) */
    SYSCALL_SEND = 4,        /* (thread id, tag, value); 1: sent, 0: too many are under way */
    SYSCALL_RECEIVE = 5,     /* (); value | tag << 32 | from << 48 */
    SYSCALL_RECEIVE_TAG = 6, /* (tag); the same */
    SYSCALL_PIPE_WRITE = 7,  /* (pipe, byte): pipes by their order of process_offer_pipe() */
    SYSCALL_PIPE_READ = 8,   /* (pipe); the byte */
    SYSCALL_MARK = 9,        /* (what, value) */
    SYSCALL_SUM1 = 10,       /* (a); the sum of the arguments, here and below */
    SYSCALL_SUM2 = 11,
    SYSCALL_SUM3 = 12,
    SYSCALL_SUM4 = 13,
    SYSCALL_SUM5 = 14,
    SYSCALL_SUM6 = 15,
    SYSCALL_COPY64 = 16, /* (address of 64 bytes of the process's memory, stacks not counted); 0;
                            refused where they are not all there */
    SYSCALL_STAT = 17,   /* (address of the name of a thread, in USER_NAME_BYTES of the process's
                            memory, address of a struct user_stat there); 0, and the struct is filled
                            in; refused where they are not all there, or no thread has that name */
    /* Of files, where the session has some (kernel/block); else refused: */
    SYSCALL_OPEN = 18, /* (address of the name of a file, in USER_NAME_BYTES of the process's
                          memory); a number for the calls below; refused where the name is not all
                          there, or no file has it */
    SYSCALL_READ = 19, /* (file, address, bytes): whole pages to whole pages of the process's memory
                          that it has written to; bytes read, fewer at the end of the file */
    SYSCALL_SEEK = 20, /* (file, offset where the next read begins); 0 */
    SYSCALL_MAP = 21,  /* (file, address, bytes): shows the file's pages from where the next read
                          would begin in whole pages of the process's memory, read only; 0 */
    /* Of windows, to the application of a window system (bench/interactive/window); else refused:
     */
    SYSCALL_QUEUE_GET = 22,  /* (); type | code << 16 | number << 32 of the oldest message of its
                                queue; waits for one */
    SYSCALL_QUEUE_PEEK = 23, /* (1: removes it); the same without waiting; refused: there is none */
    SYSCALL_QUEUE_DONE = 24, /* (number): that input has had its effect; 0 */
    SYSCALL_TIMER = 25,      /* (us): a message after so long, in place of one that was to come;
                                0: none; 0 */
    SYSCALL_DRAW = 26,       /* (): draws the batch; 0 */
    SYSCALL_INVALIDATE = 27, /* (area), as USER_AREA() has it: to be drawn anew; 0 */
    SYSCALL_PAINT = 28,      /* (); takes what is invalid; refused: nothing is */
    SYSCALL_COUNT = 29,
};

/* Of what SYSCALL_RECEIVE gives. */
#define USER_MESSAGE_TAG(message)  ((uint16_t)((message) >> 32))
#define USER_MESSAGE_FROM(message) ((uint16_t)((message) >> 48))

#define USER_NAME_BYTES 64 /* a zero behind the name */

/* A rectangle in a register: each of the four in 16 bits. */
#define USER_AREA(x, y, width, height)                                                             \
    ((uint64_t)(uint16_t)(x) | (uint64_t)(uint16_t)(y) << 16 | (uint64_t)(uint16_t)(width) << 32 | \
     (uint64_t)(uint16_t)(height) << 48)

struct user_stat {
    uint64_t id;
    uint64_t process; /* 0: the kernel */
    uint64_t priority;
    uint64_t base_priority;
    uint64_t state;       /* enum thread_state (kernel/trace/trace.h) */
    uint64_t wait_reason; /* enum wait_reason, while it waits */
    uint64_t charged;     /* clock ticks */
    uint64_t stack_bytes; /* of its stack in the kernel */
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

/* The TSC, read after all that comes before and before all that comes after, as tsc_read_ordered()
 * does, which ring 3 may not call. */
static inline __attribute__((always_inline)) uint64_t user_tsc(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

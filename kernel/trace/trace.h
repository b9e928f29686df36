/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of events.def: the values of their fields, and a function that records each event:
 * trace_NAME(fields...).
 *
 * Record functions may be called anywhere: in threads, interrupt handlers and NMI handlers. Outside
 * a trace they do nothing. recorder.h describes how they work and what they cost.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/percpu.h"

/* The states of threads for accounting (as in Windows' CSwitch events). */
enum thread_state {
    THREAD_RUNNING = 0,
    THREAD_READY = 1,
    THREAD_WAITING = 2,
    THREAD_ENDED = 3,
};

/* Why a thread left the processor, or waits. */
enum wait_reason {
    WAIT_NONE = 0,
    WAIT_PREEMPTED = 1, /* stays ready: an interrupt made a thread of higher priority ready */
    WAIT_YIELD = 2,     /* stays ready */
    WAIT_MESSAGE = 3,   /* for any message */
    WAIT_SPECIFIC = 4,  /* for one specific message */
    WAIT_PIPE_EMPTY = 5,
    WAIT_PIPE_FULL = 6,
    WAIT_SEMAPHORE = 7,
    WAIT_MUTEX = 8,
    WAIT_SLEEP = 9,
    WAIT_JOIN = 10,
    WAIT_EXIT = 11,       /* the thread ended */
    WAIT_OVERTAKEN = 12,  /* stays ready: its own action made a thread of higher priority ready */
    WAIT_QUEUE = 13,      /* an application waits for a message */
    WAIT_QUEUE_IDLE = 14, /* waits until an application has nothing to do */
    WAIT_DISK = 15,       /* waits for a block of a disk */
    WAIT_QUANTUM = 16,    /* stays ready, after its equals: its quantum ended */
    WAIT_REASONS = 17,
};

#define TRACE_WHY(reason, state) ((uint8_t)((reason) | (state) << 5))
#define TRACE_WHY_REASON(why)    ((enum wait_reason)((why)&31))
#define TRACE_WHY_STATE(why)     ((enum thread_state)((why) >> 5))

/* What made a thread ready: another thread, or the handler or DPC that ran. */
#define TRACE_BY_KIND      0xf000u
#define TRACE_BY_THREAD    0x0000u
#define TRACE_BY_VECTOR    0x8000u
#define TRACE_BY_DPC       0x9000u
#define TRACE_BY(kind, id) ((uint16_t)((kind) | (id)))

#define TRACE_NO_HOLDER    0xffffu /* value of `holder` if no thread holds the lock */
#define TRACE_TAG_ANY      0xffffu
#define TRACE_IDLE_THREAD  0 /* this id and the next are the same in every trace */
#define TRACE_BENCH_THREAD 1

/* Why a thread's dynamic priority changed. */
enum boost_reason {
    BOOST_DECAY = 0, /* a quantum ended */
    /* what the thread had waited for */
    BOOST_INPUT = 1,
    BOOST_DISK = 2,
    BOOST_TIMER = 3,
    BOOST_STARVED = 4, /* it had been ready for too long */
    BOOST_WAIT = 5,    /* it had waited for a lock, a pipe or a message */
    BOOST_REASONS = 6,
};

/* Why a processor interrupts another. */
enum ipi_reason {
    IPI_RESCHEDULE = 0,
    IPI_SHOOTDOWN = 1, /* the other must forget translations of addresses */
    IPI_REASONS = 2,
};

enum fault_kind {
    FAULT_DEMAND_ZERO = 0,
    FAULT_COPY_ON_WRITE = 1,
    FAULT_PROTECTION = 2, /* the page was read only and not shared */
    FAULT_MINOR = 3,      /* the page was there but not mapped */
    FAULT_FILE = 4,       /* page of a mapped file that was read from its disk */
    FAULT_SOFT = 5,       /* page of a mapped file that was in the page cache */
    FAULT_KINDS = 6,
};

/* Types of the messages in an application's queue. */
enum queue_message_type {
    QUEUE_KEY_DOWN = 0, /* the first five are enum input_kind (kernel/input/event.h) */
    QUEUE_KEY_UP = 1,
    QUEUE_BUTTON_DOWN = 2,
    QUEUE_BUTTON_UP = 3,
    QUEUE_MOVE = 4,
    QUEUE_TIMER = 5,
    QUEUE_SYNC = 6, /* posted after an input by a driver that needs to know when it was taken */
    QUEUE_IO_DONE = 7,
    QUEUE_PAINT = 8,
    QUEUE_QUIT = 9,
    QUEUE_MESSAGE_TYPES = 10,
};

enum queue_call {
    QUEUE_CALL_GET = 0,
    QUEUE_CALL_PEEK = 1,
    QUEUE_CALL_WAIT_IDLE = 2,
    QUEUE_RETURN_EMPTY = 3, /* return from a peek: the queue is empty */
    QUEUE_RETURN_LEFT = 4,  /* return from a peek: the message stays in the queue */
    QUEUE_RETURN_IDLE = 5,  /* return from a wait for idle */
    QUEUE_CALLS = 6,
};

enum io_kind {
    IO_SYNCHRONOUS = 0, /* a thread waits for it */
    IO_ASYNCHRONOUS = 1,
    IO_KINDS = 2,
};

/* The outcome of a request to a disk (kernel/block/block.h). */
enum block_error {
    BLOCK_GOOD = 0,
    BLOCK_TIMEOUT = 1, /* no answer in time */
    BLOCK_MEDIUM = 2,  /* the disk reports that it cannot read these blocks */
    BLOCK_DEVICE = 3,  /* the disk reports another failure */
    BLOCK_GONE = 4,    /* the disk is gone */
    BLOCK_REFUSED = 5, /* the plan does not allow these blocks, or the disk does not have them */
    BLOCK_ERRORS = 6,
};

/* Whether anything is recorded. For a caller that would compute a field in vain, or that has
 * several records to make; record functions check it themselves. */
extern PER_CPU bool trace_running __attribute__((visibility("hidden")));

/* The ids of the events: TRACE_ID_thread_switch and so on. */
enum trace_event_id {
#define TRACE_EVENT0(id, name)                                         TRACE_ID_##name = (id),
#define TRACE_EVENT1(id, name, t0, f0)                                 TRACE_ID_##name = (id),
#define TRACE_EVENT2(id, name, t0, f0, t1, f1)                         TRACE_ID_##name = (id),
#define TRACE_EVENT3(id, name, t0, f0, t1, f1, t2, f2)                 TRACE_ID_##name = (id),
#define TRACE_EVENT4(id, name, t0, f0, t1, f1, t2, f2, t3, f3)         TRACE_ID_##name = (id),
#define TRACE_EVENT5(id, name, t0, f0, t1, f1, t2, f2, t3, f3, t4, f4) TRACE_ID_##name = (id),
#include "kernel/trace/events.def"
    TRACE_ID_LIMIT = 64,
};

#define TRACE_EVENT0(id, name)                         void trace_##name(void);
#define TRACE_EVENT1(id, name, t0, f0)                 void trace_##name(t0 f0);
#define TRACE_EVENT2(id, name, t0, f0, t1, f1)         void trace_##name(t0 f0, t1 f1);
#define TRACE_EVENT3(id, name, t0, f0, t1, f1, t2, f2) void trace_##name(t0 f0, t1 f1, t2 f2);
#define TRACE_EVENT4(id, name, t0, f0, t1, f1, t2, f2, t3, f3) \
    void trace_##name(t0 f0, t1 f1, t2 f2, t3 f3);
#define TRACE_EVENT5(id, name, t0, f0, t1, f1, t2, f2, t3, f3, t4, f4) \
    void trace_##name(t0 f0, t1 f1, t2 f2, t3 f3, t4 f4);
#include "kernel/trace/events.def"

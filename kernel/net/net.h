/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack (kernel/net/stack.h) on NICs (kernel/net/nic.h), for benches: which way packets take,
 * who feeds the stack, who waits, and when each packet was where.
 *
 * By interrupt: the handler of the NIC stamps and queues a DPC, which feeds the stack; the stack
 * calls back, and the callback wakes the thread that waits. By polling: there need be no session;
 * who waits polls NICs and stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/nic.h"
#include "kernel/net/stack.h"
#include "kernel/task/locks.h"
#include "kernel/task/timer.h"

enum net_path {
    NET_LOOPBACK, /* 127.0.0.1: no NIC */
    NET_PAIR,     /* from the first NIC of a pair to the second: the modelled wire, or a hub */
    NET_REMOTE,   /* to net.peer */
    NET_PATHS,
    /* No path of a measurement: the first NIC of net.use answers others. */
    NET_SERVE = NET_PATHS,
};

struct net_options {
    enum net_path path;
    bool interrupts; /* within a session; else polled */
    bool services;   /* echo and so on run at the other end of loop-back and pair */
    uint32_t window; /* of the services; 0: the largest */
};

/* Opens NICs and stack. NULL, or why not, with the cure: then the bench skips the path. */
const char *net_begin(const struct net_options *options);
/* Before the session ends. */
void net_end(void);
/* Closes what a bench that was ended in the middle left open: after its session. */
void net_abandon(void);

/* Addresses of the path's two ends, first byte in bits 31-24. */
uint32_t net_own(void);
uint32_t net_other(void);
/* How packets come in: "msi-x", "msi", "intx", "timer", "polled". */
const char *net_interrupt(void);
/* NULL with NET_LOOPBACK; the second one is NULL unless NET_PAIR. */
struct nic *net_nic(unsigned index);

/* Around all calls into lwIP by threads: meanwhile the DPC feeds nothing, and what came is fed by
 * net_leave(). They do not nest; callbacks of the stack are within already. */
void net_enter(void);
void net_leave(void);

/* One who waits for something that a callback of the stack brings about. */
struct net_waiter {
    volatile bool done;
    struct semaphore semaphore; /* by interrupt */
    struct timer limit;
};
/* Not done. `name` lives until the trace has been sent. */
void net_waiter_init(struct net_waiter *waiter, const char *name);
/* In a callback. */
void net_wake(struct net_waiter *waiter);
/* Not within net_enter(); one thread at a time. False: it was not woken within `us`; 0: 2 s. True:
 * it was, and waits anew from now on. */
bool net_wait(struct net_waiter *waiter, uint64_t us);
/* A turn for NICs and stack, by polling; nothing by interrupt. */
void net_poll(void);

/* Stamps of the TSC of a packet on one way. */
struct net_passage {
    uint64_t sent;  /* the NIC has it: nic_send() was done with it */
    uint64_t due;   /* modelled wire: its law has it arrive; else 0 */
    uint64_t taken; /* the receiving end's handler, or poll, has seen it; loop-back: 0 */
    uint64_t fed;   /* the stack is given it */
};
/* In a callback of the stack: of the frame that it is being fed with. */
const struct net_passage *net_passage(void);
/* The same of the last frame that came in at NIC `index` of the path. */
const struct net_passage *net_last_passage(unsigned index);

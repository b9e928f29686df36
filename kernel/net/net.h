/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the TCP/IP stack (kernel/net/stack.h) to NICs (kernel/net/nic.h), for benches. Opens the
 * path that packets take, feeds the stack, lets threads wait, and records when each packet passed
 * which point.
 *
 * With interrupts, the handler of the NIC takes a stamp and queues a deferred call (DPC). The DPC
 * feeds the stack, and the stack's callback wakes the waiting thread. With polling no session is
 * needed: the one who waits polls NICs and stack.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/net/nic.h"
#include "kernel/net/stack.h"
#include "kernel/task/locks.h"
#include "kernel/task/timer.h"

enum net_path {
    NET_LOOPBACK, /* 127.0.0.1, without a NIC */
    NET_PAIR,     /* from the first NIC of a pair to the second: the simulated link, or a hub */
    NET_REMOTE,   /* to the machine of net.peer */
    NET_PATHS,
    /* Not a path for measurements: the first NIC of net.use answers other machines. */
    NET_SERVE = NET_PATHS,
};

struct net_options {
    enum net_path path;
    bool interrupts; /* true: within a session; false: polled */
    bool services;   /* echo and the other services run at the other end of loop-back and pair */
    uint32_t window; /* window of the services in bytes; 0: the largest */
};

/* Opens NICs and stack. Returns NULL on success, otherwise the reason and the cure; the bench then
 * skips the path. */
const char *net_begin(const struct net_options *options);
/* Closes the path. Call before the session ends. */
void net_end(void);
/* Closes what an aborted bench left open. Call after its session. */
void net_abandon(void);

/* Addresses of the two ends of the path, first byte in bits 31-24. */
uint32_t net_own(void);
uint32_t net_other(void);
/* Returns how packets arrive at the first NIC: "MSI-X", "MSI", "INTx", "timer" or "polled"; "none"
 * if the path has no NIC. */
const char *net_interrupt(void);
/* Returns a NIC of the path, or NULL: NET_LOOPBACK has none, and only NET_PAIR has a second one. */
struct nic *net_nic(unsigned index);

/* Enclose all calls into lwIP by threads. In between the DPC feeds nothing; net_leave() feeds what
 * has arrived. The calls must not nest. Callbacks of the stack are already enclosed. */
void net_enter(void);
void net_leave(void);

/* Lets one thread wait for something that a callback of the stack does. */
struct net_waiter {
    volatile bool done;
    struct semaphore semaphore; /* used with interrupts */
    struct timer limit;
};
/* Prepares a waiter. Keeps `name` until the trace has been sent. */
void net_waiter_init(struct net_waiter *waiter, const char *name);
/* Wakes the waiter. Call in a callback of the stack. */
void net_wake(struct net_waiter *waiter);
/* Waits for net_wake(), by one thread at a time, outside net_enter(). Returns false if that does
 * not happen within `us` (0: 2 s), otherwise true. The waiter can be used again afterwards. */
bool net_wait(struct net_waiter *waiter, uint64_t us);
/* Runs NICs and stack once if they are polled. Does nothing with interrupts. */
void net_poll(void);

/* TSC stamps of a packet on its way from one end to the other. */
struct net_passage {
    uint64_t sent;  /* the NIC got it: nic_send() had finished */
    uint64_t due;   /* simulated link: its timing model's arrival time; otherwise 0 */
    uint64_t taken; /* the receiver saw it, in the handler or by polling; loop-back: 0 */
    uint64_t fed;   /* the stack was given it */
};
/* Returns the stamps of the frame that the stack is being fed with. Call in a callback of the
 * stack. */
const struct net_passage *net_passage(void);
/* Returns the stamps of the last frame that arrived at NIC `index` of the path. */
const struct net_passage *net_last_passage(unsigned index);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bulk transfer by TCP to the discard service (kernel/net/services.h) at the other end of a
 * path, written message by message. No more than a window of it is unacknowledged. Its bytes are
 * services_byte(); the last segment has the FIN, so that its acknowledgement is not delayed.
 *
 * By the thread that measures, which is woken where there is room for more:
 *
 *     bulk_open(&bulk, ...); while (bulk_turn(&bulk)) { ... } bulk_close(&bulk);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/net.h"
#include "lwip/tcp.h"

#define BULK_BLOCK       65536 /* bytes between two stamps */
#define BULK_WINDOW_MAX  131072
#define BULK_MESSAGE_MIN 256
#define BULK_MESSAGE_MAX 65535
#define BULK_MESSAGES    512 /* that are unacknowledged at once */

struct bulk_options {
    uint64_t window;  /* bytes; two segments at least, as each second one is acknowledged at once */
    uint64_t message; /* bytes of a tcp_write(), BULK_MESSAGE_MIN or more */
    uint64_t bytes;   /* of all; more than 0 */
};

/* When a message was written, until its first byte is acknowledged. */
struct bulk_message {
    uint64_t at; /* its first byte */
    uint64_t written;
};

struct bulk {
    struct bulk_options options;
    struct net_waiter *waiter; /* of the thread; woken for room, for the end, and for errors */
    struct tcp_pcb *pcb;       /* NULL: closed, or reset by the stack */
    uint8_t *message;          /* BULK_MESSAGE_MAX */
    bool connected;
    bool hung_up; /* the other end has closed */
    bool waits;   /* the thread waits for room */
    err_t error;  /* ERR_OK: none */
    uint64_t written;
    uint64_t acknowledged;
    uint64_t began;    /* TSC before the first byte is written */
    uint64_t ended;    /* TSC when the last one is acknowledged */
    uint64_t shortest; /* ticks from writing a byte to its acknowledgement; UINT64_MAX: none yet */
    struct bulk_message messages[BULK_MESSAGES];
    size_t oldest; /* of messages */
    size_t count;
    /* Of each block of BULK_BLOCK bytes, up to blocks_max: ticks, and segments that were sent again
     * meanwhile. */
    int64_t *blocks;
    int64_t *again;
    size_t blocks_max;
    size_t blocks_count;
    uint64_t block_began;
    uint64_t again_before;
};

/* Takes memory for messages. False: there is none. `blocks` and `again` are the user's, of each
 * transfer others. */
bool bulk_take(struct bulk *bulk);
/* Connects. NULL, or why not. Not within net_enter(), as all below. */
const char *bulk_open(struct bulk *bulk, const struct bulk_options *options,
                      struct net_waiter *waiter);
/* Writes one message where there is room for one. False: there is none; the waiter is woken when
 * there is, when all is acknowledged, or when the connection breaks. */
bool bulk_write(struct bulk *bulk);
/* No more than what has been written is to be transferred; FIN. */
void bulk_stop(struct bulk *bulk);
/* All is acknowledged. */
bool bulk_is_done(const struct bulk *bulk);
/* Writes, or waits for room. False: all is acknowledged, or `*why` is set. */
bool bulk_turn(struct bulk *bulk, const char **why);
/* Waits for the other end's FIN, at most 10 s; then, or after an error, the connection is dropped.
 */
void bulk_close(struct bulk *bulk);

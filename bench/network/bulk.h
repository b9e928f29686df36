/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bulk transfer by TCP to the discard service (kernel/net/services.h) at the other end of a path,
 * written message by message. At most one window of it is unacknowledged. Its bytes are
 * services_byte(). The last segment carries the FIN, so that its acknowledgement is not delayed.
 *
 * The thread that measures drives the transfer and is woken when there is space to write more:
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
#define BULK_MESSAGES    512 /* messages that may be unacknowledged at once */

struct bulk_options {
    /* bytes; at least two segments, because only every second one is acknowledged at once */
    uint64_t window;
    uint64_t message; /* bytes of one tcp_write(), at least BULK_MESSAGE_MIN */
    uint64_t bytes;   /* bytes of the transfer; more than 0 */
};

/* a written message whose first byte is not yet acknowledged */
struct bulk_message {
    uint64_t at; /* offset of its first byte */
    uint64_t written;
};

struct bulk {
    struct bulk_options options;
    struct net_waiter *waiter; /* of the thread; woken for space, for the end, and for errors */
    struct tcp_pcb *pcb;       /* NULL: closed, or reset by the stack */
    uint8_t *message;          /* buffer of BULK_MESSAGE_MAX bytes */
    bool connected;
    bool hung_up; /* the other end has closed */
    bool waits;   /* the thread waits for space */
    err_t error;  /* ERR_OK: no error */
    uint64_t written;
    uint64_t acknowledged;
    uint64_t began; /* TSC before the first byte was written */
    uint64_t ended; /* TSC when the last byte was acknowledged */
    /* shortest time in ticks from writing a byte to its acknowledgement; UINT64_MAX: none yet */
    uint64_t shortest;
    struct bulk_message messages[BULK_MESSAGES];
    size_t oldest; /* index in `messages` */
    size_t count;
    /* For each block of BULK_BLOCK bytes, up to blocks_max blocks: its ticks, and the number of
     * segments that were sent again during it. */
    int64_t *blocks;
    int64_t *again;
    size_t blocks_max;
    size_t blocks_count;
    uint64_t block_began;
    uint64_t again_before;
};

/* Allocates memory for messages. Returns false if there is none. The user provides `blocks` and
 * `again`, new ones for each transfer. */
bool bulk_take(struct bulk *bulk);
/* Connects. Returns NULL on success, otherwise the reason. Do not call this or any function below
 * between net_enter() and net_leave(). */
const char *bulk_open(struct bulk *bulk, const struct bulk_options *options,
                      struct net_waiter *waiter);
/* Writes one message if there is space for one. Otherwise returns false; the waiter is woken when
 * there is space, when all is acknowledged, or when the connection breaks. */
bool bulk_write(struct bulk *bulk);
/* Ends the transfer with what has been written so far; sends FIN. */
void bulk_stop(struct bulk *bulk);
/* Returns true if all bytes are acknowledged. */
bool bulk_is_done(const struct bulk *bulk);
/* Writes a message, or waits for space. Returns false if all bytes are acknowledged, or on an
 * error, which sets *why. */
bool bulk_turn(struct bulk *bulk, const char **why);
/* Waits up to 10 s for the other end's FIN. Then, or after an error, drops the connection. */
void bulk_close(struct bulk *bulk);

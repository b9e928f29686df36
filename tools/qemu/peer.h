/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack of the image (kernel/net/stack.h) as a process of the host, at the other end of a
 * machine's cable: what `tare peer` serves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/net/services.h"
#include "kernel/net/stack.h"
#include "tools/qemu/datagram.h"
#include "tools/qemu/remote_file.h"

struct peer_settings {
    const char *local; /* ends of the cable, as datagram_open() takes them */
    const char *remote;
    uint32_t address; /* first byte in bits 31-24 */
    uint32_t prefix;  /* bits */
    const char *file; /* that it serves by NBD; NULL: one that is made (remote_file.h) */
};

struct peer {
    struct datagram cable;
    struct stack_interface *interface;
    struct remote_file remote;
    void *memory;
    uint64_t received; /* frames */
    uint64_t sent;
    uint64_t lost; /* that could not be sent */
};

/* "10.9.0.2" or "10.9.0.2/24"; without a prefix `prefix` is left as it is. */
bool peer_parse_address(const char *text, uint32_t *address, uint32_t *prefix);

/* One in a process. Listens for all services. False: why not is in `error`. */
bool peer_open(struct peer *peer, const struct peer_settings *settings,
               char error[DATAGRAM_ERROR_MAX]);
/* Takes what came in and lets timers expire; waits at most `ms` for a frame. */
void peer_turn(struct peer *peer, unsigned ms);
void peer_close(struct peer *peer);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack of the image (kernel/net/stack.h) as a process of the host, at the other end of a
 * machine's cable: what `tare peer` serves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "kernel/block/layout.h"
#include "kernel/net/nbd_server.h"
#include "kernel/net/services.h"
#include "kernel/net/stack.h"

/*
 * The cable between two network cards as datagrams, one for each Ethernet frame: QEMU's
 * `-netdev dgram`, with Internet or Unix addresses.
 */

#define DATAGRAM_ERROR_MAX   320
#define DATAGRAM_BYTES_MAX   1514
#define DATAGRAM_WAITING_MAX 1024 /* frames that the other end has no room for yet */

struct datagram_frame {
    size_t length;
    uint8_t bytes[DATAGRAM_BYTES_MAX];
};

struct datagram {
    int socket;
    struct sockaddr_storage remote;
    socklen_t remote_length;
    struct datagram_frame *frames; /* that wait: a ring */
    size_t first;
    size_t waiting;
    const char *path; /* of a Unix socket, to be removed at the end; NULL: Internet */
};

/*
 * What a peer serves by NBD, as export BENCH.DAT: a file of the host, such as `tare disk` writes,
 * or a volume with BENCH.DAT that is made as it is read (kernel/block/layout.h).
 */

#define REMOTE_FILE_MIB 64 /* of BENCH.DAT that is made: as tare disk makes it */

struct remote_file {
    int file; /* -1: none */
    struct layout layout;
    struct nbd_export export;
};

/* `path` NULL: the volume that is made. False: why not is in `error`. It stays where it is. */
bool remote_file_open(struct remote_file *remote, const char *path, char *error, size_t size);
void remote_file_close(struct remote_file *remote);

struct peer_settings {
    const char *local; /* ends of the cable: ADDRESS:PORT or unix:PATH, both of one kind */
    const char *remote;
    uint32_t address; /* first byte in bits 31-24 */
    uint32_t prefix;  /* bits */
    const char *file; /* that it serves by NBD; NULL: one that is made */
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

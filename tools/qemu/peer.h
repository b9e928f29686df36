/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the image's TCP/IP stack (kernel/net/stack.h) as a process of the host, at the other end of
 * a machine's cable: what `tare peer` serves.
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
 * The cable between two network cards as datagrams, one for each Ethernet frame: QEMU's `-netdev
 * dgram`, with Internet or Unix addresses.
 */

#define DATAGRAM_ERROR_MAX   320
#define DATAGRAM_BYTES_MAX   1514
#define DATAGRAM_WAITING_MAX 1024 /* frames that wait for room at the other end */

struct datagram_frame {
    size_t length;
    uint8_t bytes[DATAGRAM_BYTES_MAX];
};

struct datagram {
    int socket;
    struct sockaddr_storage remote;
    socklen_t remote_length;
    struct datagram_frame *frames; /* ring of waiting frames */
    size_t first;
    size_t waiting;
    const char *path; /* path of a Unix socket, to be removed at the end; NULL: Internet address */
};

/*
 * What a peer serves by NBD, as export BENCH.DAT: a file of the host, as `tare disk` writes it, or
 * a volume with BENCH.DAT that is generated when it is read (kernel/block/layout.h).
 */

#define REMOTE_FILE_MIB 64 /* size of the generated BENCH.DAT, as in tare disk */

struct remote_file {
    int file; /* -1: none */
    struct layout layout;
    struct nbd_export export;
};

/* Opens the file; `path` NULL: the generated volume. Returns false, with the reason in `error`, on
 * failure. `remote` must not be moved. */
bool remote_file_open(struct remote_file *remote, const char *path, char *error, size_t size);
void remote_file_close(struct remote_file *remote);

struct peer_settings {
    const char *local; /* ends of the cable, both of one kind: ADDRESS:PORT or unix:PATH */
    const char *remote;
    uint32_t address; /* first byte in bits 31-24 */
    uint32_t prefix;  /* in bits */
    const char *file; /* file to serve by NBD; NULL: a generated one */
};

struct peer {
    struct datagram cable;
    struct stack_interface *interface;
    struct remote_file remote;
    void *memory;
    uint64_t received; /* frames */
    uint64_t sent;
    uint64_t lost; /* frames that could not be sent */
};

/* Reads "10.9.0.2" or "10.9.0.2/24". Without a prefix in the text, `prefix` is not changed. */
bool peer_parse_address(const char *text, uint32_t *address, uint32_t *prefix);

/* Opens the only peer of a process, which listens for all services. Returns false, with the reason
 * in `error`, on failure. */
bool peer_open(struct peer *peer, const struct peer_settings *settings,
               char error[DATAGRAM_ERROR_MAX]);
/* Handles received frames and expired timers; waits at most `ms` for a frame. */
void peer_turn(struct peer *peer, unsigned ms);
void peer_close(struct peer *peer);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cable between two network cards as datagrams, one for each Ethernet frame: QEMU's
 * `-netdev dgram`, with Internet or Unix addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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

/* Ends as text: ADDRESS:PORT, or unix:PATH; both of one kind. `local` lives as long as the cable.
 * False: why not is in `error`. */
bool datagram_open(struct datagram *cable, const char *local, const char *remote,
                   char error[DATAGRAM_ERROR_MAX]);
void datagram_close(struct datagram *cable);

/* Now, or when the other end has room: within datagram_send() and datagram_wait(). False: the frame
 * is lost, as the other end is not there, or too many wait. */
bool datagram_send(struct datagram *cable, const uint8_t *bytes, size_t length);
/* Bytes of the next frame, of at most `room`; 0: there is none. A longer one is given as `room`
 * + 1. */
size_t datagram_receive(struct datagram *cable, uint8_t *bytes, size_t room);
/* Until there is one, or a signal; at most so long. */
void datagram_wait(struct datagram *cable, unsigned ms);

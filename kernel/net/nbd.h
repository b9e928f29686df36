/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of NBD, the network block device: fixed newstyle negotiation, simple replies
 * (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md). A client chooses an export
 * by NBD_OPT_GO, a server knows NBD_OPT_EXPORT_NAME, NBD_OPT_ABORT, NBD_OPT_LIST, NBD_OPT_INFO and
 * NBD_OPT_GO. Of commands there are two: read and disconnect. No other can be made here, and a
 * server that gets one ends the connection.
 *
 * Both sides take bytes as they arrive, in pieces of any length, and believe none of them. All
 * numbers are big endian. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NBD_NAME_MAX      64          /* bytes of an export's name, a zero behind it */
#define NBD_READ_MAX      (32u << 20) /* bytes of one read */
#define NBD_SEND_MAX      256         /* bytes of what an event has to send */
#define NBD_REQUEST_BYTES 28
#define NBD_REPLY_BYTES   16

/* Errors of a reply. */
#define NBD_GOOD   0
#define NBD_EIO    5
#define NBD_EINVAL 22

enum nbd_event_kind {
    NBD_NOTHING, /* all bytes are taken */
    NBD_SEND,    /* `bytes` are to be sent */
    NBD_WRONG,   /* the connection is of no use any more: `why` */
    /* A client's. */
    NBD_READY,    /* the export is open: requests may be sent */
    NBD_ANSWERED, /* of request `handle`, with `error`; if that is NBD_GOOD, nbd_client_expect() is
                   * to be called before more is taken */
    NBD_DATA,     /* the next `length` bytes of the read that was answered */
    /* A server's. */
    NBD_READ,    /* `length` bytes from `offset` on, which are in the export, for `handle` */
    NBD_REFUSED, /* a read of something else: answer `handle` with `error` */
    NBD_END,     /* the client goes: close */
};

struct nbd_event {
    enum nbd_event_kind kind;
    const uint8_t *bytes; /* NBD_SEND: valid until the next call; NBD_DATA: in what was given */
    size_t length;
    uint64_t handle;
    uint64_t offset;
    uint32_t error;
    const char *why;
};

/* What is being taken; private. */
struct nbd_intake {
    uint8_t bytes[NBD_SEND_MAX];
    size_t have;
    size_t want;
    uint64_t skip; /* bytes that are of no interest before that */
};

struct nbd_client {
    struct nbd_intake intake;
    uint8_t state;
    char name[NBD_NAME_MAX];
    uint8_t out[NBD_SEND_MAX];
    uint64_t data;   /* bytes of the answered read that are still to come */
    uint32_t reply;  /* type of the reply to the option */
    uint32_t length; /* of that reply's data */
    bool sized;      /* `bytes` is known */
    uint64_t bytes;  /* of the export, once it is ready */
};

/* A new connection to the export `name` (cut to NBD_NAME_MAX - 1). */
void nbd_client_begin(struct nbd_client *client, const char *name);
/* Takes bytes from the server until there is an event; how many it took. */
size_t nbd_client_take(struct nbd_client *client, const uint8_t *bytes, size_t length,
                       struct nbd_event *event);
/* The read that was answered is of so many bytes: they come now. */
void nbd_client_expect(struct nbd_client *client, uint32_t bytes);
void nbd_make_read(uint8_t request[NBD_REQUEST_BYTES], uint64_t handle, uint64_t offset,
                   uint32_t bytes);
void nbd_make_disconnect(uint8_t request[NBD_REQUEST_BYTES]);

struct nbd_server {
    struct nbd_intake intake;
    uint8_t state;
    bool no_zeroes;
    char name[NBD_NAME_MAX];
    uint64_t bytes; /* of the export */
    uint8_t out[NBD_SEND_MAX];
    uint32_t option;
    uint32_t length; /* of its data */
};

/* A new connection, whose one export is `name`, and the default: what the client asks for by "". */
void nbd_server_begin(struct nbd_server *server, const char *name, uint64_t bytes);
/* What is to be sent before anything is taken. */
size_t nbd_server_greet(struct nbd_server *server, const uint8_t **bytes);
/* Takes bytes from the client until there is an event; how many it took. */
size_t nbd_server_take(struct nbd_server *server, const uint8_t *bytes, size_t length,
                       struct nbd_event *event);
void nbd_make_reply(uint8_t reply[NBD_REPLY_BYTES], uint64_t handle, uint32_t error);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of NBD, the network block device: fixed newstyle negotiation, simple replies
 * (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md). The client selects an
 * export by NBD_OPT_GO. The server supports NBD_OPT_EXPORT_NAME, NBD_OPT_ABORT, NBD_OPT_LIST,
 * NBD_OPT_INFO and NBD_OPT_GO. The only commands are read and disconnect. No other can be made
 * here, and a server that gets one ends the connection.
 *
 * Both sides take bytes as they arrive, in pieces of any length, and check all of them. All numbers
 * are big endian. Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* size of an export's name, including its terminating zero : read `length` bytes from `offset` on,
 * within the export */
#define NBD_NAME_MAX      64
#define NBD_READ_MAX      (32u << 20) /* bytes of one read */
#define NBD_SEND_MAX      256         /* most bytes that one event sends */
#define NBD_REQUEST_BYTES 28
#define NBD_REPLY_BYTES   16

/* Errors of a reply. */
#define NBD_GOOD   0
#define NBD_EIO    5
#define NBD_EINVAL 22

enum nbd_event_kind {
    NBD_NOTHING, /* all bytes are taken */
    NBD_SEND,    /* send `bytes` */
    NBD_WRONG,   /* the connection cannot be used any more, because of `why` */
    /* Events of a client. */
    NBD_READY, /* the export is open, and requests may be sent */
    /* Request `handle` was answered, with `error`. If that is NBD_GOOD, call nbd_client_expect()
     * before more bytes are taken. */
    NBD_ANSWERED,
    NBD_DATA, /* the next `length` bytes of the read that was answered */
    /* Events of a server. */
    /* read `length` bytes from `offset` on, which are within the export, for `handle` */
    NBD_READ,
    NBD_REFUSED, /* a read outside the export, or of a bad length: answer `handle` with `error` */
    NBD_END,     /* the client disconnects: close the connection */
};

struct nbd_event {
    enum nbd_event_kind kind;
    /* NBD_SEND: valid until the next call; NBD_DATA: within the input */
    const uint8_t *bytes;
    size_t length;
    uint64_t handle;
    uint64_t offset;
    uint32_t error;
    const char *why;
};

/* The message that is being received. Private. */
struct nbd_intake {
    uint8_t bytes[NBD_SEND_MAX];
    size_t have;
    size_t want;
    uint64_t skip; /* bytes to skip before it */
};

struct nbd_client {
    struct nbd_intake intake;
    uint8_t state;
    char name[NBD_NAME_MAX];
    uint8_t out[NBD_SEND_MAX];
    uint64_t data;   /* bytes of the answered read that are still to come */
    uint32_t reply;  /* type of the reply to the option */
    uint32_t length; /* length of that reply's data */
    bool sized;      /* `bytes` is known */
    uint64_t bytes;  /* size of the export, valid once it is ready */
};

/* Begins a connection to the export `name` (cut to NBD_NAME_MAX - 1). */
void nbd_client_begin(struct nbd_client *client, const char *name);
/* Takes bytes from the server until there is an event. Returns how many it took. */
size_t nbd_client_take(struct nbd_client *client, const uint8_t *bytes, size_t length,
                       struct nbd_event *event);
/* Sets the length of the read that was answered; its bytes come next. */
void nbd_client_expect(struct nbd_client *client, uint32_t bytes);
void nbd_make_read(uint8_t request[NBD_REQUEST_BYTES], uint64_t handle, uint64_t offset,
                   uint32_t bytes);
void nbd_make_disconnect(uint8_t request[NBD_REQUEST_BYTES]);

struct nbd_server {
    struct nbd_intake intake;
    uint8_t state;
    bool no_zeroes;
    char name[NBD_NAME_MAX];
    uint64_t bytes; /* size of the export */
    uint8_t out[NBD_SEND_MAX];
    uint32_t option;
    uint32_t length; /* length of the option's data */
};

/* Begins a connection with one export, `name`. It is also the default, which the client selects by
 * "". */
void nbd_server_begin(struct nbd_server *server, const char *name, uint64_t bytes);
/* Returns the length of the greeting, which must be sent before any bytes are taken, and sets
 * *bytes to it. */
size_t nbd_server_greet(struct nbd_server *server, const uint8_t **bytes);
/* Takes bytes from the client until there is an event. Returns how many it took. */
size_t nbd_server_take(struct nbd_server *server, const uint8_t *bytes, size_t length,
                       struct nbd_event *event);
void nbd_make_reply(uint8_t reply[NBD_REPLY_BYTES], uint64_t handle, uint32_t error);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what the other end of a connection of NBD sends. The first byte chooses the side that
 * takes it, and the length of pieces; bytes given in pieces mean what they mean at once.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/net/nbd.h"
#include "tools/tests/support/demand.h"

#define CHOICE_CLIENT 1
#define EXPORT        "BENCH.DAT"
#define EXPORT_BYTES  (1u << 20)
#define ANSWER_BYTES  4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What came of the input: events by kind, and bytes of data. */
struct outcome {
    uint64_t kinds[NBD_END + 1];
    uint64_t bytes;
};

static void count(struct outcome *outcome, const struct nbd_event *event)
{
    demand(event->kind <= NBD_END);
    if (event->kind == NBD_DATA) {
        outcome->bytes += event->length; /* in as many pieces as it came */
        return;
    }
    outcome->kinds[event->kind] += event->kind != NBD_NOTHING;
    demand(event->kind != NBD_WRONG || event->why != NULL);
    if (event->kind == NBD_SEND) {
        demand(event->length > 0 && event->length <= NBD_SEND_MAX);
    }
    if (event->kind == NBD_READ) {
        demand(event->length > 0 && event->length <= NBD_READ_MAX);
        demand(event->offset < EXPORT_BYTES && event->length <= EXPORT_BYTES - event->offset);
    }
}

static void as_client(const uint8_t *data, size_t size, size_t piece, struct outcome *outcome)
{
    static struct nbd_client client;

    nbd_client_begin(&client, EXPORT);
    for (size_t at = 0; at < size;) {
        const size_t part = piece < size - at ? piece : size - at;
        struct nbd_event event;
        const size_t taken = nbd_client_take(&client, data + at, part, &event);

        demand(taken <= part && (taken > 0 || event.kind != NBD_NOTHING));
        if (event.kind == NBD_DATA) {
            demand(event.bytes >= data + at && event.bytes + event.length <= data + at + part);
        }
        count(outcome, &event);
        if (event.kind == NBD_WRONG) {
            return;
        }
        if (event.kind == NBD_ANSWERED && event.error == NBD_GOOD) {
            nbd_client_expect(&client, ANSWER_BYTES);
        }
        at += taken;
    }
}

static void as_server(const uint8_t *data, size_t size, size_t piece, struct outcome *outcome)
{
    static struct nbd_server server;

    nbd_server_begin(&server, EXPORT, EXPORT_BYTES);
    for (size_t at = 0; at < size;) {
        const size_t part = piece < size - at ? piece : size - at;
        struct nbd_event event;
        const size_t taken = nbd_server_take(&server, data + at, part, &event);

        demand(taken <= part && (taken > 0 || event.kind != NBD_NOTHING));
        count(outcome, &event);
        if (event.kind == NBD_WRONG || event.kind == NBD_END) {
            return;
        }
        at += taken;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome at_once = {0};
    struct outcome in_pieces = {0};

    if (size == 0) {
        return 0;
    }
    const size_t piece = 1 + data[0] / 2;
    void (*const take)(const uint8_t *, size_t, size_t, struct outcome *) =
        (data[0] & CHOICE_CLIENT) != 0 ? as_client : as_server;

    take(data + 1, size - 1, size, &at_once);
    take(data + 1, size - 1, piece, &in_pieces);
    demand(memcmp(&at_once, &in_pieces, sizeof(at_once)) == 0);
    return 0;
}

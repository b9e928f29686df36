/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log in memory that outlives a warm reset, for the next boot to find. A header and the bytes
 * behind it, at one of few fixed addresses, checked by CRC-32C: memory may have been cleared,
 * tested or used on the way, and then nothing is there.
 *
 * Pure but for the addresses: compiled for the image and for the unit tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/handoff.h"

/* The most that it takes; and what is not worth it. */
#define MAILBOX_BYTES     (16u << 20)
#define MAILBOX_BYTES_MIN (1u << 20)
/* Boots that try to save it: a boot that never gets that far must not be tried for ever. */
#define MAILBOX_ATTEMPTS_MAX 2

struct mailbox_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t attempts;
    uint64_t length; /* of the bytes behind the header */
    uint32_t bytes_crc;
    uint32_t header_crc; /* of all above */
};

struct mailbox {
    struct mailbox_header *header; /* NULL: none */
    size_t room;                   /* for bytes */
    size_t length;
    bool truncated; /* more was written than there was room for */
};

/* Takes room from the free ranges, before anybody uses them. False: none of the places is free. */
bool mailbox_reserve(struct handoff *handoff, struct mailbox *mailbox);

/* Adds bytes, a whole frame or line of text each time (link_write of kernel/link/link.h). False:
 * they do not fit; nothing is added after that. */
bool mailbox_write(void *mailbox, const uint8_t *bytes, size_t length);

/* Says at the end of the bytes if some are left out, and makes it a mailbox that is found. Caches
 * are to be written back then. */
void mailbox_seal(struct mailbox *mailbox);

enum mailbox_state {
    MAILBOX_NONE,
    MAILBOX_FULL,
    MAILBOX_DAMAGED, /* what a header describes is not what is there */
};

/* Looks where it may be, if that is free memory. */
enum mailbox_state mailbox_find(const struct handoff *handoff, struct mailbox *mailbox);

/* Counts an attempt to save it; false: there were enough. Caches are to be written back then. */
bool mailbox_attempt(struct mailbox *mailbox);
void mailbox_clear(struct mailbox *mailbox);

static inline const uint8_t *mailbox_bytes(const struct mailbox *mailbox)
{
    return (const uint8_t *)(mailbox->header + 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mailbox.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/crc32c.h"

#define PAGE_BYTES 4096u
#define VERSION    1
/* For the words at the end of a log that did not fit. */
#define WORDS_BYTES 160

static const uint8_t magic[8] = {'t', 'a', 'r', 'e', 'M', 'A', 'I', 'L'};

/* Far from the image, which firmware loads high, and from what it uses below 16 MiB. */
static const uint64_t places[] = {128ull << 20, 256ull << 20, 64ull << 20, 512ull << 20};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* Index of the free range that the address is in, and bytes from there to its end. */
static bool find_free(const struct handoff *handoff, uint64_t address, uint32_t *index,
                      uint64_t *bytes)
{
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const uint64_t size = range->pages * PAGE_BYTES;

        if (range->kind == MEMORY_FREE && address >= range->address &&
            address - range->address < size) {
            *index = i;
            *bytes = size - (address - range->address);
            return true;
        }
    }
    return false;
}

/* Inserts a range that nobody takes for free between the two parts of one. */
static void split(struct handoff *handoff, uint32_t index, uint64_t address, uint64_t bytes)
{
    struct memory_range *range = &handoff->ranges[index];
    const uint64_t end = range->address + range->pages * PAGE_BYTES;

    memmove(range + 3, range + 1, (handoff->range_count - index - 1) * sizeof(*range));
    handoff->range_count += 2;
    range[0].pages = (address - range->address) / PAGE_BYTES;
    range[1] = (struct memory_range){address, bytes / PAGE_BYTES, MEMORY_FIRMWARE};
    range[2] =
        (struct memory_range){address + bytes, (end - address - bytes) / PAGE_BYTES, MEMORY_FREE};
}

static void open_at(struct mailbox *mailbox, uint64_t address, size_t bytes)
{
    *mailbox = (struct mailbox){.header = (struct mailbox_header *)(uintptr_t)address,
                                .room = bytes - sizeof(struct mailbox_header) - WORDS_BYTES};
}

bool mailbox_reserve(struct handoff *handoff, struct mailbox *mailbox)
{
    for (size_t i = 0; i < PLACES && handoff->range_count + 2 <= HANDOFF_RANGES_MAX; i++) {
        uint32_t index;
        uint64_t bytes;

        /* The most of what is free is for the run. */
        if (find_free(handoff, places[i], &index, &bytes) && bytes / 4 >= MAILBOX_BYTES_MIN) {
            bytes = bytes / 4 < MAILBOX_BYTES ? bytes / 4 / PAGE_BYTES * PAGE_BYTES : MAILBOX_BYTES;
            split(handoff, index, places[i], bytes);
            open_at(mailbox, places[i], bytes);
            return true;
        }
    }
    mailbox->header = NULL;
    return false;
}

bool mailbox_write(void *context, const uint8_t *bytes, size_t length)
{
    struct mailbox *mailbox = context;

    if (mailbox->truncated || length > mailbox->room - mailbox->length) {
        mailbox->truncated = true;
        return false;
    }
    memcpy((uint8_t *)(mailbox->header + 1) + mailbox->length, bytes, length);
    mailbox->length += length;
    return true;
}

static uint32_t header_crc(const struct mailbox_header *header)
{
    return crc32c(0, header, offsetof(struct mailbox_header, header_crc));
}

void mailbox_seal(struct mailbox *mailbox)
{
    struct mailbox_header *header = mailbox->header;

    if (mailbox->truncated) {
        mailbox->length +=
            (size_t)snprintf((char *)(header + 1) + mailbox->length, WORDS_BYTES,
                             "\r\ntare: only %zu bytes found room in memory: the rest of the log "
                             "was lost in the reset\r\n",
                             mailbox->length);
    }
    memcpy(header->magic, magic, sizeof(magic));
    header->version = VERSION;
    header->attempts = 0;
    header->length = mailbox->length;
    header->bytes_crc = crc32c(0, header + 1, mailbox->length);
    header->header_crc = header_crc(header);
}

static bool is_good(const struct mailbox_header *header, uint64_t bytes)
{
    return header->version == VERSION && header->header_crc == header_crc(header) &&
           header->length <= bytes - sizeof(*header) &&
           header->bytes_crc == crc32c(0, header + 1, header->length);
}

enum mailbox_state mailbox_find(const struct handoff *handoff, struct mailbox *mailbox)
{
    for (size_t i = 0; i < PLACES; i++) {
        uint32_t index;
        uint64_t bytes;

        if (!find_free(handoff, places[i], &index, &bytes)) {
            continue;
        }
        struct mailbox_header *header = (struct mailbox_header *)(uintptr_t)places[i];

        if (memcmp(header->magic, magic, sizeof(magic)) == 0) {
            const bool good = is_good(header, bytes);

            *mailbox = (struct mailbox){.header = header, .length = good ? header->length : 0};
            return good ? MAILBOX_FULL : MAILBOX_DAMAGED;
        }
    }
    return MAILBOX_NONE;
}

bool mailbox_attempt(struct mailbox *mailbox)
{
    struct mailbox_header *header = mailbox->header;

    if (header->attempts >= MAILBOX_ATTEMPTS_MAX) {
        return false;
    }
    header->attempts++;
    header->header_crc = header_crc(header);
    return true;
}

void mailbox_clear(struct mailbox *mailbox)
{
    memset(mailbox->header, 0, sizeof(*mailbox->header));
}

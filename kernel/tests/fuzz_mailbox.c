/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what a reset left in memory, where the image looks for a mailbox, and a memory map.
 *
 * First the map: how many ranges, then each {kind, MiB from the one before, MiB}; then which of the
 * header's CRCs are made right; then the bytes at 64 MiB. What is found lies in free memory, whole.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/link/crc32c.h"
#include "kernel/mailbox.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

#define MIB        (1ull << 20)
#define PLACE      (64 * MIB)
#define MAP_BYTES  (512 * MIB) /* from there: all places are in it */
#define RANGES_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void map_memory(void)
{
    static bool mapped;

    demand(mapped || mmap((void *)(uintptr_t)PLACE, MAP_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
                          0) != MAP_FAILED);
    mapped = true;
}

/* Free memory is what is mapped; where the map says more, nobody may look there for long. */
static void take_map(struct bytes *bytes, struct handoff *handoff)
{
    const uint8_t count = take(bytes) % (RANGES_MAX + 1);
    uint64_t at = 0;

    for (uint8_t i = 0; i < count; i++) {
        const enum memory_kind kind = take(bytes) % 4;
        const uint64_t pages = take(bytes) * (MIB / 4096);

        at += take(bytes) * MIB;
        if (at + pages * 4096 > PLACE + MAP_BYTES) {
            break;
        }
        handoff->ranges[handoff->range_count++] = (struct memory_range){at, pages, kind};
        at += pages * 4096;
    }
}

/* Good CRCs, that the fuzzer gets at what stands behind them. */
static void seal(struct mailbox_header *header, uint8_t how)
{
    if ((how & 1) != 0) {
        memcpy(header->magic, "tareMAIL", sizeof(header->magic));
        header->version = 1;
    }
    if ((how & 2) != 0 && header->length <= MIB / 16) {
        header->bytes_crc = crc32c(0, header + 1, header->length);
    }
    if ((how & 4) != 0) {
        header->header_crc = crc32c(0, header, offsetof(struct mailbox_header, header_crc));
    }
}

static bool is_free(const struct handoff *handoff, uint64_t begin, uint64_t end)
{
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];

        if (range->kind == MEMORY_FREE && range->address <= begin &&
            end <= range->address + range->pages * 4096) {
            return true;
        }
    }
    return false;
}

static void check_found(const struct handoff *handoff, struct mailbox *mailbox)
{
    const uint64_t begin = (uint64_t)(uintptr_t)mailbox->header;
    unsigned attempts = 0;

    demand(is_free(handoff, begin, begin + sizeof(*mailbox->header) + mailbox->length));
    while (mailbox_attempt(mailbox)) {
        demand(++attempts <= MAILBOX_ATTEMPTS_MAX);
    }
    mailbox_clear(mailbox);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct handoff handoff;
    struct mailbox_header *header = (struct mailbox_header *)(uintptr_t)PLACE;
    struct bytes bytes = {data, size};
    struct mailbox mailbox = {0};

    map_memory();
    memset(&handoff, 0, sizeof(handoff));
    take_map(&bytes, &handoff);
    const uint8_t how = take(&bytes);

    memset(header, 0, sizeof(*header));
    memcpy(header, bytes.at, bytes.left);
    seal(header, how);
    if (mailbox_find(&handoff, &mailbox) != MAILBOX_NONE) {
        check_found(&handoff, &mailbox);
    }
    memset(header, 0, bytes.left);
    if (mailbox_reserve(&handoff, &mailbox)) {
        demand(mailbox_write(&mailbox, data, size));
        mailbox_seal(&mailbox);
        mailbox_clear(&mailbox);
    }
    return 0;
}

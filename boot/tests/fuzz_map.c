/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as the firmware's memory map. First the stride (1 byte) and how far the
 * processor reaches (1), then descriptors {kind (1), page (4), pages (4)}, each number times a
 * power of two; of a kind above 127 there are as many more as the next byte times 8, each
 * two pages behind the one before. What is kept is in order, apart, and below the limit.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "boot/memory_map.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

#define DESCRIPTOR      40 /* bytes: UEFI 2.10 section 7.2.3 */
#define DESCRIPTORS_MAX 2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t take_word(struct bytes *bytes)
{
    const uint64_t value = take_many(bytes, 3);

    return value << take(bytes) % 64;
}

struct descriptor {
    uint32_t kind;
    unsigned more;
    uint64_t address;
    uint64_t pages;
};

static struct descriptor take_descriptor(struct bytes *bytes)
{
    const uint8_t kind = take(bytes);
    const unsigned more = kind >= 0x80 ? take(bytes) * 8u : 0;
    const uint64_t address = take_word(bytes);

    return (struct descriptor){kind % 0x80, more, address, take_word(bytes)};
}

static void put_descriptor(const struct descriptor *descriptor, uint8_t *at)
{
    memcpy(at, &descriptor->kind, sizeof(descriptor->kind));
    memcpy(at + 8, &descriptor->address, sizeof(descriptor->address));
    memcpy(at + 24, &descriptor->pages, sizeof(descriptor->pages));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t map[DESCRIPTORS_MAX * DESCRIPTOR / sizeof(uint64_t)];
    static struct handoff handoff;
    struct bytes bytes = {data, size};
    const uint8_t extra = take(&bytes);
    const size_t stride = extra < 0xf0 ? DESCRIPTOR + extra % 4 * 8 : extra - 0xf0u;
    const uint64_t limit = 1ull << (32 + take(&bytes) % 15);
    size_t used = 0;

    memset(map, 0, sizeof(map));
    memset(&handoff, 0, sizeof(handoff));
    while (bytes.left > 0 && used + DESCRIPTOR + stride <= sizeof(map)) {
        struct descriptor descriptor = take_descriptor(&bytes);

        for (unsigned i = 0; i <= descriptor.more && used + DESCRIPTOR + stride <= sizeof(map);
             i++) {
            put_descriptor(&descriptor, (uint8_t *)map + used);
            descriptor.address += 2 * 4096;
            used += stride > 0 ? stride : DESCRIPTOR;
        }
    }
    uint8_t *copy = malloc(used > 0 ? used : 1);

    memcpy(copy, map, used);
    memory_map_reduce(copy, used, stride, limit, &handoff);
    free(copy);
    demand(handoff.range_count <= HANDOFF_RANGES_MAX);
    for (size_t i = 0; i < handoff.range_count; i++) {
        const struct memory_range *range = &handoff.ranges[i];

        const struct memory_range *before = range - 1;

        demand(range->pages > 0 && range->address % 4096 == 0);
        demand(range->address / 4096 + range->pages <= limit / 4096);
        demand(i == 0 || range->address / 4096 >= before->address / 4096 + before->pages);
    }
    return 0;
}

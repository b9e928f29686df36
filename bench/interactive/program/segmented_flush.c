/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/program/segmented_flush.h"

#include "kernel/task/segments.h"

#define WORDS (sizeof(struct request) / sizeof(uint64_t))

/* As 16-bit code reads it: at an even address, so that the request lies at an odd one. */
struct __attribute__((packed)) record {
    uint8_t follows; /* 0: there is none */
    uint64_t words[WORDS];
    uint8_t unused;
};
_Static_assert(sizeof(struct record) == 50, "segmented.S knows it");
_Static_assert((BATCH_MAX + 1) * sizeof(struct record) <= SEGMENTS_EXTRA - SEGMENTS_DATA &&
                   sizeof(struct batch) <= SEGMENTS_STACK - SEGMENTS_EXTRA,
               "a page each");

typedef void trampoline(void);

static void pack(struct record *record, const struct request *request)
{
    const uint64_t *words = (const uint64_t *)request;

    record->follows = 1;
    for (unsigned i = 0; i < WORDS; i++) {
        ((volatile struct record *)record)->words[i] = words[i];
    }
}

void segmented_flush(struct window_shared *shared)
{
    const uint64_t base = shared->segment_entry;
    struct record *records = (struct record *)(base + SEGMENTS_DATA);
    struct batch *taken = (struct batch *)(base + SEGMENTS_EXTRA);
    const uint32_t count = shared->batch.count;
    struct surface screen;

    for (uint32_t i = 0; i < count; i++) {
        pack(&records[i], &shared->batch.request[i]);
    }
    records[count].follows = 0;
    ((trampoline *)base)();
    shared->far_calls++;
    shared->records += count;
    taken->count = count;
    surface_init(&screen, (uint32_t *)WINDOW_SCREEN_AT, shared->width, shared->height,
                 shared->width);
    shared->drawn += batch_draw(taken, &screen);
}

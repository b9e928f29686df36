/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/trace/account.h"

#include <string.h>

#include "kernel/cpu/percpu.h"

#define HANDLERS   256
#define STAMP_MASK ((1ull << 59) - 1) /* the bits that stamps of records keep */

_Static_assert(ACCOUNT_THREADS + 2 * HANDLERS == ACCOUNT_SLOTS, "slots of all kinds");

/* Shared with recorder.S, which knows the offsets of its members. While a slot runs, the time when
 * it began is subtracted from its `ticks`; the time when it ends is added then. */
struct trace_account {
    uint64_t ticks[ACCOUNT_SLOTS];
    uint64_t entries[ACCOUNT_SLOTS];
    /* for a handler, the address of the slot that it interrupted; for a thread, why it left */
    uint64_t before[ACCOUNT_SLOTS];
    uint64_t *current;
};
extern PER_CPU struct trace_account trace_account __attribute__((visibility("hidden")));
#if TARE_SMP
PER_CPU struct trace_account trace_account PER_CPU_SECTION;
#else
struct trace_account trace_account = {.current = trace_account.ticks};
#endif

static size_t first_of(enum account_of of)
{
    static const size_t first[ACCOUNT_OFS] = {0, ACCOUNT_THREADS, ACCOUNT_THREADS + HANDLERS};

    return first[of];
}

void trace_account_reset(uint16_t running)
{
    memset(PER_CPU_HERE(struct trace_account, trace_account), 0, sizeof(trace_account));
    trace_account.current = PER_CPU_HERE(uint64_t, trace_account.ticks[running]);
}

void trace_account_begin(uint64_t tsc)
{
    *trace_account.current -= tsc;
}

void trace_account_end(uint64_t tsc)
{
    *trace_account.current += tsc;
}

struct trace_account_of trace_account_get(enum account_of of, size_t id)
{
    const size_t slot = first_of(of) + id;

    return (struct trace_account_of){trace_account.ticks[slot] & STAMP_MASK,
                                     trace_account.entries[slot]};
}

size_t trace_account_size(enum account_of of)
{
    return of == ACCOUNT_OF_THREADS ? ACCOUNT_THREADS : HANDLERS;
}

uint8_t trace_account_why(uint16_t thread)
{
    return (uint8_t)trace_account.before[thread];
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/flight.h"

#include "bench/noise/names.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

bool flight_take_memory(struct flight *flight)
{
    *flight = (struct flight){.ring = bench_samples(FLIGHT_READINGS)};
    return flight->ring != NULL;
}

/* The length is also the lock: a second processor finds it set and returns. */
void flight_stop(struct flight_stop *stop, size_t index, uint64_t at, uint64_t length)
{
    uint64_t none = 0;

    if (__atomic_load_n(&stop->stopped, __ATOMIC_ACQUIRE) != 0 ||
        !__atomic_compare_exchange_n(&stop->length, &none, length, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        return;
    }
    stop->index = index;
    stop->at = at;
    __atomic_store_n(&stop->stopped, 1, __ATOMIC_RELEASE);
}

uint64_t flight_publish_stop(const struct bench_run *run, const struct flight_stop *stop,
                             size_t number, uint64_t origin)
{
    const uint64_t at = stop->at - origin;

    bench_fact(run, FACT_STOPPED_BY, UNIT_COUNT, (int64_t)number);
    bench_fact(run, FACT_STOPPED_AT, UNIT_TICK, (int64_t)at);
    bench_fact(run, FACT_STOPPED_LENGTH, UNIT_TICK, (int64_t)stop->length);
    return at;
}

static void reverse(int64_t *from, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const int64_t kept = from[i];

        from[i] = from[count - 1 - i];
        from[count - 1 - i] = kept;
    }
}

/* Rotates the ring in place by three reversals, because it is too large to copy. */
size_t flight_sort(struct flight *flight)
{
    const size_t oldest = flight->count % FLIGHT_READINGS;

    if (flight->count <= FLIGHT_READINGS) {
        return flight->count;
    }
    reverse(flight->ring, oldest);
    reverse(flight->ring + oldest, FLIGHT_READINGS - oldest);
    reverse(flight->ring, FLIGHT_READINGS);
    return FLIGHT_READINGS;
}

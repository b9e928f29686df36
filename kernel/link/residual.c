/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/residual.h"

#include "kernel/link/varint.h"

#define PROBES_MAX 255

/* Differences are taken modulo 2^64, so that no pair of samples can overflow. */
static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t code)
{
    return code >> 1 ^ (0 - (code & 1));
}

size_t residual_encode(const int64_t *samples, size_t first, size_t count, int64_t nominal,
                       uint8_t *payload, size_t capacity, size_t *taken)
{
    size_t written = RESIDUAL_PREFIX;
    size_t i = first;

    for (size_t k = 0; k < RESIDUAL_PREFIX; k++) {
        payload[k] = (uint8_t)(first >> (8 * k));
    }
    while (i < count && written + VARINT_MAX <= capacity) {
        written += varint_put(zigzag((uint64_t)samples[i] - (uint64_t)nominal), payload + written);
        i++;
    }
    *taken = i - first;
    return written;
}

ptrdiff_t residual_decode(const uint8_t *payload, size_t length, int64_t nominal, uint32_t *first,
                          int64_t *out, size_t capacity)
{
    size_t at = RESIDUAL_PREFIX;
    size_t n = 0;

    if (length < RESIDUAL_PREFIX) {
        return -1;
    }
    *first = 0;
    for (size_t k = 0; k < RESIDUAL_PREFIX; k++) {
        *first |= (uint32_t)payload[k] << (8 * k);
    }
    while (at < length) {
        /* One byte is what most samples take. */
        if (payload[at] < 0x80 && n < capacity) {
            out[n++] = (int64_t)((uint64_t)nominal + unzigzag(payload[at++]));
            continue;
        }
        uint64_t code;
        const size_t used = varint_get(payload + at, length - at, &code);

        if (used == 0 || n == capacity) {
            return -1;
        }
        at += used;
        out[n++] = (int64_t)((uint64_t)nominal + unzigzag(code));
    }
    return (ptrdiff_t)n;
}

int64_t residual_nominal(const int64_t *samples, size_t count)
{
    int64_t probe[PROBES_MAX] = {0};
    const size_t probes = count < PROBES_MAX ? count : PROBES_MAX;

    if (count == 0) {
        return 0;
    }
    for (size_t i = 0; i < probes; i++) {
        const int64_t value = samples[i * count / probes];
        size_t at = i;

        while (at > 0 && probe[at - 1] > value) {
            probe[at] = probe[at - 1];
            at--;
        }
        probe[at] = value;
    }
    return probe[probes / 2];
}

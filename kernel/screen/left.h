/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates how long a run still takes: a bench whose length the plan sets takes that long; each
 * other bench takes what the finished benches took on average. Pure: compiled for the image and for
 * the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct left {
    uint64_t set_ms;      /* total length of the remaining benches whose length the plan sets */
    size_t unset;         /* number of the other remaining benches */
    uint64_t took_us;     /* total time of the finished benches */
    uint64_t took_set_us; /* the part of took_us whose length the plan set */
    size_t behind;
};

#define LEFT_TEXT_MAX 32

/* Call before the run for each bench; `set_ms` is 0 if the plan sets no length. */
void left_expect(struct left *left, uint64_t set_ms);
/* Call when a bench with that set length has finished after `us` microseconds. */
void left_took(struct left *left, uint64_t set_ms, uint64_t us);
/* Sets *us to the estimate. Returns false if no bench has finished yet. */
bool left_us(const struct left *left, uint64_t *us);
/* Returns the estimate as a text such as "about 40 s", rounded to a sensible precision. */
const char *left_text(uint64_t us, char text[LEFT_TEXT_MAX]);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a run still takes, about: a bench whose length the plan sets takes that long, and every
 * other what those before it took on average. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct left {
    uint64_t set_ms;      /* of benches ahead that have a length of their plan */
    size_t unset;         /* others ahead */
    uint64_t took_us;     /* what the benches behind took */
    uint64_t took_set_us; /* the part of took_us whose length the plan set */
    size_t behind;
};

#define LEFT_TEXT_MAX 32

/* Before the run, for each bench; `set_ms` 0: the plan sets no length. */
void left_expect(struct left *left, uint64_t set_ms);
/* A bench, with the length that was expected of it, took so long. */
void left_took(struct left *left, uint64_t set_ms, uint64_t us);
/* False: no bench is behind. */
bool left_us(const struct left *left, uint64_t *us);
/* "about 40 s": rounded to what an estimate is worth. */
const char *left_text(uint64_t us, char text[LEFT_TEXT_MAX]);

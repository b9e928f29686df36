/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other processors do while one measures: nothing, memory traffic, one cache line that all of
 * them want, or interrupts to the one that measures.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/system/others.h"

enum load_kind {
    LOAD_NONE,
    LOAD_MEMORY, /* each copies within LOAD_BYTES that it alone has */
    LOAD_CACHE,  /* all add to one word */
    LOAD_IPI,    /* each sends an interrupt every LOAD_IPI_US */
};

/* Words of a parameter, in the order of enum load_kind. */
#define LOAD_NONE_NAME "none"
#define LOAD_NAMES     LOAD_NONE_NAME ",memory,cache,ipi"
#define LOAD_BYTES     (4u << 20)
#define LOAD_IPI_US    50

struct load {
    enum load_kind kind;
    /* Its own. */
    size_t home;
    size_t begun; /* of takers, from the first that loads */
    size_t first;
    const struct takers *takers;
    uint8_t *memory; /* LOAD_BYTES for each */
    uint64_t ticks;  /* from interrupt to interrupt */
    volatile uint64_t word __attribute__((aligned(128)));
    volatile uint64_t rounds __attribute__((aligned(128))); /* of all: it is more than an intent */
    volatile bool stop __attribute__((aligned(128)));
};

/* For takers from index `first` on. False: no memory. */
bool load_take_memory(struct load *load, const struct takers *takers, size_t first);
/* Interrupts of a load arrive at the caller, who has interrupts on. False: a processor has other
 * work. */
bool load_begin(struct load *load);
/* False: one did not come to an end. */
bool load_end(struct load *load);

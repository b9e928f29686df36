/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/load.h"

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/run/bench.h"
#include "kernel/smp/processor.h"

#define BLOCK_BYTES 4096

bool load_take_memory(struct load *load, const struct takers *takers, size_t first)
{
    load->home = takers->number[0];
    load->takers = takers;
    load->first = first;
    load->ticks = clock_ticks_from_us(LOAD_IPI_US);
    if (load->kind != LOAD_MEMORY) {
        return true;
    }
    load->memory = bench_memory((takers->count - first) * (size_t)LOAD_BYTES);
    return load->memory != NULL;
}

/* ---- on the processors that load ---- */

static uint8_t *memory_here(const struct load *load)
{
    const size_t here = processor_here();
    size_t index = load->first;

    while (load->takers->number[index] != here) {
        index++;
    }
    return load->memory + (index - load->first) * LOAD_BYTES;
}

/* Once through the memory, in pieces that others take their turns between. */
static void copy_all(const struct load *load, uint8_t *memory)
{
    const size_t half = LOAD_BYTES / 2;

    for (size_t at = 0; at < half && !load->stop; at += BLOCK_BYTES) {
        memcpy(memory + half + at, memory + at, BLOCK_BYTES);
        cpu_pause();
    }
}

static void wait_ticks(const struct load *load, uint64_t ticks)
{
    const uint64_t start = tsc_read();

    while (tsc_read() - start < ticks && !load->stop) {
        cpu_pause();
    }
}

static void work(void *argument)
{
    struct load *load = argument;
    uint8_t *memory = load->kind == LOAD_MEMORY ? memory_here(load) : NULL;

    while (!load->stop) {
        if (memory != NULL) {
            copy_all(load, memory);
        } else if (load->kind == LOAD_CACHE) {
            __atomic_add_fetch(&load->word, 1, __ATOMIC_RELAXED);
            cpu_pause();
        } else {
            processor_send(load->home, PROCESSOR_VECTOR_PING);
            wait_ticks(load, load->ticks);
        }
        __atomic_add_fetch(&load->rounds, 1, __ATOMIC_RELAXED);
    }
}

/* ---- from home ---- */

static void take_interrupt(void *argument)
{
    (void)argument;
}

bool load_begin(struct load *load)
{
    if (load->kind == LOAD_NONE) {
        return true;
    }
    if (load->kind == LOAD_IPI) {
        interrupt_attach(PROCESSOR_VECTOR_PING, "load", take_interrupt, NULL);
    }
    for (size_t i = load->first; i < load->takers->count; i++) {
        if (!processor_begin(load->takers->number[i], work, load)) {
            return false;
        }
        load->begun++;
    }
    return true;
}

bool load_end(struct load *load)
{
    bool good = true;

    load->stop = true;
    for (size_t i = 0; i < load->begun; i++) {
        good = processor_await(load->takers->number[load->first + i], takers_limit()) && good;
    }
    if (load->kind == LOAD_IPI) {
        interrupt_detach(PROCESSOR_VECTOR_PING); /* the last one came while they were awaited */
    }
    return good;
}

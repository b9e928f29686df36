/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of devices in memory: accesses of exactly the given width, in program order with each
 * other and with accesses to memory; and waits for registers, all with a timeout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"

#define REGISTER_GONE 0xffffffffu /* value that a read returns if no device answers */

/* Keeps the compiler from moving memory accesses across this point. The processor itself keeps the
 * order of accesses to uncached memory and of the writes before them (SDM volume 3 section 9.2). */
static inline void register_order(void)
{
    __asm__ volatile("" : : : "memory");
}

static inline uint32_t register_read32(uint64_t address)
{
    const uint32_t value = *(const volatile uint32_t *)(uintptr_t)address;

    register_order();
    return value;
}

static inline uint16_t register_read16(uint64_t address)
{
    const uint16_t value = *(const volatile uint16_t *)(uintptr_t)address;

    register_order();
    return value;
}

static inline uint8_t register_read8(uint64_t address)
{
    const uint8_t value = *(const volatile uint8_t *)(uintptr_t)address;

    register_order();
    return value;
}

static inline void register_write32(uint64_t address, uint32_t value)
{
    register_order();
    *(volatile uint32_t *)(uintptr_t)address = value;
}

static inline void register_write16(uint64_t address, uint16_t value)
{
    register_order();
    *(volatile uint16_t *)(uintptr_t)address = value;
}

static inline void register_write8(uint64_t address, uint8_t value)
{
    register_order();
    *(volatile uint8_t *)(uintptr_t)address = value;
}

static inline void register_delay(uint64_t us)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(us));

    while (!tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

/* Waits until the bits of `mask` are `wanted`. Returns false if they are not within `us`. */
static inline bool register_wait32(uint64_t address, uint32_t mask, uint32_t wanted, uint64_t us)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(us));

    while ((register_read32(address) & mask) != wanted) {
        if (tsc_wait_over(&wait)) {
            return (register_read32(address) & mask) == wanted;
        }
        cpu_pause();
    }
    return true;
}

/* Waits until any bit of `mask` is set. Returns the bits that are, or 0 if none was within `us`. */
static inline uint32_t register_wait_any32(uint64_t address, uint32_t mask, uint64_t us)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(us));
    uint32_t found = register_read32(address) & mask;

    while (found == 0 && !tsc_wait_over(&wait)) {
        cpu_pause();
        found = register_read32(address) & mask;
    }
    return found;
}

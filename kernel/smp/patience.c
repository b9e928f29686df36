/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/patience.h"

#include "kernel/cpu/cpu.h"

bool patience_wait(const volatile uint64_t *word, uint64_t value, struct patience patience)
{
    uint64_t pauses = patience.pauses;

    while (pauses > 0) {
        for (uint64_t i = 0; i < patience.looks; i++) {
            if (*word == value) {
                return true;
            }
        }
        cpu_pause();
        pauses--;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/in_kernel.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"

static const char *begin(const struct window_settings *settings, const struct window_parts *parts)
{
    (void)settings;
    (void)parts;
    return NULL;
}

/* Interrupts come meanwhile, and others may run. */
static void draw(const struct window_parts *parts)
{
    interrupts_enable();
    parts->shared->drawn += batch_draw(&parts->shared->batch, &parts->surface);
    interrupts_disable();
}

const struct window_operations in_kernel_operations = {.begin = begin, .draw = draw};

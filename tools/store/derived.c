/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/derived.h"

static const struct run_derived *registered;

void run_derived_register(const struct run_derived *derived)
{
    registered = derived;
}

const struct run_derived *run_derived(void)
{
    return registered;
}

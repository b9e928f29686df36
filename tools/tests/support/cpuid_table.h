/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID as a table of the test: lookup() answers by `leaves`, and with zeros for any other leaf. */
#pragma once

#include <stddef.h>

#include "kernel/cpu/cpuid.h"

struct leaf {
    uint32_t leaf;
    uint32_t subleaf;
    struct cpuid_result result;
};

static const struct leaf *leaves;
static size_t leaf_count;

static struct cpuid_result lookup(uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = 0; i < leaf_count; i++) {
        if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf) {
            return leaves[i].result;
        }
    }
    return (struct cpuid_result){0};
}

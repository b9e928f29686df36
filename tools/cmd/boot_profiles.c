/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_profiles.h"

#include <stddef.h>
#include <string.h>

static const struct boot_profile profiles[] = {
    {
        .name = "paper",
        .summary = "the experiments of Endo et al. 1996: single events and three tasks",
        .exact = true,
        .shift = 6,
        .memory_mib = 2048,
        .plan =
            "bench=echo,keystroke,click,click_busy,maximize,background,burst,queuesync,nextcall,"
            "longevents,windows,profile,editor,slides,page_down,object_edit,writer\n"
            "bench.limit_ms=3600000\n"
            "trace.bytes=50000000\n",
    },
};

const struct boot_profile *boot_profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

void boot_profiles_list(FILE *out)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        fprintf(out, "%-8s %s\n", profiles[i].name, profiles[i].summary);
    }
}

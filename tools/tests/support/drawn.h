/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a run's benches, and one of them by its id. */
#pragma once

#include <string.h>

#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"

/* Returns NULL if no figure has that id. */
static inline const struct figure *figure_of(const struct figures *figures, const char *id)
{
    for (size_t i = 0; i < figures->count; i++) {
        if (strcmp(figures->item[i].id, id) == 0) {
            return &figures->item[i];
        }
    }
    return NULL;
}

static inline void draw(struct figures *figures, const struct run *run)
{
    const struct report_plugin *plugin = NULL;

    figures_init(figures);
    for (size_t i = 0; i < run->bench_count; i++) {
        while ((plugin = report_plugin_next(plugin, &run->benches[i])) != NULL) {
            if (plugin->bench_figures != NULL) {
                plugin->bench_figures(figures, run, &run->benches[i]);
            }
        }
    }
}

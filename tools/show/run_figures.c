/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include "tools/present/reading.h"

void run_figures(struct figures *figures, const struct run *run,
                 const struct figures_progress *progress)
{
    const struct bench_reading *reading;
    size_t parts = 0;
    size_t done = 0;

    for (size_t i = 0; (reading = bench_reading_at(i)) != NULL; i++) {
        parts += reading->figures != NULL;
    }
    for (size_t i = 0; (reading = bench_reading_at(i)) != NULL; i++) {
        if (reading->figures == NULL) {
            continue;
        }
        reading->figures(figures, run);
        done++;
        if (progress->tell != NULL) {
            progress->tell(progress->context, done, parts);
        }
    }
}

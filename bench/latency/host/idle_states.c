/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/host/idle_states.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/names.h"
#include "tools/base/alloc.h"

#define NAME_BYTES 64
#define US_PER_MS  1000

/* "hlt.0" of "alone.hlt.0". False: it is none of these, as "alone.hlt.0.x". */
static bool split(const char *text, struct idle_state *state)
{
    const char *dot = strchr(text, '.');
    char *end;

    if (dot == NULL || dot == text || (size_t)(dot - text) >= sizeof(state->name)) {
        return false;
    }
    memcpy(state->name, text, (size_t)(dot - text));
    state->name[dot - text] = '\0';
    errno = 0;
    state->processor = strtoll(dot + 1, &end, 10);
    return end != dot + 1 && *end == '\0' && errno == 0 && state->processor >= 0;
}

static bool read_one(const struct run_bench *bench, const char *series, struct idle_state *state)
{
    const size_t alone = strlen(PREFIX_ALONE);
    const size_t together = strlen(PREFIX_TOGETHER);
    char name[NAME_BYTES];

    *state = (struct idle_state){0};
    state->together = strncmp(series, PREFIX_TOGETHER, together) == 0;
    if (!state->together && strncmp(series, PREFIX_ALONE, alone) != 0) {
        return false;
    }
    if (!split(series + (state->together ? together : alone), state) ||
        !curve_read(bench, series, &state->curve)) {
        return false;
    }
    snprintf(name, sizeof(name), PREFIX_EARLY "%s", series);
    const struct run_fact *early = run_find_fact(bench, name);

    state->has_early = early != NULL;
    state->early = early != NULL ? early->value : 0;
    return true;
}

struct idle_state *idle_states_read(const struct run_bench *bench, size_t *count)
{
    struct idle_state *states = NULL;
    size_t capacity = 0;

    *count = 0;
    for (size_t i = 0; i < bench->series_count; i++) {
        struct idle_state state;

        if (bench->series[i].event == NULL && read_one(bench, bench->series[i].name, &state)) {
            states = alloc_append(states, count, &capacity, sizeof(*states));
            states[*count - 1] = state;
        }
    }
    return states;
}

void idle_states_free(struct idle_state *states, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        curve_free(&states[i].curve);
    }
    free(states);
}

const char *idle_span_text(int64_t us, char text[IDLE_SPAN_MAX])
{
    if (us < US_PER_MS) {
        snprintf(text, IDLE_SPAN_MAX, "%" PRId64 " us", us);
    } else {
        snprintf(text, IDLE_SPAN_MAX, "%g ms", (double)us / US_PER_MS);
    }
    return text;
}

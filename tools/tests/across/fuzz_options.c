/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a command line, an argument a line, against a table with an option of
 * each kind; and as a text that options take: thresholds, a bench, a pattern
 * of names, when to colour. What is refused has a reason; what is taken is within its limits.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/event_names.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "tools/base/colour.h"
#include "tools/base/parse_options.h"
#include "tools/run/run.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_thresholds(const char *text)
{
    char error[THRESHOLDS_ERROR_MAX] = "";
    struct threshold_set set;
    double ms[THRESHOLDS_MAX];
    size_t count = 0;

    if (thresholds_read(text, ms, &count, error)) {
        demand(count <= THRESHOLDS_MAX);
        for (size_t i = 0; i < count; i++) {
            demand(ms[i] >= 0 && ms[i] <= THRESHOLD_MS_MAX);
        }
    } else {
        demand(error[0] != '\0');
    }
    error[0] = '\0';
    thresholds_init(&set);
    if (thresholds_read_set(text, &set, error)) {
        for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
            demand(thresholds_of(&set, kind, "") >= 0 &&
                   thresholds_of(&set, kind, "") <= THRESHOLD_MS_MAX);
        }
        demand(set.class_count <= THRESHOLDS_MAX);
    } else {
        demand(error[0] != '\0');
    }
}

/* ---- a command line ---- */

#define ARGUMENTS_MAX 12

static struct {
    bool loud, given;
    unsigned form, shift, mode;
    uint64_t size;
    double share;
    const char *output, *benches[2];
    size_t bench_count;
} got;

static bool take_even(char *text, char error[OPTION_ERROR_MAX])
{
    snprintf(error, OPTION_ERROR_MAX, "%s: must have an even length", text);
    return strlen(text) % 2 == 0;
}

static const char *const modes[] = {"auto", "exact", "real", NULL};
static const struct option_line inner[] = {
    {"share", OPT_REAL(&got.share, 0.5, 1), "PART", "a part"},
    OPTIONS_END,
};
static const struct option_line table[] = {
    {"output", OPT_TEXT(&got.output), "FILE", "a text", .letter = 'o', .required = true},
    {"loud", OPT_FLAG(&got.loud), NULL, "a flag", .excludes = "json", .letter = 'l'},
    {"json", OPT_CHOICE(&got.form, 2), NULL, "a choice"},
    {"shift", OPT_UNSIGNED(&got.shift, 1, 10), "N", "a number", .needs = "mode json",
     .given = &got.given},
    {"size", OPT_NUMBER(&got.size, 7, UINT64_MAX), "N", "a large number"},
    {"", OPT_TABLE(inner)},
    {"mode", OPT_WORD(&got.mode), NULL, "a word", .words = modes},
    {"bench", OPT_LIST(got.benches, &got.bench_count, 2), "NAME", "two", .words = modes,
     .comma = true},
    {"even", OPT_CALL(take_even), "TEXT", "a call"},
    {"help", OPT_FLAG(&got.loud), NULL, "a flag", .alone = true},
    {"run file", OPT_ARGUMENTS(1, 2), "RUN.db"},
    {"more", OPT_REST, NULL},
    OPTIONS_END,
};

static void try_line(const char *text)
{
    char error[OPTION_ERROR_MAX] = "";
    char *words = strdup(text);
    char *argv[ARGUMENTS_MAX] = {"tare"};
    struct option_rest rest;
    char *offered = NULL;
    size_t length = 0;
    int argc = 1;
    FILE *out = open_memstream(&offered, &length);

    demand(words != NULL && out != NULL);
    for (char *at = words; at != NULL && argc < ARGUMENTS_MAX;) {
        argv[argc++] = strsep(&at, "\n");
    }
    options_complete(out, table, (size_t)argc - 1, (const char *const *)argv + 1);
    fclose(out);
    demand(length == 0 || offered[length - 1] == '\n');
    free(offered);
    memset(&got, 0, sizeof(got));
    if (options_parse(table, argc, argv, false, &rest, error)) {
        demand(!got.given || (got.shift >= 1 && got.shift <= 10));
        demand((got.size == 0 || got.size >= 7) && got.mode < 3 && got.bench_count <= 2);
        demand(got.share == 0 || (got.share >= 0.5 && got.share <= 1));
        demand(rest.count + rest.rest_count < (size_t)argc);
        demand(got.output != NULL || got.loud);
    } else {
        demand(error[0] != '\0' && strlen(error) < OPTION_ERROR_MAX);
    }
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct run_bench bench = {.name = "idle", .pass = 2};
    enum colour_when when;
    char *text = malloc(size + 1);

    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    try_line(text);
    try_thresholds(text);
    demand(!run_bench_is(&bench, text) || strncmp(text, "idle", 4) == 0);
    event_name_matches("MEM_INST_RETIRED:ALL_LOADS", text);
    colour_read(text, &when);
    free(text);
    return 0;
}

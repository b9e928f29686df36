/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/bench_help.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/cmd/boot_plan.h"

#define INDENT       2
#define PARAM_INDENT 6

/* The texts of enum bench_need. */
static const char *const needs[] = {
    "a TSC whose rate two clocks agree on (in exact time: one clock)",
    "a LAPIC timer that counts",
    "a second processor",
};

const struct bench *bench_find(const char *name)
{
    const struct image_benches *benches = boot_default_benches();

    for (size_t i = 0; i < benches->count; i++) {
        if (strcmp(benches->benches[i]->name, name) == 0) {
            return benches->benches[i];
        }
    }
    return NULL;
}

static void print_text(FILE *out, const char *text)
{
    fprintf(out, "%*s", INDENT, "");
    print_wrapped(out, text, INDENT, INDENT);
}

static void print_needs(FILE *out, const struct bench *bench)
{
    if (bench->needs == 0) {
        return;
    }
    fprintf(out, "\nNeeds, or ends as SKIP\n");
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if ((bench->needs >> i & 1) != 0) {
            print_text(out, needs[i]);
        }
    }
}

static void print_param(FILE *out, const char *bench, const struct bench_param *param)
{
    char allowed[PLAN_ERROR_MAX];

    fprintf(out, "%*s%s%s%s\n%*s", INDENT, "", bench, bench[0] != '\0' ? "." : "", param->name,
            PARAM_INDENT, "");
    print_wrapped(out, param->summary, PARAM_INDENT, PARAM_INDENT);
    const int column = fprintf(out, "%*sdefault: %s; takes ", PARAM_INDENT, "",
                               param->default_text[0] != '\0' ? param->default_text : "none");

    print_wrapped(out, param_allowed(param, allowed), (size_t)column, PARAM_INDENT);
}

static void print_params(FILE *out, const struct bench *bench)
{
    if (bench->params->name == NULL) {
        return;
    }
    fprintf(out, "\nParameters: KEY=VALUE in a plan, or tare boot --set KEY=VALUE\n");
    for (const struct bench_param *param = bench->params; param->name != NULL; param++) {
        print_param(out, bench->name, param);
    }
}

/* Prints "SERIES: 2 instructions, 30 cycle: why", as far as the estimate has them. */
static void print_estimate(FILE *out, const struct bench_estimate *estimate)
{
    struct long_text text;

    long_text_open(&text);
    fprintf(text.out, "%s:", estimate->series);
    if (estimate->instructions != ESTIMATE_NONE) {
        fprintf(text.out, " %lld instructions in exact time;", (long long)estimate->instructions);
    }
    if (estimate->value != ESTIMATE_NONE) {
        fprintf(text.out, " about %lld %s on a current processor;", (long long)estimate->value,
                estimate->unit != NULL ? estimate->unit : "");
    }
    if (estimate->because != NULL) {
        fprintf(text.out, " %s", estimate->because);
    }
    fprintf(out, "%*s", INDENT, "");
    print_wrapped(out, long_text_close(&text), INDENT, PARAM_INDENT);
    long_text_free(&text);
}

static void print_estimates(FILE *out, const struct bench *bench)
{
    if (bench->estimates->series != NULL) {
        fprintf(out, "\nExpected of each series\n");
    }
    for (const struct bench_estimate *e = bench->estimates; e->series != NULL; e++) {
        print_estimate(out, e);
    }
}

bool bench_help(FILE *out, const char *name)
{
    const struct bench *bench = bench_find(name);

    if (bench == NULL) {
        return false;
    }
    fprintf(out, "bench %s, of group %s\n\n", bench->name,
            bench->group != NULL ? bench->group : "-");
    print_text(out, bench->summary != NULL ? bench->summary : "-");
    if (bench->on_request) {
        print_text(out, "It runs only if a plan or --bench names it.");
    }
    if (bench->estimate != NULL) {
        fprintf(out, "\nWhat to expect\n");
        print_text(out, bench->estimate);
    }
    print_needs(out, bench);
    print_params(out, bench);
    print_estimates(out, bench);
    fprintf(out,
            "\nRun it: tare boot --bench %s -o RUN.db; its tables: tare show %s RUN.db; what is\n"
            "compared and may have a limit: tare compare --all --metric '%s.*' RUN.db RUN.db\n",
            bench->name, bench->name, bench->name);
    return true;
}

bool profile_help(FILE *out, const char *name)
{
    const struct profile_plan *profile = profile_find(name);

    if (profile == NULL) {
        return false;
    }
    fprintf(out, "profile ");
    boot_profile_print(out, profile);
    fprintf(out, "\nRun it: tare boot %s; on hardware: profile=%s in tare.plan\n", name, name);
    return true;
}

/* Prints those of `count` keys whose name begins with the prefix. Returns how many there are. */
static size_t list_keys(FILE *out, const char *bench, const struct bench_param *keys, size_t count,
                        const char *prefix)
{
    size_t found = 0;

    for (size_t i = 0; i < count && keys[i].name != NULL; i++) {
        char *key = text_format("%s%s%s", bench, bench[0] != '\0' ? "." : "", keys[i].name);

        if (strncmp(key, prefix, strlen(prefix)) == 0) {
            found++;
            print_param(out, bench, &keys[i]);
        }
        free(key);
    }
    return found;
}

bool bench_keys_list(FILE *out, const char *prefix)
{
    const struct image_benches *benches = boot_default_benches();
    size_t found = list_keys(out, "", benches->run_keys, benches->run_key_count, prefix);

    for (size_t i = 0; i < benches->count; i++) {
        const struct bench *bench = benches->benches[i];

        found += list_keys(out, bench->name, bench->params, SIZE_MAX, prefix);
    }
    return found > 0;
}

void benches_list(FILE *out)
{
    const struct image_benches *benches = boot_default_benches();

    fputs("Profiles: tare boot NAME runs one\n", out);
    boot_profiles_list(out);
    fputs("\nBenches, with their groups: tare boot NAME... runs them\n", out);
    if (benches->count == 0) {
        print_text(out, "none: there is no image here; \"make image\" builds it");
    }
    for (size_t i = 0; i < benches->count; i++) {
        const struct bench *bench = benches->benches[i];
        const int column =
            fprintf(out, "%-13s  %-11s  ", bench->name, bench->group != NULL ? bench->group : "-");

        print_wrapped(out, bench->summary != NULL ? bench->summary : "-", (size_t)column,
                      (size_t)column);
    }
}

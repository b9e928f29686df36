/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/exec/host/exec_codes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/exec/names.h"
#include "kernel/plan/plan.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/summary.h"

#define NAME_MAX_BYTES 96
#define CODES_SHOWN    1024
#define BLANKS         " \t\r\n"

const char *exec_form_name(enum exec_form form)
{
    static const char *const names[EXEC_FORMS] = {FORM_UNROLLED, FORM_LOOPED};

    return names[form];
}

size_t exec_codes(const struct run_bench *bench)
{
    const int64_t codes = run_fact_or(bench, FACT_CODES, 0);

    return codes > 0 && codes <= CODES_SHOWN ? (size_t)codes : 0;
}

/* Returns part `index` of a list and sets *length; returns NULL if there are fewer parts. */
static const char *part_of(const char *list, const char *separator, size_t index, size_t *length)
{
    for (; list != NULL && index > 0; index--) {
        list = strpbrk(list, separator);
        list = list != NULL ? list + 1 : NULL;
    }
    *length = list != NULL ? strcspn(list, separator) : 0;
    return list;
}

void exec_sources_open(const struct run *run, struct exec_sources *sources)
{
    char error[PLAN_ERROR_MAX];

    *sources = (struct exec_sources){.plan = alloc_zeroed(sizeof(*sources->plan))};
    if (run->plan_text != NULL &&
        plan_parse(sources->plan, run->plan_text, strlen(run->plan_text), error)) {
        sources->text = plan_value(sources->plan, BENCH_EXEC "." PARAM_TEXT_OF_CODE);
        sources->code = plan_value(sources->plan, BENCH_EXEC "." PARAM_CODE);
    }
}

void exec_sources_free(struct exec_sources *sources)
{
    free(sources->plan);
    *sources = (struct exec_sources){0};
}

const char *exec_source(const struct exec_sources *sources, size_t number,
                        char text[EXEC_SOURCE_MAX])
{
    size_t length;
    const char *source = part_of(sources->text, "\n", number - 1, &length);

    while (length > 0 && strchr(BLANKS, *source) != NULL) {
        source++;
        length--;
    }
    while (length > 0 && strchr(BLANKS, source[length - 1]) != NULL) {
        length--;
    }
    if (length == 0) {
        source = part_of(sources->code, ",", number - 1, &length);
    }
    snprintf(text, EXEC_SOURCE_MAX, "%.*s",
             (int)(length < EXEC_SOURCE_MAX ? length : EXEC_SOURCE_MAX),
             source != NULL ? source : "");
    return text;
}

/* Returns a complete series of ticks, or of an event's counts, otherwise NULL. */
static const struct run_series *find(const struct run_bench *bench, const char *name,
                                     const char *event)
{
    const struct run_series *series =
        event == NULL ? run_find_series(bench, name) : run_find_counts(bench, name, event);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

bool exec_cost_read(const struct run_bench *bench, enum exec_form form, size_t number,
                    const char *event, struct exec_cost *cost)
{
    const double repetitions = (double)run_fact_or(bench, FACT_REPETITIONS, 0);
    char name[NAME_MAX_BYTES];
    char name_twice[NAME_MAX_BYTES + sizeof(SUFFIX_TWICE)];

    snprintf(name, sizeof(name), "%s.%zu", exec_form_name(form), number);
    snprintf(name_twice, sizeof(name_twice), "%s" SUFFIX_TWICE, name);
    const struct run_series *once = find(bench, name, event);
    const struct run_series *twice = find(bench, name_twice, event);

    if (once == NULL || twice == NULL || once->n != twice->n || repetitions <= 0) {
        return false;
    }
    double *costs = alloc_checked(malloc(once->n * sizeof(*costs)));

    for (size_t i = 0; i < once->n; i++) {
        costs[i] = ((double)twice->samples[i] - (double)once->samples[i]) / repetitions;
    }
    sort_reals(costs, once->n);
    *cost = (struct exec_cost){
        .n = once->n,
        .min = costs[0],
        .median = summary_quantile_of(costs, once->n, 0.5),
        .max = costs[once->n - 1],
    };
    free(costs);
    return true;
}

static const struct run_series *find_left(const struct run_bench *bench, const char *prefix,
                                          size_t number)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s%zu", prefix, number);
    return find(bench, name, NULL);
}

size_t exec_left(const struct run_bench *bench, size_t number,
                 struct exec_value values[EXEC_VALUES_MAX])
{
    static const char names[EXEC_REGISTERS + 2][8] = {
        "r15", "r14", "r13", "r12", "r11", "r10", "r9",     "r8",     "rbp",  "rdi",
        "rsi", "rdx", "rcx", "rbx", "rax", "rsp", "rflags", "digest", "words"};
    const struct run_series *registers = find_left(bench, PREFIX_REGISTERS, number);
    const struct run_series *memory = find_left(bench, PREFIX_MEMORY, number);
    size_t count = 0;

    if (registers == NULL || memory == NULL || registers->n != EXEC_REGISTERS || memory->n < 2) {
        return 0;
    }
    for (; count < EXEC_REGISTERS + 2; count++) {
        values[count].value =
            (uint64_t)(count < EXEC_REGISTERS ? registers->samples[count]
                                              : memory->samples[count - EXEC_REGISTERS]);
        strcpy(values[count].name, names[count]);
    }
    for (size_t i = 2; i + 1 < memory->n && memory->samples[i] != 0 && count < EXEC_VALUES_MAX;
         i += 2) {
        values[count].value = (uint64_t)memory->samples[i + 1];
        snprintf(values[count++].name, sizeof(values->name), "0x%" PRIx64,
                 (uint64_t)memory->samples[i]);
    }
    return count;
}

const char *exec_missing(const struct run_bench *bench, size_t number)
{
    char name[NAME_MAX_BYTES];

    for (enum exec_form form = 0; form < EXEC_FORMS; form++) {
        snprintf(name, sizeof(name), "%s.%zu", exec_form_name(form), number);
        for (size_t i = 0; i < bench->absent_count; i++) {
            if (strcmp(bench->absents[i].name, name) == 0) {
                return bench->absents[i].reason;
            }
        }
    }
    return NULL;
}

static bool is_listed(const char *const *events, size_t count, const char *event)
{
    return SEARCH_ANY(i, count, strcmp(events[i], event) == 0);
}

size_t exec_events(const struct run_bench *bench, const char *events[EXEC_EVENTS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < bench->series_count && count < EXEC_EVENTS_MAX; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->of != NULL && series->event != NULL &&
            !is_listed(events, count, series->event)) {
            events[count++] = series->event;
        }
    }
    return count;
}

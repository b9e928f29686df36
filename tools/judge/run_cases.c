/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/run_cases.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "kernel/run/names.h"
#include "tools/base/texts.h"
#include "tools/finding/run_findings.h"
#include "tools/run/run_kind.h"

#define GROUP_MAX  96
#define NS_SECONDS 1e9

static const char run_group[] = "tare.run";

void run_properties_add(struct ci_suite *suite, const struct run *run)
{
    static const char *const keys[] = {INFO_RUN, INFO_DATE, "emulator", "image.sha256",
                                       "firmware.sha256"};
    static const char *const facts[] = {FACT_CPU_BRAND, FACT_PROCESSORS, FACT_FIRMWARE_VENDOR};
    char kind[RUN_KIND_MAX];

    ci_property_add(suite, "tare", TARE_VERSION);
    ci_property_add(suite, "image", run_pair_value(&run->info, INFO_VERSION));
    ci_property_add(suite, "time", run_time_name(run));
    ci_property_add(suite, "time.meaning", run_kind_text(run, kind));
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        ci_property_add(suite, facts[i], run_pair_value(&run->machine, facts[i]));
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        ci_property_add(suite, keys[i], run_pair_value(&run->info, keys[i]));
    }
    ci_property_add(suite, "plan", run->plan_text);
}

static enum ci_state state_of(const struct run_bench *bench)
{
    if (strcmp(bench->state, STATE_OK) == 0) {
        return CI_PASSED;
    }
    if (strcmp(bench->state, STATE_SKIP) == 0) {
        return CI_SKIPPED;
    }
    return strcmp(bench->state, STATE_FAIL) == 0 ? CI_FAILED : CI_ERROR;
}

/* 0: not known. */
static double seconds_of(const struct run *run, const struct run_bench *bench)
{
    const int64_t began = run_fact_or(bench, FACT_BEGAN, 0);
    const int64_t ended = run_fact_or(bench, FACT_ENDED, 0);

    return ended > began && began > 0
               ? ((double)ended - (double)began) * run_ns_per_tick(run) / NS_SECONDS
               : 0;
}

static void add_bench(struct ci_suite *suite, const struct run *run, const struct run_bench *bench)
{
    const enum ci_state state = state_of(bench);
    char group[GROUP_MAX];
    char label[RUN_LABEL_MAX];
    struct long_text message;

    snprintf(group, sizeof(group), "tare.bench.%.80s",
             bench->group != NULL ? bench->group : "bench");
    long_text_open(&message);
    if (state == CI_FAILED || state == CI_ERROR) {
        fprintf(message.out, "%s: ", bench->state);
    }
    fputs(bench->reason != NULL ? bench->reason : "no reason given", message.out);
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = state,
                           .group = group,
                           .name = (char *)run_bench_label(run, bench, label),
                           .message = state == CI_PASSED ? NULL : message.text,
                           .seconds = seconds_of(run, bench),
                       });
    long_text_free(&message);
}

/* Why the run is not valid, and what it found. */
static void print_valid(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    struct findings findings;

    for (size_t i = 0; i < reasons->count; i++) {
        fprintf(out, "%s%s", i > 0 ? "\n" : "", reasons->item[i]);
    }
    run_findings(run, reasons, &findings);
    fprintf(out, "%sfindings:", reasons->count > 0 ? "\n" : "");
    for (size_t i = 0; i < findings.count; i++) {
        fprintf(out, "\n%s", findings.item[i].text);
    }
    fputs(findings.count == 0 ? " none" : "", out);
}

void run_cases_add(struct ci_report *report, const char *name, const struct run *run,
                   const struct run_texts *reasons)
{
    struct ci_suite *suite = ci_suite_add(report, name);
    struct long_text message;

    run_properties_add(suite, run);
    long_text_open(&message);
    print_valid(message.out, run, reasons);
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = reasons->count > 0 ? CI_FAILED : CI_PASSED,
                           .group = (char *)run_group,
                           .name = "valid",
                           .message = message.text,
                       });
    long_text_free(&message);
    for (size_t i = 0; i < run->bench_count; i++) {
        add_bench(suite, run, &run->benches[i]);
    }
}

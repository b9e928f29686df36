/* SPDX-License-Identifier: BSD-2-Clause */
/* Histories: groups and order of runs, changes in real and in exact time, and what is shown. */
#include "tools/judge/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/texts.h"
#include "tools/judge/history_views.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define HZ      1000000000
#define SAMPLES 30

static const struct history_settings settings = {
    .alpha = HISTORY_ALPHA,
    .threshold = NAN,
    .stolen = COMPARE_STOLEN,
    .last = HISTORY_LAST,
};

struct made {
    const char *name, *date, *kind, *processor, *image;
    int64_t level; /* ticks */
    bool is_invalid;
    const char *captured;
};

/* A bench with one metric, bench.wait, whose values vary by a per cent. */
static void add_made(struct history *history, const struct made *made, uint64_t seed)
{
    const bool shared = strcmp(made->kind, TIME_EXACT_SHARED) == 0;
    const bool exact = shared || strcmp(made->kind, TIME_EXACT) == 0;
    int64_t samples[SAMPLES];
    struct run run;

    run_init(&run);
    run_add_pair(&run, &run.info, "kind", made->kind);
    run_add_pair(&run, &run.info, "date", made->date);
    run_add_pair(&run, &run.info, INFO_CAPTURED, made->captured);
    run_add_pair(&run, &run.info, "image.sha256", made->image);
    if (exact) {
        run_add_pair(&run, &run.info, "ticks_per_instruction", "1");
    }
    run_add_pair(&run, &run.machine, "cpu_brand", made->processor);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = HZ};
    run.ended = !made->is_invalid;
    for (size_t i = 0; i < SAMPLES; i++) {
        unit_random(&seed);
        samples[i] = made->level + (exact ? 0 : (int64_t)(seed >> 33) % (made->level / 100 + 1));
    }
    if (shared) { /* a tick of the hypervisor is in one sample */
        run_add_pair(&run, &run.info, "under.l1.kernel", made->image);
        samples[seed % SAMPLES] += 3000;
    }
    build_series(build_bench(&run, "bench", 1), "wait", NULL, NULL, samples, SAMPLES);
    history_add(history, made->name, 0, &run);
    run_free(&run);
}

static void judge(struct history *history, const struct made *made, size_t count)
{
    history_init(history, &settings);
    for (size_t i = 0; i < count; i++) {
        add_made(history, &made[i], i + 1);
    }
    history_judge(history);
}

static bool shows(const struct history *history, void (*print)(FILE *, const struct history *),
                  const char *part)
{
    struct long_text text;

    long_text_open(&text);
    print(text.out, history);
    long_text_close(&text);
    const bool found = strstr(text.text, part) != NULL;

    if (!found) {
        fprintf(stderr, "no \"%s\" in:\n%s\n", part, text.text);
    }
    long_text_free(&text);
    return found;
}

static void print_changes(FILE *out, const struct history *history)
{
    history_print(out, history, false);
}

static void test_real(void)
{
    static char names[40][16];
    static char dates[40][32];
    struct made made[40];
    struct history history;

    /* Added in the reverse order. The level rises by 5 % at run 28, with a new image. */
    for (size_t i = 0; i < 40; i++) {
        const size_t day = 39 - i;

        snprintf(names[i], sizeof(names[i]), "%zu.db", day);
        snprintf(dates[i], sizeof(dates[i]), "2026-%02zu-%02zuT10:00:00Z", 1 + day / 28,
                 1 + day % 28);
        made[i] = (struct made){
            names[i], dates[i], "real", "P", day < 28 ? "one" : "two", day < 28 ? 10000 : 10500,
            false,    NULL};
    }
    judge(&history, made, 40);
    CHECK_EQUAL(history.group_count, 1);
    CHECK_EQUAL(history.change_count, 1);
    CHECK_TEXT(history.runs[0].name, "0.db");
    const struct history_change *change = &history.changes[0];

    CHECK_TEXT(history.runs[change->at].name, "28.db");
    CHECK_TEXT(history.runs[change->from].name, "27.db");
    CHECK_EQUAL(change->verdict, HISTORY_WORSE);
    CHECK(change->fails && history.failing == 1);
    CHECK(fabs(change->shift - 0.05) < 0.005 && change->p <= HISTORY_ALPHA);
    CHECK(change->changed_labels[HISTORY_IMAGE] && !change->changed_labels[HISTORY_PLAN]);
    CHECK(shows(&history, print_changes, "1 worse (1 of them fail), 0 better"));
    CHECK(shows(&history, print_changes, "since 28.db (2026-02-01), with another image"));
    CHECK(shows(&history, history_json, "\"at\": \"28.db\""));
    history_free(&history);

    /* Fewer runs behind it than HISTORY_RECENT, and an older change. */
    for (size_t i = 0; i < 40; i++) {
        made[i].level = 39 - i < 20 ? 10500 : 10000;
    }
    judge(&history, made, 40);
    CHECK_EQUAL(history.change_count, 1);
    CHECK(history.changes[0].verdict == HISTORY_BETTER && !history.changes[0].is_recent);
    CHECK_EQUAL(history.failing, 0);
    history_free(&history);
}

/* The machine's clock starts anew in each boot: the step of 5 % at run 20 is found in the order of
 * the names, and in that of the captures, which the names contradict. */
static void test_order(void)
{
    static char names[40][16];
    static char dates[40][32];
    static char captured[40][32];
    struct made made[40];
    struct history history;

    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof(names[i]), "H%zu.db", i);
        snprintf(dates[i], sizeof(dates[i]), "2020-01-01T00:00:%02zuZ", 17 * i % 40);
        snprintf(captured[i], sizeof(captured[i]), "2026-01-01T00:00:%02zuZ", i);
        made[i] = (struct made){names[i], dates[i],    "real", "P", NULL, i < 20 ? 10000 : 10500,
                                false,    "2026-11-29"};
    }
    judge(&history, made, 40);
    CHECK_EQUAL(history.groups[0].order, HISTORY_BY_NAME); /* the logs were copied together */
    CHECK_EQUAL(history.change_count, 1);
    CHECK_TEXT(history.runs[history.changes[0].at].name, "H20.db");
    CHECK_EQUAL(history.changes[0].verdict, HISTORY_WORSE);
    CHECK_EQUAL(history.groups[0].against[HISTORY_BY_DATE], 16);
    CHECK(shows(&history, print_changes, "order      by number and file name; by date of the"));
    CHECK(shows(&history, print_changes, "since H20.db\n"));
    CHECK(shows(&history, history_json, "\"order\": \"name\""));
    CHECK(shows(&history, history_json, "\"date\": 16"));
    history_free(&history);
    for (size_t i = 0; i < 40; i++) {
        made[i].name = names[39 - i];
        made[i].captured = captured[i];
    }
    judge(&history, made, 40);
    CHECK_EQUAL(history.groups[0].order, HISTORY_BY_CAPTURE);
    CHECK_EQUAL(history.change_count, 1);
    CHECK_TEXT(history.runs[history.changes[0].at].name, "H19.db");
    CHECK_EQUAL(history.groups[0].against[HISTORY_BY_NAME], 39);
    CHECK(shows(&history, print_changes, "since H19.db (2026-01-01)"));
    history_free(&history);
}

/* 1 % a run: each step may be small, but not all together. */
static void test_ramp(void)
{
    static char names[40][16];
    struct made made[40];
    struct history history;
    bool is_trend = false;

    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof(names[i]), "r%zu", i);
        made[i] = (struct made){names[i], "2026", "real", "P", NULL, 10000 + 100 * (int64_t)i,
                                false,    NULL};
    }
    judge(&history, made, 40);
    for (size_t i = 0; i < history.change_count; i++) {
        const struct history_change *change = &history.changes[i];

        is_trend = is_trend || (change->kind == CHANGE_TREND && change->fails &&
                                fabs(change->shift - 0.34) < 0.02);
    }
    CHECK(is_trend);
    CHECK(shows(&history, print_changes, "bench.wait  trend FAILS"));
    CHECK(shows(&history, history_json, "\"trend\": true"));
    history_free(&history);
}

static void test_small(void)
{
    static char names[40][16];
    struct made made[40];
    struct history history;

    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof(names[i]), "r%zu", i);
        made[i] =
            (struct made){names[i], "2026", "real", "P", NULL, i < 20 ? 1000000 : 1005000, 0, NULL};
    }
    judge(&history, made, 40);
    CHECK_EQUAL(history.change_count, 1);
    CHECK_EQUAL(history.changes[0].verdict, HISTORY_SMALL);
    CHECK_TEXT(history.runs[history.changes[0].at].name, "r20"); /* r3 before r20 */
    CHECK(shows(&history, print_changes, "0 worse (0 of them fail), 0 better, 0 changed, 1 small"));
    history_free(&history);
}

static void test_exact(void)
{
    /* The date of exact time is none. */
    static const struct made made[] = {
        {"10", "2024-01-01", "exact", "P", NULL, 101, false, NULL},
        {"9", "2024-01-02", "exact", "P", NULL, 100, false, NULL},
        {"8", "2024-01-03", "exact", "P", NULL, 100, false, NULL},
        {"11", "2024-01-01", "exact", "P", NULL, 99, false, NULL},
    };
    struct history history;

    judge(&history, made, 4);
    CHECK_EQUAL(history.change_count, 2);
    CHECK_TEXT(history.runs[history.changes[0].at].name, "10");
    CHECK_EQUAL(history.changes[0].verdict, HISTORY_WORSE);
    CHECK(history.changes[0].before == 100 && history.changes[0].after == 101);
    CHECK(isnan(history.changes[0].p));
    CHECK_EQUAL(history.changes[1].verdict, HISTORY_BETTER);
    CHECK(history.changes[0].is_recent && history.changes[0].is_undone);
    CHECK_EQUAL(history.failing, 0);
    history_free(&history);
}

/* In shared time the median is compared, to the instruction; L1's kernel is named. */
static void test_shared(void)
{
    static const struct made made[] = {
        {"1.db", NULL, TIME_EXACT_SHARED, "P", "6.1.0-47", 2841, false, NULL},
        {"2.db", NULL, TIME_EXACT_SHARED, "P", "6.1.0-57", 2841, false, NULL},
        {"3.db", NULL, TIME_EXACT_SHARED, "P", "6.12", 2845, false, NULL},
    };
    struct history history;

    judge(&history, made, 3);
    CHECK_EQUAL(history.change_count, 1);
    CHECK_EQUAL(history.changes[0].at, 2);
    CHECK_EQUAL(history.changes[0].verdict, HISTORY_WORSE);
    CHECK(shows(&history, print_changes, "since 3.db, with another image and L1 kernel"));
    history_free(&history);
    history_init(&history, &settings);
    history.settings.by_instructions = true;
    history.settings.instructions = 4;
    for (size_t i = 0; i < 3; i++) {
        add_made(&history, &made[i], i + 1);
    }
    history_judge(&history);
    CHECK_EQUAL(history.changes[0].verdict, HISTORY_SMALL);
    history_free(&history);
}

static void test_groups(void)
{
    static const struct made made[] = {
        {"a", "2026", "exact", "P", NULL, 100, false, NULL},
        {"b", "2026", "real", "P", NULL, 200, false, NULL},
        {"c", "2026", "exact", "Q", NULL, 300, false, NULL},
        {"d", "2026", "exact", "P", NULL, 100, false, NULL},
        {"e", "2026", "real", "P", NULL, 200, true, NULL},
    };
    struct ci_report report = {0};
    struct history history;

    judge(&history, made, 5);
    CHECK_EQUAL(history.group_count, 3);
    CHECK_EQUAL(history.groups[0].count, 2);
    CHECK_EQUAL(history.change_count, 0);
    CHECK_EQUAL(history.left_out_count, 1);
    CHECK(strncmp(history.left_out[0], "e: INVALID: ", 12) == 0);
    CHECK_EQUAL(history_figures(&history, 0, 0), 2);
    history_cases_add(&report, &history);
    CHECK_EQUAL(report.suite_count, 3);
    CHECK_EQUAL(ci_report_count(&report, CI_PASSED), 1);
    CHECK_EQUAL(ci_report_count(&report, CI_SKIPPED), 2); /* one run each */
    CHECK(shows(&history, print_changes, "1 run: too few"));
    ci_report_free(&report);
    history_free(&history);
}

/* Only the newest are searched. */
static void test_last(void)
{
    static const struct made made[] = {
        {"1", "", "exact", "P", NULL, 100, false, NULL},
        {"2", "", "exact", "P", NULL, 110, false, NULL},
        {"3", "", "exact", "P", NULL, 110, false, NULL},
    };
    struct history_settings few = settings;
    struct history history;

    few.last = 2;
    few.pattern = "bench.*";
    history_init(&history, &few);
    for (size_t i = 0; i < 3; i++) {
        add_made(&history, &made[i], 1);
    }
    history_judge(&history);
    CHECK_EQUAL(history.series_count, 1);
    CHECK_EQUAL(history.change_count, 0);
    CHECK(shows(&history, print_changes, "the newest 2 (--last)"));
    history_free(&history);
}

static void print_bencher(FILE *out, const struct history *history)
{
    history_bencher(out, history);
}

/* Measures name the kind of time; several runs are a median with its range. */
static void test_export(void)
{
    static const struct made made[] = {
        {"2", "2026-01-02", "emulated", "P", "two", 3000, false, NULL},
        {"1", "2026-01-01", "emulated", "P", "one", 1000, false, NULL},
        {"3", "2026-01-03", "emulated", "P", NULL, 2000, false, NULL},
    };
    struct history_settings spread = settings;
    struct history history;

    spread.spread = true;
    for (size_t count = 1; count <= 3; count += 2) {
        history_init(&history, &spread);
        for (size_t i = 0; i < count; i++) {
            add_made(&history, &made[i], 1);
        }
        history_order(&history);
        CHECK(shows(&history, print_bencher, "\"emulated-latency\": {"));
        CHECK(shows(&history, print_bencher, "\"emulated-latency-max\": {"));
        CHECK(shows(&history, print_bencher, "\"lower_value\": "));
        if (count == 3) {
            CHECK_TEXT(history.runs[0].name, "1");
        }
        history_free(&history);
    }
}

int main(void)
{
    RUN(test_real());
    RUN(test_order());
    RUN(test_ramp());
    RUN(test_small());
    RUN(test_exact());
    RUN(test_shared());
    RUN(test_groups());
    RUN(test_last());
    RUN(test_export());
    return unit_finish("unit_history");
}

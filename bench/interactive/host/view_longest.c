/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the longest actions by name, and long events compared with the geometric law. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/measure/longest.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/table.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define SYSTEMS_MAX ((TABLE_COLUMNS_MAX - 2) / 2) /* each has two columns, a length and a share */
#define COLUMNS_MAX (2 + 2 * SYSTEMS_MAX)
#define CELL_MAX    48

/* The systems of one driver. */
struct group {
    const char *driver;
    size_t systems[SYSTEMS_MAX];
    char structures[SYSTEMS_MAX][LONGEST_SYSTEM_MAX];
    size_t count;
};

/* Finds the first driver from system `after` on that has not been shown yet, and its systems.
 * Returns false if there is none. */
static bool next_group(const struct longest *longest, size_t *after, struct group *group)
{
    char structure[LONGEST_SYSTEM_MAX];

    for (; *after < longest->system_count; (*after)++) {
        bool shown = false;

        group->driver = longest_driver(longest->systems[*after], structure);
        for (size_t i = 0; i < *after; i++) {
            shown =
                shown || strcmp(longest_driver(longest->systems[i], structure), group->driver) == 0;
        }
        if (!shown) {
            break;
        }
    }
    group->count = 0;
    for (size_t i = *after; i < longest->system_count && group->count < SYSTEMS_MAX; i++) {
        if (strcmp(longest_driver(longest->systems[i], group->structures[group->count]),
                   group->driver) == 0) {
            group->systems[group->count++] = i;
        }
    }
    (*after)++;
    return group->count > 0;
}

/* ---- cells ---- */

static void length_cell(const struct view *view, const struct action *action, char text[CELL_MAX])
{
    const enum measure measure = measure_chosen();
    char amount[AMOUNT_MAX];

    text[0] = '\0';
    if (action != NULL && action->known[measure]) {
        snprintf(text, CELL_MAX, "%s",
                 view->ns_per_tick > 0
                     ? duration_text((double)action->latency[measure] * view->ns_per_tick, amount)
                     : span_text(view, (double)action->latency[measure], amount));
    }
}

static void share_cell(const struct action *action, char text[CELL_MAX])
{
    const double share = action != NULL ? longest_disk_share(action) : NAN;

    text[0] = '\0';
    if (!isnan(share)) {
        share_text(share, text);
    }
}

/* Writes "300", or "300 to 310" if the systems differ. */
static void requests_cell(const struct longest_row *row, const struct group *group,
                          char text[CELL_MAX])
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (size_t i = 0; i < group->count; i++) {
        const struct action *action = row->action[group->systems[i]];

        if (action != NULL && action->has_disk) {
            least = action->disk_requests < least ? action->disk_requests : least;
            most = action->disk_requests > most ? action->disk_requests : most;
        }
    }
    text[0] = '\0';
    if (least == most) {
        snprintf(text, CELL_MAX, "%" PRIu64, most);
    } else if (least < most) {
        snprintf(text, CELL_MAX, "%" PRIu64 " to %" PRIu64, least, most);
    }
}

/* Sets a letter for each column of a group's table: the action, the number of requests and, for
 * each system, the length and the disk's share of it. */
static void align(const struct group *group, char alignment[COLUMNS_MAX + 1])
{
    memset(alignment, 'r', COLUMNS_MAX);
    alignment[0] = 'l';
    alignment[2 + 2 * group->count] = '\0';
}

static const char *head_of(const struct group *group, size_t system)
{
    return group->structures[system][0] != '\0' ? group->structures[system] : "latency";
}

typedef void put_cell(void *to, const char *text);

static void put_row(const struct view *view, const struct longest_row *row,
                    const struct group *group, put_cell *put, void *to)
{
    char name[LONGEST_NAME_MAX];
    char text[CELL_MAX];

    put(to, longest_name(row, name));
    requests_cell(row, group, text);
    put(to, text);
    for (size_t i = 0; i < group->count; i++) {
        length_cell(view, row->action[group->systems[i]], text);
        put(to, text);
        share_cell(row->action[group->systems[i]], text);
        put(to, text);
    }
}

/* ---- text ---- */

static void put_table_cell(void *to, const char *text)
{
    table_text(to, text[0] != '\0' ? text : NULL);
}

static void print_group(const struct view *view, const struct longest *longest,
                        const struct group *group)
{
    char alignment[COLUMNS_MAX + 1];
    struct table table;

    align(group, alignment);
    table_open(&table, alignment, "action\trequests");
    for (size_t i = 0; i < group->count; i++) {
        table_format(&table, "%s\tdisk", head_of(group, i));
    }
    for (size_t i = 0; i < longest->count; i++) {
        table_row(&table);
        put_row(view, &longest->rows[i], group, put_table_cell, &table);
    }
    print_paragraph(view->out,
                    "the longest actions%s%s: %s, share of service during which disk requests were "
                    "outstanding, and number of requests",
                    group->driver[0] != '\0' ? ", driver " : "", group->driver,
                    measure_label(measure_chosen()));
    view_table(view, &table);
}

void view_longest(const struct view *view, const struct actions *actions, size_t most)
{
    struct longest longest;
    struct group group;

    longest_init(&longest, actions, measure_chosen(), most);
    if (longest.count == 0) {
        print_paragraph(view->out, "the longest actions: n/a, the %s is known for no action",
                        measure_label(measure_chosen()));
    }
    for (size_t at = 0; longest.count > 0 && next_group(&longest, &at, &group);) {
        print_group(view, &longest, &group);
    }
    longest_free(&longest);
}

/* ---- JSON ---- */

static void put_system(struct json *json, const char *system, const struct action *action)
{
    json_object(json, NULL);
    json_text(json, "system", system);
    for (unsigned measure = 0; measure < MEASURES; measure++) {
        if (action->known[measure]) {
            json_signed(json, measure_key((enum measure)measure), action->latency[measure]);
        }
    }
    if (action->has_disk) {
        json_unsigned(json, "disk", action->disk);
        json_unsigned(json, "disk_requests", action->disk_requests);
    }
    json_close(json);
}

static void put_longest(struct json *json, const struct longest *longest,
                        const struct longest_row *row)
{
    json_object(json, NULL);
    json_text(json, "class", row->class);
    json_unsigned(json, "number", row->number);
    json_array(json, "systems");
    for (size_t i = 0; i < longest->system_count; i++) {
        if (row->action[i] != NULL) {
            put_system(json, longest->systems[i], row->action[i]);
        }
    }
    json_close(json);
    json_close(json);
}

void longest_json(struct json *json, const struct actions *actions)
{
    struct longest longest;

    longest_init(&longest, actions, MEASURE_SERVICE, LONGEST_SHOWN);
    if (longest_on_disk(&longest)) {
        json_array(json, "longest");
        for (size_t i = 0; i < longest.count; i++) {
            put_longest(json, &longest, &longest.rows[i]);
        }
        json_close(json);
    }
    longest_free(&longest);
}

/* Intervals between long events, compared with the geometric law: table and JSON. */

#define PHASES_MAX 8
#define US_PER_MS  1000.0
#define DECIMALS   6
#define ERRORS     3 /* chance stays below this many standard errors */

struct sheet {
    double every;
    double threshold_ms;
    struct long_events phases[PHASES_MAX];
    size_t count;
};

static double number_of(const struct run_bench *bench, const char *name)
{
    const char *text = run_find_param(bench, name);

    return text != NULL ? strtod(text, NULL) : NAN;
}

/* Reads the bench. Returns false if the run lacks something that this needs. The threshold is in
 * the middle between short and long work. */
static bool fill(struct sheet *sheet, const struct run *run, const struct run_bench *bench)
{
    const double middle =
        (number_of(bench, PARAM_SHORT_US) + number_of(bench, PARAM_LONG_US)) / 2 / US_PER_MS;
    const struct input_reading *input = input_of(bench);

    *sheet = (struct sheet){.every = number_of(bench, PARAM_EVERY), .threshold_ms = middle};
    const double rate = run_ns_per_tick(run);

    if (input->good && input->interactive.present && sheet->every >= 1 && middle > 0 && rate > 0) {
        sheet->count = long_events_of(&input->interactive, latency_threshold(middle, rate),
                                      1 / sheet->every, sheet->phases, PHASES_MAX);
    }
    return sheet->count > 0;
}

static double in_keys(const struct long_events *phase, double ticks)
{
    return ticks / phase->spacing;
}

static double ratio_of(const struct long_events *phase)
{
    return phase->interarrival.deviation / phase->interarrival.mean;
}

/* Returns the difference from the law in standard errors. */
static double off_by(double value, double law, double error)
{
    return (value - law) / error;
}

static void add_number(struct table *table, double value)
{
    if (isfinite(value)) {
        table_format(table, "%.3f", value);
    } else {
        table_text(table, NULL);
    }
}

static void add_law(struct table *table, const struct long_events *phase, double value, double law,
                    double error)
{
    add_number(table, value);
    add_number(table, phase->random && phase->law.mean > 0 ? law : NAN);
    add_number(table, phase->random && phase->law.mean > 0 ? error : NAN);
}

static void show(const struct view *view, const struct run_bench *bench)
{
    struct sheet sheet;
    struct table table;

    if (!fill(&sheet, view->run, bench)) {
        return;
    }
    table_open(&table, "lrrrrrrrr",
               "phase\tkeys\tlong\tmean, keys\tlaw\terror\tdeviation/mean\tlaw\terror");
    for (size_t i = 0; i < sheet.count; i++) {
        const struct long_events *phase = &sheet.phases[i];

        table_line(&table, "%s\t%zu\t%zu", phase->phase, phase->keys, phase->long_keys);
        add_law(&table, phase, in_keys(phase, phase->interarrival.mean), phase->law.mean,
                phase->law.mean_error);
        add_law(&table, phase, ratio_of(phase), phase->law.ratio, phase->law.ratio_error);
    }
    print_paragraph(
        view->out,
        "intervals between keys whose service is above %.3f ms; law: the value expected if each "
        "key is long with probability 1 / %.0f; error: standard error for this "
        "number of intervals; differences below %d standard errors can be random",
        sheet.threshold_ms, sheet.every, ERRORS);
    view_table(view, &table);
}

static void put_law(struct json *json, const struct long_events *phase)
{
    const double mean = in_keys(phase, phase->interarrival.mean);

    JSON_NUMBERS(json, DECIMALS, {"law_mean", phase->law.mean}, {"law_ratio", phase->law.ratio},
                 {"mean_off", off_by(mean, phase->law.mean, phase->law.mean_error)});
    json_number(json, "ratio_off",
                off_by(ratio_of(phase), phase->law.ratio, phase->law.ratio_error), DECIMALS);
}

/* Writes {"threshold_ms": 4.1, "phases": [{"phase": "random", "keys": 400, "long": 28, "mean":
 * keys, "ratio": deviation / mean, "law_mean": .., "mean_off": standard errors, ...}, ...]}. */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct sheet sheet;

    if (!fill(&sheet, run, bench)) {
        return;
    }
    json_object(json, "long_events");
    json_number(json, "threshold_ms", sheet.threshold_ms, DECIMALS);
    json_array(json, "phases");
    for (size_t i = 0; i < sheet.count; i++) {
        const struct long_events *phase = &sheet.phases[i];

        json_object(json, NULL);
        json_text(json, "phase", phase->phase);
        json_unsigned(json, "keys", phase->keys);
        json_unsigned(json, "long", phase->long_keys);
        json_number(json, "mean", in_keys(phase, phase->interarrival.mean), DECIMALS);
        json_number(json, "ratio", ratio_of(phase), DECIMALS);
        if (phase->random && phase->law.mean > 0) {
            put_law(json, phase);
        }
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

PLUGIN_OF(longevents, .order = 335, .show = show, .json = put);

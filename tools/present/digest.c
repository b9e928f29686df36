/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/number.h"
#include "tools/present/report_plugin.h"
#include "tools/stats/summary.h"

/* Writes a value: a length, a duration, or a plain number for any other unit. */
static void value_text(const struct view *view, const struct metric *metric, double value,
                       char text[AMOUNT_MAX])
{
    if (strcmp(metric->unit, UNIT_TICK) == 0) {
        span_text(view, value, text);
    } else if (strcmp(metric->unit, UNIT_NANOSECOND) == 0) {
        duration_text(value, text);
    } else {
        number_text(value, text);
    }
}

/* Returns the unit that the printed numbers lack, or NULL. */
static const char *unit_besides(const struct metric *metric)
{
    static const char *const none[] = {UNIT_TICK, UNIT_NANOSECOND, UNIT_COUNT, "1"};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (strcmp(metric->unit, none[i]) == 0) {
            return NULL;
        }
    }
    return metric->unit;
}

static void put_values(const struct view *view, const struct metric *metric, struct digest *digest)
{
    struct summary summary;

    summary_quantiles_of(metric->values, metric->n, &summary);
    digest->n = summary.n;
    if (summary.n == 0) {
        return;
    }
    value_text(view, metric, summary.median.value, digest->p50);
    if (summary.p99.reported) {
        value_text(view, metric, summary.p99.value, digest->p99);
    }
    if (summary.n > 1) {
        value_text(view, metric, summary.max, digest->max);
    }
}

void digest_law(const struct view *view, double law_ns, double rest_ns, char text[DIGEST_TEXT_MAX])
{
    char law[AMOUNT_MAX];
    char rest[AMOUNT_MAX];

    const double rest_ticks = rest_ns / view->ns_per_tick;
    const double tick = view->ticks_per_instruction;

    span_text(view, tick > 0 ? rint(rest_ticks / tick) * tick : rest_ticks, rest);
    snprintf(text, DIGEST_TEXT_MAX, "law %s + %s%s", duration_text(law_ns, law), rest,
             view->ticks_per_instruction > 0 ? " instructions" : "");
}

/* Makes the line of a bench whose device is modelled, which is no single number: the value nearest
 * to the median as law and instructions. Returns false if it has no value. */
static bool put_modelled(const struct view *view, const struct metric *metric,
                         struct digest *digest)
{
    char value[DIGEST_TEXT_MAX];
    struct summary summary;
    size_t at = 0;

    if (metric->n == 0 || view->ns_per_tick <= 0) {
        return false;
    }
    summary_quantiles_of(metric->values, metric->n, &summary);
    for (size_t i = 0; i < metric->n; i++) {
        if (fabs(metric->values[i] - summary.median.value) <
            fabs(metric->values[at] - summary.median.value)) {
            at = i;
        }
    }
    if (metric->law != NULL) {
        const double ns = strcmp(metric->unit, UNIT_NANOSECOND) == 0 ? 1 : view->ns_per_tick;

        digest_law(view, metric->law[at] * ns, (metric->values[at] - metric->law[at]) * ns, value);
    } else {
        value_text(view, metric, summary.median.value, value);
        strcat(value, ", law included");
    }
    snprintf(digest->text, sizeof(digest->text), "%.60s: %.80s", digest->what, value);
    return true;
}

static void put_metric(const struct view *view, const struct metrics *metrics,
                       const struct run_bench *bench, struct digest *digest)
{
    const struct metric *metric = metrics_main(metrics, bench);

    if (metric == NULL) {
        snprintf(digest->text, sizeof(digest->text), "%s",
                 bench->summary != NULL ? bench->summary : "");
        return;
    }
    const size_t prefix = (size_t)(strchr(metric->name, '.') - metric->name) + 1;

    const char *unit = unit_besides(metric);

    snprintf(digest->what, sizeof(digest->what), "%s%s%s", unit != NULL ? unit : "",
             unit != NULL ? ", " : "", metric->name + prefix);
    if (!metric->modelled || !put_modelled(view, metric, digest)) {
        put_values(view, metric, digest);
    }
}

void digest_of(const struct view *view, const struct metrics *metrics,
               const struct run_bench *bench, struct digest *digest)
{
    const struct report_plugin *plugin = NULL;

    *digest = (struct digest){0};
    if (bench->state == NULL || strcmp(bench->state, STATE_OK) != 0) {
        snprintf(digest->text, sizeof(digest->text), "%s",
                 bench->reason != NULL ? bench->reason : "no reason given");
        return;
    }
    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->digest != NULL && plugin->digest(view, bench, digest)) {
            return;
        }
    }
    put_metric(view, metrics, bench, digest);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/export_numbers.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/csv.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/run/run_kind.h"
#include "tools/run/series.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define BUFFER_BYTES   65536
#define DIGITS_MAX     20
#define LOOK_UP_EVERY  65536 /* samples between checks for an interruption */
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define FAMILY_MAX     64
#define BYTES_PER_MB   1e6
#define SECONDS_PER_NS 1e-9

/* Writes the fields that all lines of a series share: "BENCH,PASS,SERIES,UNIT,TIME,". */
static void put_series_fields(FILE *out, const struct run *run, const struct run_bench *bench,
                              const struct run_series *series)
{
    csv_field(out, bench->name);
    fprintf(out, ",%" PRIu32 ",", bench->pass);
    csv_field(out, series->name);
    fputc(',', out);
    csv_field(out, series->unit);
    fputc(',', out);
    csv_field(out, run_time_name(run));
    fputc(',', out);
}

/* ---- samples ---- */

/* the lines of one series, which all begin with the same text */
struct lines {
    FILE *out;
    char *prefix;
    size_t prefix_length;
    char *buffer; /* BUFFER_BYTES, and room for one more line */
    size_t used;
    uint64_t count;
};

static char *put_digits(char *at, uint64_t value)
{
    char digits[DIGITS_MAX];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* Adds a line. Returns false if the user interrupted. */
static bool put_line(struct lines *lines, uint32_t index, int64_t value)
{
    char *at = lines->buffer + lines->used;

    memcpy(at, lines->prefix, lines->prefix_length);
    at = put_digits(at + lines->prefix_length, index);
    *at++ = ',';
    if (value < 0) {
        *at++ = '-';
    }
    at = put_digits(at, value < 0 ? -(uint64_t)value : (uint64_t)value);
    *at++ = '\n';
    lines->used = (size_t)(at - lines->buffer);
    if (lines->used >= BUFFER_BYTES) {
        fwrite(lines->buffer, 1, lines->used, lines->out);
        lines->used = 0;
    }
    lines->count++;
    return lines->count % LOOK_UP_EVERY != 0 || !interrupt_seen();
}

static bool put_samples(struct lines *lines, const struct run_series *series)
{
    size_t before = 0;

    for (size_t r = 0; r < series->range_count; r++) {
        const struct run_range *range = &series->ranges[r];

        for (uint32_t i = 0; i < range->count; i++) {
            if (!put_line(lines, range->first + i, series->samples[before + i])) {
                return false;
            }
            if (lines->count % LOOK_UP_EVERY == 0) {
                samples_forget(series, before + i + 1 - LOOK_UP_EVERY, LOOK_UP_EVERY);
            }
        }
        before += range->count;
    }
    return true;
}

static bool put_series_samples(FILE *out, const struct run *run, const struct run_bench *bench,
                               const struct run_series *series)
{
    struct lines lines = {.out = out};
    FILE *prefix = open_memstream(&lines.prefix, &lines.prefix_length);

    put_series_fields(prefix, run, bench, series);
    fclose(prefix);
    lines.buffer = alloc_zeroed(BUFFER_BYTES + lines.prefix_length + 2 * DIGITS_MAX + 4);
    const bool done = put_samples(&lines, series);

    fwrite(lines.buffer, 1, lines.used, out);
    free(lines.buffer);
    free(lines.prefix);
    return done;
}

bool export_csv_samples(FILE *out, const struct run *run, const char *bench)
{
    fputs("bench,pass,series,unit,time,index,value\n", out);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *wanted = &run->benches[i];

        for (size_t k = 0; k < wanted->series_count && run_bench_is(wanted, bench); k++) {
            if (!put_series_samples(out, run, wanted, &wanted->series[k])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- summaries ---- */

static void put_integer(FILE *out, bool present, int64_t value)
{
    if (present) {
        fprintf(out, "%" PRId64, value);
    }
    fputc(',', out);
}

static void put_number(FILE *out, bool present, double value, char end)
{
    char text[SHORTEST_MAX];

    if (present && isfinite(value)) {
        fputs(shortest_digits(value, text), out);
    }
    fputc(end, out);
}

/* Quantiles as integers of the run file, which summary.h would round as doubles. */
struct quantiles {
    int64_t p90, p9999;
    int64_t low, high; /* interval of the median, if it has one */
};

static void quantiles_of(const int64_t *samples, size_t n, const struct summary_quantile *median,
                         struct quantiles *quantiles)
{
    int64_t *sorted = alloc_zeroed((n + 1) * sizeof(*sorted));

    *quantiles = (struct quantiles){0};
    if (n > 0) {
        memcpy(sorted, samples, n * sizeof(*sorted));
        sort_integers(sorted, n);
        quantiles->p90 = statistics_quantile(sorted, n, 90, 100);
        quantiles->p9999 = statistics_quantile(sorted, n, 9999, 10000);
    }
    if (median->has_interval) {
        quantiles->low = sorted[median->low_rank - 1];
        quantiles->high = sorted[median->high_rank - 1];
    }
    free(sorted);
}

static void put_summary(FILE *out, const struct run_series *series)
{
    struct statistics statistics;
    struct summary summary = {0};
    struct quantiles quantiles;
    double *values = alloc_zeroed((series->received + 1) * sizeof(*values));

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i];
    }
    statistics_of(series->samples, series->received, &statistics);
    summary_of(values, series->received, &summary);
    quantiles_of(series->samples, series->received, &summary.median, &quantiles);
    const bool any = statistics.n > 0;

    fprintf(out, "%zu,%zu,", statistics.n, series->n - series->received);
    put_integer(out, any, statistics.min);
    put_integer(out, any, statistics.median);
    put_integer(out, any && summary.p90.reported, quantiles.p90);
    put_integer(out, statistics.has_p99, statistics.p99);
    put_integer(out, statistics.has_p999, statistics.p999);
    put_integer(out, any && summary.p9999.reported, quantiles.p9999);
    put_integer(out, any, statistics.max);
    put_integer(out, summary.median.has_interval, quantiles.low);
    put_integer(out, summary.median.has_interval, quantiles.high);
    put_number(out, any, summary.mean, ',');
    put_number(out, any, summary.deviation, ',');
    put_number(out, any, summary.mad, '\n');
    free(values);
}

bool export_csv_summaries(FILE *out, const struct run *run, const char *bench)
{
    fputs("bench,pass,series,unit,time,n,missing,min,median,p90,p99,p999,p9999,max,"
          "median_low,median_high,mean,deviation,mad\n",
          out);
    for (size_t i = 0; i < run->bench_count && !interrupt_seen(); i++) {
        const struct run_bench *wanted = &run->benches[i];

        for (size_t k = 0; k < wanted->series_count && run_bench_is(wanted, bench); k++) {
            put_series_fields(out, run, wanted, &wanted->series[k]);
            put_summary(out, &wanted->series[k]);
        }
    }
    return !interrupt_seen();
}

/* ---- OpenMetrics ---- */

/* The family of metrics for values of a unit, such as "tare_duration_seconds" with unit "seconds".
 */
struct family {
    char name[FAMILY_MAX];
    char unit[FAMILY_MAX];
    double scale;   /* factor from the metric's unit to the family's */
    bool is_signed; /* has negative values, which a summary of OpenMetrics cannot have */
};

static void set_family(struct family *family, const char *base, const char *unit, double scale)
{
    snprintf(family->unit, sizeof(family->unit), "%s", unit);
    snprintf(family->name, sizeof(family->name), "tare_%s%.20s_%.30s",
             family->is_signed ? "signed_" : "", base, unit);
    family->scale = scale;
}

/* Returns the unit for values in ticks, "seconds", "instructions" or "ticks", and their factor. */
static const char *tick_unit(const struct metrics *metrics, double *scale)
{
    if (metrics->ticks_per_instruction > 0) {
        *scale = 1 / metrics->ticks_per_instruction;
        return "instructions";
    }
    if (metrics->ns_per_tick > 0) {
        *scale = metrics->ns_per_tick * SECONDS_PER_NS;
        return "seconds";
    }
    *scale = 1;
    return "ticks";
}

/* Sets the family for a unit that has none: letters and digits of its name, all other characters as
 * '_'. */
static void set_other_family(struct family *family, const char *unit)
{
    char name[FAMILY_MAX / 2];
    size_t length = 0;

    for (; *unit != '\0' && length + 1 < sizeof(name); unit++) {
        name[length++] = isalnum((unsigned char)*unit) ? (char)tolower((unsigned char)*unit) : '_';
    }
    name[length] = '\0';
    set_family(family, "value", name, 1);
}

static void unit_family_of(const struct metrics *metrics, const struct metric *metric,
                           struct family *family)
{
    const bool exact = metrics->ticks_per_instruction > 0;
    const struct {
        const char *unit;
        const char *base;
        const char *name;
        double scale;
    } known[] = {
        {UNIT_NANOSECOND, "duration", exact ? "virtual_seconds" : "seconds", SECONDS_PER_NS},
        {UNIT_MICROSECOND, "duration", exact ? "virtual_seconds" : "seconds", 1e-6},
        {"ms", "duration", exact ? "virtual_seconds" : "seconds", 1e-3},
        {"s", "duration", exact ? "virtual_seconds" : "seconds", 1},
        {UNIT_MB_PER_S, "throughput", "bytes_per_second", BYTES_PER_MB},
        {"B/instruction", "throughput", "bytes_per_instruction", 1},
        {UNIT_B, "size", "bytes", 1},
        {UNIT_HZ, "frequency", "hertz", 1},
        {UNIT_COUNT, "value", "events", 1},
        {"%", "share", "ratio", 0.01},
        {UNIT_PPM, "share", "ratio", 1e-6},
    };
    const char *unit = metric->unit != NULL ? metric->unit : "none";
    double scale;

    if (strcmp(unit, UNIT_TICK) == 0) {
        const char *ticks = tick_unit(metrics, &scale);

        set_family(family, "duration", ticks, scale);
        return;
    }
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(unit, known[i].unit) == 0) {
            set_family(family, known[i].base, known[i].name, known[i].scale);
            return;
        }
    }
    set_other_family(family, unit);
}

static bool has_negative(const struct metric *metric)
{
    size_t i = 0;

    while (i < metric->n && metric->values[i] >= 0) {
        i++;
    }
    return i < metric->n;
}

/* ---- texts ---- */

static void put_escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);

        if (length == 0) {
            fputs("\xef\xbf\xbd", out); /* U+FFFD */
        } else if (*text == '\n') {
            fputs("\\n", out);
        } else if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
}

/* Writes a label unless its value is NULL. */
static void put_label(FILE *out, bool *any, const char *name, const char *value)
{
    if (value == NULL) {
        return;
    }
    fprintf(out, "%c%s=\"", *any ? ',' : '{', name);
    put_escaped(out, value);
    fputc('"', out);
    *any = true;
}

struct context {
    FILE *out;
    const struct metrics *metrics;
    const bool *negative; /* by metric: has negative values */
    const char *bench;
};

/* Writes "NAMESUFFIX{bench=...,pass=...,series=...,metric=...,kind=...,EXTRA="VALUE"} ". */
static void put_sample(const struct context *context, const char *name, const char *suffix,
                       const struct metric *metric, const char *extra, const char *value)
{
    FILE *const out = context->out;
    char pass[16];
    bool any = false;

    snprintf(pass, sizeof(pass), "%" PRIu32, metric->pass);
    fprintf(out, "%s%s", name, suffix);
    put_label(out, &any, "bench", metric->bench);
    put_label(out, &any, "pass", pass);
    put_label(out, &any, "series", metric->series);
    put_label(out, &any, "metric", metric->name);
    put_label(out, &any, "kind", run_time_name(context->metrics->run));
    put_label(out, &any, extra, extra != NULL ? value : NULL);
    fputs("} ", out);
}

static void put_head(FILE *out, const char *name, const char *type, const char *unit,
                     const char *help)
{
    fprintf(out, "# TYPE %s %s\n", name, type);
    if (unit != NULL) {
        fprintf(out, "# UNIT %s %s\n", name, unit);
    }
    fprintf(out, "# HELP %s %s\n", name, help);
}

/* ---- the run ---- */

static void put_info(FILE *out, const struct run *run, bool valid)
{
    static const struct {
        const char *label;
        const char *key;
    } machine[] = {{"machine", FACT_CPU_BRAND}, {"firmware", FACT_FIRMWARE_VENDOR}},
      info[] = {{"hypervisor", INFO_HYPERVISOR}, {"version", INFO_VERSION}, {"date", INFO_DATE}};
    bool any = false;

    put_head(
        out, "tare_run_info", "gauge", NULL,
        "The run: its machine and its time base (exact counts instructions; exact, shared also "
        "those of others).");
    fputs("tare_run_info", out);
    put_label(out, &any, "verdict", valid ? "VALID" : "INVALID");
    for (size_t i = 0; i < COUNT(machine); i++) {
        put_label(out, &any, machine[i].label, run_pair_value(&run->machine, machine[i].key));
    }
    put_label(out, &any, "kind", run_time_name(run));
    for (size_t i = 0; i < COUNT(info); i++) {
        put_label(out, &any, info[i].label, run_pair_value(&run->info, info[i].key));
    }
    fputs("} 1\n", out);
    put_head(out, "tare_run_valid", "gauge", NULL, "Whether the run's numbers can be trusted.");
    fprintf(out, "tare_run_valid %d\n", valid);
}

/* Writes the date. A date without the Z is local time in an unknown zone and is not written. */
static void put_date(FILE *out, const struct run *run)
{
    const char *date = run_pair_value(&run->info, INFO_DATE);
    struct tm tm = {0};

    if (date == NULL || strptime(date, "%Y-%m-%dT%H:%M:%SZ", &tm) == NULL) {
        return;
    }
    put_head(out, "tare_run_date_seconds", "gauge", "seconds",
             "When the run took place, by the machine's clock, in seconds since 1970.");
    fprintf(out, "tare_run_date_seconds %lld\n", (long long)timegm(&tm));
}

/* ---- metrics ---- */

static bool is_wanted(const struct context *context, const struct metric *metric)
{
    const struct run_bench bench = {.name = metric->bench, .pass = metric->pass};

    return run_bench_is(&bench, context->bench);
}

/* Metrics with negative values are in families of gauges. */
static void family_of(const struct context *context, size_t metric, struct family *family)
{
    family->is_signed = context->negative[metric];
    unit_family_of(context->metrics, &context->metrics->item[metric], family);
}

/* Only samples of summaries may have the label "quantile". */
static void put_quantile(const struct context *context, const struct family *family,
                         const struct metric *metric, const char *quantile, bool reported,
                         double value)
{
    if (reported) {
        put_sample(context, family->name, "", metric, family->is_signed ? "level" : "quantile",
                   quantile);
        fprintf(context->out, "%.12g\n", value * family->scale);
    }
}

/* Writes the summary of a metric. If only the first of its events were kept, least and greatest are
 * unknown and left out. */
static void put_length_summary(const struct context *context, const struct family *family,
                               const struct metric *metric)
{
    struct summary summary = {0};

    summary_of(metric->values, metric->n, &summary);
    if (summary.n > 0) {
        put_quantile(context, family, metric, "0", metric->unkept == 0, summary.min);
        put_quantile(context, family, metric, "0.5", true, summary.median.value);
        put_quantile(context, family, metric, "0.9", summary.p90.reported, summary.p90.value);
        put_quantile(context, family, metric, "0.99", summary.p99.reported, summary.p99.value);
        put_quantile(context, family, metric, "0.999", summary.p999.reported, summary.p999.value);
        put_quantile(context, family, metric, "0.9999", summary.p9999.reported,
                     summary.p9999.value);
        put_quantile(context, family, metric, "1", metric->unkept == 0, summary.max);
    }
    if (family->is_signed) {
        return;
    }
    if (summary.n > 0) {
        put_sample(context, family->name, "_sum", metric, NULL, NULL);
        fprintf(context->out, "%.12g\n", summary.mean * (double)summary.n * family->scale);
    }
    put_sample(context, family->name, "_count", metric, NULL, NULL);
    fprintf(context->out, "%zu\n", summary.n);
}

/* Returns whether the metric has values, or could have some. */
static bool has_values(const struct context *context, const struct metric *metric)
{
    return is_wanted(context, metric) && !metric->counted_only;
}

/* Writes all metrics of the family of metric `first`, if that is the first one of its family. */
static void put_family(const struct context *context, size_t first)
{
    const struct metrics *metrics = context->metrics;
    struct family family = {0};
    struct family other = {0};
    char help[200];

    family_of(context, first, &family);
    for (size_t i = 0; i < first; i++) {
        family_of(context, i, &other);
        if (has_values(context, &metrics->item[i]) && strcmp(other.name, family.name) == 0) {
            return;
        }
    }
    snprintf(help, sizeof(help),
             "Values of a series in %s; quantiles 0 and 1 are min and max, all are "
             "values that occurred.",
             family.unit);
    put_head(context->out, family.name, family.is_signed ? "gauge" : "summary", family.unit, help);
    for (size_t i = first; i < metrics->count; i++) {
        family_of(context, i, &other);
        if (has_values(context, &metrics->item[i]) && strcmp(other.name, family.name) == 0) {
            put_length_summary(context, &other, &metrics->item[i]);
        }
    }
}

/* ---- rare events ---- */

static bool is_rare(const struct context *context, const struct metric *metric)
{
    return metric->observed > 0 && is_wanted(context, metric);
}

static void put_observed(const struct context *context, const char *unit, double scale)
{
    char name[FAMILY_MAX];

    snprintf(name, sizeof(name), "tare_observed_%s", unit);
    put_head(context->out, name, "gauge", unit, "How long the bench looked for rare events.");
    for (size_t i = 0; i < context->metrics->count; i++) {
        const struct metric *metric = &context->metrics->item[i];

        if (is_rare(context, metric)) {
            put_sample(context, name, "", metric, NULL, NULL);
            fprintf(context->out, "%.12g\n", metric->observed * scale);
        }
    }
}

static void put_bound(const struct context *context, const char *name, const struct metric *metric,
                      const char *bound, double value)
{
    put_sample(context, name, "", metric, "bound", bound);
    fprintf(context->out, "%.6g\n", value);
}

/* Writes the rates. If no event came, only the upper bound is written. */
static void put_rates(const struct context *context, const char *per, double scale)
{
    char name[FAMILY_MAX];
    char unit[FAMILY_MAX / 2];

    snprintf(unit, sizeof(unit), "per_%s", per);
    snprintf(name, sizeof(name), "tare_event_rate_%s", unit);
    put_head(context->out, name, "gauge", unit,
             "Rate of rare events, with 95 % bounds; without any event, only the upper bound.");
    for (size_t i = 0; i < context->metrics->count; i++) {
        const struct metric *metric = &context->metrics->item[i];
        struct summary_rate rate;

        if (!is_rare(context, metric)) {
            continue;
        }
        summary_rate_of(metric->n + metric->unkept, metric->observed * scale, &rate);
        if (rate.events > 0) {
            put_bound(context, name, metric, "none", rate.rate);
            put_bound(context, name, metric, "low", rate.low);
        }
        put_bound(context, name, metric, "high", rate.high);
    }
}

static void put_rare(const struct context *context)
{
    double scale;
    const char *unit = tick_unit(context->metrics, &scale);

    if (SEARCH_ANY(i, context->metrics->count, is_rare(context, &context->metrics->item[i]))) {
        put_observed(context, unit, scale);
        put_rates(context,
                  strcmp(unit, "seconds") == 0        ? "second"
                  : strcmp(unit, "instructions") == 0 ? UNIT_INSTRUCTION
                                                      : UNIT_TICK,
                  scale);
    }
}

void openmetrics(FILE *out, const struct run *run, const struct metrics *metrics,
                 const struct run_texts *reasons, const char *bench)
{
    bool *negative = alloc_zeroed(metrics->count * sizeof(*negative) + 1);
    const struct context context = {out, metrics, negative, bench};

    for (size_t i = 0; i < metrics->count; i++) {
        negative[i] = has_negative(&metrics->item[i]);
    }
    put_info(out, run, reasons->count == 0);
    put_date(out, run);
    for (size_t i = 0; i < metrics->count; i++) {
        if (has_values(&context, &metrics->item[i])) {
            put_family(&context, i);
        }
    }
    put_rare(&context);
    fputs("# EOF\n", out);
    free(negative);
}

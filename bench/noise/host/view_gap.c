/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints benches `gap` and `selfish`: duty cycle, rate, largest gaps, histogram, and the readings
 * before noise.stop_us ended a bench. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/sensitivity.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define LARGEST_GAPS 10
#define PLOT_ROWS    10 /* and two lines for the axis */
#define PLOT_LEFT    13 /* columns before the plot of chart_labelled() */
#define PLOT_WIDE    24 /* columns of a plot that has room for labels at both ends */

struct gap {
    int64_t time;
    int64_t length;
    bool has_smis;
    int64_t smis; /* SMIs since the previous gap above the threshold */
};

static void print_fact(const struct view *view, const struct run_bench *bench, const char *name,
                       const char *label)
{
    const struct run_fact *fact = run_find_fact(bench, name);
    char text[AMOUNT_MAX];

    if (fact != NULL) {
        fprintf(view->out, "  %-13s %s\n", label, amount_text(view, fact->value, fact->unit, text));
    }
}

static void print_duty(const struct view *view, const struct run_bench *bench)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);
    const struct run_fact *dead = run_find_fact(bench, FACT_DEAD);
    char text[AMOUNT_MAX];

    fputc('\n', view->out);
    print_fact(view, bench, FACT_GAP_ELAPSED, "elapsed");
    if (elapsed != NULL && dead != NULL && elapsed->value > 0) {
        char share[NUMBER_MAX];

        fprintf(view->out, "  %-13s %s, dead time %s\n", "duty cycle",
                share_text(1 - (double)dead->value / (double)elapsed->value, share),
                amount_text(view, dead->value, dead->unit, text));
    }
    print_fact(view, bench, FACT_READS, "readings");
    print_fact(view, bench, FACT_SMALLEST, "smallest gap");
    print_fact(view, bench, FACT_THRESHOLD, "threshold");
}

/* Prints how often and how much: the answer to the question of bench gap. */
static void print_answer(const struct view *view, const struct run_bench *bench)
{
    const double watched = gap_watched(bench);
    const double seconds = watched * view->ns_per_tick / 1e9;
    struct gap_totals totals;
    char finds[SENSITIVITY_TEXT_MAX];
    char texts[4][AMOUNT_MAX];
    char *answer;

    if (!gap_totals_of(bench, &totals)) {
        return;
    }
    if (seconds > 0 && totals.count == 0) {
        /* the rule of three: no event in time T bounds the rate below 3/T with 95 % confidence */
        answer =
            text_format("no gap above the threshold in %s, so fewer than %s per s (95 %% "
                        "confidence); %s",
                        duration_text(1e9 * seconds, texts[0]), number_text(3 / seconds, texts[1]),
                        sensitivity_text_of(view, bench, finds));
    } else if (seconds > 0) {
        answer = text_format(
            "gaps above the threshold: %" PRIu64
            " in %s: %s per s; %s%s of the time lost (%s a second)",
            totals.count, duration_text(1e9 * seconds, texts[0]),
            number_text((double)totals.count / seconds, texts[1]),
            totals.is_exact ? "" : "at least ", share_text((double)totals.sum / watched, texts[2]),
            duration_text((double)totals.sum * view->ns_per_tick / seconds, texts[3]));
    } else {
        answer = text_format("gaps above the threshold: %" PRIu64, totals.count);
    }
    print_labelled(view->out, "answer", answer);
    free(answer);
}

/* Prints how many gaps are not in the lists. */
static void print_rest(const struct view *view, const struct gap_totals *totals, uint32_t first,
                       uint32_t largest)
{
    char text[AMOUNT_MAX];

    if (totals->rest == 0) {
        return;
    }
    if (!totals->is_exact) {
        print_paragraph(view->out,
                        "only the first %u gaps were kept (gap.keep): all that follows, except the "
                        "histogram, covers only these",
                        first);
        return;
    }
    print_paragraph(
        view->out,
        "kept: the first %u (gap.keep) and the %u largest of the others "
        "(gap.keep_largest). The rest, %" PRIu64
        " shorter gaps, is %s in total; numbers, rates and the largest gap cover all gaps",
        first, largest, totals->rest, amount_text(view, totals->rest_sum, UNIT_TICK, text));
}

/* Warns if a gap longer than the largest may have been missed in the dead time. */
static void print_blind(const struct view *view, const struct gap_totals *totals)
{
    char text[AMOUNT_MAX];

    if (totals->count > 0 && totals->unseen_greatest > totals->greatest) {
        print_paragraph(view->out,
                        "a gap of up to %s may have been missed while another gap was written "
                        "down; that exceeds the largest gap, so a longer one is possible",
                        amount_text(view, totals->unseen_greatest, UNIT_TICK, text));
    }
}

static size_t add_gaps(struct gap *gaps, size_t count, const struct gap_series *series)
{
    struct run_walk walk = {.series = series->smis};

    for (uint32_t i = 0; series->length != NULL && i < series->length->n; i++, count++) {
        gaps[count].time = series->time->samples[i];
        gaps[count].length = series->length->samples[i];
        gaps[count].has_smis = series->smis != NULL && run_walk_to(&walk, i, &gaps[count].smis);
    }
    return count;
}

/* Prints the largest gaps of both lists. If some gaps were not kept, only as many of them are
 * certain as the second list has. */
static void print_largest(const struct view *view, const struct gap_series *first,
                          const struct gap_series *worst, bool some_left_out)
{
    const bool smis = first->smis != NULL;
    const size_t more = worst->length != NULL ? worst->length->n : 0;
    struct gap *gaps = alloc_zeroed((first->length->n + more) * sizeof(*gaps));
    const size_t count = add_gaps(gaps, add_gaps(gaps, 0, first), worst);
    const size_t known = some_left_out ? more : count;
    struct table table;

    sort_by(gaps, count, sizeof(*gaps), offsetof(struct gap, length), true);
    table_open(&table, smis ? "rrrr" : "rrr", "largest at\tticks\tlength\tSMIs");
    for (size_t i = 0; i < known && i < LARGEST_GAPS; i++) {
        table_row(&table);
        cell_amount(&table, view, true, gaps[i].time);
        table_signed(&table, gaps[i].length);
        cell_amount(&table, view, true, gaps[i].length);
        if (smis) {
            table_known(&table, gaps[i].has_smis, gaps[i].smis);
        }
    }
    free(gaps);
    view_table(view, &table);
}

/* Prints a line such as "SMIs: 3 by MSR 34h, 3 provoked; 2 gaps hold one or more (longest 44.00
 * us)". */
static void print_smis(const struct view *view, const struct run_bench *bench,
                       const struct gap_smis *smis)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const struct run_fact *provoked = run_find_fact(bench, FACT_SMI_PROVOKED);
    char longest[AMOUNT_MAX];
    char number[64] = "their number is not in the log";
    char by_will[64] = "";
    char gaps[160] = "";

    if (counted == NULL && smis->series == NULL) {
        return;
    }
    if (counted != NULL) {
        snprintf(number, sizeof(number), "%" PRId64 " by MSR 34h", counted->value);
    }
    if (provoked != NULL) {
        snprintf(by_will, sizeof(by_will), ", %" PRId64 " provoked", provoked->value);
    }
    if (smis->gaps > 0) {
        snprintf(gaps, sizeof(gaps), "; %s%zu gap%s one or more (longest %s)",
                 smis->whole ? "" : "at least ", smis->gaps, smis->gaps == 1 ? " holds" : "s hold",
                 amount_text(view, smis->longest, UNIT_TICK, longest));
    } else if (smis->series != NULL) {
        snprintf(gaps, sizeof(gaps), "; no gap %sholds one",
                 smis->whole                ? ""
                 : gap_unkept_of(bench) > 0 ? "that was kept "
                                            : "that arrived ");
    }
    char text[sizeof(number) + sizeof(by_will) + sizeof(gaps)];

    snprintf(text, sizeof(text), "%s%s%s", number, by_will, gaps);
    fputs("\n  SMIs: ", view->out);
    print_wrapped(view->out, text, strlen("  SMIs: "), 4);
}

/* Prints the histogram as a plot: its height is the logarithm of the count, and a column stands for
 * as many ranges of lengths as the width of the terminal requires. */
static void print_histogram(const struct view *view, const struct run_series *bound,
                            const struct run_series *count)
{
    const size_t room = terminal_width() - PLOT_LEFT;
    const size_t each = (count->n + room - 1) / room;
    const size_t columns = (count->n + each - 1) / each;
    double *heights = alloc_zeroed(columns * sizeof(*heights));
    const char *labels[PLOT_ROWS + 1] = {"0"};
    char most[NUMBER_MAX];
    char from[AMOUNT_MAX];
    char to[AMOUNT_MAX];
    double largest = 1;

    for (size_t i = 0; i < count->n; i++) {
        heights[i / each] += (double)count->samples[i];
    }
    for (size_t i = 0; i < columns; i++) {
        largest = heights[i] > largest ? heights[i] : largest;
    }
    for (size_t i = 0; i < columns; i++) {
        heights[i] = log1p(heights[i]) / log1p(largest);
    }
    labels[PLOT_ROWS] = number_si(largest, "", most);
    print_paragraph(
        view->out,
        "histogram of all gaps by length%s; the height is the logarithm of the count, and "
        "--samples " BENCH_GAP "/" SERIES_HISTOGRAM_COUNT " prints all %" PRIu32 " counts",
        span_note(view), count->n);
    fputc('\n', view->out);
    chart_labelled(view->out, heights, columns, labels, PLOT_ROWS);
    span_text(view, (double)bound->samples[0], from);
    span_text(view, (double)bound->samples[count->n - 1], to);
    fprintf(view->out, "%*s%s%s%*s\n", PLOT_LEFT, "", from, columns > PLOT_WIDE ? "" : " to ",
            columns > PLOT_WIDE ? (int)(columns - strlen(from)) : 0, to);
    free(heights);
}

static void print_gaps(const struct view *view, const struct run_bench *bench)
{
    struct gap_totals totals;
    struct gap_series first;
    struct gap_series worst;

    if (!gap_totals_of(bench, &totals)) {
        fputs("\n  no list of gaps: samples are missing\n", view->out);
        return;
    }
    if (gap_holds_loop(bench)) {
        print_paragraph(view->out, "the threshold is below two passes of the loop, so the gaps are "
                                   "the loop itself; raise gap.threshold_ns");
    }
    print_blind(view, &totals);
    if (!gap_series_of(bench, GAP_FIRST, &first)) {
        fputs("\n  no list of gaps: samples are missing\n", view->out);
        return;
    }
    gap_series_of(bench, GAP_WORST, &worst);
    print_rest(view, &totals, first.length->n, worst.length != NULL ? worst.length->n : 0);
    if (first.length->n > 0) {
        print_largest(view, &first, &worst, totals.is_exact && totals.rest > 0);
    }
}

void view_gap(const struct view *view, const struct run_bench *bench)
{
    const struct run_series *bound = run_find_whole(bench, SERIES_HISTOGRAM_BOUND);
    const struct run_series *count = run_find_whole(bench, SERIES_HISTOGRAM_COUNT);
    struct gap_smis smis;

    gap_smis_of(bench, &smis);
    print_duty(view, bench);
    print_gaps(view, bench);
    view_team(view, bench);
    view_causes(view, bench);
    view_flight(view, bench);
    view_periods(view, bench);
    print_smis(view, bench, &smis);
    if (bound != NULL && count != NULL && bound->n == count->n && count->n > 0) {
        print_histogram(view, bound, count);
    } else {
        fputs("\n  no histogram: samples are missing\n", view->out);
    }
}

PLUGIN_OF(gap, .order = 200, .show = view_gap, .answer = print_answer,
          .shows_fact = team_shows_fact);

/* ---- bench selfish: the gaps on each processor, which netgauge calls detours ---- */

static void print_detours(const struct view *view, const struct run_bench *bench)
{
    struct gap_names names = gap_names_of(bench);
    struct team_rows rows;
    struct table table;
    char finds[SENSITIVITY_TEXT_MAX];
    bool none = true;

    team_rows_of(bench, &rows);
    table_open(
        &table, "rrrrrrr",
        "CPU\tshortest reading\tthreshold\tgaps\tlost in total\tlongest gap\tgaps above 1 us");
    for (size_t i = 0; i < rows.count; i++) {
        const struct team_row *row = &rows.row[i];

        none = none && row->known && row->over == 0;
        table_line(&table, "%" PRIu64, row->number);
        if (!row->known) {
            continue;
        }
        gap_names_take(&names, i);
        const struct run_fact *over = gap_fact_for(&names, FACT_OVER_1US);

        cell_amount(&table, view, true, row->smallest);
        cell_amount(&table, view, true, row->threshold);
        table_signed(&table, (int64_t)row->over);
        cell_amount(&table, view, true, row->stolen);
        cell_amount(&table, view, row->over > 0, row->largest);
        table_known(&table, over != NULL, over != NULL ? over->value : 0);
    }
    view_table(view, &table);
    if (none) {
        print_paragraph(view->out, "no gap above the threshold; %s",
                        sensitivity_text_of(view, bench, finds));
    }
    team_rows_free(&rows);
}

static void view_selfish(const struct view *view, const struct run_bench *bench)
{
    print_detours(view, bench);
    view_team(view, bench);
    view_causes(view, bench);
    view_flight(view, bench);
}

PLUGIN_OF(selfish, .order = 205, .show = view_selfish, .place = PLUGIN_FOR_SERIES,
          .shows_fact = team_shows_fact);

/*
 * The flight recorder of a bench that noise.stop_us ended: the processor that stopped it and the
 * last readings of each processor, as a table, a figure and JSON. Times are ticks after the
 * processor's origin.
 */

#define SECTION   "Noise"
#define TICKS_MAX (INT64_C(1) << 60)

/* The readings of one processor. */
struct recording {
    uint64_t number;
    /* ticks of each reading; negative: nothing was watched for that time */
    const struct run_series *readings;
    int64_t end;     /* end of the last reading */
    int64_t covered; /* sum of all readings in ticks */
    int64_t longest;
};

/* Returns false if the processor has no readings or they are damaged. */
static bool recording_of(struct gap_names *names, size_t index, struct recording *recording)
{
    const bool has_number = gap_names_take(names, index);
    const struct run_series *readings = gap_series_for(names, SERIES_FLIGHT);
    const struct run_fact *end = gap_fact_for(names, FACT_FLIGHT_END);

    if (!has_number || end == NULL || readings == NULL || !run_series_whole(readings)) {
        return false;
    }
    *recording =
        (struct recording){.number = names->number, .readings = readings, .end = end->value};
    for (size_t i = 0; i < readings->n; i++) {
        const int64_t reading = readings->samples[i];

        if (reading <= -TICKS_MAX || reading >= TICKS_MAX ||
            llabs(reading) > TICKS_MAX - recording->covered) {
            return false;
        }
        recording->covered += llabs(reading);
        recording->longest = reading > recording->longest ? reading : recording->longest;
    }
    return true;
}

void view_flight(const struct view *view, const struct run_bench *bench)
{
    struct gap_names names = gap_names_of(bench);
    const struct run_fact *by = run_find_fact(bench, FACT_STOPPED_BY);
    struct table table;
    char at[AMOUNT_MAX];
    char text[AMOUNT_MAX];

    if (by == NULL) {
        return;
    }
    print_paragraph(
        view->out, "stopped by processor %" PRId64 ": it was away for %s, %s after its origin",
        by->value, amount_text(view, run_fact_or(bench, FACT_STOPPED_LENGTH, 0), UNIT_TICK, text),
        amount_text(view, run_fact_or(bench, FACT_STOPPED_AT, 0), UNIT_TICK, at));
    table_open(&table, "rrrrr", "CPU\tlast readings\tcovering\tlongest\tuntil");
    for (size_t i = 0; i < gap_names_count(&names); i++) {
        struct recording recording;

        if (!recording_of(&names, i, &recording)) {
            continue;
        }
        table_line(&table, "%" PRIu64 "\t%" PRIu32, recording.number, recording.readings->n);
        cell_amount(&table, view, true, recording.covered);
        cell_amount(&table, view, true, recording.longest);
        cell_amount(&table, view, true, recording.end);
    }
    view_table(view, &table);
}

/* ---- figure ---- */

static void add_recording(struct figure *figure, const struct recording *recording,
                          const struct figure_scale *x, const struct figure_scale *y)
{
    char name[AMOUNT_MAX];
    struct figure_series *series =
        figure_add_series(figure, processor_text(recording->number, name));
    int64_t time = recording->end - recording->covered;

    for (size_t i = 0; i < recording->readings->n; i++) {
        const int64_t reading = recording->readings->samples[i];

        if (reading > 0) {
            figure_add_point(series, (double)time * x->per_tick, (double)reading * y->per_tick);
        }
        time += llabs(reading);
    }
}

static void flight_figures(struct figures *figures, const struct run *run,
                           const struct run_bench *bench)
{
    struct gap_names names = gap_names_of(bench);
    struct figure *figure = NULL;
    struct figure_scale x;
    struct figure_scale y;

    for (size_t i = 0; i < gap_names_count(&names); i++) {
        struct recording recording;

        if (!recording_of(&names, i, &recording)) {
            continue;
        }
        if (figure == NULL) {
            x = figure_time_scale(run, (double)recording.end);
            y = figure_length_scale(run, (double)recording.longest);
            figure = figure_add(figures, FIGURE_POINTS, SECTION, "readings before the stop",
                                "%s-flight", bench->name);
            figure_axes(figure, figure_time_label(run), x.unit, "time between two readings",
                        y.unit);
            figure->y.logarithmic = true;
            figure_how(figure, "The last readings of each processor before noise.stop_us ended the "
                               "bench; a processor without points took no readings");
        }
        add_recording(figure, &recording, &x, &y);
    }
}

/* ---- JSON ---- */

static void flight_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct run_fact *by = run_find_fact(bench, FACT_STOPPED_BY);

    (void)run;
    if (by == NULL) {
        json_null(json, "stopped");
        return;
    }
    json_object(json, "stopped");
    json_signed(json, "by", by->value);
    json_signed(json, "at_ticks", run_fact_or(bench, FACT_STOPPED_AT, 0));
    json_signed(json, "length_ticks", run_fact_or(bench, FACT_STOPPED_LENGTH, 0));
    json_close(json);
}

PLUGIN_REGISTER(gap_flight) = {
    .bench = BENCH_GAP, .order = 245, .bench_figures = flight_figures, .json = flight_json};
PLUGIN_REGISTER(selfish_flight) = {
    .bench = BENCH_SELFISH, .order = 245, .bench_figures = flight_figures, .json = flight_json};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the state of a run in progress for `tare watch` (live.h). */
#include "tools/show/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/live_board.h"
#include "kernel/run/names.h"
#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/run/run_kind.h"
#include "tools/trace/account_check.h"

#define NAME_WIDTH  20
#define BENCH_WIDTH 10
#define BAR_WIDTH   14
#define BLANK_ROWS  4 /* rows of the view of a watch besides live_board_lines() */
#define ABOVE_ROWS  4 /* what is known of the run */
#define TEXT_MAX    32
#define PERCENT     100

/* ---- noise ---- */

/* A live_put whose context is the stream. */
static void put_line(void *context, enum live_line kind, const char *line)
{
    if (kind <= LIVE_SENTENCE) {
        print_wrapped(context, line, 0, 0);
    } else {
        fprintf(context, "%s\n", line);
    }
    fputs(kind <= LIVE_TOTALS ? "\n" : "", context);
}

static struct live_board board_of(const struct live_noise *noise, const struct run *run)
{
    return (struct live_board){.lane = noise->lane, .count = noise->count, .hz = run->verdict.hz};
}

void live_noise_view(FILE *out, const struct live_noise *noise, const struct run *run, size_t rows)
{
    struct live_board board = board_of(noise, run);
    char progress[LIVE_LINE_MAX], left[LIVE_LINE_MAX];
    const struct live_gaps *first = &noise->lane[0].gaps;

    board.blocks = chart_has_blocks();
    board.rows = rows > BLANK_ROWS ? rows - BLANK_ROWS : 0;
    live_progress_text(&board, progress, left);
    fprintf(out, "%s: %s%s%s  ", noise->bench, progress, left[0] != '\0' ? ", " : "", left);
    if (first->total > 0) {
        chart_bar(out, live_percent(first->elapsed, first->total) / PERCENT, BAR_WIDTH);
    }
    fputs("\n\n", out);
    live_board_lines(&board, put_line, out);
}

double live_percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? PERCENT * (double)part / (double)whole : 0;
}

void live_put_clean(FILE *out, const char *text, size_t width)
{
    size_t i = 0;

    for (; i < width && text[i] != '\0'; i++) {
        fputc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', out);
    }
    fprintf(out, "%*s", (int)(width - i), "");
}

void live_put_share(FILE *out, const char *label, size_t width, uint64_t ticks, uint64_t whole,
                    uint64_t requests)
{
    const size_t room = BAR_WIDTH + terminal_width();
    char text[TEXT_MAX] = "";

    if (requests > 0) {
        snprintf(text, sizeof(text), "%" PRIu64, requests);
    }
    live_put_clean(out, label, width);
    fprintf(out, "%7.2f %%%9s  ", live_percent(ticks, whole), text);
    chart_bar(out, live_percent(ticks, whole) / PERCENT,
              room > TERMINAL_WIDTH ? room - TERMINAL_WIDTH : 0);
    fputc('\n', out);
}

/* ---- what is known of the run ---- */

static void put_benches(FILE *out, const struct live_state *state)
{
    const struct run *run = state->run;
    size_t left = terminal_width();
    size_t first = 0;

    /* Shows the last benches that fit into the line. */
    for (size_t i = run->bench_count; i > 0; i--) {
        const struct run_bench *bench = &run->benches[i - 1];
        const char *what = bench->state != NULL ? bench->state : "runs";
        const size_t width = strlen(bench->name) + strlen(what) + 3;

        if (width > left) {
            first = i;
            break;
        }
        left -= width;
    }
    for (size_t i = first; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const char *what = bench->state != NULL ? bench->state : state->ended ? "-" : "runs";

        live_put_clean(out, bench->name, strlen(bench->name));
        fputc(' ', out);
        live_put_clean(out, what, strlen(what));
        fputs(i + 1 < run->bench_count ? "  " : "", out);
    }
    fputs(run->bench_count == 0 ? "no bench has begun\n" : "\n", out);
}

static void put_log(FILE *out, const struct live_state *state)
{
    fprintf(out, "%" PRIu64 " bytes, %" PRIu64 " frames, %" PRIu64 " events", state->counts.bytes,
            state->counts.frames, state->events);
    if (state->discarded > 0) {
        fprintf(out, ", %" PRIu64 " more discarded", state->discarded);
    }
    if (state->packets > 0) {
        fprintf(out, ", %" PRIu64 " packets lost", state->packets);
    }
    fputc('\n', out);
}

/* ---- the account of a bench without a trace ---- */

/* Returns the latest bench that has sent such an account. */
static const struct run_bench *accounted_bench(const struct run *run)
{
    for (size_t i = run->bench_count; i > 0; i--) {
        if (run_find_fact(&run->benches[i - 1], FACT_ACCOUNT_ELAPSED) != NULL) {
            return &run->benches[i - 1];
        }
    }
    return NULL;
}

static void put_account(FILE *out, const struct run *run, const struct run_bench *bench,
                        size_t rows)
{
    struct account_memory account;
    char label[ACCOUNT_LABEL_MAX];

    account_memory_read(&account, bench, NULL);
    account_memory_sort(&account);
    fputs("CPU time of ", out);
    live_put_clean(out, bench->name, strlen(bench->name));
    if (run->verdict.hz > 0) {
        fprintf(out, ", %.3f s", (double)account.elapsed / (double)run->verdict.hz);
    }
    fputs(" so far, without a trace\n\n", out);
    for (size_t i = 0; i < account.count && i < rows; i++) {
        const struct account_line *line = &account.lines[i];

        live_put_share(out, account_label(bench, line->kind, line->id, label),
                       BENCH_WIDTH + NAME_WIDTH, line->ticks, account.elapsed, 0);
    }
    account_memory_free(&account);
}

/* Returns whether the bench that sent its progress last is the one that runs. */
static bool watches_noise(const struct live_state *state)
{
    const struct run *run = state->run;

    return state->noise->count > 0 && run->bench_count > 0 &&
           strcmp(run->benches[run->bench_count - 1].name, state->noise->bench) == 0;
}

void live_view(FILE *out, const struct live_state *state, const char *name, unsigned seconds,
               size_t rows)
{
    static const char *const times[RUN_TIMES] = {[RUN_TIME_EXACT] = ", exact time",
                                                 [RUN_TIME_EXACT_SHARED] = ", exact time, shared",
                                                 [RUN_TIME_EMULATED] = ", emulated time",
                                                 [RUN_TIME_REAL] = ", real time"};
    const char *time = times[run_time(state->run)];
    const size_t left = rows > ABOVE_ROWS ? rows - ABOVE_ROWS : 1;

    fputs("tare watch: ", out);
    live_put_clean(out, name, strlen(name) < 50 ? strlen(name) : 50);
    fprintf(out, "%s%s\n", state->ended ? ", ended" : "", time != NULL ? time : "");
    put_benches(out, state);
    put_log(out, state);
    fputc('\n', out);
    if (watches_noise(state)) {
        live_noise_view(out, state->noise, state->run, left);
        return;
    }
    if (!state->has_window) {
        const struct run_bench *bench = accounted_bench(state->run);

        if (bench != NULL) {
            put_account(out, state->run, bench, left > 2 ? left - 2 : 1);
            return;
        }
        fputs("no trace data yet\n", out);
        return;
    }
    live_activity_view(out, state, seconds, left);
}

static void put_lane(struct json *json, const struct live_lane *lane)
{
    const struct live_gaps *gaps = &lane->gaps;

    json_object(json, NULL);
    JSON_COUNTS(json, {"processor", gaps->processor}, {"watched", gaps->elapsed},
                {"planned", gaps->total}, {"away", gaps->away}, {"threshold", gaps->threshold},
                {"gaps", gaps->over}, {"lost", gaps->stolen}, {"longest", gaps->largest},
                {"longest_at", gaps->largest_at}, {"slice", lane->heat.slice});
    if (gaps->counts_smi) {
        JSON_COUNTS(json, {"smi", gaps->smi}, {"smi_ticks", gaps->smi_ticks});
    }
    for (enum live_cause cause = 0; cause < LIVE_CAUSES; cause++) {
        if (gaps->cause[cause] > 0) {
            json_unsigned(json, live_cause_key(cause), gaps->cause[cause]);
        }
    }
    json_flat_array(json, "cells");
    for (size_t i = 0; i < LIVE_CELLS; i++) {
        json_unsigned(json, NULL, lane->heat.cell[i]);
    }
    json_close(json);
    json_close(json);
}

void live_json(FILE *out, const struct live_state *state)
{
    const struct run *run = state->run;
    const struct live_noise *noise = state->noise;
    const struct live_board board = board_of(noise, run);
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_bool(&json, "ended", state->ended);
    json_text(&json, "time", run_time_name(run));
    json_unsigned(&json, "tsc_hz", run->verdict.hz);
    if (noise->count > 0) {
        char sentence[LIVE_LINE_MAX];

        live_sentence(&board, sentence);
        json_text(&json, "watch", noise->bench);
        json_text(&json, "sentence", sentence);
        json_array(&json, "processors");
        for (size_t i = 0; i < noise->count; i++) {
            put_lane(&json, &noise->lane[i]);
        }
        json_close(&json);
    }
    json_close(&json);
}

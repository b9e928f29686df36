/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/summary.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "kernel/run/finding.h"
#include "kernel/run/finding_source.h"
#include "kernel/run/live_board.h"
#include "kernel/run/registry.h"
#include "kernel/run/summary_rows.h"
#include "kernel/screen/left.h"
#include "kernel/screen/page.h"
#include "kernel/screen/screen.h"

#define HEAD_LINES    3
#define WORST_SO_FAR  5  /* number of findings shown while the run goes on */
#define VIEW_HEAD     11 /* rows above the view of a watch, and between it and the words */
#define RUNNING_WORDS 6  /* rows of text shown meanwhile, if text goes to the screen */
#define FAILURES_MAX  6  /* number of reasons shown; the head names all benches that failed */
#define WORST_MAX     (FAILURES_MAX + FINDINGS_MAX)
#define PARAM_LENGTH  "ms"
#define US_IN_S       1000000
#define MIB           (1u << 20)

static struct summary_head head;
static struct left left;
static uint64_t began_tsc; /* TSC at the start of the current bench */
static uint64_t set_ms;
static struct kept kept;
static struct kept_answers answers;
static struct finding_source source;
static struct findings findings;
static size_t expected;

/* ---- what is kept ---- */

/* Returns the length that the plan sets for the bench, in ms; 0: none. */
static uint64_t planned_ms(const struct bench *bench)
{
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        if (strcmp(p->name, PARAM_LENGTH) == 0) {
            const char *text = registry_planned(bench, p);

            return param_number(p, text != NULL ? text : p->default_text);
        }
    }
    return 0;
}

void summary_open(const struct summary_head *given)
{
    head = *given;
}

void summary_expect(const struct bench *bench)
{
    left_expect(&left, planned_ms(bench));
    expected++;
}

void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count)
{
    summary_row_series(bench, name, unit, samples, count);
}

void summary_end(const struct bench *bench, enum bench_state state, const char *reason)
{
    summary_row_end(bench, state, reason);
}

/* ---- findings ---- */

static enum finding_time time_of(const char *kind)
{
    return strcmp(kind, TIME_EXACT) == 0          ? FINDING_TIME_EXACT
           : strcmp(kind, TIME_EXACT_SHARED) == 0 ? FINDING_TIME_EXACT_SHARED
           : strcmp(kind, TIME_EMULATED) == 0     ? FINDING_TIME_EMULATED
           : strcmp(kind, TIME_REAL) == 0         ? FINDING_TIME_REAL
                                                  : FINDING_TIME_UNKNOWN;
}

static void find_all(void)
{
    const struct clock_state *clock = clock_state();
    size_t length;
    const char *records = link_records(&length);

    kept_read(&kept, records, records != NULL ? length : 0, link_samples, &answers);
    source = kept_source(&kept);
    source.time = time_of(head.kind);
    source.hz = clock->verdict.ok ? clock->verdict.hz : 0;
    source.ticks_per_instruction = clock->ticks_per_instruction;
    findings_make(&source, &findings);
}

static enum grid_ink ink_of(enum finding_class class)
{
    switch (class) {
    case FINDING_UNTRUE:
    case FINDING_BROKEN:
        return INK_BAD;
    case FINDING_STOLEN:
    case FINDING_SLOW:
        return INK_DOUBTFUL;
    default:
        return class == FINDING_CLEAR ? INK_GOOD : INK_PLAIN;
    }
}

/* Returns whether a finding contains this reason. */
static bool is_found(const char *reason)
{
    for (size_t i = 0; i < findings.count; i++) {
        if (strstr(findings.item[i].text, reason) != NULL) {
            return true;
        }
    }
    return false;
}

/* Lists benches that failed with the whole reason, for which their own line may have no room,
 * unless a finding contains the reason. Returns how many. */
static size_t failure_lines(struct page_line lines[FAILURES_MAX])
{
    static char text[FAILURES_MAX][SUMMARY_LINE_MAX];
    size_t count = 0;

    for (size_t i = 0; i < summary_rows() && count < FAILURES_MAX; i++) {
        struct page_bench bench;

        summary_row(i, &source, &bench);
        if (bench.must_show && bench.reason[0] != '\0' && !is_found(bench.reason)) {
            snprintf(text[count], sizeof(text[count]), "%s: %s", bench.name, bench.reason);
            lines[count] = (struct page_line){bench.state, bench.ink, text[count]};
            count++;
        }
    }
    return count;
}

/* Shows at most `most` findings, worst first, after the benches that failed. */
static void put_findings(struct page *page, size_t most, struct page_line lines[WORST_MAX])
{
    size_t count = failure_lines(lines);
    size_t shown = 0;

    for (; shown < findings.count && shown < most; shown++) {
        const struct finding *finding = &findings.item[shown];

        lines[count++] = (struct page_line){finding_class_text(finding->class),
                                            ink_of(finding->class), finding->text};
    }
    page->findings = lines;
    page->finding_count = count;
    page->more_findings = findings.more + findings.count - shown;
}

/* ---- the head ---- */

static const char *meaning_of_time(void)
{
    switch (time_of(head.kind)) {
    case FINDING_TIME_EXACT:
        return "exact time: figures are numbers of instructions, not times of hardware";
    case FINDING_TIME_EXACT_SHARED:
        return "exact time, shared: figures are numbers of instructions, the hypervisor's included";
    case FINDING_TIME_EMULATED:
        return "emulated time: figures describe the emulator and its host, not hardware";
    default:
        return "real time: figures are of this machine";
    }
}

/* Appends the text, if it is not empty, after a dot. */
static void add(char *line, size_t size, const char *before, const char *text)
{
    const size_t length = strlen(line);

    if (text[0] != '\0') {
        snprintf(line + length, size - length, "%s%s%s", length > 0 ? " \u00b7 " : "", before,
                 text);
    }
}

static const char *kind_text(void)
{
    static char line[SUMMARY_LINE_MAX];

    line[0] = '\0';
    add(line, sizeof(line), "",
        strcmp(head.machine, MACHINE_BORROW) == 0 ? "borrowed: firmware stays"
                                                  : "own: firmware has left");
    add(line, sizeof(line), "", meaning_of_time());
    return line;
}

static const char *machine_text(void)
{
    static char line[SUMMARY_LINE_MAX];
    char text[48] = "";

    line[0] = '\0';
    add(line, sizeof(line), "", head.processor);
    if (head.processors > 0) {
        snprintf(text, sizeof(text), "%zu processor%s", head.processors,
                 head.processors > 1 ? "s" : "");
    }
    add(line, sizeof(line), "", text);
    snprintf(text, sizeof(text), "%lu MiB free", head.memory / MIB);
    add(line, sizeof(line), "", text);
    add(line, sizeof(line), "firmware ", head.firmware);
    add(line, sizeof(line), "under ", head.hypervisor);
    return line;
}

static const char *state_text(enum bench_state *worst)
{
    static char line[SUMMARY_LINE_MAX];
    char states[SUMMARY_LINE_MAX];

    *worst = summary_states_text(states);
    if (expected == 0) {
        return "no bench ran";
    }
    snprintf(line, sizeof(line), "%zu of %zu benches: %.*s", summary_benches(), expected,
             SUMMARY_LINE_MAX - 60, states[0] != '\0' ? states : "none has ended yet");
    return line;
}

static void row(size_t index, struct page_bench *bench)
{
    summary_row(index, &source, bench);
}

static void show(struct page *page, struct grid *grid)
{
    enum bench_state worst;
    const char *states = state_text(&worst);
    const struct page_line lines[HEAD_LINES] = {
        {NULL, INK_PLAIN, machine_text()},
        {NULL, INK_DIM, kind_text()},
        {NULL, worst > BENCH_SKIP || expected == 0 ? INK_BAD : INK_GOOD, states},
    };

    page->title = "tare " TARE_VERSION ": the empty machine, weighed";
    page->when = head.date;
    page->head = lines;
    page->head_count = HEAD_LINES;
    page->bench_count = summary_rows();
    page->bench = row;
    screen_show(page_lay_out(page, grid));
}

/* ---- on the screen ---- */

/* Adds the time that the previous bench took, with sending, to the estimate of time left. */
static void count_time(const struct bench *bench)
{
    const uint64_t now = tsc_read();
    const uint64_t hz = clock_state()->verdict.hz;

    if (began_tsc != 0 && hz != 0) {
        const uint64_t ticks = now - began_tsc;

        left_took(&left, set_ms, ticks / hz * US_IN_S + ticks % hz * US_IN_S / hz);
    }
    began_tsc = now;
    set_ms = planned_ms(bench);
}

void summary_begin(const struct bench *bench, size_t number, size_t total)
{
    struct grid *grid = screen_page();
    struct page_line worst[WORST_MAX];
    char progress[SUMMARY_LINE_MAX];
    char about[LEFT_TEXT_MAX];
    char time[LEFT_TEXT_MAX + 32] = "";
    uint64_t us;

    count_time(bench);
    summary_row_begin(bench);
    if (grid == NULL) {
        return;
    }
    find_all();
    if (left_us(&left, &us)) {
        snprintf(time, sizeof(time), "%s%s left", left_text(us, about),
                 source.ticks_per_instruction != 0 ? " of virtual time" : "");
    }
    snprintf(progress, sizeof(progress), "Bench %zu of %zu: %s: %s", number, total, bench->name,
             bench->summary);
    struct page page = {
        .progress = progress,
        .left = time,
        .done = number - 1,
        .total = total,
        .findings_title = "The worst so far",
        .words = RUNNING_WORDS,
    };

    put_findings(&page, WORST_SO_FAR, worst);
    show(&page, grid);
}

struct view {
    struct page_line line[GRID_ROWS_MAX];
    char text[GRID_ROWS_MAX][LIVE_LINE_MAX];
    size_t count;
};

/* A live_put whose context is a struct view. */
static void put_view_line(void *context, enum live_line kind, const char *text)
{
    static const enum grid_ink inks[] = {
        [LIVE_SENTENCE_QUIET] = INK_GOOD, [LIVE_SENTENCE] = INK_DOUBTFUL, [LIVE_TOTALS] = INK_PLAIN,
        [LIVE_HEADING] = INK_DIM,         [LIVE_ROW] = INK_PLAIN,         [LIVE_LEGEND] = INK_DIM,
    };
    struct view *view = context;

    if (view->count < GRID_ROWS_MAX) {
        snprintf(view->text[view->count], LIVE_LINE_MAX, "%s", text);
        view->line[view->count] = (struct page_line){NULL, inks[kind], view->text[view->count]};
        view->count++;
    }
    if (kind <= LIVE_TOTALS && text[0] != '\0') {
        put_view_line(view, LIVE_TOTALS, "");
    }
}

void summary_live(const struct bench *bench, const struct live_lane *lanes, size_t count)
{
    static struct view view;
    struct grid *grid = screen_page();
    char progress[LIVE_LINE_MAX];
    char left_of[LIVE_LINE_MAX];
    char line[SUMMARY_LINE_MAX + LIVE_LINE_MAX];

    if (grid == NULL) {
        return;
    }
    const int room = grid->rows - VIEW_HEAD - RUNNING_WORDS;
    const struct live_board board = {
        .lane = lanes,
        .count = count,
        .hz = source.hz,
        .blocks = true,
        .rows = room > 0 ? (size_t)room : 0,
    };
    const char *ends = live_progress_text(&board, progress, left_of);

    view.count = 0;
    live_board_lines(&board, put_view_line, &view);
    snprintf(line, sizeof(line), "%s: %s", bench->name, progress);
    struct page page = {
        .progress = line,
        .left = ends,
        .done = lanes[0].gaps.elapsed,
        .total = lanes[0].gaps.total,
        .view = view.line,
        .view_count = view.count,
        .words = RUNNING_WORDS,
    };

    show(&page, grid);
}

/* Shows the last page. `crash`: what ended the run outside all benches, or NULL. */
static void show_end(const char *crash, const struct page_line *foot, size_t count, int words,
                     struct grid *grid)
{
    struct page_line lines[1 + WORST_MAX] = {{"broken", INK_BAD, crash}};
    struct page page = {
        .findings_title = "What this machine did",
        .foot = foot,
        .foot_count = count,
        .words = words,
    };

    put_findings(&page, FINDINGS_MAX, lines + 1);
    if (crash != NULL) {
        page.findings = lines;
        page.finding_count++;
    }
    show(&page, grid);
}

void summary_show(const struct page_line *foot, size_t count, int words)
{
    struct grid *grid = screen_page();

    if (grid != NULL) {
        find_all();
        show_end(NULL, foot, count, words, grid);
    }
}

void summary_show_crash(const struct page_line *foot, size_t count, int words)
{
    const bool in_bench = summary_row_crash();
    struct grid *grid = screen_page();

    /* Otherwise the exception came before there was a page; its text is on the screen. */
    if (grid != NULL && head.kind != NULL) {
        show_end(in_bench ? NULL : "an exception ended the run: its report is below", foot, count,
                 words, grid);
    }
}

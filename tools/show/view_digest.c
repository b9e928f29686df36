/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/view_digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/colour.h"
#include "tools/base/long_text.h"
#include "tools/finding/run_findings.h"
#include "tools/finding/view_findings.h"
#include "tools/present/digest.h"
#include "tools/show/view_crash.h"
#include "tools/show/view_run.h"

#define REASONS_MAX 5  /* further ones are counted */
#define WHAT_MAX    18 /* columns of the main figure's name, if there is no more room */
#define CUT         ".."
#define WIDE        110 /* columns from which on each bench's summary has room */

/* The gravest reasons, and how many more. */
static void print_verdict(const struct view *view, const struct run_texts *reasons)
{
    struct run_texts shown = *reasons;

    shown.count = reasons->count > REASONS_MAX ? REASONS_MAX : reasons->count;
    view_verdict(view->out, view->run, &shown);
    if (reasons->count > shown.count) {
        fprintf(view->out, "%9s%zu more reasons: --full\n", "", reasons->count - shown.count);
    }
}

/* "QEMU TCG CPU, 4 processors, firmware EDK II, own, TSC 1000.000 MHz, 2024-01-01T00:00:34" */
static void print_identity(const struct view *view)
{
    const struct run *run = view->run;
    const char *brand = run_pair_value(&run->machine, FACT_CPU_BRAND);
    const char *processors = run_pair_value(&run->machine, FACT_PROCESSORS);
    const char *firmware = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    const char *date = run_pair_value(&run->info, INFO_DATE);
    struct long_text text;

    long_text_open(&text);
    fputs(brand != NULL ? brand : "processor unknown", text.out);
    if (processors != NULL) {
        fprintf(text.out, ", %s processor%s", processors, strcmp(processors, "1") == 0 ? "" : "s");
    }
    if (firmware != NULL) {
        fprintf(text.out, ", firmware %s", firmware);
    }
    if (run->verdict.present && run->verdict.hz != 0) {
        fprintf(text.out, ", TSC %.3f MHz", (double)run->verdict.hz / 1e6);
    }
    if (date != NULL) {
        fprintf(text.out, ", %s", date);
    }
    fputs("  ", view->out);
    print_wrapped(view->out, long_text_close(&text), 2, 2);
    long_text_free(&text);
}

/* What finds room in a line: all of it, all but the benches' summaries, or name, p50 and max. */
enum room {
    ROOM_WIDE,
    ROOM_USUAL,
    ROOM_NARROW,
};

static enum room room_of_terminal(void)
{
    const size_t width = terminal_width();

    return width >= WIDE ? ROOM_WIDE : width >= TERMINAL_WIDTH ? ROOM_USUAL : ROOM_NARROW;
}

/* The name of the main figure, cut where there is little room. */
static void put_what(struct table *table, const struct digest *digest, enum room room)
{
    char what[METRIC_NAME_MAX];

    snprintf(what, sizeof(what), "%s", digest->what);
    if (room != ROOM_WIDE && strlen(what) > WHAT_MAX) {
        strcpy(what + WHAT_MAX - strlen(CUT), CUT);
    }
    table_text(table, what);
}

static void put_bench(struct table *table, const struct view *view, const struct metrics *metrics,
                      const struct run_bench *bench, enum room room)
{
    char label[RUN_LABEL_MAX];
    struct digest digest;

    digest_of(view, metrics, bench, &digest);
    table_row(table);
    table_text(table, run_bench_label(view->run, bench, label));
    table_text(table, bench->state);
    table_colour(table, colour_of_state(bench->state));
    if (digest.text[0] != '\0') {
        table_span(table, digest.text);
        return;
    }
    put_what(table, &digest, room);
    if (room != ROOM_NARROW) {
        table_format(table, "%" PRIu64, digest.n);
    }
    table_text(table, digest.p50);
    if (room != ROOM_NARROW) {
        table_text(table, digest.p99);
    }
    table_text(table, digest.max);
    if (room == ROOM_WIDE) {
        table_text(table, bench->summary != NULL ? bench->summary : "");
    }
}

static void print_benches(const struct view *view)
{
    static const struct {
        const char *alignment;
        const char *const heads[8];
    } forms[] = {
        [ROOM_WIDE] = {"lllrrrrl",
                       {"bench", "state", "main figure", "n", "p50", "p99", "max", "what it is"}},
        [ROOM_USUAL] = {"lllrrrr", {"bench", "state", "main figure", "n", "p50", "p99", "max"}},
        [ROOM_NARROW] = {"lllrr", {"bench", "state", "main figure", "p50", "max"}},
    };
    const enum room room = room_of_terminal();
    struct metrics metrics;
    struct table table;

    metrics_of(view->run, &metrics);
    table_head(&table, forms[room].alignment, forms[room].heads);
    for (size_t i = 0; i < view->run->bench_count; i++) {
        put_bench(&table, view, &metrics, &view->run->benches[i], room);
    }
    table_print(&table, view->out, 2);
    metrics_free(&metrics);
    if (view->ticks_per_instruction > 0) {
        print_paragraph(view->out, "Figures without a unit are instructions or counts.");
    }
}

/* The commands as this program was called; of the bench that stands first among the findings. */
static void print_more(const struct view *view, const struct findings *findings, const char *path,
                       bool has_page)
{
    const char *const tare = program_invocation_name;
    const char *bench = view->run->bench_count > 0 ? view->run->benches[0].name : NULL;

    if (findings->count > 0 && findings->item[0].bench != NULL) {
        bench = findings->item[0].bench;
    }
    fputs("\nmore:", view->out);
    if (bench != NULL) {
        fprintf(view->out, "  %s show %s %s\n      ", tare, bench, path);
    }
    if (view->run->crash_count > 0) {
        fprintf(view->out, " %s show " SHOW_CRASH " %s\n      ", tare, path);
    }
    fprintf(view->out, " %s show --full %s\n", tare, path);
    if (!has_page) {
        fprintf(view->out, "       %s report %s\n", tare, path);
    }
}

void view_digest(const struct view *view, const struct run_texts *reasons, const char *path,
                 bool has_page)
{
    struct findings findings;

    run_findings(view->run, reasons, &findings);
    view_findings(view->out, &findings);
    fputs(findings.count > 0 ? "\n" : "", view->out);
    print_verdict(view, reasons);
    print_identity(view);
    if (view->run->bench_count > 0) {
        fputc('\n', view->out);
        print_benches(view);
    }
    print_more(view, &findings, path, has_page);
}

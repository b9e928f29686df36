/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/names.h"
#include "tools/show/run_figures.h"

/* Facts of the machine that a reader looks for first, and their labels. */
static const struct {
    const char *key;
    const char *label;
} headlines[] = {
    {FACT_CPU_BRAND, "processor"},
    {FACT_CPU_SIGNATURE, "signature"},
    {FACT_PROCESSORS, "processors"},
    {FACT_HYPERVISOR, "hypervisor"},
    {"environment", "under"},
    {FACT_INVARIANT_TSC, "invariant TSC"},
    {FACT_MEMORY_FREE_BYTES, "free memory"},
    {FACT_PMU, "event counters"},
    {"governor", "governor"},
    {"transparent_hugepages", "huge pages"},
};

static const char *machine_name(const struct run *run)
{
    const char *name = run_pair_value(&run->machine, FACT_CPU_BRAND);

    return name != NULL ? name : "unknown machine";
}

__attribute__((format(printf, 3, 4))) static void add_fact(struct run_page *page, const char *label,
                                                           const char *format, ...)
{
    const size_t at = page->page.fact_count;
    va_list values;

    if (at == RUN_PAGE_FACTS_MAX) {
        return;
    }
    va_start(values, format);
    vsnprintf(page->values[at], RUN_PAGE_TEXT_MAX, format, values);
    va_end(values);
    page->facts[at] = (struct page_fact){label, page->values[at]};
    page->page.fact_count++;
}

static void add_clock(struct run_page *page, const struct run *run)
{
    const struct run_verdict *verdict = &run->verdict;

    if (!verdict->present) {
        add_fact(page, "clock", "no verdict");
    } else if (!verdict->ok) {
        add_fact(page, "clock", "not to be believed: %s",
                 verdict->reason != NULL ? verdict->reason : "no reason given");
    } else if (run_is_simulated(run)) {
        add_fact(page, "clock", "simulated: 1 tick is 1 ns");
    } else {
        add_fact(page, "clock", "TSC at %" PRIu64 " Hz%s%s", verdict->hz,
                 verdict->by != NULL ? ", by " : "", verdict->by != NULL ? verdict->by : "");
    }
}

static void add_machine(struct run_page *page, const struct run *run)
{
    for (size_t i = 0; i < sizeof(headlines) / sizeof(headlines[0]); i++) {
        const char *value = run_pair_value(&run->machine, headlines[i].key);

        if (value == NULL) {
            continue;
        }
        if (strcmp(headlines[i].key, FACT_MEMORY_FREE_BYTES) == 0) {
            add_fact(page, headlines[i].label, "%.0f MiB", strtod(value, NULL) / (1 << 20));
        } else {
            add_fact(page, headlines[i].label, "%s", value);
        }
    }
    const char *vendor = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    const char *revision = run_pair_value(&run->machine, FACT_FIRMWARE_REVISION);

    if (vendor != NULL) {
        add_fact(page, "firmware", "%s%s%s", vendor, revision != NULL ? ", revision " : "",
                 revision != NULL ? revision : "");
    }
}

/* "bench=idle\nlink.serve=1" in one line. */
static void add_plan(struct run_page *page, const struct run *run)
{
    char plan[RUN_PAGE_TEXT_MAX] = "";

    if (run->plan_text != NULL) {
        snprintf(plan, sizeof(plan), "%s", run->plan_text);
    }
    for (size_t length = strlen(plan); length > 0 && plan[length - 1] == '\n'; length--) {
        plan[length - 1] = '\0';
    }
    for (char *at = plan; (at = strchr(at, '\n')) != NULL;) {
        *at = ';';
    }
    add_fact(page, "plan", "%s%s%s%s", plan[0] != '\0' ? plan : "as built in",
             run->plan_source != NULL ? " (from " : "",
             run->plan_source != NULL ? run->plan_source : "", run->plan_source != NULL ? ")" : "");
}

static void add_ownership(struct run_page *page, const struct run *run)
{
    char text[RUN_KIND_MAX];

    if (run_ownership_text(run, text) != NULL) {
        add_fact(page, "machine", "%s", run_ownership_text(run, text));
    }
}

/* Facts about the image and about how it was run, as they are called there. */
static void add_info(struct run_page *page, const struct run *run)
{
    static const char *const shown_elsewhere[] = {INFO_KIND,       INFO_TICKS_PER_INSTRUCTION,
                                                  INFO_HYPERVISOR, INFO_FORMAT,
                                                  INFO_DATE,       "ownership"};

    for (size_t i = 0; i < run->info.count; i++) {
        const struct run_pair *pair = &run->info.item[i];
        bool elsewhere = false;

        for (size_t k = 0; k < sizeof(shown_elsewhere) / sizeof(shown_elsewhere[0]); k++) {
            elsewhere = elsewhere || strcmp(pair->key, shown_elsewhere[k]) == 0;
        }
        if (!elsewhere && pair->value != NULL) {
            add_fact(page, strcmp(pair->key, INFO_VERSION) == 0 ? "tare" : pair->key, "%s",
                     pair->value);
        }
    }
}

static void add_overview(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"bench", "state", "what it is, or why it was not run"};
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, "Overview", "What was run", "benches");

    figure_how(figure,
               "%zu benches in the order in which they ran; SKIP: the machine lacks what "
               "it takes",
               run->bench_count);
    figure_table(figure, "lll", heads);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const char *text = bench->reason != NULL ? bench->reason : bench->summary;
        char label[RUN_LABEL_MAX];

        figure_cell(figure, "%s", run_bench_label(run, bench, label));
        figure_cell(figure, "%s", bench->state != NULL ? bench->state : "-");
        figure_cell(figure, "%s", text != NULL ? text : "");
    }
}

void run_page_make(struct run_page *page, struct run *run, const struct figures_progress *progress)
{
    const char *date = run_pair_value(&run->info, INFO_DATE);

    *page = (struct run_page){.page.facts = page->facts};
    const bool valid = run_valid(run, &page->notes);

    snprintf(page->title, sizeof(page->title), "tare: %s%s%s", machine_name(run),
             date != NULL ? ", " : "", date != NULL ? date : "");
    run_add_text(run, &page->notes, run_kind_text(run, page->kind));
    page->page.title = page->title;
    page->page.verdict = valid ? "VALID" : "INVALID";
    page->page.good = valid;
    page->page.notes = page->notes.item;
    page->page.note_count = page->notes.count;
    page->page.figures = &page->figures;
    add_machine(page, run);
    add_clock(page, run);
    add_plan(page, run);
    add_ownership(page, run);
    add_info(page, run);
    figures_init(&page->figures);
    add_overview(&page->figures, run);
    run_figures(&page->figures, run, progress);
}

void run_page_free(struct run_page *page)
{
    figures_free(&page->figures);
    run_texts_free(&page->notes);
}

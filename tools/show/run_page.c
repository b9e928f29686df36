/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/sort.h"
#include "tools/finding/run_findings.h"
#include "tools/show/run_figures.h"
#include "tools/show/view_run.h"
#include "tools/trace/shared_walk.h"

/* facts of the machine that a reader looks for first, with their labels */
static const struct {
    const char *key;
    const char *label;
} headlines[] = {
    {FACT_CPU_BRAND, "processor"},
    {FACT_CPU_SIGNATURE, "signature"},
    {FACT_PROCESSORS, "processors"},
    {FACT_HYPERVISOR, "hypervisor"},
    {"environment", "environment"},
    {FACT_INVARIANT_TSC, "invariant TSC"},
    {FACT_MEMORY_FREE_BYTES, "free memory"},
    {FACT_PMU, "event counters"},
    {"governor", "governor"},
    {"transparent_hugepages", "huge pages"},
};

__attribute__((format(printf, 3, 4))) static void
add_fact(struct run_page_facts *facts, const char *label, const char *format, ...)
{
    va_list values;

    if (facts->count == facts->most) {
        return;
    }
    va_start(values, format);
    vsnprintf(facts->values[facts->count], RUN_PAGE_TEXT_MAX, format, values);
    va_end(values);
    facts->item[facts->count] = (struct page_fact){label, facts->values[facts->count]};
    facts->count++;
}

static void add_clock(struct run_page *page, const struct run *run)
{
    const struct run_verdict *verdict = &run->verdict;

    if (!verdict->present) {
        add_fact(&page->facts, "clock", "no verdict");
    } else if (!verdict->ok) {
        add_fact(&page->facts, "clock", "not verified: %s",
                 verdict->reason != NULL ? verdict->reason : "no reason given");
    } else if (run_is_simulated(run)) {
        add_fact(&page->facts, "clock", "simulated: 1 tick is 1 ns");
    } else {
        add_fact(&page->facts, "clock", "TSC at %" PRIu64 " Hz%s%s", verdict->hz,
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
            add_fact(&page->facts, headlines[i].label, "%.0f MiB", strtod(value, NULL) / (1 << 20));
        } else {
            add_fact(&page->facts, headlines[i].label, "%s", value);
        }
    }
    const char *vendor = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    const char *revision = run_pair_value(&run->machine, FACT_FIRMWARE_REVISION);

    if (vendor != NULL) {
        add_fact(&page->facts, "firmware", "%s%s%s", vendor, revision != NULL ? ", revision " : "",
                 revision != NULL ? revision : "");
    }
}

/* Adds the plan in one line: "bench=idle\nlink.serve=1" becomes "bench=idle;link.serve=1". */
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
    add_fact(&page->facts, "plan", "%s%s%s%s", plan[0] != '\0' ? plan : "as built in",
             run->plan_source != NULL ? " (from " : "",
             run->plan_source != NULL ? run->plan_source : "", run->plan_source != NULL ? ")" : "");
}

/* Adds facts about the image and about how it was run, under the names that they have there. */
static void add_info(struct run_page *page, const struct run *run)
{
    static const char *const shown_elsewhere[] = {INFO_KIND,       INFO_TICKS_PER_INSTRUCTION,
                                                  INFO_HYPERVISOR, INFO_FORMAT,
                                                  INFO_DATE,       "ownership"};

    for (size_t i = 0; i < run->info.count; i++) {
        const struct run_pair *pair = &run->info.item[i];
        const bool elsewhere = SEARCH_ANY(k, sizeof(shown_elsewhere) / sizeof(shown_elsewhere[0]),
                                          strcmp(pair->key, shown_elsewhere[k]) == 0);

        if (!elsewhere && pair->value != NULL) {
            add_fact(&page->facts, strcmp(pair->key, INFO_VERSION) == 0 ? "tare" : pair->key, "%s",
                     pair->value);
        }
    }
}

/* ---- tabs ---- */

#define SECTION_RUN   "What was run"
#define SECTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct page_tab tabs[] = {
    {"Summary", "what did the machine do?", SECTIONS(FIGURE_SECTION_KEY), "panel"},
    {"Noise", "what takes time from the processors?", SECTIONS("Noise", "Idle loop"), "panel"},
    {"Latency", "how late are timers and interrupts?", SECTIONS("Latency"), "panel"},
    {"Memory", "how fast are caches, pages and memory?", SECTIONS("Memory"), "panel"},
    {"System", "what do calls, switches and processors cost?",
     SECTIONS("System", "Exits", "Processors", "Code"), "panel"},
    {"Threads", "what ran when, and where did each tick go?", SECTIONS("Threads and interrupts"),
     "panel"},
    {"Input", "how long does a user wait?", SECTIONS("Input events", "Think and wait", "All runs"),
     "panel"},
    {"Disks, network", "how long do reads and round trips take?", SECTIONS("Disks", "Network"),
     "panel"},
    {"Clocks, counters", "are clocks and event counters right?", SECTIONS("Clocks", "Counters"),
     "panel"},
    {"Paper", "what does the paper show, and what this run?", SECTIONS("Paper"), "in-order"},
    {"Model", "what does the model predict?", NULL, "panel"},
    {"Run", "what ran, and on which machine?", SECTIONS(SECTION_RUN, "Statistics"), "folded"},
};

/* ---- key figures ---- */

static const struct key_figure {
    const char *id;
    const char *title;
    const char *bench; /* bench that measures it */
    const char *absent;
} key_figures[] = {
    {"key-noise", "Noise by processor", "gap", "bench gap measures it: tare boot --bench gap"},
    {"key-timer", "Timer latency", "timerlat",
     "bench timerlat measures it: tare boot --bench timerlat"},
    {"key-time", "Where the time went", "switches",
     "traced benches measure it: tare boot --bench switches"},
    {"key-wait", "How long the user waits", "echo",
     "input benches measure it: tare boot --profile input"},
};
#define KEY_FIGURES (sizeof(key_figures) / sizeof(key_figures[0]))

/* Returns the place of a figure in the order: first those at the top of the page that are no key
 * figures, then the key figures, then all others. */
static size_t key_rank(const struct figure *figure)
{
    if (strcmp(figure->section, FIGURE_SECTION_KEY) != 0) {
        return KEY_FIGURES + 1;
    }
    for (size_t i = 0; i < KEY_FIGURES; i++) {
        if (strncmp(figure->id, key_figures[i].id, strlen(key_figures[i].id)) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static void order_key_figures(struct figures *figures)
{
    for (size_t i = 1; i < figures->count; i++) {
        const struct figure figure = figures->item[i];
        size_t at = i;

        while (at > 0 && key_rank(&figures->item[at - 1]) > key_rank(&figure)) {
            at--;
        }
        memmove(&figures->item[at + 1], &figures->item[at], (i - at) * sizeof(*figures->item));
        figures->item[at] = figure;
    }
}

/* Adds, in place of a key figure, the reason why the run lacks it. */
static void add_reason(struct figures *figures, const struct run *run, const struct key_figure *key)
{
    const struct run_bench *bench = run_find_bench(run, key->bench);

    if (bench != NULL && bench->reason != NULL) {
        figure_add_absent(figures, FIGURE_SECTION_KEY, key->title, key->id, "bench %s: %s",
                          bench->name, bench->reason);
    } else {
        figure_add_absent(figures, FIGURE_SECTION_KEY, key->title, key->id, "%s",
                          bench == NULL ? key->absent : "the bench has no samples for it");
    }
}

/* Adds reasons for missing key figures. Returns the number of those that the run has. */
static size_t add_missing(struct figures *figures, const struct run *run)
{
    size_t present = 0;

    for (size_t key = 0; key < KEY_FIGURES; key++) {
        bool found = false;

        for (size_t i = 0; i < figures->count && !found; i++) {
            found = strcmp(figures->item[i].id, key_figures[key].id) == 0;
            present += found && figures->item[i].kind != FIGURE_ABSENT;
        }
        if (!found && !run_is_simulated(run)) {
            add_reason(figures, run, &key_figures[key]);
        }
    }
    return present;
}

/* Returns a figure for the first screen of a run without key figures: its first picture, otherwise
 * its smallest table of measurements. Returns NULL if it has neither. */
static struct figure *first_figure(struct figures *figures)
{
    struct figure *table = NULL;

    for (size_t i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->item[i];
        const bool is_list =
            strcmp(figure->section, SECTION_RUN) == 0 || strcmp(figure->section, "Statistics") == 0;

        if (figure->kind != FIGURE_TABLE && figure->kind != FIGURE_ABSENT && !figure->beside) {
            return figure;
        }
        if (figure->kind == FIGURE_TABLE && !is_list &&
            (table == NULL || figure->cells.count < table->cells.count)) {
            table = figure;
        }
    }
    return table;
}

static void choose_key_figures(struct figures *figures, const struct run *run)
{
    if (add_missing(figures, run) == 0) {
        struct figure *figure = first_figure(figures);

        if (figure != NULL) {
            figure_move(figure, FIGURE_SECTION_KEY);
        }
    }
    order_key_figures(figures);
}

/* ---- the first screen ---- */

/* Adds how the benches ended, such as "37: 33 OK, 4 SKIP", and a line for each that ended
 * otherwise, those that were skipped last, as far as there is room. */
static void add_states(struct run_page *page, const struct run *run)
{
    static const char *const states[] = {STATE_OK, STATE_SKIP, STATE_ERROR, STATE_FAIL,
                                         STATE_CRASH};
    char text[RUN_PAGE_TEXT_MAX] = "";
    int used = 0;

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        const size_t count = view_count_state(run, states[i]);

        if (count > 0) {
            used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%zu %s",
                             used > 0 ? ", " : "", count, states[i]);
        }
    }
    add_fact(&page->brief, "benches", "%zu%s%s", run->bench_count, used > 0 ? ": " : "", text);
    for (size_t i = 0; i < 2 * run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i % run->bench_count];
        const bool skipped = bench->state != NULL && strcmp(bench->state, STATE_SKIP) == 0;
        char label[RUN_LABEL_MAX];

        if (skipped == (i >= run->bench_count) &&
            (bench->state == NULL || strcmp(bench->state, STATE_OK) != 0)) {
            add_fact(&page->brief, bench->state != NULL ? bench->state : "did not end", "%s%s%s",
                     run_bench_label(run, bench, label), bench->reason != NULL ? ": " : "",
                     bench->reason != NULL ? bench->reason : "");
        }
    }
}

/* Adds the machine in brief; the last tab has the rest. */
static void add_machine_brief(struct run_page *page, const struct run *run)
{
    const char *processors = run_pair_value(&run->machine, FACT_PROCESSORS);
    const char *hypervisor = run_pair_value(&run->machine, FACT_HYPERVISOR);
    const char *vendor = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    char devices[RUN_KIND_MAX];

    add_fact(&page->brief, "processors", "%s%s%s%s%s", processors != NULL ? processors : "unknown",
             vendor != NULL ? ", firmware " : "", vendor != NULL ? vendor : "",
             hypervisor != NULL ? ", hypervisor " : "", hypervisor != NULL ? hypervisor : "");
    if (run->verdict.present && run->verdict.ok && !run_is_simulated(run)) {
        add_fact(&page->brief, "TSC", "%.3f MHz", (double)run->verdict.hz / 1e6);
    }
    if (run_devices_text(run, devices) != NULL) {
        add_fact(&page->brief, "devices", "%s", devices);
    }
    if (run_under_text(run, devices) != NULL) {
        add_fact(&page->brief, "below", "%s", devices);
    }
}

static void add_findings(struct run_page *page, const struct run *run,
                         const struct run_texts *reasons)
{
    run_findings(run, reasons, &page->findings);
    for (size_t i = 0; i < page->findings.count; i++) {
        const struct finding *finding = &page->findings.item[i];

        page->lines[i] = (struct page_finding){finding_class_text(finding->class), finding->text,
                                               finding->bench};
    }
    page->page.findings = page->lines;
    page->page.finding_count = page->findings.count;
    if (page->findings.more > 0) {
        add_fact(&page->brief, "findings", "%zu more, of the same class or milder",
                 page->findings.more);
    }
}

static void add_overview(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"bench", "state", "what it is, or why it was not run"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, SECTION_RUN, "Benches", "benches");

    figure_how(figure,
               "%zu benches in the order in which they ran; SKIP: the machine lacks something "
               "that the bench needs",
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

void run_page_make(struct run_page *page, struct run *run, struct progress *progress)
{
    const char *date = run_pair_value(&run->info, INFO_DATE);
    const char *name = run_pair_value(&run->machine, FACT_CPU_BRAND);
    char ownership[RUN_KIND_MAX];

    *page = (struct run_page){
        .page = {.tabs = tabs, .tab_count = sizeof(tabs) / sizeof(tabs[0])},
        .brief.most = RUN_PAGE_BRIEF_MAX,
        .facts.most = RUN_PAGE_FACTS_MAX,
    };
    const bool valid = run_valid(run, &page->notes);

    walk_share(&(struct walk_wish){.run = run, .use = WALK_PAGE, .disks = true});
    add_findings(page, run, &page->notes);
    add_machine_brief(page, run);
    add_states(page, run);
    snprintf(page->title, sizeof(page->title), "tare: %s%s%s",
             name != NULL ? name : "unknown machine", date != NULL ? ", " : "",
             date != NULL ? date : "");
    run_add_text(run, &page->notes, run_kind_text(run, page->kind));
    if (run->window != NULL) {
        run_add_text(run, &page->notes, run->window);
    }
    page->page.title = page->title;
    page->page.verdict = valid ? "VALID" : "INVALID";
    page->page.good = valid;
    page->page.notes = page->notes.item;
    page->page.note_count = page->notes.count;
    page->page.figures = &page->figures;
    add_machine(page, run);
    add_clock(page, run);
    add_plan(page, run);
    if (run_ownership_text(run, ownership) != NULL) {
        add_fact(&page->facts, "machine", "%s", run_ownership_text(run, ownership));
    }
    add_info(page, run);
    page->page.facts = page->facts.item;
    page->page.fact_count = page->facts.count;
    page->page.brief = page->brief.item;
    page->page.brief_count = page->brief.count;
    figures_init(&page->figures);
    add_overview(&page->figures, run);
    run_figures(&page->figures, run, progress);
    choose_key_figures(&page->figures, run);
}

void run_page_free(struct run_page *page)
{
    figures_free(&page->figures);
    run_texts_free(&page->notes);
}

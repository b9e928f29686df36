/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/trace/account_check.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/view_trace.h"

#define BAR_WIDTH       24
#define SECTORS_PER_KIB 2
#define NAME_WIDTH      14 /* leaves enough space for the other columns */
#define CHART_COLUMNS   60
#define CHART_ROWS      6
#define CHART_LEFT      13 /* characters that chart_columns() writes before the first column */
#define LABELS_MIN      24 /* least columns that labels need */
#define BUSIEST         5
#define AVAIL_BAR_WIDTH 30
#define DECILES         10
#define CLASSES         (DECILES + 2) /* ten ranges, and exactly 0 % and exactly 100 % */
#define PPM             1e6

/* ---- interrupts ---- */

/* Returns the name of a handler: "lapic_timer", "DPC work". */
static const char *handler_name(const struct run_bench *bench,
                                const struct account_handler *handler, char text[ACCOUNT_LABEL_MAX])
{
    return handler->kind == ACCOUNT_DPC ? account_label(bench, handler->kind, handler->id, text)
                                        : account_name(bench, handler->kind, handler->id, text);
}

static void add_spread(struct table *table, const struct view *view, const char *name,
                       const char *what, const struct account_spread *spread)
{
    char text[AMOUNT_MAX];

    table_line(table, "%s\t%s\t%" PRIu64, name, what, spread->n);
    if (spread->n == 0) {
        table_format(table, "-\t-\t-\t-\t-");
        return;
    }
    const double mean = (double)spread->total / (double)spread->n;

    table_format(table, "%" PRIu64 "\t%.1f\t%" PRIu64 "\t%" PRIu64, spread->min, mean, spread->max,
                 spread->total);
    if (view->ticks_per_instruction > 0) {
        table_format(table, "%.1f", mean / view->ticks_per_instruction);
    } else {
        table_text(table, length_text(view, (int64_t)(spread->total / spread->n), text));
    }
}

static void add_handler(struct table *table, const struct view *view, const struct run_bench *bench,
                        const struct account_handler *handler)
{
    char name[ACCOUNT_LABEL_MAX];

    add_spread(table, view, handler_name(bench, handler, name), "net", &handler->net);
    add_spread(table, view, "", "gross", &handler->gross);
    if (handler->kind == ACCOUNT_DPC) {
        add_spread(table, view, "", "queued", &handler->queued);
    }
}

/* ---- histograms ---- */

/* Finds the range [*first, *end) of the bins of a spread that are not empty. */
static void used_bins(const struct account_spread *spread, unsigned *first, unsigned *end)
{
    for (unsigned i = 0; i < ACCOUNT_BINS; i++) {
        if (spread->bins[i] > 0) {
            *first = i < *first ? i : *first;
            *end = i >= *end ? i + 1 : *end;
        }
    }
}

static void print_histogram(const struct view *view, const char *name,
                            const struct account_handler *handler)
{
    unsigned first = ACCOUNT_BINS;
    unsigned end = 0;
    uint64_t most = 0;

    used_bins(&handler->net, &first, &end);
    used_bins(&handler->gross, &first, &end);
    if (end == 0) {
        return;
    }
    for (unsigned i = first; i < end; i++) {
        most = handler->net.bins[i] > most ? handler->net.bins[i] : most;
    }
    fprintf(view->out, "\n  %s: was interrupted %" PRIu64 " times\n", name, handler->nested);
    fprintf(view->out, "  %14s  %10s  %10s\n", "ticks from", "net", "gross");
    for (unsigned i = first; i < end; i++) {
        const uint64_t net = handler->net.bins[i];
        char from[NUMBER_MAX];
        char counts[2][NUMBER_MAX];

        fprintf(view->out, "  %14s  %10s  %10s", number_text((double)account_bin_begin(i), from),
                number_text((double)net, counts[0]),
                number_text((double)handler->gross.bins[i], counts[1]));
        fputs(net > 0 ? "  " : "", view->out);
        chart_bar(view->out, most > 0 ? (double)net / (double)most : 0, BAR_WIDTH);
        fputc('\n', view->out);
    }
}

static void print_timers(const struct view *view, const struct accounting *accounting)
{
    const struct account_spread *late = &accounting->timer_late;
    char text[AMOUNT_MAX];
    char range[160] = "";
    char early[40] = "";

    if (late->n + accounting->timers_early == 0) {
        return;
    }
    if (late->n > 0) {
        snprintf(range, sizeof(range),
                 ", from deadline to handler %" PRIu64 " to %" PRIu64 " ticks (%s)", late->min,
                 late->max, amount_text(view, (int64_t)late->max, UNIT_TICK, text));
    }
    if (accounting->timers_early > 0) {
        snprintf(early, sizeof(early), ", %" PRIu64 " early", accounting->timers_early);
    }
    print_paragraph(view->out, "timers: %" PRIu64 " expired%s%s",
                    late->n + accounting->timers_early, range, early);
}

static void view_irqs(const struct view *view, const struct accounting *accounting)
{
    const struct account_handler *handler;
    char name[ACCOUNT_LABEL_MAX];
    struct table table;
    size_t first = 0;

    if (account_next_handler(accounting, &first) == NULL) {
        fputs("\n  no interrupt occurred\n", view->out);
        return;
    }
    table_open(&table, "llrrrrrr", "handler\ttime\tn\tmin\tmean\tmax\ttotal\t%s",
               length_unit(view));
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        add_handler(&table, view, accounting->bench, handler);
    }
    print_paragraph(
        view->out,
        "handlers and deferred calls, in ticks. Net: time in the handler, including entry and exit "
        "of the interrupt, without nested interrupts and the tracer. Gross: from stamp to stamp. "
        "Queued: until a deferred call began. The last column is the mean.");
    view_table(view, &table);
    print_timers(view, accounting);
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        print_histogram(view, handler_name(accounting->bench, handler, name), handler);
    }
}

/* ---- disks ---- */

struct sheet {
    const struct view *view;
    const struct run_bench *bench;
    struct table table;
};

/* Begins a row with the disk's name, cut to NAME_WIDTH. */
static void begin_row(struct sheet *sheet, const struct disk_account *disk)
{
    char name[ACCOUNT_NAME_MAX];

    table_line(&sheet->table, "%.*s", NAME_WIDTH, disk_name(sheet->bench, disk, name));
}

static void add_time(struct sheet *sheet, uint64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(&sheet->table, amount_text(sheet->view, (int64_t)ticks, UNIT_TICK, text));
}

static void add_requests(struct sheet *sheet, const struct disk_account *disk)
{
    begin_row(sheet, disk);
    table_format(&sheet->table, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, disk->issued,
                 disk->good, disk->failed, disk->outstanding);
    if (disk->time.n == 0) {
        table_format(&sheet->table, "-\t-\t-");
        return;
    }
    add_time(sheet, disk->time.min);
    add_time(sheet, disk->time.total / disk->time.n);
    add_time(sheet, disk->time.max);
}

static void print_requests(struct sheet *sheet, const struct disk_requests *requests)
{
    table_open(&sheet->table, "lrrrrrrr", "disk\trequests\tgood\tfailed\topen\tmin\tmean\tmax");
    for (size_t i = 0; i < requests->disk_count; i++) {
        add_requests(sheet, &requests->disks[i]);
    }
    print_paragraph(sheet->view->out, "requests to disks, and the time from issue to completion of "
                                      "completed ones; open: outstanding when the trace ended");
    view_table(sheet->view, &sheet->table);
}

static void print_errors(const struct sheet *sheet, const struct disk_account *disk)
{
    char name[ACCOUNT_NAME_MAX];

    disk_name(sheet->bench, disk, name);
    for (uint32_t i = BLOCK_GOOD + 1; i < DISK_ERRORS; i++) {
        if (disk->errors[i] > 0) {
            print_paragraph(sheet->view->out, "%s: %s: %" PRIu64 " of %" PRIu64 " requests", name,
                            disk_error_name(i), disk->errors[i], disk->issued);
        }
    }
    if (disk->lost > 0) {
        print_paragraph(sheet->view->out,
                        "%s: requests whose end is unknown, because events were lost or the trace "
                        "paused before it: %" PRIu64,
                        name, disk->lost);
    }
    if (disk->unissued > 0) {
        print_paragraph(sheet->view->out,
                        "%s: completions of requests that were issued before the trace began, or "
                        "while events were lost: %" PRIu64,
                        name, disk->unissued);
    }
}

static void add_depth(struct sheet *sheet, const struct disk_account *disk)
{
    begin_row(sheet, disk);
    table_format(&sheet->table, "%.1f\t%" PRIu64, (double)disk->sectors / SECTORS_PER_KIB,
                 disk->deepest);
    if (disk->known == 0) {
        table_format(&sheet->table, "-\t-\t-\t-");
        return;
    }
    table_format(&sheet->table, "%.3f", (double)disk->depth / (double)disk->known);
    table_if(&sheet->table, disk->busy > 0, "%.3f", (double)disk->depth / (double)disk->busy);
    table_share(&sheet->table, (double)disk->busy / (double)disk->known);
    add_time(sheet, disk->known);
}

static void print_depths(struct sheet *sheet, const struct disk_requests *requests)
{
    table_open(&sheet->table, "lrrrrrr", "disk\tKiB\tdeepest\tmean\twhile busy\tbusy\tof");
    for (size_t i = 0; i < requests->disk_count; i++) {
        add_depth(sheet, &requests->disks[i]);
    }
    print_paragraph(sheet->view->out,
                    "data of good requests, and number of outstanding requests; busy: the share of "
                    "the time with at least one outstanding. The time counts from the disk's first "
                    "event, while no events are lost.");
    view_table(sheet->view, &sheet->table);
}

static void view_disks(const struct view *view, const struct run_bench *bench,
                       const struct disk_requests *requests)
{
    struct sheet sheet = {.view = view, .bench = bench};

    if (requests->disk_count == 0) {
        fputs("\n  no request was made to a disk\n", view->out);
        return;
    }
    print_requests(&sheet, requests);
    for (size_t i = 0; i < requests->disk_count; i++) {
        print_errors(&sheet, &requests->disks[i]);
    }
    print_depths(&sheet, requests);
}

/* ---- availability ---- */

/* Fills in each column with the busiest of its intervals, which an average would hide. */
static size_t fill_columns(const struct availability *availability, double columns[CHART_COLUMNS])
{
    const size_t count = availability->count < CHART_COLUMNS ? availability->count : CHART_COLUMNS;

    memset(columns, 0, CHART_COLUMNS * sizeof(*columns));
    for (size_t i = 0; i < availability->count; i++) {
        const size_t column = i * count / availability->count;
        const double busy = availability_busy(&availability->intervals[i]);

        columns[column] = busy > columns[column] ? busy : columns[column];
    }
    return count;
}

static void print_chart(const struct view *view, const struct availability *availability)
{
    double columns[CHART_COLUMNS];
    const size_t count = fill_columns(availability, columns);
    uint64_t total = 0;
    char text[AMOUNT_MAX];

    for (size_t i = 0; i < availability->count; i++) {
        total += availability->intervals[i].ticks;
    }
    if (availability->count > CHART_COLUMNS) {
        fprintf(view->out, "  each column shows the busiest of up to %zu intervals\n",
                (availability->count + CHART_COLUMNS - 1) / CHART_COLUMNS);
    }
    fputc('\n', view->out);
    chart_columns(view->out, columns, count, 1, CHART_ROWS);
    if (count >= LABELS_MIN) {
        fprintf(view->out, "%*s0%*s\n", CHART_LEFT, "", (int)count - 1,
                amount_text(view, (int64_t)total, UNIT_TICK, text));
    }
}

static size_t class_of(double busy)
{
    if (busy <= 0) {
        return 0;
    }
    return busy >= 1 ? CLASSES - 1 : 1 + (size_t)(busy * DECILES);
}

static const char *class_name(size_t class, char text[16])
{
    if (class == 0 || class == CLASSES - 1) {
        snprintf(text, 16, "%d %%", class == 0 ? 0 : 100);
    } else {
        snprintf(text, 16, "< %zu %%", class * 100 / DECILES);
    }
    return text;
}

static void print_classes(const struct view *view, const struct availability *availability)
{
    char number[NUMBER_MAX];
    uint64_t counts[CLASSES] = {0};
    uint64_t most = 0;
    uint64_t unknown = 0;
    char text[16];

    for (size_t i = 0; i < availability->count; i++) {
        const double busy = availability_busy(&availability->intervals[i]);

        if (isnan(busy)) {
            unknown++;
            continue;
        }
        const uint64_t count = ++counts[class_of(busy)];

        most = count > most ? count : most;
    }
    fprintf(view->out, "\n  %10s  %10s\n", "busy", "intervals");
    for (size_t i = 0; i < CLASSES; i++) {
        if (counts[i] > 0) {
            fprintf(view->out, "  %10s  %10s  ", class_name(i, text),
                    number_text((double)counts[i], number));
            chart_bar(view->out, (double)counts[i] / (double)most, AVAIL_BAR_WIDTH);
            fputc('\n', view->out);
        }
    }
    if (unknown > 0) {
        fprintf(view->out, "  %10s  %10s\n", "unknown", number_text((double)unknown, number));
    }
}

static void print_summary(const struct view *view, const struct availability *availability)
{
    int64_t *parts = alloc_zeroed((availability->count + 1) * sizeof(*parts));
    struct statistics statistics;
    uint64_t busy = 0;
    uint64_t known = 0;
    size_t count = 0;
    char shares[3][NUMBER_MAX];
    char of_p99[NUMBER_MAX];
    char p99[NUMBER_MAX + sizeof("p99 , ")] = "";

    for (size_t i = 0; i < availability->count; i++) {
        const struct availability_interval *interval = &availability->intervals[i];
        const double fraction = availability_busy(interval);

        busy += interval->busy;
        known += interval->ticks - interval->unknown;
        if (!isnan(fraction)) {
            parts[count++] = llround(fraction * PPM);
        }
    }
    statistics_of(parts, count, &statistics);
    if (count > 0) {
        if (statistics.has_p99) {
            snprintf(p99, sizeof(p99), "p99 %s, ",
                     share_text((double)statistics.p99 / PPM, of_p99));
        }
        print_paragraph(view->out,
                        "busy: %s of the total; per interval min %s, median %s, %smax %s",
                        share_text((double)busy / (double)known, of_p99),
                        share_text((double)statistics.min / PPM, shares[0]),
                        share_text((double)statistics.median / PPM, shares[1]), p99,
                        share_text((double)statistics.max / PPM, shares[2]));
    }
    free(parts);
}

/* Is interval `left` busier than `right`, or earlier if they are equally busy? */
static bool is_busier(const struct availability *availability, size_t left, size_t right)
{
    const double a = availability_busy(&availability->intervals[left]);
    const double b = availability_busy(&availability->intervals[right]);

    return isnan(b) || a > b || (a == b && left < right);
}

static void print_busiest(const struct view *view, const struct availability *availability)
{
    size_t busiest[BUSIEST + 1];
    size_t count = 0;
    struct table table;

    for (size_t i = 0; i < availability->count; i++) {
        size_t place = count;

        if (!(availability_busy(&availability->intervals[i]) > 0)) {
            continue;
        }
        while (place > 0 && is_busier(availability, i, busiest[place - 1])) {
            busiest[place] = busiest[place - 1];
            place--;
        }
        busiest[place] = i;
        count += count < BUSIEST;
    }
    if (count == 0) {
        return;
    }
    table_open(&table, "rrrr", "busiest\tbegins at\tbusy\tbusy ticks");
    for (size_t i = 0; i < count; i++) {
        const struct availability_interval *interval = &availability->intervals[busiest[i]];
        const uint64_t begin = busiest[i] * availability->length;
        char text[AMOUNT_MAX];

        table_line(&table, "%zu\t%s", busiest[i],
                   amount_text(view, (int64_t)begin, UNIT_TICK, text));
        table_share(&table, availability_busy(interval));
        table_format(&table, "%" PRIu64, interval->busy);
    }
    view_table(view, &table);
}

static void view_availability(const struct view *view, const struct availability *availability)
{
    char text[AMOUNT_MAX];

    print_paragraph(view->out,
                    "processor busy (neither idle nor unknown), over %s%zu intervals of %s",
                    availability->too_many ? "the first " : "", availability->count,
                    amount_text(view, (int64_t)availability->length, UNIT_TICK, text));
    if (availability->count == 0) {
        return;
    }
    print_summary(view, availability);
    print_chart(view, availability);
    print_classes(view, availability);
    print_busiest(view, availability);
}

/* The observers of the traces while they are read. */
struct audience {
    struct reconcile reconcile;
    /* of each processor; length 0: not wished */
    struct availability availability[RUN_PROCESSORS_MAX];
    size_t processors;
    struct delays delays; /* 0 wanted: not wished */
    const char *why;      /* the reason why something cannot be shown, or NULL */
};

/* Returns an interval in ticks, or 0 if the rate of the TSC is unknown or the interval is shorter
 * than half a tick. */
static uint64_t interval_ticks(const struct view *view, double ms)
{
    const double longest = 1e18; /* longer than any trace */
    const double ticks = view->ns_per_tick > 0 ? ms * 1e6 / view->ns_per_tick : 0;

    return (uint64_t)llround(ticks < longest ? ticks : longest);
}

/* Sets up the observers that the wish needs. */
static size_t seat(void *state, const struct run_bench *bench, const struct walk_wish *of,
                   struct account_observer *observers)
{
    struct audience *audience = state;
    const struct trace_wish *wish = of->tables;
    struct view view;
    size_t count = 0;

    view_init(&view, NULL, of->run);
    audience->processors = run_processors(bench);
    if (wish->consistency) {
        reconcile_init(&audience->reconcile, bench);
        if (view.ticks_per_instruction <= 0) {
            reconcile_allow_spread(&audience->reconcile);
        }
        if (audience->reconcile.present) {
            observers[count++] = reconcile_observer(&audience->reconcile);
        }
    }
    if (wish->thread != NULL) {
        const uint32_t thread = view_find_thread(bench, wish->thread);

        if (thread != ACCOUNT_NO_THREAD) {
            delays_init(&audience->delays, thread, wish->slowest);
            observers[count++] = delays_observer(&audience->delays);
        }
    }
    const uint64_t length = interval_ticks(&view, wish->interval_ms);

    if (wish->interval_ms > 0 && length == 0) {
        audience->why = view.ns_per_tick > 0 ? "the interval is shorter than a tick"
                                             : "the length of a tick is unknown";
    }
    for (size_t i = 0; i < audience->processors && length > 0; i++) {
        availability_init(&audience->availability[i], length);
        audience->availability[i].cpu = i;
        observers[count++] = availability_observer(&audience->availability[i]);
    }
    return count;
}

static void free_audience(void *state)
{
    struct audience *audience = state;

    for (size_t i = 0; i < audience->processors; i++) {
        availability_free(&audience->availability[i]);
    }
    delays_free(&audience->delays);
}

static const struct trace_reading tables_trace = {
    .use = WALK_TABLES, .size = sizeof(struct audience), .seat = seat, .free = free_audience};

PLUGIN_REGISTER(tables) = {.trace = &tables_trace};

static void print(const struct view *view, const struct walk *walk, struct audience *audience)
{
    const struct accounting *accounting = &walk->accounting;
    const struct trace_wish *wish = walk->wish.tables;

    if (wish->consistency) {
        view_consistency(view, accounting);
        view_account(view, accounting->bench, accounting);
        view_sampling(view, accounting);
        view_reconcile(view, &audience->reconcile);
    }
    if (wish->consistency || wish->threads || wish->irqs || wish->interval_ms > 0) {
        view_processors(view, accounting);
    }
    if (wish->threads) {
        view_threads(view, accounting);
        view_threads_placed(view, accounting);
    }
    if (wish->irqs) {
        view_irqs(view, accounting);
    }
    if (wish->disks) {
        view_disks(view, accounting->bench, &walk->requests);
    }
    for (size_t i = 0; i < audience->processors && audience->availability[i].length > 0; i++) {
        if (audience->processors > 1) {
            fprintf(view->out, "\n  processor %zu\n", i);
        }
        view_availability(view, &audience->availability[i]);
    }
    if (audience->delays.wanted > 0) {
        view_delays(view, accounting->bench, &audience->delays);
    }
}

const char *view_trace(const struct view *view, const struct run_bench *bench,
                       const struct trace_wish *wish)
{
    const struct walk_wish alone = {.run = view->run, .disks = wish->disks, .tables = wish};
    const struct walk *walk = walk_for(bench, WALK_TABLES, &alone);
    struct audience *audience = walk->state[WALK_TABLES];
    const char *why = walk->good ? audience->why : "its trace cannot be read";

    if (walk->good) {
        print(view, walk, audience);
    }
    if (why != NULL) {
        fprintf(view->out, "\n  some parts cannot be shown: %s\n", why);
    }
    return why;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/exit_profile.h"
#include "tools/run/records.h"

/* Number of rows searched ahead: a row that is missing in one run shifts the following ones. */
#define ROWS_AHEAD 64
#define MISSING    "-"

/* A row of a list: a key that says what it is, and its value. */
struct row {
    char key[DIFF_WHAT_MAX];
    char value[DIFF_VALUE_MAX];
    bool is_number;
    int64_t number;
};

struct row_list;

/* Fills in row `index` of the owner's list. Returns false if the row is left out of the comparison.
 */
typedef bool row_reader(const struct row_list *list, const void *owner, size_t index,
                        struct row *row);

struct row_list {
    row_reader *read;
    const char *title;               /* first words of each key */
    const struct run_record *record; /* record whose items the rows are; NULL: none */
    const void *a, *b;               /* owners of the two lists */
    size_t count_a, count_b;
};

/* The two runs, and the same bench of both, which is NULL in the set-up. */
struct pair {
    struct diff *diff;
    const struct run *a, *b;
    const struct run_bench *bench_a, *bench_b;
};

struct diff_item *diff_add(struct diff *diff, enum diff_place place, const struct run_bench *bench)
{
    struct diff_item *item = ALLOC_NEXT(diff->item, diff->count, diff->capacity);

    *item = (struct diff_item){.place = place, .count = 1, .total = 1};
    if (bench != NULL) {
        item->bench = bench->name;
        item->pass = bench->pass;
    }
    return item;
}

static void add_stamp(struct diff *diff, int64_t low, int64_t high)
{
    if (!diff->stamps_differ || low < diff->stamp_low) {
        diff->stamp_low = low;
    }
    if (!diff->stamps_differ || high > diff->stamp_high) {
        diff->stamp_high = high;
    }
    diff->stamps_differ = true;
}

/* Returns b - a. It wraps around, because stamps and samples may have any value. */
static int64_t shift_of(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)b - (uint64_t)a);
}

/* ---- rows ---- */

/* Adds a difference. A row that is NULL is missing in that run. */
static void add_row(const struct pair *pair, const struct row *a, const struct row *b)
{
    const struct row *any = a != NULL ? a : b;
    struct diff_item *item =
        diff_add(pair->diff, pair->bench_a != NULL ? DIFF_BENCH : DIFF_SETUP, pair->bench_a);

    snprintf(item->what, sizeof(item->what), "%s", any->key);
    snprintf(item->a, sizeof(item->a), "%s", a != NULL ? a->value : MISSING);
    snprintf(item->b, sizeof(item->b), "%s", b != NULL ? b->value : MISSING);
    if (a != NULL && b != NULL && a->is_number && b->is_number) {
        item->has_shift = true;
        item->constant = true;
        item->first_shift = item->low = item->high = shift_of(a->number, b->number);
    }
}

/* Is the row's key among the next rows of the second run? If so, sets *index to its index. */
static bool find_ahead(const struct row_list *list, const char *key, size_t *index, struct row *row)
{
    for (size_t i = *index; i < list->count_b && i < *index + ROWS_AHEAD; i++) {
        *row = (struct row){0};
        if (list->read(list, list->b, i, row) && strcmp(row->key, key) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Adds the rows up to `end` that only the second run has. */
static void add_only_b(const struct pair *pair, const struct row_list *list, size_t from,
                       size_t end)
{
    for (size_t i = from; i < end; i++) {
        struct row row = {0};

        if (list->read(list, list->b, i, &row)) {
            add_row(pair, NULL, &row);
        }
    }
}

static void compare_rows(const struct pair *pair, const struct row_list *list)
{
    size_t next = 0;

    for (size_t i = 0; i < list->count_a; i++) {
        struct row a = {0};
        struct row b;
        size_t at = next;

        if (!list->read(list, list->a, i, &a)) {
            continue;
        }
        if (!find_ahead(list, a.key, &at, &b)) {
            add_row(pair, &a, NULL);
            continue;
        }
        add_only_b(pair, list, next, at);
        if (strcmp(a.value, b.value) != 0 || a.is_number != b.is_number || a.number != b.number) {
            add_row(pair, &a, &b);
        }
        next = at + 1;
    }
    add_only_b(pair, list, next, list->count_b);
}

/* ---- items of records ---- */

static const char *or_missing(const char *text)
{
    return text != NULL ? text : MISSING;
}

static void append(char *text, size_t size, const char *before, const char *more)
{
    const size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", before, more);
}

/* Makes a row of an item: keys go into the key, other fields into the value, except notes and
 * missing fields. If only one field is compared, its name is left out. */
static bool read_item(const struct row_list *list, const void *owner, size_t index, struct row *row)
{
    const void *item = run_item(list->record, owner, index);
    size_t compared = 0;

    for (size_t i = 0; i < list->record->count; i++) {
        const enum field_need need = list->record->field[i].need;

        compared += need != NEED_KEY && need != NEED_NOTE;
    }
    snprintf(row->key, sizeof(row->key), "%s", list->title);
    for (size_t i = 0; i < list->record->count; i++) {
        const struct run_field *field = &list->record->field[i];
        const struct run_value value = run_field_get(field, item);
        const bool is_text = run_field_is_text(field);
        char number[32];

        if (field->need == NEED_NOTE || !value.present) {
            continue;
        }
        snprintf(number, sizeof(number), field->type == TYPE_UNSIGNED ? "%" PRIu64 : "%" PRId64,
                 value.number);
        if (field->need == NEED_KEY) {
            append(row->key, sizeof(row->key), row->key[0] != '\0' ? " " : "",
                   is_text ? value.text : number);
            continue;
        }
        if (compared > 1) {
            append(row->value, sizeof(row->value), row->value[0] != '\0' ? ", " : "", field->name);
        }
        append(row->value, sizeof(row->value), compared > 1 ? " " : "",
               is_text ? value.text : number);
        row->is_number = compared == 1 && !is_text;
        row->number = value.number;
    }
    append(row->value, sizeof(row->value), row->value[0] != '\0' ? "" : MISSING, "");
    return true;
}

static void compare_items_by(const struct pair *pair, row_reader *read, const char *title,
                             const struct run_record *record)
{
    const bool of_bench = pair->bench_a != NULL;
    const void *a = of_bench ? (const void *)pair->bench_a : pair->a;
    const void *b = of_bench ? (const void *)pair->bench_b : pair->b;

    compare_rows(pair, &(struct row_list){read, title, record, a, b, run_item_count(record, a),
                                          run_item_count(record, b)});
}

static void compare_items(const struct pair *pair, const char *title,
                          const struct run_record *record)
{
    compare_items_by(pair, read_item, title, record);
}

/* ---- rows of a run ---- */

static bool read_pair(const struct row_list *list, const void *pairs, size_t index, struct row *row)
{
    const struct run_pair *pair = &((const struct run_pairs *)pairs)->item[index];
    char *end;

    snprintf(row->key, sizeof(row->key), "%s %s", list->title, pair->key);
    snprintf(row->value, sizeof(row->value), "%s", or_missing(pair->value));
    row->number = (int64_t)strtoull(row->value, &end, 10);
    row->is_number = end != row->value && *end == '\0' && row->value[0] != '-';
    return true;
}

/* Reads a pair of info, except those that always differ between two images. */
static bool read_info(const struct row_list *list, const void *pairs, size_t index, struct row *row)
{
    const char *key = ((const struct run_pairs *)pairs)->item[index].key;

    return strcmp(key, INFO_RUN) != 0 && strcmp(key, "image.sha256") != 0 &&
           strcmp(key, INFO_BOOT_ORDER) != 0 && strncmp(key, "log.", 4) != 0 &&
           strncmp(key, INFO_SEAL, strlen(INFO_SEAL)) != 0 &&
           strncmp(key, EXIT_KEY_PROFILE, strlen(EXIT_KEY_PROFILE)) != 0 &&
           read_pair(list, pairs, index, row);
}

static bool read_plan(const struct row_list *list, const void *run, size_t index, struct row *row)
{
    (void)index;
    snprintf(row->key, sizeof(row->key), "%s", list->title);
    snprintf(row->value, sizeof(row->value), "%s",
             or_missing(((const struct run *)run)->plan_text));
    return true;
}

static bool read_crash(const struct row_list *list, const void *run, size_t index, struct row *row)
{
    const struct run_pairs *fields = &((const struct run *)run)->crashes[index].fields;

    snprintf(row->key, sizeof(row->key), "%s %zu", list->title, index + 1);
    snprintf(row->value, sizeof(row->value), "%s at %s in %s",
             or_missing(run_pair_value(fields, "name")), or_missing(run_pair_value(fields, "rip")),
             or_missing(run_pair_value(fields, "bench")));
    return true;
}

static bool read_text(const struct row_list *list, const void *texts, size_t index, struct row *row)
{
    snprintf(row->key, sizeof(row->key), "%s %zu", list->title, index + 1);
    snprintf(row->value, sizeof(row->value), "%s", ((const struct run_texts *)texts)->item[index]);
    return true;
}

static void compare_setup(const struct pair *pair)
{
    const struct run *a = pair->a;
    const struct run *b = pair->b;
    const struct row_list lists[] = {
        {read_info, "run", NULL, &a->info, &b->info, a->info.count, b->info.count},
        {read_plan, "plan", NULL, a, b, 1, 1},
        {read_pair, "machine", NULL, &a->machine, &b->machine, a->machine.count, b->machine.count},
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        compare_rows(pair, &lists[i]);
    }
    compare_items(pair, "clock", &run_source_record);
    compare_items(pair, "rate of", &run_estimate_record);
    compare_items(pair, "verdict on clocks", &run_verdict_record);
    compare_items(pair, "counter", &run_counter_record);
    compare_items(pair, "event", &run_event_record);
}

static void compare_end(const struct pair *pair)
{
    const struct run *a = pair->a;
    const struct run *b = pair->b;
    const struct row_list lists[] = {
        {read_crash, "crash", NULL, a, b, a->crash_count, b->crash_count},
        {read_text, "error", NULL, &a->errors, &b->errors, a->errors.count, b->errors.count},
        {read_text, "loss", NULL, &a->losses, &b->losses, a->losses.count, b->losses.count},
    };

    compare_items(pair, "interrupt", &run_interrupt_record);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        compare_rows(pair, &lists[i]);
    }
}

/* ---- facts of a bench ---- */

static bool is_fact(const void *bench, size_t index, const char *name)
{
    return strcmp(((const struct run_bench *)bench)->facts[index].name, name) == 0;
}

static bool read_fact(const struct row_list *list, const void *bench, size_t index, struct row *row)
{
    return !is_fact(bench, index, FACT_BEGAN) && !is_fact(bench, index, FACT_ENDED) &&
           read_item(list, bench, index, row);
}

static bool read_began(const struct row_list *list, const void *bench, size_t index,
                       struct row *row)
{
    return is_fact(bench, index, FACT_BEGAN) && read_item(list, bench, index, row);
}

static bool read_ended(const struct row_list *list, const void *bench, size_t index,
                       struct row *row)
{
    return is_fact(bench, index, FACT_ENDED) && read_item(list, bench, index, row);
}

/* ---- series ---- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_series(const struct run_series *a, const struct run_series *b)
{
    return same_text(a->name, b->name) && same_text(a->of, b->of) && same_text(a->event, b->event);
}

/* Returns the same series in the other bench, which usually has the same index. */
static const struct run_series *find_series(const struct run_bench *bench, size_t index,
                                            const struct run_series *wanted)
{
    if (index < bench->series_count && same_series(&bench->series[index], wanted)) {
        return &bench->series[index];
    }
    for (size_t i = 0; i < bench->series_count; i++) {
        if (same_series(&bench->series[i], wanted)) {
            return &bench->series[i];
        }
    }
    return NULL;
}

static void name_series(struct diff_item *item, const struct run_series *series)
{
    snprintf(item->what, sizeof(item->what), "series %s%s%s%s%s", or_missing(series->name),
             series->event != NULL ? ", " : "", series->event != NULL ? series->event : "",
             series->of != NULL ? " of " : "", series->of != NULL ? series->of : "");
}

static void write_sample(bool there, int64_t sample, char text[DIFF_VALUE_MAX])
{
    if (there) {
        snprintf(text, DIFF_VALUE_MAX, "%" PRId64, sample);
    } else {
        snprintf(text, DIFF_VALUE_MAX, MISSING);
    }
}

void diff_note_shift(struct diff_item *item, uint64_t number, bool known, int64_t shift)
{
    if (known && !item->has_shift) {
        item->has_shift = true;
        item->first_shift = item->low = item->high = shift;
    } else if (known) {
        item->low = shift < item->low ? shift : item->low;
        item->high = shift > item->high ? shift : item->high;
    }
    item->constant = (item->constant || item->count == 0) && known &&
                     number == item->first + item->count && item->low == item->high;
    item->count++;
}

/* Notes that sample `index` differs. */
static void note_sample(struct diff_item *item, uint32_t index, const bool there[2],
                        const int64_t sample[2])
{
    const bool is_first = item->count == 0;

    if (is_first) {
        item->first = index;
        write_sample(there[0], sample[0], item->a);
        write_sample(there[1], sample[1], item->b);
    }
    diff_note_shift(item, index, there[0] && there[1] && (is_first || item->has_shift),
                    shift_of(sample[0], sample[1]));
}

static void compare_samples(struct diff_item *item, const struct run_series *a,
                            const struct run_series *b)
{
    struct run_walk walk[2] = {{.series = a}, {.series = b}};

    item->total = a->n > b->n ? a->n : b->n;
    item->count = 0;
    for (uint32_t i = 0; i < item->total; i++) {
        int64_t sample[2] = {0, 0};
        const bool there[2] = {i < a->n && run_walk_to(&walk[0], i, &sample[0]),
                               i < b->n && run_walk_to(&walk[1], i, &sample[1])};

        if (there[0] != there[1] || (i < a->n) != (i < b->n) || sample[0] != sample[1]) {
            note_sample(item, i, there, sample);
        }
    }
    item->constant = item->constant && item->first + item->count == item->total;
}

static void add_unmatched(struct diff *diff, const struct run_bench *bench,
                          const struct run_series *series, bool in_a)
{
    struct diff_item *item = diff_add(diff, DIFF_SAMPLE, bench);

    name_series(item, series);
    item->count = item->total = series->n;
    snprintf(item->a, sizeof(item->a), "%s", in_a ? "published" : MISSING);
    snprintf(item->b, sizeof(item->b), "%s", in_a ? MISSING : "published");
}

static void compare_series(const struct pair *pair)
{
    const struct run_bench *a = pair->bench_a;
    const struct run_bench *b = pair->bench_b;

    for (size_t i = 0; i < a->series_count; i++) {
        const struct run_series *other = find_series(b, i, &a->series[i]);
        struct diff_item found = {.place = DIFF_SAMPLE, .bench = a->name, .pass = a->pass};

        if (other == NULL) {
            add_unmatched(pair->diff, a, &a->series[i], true);
            continue;
        }
        compare_samples(&found, &a->series[i], other);
        if (found.count > 0) {
            name_series(&found, &a->series[i]);
            *diff_add(pair->diff, DIFF_SAMPLE, a) = found;
        }
    }
    for (size_t i = 0; i < b->series_count; i++) {
        if (find_series(a, i, &b->series[i]) == NULL) {
            add_unmatched(pair->diff, b, &b->series[i], false);
        }
    }
}

/* ---- benches ---- */

static void note_shift(struct diff *diff, size_t from)
{
    for (size_t i = from; i < diff->count; i++) {
        const struct diff_item *item = &diff->item[i];

        const bool is_stamp = item->place == DIFF_RECORD ||
                              strcmp(item->what, "fact " FACT_BEGAN) == 0 ||
                              strcmp(item->what, "fact " FACT_ENDED) == 0;

        if (item->has_shift && is_stamp) {
            add_stamp(diff, item->low, item->high);
        }
    }
}

static bool compare_bench(const struct pair *pair)
{
    const struct run_bench *a = pair->bench_a;
    const struct run_bench *b = pair->bench_b;
    const size_t from = pair->diff->count;

    compare_items_by(pair, read_began, "fact", &run_fact_record);
    compare_items(pair, "parameter", &run_param_record);
    compare_items(pair, "estimate of", &run_expect_record);
    compare_items(pair, "", &run_object_record);
    if (!diff_traces(pair->diff, a, b)) {
        return false;
    }
    compare_series(pair);
    compare_items_by(pair, read_fact, "fact", &run_fact_record);
    compare_items(pair, "missing", &run_absent_record);
    compare_items(pair, "bench", &run_bench_record);
    compare_items(pair, "state", &run_status_record);
    compare_items_by(pair, read_ended, "fact", &run_fact_record);
    note_shift(pair->diff, from);
    return true;
}

static void add_bench(struct diff *diff, const struct run_bench *bench, bool in_a)
{
    struct diff_item *item = diff_add(diff, DIFF_BENCH, bench);

    snprintf(item->what, sizeof(item->what), "bench");
    snprintf(item->a, sizeof(item->a), "%s", in_a ? bench->state : MISSING);
    snprintf(item->b, sizeof(item->b), "%s", in_a ? MISSING : bench->state);
}

static void count_bench(struct diff *diff, const struct run_bench *bench)
{
    diff->bench_total++;
    diff->series_total += bench->series_count;
    for (size_t i = 0; i < bench->series_count; i++) {
        diff->sample_total += bench->series[i].n;
    }
}

/* Returns the same bench in the other run, which usually has the same index. */
static const struct run_bench *find_bench(const struct run *run, size_t index,
                                          const struct run_bench *wanted)
{
    if (index < run->bench_count && run->benches[index].pass == wanted->pass &&
        strcmp(run->benches[index].name, wanted->name) == 0) {
        return &run->benches[index];
    }
    return run_find_pass(run, wanted->name, wanted->pass);
}

static bool compare_benches(struct pair *pair)
{
    struct diff *diff = pair->diff;

    for (size_t i = 0; i < pair->a->bench_count; i++) {
        const size_t before = diff->count;

        pair->bench_a = &pair->a->benches[i];
        pair->bench_b = find_bench(pair->b, i, pair->bench_a);
        count_bench(diff, pair->bench_a);
        if (pair->bench_b == NULL) {
            add_bench(diff, pair->bench_a, true);
        } else if (!compare_bench(pair)) {
            return false;
        }
        diff->benches += diff->count > before;
    }
    for (size_t i = 0; i < pair->b->bench_count; i++) {
        const struct run_bench *bench = &pair->b->benches[i];

        if (find_bench(pair->a, i, bench) == NULL) {
            add_bench(diff, bench, false);
            diff->bench_total++;
            diff->benches++;
        }
    }
    pair->bench_a = pair->bench_b = NULL;
    return true;
}

/* ---- runs ---- */

static const char *objection_to(const struct run *run, const char *which,
                                char text[DIFF_REASON_MAX])
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);

    if (run_ticks_per_instruction(run) > 0) {
        return NULL;
    }
    snprintf(text, DIFF_REASON_MAX,
             "the %s run is not exact (time: %s), and samples in any other time base differ in "
             "every boot",
             which, kind != NULL ? kind : "unknown");
    return text;
}

const char *diff_objection(const struct run *a, const struct run *b, char text[DIFF_REASON_MAX])
{
    if (objection_to(a, "first", text) != NULL || objection_to(b, "second", text) != NULL) {
        return text;
    }
    if (run_ticks_per_instruction(a) != run_ticks_per_instruction(b)) {
        snprintf(text, DIFF_REASON_MAX,
                 "an instruction takes %.0f ticks in the first run and %.0f in the second: boot "
                 "both with the same --shift",
                 run_ticks_per_instruction(a), run_ticks_per_instruction(b));
        return text;
    }
    return NULL;
}

static void count_all(struct diff *diff)
{
    diff->sample_at = diff->count;
    for (size_t i = diff->count; i-- > 0;) {
        const struct diff_item *item = &diff->item[i];

        if (item->place == DIFF_SAMPLE) {
            diff->sample_at = i;
            diff->series++;
            diff->samples += item->count;
        }
        diff->records += item->place == DIFF_RECORD ? item->count : 0;
    }
}

bool diff_runs(struct diff *diff, const struct run *a, const struct run *b)
{
    struct pair pair = {.diff = diff, .a = a, .b = b};

    *diff = (struct diff){0};
    compare_setup(&pair);
    diff->at = diff->count;
    if (!compare_benches(&pair)) {
        return false;
    }
    compare_end(&pair);
    if (diff->at == diff->count || diff->item[diff->at].bench == NULL) {
        diff->at = 0;
    }
    count_all(diff);
    return true;
}

void diff_free(struct diff *diff)
{
    free(diff->item);
    *diff = (struct diff){0};
}

bool diff_bench_of(const struct run *a, const struct diff_item *item, struct diff_bench *bench)
{
    for (size_t i = 0; item->bench != NULL && i < a->bench_count; i++) {
        const struct run_bench *at = &a->benches[i];

        if (at->pass == item->pass && strcmp(at->name, item->bench) == 0) {
            const struct run_fact *began = run_find_fact(at, FACT_BEGAN);

            *bench = (struct diff_bench){.name = at->name, .pass = at->pass, .number = i + 1};
            bench->has_began = began != NULL;
            bench->began = began != NULL ? (uint64_t)began->value : 0;
            bench->ended = (uint64_t)run_fact_or(at, FACT_ENDED, 0);
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/finding_source.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "kernel/run/worst.h"

/* fewest samples for a p99, as on the host: with fewer, less than ten are above it */
#define P99_SAMPLES 1000

/* ---- records ---- */

struct reader {
    const char *at, *end;
    char line[RECORD_LINE_MAX + 1];
    struct record record;
};

static void read_from(struct reader *reader, const struct kept *kept, size_t begin, size_t end)
{
    reader->at = kept->records + begin;
    reader->end = kept->records + end;
}

/* Reads the next record of that kind; others are skipped without parsing their fields. Returns
 * false if there are no more. */
static bool next_record(struct reader *reader, const char *kind)
{
    const size_t kind_length = strlen(kind);

    while (reader->at < reader->end) {
        const char *line = reader->at;
        const char *feed = memchr(line, '\n', (size_t)(reader->end - line));
        const size_t length = (size_t)((feed != NULL ? feed : reader->end) - line);

        reader->at = line + length + (feed != NULL ? 1 : 0);
        if (length <= kind_length || length >= sizeof(reader->line) || line[kind_length] != ' ' ||
            memcmp(line, kind, kind_length) != 0) {
            continue;
        }
        memcpy(reader->line, line, length);
        if (record_parse(reader->line, length, &reader->record)) {
            return true;
        }
    }
    return false;
}

/* Returns whether the field's value is `text`; NULL: any value is accepted. */
static bool field_is(const struct record *record, const char *field, const char *text)
{
    const char *value = record_value(record, field);

    return text == NULL || (value != NULL && strcmp(value, text) == 0);
}

/* ---- benches ---- */

/* Keeps a copy of a text, unless one was kept before. Returns NULL if there is no room. */
static const char *keep(struct kept_answers *answers, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *place = answers->text + answers->text_length;

    for (const char *old = answers->text; old < place; old += strlen(old) + 1) {
        if (strcmp(old, text) == 0) {
            return old;
        }
    }
    if (size > KEPT_BYTES - answers->text_length) {
        return NULL;
    }
    memcpy(place, text, size);
    answers->text_length += size;
    return place;
}

static const struct kept_bench *find_bench(const struct kept *kept, const char *name)
{
    for (size_t i = 0; i < kept->bench_count; i++) {
        if (strcmp(kept->bench[i].name, name) == 0) {
            return &kept->bench[i];
        }
    }
    return NULL;
}

/* Adds a bench. Returns NULL if it is another pass of a known one, or if there is no room. */
static struct kept_bench *add_bench(struct kept *kept, const char *name)
{
    if (name == NULL || find_bench(kept, name) != NULL || kept->bench_count == KEPT_BENCHES) {
        return NULL;
    }
    struct kept_bench *bench = &kept->bench[kept->bench_count];

    bench->name = keep(kept->answers, name);
    kept->bench_count += bench->name != NULL ? 1 : 0;
    return bench->name != NULL ? bench : NULL;
}

void kept_read(struct kept *kept, const char *records, size_t length,
               const int64_t *(*samples)(uint64_t stream, size_t *count),
               struct kept_answers *answers)
{
    struct kept_bench *open = NULL;
    struct reader reader;

    kept->records = records;
    kept->length = length;
    kept->samples = samples;
    kept->answers = answers;
    kept->bench_count = 0;
    read_from(&reader, kept, 0, length);
    while (next_record(&reader, RECORD_BENCH)) {
        const size_t behind = (size_t)(reader.at - records);

        if (open != NULL) {
            open->end = behind;
        }
        open = add_bench(kept, record_value(&reader.record, FIELD_NAME));
        if (open != NULL) {
            open->begin = behind;
            open->end = length;
        }
    }
}

/* ---- answers ---- */

/* Gets a field of the last record of this kind that belongs to the bench and, unless `name` is
 * NULL, has this name. Returns false if there is none. */
static bool find(const struct kept *kept, const char *kind, const char *bench, const char *name,
                 const char *field, char value[RECORD_LINE_MAX])
{
    const struct kept_bench *of = find_bench(kept, bench);
    struct reader reader;
    bool found = false;

    if (of == NULL) {
        return false;
    }
    read_from(&reader, kept, of->begin, of->end);
    while (next_record(&reader, kind)) {
        const char *text = record_value(&reader.record, field);

        if (text != NULL && field_is(&reader.record, FIELD_BENCH, bench) &&
            field_is(&reader.record, FIELD_NAME, name)) {
            snprintf(value, RECORD_LINE_MAX, "%s", text);
            found = true;
        }
    }
    return found;
}

static const char *find_text(const struct kept *kept, const char *kind, const char *bench,
                             const char *name, const char *field)
{
    char value[RECORD_LINE_MAX];

    return find(kept, kind, bench, name, field, value) ? keep(kept->answers, value) : NULL;
}

static const char *machine(const void *context, const char *name)
{
    const struct kept *kept = context;
    struct reader reader;

    read_from(&reader, kept, 0, kept->length);
    while (next_record(&reader, RECORD_MACHINE)) {
        const char *value = record_value(&reader.record, FIELD_VALUE);

        if (value != NULL && field_is(&reader.record, FIELD_NAME, name)) {
            return keep(kept->answers, value);
        }
    }
    return NULL;
}

static const char *state(const void *context, const char *bench, const char **reason)
{
    *reason = find_text(context, RECORD_STATUS, bench, NULL, FIELD_REASON);
    return find_text(context, RECORD_STATUS, bench, NULL, FIELD_STATE);
}

static const char *bench_at(const void *context, size_t index)
{
    const struct kept *kept = context;

    return index < kept->bench_count ? kept->bench[index].name : NULL;
}

static bool fact(const void *context, const char *bench, const char *name, int64_t *value)
{
    char text[RECORD_LINE_MAX];
    const struct record_field field = {FIELD_VALUE, text};
    const struct record record = {.count = 1, .fields = {field}};

    return find(context, RECORD_FACT, bench, name, FIELD_VALUE, text) &&
           record_value_signed(&record, FIELD_VALUE, value);
}

static const char *absent(const void *context, const char *bench, const char *name)
{
    return find_text(context, RECORD_ABSENT, bench, name, FIELD_REASON);
}

/* ---- series ---- */

/* Returns the sample of rank ceil(99 * count / 100), without memory for a copy: the smallest value
 * that at least `rank` samples do not exceed is that sample. */
static int64_t p99_of(const int64_t *samples, size_t count, const struct spread *spread)
{
    const size_t rank = (count * 99 + 99) / 100;
    int64_t low = spread->median;
    int64_t high = spread->max;

    while (low < high) {
        const int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        size_t found = 0;

        for (size_t i = 0; i < count; i++) {
            found += samples[i] <= middle ? 1 : 0;
        }
        if (found >= rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static struct finding_series look_through(const int64_t *samples, size_t count, const char *unit)
{
    struct finding_series series = {.n = count, .unit = unit};
    struct spread spread;

    if (count == 0) {
        return series;
    }
    spread_of(samples, count, &spread);
    series.min = spread.min;
    series.p50 = spread.median;
    series.max = spread.max;
    series.has_p99 = count >= P99_SAMPLES;
    if (series.has_p99) {
        series.p99 = p99_of(samples, count, &spread);
    }
    return series;
}

static struct finding_series statistics(struct kept_answers *answers, const int64_t *samples,
                                        size_t count, const char *unit)
{
    for (size_t i = 0; i < answers->series_count; i++) {
        if (answers->series[i].samples == samples && answers->series[i].series.n == count) {
            return answers->series[i].series;
        }
    }
    const struct finding_series series = look_through(samples, count, unit);

    if (answers->series_count < KEPT_SERIES) {
        answers->series[answers->series_count++] = (struct kept_series){samples, series};
    }
    return series;
}

static bool samples_of(const void *context, const char *bench, const char *name,
                       const int64_t **samples, size_t *count)
{
    const struct kept *kept = context;
    char text[RECORD_LINE_MAX];
    const struct record_field field = {FIELD_STREAM, text};
    const struct record record = {.count = 1, .fields = {field}};
    uint64_t stream;

    if (!find(kept, RECORD_SERIES, bench, name, FIELD_STREAM, text) ||
        !record_value_unsigned(&record, FIELD_STREAM, &stream)) {
        return false;
    }
    *samples = kept->samples(stream, count);
    return *samples != NULL && *count > 0;
}

static bool series_of(const void *context, const char *bench, const char *name,
                      struct finding_series *series)
{
    const struct kept *kept = context;
    const int64_t *samples;
    size_t count;

    if (!samples_of(context, bench, name, &samples, &count)) {
        return false;
    }
    const char *unit = find_text(kept, RECORD_SERIES, bench, name, FIELD_UNIT);

    if (unit == NULL) {
        return false;
    }
    *series = statistics(kept->answers, samples, count, unit);
    return true;
}

struct finding_source kept_source(const struct kept *kept)
{
    return (struct finding_source){
        .context = kept,
        .machine = machine,
        .state = state,
        .bench = bench_at,
        .fact = fact,
        .series = series_of,
        .samples = samples_of,
        .absent = absent,
    };
}

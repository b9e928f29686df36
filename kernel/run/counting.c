/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/counting.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/pmu/names.h"
#include "kernel/pmu/pmu.h"

#define LIST_TEXT_MAX 96

/* The codes and counters for an event, or the reason why it cannot be counted. */
struct resolution {
    bool absent;
    enum counting_source source;
    size_t code_count;
    struct event_code code[EVENT_CODES_MAX];
    uint32_t counters; /* general counters that can count it, one bit each; 0: all */
    char reason[COUNTING_REASON_MAX + 1];
};

static const struct counting_pass *current;

bool counting_parse(struct counting *counting, const char *list, char error[EVENT_ERROR_MAX])
{
    memset(counting, 0, sizeof(*counting));
    return list == NULL ||
           event_list_parse(list, counting->request, &counting->request_count, error);
}

/* ---- what an event is on this processor ---- */

__attribute__((format(printf, 2, 3))) static void refuse(struct resolution *resolution,
                                                         const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(resolution->reason, sizeof(resolution->reason), format, arguments);
    va_end(arguments);
    resolution->absent = true;
}

static void take_table_row(const struct event_row *row, struct resolution *resolution)
{
    const uint32_t lacking = pmu_state()->events_absent;

    if (row->code_count == 0) {
        refuse(resolution, "%s", event_row_absence(row));
        return;
    }
    for (size_t i = 0; i < row->code_count; i++) {
        const int bit = event_architectural_bit(&row->code[i]);

        if (pmu_state()->backend == PMU_INTEL && bit >= 0 && (lacking >> bit & 1) != 0) {
            refuse(resolution, "CPUID leaf 0Ah reports that this processor lacks the event");
            return;
        }
        resolution->code[i] = row->code[i];
    }
    resolution->code_count = row->code_count;
    resolution->counters = row->counters;
}

static bool is_instructions(const struct event_request *request)
{
    return !request->raw && request->event == EVENT_INSTRUCTIONS;
}

static void resolve(const struct event_request *request, struct resolution *resolution)
{
    const struct pmu *pmu = pmu_state();

    *resolution = (struct resolution){.source = SOURCE_PMU};
    if (!request->raw && request->event == EVENT_SMI && pmu->has_smi_count) {
        resolution->source = SOURCE_MSR34;
        return;
    }
    if (pmu->usable == 0) {
        if (is_instructions(request) && clock_is_exact()) {
            resolution->source = SOURCE_ICOUNT;
            return;
        }
        refuse(resolution, "no event counter: %s", pmu->reason);
        return;
    }
    if (request->raw) {
        resolution->code_count = 1;
        resolution->code[0] = request->code;
        return;
    }
    take_table_row(&pmu->events->row[request->event], resolution);
    if (resolution->absent && request->event == EVENT_SMI) {
        refuse(resolution,
               "MSR 34h has never counted here, and this processor has no event for SMIs");
    }
}

/* ---- events to counters ---- */

static bool is_taken(const struct counting_pass *pass, unsigned counter)
{
    for (size_t i = 0; i < pass->slot_count; i++) {
        if (pass->slot[i].counter == counter) {
            return true;
        }
    }
    return false;
}

static bool suits(const struct pmu_counter *counter, const struct resolution *resolution)
{
    return counter->kind != COUNTER_GENERAL || resolution->counters == 0 ||
           (resolution->counters >> counter->index & 1) != 0;
}

/* Returns a free counter for one of the codes, or -1 if there is none. Prefers fixed counters,
 * because they can count nothing else. */
static int find_counter(const struct counting_pass *pass, const struct resolution *resolution,
                        size_t code)
{
    const struct pmu *pmu = pmu_state();
    int found = -1;

    for (unsigned i = 0; i < pmu->count; i++) {
        const struct pmu_counter *counter = &pmu->counter[i];

        if (counter->state != COUNTER_USABLE || is_taken(pass, i) || !suits(counter, resolution) ||
            !pmu_counter_takes(i, &resolution->code[code])) {
            continue;
        }
        if (counter->kind != COUNTER_GENERAL) {
            return (int)i;
        }
        found = found < 0 ? (int)i : found;
    }
    return found;
}

/* Puts the event into the pass. Returns false if there is no room for it. */
static bool place(struct counting_pass *pass, const struct event_request *request,
                  const struct resolution *resolution)
{
    const size_t slots_before = pass->slot_count;
    struct counting_column column = {.request = request, .source = resolution->source};

    if (pass->column_count == COUNTING_COLUMNS_MAX) {
        return false;
    }
    for (size_t i = 0; i < resolution->code_count; i++) {
        const int counter = find_counter(pass, resolution, i);

        if (counter < 0 || pass->slot_count == READER_COUNTERS_MAX) {
            pass->slot_count = slots_before;
            return false;
        }
        column.slot[column.slot_count++] = (uint8_t)pass->slot_count;
        pass->slot[pass->slot_count].counter = (uint8_t)counter;
        pass->slot[pass->slot_count++].code = resolution->code[i];
    }
    pass->smi = pass->smi || resolution->source == SOURCE_MSR34;
    pass->column[pass->column_count++] = column;
    return true;
}

/* Checks that the processor accepts the codes. */
static void try_out(struct resolution *resolution)
{
    const struct counting_pass empty = {0};

    for (size_t i = 0; i < resolution->code_count && !resolution->absent; i++) {
        const int counter = find_counter(&empty, resolution, i);
        char text[EVENT_CODE_TEXT_MAX];
        uint8_t vector = 0;

        event_code_text(&resolution->code[i], text);
        if (counter >= 0 && pmu_assign((unsigned)counter, &resolution->code[i], &vector)) {
            continue;
        }
        if (vector != 0) {
            refuse(resolution, "the processor rejects the code %s with exception %u", text, vector);
        } else {
            refuse(resolution, "no counter of this processor can count the code %s", text);
        }
    }
    pmu_stop();
}

static struct counting_pass *add_pass(struct counting *counting,
                                      const struct counting_column *instructions,
                                      const struct resolution *resolution)
{
    struct counting_pass *pass = &counting->pass[counting->pass_count++];

    if (instructions != NULL) {
        place(pass, instructions->request, resolution);
    }
    return pass;
}

static void add_absent(struct counting *counting, const struct event_request *request,
                       const char *reason)
{
    struct counting_absent *absent = &counting->absent[counting->absent_count++];

    absent->request = request;
    snprintf(absent->reason, sizeof(absent->reason), "%s", reason);
}

static const struct counting_column *find_instructions(const struct counting *counting)
{
    for (size_t i = 0; counting->pass_count > 0 && i < counting->pass[0].column_count; i++) {
        const struct counting_column *column = &counting->pass[0].column[i];

        if (is_instructions(column->request)) {
            return column;
        }
    }
    return NULL;
}

/* Puts the event into the first pass with room, or into a new one. */
static void place_anywhere(struct counting *counting, const struct event_request *request,
                           const struct resolution *resolution)
{
    struct resolution instructions;

    for (size_t i = 0; i < counting->pass_count; i++) {
        if (place(&counting->pass[i], request, resolution)) {
            return;
        }
    }
    const struct counting_column *repeated = find_instructions(counting);

    if (repeated != NULL) {
        resolve(repeated->request, &instructions);
    }
    if (!place(add_pass(counting, repeated, &instructions), request, resolution)) {
        counting->pass_count--;
        memset(&counting->pass[counting->pass_count], 0, sizeof(counting->pass[0]));
        add_absent(counting, request, "the event needs more counters than are usable");
    }
}

static void resolve_one(struct counting *counting, const struct event_request *request)
{
    struct resolution resolution;

    resolve(request, &resolution);
    if (!resolution.absent) {
        try_out(&resolution);
    }
    if (resolution.absent) {
        add_absent(counting, request, resolution.reason);
    } else {
        place_anywhere(counting, request, &resolution);
    }
}

void counting_resolve(struct counting *counting)
{
    /* Instructions are resolved first, because they are in every pass. */
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < counting->request_count; i++) {
            if (is_instructions(&counting->request[i]) == (others == 0)) {
                resolve_one(counting, &counting->request[i]);
            }
        }
    }
}

/* ---- records ---- */

/* Appends a part to a list such as "a+b", with one part for each counter. */
static void join(char text[LIST_TEXT_MAX], const char *part)
{
    const size_t length = strlen(text);

    snprintf(text + length, LIST_TEXT_MAX - length, "%s%s", length > 0 ? "+" : "", part);
}

static void report_slots(struct record_writer *record, const struct counting_pass *pass,
                         const struct counting_column *column)
{
    char counters[LIST_TEXT_MAX] = "";
    char codes[LIST_TEXT_MAX] = "";

    for (size_t i = 0; i < column->slot_count; i++) {
        const unsigned counter = pass->slot[column->slot[i]].counter;
        char name[PMU_COUNTER_NAME_MAX];
        char code[EVENT_CODE_TEXT_MAX];

        join(counters, pmu_counter_name(&pmu_state()->counter[counter], name));
        join(codes, event_code_text(&pass->slot[column->slot[i]].code, code));
    }
    record_text(record, RECORD_KEY(event, counter), counters);
    record_text(record, RECORD_KEY(event, code), codes);
}

static void report_column(const struct counting_pass *pass, unsigned number,
                          const struct counting_column *column)
{
    static const char *const sources[] = {[SOURCE_PMU] = COUNTED_BY_PMU,
                                          [SOURCE_ICOUNT] = COUNTED_BY_ICOUNT,
                                          [SOURCE_MSR34] = COUNTED_BY_MSR34};
    struct record_writer record;

    record_begin(&record, RECORD_EVENT);
    record_text(&record, RECORD_KEY(event, name), column->request->name);
    record_text(&record, RECORD_KEY(event, state), EVENT_STATE_COUNTED);
    record_unsigned(&record, RECORD_KEY(event, pass), number);
    record_text(&record, RECORD_KEY(event, source), sources[column->source]);
    if (column->source == SOURCE_PMU) {
        report_slots(&record, pass, column);
    }
    link_record(&record);
}

void counting_report(const struct counting *counting)
{
    for (size_t i = 0; i < counting->pass_count; i++) {
        for (size_t k = 0; k < counting->pass[i].column_count; k++) {
            report_column(&counting->pass[i], (unsigned)i + 1, &counting->pass[i].column[k]);
        }
    }
    for (size_t i = 0; i < counting->absent_count; i++) {
        struct record_writer record;

        record_begin(&record, RECORD_EVENT);
        record_text(&record, RECORD_KEY(event, name), counting->absent[i].request->name);
        record_text(&record, RECORD_KEY(event, state), EVENT_STATE_ABSENT);
        record_text(&record, RECORD_KEY(event, reason), counting->absent[i].reason);
        link_record(&record);
    }
}

/* ---- counting ---- */

void counting_begin(const struct counting_pass *pass)
{
    uint32_t rdpmc[READER_COUNTERS_MAX];
    uint8_t vector;

    current = pass;
    if (pass == NULL) {
        reader_set(NULL, 0, false);
        return;
    }
    for (size_t i = 0; i < pass->slot_count; i++) {
        rdpmc[i] = pmu_state()->counter[pass->slot[i].counter].rdpmc;
        pmu_assign(pass->slot[i].counter, &pass->slot[i].code, &vector);
    }
    reader_set(rdpmc, pass->slot_count, pass->smi);
    pmu_start();
}

void counting_end(void)
{
    if (current != NULL) {
        pmu_stop();
    }
    reader_set(NULL, 0, false);
    current = NULL;
}

const struct counting_pass *counting_current(void)
{
    return current;
}

int64_t counting_delta(const struct counting_column *column, const int64_t *from, const int64_t *to)
{
    uint64_t sum = 0;

    if (column->source == SOURCE_ICOUNT) {
        return (to[0] - from[0]) / clock_state()->ticks_per_instruction;
    }
    if (column->source == SOURCE_MSR34) {
        const size_t word = reader_row_words() - 1;

        return (uint32_t)(to[word] - from[word]);
    }
    for (size_t i = 0; i < column->slot_count; i++) {
        const size_t slot = column->slot[i];
        const struct pmu_counter *counter = &pmu_state()->counter[current->slot[slot].counter];

        sum += pmu_delta(counter, (uint64_t)from[1 + slot], (uint64_t)to[1 + slot]);
    }
    return (int64_t)sum;
}

/* Returns the minimum of several tries, because some may be disturbed. */
static uint64_t min_between_reads(size_t word)
{
    int64_t rows[2][READER_ROW_MAX];
    uint64_t min = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        reader_read(rows[0]);
        reader_read(rows[1]);
        const uint64_t between = (uint64_t)(rows[1][word] - rows[0][word]);

        min = between < min ? between : min;
    }
    return min;
}

uint64_t counting_read_instructions(void)
{
    const struct event_row *row = &pmu_state()->events->row[EVENT_INSTRUCTIONS];
    const struct counting_pass *pass = current;
    const uint64_t ticks = clock_state()->ticks_per_instruction;
    uint64_t instructions = 0;

    if (ticks != 0) {
        return min_between_reads(0) / ticks;
    }
    for (size_t i = 0; i < pass->slot_count && row->code_count == 1 && instructions == 0; i++) {
        const unsigned counter = pass->slot[i].counter;
        uint8_t vector;

        if (pmu_counter_takes(counter, &row->code[0])) {
            pmu_stop();
            if (pmu_assign(counter, &row->code[0], &vector)) {
                pmu_start();
                instructions = min_between_reads(1 + i);
            }
            counting_end();
            counting_begin(pass);
        }
    }
    return instructions;
}

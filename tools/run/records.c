/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/records.h"

#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"

/* ---- checks of new items ---- */

static enum run_taken check_verdict(void *owner, void *item)
{
    const struct run *run = owner;
    struct run_verdict *verdict = item;

    verdict->present = true;
    verdict->ok = verdict->ok && verdict->hz > 0;
    return run->verdict.present ? RUN_REFUSED : RUN_ADDED;
}

/* An event may be counted in several passes, but in each pass it is counted or absent only once. */
static enum run_taken check_event(void *owner, void *item)
{
    const struct run *run = owner;
    const struct run_event *event = item;

    if (run->event_count == RUN_EVENTS_MAX) {
        return RUN_REFUSED;
    }
    for (size_t i = 0; i < run->event_count; i++) {
        if (run->events[i].pass == event->pass && strcmp(run->events[i].name, event->name) == 0) {
            return RUN_REFUSED;
        }
    }
    return RUN_ADDED;
}

static enum run_taken check_expect(void *owner, void *item)
{
    const struct run_bench *bench = owner;
    const struct run_expect *expect = item;

    return bench->expect_count == RUN_EXPECTS_MAX || run_find_expect(bench, expect->series) ||
                   expect->has_value != (expect->unit != NULL)
               ? RUN_REFUSED
               : RUN_ADDED;
}

/* Account facts are sent several times while they grow; the latest replaces the earlier ones. */
static enum run_taken check_fact(void *owner, void *item)
{
    struct run_bench *bench = owner;
    const struct run_fact *fact = item;

    if (strncmp(fact->name, FACT_ACCOUNT, strlen(FACT_ACCOUNT)) != 0 &&
        strncmp(fact->name, FACT_ENTRIES, strlen(FACT_ENTRIES)) != 0) {
        return RUN_ADDED;
    }
    for (size_t i = 0; i < bench->fact_count; i++) {
        if (strcmp(bench->facts[i].name, fact->name) == 0) {
            bench->facts[i] = *fact;
            return RUN_KNOWN;
        }
    }
    return RUN_ADDED;
}

/* An object may be sent again, under the same name. */
static enum run_taken check_object(void *owner, void *item)
{
    const struct run_bench *bench = owner;
    const struct run_object *object = item;

    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *known = &bench->objects[i];

        if (known->id == object->id && strcmp(known->kind, object->kind) == 0) {
            return strcmp(known->name, object->name) == 0 ? RUN_KNOWN : RUN_REFUSED;
        }
    }
    return bench->object_count == RUN_OBJECTS_MAX ? RUN_REFUSED : RUN_ADDED;
}

/* ---- the tables ---- */

/* clang-format off */
#define FLAG_KEY(record, name)      0
#define FLAG_REQUIRED(record, name) 0
#define FLAG_OPTIONAL(record, name) 0
#define FLAG_FLAGGED(record, name)  offsetof(struct run_##record, has_##name)
#define FLAG_NOTE(record, name)     0
#define FIELD(record, name, column, type, need, meaning) \
    {#name, TYPE_##type, NEED_##need, offsetof(struct run_##record, name), \
     FLAG_##need(record, name)},
#define RECORD(record, FIELDS, ...) \
    static const struct run_field record##_fields[] = {FIELDS(FIELD)}; \
    const struct run_record run_##record##_record = { \
        #record, record##_fields, sizeof(record##_fields) / sizeof(record##_fields[0]), __VA_ARGS__}
#define LIST(record, FIELDS, owner, list, check) \
    RECORD(record, FIELDS, sizeof(struct run_##record), offsetof(struct owner, list), \
           offsetof(struct owner, record##_count), offsetof(struct owner, record##_capacity), check); \
    struct run_##record *run_add_##record(struct owner *owner) \
    { \
        return run_item_add(&run_##record##_record, owner); \
    }
/* clang-format on */

/* The fields of record `status` are members of the bench. */
#define run_status run_bench

LIST(source, SOURCE_FIELDS, run, sources, NULL)
LIST(estimate, ESTIMATE_FIELDS, run, estimates, NULL)
RECORD(verdict, VERDICT_FIELDS, sizeof(struct run_verdict), offsetof(struct run, verdict),
       offsetof(struct run, verdict.present), 0, check_verdict);
LIST(counter, COUNTER_FIELDS, run, counters, NULL)
LIST(event, EVENT_FIELDS, run, events, check_event)
RECORD(bench, BENCH_FIELDS, 0, 0, 0, 0, NULL);
RECORD(status, STATUS_FIELDS, 0, 0, 0, 0, NULL);
LIST(expect, EXPECT_FIELDS, run_bench, expects, check_expect)
LIST(param, PARAM_FIELDS, run_bench, params, NULL)
LIST(fact, FACT_FIELDS, run_bench, facts, check_fact)
LIST(absent, ABSENT_FIELDS, run_bench, absents, NULL)
LIST(object, OBJECT_FIELDS, run_bench, objects, check_object)
LIST(frame, FRAME_FIELDS, run_crash, frames, NULL)
LIST(interrupt, INTERRUPT_FIELDS, run, interrupts, NULL)

/* ---- fields ---- */

struct run_value run_field_get(const struct run_field *field, const void *item)
{
    const char *at = (const char *)item + field->at;
    struct run_value value = {0};

    switch (field->type) {
    case TYPE_TEXT:
    case TYPE_STRING:
        value.text = *(const char *const *)(const void *)at;
        value.present = value.text != NULL;
        return value;
    case TYPE_NUMBER:
    case TYPE_PASS:
        value.number = *(const uint32_t *)(const void *)at;
        break;
    case TYPE_FLAG:
        value.number = *(const bool *)(const void *)at;
        break;
    default:
        value.number = *(const int64_t *)(const void *)at;
    }
    value.present = field->need == NEED_FLAGGED ? *((const bool *)item + field->flag_at)
                                                : run_field_is_needed(field) || value.number != 0;
    return value;
}

bool run_field_set(const struct run_field *field, void *item, const struct run_value *value)
{
    char *at = (char *)item + field->at;

    if (!value->present && run_field_is_needed(field)) {
        return false;
    }
    if (field->need == NEED_FLAGGED) {
        *((bool *)item + field->flag_at) = value->present;
    }
    switch (field->type) {
    case TYPE_TEXT:
    case TYPE_STRING:
        *(const char **)(void *)at = value->text;
        return true;
    case TYPE_NUMBER:
    case TYPE_PASS:
        *(uint32_t *)(void *)at = (uint32_t)value->number;
        return value->number >= 0 && value->number <= UINT32_MAX;
    case TYPE_FLAG:
        *(bool *)at = value->number != 0;
        return true;
    default:
        *(int64_t *)(void *)at = value->number;
        return true;
    }
}

/* ---- items ---- */

size_t run_item_count(const struct run_record *record, const void *owner)
{
    const char *at = (const char *)owner + record->count_at;

    if (record->size == 0) {
        return 1;
    }
    return record->capacity_at == 0 ? *(const bool *)at : *(const size_t *)(const void *)at;
}

const void *run_item(const struct run_record *record, const void *owner, size_t index)
{
    const char *at = (const char *)owner + record->items_at;

    if (record->capacity_at == 0) {
        return record->size == 0 ? owner : at;
    }
    return *(const char *const *)(const void *)at + index * record->size;
}

void *run_item_add(const struct run_record *record, void *owner)
{
    void **items = (void *)((char *)owner + record->items_at);
    size_t *count = (void *)((char *)owner + record->count_at);
    size_t *capacity = (void *)((char *)owner + record->capacity_at);

    *items = alloc_append(*items, count, capacity, record->size);
    return (char *)*items + (*count - 1) * record->size;
}

enum run_taken run_item_take(const struct run_record *record, void *owner, void *item)
{
    const enum run_taken taken = record->check != NULL ? record->check(owner, item) : RUN_ADDED;

    if (taken == RUN_ADDED) {
        memcpy(record->capacity_at == 0 ? (char *)owner + record->items_at
                                        : run_item_add(record, owner),
               item, record->size);
    }
    return taken;
}

bool record_pass(const struct record *record, uint32_t *pass)
{
    uint64_t value = 1;

    if (record_value(record, FIELD_PASS) != NULL &&
        (!record_value_up_to(record, FIELD_PASS, UINT32_MAX, &value) || value == 0)) {
        return false;
    }
    *pass = (uint32_t)value;
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of records (kernel/link/records.def) as tables: who reads or writes a whole record,
 * row or JSON object goes through them, and names no field.
 *
 * An item is a struct of the run model: a struct run_source, for example. Its owner is what has the
 * list of them: struct run, struct run_bench or struct run_crash.
 */
#pragma once

#include "tools/run/run.h"

enum field_type {
    TYPE_TEXT,
    TYPE_STRING,
    TYPE_UNSIGNED,
    TYPE_SIGNED,
    TYPE_NUMBER,
    TYPE_PASS,
    TYPE_BITS,
    TYPE_FLAG,
};

enum field_need {
    NEED_KEY,
    NEED_REQUIRED,
    NEED_OPTIONAL,
    NEED_FLAGGED,
    NEED_NOTE,
};

struct run_field {
    const char *name;
    enum field_type type;
    enum field_need need;
    size_t at;      /* offset in the item */
    size_t flag_at; /* offset of has_NAME, if NEED_FLAGGED */
};

enum run_taken {
    RUN_ADDED,
    RUN_KNOWN,   /* the owner has it already, or it replaced an earlier one */
    RUN_REFUSED, /* it contradicts what the owner has, or is one too many */
};

struct run_record {
    const char *name;
    const struct run_field *field;
    size_t count;
    size_t size;        /* of an item; 0: the fields are members of the owner itself */
    size_t items_at;    /* offset, in the owner, of the pointer to the list; of the only item */
    size_t count_at;    /* offset of the count; of `present` of the only item */
    size_t capacity_at; /* offset of the capacity; 0: there is at most one item, no list */
    /* May the owner have this item as well? It may replace an earlier one. NULL: always. */
    enum run_taken (*check)(void *owner, void *item);
};

extern const struct run_record run_source_record, run_estimate_record, run_verdict_record,
    run_counter_record, run_event_record, run_bench_record, run_status_record, run_expect_record,
    run_param_record, run_fact_record, run_absent_record, run_object_record, run_frame_record,
    run_interrupt_record;

/* Room for an item of any record that has a list. */
union run_item {
    struct run_source source;
    struct run_estimate estimate;
    struct run_verdict verdict;
    struct run_counter counter;
    struct run_event event;
    struct run_expect expect;
    struct run_param param;
    struct run_fact fact;
    struct run_absent absent;
    struct run_object object;
    struct run_frame frame;
    struct run_interrupt interrupt;
};

/* What a field holds. */
struct run_value {
    bool present;
    const char *text;
    int64_t number; /* what is larger unsigned has the same bits */
};

static inline bool run_field_is_text(const struct run_field *field)
{
    return field->type <= TYPE_STRING;
}

/* Is it never missing? */
static inline bool run_field_is_needed(const struct run_field *field)
{
    return field->need <= NEED_REQUIRED;
}

struct run_value run_field_get(const struct run_field *field, const void *item);
/* Keeps the text itself. False: the number does not fit the member, or a field that is needed is
 * missing. */
bool run_field_set(const struct run_field *field, void *item, const struct run_value *value);

/* How many an owner has, and one of them. Of a record without a list: one, the owner. */
size_t run_item_count(const struct run_record *record, const void *owner);
const void *run_item(const struct run_record *record, const void *owner, size_t index);

/* Adds a zeroed item to the owner's list; valid until the next addition. */
void *run_item_add(const struct run_record *record, void *owner);
/* Adds a copy of an item, unless record->check says otherwise. */
enum run_taken run_item_take(const struct run_record *record, void *owner, void *item);

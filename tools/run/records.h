/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of the fields of records (kernel/link/records.def). Code that reads or writes a whole
 * record, row or JSON object uses these tables and names no field itself.
 *
 * An item is a struct of the run model, such as a struct run_source. Its owner is the struct with
 * the list of such items: struct run, struct run_bench or struct run_crash.
 */
#pragma once

#include "kernel/link/record.h"
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
    size_t at;      /* offset of the field in the item */
    size_t flag_at; /* offset of has_NAME, if NEED_FLAGGED */
};

enum run_taken {
    RUN_ADDED,
    RUN_KNOWN,   /* the owner already has it, or it replaced an earlier one */
    RUN_REFUSED, /* it contradicts what the owner has, or exceeds the limit */
};

struct run_record {
    const char *name;
    const struct run_field *field;
    size_t count;
    size_t size; /* size of an item; 0: the fields are members of the owner itself */
    /* offset, in the owner, of the pointer to the list, or of the item if there is only one */
    size_t items_at;
    size_t count_at;    /* offset of the count, or of `present` if there is only one item */
    size_t capacity_at; /* offset of the capacity; 0: there is at most one item and no list */
    /* Decides whether the owner may have this item as well; it may replace an earlier one. NULL:
     * always. */
    enum run_taken (*check)(void *owner, void *item);
};

extern const struct run_record run_source_record, run_estimate_record, run_verdict_record,
    run_counter_record, run_event_record, run_bench_record, run_status_record, run_expect_record,
    run_param_record, run_fact_record, run_absent_record, run_object_record, run_frame_record,
    run_interrupt_record;

/* Large enough for an item of any record that has a list. */
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

/* Value of a field. */
struct run_value {
    bool present;
    const char *text;
    int64_t number; /* a larger unsigned number is stored with the same bits */
};

static inline bool run_field_is_text(const struct run_field *field)
{
    return field->type <= TYPE_STRING;
}

/* Is the field always present? */
static inline bool run_field_is_needed(const struct run_field *field)
{
    return field->need <= NEED_REQUIRED;
}

struct run_value run_field_get(const struct run_field *field, const void *item);
/* Sets a field. Keeps the pointer to a text. Returns false if the number does not fit the member,
 * or if a required field is missing. */
bool run_field_set(const struct run_field *field, void *item, const struct run_value *value);

/* Return the number of items that an owner has, and one of them. A record without a list has one
 * item, the owner itself. */
size_t run_item_count(const struct run_record *record, const void *owner);
const void *run_item(const struct run_record *record, const void *owner, size_t index);

/* Adds a zeroed item to the owner's list. Returns a pointer that is valid until the next addition.
 */
void *run_item_add(const struct run_record *record, void *owner);
/* Adds a copy of an item, unless record->check decides otherwise. */
enum run_taken run_item_take(const struct run_record *record, void *owner, void *item);

/* Reads the pass of a bench that a record belongs to; without the field it is the first. Returns
 * false if the field is malformed. */
bool record_pass(const struct record *record, uint32_t *pass);

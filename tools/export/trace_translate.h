/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates events of tare's traces for export, one event each. If LTTng's kernel tracer has such
 * an event, the name and fields are LTTng's (lttng-modules 2.13, in its layout of before 2.7:
 * softirq_*, sys_*); otherwise the event is `tare_NAME` with the fields of events.def.
 *
 *     thread_is, thread_start   lttng_statedump_process_state
 *     thread_switch             sched_switch
 *     thread_ready              sched_wakeup
 *     thread_migrate            sched_migrate_task
 *     isr_entry, isr_exit       irq_handler_entry, irq_handler_exit
 *     dpc_queue, _entry, _exit  softirq_raise, softirq_entry, softirq_exit
 *     syscall_entry, _exit      sys_NAME, exit_syscall_NAME
 *     block_issue, _complete    block_rq_issue, block_rq_complete
 *
 * A tid is tare's thread number, 0 for the idle thread. A prio is -1 - priority: on LTTng's scale
 * lower is more urgent, and threads of static priority are below 0; 0 means unknown. The target_cpu
 * of a wakeup is where the thread ran or was moved to last: a thread that is then moved has a
 * sched_migrate_task after it. Fields that
 * LTTng lacks come after those that it has. A request's tid is that of the running thread; if that
 * is unknown, it is -1 and its comm "unknown". A completion whose issue is unknown has sector 2^64
 * - 1 and no sectors. Events of disks lack LTTng's field `cmd`.
 *
 * Not thread-safe: a translator remembers the threads that it has seen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/trace/trace_reader.h"

#define EXPORT_FIELDS_MAX 12
#define EXPORT_UNNAMED    "unnamed"
#define EXPORT_NAME_MAX   255 /* longest name in characters; longer ones are cut */

enum export_type {
    EXPORT_UNSIGNED,
    EXPORT_SIGNED,
    EXPORT_HEX, /* unsigned, printed in hexadecimal */
    EXPORT_TEXT,
    EXPORT_NAMED, /* unsigned; some values have names, the others are EXPORT_UNNAMED */
};

struct export_label {
    uint64_t value;
    const char *name;
};

/* names of values, each value at most once */
struct export_labels {
    const struct export_label *item;
    size_t count;
};

struct export_field {
    const char *name;
    enum export_type type;
    uint8_t bytes;                      /* 1, 2, 4 or 8; 0 for a text */
    const struct export_labels *labels; /* labels of a named field */
};

/* Returns whether the field can have the value of this label. At least one label of a named field
 * fits. */
bool export_label_fits(const struct export_field *field, const struct export_label *label);

struct export_class {
    const char *name;
    size_t field_count;
    struct export_field field[EXPORT_FIELDS_MAX];
};

struct export_event {
    uint64_t tsc;
    uint32_t cpu; /* the processor whose trace has the event */
    size_t class_index;
    /* In the order of the class's fields. A signed value is in two's complement of 64 bits; a text
     * is its number for translator_text(). */
    uint64_t value[EXPORT_FIELDS_MAX];
};

/* Place of a processor in a table of RUN_PROCESSORS_MAX. */
#define EXPORT_SLOT(cpu) ((cpu) % RUN_PROCESSORS_MAX)
/* Returns the processors of the bench's traces: a bit for each slot, at least one. */
uint64_t export_processors(const struct run_bench *bench);

struct translator;

/* Creates a translator for the traces of this bench. The bench must outlive it. */
struct translator *translator_create(const struct run_bench *bench);
void translator_destroy(struct translator *translator);

/* Return the classes that events may have. */
size_t translator_class_count(const struct translator *translator);
const struct export_class *translator_class(const struct translator *translator, size_t index);

/* Returns a text by its number, which must be below the count of texts: at most EXPORT_NAME_MAX
 * characters of printable ASCII, other bytes replaced by '?'. New events may add texts; existing
 * ones do not change. Names of classes and labels are texts as well. */
const char *translator_text(const struct translator *translator, size_t number);

/* Converts a stamp to nanoseconds as libbabeltrace2 does: by double, truncated. Returns UINT64_MAX
 * if the result does not fit. */
uint64_t translator_ns(uint64_t tsc, uint64_t hz);

/* Notes that events of a processor are missing or its trace has ended: what it runs is then
 * unknown.
 */
void translator_lost(struct translator *translator, uint32_t cpu);

/* Translates an event. Events of a trace must come in their order. */
void translator_event(struct translator *translator, const struct trace_event *event,
                      struct export_event *exported);

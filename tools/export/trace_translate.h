/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event of ours is in an exported trace: one event each, with the name and the fields of
 * LTTng's kernel tracer where that has such an event (lttng-modules 2.13, in its layout of before
 * 2.7: softirq_*, sys_*), else `tare_NAME` with the fields of events.def.
 *
 *     thread_is, thread_start   lttng_statedump_process_state
 *     thread_switch             sched_switch
 *     thread_ready              sched_wakeup
 *     isr_entry, isr_exit       irq_handler_entry, irq_handler_exit
 *     dpc_queue, _entry, _exit  softirq_raise, softirq_entry, softirq_exit
 *     syscall_entry, _exit      sys_NAME, exit_syscall_NAME
 *     block_issue, _complete    block_rq_issue, block_rq_complete
 *
 * A tid is our number of a thread, 0 the idle one. A prio is -1 - priority: LTTng's scale, on which
 * less is more urgent and threads of static priority are below 0; 0 stands for one not known.
 * Fields that LTTng does not have stand behind those that it has. A request's tid is that of the
 * thread that runs; it and its comm are -1 and "unknown" where that is not known. A completion of a
 * request whose issue is not known has sector 2^64 - 1 and no sectors. Events of disks differ from
 * LTTng's in that they lack `cmd`.
 *
 * Not thread-safe; a translator remembers what threads there are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/trace/trace_reader.h"

#define EXPORT_FIELDS_MAX 12
#define EXPORT_UNNAMED    "unnamed"
#define EXPORT_NAME_MAX   255 /* characters of a name; longer ones are cut */

enum export_type {
    EXPORT_UNSIGNED,
    EXPORT_SIGNED,
    EXPORT_HEX, /* unsigned */
    EXPORT_TEXT,
    EXPORT_NAMED, /* unsigned; some of its values have names, the others EXPORT_UNNAMED */
};

struct export_label {
    uint64_t value;
    const char *name;
};

/* Names of values, each value at most once. */
struct export_labels {
    const struct export_label *item;
    size_t count;
};

struct export_field {
    const char *name;
    enum export_type type;
    uint8_t bytes;                      /* 1, 2, 4 or 8; of a text: 0 */
    const struct export_labels *labels; /* of a named one */
};

/* Can the field have the value that the label is of? At least one can of a field that is named. */
bool export_label_fits(const struct export_field *field, const struct export_label *label);

struct export_class {
    const char *name;
    size_t field_count;
    struct export_field field[EXPORT_FIELDS_MAX];
};

struct export_event {
    uint64_t tsc;
    size_t class_index;
    /* As the class has them; a signed one as two's complement of 64 bits, a text as its number:
     * translator_text(). */
    uint64_t value[EXPORT_FIELDS_MAX];
};

struct translator;

/* For the traces of this bench, which must outlive it, on processor `cpu`. */
struct translator *translator_create(const struct run_bench *bench, uint32_t cpu);
void translator_destroy(struct translator *translator);

/* All classes that events may have. */
size_t translator_class_count(const struct translator *translator);
const struct export_class *translator_class(const struct translator *translator, size_t index);

/* A text by its number: at most EXPORT_NAME_MAX characters of printable ASCII; other bytes were
 * replaced by '?'. Numbers are below the count, which may grow with each event; a text once there
 * stays as it is. Names of classes and labels are texts as well. */
const char *translator_text(const struct translator *translator, size_t number);

/* Nanoseconds of a stamp, as libbabeltrace2 has them: by double, truncated. UINT64_MAX where they
 * are more. */
uint64_t translator_ns(uint64_t tsc, uint64_t hz);

/* Events are missing, or a part ends: what runs is not known any more. */
void translator_lost(struct translator *translator);

/* Events of a trace in their order. */
void translator_event(struct translator *translator, const struct trace_event *event,
                      struct export_event *exported);

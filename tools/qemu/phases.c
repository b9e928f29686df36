/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/phases.h"

#include "bench/interactive/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/trace/trace_reader.h"

struct phases {
    const struct run_bench *bench;
    const struct run_series *marks; /* of each input, the mark of its phase */
    struct phase_span *spans;
    size_t capacity, count;
    bool open; /* the last of them has not ended */
    bool complete;
};

static bool is_phase(const struct phases *phases, uint64_t mark)
{
    for (size_t i = 0; i < phases->marks->received; i++) {
        if (phases->marks->samples[i] >= 0 && (uint64_t)phases->marks->samples[i] == mark) {
            return true;
        }
    }
    return false;
}

/* Until a phase ends it ends with the last event that was read. */
static void take(struct phases *phases, const struct trace_event *event)
{
    const char *name;

    if (phases->open) {
        phases->spans[phases->count - 1].end = event->tsc;
    }
    if (event->id != TRACE_ID_mark || !is_phase(phases, event->field[0]) ||
        phases->count == phases->capacity) {
        return;
    }
    name = run_object_name(phases->bench, OBJECT_NAME_MARK, (uint32_t)event->field[0]);
    phases->open = name != NULL;
    if (phases->open) {
        phases->spans[phases->count++] = (struct phase_span){name, event->tsc, event->tsc};
    }
}

/* Of a phase in which something is missing it is not known where it ends. */
static void skip_gap(struct phases *phases)
{
    phases->complete = false;
    phases->count -= phases->open ? 1 : 0;
    phases->open = false;
}

static void read_part(struct phases *phases, const struct run_trace *trace)
{
    struct trace_reader *reader = trace_reader_open(trace);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    do {
        status = trace_reader_next(reader, &event, &gap);
        if (status == TRACE_EVENT) {
            take(phases, &event);
        } else if (status != TRACE_END) {
            skip_gap(phases);
        }
    } while (status == TRACE_EVENT || status == TRACE_GAP);
    trace_reader_close(reader);
    phases->open = false;
}

size_t phases_read(const struct run_bench *bench, struct phase_span *spans, size_t capacity,
                   bool *complete)
{
    struct phases phases = {.bench = bench,
                            .marks = run_find_series(bench, SERIES_PHASE),
                            .spans = spans,
                            .capacity = capacity,
                            .complete = true};

    for (size_t i = 0; phases.marks != NULL && i < bench->trace_count; i++) {
        read_part(&phases, &bench->traces[i]);
    }
    *complete = phases.complete;
    return phases.count;
}

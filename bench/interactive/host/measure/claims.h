/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The claims of think/wait machines: what each calls wait, and its errors against the complete one.
 *
 * The machine of processor and calls has the partial knowledge of Endo et al. 1996, section 2.4:
 * when the processor is busy, and from the message API when a thread calls for a message and which
 * message a call returned. The input's life in between is the application's, so the user waits from
 * the return to that thread's next call, whatever the processor does. Before the return lies the
 * way of the input to the application. Of that the machine knows only that the processor was busy:
 * the user waits since it last idled, or since the call that ended the input before. So busy time
 * is decided late: by the take that ends it, as wait; by idle time or another end, as think.
 */
#pragma once

#include "bench/interactive/host/measure/think_wait_states.h"

/* All zeroes at first but where it keeps them, by machine. */
struct claims {
    struct think_wait_verdict *machines;
    struct think_wait_spans *spans;
    bool engaged;    /* MACHINE_PROCESSOR_QUEUE waits */
    size_t handling; /* threads that have an input from a call, and have not called since */
    /* Of MACHINE_PROCESSOR_CALLS: busy time up to now that is to be decided. */
    uint64_t open_from, open_to;
    uint64_t open_wait; /* of it, by the complete machine */
};

/* The next `ticks`. */
void claims_add(struct claims *claims, const struct think_wait_inputs *inputs,
                enum think_wait_state state, uint64_t from, uint64_t ticks);
/* A thread has an input from a call; it calls for the next, or ends. */
void claims_take(struct claims *claims);
void claims_call(struct claims *claims);
/* A gap, or the begin of a part: nothing goes on. */
void claims_end(struct claims *claims);

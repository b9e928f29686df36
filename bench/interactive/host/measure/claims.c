/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/claims.h"

#include "tools/base/alloc.h"

static void add_span(struct think_wait_spans *spans, uint64_t from, uint64_t to, unsigned claim)
{
    struct think_wait_span *last = spans->count > 0 ? &spans->span[spans->count - 1] : NULL;

    if (from == to) {
        return;
    }
    if (last != NULL && !spans->cut && last->to == from && last->claim == claim) {
        last->to = to;
        return;
    }
    spans->cut = spans->cut || spans->count == THINK_WAIT_SPANS_MAX;
    if (!spans->cut) {
        spans->span =
            alloc_append(spans->span, &spans->count, &spans->capacity, sizeof(*spans->span));
        spans->span[spans->count - 1] = (struct think_wait_span){from, to, (uint8_t)claim};
    }
}

/* Of `ticks` from `from` on, `wait` are wait by the complete machine. */
static void judge(struct claims *claims, enum think_wait_machine which, bool claim, uint64_t from,
                  uint64_t ticks, uint64_t wait)
{
    struct think_wait_verdict *machine = &claims->machines[which];

    machine->wait += claim ? ticks : 0;
    machine->false_wait += claim ? ticks - wait : 0;
    machine->missed += claim ? 0 : wait;
    if (which != MACHINE_COMPLETE) {
        add_span(&claims->spans[which], from, from + ticks, claim ? CLAIM_WAIT : CLAIM_THINK);
    }
}

/* What was busy and open is wait, or not. */
static void decide(struct claims *claims, bool claim)
{
    judge(claims, MACHINE_PROCESSOR_CALLS, claim, claims->open_from,
          claims->open_to - claims->open_from, claims->open_wait);
    claims->open_from = claims->open_to;
    claims->open_wait = 0;
}

static void add_by_calls(struct claims *claims, bool busy, uint64_t from, uint64_t ticks,
                         uint64_t wait)
{
    if (claims->handling > 0 || !busy) {
        decide(claims, false);
        judge(claims, MACHINE_PROCESSOR_CALLS, claims->handling > 0, from, ticks, wait);
        return;
    }
    claims->open_from = claims->open_from == claims->open_to ? from : claims->open_from;
    claims->open_to = from + ticks;
    claims->open_wait += wait;
}

void claims_add(struct claims *claims, const struct think_wait_inputs *inputs,
                enum think_wait_state state, uint64_t from, uint64_t ticks)
{
    const bool waits = think_wait_waits(state);
    const uint64_t wait = waits ? ticks : 0;

    add_span(&claims->spans[MACHINE_COMPLETE], from, from + ticks, state);
    if (!inputs->known) {
        claims->engaged = false;
        for (unsigned i = MACHINE_PROCESSOR; i < THINK_WAIT_MACHINES; i++) {
            add_span(&claims->spans[i], from, from + ticks, CLAIM_UNKNOWN);
        }
        return;
    }
    claims->engaged = inputs->queued || (claims->engaged && inputs->busy);
    judge(claims, MACHINE_COMPLETE, waits, from, ticks, wait);
    judge(claims, MACHINE_PROCESSOR, inputs->busy, from, ticks, wait);
    judge(claims, MACHINE_PROCESSOR_QUEUE, claims->engaged, from, ticks, wait);
    add_by_calls(claims, inputs->busy, from, ticks, wait);
}

void claims_take(struct claims *claims)
{
    if (claims->handling++ == 0) {
        decide(claims, true);
    }
}

void claims_call(struct claims *claims)
{
    claims->handling--;
}

void claims_end(struct claims *claims)
{
    decide(claims, false);
    claims->engaged = false;
    claims->handling = 0;
}

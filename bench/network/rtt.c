/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench rtt: round trips by ICMP, UDP and TCP, by their bytes, each split into its parts: our stack
 * and driver, the wire, the interrupt, the peer, the same on the way back, the stack again, and the
 * wake-up of the thread (row 10 of the systems-measurement report).
 *
 * The spans are differences of stamps of one trip. The bench fails if one is negative, or if the
 * simulated link differed from its timing model by a tick. The first trip of each size, which may
 * resolve the peer's address, is discarded.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/network/path.h"
#include "bench/network/trip.h"
#include "kernel/clock/clock.h"
#include "kernel/net/simulated_link.h"
#include "kernel/net/use.h"
#include "kernel/run/names.h"

#define SIZES_MAX 8
#define TRIPS_MAX 100000
#define LABEL_MAX 48
/* lost trips in a row, by ICMP or UDP, after which the peer counts as silent */
#define LOST_MAX 3

enum span {
    SPAN_OF_SEND,
    SPAN_OF_WIRE,
    SPAN_OF_INTERRUPT,
    SPAN_OF_PEER,
    SPAN_OF_WIRE_BACK,
    SPAN_OF_INTERRUPT_BACK,
    SPAN_OF_AWAY,
    SPAN_OF_STACK,
    SPAN_OF_WAKE,
    SPANS,
};

static const char *const span_names[SPANS] = {
    [SPAN_OF_SEND] = SPAN_SEND,           [SPAN_OF_WIRE] = SPAN_WIRE,
    [SPAN_OF_INTERRUPT] = SPAN_INTERRUPT, [SPAN_OF_PEER] = SPAN_PEER,
    [SPAN_OF_WIRE_BACK] = SPAN_WIRE_BACK, [SPAN_OF_INTERRUPT_BACK] = SPAN_INTERRUPT_BACK,
    [SPAN_OF_AWAY] = SPAN_AWAY,           [SPAN_OF_STACK] = SPAN_STACK,
    [SPAN_OF_WAKE] = SPAN_WAKE,
};

/* Spans of each path; with real NICs the interrupt is a part of the wire. */
#define BIT(span) (1u << (span))
#define ENDS      (BIT(SPAN_OF_SEND) | BIT(SPAN_OF_STACK) | BIT(SPAN_OF_WAKE))
#define REMOTE    (ENDS | BIT(SPAN_OF_AWAY))
#define HUB       (ENDS | BIT(SPAN_OF_WIRE) | BIT(SPAN_OF_PEER) | BIT(SPAN_OF_WIRE_BACK))
#define WIRE      (HUB | BIT(SPAN_OF_INTERRUPT) | BIT(SPAN_OF_INTERRUPT_BACK))

/* the trips of one size by one protocol */
struct trips {
    int64_t *whole;
    int64_t *span[SPANS];
    int64_t *law;
    int64_t *law_back;
    size_t count;
    uint64_t lost;
    uint64_t resent; /* trips in which TCP sent a segment again */
    const char *why; /* why it ended early; NULL if it did not */
};

static struct {
    uint64_t size[SIZES_MAX];
    size_t sizes;
    uint64_t trips;
    bool modelled; /* the pair is the simulated link */
    struct trips of[TRIP_PROTOCOLS][SIZES_MAX];
    /* The first error: on which path, in which trip, and what. */
    char broken[2 * LABEL_MAX];
} state;

static unsigned spans_of(enum net_path path)
{
    if (path == NET_LOOPBACK) {
        return ENDS;
    }
    if (path == NET_REMOTE) {
        return REMOTE;
    }
    return state.modelled ? WIRE : HUB;
}

/* Returns the bytes of payload; by TCP at most one segment. */
static uint64_t bytes_of(enum trip_protocol protocol, size_t size)
{
    const uint64_t bytes = state.size[size];

    return protocol == TRIP_TCP && bytes > TRIP_SEGMENT ? TRIP_SEGMENT : bytes;
}

/* Returns true if an earlier size has the same number of bytes. */
static bool is_repeated(enum trip_protocol protocol, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes_of(protocol, i) == bytes_of(protocol, size)) {
            return true;
        }
    }
    return false;
}

/* ---- one trip ---- */

static void split(int64_t spans[SPANS], enum net_path path, const struct trip_stamps *at)
{
    if (path == NET_LOOPBACK) {
        spans[SPAN_OF_SEND] = (int64_t)(at->returned - at->asked);
        spans[SPAN_OF_STACK] = (int64_t)(at->called - at->returned);
    } else if (path == NET_REMOTE) {
        spans[SPAN_OF_SEND] = (int64_t)(at->sent - at->asked);
        spans[SPAN_OF_AWAY] = (int64_t)(at->back.taken - at->sent);
        spans[SPAN_OF_STACK] = (int64_t)(at->called - at->back.taken);
    } else {
        const uint64_t arrived = state.modelled ? at->out.due : at->out.taken;
        const uint64_t arrived_back = state.modelled ? at->back.due : at->back.taken;

        spans[SPAN_OF_SEND] = (int64_t)(at->out.sent - at->asked);
        spans[SPAN_OF_WIRE] = (int64_t)(arrived - at->out.sent);
        spans[SPAN_OF_INTERRUPT] = (int64_t)(at->out.taken - arrived);
        spans[SPAN_OF_PEER] = (int64_t)(at->back.sent - at->out.taken);
        spans[SPAN_OF_WIRE_BACK] = (int64_t)(arrived_back - at->back.sent);
        spans[SPAN_OF_INTERRUPT_BACK] = (int64_t)(at->back.taken - arrived_back);
        spans[SPAN_OF_STACK] = (int64_t)(at->called - at->back.taken);
    }
    spans[SPAN_OF_WAKE] = (int64_t)(at->woken - at->called);
}

/* Returns how long the timing model says that a frame of `frame` bytes takes on a free link, if the
 * link got it at TSC `sent`. */
static int64_t law_of(uint32_t frame, uint64_t sent)
{
    const uint64_t hz = clock_state()->verdict.hz;
    const uint64_t opened = simulated_link_opened();
    struct link_model model = *simulated_link_model();
    struct link_model_state link = {0};
    bool arrives;

    model.loss_ppm = 0;
    const uint64_t due = link_model_due_ps(
        &model, &link, link_model_ps_from_ticks(sent - opened, hz), frame, &arrives);

    return (int64_t)(opened + link_model_ticks_from_ps(due, hz) - sent);
}

static void note(enum net_path path, enum trip_protocol protocol, uint64_t bytes, size_t trip,
                 const char *what)
{
    if (state.broken[0] == '\0') {
        snprintf(state.broken, sizeof(state.broken), "%s by %s of %lu bytes, trip %lu: %s",
                 path_name(path), trip_protocol_name(protocol), bytes, (uint64_t)trip, what);
    }
}

/* Checks the ticks on the wire of the last of `frames` frames. It may have waited for each of the
 * others, up to the time that the longest frame takes. */
static bool keeps_law(int64_t wire, int64_t law, uint64_t frames, uint64_t sent)
{
    const int64_t others = frames > 1 ? (int64_t)(frames - 1) * law_of(NIC_FRAME_MAX, sent) : 0;

    return wire >= law && wire <= law + others;
}

static void keep(struct trips *trips, enum net_path path, enum trip_protocol protocol,
                 uint64_t bytes, const struct trip_stamps *at)
{
    const size_t i = trips->count++;
    int64_t spans[SPANS] = {0};
    int64_t sum = 0;

    split(spans, path, at);
    for (enum span span = 0; span < SPANS; span++) {
        trips->span[span][i] = spans[span];
        sum += spans[span];
        if (spans[span] < 0) {
            note(path, protocol, bytes, i,
                 "the time stamps are out of order: a part of the round trip is negative");
        }
    }
    trips->whole[i] = (int64_t)(at->woken - at->asked);
    if (sum != trips->whole[i]) {
        note(path, protocol, bytes, i,
             "the parts of the round trip do not add up to its total time");
    }
    if (path != NET_PAIR || !state.modelled) {
        return;
    }
    const uint32_t frame = trip_frame_bytes(protocol, (uint32_t)bytes);

    trips->law[i] = law_of(frame, at->out.sent);
    trips->law_back[i] = law_of(frame, at->back.sent);
    if (!keeps_law(spans[SPAN_OF_WIRE], trips->law[i], at->frames, at->out.sent) ||
        !keeps_law(spans[SPAN_OF_WIRE_BACK], trips->law_back[i], at->frames_back, at->back.sent)) {
        note(path, protocol, bytes, i, "a frame did not arrive at its modelled time");
    }
}

/* ---- all trips of a size ---- */

static bool take_memory(struct trips *trips)
{
    trips->whole = bench_samples(state.trips);
    trips->law = bench_samples(state.trips);
    trips->law_back = bench_samples(state.trips);
    bool good = trips->whole != NULL && trips->law != NULL && trips->law_back != NULL;

    for (enum span span = 0; span < SPANS; span++) {
        trips->span[span] = bench_samples(state.trips);
        good = good && trips->span[span] != NULL;
    }
    return good;
}

static void make_trips(struct trips *trips, enum net_path path, enum trip_protocol protocol,
                       uint64_t bytes)
{
    uint64_t in_a_row = 0;

    trips->why = trip_open(protocol, (uint32_t)bytes);
    for (uint64_t i = 0; i <= state.trips && trips->why == NULL; i++) {
        struct stack_counts before;
        struct stack_counts after;
        struct trip_stamps stamps = {0};

        stack_get_counts(&before);
        const char *why = trip_make(&stamps);

        stack_get_counts(&after);
        if (why != NULL) {
            trips->lost++;
            in_a_row++;
            trips->why = protocol == TRIP_TCP || in_a_row >= LOST_MAX ? why : NULL;
            continue;
        }
        in_a_row = 0;
        if (i > 0) {
            trips->resent += after.retransmitted != before.retransmitted ? 1 : 0;
            keep(trips, path, protocol, bytes, &stamps);
        }
    }
    trip_close();
}

static enum bench_state measure(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    state.modelled = path == NET_PAIR && net_nic(0)->driver == &simulated_link_driver;
    for (enum trip_protocol protocol = 0; protocol < TRIP_PROTOCOLS; protocol++) {
        const char *why = NULL;

        for (size_t i = 0; i < state.sizes; i++) {
            struct trips *trips = &state.of[protocol][i];

            *trips = (struct trips){.why = why};
            if (why != NULL || is_repeated(protocol, i)) {
                /* the peer does not answer this protocol, or the size is measured already */
                continue;
            }
            if (!take_memory(trips)) {
                return bench_error(run, "no memory for samples");
            }
            make_trips(trips, path, protocol, bytes_of(protocol, i));
            why = trips->why;
        }
    }
    return BENCH_OK;
}

/* ---- reporting ---- */

static void publish(struct bench_run *run, const char *name, enum net_path path,
                    enum trip_protocol protocol, uint64_t bytes, const int64_t *samples,
                    size_t count)
{
    char whole[LABEL_MAX];

    snprintf(whole, sizeof(whole), "%s.%s.%s.%lu", name, path_name(path),
             trip_protocol_name(protocol), bytes);
    bench_publish(run, whole, UNIT_TICK, samples, count);
}

static void fact(struct bench_run *run, const char *name, enum net_path path,
                 enum trip_protocol protocol, uint64_t bytes, uint64_t value)
{
    char whole[LABEL_MAX];

    snprintf(whole, sizeof(whole), "%s.%s.%s.%lu", name, path_name(path),
             trip_protocol_name(protocol), bytes);
    bench_fact(run, whole, UNIT_COUNT, (int64_t)value);
}

static void publish_all(struct bench_run *run, enum net_path path, enum trip_protocol protocol,
                        uint64_t bytes, const struct trips *trips)
{
    const unsigned there = spans_of(path);

    publish(run, SERIES_RTT, path, protocol, bytes, trips->whole, trips->count);
    for (enum span span = 0; span < SPANS; span++) {
        if ((there & BIT(span)) != 0) {
            publish(run, span_names[span], path, protocol, bytes, trips->span[span], trips->count);
        }
    }
    if (there == WIRE) {
        publish(run, SERIES_LAW_THERE, path, protocol, bytes, trips->law, trips->count);
        publish(run, SERIES_LAW_BACK, path, protocol, bytes, trips->law_back, trips->count);
    }
    fact(run, FACT_TRIPS_LOST, path, protocol, bytes, trips->lost);
    if (protocol == TRIP_TCP) {
        fact(run, FACT_TRIPS_RESENT, path, protocol, bytes, trips->resent);
    }
}

/* Fails if the measurement ended early. */
static enum bench_state report_size(struct bench_run *run, enum net_path path,
                                    enum trip_protocol protocol, size_t size)
{
    const struct trips *trips = &state.of[protocol][size];
    const uint64_t bytes = bytes_of(protocol, size);

    if (trips->count > 0) {
        publish_all(run, path, protocol, bytes, trips);
    } else {
        char name[LABEL_MAX];

        snprintf(name, sizeof(name), SERIES_RTT ".%s.%s.%lu", path_name(path),
                 trip_protocol_name(protocol), bytes);
        bench_absent(run, name, trips->why != NULL ? trips->why : "no answer");
    }
    if (trips->why != NULL) {
        char peer[NET_ADDRESS_TEXT];

        net_address_text(net_other(), peer);
        return bench_fail(run, "%s: %s by %s, %lu bytes", peer, trips->why,
                          trip_protocol_name(protocol), bytes);
    }
    return BENCH_OK;
}

static enum bench_state report(struct bench_run *run, enum net_path path, void *argument)
{
    enum bench_state result = BENCH_OK;

    (void)argument;
    for (enum trip_protocol protocol = 0; protocol < TRIP_PROTOCOLS; protocol++) {
        for (size_t i = 0; i < state.sizes; i++) {
            const enum bench_state of_size =
                is_repeated(protocol, i) ? BENCH_OK : report_size(run, path, protocol, i);

            result = result == BENCH_OK ? of_size : result;
        }
    }
    return result;
}

static const struct path_estimate pair_estimates[] = {
    {.series = SERIES_RTT ".%s.icmp.64", .frames = 2, .bytes = 260, .link = 5030, .nic = 5390},
    {.series = SERIES_RTT ".%s.udp.64", .frames = 2, .bytes = 260, .link = 5670, .nic = 6500},
    {.series = SERIES_RTT ".%s.tcp.64", .frames = 2, .bytes = 284, .link = 8060, .nic = 9100},
    {0},
};

static enum bench_state run(struct bench_run *run)
{
    const struct path_job job = {.estimates = pair_estimates,
                                 .measure = measure,
                                 .report = report,
                                 .samples =
                                     TRIP_PROTOCOLS * SIZES_MAX * bench_number(run, "trips")};

    state.sizes = bench_numbers(run, PARAM_SIZES, state.size, SIZES_MAX);
    state.broken[0] = '\0';
    state.trips = bench_number(run, "trips");
    const enum bench_state result = paths_run(run, &job);

    return result == BENCH_OK && state.broken[0] != '\0' ? bench_fail(run, "%s", state.broken)
                                                         : result;
}

static const struct bench_param params[] = {
    PATH_PARAM_PATHS,
    PATH_PARAM_RECEIVE,
    {PARAM_SIZES, "1,64,512,1472", "bytes of payload, a,b,c; by TCP at most 1460, one segment",
     PARAM_NUMBERS(1, TRIP_BYTES_MAX, SIZES_MAX)},
    {"trips", "30", "round trips of each size", PARAM_NUMBER(1, TRIPS_MAX)},
    {0},
};

/* The report (section 10) expects 60 to 70 us by ICMP and 90 us by TCP over loop-back, and
 * milliseconds to another machine over a wireless network. */
static const struct bench_estimate estimates[] = {
    {SERIES_RTT ".loopback.icmp.64", 3476, 2000, UNIT_NANOSECOND,
     "two passes through the stack, about 3000 instructions, and no device"},
    {SERIES_RTT ".loopback.tcp.64", 6362, 4000, UNIT_NANOSECOND,
     "as ICMP, plus twice a segment's queues, windows and acknowledgement"},
    {SERIES_RTT ".remote.icmp.64", ESTIMATE_NONE, 30000, UNIT_NANOSECOND,
     "2 us for a cable of 1 Gbit/s; 10 us and more at each end, because NICs wait before they "
     "interrupt"},
    {0},
};

static const struct bench rtt = {
    .name = BENCH_RTT,
    .group = GROUP_NETWORK,
    .summary = "time of round trips by ICMP, UDP and TCP, by size, split into spans",
    .unit = UNIT_TICK,
    .estimate = "the link's time there and back, exact to the tick on the simulated link; stack, "
                "interrupt and wake-up take a few thousand instructions each",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .relations = "rtt=send+wire+interrupt+peer+wire_back+interrupt_back+away+stack+wake",
    .run = run,
};
BENCH_REGISTER(rtt);

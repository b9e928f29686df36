/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench nics: lists every NIC of the machine and whether it can be used. If the plan does not name
 * a NIC, only its configuration space is read. The pair (kernel/net/use.h) sends frames of all
 * lengths both ways, one by one and many at once, and each must arrive as it was sent. These are
 * raw Ethernet frames of a type for experiments (IEEE 802, 9.2.3), without a stack.
 */
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/simulated_link.h"
#include "kernel/net/use.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"

#define BURST       32
#define HEADER      14 /* two addresses and the type */
#define TYPE_HIGH   0x88
#define TYPE_LOW    0xb5
#define PATIENCE_US 500000 /* time to wait after the last frame was due */
#define TEXT_MAX    80

static const uint32_t lengths[] = {20, 60, 61, 128, 1021, 1513, 1514};

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* a frame on the wire */
struct expected {
    uint32_t number;
    uint32_t length;
    uint64_t due; /* TSC by the timing model of the simulated link; 0: a real NIC */
};

static struct {
    struct nic *pair[2];
    bool modelled;
    struct link_model model[2]; /* one for each sending end */
    struct link_model_state state[2];
    volatile bool arrived;
    struct expected expected[BURST];
    uint32_t on_way;
    uint32_t came;
    uint32_t number; /* number of the next frame */
    uint64_t lost;   /* frames that the timing model loses */
    uint64_t received;
    uint64_t wrong;
    uint64_t early_or_late; /* frames that arrived at another time than the timing model says */
    const char *failure;
} state;

/* ---- frames ---- */

static uint8_t byte_of(uint32_t number, uint32_t at)
{
    return (uint8_t)(number * 31 + at * 7);
}

/* Checks that the bytes are the frame that was expected, padded with zeroes to the minimum length.
 */
static bool is_frame(const struct expected *expected, const uint8_t *bytes)
{
    const uint32_t length = expected->length;
    uint32_t at = HEADER;

    while (at < length && bytes[at] == byte_of(expected->number, at)) {
        at++;
    }
    while (at >= length && at < NIC_FRAME_MIN && bytes[at] == 0) {
        at++;
    }
    return at >= length && at >= NIC_FRAME_MIN;
}

static void receive(void *argument, const struct nic_frame *frame)
{
    const struct expected *expected = &state.expected[state.came];

    (void)argument;
    if (frame->bytes[HEADER - 2] != TYPE_HIGH || frame->bytes[HEADER - 1] != TYPE_LOW) {
        return; /* frame of another sender on the hub */
    }
    state.received++;
    if (state.came == state.on_way ||
        frame->length != (expected->length > NIC_FRAME_MIN ? expected->length : NIC_FRAME_MIN) ||
        !is_frame(expected, frame->bytes)) {
        state.wrong++;
        return;
    }
    state.early_or_late += frame->due != expected->due || frame->taken < frame->due ? 1 : 0;
    state.came++;
}

static void arrived(void *argument)
{
    (void)argument;
    state.arrived = true;
}

/* Returns when the frame is due, or 0 on a real NIC. Sets *arrives to false if the link loses the
 * frame. */
static uint64_t due_of(unsigned from, uint32_t length, bool *arrives)
{
    const uint64_t hz = clock_state()->verdict.hz;
    const uint64_t opened = simulated_link_opened();

    *arrives = true;
    if (!state.modelled) {
        return 0;
    }
    return opened +
           link_model_ticks_from_ps(
               link_model_due_ps(&state.model[from], &state.state[from],
                                 link_model_ps_from_ticks(state.pair[from]->sent - opened, hz),
                                 length, arrives),
               hz);
}

static void send(unsigned from, uint32_t length)
{
    static uint8_t bytes[NIC_FRAME_MAX];
    struct expected *expected = &state.expected[state.on_way];
    bool arrives;

    memcpy(bytes, state.pair[1 - from]->mac, NIC_MAC_BYTES);
    memcpy(bytes + NIC_MAC_BYTES, state.pair[from]->mac, NIC_MAC_BYTES);
    bytes[HEADER - 2] = TYPE_HIGH;
    bytes[HEADER - 1] = TYPE_LOW;
    for (uint32_t at = HEADER; at < length; at++) {
        bytes[at] = byte_of(state.number, at);
    }
    if (!nic_send(state.pair[from], bytes, length)) {
        state.failure = "a NIC does not accept frames to send";
        return;
    }
    *expected = (struct expected){state.number++, length, due_of(from, length, &arrives)};
    state.on_way += arrives ? 1 : 0;
    state.lost += arrives ? 0 : 1;
}

/* Waits until all frames on their way have arrived. */
static void await(void)
{
    const uint64_t now = tsc_read();
    const uint64_t last = state.on_way > 0 ? state.expected[state.on_way - 1].due : 0;
    struct tsc_wait wait =
        tsc_wait_begin((last > now ? last - now : 0) + clock_ticks_from_us(PATIENCE_US));

    while (state.came < state.on_way && !tsc_wait_over(&wait)) {
        if (state.arrived) {
            state.arrived = false;
            nic_poll(state.pair[0]);
            nic_poll(state.pair[1]);
        }
        cpu_pause();
    }
    if (state.came < state.on_way && state.failure == NULL) {
        state.failure = "a frame that was sent did not arrive within 0.5 s, or arrived changed";
    }
    state.came = 0;
    state.on_way = 0;
}

/* ---- the pair ---- */

static void exchange(uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds * 2 * LENGTHS && state.failure == NULL; i++) {
        send(i & 1, lengths[i / 2 % LENGTHS]);
        await();
    }
    for (unsigned from = 0; from < 2 && state.failure == NULL; from++) {
        for (unsigned i = 0; i < BURST && state.failure == NULL; i++) {
            send(from, lengths[i % LENGTHS]);
        }
        await();
    }
}

/* Opens the pair and exchanges frames. Returns NULL, or the reason why the pair could not be
 * opened. */
static const char *try_pair(uint64_t rounds)
{
    const struct task_settings settings = {0};
    const struct nic_user user = {.receive = receive, .arrived = arrived};

    if (!task_begin(&settings)) {
        return "no memory for threads";
    }
    const char *why = nic_open(state.pair[0], &user);

    why = why == NULL ? nic_open(state.pair[1], &user) : why;
    if (why == NULL) {
        exchange(rounds);
    }
    nic_close(state.pair[1]);
    nic_close(state.pair[0]);
    task_end();
    return why;
}

static void publish_pair(struct bench_run *run)
{
    const struct nic *first = state.pair[0];
    const struct nic *second = state.pair[1];
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "%s,%s", first->name, second->name);
    bench_found(run, FOUND_NICS "." PATH_PAIR, text);
    snprintf(text, sizeof(text), "%s,%s", device_interrupt_name(first->interrupt),
             device_interrupt_name(second->interrupt));
    bench_found(run, FOUND_INTERRUPT "." PATH_PAIR, text);
    bench_fact(run, FACT_FRAMES_SENT "." PATH_PAIR, UNIT_COUNT, state.number);
    bench_fact(run, FACT_FRAMES_RECEIVED "." PATH_PAIR, UNIT_COUNT, (int64_t)state.received);
    bench_fact(run, FACT_FRAMES_LOST "." PATH_PAIR, UNIT_COUNT,
               (int64_t)(first->counts.lost + second->counts.lost));
}

static enum bench_state verdict(struct bench_run *run)
{
    const struct nic *first = state.pair[0];
    const struct nic *second = state.pair[1];

    for (unsigned i = 0; i < 2; i++) {
        if (state.pair[i]->given_up != NULL) {
            return bench_fail(run, "%s: %s", state.pair[i]->name, state.pair[i]->given_up);
        }
    }
    if (state.failure != NULL) {
        return bench_fail(run, "%s", state.failure);
    }
    if (state.wrong != 0 || state.early_or_late != 0) {
        return bench_fail(run,
                          "%lu frames arrived changed and %lu at another time than the timing "
                          "model says, expected none",
                          state.wrong, state.early_or_late);
    }
    if (state.modelled && first->counts.lost + second->counts.lost != state.lost) {
        return bench_fail(run, "the simulated link lost %lu frames, but its timing model loses %lu",
                          first->counts.lost + second->counts.lost, state.lost);
    }
    return bench_ok(run);
}

/* ---- list of NICs ---- */

static void see_nic(struct bench_run *run, const struct nic *nic)
{
    char text[TEXT_MAX];

    if (nic->id == 0) {
        snprintf(text, sizeof(text), "%s, %s", nic->driver->name, nic->model);
    } else {
        snprintf(text, sizeof(text), "%s, %s%s%04x:%04x%s", nic->driver->name, nic->model,
                 nic->model[0] != '\0' ? ", " : "", nic->id & 0xffff, nic->id >> 16,
                 nic->unproven ? ", unproven" : "");
    }
    bench_found(run, nic->name, text);
    if (nic->unusable != NULL) {
        bench_absent(run, nic->name, nic->unusable);
    }
}

static enum bench_state run(struct bench_run *run)
{
    memset(&state, 0, sizeof(state));
    for (size_t i = 0; i < nics(); i++) {
        see_nic(run, nic_at(i));
    }
    bench_fact(run, FACT_NICS, UNIT_COUNT, (int64_t)nics());
    const char *why = net_pair(state.pair);

    if (why == NULL) {
        state.modelled = state.pair[0]->driver == &simulated_link_driver;
        for (unsigned i = 0; i < 2; i++) {
            state.model[i] = *simulated_link_model();
            state.model[i].seed += i;
        }
        why = try_pair(bench_number(run, "rounds"));
    }
    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    publish_pair(run);
    return verdict(run);
}

static const struct bench_param params[] = {
    {"rounds", "4", "rounds of frames of each length, both ways", PARAM_NUMBER(1, 1000000)},
    {0},
};

static const struct bench nics_bench = {
    .name = BENCH_NICS,
    .group = GROUP_NETWORK,
    .summary = "lists the NICs of the machine and checks that a pair of them transfers frames",
    .unit = UNIT_COUNT,
    .estimate = "at least the two ends of the simulated link; every frame arrives as it was sent",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(nics_bench);

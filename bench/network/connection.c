/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench connection: what a TCP connection costs beyond its bytes (row 12 of the systems-measurement
 * report): its setup by parts, its teardown, and the overhead as the report defines it: a byte
 * there and back in one connection, minus a raw IP packet of the same number of bytes there and
 * back.
 *
 * The parts of the setup are differences of stamps; the bench fails if one is negative. The raw
 * packet is an ICMP echo whose IP payload is as long as a TCP segment with one byte.
 */
#include <stdio.h>

#include "bench/network/path.h"
#include "bench/network/trip.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/services.h"
#include "kernel/net/use.h"
#include "kernel/run/names.h"
#include "lwip/prot/tcp.h"
#include "lwip/tcp.h"

#define TRIALS_MAX 100000
#define LABEL_MAX  32
/* The bench ends if the number of raw packets without an answer exceeds the number of samples by
 * more than this: the peer then counts as not answering. */
#define LOST_MAX 3
/* ICMP's header of 8 bytes and this payload are as long as a TCP header and one byte. */
#define RAW_BYTES (sizeof(struct tcp_hdr) + 1 - 8)

enum kept {
    KEPT_SETUP,
    KEPT_SYN,
    KEPT_ANSWER,
    KEPT_ESTABLISHED,
    KEPT_TEARDOWN,
    KEPT_RAW,
    KEPT_TCP,
    KEPT_OVERHEAD,
    KEPTS,
};

static const char *const kept_names[KEPTS] = {
    [KEPT_SETUP] = SERIES_SETUP,
    [KEPT_SYN] = SERIES_SETUP "." PART_SYN,
    [KEPT_ANSWER] = SERIES_SETUP "." PART_ANSWER,
    [KEPT_ESTABLISHED] = SERIES_SETUP "." PART_ESTABLISHED,
    [KEPT_TEARDOWN] = SERIES_TEARDOWN,
    [KEPT_RAW] = SERIES_RAW,
    [KEPT_TCP] = SERIES_TCP,
    [KEPT_OVERHEAD] = SERIES_OVERHEAD,
};

/* state of the current connection */
static struct {
    struct tcp_pcb *pcb;
    struct net_waiter waiter;
    err_t error;
    bool has_byte;
    /* The following are TSC stamps. */
    uint64_t asked;
    uint64_t sent;  /* when the NIC had the SYN, the first time */
    uint64_t taken; /* when the handler had seen SYN-ACK */
    uint64_t established;
    uint64_t closing;
    uint64_t closed;
} course;

static struct {
    uint64_t trials;
    int64_t *kept[KEPTS];
    size_t count;
    uint64_t lost;   /* raw packets without an answer, which give no sample */
    uint64_t resent; /* connections in which a segment was sent again */
    const char *why; /* why the measurement ended early; NULL if it did not */
    bool broken;     /* one part of the time to connect was negative */
} state;

/* ---- one connection ---- */

static void on_error(void *argument, err_t error)
{
    (void)argument;
    course.pcb = NULL; /* lwIP has freed it */
    course.error = error;
    net_wake(&course.waiter);
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    (void)pcb;
    course.established = tsc_read();
    course.taken = net_passage()->taken;
    course.error = error;
    net_wake(&course.waiter);
    return ERR_OK;
}

/* Receives the byte, or the peer's FIN. */
static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
    const uint64_t now = tsc_read();

    (void)argument;
    course.error = error;
    if (p == NULL) {
        course.closed = now;
    } else {
        uint8_t byte = 0;

        pbuf_copy_partial(p, &byte, sizeof(byte), 0);
        path_checked(1, byte == services_byte(0) ? 0 : 1);
        course.has_byte = true;
        tcp_recved(pcb, p->tot_len);
        pbuf_free(p);
    }
    net_wake(&course.waiter);
    return ERR_OK;
}

/* Waits for a callback. Returns NULL, or the reason why there was none. */
static const char *await(void)
{
    if (!net_wait(&course.waiter, TRIP_SEGMENT_US)) {
        return "no answer within 30 s";
    }
    return course.error == ERR_OK ? NULL : stack_error_text(course.error);
}

static const char *establish(void)
{
    const ip_addr_t own = IPADDR4_INIT(lwip_htonl(net_own()));
    const ip_addr_t other = IPADDR4_INIT(lwip_htonl(net_other()));

    net_enter();
    course.pcb = tcp_new();
    if (course.pcb == NULL) {
        net_leave();
        return "no memory for a connection";
    }
    tcp_nagle_disable(course.pcb);
    tcp_err(course.pcb, on_error);
    tcp_recv(course.pcb, on_received);
    err_t error = tcp_bind(course.pcb, &own, 0);

    course.asked = tsc_read();
    if (error == ERR_OK) {
        error = tcp_connect(course.pcb, &other, SERVICE_ECHO, on_connected);
    }
    course.sent = net_nic(0) != NULL ? net_nic(0)->sent : 0;
    net_leave();
    return error == ERR_OK ? await() : stack_error_text(error);
}

static const char *echo_byte(void)
{
    const uint8_t byte = services_byte(0);

    net_enter();
    err_t error = tcp_write(course.pcb, &byte, sizeof(byte), TCP_WRITE_FLAG_COPY);

    if (error == ERR_OK) {
        error = tcp_output(course.pcb);
    }
    net_leave();
    return error == ERR_OK ? await() : stack_error_text(error);
}

/* Closes our half first; then the peer closes its half. */
static const char *tear_down(void)
{
    net_enter();
    course.closing = tsc_read();
    const err_t error = tcp_shutdown(course.pcb, 0, 1);

    net_leave();
    return error == ERR_OK ? await() : stack_error_text(error);
}

/* Frees the connection. Both halves are closed; only TIME-WAIT is left, which lwIP frees without
 * sending a packet. So the next connection finds as many others as this one did. */
static void drop(void)
{
    net_enter();
    if (course.pcb != NULL) {
        tcp_err(course.pcb, NULL);
        tcp_recv(course.pcb, NULL);
        tcp_abort(course.pcb);
        course.pcb = NULL;
    }
    net_leave();
}

static const char *connect_once(void)
{
    course.has_byte = false;
    course.closed = 0;
    course.error = ERR_OK;
    net_waiter_init(&course.waiter, "connection");
    const char *why = establish();

    why = why == NULL ? echo_byte() : why;
    if (why == NULL && !course.has_byte) {
        why = "the peer closed the connection instead of answering";
    }
    why = why == NULL ? tear_down() : why;
    if (why == NULL && course.closed == 0) {
        why = "the peer did not answer the end of the connection";
    }
    drop();
    return why;
}

/* ---- all connections ---- */

static void keep(enum kept kept, uint64_t from, uint64_t to)
{
    state.kept[kept][state.count] = (int64_t)(to - from);
    state.broken = state.broken || state.kept[kept][state.count] < 0;
}

static void keep_course(enum net_path path)
{
    keep(KEPT_SETUP, course.asked, course.established);
    if (path != NET_LOOPBACK) {
        keep(KEPT_SYN, course.asked, course.sent);
        keep(KEPT_ANSWER, course.sent, course.taken);
        keep(KEPT_ESTABLISHED, course.taken, course.established);
    }
    keep(KEPT_TEARDOWN, course.closing, course.closed);
    keep(KEPT_TCP, course.asked, course.closed);
}

static const char *raw_once(struct trip_stamps *stamps)
{
    const char *why = trip_open(TRIP_ICMP, RAW_BYTES);

    why = why == NULL ? trip_make(stamps) : why;
    trip_close();
    return why;
}

/* Takes one sample of each series, unless the raw packet was lost. Returns NULL, or the reason why
 * the bench ends. */
static const char *try_once(enum net_path path, bool kept)
{
    struct trip_stamps raw = {0};
    struct stack_counts before;
    struct stack_counts after;

    if (raw_once(&raw) != NULL) {
        state.lost++;
        return state.lost > state.count + LOST_MAX ? "no answer to a raw packet" : NULL;
    }
    stack_get_counts(&before);
    const char *why = connect_once();

    stack_get_counts(&after);
    if (why == NULL && kept) {
        keep_course(path);
        keep(KEPT_RAW, raw.asked, raw.called);
        state.kept[KEPT_OVERHEAD][state.count] =
            state.kept[KEPT_TCP][state.count] - state.kept[KEPT_RAW][state.count];
        state.resent += after.retransmitted != before.retransmitted ? 1 : 0;
        state.count++;
    }
    return why;
}

static enum bench_state measure(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    state.count = 0;
    state.lost = 0;
    state.resent = 0;
    state.why = NULL;
    for (enum kept kept = 0; kept < KEPTS; kept++) {
        state.kept[kept] = bench_samples(state.trials);
        if (state.kept[kept] == NULL) {
            return bench_error(run, "no memory for samples");
        }
    }
    for (uint64_t i = 0; i <= state.trials && state.why == NULL; i++) {
        state.why = try_once(path, i > 0);
    }
    return BENCH_OK;
}

static bool is_part(enum kept kept)
{
    return kept == KEPT_SYN || kept == KEPT_ANSWER || kept == KEPT_ESTABLISHED;
}

static enum bench_state report(struct bench_run *run, enum net_path path, void *argument)
{
    char name[LABEL_MAX];

    (void)argument;
    for (enum kept kept = 0; kept < KEPTS; kept++) {
        snprintf(name, sizeof(name), "%s.%s", kept_names[kept], path_name(path));
        if (state.count == 0) {
            bench_absent(run, name, state.why != NULL ? state.why : "no answer to a raw packet");
        } else if (path == NET_LOOPBACK && is_part(kept)) {
            bench_absent(run, name, "loop-back has no NIC");
        } else {
            bench_publish(run, name, UNIT_TICK, state.kept[kept], state.count);
        }
    }
    snprintf(name, sizeof(name), FACT_TRIPS_LOST ".%s", path_name(path));
    bench_fact(run, name, UNIT_COUNT, (int64_t)state.lost);
    snprintf(name, sizeof(name), FACT_TRIPS_RESENT ".%s", path_name(path));
    bench_fact(run, name, UNIT_COUNT, (int64_t)state.resent);
    if (state.why != NULL) {
        char peer[NET_ADDRESS_TEXT];

        net_address_text(net_other(), peer);
        return bench_fail(run, "%s: %s (connection %lu)", peer, state.why,
                          (uint64_t)state.count + 1);
    }
    return state.broken ? bench_fail(run,
                                     "%s: the stamps of a connection are out of order: a part of "
                                     "its time is negative",
                                     path_name(path))
                        : BENCH_OK;
}

static const struct path_estimate pair_estimates[] = {
    {.series = SERIES_SETUP ".%s", .frames = 2, .bytes = 176, .link = 6500, .delays = 1},
    {.series = SERIES_TEARDOWN ".%s", .frames = 2, .bytes = 168, .link = 7000, .delays = 1},
    {.series = SERIES_OVERHEAD ".%s",
     .frames = 4,
     .bytes = 344,
     .link = 21200,
     .nic = 23200,
     .delays = 3},
    {0},
};

static enum bench_state run(struct bench_run *run)
{
    const struct path_job job = {
        .estimates = pair_estimates,
        .measure = measure,
        .report = report,
        .samples = bench_number(run, "trials"),
    };

    state.trials = bench_number(run, "trials");
    state.broken = false;
    return paths_run(run, &job);
}

static const struct bench_param params[] = {
    PATH_PARAM_PATHS,
    PATH_PARAM_RECEIVE,
    {"trials", "30", "number of connections", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

/* The report (section 12) expects a few us and finds 20 us. */
static const struct bench_estimate estimates[] = {
    {SERIES_OVERHEAD "." PATH_LOOPBACK, 15889, 8000, UNIT_NANOSECOND,
     "three round trips (setup, a byte with its segment's queues, teardown) minus one"},
    {0},
};

static const struct bench connection = {
    .name = BENCH_CONNECTION,
    .group = GROUP_NETWORK,
    .summary =
        "time of setup and teardown of TCP connections by parts, and of TCP minus a raw packet",
    .unit = UNIT_TICK,
    .estimate = "three round trips: setup, a byte, teardown; two of them are overhead",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "", /* raw packets without an answer give none */
    .relations = "setup=setup.syn+setup.answer+setup.established tcp=raw+overhead setup<tcp "
                 "teardown<tcp raw<tcp",
    .run = run,
};
BENCH_REGISTER(connection);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench netload: latency under load. UDP round trips of 64 bytes without load, and with a bulk
 * transfer by TCP in the same direction (bulk.h). One thread does both, like a program with an
 * event loop: it waits for whichever comes first, takes an answer before it writes more, and writes
 * one message at a time.
 */
#include <stdio.h>
#include <string.h>

#include "bench/network/bulk.h"
#include "bench/network/names.h"
#include "bench/network/path.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/services.h"
#include "kernel/run/names.h"
#include "lwip/udp.h"

#define NAME_BYTES  48
#define PING_BYTES  64
#define PING_US     2000000
#define SAMPLES_MAX 100000
#define NEVER_ENDS  (1ull << 62) /* bytes; more than can be sent: the load is stopped explicitly */

/* round trips of one kind */
struct trips {
    int64_t *samples;
    size_t count;
    uint64_t unanswered; /* round trips without an answer within PING_US */
};

static struct {
    struct bulk bulk;
    struct net_waiter waiter; /* woken for answers and for space to write */
    struct udp_pcb *pcb;
    uint64_t sequence; /* number of the last ping, sent in its first bytes */
    bool awaited;
    bool answered;
    uint64_t wrong; /* wrong bytes in answers */
    uint64_t checked;
    struct trips idle[NET_PATHS];
    struct trips loaded[NET_PATHS];
    uint64_t ticks; /* ticks of the transfer */
    uint64_t bytes;
    uint64_t bytes_meanwhile; /* acknowledged during loaded round trips */
} load;

/* ---- a round trip ---- */

static uint8_t ping_byte(size_t index)
{
    return index < sizeof(load.sequence) ? (uint8_t)(load.sequence >> (8 * index))
                                         : services_byte(index);
}

/* Ignores late answers, which have another sequence number. */
static void on_answer(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                      const ip_addr_t *from, u16_t port)
{
    uint64_t sequence = 0;
    uint8_t bytes[PING_BYTES];

    (void)argument;
    (void)pcb;
    (void)from;
    (void)port;
    const size_t length = pbuf_copy_partial(packet, bytes, PING_BYTES, 0);

    memcpy(&sequence, bytes, sizeof(sequence));
    if (load.awaited && sequence == load.sequence) {
        load.wrong += packet->tot_len != PING_BYTES ? PING_BYTES : 0;
        for (size_t i = 0; i < length; i++) {
            load.wrong += bytes[i] != ping_byte(i) ? 1 : 0;
        }
        load.checked += PING_BYTES;
        load.awaited = false;
        load.answered = true;
        net_wake(&load.waiter);
    }
    pbuf_free(packet);
}

/* Call between net_enter() and net_leave(). */
static void send_ping(void)
{
    const ip_addr_t other = {.addr = lwip_htonl(net_other())};
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, PING_BYTES, PBUF_RAM);

    if (packet == NULL) {
        return; /* the ping stays unanswered */
    }
    for (size_t i = 0; i < PING_BYTES; i++) {
        pbuf_put_at(packet, (u16_t)i, ping_byte(i));
    }
    udp_sendto(load.pcb, packet, &other, SERVICE_ECHO);
    pbuf_free(packet);
}

/* Writes on, or waits, until the answer has arrived. Returns false if it does not arrive within
 * PING_US. */
static bool await_answer(uint64_t began, bool loaded)
{
    const uint64_t limit = clock_ticks_from_us(PING_US);

    while (!load.answered) {
        if (tsc_read() - began > limit) {
            return false;
        }
        if (loaded && load.bulk.pcb != NULL && bulk_write(&load.bulk)) {
            net_poll();
        } else if (!load.answered) {
            net_wait(&load.waiter, PING_US);
        }
    }
    return true;
}

static void ping(struct trips *trips, bool loaded)
{
    if (loaded && load.bulk.pcb != NULL) {
        bulk_write(&load.bulk);
    }
    const uint64_t began = tsc_read();

    net_enter();
    load.sequence++;
    load.awaited = true;
    load.answered = false;
    send_ping();
    net_leave();
    const bool answered = await_answer(began, loaded);
    const uint64_t ended = tsc_read();

    load.awaited = false;
    if (answered) {
        trips->samples[trips->count++] = (int64_t)(ended - began);
    } else {
        trips->unanswered++;
    }
}

/* ---- a path ---- */

static enum bench_state ping_loaded(struct bench_run *run, enum net_path path, size_t samples)
{
    const struct bulk_options options = {bench_number(run, "window"), bench_number(run, "message"),
                                         NEVER_ENDS};
    const char *why = bulk_open(&load.bulk, &options, &load.waiter);

    while (why == NULL && load.bulk.acknowledged < BULK_BLOCK && bulk_turn(&load.bulk, &why)) {
    }
    const uint64_t before = load.bulk.acknowledged;

    for (size_t i = 0; why == NULL && i < samples; i++) {
        ping(&load.loaded[path], true);
    }
    load.bytes_meanwhile = load.bulk.acknowledged - before;
    bulk_stop(&load.bulk);
    while (why == NULL && bulk_turn(&load.bulk, &why)) {
    }
    bulk_close(&load.bulk);
    load.ticks = load.bulk.ended - load.bulk.began;
    load.bytes = load.bulk.options.bytes;
    return why == NULL ? BENCH_OK : bench_fail(run, "%s: %s", path_name(path), why);
}

/* Call between net_enter() and net_leave(). */
static bool open_udp(void)
{
    const ip_addr_t own = {.addr = lwip_htonl(net_own())};

    load.pcb = udp_new();
    if (load.pcb == NULL || udp_bind(load.pcb, &own, 0) != ERR_OK) {
        return false;
    }
    udp_recv(load.pcb, on_answer, NULL);
    return true;
}

static enum bench_state measure_both(struct bench_run *run, enum net_path path)
{
    const size_t samples = bench_number(run, "samples");
    int64_t first;
    struct trips asking = {.samples = &first};
    const uint64_t discarded = services_counts()->discarded;
    const uint64_t wrong = services_counts()->wrong;

    /* The first ping also resolves the peer's address, so it gives no sample. */
    ping(&asking, false);
    for (size_t i = 0; i < samples; i++) {
        ping(&load.idle[path], false);
    }
    const enum bench_state result = ping_loaded(run, path, samples);

    path_checked(load.checked, load.wrong);
    if (path != NET_REMOTE) {
        path_checked(services_counts()->discarded - discarded, services_counts()->wrong - wrong);
    }
    return result;
}

static enum bench_state measure(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    load.checked = 0;
    load.wrong = 0;
    net_waiter_init(&load.waiter, "answers or space to send");
    net_enter();
    const bool open = open_udp();

    net_leave();
    const enum bench_state result =
        open ? measure_both(run, path)
             : bench_error(run, "the stack has no memory for a UDP socket");

    net_enter();
    if (load.pcb != NULL) {
        udp_remove(load.pcb);
    }
    net_leave();
    return result;
}

/* ---- publishing ---- */

static void publish_trips(const struct bench_run *run, const char *of, enum net_path path,
                          const struct trips *trips)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s.%s", of, path_name(path));
    if (trips->count > 0) {
        bench_publish(run, name, UNIT_TICK, trips->samples, trips->count);
    } else {
        bench_absent(run, name, "no round trip was answered within 2 s");
    }
    snprintf(name, sizeof(name), FACT_UNANSWERED ".%s.%s", of, path_name(path));
    bench_fact(run, name, UNIT_COUNT, (int64_t)trips->unanswered);
}

static enum bench_state report(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    publish_trips(run, SERIES_UNLOADED, path, &load.idle[path]);
    publish_trips(run, SERIES_LOADED, path, &load.loaded[path]);
    path_publish(run, FACT_NET_TOTAL, path, UNIT_TICK, load.ticks);
    path_publish(run, FACT_NET_BYTES, path, UNIT_BYTE, load.bytes);
    path_publish(run, FACT_MEANWHILE, path, UNIT_BYTE, load.bytes_meanwhile);
    if (load.idle[path].count == 0 || load.loaded[path].count == 0) {
        return bench_fail(run,
                          "%s: no round trip was answered within 2 s, either without or with load",
                          path_name(path));
    }
    return load.bytes_meanwhile > 0
               ? BENCH_OK
               : bench_fail(run, "%s: nothing was transferred during loaded round trips",
                            path_name(path));
}

static bool take_memory(size_t samples)
{
    for (size_t path = 0; path < NET_PATHS; path++) {
        load.idle[path] = (struct trips){.samples = bench_samples(samples)};
        load.loaded[path] = (struct trips){.samples = bench_samples(samples)};
        if (load.idle[path].samples == NULL || load.loaded[path].samples == NULL) {
            return false;
        }
    }
    return bulk_take(&load.bulk);
}

static enum bench_state run(struct bench_run *run)
{
    const size_t samples = bench_number(run, "samples");

    load = (typeof(load)){0};
    if (!take_memory(samples)) {
        return bench_error(run, "no memory for samples and buffers");
    }
    const struct path_job job = {.measure = measure, .report = report, .samples = 2 * samples};

    return paths_run(run, &job);
}

static const struct bench_param params[] = {
    PATH_PARAM_PATHS,
    PATH_PARAM_RECEIVE,
    {"samples", "50", "round trips without load, and as many with load",
     PARAM_NUMBER(1, SAMPLES_MAX)},
    {"window", "16384", "largest number of unacknowledged bytes of the load",
     PARAM_NUMBER(2 * TCP_MSS, BULK_WINDOW_MAX)},
    {"message", "1460", "bytes of the load written at once",
     PARAM_NUMBER(BULK_MESSAGE_MIN, BULK_MESSAGE_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {SERIES_UNLOADED "." PATH_PAIR, ESTIMATE_NONE, 8000, UNIT_NANOSECOND,
     "twice the link's 1 us and 130 bytes of 8 ns; 8000 instructions for two stacks and two "
     "wake-ups at 2 GHz"},
    {SERIES_LOADED "." PATH_PAIR, ESTIMATE_NONE, 150000, UNIT_NANOSECOND,
     "after a window of the load, 12 segments of 12.3 us on the link; the answer meets only "
     "acknowledgements"},
    {0},
};

static const struct bench netload = {
    .name = BENCH_NETLOAD,
    .group = GROUP_NETWORK,
    .summary = "time of UDP round trips of 64 bytes with and without a bulk transfer",
    .unit = UNIT_TICK,
    .estimate = "without load as udp.64 of bench rtt; with load longer by a window of the "
                "transfer, on the link or in the processor, whichever is slower",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(netload);

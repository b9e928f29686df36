/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench netbandwidth: bulk transfers by TCP, by path, window and size of a message (the report,
 * section 11). The receiver checks every byte.
 *
 * Each transfer is compared with three bounds: what the timing model of the simulated link lets
 * through, one window per round trip, and a copy of the same number of bytes. The bench fails if a
 * transfer is faster than a bound, or if lwIP and the link count different numbers of segments.
 */
#include <stdio.h>
#include <string.h>

#include "bench/network/bulk.h"
#include "bench/network/names.h"
#include "bench/network/path.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/net/services.h"
#include "kernel/net/simulated_link.h"
#include "kernel/run/names.h"

#define LISTED_MAX      8
#define NAME_BYTES      64
#define BYTES_MAX       (1ull << 30)
#define COPY_BYTES      16384
#define COPY_TRIALS     5
#define ACK_BYTES       NIC_FRAME_MIN
#define SEGMENT_HEADERS (14 + 20 + 20) /* Ethernet, IPv4, TCP */
#define TICK_OF_FLOOR   1              /* the timing model's ticks are rounded down */
#define PS_OF_NS        1000
#define PS_OF_S         1000000000000ull
#define QUIET_US        1000000

/* Segments with data, recognised as frames longer than the shortest. */
struct data_frames {
    uint64_t sent;     /* segments sent, as the first NIC counts them */
    uint64_t received; /* segments received, as the second NIC counts them */
    uint64_t lost;     /* segments lost by the simulated link */
    uint64_t first;    /* segments that the stack sent for the first time */
    uint64_t again;    /* segments that the stack sent again */
};

/* one transfer; the arrays of samples are separate for each */
struct transfer {
    enum net_path path;
    struct bulk_options options;
    uint64_t ticks;
    uint64_t shortest;
    int64_t *blocks;
    int64_t *again;
    size_t count; /* length of `blocks` and `again` */
};

static struct {
    struct bulk bulk;
    struct net_waiter waiter;
    uint64_t windows[LISTED_MAX];
    size_t window_count;
    uint64_t messages[LISTED_MAX];
    size_t message_count;
    uint64_t bytes;
    uint64_t copy_ticks; /* ticks of a memcpy of the same number of bytes */
    struct transfer transfers[NET_PATHS][LISTED_MAX * LISTED_MAX];
    /* the following are of the current path */
    bool modelled;
    uint64_t checked; /* bytes that the discard service had checked before this transfer */
    uint64_t wrong;
    struct data_frames frames; /* counts of all transfers */
    uint64_t outliers;         /* blocks in which segments were sent again */
} bandwidth;

static uint64_t hz(void)
{
    return clock_state()->verdict.hz;
}

static int64_t bytes_per_second(uint64_t bytes, uint64_t ticks)
{
    return (int64_t)scale_u64(bytes, hz(), ticks == 0 ? 1 : ticks);
}

/* ---- bounds ---- */

/* Measures a memcpy. The shortest of a few trials gives the largest bound. */
static bool measure_copy(void)
{
    uint8_t *from = bench_memory(COPY_BYTES);
    uint8_t *to = bench_memory(COPY_BYTES);

    if (from == NULL || to == NULL) {
        return false;
    }
    bandwidth.copy_ticks = UINT64_MAX;
    for (size_t i = 0; i < COPY_TRIALS; i++) {
        const uint64_t began = tsc_read_ordered();

        for (uint64_t at = 0; at < bandwidth.bytes; at += COPY_BYTES) {
            const uint64_t left = bandwidth.bytes - at;

            memcpy(to, from, left < COPY_BYTES ? left : COPY_BYTES);
        }
        const uint64_t ticks = tsc_read_ordered() - began;

        bandwidth.copy_ticks = ticks < bandwidth.copy_ticks ? ticks : bandwidth.copy_ticks;
    }
    return true;
}

/* Returns the ticks that the timing model needs for all segments one after the other, for the
 * latency of the last one and for its acknowledgement. */
static uint64_t wire_ticks(const struct link_model *model, uint64_t bytes)
{
    const uint64_t segments = (bytes + TCP_MSS - 1) / TCP_MSS;
    const uint64_t on_wire = bytes + segments * (SEGMENT_HEADERS + LINK_MODEL_OVERHEAD);

    return link_model_ticks_from_ps((on_wire + ACK_BYTES + LINK_MODEL_OVERHEAD) * model->byte_ps +
                                        2 * model->packet_ns * PS_OF_NS,
                                    hz());
}

/* Returns the shortest possible time for a full segment and its acknowledgement. */
static uint64_t round_trip_ticks(const struct link_model *model)
{
    return link_model_ticks_from_ps(
        (TCP_MSS + SEGMENT_HEADERS + ACK_BYTES + 2 * LINK_MODEL_OVERHEAD) * model->byte_ps +
            2 * model->packet_ns * PS_OF_NS,
        hz());
}

static void publish_wire_bound(const struct bench_run *run, enum net_path path, uint64_t window)
{
    const uint64_t byte_ps = bandwidth.modelled ? simulated_link_model()->byte_ps : 0;
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), FACT_BOUND_WIRE ".%s.%lu", path_name(path), window);
    if (byte_ps == 0) {
        bench_absent(run, name,
                     bandwidth.modelled ? "net.byte_ps=0: bytes take no time on the simulated link"
                                        : "only the simulated link has a known timing model");
        return;
    }
    bench_fact(run, name, UNIT_BYTE_PER_S,
               (int64_t)scale_u64(TCP_MSS, PS_OF_S,
                                  (TCP_MSS + SEGMENT_HEADERS + LINK_MODEL_OVERHEAD) * byte_ps));
}

/* ---- checks ---- */

static enum bench_state beyond(struct bench_run *run, const struct transfer *transfer,
                               const char *bound, uint64_t ticks, uint64_t least)
{
    return bench_fail(
        run, "%s, window %lu B, message %lu B: took %lu ticks, expected at least %lu ticks for %s",
        path_name(transfer->path), transfer->options.window, transfer->options.message, ticks,
        least, bound);
}

/* Fails if the transfer is faster than a bound. */
static enum bench_state judge_bounds(struct bench_run *run, const struct transfer *transfer)
{
    const struct link_model *model = simulated_link_model();
    const uint64_t bytes = transfer->options.bytes;
    const uint64_t by_window = scale_u64(transfer->shortest, bytes, transfer->options.window);

    if (bandwidth.modelled && transfer->ticks + TICK_OF_FLOOR < wire_ticks(model, bytes)) {
        return beyond(run, transfer, "the simulated link", transfer->ticks,
                      wire_ticks(model, bytes));
    }
    if (bandwidth.modelled && transfer->shortest + TICK_OF_FLOOR < round_trip_ticks(model)) {
        return beyond(run, transfer, "a round trip", transfer->shortest, round_trip_ticks(model));
    }
    if (transfer->ticks < by_window) {
        return beyond(run, transfer, "one window per round trip", transfer->ticks, by_window);
    }
    if (transfer->ticks < bandwidth.copy_ticks) {
        return beyond(run, transfer, "a memcpy of its bytes", transfer->ticks,
                      bandwidth.copy_ticks);
    }
    return BENCH_OK;
}

/* Checks the bytes that arrived at the other end of loop-back and pair; a remote peer has its own
 * counts. */
static enum bench_state judge_bytes(struct bench_run *run, enum net_path path)
{
    const struct services_counts *counts = services_counts();
    const uint64_t checked = counts->discarded - bandwidth.checked;
    const uint64_t wrong = counts->wrong - bandwidth.wrong;

    if (path == NET_REMOTE) {
        return BENCH_OK;
    }
    bandwidth.checked = counts->discarded;
    bandwidth.wrong = counts->wrong;
    path_checked(checked, wrong);
    return checked == bandwidth.bulk.options.bytes
               ? BENCH_OK
               : bench_fail(run, "%s: %lu bytes arrived, expected %lu", path_name(path), checked,
                            bandwidth.bulk.options.bytes);
}

/* Returns how many segments arrived more than once. */
static uint64_t arrived_twice(const struct data_frames *frames)
{
    return frames->received - frames->first;
}

/* Fails unless lwIP counted what the link saw, and each segment sent again was either lost or had
 * arrived before. */
static enum bench_state judge_frames(struct bench_run *run, enum net_path path)
{
    const struct data_frames *frames = &bandwidth.frames;

    if (!bandwidth.modelled) {
        return BENCH_OK;
    }
    if (frames->sent != frames->first + frames->again) {
        return bench_fail(
            run, "%s: the NIC sent %lu segments, expected %lu sent once and %lu sent again",
            path_name(path), frames->sent, frames->first, frames->again);
    }
    if (frames->received < frames->first || frames->again != frames->lost + arrived_twice(frames)) {
        return bench_fail(run,
                          "%s: %lu segments were sent again, which does not match %lu sent, %lu "
                          "lost and %lu arrived",
                          path_name(path), frames->again, frames->sent, frames->lost,
                          frames->received);
    }
    return BENCH_OK;
}

/* ---- transfers ---- */

static struct data_frames count_frames(enum net_path path)
{
    struct stack_counts counts;

    stack_get_counts(&counts);
    return (struct data_frames){
        .sent = path == NET_LOOPBACK ? 0 : net_nic(0)->counts.sent_long,
        .received = path == NET_PAIR ? net_nic(1)->counts.received_long : 0,
        .lost = path == NET_LOOPBACK ? 0 : net_nic(0)->counts.lost_long,
        .first = counts.data_first,
        .again = counts.data_again,
    };
}

/* Waits until no frame is on its way to the second NIC. */
static void await_quiet(void)
{
    const uint64_t began = tsc_read();

    while (bandwidth.modelled &&
           net_nic(0)->counts.sent != net_nic(0)->counts.lost + net_nic(1)->counts.received &&
           tsc_read() - began < clock_ticks_from_us(QUIET_US)) {
        net_poll();
    }
}

static void add_frames(const struct data_frames *before, const struct data_frames *after)
{
    bandwidth.frames.sent += after->sent - before->sent;
    bandwidth.frames.received += after->received - before->received;
    bandwidth.frames.lost += after->lost - before->lost;
    bandwidth.frames.again += after->again - before->again;
    bandwidth.frames.first += after->first - before->first;
    for (size_t i = 0; i < bandwidth.bulk.blocks_count; i++) {
        bandwidth.outliers += bandwidth.bulk.again[i] > 0 ? 1 : 0;
    }
}

/* Transfers everything. Returns NULL on success, otherwise the reason. */
static const char *send_all(enum net_path path, const struct transfer *transfer)
{
    struct bulk *bulk = &bandwidth.bulk;

    bulk->blocks = transfer->blocks;
    bulk->again = transfer->again;
    bulk->blocks_max = bandwidth.bytes / BULK_BLOCK;
    const char *why = bulk_open(bulk, &transfer->options, &bandwidth.waiter);
    const struct data_frames before = count_frames(path);

    while (why == NULL && bulk_turn(bulk, &why)) {
    }
    bulk_close(bulk);
    if (why == NULL) {
        await_quiet();
        const struct data_frames after = count_frames(path);

        add_frames(&before, &after);
    }
    return why;
}

static enum bench_state measure_one(struct bench_run *run, enum net_path path,
                                    struct transfer *transfer)
{
    const struct bulk *bulk = &bandwidth.bulk;
    const char *why = send_all(path, transfer);

    if (why != NULL) {
        return bench_fail(run, "%s, window %lu B, message %lu B: %s", path_name(path),
                          transfer->options.window, transfer->options.message, why);
    }
    transfer->ticks = bulk->ended - bulk->began;
    transfer->shortest = bulk->shortest;
    transfer->count = bulk->blocks_count;
    const enum bench_state result = judge_bytes(run, path);

    return result == BENCH_OK ? judge_bounds(run, transfer) : result;
}

static enum bench_state measure(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    net_waiter_init(&bandwidth.waiter, "bulk");
    bandwidth.modelled = path == NET_PAIR && net_nic(0)->driver == &simulated_link_driver;
    bandwidth.checked = services_counts()->discarded;
    bandwidth.wrong = services_counts()->wrong;
    bandwidth.frames = (struct data_frames){0};
    bandwidth.outliers = 0;
    for (size_t i = 0; i < bandwidth.window_count * bandwidth.message_count; i++) {
        const enum bench_state result = measure_one(run, path, &bandwidth.transfers[path][i]);

        if (result != BENCH_OK) {
            return result;
        }
    }
    return BENCH_OK;
}

/* ---- publishing ---- */

static void publish_transfer(const struct bench_run *run, enum net_path path,
                             const struct transfer *transfer)
{
    char suffix[NAME_BYTES];
    char name[2 * NAME_BYTES];

    snprintf(suffix, sizeof(suffix), "%s.%lu.%lu", path_name(path), transfer->options.window,
             transfer->options.message);
    snprintf(name, sizeof(name), FACT_NET_TOTAL ".%s", suffix);
    bench_fact(run, name, UNIT_TICK, (int64_t)transfer->ticks);
    snprintf(name, sizeof(name), FACT_NET_BYTES ".%s", suffix);
    bench_fact(run, name, UNIT_BYTE, (int64_t)transfer->options.bytes);
    snprintf(name, sizeof(name), FACT_SHORTEST ".%s", suffix);
    bench_fact(run, name, UNIT_TICK, (int64_t)transfer->shortest);
    snprintf(name, sizeof(name), SERIES_NET_BLOCK ".%s", suffix);
    bench_publish(run, name, UNIT_TICK, transfer->blocks, transfer->count);
    snprintf(name, sizeof(name), SERIES_SENT_AGAIN ".%s", suffix);
    bench_publish(run, name, UNIT_COUNT, transfer->again, transfer->count);
}

/* Publishes the transfers of all message sizes with one window. */
static void publish_window(const struct bench_run *run, enum net_path path,
                           const struct transfer *transfers)
{
    const uint64_t window = transfers[0].options.window;
    uint64_t shortest = UINT64_MAX;
    char name[NAME_BYTES];

    for (size_t i = 0; i < bandwidth.message_count; i++) {
        publish_transfer(run, path, &transfers[i]);
        shortest = transfers[i].shortest < shortest ? transfers[i].shortest : shortest;
    }
    publish_wire_bound(run, path, window);
    snprintf(name, sizeof(name), FACT_BOUND_WINDOW ".%s.%lu", path_name(path), window);
    bench_fact(run, name, UNIT_BYTE_PER_S, bytes_per_second(window, shortest));
}

static enum bench_state report(struct bench_run *run, enum net_path path, void *argument)
{
    const struct data_frames *frames = &bandwidth.frames;

    (void)argument;
    for (size_t i = 0; i < bandwidth.window_count; i++) {
        publish_window(run, path, &bandwidth.transfers[path][i * bandwidth.message_count]);
    }
    path_publish(run, FACT_DATA_AGAIN, path, UNIT_COUNT, frames->again);
    path_publish(run, FACT_OUTLIERS, path, UNIT_COUNT, bandwidth.outliers);
    const enum bench_state result = judge_frames(run, path);

    if (result == BENCH_OK && bandwidth.modelled) {
        path_publish(run, FACT_DATA_SENT, path, UNIT_COUNT, frames->sent);
        path_publish(run, FACT_DATA_LOST, path, UNIT_COUNT, frames->lost);
        path_publish(run, FACT_DATA_TWICE, path, UNIT_COUNT, arrived_twice(frames));
    }
    return result;
}

/* ---- the run ---- */

/* Allocates the transfers of all paths, because published samples must stay until the run is over.
 */
static bool take_transfers(void)
{
    const size_t blocks = bandwidth.bytes / BULK_BLOCK;
    const size_t count = bandwidth.window_count * bandwidth.message_count;
    int64_t *samples = bench_samples(2 * NET_PATHS * count * blocks);

    for (enum net_path path = 0; samples != NULL && path < NET_PATHS; path++) {
        for (size_t i = 0; i < count; i++) {
            bandwidth.transfers[path][i] = (struct transfer){
                .path = path,
                .options = {bandwidth.windows[i / bandwidth.message_count],
                            bandwidth.messages[i % bandwidth.message_count], bandwidth.bytes},
                .blocks = samples,
                .again = samples + blocks,
            };
            samples += 2 * blocks;
        }
    }
    return samples != NULL;
}

static const struct path_estimate pair_estimates[] = {
    {.series = SERIES_NET_BLOCK ".%s.65536.16384",
     .bytes = 69018, /* 45 segments of 1460 bytes, plus 78 bytes for each */
     .link = 856000,
     .overlaps = true},
    {0},
};

static enum bench_state run(struct bench_run *run)
{
    bandwidth.window_count = bench_numbers(run, "windows", bandwidth.windows, LISTED_MAX);
    bandwidth.message_count = bench_numbers(run, "messages", bandwidth.messages, LISTED_MAX);
    bandwidth.bytes = bench_number(run, "bytes");
    if (!bulk_take(&bandwidth.bulk) || !take_transfers() || !measure_copy()) {
        return bench_error(run, "no memory for samples and buffers");
    }
    bench_fact(run, FACT_BOUND_COPY, UNIT_BYTE_PER_S,
               bytes_per_second(bandwidth.bytes, bandwidth.copy_ticks));
    const struct path_job job = {
        .estimates = pair_estimates,
        .measure = measure,
        .report = report,
        .samples = bandwidth.window_count * bandwidth.message_count * bandwidth.bytes / TCP_MSS,
    };

    return paths_run(run, &job);
}

static const struct bench_param params[] = {
    PATH_PARAM_PATHS,
    PATH_PARAM_RECEIVE,
    {"windows", "4096,16384,65536", "largest number of unacknowledged bytes, a,b,c: 2920 to 131072",
     PARAM_NUMBERS(2 * TCP_MSS, BULK_WINDOW_MAX, LISTED_MAX)},
    {"messages", "1460,16384", "bytes written at once, a,b,c: 256 to 65535",
     PARAM_NUMBERS(BULK_MESSAGE_MIN, BULK_MESSAGE_MAX, LISTED_MAX)},
    {"bytes", "262144", "bytes of a transfer", PARAM_NUMBER(BULK_BLOCK, BYTES_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {SERIES_NET_BLOCK "." PATH_LOOPBACK ".65536.16384", 774000, 125000, UNIT_NANOSECOND,
     "45 segments: 7.5 instructions per byte to fill and compare it, 2.6 to copy and sum it at "
     "both ends; 2500 per segment for TCP and IP and its share of acknowledgements and wake-ups"},
    {0},
};

static const struct bench netbandwidth = {
    .name = BENCH_NETBANDWIDTH,
    .group = GROUP_NETWORK,
    .summary = "bandwidth of bulk transfers by TCP, by path, window and message size",
    .unit = UNIT_TICK,
    .estimate = "the lowest of three bounds: the link's rate, one window per round trip, and the "
                "bytes that the processor can copy, sum and check, as on loop-back",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(netbandwidth);

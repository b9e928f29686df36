/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a log as large as asked for to standard output: bench `echo` with a trace of EVENTS
 * records, ten to a key press, and its idle loop; and bench `idle`, two series to a pass. The
 * samples are spread evenly over SERIES series. The same arguments give the same bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/input/event.h"
#include "kernel/link/frame.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define HZ           1000000000
#define BEGIN        (UINT64_C(5) * HZ)
#define SAMPLE_TICKS 1000000
#define STEP_TICKS   16 /* of the idle loop */
#define KEY_RECORDS  10
#define KEYBOARD     81
#define BENCH        1
#define APPLICATION  2
#define QUEUE        0
#define KEY_A        0x1e
#define LEAST_PERIOD 8 /* samples from key to key */

static const char usage[] = "usage: big_log SAMPLES EVENTS [SERIES] > LOG\n";

/* Keys that are pressed, and what is recorded of them; all times since BEGIN. */
struct keys {
    struct trace_builder trace;
    uint64_t seed;
    uint64_t period;
    uint64_t next;
    size_t count, limit;
    int64_t *intended, *sent, *written, *number, *from, *to;
};

static int64_t *room(size_t n)
{
    return alloc_zeroed(n * sizeof(int64_t));
}

static void keys_open(struct keys *keys, uint64_t samples, uint64_t events)
{
    *keys = (struct keys){.seed = 7, .limit = events / KEY_RECORDS};
    const uint64_t each = keys->limit > 0 ? samples / keys->limit : 0;

    keys->period = (each > LEAST_PERIOD ? each : LEAST_PERIOD) * SAMPLE_TICKS;
    keys->next = keys->period / 2;
    keys->intended = room(keys->limit);
    keys->sent = room(keys->limit);
    keys->written = room(keys->limit);
    keys->number = room(keys->limit);
    keys->from = room(keys->limit);
    keys->to = room(keys->limit);
    trace_builder_init(&keys->trace, BEGIN, TRACE_PACKET_BYTES);
    TRACE_ADD(&keys->trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&keys->trace, BEGIN, thread_is, BENCH, 0, 31, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&keys->trace, BEGIN, thread_is, APPLICATION, 0, 10, THREAD_WAITING, WAIT_QUEUE);
}

static void keys_free(struct keys *keys)
{
    free(keys->intended);
    free(keys->sent);
    free(keys->written);
    free(keys->number);
    free(keys->from);
    free(keys->to);
}

/* Most keys are echoed in 2 to 6 % of the time to the next, every fifth takes up to 30 %, and every
 * fiftieth up to 60 %. */
static uint64_t draw_work(struct keys *keys)
{
    const uint64_t kind = unit_random(&keys->seed) % 50;
    const uint64_t low = kind == 0 ? 30 : kind < 10 ? 10 : 2;
    const uint64_t high = kind == 0 ? 60 : kind < 10 ? 30 : 6;
    const uint64_t percent = keys->period / 100;

    return low * percent + unit_random(&keys->seed) % ((high - low) * percent);
}

/* The next key's life. Returns for how long the idle loop does not run. */
static uint64_t press_key(struct keys *keys)
{
    const size_t i = keys->count++;
    const uint64_t number = i + 1;
    const uint64_t at = BEGIN + keys->next;
    const uint64_t done = at + 20000 + draw_work(keys);
    struct trace_builder *trace = &keys->trace;

    TRACE_ADD(trace, at + 1000, isr_entry, KEYBOARD);
    TRACE_ADD(trace, at + 3000, input, number, INPUT_KEY_DOWN, KEY_A, at + 2000);
    TRACE_ADD(trace, at + 4000, queue_post, QUEUE, INPUT_KEY_DOWN, number, 1);
    TRACE_ADD(trace, at + 5000, thread_ready, APPLICATION, TRACE_BY(TRACE_BY_VECTOR, KEYBOARD));
    TRACE_ADD(trace, at + 6000, isr_exit, KEYBOARD);
    TRACE_ADD(trace, at + 8000, thread_switch, 0, APPLICATION,
              TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(trace, at + 10000, queue_take, QUEUE, INPUT_KEY_DOWN, number, 0);
    TRACE_ADD(trace, done, input_done, QUEUE, number);
    TRACE_ADD(trace, done + 2000, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(trace, done + 4000, thread_switch, APPLICATION, 0,
              TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
    keys->intended[i] = (int64_t)keys->next;
    keys->sent[i] = (int64_t)INPUT_KEY_DOWN << 16 | KEY_A;
    keys->written[i] = (int64_t)keys->next + 500;
    keys->number[i] = (int64_t)number;
    keys->from[i] = (int64_t)keys->next + 12000;
    keys->to[i] = (int64_t)(done - BEGIN) - 2000;
    keys->next += keys->period * 3 / 4 + unit_random(&keys->seed) % (keys->period / 2);
    return done + 4000 - at;
}

/* One of 1000 samples is hit by something that no trace shows. */
static int64_t draw_sample(uint64_t *seed)
{
    const uint64_t draw = unit_random(seed);
    const int64_t jitter = (int64_t)(draw % 3) * STEP_TICKS;

    return SAMPLE_TICKS + jitter + (draw / 3 % 1000 == 0 ? 1000 + (int64_t)(draw % 65536) : 0);
}

/* The idle loop while keys are pressed, and on until the last of them. */
static uint64_t fill_echo(struct keys *keys, int64_t *samples, size_t n, uint64_t *seed)
{
    uint64_t now = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t length = (uint64_t)draw_sample(seed);

        while (keys->count < keys->limit && keys->next < now + length) {
            length += press_key(keys);
        }
        samples[i] = (int64_t)length;
        now += length;
    }
    while (keys->count < keys->limit) {
        now = keys->next;
        now += press_key(keys);
    }
    return now + SAMPLE_TICKS;
}

static void put_trace(struct log_builder *log, struct keys *keys, uint64_t elapsed)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = run_add_bench(&run, "echo");
    const struct run_trace *trace = trace_builder_finish(&keys->trace, BEGIN + elapsed, bench);
    uint8_t *packets = alloc_zeroed(trace->packets->length);

    trace->packets->read(trace->packets, 0, packets, trace->packets->length);
    log_trace(log, "echo", 1, packets, trace->packets->length / TRACE_PACKET_BYTES, trace->kept);
    free(packets);
    run_free(&run);
}

static void put_idle_facts(struct log_builder *log, const char *bench, const char *pass)
{
    log_recordf(log, "fact bench=%s name=inner_iterations value=62499 unit=count%s", bench, pass);
    log_recordf(log, "fact bench=%s name=sample_ticks value=%d unit=tick%s", bench, SAMPLE_TICKS,
                pass);
    log_recordf(log, "fact bench=%s name=iteration_millitick value=%d unit=millitick%s", bench,
                STEP_TICKS * 1000, pass);
}

static void put_names(struct log_builder *log)
{
    log_record(log, "object bench=echo kind=thread id=0 name=idle process=0 priority=0");
    log_record(log, "object bench=echo kind=thread id=1 name=bench process=0 priority=31");
    log_record(log, "object bench=echo kind=thread id=2 name=application process=0 priority=10");
    log_record(log, "object bench=echo kind=vector id=64 name=lapic_timer");
    log_record(log, "object bench=echo kind=vector id=81 name=\"i8042 keyboard\"");
    log_record(log, "object bench=echo kind=queue id=0 name=application");
}

static void put_echo(struct log_builder *log, size_t samples, uint64_t events, uint64_t *seed)
{
    int64_t *idle = room(samples);
    struct keys keys;

    keys_open(&keys, samples, events);
    const uint64_t elapsed = fill_echo(&keys, idle, samples, seed);

    log_record(log, "bench name=echo group=interactive summary=\"keys echoed\" unit=tick");
    put_idle_facts(log, "echo", "");
    put_names(log);
    put_trace(log, &keys, elapsed);
    log_record(log, "fact bench=echo name=idle_origin value=0 unit=tick");
    log_series(log, "echo", "idle", "tick", idle, samples);
    log_series(log, "echo", "sent", "code", keys.sent, keys.count);
    log_series(log, "echo", "intended", "tick", keys.intended, keys.count);
    log_series(log, "echo", "written", "tick", keys.written, keys.count);
    log_series(log, "echo", "stamp_number", "count", keys.number, keys.count);
    log_series(log, "echo", "stamp_from", "tick", keys.from, keys.count);
    log_series(log, "echo", "stamp_to", "tick", keys.to, keys.count);
    log_record(log, "status bench=echo state=OK");
    keys_free(&keys);
    free(idle);
}

static void put_idle_series(struct log_builder *log, const char *name, size_t n, uint64_t *seed)
{
    int64_t *samples = room(n);

    for (size_t i = 0; i < n; i++) {
        samples[i] = draw_sample(seed);
    }
    log_series(log, "idle", name, "tick", samples, n);
    free(samples);
}

/* Passes of the idle bench, of two series each but perhaps the last. */
static void put_idle(struct log_builder *log, size_t series, size_t samples, uint64_t *seed)
{
    for (size_t i = 0; i < series; i += 2) {
        char pass[24];

        log->pass = (uint32_t)(i / 2 + 1);
        snprintf(pass, sizeof(pass), " pass=%" PRIu32, log->pass);
        log_recordf(log, "bench name=idle group=idle summary=\"the idle loop\" unit=tick%s", pass);
        put_idle_facts(log, "idle", pass);
        put_idle_series(log, "floor", samples, seed);
        if (i + 1 < series) {
            put_idle_series(log, "ticking", samples, seed);
        }
        log_recordf(log, "status bench=idle state=OK%s", pass);
    }
    log->pass = 0;
}

static void put_log(struct log_builder *log, uint64_t samples, uint64_t events, uint64_t series)
{
    const size_t each = samples / series;
    uint64_t seed = 1;

    log_init(log, FRAME_BINARY);
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=real date=\"2026-11-21T12:00:00Z\"");
    log_record(log, "machine name=cpu_brand value=\"made by big_log\"");
    log_record(log, "source name=tsc hz=1000000000 from=\"CPUID 15h\"");
    log_record(log, "estimate clock=tsc reference=hpet hz=1000000000 error_ppb=350 windows=7");
    log_record(log, "verdict ok=1 hz=1000000000 by=\"hpet,pm_timer\"");
    put_echo(log, samples - each * (series - 1), events, &seed);
    put_idle(log, series - 1, each, &seed);
    log_end(log);
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end;

    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && *number >= least && *number <= most;
}

int main(int argc, char **argv)
{
    struct log_builder log;
    uint64_t samples;
    uint64_t events;
    uint64_t series = 1;

    if (argc < 3 || argc > 4 || !read_number(argv[1], 0, UINT32_MAX, &samples) ||
        !read_number(argv[2], 0, UINT32_MAX, &events) ||
        (argc > 3 && !read_number(argv[3], 1, 1000, &series))) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    put_log(&log, samples, events, series);
    for (size_t i = 0; i < log.frame_count; i++) {
        uint8_t wire[FRAME_WIRE_MAX];
        const size_t length = frame_encode(&log.frames[i], log.format, wire);

        fwrite(wire, 1, length, stdout);
    }
    log_free(&log);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

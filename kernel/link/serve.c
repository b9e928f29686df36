/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host at the other end of the line: link_find_host(), and, after the run, link_serve(), which
 * answers requests (request.h) for what the host is missing.
 */
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/line.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/link/request.h"

/* Spin iterations between two looks at the receiver, about 10 us. Spinning makes a wait cost
 * emulated time rather than the emulator's own time. The receiver's FIFO takes 1.4 ms to fill at
 * 115200 baud. */
#define POLL_SPIN 4000
/* Multiple of the wait after which a line that is noisy, but has no request, ends it as well. */
#define NOISE_FACTOR 10
/* Wait for a host before the run: a look at the receiver every 100 us, because a byte takes 87 us
 * at 115200 baud, for 300 ms. The question is repeated because the line may have damaged it. */
#define HELLO_LOOK_US 100
#define HELLO_LOOKS   3000
#define HELLO_REPEAT  1000 /* number of looks after which the question is repeated */
/* Assumed TSC rate if none could be measured: a wait of the wrong length still ends. */
#define ASSUMED_HZ 1000000000ull

static struct {
    struct uart *uart;          /* the serial port; NULL if there is none */
    const struct link_way *way; /* another way to the host; NULL: the serial port is used */
    struct request_queue queue;
    uint64_t sent; /* frames sent so far for the get that is being answered */
    uint64_t ticks_per_ms;
    uint64_t received;    /* TSC of the last received byte, change of speed, or sent frame */
    uint64_t understood;  /* TSC of the last intact request, change of speed, or sent frame */
    uint16_t run_divisor; /* divisor for the speed of the run */
    uint16_t old_divisor; /* divisor for the speed before the last change */
    bool unproven;        /* no intact request has arrived at this speed yet */
    bool has_host;        /* an intact request of a host has arrived */
} server;

/* Takes all bytes that have arrived. Any intact request confirms the speed. */
static void receive(void)
{
    for (unsigned i = 0; i < UART_RING_BYTES; i++) {
        const int byte =
            server.way != NULL ? server.way->read(server.way->context) : uart_read(server.uart);

        if (byte < 0) {
            return;
        }
        server.received = tsc_read();
        if (request_queue_push(&server.queue, (uint8_t)byte)) {
            server.understood = server.received;
            server.unproven = false;
            server.has_host = true;
        }
    }
}

bool link_find_host(void (*stall)(uint64_t us))
{
    server.uart = line_uart();
    request_queue_init(&server.queue, FRAME_BINARY);
    for (unsigned i = 0; i < HELLO_LOOKS && !server.has_host; i++) {
        if (i % HELLO_REPEAT == 0) {
            struct record_writer record;

            record_begin(&record, REQUEST_NAME_HELLO);
            line_answer(&record, FRAME_ANSWER, FRAME_TEXT);
        }
        stall(HELLO_LOOK_US);
        receive();
    }
    return server.has_host;
}

static void set_speed(uint16_t divisor)
{
    uart_drain(server.uart);
    uart_set_divisor(server.uart, divisor);
    request_queue_cut(&server.queue);
    server.received = server.understood = tsc_read();
}

/* Returns to the old speed if nothing intact arrives at a new one. Also leaves a speed that was
 * agreed on if its host has been silent for long: the next host knows only the speed of the run. */
static void watch_speed(void)
{
    const uint64_t silence = tsc_read() - server.understood;

    if (server.way != NULL) {
        return;
    }
    if (server.unproven && silence > RATE_CHECK_MS * server.ticks_per_ms) {
        server.unproven = false;
        set_speed(server.old_divisor);
    } else if (server.uart->divisor != server.run_divisor &&
               silence > RATE_SILENCE_MS * server.ticks_per_ms) {
        set_speed(server.run_divisor);
    }
}

static void begin_answer(struct record_writer *record, const char *to, uint32_t baud, bool ok)
{
    record_begin(record, RECORD_ANSWER);
    record_text(record, FIELD_TO, to);
    record_unsigned(record, FIELD_BAUD, baud);
    record_unsigned(record, FIELD_OK, ok ? 1 : 0);
}

static void refuse_rate(const struct request *request)
{
    struct record_writer record;

    begin_answer(&record, REQUEST_NAME_RATE, request->baud, false);
    record_text(&record, FIELD_REASON, "a network has no speed to set");
    line_answer(&record, FRAME_ANSWER, request->format);
}

static void answer_rate(const struct request *request)
{
    const uint16_t divisor = uart_divisor(server.uart, request->baud);
    const bool ok = divisor != 0 && server.uart->divisor != 0;
    struct record_writer record;

    begin_answer(&record, REQUEST_NAME_RATE, ok ? uart_rate(server.uart, divisor) : request->baud,
                 ok);
    if (!ok) {
        record_text(&record, FIELD_REASON,
                    server.uart->clock_hz == 0
                        ? "the clock of the serial port is not known"
                        : "no divisor of the port's clock comes within 3 % of this speed");
    }
    line_answer(&record, FRAME_ANSWER, request->format);
    if (ok) {
        server.old_divisor = server.uart->divisor;
        server.unproven = true;
        set_speed(divisor);
    }
}

static void answer_rate_check(const struct request *request)
{
    struct record_writer record;

    begin_answer(&record, REQUEST_NAME_RATE_CHECK, uart_rate(server.uart, server.uart->divisor),
                 true);
    line_answer(&record, FRAME_ANSWER, request->format);
}

/* Sends the next frame of a get; one at a time, so that requests that arrive meanwhile are
 * received. Returns false if there is no further frame. */
static bool answer_get(const struct request *request)
{
    const uint64_t seq = request->first + server.sent;

    return server.sent++ < request->count && seq <= UINT32_MAX &&
           line_send_again(request->stream, (uint32_t)seq, request->format);
}

/* Answers a request, or sends one frame of its answer. Returns false if the host has sent bye. */
static bool answer(const struct request *request)
{
    const struct request now = *request;

    if (now.kind == REQUEST_GET && answer_get(&now)) {
        return true;
    }
    request_queue_remove(&server.queue);
    server.sent = 0;
    if (now.kind == REQUEST_STATUS) {
        line_send_end(now.format);
    } else if ((now.kind == REQUEST_RATE || now.kind == REQUEST_RATE_CHECK) && server.way != NULL) {
        refuse_rate(&now);
    } else if (now.kind == REQUEST_RATE) {
        answer_rate(&now);
    } else if (now.kind == REQUEST_RATE_CHECK) {
        answer_rate_check(&now);
    } else if (now.kind == REQUEST_LINE_TEST) {
        line_send_pattern();
    }
    return now.kind != REQUEST_BYE;
}

/* Returns whether to go on waiting for requests. At a speed other than that of the run,
 * watch_speed() limits the time. */
static bool is_awaited(uint64_t wait)
{
    const uint64_t now = tsc_read();

    return (server.way == NULL && server.uart->divisor != server.run_divisor) ||
           (now - server.received < wait && now - server.understood < NOISE_FACTOR * wait);
}

/* Answers requests until bye or until the wait is over. Returns whether an intact request has ever
 * arrived, or true if there was no wait. */
static bool answer_all(uint64_t wait_ms)
{
    const uint64_t hz = clock_state()->verdict.hz;

    request_queue_init(&server.queue, line_format());
    server.ticks_per_ms = (hz != 0 ? hz : ASSUMED_HZ) / 1000;
    const uint64_t wait = wait_ms * server.ticks_per_ms;

    server.received = server.understood = tsc_read();
    while (is_awaited(wait)) {
        receive();
        watch_speed();
        const struct request *request = request_queue_oldest(&server.queue);

        if (request == NULL) {
            idle_loop_spin(POLL_SPIN);
            continue;
        }
        if (!answer(request)) {
            break;
        }
        server.received = server.understood = tsc_read();
    }
    return server.has_host || wait == 0;
}

bool link_serve(uint64_t wait_ms)
{
    server.uart = line_uart();
    server.way = NULL;
    if (server.uart == NULL || clock_state()->tsc_stands) {
        return true;
    }
    server.run_divisor = server.uart->divisor;
    const bool served = answer_all(wait_ms);

    if (server.uart->divisor != server.run_divisor) {
        set_speed(server.run_divisor);
    }
    return served;
}

bool link_serve_by(const struct link_way *way, uint64_t wait_ms)
{
    if (clock_state()->tsc_stands) {
        return false;
    }
    server.way = way;
    server.has_host = false;
    line_use_way(way);
    const bool served = answer_all(wait_ms);

    line_use_way(NULL);
    server.way = NULL;
    return served;
}

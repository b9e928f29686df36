/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue of a host's requests, and the plan's word for a serial port. */
#include "kernel/link/request.h"
#include "kernel/plan/port.h"
#include "tools/tests/support/unit.h"

static struct request_queue queue;

/* Number of requests that were understood. */
static unsigned send_text(const char *text, enum frame_format format)
{
    struct frame frame = {.type = FRAME_REQUEST, .length = (uint16_t)strlen(text)};
    uint8_t wire[FRAME_WIRE_MAX];
    unsigned understood = 0;

    memcpy(frame.payload, text, frame.length);
    const size_t length = frame_encode(&frame, format, wire);

    for (size_t i = 0; i < length; i++) {
        understood += request_queue_push(&queue, wire[i]);
    }
    return understood;
}

static void check_get(unsigned stream, unsigned first, unsigned count, enum frame_format format)
{
    const struct request *request = request_queue_oldest(&queue);

    CHECK(request != NULL && request->kind == REQUEST_GET);
    if (request != NULL) {
        CHECK_EQUAL(request->stream, stream);
        CHECK_EQUAL(request->first, first);
        CHECK_EQUAL(request->count, count);
        CHECK_EQUAL(request->format, format);
        request_queue_remove(&queue);
    }
}

static void test_order(void)
{
    request_queue_init(&queue, FRAME_BINARY);
    CHECK(request_queue_oldest(&queue) == NULL);
    CHECK_EQUAL(send_text("get stream=1 first=5 count=2\n", FRAME_BINARY), 1);
    CHECK_EQUAL(send_text("get stream=65535 first=0 count=4294967295 format=text\n", FRAME_TEXT),
                1);
    CHECK_EQUAL(send_text("get stream=1 first=5 count=2\n", FRAME_BINARY), 1); /* waits already */
    CHECK_EQUAL(send_text("get stream=1 first=5 count=3\n", FRAME_BINARY), 1);
    CHECK_EQUAL(send_text("rate baud=921600\n", FRAME_BINARY), 1);
    CHECK_EQUAL(queue.count, 4);
    check_get(1, 5, 2, FRAME_BINARY);
    CHECK_EQUAL(send_text("get stream=1 first=5 count=2\n", FRAME_BINARY), 1);
    check_get(65535, 0, UINT32_MAX, FRAME_TEXT);
    check_get(1, 5, 3, FRAME_BINARY);
    CHECK_EQUAL(request_queue_oldest(&queue)->kind, REQUEST_RATE);
    CHECK_EQUAL(request_queue_oldest(&queue)->baud, 921600);
    request_queue_remove(&queue);
    check_get(1, 5, 2, FRAME_BINARY);
    CHECK(request_queue_oldest(&queue) == NULL);
}

static void test_bye(void)
{
    request_queue_init(&queue, FRAME_TEXT);
    send_text("get stream=1 first=5 count=2 format=binary\n", FRAME_BINARY);
    send_text("status_request\n", FRAME_BINARY);
    send_text("bye\n", FRAME_BINARY);
    CHECK_EQUAL(queue.count, 1);
    CHECK_EQUAL(request_queue_oldest(&queue)->kind, REQUEST_BYE);
    CHECK_EQUAL(request_queue_oldest(&queue)->format, FRAME_TEXT);
}

/* A malformed request is dropped, and no other with it. */
static void test_damage(void)
{
    static const char *const bad[] = {
        "get stream=65536 first=0 count=1\n",
        "get stream=1 first=4294967296 count=1\n",
        "get stream=1 first=0\n",
        "get stream=-1 first=0 count=1\n",
        "rate\n",
        "rate baud=4294967296\n",
        "gets stream=1 first=0 count=1\n",
        "bye",
        "\n",
        "",
    };

    request_queue_init(&queue, FRAME_BINARY);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_EQUAL(send_text(bad[i], FRAME_BINARY), 0);
    }
    for (const char *at = "a person types, \001 and a modem too\n"; *at != '\0'; at++) {
        CHECK(!request_queue_push(&queue, (uint8_t)*at));
    }
    CHECK_EQUAL(send_text("status_request\n", FRAME_BINARY), 1);
    request_queue_push(&queue, 'x');
    request_queue_cut(&queue);
    CHECK_EQUAL(send_text("rate_check\n", FRAME_BINARY), 1);
    CHECK_EQUAL(send_text("hello\n", FRAME_TEXT), 1);
    CHECK_EQUAL(queue.count, 3);
}

/* More than there is room for: the oldest are kept, in order, again and again. */
static void test_full(void)
{
    char text[64];

    request_queue_init(&queue, FRAME_BINARY);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < REQUESTS_MAX + 10; i++) {
            snprintf(text, sizeof(text), "get stream=1 first=%u count=1\n", i);
            send_text(text, FRAME_BINARY);
        }
        CHECK_EQUAL(queue.count, REQUESTS_MAX);
        for (unsigned i = 0; i < REQUESTS_MAX - 1; i++) {
            check_get(1, i, 1, FRAME_BINARY);
        }
        send_text("bye\n", FRAME_BINARY);
        CHECK_EQUAL(queue.count, 1);
        request_queue_remove(&queue);
    }
}

static void test_ports(void)
{
    static const char *const bad[] = {
        "",
        "com2",
        "io:",
        "io:0",
        "io:0x10000",
        "io:0x2f8,stride=4",
        "io:0x2f8,clock=0",
        "io:0x2f8,",
        "mmio:0",
        "mmio:0x10000000000000",
        "mmio:0xfe030000,stride=3",
        "mmio:0xfe030000,width=8",
        "mmio:0xfe030000,stride=2,width=4",
        "mmio:0xfe030002,width=4",
        "mmio:0xfe030000,clock=2000000000",
        "mmio:0xfe030000,speed=4",
        "mmio:0xfe030000000000000000000000000",
        "stride=4,mmio:0xfe030000",
        "auto,clock=1",
    };
    struct port_setting port;

    CHECK(port_setting_parse("auto", &port) && port.automatic);
    CHECK(port_setting_parse("io:0x2f8", &port));
    CHECK(!port.automatic && port.io && port.base == 0x2f8 && port.clock_hz == 0);
    CHECK(port.stride == 1 && port.width == 1);
    CHECK(port_setting_parse("mmio:0x91c0000000,stride=4,width=4,clock=48000000", &port));
    CHECK(!port.io && port.base == 0x91c0000000 && port.clock_hz == 48000000);
    CHECK(port.stride == 4 && port.width == 4);
    CHECK(port_setting_parse("mmio:4261609472,width=4", &port) && port.stride == 4);
    CHECK(port_setting_parse("mmio:4261609472,stride=8", &port) && port.width == 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!port_setting_parse(bad[i], &port));
        CHECK(port.automatic);
    }
}

int main(void)
{
    RUN(test_order());
    RUN(test_bye());
    RUN(test_damage());
    RUN(test_full());
    RUN(test_ports());
    return unit_finish("unit_request");
}

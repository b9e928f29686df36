/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what the image receives on its line. An odd first byte: the rest is content of frames
 * (fuzz_frames.h), which are requests; else any bytes. And the bytes as a plan's port.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/link/request.h"
#include "kernel/plan/port.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct request_queue queue;

static void receive(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        request_queue_push(&queue, bytes[i]);
        demand(queue.count <= REQUESTS_MAX);
    }
}

static void receive_requests(const uint8_t *data, size_t size)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];
    size_t taken;

    while ((taken = fuzz_frame_take(&frame, data, size)) > 0) {
        const enum frame_format format = frame.type % 2 == 0 ? FRAME_BINARY : FRAME_TEXT;

        frame.type = FRAME_REQUEST;
        receive(wire, frame_encode(&frame, format, wire));
        data += taken;
        size -= taken;
    }
}

static void try_port(const uint8_t *data, size_t size)
{
    struct port_setting port;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    if (port_setting_parse(text, &port) && !port.automatic && !port.io) {
        demand(port.width <= 4 && port.stride <= 8 && port.stride >= port.width);
    } else if (!port.io) {
        demand(port.automatic);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t waiting = 0;

    request_queue_init(&queue, FRAME_BINARY);
    if (size > 0 && data[0] % 2 == 1) {
        receive_requests(data + 1, size - 1);
    } else {
        receive(data, size);
    }
    for (; request_queue_oldest(&queue) != NULL; waiting++) {
        request_queue_remove(&queue);
    }
    demand(waiting <= REQUESTS_MAX);
    try_port(data, size);
    return 0;
}

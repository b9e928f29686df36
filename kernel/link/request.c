/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/request.h"

#include <string.h>

#include "kernel/link/names.h"
#include "kernel/link/record.h"

void request_queue_init(struct request_queue *queue, enum frame_format format)
{
    memset(queue, 0, sizeof(*queue));
    queue->format = format;
}

static bool parse_get(const struct record *record, struct request *request)
{
    uint64_t stream;
    uint64_t first;
    uint64_t count;

    if (!record_value_up_to(record, FIELD_STREAM, UINT16_MAX, &stream) ||
        !record_value_up_to(record, FIELD_FIRST, UINT32_MAX, &first) ||
        !record_value_up_to(record, FIELD_COUNT, UINT32_MAX, &count)) {
        return false;
    }
    request->stream = (uint16_t)stream;
    request->first = (uint32_t)first;
    request->count = (uint32_t)count;
    return true;
}

static bool parse_rate(const struct record *record, struct request *request)
{
    uint64_t baud;

    if (!record_value_up_to(record, FIELD_BAUD, UINT32_MAX, &baud)) {
        return false;
    }
    request->baud = (uint32_t)baud;
    return true;
}

static bool parse_kind(const struct record *record, struct request *request)
{
    static const struct {
        const char *name;
        enum request_kind kind;
    } kinds[] = {
        {REQUEST_NAME_GET, REQUEST_GET},
        {REQUEST_NAME_STATUS, REQUEST_STATUS},
        {REQUEST_NAME_RATE, REQUEST_RATE},
        {REQUEST_NAME_RATE_CHECK, REQUEST_RATE_CHECK},
        {REQUEST_NAME_LINE_TEST, REQUEST_LINE_TEST},
        {REQUEST_NAME_BYE, REQUEST_BYE},
        {REQUEST_NAME_HELLO, REQUEST_HELLO},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(record->name, kinds[i].name) == 0) {
            request->kind = kinds[i].kind;
            return (request->kind != REQUEST_GET || parse_get(record, request)) &&
                   (request->kind != REQUEST_RATE || parse_rate(record, request));
        }
    }
    return false;
}

static bool parse(struct frame *frame, enum frame_format format, struct request *request)
{
    struct record record;

    if (frame->type != FRAME_REQUEST || frame->length == 0 || frame->length == FRAME_PAYLOAD_MAX ||
        frame->payload[frame->length - 1] != '\n' ||
        !record_parse((char *)frame->payload, frame->length - 1u, &record)) {
        return false;
    }
    const char *wanted = record_value(&record, FIELD_FORMAT);

    *request = (struct request){.format = format};
    if (wanted != NULL) {
        request->format = strcmp(wanted, FORMAT_TEXT) == 0 ? FRAME_TEXT : FRAME_BINARY;
    }
    return parse_kind(&record, request);
}

static bool is_same(const struct request *a, const struct request *b)
{
    return a->kind == REQUEST_GET && b->kind == REQUEST_GET && a->stream == b->stream &&
           a->first == b->first && a->count == b->count;
}

static void add(struct request_queue *queue, const struct request *request)
{
    if (request->kind == REQUEST_BYE) {
        queue->count = 0;
    }
    for (size_t i = 0; i < queue->count; i++) {
        if (is_same(&queue->waiting[(queue->first + i) % REQUESTS_MAX], request)) {
            return;
        }
    }
    if (queue->count < REQUESTS_MAX) {
        queue->waiting[(queue->first + queue->count++) % REQUESTS_MAX] = *request;
    }
}

bool request_queue_push(struct request_queue *queue, uint8_t byte)
{
    struct request request;

    if (frame_reader_push(&queue->reader, byte, &queue->frame) != FRAME_READER_FRAME ||
        !parse(&queue->frame, queue->format, &request)) {
        return false;
    }
    add(queue, &request);
    return true;
}

void request_queue_cut(struct request_queue *queue)
{
    frame_reader_init(&queue->reader);
}

const struct request *request_queue_oldest(const struct request_queue *queue)
{
    return queue->count > 0 ? &queue->waiting[queue->first] : NULL;
}

void request_queue_remove(struct request_queue *queue)
{
    queue->first = (queue->first + 1) % REQUESTS_MAX;
    queue->count--;
}

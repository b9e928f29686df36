/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/coded.h"

#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/plan/bytes.h"

bool coded_type(uint8_t type)
{
    return type == FRAME_META || type == FRAME_SERIES || type == FRAME_TRACE;
}

uint32_t coded_tag(const char *run)
{
    return crc32c(0, run, strlen(run));
}

void coded_put_tag(uint8_t *payload, uint32_t tag)
{
    bytes_put(payload, tag, CODED_TAG_BYTES);
}

bool coded_get_tag(const struct frame *frame, uint32_t *tag)
{
    const bool is_whole = frame->length >= CODED_TAG_BYTES;

    *tag = is_whole ? (uint32_t)bytes_get(frame->payload, CODED_TAG_BYTES) : 0;
    return is_whole;
}

uint32_t coded_batch_crc(uint32_t crc, uint32_t series)
{
    uint8_t bytes[CODED_TAG_BYTES];

    coded_put_tag(bytes, series); /* CODED_TAG_BYTES little-endian bytes, the same form as a tag */
    return crc32c(crc, bytes, sizeof(bytes));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/coded.h"

#include <string.h>

#include "kernel/link/encoding.h"

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
    for (unsigned i = 0; i < CODED_TAG_BYTES; i++) {
        payload[i] = (uint8_t)(tag >> (8 * i));
    }
}

bool coded_get_tag(const struct frame *frame, uint32_t *tag)
{
    *tag = 0;
    for (unsigned i = 0; i < CODED_TAG_BYTES && frame->length >= CODED_TAG_BYTES; i++) {
        *tag |= (uint32_t)frame->payload[i] << (8 * i);
    }
    return frame->length >= CODED_TAG_BYTES;
}

uint32_t coded_batch_crc(uint32_t crc, uint32_t series)
{
    uint8_t bytes[CODED_TAG_BYTES];

    coded_put_tag(bytes, series); /* little endian as well */
    return crc32c(crc, bytes, sizeof(bytes));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: codes read from a screen. Four bytes at the start of each: its number (2), by how much
 * its length is wrong, and what byte of its header is replaced by the fourth. The first two bytes
 * of all are the length of the log.
 */
#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/link/screen_blocks.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct screen_gather gather;
static uint8_t text[1 << 16];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct screen_log log;
    uint8_t code[SCREEN_CODE_MAX + 256];

    memset(code, 0, sizeof(code));
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (uint8_t)(i * i >> 5);
    }
    gather.length = 0;
    if (!screen_log_open(&log, text, take_many(&bytes, 2) & 0x3fff)) {
        return 0;
    }
    while (bytes.left > 0) {
        size_t length = screen_log_code(&log, (uint32_t)take_many(&bytes, 2), code);
        const uint8_t longer = take(&bytes);
        const uint8_t where = take(&bytes);
        const uint32_t known = gather.length > 0 ? gather.known : 0;

        length = longer < 0xc0 ? length + longer : length - (longer & 0x3f) % length;
        if (where < SCREEN_HEADER) {
            code[where] = take(&bytes);
        }
        const enum screen_read read = screen_gather_add(&gather, code, length);

        demand(read != SCREEN_NEW || gather.known == known + 1);
        demand(gather.known <= gather.blocks && gather.length <= sizeof(gather.data));
        demand(screen_read_text(read) != NULL);
        if (screen_gather_complete(&gather)) {
            demand(crc32c(0, gather.data, gather.length) == gather.crc);
        }
    }
    return 0;
}

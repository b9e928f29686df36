/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gatherer of codes (kernel/link/screen_blocks.h) as camera.wasm, for camera_worker.js: it
 * writes the bytes of a code to camera_code(), then calls camera_add().
 */
#include "kernel/link/screen_blocks.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct screen_gather gather;
static uint8_t code[SCREEN_CODE_MAX];

/* Returns where a code of `length` bytes belongs, or NULL if it is longer than any code of tare. */
uint8_t *EXPORT(camera_code)(size_t length);
/* Takes the code; returns whether the log is complete. */
bool EXPORT(camera_add)(size_t length);
/* Returns what became of the last code: its value in enum screen_read, and as text. */
int EXPORT(camera_result)(void);
const char *EXPORT(camera_text)(void);
/* Returns the number of independent codes so far, and how many a log needs; 0 before the first
 * code. */
uint32_t EXPORT(camera_known)(void);
uint32_t EXPORT(camera_blocks)(void);
/* Return the complete log. */
const uint8_t *EXPORT(camera_log)(void);
uint32_t EXPORT(camera_length)(void);

static enum screen_read result;

uint8_t *camera_code(size_t length)
{
    result = SCREEN_FOREIGN;
    return length <= sizeof(code) ? code : NULL;
}

bool camera_add(size_t length)
{
    result = screen_gather_add(&gather, code, length);
    return screen_gather_complete(&gather);
}

int camera_result(void)
{
    return (int)result;
}

const char *camera_text(void)
{
    return screen_read_text(result);
}

uint32_t camera_known(void)
{
    return gather.known;
}

uint32_t camera_blocks(void)
{
    return gather.blocks;
}

const uint8_t *camera_log(void)
{
    return gather.data;
}

uint32_t camera_length(void)
{
    return gather.length;
}

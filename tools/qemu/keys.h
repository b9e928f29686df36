/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types and clicks a script (kernel/input/script.h) in QEMU whenever a bench of the image is ready
 * (record `input state=ready`, kernel/link/record.h). Each bench gets the whole script.
 *
 * Times are absolute, by the host's monotonic clock, and count from the moment that the record is
 * seen: an event that is late does not delay those after it. Events that are due at once are sent
 * KEYS_SPACING_US apart, the pace of a PS/2 connection (11 bits a byte at about 12 kHz, 2 bytes an
 * event). QEMU's keyboard and mouse each hold 16 bytes that the guest has not taken yet
 * (hw/input/ps2.c), and lose any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/script.h"
#include "kernel/link/record.h"
#include "tools/base/progress.h"
#include "tools/qemu/qmp.h"

#define KEYS_ERROR_MAX QMP_ERROR_MAX

#define KEYS_SPACING_US 2000

struct keys_script {
    char *text;
    struct script_event *events; /* `count` events */
    size_t count;
};

/* Reads the script. `argument` is its text, or @FILE. Returns false with a line in `error` on
 * failure. */
bool keys_read(struct keys_script *script, const char *argument, char error[KEYS_ERROR_MAX]);
void keys_free(struct keys_script *script);
/* Returns the length of the script. */
uint64_t keys_length_ms(const struct keys_script *script);

struct keys {
    const struct keys_script *script;
    struct progress *progress;
    struct qmp qmp;
    bool connected;
    bool typing;
    uint64_t begin_us;
    uint64_t typed_us;          /* when the last event was sent */
    size_t next;                /* next event to type */
    uint64_t late_us;           /* largest delay so far */
    unsigned rounds;            /* rounds begun */
    char error[KEYS_ERROR_MAX]; /* why typing ended; empty: no error */
};

/* Connects to QEMU, whose events go to `events`. Without a script (NULL) nothing is typed. Returns
 * false, with the reason in keys->error, on failure. */
bool keys_begin(struct keys *keys, const struct keys_script *script, struct progress *progress,
                const char *socket, const struct qmp_wait *wait, const struct qmp_events *events);
void keys_end(struct keys *keys);

/* Looks for the record that begins a round. */
void keys_on_record(struct keys *keys, const struct record *record);
/* Types what is due. Returns the time until there is more to do, in ms, at most KEYS_IDLE_MS. */
#define KEYS_IDLE_MS 50
unsigned keys_attend(struct keys *keys);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types and clicks a script (kernel/input/script.h) in QEMU, each time that a bench of the image
 * is ready (record `input state=ready`, kernel/link/record.h): each gets the whole
 * script.
 *
 * Times are absolute, by the host's monotonic clock from the moment that the record is seen: what
 * comes late does not shift what follows. What is due at once goes out KEYS_SPACING_US apart, which
 * is the pace of a PS/2 wire (11 bits a byte at some 12 kHz, 2 bytes an event): QEMU's keyboard and
 * mouse each hold 16 bytes that the guest has not taken yet (hw/input/ps2.c), and lose the rest.
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
    struct script_event *events; /* `count` of them */
    size_t count;
};

/* `argument` is the script itself, or @FILE. False: `error` holds a line. */
bool keys_read(struct keys_script *script, const char *argument, char error[KEYS_ERROR_MAX]);
void keys_free(struct keys_script *script);
/* How long the script is. */
uint64_t keys_length_ms(const struct keys_script *script);

struct keys {
    const struct keys_script *script;
    struct progress *progress;
    struct qmp qmp;
    bool connected;
    bool typing;
    uint64_t begin_us;
    uint64_t typed_us;          /* when the last event went out */
    size_t next;                /* event that is not typed yet */
    uint64_t late_us;           /* the most so far */
    unsigned rounds;            /* that were begun */
    char error[KEYS_ERROR_MAX]; /* empty: all is well. It is the end of typing */
};

/* Connects to QEMU, whose events `events` gets. Without a script (NULL)
 * nothing is typed. False: error gives the reason. */
bool keys_begin(struct keys *keys, const struct keys_script *script, struct progress *progress,
                const char *socket, const struct qmp_wait *wait, const struct qmp_events *events);
void keys_end(struct keys *keys);

/* Looks for the record that begins a round. */
void keys_on_record(struct keys *keys, const struct record *record);
/* Types what is due; returns in how many ms there is more to do, KEYS_IDLE_MS at most. */
#define KEYS_IDLE_MS 50
unsigned keys_attend(struct keys *keys);

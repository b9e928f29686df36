/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verification of a run's seal (kernel/link/seal.h) after the run has been assembled.
 */
#pragma once

#include <stdbool.h>

#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "kernel/link/seal.h"
#include "tools/base/sha256.h"
#include "tools/wire/assembly.h"

/* What END states about the seal. */
struct seal_claim {
    char seal[SEAL_TEXT]; /* "": END has no seal */
    char fingerprint[SEAL_TEXT];
    char end[FRAME_PAYLOAD_MAX + 1]; /* the record up to the blank before the seal */
};

/* Reads END: its text, and the record parsed from a copy of it. */
void seal_claim_read(struct seal_claim *claim, const char *text, const struct record *record);

/* Verifies the seal of an assembled run. `claim` NULL: END has not arrived. `meta` is the hash of
 * the text of all META frames, or NULL if one is missing; `joined`: the bytes come from several
 * logs. Adds fingerprint, seal and its state to run->info, and a loss if the seal is wrong. Returns
 * whether the seal was verified. */
bool seal_check(const struct seal_claim *claim, const struct assembly *assembly, const char *meta,
                bool joined);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the image in QEMU once, from start to end.
 *
 * The serial line must never make the guest wait, otherwise a slow reader would show in the guest's
 * time. QEMU therefore writes to a regular file, the log itself, which is followed as it grows.
 * Requests go through a FIFO that QEMU opens for reading and writing, so that neither side waits
 * for the other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/progress.h"
#include "tools/qemu/keys.h"
#include "tools/qemu/qemu.h"
#include "tools/wire/decoder.h"
#include "tools/wire/session.h"

#define GUEST_MESSAGES_MAX 4096

struct guest_run {
    const struct qemu_machine *machine;
    const char *plan;    /* text of the plan */
    const char *log;     /* path of an empty file */
    uint64_t timeout_ms; /* 0: none */
    /* text at which to stop, as soon as QEMU prints it; NULL: none */
    const char *give_up;
    const struct keys_script *script; /* typed for benches that wait for input; NULL: none */
    const char *rows;                 /* file that the machine's plugin, if it has one, writes */
    /* may resume from a snapshot if the log is the same (snapshot.h) */
    bool resumes;
};

struct guest_result {
    enum session_end end;
    int status;                        /* exit status from waitpid() */
    unsigned typed;                    /* number of benches for which the script was typed */
    char typing_error[KEYS_ERROR_MAX]; /* why the script was not typed to its end; empty: it was */
    char messages[GUEST_MESSAGES_MAX]; /* end of what QEMU printed */
};

/* Runs the image. Returns false, with one line in `error`, only if QEMU was not even started. */
bool guest_run(const struct guest_run *run, struct decoder *decoder, struct progress *progress,
               struct guest_result *result, char error[QEMU_ERROR_MAX]);

/* Runs the image once with nothing to measure, without a progress display, and drops the log.
 * Returns as guest_run() does. */
bool guest_run_idle(const struct qemu_machine *machine, uint64_t timeout_ms, const char *give_up,
                    struct decoder *decoder, struct guest_result *result,
                    char error[QEMU_ERROR_MAX]);

/*
 * Whether KVM can be used. Guests may die although /dev/kvm opens, as with nested virtualisation.
 * Each command that may use KVM therefore first boots the image once with nothing to measure, which
 * takes about a second.
 */

#define KVM_REASON_MAX 512

/* Tries KVM with the program, firmware and image of `machine`. Returns false with the reason if
 * guests do not run to their end. */
bool kvm_usable(const struct qemu_machine *machine, struct progress *progress,
                char reason[KVM_REASON_MAX]);

/*
 * What a run cannot know about itself: the emulator in which it ran, and which image and firmware
 * (listed in tools/store/README.md).
 */

/* Notes these for the run that the decoder will make; leaves out what cannot be read. Returns false
 * if the emulator does not state its version. */
bool surroundings_note(struct decoder *decoder, const struct qemu_machine *machine);

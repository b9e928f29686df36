/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of the image in QEMU, from start to end.
 *
 * The line must never make the guest wait, or a slow reader would show in the guest's time. QEMU
 * therefore writes a regular file, the log itself, which is followed as it grows; requests go
 * through a FIFO that QEMU opens for reading and writing, so that neither side waits for the other.
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
    const char *plan;                 /* text */
    const char *log;                  /* an empty file */
    uint64_t timeout_ms;              /* 0: none */
    const char *give_up;              /* stop as soon as QEMU prints this; NULL: never */
    const struct keys_script *script; /* to be typed for benches that wait for it; NULL: none */
    const char *rows;                 /* what the machine's plugin, if any, is to write */
    bool resumes;                     /* from a snapshot, where the log is the same (snapshot.h) */
};

struct guest_result {
    enum session_end end;
    int status;                        /* of waitpid() */
    unsigned typed;                    /* benches that the script was typed for */
    char typing_error[KEYS_ERROR_MAX]; /* why it was not typed to the end; empty: it was */
    char messages[GUEST_MESSAGES_MAX]; /* the end of what QEMU printed */
};

/* False if QEMU was not even started; `error` then holds one line. */
bool guest_run(const struct guest_run *run, struct decoder *decoder, struct progress *progress,
               struct guest_result *result, char error[QEMU_ERROR_MAX]);

/* One run with nothing to measure and without a word of progress, whose log goes. As guest_run().
 */
bool guest_run_idle(const struct qemu_machine *machine, uint64_t timeout_ms, const char *give_up,
                    struct decoder *decoder, struct guest_result *result,
                    char error[QEMU_ERROR_MAX]);

/*
 * Is KVM of use here? /dev/kvm may open and guests die all the same (nested virtualisation does
 * that), so each command that may use it boots the image once, with nothing to measure: about a
 * second.
 */

#define KVM_REASON_MAX 512

/* Tries the program, firmware and image of `machine`. Returns false with the reason if guests do
 * not run to their end. */
bool kvm_usable(const struct qemu_machine *machine, struct progress *progress,
                char reason[KVM_REASON_MAX]);

/*
 * What a run cannot know of itself: the emulator that it ran in, and which image and firmware.
 * tools/store/README.md lists it.
 */

/* Notes them for the run that the decoder will make. What cannot be read is left out. Returns
 * false if the emulator does not state its version. */
bool surroundings_note(struct decoder *decoder, const struct qemu_machine *machine);

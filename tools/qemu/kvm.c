/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/plan/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/qemu/guest.h"

#define TRIAL_MS         20000
#define TRIAL_MEMORY_MIB 256

static const char device[] = "/dev/kvm";
static const char trial_plan[] = KEY_BENCH "=" PLAN_BENCH_NONE " " KEY_LINK_SERVE "=1\n";
static const char dead_guest[] = "KVM internal error";

/* Boots the image under KVM with nothing to measure. False with the reason, which stays as it is
 * where nothing was booted. */
static bool boot_trial(const struct qemu_machine *machine, const struct temporary *folder,
                       char reason[KVM_REASON_MAX])
{
    /* Nothing of what the user may have got wrong: that is the boot's to report. */
    const struct qemu_machine trial = {
        .program = machine->program,
        .firmware = machine->firmware,
        .variables = machine->variables,
        .image = machine->image,
        .time = QEMU_KVM,
        .type = "q35",
        .processors = 1,
        .memory_mib = TRIAL_MEMORY_MIB,
    };
    struct progress silent = {.quiet = true};
    struct guest_result result;
    struct guest_run run = {
        .machine = &trial, .plan = trial_plan, .timeout_ms = TRIAL_MS, .give_up = dead_guest};
    char log[TEMPORARY_PATH_MAX];
    char error[QEMU_ERROR_MAX];

    temporary_name(folder, "log", log);
    run.log = log;
    struct decoder *decoder = decoder_create();
    const bool ran =
        temporary_write(folder, "log", "") && guest_run(&run, decoder, &silent, &result, error);
    const bool ended = decoder_ended(decoder);

    decoder_destroy(decoder);
    if (!ran || (!ended && interrupt_seen())) {
        return false;
    }
    if (ended) {
        return true;
    }
    if (strstr(result.messages, dead_guest) != NULL) {
        snprintf(reason, KVM_REASON_MAX, "a trial boot ended with a %s", dead_guest);
    } else if (result.end == SESSION_TIMED_OUT) {
        snprintf(reason, KVM_REASON_MAX, "a trial boot did not end within %d s", TRIAL_MS / 1000);
    } else {
        snprintf(reason, KVM_REASON_MAX, "a trial boot failed: %.*s",
                 (int)strcspn(result.messages, "\n"), result.messages);
    }
    return false;
}

bool kvm_usable(const struct qemu_machine *machine, struct progress *progress,
                char reason[KVM_REASON_MAX])
{
    struct temporary folder = {""};
    const int opened = open(device, O_RDWR | O_CLOEXEC);

    if (opened < 0) {
        snprintf(reason, KVM_REASON_MAX, "%s: %s", device, strerror(errno));
        return false;
    }
    close(opened);
    progress_live(progress, "trying KVM...");
    snprintf(reason, KVM_REASON_MAX, "the trial boot did not take place");
    const bool usable = temporary_create(&folder) && boot_trial(machine, &folder, reason);

    temporary_remove(&folder);
    return usable;
}

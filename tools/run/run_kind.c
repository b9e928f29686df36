/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/run_kind.h"

#include <stdio.h>
#include <string.h>

#include "kernel/names.h"

static const char *real_kind(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *hypervisor = run_pair_value(&run->info, INFO_HYPERVISOR);
    const char *environment = run_pair_value(&run->machine, "environment");

    if (environment != NULL && strncmp(environment, "Linux", 5) == 0) {
        return "real time, of a program on Linux: TSC of the processor, including interruptions by "
               "the system";
    }
    if (hypervisor == NULL) {
        return "real time: TSC of the processor, no hypervisor detected";
    }
    if (strncmp(hypervisor, "TCG", 3) == 0) {
        return "real time, emulated by TCG: measures the emulator, not a processor";
    }
    if (strncmp(hypervisor, "KVM", 3) == 0) {
        return "real time under KVM: TSC of the processor, including interruptions by the host";
    }
    snprintf(text, RUN_KIND_MAX, "real time under hypervisor \"%s\"", hypervisor);
    return text;
}

bool run_is_simulated(const struct run *run)
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);

    return kind != NULL && strcmp(kind, TIME_MODEL) == 0;
}

const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);
    const char *ticks = run_pair_value(&run->info, INFO_TICKS_PER_INSTRUCTION);

    if (kind == NULL) {
        return "kind of time unknown";
    }
    if (strcmp(kind, TIME_REAL) == 0) {
        return real_kind(run, text);
    }
    if (run_is_simulated(run)) {
        return "simulated time of a model, not of a machine; the model gives the length of its "
               "unit, and ticks are ns";
    }
    if (strcmp(kind, TIME_EXACT) != 0) {
        snprintf(text, RUN_KIND_MAX, "time of kind \"%s\", unknown to this version of tare", kind);
        return text;
    }
    snprintf(text, RUN_KIND_MAX,
             "exact time: the TSC counts instructions%s%s%s; ms, us and ns below are virtual time, "
             "not what a processor would take",
             ticks != NULL ? ", " : "", ticks != NULL ? ticks : "",
             ticks != NULL ? " ticks each" : "");
    return text;
}

/* "own" or "borrow" (kernel/base/handoff.h); NULL: unknown. */
static const char *run_ownership(const struct run *run)
{
    return run_pair_value(&run->info, "ownership");
}

const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *ownership = run_ownership(run);

    if (ownership == NULL) {
        return NULL;
    }
    if (strcmp(ownership, MACHINE_OWN) == 0) {
        return "own: firmware had ended before the benches ran";
    }
    if (strcmp(ownership, MACHINE_BORROW) == 0) {
        return "borrowed: firmware stayed; its interrupts and timers waited while a bench ran, but "
               "its devices (DMA of USB controllers) kept working";
    }
    snprintf(text, RUN_KIND_MAX, "\"%.100s\", unknown to this version of tare", ownership);
    return text;
}

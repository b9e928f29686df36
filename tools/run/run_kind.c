/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/run_kind.h"

#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/link/names.h"
#include "tools/base/texts.h"

static const char *const time_names[RUN_TIMES] = {
    [RUN_TIME_EXACT] = TIME_EXACT,       [RUN_TIME_EXACT_SHARED] = TIME_EXACT_SHARED,
    [RUN_TIME_EMULATED] = TIME_EMULATED, [RUN_TIME_REAL] = TIME_REAL,
    [RUN_TIME_MODEL] = TIME_MODEL,
};

#define HYPERVISOR(signature, name)                                                               \
    {                                                                                             \
        signature, name, "real time, under " name, "real time, as a program on Linux under " name \
    }

/* Hypervisors by the signature of their CPUID leaf. Each has texts for real time that name it. The
 * last entry stands for any other hypervisor. */
static const struct hypervisor {
    const char *signature;
    const char *name;
    const char *label;       /* name of this time base in messages, for a run of the image */
    const char *label_linux; /* the same for a run as a program on Linux */
} hypervisors[] = {
    HYPERVISOR("KVMKVMKVM", "KVM"),
    HYPERVISOR("Linux KVM Hv", "KVM"),
    HYPERVISOR("Microsoft Hv", "Hyper-V"),
    HYPERVISOR("VMwareVMware", "VMware"),
    HYPERVISOR("XenVMMXenVMM", "Xen"),
    HYPERVISOR("VBoxVBoxVBox", "VirtualBox"),
    HYPERVISOR("bhyve bhyve ", "bhyve"),
    {NULL, NULL, "real time, under a hypervisor",
     "real time, as a program on Linux under a hypervisor"},
};

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* Returns the hypervisor, or NULL if CPUID shows none. */
static const struct hypervisor *find_hypervisor(const struct run *run)
{
    const char *signature = run_pair_value(&run->info, INFO_HYPERVISOR);
    const struct hypervisor *at = hypervisors;

    if (signature == NULL) {
        return NULL;
    }
    while (at->signature != NULL && strcmp(at->signature, signature) != 0) {
        at++;
    }
    return at;
}

static bool is_program_on_linux(const struct run *run)
{
    const char *environment = run_pair_value(&run->machine, "environment");

    return environment != NULL && strncmp(environment, "Linux", 5) == 0;
}

/* Returns the emulator, "TCG" or "Bochs", or NULL if none is known. A newer image reports it; for
 * an older one the CPUID names decide. */
static const char *emulator_of(const struct run *run)
{
    const char *reported = run_pair_value(&run->machine, FACT_EMULATOR);

    return reported != NULL
               ? reported
               : cpu_emulator(text_or_empty(run_pair_value(&run->info, INFO_HYPERVISOR)),
                              text_or_empty(run_pair_value(&run->machine, FACT_CPU_BRAND)));
}

enum run_time run_time(const struct run *run)
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);

    for (enum run_time time = RUN_TIME_EXACT; kind != NULL && time < RUN_TIMES; time++) {
        if (strcmp(kind, time_names[time]) == 0) {
            return time == RUN_TIME_REAL && emulator_of(run) != NULL ? RUN_TIME_EMULATED : time;
        }
    }
    return RUN_TIME_UNKNOWN;
}

bool run_time_read(const char *name, enum run_time *time)
{
    for (enum run_time at = RUN_TIME_EXACT; at < RUN_TIMES; at++) {
        if (strcmp(name, time_names[at]) == 0) {
            *time = at;
            return true;
        }
    }
    return false;
}

const char *run_time_text(enum run_time time)
{
    return time_names[time];
}

const char *run_time_name(const struct run *run)
{
    const enum run_time time = run_time(run);

    return time != RUN_TIME_UNKNOWN ? time_names[time] : run_pair_value(&run->info, INFO_KIND);
}

bool run_is_exact(const struct run *run)
{
    return run_time(run) == RUN_TIME_EXACT;
}

bool run_counts_instructions(const struct run *run)
{
    return run_is_exact(run) || run_time(run) == RUN_TIME_EXACT_SHARED;
}

bool run_is_simulated(const struct run *run)
{
    return run_time(run) == RUN_TIME_MODEL;
}

static const char *real_label(const struct run *run)
{
    const struct hypervisor *hypervisor = find_hypervisor(run);

    if (is_program_on_linux(run)) {
        return hypervisor != NULL ? hypervisor->label_linux : "real time, as a program on Linux";
    }
    return hypervisor != NULL ? hypervisor->label : "real time";
}

const char *run_time_label(const struct run *run)
{
    switch (run_time(run)) {
    case RUN_TIME_EXACT:
        return "exact time, in instructions";
    case RUN_TIME_EXACT_SHARED:
        return "exact time, shared, in instructions";
    case RUN_TIME_EMULATED:
        return "emulated time: measures the emulator, not a processor";
    case RUN_TIME_REAL:
        return real_label(run);
    case RUN_TIME_MODEL:
        return "simulated time of a model";
    default:
        return "time base unknown";
    }
}

static const char *real_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const struct hypervisor *hypervisor = find_hypervisor(run);
    const bool on_linux = is_program_on_linux(run);
    char under[RUN_KIND_MAX / 2] = "";

    if (hypervisor == NULL && !on_linux) {
        return "real time: TSC of the processor, no hypervisor detected";
    }
    if (hypervisor != NULL && hypervisor->name != NULL) {
        snprintf(under, sizeof(under), " under %s", hypervisor->name);
    } else if (hypervisor != NULL) {
        snprintf(under, sizeof(under), " under hypervisor \"%.60s\"",
                 run_pair_value(&run->info, INFO_HYPERVISOR));
    }
    snprintf(text, RUN_KIND_MAX,
             on_linux ? "real time, of a program on Linux%s: TSC of the processor, including "
                        "interruptions by the system"
                      : "real time,%s: TSC of the processor, including interruptions by the host",
             under);
    return text;
}

static const char *exact_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *ticks = run_pair_value(&run->info, INFO_TICKS_PER_INSTRUCTION);

    snprintf(text, RUN_KIND_MAX,
             "%s: the TSC counts instructions%s%s%s%s; ms, us and ns below are virtual time, not "
             "what a processor would take",
             run_is_exact(run) ? "exact time" : "exact time, shared",
             run_is_exact(run)          ? ""
             : is_program_on_linux(run) ? ", those of Linux included"
                                        : ", those of the hypervisor included",
             ticks != NULL ? ", " : "", text_or_empty(ticks), ticks != NULL ? " ticks each" : "");
    return text;
}

const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);

    switch (run_time(run)) {
    case RUN_TIME_EXACT:
    case RUN_TIME_EXACT_SHARED:
        return exact_text(run, text);
    case RUN_TIME_EMULATED:
        snprintf(text, RUN_KIND_MAX, "emulated time%s%s: measures the emulator, not a processor",
                 emulator_of(run) != NULL ? ", by " : "", text_or_empty(emulator_of(run)));
        return text;
    case RUN_TIME_REAL:
        return real_text(run, text);
    case RUN_TIME_MODEL:
        return "simulated time of a model, not of a machine; the model gives the length of its "
               "unit, and ticks are ns";
    default:
        break;
    }
    if (kind == NULL) {
        return "time base unknown";
    }
    snprintf(text, RUN_KIND_MAX, "time base \"%s\", unknown to this version of tare", kind);
    return text;
}

const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX])
{
    /* "own" or "borrow" (kernel/plan/handoff.h); NULL: unknown */
    const char *ownership = run_pair_value(&run->info, "ownership");

    if (ownership == NULL) {
        return NULL;
    }
    if (strcmp(ownership, MACHINE_OWN) == 0) {
        return "own: the firmware had ended before the benches ran";
    }
    if (strcmp(ownership, MACHINE_BORROW) == 0) {
        return "borrowed: firmware stayed; its interrupts and timers waited while a bench ran, but "
               "its devices (DMA of USB controllers) kept working";
    }
    snprintf(text, RUN_KIND_MAX, "\"%.100s\", unknown to this version of tare", ownership);
    return text;
}

const char *run_processors_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *processors = run_pair_value(&run->machine, FACT_PROCESSORS);

    if (processors == NULL) {
        return NULL;
    }
    if (is_program_on_linux(run) || strspn(processors, "0123456789") != strlen(processors)) {
        snprintf(text, RUN_KIND_MAX, "processor%s %.200s",
                 strspn(processors, "0123456789") == strlen(processors) ? "" : "s", processors);
    } else {
        snprintf(text, RUN_KIND_MAX, "%.200s processor%s", processors,
                 strcmp(processors, "1") == 0 ? "" : "s");
    }
    return text;
}

/* Returns "disk" or "NIC" if the parameter names a driver or NICs, otherwise NULL, and sets *name
 * to what is known of a modelled one; NULL: it is not modelled. */
static const char *device_of(const struct run_bench *bench, const struct run_param *param,
                             const char **name)
{
    const bool disk = strcmp(param->name, FOUND_DRIVER) == 0;

    *name = NULL;
    if (param->value == NULL || !run_param_is_found(param) ||
        (!disk && strncmp(param->name, FOUND_MODELS ".", sizeof(FOUND_MODELS)) != 0)) {
        return NULL;
    }
    if (disk && strcmp(param->value, MODELLED_DISK) == 0) {
        *name = text_or_empty(run_find_param(bench, FOUND_MODEL));
    } else if (!disk && strncmp(param->value, SIMULATED_LINK, strlen(SIMULATED_LINK)) == 0) {
        *name = param->value;
    }
    return disk ? "disk" : "NIC";
}

bool run_is_modelled(const struct run_bench *bench)
{
    const char *name = NULL;

    for (size_t i = 0; i < bench->param_count && name == NULL; i++) {
        device_of(bench, &bench->params[i], &name);
    }
    return name != NULL;
}

const char *run_devices_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const bool emulated =
        find_hypervisor(run) != NULL || run_pair_value(&run->machine, FACT_EMULATOR) != NULL;
    char device[RUN_KIND_MAX];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; k < bench->param_count; k++) {
            const char *modelled;
            const char *kind = device_of(bench, &bench->params[k], &modelled);
            const char *name = modelled != NULL ? modelled : bench->params[k].value;

            if (kind == NULL) {
                continue;
            }
            snprintf(device, sizeof(device), name[0] != '\0' ? "%s %s (%.*s)" : "%s %s", kind,
                     modelled != NULL ? "modelled"
                     : emulated       ? "emulated"
                                      : "real",
                     (int)strcspn(name, ","), name);
            if (strstr(text, device) == NULL && used < RUN_KIND_MAX) {
                used += (size_t)snprintf(text + used, RUN_KIND_MAX - used, "%s%s",
                                         used > 0 ? ", " : "", device);
            }
        }
    }
    return used > 0 ? text : NULL;
}

const char *run_unsealed(const struct run *run)
{
    const char *state = run_pair_value(&run->info, INFO_SEAL_STATE);

    return run_pair_value(&run->info, INFO_RUN) == NULL ||
                   (state != NULL && strcmp(state, SEAL_NONE) != 0)
               ? NULL
               : "unsealed: the image was older than seals: parts of another run would not be "
                 "noticed";
}

/* Writes "QEMU 7.2.22" for "QEMU emulator version 7.2.22 (Debian ...)". Any other text, such as
 * "Bochs 2.7", stays the same; NULL: "unknown". */
static const char *short_version(const char *version, char text[RUN_KIND_MAX / 4])
{
    static const char before[] = "QEMU emulator version ";

    if (version == NULL) {
        return "unknown";
    }
    if (strncmp(version, before, sizeof(before) - 1) != 0) {
        return version;
    }
    version += sizeof(before) - 1;
    snprintf(text, RUN_KIND_MAX / 4, "QEMU %.*s", (int)strcspn(version, " "), version);
    return text;
}

/* Writes the last word of a kernel's command line that begins with `name`. Returns `absent` if
 * there is none. */
static const char *last_word(const char *line, const char *name, const char *absent,
                             char text[RUN_KIND_MAX / 4])
{
    for (; line != NULL && *line != '\0'; line += strcspn(line, " ")) {
        line += strspn(line, " ");
        if (strncmp(line, name, strlen(name)) == 0) {
            snprintf(text, RUN_KIND_MAX / 4, "%.*s", (int)strcspn(line, " "), line);
            absent = text;
        }
    }
    return absent;
}

const char *run_under_text(const struct run *run, char text[RUN_KIND_MAX])
{
    const char *under = run_pair_value(&run->info, RUN_UNDER);
    const char *kernel = run_pair_value(&run->info, RUN_UNDER_KERNEL);
    const char *machine = run_pair_value(&run->info, RUN_UNDER_MACHINE);
    char l0[RUN_KIND_MAX / 4];
    char l1[RUN_KIND_MAX / 4];
    char word[RUN_KIND_MAX / 4];

    if (under == NULL) {
        return NULL;
    }
    const bool is_amd = strcmp(under, RUN_UNDER_AMD) == 0;
    const bool is_intel = strcmp(under, RUN_UNDER_INTEL) == 0;

    snprintf(text, RUN_KIND_MAX, "%sLinux %.48s, %.48s, in %.40s%s",
             is_amd     ? "KVM (kvm_amd) of "
             : is_intel ? "KVM (kvm_intel) of "
                        : "",
             kernel != NULL ? kernel : "unknown",
             last_word(run_pair_value(&run->info, RUN_UNDER_LINE),
                       "mitigations=", "mitigations by default", word),
             short_version(run_pair_value(&run->info, RUN_UNDER_L0), l0),
             is_amd     ? " (TCG; SVM without nrip-save: KVM decodes instructions)"
             : is_intel ? " (VMX)"
                        : " (TCG)");
    if (machine != NULL) {
        text_append(text, RUN_KIND_MAX, "; L2 %.16s of %.40s", machine,
                    short_version(run_pair_value(&run->info, RUN_UNDER_QEMU), l1));
    }
    return text;
}

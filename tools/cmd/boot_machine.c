/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_machine.h"

#include <string.h>

#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/boot_plan.h"
#include "tools/cmd/commands.h"
#include "tools/qemu/gdb.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/installed.h"
#include "tools/wire/session.h"

#define DEFAULT_SHIFT      3
#define DEFAULT_MEMORY_MIB 256
#define PROCESSORS_MAX     255
#define MEMORY_MIB_MAX     (1u << 20)

enum mode {
    MODE_AUTO,
    MODE_EXACT,
    MODE_REAL,
};
static const char *const modes[] = {"auto", "exact", "real", NULL};
static const char *const types[] = {"q35", "pc", NULL};
static const char *const networks[] = {"hub", "peer", "user", NULL};

struct qemu_machine boot_machine = {.shift = DEFAULT_SHIFT, .memory_mib = DEFAULT_MEMORY_MIB};

static struct {
    /* indices into types[], modes[] and networks[] */
    unsigned mode, type, network;
    bool has_mode, has_shift, has_memory, has_network; /* whether these options were given */
    bool smm;
    bool is_below; /* a KVM is used that is not this host's */
    /* paths given by options; NULL: search for the file */
    const char *program, *firmware, *variables;
    char program_path[QEMU_PATH_MAX], firmware_path[QEMU_PATH_MAX], variables_path[QEMU_PATH_MAX];
    struct gdb_stop stop; /* where --gdb stops */
    char image_path[INSTALLED_PATH_MAX], plugin_path[QEMU_PATH_MAX];
} wish;

const struct option_line time_options[] = {
    {"mode", OPT_WORD(&wish.mode), NULL,
     "exact: the TSC counts instructions; the same image and plan give the same log, byte for "
     "byte. real: host time, by KVM if a trial boot works, otherwise by emulation, whose times "
     "mean "
     "nothing. auto (default): KVM if a trial boot works, otherwise exact",
     .words = modes, .given = &wish.has_mode},
    {"shift", OPT_UNSIGNED(&boot_machine.shift, 0, QEMU_SHIFT_MAX), "N",
     "exact: an instruction takes 2^N ns, N up to 10 (default 3, 8 ns). Firmware waits in guest "
     "time: with N = 0 it starts three times slower. Above 3 the start is hardly faster, and ticks "
     "get coarse",
     .given = &wish.has_shift},
    OPTIONS_END,
};

const struct option_line machine_options[] = {
    {"machine", OPT_WORD(&wish.type), NULL, "QEMU's machine type (default q35)", .words = types},
    {"smp", OPT_UNSIGNED(&boot_machine.processors, 1, PROCESSORS_MAX), "N",
     "processors (default 1, or as many as the model or parameter cpus of a bench asks for)"},
    {"memory", OPT_UNSIGNED(&boot_machine.memory_mib, 1, MEMORY_MIB_MAX), "MIB",
     "memory (default 256)", .given = &wish.has_memory},
    {"cpu", OPT_TEXT(&boot_machine.cpu), "MODEL", "QEMU's processor model"},
    {"net", OPT_WORD(&wish.network), NULL,
     "NICs, and the plan's net keys for them. hub: two NICs on one cable. peer: one NIC whose "
     "other "
     "end is tare peer, by datagrams on 127.0.0.1. user: one NIC that reaches this host at "
     "10.0.2.2, "
     "through QEMU's user network",
     .words = networks, .given = &wish.has_network},
    {"qemu", OPT_TEXT(&wish.program), "PROGRAM", "the QEMU to use (default qemu-system-x86_64)"},
    {"firmware", OPT_TEXT(&wish.firmware), "FILE",
     "the UEFI firmware to use (default: the installed OVMF)"},
    {"smm", OPT_FLAG(&wish.smm), NULL,
     "use firmware with system management mode, on q35 only: SMIs occur, and QEMU counts them. "
     "Each run starts from a fresh copy of the firmware's variables"},
    {"variables", OPT_TEXT(&wish.variables), "FILE",
     "with --smm and --firmware: the variable store of that firmware", .needs = "smm"},
    OPTIONS_END,
};

int boot_machine_check(void)
{
    boot_machine.type = types[wish.type];
    boot_machine.network = wish.has_network ? qemu_network_find(networks[wish.network]) : NULL;
    if (!wish.smm) {
        return COMMAND_OK;
    }
    if (strcmp(boot_machine.type, "q35") != 0) {
        return command_usage_error(&command_boot,
                                   "--smm with --machine %s: OVMF supports SMM on q35 only; omit "
                                   "--machine",
                                   boot_machine.type);
    }
    if ((wish.firmware == NULL) != (wish.variables == NULL)) {
        return command_usage_error(&command_boot,
                                   "--smm: firmware with SMM has two files, code (--firmware) and "
                                   "variables (--variables); name both or neither");
    }
    return COMMAND_OK;
}

int boot_machine_find_image(void)
{
    if (boot_machine.image == NULL) {
        boot_machine.image = boot_default_image(wish.image_path);
    }
    char error[QEMU_ERROR_MAX];

    if (boot_image_readable(boot_machine.image, error)) {
        partial_file_protect(boot_machine.image);
        return COMMAND_OK;
    }
    return command_failure(&command_boot, "%s", error);
}

void boot_machine_put_below(unsigned shift)
{
    wish.is_below = true;
    boot_machine.shift = wish.has_shift ? boot_machine.shift : shift;
}

void boot_machine_suit(const struct profile_plan *profile)
{
    if (profile->mode != NULL && !wish.has_mode) {
        wish.mode = strcmp(profile->mode, modes[MODE_EXACT]) == 0 ? MODE_EXACT : MODE_REAL;
    }
    if (profile->shift != 0 && !wish.has_shift) {
        boot_machine.shift = profile->shift;
    }
    if (profile->memory_mib != 0 && !wish.has_memory) {
        boot_machine.memory_mib = profile->memory_mib;
    }
    if (boot_machine.processors == 0) {
        boot_machine.processors = profile->processors;
    }
    boot_plan.counts = boot_plan.counts || (profile->counts && wish.mode == MODE_EXACT);
    if (boot_machine.network == NULL && profile->network != NULL) {
        boot_machine.network = qemu_network_find(profile->network);
    }
}

/* ---- how time passes ---- */

static void choose_time(struct progress *progress)
{
    char reason[KVM_REASON_MAX];

    if (wish.is_below) {
        boot_machine.time = QEMU_KVM;
        return;
    }
    boot_machine.time = QEMU_EXACT;
    if (wish.mode == MODE_EXACT) {
        return;
    }
    if (kvm_usable(&boot_machine, progress, reason)) {
        boot_machine.time = QEMU_KVM;
        return;
    }
    if (wish.mode == MODE_REAL) {
        boot_machine.time = QEMU_EMULATED;
        progress_note(progress,
                      "no KVM (%s): emulated in host time; this shows only that the image works, "
                      "its times mean nothing",
                      reason);
        return;
    }
    progress_note(progress, "no KVM (%s): exact mode", reason);
}

/* Checks that QEMU has as many processors as the model of --model needs. */
static int check_processors(void)
{
    return boot_machine.processors >= boot_plan.processors
               ? COMMAND_OK
               : command_failure(&command_boot,
                                 "%s needs %zu processors, but --smp is %u; omit --smp",
                                 boot_plan.model, boot_plan.processors, boot_machine.processors);
}

/* For --count, finds QEMU's plugin that counts. */
static int prepare_count(void)
{
    char error[QEMU_ERROR_MAX];

    if (!boot_plan.counts) {
        return COMMAND_OK;
    }
    if (boot_machine.time != QEMU_EXACT) {
        return command_failure(&command_boot,
                               "--count counts in exact mode only; use --mode exact");
    }
    if (boot_machine.processors > 1) {
        return command_failure(&command_boot, "--count counts one processor, but --smp is %u",
                               boot_machine.processors);
    }
    if (!plugin_find(wish.program_path, "count", wish.plugin_path, error)) {
        return command_failure(&command_boot, "--count%s: %s",
                               boot_plan.profile != NULL && boot_plan.profile->counts
                                   ? ", which the profile needs"
                                   : "",
                               error);
    }
    boot_machine.plugin = wish.plugin_path;
    return COMMAND_OK;
}

/* For --gdb, finds the address at which to stop and makes QEMU wait for gdb. */
static int prepare_gdb(struct progress *progress)
{
    char error[QEMU_ERROR_MAX];

    if (boot_plan.gdb == NULL) {
        return COMMAND_OK;
    }
    if (boot_machine.time != QEMU_EXACT) {
        return command_failure(&command_boot, "--gdb stops in exact mode only; use --mode exact");
    }
    progress_live(progress, "a first boot, to learn where firmware loads the image...");
    if (!gdb_find(&boot_machine, boot_plan.gdb, &wish.stop, error)) {
        return command_failure(&command_boot, "--gdb: %s", error);
    }
    boot_machine.gdb_port = wish.stop.port;
    return COMMAND_OK;
}

static bool find_firmware(char error[QEMU_ERROR_MAX])
{
    boot_machine.firmware = wish.firmware_path;
    if (!wish.smm) {
        return qemu_find_firmware(wish.firmware, wish.firmware_path, error);
    }
    boot_machine.variables = wish.variables_path;
    return qemu_find_smm_firmware(wish.firmware, wish.variables, wish.firmware_path,
                                  wish.variables_path, error);
}

int boot_machine_prepare(struct progress *progress)
{
    char error[QEMU_ERROR_MAX];

    if (!qemu_find_program(wish.program, wish.program_path, error) || !find_firmware(error)) {
        return command_failure(&command_boot, "%s", error);
    }
    boot_machine.program = wish.program_path;
    if (boot_machine.processors == 0) {
        const size_t wanted =
            boot_plan.cpus > boot_plan.processors ? boot_plan.cpus : boot_plan.processors;

        boot_machine.processors = wanted > 1 ? (unsigned)wanted : 1;
    }
    interrupt_catch();
    progress_start(progress);
    choose_time(progress);
    int status = check_processors();

    if (status == COMMAND_OK) {
        status = prepare_count();
    }
    if (status == COMMAND_OK) {
        status = prepare_gdb(progress);
    }
    if (status == COMMAND_OK && interrupt_seen()) {
        return command_failure(&command_boot, "%s", session_end_text(SESSION_INTERRUPTED));
    }
    return status;
}

void boot_machine_announce(struct progress *progress)
{
    const struct qemu_machine *machine = &boot_machine;

    if (machine->time == QEMU_EXACT) {
        progress_note(progress, "booting %s: exact, %u ns per instruction", machine->image,
                      1u << machine->shift);
    } else {
        progress_note(progress, "booting %s: %s", machine->image,
                      machine->time == QEMU_KVM ? "KVM" : "emulated");
    }
    if (machine->time == QEMU_EXACT && boot_plan.script.text != NULL) {
        progress_note(progress, "--keys types by the host's clock: input times differ from run to "
                                "run, even in exact mode");
    }
    /* QEMU before 8.1 may run only the first processor (accel/tcg: "ensure fairness with icount",
     * May 2023), and with SMM the firmware waits for the others. */
    if (machine->time == QEMU_EXACT && wish.smm && machine->processors > 1) {
        progress_note(progress, "QEMU before 8.1 may hang in firmware with --smm and more than one "
                                "processor in exact mode; if it hangs, use --smp 1 or --mode real");
    }
    if (machine->gdb_port != 0) {
        gdb_print(&wish.stop, machine->image, stderr);
    }
}

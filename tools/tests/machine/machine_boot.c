/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/machine_boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/plan/handoff.h"
#include "tools/store/runfile.h"

#define DEFAULT_TARE "build/tare"
#define PATH_SIZE    (TEMPORARY_PATH_MAX + 64)

/* A firmware service that does nothing: HLT with interrupts off ends the run there. */
static uint64_t write_reset_service(struct machine *machine)
{
    /* cli; hlt; jmp: as firmware that switches off, for good. */
    const uint8_t code[] = {0xfa, 0xf4, 0xeb, 0xfd};
    const uint64_t address = machine_allocate(machine, sizeof(code));

    memcpy(machine_memory(machine, address, sizeof(code)), code, sizeof(code));
    return address;
}

/* Firmware that lets go of the machine at once: every call returns 0, which is no error. */
static const struct firmware_calls *write_firmware(struct machine *machine)
{
    const uint8_t code[] = {0x31, 0xc0, 0xc3}; /* xor %eax, %eax; ret */
    const uint64_t call = machine_allocate(machine, sizeof(code));
    const uint64_t table = machine_allocate(machine, sizeof(struct firmware_calls));
    uint64_t *entries = machine_memory(machine, table, sizeof(struct firmware_calls));

    memcpy(machine_memory(machine, call, sizeof(code)), code, sizeof(code));
    for (size_t i = 0; i < sizeof(struct firmware_calls) / sizeof(*entries); i++) {
        entries[i] = call;
    }
    return (const struct firmware_calls *)(uintptr_t)table;
}

static void write_ranges(struct handoff *handoff, struct machine *machine)
{
    const uint64_t first = (MACHINE_RAM + machine_allocated(machine) + 4095) / 4096 * 4096;

    handoff->ranges[0] =
        (struct memory_range){MACHINE_IMAGE, machine->image.size / 4096, MEMORY_FIRMWARE};
    handoff->ranges[1] =
        (struct memory_range){MACHINE_RAM, (first - MACHINE_RAM) / 4096, MEMORY_FIRMWARE};
    handoff->ranges[2] =
        (struct memory_range){first, (MACHINE_RAM + MACHINE_RAM_SIZE - first) / 4096, MEMORY_FREE};
    handoff->range_count = 3;
    handoff->descriptor_size = 48;
}

bool machine_boot(struct machine *machine, struct devices *devices, const char *plan,
                  const char *vendor)
{
    const uint64_t rsdp = devices_write_acpi(devices);
    const uint64_t reset = write_reset_service(machine);
    const uint64_t address = machine_allocate(machine, sizeof(struct handoff));
    struct handoff *handoff = machine_memory(machine, address, sizeof(*handoff));

    handoff->firmware = write_firmware(machine);
    handoff->image_base = MACHINE_IMAGE;
    handoff->image_size = machine->image.size;
    handoff->exit_attempts = 1;
    handoff->plan_source = PLAN_FILE;
    handoff->plan_length =
        (size_t)snprintf(handoff->plan_text, sizeof(handoff->plan_text), "%s", plan);
    handoff->rsdp = rsdp;
    handoff->reset_system = (reset_system_fn *)(uintptr_t)reset;
    snprintf(handoff->firmware_vendor, sizeof(handoff->firmware_vendor), "%s", vendor);
    write_ranges(handoff, machine);
    machine_run(machine, image_elf_symbol(&machine->image, "kernel_main"), address);
    if (machine->failure[0] == '\0' && machine->halted_at != reset + 1) {
        snprintf(machine->failure, sizeof(machine->failure),
                 "halted at %#lx, and not by the power-off", machine->halted_at);
    }
    return machine->failure[0] == '\0';
}

int machine_tare(const char *output, char *const arguments[])
{
    const char *given = getenv("TARE");
    const char *tare = given != NULL ? given : DEFAULT_TARE;
    int status = -1;

    fflush(stdout);
    const pid_t child = fork();

    if (child == 0) {
        if (freopen(output, "w", stdout) != NULL) {
            dup2(STDOUT_FILENO, STDERR_FILENO);
            execv(tare, arguments);
        }
        perror(tare);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

bool machine_boot_run(struct machine *machine, struct devices *devices,
                      const struct machine_course *course, struct run *run)
{
    char log[PATH_SIZE], database[PATH_SIZE], output[PATH_SIZE];
    char error[RUNFILE_ERROR_MAX];

    snprintf(log, sizeof(log), "%s/%s.log", course->folder, course->name);
    snprintf(database, sizeof(database), "%s/%s.db", course->folder, course->name);
    snprintf(output, sizeof(output), "%s/%s.txt", course->folder, course->name);
    FILE *line = fopen(log, "wb");

    run_init(run);
    if (line == NULL) {
        perror(log);
        exit(1);
    }
    devices_open(devices, machine, line, course->tsc_hz);
    course->opened();
    const bool good = machine_boot(machine, devices, course->plan, course->name);

    fclose(line);
    char *const decode[] = {"tare", "decode", log, "-o", database, NULL};

    return good && machine_tare(output, decode) >= 0 && runfile_read(database, run, error);
}

const char *machine_arguments(int argc, char **argv, const char *otherwise,
                              struct temporary *folder)
{
    if (argc > 2) {
        fprintf(stderr, "usage: %s [IMAGE.elf]\n", argv[0]);
        exit(2);
    }
    if (!temporary_create(folder)) {
        perror("a temporary folder");
        exit(1);
    }
    return argc > 1 ? argv[1] : otherwise;
}

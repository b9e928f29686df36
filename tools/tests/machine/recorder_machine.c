/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's recorder where an interrupt comes at each of its instructions in turn: a handler
 * whose entry is recorded has its exit recorded, and one without entry has neither.
 *
 *     recorder_machine [IMAGE.elf]
 */
#include "kernel/dev/acpi.h"
#include "kernel/trace/recorder.h"
#include "tools/tests/machine/unicorn_devices.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        10000000
#define VECTOR        0x51
#define PACKETS       2
#define RUNS_MAX      2000 /* more instructions than starting and stopping take */

static const char *image_path;
static struct machine machine;
static struct devices devices;

static uint64_t symbol(const char *name)
{
    return image_elf_symbol(&machine.image, name);
}

static uint64_t call(const char *function, size_t count, const uint64_t *arguments)
{
    const uint64_t result = machine_call(&machine, symbol(function), count, arguments);

    CHECK_TEXT(machine.failure, "");
    return result;
}

static uint8_t take_interrupt(void *context)
{
    (void)context;
    machine.due = MACHINE_NEVER;
    devices.in_service = false;
    return VECTOR;
}

static void open_machine(void)
{
    /* The handler does nothing: it reads whether something is recorded. */
    const uint64_t name = machine_allocate(&machine, 1);
    const uint64_t arguments[] = {VECTOR, name, symbol("recorder_running"), 0};
    const uint64_t acpi = machine_allocate(&machine, sizeof(struct acpi_facts));

    machine_load_descriptors(&machine);
    devices_open(&devices, &machine, stderr, TSC_HZ);
    machine.devices.take_interrupt = take_interrupt;
    call("lapic_init", 1, &acpi);
    call("interrupt_attach", 4, arguments);
}

/* Starts and stops a trace, with an interrupt `after` so many instructions of the one or the other.
 * False: that is behind its end. */
static bool run(uint64_t memory, bool stopping, uint64_t after, uint64_t *records)
{
    const uint64_t arguments[] = {memory, PACKETS, RECORDER_STOP, 0};
    const uint64_t result = machine_allocate(&machine, sizeof(struct recorder_result));
    const uint64_t interrupts = machine.interrupts;
    const uint64_t thread = 0;

    call("trace_account_reset", 1, &thread);
    machine_allow_interrupts(&machine, true);
    machine.due = stopping ? MACHINE_NEVER : machine_tsc(&machine) + after;
    call("recorder_start", 4, arguments);
    machine.due = stopping ? machine_tsc(&machine) + after : MACHINE_NEVER;
    call("recorder_stop", 0, NULL);
    machine.due = MACHINE_NEVER;
    machine_allow_interrupts(&machine, false);
    call("recorder_result", 1, &result);
    *records = ((struct recorder_result *)machine_memory(&machine, result, 1))->kept;
    return machine.interrupts > interrupts;
}

static void test_each_instruction(bool stopping)
{
    const char *part = stopping ? "stopping" : "starting";
    uint64_t with = 0, without = 0, records;
    uint64_t after = 0;

    machine_open(&machine, image_path, MACHINE_P6);
    open_machine();
    const uint64_t memory =
        machine_allocate(&machine, (PACKETS + 1) * TRACE_PACKET_BYTES) + TRACE_PACKET_BYTES - 1;

    while (after < RUNS_MAX && machine.failure[0] == '\0' &&
           run(memory & ~(uint64_t)(TRACE_PACKET_BYTES - 1), stopping, after, &records)) {
        if (records != 0 && records != 2) {
            fprintf(stderr, "%s, behind %lu instructions: %lu records\n", part,
                    (unsigned long)after, (unsigned long)records);
        }
        CHECK(records == 0 || records == 2);
        with += records == 2;
        without += records == 0;
        after++;
    }
    /* Both are met, and the end as well. */
    CHECK(with > 0 && without > 0 && after < RUNS_MAX);
    machine_close(&machine);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: recorder_machine [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_each_instruction(false));
    RUN(test_each_instruction(true));
    return unit_finish("recorder_machine");
}

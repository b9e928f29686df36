/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image on processors where it is known what takes them (unicorn_machine.h): the causes
 * that bench gap reads around each gap are held against the model.
 *
 *     cause_machine [IMAGE.elf]
 *
 * Each SMI (port B2h) takes some time, and with it comes what the model adds: steal time on KVM's
 * page, a thermal log, a corrected error in a bank. A hypervisor that announces steal time and
 * writes no page, and a thermal register without a valid temperature, are absent.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/tests/machine/machine_boot.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        10000000ull
#define INSTRUCTIONS  400000000ull
#define PORT_SMI      0xb2
#define SMIS          5

#define MSR_THERM    0x19cu
#define MSR_STEAL    0x4b564d03u
#define THERM_LOG    (1ull << 1)
#define THERM_VALID  (1ull << 31)
#define LEAF_THERMAL 6u
#define STEAL_NS     7000
#define PAGE_BYTES   64
#define VERSION_AT   8

/* A corrected error, counted in bits 38 to 52 (SDM volume 3, IA32_MCi_STATUS). */
#define CHECK_CORRECTED (1ull << 63 | 1ull << 60)
#define CHECK_ONE       (1ull << 38)
#define CHECK_BANKS     (5 | 1ull << 10)

#define PLAN \
    "bench=gap gap.ms=20 gap.provoke_smi=5 gap.threshold_ns=50000 link.wait_ms=0 exit=poweroff"

static const char *image_path;
static struct temporary folder;

static struct model {
    struct machine machine;
    struct devices devices;
    struct machine_devices others; /* what the ports do by themselves */
    struct machine_check_registers checks;
    bool writes_page, has_temperature;
    uint64_t page; /* the guest gave it; 0: none */
    uint64_t steal;
    uint32_t version;
    uint64_t therm;
} model;

static void write_page(void)
{
    if (model.page == 0 || !model.writes_page) {
        return;
    }
    uint8_t *page = machine_memory(&model.machine, model.page, PAGE_BYTES);

    model.version += 2;
    memcpy(page, &model.steal, sizeof(model.steal));
    memcpy(page + VERSION_AT, &model.version, sizeof(model.version));
}

static void on_cpuid(void *context, uint32_t leaf, struct cpuid_result *result)
{
    (void)context;
    if (leaf == 1) {
        result->ecx |= 1u << 31; /* a hypervisor */
    } else if (leaf == LEAF_THERMAL) {
        result->eax |= 1;
    } else if (leaf == 0x40000000) {
        *result = (struct cpuid_result){0x40000001, 0, 0, 0};
        memcpy(&result->ebx, "KVMK", 4);
        memcpy(&result->ecx, "VMKV", 4);
        memcpy(&result->edx, "M\0\0\0", 4);
    } else if (leaf == 0x40000001) {
        *result = (struct cpuid_result){1u << 5, 0, 0, 0};
    }
}

static bool on_rdmsr(void *context, uint32_t index, uint64_t *value)
{
    (void)context;
    *value = model.therm | (model.has_temperature ? THERM_VALID : 0);
    return index == MSR_THERM;
}

/* A log is cleared by 0, and 1 leaves it. */
static bool on_wrmsr(void *context, uint32_t index, uint64_t value)
{
    (void)context;
    if (index == MSR_THERM) {
        model.therm &= value;
    } else if (index == MSR_STEAL) {
        model.page = (value & 1) != 0 ? value & ~(uint64_t)(PAGE_BYTES - 1) : 0;
        write_page();
    }
    return index == MSR_THERM || index == MSR_STEAL;
}

static void write_port(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    model.others.port_write(context, port, bytes, value);
    if (port != PORT_SMI) {
        return;
    }
    model.steal += STEAL_NS;
    write_page();
    model.therm |= THERM_LOG;
    model.checks.bank[4 * 2 + 1] |= CHECK_CORRECTED;
    model.checks.bank[4 * 2 + 1] += CHECK_ONE;
}

/* ---- a run ---- */

static void set_hooks(void)
{
    model.others = model.machine.devices;
    model.machine.devices.port_write = write_port;
}

static bool boot(const char *name, struct run *run)
{
    const struct machine_course course = {folder.path, name, PLAN, TSC_HZ, set_hooks};
    const bool read = machine_boot_run(&model.machine, &model.devices, &course, run);

    CHECK_TEXT(model.machine.failure, "");
    CHECK(read);
    return read;
}

static void open_model(bool writes_page, bool has_temperature)
{
    memset(&model, 0, sizeof(model));
    machine_open(&model.machine, image_path, MACHINE_INTEL_V4);
    model.machine.limit = INSTRUCTIONS;
    model.writes_page = writes_page;
    model.has_temperature = has_temperature;
    model.checks.capabilities = CHECK_BANKS;
    model.machine.checks = &model.checks;
    model.machine.on_cpuid = on_cpuid;
    model.machine.on_rdmsr = on_rdmsr;
    model.machine.on_wrmsr = on_wrmsr;
    pmu_model_smi(&model.machine.model, 0); /* firmware's: MSR 34h is not 0 */
}

/* `each` in so many gaps as there were SMIs, and nothing in others. */
static void check_series(const struct run_bench *bench, const char *name, int64_t each)
{
    const struct run_series *series = run_find_series(bench, name);
    int64_t sum = 0;
    size_t gaps = 0;

    CHECK(series != NULL);
    for (size_t i = 0; series != NULL && i < series->n; i++) {
        sum += series->samples[i];
        gaps += series->samples[i] == each;
    }
    CHECK_EQUAL(sum, SMIS * each);
    CHECK_EQUAL(gaps, SMIS);
}

static void check_absent(const struct run_bench *bench, const char *name, const char *reason)
{
    const char *found = "";

    for (size_t i = 0; i < bench->absent_count; i++) {
        if (strcmp(bench->absents[i].name, name) == 0) {
            found = bench->absents[i].reason;
        }
    }
    CHECK_TEXT(found, reason);
    CHECK(run_find_fact(bench, name) == NULL);
}

static const struct run_bench *gap_in(const struct run *run)
{
    const struct run_bench *bench = run_find_bench(run, BENCH_GAP);

    CHECK(bench != NULL);
    if (bench != NULL) {
        CHECK_TEXT(bench->state, STATE_OK);
    }
    return bench;
}

static void test_causes(void)
{
    struct run run;

    open_model(true, true);
    if (boot("causes", &run)) {
        const struct run_bench *bench = gap_in(&run);

        if (bench != NULL) {
            check_series(bench, PREFIX_CAUSE CAUSE_NAME_SMI, 1);
            check_series(bench, PREFIX_CAUSE CAUSE_NAME_STEAL, STEAL_NS);
            check_series(bench, PREFIX_CAUSE CAUSE_NAME_THERMAL, 1);
            check_series(bench, PREFIX_CAUSE CAUSE_NAME_MACHINE_CHECK, 1);
        }
    }
    run_free(&run);
    machine_close(&model.machine);
}

/* What is announced and not there. */
static void test_lies(void)
{
    struct run run;

    open_model(false, false);
    if (boot("lies", &run)) {
        const struct run_bench *bench = gap_in(&run);

        if (bench != NULL) {
            check_absent(bench, PREFIX_CAUSE CAUSE_NAME_STEAL,
                         "KVM announces steal time, but does not write its page");
            check_absent(
                bench, PREFIX_CAUSE CAUSE_NAME_THERMAL,
                "IA32_THERM_STATUS reports no valid temperature, so the register is not trusted");
        }
    }
    run_free(&run);
    machine_close(&model.machine);
}

int main(int argc, char **argv)
{
    image_path = machine_arguments(argc, argv, DEFAULT_IMAGE, &folder);
    RUN(test_causes());
    RUN(test_lies());
    const int status = unit_finish("cause_machine");

    if (status == 0) {
        temporary_remove(&folder);
    }
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image on processors that are disturbed in one known way each (unicorn_machine.h), for
 * test_findings.sh, which holds the findings against what was planted.
 *
 *     finding_machine IMAGE.elf FOLDER [NAME]
 *
 * FOLDER gets NAME.log and NAME.db of each, or of NAME alone, and what was planted is printed, a
 * line each: NAME, and figures as KEY=VALUE. Times are in ns: a tick is 100 ns.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/machine/machine_boot.h"

#define TSC_HZ       10000000ull
#define NS_IN_TICK   100
#define INSTRUCTIONS 400000000ull

/* What takes the processor in gap: so often, at equal distances, for so long. */
#define TIMES    20
#define TAKEN    5000 /* ticks */
#define DISTANCE 30000
#define PLAN_GAP "bench=gap gap.ms=100 gap.threshold_ns=50000 " PLAN_END

/* Interrupts are off in timerlat once, for so long beyond the moment that the timer was due. */
#define MASKED     4700
#define MASKED_AT  30 /* the interrupt of that number */
#define PLAN_TIMER "bench=timerlat timerlat.ms=60 " PLAN_END

/* Of general counters. */
#define DEAD_COUNTER 2
#define PLAN_CLOCK   "bench=clock clock.reads=20 " PLAN_END

/* The PM timer is so much slower than at the boot while gap runs. */
#define SLOWER_PPM 20000

/* What a round through a page costs more behind WBINVD, and what a key does. */
#define COLD_ROUND  6000
#define COLD_KEY    900
#define COLD_TRIALS 10
#define PLAN_COLD                        \
    "bench=keystroke keystroke.cold=10 " \
    "keystroke.script={key f12 hold=2ms every=5ms x30} " PLAN_END

#define PLAN_QUIET                                                              \
    "bench=gap,timerlat,clock gap.ms=60 gap.threshold_ns=50000 timerlat.ms=20 " \
    "clock.reads=20 " PLAN_END
#define PLAN_END "link.wait_ms=0 exit=poweroff"

#define MSR_STEAL  0x4b564d03u
#define PAGE_BYTES 64
#define VERSION_AT 8

static struct model {
    struct machine machine;
    struct devices devices;
    struct machine_devices others; /* what the ports do by themselves */
    uint64_t watch;                /* of gap: TSC of the next time; 0: it does not run */
    unsigned times;
    uint64_t page; /* of steal time: the guest gave it; 0: none */
    uint64_t steal;
    uint32_t version;
    unsigned interrupts; /* of the timer in timerlat, and 1; 0: it does not run */
    uint64_t slow_from;  /* TSC from which on the PM timer is slower; 0: it is not */
    bool cold;           /* WBINVD came, and has had no effect yet */
    bool session;        /* events come */
    void (*take)(void);  /* what takes the processor in gap; NULL: nothing */
    uint32_t random;
} model;

struct scenario {
    const char *name;
    const char *plan;
    void (*prepare)(void);
    const char *planted;
};

/* ---- what takes the processor ---- */

static void watch(const char *symbol, machine_watch_function *function)
{
    machine_watch(&model.machine, image_elf_symbol(&model.machine.image, symbol), function, NULL);
}

static void on_gap(struct machine *machine, void *context)
{
    (void)context;
    model.watch = machine_tsc(machine) + DISTANCE;
}

/* Is it time? The readings of the watch alone are so close to each other. */
static bool is_due(uint64_t tsc)
{
    if (model.watch == 0 || tsc < model.watch || model.times == TIMES) {
        return false;
    }
    model.times++;
    model.watch += DISTANCE;
    return true;
}

static void take_smi(void)
{
    machine_smi(&model.machine, TAKEN);
}

static void write_page(void)
{
    if (model.page != 0) {
        uint8_t *page = machine_memory(&model.machine, model.page, PAGE_BYTES);

        model.version += 2;
        memcpy(page, &model.steal, sizeof(model.steal));
        memcpy(page + VERSION_AT, &model.version, sizeof(model.version));
    }
}

static void take_steal(void)
{
    machine_stall(&model.machine, TAKEN);
    model.steal += TAKEN * NS_IN_TICK;
    write_page();
}

/* ---- cold caches ---- */

static void on_flush(void *context)
{
    (void)context;
    model.cold = true;
}

/* From now on it is events that are cold. */
static void on_session(struct machine *machine, void *context)
{
    (void)machine;
    (void)context;
    model.session = true;
}

static void take_cold_round(void)
{
    if (model.cold && !model.session) {
        machine_stall(&model.machine, COLD_ROUND);
        model.cold = false;
    }
}

/* Most readings of the TSC are not equally far from each other: else time would be exact. */
static void on_stamp(void *context, uint64_t rdi, uint64_t tsc)
{
    (void)context;
    (void)rdi;
    model.random = model.random * 1103515245 + 12345;
    machine_stall(&model.machine, model.random >> 16 & 3);
    take_cold_round();
    if (model.take != NULL && is_due(tsc)) {
        model.take();
    }
}

static bool steal_wrmsr(void *context, uint32_t index, uint64_t value)
{
    (void)context;
    if (index == MSR_STEAL) {
        model.page = (value & 1) != 0 ? value & ~(uint64_t)(PAGE_BYTES - 1) : 0;
        write_page();
    }
    return index == MSR_STEAL;
}

static void kvm_cpuid(void *context, uint32_t leaf, struct cpuid_result *result)
{
    (void)context;
    if (leaf == 1) {
        result->ecx |= 1u << 31; /* a hypervisor */
    } else if (leaf == 0x40000000) {
        *result = (struct cpuid_result){0x40000001, 0, 0, 0};
        memcpy(&result->ebx, "KVMK", 4);
        memcpy(&result->ecx, "VMKV", 4);
        memcpy(&result->edx, "M\0\0\0", 4);
    } else if (leaf == 0x40000001) {
        *result = (struct cpuid_result){1u << 5, 0, 0, 0};
    }
}

static void watch_gap(void)
{
    watch("gap_watch_run", on_gap);
    pmu_model_smi(&model.machine.model, 0); /* firmware's: MSR 34h is not 0 */
}

static void prepare_smi(void)
{
    watch_gap();
    model.take = take_smi;
}

static void prepare_steal(void)
{
    watch_gap();
    model.take = take_steal;
    model.machine.on_cpuid = kvm_cpuid;
    model.machine.on_wrmsr = steal_wrmsr;
}

/* ---- a masked window ---- */

static void on_way(struct machine *machine, void *context)
{
    (void)machine;
    (void)context;
    model.interrupts = 1;
}

/* The timer has come, and interrupts are off for so much longer. */
static uint8_t take_late(void *context)
{
    if (model.interrupts != 0 && model.interrupts++ == MASKED_AT) {
        machine_stall(&model.machine, MASKED);
    }
    return model.others.take_interrupt(context);
}

static void prepare_masked(void)
{
    watch("way_begin", on_way);
}

/* ---- a dead counter ---- */

static void prepare_dead(void)
{
    model.machine.model.counter[DEAD_COUNTER].forgets = true;
}

/* ---- a clock that drifts ---- */

static uint32_t drifting_read(void *context, uint16_t port, unsigned bytes)
{
    const uint64_t now = machine_tsc(&model.machine);
    uint32_t value = model.others.port_read(context, port, bytes);

    if (port == DEVICES_PM_TIMER && model.watch != 0) {
        const uint64_t since = now - (model.watch - DISTANCE);

        value -= (uint32_t)(since * DEVICES_PM_TIMER_HZ / TSC_HZ * SLOWER_PPM / 1000000);
    }
    return value;
}

static void prepare_drift(void)
{
    watch_gap();
}

/* ---- events with cold caches ---- */

static void on_event(struct machine *machine, void *context)
{
    (void)context;
    if (model.cold) {
        machine_stall(machine, COLD_KEY);
        model.cold = false;
    }
}

static void prepare_cold(void)
{
    model.machine.on_flush = on_flush;
    watch("input_begin", on_session);
    watch("queue_done", on_event);
}

/* ---- all ---- */

static void prepare_nothing(void)
{
}

#define TEXT_OF(value) #value
#define TEXT(value)    TEXT_OF(value)

static const struct scenario scenarios[] = {
    {"quiet", PLAN_QUIET, prepare_nothing, ""},
    {"smi", PLAN_GAP, prepare_smi, "times=" TEXT(TIMES) " ticks=" TEXT(TAKEN)},
    {"steal", PLAN_GAP, prepare_steal, "times=" TEXT(TIMES) " ticks=" TEXT(TAKEN)},
    {"masked", PLAN_TIMER, prepare_masked, "ticks=" TEXT(MASKED)},
    {"dead_counter", PLAN_CLOCK, prepare_dead, "counter=" TEXT(DEAD_COUNTER)},
    {"drift", PLAN_GAP, prepare_drift, "ppm=" TEXT(SLOWER_PPM)},
    {"cold", PLAN_COLD, prepare_cold, "ticks=" TEXT(COLD_KEY) " times=" TEXT(COLD_TRIALS)},
};

static const struct scenario *current;

/* Nothing of others than the current one. */
static void set_hooks(void)
{
    model.others = model.machine.devices;
    if (current->prepare == prepare_drift) {
        model.machine.devices.port_read = drifting_read;
    } else if (current->prepare == prepare_masked) {
        model.machine.devices.take_interrupt = take_late;
    }
}

static bool boot(const char *image, const char *folder, const struct scenario *scenario)
{
    const struct machine_course course = {folder, scenario->name, scenario->plan, TSC_HZ,
                                          set_hooks};
    struct run run;

    memset(&model, 0, sizeof(model));
    current = scenario;
    machine_open(&model.machine, image, MACHINE_INTEL_V4);
    model.machine.limit = INSTRUCTIONS;
    model.machine.on_stamp = on_stamp;
    scenario->prepare();
    const bool read = machine_boot_run(&model.machine, &model.devices, &course, &run);

    if (!read) {
        fprintf(stderr, "%s: %s\n", scenario->name, model.machine.failure);
    } else {
        printf("%s %s\n", scenario->name, scenario->planted);
    }
    run_free(&run);
    machine_close(&model.machine);
    return read;
}

int main(int argc, char **argv)
{
    bool good = true;

    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s IMAGE.elf FOLDER [NAME]\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (argc == 3 || strcmp(argv[3], scenarios[i].name) == 0) {
            good = boot(argv[1], argv[2], &scenarios[i]) && good;
        }
    }
    return good ? 0 : 1;
}

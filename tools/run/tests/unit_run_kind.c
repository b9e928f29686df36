/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of time: what a run reports, what its processor shows, and the words for it. */
#include "tools/run/run_kind.h"

#include "kernel/cpu/names.h"
#include "kernel/link/names.h"
#include "tools/tests/support/unit.h"

#define EMULATED_LABEL "emulated time: measures the emulator, not a processor"
#define LINUX          "Linux 6.1"

/* What a run reports, NULL where it does not, and what that is. */
static const struct expected {
    const char *kind, *hypervisor, *brand, *environment;
    enum run_time time;
    const char *label;
    const char *text; /* a part of it */
} runs[] = {
    {TIME_EMULATED, HYPERVISOR_TCG, NULL, NULL, RUN_TIME_EMULATED, EMULATED_LABEL,
     "emulated time, by TCG: "},
    /* Of an image that knew no such kind; and of one whose hypervisor leaf is hidden. */
    {TIME_REAL, HYPERVISOR_TCG, NULL, NULL, RUN_TIME_EMULATED, EMULATED_LABEL,
     "emulated time, by TCG: "},
    {TIME_REAL, NULL, "QEMU TCG CPU version 2.5+", NULL, RUN_TIME_EMULATED, EMULATED_LABEL,
     "emulated time, by TCG: "},
    /* Another emulator, which the image knew; and a program on Linux. */
    {TIME_EMULATED, NULL, "Some CPU", NULL, RUN_TIME_EMULATED, EMULATED_LABEL, "emulated time: "},
    {TIME_REAL, HYPERVISOR_TCG, NULL, LINUX, RUN_TIME_EMULATED, EMULATED_LABEL,
     "emulated time, by TCG: "},
    /* Exact time stays exact under TCG. */
    {TIME_EXACT, HYPERVISOR_TCG, NULL, NULL, RUN_TIME_EXACT, "exact time, in instructions",
     "exact time: the TSC counts instructions; "},
    /* Below a hypervisor or an operating system in exact time. */
    {TIME_EXACT_SHARED, "KVMKVMKVM", NULL, NULL, RUN_TIME_EXACT_SHARED,
     "exact time, shared, in instructions",
     "exact time, shared: the TSC counts instructions, those of the hypervisor included; "},
    {TIME_EXACT_SHARED, NULL, NULL, LINUX, RUN_TIME_EXACT_SHARED,
     "exact time, shared, in instructions", ", those of Linux included; "},
    {TIME_REAL, NULL, "QEMU CPU", NULL, RUN_TIME_REAL, "real time", "no hypervisor detected"},
    {TIME_REAL, "KVMKVMKVM", NULL, NULL, RUN_TIME_REAL, "real time, under KVM",
     "real time, under KVM: "},
    {TIME_REAL, "Microsoft Hv", NULL, NULL, RUN_TIME_REAL, "real time, under Hyper-V",
     "under Hyper-V: "},
    {TIME_REAL, "NewNewNewNew", NULL, NULL, RUN_TIME_REAL, "real time, under a hypervisor",
     "under hypervisor \"NewNewNewNew\""},
    {TIME_REAL, NULL, NULL, LINUX, RUN_TIME_REAL, "real time, as a program on Linux",
     "program on Linux: "},
    {TIME_REAL, "KVMKVMKVM", NULL, LINUX, RUN_TIME_REAL,
     "real time, as a program on Linux under KVM", "program on Linux under KVM: "},
    {TIME_MODEL, NULL, NULL, NULL, RUN_TIME_MODEL, "simulated time of a model", "simulated time"},
    {NULL, NULL, NULL, NULL, RUN_TIME_UNKNOWN, "time base unknown", "time base unknown"},
    {"lunar", NULL, NULL, NULL, RUN_TIME_UNKNOWN, "time base unknown",
     "\"lunar\", unknown to this version"},
};

static void add(struct run *run, struct run_pairs *pairs, const char *key, const char *value)
{
    if (value != NULL) {
        run_add_pair(run, pairs, key, value);
    }
}

static void test_kinds(void)
{
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        const struct expected *expected = &runs[i];
        char buffer[RUN_KIND_MAX];
        struct run run;

        run_init(&run);
        add(&run, &run.info, INFO_KIND, expected->kind);
        add(&run, &run.info, INFO_HYPERVISOR, expected->hypervisor);
        add(&run, &run.machine, FACT_CPU_BRAND, expected->brand);
        add(&run, &run.machine, "environment", expected->environment);
        CHECK_EQUAL(run_time(&run), expected->time);
        CHECK_TEXT(run_time_label(&run), expected->label);
        CHECK(strstr(run_kind_text(&run, buffer), expected->text) != NULL);
        CHECK(run_is_exact(&run) == (expected->time == RUN_TIME_EXACT));
        CHECK(run_counts_instructions(&run) ==
              (run_is_exact(&run) || expected->time == RUN_TIME_EXACT_SHARED));
        run_free(&run);
    }
}

/* The image knows an emulator that CPUID does not show. */
static void test_reported_emulator(void)
{
    char buffer[RUN_KIND_MAX];
    struct run run;

    run_init(&run);
    run_add_pair(&run, &run.info, INFO_KIND, TIME_EMULATED);
    run_add_pair(&run, &run.machine, FACT_EMULATOR, "Bochs");
    CHECK_EQUAL(run_time(&run), RUN_TIME_EMULATED);
    CHECK(strstr(run_kind_text(&run, buffer), "emulated time, by Bochs: ") != NULL);
    run_free(&run);
}

/* Each kind has a name that is read again; a run's own name stands where no kind has it. */
static void test_names(void)
{
    enum run_time time = RUN_TIME_UNKNOWN;
    struct run run;

    for (enum run_time at = RUN_TIME_EXACT; at < RUN_TIMES; at++) {
        CHECK(run_time_read(run_time_text(at), &time) && time == at);
    }
    CHECK(!run_time_read("lunar", &time) && run_time_text(RUN_TIME_UNKNOWN) == NULL);
    run_init(&run);
    CHECK(run_time_name(&run) == NULL);
    run_add_pair(&run, &run.info, INFO_KIND, "lunar");
    CHECK_TEXT(run_time_name(&run), "lunar");
    CHECK(!run_is_exact(&run) && !run_is_simulated(&run));
    run_free(&run);
}

/* A count is one of processors, but a list of Linux is of their numbers, even if there is one. */
static void test_processors(void)
{
    char text[RUN_KIND_MAX];
    struct run run;

    run_init(&run);
    CHECK(run_processors_text(&run, text) == NULL);
    run_add_pair(&run, &run.machine, FACT_PROCESSORS, "4");
    CHECK_TEXT(run_processors_text(&run, text), "4 processors");
    run.machine.item[0].value = "1";
    CHECK_TEXT(run_processors_text(&run, text), "1 processor");
    run.machine.item[0].value = "0-1";
    CHECK_TEXT(run_processors_text(&run, text), "processors 0-1");
    run.machine.item[0].value = "0";
    run_add_pair(&run, &run.machine, "environment", "Linux 6.1");
    CHECK_TEXT(run_processors_text(&run, text), "processor 0");
    run_free(&run);
}

static struct run_bench *add_device(struct run *run, const char *name, const char *value,
                                    const char *model)
{
    struct run_bench *bench = run_add_bench(run, "bench");

    *run_add_param(bench) = (struct run_param){name, value, "found"};
    if (model != NULL) {
        *run_add_param(bench) = (struct run_param){"model", model, "found"};
    }
    return bench;
}

/* Each disk and NIC once, with its kind. A NIC of a virtual machine is not a real one. */
static void test_devices(void)
{
    char text[RUN_KIND_MAX];
    struct run run;

    run_init(&run);
    CHECK(run_devices_text(&run, text) == NULL);
    *run_add_param(run_add_bench(&run, "bench")) = (struct run_param){"driver", "nvme", "plan"};
    CHECK(run_devices_text(&run, text) == NULL);
    CHECK(!run_is_modelled(add_device(&run, "driver", "nvme", NULL)));
    CHECK_TEXT(run_devices_text(&run, text), "disk real (nvme)");
    run_add_pair(&run, &run.machine, FACT_EMULATOR, "TCG");
    CHECK(run_is_modelled(add_device(&run, "driver", "model", "ssd2014")));
    add_device(&run, "driver", "model", "ssd2014");
    CHECK(
        run_is_modelled(add_device(&run, "models.pair", SIMULATED_LINK "," SIMULATED_LINK, NULL)));
    CHECK(!run_is_modelled(add_device(&run, "models.remote", "e1000", NULL)));
    CHECK_TEXT(run_devices_text(&run, text), "disk emulated (nvme), disk modelled (ssd2014), "
                                             "NIC modelled (simulated link), NIC emulated (e1000)");
    run_free(&run);
}

/* What is below the image: the last of the words that count, versions in short. */
static void test_under(void)
{
    char text[RUN_KIND_MAX];
    struct run run;

    run_init(&run);
    CHECK(run_under_text(&run, text) == NULL);
    run_add_pair(&run, &run.info, RUN_UNDER, RUN_UNDER_INTEL);
    run_add_pair(&run, &run.info, RUN_UNDER_L0, "Bochs 2.7");
    CHECK_TEXT(run_under_text(&run, text),
               "KVM (kvm_intel) of Linux unknown, mitigations by default, in Bochs 2.7 (VMX)");
    run_free(&run);

    run_init(&run);
    run_add_pair(&run, &run.info, RUN_UNDER, RUN_UNDER_AMD);
    run_add_pair(&run, &run.info, RUN_UNDER_L0, "QEMU emulator version 8.2.1 (Debian 1:8)");
    run_add_pair(&run, &run.info, RUN_UNDER_KERNEL, "6.1.0");
    run_add_pair(&run, &run.info, RUN_UNDER_LINE, "quiet mitigations=off x mitigations=auto");
    run_add_pair(&run, &run.info, RUN_UNDER_QEMU, "QEMU emulator version 10.0.2");
    run_add_pair(&run, &run.info, RUN_UNDER_MACHINE, "q35");
    CHECK_TEXT(run_under_text(&run, text),
               "KVM (kvm_amd) of Linux 6.1.0, mitigations=auto, in QEMU 8.2.1 (TCG; SVM without "
               "nrip-save: KVM decodes instructions); L2 q35 of QEMU 10.0.2");
    run_free(&run);

    run_init(&run);
    run_add_pair(&run, &run.info, RUN_UNDER, RUN_UNDER_LINUX);
    run_add_pair(&run, &run.info, RUN_UNDER_KERNEL, "6.1.0");
    CHECK_TEXT(run_under_text(&run, text), "Linux 6.1.0, mitigations by default, in unknown (TCG)");
    run_free(&run);
}

int main(void)
{
    RUN(test_under());
    RUN(test_kinds());
    RUN(test_reported_emulator());
    RUN(test_names());
    RUN(test_processors());
    RUN(test_devices());
    return unit_finish("unit_run_kind");
}

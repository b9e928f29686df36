/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the image publishes of the machine and of the run, and that the host looks up or
 * publishes as well. Each stands here once: image and host include it.
 */
#pragma once

/* Facts of the machine. */
#define FACT_CPU_VENDOR        "cpu_vendor"
#define FACT_CPU_BRAND         "cpu_brand"
#define FACT_CPU_SIGNATURE     "cpu_signature"
#define FACT_HYPERVISOR        "hypervisor"
#define FACT_EMULATOR          "emulated_by" /* an emulator of instructions: "TCG", "Bochs" */
#define FACT_INVARIANT_TSC     "invariant_tsc"
#define FACT_TSC_ADJUST        "tsc_adjust"
#define FACT_PROCESSORS        "processors"
#define FACT_TSC_AT_BEGIN      "tsc_at_begin"
#define FACT_TICKS_TO_BANNER   "ticks_exit_to_banner"
#define FACT_MEMORY_FREE_BYTES "memory_free_bytes"
#define FACT_MEMORY_MAP_RANGES "memory_map_ranges"
#define FACT_MEMORY_SPECIAL    "memory_special_bytes" /* of EFI_MEMORY_SP */
#define FACT_WINDOW_END        "window_end"
#define FACT_WINDOW_SPECIAL    "window_special" /* "yes": windows are of EFI_MEMORY_SP */
#define FACT_IMAGE_BASE        "image_base"
#define FACT_FIRMWARE_VENDOR   "firmware_vendor"
#define FACT_FIRMWARE_REVISION "firmware_revision"
#define FACT_EXIT_ATTEMPTS     "exit_boot_services_attempts"
#define FACT_FRAMEBUFFER       "framebuffer"
#define FACT_LAPIC             "lapic"
#define FACT_SERIAL            "serial"
#define FACT_PMU               "pmu"
#define FACT_PMU_EVENTS        "pmu_events"
#define FACT_SMI_COUNT         "smi_count"

/* How many kinds of processors work in the machine (kernel/cpu/kind.h), and where that is above 1
 * the name of each one's kind, FACT_PROCESSOR_KIND.NUMBER, and what a kind is, FACT_KIND.NAME, with
 * its caches, FACT_KIND.NAME.FACT_CACHE.CACHE. */
#define FACT_PROCESSOR_KINDS "processor_kinds"
#define FACT_PROCESSOR_KIND  "processor_kind"
#define FACT_KIND            "kind"

/* Facts of caches, FACT_CACHE.NAME, and of memory modules, FACT_DRAM.NUMBER. */
#define FACT_CACHE           "cache"
#define FACT_DRAM            "dram"
#define FACT_DRAM_SPEED      "dram_speed"
#define FACT_DRAM_DEVICES    "dram_devices"
#define FACT_DRAM_MT_S       "dram_mt_s"
#define FACT_DRAM_WIDTH_BITS "dram_width_bits"

/* Facts of the run. */
#define INFO_VERSION               "version"
#define INFO_FORMAT                "format"
#define INFO_RUN                   "run"
#define INFO_KIND                  "kind"
#define INFO_TICKS_PER_INSTRUCTION "ticks_per_instruction"
#define INFO_MACHINE               "machine"
#define INFO_HYPERVISOR            "hypervisor"
#define INFO_DATE                  "date"
#define INFO_EMULATOR_TIME         "emulator.time" /* the host's: what QEMU was asked for */
#define INFO_EMULATOR_SHIFT        "emulator.shift"
#define INFO_EMULATOR_STOPPED      "emulator.stopped" /* a bench in which QEMU stopped the machine */
#define INFO_PLAN_SENT             "plan.sent"        /* the host's, where another plan ran */
#define INFO_PLAN_SENT_SOURCE      "plan.sent_source"

/* How the image got its plan, as the record of the plan has it. */
#define PLAN_SOURCE_FW_CFG "fw_cfg"

/* Kinds of time. exact: the TSC counts instructions. emulated: an emulator of instructions without
 * exact time. real: a processor's, under a hypervisor or not. model: the host's, of a simulated
 * run. */
#define TIME_EXACT    "exact"
#define TIME_EMULATED "emulated"
#define TIME_REAL     "real"
#define TIME_MODEL    "model"

/* Whose the machine is. */
#define MACHINE_OWN    "own"
#define MACHINE_BORROW "borrow"

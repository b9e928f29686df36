/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the records on the line and of their fields. Image and host both include this file, so
 * each name is written only once.
 */
#pragma once

#include "kernel/link/records.def"

/* The key of a field in records.def. Does not compile if the record has no such field. */
#define RECORD_KEY(record, field) ((void)KEY_##record##_##field, #field)

/* Names of the records of a log. */
#define RECORD_TARE      "tare"
#define RECORD_RUN       "run"
#define RECORD_PLAN      "plan"
#define RECORD_MACHINE   "machine"
#define RECORD_SOURCE    "source"
#define RECORD_ESTIMATE  "estimate"
#define RECORD_VERDICT   "verdict"
#define RECORD_COUNTER   "counter"
#define RECORD_EVENT     "event"
#define RECORD_BENCH     "bench"
#define RECORD_PARAM     "param"
#define RECORD_EXPECT    "expect"
#define RECORD_FACT      "fact"
#define RECORD_ABSENT    "absent"
#define RECORD_BATCH     "batch"
#define RECORD_SERIES    "series"
#define RECORD_OBJECT    "object"
#define RECORD_TRACE     "trace"
#define RECORD_STATUS    "status"
#define RECORD_INPUT     "input"
#define RECORD_CRASH     "crash"
#define RECORD_FRAME     "frame"
#define RECORD_INTERRUPT "interrupt"
#define RECORD_ERROR     "error"
#define RECORD_END       "end"

/* Name of a record that is sent in an ANSWER frame and is not part of a run. */
#define RECORD_LIVE "live"

/* Start of the image's last line of text; the record `end` follows at once. */
#define TEXT_DONE "tare: done"

/* Names of the host's requests, and of the record that answers them. */
#define REQUEST_NAME_GET        "get"
#define REQUEST_NAME_STATUS     "status_request"
#define REQUEST_NAME_RATE       "rate"
#define REQUEST_NAME_RATE_CHECK "rate_check"
#define REQUEST_NAME_LINE_TEST  "line_test"
#define REQUEST_NAME_BYE        "bye"
#define REQUEST_NAME_HELLO      "hello"
#define RECORD_ANSWER           "answer"

/* Names of fields of requests, and of fields of records that are not in records.def. */
#define FIELD_AWAY         "away"
#define FIELD_BATCH        "batch"
#define FIELD_BAUD         "baud"
#define FIELD_BEGIN        "begin"
#define FIELD_BENCH        "bench"
#define FIELD_BYTES        "bytes"
#define FIELD_CODEC        "codec"
#define FIELD_CONTENT_CRC  "content_crc"
#define FIELD_COUNT        "count"
#define FIELD_CPU          "cpu"
#define FIELD_CRC          "crc"
#define FIELD_DISCARDED    "discarded"
#define FIELD_DPC_TRAIL    "dpc_trail"
#define FIELD_ELAPSED      "elapsed"
#define FIELD_END          "end"
#define FIELD_EVENT        "event"
#define FIELD_EXTENDED     "extended"
#define FIELD_FIRST        "first"
#define FIELD_FORMAT       "format"
#define FIELD_FRAMES       "frames"
#define FIELD_ISR_LEAD     "isr_lead"
#define FIELD_ISR_TRAIL    "isr_trail"
#define FIELD_KEPT         "kept"
#define FIELD_LARGEST      "largest"
#define FIELD_LARGEST_AT   "largest_at"
#define FIELD_LEAD         "lead"
#define FIELD_META         "meta"
#define FIELD_MODE         "mode"
#define FIELD_N            "n"
#define FIELD_NAME         "name"
#define FIELD_OF           "of"
#define FIELD_OK           "ok"
#define FIELD_ORIGIN       "origin"
#define FIELD_OVER         "over"
#define FIELD_OVERWRITTEN  "overwritten"
#define FIELD_PACKET_BYTES "packet_bytes"
#define FIELD_PART         "part"
#define FIELD_PASS         "pass"
#define FIELD_PROCESSOR    "processor"
#define FIELD_REASON       "reason"
#define FIELD_RECENT       "recent"
#define FIELD_RECORD       "record"
#define FIELD_RECORDS_LOST "records_lost"
#define FIELD_SERIES       "series"
#define FIELD_SMI          "smi"
#define FIELD_SMI_TICKS    "smi_ticks"
#define FIELD_SOURCE       "source"
#define FIELD_STATE        "state"
#define FIELD_STOLEN       "stolen"
#define FIELD_STREAM       "stream"
#define FIELD_SWITCH_TRAIL "switch_trail"
#define FIELD_TEXT         "text"
#define FIELD_THRESHOLD    "threshold"
#define FIELD_TO           "to"
#define FIELD_TOTAL        "total"
#define FIELD_UNIT         "unit"
#define FIELD_VALUE        "value"
#define FIELD_VECTOR       "vector"

/* Values of FIELD_STATE in RECORD_INPUT, of FIELD_FORMAT in a request, and of FIELD_ORIGIN. */
#define STATE_READY_FOR_INPUT "ready"
#define FORMAT_TEXT           "text"
#define ORIGIN_PLAN           "plan"
#define ORIGIN_DEFAULT        "default"
#define ORIGIN_FOUND          "found"

/* Identifiers that RECORD_KEY() checks for. */
/* clang-format off */
#define KEY_OF(record, name, column, type, need, meaning) KEY_##record##_##name,
enum record_key {
    SOURCE_FIELDS(KEY_OF) ESTIMATE_FIELDS(KEY_OF) VERDICT_FIELDS(KEY_OF) COUNTER_FIELDS(KEY_OF)
    EVENT_FIELDS(KEY_OF) BENCH_FIELDS(KEY_OF) STATUS_FIELDS(KEY_OF) EXPECT_FIELDS(KEY_OF)
    PARAM_FIELDS(KEY_OF) FACT_FIELDS(KEY_OF) ABSENT_FIELDS(KEY_OF) OBJECT_FIELDS(KEY_OF)
    FRAME_FIELDS(KEY_OF) INTERRUPT_FIELDS(KEY_OF)
};
#undef KEY_OF
/* clang-format on */

/*
 * Names of facts about the machine and the run. The image publishes them; the host looks them up or
 * publishes them as well.
 */

/* Names of facts about the machine. */
#define FACT_CPU_VENDOR    "cpu_vendor"
#define FACT_CPU_BRAND     "cpu_brand"
#define FACT_CPU_SIGNATURE "cpu_signature"
#define FACT_HYPERVISOR    "hypervisor"
/* What a stated rate of the TSC is, and how far from the measured one. */
#define PREFIX_TSC_DISAGREES "tsc_disagrees."
/* Name of an emulator of instructions: "TCG", "Bochs". */
#define FACT_EMULATOR          "emulated_by"
#define FACT_INVARIANT_TSC     "invariant_tsc"
#define FACT_TSC_ADJUST        "tsc_adjust"
#define FACT_PROCESSORS        "processors"
#define FACT_TSC_AT_BEGIN      "tsc_at_begin"
#define FACT_TICKS_TO_BANNER   "ticks_exit_to_banner"
#define FACT_MEMORY_FREE_BYTES "memory_free_bytes"
#define FACT_MEMORY_MAP_RANGES "memory_map_ranges"
/* Bytes of memory with attribute EFI_MEMORY_SP. */
#define FACT_MEMORY_SPECIAL    "memory_special_bytes"
#define FACT_WINDOW_END        "window_end"
#define FACT_WINDOW_SPECIAL    "window_special" /* "yes" if windows are in EFI_MEMORY_SP memory */
#define FACT_IMAGE_BASE        "image_base"
#define FACT_FIRMWARE_VENDOR   "firmware_vendor"
#define FACT_FIRMWARE_REVISION "firmware_revision"
#define FACT_EXIT_ATTEMPTS     "exit_boot_services_attempts"
#define FACT_FRAMEBUFFER       "framebuffer"
#define FACT_LOG_FILE          "log_file"
#define FACT_SETTING           "setting" /* the plan's name of the setting that is measured */
#define FACT_LAPIC             "lapic"
#define FACT_SERIAL            "serial"
#define FACT_PMU               "pmu"
#define FACT_PMU_EVENTS        "pmu_events"
#define FACT_SMI_COUNT         "smi_count"

/* FACT_PROCESSOR_KINDS is the number of processor kinds in use (kernel/cpu/kind.h). If it is above
 * 1, FACT_PROCESSOR_KIND.NUMBER is the name of each processor's kind, FACT_KIND.NAME describes a
 * kind, and FACT_KIND.NAME.FACT_CACHE.CACHE describes its caches. */
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

/* Names of facts about the run. */
#define INFO_VERSION "version"
#define INFO_FORMAT  "format"
#define INFO_RUN     "run"
/* Hash of what tells machines apart, the seal of the run (seal.h), and its kind of hash. The host
 * adds the state of the seal: SEAL_VERIFIED, or why it is not verified. */
#define INFO_FINGERPRINT           "fingerprint"
#define INFO_SEAL                  "seal"
#define INFO_SEAL_HASH             "seal.hash"
#define INFO_SEAL_STATE            "seal.state"
#define INFO_KIND                  "kind"
#define INFO_TICKS_PER_INSTRUCTION "ticks_per_instruction"
#define INFO_MACHINE               "machine"
#define INFO_HYPERVISOR            "hypervisor"
#define INFO_DATE                  "date"
/* Time at which the host last wrote to the log of the run, in UTC; published by the host unless the
 * run repeats exactly. */
#define INFO_CAPTURED "log.captured"
/* Which frames of another run the log has besides this one, whose seal is verified; published by
 * the host. */
#define INFO_OTHER_RUN "log.other_run"
/* Time base that the host asked QEMU for; published by the host. */
#define INFO_EMULATOR_TIME  "emulator.time"
#define INFO_EMULATOR_SHIFT "emulator.shift"
/* Name of a bench during which QEMU stopped the machine. */
#define INFO_EMULATOR_STOPPED "emulator.stopped"
/* The plan that the host sent; published by the host if another plan ran. */
#define INFO_PLAN_SENT        "plan.sent"
#define INFO_PLAN_SENT_SOURCE "plan.sent_source"
/* Order of the boots of two sides, published by the host: "abba, seed 7, boot 3". */
#define INFO_BOOT_ORDER "boot.order"

/* Values of INFO_SEAL_HASH and INFO_SEAL_STATE. */
#define SEAL_SHA256   "sha256"
#define SEAL_VERIFIED "verified"
#define SEAL_NONE     "unsealed" /* the image was older than seals */

/* Devices of the image itself, which have a timing model: driver of a disk, model of a NIC. */
#define MODELLED_DISK  "model"
#define SIMULATED_LINK "simulated link"

/* Value of the field `source` of the record `plan`: QEMU's device fw_cfg. */
#define PLAN_SOURCE_FW_CFG "fw_cfg"

/* Time bases. exact: the TSC counts instructions. exact, shared: it counts those of a hypervisor or
 * an operating system, too. emulated: an emulator of instructions without exact time. real: a
 * processor's time, under a hypervisor or not. model: a run simulated by the host. */
#define TIME_EXACT        "exact"
#define TIME_EXACT_SHARED "exact, shared"
#define TIME_EMULATED     "emulated"
#define TIME_REAL         "real"
#define TIME_MODEL        "model"

/* Who controls the machine: the image alone, or the firmware whose boot services it keeps. */
#define MACHINE_OWN    "own"
#define MACHINE_BORROW "borrow"

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes of the portable events on each microarchitecture. A row is listed only if two sources that
 * do not copy each other give its code: the manual or Intel's event lists
 * (github.com/intel/perfmon), and libpfm4 or the tables of Linux. kernel/pmu/tests/unit_events.c
 * compares every row with libpfm4, and lists the few that it cannot compare.
 *
 * TLB misses are those that no level of the TLB serves, that is page walks, so that they mean the
 * same everywhere. Loads and stores include both halves of instructions that do both.
 */
#include "kernel/pmu/event_tables.h"

#include <stddef.h>

#include "kernel/pmu/names.h"

#define CODE(event_select, unit_mask)                  \
    {                                                  \
        .select = (event_select), .umask = (unit_mask) \
    }
/* Texts are compiled for the host only; the image does not use them. */
#if __STDC_HOSTED__
#define MANUAL(text) , .manual = (text)
#define NOTE(text)   , .note = (text)
#else
#define MANUAL(text)
#define NOTE(text)
#endif
#define ONE(event_select, unit_mask, name) \
    .code_count = 1, .code = {CODE(event_select, unit_mask)} MANUAL(name)
#define SUM(event_select, unit_mask, event_select_2, unit_mask_2, name) \
    .code_count = 2,                                                    \
    .code = {CODE(event_select, unit_mask), CODE(event_select_2, unit_mask_2)} MANUAL(name)

/* Reasons why a row has no code. */
enum absence {
    PRESENT,
    UNCONFIRMED,
    NOT_LISTED,
    IN_MSR_34H,
    NO_SMI_COUNT,
    NO_SEGMENT_LOADS,
    BOTH_TOGETHER,
    NOT_ARCHITECTURAL,
    NOT_COMMON,
    NO_TABLE,
    CYCLES_ARE_TSC,
    ONE_CLOCK,
    CACHES_OUTSIDE,
    NO_SUCH_EVENT,
    BOTH_TOGETHER_43H,
    IN_NO_LATER_LIST,
    WESTMERE_STORES_ONLY,
    STORES_ONLY_05H,
    NOT_BEFORE_10H,
    NOT_SINCE_15H,
    L3_OUTSIDE,
};

static const char *const absence_texts[] = {
    [PRESENT] = NULL,
    [UNCONFIRMED] = "not in this table: not confirmed by two sources",
    [NOT_LISTED] = "not in Intel's event list for this processor",
    [IN_MSR_34H] = "counted by MSR 34h, not by an event",
    [NO_SMI_COUNT] = "no such event; MSR 34h counts them from Nehalem on",
    [NO_SEGMENT_LOADS] = "no such event since Nehalem",
    [BOTH_TOGETHER] = "event 40h counts only the sum of loads and stores",
    [NOT_ARCHITECTURAL] = "not an architectural event, and there is no table for this processor",
    [NOT_COMMON] = "differs between AMD processors, and there is no table for this one",
    [NO_TABLE] = "no table for this processor, and its vendor has no event common to all",
    [CYCLES_ARE_TSC] = "its cycle counter is the TSC; CC counts clocks only during an event",
    [ONE_CLOCK] = "its cycle counter is the TSC, and it has no other clock",
    [CACHES_OUTSIDE] = "no such event: the caches beyond the first are outside the processor",
    [NO_SUCH_EVENT] = "no such event",
    [BOTH_TOGETHER_43H] = "event 43h counts only the sum of loads and stores",
    [IN_NO_LATER_LIST] = "HW_INT.RCV, 1Dh/01h, is in the manual of 2009 but in no later list",
    [WESTMERE_STORES_ONLY] = "no such event; Westmere counts misaligned stores, not loads",
    [STORES_ONLY_05H] = "event 05h counts only misaligned stores",
    [NOT_BEFORE_10H] = "no such event before family 10h",
    [NOT_SINCE_15H] = "no such event since family 15h",
    [L3_OUTSIDE] =
        "the L3 is counted outside the core; fills by source are not confirmed by two sources",
};

const char *event_row_absence(const struct event_row *row)
{
    return absence_texts[row->absent];
}

/* General counters that can count an event, if not all can. */
#define COUNTERS_0_1    0x03
#define COUNTERS_0_TO_2 0x07
#define COUNTERS_0_TO_3 0x0f

#define SDM "SDM 3B, Performance-Monitoring Events: "

#define NOTE_BUS_CLOCK "counts at the bus clock; fixed counter 2 counts at the rate of the TSC"
#define NOTE_REFERENCE_133 \
    "counts at 133 MHz according to Intel's list; fixed counter 2 counts at the rate of the TSC"
#define NOTE_REFERENCE_100 "counts at 100 MHz; fixed counter 2 counts at the rate of the TSC"
#define NOTE_CRYSTAL       "counts at the crystal's clock; fixed counter 2 counts at the rate of the TSC"
#define NOTE_UOPS          "counts uops, not instructions"
#define NOTE_UOPS_LEAK(errata) \
    "counts uops; with Hyper-Threading it may include uops of the sibling, " errata
#define NOTE_LOADS_LEAK(errata)                                                     \
    "counts load uops, no stores; with Hyper-Threading it may include uops of the " \
    "sibling, " errata
#define NOTE_LINES_FILLED "counts lines brought in for any reason"
#define NOTE_LINE_SPLITS  "counts accesses that cross a line, including speculative ones"
#define NOTE_SPLITS                                                             \
    "counts retired instructions whose access crosses a line; misaligned ones " \
    "within a line are not counted"
#define NOTE_DISPATCHED   "counts at dispatch, including what does not retire"
#define NOTE_LINE_LOADS   "counts loads that cross a line; stores are not counted"
#define NOTE_WALKS        "Intel's list names erratum BDM69 for counts of walks"
#define NOTE_L2           "counts data misses of the L2; the L3 is counted outside the core"
#define NOTE_DEMAND_FILLS "counts fills requested by loads and stores, from any source"
#define NOTE_BEYOND_COMPLEX \
    "counts fills requested by loads and stores, from beyond the core complex and its L3"

static const struct event_table p5 = {
    .name = TABLE_P5 MANUAL(SDM "Pentium Processor Performance-Monitoring Events"),
    .row =
        {
            [EVENT_CYCLES] = {.absent = CYCLES_ARE_TSC},
            [EVENT_REF_CYCLES] = {.absent = ONE_CLOCK},
            [EVENT_INSTRUCTIONS] = {ONE(0x16, 0x00, "INSTRUCTIONS EXECUTED")},
            [EVENT_LOADS] = {ONE(0x00, 0x00, "DATA READ")},
            [EVENT_STORES] = {ONE(0x01, 0x00, "DATA WRITE")},
            [EVENT_ITLB_MISSES] = {ONE(0x0d, 0x00, "CODE TLB MISS")},
            [EVENT_DTLB_MISSES] = {ONE(0x02, 0x00, "DATA TLB MISS")},
            [EVENT_INTERRUPTS] = {ONE(0x27, 0x00, "HARDWARE INTERRUPTS")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x0f, 0x00, "ANY SEGMENT REGISTER LOADED")
                                         NOTE("includes LDTR, GDTR, IDTR and TR; far transfers and "
                                              "interrupts load segments as well")},
            [EVENT_MISALIGNED] = {ONE(0x0b, 0x00, "MISALIGNED DATA MEMORY OR I/O REFERENCES") NOTE(
                "2 and 4 bytes across a 4-byte boundary, 8 bytes across an 8-byte boundary")},
            [EVENT_BRANCHES] = {ONE(0x12, 0x00, "BRANCHES") NOTE(
                "includes interrupts, exceptions and serialising instructions")},
            [EVENT_MISPREDICTS] = {ONE(0x15, 0x00, "PIPELINE FLUSHES")
                                       NOTE("flushes of any cause: interrupts, exceptions and some "
                                            "descriptor loads as well")},
            [EVENT_L1D_MISSES] = {ONE(0x29, 0x00, "DATA_READ_MISS_OR_WRITE_MISS")},
            [EVENT_LLC_MISSES] = {.absent = CACHES_OUTSIDE},
            [EVENT_SMI] = {.absent = NO_SMI_COUNT},
        },
};

static const struct event_table p6 = {
    .name = TABLE_P6 MANUAL(SDM "P6 Family Processor Performance-Monitoring Events"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x79, 0x00, "CPU_CLK_UNHALTED")},
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED")},
            [EVENT_LOADS] = {.absent = BOTH_TOGETHER_43H},
            [EVENT_STORES] = {.absent = BOTH_TOGETHER_43H},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x00, "ITLB_MISS")},
            [EVENT_DTLB_MISSES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INTERRUPTS] = {ONE(0xc8, 0x00, "HW_INT_RX")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x06, 0x00, "SEGMENT_REG_LOADS")},
            [EVENT_MISALIGNED] = {ONE(0x05, 0x00, "MISALIGN_MEM_REF")},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED")},
            [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "BR_MISS_PRED_RETIRED")},
            [EVENT_L1D_MISSES] = {ONE(0x45, 0x00, "DCU_LINES_IN") NOTE(NOTE_LINES_FILLED)},
            [EVENT_LLC_MISSES] = {ONE(0x24, 0x00, "L2_LINES_IN") NOTE(
                "counts lines brought into the L2, which is the last level")},
            [EVENT_SMI] = {.absent = NO_SMI_COUNT},
        },
};

static const struct event_table core2 = {
    .name = TABLE_CORE2 MANUAL(SDM "Processors based on Intel Core Microarchitecture"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x3c, 0x00, "CPU_CLK_UNHALTED.CORE_P")},
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.BUS") NOTE(NOTE_BUS_CLOCK)},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_LOADS] = {ONE(0xc0, 0x01, "INST_RETIRED.LOADS")},
            [EVENT_STORES] = {ONE(0xc0, 0x02, "INST_RETIRED.STORES")},
            [EVENT_ITLB_MISSES] = {ONE(0x82, 0x12, "ITLB.MISSES")},
            [EVENT_DTLB_MISSES] = {ONE(0x08, 0x01, "DTLB_MISSES.ANY")},
            [EVENT_INTERRUPTS] = {ONE(0xc8, 0x00, "HW_INT_RCV")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x06, 0x00, "SEGMENT_REG_LOADS")},
            [EVENT_MISALIGNED] = {SUM(0x49, 0x01, 0x49, 0x02, "L1D_SPLIT.{LOADS,STORES}")
                                      NOTE("counts accesses that cross a line")},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ANY")},
            [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "BR_INST_RETIRED.MISPRED")},
            [EVENT_L1D_MISSES] = {ONE(0x45, 0x0f, "L1D_REPL") NOTE(NOTE_LINES_FILLED)},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LLC Misses (architectural)")
                                      NOTE("the L2 is the last level")},
            [EVENT_SMI] = {.absent = NO_SMI_COUNT},
        },
};

static const struct event_table nehalem = {
    .name =
        TABLE_NEHALEM MANUAL(SDM "Processors based on Intel Microarchitecture Code Name Nehalem"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x3c, 0x00, "CPU_CLK_UNHALTED.THREAD_P")},
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.REF_P")
                                      NOTE(NOTE_REFERENCE_133)},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Instruction Retired (architectural)")},
            [EVENT_LOADS] = {ONE(0x0b, 0x01, "MEM_INST_RETIRED.LOADS")},
            [EVENT_STORES] = {ONE(0x0b, 0x02, "MEM_INST_RETIRED.STORES")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.ANY")},
            [EVENT_DTLB_MISSES] = {ONE(0x49, 0x01, "DTLB_MISSES.ANY")},
            [EVENT_INTERRUPTS] = {.absent = IN_NO_LATER_LIST},
            [EVENT_SEGMENT_LOADS] = {ONE(0xf8, 0x01, "SEGMENT_REG_LOADS") NOTE(
                "in the manual of 2009 (253669-033), in no later list")},
            [EVENT_MISALIGNED] = {.absent = WESTMERE_STORES_ONLY},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "Branch Instruction Retired (architectural)")},
            [EVENT_MISPREDICTS] = {ONE(0x89, 0x7f, "BR_MISP_EXEC.ANY") NOTE(
                "counts executed branches, not only retired: C5h/00h is wrong, erratum AAJ80")},
            [EVENT_L1D_MISSES] = {ONE(0x51, 0x01, "L1D.REPL") NOTE(NOTE_LINES_FILLED),
                                  .counters = COUNTERS_0_1},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},
            [EVENT_SMI] = {.absent = IN_MSR_34H},
        },
};

static const struct event_table westmere = {
    .name =
        TABLE_WESTMERE MANUAL(SDM "Processors based on Intel Microarchitecture Code Name Westmere"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x3c, 0x00, "CPU_CLK_UNHALTED.THREAD_P")},
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.REF_P")
                                      NOTE(NOTE_REFERENCE_133)},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Instruction Retired (architectural)")},
            [EVENT_LOADS] = {ONE(0x0b, 0x01, "MEM_INST_RETIRED.LOADS")},
            [EVENT_STORES] = {ONE(0x0b, 0x02, "MEM_INST_RETIRED.STORES")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.ANY")},
            [EVENT_DTLB_MISSES] = {ONE(0x49, 0x01, "DTLB_MISSES.ANY")},
            [EVENT_INTERRUPTS] = {.absent = NOT_LISTED},
            [EVENT_SEGMENT_LOADS] = {.absent = UNCONFIRMED},
            [EVENT_MISALIGNED] = {.absent = STORES_ONLY_05H},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "Branch Instruction Retired (architectural)")},
            [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "Branch Misses Retired (architectural)")},
            [EVENT_L1D_MISSES] = {ONE(0x51, 0x01, "L1D.REPL") NOTE(NOTE_LINES_FILLED),
                                  .counters = COUNTERS_0_1},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},
            [EVENT_SMI] = {.absent = IN_MSR_34H},
        },
};

/* Rows that are the same from Sandy Bridge to Broadwell. */
#define ROWS_SANDYBRIDGE_TO_BROADWELL                                                    \
    [EVENT_CYCLES] = {ONE(0x3c, 0x00, "CPU_CLK_UNHALTED.THREAD_P")},                     \
    [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_THREAD_UNHALTED.REF_XCLK")            \
                              NOTE(NOTE_REFERENCE_100)},                                 \
    [EVENT_INTERRUPTS] = {.absent = NOT_LISTED},                                         \
    [EVENT_SEGMENT_LOADS] = {.absent = NO_SEGMENT_LOADS},                                \
    [EVENT_MISALIGNED] = {SUM(0x05, 0x01, 0x05, 0x02, "MISALIGN_MEM_REF.{LOADS,STORES}") \
                              NOTE(NOTE_LINE_SPLITS)},                                   \
    [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ALL_BRANCHES")},                \
    [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "BR_MISP_RETIRED.ALL_BRANCHES")},             \
    [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},                    \
    [EVENT_SMI] = {.absent = IN_MSR_34H}

static const struct event_table sandybridge = {
    .name = TABLE_SANDYBRIDGE MANUAL(SDM "Processors based on Sandy Bridge Microarchitecture"),
    .row =
        {
            ROWS_SANDYBRIDGE_TO_BROADWELL,
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_LOADS] = {ONE(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS")
                                 NOTE(NOTE_UOPS_LEAK("BJ122")),
                             .counters = COUNTERS_0_TO_3},
            [EVENT_STORES] = {ONE(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES")
                                  NOTE(NOTE_UOPS_LEAK("BJ122")),
                              .counters = COUNTERS_0_TO_3},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x01, 0x49, 0x01,
                                       "DTLB_{LOAD,STORE}_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_L1D_MISSES] = {ONE(0x51, 0x01, "L1D.REPLACEMENT") NOTE(NOTE_LINES_FILLED)},
        },
};

static const struct event_table ivybridge = {
    .name = TABLE_IVYBRIDGE MANUAL(SDM "Processors based on Ivy Bridge Microarchitecture"),
    .row =
        {
            ROWS_SANDYBRIDGE_TO_BROADWELL,
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_LOADS] = {ONE(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS")
                                 NOTE(NOTE_UOPS_LEAK("BV98")),
                             .counters = COUNTERS_0_TO_3},
            [EVENT_STORES] = {ONE(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES")
                                  NOTE(NOTE_UOPS_LEAK("BV98")),
                              .counters = COUNTERS_0_TO_3},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x81, 0x49, 0x01,
                                       "DTLB_{LOAD,STORE}_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_L1D_MISSES] = {ONE(0xd1, 0x08, "MEM_LOAD_UOPS_RETIRED.L1_MISS")
                                      NOTE(NOTE_LOADS_LEAK("BV98")),
                                  .counters = COUNTERS_0_TO_3},
        },
};

static const struct event_table haswell = {
    .name = TABLE_HASWELL MANUAL(SDM "Processors based on Haswell Microarchitecture"),
    .row =
        {
            ROWS_SANDYBRIDGE_TO_BROADWELL,
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")
                                        NOTE("Intel's list names errata HSD11 and HSD140")},
            [EVENT_LOADS] = {ONE(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS")
                                 NOTE(NOTE_UOPS_LEAK("HSD29, HSM30")),
                             .counters = COUNTERS_0_TO_3},
            [EVENT_STORES] = {ONE(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES")
                                  NOTE(NOTE_UOPS_LEAK("HSD29, HSM30")),
                              .counters = COUNTERS_0_TO_3},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x01, 0x49, 0x01,
                                       "DTLB_{LOAD,STORE}_MISSES.MISS_CAUSES_A_WALK")},
            [EVENT_L1D_MISSES] = {ONE(0xd1, 0x08, "MEM_LOAD_UOPS_RETIRED.L1_MISS")
                                      NOTE(NOTE_LOADS_LEAK("HSM30")),
                                  .counters = COUNTERS_0_TO_3},
        },
};

static const struct event_table broadwell = {
    .name = TABLE_BROADWELL MANUAL(SDM "Processors based on Broadwell Microarchitecture"),
    .row =
        {
            ROWS_SANDYBRIDGE_TO_BROADWELL,
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")
                                        NOTE("Intel's list names erratum BDM61")},
            [EVENT_LOADS] = {ONE(0xd0, 0x81, "MEM_UOPS_RETIRED.ALL_LOADS") NOTE(NOTE_UOPS),
                             .counters = COUNTERS_0_TO_3},
            [EVENT_STORES] = {ONE(0xd0, 0x82, "MEM_UOPS_RETIRED.ALL_STORES") NOTE(NOTE_UOPS),
                              .counters = COUNTERS_0_TO_3},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x01, "ITLB_MISSES.MISS_CAUSES_A_WALK")
                                       NOTE(NOTE_WALKS)},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x01, 0x49, 0x01,
                                       "DTLB_{LOAD,STORE}_MISSES.MISS_CAUSES_A_WALK")
                                       NOTE(NOTE_WALKS)},
            [EVENT_L1D_MISSES] = {ONE(0xd1, 0x08, "MEM_LOAD_UOPS_RETIRED.L1_MISS")
                                      NOTE("counts load uops; stores are not counted"),
                                  .counters = COUNTERS_0_TO_3},
        },
};

/* Rows that are the same on all Intel cores since Skylake. */
#define ROWS_SINCE_SKYLAKE                                                                        \
    [EVENT_CYCLES] = {ONE(0x3c, 0x00, "CPU_CLK_UNHALTED.THREAD_P")},                              \
    [EVENT_LOADS] = {ONE(0xd0, 0x81, "MEM_INST_RETIRED.ALL_LOADS"), .counters = COUNTERS_0_TO_3}, \
    [EVENT_STORES] = {ONE(0xd0, 0x82, "MEM_INST_RETIRED.ALL_STORES"),                             \
                      .counters = COUNTERS_0_TO_3},                                               \
    [EVENT_SEGMENT_LOADS] = {.absent = NO_SEGMENT_LOADS},                                         \
    [EVENT_MISALIGNED] = {SUM(0xd0, 0x41, 0xd0, 0x42, "MEM_INST_RETIRED.SPLIT_{LOADS,STORES}")    \
                              NOTE(NOTE_SPLITS),                                                  \
                          .counters = COUNTERS_0_TO_3},                                           \
    [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "BR_MISP_RETIRED.ALL_BRANCHES")},                      \
    [EVENT_L1D_MISSES] = {ONE(0xd1, 0x08, "MEM_LOAD_RETIRED.L1_MISS")                             \
                              NOTE("counts retired loads; stores are not counted"),               \
                          .counters = COUNTERS_0_TO_3},                                           \
    [EVENT_SMI] = {.absent = IN_MSR_34H}

static const struct event_table skylake = {
    .name = TABLE_SKYLAKE MANUAL(SDM "Processors based on Skylake Microarchitecture"),
    .row =
        {
            ROWS_SINCE_SKYLAKE,
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_THREAD_UNHALTED.REF_XCLK")
                                      NOTE(NOTE_CRYSTAL)},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")
                                        NOTE("Intel's list names errata SKL044 and SKL091")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x0e, "ITLB_MISSES.WALK_COMPLETED")},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x0e, 0x49, 0x0e,
                                       "DTLB_{LOAD,STORE}_MISSES.WALK_COMPLETED")},
            [EVENT_INTERRUPTS] = {ONE(0xcb, 0x01, "HW_INTERRUPTS.RECEIVED")},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ALL_BRANCHES")
                                    NOTE("Intel's list names erratum SKL091")},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")
                                      NOTE("Intel's list names erratum SKL057")},
        },
};

static const struct event_table icelake = {
    .name = TABLE_ICELAKE MANUAL(
        "Intel's event lists ICL, ICX, TGL, RKL (intel/perfmon), to which SDM 3B refers"),
    .row =
        {
            ROWS_SINCE_SKYLAKE,
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.REF_XCLK") NOTE(NOTE_CRYSTAL)},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x0e, "ITLB_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_DTLB_MISSES] = {SUM(0x08, 0x0e, 0x49, 0x0e,
                                       "DTLB_{LOAD,STORE}_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_INTERRUPTS] = {.absent = NOT_LISTED},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ALL_BRANCHES")},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},
        },
};

static const struct event_table sapphirerapids = {
    .name = TABLE_SAPPHIRERAPIDS MANUAL(
        "Intel's event lists SPR, EMR, GNR (intel/perfmon), to which SDM 3B refers"),
    .row =
        {
            ROWS_SINCE_SKYLAKE,
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.REF_TSC_P")
                                      NOTE("counts at the rate of the TSC")},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_ITLB_MISSES] = {ONE(0x11, 0x0e, "ITLB_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_DTLB_MISSES] = {SUM(0x12, 0x0e, 0x13, 0x0e,
                                       "DTLB_{LOAD,STORE}_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_INTERRUPTS] = {ONE(0xcb, 0x01, "HW_INTERRUPTS.RECEIVED")},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ALL_BRANCHES")},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},
        },
};

static const struct event_table alderlake = {
    .name = TABLE_ALDERLAKE MANUAL(
        "Intel's event lists ADL and MTL, large cores (intel/perfmon), to which SDM 3B refers"),
    .row =
        {
            ROWS_SINCE_SKYLAKE,
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "CPU_CLK_UNHALTED.REF_TSC_P")
                                      NOTE("counts at the rate of the TSC")},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "INST_RETIRED.ANY_P")},
            [EVENT_ITLB_MISSES] = {ONE(0x11, 0x0e, "ITLB_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_DTLB_MISSES] = {SUM(0x12, 0x0e, 0x13, 0x0e,
                                       "DTLB_{LOAD,STORE}_MISSES.WALK_COMPLETED"),
                                   .counters = COUNTERS_0_TO_3},
            [EVENT_INTERRUPTS] = {.absent = NOT_LISTED},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "BR_INST_RETIRED.ALL_BRANCHES")},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LONGEST_LAT_CACHE.MISS")},
        },
};

const struct event_table event_table_architectural = {
    .name = TABLE_ARCHITECTURAL MANUAL(SDM "Architectural Performance-Monitoring Events"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x3c, 0x00, "UnHalted Core Cycles")},
            [EVENT_REF_CYCLES] = {ONE(0x3c, 0x01, "UnHalted Reference Cycles") NOTE(
                "counts at the clock of the bus, of the crystal or of the TSC, by model")},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Instruction Retired")},
            [EVENT_LOADS] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_STORES] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_ITLB_MISSES] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_DTLB_MISSES] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_INTERRUPTS] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_SEGMENT_LOADS] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_MISALIGNED] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_BRANCHES] = {ONE(0xc4, 0x00, "Branch Instruction Retired")},
            [EVENT_MISPREDICTS] = {ONE(0xc5, 0x00, "Branch Misses Retired")},
            [EVENT_L1D_MISSES] = {.absent = NOT_ARCHITECTURAL},
            [EVENT_LLC_MISSES] = {ONE(0x2e, 0x41, "LLC Misses")},
            [EVENT_SMI] = {.absent = IN_MSR_34H},
        },
};

static const struct event_table k7 = {
    .name = TABLE_K7 MANUAL(
        "AMD Athlon Processor x86 Code Optimization Guide, 22007: Performance-Monitoring Counters"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x76, 0x00, "CPU Clocks not Halted")},
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},
            [EVENT_LOADS] = {.absent = BOTH_TOGETHER},
            [EVENT_STORES] = {.absent = BOTH_TOGETHER},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x00, "L1 ITLB Miss and L2 ITLB Miss")},
            [EVENT_DTLB_MISSES] = {ONE(0x46, 0x00, "L1 DTLB and L2 DTLB Miss")},
            [EVENT_INTERRUPTS] = {ONE(0xcf, 0x00, "Interrupts Taken")},
            [EVENT_SEGMENT_LOADS] = {.absent = UNCONFIRMED},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Accesses")},
            [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},
            [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Mispredicted Branch Instructions")},
            [EVENT_L1D_MISSES] = {ONE(0x41, 0x00, "Data Cache Misses")},
            [EVENT_LLC_MISSES] = {.absent = UNCONFIRMED},
            [EVENT_SMI] = {.absent = NOT_BEFORE_10H},
        },
};

static const struct event_table k8 = {
    .name = TABLE_K8 MANUAL("AMD BKDG for Athlon 64 and Opteron, 26094: Performance Monitoring"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x76, 0x00, "CPU Clocks not Halted")},
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},
            [EVENT_LOADS] = {.absent = BOTH_TOGETHER},
            [EVENT_STORES] = {.absent = BOTH_TOGETHER},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x00, "L1 ITLB Miss and L2 ITLB Miss")},
            [EVENT_DTLB_MISSES] = {ONE(0x46, 0x00, "L1 DTLB and L2 DTLB Miss")},
            [EVENT_INTERRUPTS] = {ONE(0xcf, 0x00, "Interrupts Taken")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x20, 0x7f, "Segment Register Loads")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Accesses")},
            [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},
            [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Mispredicted Branch Instructions")},
            [EVENT_L1D_MISSES] = {ONE(0x41, 0x00, "Data Cache Misses")},
            [EVENT_LLC_MISSES] = {ONE(0x7e, 0x02, "L2 Cache Misses") NOTE(
                "counts data misses of the L2, which is the last level")},
            [EVENT_SMI] = {.absent = NOT_BEFORE_10H},
        },
};

static const struct event_table amd_10h = {
    .name = TABLE_AMD_10H MANUAL("AMD BKDG for family 10h, 31116: Performance Counter Events"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x76, 0x00, "CPU Clocks not Halted")},
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},
            [EVENT_LOADS] = {.absent = BOTH_TOGETHER},
            [EVENT_STORES] = {.absent = BOTH_TOGETHER},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x03, "L1 ITLB Miss and L2 ITLB Miss")},
            [EVENT_DTLB_MISSES] = {ONE(0x46, 0x07, "L1 DTLB and L2 DTLB Miss")},
            [EVENT_INTERRUPTS] = {ONE(0xcf, 0x00, "Interrupts Taken")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x20, 0x7f, "Segment Register Loads")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Accesses")},
            [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},
            [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Mispredicted Branch Instructions")},
            [EVENT_L1D_MISSES] = {ONE(0x41, 0x00, "Data Cache Misses")},
            [EVENT_LLC_MISSES] = {ONE(0x7e, 0x02, "L2 Cache Misses") NOTE(
                "misses of the L2, by data; the L3's event, 4E1h, is shared by all cores")},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

static const struct event_table amd_15h = {
    .name = TABLE_AMD_15H MANUAL("AMD BKDG for family 15h, 42301: Performance Counter Events"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x76, 0x00, "CPU Clocks not Halted"),
                              .counters = COUNTERS_0_TO_2},
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},
            [EVENT_LOADS] = {ONE(0x29, 0x05, "LS Dispatch: loads, load-op-stores")
                                 NOTE(NOTE_DISPATCHED)},
            [EVENT_STORES] = {ONE(0x29, 0x06, "LS Dispatch: stores, load-op-stores")
                                  NOTE(NOTE_DISPATCHED)},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x07, "L1 ITLB Miss, L2 ITLB Miss"),
                                   .counters = COUNTERS_0_TO_2},
            [EVENT_DTLB_MISSES] = {ONE(0x46, 0x07, "Unified TLB Miss: data"),
                                   .counters = COUNTERS_0_TO_2},
            [EVENT_INTERRUPTS] = {ONE(0xcf, 0x00, "Interrupts Taken")},
            [EVENT_SEGMENT_LOADS] = {ONE(0x20, 0x7f, "Segment Register Loads")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Accesses")},
            [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},
            [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Mispredicted Branch Instructions")},
            [EVENT_L1D_MISSES] = {ONE(0x41, 0x01, "Data Cache Misses")
                                      NOTE("the first streaming store to a line counts as well")},
            [EVENT_LLC_MISSES] = {ONE(0x7e, 0x02, "L2 Cache Misses") NOTE(NOTE_L2),
                                  .counters = COUNTERS_0_TO_2},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

/* Rows that are the same on Zen 1 to Zen 5. */
#define ROWS_OF_ZEN                                                                               \
    [EVENT_CYCLES] = {ONE(0x76, 0x00, "Cycles not in Halt")},                                     \
    [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},                             \
    [EVENT_LOADS] = {ONE(0x29, 0x05, "LS Dispatch: loads, load-stores") NOTE(NOTE_DISPATCHED)},   \
    [EVENT_STORES] = {ONE(0x29, 0x06, "LS Dispatch: stores, load-stores") NOTE(NOTE_DISPATCHED)}, \
    [EVENT_DTLB_MISSES] = {ONE(0x45, 0xf0, "L1 DTLB Misses: those that miss the L2 DTLB")},       \
    [EVENT_SEGMENT_LOADS] = {.absent = NOT_SINCE_15H},                                            \
    [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},                          \
    [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Branch Instructions Mispredicted")}

static const struct event_table zen1 = {
    .name = TABLE_ZEN1 MANUAL(
        "AMD PPR for family 17h models 00h to 0Fh, 54945: Core Performance Monitor Counters"),
    .row =
        {
            ROWS_OF_ZEN,
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x07, "L1 ITLB Miss, L2 ITLB Miss")},
            [EVENT_INTERRUPTS] = {.absent = UNCONFIRMED},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Loads")
                                      NOTE("counts loads; stores are not counted")},
            [EVENT_L1D_MISSES] = {ONE(0x60, 0xc8, "Requests to L2 Group1") NOTE(
                "counts what the L1 data cache asks of the L2, its prefetches as well")},
            [EVENT_LLC_MISSES] = {.absent = L3_OUTSIDE},
            [EVENT_SMI] = {.absent = UNCONFIRMED},
        },
};

static const struct event_table zen2 = {
    .name = TABLE_ZEN2 MANUAL(
        "AMD PPR for family 17h model 71h, 56176: Core Performance Monitor Counters"),
    .row =
        {
            ROWS_OF_ZEN,
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x07, "L1 ITLB Miss, L2 ITLB Miss")},
            [EVENT_INTERRUPTS] = {ONE(0x2c, 0x00, "Interrupts Taken")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x00, "Misaligned Loads")
                                      NOTE("counts loads; stores are not counted")},
            [EVENT_L1D_MISSES] = {ONE(0x43, 0x5b, "Data Cache Refills from System")
                                      NOTE(NOTE_DEMAND_FILLS)},
            [EVENT_LLC_MISSES] = {ONE(0x43, 0x58, "Data Cache Refills from System")
                                      NOTE("counts demand fills from memory and from other nodes; "
                                           "the L3s of a node are not distinguished")},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

static const struct event_table zen3 = {
    .name = TABLE_ZEN3 MANUAL(
        "AMD PPR for family 19h model 01h, 55898: Core Performance Monitor Counters"),
    .row =
        {
            ROWS_OF_ZEN,
            [EVENT_REF_CYCLES] = {.absent = NO_SUCH_EVENT},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x0f, "ITLB Reload from Page-Table Walk")},
            [EVENT_INTERRUPTS] = {ONE(0x2c, 0x00, "Interrupts Taken")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x01, "Misaligned Loads") NOTE(NOTE_LINE_LOADS)},
            [EVENT_L1D_MISSES] = {ONE(0x43, 0x5f, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_DEMAND_FILLS)},
            [EVENT_LLC_MISSES] = {ONE(0x43, 0x5c, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_BEYOND_COMPLEX)},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

static const struct event_table zen4 = {
    .name = TABLE_ZEN4 MANUAL(
        "AMD PPR for family 19h model 11h, 55901: Core Performance Monitor Counters"),
    .row =
        {
            ROWS_OF_ZEN,
            [EVENT_REF_CYCLES] = {ONE(0x120, 0x01, "P0 Freq Cycles not in Halt")
                                      NOTE("counts at the frequency of P0, as MPERF does")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x0f, "ITLB Reload from Page-Table Walk")},
            [EVENT_INTERRUPTS] = {ONE(0x2c, 0x00, "Interrupts Taken")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x01, "Misaligned Loads") NOTE(NOTE_LINE_LOADS)},
            [EVENT_L1D_MISSES] = {ONE(0x43, 0xdf, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_DEMAND_FILLS)},
            [EVENT_LLC_MISSES] = {ONE(0x43, 0xdc, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_BEYOND_COMPLEX)},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

static const struct event_table zen5 = {
    .name = TABLE_ZEN5 MANUAL(
        "AMD Performance Monitor Counters for family 1Ah models 00h to 0Fh, 58550: Core "
        "Performance Monitor Counters"),
    .row =
        {
            ROWS_OF_ZEN,
            [EVENT_REF_CYCLES] = {ONE(0x120, 0x01, "P0 Freq Cycles not in Halt")
                                      NOTE("counts at the frequency of P0, as MPERF does")},
            [EVENT_ITLB_MISSES] = {ONE(0x85, 0x0f, "ITLB Reload from Page-Table Walk")},
            [EVENT_INTERRUPTS] = {ONE(0x2c, 0x00, "Interrupts Taken")},
            [EVENT_MISALIGNED] = {ONE(0x47, 0x01, "Misaligned Loads") NOTE(NOTE_LINE_LOADS)},
            [EVENT_L1D_MISSES] = {ONE(0x43, 0xdf, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_DEMAND_FILLS)},
            [EVENT_LLC_MISSES] = {ONE(0x43, 0xdc, "Demand Data Cache Fills by Data Source")
                                      NOTE(NOTE_BEYOND_COMPLEX)},
            [EVENT_SMI] = {ONE(0x2b, 0x00, "SMIs Received")},
        },
};

const struct event_table event_table_amd = {
    .name = TABLE_AMD MANUAL("the same in every AMD guide of 1999 to 2024, 22007 to 58550"),
    .row =
        {
            [EVENT_CYCLES] = {ONE(0x76, 0x00, "CPU Clocks not Halted")},
            [EVENT_REF_CYCLES] = {.absent = NOT_COMMON},
            [EVENT_INSTRUCTIONS] = {ONE(0xc0, 0x00, "Retired Instructions")},
            [EVENT_LOADS] = {.absent = NOT_COMMON},
            [EVENT_STORES] = {.absent = NOT_COMMON},
            [EVENT_ITLB_MISSES] = {.absent = NOT_COMMON},
            [EVENT_DTLB_MISSES] = {.absent = NOT_COMMON},
            [EVENT_INTERRUPTS] = {.absent = NOT_COMMON},
            [EVENT_SEGMENT_LOADS] = {.absent = NOT_COMMON},
            [EVENT_MISALIGNED] = {.absent = NOT_COMMON},
            [EVENT_BRANCHES] = {ONE(0xc2, 0x00, "Retired Branch Instructions")},
            [EVENT_MISPREDICTS] = {ONE(0xc3, 0x00, "Retired Mispredicted Branch Instructions")},
            [EVENT_L1D_MISSES] = {.absent = NOT_COMMON},
            [EVENT_LLC_MISSES] = {.absent = NOT_COMMON},
            [EVENT_SMI] = {.absent = NOT_COMMON},
        },
};

const struct event_table event_table_none = {
    .name = TABLE_NONE MANUAL("none"),
    .row =
        {
            [EVENT_CYCLES] = {.absent = NO_TABLE},
            [EVENT_REF_CYCLES] = {.absent = NO_TABLE},
            [EVENT_INSTRUCTIONS] = {.absent = NO_TABLE},
            [EVENT_LOADS] = {.absent = NO_TABLE},
            [EVENT_STORES] = {.absent = NO_TABLE},
            [EVENT_ITLB_MISSES] = {.absent = NO_TABLE},
            [EVENT_DTLB_MISSES] = {.absent = NO_TABLE},
            [EVENT_INTERRUPTS] = {.absent = NO_TABLE},
            [EVENT_SEGMENT_LOADS] = {.absent = NO_TABLE},
            [EVENT_MISALIGNED] = {.absent = NO_TABLE},
            [EVENT_BRANCHES] = {.absent = NO_TABLE},
            [EVENT_MISPREDICTS] = {.absent = NO_TABLE},
            [EVENT_L1D_MISSES] = {.absent = NO_TABLE},
            [EVENT_LLC_MISSES] = {.absent = NO_TABLE},
            [EVENT_SMI] = {.absent = NO_TABLE},
        },
};

const struct event_table *const event_tables[] = {
    &p5,
    &p6,
    &core2,
    &nehalem,
    &westmere,
    &sandybridge,
    &ivybridge,
    &haswell,
    &broadwell,
    &skylake,
    &icelake,
    &sapphirerapids,
    &alderlake,
    &event_table_architectural,
    &k7,
    &k8,
    &amd_10h,
    &amd_15h,
    &zen1,
    &zen2,
    &zen3,
    &zen4,
    &zen5,
    &event_table_amd,
    &event_table_none,
    NULL,
};

#define ANY_MODEL 0, UINT8_MAX

/* Intel's model numbers are from Linux, arch/x86/include/asm/intel-family.h, and from mapfile.csv
 * of intel/perfmon; AMD's are from Linux, arch/x86/kernel/cpu/amd.c. */
const struct event_models event_models[] = {
    {&p5, VENDOR_INTEL, 0x05, 0x00, 0x08},
    {&p6, VENDOR_INTEL, 0x06, 0x01, 0x01},
    {&p6, VENDOR_INTEL, 0x06, 0x03, 0x03},
    {&p6, VENDOR_INTEL, 0x06, 0x05, 0x08},
    {&p6, VENDOR_INTEL, 0x06, 0x0a, 0x0b},
    {&core2, VENDOR_INTEL, 0x06, 0x0f, 0x0f},
    {&core2, VENDOR_INTEL, 0x06, 0x16, 0x16},
    {&core2, VENDOR_INTEL, 0x06, 0x17, 0x17},
    {&core2, VENDOR_INTEL, 0x06, 0x1d, 0x1d},
    {&nehalem, VENDOR_INTEL, 0x06, 0x1a, 0x1a},
    {&nehalem, VENDOR_INTEL, 0x06, 0x1e, 0x1e},
    {&nehalem, VENDOR_INTEL, 0x06, 0x1f, 0x1f},
    {&nehalem, VENDOR_INTEL, 0x06, 0x2e, 0x2e},
    {&westmere, VENDOR_INTEL, 0x06, 0x25, 0x25},
    {&westmere, VENDOR_INTEL, 0x06, 0x2c, 0x2c},
    {&westmere, VENDOR_INTEL, 0x06, 0x2f, 0x2f},
    {&sandybridge, VENDOR_INTEL, 0x06, 0x2a, 0x2a},
    {&sandybridge, VENDOR_INTEL, 0x06, 0x2d, 0x2d},
    {&ivybridge, VENDOR_INTEL, 0x06, 0x3a, 0x3a},
    {&ivybridge, VENDOR_INTEL, 0x06, 0x3e, 0x3e},
    {&haswell, VENDOR_INTEL, 0x06, 0x3c, 0x3c},
    {&haswell, VENDOR_INTEL, 0x06, 0x3f, 0x3f},
    {&haswell, VENDOR_INTEL, 0x06, 0x45, 0x45},
    {&haswell, VENDOR_INTEL, 0x06, 0x46, 0x46},
    {&broadwell, VENDOR_INTEL, 0x06, 0x3d, 0x3d},
    {&broadwell, VENDOR_INTEL, 0x06, 0x47, 0x47},
    {&broadwell, VENDOR_INTEL, 0x06, 0x4f, 0x4f},
    {&broadwell, VENDOR_INTEL, 0x06, 0x56, 0x56},
    {&skylake, VENDOR_INTEL, 0x06, 0x4e, 0x4e},
    {&skylake, VENDOR_INTEL, 0x06, 0x55, 0x55},
    {&skylake, VENDOR_INTEL, 0x06, 0x5e, 0x5e},
    {&skylake, VENDOR_INTEL, 0x06, 0x8e, 0x8e},
    {&skylake, VENDOR_INTEL, 0x06, 0x9e, 0x9e},
    {&skylake, VENDOR_INTEL, 0x06, 0xa5, 0xa5},
    {&skylake, VENDOR_INTEL, 0x06, 0xa6, 0xa6},
    {&icelake, VENDOR_INTEL, 0x06, 0x6a, 0x6a},
    {&icelake, VENDOR_INTEL, 0x06, 0x6c, 0x6c},
    {&icelake, VENDOR_INTEL, 0x06, 0x7d, 0x7d},
    {&icelake, VENDOR_INTEL, 0x06, 0x7e, 0x7e},
    {&icelake, VENDOR_INTEL, 0x06, 0x8c, 0x8c},
    {&icelake, VENDOR_INTEL, 0x06, 0x8d, 0x8d},
    {&icelake, VENDOR_INTEL, 0x06, 0x9d, 0x9d},
    {&icelake, VENDOR_INTEL, 0x06, 0xa7, 0xa7},
    {&sapphirerapids, VENDOR_INTEL, 0x06, 0x8f, 0x8f},
    {&sapphirerapids, VENDOR_INTEL, 0x06, 0xcf, 0xcf},
    {&sapphirerapids, VENDOR_INTEL, 0x06, 0xad, 0xad},
    {&sapphirerapids, VENDOR_INTEL, 0x06, 0xae, 0xae},
    {&alderlake, VENDOR_INTEL, 0x06, 0x97, 0x97},
    {&alderlake, VENDOR_INTEL, 0x06, 0x9a, 0x9a},
    {&alderlake, VENDOR_INTEL, 0x06, 0xb7, 0xb7},
    {&alderlake, VENDOR_INTEL, 0x06, 0xba, 0xba},
    {&alderlake, VENDOR_INTEL, 0x06, 0xbf, 0xbf},
    {&alderlake, VENDOR_INTEL, 0x06, 0xaa, 0xaa},
    {&alderlake, VENDOR_INTEL, 0x06, 0xac, 0xac},
    {&alderlake, VENDOR_INTEL, 0x06, 0xb5, 0xb5},
    {&k7, VENDOR_AMD, 0x06, ANY_MODEL},
    {&k8, VENDOR_AMD, 0x0f, ANY_MODEL},
    {&amd_10h, VENDOR_AMD, 0x10, ANY_MODEL},
    {&amd_15h, VENDOR_AMD, 0x15, ANY_MODEL},
    {&zen1, VENDOR_AMD, 0x17, 0x00, 0x2f},
    {&zen1, VENDOR_AMD, 0x17, 0x50, 0x5f},
    {&zen2, VENDOR_AMD, 0x17, 0x30, 0x4f},
    {&zen2, VENDOR_AMD, 0x17, 0x60, 0x7f},
    {&zen2, VENDOR_AMD, 0x17, 0x90, 0x91},
    {&zen2, VENDOR_AMD, 0x17, 0xa0, 0xaf},
    {&zen3, VENDOR_AMD, 0x19, 0x00, 0x0f},
    {&zen3, VENDOR_AMD, 0x19, 0x20, 0x5f},
    {&zen4, VENDOR_AMD, 0x19, 0x10, 0x1f},
    {&zen4, VENDOR_AMD, 0x19, 0x60, 0xaf},
    {&zen5, VENDOR_AMD, 0x1a, 0x00, 0x2f},
    {&zen5, VENDOR_AMD, 0x1a, 0x40, 0x4f},
    {&zen5, VENDOR_AMD, 0x1a, 0x60, 0x7f},
    {NULL, VENDOR_NONE, 0, 0, 0},
};

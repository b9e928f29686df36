/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: the plan's list, which table a processor gets, and every row of every table against
 * libpfm4, which was written by others from the same manuals.
 */
#include <perfmon/pfmlib.h>
#include <stdlib.h>

#include "kernel/pmu/event.h"
#include "tools/tests/support/unit.h"

/* ---- the plan's list ---- */

static struct event_request requests[EVENT_REQUESTS_MAX];
static size_t request_count;
static char error[EVENT_ERROR_MAX];

static bool parse(const char *list)
{
    memset(error, 0, sizeof(error));
    memset(requests, 0xa5, sizeof(requests));
    return event_list_parse(list, requests, &request_count, error);
}

static void test_names(void)
{
    char list[512] = "";

    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        enum portable_event event;

        CHECK(event_by_name(event_name((enum portable_event)i), &event) && event == i);
        strcat(list, i > 0 ? "," : "");
        strcat(list, event_name((enum portable_event)i));
    }
    CHECK_TEXT(event_name(EVENT_CYCLES), "cycles");
    CHECK_TEXT(event_name(EVENT_SMI), "smi");
    CHECK(parse(list));
    CHECK_EQUAL(request_count, EVENT_COUNT);
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        CHECK(!requests[i].raw && requests[i].event == i);
        CHECK_TEXT(requests[i].name, event_name((enum portable_event)i));
    }
}

static void check_code(const char *entry, const char *name, struct event_code expected,
                       const char *text)
{
    char written[EVENT_CODE_TEXT_MAX];

    CHECK(parse(entry));
    CHECK_EQUAL(request_count, 1);
    CHECK(requests[0].raw);
    CHECK_TEXT(requests[0].name, name);
    CHECK_EQUAL(requests[0].code.select, expected.select);
    CHECK_EQUAL(requests[0].code.umask, expected.umask);
    CHECK_EQUAL(requests[0].code.cmask, expected.cmask);
    CHECK_EQUAL(requests[0].code.edge, expected.edge);
    CHECK_EQUAL(requests[0].code.invert, expected.invert);
    CHECK_TEXT(event_code_text(&requests[0].code, written), text);
}

static void test_raw(void)
{
    check_code("0xd0:0x81", "0xd0:0x81", (struct event_code){.select = 0xd0, .umask = 0x81},
               "0xd0:0x81");
    check_code("60:0", "60:0", (struct event_code){.select = 0x3c}, "0x3c:0x00");
    check_code("splits@0xD0:0X41", "splits", (struct event_code){.select = 0xd0, .umask = 0x41},
               "0xd0:0x41");
    check_code("0xfff:255:cmask=0xff:edge:inv", "0xfff:255:cmask=0xff:edge:inv",
               (struct event_code){
                   .select = 0xfff, .umask = 0xff, .cmask = 255, .edge = true, .invert = true},
               "0xfff:0xff:cmask=255:edge:inv");
    check_code("A-b_9.+@0x3c:0:inv:cmask=1", "A-b_9.+",
               (struct event_code){.select = 0x3c, .cmask = 1, .invert = true},
               "0x3c:0x00:cmask=1:inv");
    /* A portable name as a label of one's own code, and a name of the greatest length. */
    check_code("loads@0x29:5", "loads", (struct event_code){.select = 0x29, .umask = 5},
               "0x29:0x05");
    check_code("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeee@1:2",
               "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeee",
               (struct event_code){.select = 1, .umask = 2}, "0x01:0x02");
    CHECK(parse("cycles,one@0xc0:0,instructions,0xc0:0"));
    CHECK_EQUAL(request_count, 4);
    CHECK(!requests[2].raw && requests[3].raw);
    /* What is printed is read again. */
    CHECK(parse("x@0x1d0:0x7f:cmask=3:edge:inv"));
    char text[EVENT_CODE_TEXT_MAX];

    check_code(event_code_text(&requests[0].code, text), text, requests[0].code,
               "0x1d0:0x7f:cmask=3:edge:inv");
}

/* Refused, and the message has both texts in it. */
static void check_refused(const char *list, const char *entry, const char *why)
{
    CHECK(!parse(list));
    if (strstr(error, entry) == NULL || strstr(error, why) == NULL) {
        fprintf(stderr, "\"%s\": \"%s\" has no \"%s\" or \"%s\"\n", list, error, entry, why);
    }
    CHECK(strstr(error, entry) != NULL && strstr(error, why) != NULL);
    CHECK(memchr(error, '\0', sizeof(error)) != NULL && strchr(error, '\n') == NULL);
}

static void test_bad_lists(void)
{
    static const char too_long[] = "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeee@1:2";
    char many[EVENT_REQUESTS_MAX * 8 + 16] = "";

    check_refused("", "\"\"", "an empty entry");
    check_refused("cycles,", "\"\"", "an empty entry");
    check_refused("cycles,,loads", "\"\"", "an empty entry");
    check_refused("cycle", "\"cycle\"", "llc-misses");
    check_refused("Cycles", "\"Cycles\"", "cycles");
    check_refused("cycles,cyc,loads", "\"cyc\"", "EVENT:UMASK");
    check_refused("loads,loads", "\"loads\"", "same name twice");
    check_refused("a@1:2,a@1:3", "\"a@1:3\"", "same name twice");
    check_refused("loads@1:2,loads", "\"loads\"", "same name twice");
    check_refused("0x1:2,0x1:2", "\"0x1:2\"", "same name twice");
    check_refused("@0xc0:0", "\"@0xc0:0\"", "empty label");
    check_refused("a b@0xc0:0", "\"a b@0xc0:0\"", "letters, digits");
    check_refused("a:b@0xc0:0", "\"a:b@0xc0:0\"", "letters, digits");
    check_refused("a@b@0xc0:0", "\"a@b@0xc0:0\"", "EVENT must be");
    check_refused("a@", "\"a@\"", "EVENT:UMASK");
    check_refused("a@loads", "\"a@loads\"", "EVENT:UMASK");
    check_refused("a@0xc0", "\"a@0xc0\"", "EVENT:UMASK");
    check_refused("a@:0", "\"a@:0\"", "EVENT must be");
    check_refused("0x1000:0", "\"0x1000:0\"", "EVENT must be a number from 0 to 0xfff");
    check_refused("-1:0", "\"-1:0\"", "EVENT must be");
    check_refused("0xc0:", "\"0xc0:\"", "UMASK must be");
    check_refused("0xc0:0x100", "\"0xc0:0x100\"", "UMASK must be a number from 0 to 0xff");
    check_refused("0xc0:ANY", "\"0xc0:ANY\"", "UMASK must be");
    check_refused("0xc0:0:", "\"0xc0:0:\"", "each once");
    check_refused("0xc0:0:any", "\"0xc0:0:any\"", "each once");
    check_refused("0xc0:0:edge:edge", "\"0xc0:0:edge:edge\"", "each once");
    check_refused("0xc0:0:inv:inv", "\"0xc0:0:inv:inv\"", "each once");
    check_refused("0xc0:0:cmask=1:cmask=2", "\"0xc0:0:cmask=1:cmask=2\"", "each once");
    check_refused("0xc0:0:cmask=0", "\"0xc0:0:cmask=0\"", "from 1 to 0xff");
    check_refused("0xc0:0:cmask=256", "\"0xc0:0:cmask=256\"", "from 1 to 0xff");
    check_refused("0xc0:0:cmask=", "\"0xc0:0:cmask=\"", "each once");
    check_refused("00000000000000000000000000000001:0", "000001:0\"", "EVENT must be");
    check_refused(too_long, "dddddddddd", "longer than 47 characters");
    check_refused("skl::INST_RETIRED:ANY_P", "skl::INST_RETIRED", "EVENT must be");
    for (unsigned i = 0; i <= EVENT_REQUESTS_MAX; i++) {
        sprintf(many + strlen(many), "%sa%u@1:2", i > 0 ? "," : "", i);
    }
    check_refused(many, "\"a32@1:2\"", "at most 32 events");
    *strrchr(many, ',') = '\0';
    CHECK(parse(many));
    CHECK_EQUAL(request_count, EVENT_REQUESTS_MAX);
}

/* ---- which table ---- */

static bool same_code(const struct event_code *a, const struct event_code *b)
{
    return a->select == b->select && a->umask == b->umask && a->cmask == b->cmask &&
           a->edge == b->edge && a->invert == b->invert;
}

static const char *table_name(const char *vendor, uint32_t family, uint32_t model,
                              bool efficient_core)
{
    struct cpu_identity identity = {.family = family, .model = model};

    strcpy(identity.vendor, vendor);
    return event_table_for(&identity, efficient_core)->name;
}

/* The table of each family and model. */
struct model_table {
    uint32_t family, model;
    const char *table;
};

static const struct model_table intel_tables[] = {
    {5, 2, "p5"},
    {5, 4, "p5"},
    {5, 9, "architectural"}, /* Quark has no CESR */
    {6, 1, "p6"},
    {6, 8, "p6"},
    {6, 9, "architectural"}, /* Pentium M */
    {6, 14, "architectural"},
    {6, 0x0f, "core2"},
    {6, 0x17, "core2"},
    {6, 0x1d, "core2"},
    {6, 0x1c, "architectural"}, /* Bonnell */
    {6, 0x1a, "nehalem"},
    {6, 0x2e, "nehalem"},
    {6, 0x2c, "westmere"},
    {6, 0x2f, "westmere"},
    {6, 0x2a, "sandybridge"},
    {6, 0x2d, "sandybridge"},
    {6, 0x3a, "ivybridge"},
    {6, 0x3e, "ivybridge"},
    {6, 0x3c, "haswell"},
    {6, 0x3f, "haswell"},
    {6, 0x37, "architectural"}, /* Silvermont */
    {6, 0x3d, "broadwell"},
    {6, 0x4f, "broadwell"},
    {6, 0x56, "broadwell"},
    {6, 0x4e, "skylake"},
    {6, 0x55, "skylake"}, /* Cascade Lake and Cooper Lake as well */
    {6, 0x9e, "skylake"}, /* Kaby Lake, Coffee Lake */
    {6, 0xa5, "skylake"}, /* Comet Lake */
    {6, 0x5c, "architectural"},
    {6, 0x6a, "icelake"},
    {6, 0x7e, "icelake"},
    {6, 0x8c, "icelake"}, /* Tiger Lake */
    {6, 0xa7, "icelake"}, /* Rocket Lake */
    {6, 0x8f, "sapphirerapids"},
    {6, 0xcf, "sapphirerapids"}, /* Emerald Rapids */
    {6, 0xad, "sapphirerapids"}, /* Granite Rapids */
    {6, 0x97, "alderlake"},
    {6, 0xb7, "alderlake"},     /* Raptor Lake */
    {6, 0xaa, "alderlake"},     /* Meteor Lake */
    {6, 0xbe, "architectural"}, /* Alder Lake-N: Gracemont only */
    {6, 0xc6, "architectural"}, /* Arrow Lake */
    {6, 0xff, "architectural"},
    {15, 4, "architectural"}, /* NetBurst */
    {18, 1, "architectural"},
};

static const struct model_table amd_tables[] = {
    {5, 8, "amd"},        {6, 4, "k7"},         {0x0f, 0x05, "k8"},      {0x0f, 0xc1, "k8"},
    {0x10, 2, "amd-10h"}, {0x10, 9, "amd-10h"}, {0x11, 3, "amd"},        {0x12, 1, "amd"},
    {0x14, 1, "amd"},     {0x15, 1, "amd-15h"}, {0x15, 0x60, "amd-15h"}, {0x16, 0, "amd"},
    {0x17, 0x01, "zen1"}, {0x17, 0x18, "zen1"}, {0x17, 0x31, "zen2"},    {0x17, 0x71, "zen2"},
    {0x17, 0x90, "zen2"}, {0x17, 0x80, "amd"},  {0x19, 0x01, "zen3"},    {0x19, 0x21, "zen3"},
    {0x19, 0x50, "zen3"}, {0x19, 0x11, "zen4"}, {0x19, 0x61, "zen4"},    {0x19, 0xa0, "zen4"},
    {0x19, 0xb0, "amd"},  {0x1a, 0x02, "zen5"}, {0x1a, 0x44, "zen5"},    {0x1a, 0x70, "zen5"},
    {0x1a, 0x50, "amd"},  {0x1b, 0x00, "amd"},
};

static void test_tables(void)
{
    for (size_t i = 0; i < sizeof(intel_tables) / sizeof(intel_tables[0]); i++) {
        CHECK_TEXT(table_name("GenuineIntel", intel_tables[i].family, intel_tables[i].model, false),
                   intel_tables[i].table);
    }
    for (size_t i = 0; i < sizeof(amd_tables) / sizeof(amd_tables[0]); i++) {
        CHECK_TEXT(table_name("AuthenticAMD", amd_tables[i].family, amd_tables[i].model, false),
                   amd_tables[i].table);
    }
    CHECK_TEXT(table_name("GenuineIntel", 6, 0x97, true), "architectural");
    CHECK_TEXT(table_name("CentaurHauls", 6, 0x0f, false), "none");
    CHECK_TEXT(table_name("", 6, 0x97, true), "none");
}

static void test_architectural_bits(void)
{
    static const struct event_code codes[] = {
        {.select = 0x3c, .umask = 0x00}, {.select = 0xc0, .umask = 0x00},
        {.select = 0x3c, .umask = 0x01}, {.select = 0x2e, .umask = 0x4f},
        {.select = 0x2e, .umask = 0x41}, {.select = 0xc4, .umask = 0x00},
        {.select = 0xc5, .umask = 0x00},
    };

    for (int i = 0; i < 7; i++) {
        CHECK_EQUAL(event_architectural_bit(&codes[i]), i);
    }
    CHECK_EQUAL(event_architectural_bit(&(struct event_code){.select = 0xd0, .umask = 0x81}), -1);
    CHECK_EQUAL(event_architectural_bit(&(struct event_code){.select = 0x1c0}), -1);
    CHECK_EQUAL(event_architectural_bit(&(struct event_code){.select = 0xc0, .cmask = 1}), -1);
    CHECK_EQUAL(event_architectural_bit(&(struct event_code){.select = 0xc0, .edge = true}), -1);
    CHECK_EQUAL(event_architectural_bit(&(struct event_code){.select = 0xc0, .invert = true}), -1);
}

/* ---- the rows ---- */

static void test_rows_are_complete(void)
{
    size_t tables = 0;

    for (const struct event_table *table; (table = event_table_at(tables)) != NULL; tables++) {
        CHECK(table->name[0] != '\0' && table->manual[0] != '\0');
        for (unsigned i = 0; i < EVENT_COUNT; i++) {
            const struct event_row *row = &table->row[i];

            CHECK(row->code_count <= EVENT_CODES_MAX);
            CHECK((row->code_count > 0) == (row->manual != NULL));
            CHECK((row->code_count > 0) == (event_row_absence(row) == NULL));
            CHECK(row->code_count > 0 || (row->note == NULL && row->counters == 0));
            CHECK(row->code_count < 2 || !same_code(&row->code[0], &row->code[1]));
        }
        for (size_t other = 0; other < tables; other++) {
            CHECK(strcmp(table->name, event_table_at(other)->name) != 0);
        }
    }
    CHECK(tables > 20);
    CHECK_TEXT(event_table_at(tables - 1)->name, "none");
    CHECK(event_table_at(tables + 1) == NULL);
}

#define NAMES_MAX 2

/* What libpfm4 calls the rows of a table: a name for each code, or several that are tried in turn,
 * divided by '|', as its tables for one microarchitecture do not always agree on names. */
struct counterpart {
    const char *table;
    const char *pmus; /* libpfm4's, all of which must agree */
    /* Why this libpfm4 may know none of them; then the rows are not checked. NULL: it must. */
    const char *excuse;
    const char *names[EVENT_COUNT][NAMES_MAX];
};

#define INTEL_COMMON                                                                           \
    [EVENT_CYCLES] = {"UNHALTED_CORE_CYCLES"}, [EVENT_INSTRUCTIONS] = {"INSTRUCTION_RETIRED"}, \
    [EVENT_LLC_MISSES] = {"LLC_MISSES|L3_LAT_CACHE:MISS|LONGEST_LAT_CACHE:MISS"}
#define INTEL_BRANCHES "BRANCH_INSTRUCTIONS_RETIRED|BR_INST_RETIRED:ALL_BRANCHES"
#define SANDYBRIDGE_COMMON                                                        \
    INTEL_COMMON, [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_P"},                \
                  [EVENT_LOADS] = {"MEM_UOPS_RETIRED:ALL_LOADS"},                 \
                  [EVENT_STORES] = {"MEM_UOPS_RETIRED:ALL_STORES"},               \
                  [EVENT_ITLB_MISSES] = {"ITLB_MISSES:MISS_CAUSES_A_WALK"},       \
                  [EVENT_DTLB_MISSES] = {"DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK",   \
                                         "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK"}, \
                  [EVENT_MISALIGNED] = {"MISALIGN_MEM_REF:LOADS", "MISALIGN_MEM_REF:STORES"}
#define IVYBRIDGE_COMMON                                                        \
    SANDYBRIDGE_COMMON, [EVENT_BRANCHES] = {INTEL_BRANCHES},                    \
                        [EVENT_MISPREDICTS] = {"BR_MISP_RETIRED:ALL_BRANCHES"}, \
                        [EVENT_L1D_MISSES] = {"MEM_LOAD_UOPS_RETIRED:L1_MISS"}
#define SKYLAKE_COMMON                                                        \
    INTEL_COMMON, [EVENT_BRANCHES] = {INTEL_BRANCHES},                        \
                  [EVENT_MISPREDICTS] = {"BR_MISP_RETIRED:ALL_BRANCHES"},     \
                  [EVENT_LOADS] = {"MEM_INST_RETIRED:ALL_LOADS"},             \
                  [EVENT_STORES] = {"MEM_INST_RETIRED:ALL_STORES"},           \
                  [EVENT_ITLB_MISSES] = {"ITLB_MISSES:WALK_COMPLETED"},       \
                  [EVENT_DTLB_MISSES] = {"DTLB_LOAD_MISSES:WALK_COMPLETED",   \
                                         "DTLB_STORE_MISSES:WALK_COMPLETED"}, \
                  [EVENT_MISALIGNED] = {"MEM_INST_RETIRED:SPLIT_LOADS",       \
                                        "MEM_INST_RETIRED:SPLIT_STORES"},     \
                  [EVENT_L1D_MISSES] = {"MEM_LOAD_RETIRED:L1_MISS"}
#define AMD_COMMON                                            \
    [EVENT_CYCLES] = {"CPU_CLK_UNHALTED|CYCLES_NOT_IN_HALT"}, \
    [EVENT_INSTRUCTIONS] = {"RETIRED_INSTRUCTIONS"},          \
    [EVENT_BRANCHES] = {"RETIRED_BRANCH_INSTRUCTIONS"},       \
    [EVENT_MISPREDICTS] = {                                   \
        "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS|RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"}
#define K7_COMMON                                          \
    AMD_COMMON, [EVENT_INTERRUPTS] = {"INTERRUPTS_TAKEN"}, \
                [EVENT_MISALIGNED] = {"MISALIGNED_ACCESSES"}
#define ZEN_COMMON                                                                                 \
    AMD_COMMON, [EVENT_LOADS] = {"LS_DISPATCH:LD_DISPATCH:LD_ST_DISPATCH"},                        \
                [EVENT_STORES] = {"LS_DISPATCH:STORE_DISPATCH:LD_ST_DISPATCH"},                    \
                [EVENT_DTLB_MISSES] = {"L1_DTLB_MISS:TLB_RELOAD_1G_L2_MISS:TLB_RELOAD_2M_L2_MISS:" \
                                       "TLB_RELOAD_COALESCED_PAGE_MISS:TLB_RELOAD_4K_L2_MISS"}
#define ZEN2_COMMON \
    ZEN_COMMON, [EVENT_INTERRUPTS] = {"INTERRUPT_TAKEN"}, [EVENT_SMI] = {"SMI_RECEIVED"}
#define ZEN3_COMMON                                                        \
    ZEN2_COMMON,                                                           \
        [EVENT_ITLB_MISSES] = {"L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G:" \
                               "COALESCED4K"},                             \
        [EVENT_MISALIGNED] = {"MISALIGNED_LOADS:MA64"}
#define ITLB_THREE_SIZES "L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G"
#define FILLS            "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM"

static const struct counterpart counterparts[] = {
    {
        .table = "p5",
        .pmus = "p5",
        .excuse = "libpfm4 has no Pentium; checked by hand",
    },
    {
        .table = "p6",
        .pmus = "ppro pii piii",
        .excuse = "libpfm4 leaves these out of its 64-bit builds; checked by hand",
        .names =
            {
                [EVENT_CYCLES] = {"CPU_CLK_UNHALTED"},
                [EVENT_INSTRUCTIONS] = {"INST_RETIRED"},
                [EVENT_ITLB_MISSES] = {"ITLB_MISS"},
                [EVENT_INTERRUPTS] = {"HW_INT_RX"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REG_LOADS"},
                [EVENT_MISALIGNED] = {"MISALIGN_MEM_REF"},
                [EVENT_BRANCHES] = {"BR_INST_RETIRED"},
                [EVENT_MISPREDICTS] = {"BR_MISS_PRED_RETIRED"},
                [EVENT_L1D_MISSES] = {"DCU_LINES_IN"},
                [EVENT_LLC_MISSES] = {"L2_LINES_IN"},
            },
    },
    {
        .table = "core2",
        .pmus = "core",
        .names =
            {
                INTEL_COMMON,
                [EVENT_BRANCHES] = {INTEL_BRANCHES},
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:BUS"},
                [EVENT_LOADS] = {"INST_RETIRED:LOADS"},
                [EVENT_STORES] = {"INST_RETIRED:STORES"},
                [EVENT_ITLB_MISSES] = {"ITLB:MISSES"},
                [EVENT_DTLB_MISSES] = {"DTLB_MISSES:ANY"},
                [EVENT_INTERRUPTS] = {"HW_INT_RCV"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REG_LOADS"},
                [EVENT_MISALIGNED] = {"L1D_SPLIT:LOADS", "L1D_SPLIT:STORES"},
                [EVENT_MISPREDICTS] = {"BR_INST_RETIRED_MISPRED"},
                [EVENT_L1D_MISSES] = {"L1D_REPL"},
            },
    },
    {
        .table = "nehalem",
        .pmus = "nhm nhm_ex",
        .names =
            {
                INTEL_COMMON,
                [EVENT_BRANCHES] = {INTEL_BRANCHES},
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_P"},
                [EVENT_LOADS] = {"MEM_INST_RETIRED:LOADS"},
                [EVENT_STORES] = {"MEM_INST_RETIRED:STORES"},
                [EVENT_ITLB_MISSES] = {"ITLB_MISSES:ANY"},
                [EVENT_DTLB_MISSES] = {"DTLB_MISSES:ANY"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REG_LOADS"},
                [EVENT_MISPREDICTS] = {"BR_MISP_EXEC:ANY"},
                [EVENT_L1D_MISSES] = {"L1D:REPL"},
            },
    },
    {
        .table = "westmere",
        .pmus = "wsm wsm_dp",
        .names =
            {
                INTEL_COMMON,
                [EVENT_BRANCHES] = {INTEL_BRANCHES},
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_P"},
                [EVENT_LOADS] = {"MEM_INST_RETIRED:LOADS"},
                [EVENT_STORES] = {"MEM_INST_RETIRED:STORES"},
                [EVENT_ITLB_MISSES] = {"ITLB_MISSES:ANY"},
                [EVENT_DTLB_MISSES] = {"DTLB_MISSES:ANY"},
                [EVENT_MISPREDICTS] = {"BR_MISP_RETIRED:ALL_BRANCHES"},
                [EVENT_L1D_MISSES] = {"L1D:REPL"},
            },
    },
    {
        .table = "sandybridge",
        .pmus = "snb snb_ep",
        .names = {SANDYBRIDGE_COMMON, [EVENT_L1D_MISSES] = {"L1D:REPLACEMENT"}},
    },
    {
        .table = "ivybridge",
        .pmus = "ivb ivb_ep",
        .names = {IVYBRIDGE_COMMON},
    },
    {
        .table = "haswell",
        .pmus = "hsw hsw_ep",
        .names = {IVYBRIDGE_COMMON},
    },
    {
        .table = "broadwell",
        .pmus = "bdw bdw_ep",
        .names = {IVYBRIDGE_COMMON},
    },
    {
        .table = "skylake",
        .pmus = "skl skx clx",
        .names =
            {
                SKYLAKE_COMMON,
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_XCLK"},
                [EVENT_INTERRUPTS] = {"HW_INTERRUPTS:RECEIVED"},
            },
    },
    {
        .table = "icelake",
        .pmus = "icl icx",
        .names = {SKYLAKE_COMMON, [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_XCLK"}},
    },
    {
        .table = "sapphirerapids",
        .pmus = "spr",
        .names =
            {
                SKYLAKE_COMMON,
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_TSC_P"},
            },
    },
    {
        .table = "alderlake",
        .pmus = "adl_glc",
        .excuse = "this libpfm4 is older than its PMU; checked by its predecessor",
        .names = {SKYLAKE_COMMON, [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:REF_TSC_P"}},
    },
    {
        .table = "architectural",
        .pmus = "core wsm ivb hsw skl icl spr",
        .names =
            {
                INTEL_COMMON,
                [EVENT_BRANCHES] = {INTEL_BRANCHES},
                [EVENT_REF_CYCLES] = {"CPU_CLK_UNHALTED:BUS|CPU_CLK_UNHALTED:REF_P|"
                                      "CPU_CLK_UNHALTED:REF_XCLK|CPU_CLK_UNHALTED:REF_TSC_P"},
                [EVENT_MISPREDICTS] = {"BR_INST_RETIRED_MISPRED|MISPREDICTED_BRANCH_RETIRED|"
                                       "BR_MISP_RETIRED:ALL_BRANCHES"},
            },
    },
    {
        .table = "k7",
        .pmus = "amd64_k7",
        .names =
            {
                K7_COMMON,
                [EVENT_ITLB_MISSES] = {"L1_ITLB_MISS_AND_L2_ITLB_MISS"},
                [EVENT_DTLB_MISSES] = {"L1_DTLB_AND_L2_DTLB_MISS"},
                [EVENT_L1D_MISSES] = {"DATA_CACHE_MISSES"},
            },
    },
    {
        .table = "k8",
        .pmus = "amd64_k8_revb amd64_k8_revc amd64_k8_revd amd64_k8_reve amd64_k8_revf "
                "amd64_k8_revg",
        .names =
            {
                K7_COMMON,
                [EVENT_ITLB_MISSES] = {"L1_ITLB_MISS_AND_L2_ITLB_MISS"},
                [EVENT_DTLB_MISSES] = {"L1_DTLB_AND_L2_DTLB_MISS"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REGISTER_LOADS:ALL"},
                [EVENT_L1D_MISSES] = {"DATA_CACHE_MISSES"},
                [EVENT_LLC_MISSES] = {"L2_CACHE_MISS:DATA"},
            },
    },
    {
        .table = "amd-10h",
        .pmus = "amd64_fam10h_barcelona amd64_fam10h_shanghai amd64_fam10h_istanbul",
        .names =
            {
                K7_COMMON,
                [EVENT_ITLB_MISSES] = {"L1_ITLB_MISS_AND_L2_ITLB_MISS:ALL"},
                [EVENT_DTLB_MISSES] = {"L1_DTLB_AND_L2_DTLB_MISS:ALL"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REGISTER_LOADS:ALL"},
                [EVENT_L1D_MISSES] = {"DATA_CACHE_MISSES"},
                [EVENT_LLC_MISSES] = {"L2_CACHE_MISS:DATA"},
                [EVENT_SMI] = {"SMIS_RECEIVED"},
            },
    },
    {
        .table = "amd-15h",
        .pmus = "amd64_fam15h_interlagos",
        .names =
            {
                K7_COMMON,
                [EVENT_LOADS] = {"LS_DISPATCH:LOADS:LOAD_OP_STORES"},
                [EVENT_STORES] = {"LS_DISPATCH:STORES:LOAD_OP_STORES"},
                [EVENT_ITLB_MISSES] = {"L1_ITLB_MISS_AND_L2_ITLB_MISS:ALL"},
                [EVENT_DTLB_MISSES] = {"UNIFIED_TLB_MISS:4K_DATA:2M_DATA:1GB_DATA"},
                [EVENT_SEGMENT_LOADS] = {"SEGMENT_REGISTER_LOADS:ALL"},
                [EVENT_L1D_MISSES] = {"DATA_CACHE_MISSES:DC_MISS_STREAMING_STORE"},
                [EVENT_LLC_MISSES] = {"L2_CACHE_MISS:DATA"},
                [EVENT_SMI] = {"SMIS_RECEIVED"},
            },
    },
    {
        .table = "zen1",
        .pmus = "amd64_fam17h_zen1",
        .names =
            {
                ZEN_COMMON,
                [EVENT_ITLB_MISSES] = {ITLB_THREE_SIZES},
                [EVENT_MISALIGNED] = {"MISALIGNED_LOADS"},
                [EVENT_L1D_MISSES] = {"REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:CHANGE_TO_X"},
            },
    },
    {
        .table = "zen2",
        .pmus = "amd64_fam17h_zen2",
        .names =
            {
                ZEN2_COMMON,
                [EVENT_ITLB_MISSES] = {ITLB_THREE_SIZES},
                [EVENT_MISALIGNED] = {"MISALIGNED_LOADS"},
                [EVENT_L1D_MISSES] = {"DATA_CACHE_REFILLS_FROM_SYSTEM:MABRESP_LCL_L2:"
                                      "LS_MABRESP_LCL_CACHE:LS_MABRESP_LCL_DRAM:"
                                      "LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM"},
                [EVENT_LLC_MISSES] = {"DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_DRAM:"
                                      "LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM"},
            },
    },
    {
        .table = "zen3",
        .pmus = "amd64_fam19h_zen3",
        .names =
            {
                ZEN3_COMMON,
                [EVENT_L1D_MISSES] = {FILLS ":LCL_L2:INT_CACHE:EXT_CACHE_LCL:MEM_IO_LCL:"
                                            "EXT_CACHE_RMT:MEM_IO_RMT"},
                [EVENT_LLC_MISSES] = {FILLS ":EXT_CACHE_LCL:MEM_IO_LCL:EXT_CACHE_RMT:MEM_IO_RMT"},
            },
    },
    {
        .table = "zen4",
        .pmus = "amd64_fam19h_zen4",
        .names =
            {
                ZEN3_COMMON,
                [EVENT_REF_CYCLES] = {"P0_FREQ_CYCLES_NOT_IN_HALT:P0_FREQ_CYCLES"},
                [EVENT_L1D_MISSES] = {FILLS ":LCL_L2:LOCAL_CCX:NEAR_CACHE_NEAR_FAR:DRAM_IO_NEAR:"
                                            "FAR_CACHE_NEAR_FAR:DRAM_IO_FAR:ALT_MEM_NEAR_FAR"},
                [EVENT_LLC_MISSES] = {FILLS ":NEAR_CACHE_NEAR_FAR:DRAM_IO_NEAR:"
                                            "FAR_CACHE_NEAR_FAR:DRAM_IO_FAR:ALT_MEM_NEAR_FAR"},
            },
    },
    {
        .table = "zen5",
        .pmus = "amd64_fam1ah_zen5",
        .excuse = "this libpfm4 is older than its PMU; checked by its predecessor",
        .names =
            {
                ZEN3_COMMON,
                [EVENT_REF_CYCLES] = {"P0_FREQ_CYCLES_NOT_IN_HALT:P0_FREQ_CYCLES"},
                [EVENT_L1D_MISSES] = {FILLS ":LCL_L2:LOCAL_CCX:NEAR_FAR_CACHE_NEAR:DRAM_IO_NEAR:"
                                            "NEAR_FAR_CACHE_FAR:DRAM_IO_FAR:ALT_MEM_NEAR_FAR"},
                [EVENT_LLC_MISSES] = {FILLS ":NEAR_FAR_CACHE_NEAR:DRAM_IO_NEAR:"
                                            "NEAR_FAR_CACHE_FAR:DRAM_IO_FAR:ALT_MEM_NEAR_FAR"},
            },
    },
    {
        .table = "amd",
        .pmus = "amd64_k7 amd64_k8_revb amd64_k8_revg amd64_fam10h_barcelona "
                "amd64_fam11h_turion amd64_fam12h_llano amd64_fam14h_bobcat "
                "amd64_fam15h_interlagos amd64_fam16h amd64_fam17h_zen1 amd64_fam17h_zen2 "
                "amd64_fam19h_zen3 amd64_fam19h_zen4",
        .names = {AMD_COMMON},
    },
};

/* Rows that libpfm4 lacks or gives another code. That none of its events has the code is checked:
 * an exception that is not needed is a failure. */
static const struct {
    const char *table;
    enum portable_event event;
    uint64_t value; /* of the select register, by hand */
    const char *why;
} exceptions[] = {
    {"sandybridge", EVENT_BRANCHES, 0xc4,
     "libpfm4 has only the PEBS form, C4h/04h; C4h/00h is Intel's"},
    {"sandybridge", EVENT_MISPREDICTS, 0xc5, "libpfm4 has only the PEBS form, C5h/04h"},
    {"sapphirerapids", EVENT_INTERRUPTS, 0x1cb,
     "only in Intel's lists, for SPR, EMR and GNR alike"},
};

/* The select register without USR, OS, INT and EN, which are no part of an event. */
#define REGISTER_ONLY_BITS (1ull << 16 | 1ull << 17 | 1ull << 20 | 1ull << 22)

static uint64_t register_value(const struct event_code *code)
{
    return (code->select & 0xffu) | (uint64_t)code->umask << 8 | (uint64_t)code->edge << 18 |
           (uint64_t)code->invert << 23 | (uint64_t)code->cmask << 24 |
           (uint64_t)(code->select >> 8) << 32;
}

static bool encode(const char *name, uint64_t *value)
{
    pfm_pmu_encode_arg_t encoding = {.size = sizeof(encoding)};
    const bool known =
        pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &encoding) == PFM_SUCCESS;

    if (known) {
        *value = encoding.count == 1 ? encoding.codes[0] & ~REGISTER_ONLY_BITS : UINT64_MAX;
    }
    free(encoding.codes);
    return known;
}

/* Does any name of the '|'-divided ones give a value? */
static bool encode_any(const char *pmu, const char *names, uint64_t *value)
{
    char text[512];

    for (const char *at = names; *at != '\0';) {
        const int length = (int)strcspn(at, "|");

        snprintf(text, sizeof(text), "%s::%.*s", pmu, length, at);
        if (encode(text, value)) {
            return true;
        }
        at += length + (at[length] == '|' ? 1 : 0);
    }
    return false;
}

static bool find_pmu(const char *name, pfm_pmu_info_t *info)
{
    pfm_pmu_t pmu;

    pfm_for_all_pmus(pmu)
    {
        memset(info, 0, sizeof(*info));
        info->size = sizeof(*info);
        if (pfm_get_pmu_info(pmu, info) == PFM_SUCCESS && strcmp(info->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is there an event of the PMU, alone or with one unit mask, that has this value? */
static bool pmu_has_value(const pfm_pmu_info_t *info, uint64_t wanted)
{
    for (int i = info->first_event; i != -1; i = pfm_get_event_next(i)) {
        pfm_event_info_t event = {.size = sizeof(event)};
        char name[512];
        uint64_t value;

        if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS) {
            continue;
        }
        snprintf(name, sizeof(name), "%s::%s", info->name, event.name);
        if (encode(name, &value) && value == wanted) {
            return true;
        }
        for (int k = 0; k < event.nattrs; k++) {
            pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};

            if (pfm_get_event_attr_info(i, k, PFM_OS_NONE, &attribute) == PFM_SUCCESS &&
                attribute.type == PFM_ATTR_UMASK) {
                snprintf(name, sizeof(name), "%s::%s:%s", info->name, event.name, attribute.name);
                if (encode(name, &value) && value == wanted) {
                    return true;
                }
            }
        }
    }
    return false;
}

static const char *exception_for(const char *table, unsigned event)
{
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
        if (strcmp(exceptions[i].table, table) == 0 && exceptions[i].event == event) {
            return exceptions[i].why;
        }
    }
    return NULL;
}

static unsigned rows_checked, rows_excepted, rows_absent;
static unsigned comparisons;

static void complain(const char *pmu, const struct event_table *table, unsigned event,
                     const char *what)
{
    fprintf(stderr, "%s, row %s, against %s: %s\n", table->name,
            event_name((enum portable_event)event), pmu, what);
}

static void check_row(const pfm_pmu_info_t *pmu, const struct event_table *table, unsigned event,
                      const char *const names[NAMES_MAX])
{
    const struct event_row *row = &table->row[event];
    const char *exception = exception_for(table->name, event);

    for (size_t i = 0; i < row->code_count; i++) {
        const uint64_t expected = register_value(&row->code[i]);
        uint64_t value = UINT64_MAX;

        if (names[i] == NULL) {
            const bool needed = exception != NULL && !pmu_has_value(pmu, expected);

            if (!needed) {
                complain(pmu->name, table, event,
                         exception != NULL ? "the exception is not needed" : "not checked");
            }
            CHECK(needed);
            continue;
        }
        if (!encode_any(pmu->name, names[i], &value)) {
            complain(pmu->name, table, event, "libpfm4 does not know the name");
        } else if (value != expected) {
            complain(pmu->name, table, event, "another code");
            fprintf(stderr, "  %s: %" PRIx64 ", not %" PRIx64 "\n", names[i], value, expected);
        }
        CHECK(value == expected);
        comparisons++;
    }
    /* No name is left over. */
    for (size_t i = row->code_count; i < NAMES_MAX; i++) {
        CHECK(names[i] == NULL);
    }
}

/* Against each PMU; false if libpfm4 knows none of them. */
static bool check_table(const struct counterpart *counterpart, const struct event_table *table)
{
    char pmus[512];
    bool known = false;

    strcpy(pmus, counterpart->pmus);
    for (char *name = strtok(pmus, " "); name != NULL; name = strtok(NULL, " ")) {
        pfm_pmu_info_t pmu;

        if (!find_pmu(name, &pmu)) {
            CHECK(counterpart->excuse != NULL);
            continue;
        }
        known = true;
        for (unsigned i = 0; i < EVENT_COUNT; i++) {
            check_row(&pmu, table, i, counterpart->names[i]);
        }
    }
    return known;
}

static void count_rows(const struct event_table *table, bool known)
{
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        if (table->row[i].code_count == 0) {
            rows_absent++;
        } else if (known && exception_for(table->name, i) == NULL) {
            rows_checked++;
        } else {
            rows_excepted++;
        }
    }
}

static void test_rows_against_libpfm(void)
{
    const size_t count = sizeof(counterparts) / sizeof(counterparts[0]);
    size_t index = 0;

    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    CHECK_EQUAL(pfm_initialize(), PFM_SUCCESS);
    /* The last, "none", has no codes. */
    for (const struct event_table *table; event_table_at(index + 1) != NULL; index++) {
        table = event_table_at(index);
        CHECK(index < count);
        if (index >= count) {
            break;
        }
        CHECK_TEXT(counterparts[index].table, table->name);
        const bool known = check_table(&counterparts[index], table);

        if (!known) {
            printf("unit_events: %s: %s\n", table->name, counterparts[index].excuse);
        }
        count_rows(table, known);
    }
    CHECK_EQUAL(index, count);
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
        const struct event_row *row =
            &event_table_named(exceptions[i].table)->row[exceptions[i].event];

        CHECK(row->code_count == 1 && register_value(&row->code[0]) == exceptions[i].value);
        printf("unit_events: %s, %s: %s\n", exceptions[i].table, event_name(exceptions[i].event),
               exceptions[i].why);
    }
    pfm_terminate();
    printf("unit_events: %u rows hold against libpfm4 (%u comparisons), %u excepted, %u absent\n",
           rows_checked, comparisons, rows_excepted, rows_absent);
    CHECK(rows_checked > 200);
}

/* Where there is no libpfm4 to ask: the codes once more, from event_set_p5.c of perfctr 2.6 and
 * from libpfm4's list for its 32-bit builds. None of these has a unit mask. */
static void test_old_rows_by_hand(void)
{
    static const struct {
        const char *table;
        enum portable_event event;
        uint16_t select;
    } rows[] = {
        {"p5", EVENT_INSTRUCTIONS, 0x16}, {"p5", EVENT_LOADS, 0x00},
        {"p5", EVENT_STORES, 0x01},       {"p5", EVENT_ITLB_MISSES, 0x0d},
        {"p5", EVENT_DTLB_MISSES, 0x02},  {"p5", EVENT_INTERRUPTS, 0x27},
        {"p5", EVENT_SEGMENT_LOADS, 0xf}, {"p5", EVENT_MISALIGNED, 0x0b},
        {"p5", EVENT_BRANCHES, 0x12},     {"p5", EVENT_MISPREDICTS, 0x15},
        {"p5", EVENT_L1D_MISSES, 0x29},   {"p6", EVENT_CYCLES, 0x79},
        {"p6", EVENT_INSTRUCTIONS, 0xc0}, {"p6", EVENT_ITLB_MISSES, 0x85},
        {"p6", EVENT_INTERRUPTS, 0xc8},   {"p6", EVENT_SEGMENT_LOADS, 0x06},
        {"p6", EVENT_MISALIGNED, 0x05},   {"p6", EVENT_BRANCHES, 0xc4},
        {"p6", EVENT_MISPREDICTS, 0xc5},  {"p6", EVENT_L1D_MISSES, 0x45},
        {"p6", EVENT_LLC_MISSES, 0x24},
    };
    size_t present = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct event_row *row = &event_table_named(rows[i].table)->row[rows[i].event];

        CHECK_EQUAL(row->code_count, 1);
        CHECK_EQUAL(register_value(&row->code[0]), rows[i].select);
    }
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        present +=
            event_table_named("p5")->row[i].code_count + event_table_named("p6")->row[i].code_count;
    }
    CHECK_EQUAL(present, sizeof(rows) / sizeof(rows[0]));
}

/* Processors newer than Debian's libpfm4 have the codes of their predecessors; all that differs is
 * named. */
static void test_new_rows_by_predecessor(void)
{
    static const struct {
        const char *table, *predecessor;
    } pairs[] = {{"zen5", "zen4"}, {"alderlake", "sapphirerapids"}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct event_table *table = event_table_named(pairs[i].table);
        const struct event_table *predecessor = event_table_named(pairs[i].predecessor);

        for (unsigned k = 0; k < EVENT_COUNT; k++) {
            const struct event_row *row = &table->row[k];

            if (k == EVENT_INTERRUPTS && strcmp(table->name, "alderlake") == 0) {
                CHECK_EQUAL(row->code_count, 0);
                continue;
            }
            CHECK_EQUAL(row->code_count, predecessor->row[k].code_count);
            for (unsigned code = 0; code < EVENT_CODES_MAX; code++) {
                CHECK(same_code(&row->code[code], &predecessor->row[k].code[code]));
            }
            CHECK_EQUAL(row->counters, predecessor->row[k].counters);
        }
    }
}

int main(void)
{
    RUN(test_names());
    RUN(test_raw());
    RUN(test_bad_lists());
    RUN(test_tables());
    RUN(test_architectural_bits());
    RUN(test_rows_are_complete());
    RUN(test_rows_against_libpfm());
    RUN(test_old_rows_by_hand());
    RUN(test_new_rows_by_predecessor());
    return unit_finish("unit_events");
}

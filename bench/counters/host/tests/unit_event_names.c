/* SPDX-License-Identifier: BSD-2-Clause */
/* libpfm4's names as codes for a plan: bench/counters/host/event_names.h. */
#include "bench/counters/host/event_names.h"
#include "tools/tests/support/unit.h"

static char error[EVENT_NAMES_ERROR_MAX];

static struct event_cpu find(const char *name)
{
    struct event_cpu cpu;

    memset(error, 0, sizeof(error));
    CHECK(event_cpu_find(name, &cpu, error));
    return cpu;
}

static void check_cpu(const char *name, const char *pmu, const char *table)
{
    const struct event_cpu cpu = find(name);

    CHECK_TEXT(cpu.table->name, table);
    CHECK_TEXT(cpu.has_pmu ? cpu.pmu.name : NULL, pmu);
}

static void test_processors(void)
{
    struct event_cpu cpu;
    struct event_pmu pmu;
    size_t count = 0;

    check_cpu("skl", "skl", "skylake");
    check_cpu("SKX", "skx", "skylake");
    check_cpu("skylake", "skl", "skylake");
    check_cpu("core2", "core", "core2");
    check_cpu("Zen3", "amd64_fam19h_zen3", "zen3");
    check_cpu("amd64_fam17h", "amd64_fam17h", "zen1");
    check_cpu("zen1", "amd64_fam17h_zen1", "zen1");
    check_cpu("amd64_k8_revb", "amd64_k8_revb", "k8");
    check_cpu("amd64_fam14h_bobcat", "amd64_fam14h_bobcat", "amd");
    check_cpu("glm", "glm", "architectural");
    check_cpu("p5", NULL, "p5");
    check_cpu("architectural", NULL, "architectural");
    check_cpu("amd", NULL, "amd");
    check_cpu("none", NULL, "none");
    CHECK(!event_cpu_find("bogus", &cpu, error) && strstr(error, "\"bogus\"") != NULL);
    CHECK(!event_cpu_find("skx_unc_imc0", &cpu, error) && strstr(error, "not a PMU of a") != NULL);
    CHECK(!event_cpu_find("", &cpu, error));
    /* All of libpfm4's have a table, and none but those of a core is there. */
    for (; event_pmu_at(count, &pmu); count++) {
        check_cpu(pmu.name, pmu.name, find(pmu.name).table->name);
        CHECK(pmu.event_count > 0 && strstr(pmu.name, "unc") == NULL);
    }
    CHECK(count > 40);
}

static void test_host(void)
{
    struct cpu_identity identity;
    struct event_cpu cpu;

    event_cpu_host(&cpu, &identity);
    CHECK(identity.vendor[0] != '\0');
    CHECK(cpu.table == event_table_for(&identity, false));
}

static void check_entry(const char *cpu_name, const char *name, const char *entry)
{
    const struct event_cpu cpu = find(cpu_name);
    struct event_resolution resolution;

    CHECK(event_names_resolve(&cpu, name, &resolution, error));
    CHECK(resolution.usable);
    CHECK_TEXT(resolution.entry, entry);
}

static void check_unusable(const char *cpu_name, const char *name, const char *why)
{
    const struct event_cpu cpu = find(cpu_name);
    struct event_resolution resolution;

    CHECK(event_names_resolve(&cpu, name, &resolution, error));
    CHECK(!resolution.usable && resolution.entry[0] == '\0');
    CHECK(strstr(resolution.why, why) != NULL);
}

static void check_unknown(const char *cpu_name, const char *name, const char *why)
{
    const struct event_cpu cpu = find(cpu_name);
    struct event_resolution resolution;

    CHECK(!event_names_resolve(&cpu, name, &resolution, error));
    CHECK(strstr(error, why) != NULL && strstr(error, "tare events") != NULL);
}

static void test_resolve(void)
{
    /* libpfm4 sets the interrupt on overflow, and both rings; none of it is in the code. */
    check_entry("skl", "INST_RETIRED:ANY_P", "INST_RETIRED.ANY_P@0xc0:0x00");
    check_entry("skl", "MEM_INST_RETIRED.ALL_LOADS", "MEM_INST_RETIRED.ALL_LOADS@0xd0:0x81");
    check_entry("zen3", "skl::LONGEST_LAT_CACHE:MISS", "LONGEST_LAT_CACHE.MISS@0x2e:0x41");
    check_entry("zen3", "skylake::longest_lat_cache:miss", "longest_lat_cache.miss@0x2e:0x41");
    check_entry("skl", "CYCLE_ACTIVITY:CYCLES_L2_MISS",
                "CYCLE_ACTIVITY.CYCLES_L2_MISS@0xa3:0x01:cmask=1");
    check_entry("skl", "INST_RETIRED:ANY_P:c=3:e:i",
                "INST_RETIRED.ANY_P.c.3.e.i@0xc0:0x00:cmask=3:edge:inv");
    /* AMD's events have twelve bits. */
    check_entry("zen3", "TAGGED_IBS_OPS:IBS_TAGGED_OPS",
                "TAGGED_IBS_OPS.IBS_TAGGED_OPS@0x1cf:0x01");
    check_entry("amd64_fam10h_barcelona", "L3_CACHE_MISSES:READ_BLOCK_SHARED",
                "L3_CACHE_MISSES.READ_BLOCK_SHARED@0x4e1:0xf2");
    /* Event 00h is one on AMD, but means a fixed counter on Intel. */
    check_entry("amd64_fam15h_interlagos", "DISPATCHED_FPU_OPS", "DISPATCHED_FPU_OPS@0x00:0xff");
    check_unusable("skl", "UNHALTED_REFERENCE_CYCLES", "fixed counter");
    check_unusable("skl", "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", "second register");
    check_unusable("netburst", "INSTR_RETIRED:NBOGUSNTAG", "second register");
    check_unusable("skl", "INST_RETIRED:ANY_P:u", "all rings");
    check_unusable("zen3", "RETIRED_INSTRUCTIONS:k", "all rings");
    check_unusable("skl", "CPU_CLK_UNHALTED:REF_XCLK_ANY", "threads of the core");
    check_unusable("hsw", "INST_RETIRED:ANY_P:intx", "select register");
    check_unusable("zen3", "RETIRED_INSTRUCTIONS:g", "select register");
    check_unknown("skl", "NOSUCH", "'*'");
    check_unknown("skl", "INST_RETIRED:NOSUCH", "'INST_RETIRED*'");
    check_unknown("skl", "bogus::INST_RETIRED", "\"bogus\"");
    check_unknown("p5", "INST_RETIRED", "does not know the processor");
    check_unknown("zen3", "L1_DTLB_MISS", "'L1_DTLB_MISS*'");
}

/* What is too long for a label loses the end of the event's name, never of the unit mask. */
static void test_long_names(void)
{
    struct event_request requests[EVENT_REQUESTS_MAX];
    struct event_resolution resolution;
    const struct event_cpu cpu = find("zen2");
    size_t count;

    CHECK(event_names_resolve(&cpu, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C_S",
                              &resolution, error));
    CHECK_TEXT(resolution.entry, "CORE_TO_L2_CACHEABLE_REQUEST_ACCE.LS_RD_BLK_C_S@0x64:0x80");
    CHECK(event_list_parse(resolution.entry, requests, &count, error));
    CHECK_EQUAL(strlen(requests[0].name), EVENT_NAME_MAX);
    CHECK(event_names_resolve(&cpu,
                              "L1_DTLB_MISS:TLB_RELOAD_1G_L2_MISS:TLB_RELOAD_2M_L2_MISS:"
                              "TLB_RELOAD_COALESCED_PAGE_MISS:TLB_RELOAD_4K_L2_MISS",
                              &resolution, error));
    CHECK(event_list_parse(resolution.entry, requests, &count, error));
    CHECK_EQUAL(requests[0].code.umask, 0xf0);
    CHECK_EQUAL(strlen(requests[0].name), EVENT_NAME_MAX);
}

static void check_list(const char *cpu_name, const char *list, const char *resolved)
{
    const struct event_cpu cpu = find(cpu_name);
    char text[256];

    CHECK(event_names_resolve_list(&cpu, list, text, sizeof(text), error));
    CHECK_TEXT(text, resolved);
}

static void check_bad_list(const char *cpu_name, const char *list, const char *entry,
                           const char *why)
{
    const struct event_cpu cpu = find(cpu_name);
    char text[64];

    CHECK(!event_names_resolve_list(&cpu, list, text, sizeof(text), error));
    CHECK(strstr(error, entry) != NULL && strstr(error, why) != NULL);
}

static void test_lists(void)
{
    check_list("p5", "cycles,0xc0:0,mine@0x29:5:inv", "cycles,0xc0:0,mine@0x29:5:inv");
    check_list("skl", "loads,INST_RETIRED:ANY_P,x@LONGEST_LAT_CACHE.MISS",
               "loads,INST_RETIRED.ANY_P@0xc0:0x00,x@0x2e:0x41");
    check_list("p5", "amd64_k7::RETIRED_UOPS,skl::LONGEST_LAT_CACHE:MISS",
               "RETIRED_UOPS@0xc1:0x00,LONGEST_LAT_CACHE.MISS@0x2e:0x41");
    /* Entries like these pass as they are: event_list_parse() refuses them. */
    check_list("skl", "", "");
    check_list("skl", "loads,,", "loads,,");
    check_list("skl", "a@,0xc0", "a@,0xc0");
    check_bad_list("skl", "loads,NOSUCH,stores", "\"NOSUCH\"", "not found");
    check_bad_list("p5", "cycle", "\"cycle\"", "not a portable name");
    check_bad_list("skl", "x@OFFCORE_RESPONSE_0:DMND_DATA_RD", "\"x@OFFCORE_RESPONSE_0", "second");
    check_bad_list("skl", "loads,stores,branches,mispredicts,instructions,cycles,smi,misaligned",
                   "\"", "too long for a plan");
}

static void test_matches(void)
{
    CHECK(event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "all_loads"));
    CHECK(event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "retired.all"));
    CHECK(event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "mem*loads"));
    CHECK(event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "*"));
    CHECK(event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "?EM_*[S]"));
    CHECK(!event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "inst*"));
    CHECK(!event_name_matches("MEM_INST_RETIRED:ALL_LOADS", "stores"));
}

struct counts {
    size_t all, usable;
    size_t parsed; /* of the usable, by a plan's grammar, to the same code */
};

static void count(const struct event_listed *listed, void *context)
{
    struct event_request requests[EVENT_REQUESTS_MAX];
    char parsed[EVENT_CODE_TEXT_MAX];
    char resolved[EVENT_CODE_TEXT_MAX];
    struct counts *counts = context;
    size_t read;

    counts->all++;
    if (listed->resolution.usable) {
        counts->usable++;
        counts->parsed += event_list_parse(listed->resolution.entry, requests, &read, error) &&
                          read == 1 &&
                          strcmp(event_code_text(&requests[0].code, parsed),
                                 event_code_text(&listed->resolution.code, resolved)) == 0;
    }
}

/* Each event of each processor that is reported as usable is one that a plan takes. */
static void test_all_entries(void)
{
    struct event_pmu pmu;

    for (size_t i = 0; event_pmu_at(i, &pmu); i++) {
        struct counts counts = {0};

        event_names_each(&pmu, count, &counts);
        CHECK(counts.all >= pmu.event_count / 2);
        CHECK_EQUAL(counts.parsed, counts.usable);
    }
}

int main(void)
{
    if (!event_names_open(error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    RUN(test_processors());
    RUN(test_host());
    RUN(test_resolve());
    RUN(test_long_names());
    RUN(test_lists());
    RUN(test_matches());
    RUN(test_all_entries());
    event_names_close();
    return unit_finish("unit_event_names");
}

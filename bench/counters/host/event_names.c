/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/counters/host/event_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/pmu/names.h"

bool event_names_open(char error[EVENT_NAMES_ERROR_MAX])
{
    /* without this, libpfm4 encodes only events of the processor that it runs on */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    const int status = pfm_initialize();

    if (status != PFM_SUCCESS) {
        snprintf(error, EVENT_NAMES_ERROR_MAX, "libpfm4 does not start: %s", pfm_strerror(status));
    }
    return status == PFM_SUCCESS;
}

void event_names_close(void)
{
    pfm_terminate();
}

/* ---- processors ---- */

static bool get_core_pmu(pfm_pmu_t id, struct event_pmu *pmu, bool *present)
{
    pfm_pmu_info_t info = {.size = sizeof(info)};

    if (pfm_get_pmu_info(id, &info) != PFM_SUCCESS || info.type != PFM_PMU_TYPE_CORE ||
        info.nevents == 0) {
        return false;
    }
    *present = info.is_present != 0;
    *pmu = (struct event_pmu){
        .name = info.name,
        .description = info.desc,
        .event_count = (size_t)info.nevents,
        .first_event = info.first_event,
        .intel = strncmp(info.name, "amd64", strlen("amd64")) != 0,
    };
    return true;
}

bool event_pmu_at(size_t index, struct event_pmu *pmu)
{
    pfm_pmu_t id;
    bool present;

    pfm_for_all_pmus(id)
    {
        if (get_core_pmu(id, pmu, &present) && index-- == 0) {
            return true;
        }
    }
    return false;
}

static bool find_pmu(const char *name, struct event_pmu *pmu)
{
    for (size_t i = 0; event_pmu_at(i, pmu); i++) {
        if (strcasecmp(pmu->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The table for libpfm4's PMUs whose names begin with `pmu`. The first entry of a table is used to
 * find a PMU for it. */
static const struct {
    const char *pmu;
    const char *table;
} pmu_tables[] = {
    {"p6", TABLE_P6},
    {"pii", TABLE_P6}, /* and piii */
    {"ppro", TABLE_P6},
    {"pm", TABLE_NONE},
    {"coreduo", TABLE_ARCHITECTURAL},
    {"core", TABLE_CORE2},
    {"nhm", TABLE_NEHALEM},
    {"wsm", TABLE_WESTMERE},
    {"snb", TABLE_SANDYBRIDGE},
    {"ivb", TABLE_IVYBRIDGE},
    {"hsw", TABLE_HASWELL},
    {"bdw", TABLE_BROADWELL},
    {"skl", TABLE_SKYLAKE},
    {"skx", TABLE_SKYLAKE},
    {"clx", TABLE_SKYLAKE},
    {"icl", TABLE_ICELAKE},
    {"icx", TABLE_ICELAKE},
    {"spr", TABLE_SAPPHIRERAPIDS},
    {"emr", TABLE_SAPPHIRERAPIDS},
    {"gnr", TABLE_SAPPHIRERAPIDS},
    {"adl_glc", TABLE_ALDERLAKE},
    {"netburst", TABLE_NONE},
    {"knc", TABLE_NONE},
    {"amd64_k7", TABLE_K7},
    {"amd64_k8_revg", TABLE_K8},
    {"amd64_k8", TABLE_K8},
    {"amd64_fam10h_istanbul", TABLE_AMD_10H},
    {"amd64_fam10h", TABLE_AMD_10H},
    {"amd64_fam15h", TABLE_AMD_15H},
    {"amd64_fam17h_zen1", TABLE_ZEN1},
    {"amd64_fam17h_zen2", TABLE_ZEN2},
    {"amd64_fam17h", TABLE_ZEN1},
    {"amd64_fam19h_zen3", TABLE_ZEN3},
    {"amd64_fam19h_zen4", TABLE_ZEN4},
    {"amd64_fam1ah_zen5", TABLE_ZEN5},
    {"amd64", TABLE_AMD},
    {"", TABLE_ARCHITECTURAL},
};

#define PMU_TABLE_COUNT (sizeof(pmu_tables) / sizeof(pmu_tables[0]))

static const struct event_table *find_table(const char *name)
{
    const struct event_table *table;

    for (size_t i = 0; (table = event_table_at(i)) != NULL; i++) {
        if (strcasecmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

static const struct event_table *table_of(const struct event_pmu *pmu)
{
    size_t i = 0;

    while (strncmp(pmu->name, pmu_tables[i].pmu, strlen(pmu_tables[i].pmu)) != 0) {
        i++; /* the last entry matches every name */
    }
    return find_table(pmu_tables[i].table);
}

/* Finds a PMU that has this table. The general tables, for processors without a table of their own,
 * have no PMU. */
static bool find_pmu_of(const struct event_table *table, struct event_pmu *pmu)
{
    static const char *const general[] = {TABLE_ARCHITECTURAL, TABLE_AMD, TABLE_NONE};

    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
        if (strcmp(table->name, general[i]) == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < PMU_TABLE_COUNT; i++) {
        const size_t length = strlen(pmu_tables[i].pmu);

        for (size_t k = 0; strcmp(pmu_tables[i].table, table->name) == 0 && event_pmu_at(k, pmu);
             k++) {
            if (strncmp(pmu->name, pmu_tables[i].pmu, length) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Explains why libpfm4 has no core PMU of that name. */
static void explain_pmu(const char *name, char error[EVENT_NAMES_ERROR_MAX])
{
    pfm_pmu_t id;

    pfm_for_all_pmus(id)
    {
        pfm_pmu_info_t info = {.size = sizeof(info)};

        if (pfm_get_pmu_info(id, &info) == PFM_SUCCESS && strcasecmp(info.name, name) == 0) {
            snprintf(
                error, EVENT_NAMES_ERROR_MAX,
                "%s (%s) is not a PMU of a processor core, and a plan uses the counters of the "
                "core only",
                info.name, info.desc);
            return;
        }
    }
    snprintf(error, EVENT_NAMES_ERROR_MAX,
             "no processor \"%.60s\" is known; \"tare events --cpu help\" lists those that are",
             name);
}

bool event_cpu_find(const char *name, struct event_cpu *cpu, char error[EVENT_NAMES_ERROR_MAX])
{
    memset(cpu, 0, sizeof(*cpu));
    if (find_pmu(name, &cpu->pmu)) {
        cpu->has_pmu = true;
        cpu->table = table_of(&cpu->pmu);
        return true;
    }
    cpu->table = find_table(name);
    if (cpu->table == NULL) {
        explain_pmu(name, error);
        return false;
    }
    cpu->has_pmu = find_pmu_of(cpu->table, &cpu->pmu);
    return true;
}

void event_cpu_host(struct event_cpu *cpu, struct cpu_identity *identity)
{
    pfm_pmu_t id;

    memset(cpu, 0, sizeof(*cpu));
    cpu_identify(cpuid_instruction, identity);
    cpu->table = event_table_for(identity, false);
    pfm_for_all_pmus(id)
    {
        if (get_core_pmu(id, &cpu->pmu, &cpu->has_pmu) && cpu->has_pmu) {
            return;
        }
    }
    cpu->has_pmu = false;
}

/* ---- codes ---- */

/* Bits of the select register, the same for Intel and AMD. */
#define BIT_USER    (1ull << 16)
#define BIT_SYSTEM  (1ull << 17)
#define BIT_EDGE    (1ull << 18)
#define BIT_ANY     (1ull << 21)
#define BIT_INVERT  (1ull << 23)
#define CMASK_SHIFT 24
#define AMD_HIGH    (0xfull << 32)

static void set_unusable(struct event_resolution *resolution, const char *why)
{
    resolution->usable = false;
    snprintf(resolution->why, sizeof(resolution->why), "%s", why);
}

/* Writes an entry such as "EVENT.MASK@0xd0:0x81". A label that would be too long loses the end of
 * the event's name. */
static void make_entry(struct event_resolution *resolution)
{
    const char *name = resolution->name;
    const size_t length = strlen(name);
    const size_t event = strcspn(name, ":");
    const size_t excess = length > EVENT_NAME_MAX ? length - EVENT_NAME_MAX : 0;
    const size_t kept = event > excess ? event - excess : 0;
    char code[EVENT_CODE_TEXT_MAX];
    char label[EVENT_NAME_MAX + 1];

    snprintf(label, sizeof(label), "%.*s%s", (int)kept, name,
             name + (kept > 0 ? event : length - EVENT_NAME_MAX));
    for (char *c = label; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) || strchr("_+-", *c) != NULL ? *c : '.';
    }
    snprintf(resolution->entry, sizeof(resolution->entry), "%s@%s", label,
             event_code_text(&resolution->code, code));
}

static void take_code(struct event_resolution *resolution, const struct event_pmu *pmu,
                      uint64_t value)
{
    const uint64_t both_rings = BIT_USER | BIT_SYSTEM;
    const uint64_t left = value >> 32 & ~(pmu->intel ? 0 : AMD_HIGH >> 32);

    resolution->usable = true;
    resolution->code = (struct event_code){
        .select = (uint16_t)((value & 0xff) | (pmu->intel ? 0 : (value & AMD_HIGH) >> 24)),
        .umask = (uint8_t)(value >> 8),
        .cmask = (uint8_t)(value >> CMASK_SHIFT),
        .edge = (value & BIT_EDGE) != 0,
        .invert = (value & BIT_INVERT) != 0,
    };
    if (pmu->intel && resolution->code.select == 0) {
        set_unusable(resolution, "only a fixed counter counts it, no general one");
    } else if ((value & both_rings) != both_rings) {
        set_unusable(resolution, "a plan counts in all rings: u and k cannot be chosen");
    } else if ((value & BIT_ANY) != 0) {
        set_unusable(resolution,
                     "it counts for all threads of the core (ANY), which no plan can set");
    } else if (left != 0) {
        set_unusable(resolution, "it needs more of the select register than a plan can set");
    }
    if (resolution->usable) {
        make_entry(resolution);
    }
}

/* Encodes `name`, which has no PMU prefix. Returns false and sets *status if libpfm4 does not know
 * it. */
static bool encode(const struct event_pmu *pmu, const char *name,
                   struct event_resolution *resolution, int *status)
{
    pfm_pmu_encode_arg_t encoding = {.size = sizeof(encoding)};
    char full[EVENT_NAME_LONG_MAX + 64];

    memset(resolution, 0, sizeof(*resolution));
    snprintf(resolution->name, sizeof(resolution->name), "%s", name);
    snprintf(full, sizeof(full), "%s::%s", pmu->name, resolution->name);
    *status = pfm_get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &encoding);
    if (*status != PFM_SUCCESS) {
        return false;
    }
    if (encoding.count > 1) {
        set_unusable(resolution, "it needs a second register in addition to the counter's "
                                 "(off-core response, latency, front end, ESCR)");
    } else {
        take_code(resolution, pmu, encoding.codes[0]);
    }
    free(encoding.codes);
    return true;
}

/* Changes Intel's "EVENT.MASK" to libpfm4's "EVENT:MASK". */
static void use_colons(char *name)
{
    for (; *name != '\0'; name++) {
        *name = (char)(*name == '.' ? ':' : *name);
    }
}

static bool choose_pmu(const struct event_cpu *cpu, const char *prefix, struct event_pmu *pmu,
                       char error[EVENT_NAMES_ERROR_MAX])
{
    struct event_cpu named;

    if (prefix != NULL) {
        if (!event_cpu_find(prefix, &named, error)) {
            return false;
        }
        cpu = &named;
    }
    if (cpu == NULL || !cpu->has_pmu) {
        snprintf(error, EVENT_NAMES_ERROR_MAX,
                 "not a portable name, and libpfm4 does not know the processor. \"tare events\" "
                 "lists the portable names. PMU::EVENT selects an event of another processor; "
                 "LABEL@EVENT:UMASK selects an event by its code in the manual");
        return false;
    }
    *pmu = cpu->pmu;
    return true;
}

bool event_names_resolve(const struct event_cpu *cpu, const char *name,
                         struct event_resolution *resolution, char error[EVENT_NAMES_ERROR_MAX])
{
    char text[EVENT_NAME_LONG_MAX];
    struct event_pmu pmu;
    int status;

    if (snprintf(text, sizeof(text), "%s", name) >= (int)sizeof(text)) {
        snprintf(error, EVENT_NAMES_ERROR_MAX, "the name is longer than that of any event");
        return false;
    }
    char *colons = strstr(text, "::");
    char *event = colons != NULL ? colons + 2 : text;

    if (colons != NULL) {
        *colons = '\0';
    }
    if (!choose_pmu(cpu, colons != NULL ? text : NULL, &pmu, error)) {
        return false;
    }
    use_colons(event);
    if (encode(&pmu, event, resolution, &status)) {
        return true;
    }
    const bool known = status != PFM_ERR_NOTFOUND;

    snprintf(error, EVENT_NAMES_ERROR_MAX,
             "libpfm4, PMU %s: %s; \"tare events --cpu %s '%.*s*'\" lists its events", pmu.name,
             pfm_strerror(status), pmu.name, known ? (int)strcspn(event, ":") : 0, event);
    return false;
}

/* ---- listing ---- */

static void visit_one(const struct event_pmu *pmu, struct event_listed *listed,
                      void (*visit)(const struct event_listed *listed, void *context),
                      void *context)
{
    char name[EVENT_NAME_LONG_MAX];
    int status;

    snprintf(name, sizeof(name), "%s%s%s", listed->event, listed->mask != NULL ? ":" : "",
             listed->mask != NULL ? listed->mask : "");
    if (!encode(pmu, name, &listed->resolution, &status)) {
        if (listed->mask == NULL) {
            return; /* it needs one of its masks, and each mask is listed */
        }
        set_unusable(&listed->resolution, "it needs another unit mask in addition to this one");
    }
    visit(listed, context);
}

void event_names_each(const struct event_pmu *pmu,
                      void (*visit)(const struct event_listed *listed, void *context),
                      void *context)
{
    for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
        pfm_event_info_t event = {.size = sizeof(event)};

        if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS) {
            continue;
        }
        struct event_listed listed = {
            .event = event.name, .event_description = event.desc, .same_as = event.equiv};

        visit_one(pmu, &listed, visit, context);
        for (int k = 0; k < event.nattrs; k++) {
            pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};

            if (pfm_get_event_attr_info(i, k, PFM_OS_NONE, &attribute) == PFM_SUCCESS &&
                attribute.type == PFM_ATTR_UMASK) {
                listed.mask = attribute.name;
                listed.mask_description = attribute.desc;
                visit_one(pmu, &listed, visit, context);
            }
        }
    }
}

bool event_name_matches(const char *name, const char *pattern)
{
    char colons[EVENT_NAME_LONG_MAX];

    if (snprintf(colons, sizeof(colons), "%s", pattern) >= (int)sizeof(colons)) {
        return false;
    }
    use_colons(colons);
    return strpbrk(colons, "*?[") != NULL ? fnmatch(colons, name, FNM_CASEFOLD) == 0
                                          : strcasestr(name, colons) != NULL;
}

/* ---- the event list of a plan ---- */

/* Appends one entry to `resolved`. */
static bool add_entry(const struct event_cpu *cpu, const char *entry, char *resolved, size_t size,
                      char error[EVENT_NAMES_ERROR_MAX])
{
    const char *at = strchr(entry, '@');
    const char *name = at != NULL ? at + 1 : entry;
    const size_t used = strlen(resolved);
    struct event_resolution resolution;
    enum portable_event event;
    int length;

    if (event_by_name(entry, &event) || isdigit((unsigned char)*name) || *name == '\0') {
        length = snprintf(resolved + used, size - used, "%s", entry);
    } else {
        if (!event_names_resolve(cpu, name, &resolution, error)) {
            return false;
        }
        if (!resolution.usable) {
            snprintf(error, EVENT_NAMES_ERROR_MAX, "%s", resolution.why);
            return false;
        }
        const char *code = strchr(resolution.entry, '@');

        length = at != NULL ? snprintf(resolved + used, size - used, "%.*s%s", (int)(at - entry),
                                       entry, code)
                            : snprintf(resolved + used, size - used, "%s", resolution.entry);
    }
    if ((size_t)length >= size - used) {
        snprintf(error, EVENT_NAMES_ERROR_MAX, "the list is too long for a plan");
        return false;
    }
    return true;
}

bool event_names_resolve_list(const struct event_cpu *cpu, const char *list, char *resolved,
                              size_t size, char error[EVENT_NAMES_ERROR_MAX])
{
    resolved[0] = '\0';
    for (;;) {
        const size_t length = strcspn(list, ",");
        char entry[EVENT_NAME_LONG_MAX];
        char why[EVENT_NAMES_ERROR_MAX];

        snprintf(entry, sizeof(entry), "%.*s", (int)length, list);
        snprintf(why, sizeof(why), "the name is longer than that of any event");
        if (length >= sizeof(entry) || !add_entry(cpu, entry, resolved, size, why)) {
            snprintf(error, EVENT_NAMES_ERROR_MAX, "\"%.60s\": %.420s", entry, why);
            return false;
        }
        list += length;
        if (*list == '\0') {
            return true;
        }
        list++;
        if (strlen(resolved) + 2 > size) {
            snprintf(error, EVENT_NAMES_ERROR_MAX, "the list is too long for a plan");
            return false;
        }
        strcat(resolved, ",");
    }
}

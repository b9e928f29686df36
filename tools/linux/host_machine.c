/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_machine.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>

#include "kernel/clock/exact.h"
#include "kernel/clock/names.h"
#include "kernel/clock/verdict.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/dev/smbios.h"
#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"

#define WINDOWS       5
#define WINDOW_NS     30000000
#define READ_TRIES    16
#define PPB           1000000000ull
#define FACT_MAX      256
#define MODULES_BYTES (1u << 20) /* bytes of SMBIOS that are read */

__attribute__((format(printf, 3, 4))) static void add_fact(struct run *run, const char *name,
                                                           const char *format, ...)
{
    char text[FACT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    run_add_pair(run, &run->machine, run_text(run, name), run_text(run, text));
}

/* ---- one processor, and memory that stays ---- */

/* Writes the processors that this program may use, such as "0-3,8". */
static void list_allowed(const cpu_set_t *allowed, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE && used < size; first++) {
        int last = first;

        if (!CPU_ISSET(first, allowed)) {
            continue;
        }
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, allowed)) {
            last++;
        }
        used += (size_t)snprintf(text + used, size - used, last > first ? "%s%d-%d" : "%s%d",
                                 used > 0 ? "," : "", first, last);
        first = last;
    }
}

/* Returns whether RLIMIT_MEMLOCK limits this program, all of whose memory is locked at this point.
 * If it does, a mapping larger than the limit fails even if it is never touched. */
static bool is_limited(struct rlimit *limit)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

    if (getrlimit(RLIMIT_MEMLOCK, limit) != 0 || limit->rlim_cur == RLIM_INFINITY) {
        return false;
    }
    void *beyond = mmap(NULL, limit->rlim_cur + 1, PROT_NONE, flags, -1, 0);

    if (beyond == MAP_FAILED) {
        return true;
    }
    munmap(beyond, limit->rlim_cur + 1);
    return false;
}

static bool locks; /* memory can be locked */

bool host_machine_lock(void)
{
    return locks && mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

/* Locks each page when it is first touched; if it were locked earlier, Linux would fill future huge
 * pages with small ones. Memory that stays unlocked is no failure. Under a limit, however, windows
 * and samples could not be allocated, so memory is then unlocked again. */
static void lock_memory(struct run *run)
{
    struct rlimit limit;

    locks = true;
    if (!host_machine_lock()) {
        add_fact(run, "memory_locked", "no: %s", strerror(errno));
        locks = false;
    } else if (is_limited(&limit)) {
        munlockall();
        locks = false;
        add_fact(run, "memory_locked", "no: ulimit -l allows only %ju KiB",
                 (uintmax_t)limit.rlim_cur / 1024);
    } else {
        add_fact(run, "memory_locked", "yes");
    }
}

bool host_machine_pin(struct run *run, int cpu, char error[HOST_ERROR_MAX])
{
    const int wanted = cpu >= 0 ? cpu : sched_getcpu();
    cpu_set_t allowed;
    cpu_set_t one;
    char list[FACT_MAX];

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        snprintf(error, HOST_ERROR_MAX, "cannot read which processors are allowed: %s",
                 strerror(errno));
        return false;
    }
    list_allowed(&allowed, list, sizeof(list));
    CPU_ZERO(&one);
    if (wanted < CPU_SETSIZE) {
        CPU_SET(wanted, &one);
    }
    if (wanted >= CPU_SETSIZE || !CPU_ISSET(wanted, &allowed) ||
        sched_setaffinity(0, sizeof(one), &one) != 0) {
        snprintf(error, HOST_ERROR_MAX, "this program may not run on processor %d; allowed: %s",
                 wanted, list);
        return false;
    }
    add_fact(run, "processor", "%d", wanted);
    add_fact(run, FACT_PROCESSORS, "%s", list);
    lock_memory(run);
    return true;
}

/* ---- what it is ---- */

static void add_file(struct run *run, const char *name, const char *path)
{
    char line[FACT_MAX];

    if (text_first_line(path, line, sizeof(line))) {
        add_fact(run, name, "%s", line);
    } else {
        add_fact(run, name, "not reported: %s", strerror(errno));
    }
}

static void describe_caches(struct run *run, const struct cpu_identity *identity)
{
    struct cache caches[CACHES_MAX];
    const size_t count = caches_read(cpuid_instruction, identity, caches);

    for (size_t i = 0; i < count; i++) {
        char name[CACHE_NAME_MAX];
        char full[CACHE_NAME_MAX + 8];
        char text[CACHE_TEXT_MAX];

        snprintf(full, sizeof(full), FACT_CACHE ".%s", cache_name(&caches[i], name));
        add_fact(run, full, "%s", cache_text(&caches[i], text));
    }
}

static void add_modules(struct run *run, const struct smbios_memory *modules)
{
    struct smbios_device least;
    const char *why = smbios_speed(modules, &least);

    for (size_t i = 0; i < modules->count; i++) {
        char name[32];
        char text[SMBIOS_TEXT_MAX];

        snprintf(name, sizeof(name), FACT_DRAM ".%zu", i);
        add_fact(run, name, "%s", smbios_text(&modules->device[i], text));
    }
    if (why != NULL) {
        add_fact(run, FACT_DRAM_SPEED, "%s", why);
        return;
    }
    add_fact(run, FACT_DRAM_DEVICES, "%zu", modules->count);
    add_fact(run, FACT_DRAM_MT_S, "%" PRIu32, least.mt_s);
    add_fact(run, FACT_DRAM_WIDTH_BITS, "%u", least.width_bits);
}

/* Describes the memory modules from SMBIOS, which Linux shows only to root. */
static void describe_modules(struct run *run)
{
    FILE *file = fopen("/sys/firmware/dmi/tables/DMI", "rb");
    struct smbios_memory modules;

    if (file == NULL) {
        add_fact(run, FACT_DRAM_SPEED, "Linux shows no SMBIOS: %s", strerror(errno));
        return;
    }
    uint8_t *structures = alloc_zeroed(MODULES_BYTES);
    const size_t length = fread(structures, 1, MODULES_BYTES, file);

    fclose(file);
    smbios_read(structures, length, &modules);
    free(structures);
    add_modules(run, &modules);
}

static void describe_linux(struct run *run)
{
    char path[FACT_MAX];
    struct utsname names;
    struct sysinfo info;

    if (uname(&names) == 0) {
        add_fact(run, "environment", "%s %s", names.sysname, names.release);
    }
    if (sysinfo(&info) == 0) {
        add_fact(run, FACT_MEMORY_FREE_BYTES, "%" PRIu64, (uint64_t)info.freeram * info.mem_unit);
    }
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%s/cpufreq/scaling_governor",
             run_pair_value(&run->machine, "processor"));
    add_file(run, "governor", path);
    add_file(run, "transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled");
    add_file(run, "hugepages_2m", "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    add_file(run, "hugepages_1g", "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
}

static void describe_run(struct run *run, const struct cpu_identity *identity)
{
    struct timespec now = {0};
    struct tm utc;
    char date[32];

    struct exact_time counted = exact_time();
    const bool emulated = cpu_emulator(identity->hypervisor, identity->brand) != NULL;

    counted.shared = true; /* Linux executes instructions too, even if it did not just then */
    clock_gettime(CLOCK_REALTIME, &now);
    run_add_pair(run, &run->info, INFO_VERSION, TARE_VERSION);
    run_add_pair(run, &run->info, INFO_RUN,
                 run_format(run, "%08llx%08lx", (unsigned long long)now.tv_sec, now.tv_nsec));
    run_add_pair(run, &run->info, INFO_KIND,
                 counted.ticks > 0 ? exact_time_name(counted)
                 : emulated        ? TIME_EMULATED
                                   : TIME_REAL);
    if (counted.ticks > 0) {
        run_add_pair(run, &run->info, INFO_TICKS_PER_INSTRUCTION,
                     run_format(run, "%" PRIu32, counted.ticks));
    }
    if (identity->hypervisor[0] != '\0') {
        run_add_pair(run, &run->info, INFO_HYPERVISOR, run_text(run, identity->hypervisor));
    }
    if (gmtime_r(&now.tv_sec, &utc) != NULL &&
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) {
        run_add_pair(run, &run->info, INFO_DATE, run_text(run, date));
        run_add_pair(run, &run->info, INFO_CAPTURED, run_text(run, date));
    }
}

void host_machine_describe(struct run *run)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    describe_run(run, &identity);
    add_fact(run, FACT_CPU_VENDOR, "%s", identity.vendor);
    if (identity.brand[0] != '\0') {
        add_fact(run, FACT_CPU_BRAND, "%s", identity.brand);
    }
    add_fact(run, FACT_CPU_SIGNATURE, "family %u model %u stepping %u", identity.family,
             identity.model, identity.stepping);
    if (identity.hypervisor[0] != '\0') {
        add_fact(run, FACT_HYPERVISOR, "%s", identity.hypervisor);
    }
    add_fact(run, FACT_INVARIANT_TSC, "%s", identity.invariant_tsc ? "yes" : "no");
    describe_linux(run);
    describe_caches(run, &identity);
    describe_modules(run);
}

/* ---- the TSC ---- */

struct pair {
    uint64_t tsc; /* middle of the interval in which the clock was read */
    uint64_t width;
    uint64_t ns;
};

static struct pair read_pair(clockid_t clock)
{
    struct pair best = {.width = UINT64_MAX};

    for (int i = 0; i < READ_TRIES; i++) {
        struct timespec time;
        const uint64_t before = tsc_read_ordered();

        clock_gettime(clock, &time);
        const uint64_t after = tsc_read_ordered();

        if (after - before < best.width) {
            best = (struct pair){before + (after - before) / 2, after - before,
                                 (uint64_t)time.tv_sec * PPB + (uint64_t)time.tv_nsec};
        }
    }
    return best;
}

static int by_rate(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* Measures the TSC's rate: the median of WINDOWS windows. The error is the largest of the windows'
 * errors, each half of the time that reading took. */
static struct rate_estimate measure(const char *name, clockid_t clock)
{
    struct rate_estimate rate = {.reference = name};
    uint64_t hz[WINDOWS];

    for (size_t i = 0; i < WINDOWS; i++) {
        const struct timespec length = {.tv_nsec = WINDOW_NS};
        const struct pair start = read_pair(clock);

        nanosleep(&length, NULL);
        const struct pair end = read_pair(clock);
        const double ticks = (double)(end.tsc - start.tsc);
        const double error = (double)(start.width + end.width) / 2 / ticks * (double)PPB;

        hz[i] = (uint64_t)(ticks * (double)PPB / (double)(end.ns - start.ns) + 0.5);
        rate.error_ppb = error > (double)rate.error_ppb ? (uint64_t)error + 1 : rate.error_ppb;
    }
    sort_stable(hz, WINDOWS, sizeof(hz[0]), by_rate);
    rate.hz = hz[WINDOWS / 2];
    return rate;
}

static void add_source(struct run *run, const char *name, const char *from)
{
    *run_add_source(run) = (struct run_source){name, PPB, from};
}

static void add_estimate(struct run *run, const struct rate_estimate *rate, uint64_t windows)
{
    *run_add_estimate(run) = (struct run_estimate){
        .clock = CLOCK_TSC,
        .reference = rate->reference,
        .hz = rate->hz,
        .has_error_ppb = windows > 0,
        .error_ppb = rate->error_ppb,
        .windows = windows,
    };
}

/* Describes the sources of Linux's clocks. If the source is the TSC itself, the clocks can only
 * show the rate that Linux assumed for it. */
static void describe_sources(struct run *run)
{
    struct timex state = {0};
    char source[FACT_MAX] = "not reported";
    const bool steered = adjtimex(&state) != TIME_ERROR;

    text_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                    sizeof(source));
    add_fact(run, "clocksource", "%s", source);
    add_source(run, "monotonic_raw", "Linux, from its clocksource by its own calibration");
    add_source(run, "monotonic",
               steered ? "the same, steered by a time server"
                       : "the same, not steered: not independent");
}

void host_machine_measure_tsc(struct run *run)
{
    struct rate_estimate rates[4];
    struct cpu_identity identity;
    char by[64];
    size_t count = 2;

    cpu_identify(cpuid_instruction, &identity);
    describe_sources(run);
    rates[0] = measure("monotonic_raw", CLOCK_MONOTONIC_RAW);
    rates[1] = measure("monotonic", CLOCK_MONOTONIC);
    add_estimate(run, &rates[0], WINDOWS);
    add_estimate(run, &rates[1], WINDOWS);
    if (identity.tsc_hz_leaf15 != 0) {
        rates[count++] =
            (struct rate_estimate){.reference = REFERENCE_CPUID_15H, .hz = identity.tsc_hz_leaf15};
        add_estimate(run, &rates[count - 1], 0);
    }
    if (identity.tsc_hz_virtual != 0) {
        rates[count++] = (struct rate_estimate){.reference = REFERENCE_HYPERVISOR_LEAF,
                                                .hz = identity.tsc_hz_virtual};
        add_estimate(run, &rates[count - 1], 0);
    }
    const struct rate_verdict verdict = rate_judge(rates, count);

    run->verdict = (struct run_verdict){
        .present = true,
        .ok = verdict.ok,
        .hz = verdict.hz,
        .reason = verdict.reason,
    };
    if (verdict.ok) {
        snprintf(by, sizeof(by), "%s,%s", rates[verdict.chosen].reference,
                 rates[verdict.second].reference);
        run->verdict.by = run_text(run, by);
    }
}

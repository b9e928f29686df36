/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU driver, as it was linked into the image, on the processor of this machine, with its
 * registers played by perf (perf_registers.h).
 *
 *     pmu_silicon [IMAGE.elf]
 *
 * The driver proves the counters itself. Then kernels of known counts run between two rows of
 * counters, n and 2 n iterations of each: the difference has neither the reading in it nor what
 * comes before and behind the loop. An interrupt adds a count or two, so each figure is the least
 * of several.
 *
 * Skips everything, with the reason, where Linux offers no counters.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/counters/kernels.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/pmu.h"
#include "kernel/pmu/reader.h"
#include "tools/tests/machine/perf_registers.h"
#include "tools/tests/programs/image_elf.h"

#define DEFAULT_IMAGE       "build/image/tare.elf"
#define REPEATS             100
#define EXACT_TOLERANCE     4 /* interrupts */
#define NEAR_PERCENT        5 /* events counted before it is known whether the instruction retires */
#define ITERATIONS          5000
#define LONG_ITERATIONS     500000
#define LONG_REPEATS        20
#define ATTEMPTS            8
#define CORE_TYPE_EFFICIENT 0x20
#define BUFFER_BYTES        (9 * PAGE_BYTES)
#define PAGES_BYTES         ((size_t)KERNEL_PAGES * PAGE_BYTES)
#define PAGE_BYTES          4096

static unsigned passed, failed, skipped;

/* The image's functions. */
static struct {
    const struct pmu *(*init)(const struct cpu_identity *identity);
    bool (*assign)(unsigned counter, const struct event_code *code, uint8_t *vector);
    void (*start)(void);
    void (*stop)(void);
    uint64_t (*delta)(const struct pmu_counter *counter, uint64_t from, uint64_t to);
    void (*restore)(void);
    void (*reader_set)(const uint32_t *rdpmc, size_t count, bool smi);
    void (**reader)(int64_t *row);
    const char *(*counter_name)(const struct pmu_counter *counter, char *name);
    const char *(*counter_state_name)(enum pmu_counter_state state);
    const char *(*backend_name)(enum pmu_backend backend);
} driver;

static const struct pmu *pmu;
static const struct event_table *events; /* with the names, which the image's lack */
static struct image_elf image;
static void *buffer; /* 9 pages, into the last of which the page splits reach */
static void *pages;  /* KERNEL_PAGES of them */

struct expectation {
    enum portable_event event;
    double least, most; /* in an iteration */
    bool exact;
};

#define EXACTLY(event, each)          \
    {                                 \
        (event), (each), (each), true \
    }
#define ABOUT(event, each)             \
    {                                  \
        (event), (each), (each), false \
    }

#define EXPECTED_MAX 4
#define CODES_MAX    (EVENT_CODES_MAX * EXPECTED_MAX)

static const struct known_kernel {
    const char *symbol;
    uint64_t iterations;
    struct expectation expected[EXPECTED_MAX]; /* ends with a `most` of 0 */
} kernels[] = {
    {"kernel_adds",
     ITERATIONS,
     {EXACTLY(EVENT_INSTRUCTIONS, 10), EXACTLY(EVENT_BRANCHES, 1), ABOUT(EVENT_CYCLES, 8)}},
    {"kernel_loads",
     ITERATIONS,
     {EXACTLY(EVENT_INSTRUCTIONS, 10), EXACTLY(EVENT_BRANCHES, 1), ABOUT(EVENT_LOADS, 8)}},
    {"kernel_stores",
     ITERATIONS,
     {EXACTLY(EVENT_INSTRUCTIONS, 10), EXACTLY(EVENT_BRANCHES, 1), ABOUT(EVENT_STORES, 8)}},
    {"kernel_branches", ITERATIONS, {EXACTLY(EVENT_BRANCHES, 2)}},
    /* Long, so that no predictor knows the sequence when it comes again. */
    {"kernel_branches", LONG_ITERATIONS, {ABOUT(EVENT_MISPREDICTS, 0.5)}},
    {"kernel_pages",
     KERNEL_PAGES,
     {EXACTLY(EVENT_INSTRUCTIONS, 5), ABOUT(EVENT_LOADS, 1), ABOUT(EVENT_DTLB_MISSES, 1)}},
    {"kernel_line_splits",
     ITERATIONS,
     {EXACTLY(EVENT_INSTRUCTIONS, 10), ABOUT(EVENT_LOADS, 8), ABOUT(EVENT_MISALIGNED, 8)}},
    {"kernel_segment_loads", /* slow */
     ITERATIONS / 10,
     {EXACTLY(EVENT_INSTRUCTIONS, 10), ABOUT(EVENT_SEGMENT_LOADS, 8)}},
};

__attribute__((format(printf, 2, 3))) static void report(unsigned *count, const char *format, ...)
{
    va_list values;

    (*count)++;
    printf("%s  ", count == &passed ? "pass" : count == &failed ? "FAIL" : "skip");
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
}

static unsigned *verdict(bool good)
{
    return good ? &passed : &failed;
}

static int finish(void)
{
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed == 0 ? 0 : 1;
}

static void find_driver(void)
{
#define FIND(member, symbol) \
    driver.member = (__typeof__(driver.member))image_elf_symbol(&image, symbol)
    FIND(init, "pmu_init");
    FIND(assign, "pmu_assign");
    FIND(start, "pmu_start");
    FIND(stop, "pmu_stop");
    FIND(delta, "pmu_delta");
    FIND(restore, "pmu_restore");
    FIND(reader_set, "reader_set");
    FIND(reader, "reader_chosen");
    FIND(counter_name, "pmu_counter_name");
    FIND(counter_state_name, "pmu_counter_state_name");
    FIND(backend_name, "pmu_backend_name");
#undef FIND
}

/* The image's own CPUID code, on the processor's own CPUID. */
static struct cpu_identity identify(void)
{
    void (*identify_by)(cpuid_port * port, struct cpu_identity * identity) =
        (__typeof__(identify_by))image_elf_symbol(&image, "cpu_identify");
    cpuid_port *port = (cpuid_port *)image_elf_symbol(&image, "cpuid_instruction");
    struct cpu_identity identity;

    identify_by(port, &identity);
    return identity;
}

/* ---- the proofs of the driver ---- */

static bool is_usable_general(const struct pmu_counter *counter)
{
    return counter->state == COUNTER_USABLE && counter->kind == COUNTER_GENERAL;
}

static size_t usable_general(void)
{
    size_t count = 0;

    for (unsigned i = 0; i < pmu->count; i++) {
        count += is_usable_general(&pmu->counter[i]) ? 1 : 0;
    }
    return count < READER_COUNTERS_MAX ? count : READER_COUNTERS_MAX;
}

static void test_counters(const struct cpu_identity *identity)
{
    char name[PMU_COUNTER_NAME_MAX];

    printf("%s, family %xh model %xh; %s version %u, %u+%u counters of %u bits claimed, events of "
           "%s%s%s\n",
           identity->brand, identity->family, identity->model, driver.backend_name(pmu->backend),
           pmu->version, pmu->claimed_general, pmu->claimed_fixed, pmu->claimed_width, events->name,
           pmu->errata[0] != '\0' ? "; " : "", pmu->errata);
    for (unsigned i = 0; i < pmu->count; i++) {
        const struct pmu_counter *counter = &pmu->counter[i];

        printf("  %s: %s, vector %u, width %u, %" PRIu64 " of %d instructions\n",
               driver.counter_name(counter, name), driver.counter_state_name(counter->state),
               counter->vector, counter->width, counter->known_answer, PMU_KNOWN_ANSWER);
    }
    report(verdict(pmu->usable > 0), "driver: %u of %u counters usable%s%s", pmu->usable,
           pmu->count, pmu->reason[0] != '\0' ? ": " : "", pmu->reason);
    /* A host may promise more counters than it can run, and does not report which ones fail. */
    const unsigned general = (unsigned)usable_general();
    const unsigned kept = perf_registers_alive(general);
    const unsigned most = perf_registers_alive(pmu->claimed_general);

    report(verdict(kept == general && most <= general + 1),
           "driver: of its %u general counters perf keeps %u going together, of all %u: %u",
           general, kept, pmu->claimed_general, most);
}

/* ---- known kernels ---- */

struct asked {
    struct event_code code;
    uint16_t counters; /* that can count it, as in struct event_row */
    bool exact;        /* what reading adds is to be taken off as well */
};

static bool can_count(unsigned counter, const struct asked *asked)
{
    return is_usable_general(&pmu->counter[counter]) &&
           (asked->counters == 0 || (asked->counters >> pmu->counter[counter].index & 1) != 0);
}

/* Gives each code its own counter, first those that not every counter takes; false where there
 * are not enough, or one is refused. */
static bool assign_all(const struct asked *asked, size_t count, unsigned counters[])
{
    bool taken[PMU_COUNTERS_MAX] = {false};

    for (size_t i = 0; i < 2 * count; i++) {
        const size_t which = i % count;
        uint8_t vector;
        unsigned next = 0;

        if ((asked[which].counters != 0) != (i < count)) {
            continue;
        }
        while (next < pmu->count && (taken[next] || !can_count(next, &asked[which]))) {
            next++;
        }
        if (next == pmu->count || !driver.assign(next, &asked[which].code, &vector)) {
            return false;
        }
        taken[next] = true;
        counters[which] = next;
    }
    return true;
}

/* kernel_pages works on its own pages, all others on the buffer. */
static void *memory_of(counter_kernel *kernel)
{
    return (uintptr_t)kernel == image_elf_symbol(&image, "kernel_pages") ? pages : buffer;
}

/* The least of several repeats, by counter: interrupts, and loads that are tried again, only add.
 */
static void read_rows(const unsigned counters[], size_t count, counter_kernel *kernel,
                      uint64_t iterations, uint64_t least[])
{
    void *memory = memory_of(kernel);
    int64_t before[READER_ROW_MAX];
    int64_t after[READER_ROW_MAX];
    const unsigned repeats = iterations > 2 * ITERATIONS ? LONG_REPEATS : REPEATS;

    kernel(iterations, memory); /* warms up */
    for (unsigned repeat = 0; repeat < repeats; repeat++) {
        (*driver.reader)(before);
        kernel(iterations, memory);
        (*driver.reader)(after);
        for (size_t i = 0; i < count; i++) {
            const uint64_t delta = driver.delta(&pmu->counter[counters[i]], (uint64_t)before[1 + i],
                                                (uint64_t)after[1 + i]);

            least[i] = delta < least[i] ? delta : least[i];
        }
    }
}

/* What `iterations` iterations count: exactly, twice as many less as many; else half of twice as
 * many, where what reading adds is nothing beside the tolerance, and one lucky run is enough. False
 * where there are too few counters. */
static bool measure(const struct asked *asked, size_t count, const struct known_kernel *known,
                    uint64_t counts[])
{
    counter_kernel *kernel = (counter_kernel *)image_elf_symbol(&image, known->symbol);
    uint64_t least[2][READER_COUNTERS_MAX];
    unsigned counters[READER_COUNTERS_MAX];
    uint32_t rdpmc[READER_COUNTERS_MAX];
    bool assigned = true;

    memset(least, 0xff, sizeof(least));
    for (unsigned i = 0; i < 2 && assigned; i++) {
        assigned = assign_all(asked, count, counters);
        if (assigned) {
            for (size_t k = 0; k < count; k++) {
                rdpmc[k] = pmu->counter[counters[k]].rdpmc;
            }
            driver.reader_set(rdpmc, count, false);
            driver.start();
            read_rows(counters, count, kernel, known->iterations << i, least[i]);
        }
        driver.stop();
    }
    for (size_t k = 0; k < count && assigned; k++) {
        counts[k] = !asked[k].exact             ? least[1][k] / 2
                    : least[1][k] > least[0][k] ? least[1][k] - least[0][k]
                                                : 0;
    }
    return assigned;
}

/* Every counter at once, each on instructions: they must agree to the instruction. */
static void test_all_together(void)
{
    struct asked asked[READER_COUNTERS_MAX] = {0};
    uint64_t counts[READER_COUNTERS_MAX];
    const size_t count = usable_general();
    const uint64_t expected = 10 * kernels[0].iterations;
    size_t right = 0;

    for (size_t i = 0; i < count; i++) {
        asked[i].code = events->row[EVENT_INSTRUCTIONS].code[0];
        asked[i].exact = true;
    }
    const bool assigned = measure(asked, count, &kernels[0], counts);

    for (size_t i = 0; i < count && assigned; i++) {
        right += counts[i] + EXACT_TOLERANCE >= expected && counts[i] <= expected + EXACT_TOLERANCE
                     ? 1
                     : 0;
    }
    if (right < count && perf_registers_alive((unsigned)count) < count) {
        report(&skipped, "together: the host no longer runs %zu counters", count);
        return;
    }
    report(verdict(assigned && right == count),
           "together: %zu of %zu counters count %" PRIu64 " instructions, RDPMC %s", right, count,
           expected, perf_registers_native() ? "native" : "emulated");
}

static bool is_right(const struct expectation *expectation, uint64_t iterations, uint64_t count)
{
    const double least = expectation->least * (double)iterations;
    const double most = expectation->most * (double)iterations;
    const double tolerance = expectation->exact ? EXACT_TOLERANCE : most * NEAR_PERCENT / 100;

    return (double)count >= least - tolerance && (double)count <= most + tolerance;
}

static void judge(const char *kernel, uint64_t iterations, const struct expectation *expectation,
                  uint64_t count)
{
    const uint64_t expected = (uint64_t)(expectation->most * (double)iterations);
    const char *event = event_name(expectation->event);

    /* A hypervisor may pass on the events that all processors have, and no others. */
    if (count == 0 && !expectation->exact && pmu->hypervisor) {
        report(&skipped, "%s: %s: the host of this virtual machine counts none", kernel, event);
        return;
    }
    report(verdict(is_right(expectation, iterations, count)),
           "%s: %s: %" PRIu64 " counted, %" PRIu64 " done", kernel, event, count, expected);
}

/* The counts of each expectation, from those of its codes. */
static void add_up(const struct expectation *const group[], size_t group_count,
                   const uint64_t counts[], uint64_t sums[])
{
    size_t count = 0;

    for (size_t i = 0; i < group_count; i++) {
        sums[i] = 0;
        for (unsigned k = 0; k < events->row[group[i]->event].code_count; k++) {
            sums[i] += counts[count++];
        }
    }
}

static bool all_right(const struct expectation *const group[], size_t group_count,
                      uint64_t iterations, const uint64_t sums[])
{
    for (size_t i = 0; i < group_count; i++) {
        if (!is_right(group[i], iterations, sums[i])) {
            return false;
        }
    }
    return true;
}

/* Expectations that are counted at the same time. A host that disturbs every repeat gets more of
 * them: a counter that counts wrongly does so in all. */
static void test_group(const struct known_kernel *kernel, const struct expectation *const group[],
                       size_t group_count)
{
    struct asked asked[CODES_MAX] = {0};
    uint64_t counts[CODES_MAX] = {0};
    uint64_t sums[EXPECTED_MAX] = {0};
    size_t count = 0;
    bool right = false;

    for (size_t i = 0; i < group_count; i++) {
        const struct event_row *row = &events->row[group[i]->event];

        for (unsigned k = 0; k < row->code_count; k++) {
            asked[count++] = (struct asked){row->code[k], row->counters, group[i]->exact};
        }
    }
    for (unsigned attempt = 0; attempt < ATTEMPTS && !right; attempt++) {
        if (!measure(asked, count, kernel, counts)) {
            report(&failed, "%s: its events do not go into the counters", kernel->symbol);
            return;
        }
        add_up(group, group_count, counts, sums);
        right = all_right(group, group_count, kernel->iterations, sums);
    }
    for (size_t i = 0; i < group_count; i++) {
        judge(kernel->symbol, kernel->iterations, group[i], sums[i]);
    }
}

/* As many events at a time as there are counters for. */
static void test_kernel(const struct known_kernel *kernel)
{
    const struct expectation *group[EXPECTED_MAX];
    size_t group_count = 0;
    size_t codes = 0;
    const size_t counters = usable_general();

    for (const struct expectation *at = kernel->expected; at->most != 0; at++) {
        const struct event_row *row = &events->row[at->event];

        if (row->code_count == 0 || row->code_count > counters) {
            report(&skipped, "%s: %s: %s", kernel->symbol, event_name(at->event),
                   row->code_count == 0 ? event_row_absence(row) : "too few counters");
            continue;
        }
        if (codes + row->code_count > counters) {
            test_group(kernel, group, group_count);
            group_count = 0;
            codes = 0;
        }
        group[group_count++] = at;
        codes += row->code_count;
    }
    if (group_count > 0) {
        test_group(kernel, group, group_count);
    }
}

/* Pages without a write all show the kernel's one page of zeroes. kernel_pages wants just that: as
 * many translations, no two of which AMD's TLBs can hold as one. */
static bool make_buffers(void)
{
    buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    pages = mmap(NULL, PAGES_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (buffer == MAP_FAILED || pages == MAP_FAILED ||
        madvise(pages, PAGES_BYTES, MADV_NOHUGEPAGE) != 0) {
        return false;
    }
    for (size_t offset = 0; offset < PAGES_BYTES; offset += PAGE_BYTES) {
        (void)*((volatile uint8_t *)pages + offset);
    }
    return true;
}

static void test_driver(const struct cpu_identity *identity)
{
    pmu = driver.init(identity);
    events = event_table_for(identity, pmu->core_type == CORE_TYPE_EFFICIENT);
    test_counters(identity);
    if (pmu->usable == 0) {
        return;
    }
    test_all_together();
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        test_kernel(&kernels[i]);
    }
    driver.restore();
}

int main(int argc, char **argv)
{
    char reason[PERF_REASON_MAX];

    setvbuf(stdout, NULL, _IOLBF, 0);
    image_elf_load_here(&image, argc > 1 ? argv[1] : DEFAULT_IMAGE);
    find_driver();
    if (!perf_registers_serve(&image, reason)) {
        report(&skipped, "all: %s", reason);
        return finish();
    }
    if (!make_buffers()) {
        report(&failed, "no memory for the kernels");
        return finish();
    }
    const struct cpu_identity identity = identify();

    test_driver(&identity);
    /* Again, with RDPMC as a fault: counters start where the driver sets them, and so wrap. */
    if (perf_registers_leave_rdpmc(false)) {
        test_driver(&identity);
    } else {
        report(&skipped, "RDPMC emulated: Linux allows it to everybody here");
    }
    return finish();
}

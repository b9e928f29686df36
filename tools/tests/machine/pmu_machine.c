/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image, from kernel_main() to power-off, on modelled processors that count (pmu_model.h)
 * among modelled devices: what it sends is decoded, and every count of every sample is held against
 * what the model knows was executed.
 *
 *     pmu_machine [IMAGE.elf [FOLDER]]
 *
 * The logs are decoded by `tare` (TARE, else build/tare) into run files, which are then compared.
 * FOLDER keeps both; without it they are in a temporary one, which stays if anything failed.
 *
 * The truth is found without any of the image's arithmetic. Each row of counters begins with a TSC
 * value that no other row has; the model reports, for every RDPMC, the totals since its beginning,
 * which know no width, no start and no stop. When a bench publishes its rows, their TSC values lead
 * to these totals.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/pmu/event.h"
#include "kernel/pmu/reader.h"
#include "kernel/run/bench_run.h"
#include "tools/base/partial_file.h"
#include "tools/store/runfile.h"
#include "tools/tests/machine/machine_boot.h"
#include "tools/tests/machine/unicorn_devices.h"

#define DEFAULT_IMAGE  "build/image/tare.elf"
#define TSC_HZ         10000000ull
#define INSTRUCTIONS   400000000ull
#define SLOTS_MAX      (READER_COUNTERS_MAX + 1)
#define ROWS_MAX       (1u << 18) /* a power of two: rows are hashed by TSC */
#define SERIES_MAX     512
#define NAME_MAX       48
#define PLAN_SIZE      1024
#define PATH_SIZE      (TEMPORARY_PATH_MAX + 64)
#define LEFT_VALUE     0x1234567u
#define SMIS_PROVOKED  3
#define REGION_MAX     60
#define REGION_COUNTED 4
/* Below the top of a counter's range when the idle loop starts: it then wraps within a sample or
 * so. */
#define OFTEN_BELOW_TOP  1000
#define SELDOM_BELOW_TOP 20

static const char plan[] =
    "bench=clock,idle,load,gap,counters clock.reads=20 idle.ms=20 idle.sample_us=500 "
    "idle.tick_hz=200 load.random=6:1:20:500 load.sample_us=500 gap.ms=2 gap.threshold_ns=1 "
    "counters.iterations=1000 counters.repeats=2 region.count=40 link.wait_ms=0 exit=poweroff";

/* What was in truth counted when a row was read. */
struct row {
    uint64_t tsc; /* 0: none here */
    unsigned slots;
    enum quantity quantity[SLOTS_MAX];
    uint64_t truth[SLOTS_MAX];
};

/* Where a row is being read: an interrupt may read others in between. */
struct open_row {
    uint64_t address;
    uint64_t tsc;
};

/* What a published series counts in truth. */
struct truth {
    char bench[NAME_MAX];
    char of[NAME_MAX];
    uint32_t pass;
    size_t samples;
    unsigned slots;
    enum quantity quantity[SLOTS_MAX];
    int64_t *counts; /* `slots` a sample */
};

struct trial {
    struct machine machine;
    struct devices devices;
    struct row rows[ROWS_MAX];
    struct open_row open[ROWS_MAX];
    struct truth series[SERIES_MAX];
    size_t series_count;
    unsigned long compared_series;
    unsigned long compared_counts;
    unsigned long not_zero;
    unsigned long wraps; /* counters that are lower at the end of a sample */
    char failure[300];
};

static struct trial trial;

__attribute__((format(printf, 2, 3))) static void check(bool good, const char *format, ...)
{
    va_list arguments;

    if (good || trial.failure[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(trial.failure, sizeof(trial.failure), format, arguments);
    va_end(arguments);
}

/* ---- rows, as they are read ---- */

static size_t hash(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) % ROWS_MAX;
}

/* The entry of a TSC value, or the free one where it belongs. */
static struct row *find_row(uint64_t tsc)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        struct row *row = &trial.rows[(hash(tsc) + i) % ROWS_MAX];

        if (row->tsc == tsc || row->tsc == 0) {
            return row;
        }
    }
    check(false, "more rows than this test has room for");
    return &trial.rows[0];
}

static struct open_row *find_open(uint64_t address)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        struct open_row *row = &trial.open[(hash(address) + i) % ROWS_MAX];

        if (row->address == address || row->address == 0) {
            return row;
        }
    }
    check(false, "more addresses of rows than this test has room for");
    return &trial.open[0];
}

static void on_stamp(void *context, uint64_t rdi, uint64_t tsc)
{
    (void)context;
    *find_open(rdi) = (struct open_row){rdi, tsc};
}

static void on_reading(void *context, const struct pmu_reading *reading)
{
    (void)context;
    if (!reading->by_rdpmc && reading->counter != MODEL_SMI_COUNTER) {
        return;
    }
    const uint64_t tsc = find_open(reading->tag)->tsc;
    struct row *row = find_row(tsc);

    if (tsc == 0 || row->slots == SLOTS_MAX) {
        return; /* no row: a single counter is read */
    }
    row->tsc = tsc;
    row->quantity[row->slots] = reading->quantity;
    row->truth[row->slots++] = reading->truth;
}

/* ---- rows, as they are published ---- */

static uint64_t guest_word(uint64_t address)
{
    uint64_t value;

    memcpy(&value, machine_memory(&trial.machine, address, sizeof(value)), sizeof(value));
    return value;
}

static void guest_text(uint64_t address, char text[NAME_MAX])
{
    for (size_t i = 0; i < NAME_MAX; i++) {
        text[i] = *(char *)machine_memory(&trial.machine, address + i, 1);
        if (text[i] == '\0') {
            return;
        }
    }
    text[NAME_MAX - 1] = '\0';
}

/* Of the same name again: bench_publish_rows() may publish by bench_publish_counts(). */
static struct truth *new_truth(const struct truth *like)
{
    for (size_t i = 0; i < trial.series_count; i++) {
        struct truth *truth = &trial.series[i];

        if (strcmp(truth->bench, like->bench) == 0 && strcmp(truth->of, like->of) == 0 &&
            truth->pass == like->pass) {
            free(truth->counts);
            return truth;
        }
    }
    if (trial.series_count == SERIES_MAX) {
        check(false, "more series than this test has room for");
        return &trial.series[0];
    }
    return &trial.series[trial.series_count++];
}

/* Counts between two rows of the guest's memory. */
static void take_sample(const struct truth *truth, size_t sample, uint64_t from, uint64_t to)
{
    const struct row *first = find_row(guest_word(from));
    const struct row *second = find_row(guest_word(to));

    for (unsigned k = 0; k < truth->slots; k++) {
        check(first->tsc != 0 && second->tsc != 0 && first->slots == truth->slots &&
                  second->slots == truth->slots && first->quantity[k] == truth->quantity[k] &&
                  second->quantity[k] == truth->quantity[k],
              "%s, %s: sample %zu is between rows that were not read as the others", truth->bench,
              truth->of, sample);
        truth->counts[sample * truth->slots + k] = (int64_t)(second->truth[k] - first->truth[k]);
        trial.wraps += guest_word(to + 8 * (1 + k)) < guest_word(from + 8 * (1 + k));
    }
}

/* bench_publish_counts(run, of, rows), bench_publish_rows(run, name, rows). */
static void on_publish(struct machine *machine, void *context)
{
    const struct bench_run *run =
        machine_memory(machine, machine_argument(machine, 0), sizeof(*run));
    const struct bench_rows *published =
        machine_memory(machine, machine_argument(machine, 2), sizeof(*published));
    const struct bench *bench =
        machine_memory(machine, (uint64_t)(uintptr_t)run->bench, sizeof(*bench));
    const uint64_t base = (uint64_t)(uintptr_t)published->rows;
    struct truth truth = {.samples = published->samples, .pass = run->pass == 0 ? 1 : run->pass};

    (void)context;
    if (base == 0 || published->samples == 0) {
        return;
    }
    const struct row *first = find_row(guest_word(base));

    guest_text((uint64_t)(uintptr_t)bench->name, truth.bench);
    guest_text(machine_argument(machine, 1), truth.of);
    if (first->slots == 0) {
        return; /* nothing is counted in this pass */
    }
    truth.slots = first->slots;
    memcpy(truth.quantity, first->quantity, sizeof(truth.quantity));
    truth.counts = calloc(truth.samples * truth.slots, sizeof(*truth.counts));
    if (truth.counts == NULL) {
        fprintf(stderr, "pmu_machine: out of memory\n");
        exit(1);
    }
    const uint64_t words = (1 + truth.slots) * sizeof(uint64_t);

    for (size_t i = 0; i < truth.samples; i++) {
        const uint64_t from = base + (published->order == ROWS_PAIRS ? 2 * i : i) * words;

        take_sample(&truth, i, from, from + words);
    }
    *new_truth(&truth) = truth;
}

/* The idle loop is about to run, by idle_loop_counted(): every counter that counts gets near its
 * top behind the driver's back. */
static void on_idle_loop(struct machine *machine, void *context)
{
    (void)context;
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        const struct pmu_model_counter *counter = &machine->model.counter[i];
        const bool often = counter->quantity == QUANTITY_INSTRUCTIONS ||
                           counter->quantity == QUANTITY_CYCLES ||
                           counter->quantity == QUANTITY_BRANCHES;

        if (counter->quantity != QUANTITY_NONE) {
            pmu_model_set_value(&machine->model, i,
                                (1ull << counter->width) -
                                    (often ? OFTEN_BELOW_TOP : SELDOM_BELOW_TOP));
        }
    }
}

/* ---- the run ---- */

static void run_image(const char *events, bool provoke_smis)
{
    struct machine *machine = &trial.machine;
    char text[PLAN_SIZE];

    snprintf(text, sizeof(text), "%s events=%s gap.provoke_smi=%d", plan, events,
             provoke_smis ? SMIS_PROVOKED : 0);
    machine->limit = INSTRUCTIONS;
    check(machine_boot(machine, &trial.devices, text, "pmu_machine"), "%s", machine->failure);
    check(machine->interrupts > 0, "no interrupt was taken");
}

/* ---- what it sent ---- */

static enum quantity quantity_of(const char *event)
{
    static const struct {
        const char *event;
        enum quantity quantity;
    } known[] = {
        {"cycles", QUANTITY_CYCLES}, {"ref-cycles", QUANTITY_CYCLES},
        {"loads", QUANTITY_LOADS},   {"instructions", QUANTITY_INSTRUCTIONS},
        {"stores", QUANTITY_STORES}, {"branches", QUANTITY_BRANCHES},
        {"smi", QUANTITY_SMIS},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(event, known[i].event) == 0) {
            return known[i].quantity;
        }
    }
    return QUANTITY_NONE;
}

static const struct truth *find_truth(const struct run_bench *bench, const char *of)
{
    for (size_t i = 0; i < trial.series_count; i++) {
        const struct truth *truth = &trial.series[i];

        if (strcmp(truth->bench, bench->name) == 0 && strcmp(truth->of, of) == 0 &&
            truth->pass == bench->pass) {
            return truth;
        }
    }
    return NULL;
}

static int find_slot(const struct truth *truth, const char *event)
{
    for (unsigned k = 0; k < truth->slots; k++) {
        if (truth->quantity[k] == quantity_of(event)) {
            return (int)k;
        }
    }
    return -1;
}

static void compare_series(const struct run_bench *bench, const struct run_series *series)
{
    const struct truth *truth = find_truth(bench, series->of);
    const int slot = truth != NULL ? find_slot(truth, series->event) : -1;

    check(slot >= 0, "%s, %s: nothing read in this run counts it", bench->name, series->name);
    if (slot < 0) {
        return;
    }
    check(series->n == truth->samples, "%s, %s: %u samples, %zu published", bench->name,
          series->name, series->n, truth->samples);
    for (uint32_t i = 0; i < series->n && trial.failure[0] == '\0'; i++) {
        const int64_t counted = truth->counts[i * truth->slots + (unsigned)slot];
        int64_t value = -1;

        check(run_series_sample(series, i, &value) && value == counted,
              "%s run %u, %s: sample %u is %ld, in truth %ld", bench->name, bench->pass,
              series->name, i, value, counted);
        trial.compared_counts++;
        trial.not_zero += counted != 0;
    }
    trial.compared_series++;
}

/* Every series of counts must have been compared, and every one published have arrived. */
static void compare_all(const struct run *run)
{
    unsigned long published = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        check(strcmp(bench->state, "OK") == 0, "%s run %u: %s: %s", bench->name, bench->pass,
              bench->state, bench->reason);
        for (size_t k = 0; k < bench->series_count; k++) {
            if (bench->series[k].event != NULL) {
                compare_series(bench, &bench->series[k]);
            }
        }
    }
    for (size_t i = 0; i < trial.series_count; i++) {
        const struct run_bench *bench =
            run_find_pass(run, trial.series[i].bench, trial.series[i].pass);

        for (size_t k = 0; bench != NULL && k < bench->series_count; k++) {
            const char *of = bench->series[k].of;

            published += of != NULL && strcmp(of, trial.series[i].of) == 0;
        }
    }
    check(published == trial.compared_series, "%lu series published, %lu arrived", published,
          trial.compared_series);
    check(trial.compared_series > 0 && trial.not_zero > 0, "nothing was compared");
}

static void check_events(const struct run *run, const char *counted)
{
    for (const char *at = counted; *at != '\0'; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        bool found = false;

        for (size_t i = 0; i < run->event_count; i++) {
            found = found || (strlen(run->events[i].name) == length &&
                              strncmp(run->events[i].name, at, length) == 0 &&
                              strcmp(run->events[i].state, "counted") == 0);
        }
        check(found, "%.*s is not counted", (int)length, at);
        at += length;
    }
}

static int64_t fact(const struct run *run, const char *bench, const char *name)
{
    const struct run_bench *found = run_find_bench(run, bench);
    const struct run_fact *value = found != NULL ? run_find_fact(found, name) : NULL;

    return value != NULL ? value->value : -1;
}

/* Each provoked SMI must be counted, and seen as a gap. */
static void check_smis(const struct run *run)
{
    const struct run_bench *gap = run_find_bench(run, "gap");
    const struct run_series *lengths = gap != NULL ? run_find_series(gap, "gap_length") : NULL;
    unsigned long_ones = 0;

    for (uint32_t i = 0; lengths != NULL && i < lengths->n; i++) {
        int64_t length;

        long_ones += run_series_sample(lengths, i, &length) && length >= DEVICES_SMM_WORK;
    }
    check(fact(run, "gap", "smi") == SMIS_PROVOKED, "%ld SMIs counted, %d provoked",
          fact(run, "gap", "smi"), SMIS_PROVOKED);
    check(long_ones == SMIS_PROVOKED, "%u gaps as long as an SMI, %d provoked", long_ones,
          SMIS_PROVOKED);
}

/* Two reads with nothing between them, four counters each. */
static void check_region(const struct run *run)
{
    const int64_t counters = fact(run, "region", "counters");
    const int64_t instructions = fact(run, "region", "region_instructions");

    check(counters > 0 && instructions > 0, "the cost of an empty region is missing");
    check(counters > REGION_COUNTED || instructions <= REGION_MAX,
          "an empty region with %ld counters takes %ld instructions", counters, instructions);
}

static void check_log(const char *stem, const char *counted, bool smis)
{
    char log[PATH_SIZE + 8], database[PATH_SIZE + 8], output[PATH_SIZE + 8];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    snprintf(log, sizeof(log), "%s.log", stem);
    snprintf(database, sizeof(database), "%s.db", stem);
    snprintf(output, sizeof(output), "%s.txt", stem);
    check(machine_tare(output, (char *[]){"tare", "decode", log, "-o", database, NULL}) == 0,
          "tare decode finds fault with %s; see %s", log, output);
    snprintf(output, sizeof(output), "%s.json", stem);
    check(machine_tare(output, (char *[]){"tare", "show", "--json", database, NULL}) == 0,
          "tare show --json fails on %s; see %s", database, output);
    run_init(&run);
    if (trial.failure[0] == '\0' && !runfile_read(database, &run, error)) {
        check(false, "%s", error);
    }
    if (trial.failure[0] == '\0') {
        check_events(&run, counted);
        compare_all(&run);
        check_region(&run);
        check(trial.wraps > 0, "no counter wrapped");
    }
    if (trial.failure[0] == '\0' && smis) {
        check_smis(&run);
    }
    run_free(&run);
}

/* ---- the processors ---- */

struct processor {
    const char *file;
    const char *events;
    const char *counted; /* of these, those that it has */
    enum pmu_machine kind;
    bool smi_count;
};

#define FOUR "instructions,loads,stores,branches"
#define MORE FOUR ",cycles,dtlb-misses,mispredicts,smi"

static const struct processor processors[] = {
    {"p5", FOUR, FOUR, MACHINE_P5, false},
    {"p6", FOUR, "instructions,branches", MACHINE_P6, false},
    {"intel1", FOUR, "instructions,branches", MACHINE_INTEL_V1, false},
    {"intel2", FOUR, FOUR, MACHINE_INTEL_V2, false},
    {"intel3", FOUR, FOUR, MACHINE_INTEL_V3, true},
    {"intel4", FOUR, FOUR, MACHINE_INTEL_V4, true},
    {"intel5", MORE, MORE, MACHINE_INTEL_V5, true},
    {"k7", FOUR, "instructions,branches", MACHINE_AMD_K7, false},
    {"core", FOUR, FOUR, MACHINE_AMD_CORE, false},
    {"v2", MORE, MORE, MACHINE_AMD_V2, false},
};
#define PROCESSORS (sizeof(processors) / sizeof(processors[0]))

static bool same_setup(const struct pmu_model_setup *a, const struct pmu_model_setup *b)
{
    return memcmp(a->select, b->select, sizeof(a->select)) == 0 &&
           a->global_control == b->global_control && a->debug_control == b->debug_control;
}

static void forget_series(void)
{
    for (size_t i = 0; i < trial.series_count; i++) {
        free(trial.series[i].counts);
    }
    trial.series_count = 0;
}

static void watch_image(struct machine *machine)
{
    const struct image_elf *image = &machine->image;

    machine->model.on_reading = on_reading;
    machine->on_stamp = on_stamp;
    machine_watch(machine, image_elf_symbol(image, "bench_publish_counts"), on_publish, NULL);
    machine_watch(machine, image_elf_symbol(image, "bench_publish_rows"), on_publish, NULL);
    machine_watch(machine, image_elf_symbol(image, "idle_loop_counted"), on_idle_loop, NULL);
}

/* The run itself, to STEM.log. */
static void run_to_log(const struct processor *processor, const char *stem)
{
    char path[PATH_SIZE + 8];

    snprintf(path, sizeof(path), "%s.log", stem);
    FILE *log = fopen(path, "wb");

    if (log == NULL) {
        perror(path);
        exit(1);
    }
    devices_open(&trial.devices, &trial.machine, log, TSC_HZ);
    run_image(processor->events, processor->smi_count);
    fclose(log);
}

static bool run_processor(const struct processor *processor, const char *image, const char *folder)
{
    struct machine *machine = &trial.machine;
    char stem[PATH_SIZE];

    snprintf(stem, sizeof(stem), "%s/%s", folder, processor->file);
    memset(&trial, 0, sizeof(trial));
    machine_open(machine, image, processor->kind);
    watch_image(machine);
    pmu_model_leave_running(&machine->model, 0, LEFT_VALUE);
    pmu_model_smi(&machine->model, 0); /* firmware's: MSR 34h is not 0 */
    const struct pmu_model_setup before = pmu_model_setup(&machine->model);

    run_to_log(processor, stem);
    const struct pmu_model_setup after = pmu_model_setup(&machine->model);

    check(same_setup(&before, &after), "the registers are not as they were");
    check(machine->model.interrupts == 0, "an overflow asked for an interrupt");
    if (trial.failure[0] == '\0') {
        check_log(stem, processor->counted, processor->smi_count);
    }
    printf("%s  %s: %lu counts in %lu series, %lu wraps, %lu interrupts, %lu instructions%s%s\n",
           trial.failure[0] == '\0' ? "pass" : "FAIL", pmu_machine_name(processor->kind),
           trial.compared_counts, trial.compared_series, trial.wraps, machine->interrupts,
           machine->model.total[QUANTITY_INSTRUCTIONS], trial.failure[0] == '\0' ? "" : ": ",
           trial.failure);
    forget_series();
    machine_close(machine);
    return trial.failure[0] == '\0';
}

static unsigned run_all(const char *image, const char *folder)
{
    unsigned passed = 0;

    for (size_t i = 0; i < PROCESSORS; i++) {
        passed += run_processor(&processors[i], image, folder);
    }
    return passed;
}

int main(int argc, char **argv)
{
    const char *image = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    struct temporary temporary = {.path = ""};
    unsigned passed;

    if (argc > 3) {
        fprintf(stderr, "usage: pmu_machine [IMAGE.elf [FOLDER]]\n");
        return 2;
    }
    if (argc == 3) {
        passed = run_all(image, argv[2]);
    } else if (temporary_create(&temporary)) {
        passed = run_all(image, temporary.path);
        if (passed == PROCESSORS) {
            temporary_remove(&temporary);
        }
    } else {
        perror("pmu_machine: a temporary folder");
        return 1;
    }
    printf("pmu_machine: %u passed, %u failed\n", passed, (unsigned)PROCESSORS - passed);
    return passed == PROCESSORS ? 0 : 1;
}

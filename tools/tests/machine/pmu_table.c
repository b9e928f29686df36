/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU driver's own machine code, out of the linked image, against models of the processors that
 * it drives (pmu_model.h): every kind, with every defect that it has to find out.
 *
 *     pmu_table [IMAGE.elf]
 *
 * A cell of the table is one kind of processor with one defect, in one or several variants. In each
 * the driver finds the back end, proves the counters, counts known work with all that it takes for
 * usable, and restores; what it reports of each counter must be true, every count must be the
 * model's own to the unit, and every register must be as before.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/event.h"
#include "kernel/pmu/pmu.h"
#include "kernel/pmu/reader.h"
#include "tools/tests/machine/unicorn_machine.h"

#define DEFAULT_IMAGE  "build/image/tare.elf"
#define WORK_BYTES     2000
#define WORK_SAMPLES   1000
#define WORK_INNER     3
#define LEFT_VALUE     0x1234567u
#define BELOW_TOP      700 /* more than a round of readings takes, less than the work */
#define SMM_WORK       1000
#define VECTOR_GP      13
#define SELECT_INVERT  (1ull << 23)
#define P5_HIGHEST_BIT 0x20
#define FAILURE_MAX    200
#define VARIANTS_MAX   6
#define READINGS_MAX   (4 * PMU_COUNTERS_MAX)

/* What must come out. */
struct expectation {
    enum pmu_backend backend;
    unsigned version;
    unsigned count;
    enum pmu_counter_state state[PMU_COUNTERS_MAX];
    unsigned width[PMU_COUNTERS_MAX];
    bool erratum;                  /* one must be reported */
    bool refuses;                  /* an event with a reserved bit is tried */
    bool wraps;                    /* every counter wraps while it counts */
    bool left[MODEL_COUNTERS_MAX]; /* firmware left it running */
    bool no_rdpmc;                 /* RDPMC is not to be used */
};

struct trial {
    struct machine machine;
    struct expectation expected;
    struct pmu_model_setup before;
    struct pmu *pmu; /* the guest's */
    const struct event_table *events;
    unsigned assigned_count;
    unsigned assigned[PMU_COUNTERS_MAX];
    enum portable_event event[PMU_COUNTERS_MAX]; /* by counter */
    struct pmu_reading readings[READINGS_MAX];
    size_t reading_count;
    char failure[FAILURE_MAX]; /* the first; empty: none */
};

static const char *image_path;
static unsigned long comparisons;

__attribute__((format(printf, 3, 4))) static void check(struct trial *trial, bool good,
                                                        const char *format, ...)
{
    va_list arguments;

    comparisons++;
    if (good || trial->failure[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(trial->failure, FAILURE_MAX, format, arguments);
    va_end(arguments);
}

/* ---- calling the driver ---- */

static uint64_t call(struct trial *trial, const char *function, size_t count,
                     const uint64_t *arguments)
{
    struct machine *machine = &trial->machine;

    return machine_call(machine, image_elf_symbol(&machine->image, function), count, arguments);
}

static uint64_t call0(struct trial *trial, const char *function)
{
    return call(trial, function, 0, NULL);
}

static uint64_t address_of_counter(uint64_t pmu, unsigned counter)
{
    return pmu + offsetof(struct pmu, counter) + counter * sizeof(struct pmu_counter);
}

static void start_driver(struct trial *trial)
{
    struct machine *machine = &trial->machine;
    const uint64_t identity = machine_allocate(machine, sizeof(struct cpu_identity));
    const uint64_t arguments[] = {image_elf_symbol(&machine->image, "cpuid_instruction"), identity};

    machine_load_descriptors(machine);
    call(trial, "cpu_identify", 2, arguments);
    const uint64_t pmu = call(trial, "pmu_init", 1, &identity);

    if (machine->failure[0] == '\0') {
        trial->pmu = machine_memory(machine, pmu, sizeof(*trial->pmu));
    }
}

/* The model's number of a counter of the driver's. */
static unsigned model_index(const struct pmu_counter *counter)
{
    return counter->kind == COUNTER_GENERAL ? counter->index : MODEL_GENERAL_MAX + counter->index;
}

/* ---- work, and counting it ---- */

/* Loads, stores, branches and repeated instructions, some of each. */
static void work(struct trial *trial)
{
    struct machine *machine = &trial->machine;
    const uint64_t bytes = machine_allocate(machine, WORK_BYTES);
    const uint64_t rows = machine_allocate(machine, (WORK_SAMPLES + 1) * sizeof(int64_t));
    const uint64_t checksum[] = {0, bytes, WORK_BYTES};
    const uint64_t idle[] = {rows, WORK_SAMPLES, WORK_INNER};

    call(trial, "crc32c", 3, checksum);
    call(trial, "idle_loop_stamped", 3, idle);
    machine_smi(machine, SMM_WORK);
}

/* The host's copy of the table that the driver chose: rows in the image are shorter (event.h). The
 * name is the first word of both. */
static const struct event_table *find_table(struct trial *trial)
{
    struct machine *machine = &trial->machine;
    uint64_t name;

    memcpy(&name, machine_memory(machine, (uint64_t)(uintptr_t)trial->pmu->events, sizeof(name)),
           sizeof(name));
    for (size_t i = 0; event_table_at(i) != NULL; i++) {
        const size_t size = strlen(event_table_at(i)->name) + 1;

        if (memcmp(machine_memory(machine, name, size), event_table_at(i)->name, size) == 0) {
            return event_table_at(i);
        }
    }
    check(trial, false, "the driver's table of events is none");
    return event_table_at(0);
}

static const struct event_row *row_of(struct trial *trial, enum portable_event event)
{
    if (trial->events == NULL) {
        trial->events = find_table(trial);
    }
    return &trial->events->row[event];
}

static enum quantity quantity_of(enum portable_event event)
{
    switch (event) {
    case EVENT_INSTRUCTIONS:
        return QUANTITY_INSTRUCTIONS;
    case EVENT_CYCLES:
    case EVENT_REF_CYCLES:
        return QUANTITY_CYCLES;
    case EVENT_LOADS:
        return QUANTITY_LOADS;
    case EVENT_STORES:
        return QUANTITY_STORES;
    case EVENT_BRANCHES:
        return QUANTITY_BRANCHES;
    default:
        return QUANTITY_NONE;
    }
}

/* The n-th of the events that this processor has, round and round; EVENT_COUNT: none fits. */
static enum portable_event pick_event(struct trial *trial, const struct pmu_counter *counter,
                                      unsigned *turn)
{
    static const enum portable_event order[] = {EVENT_INSTRUCTIONS, EVENT_LOADS, EVENT_STORES,
                                                EVENT_BRANCHES, EVENT_CYCLES};
    const unsigned count = sizeof(order) / sizeof(order[0]);

    switch (counter->kind) {
    case COUNTER_FIXED_INSTRUCTIONS:
        return EVENT_INSTRUCTIONS;
    case COUNTER_FIXED_CYCLES:
        return EVENT_CYCLES;
    case COUNTER_FIXED_REF_CYCLES:
        return EVENT_REF_CYCLES;
    default:
        break;
    }
    for (unsigned i = 0; i < count; i++) {
        const enum portable_event event = order[(*turn)++ % count];
        const struct event_row *row = row_of(trial, event);

        if (row->code_count == 1 &&
            (row->counters == 0 || (row->counters >> counter->index & 1) != 0)) {
            return event;
        }
    }
    return EVENT_COUNT;
}

static bool assign(struct trial *trial, unsigned counter, const struct event_code *code,
                   uint8_t *vector)
{
    struct machine *machine = &trial->machine;
    const uint64_t at = machine_allocate(machine, sizeof(*code) + 64);
    const uint64_t arguments[] = {counter, at, at + 32};

    memcpy(machine_memory(machine, at, sizeof(*code)), code, sizeof(*code));
    const bool good = (call(trial, "pmu_assign", 3, arguments) & 255) != 0;

    *vector = *(uint8_t *)machine_memory(machine, at + 32, 1);
    return good;
}

/* `spare`: a counter to leave alone, or PMU_COUNTERS_MAX. */
static void assign_all(struct trial *trial, unsigned spare)
{
    unsigned turn = 0;

    trial->assigned_count = 0;
    for (unsigned i = 0; i < trial->pmu->count; i++) {
        const struct pmu_counter *counter = &trial->pmu->counter[i];
        uint8_t vector = 0;

        if (counter->state != COUNTER_USABLE || i == spare) {
            continue;
        }
        const enum portable_event event = pick_event(trial, counter, &turn);
        const bool taken = assign(trial, i, &row_of(trial, event)->code[0], &vector);

        check(trial, taken, "counter %u refuses event %d with vector %u", i, event, vector);
        trial->event[i] = event;
        trial->assigned[trial->assigned_count++] = i;
    }
}

/* A reading of every assigned counter by its MSR; the values go to `values`, what the model knows
 * to trial->readings. */
static void read_values(struct trial *trial, uint64_t values[PMU_COUNTERS_MAX])
{
    for (unsigned i = 0; i < trial->assigned_count; i++) {
        const uint64_t counter = trial->assigned[i];

        values[i] = call(trial, "pmu_value", 1, &counter);
    }
}

/* The same by the image's row reader: RDPMC. */
static void read_row(struct trial *trial, uint64_t values[PMU_COUNTERS_MAX])
{
    struct machine *machine = &trial->machine;
    const uint64_t row = machine_allocate(machine, READER_ROW_MAX * sizeof(int64_t));
    const uint64_t chosen = image_elf_symbol(&machine->image, "reader_chosen");
    uint64_t reader;

    memcpy(&reader, machine_memory(machine, chosen, sizeof(reader)), sizeof(reader));
    machine_call(machine, reader, 1, &row);
    memcpy(values, machine_memory(machine, row + sizeof(int64_t), 8 * sizeof(uint64_t)),
           READER_COUNTERS_MAX * sizeof(uint64_t));
}

static void choose_row(struct trial *trial)
{
    struct machine *machine = &trial->machine;
    const uint64_t at = machine_allocate(machine, PMU_COUNTERS_MAX * sizeof(uint32_t));
    uint32_t *indices = machine_memory(machine, at, PMU_COUNTERS_MAX * sizeof(uint32_t));
    const uint64_t arguments[] = {at, trial->assigned_count, 0};

    for (unsigned i = 0; i < trial->assigned_count; i++) {
        indices[i] = trial->pmu->counter[trial->assigned[i]].rdpmc;
    }
    call(trial, "reader_set", 3, arguments);
}

static uint64_t delta(struct trial *trial, unsigned counter, uint64_t from, uint64_t to)
{
    const uint64_t pmu = call0(trial, "pmu_state");
    const uint64_t arguments[] = {address_of_counter(pmu, counter), from, to};

    return call(trial, "pmu_delta", 3, arguments);
}

/* Two rounds of readings, the first `count` and the `count` behind them. */
static void compare(struct trial *trial, const char *how, const uint64_t *from, const uint64_t *to)
{
    const unsigned count = trial->assigned_count;

    check(trial, trial->reading_count == 2 * count, "%s: %zu readings of %u", how,
          trial->reading_count, 2 * count);
    if (trial->failure[0] != '\0') {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned counter = trial->assigned[i];
        const struct pmu_reading *first = &trial->readings[i];
        const struct pmu_reading *second = &trial->readings[count + i];
        const uint64_t counted = delta(trial, counter, from[i], to[i]);

        check(trial, first->counter == model_index(&trial->pmu->counter[counter]),
              "%s: counter %u reads another one", how, counter);
        check(trial, first->quantity == quantity_of(trial->event[counter]),
              "%s: counter %u counts the wrong thing for event %d", how, counter,
              trial->event[counter]);
        check(trial, counted == second->truth - first->truth && counted != 0,
              "%s: counter %u, event %d: %lu counted, %lu in truth", how, counter,
              trial->event[counter], counted, second->truth - first->truth);
        check(trial, !trial->expected.wraps || to[i] < from[i], "%s: counter %u did not wrap", how,
              counter);
    }
}

static void keep_reading(void *context, const struct pmu_reading *reading)
{
    struct trial *trial = context;

    if (trial->reading_count < READINGS_MAX) {
        trial->readings[trial->reading_count] = *reading;
    }
    trial->reading_count++;
}

static void set_below_top(struct trial *trial)
{
    for (unsigned i = 0; i < trial->assigned_count && trial->expected.wraps; i++) {
        const unsigned index = model_index(&trial->pmu->counter[trial->assigned[i]]);
        const unsigned width = trial->machine.model.counter[index].width;

        pmu_model_set_value(&trial->machine.model, index, (1ull << width) - BELOW_TOP);
    }
}

/* Between the readings of a round the counters run: a wrap must not come before the first. */
static void count_by(struct trial *trial, const char *how,
                     void (*read)(struct trial *, uint64_t values[PMU_COUNTERS_MAX]))
{
    uint64_t from[PMU_COUNTERS_MAX] = {0};
    uint64_t to[PMU_COUNTERS_MAX] = {0};

    set_below_top(trial);
    trial->reading_count = 0;
    read(trial, from);
    work(trial);
    read(trial, to);
    compare(trial, how, from, to);
}

static void check_stopped(struct trial *trial)
{
    uint64_t before[PMU_COUNTERS_MAX] = {0};
    uint64_t after[PMU_COUNTERS_MAX] = {0};

    read_values(trial, before);
    work(trial);
    read_values(trial, after);
    for (unsigned i = 0; i < trial->assigned_count; i++) {
        check(trial, before[i] == after[i], "counter %u goes on after pmu_stop()",
              trial->assigned[i]);
    }
}

/* The proofs make every counter wrap: where there are overflow flags, the start clears them. */
static void check_flags(struct trial *trial)
{
    for (unsigned i = 0; i < trial->assigned_count && trial->pmu->global_control; i++) {
        const unsigned index = model_index(&trial->pmu->counter[trial->assigned[i]]);
        const unsigned bit = index < MODEL_GENERAL_MAX ? index : 32 + index - MODEL_GENERAL_MAX;

        check(trial, (trial->machine.model.global_status >> bit & 1) == 0,
              "counter %u: an old overflow flag at the start", trial->assigned[i]);
    }
}

static void count_work(struct trial *trial, unsigned spare)
{
    assign_all(trial, spare);
    if (trial->assigned_count == 0) {
        return;
    }
    call0(trial, "pmu_start");
    check_flags(trial);
    count_by(trial, "RDMSR", read_values);
    if (!trial->expected.no_rdpmc && trial->assigned_count <= READER_COUNTERS_MAX) {
        choose_row(trial);
        count_by(trial, "RDPMC", read_row);
    }
    call0(trial, "pmu_stop");
    check_stopped(trial);
}

/* ---- what the driver reports ---- */

static void check_record(struct trial *trial)
{
    const struct expectation *expected = &trial->expected;
    const struct pmu *pmu = trial->pmu;
    unsigned usable = 0;

    check(trial, pmu->backend == expected->backend, "back end %d, not %d", pmu->backend,
          expected->backend);
    check(trial, pmu->version == expected->version, "version %u, not %u", pmu->version,
          expected->version);
    check(trial, pmu->count == expected->count, "%u counters, not %u", pmu->count, expected->count);
    for (unsigned i = 0; i < pmu->count && trial->failure[0] == '\0'; i++) {
        const struct pmu_counter *counter = &pmu->counter[i];

        usable += expected->state[i] == COUNTER_USABLE;
        check(trial, counter->state == expected->state[i], "counter %u: state %d, not %d", i,
              counter->state, expected->state[i]);
        check(trial, counter->state != COUNTER_USABLE || counter->width == expected->width[i],
              "counter %u: %u bits, not %u", i, counter->width, expected->width[i]);
        check(trial, (counter->state == COUNTER_FAULTS) == (counter->vector != 0),
              "counter %u: vector %u in state %d", i, counter->vector, counter->state);
    }
    check(trial, pmu->usable == usable, "%u usable, not %u", pmu->usable, usable);
    check(trial, (usable == 0) == (pmu->reason[0] != '\0'), "%u usable, reason \"%s\"", usable,
          pmu->reason);
    check(trial, expected->erratum == (pmu->errata[0] != '\0'), "erratum \"%s\"", pmu->errata);
}

/* What else there is beside the counters. */
static void check_features(struct trial *trial)
{
    const enum pmu_machine machine = trial->machine.model.machine;
    const struct pmu *pmu = trial->pmu;
    const bool intel = trial->expected.backend == PMU_INTEL;
    const bool late = intel && trial->expected.version >= 4 && !trial->machine.model.no_registers;

    check(trial, pmu->global_control == (trial->expected.version >= 2), "global control: %d",
          pmu->global_control);
    check(trial, pmu->full_width_writes == late, "full-width writes: %d", pmu->full_width_writes);
    check(trial, pmu->freeze_smm == late && pmu->freeze_smm_offered == late, "freeze: %d",
          pmu->freeze_smm);
    check(trial, pmu->hypervisor == trial->machine.model.hypervisor, "hypervisor: %d",
          pmu->hypervisor);
    check(trial, pmu->has_smi_count == (machine >= MACHINE_INTEL_V3 && machine <= MACHINE_INTEL_V5),
          "MSR 34h: %d", pmu->has_smi_count);
    check(trial, pmu->core_type == 0, "core type %u", pmu->core_type);
}

/* What firmware left must be in the record as it was when the driver came. */
static void check_found(struct trial *trial)
{
    const uint64_t instructions = trial->machine.model.total[QUANTITY_INSTRUCTIONS];

    for (unsigned i = 0; i < trial->pmu->count; i++) {
        const struct pmu_counter *counter = &trial->pmu->counter[i];
        const unsigned index = model_index(counter);

        if (counter->state == COUNTER_FAULTS) {
            continue;
        }
        check(trial, counter->found_select == trial->before.select[index],
              "counter %u: select %#lx found, %#lx there", i, counter->found_select,
              trial->before.select[index]);
        check(trial,
              !trial->expected.left[index] || counter->found_value - LEFT_VALUE <= instructions,
              "counter %u: value %#lx found", i, counter->found_value);
    }
}

static void check_restored(struct trial *trial)
{
    struct pmu_model *model = &trial->machine.model;
    const uint64_t before = model->total[QUANTITY_INSTRUCTIONS];

    call0(trial, "pmu_restore");
    const uint64_t passed = model->total[QUANTITY_INSTRUCTIONS] - before;
    const struct pmu_model_setup after = pmu_model_setup(model);

    check(trial, after.global_control == trial->before.global_control,
          "global control %#lx after, %#lx before", after.global_control,
          trial->before.global_control);
    check(trial, after.debug_control == trial->before.debug_control, "IA32_DEBUGCTL %#lx after",
          after.debug_control);
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        check(trial, after.select[i] == trial->before.select[i],
              "select of %u: %#lx after, %#lx before", i, after.select[i], trial->before.select[i]);
    }
    for (unsigned i = 0; i < trial->pmu->count; i++) {
        const struct pmu_counter *counter = &trial->pmu->counter[i];
        const unsigned index = model_index(counter);

        if (counter->state == COUNTER_USABLE) {
            check(trial, pmu_model_value(model, index) - counter->found_value <= passed,
                  "counter %u: value %#lx after, %#lx found", i, pmu_model_value(model, index),
                  counter->found_value);
        }
    }
}

/* An event with a bit that this processor reserves. */
static void check_refusal(struct trial *trial, unsigned counter)
{
    struct event_code code = row_of(trial, EVENT_INSTRUCTIONS)->code[0];
    uint8_t vector;

    if (trial->pmu->backend == PMU_P5) {
        code.select |= P5_HIGHEST_BIT;
    } else {
        code.invert = true;
    }
    const bool taken = assign(trial, counter, &code, &vector);

    check(trial, !taken, "a reserved bit is taken");
    check(trial, vector == VECTOR_GP, "refused with vector %u", vector);
}

static void run_driver(struct trial *trial)
{
    start_driver(trial);
    if (trial->pmu == NULL) {
        return;
    }
    check_record(trial);
    if (trial->failure[0] != '\0') {
        return;
    }
    check_features(trial);
    check_found(trial);
    if (trial->expected.refuses) {
        check_refusal(trial, 0);
        count_work(trial, 0);
        check_refusal(trial, 0);
    }
    count_work(trial, PMU_COUNTERS_MAX);
    check_restored(trial);
    check(trial, trial->machine.model.interrupts == 0, "an overflow asked for an interrupt");
}

/* ---- the defects ---- */

static unsigned last_general(const struct expectation *expected)
{
    const bool intel = expected->backend == PMU_INTEL;
    unsigned fixed = 0;

    for (unsigned i = 0; i < expected->count && intel; i++) {
        fixed += expected->version >= 2 && i >= expected->count - 3;
    }
    return expected->count - fixed - 1;
}

static void good(struct pmu_model *model, struct expectation *expected)
{
    (void)model;
    (void)expected;
}

static void reserved_bit(struct pmu_model *model, struct expectation *expected)
{
    model->reserved_select = expected->backend == PMU_P5 ? P5_HIGHEST_BIT : SELECT_INVERT;
    expected->refuses = true;
}

static void dead_last(struct pmu_model *model, struct expectation *expected)
{
    model->counter[model->general - 1].dead = true;
    expected->state[last_general(expected)] = COUNTER_DEAD;
}

static void dead_first(struct pmu_model *model, struct expectation *expected)
{
    model->counter[0].dead = true;
    expected->state[0] = COUNTER_DEAD;
}

static void all_dead(struct pmu_model *model, struct expectation *expected)
{
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        model->counter[i].dead = true;
    }
    for (unsigned i = 0; i < expected->count; i++) {
        expected->state[i] = COUNTER_DEAD;
    }
}

static void left_running(struct pmu_model *model, struct expectation *expected)
{
    pmu_model_leave_running(model, 0, LEFT_VALUE);
    expected->left[0] = true;
    if (model->fixed > 1) {
        pmu_model_leave_running(model, MODEL_GENERAL_MAX + 1, LEFT_VALUE);
        expected->left[MODEL_GENERAL_MAX + 1] = true;
    }
}

static void held_last(struct pmu_model *model, struct expectation *expected)
{
    left_running(model, expected);
    pmu_model_make_busy(model, model->general - 1);
    expected->state[last_general(expected)] = COUNTER_HELD;
}

static void held_first(struct pmu_model *model, struct expectation *expected)
{
    pmu_model_make_busy(model, 0);
    expected->state[0] = COUNTER_HELD;
}

static void short_writes(struct pmu_model *model, struct expectation *expected)
{
    (void)expected;
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        model->counter[i].short_writes = true;
    }
}

static void no_full_width(struct pmu_model *model, struct expectation *expected)
{
    (void)expected;
    model->no_full_width = true;
}

static void claims_absent(struct pmu_model *model, struct expectation *expected)
{
    model->general--;
    model->global_control &= ~(1ull << model->general);
    expected->state[last_general(expected)] = COUNTER_FAULTS;
}

static void claims_forgetful(struct pmu_model *model, struct expectation *expected)
{
    model->counter[model->general - 1].forgets = true;
    expected->state[last_general(expected)] = COUNTER_FORGETS;
}

/* General counters take what is written to them and lose the bits they do not have; fixed ones
 * fault on those. */
static void claims_width(struct pmu_model *model, struct expectation *expected)
{
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        model->counter[i].width -= 8;
    }
    for (unsigned i = 0; i < expected->count; i++) {
        expected->width[i] -= 8;
        expected->state[i] = i > last_general(expected) ? COUNTER_FAULTS : COUNTER_USABLE;
    }
    expected->erratum = true;
    expected->wraps = true;
}

/* As in Bochs: CPUID reports a PMU, and every register of it faults. */
static void claims_everything(struct pmu_model *model, struct expectation *expected)
{
    model->no_registers = true;
    for (unsigned i = 0; i < expected->count; i++) {
        expected->state[i] = COUNTER_FAULTS;
    }
}

/* As hypervisors have it: registers that read 0 and take anything. */
static void claims_zeroes(struct pmu_model *model, struct expectation *expected)
{
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        model->counter[i].forgets = true;
    }
    for (unsigned i = 0; i < expected->count; i++) {
        expected->state[i] = COUNTER_FORGETS;
    }
}

static void garbage_above(struct pmu_model *model, struct expectation *expected)
{
    (void)expected;
    model->garbage_leaves = true;
}

/* The leaf that names the back end is itself above the maximum: IA32_MISC_ENABLE[22] on Intel, a
 * hypervisor's choice on AMD, where the old registers are then all there is. They count if global
 * control lets them, as it must after reset for software that does not know it. */
static void leaf_hidden(struct pmu_model *model, struct expectation *expected)
{
    model->garbage_leaves = true;
    if (expected->backend == PMU_INTEL) {
        model->max_basic = 3;
        *expected = (struct expectation){.backend = PMU_NONE};
    } else if (expected->backend == PMU_AMD_V2) {
        model->max_extended = 0x80000021;
        model->global_control = 0x3f;
        expected->backend = PMU_AMD_CORE;
        expected->version = 0;
    }
}

static void wraps(struct pmu_model *model, struct expectation *expected)
{
    (void)model;
    expected->wraps = true;
}

static void counts_twice(struct pmu_model *model, struct expectation *expected)
{
    model->counter[model->general - 1].wrong = true;
    expected->state[last_general(expected)] = COUNTER_WRONG;
}

/* The P5 has no RDPMC, so that it proves nothing there. */
static void rdpmc_faults(struct pmu_model *model, struct expectation *expected)
{
    model->counter[model->general - 1].no_rdpmc = true;
    if (expected->backend == PMU_P5) {
        expected->no_rdpmc = true;
    } else {
        expected->state[last_general(expected)] = COUNTER_UNREADABLE;
    }
}

typedef void variant(struct pmu_model *model, struct expectation *expected);

struct defect {
    const char *name;
    variant *variants[VARIANTS_MAX];
};

static const struct defect defects[] = {
    {"good", {good}},
    {"reserved bit", {reserved_bit}},
    {"dead counter", {dead_last, dead_first, all_dead}},
    {"held", {left_running, held_last, held_first}},
    {"32-bit write", {short_writes, no_full_width}},
    {"CPUID lies",
     {claims_absent, claims_forgetful, claims_width, claims_everything, claims_zeroes}},
    {"leaf above max", {garbage_above, leaf_hidden}},
    {"wraps", {wraps}},
    {"wrong count", {counts_twice}},
    {"RDPMC faults", {rdpmc_faults}},
};
#define DEFECTS (sizeof(defects) / sizeof(defects[0]))

/* ---- the table ---- */

static enum pmu_backend backend_of(enum pmu_machine machine)
{
    switch (machine) {
    case MACHINE_P5:
        return PMU_P5;
    case MACHINE_P6:
        return PMU_P6;
    case MACHINE_AMD_K7:
        return PMU_AMD_K7;
    case MACHINE_AMD_CORE:
        return PMU_AMD_CORE;
    case MACHINE_AMD_V2:
        return PMU_AMD_V2;
    default:
        return PMU_INTEL;
    }
}

/* Of a processor without defects. The driver leaves fixed counter 3 alone. */
static struct expectation flawless(const struct pmu_model *model)
{
    const unsigned fixed = model->fixed < 3 ? model->fixed : 3;
    struct expectation expected = {
        .backend = backend_of(model->machine),
        .version = model->machine == MACHINE_AMD_V2 ? 2 : model->version,
        .count = model->general + fixed,
    };

    for (unsigned i = 0; i < PMU_COUNTERS_MAX; i++) {
        expected.width[i] = model->counter[0].width;
    }
    return expected;
}

static bool run_variant(enum pmu_machine kind, const struct defect *defect, size_t number)
{
    static struct trial trial;

    memset(&trial, 0, sizeof(trial));
    machine_open(&trial.machine, image_path, kind);
    trial.machine.model.on_reading = keep_reading;
    trial.machine.model.context = &trial;
    trial.expected = flawless(&trial.machine.model);
    defect->variants[number](&trial.machine.model, &trial.expected);
    trial.before = pmu_model_setup(&trial.machine.model);
    run_driver(&trial);
    check(&trial, trial.machine.failure[0] == '\0', "%s", trial.machine.failure);
    machine_close(&trial.machine);
    if (trial.failure[0] != '\0') {
        printf("FAIL  %s, %s, variant %zu: %s\n", pmu_machine_name(kind), defect->name, number + 1,
               trial.failure);
    }
    return trial.failure[0] == '\0';
}

static bool run_cell(enum pmu_machine kind, const struct defect *defect)
{
    bool good_cell = true;

    for (size_t i = 0; i < VARIANTS_MAX && defect->variants[i] != NULL; i++) {
        good_cell = run_variant(kind, defect, i) && good_cell;
    }
    return good_cell;
}

static void print_table(bool results[MACHINE_COUNT][DEFECTS])
{
    printf("\n%-10s", "back end");
    for (size_t k = 0; k < DEFECTS; k++) {
        printf("  %-14s", defects[k].name);
    }
    for (size_t i = 0; i < MACHINE_COUNT; i++) {
        printf("\n%-10s", pmu_machine_name((enum pmu_machine)i));
        for (size_t k = 0; k < DEFECTS; k++) {
            printf("  %-14s", results[i][k] ? "ok" : "FAIL");
        }
    }
    printf("\n\n");
}

int main(int argc, char **argv)
{
    static bool results[MACHINE_COUNT][DEFECTS];
    unsigned passed = 0;

    if (argc > 2) {
        fprintf(stderr, "usage: pmu_table [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    for (size_t i = 0; i < MACHINE_COUNT; i++) {
        for (size_t k = 0; k < DEFECTS; k++) {
            results[i][k] = run_cell((enum pmu_machine)i, &defects[k]);
            passed += results[i][k];
        }
    }
    print_table(results);
    printf("pmu_table: %lu comparisons\n", comparisons);
    printf("pmu_table: %u passed, %u failed\n", passed,
           (unsigned)(MACHINE_COUNT * DEFECTS) - passed);
    return passed == MACHINE_COUNT * DEFECTS ? 0 : 1;
}

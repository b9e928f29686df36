/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/pmu_model.h"

#include <string.h>

enum kind { KIND_P5, KIND_P6, KIND_INTEL, KIND_AMD };

/* Loads and stores as event << 8 | umask; 0: there is no separate event. AMD's event 29h counts
 * those that do both apart, by bit 2 of the mask. */
struct preset {
    const char *name;
    enum kind kind;
    unsigned version, general, fixed, width;
    unsigned family, model;
    uint32_t max_basic, max_extended;
    uint32_t loads, stores;
    bool core_extension, global, capabilities, aperf, smi_count;
};

static const struct preset presets[MACHINE_COUNT] = {
    [MACHINE_P5] = {"P5", KIND_P5, .general = 2, .width = 40, .family = 5, .model = 4,
                    .max_basic = 1},
    [MACHINE_P6] = {"P6", KIND_P6, .general = 2, .width = 40, .family = 6, .model = 8,
                    .max_basic = 2},
    [MACHINE_INTEL_V1] = {"Intel v1", KIND_INTEL, 1, 2, 0, 40, 6, 0x0e, 0x0a, 0x80000008,
                          .loads = 0},
    [MACHINE_INTEL_V2] = {"Intel v2", KIND_INTEL, 2, 2, 3, 40, 6, 0x17, 0x0d, 0x80000008, 0xc001,
                          0xc002, .global = true, .capabilities = true, .aperf = true},
    [MACHINE_INTEL_V3] = {"Intel v3", KIND_INTEL, 3, 4, 3, 48, 6, 0x1a, 0x0b, 0x80000008, 0x0b01,
                          0x0b02, .global = true, .capabilities = true, .aperf = true,
                          .smi_count = true},
    [MACHINE_INTEL_V4] = {"Intel v4", KIND_INTEL, 4, 8, 3, 48, 6, 0x5e, 0x16, 0x80000008, 0xd081,
                          0xd082, .global = true, .capabilities = true, .aperf = true,
                          .smi_count = true},
    [MACHINE_INTEL_V5] = {"Intel v5", KIND_INTEL, 5, 8, 4, 48, 6, 0x7e, 0x1b, 0x80000008, 0xd081,
                          0xd082, .global = true, .capabilities = true, .aperf = true,
                          .smi_count = true},
    [MACHINE_AMD_K7] = {"AMD K7", KIND_AMD, 0, 4, 0, 48, 0x10, 2, 5, 0x8000001b, .loads = 0},
    [MACHINE_AMD_CORE] = {"AMD core", KIND_AMD, 0, 6, 0, 48, 0x17, 0x31, 0x10, 0x8000001f, 0x2905,
                          0x2906, .core_extension = true, .aperf = true},
    [MACHINE_AMD_V2] = {"AMD V2", KIND_AMD, 0, 6, 0, 48, 0x19, 0x11, 0x10, 0x80000028, 0x2905,
                        0x2906, .core_extension = true, .global = true, .aperf = true},
};

#define P6_SELECT          0x186u
#define P6_COUNTER         0xc1u
#define FULL_WIDTH         0x4c1u
#define FIXED_COUNTER      0x309u
#define PERF_CAPABILITIES  0x345u
#define FIXED_CONTROL      0x38du
#define GLOBAL_STATUS      0x38eu
#define GLOBAL_CONTROL     0x38fu
#define STATUS_RESET       0x390u
#define STATUS_SET         0x391u
#define IN_USE             0x392u
#define DEBUG_CONTROL      0x1d9u
#define SMI_COUNT          0x34u
#define MPERF              0xe7u
#define APERF              0xe8u
#define P5_CESR            0x11u
#define P5_COUNTER         0x12u
#define K7_SELECT          0xc0010000u
#define K7_COUNTER         0xc0010004u
#define CORE_SELECT        0xc0010200u
#define AMD_STATUS         0xc0000300u
#define AMD_CONTROL        0xc0000301u
#define AMD_STATUS_CLEAR   0xc0000302u
#define AMD_DE_CFG         0xc0011029u
#define CAPABILITY_FREEZE  (1ull << 12)
#define CAPABILITY_FULL    (1ull << 13)
#define DEBUG_FREEZE_SMM   (1ull << 14)
#define SELECT_OS          (1ull << 17)
#define SELECT_EDGE        (1ull << 18)
#define SELECT_PIN         (1ull << 19)
#define SELECT_INTERRUPT   (1ull << 20)
#define SELECT_ANY         (1ull << 21)
#define SELECT_ENABLE      (1ull << 22)
#define SELECT_INVERT      (1ull << 23)
#define SELECT_COUNT_MASK  0xff000000ull
#define SELECT_COMMON      (0xffffffffull & ~(SELECT_PIN | SELECT_ANY))
#define AMD_EVENT_HIGH     (0xfull << 32)
#define AMD_GUEST_OR_HOST  (3ull << 40)
#define P5_HALF            0x3ffull
#define INTEL_STATUS_OTHER (1ull << 55 | 1ull << 61 | 1ull << 62 | 1ull << 63)
#define STATUS_FROZEN      (1ull << 58 | 1ull << 59)

static const struct preset *preset_of(const struct pmu_model *model)
{
    return &presets[model->machine];
}

const char *pmu_machine_name(enum pmu_machine machine)
{
    return presets[machine].name;
}

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t counter_bits(const struct pmu_model *model)
{
    return ones(model->general) | ones(model->fixed) << 32;
}

/* A counter's bit in global control and status: fixed ones from bit 32 on. */
static uint64_t global_bit(unsigned counter)
{
    const unsigned bit = counter < MODEL_GENERAL_MAX ? counter : 32 + counter - MODEL_GENERAL_MAX;

    return 1ull << bit % 64;
}

/* ---- counting ---- */

static enum quantity p5_event(unsigned select)
{
    switch (select) {
    case 0x00:
        return QUANTITY_LOADS;
    case 0x01:
        return QUANTITY_STORES;
    case 0x12:
        return QUANTITY_BRANCHES;
    case 0x16:
        return QUANTITY_INSTRUCTIONS;
    case 0x28:
        return QUANTITY_ACCESSES;
    default:
        return QUANTITY_NONE;
    }
}

static enum quantity p6_event(uint32_t event)
{
    switch (event >> 8) {
    case 0x43:
        return QUANTITY_ACCESSES;
    case 0x79:
        return QUANTITY_CYCLES;
    case 0xc0:
        return QUANTITY_INSTRUCTIONS;
    case 0xc4:
        return QUANTITY_BRANCHES;
    default:
        return QUANTITY_NONE;
    }
}

static enum quantity intel_event(uint32_t event)
{
    switch (event) {
    case 0x3c00:
    case 0x3c01:
        return QUANTITY_CYCLES;
    case 0xc000:
        return QUANTITY_INSTRUCTIONS;
    case 0xc400:
        return QUANTITY_BRANCHES;
    default:
        return QUANTITY_NONE;
    }
}

static enum quantity amd_event(const struct pmu_model *model, uint32_t event)
{
    switch (event >> 8) {
    case 0x2b:
        return QUANTITY_SMIS;
    case 0x40:
        return preset_of(model)->core_extension ? QUANTITY_NONE : QUANTITY_ACCESSES;
    case 0x76:
        return QUANTITY_CYCLES;
    case 0xc0:
        return QUANTITY_INSTRUCTIONS;
    case 0xc2:
        return QUANTITY_BRANCHES;
    default:
        return QUANTITY_NONE;
    }
}

static enum quantity event_quantity(const struct pmu_model *model, uint64_t select)
{
    const struct preset *preset = preset_of(model);
    const uint32_t event =
        (uint32_t)((select >> 16 & 0xf0000) | (select & 0xff) << 8 | (select >> 8 & 0xff));

    if (preset->loads != 0 && event == preset->loads) {
        return QUANTITY_LOADS;
    }
    if (preset->stores != 0 && event == preset->stores) {
        return QUANTITY_STORES;
    }
    switch (preset->kind) {
    case KIND_P6:
        return p6_event(event);
    case KIND_INTEL:
        return intel_event(event);
    default:
        return amd_event(model, event);
    }
}

/* ES 5:0; CC 8:6: 1 rings 0 to 2, 2 ring 3, 4 clocks in place of the event. */
static enum quantity p5_quantity(uint64_t half)
{
    if ((half >> 6 & 1) == 0) {
        return QUANTITY_NONE;
    }
    return (half >> 8 & 1) != 0 ? QUANTITY_CYCLES : p5_event(half & 0x3f);
}

static enum quantity fixed_quantity(const struct pmu_model *model, unsigned index)
{
    static const enum quantity quantities[MODEL_FIXED_MAX] = {
        QUANTITY_INSTRUCTIONS, QUANTITY_CYCLES, QUANTITY_CYCLES, QUANTITY_NONE};
    const bool in_ring_0 = (model->counter[MODEL_GENERAL_MAX + index].select & 1) != 0;

    return in_ring_0 ? quantities[index] : QUANTITY_NONE;
}

static enum quantity general_quantity(const struct pmu_model *model, unsigned index)
{
    const uint64_t select = model->counter[index].select;
    /* The P6 has one enable bit, in the first select register. */
    const uint64_t enable = preset_of(model)->kind == KIND_P6 ? model->counter[0].select : select;

    if ((enable & SELECT_ENABLE) == 0 || (select & SELECT_OS) == 0 ||
        (select & (SELECT_EDGE | SELECT_INVERT | SELECT_COUNT_MASK | AMD_GUEST_OR_HOST)) != 0) {
        return QUANTITY_NONE;
    }
    return event_quantity(model, select);
}

static enum quantity quantity_of(const struct pmu_model *model, unsigned index)
{
    const struct pmu_model_counter *counter = &model->counter[index];

    if (counter->busy) {
        return QUANTITY_INSTRUCTIONS;
    }
    if (counter->dead || counter->forgets) {
        return QUANTITY_NONE;
    }
    if (preset_of(model)->kind == KIND_P5) {
        return p5_quantity(counter->select);
    }
    if (preset_of(model)->global && (model->global_control & global_bit(index)) == 0) {
        return QUANTITY_NONE;
    }
    return index >= MODEL_GENERAL_MAX ? fixed_quantity(model, index - MODEL_GENERAL_MAX)
                                      : general_quantity(model, index);
}

static bool wants_interrupt(const struct pmu_model *model, unsigned index)
{
    const uint64_t select = model->counter[index].select;

    if (index >= MODEL_GENERAL_MAX) {
        return (select & 8) != 0;
    }
    return preset_of(model)->kind != KIND_P5 && (select & SELECT_INTERRUPT) != 0;
}

/* Brings a counter's value up to now. */
static void settle(struct pmu_model *model, unsigned index)
{
    struct pmu_model_counter *counter = &model->counter[index];
    const uint64_t now = model->total[counter->quantity];
    const uint64_t advance = (now - counter->since) * (counter->wrong ? 2 : 1);

    counter->since = now;
    if (advance > ones(counter->width) - counter->base) {
        model->global_status |= global_bit(index);
        model->interrupts += wants_interrupt(model, index);
    }
    counter->base = (counter->base + advance) & ones(counter->width);
}

static bool exists(const struct pmu_model *model, unsigned index)
{
    return index < model->general ||
           (index >= MODEL_GENERAL_MAX && index < MODEL_GENERAL_MAX + model->fixed);
}

static void settle_all(struct pmu_model *model)
{
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        if (exists(model, i)) {
            settle(model, i);
        }
    }
}

/* After any change of what is counted; settle_all() comes before the change. */
static void reassign(struct pmu_model *model)
{
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        if (exists(model, i)) {
            model->counter[i].quantity = quantity_of(model, i);
            model->counter[i].since = model->total[model->counter[i].quantity];
        }
    }
}

uint64_t pmu_model_value(struct pmu_model *model, unsigned counter)
{
    settle(model, counter);
    return model->counter[counter].base;
}

void pmu_model_set_value(struct pmu_model *model, unsigned counter, uint64_t value)
{
    settle(model, counter);
    model->counter[counter].base = value & ones(model->counter[counter].width);
}

static void report(const struct pmu_model *model, const struct pmu_reading *reading)
{
    if (model->on_reading != NULL) {
        model->on_reading(model->context, reading);
    }
}

static uint64_t read_value(struct pmu_model *model, unsigned index, bool by_rdpmc)
{
    const struct pmu_model_counter *counter = &model->counter[index];
    const struct pmu_reading reading = {
        .by_rdpmc = by_rdpmc,
        .counter = index,
        .quantity = counter->quantity,
        .value = counter->forgets ? 0 : pmu_model_value(model, index),
        .truth = model->total[counter->quantity],
        .tag = model->tag,
    };

    report(model, &reading);
    return reading.value;
}

static void write_value(struct pmu_model *model, unsigned index, uint64_t value, bool full)
{
    const struct pmu_model_counter *counter = &model->counter[index];

    if (counter->forgets) {
        return;
    }
    pmu_model_set_value(model, index,
                        full && !counter->short_writes ? value : (uint64_t)(int64_t)(int32_t)value);
}

/* ---- P5 ---- */

static bool p5_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    if (index == P5_CESR) {
        *value = model->counter[0].select | model->counter[1].select << 16;
        return true;
    }
    if (index - P5_COUNTER >= model->general || model->counter[index - P5_COUNTER].faults) {
        return false;
    }
    *value = read_value(model, index - P5_COUNTER, false);
    return true;
}

static bool p5_write_cesr(struct pmu_model *model, uint64_t value)
{
    const uint64_t allowed = P5_HALF & ~model->reserved_select;

    if ((value & ~(allowed | allowed << 16)) != 0) {
        return false;
    }
    settle_all(model);
    for (unsigned i = 0; i < model->general; i++) {
        model->counter[i].select = model->counter[i].forgets ? 0 : value >> (16 * i) & P5_HALF;
    }
    reassign(model);
    return true;
}

static bool p5_wrmsr(struct pmu_model *model, uint32_t index, uint64_t value)
{
    if (index == P5_CESR) {
        return p5_write_cesr(model, value);
    }
    if (index - P5_COUNTER >= model->general || model->counter[index - P5_COUNTER].faults) {
        return false;
    }
    write_value(model, index - P5_COUNTER, value, true);
    return true;
}

/* ---- what P6, Intel and AMD share: a select and a value register for each counter ---- */

static uint64_t reserved_of_select(const struct pmu_model *model, unsigned index)
{
    uint64_t allowed = SELECT_COMMON;

    switch (preset_of(model)->kind) {
    case KIND_P6:
        allowed |= SELECT_PIN;
        allowed &= index > 0 ? ~SELECT_ENABLE : UINT64_MAX;
        break;
    case KIND_INTEL:
        allowed |= model->version <= 3 ? SELECT_PIN : 0;
        allowed |= model->version == 3 || model->version == 4 ? SELECT_ANY : 0;
        break;
    default:
        allowed |= AMD_EVENT_HIGH | AMD_GUEST_OR_HOST;
        break;
    }
    return ~allowed | model->reserved_select;
}

static bool write_select(struct pmu_model *model, unsigned index, uint64_t value)
{
    if ((value & reserved_of_select(model, index)) != 0) {
        return false;
    }
    settle_all(model);
    model->counter[index].select = model->counter[index].forgets ? 0 : value;
    reassign(model);
    return true;
}

/* Number of the register in a row of them; false where the counter is not there. */
static bool in_row(const struct pmu_model *model, uint32_t index, uint32_t first, unsigned count,
                   unsigned *counter)
{
    if (index - first >= count || model->counter[index - first].faults) {
        return false;
    }
    *counter = index - first;
    return true;
}

/* ---- P6 and Intel ---- */

static uint64_t capabilities(const struct pmu_model *model)
{
    return model->version >= 4 ? CAPABILITY_FREEZE | CAPABILITY_FULL : 0;
}

static bool fixed_at(const struct pmu_model *model, uint32_t index, unsigned *counter)
{
    *counter = MODEL_GENERAL_MAX + (index - FIXED_COUNTER);
    return index - FIXED_COUNTER < model->fixed && !model->counter[*counter].faults;
}

static bool full_width_at(const struct pmu_model *model, uint32_t index, unsigned *counter)
{
    return (capabilities(model) & CAPABILITY_FULL) != 0 && !model->no_full_width &&
           in_row(model, index, FULL_WIDTH, model->general, counter);
}

static uint64_t fixed_control(const struct pmu_model *model)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < model->fixed; i++) {
        value |= model->counter[MODEL_GENERAL_MAX + i].select << (4 * i);
    }
    return value;
}

static bool write_fixed_control(struct pmu_model *model, uint64_t value)
{
    const uint64_t any = model->version == 3 || model->version == 4 ? 0 : 0x4444444444444444ull;

    if ((value & (~ones(4 * model->fixed) | any)) != 0) {
        return false;
    }
    settle_all(model);
    for (unsigned i = 0; i < model->fixed; i++) {
        struct pmu_model_counter *counter = &model->counter[MODEL_GENERAL_MAX + i];

        counter->select = counter->forgets ? 0 : value >> (4 * i) & 15;
    }
    reassign(model);
    return true;
}

static bool write_global_control(struct pmu_model *model, uint64_t value)
{
    if ((value & ~counter_bits(model)) != 0) {
        return false;
    }
    settle_all(model);
    model->global_control = value;
    reassign(model);
    return true;
}

static uint64_t in_use(const struct pmu_model *model)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        const uint64_t select = model->counter[i].select;

        if (exists(model, i) && (select & (i < MODEL_GENERAL_MAX ? 0xff : 3)) != 0) {
            value |= global_bit(i);
        }
        if (exists(model, i) && wants_interrupt(model, i)) {
            value |= 1ull << 63;
        }
    }
    return value;
}

static uint64_t read_status(struct pmu_model *model)
{
    settle_all(model);
    return model->global_status;
}

static bool change_status(struct pmu_model *model, uint64_t bits, bool set)
{
    const bool intel = preset_of(model)->kind == KIND_INTEL;
    const uint64_t frozen = !intel || model->version >= 4 ? STATUS_FROZEN : 0;
    const uint64_t allowed = counter_bits(model) | frozen | (intel ? INTEL_STATUS_OTHER : 0);

    if ((bits & ~allowed) != 0) {
        return false;
    }
    settle_all(model);
    model->global_status = set ? model->global_status | bits : model->global_status & ~bits;
    return true;
}

static bool intel_read_control(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    switch (index) {
    case FIXED_CONTROL:
        *value = fixed_control(model);
        return model->fixed > 0;
    case GLOBAL_STATUS:
        *value = read_status(model);
        return model->version >= 2;
    case GLOBAL_CONTROL:
        *value = model->global_control;
        return model->version >= 2;
    case STATUS_RESET:
        *value = 0;
        return model->version >= 2;
    case STATUS_SET:
        *value = 0;
        return model->version >= 4;
    case IN_USE:
        *value = in_use(model);
        return model->version >= 4;
    case PERF_CAPABILITIES:
        *value = capabilities(model);
        return preset_of(model)->capabilities;
    case DEBUG_CONTROL:
        *value = model->debug_control;
        return true;
    default:
        return false;
    }
}

static bool write_debug_control(struct pmu_model *model, uint64_t value)
{
    const uint64_t freeze = (capabilities(model) & CAPABILITY_FREEZE) != 0 ? DEBUG_FREEZE_SMM : 0;

    if ((value & ~(0x3fc3ull | freeze)) != 0) {
        return false;
    }
    model->debug_control = value;
    return true;
}

static bool intel_write_control(struct pmu_model *model, uint32_t index, uint64_t value)
{
    switch (index) {
    case FIXED_CONTROL:
        return model->fixed > 0 && write_fixed_control(model, value);
    case GLOBAL_CONTROL:
        return model->version >= 2 && write_global_control(model, value);
    case STATUS_RESET:
        return model->version >= 2 && change_status(model, value, false);
    case STATUS_SET:
        return model->version >= 4 && change_status(model, value, true);
    case DEBUG_CONTROL:
        return write_debug_control(model, value);
    default:
        return false;
    }
}

static bool intel_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    unsigned counter;

    if (in_row(model, index, P6_SELECT, model->general, &counter)) {
        *value = model->counter[counter].select;
        return true;
    }
    if (in_row(model, index, P6_COUNTER, model->general, &counter) ||
        full_width_at(model, index, &counter) || fixed_at(model, index, &counter)) {
        *value = read_value(model, counter, false);
        return true;
    }
    return intel_read_control(model, index, value);
}

static bool intel_wrmsr(struct pmu_model *model, uint32_t index, uint64_t value)
{
    unsigned counter;

    if (in_row(model, index, P6_SELECT, model->general, &counter)) {
        return write_select(model, counter, value);
    }
    if (in_row(model, index, P6_COUNTER, model->general, &counter)) {
        write_value(model, counter, value, false);
        return true;
    }
    if (full_width_at(model, index, &counter) || fixed_at(model, index, &counter)) {
        if ((value & ~ones(model->counter[counter].width)) != 0) {
            return false;
        }
        write_value(model, counter, value, true);
        return true;
    }
    return intel_write_control(model, index, value);
}

/* ---- AMD ---- */

/* Both sets of registers; the old one has the first four counters. */
static bool amd_at(const struct pmu_model *model, uint32_t index, unsigned *counter, bool *select)
{
    const uint32_t core = index - CORE_SELECT;

    *select = true;
    if (in_row(model, index, K7_SELECT, 4, counter)) {
        return *counter < model->general;
    }
    if (preset_of(model)->core_extension && core / 2 < model->general) {
        *counter = core / 2;
        *select = core % 2 == 0;
        return !model->counter[*counter].faults;
    }
    *select = false;
    return in_row(model, index, K7_COUNTER, 4, counter) && *counter < model->general;
}

static bool amd_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    const bool global = preset_of(model)->global;
    unsigned counter;
    bool select;

    if (amd_at(model, index, &counter, &select)) {
        *value = select ? model->counter[counter].select : read_value(model, counter, false);
        return true;
    }
    switch (index) {
    case AMD_STATUS:
        *value = read_status(model);
        return global;
    case AMD_CONTROL:
        *value = model->global_control;
        return global;
    case AMD_STATUS_CLEAR:
        *value = 0;
        return global;
    case AMD_DE_CFG:
        *value = model->lfence;
        return true;
    default:
        return false;
    }
}

static bool amd_wrmsr(struct pmu_model *model, uint32_t index, uint64_t value)
{
    const bool global = preset_of(model)->global;
    unsigned counter;
    bool select;

    if (amd_at(model, index, &counter, &select)) {
        if (select) {
            return write_select(model, counter, value);
        }
        write_value(model, counter, value, true);
        return true;
    }
    switch (index) {
    case AMD_CONTROL:
        return global && write_global_control(model, value);
    case AMD_STATUS_CLEAR:
        return global && change_status(model, value, false);
    case AMD_DE_CFG:
        model->lfence = value;
        return true;
    default:
        return false;
    }
}

/* ---- the instructions ---- */

static bool read_smi_count(struct pmu_model *model, uint64_t *value)
{
    const struct pmu_reading reading = {
        .counter = MODEL_SMI_COUNTER,
        .quantity = QUANTITY_SMIS,
        .value = model->total[QUANTITY_SMIS],
        .truth = model->total[QUANTITY_SMIS],
        .tag = model->tag,
    };

    if (!preset_of(model)->smi_count) {
        return false;
    }
    report(model, &reading);
    *value = reading.value;
    return true;
}

static bool common_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    switch (index) {
    case SMI_COUNT:
        return read_smi_count(model, value);
    case MPERF:
        *value = model->mperf_base + model->total[QUANTITY_CYCLES];
        return preset_of(model)->aperf;
    case APERF:
        *value = model->aperf_base + model->total[QUANTITY_CYCLES];
        return preset_of(model)->aperf;
    default:
        return false;
    }
}

bool pmu_model_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    if (common_rdmsr(model, index, value)) {
        return true;
    }
    if (model->no_registers) {
        return false;
    }
    switch (preset_of(model)->kind) {
    case KIND_P5:
        return p5_rdmsr(model, index, value);
    case KIND_AMD:
        return amd_rdmsr(model, index, value);
    default:
        return intel_rdmsr(model, index, value);
    }
}

bool pmu_model_wrmsr(struct pmu_model *model, uint32_t index, uint64_t value)
{
    if (index == MPERF && preset_of(model)->aperf) {
        model->mperf_base = value - model->total[QUANTITY_CYCLES];
        return true;
    }
    if (index == APERF && preset_of(model)->aperf) {
        model->aperf_base = value - model->total[QUANTITY_CYCLES];
        return true;
    }
    if (model->no_registers) {
        return false;
    }
    switch (preset_of(model)->kind) {
    case KIND_P5:
        return p5_wrmsr(model, index, value);
    case KIND_AMD:
        return amd_wrmsr(model, index, value);
    default:
        return intel_wrmsr(model, index, value);
    }
}

bool pmu_model_rdpmc(struct pmu_model *model, uint32_t index, uint64_t *value)
{
    const bool fixed = (index & 1u << 30) != 0 && preset_of(model)->kind == KIND_INTEL;
    const uint32_t among = fixed ? index & ~(1u << 30) : index;
    const unsigned counter = fixed ? MODEL_GENERAL_MAX + among : among;

    if (among >= (fixed ? model->fixed : model->general) || model->no_registers ||
        model->counter[counter].faults || model->counter[counter].no_rdpmc) {
        return false;
    }
    *value = read_value(model, counter, true);
    return true;
}

void pmu_model_smi(struct pmu_model *model, uint64_t instructions)
{
    model->total[QUANTITY_SMIS]++;
    if ((model->debug_control & DEBUG_FREEZE_SMM) != 0) {
        model->aperf_base += instructions; /* these do not freeze */
        model->mperf_base += instructions;
        return;
    }
    for (uint64_t i = 0; i < instructions; i++) {
        pmu_model_retire(model, (struct instruction_facts){0});
    }
}

/* ---- CPUID ---- */

static uint32_t signature(const struct preset *preset)
{
    const uint32_t family = preset->family < 15 ? preset->family : 15;

    return (preset->family - family) << 20 | preset->model >> 4 << 16 | family << 8 |
           (preset->model & 15) << 4 | 2;
}

static struct cpuid_result vendor(const struct pmu_model *model)
{
    const char *text = preset_of(model)->kind == KIND_AMD ? "AuthenticAMD" : "GenuineIntel";
    struct cpuid_result result = {.eax = model->max_basic};

    memcpy(&result.ebx, text, 4);
    memcpy(&result.edx, text + 4, 4);
    memcpy(&result.ecx, text + 8, 4);
    return result;
}

static struct cpuid_result monitoring_leaf(const struct pmu_model *model)
{
    const uint32_t fixed = model->version >= 2 ? model->claimed_fixed : 0;

    return (struct cpuid_result){
        .eax = model->version | model->claimed_general << 8 | model->claimed_width << 16 | 7u << 24,
        .ecx = model->version >= 5 ? (uint32_t)ones(fixed) : 0,
        .edx = fixed | (fixed != 0 ? model->claimed_width << 5 : 0) |
               (model->version >= 5 ? 1u << 15 : 0),
    };
}

static struct cpuid_result basic_leaf(const struct pmu_model *model, uint32_t leaf)
{
    const struct preset *preset = preset_of(model);

    switch (leaf) {
    case 0:
        return vendor(model);
    case 1:
        return (struct cpuid_result){
            .eax = signature(preset),
            .ecx = (preset->capabilities ? 1u << 15 : 0) | (model->hypervisor ? 1u << 31 : 0),
            .edx = 1u << 0 | 1u << 4 | 1u << 5 | 1u << 9,
        };
    case 6:
        return (struct cpuid_result){.ecx = preset->aperf ? 1 : 0};
    case 0x0a:
        return preset->kind == KIND_INTEL ? monitoring_leaf(model) : (struct cpuid_result){0};
    default:
        return (struct cpuid_result){0};
    }
}

static struct cpuid_result brand_leaf(const struct pmu_model *model, uint32_t part)
{
    char text[48] = "model of ";
    struct cpuid_result result;

    strcat(text, preset_of(model)->name);
    memcpy(&result, text + part * sizeof(result), sizeof(result));
    return result;
}

static struct cpuid_result extended_leaf(const struct pmu_model *model, uint32_t leaf)
{
    const struct preset *preset = preset_of(model);

    switch (leaf) {
    case 0x80000000:
        return (struct cpuid_result){.eax = model->max_extended};
    case 0x80000001:
        return (struct cpuid_result){
            .ecx = preset->core_extension ? 1u << 23 : 0,
            .edx = 1u << 20 | 1u << 29,
        };
    case 0x80000002:
    case 0x80000003:
    case 0x80000004:
        return brand_leaf(model, leaf - 0x80000002);
    case 0x80000007:
        return (struct cpuid_result){.edx = 1u << 8};
    case 0x80000008:
        return (struct cpuid_result){.eax = 40 | 48 << 8};
    case 0x80000022:
        return (struct cpuid_result){
            .eax = preset->global ? 1 : 0,
            .ebx = preset->global ? model->claimed_general : 0,
        };
    default:
        return (struct cpuid_result){0};
    }
}

/* Above the maximum Intel answers with the highest basic leaf, AMD with zeroes. */
static struct cpuid_result leaf_above(const struct pmu_model *model, uint32_t leaf)
{
    static const struct cpuid_result none = {0};
    static const struct cpuid_result like_version_5 = {.eax = 0x07301005, .ecx = 15, .edx = 0x8604};
    static const struct cpuid_result like_v2 = {.eax = 0x21f, .ebx = 0x28f};

    if (model->garbage_leaves) {
        return leaf >= CPUID_EXTENDED ? like_v2 : like_version_5;
    }
    return preset_of(model)->kind == KIND_AMD ? none : basic_leaf(model, model->max_basic);
}

struct cpuid_result pmu_model_cpuid(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf; /* no leaf here has several */
    if (leaf < CPUID_HYPERVISOR) {
        return leaf <= model->max_basic ? basic_leaf(model, leaf) : leaf_above(model, leaf);
    }
    if (leaf < CPUID_EXTENDED || leaf > model->max_extended) {
        return leaf_above(model, leaf);
    }
    return extended_leaf(model, leaf);
}

/* ---- setting up ---- */

void pmu_model_init(struct pmu_model *model, enum pmu_machine machine)
{
    const struct preset *preset = &presets[machine];

    *model = (struct pmu_model){
        .machine = machine,
        .version = preset->version,
        .general = preset->general,
        .fixed = preset->fixed,
        .max_basic = preset->max_basic,
        .max_extended = preset->max_extended,
        .claimed_general = preset->general,
        .claimed_fixed = preset->fixed,
        .claimed_width = preset->width,
    };
    /* Intel's reset value lets the general counters run once enabled; AMD's is taken as 0, the
     * harder case. */
    model->global_control =
        preset->kind == KIND_INTEL && preset->global ? ones(preset->general) : 0;
    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        model->counter[i].width = preset->width;
    }
}

void pmu_model_leave_running(struct pmu_model *model, unsigned counter, uint64_t value)
{
    static const uint64_t select[] = {
        [KIND_P5] = 3u << 6 | 0x16,
        [KIND_P6] = SELECT_ENABLE | SELECT_OS | 0xc0,
        [KIND_INTEL] = SELECT_ENABLE | SELECT_OS | 0xc0,
        [KIND_AMD] = SELECT_ENABLE | SELECT_OS | 0x76,
    };

    struct pmu_model_counter *left = &model->counter[counter % MODEL_COUNTERS_MAX];

    settle_all(model);
    left->select = counter >= MODEL_GENERAL_MAX ? 3 : select[preset_of(model)->kind];
    left->base = value & ones(left->width);
    if (preset_of(model)->kind == KIND_P6) { /* one enable bit for both */
        left->select &= ~SELECT_ENABLE;
        model->counter[0].select |= SELECT_ENABLE;
    }
    model->global_control |= preset_of(model)->global ? global_bit(counter) : 0;
    reassign(model);
}

void pmu_model_make_busy(struct pmu_model *model, unsigned counter)
{
    model->counter[counter].busy = true;
    pmu_model_leave_running(model, counter, 0);
}

struct pmu_model_setup pmu_model_setup(const struct pmu_model *model)
{
    struct pmu_model_setup setup = {.global_control = model->global_control,
                                    .debug_control = model->debug_control};

    for (unsigned i = 0; i < MODEL_COUNTERS_MAX; i++) {
        setup.select[i] = model->counter[i].select;
    }
    return setup;
}

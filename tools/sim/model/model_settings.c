/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies settings: numbers that replace those of the text. */
#include "tools/sim/model/model_reader.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns what follows "NAME." in a setting's name, or NULL if it is another name. */
static const char *part_behind(const char *name, const char *before)
{
    const size_t length = strlen(before);

    return strncmp(name, before, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

static bool is_setting(const struct sim_setting *setting, const char *name)
{
    return strcmp(setting->name, name) == 0;
}

/* A setting that is being applied. */
struct change {
    struct sim_model *model;
    const struct sim_setting *setting;
    struct sim_model_error *error;
};

static bool need(const struct change *change, bool holds, const char *wanted)
{
    return sim_require(change->error, 0, holds, "setting %s=%.10g: %s", change->setting->name,
                       change->setting->value, wanted);
}

static bool need_from(const struct change *change, double least, double most)
{
    const double value = change->setting->value;

    return sim_require(change->error, 0, value >= least && value <= most,
                       "setting %s=%.10g is not from %.10g to %.10g", change->setting->name, value,
                       least, most);
}

static bool need_whole(const struct change *change, double most)
{
    return need_from(change, 1, most) &&
           need(change, change->setting->value == floor(change->setting->value),
                "must be a whole number");
}

static bool need_length(const struct change *change)
{
    return need_from(change, SIM_NUMBER_LEAST, SIM_NUMBER_MOST);
}

/* ---- occupancies ---- */

/* Returns whether "LEVEL" or "LEVEL.PROCESSOR" selects this load on this processor. NULL selects
 * all. */
static bool is_meant(const struct sim_model *model, const struct sim_load *load, size_t processor,
                     const char *meant)
{
    const char *const level = model->level[load->level];
    const char *const of = meant != NULL ? part_behind(meant, level) : NULL;

    return load->processor == processor &&
           (meant == NULL || strcmp(meant, level) == 0 ||
            (of != NULL && strcmp(of, model->processor[processor]) == 0));
}

/* Scales the selected loads of one processor so that they sum to the value. A single load is set to
 * the value itself. Returns the number of loads. */
static size_t set_sum(const struct change *change, size_t processor, const char *meant)
{
    struct sim_model *const model = change->model;
    const double value = change->setting->value;
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        if (is_meant(model, &model->loads[i], processor, meant)) {
            sum += model->loads[i].occupancy;
            count += model->loads[i].arrivals.kind == SIM_RENEWAL;
        }
    }
    need(change, count <= 1 || sum != 0, "the occupancies are all 0 and cannot be scaled");
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_load *const load = &model->loads[i];

        if (load->arrivals.kind == SIM_RENEWAL && is_meant(model, load, processor, meant)) {
            load->occupancy = count == 1 ? value : load->occupancy * (value / sum);
            load->arrivals.interval.mean = NAN;
        }
    }
    return count;
}

/* Applies the setting to each processor that has any of the loads. */
static void set_occupancy(const struct change *change, const char *meant)
{
    size_t found = 0;

    if (!need_from(change, 0, 1)) {
        return;
    }
    for (size_t i = 0; i < change->model->processors; i++) {
        found += set_sum(change, i, meant);
    }
    need(change, found > 0, "no load of that name has arrivals with a rate");
}

/* ---- stimuli, stations, overheads ---- */

/* Returns the stimulus of that name, or NULL. */
static struct sim_stimulus *find_stimulus(const struct change *change, const char *name)
{
    struct sim_stimulus *const stimuli = change->model->stimuli;
    const size_t found = sim_find(stimuli, change->model->stimulus_count, sizeof(*stimuli), name);

    return found != SIM_NONE ? &stimuli[found] : NULL;
}

static void set_work(const struct change *change, const char *name)
{
    struct sim_stimulus *const stimulus = find_stimulus(change, name);
    double work = 0;

    if (stimulus == NULL) {
        need(change, false, "no stimulus has that name");
        return;
    }
    for (size_t k = 0; k < stimulus->stop_count; k++) {
        work += stimulus->stops[k].service.mean;
    }
    if (need(change, work != 0, "its lengths are all 0") && need_length(change)) {
        for (size_t k = 0; k < stimulus->stop_count; k++) {
            sim_law_scale(&stimulus->stops[k].service, change->setting->value / work);
        }
    }
}

static void set_delay(const struct change *change)
{
    struct sim_stimulus *const first = change->model->stimuli;
    const double delay = change->setting->value;

    if (first == NULL || first->arrivals.kind != SIM_CYCLE) {
        need(change, false, "the first stimulus does not cycle");
    } else if (need_from(change, 0, SIM_NUMBER_MOST)) {
        first->arrivals.fixed = true;
        sim_law_free(&first->arrivals.interval);
        first->arrivals.interval =
            (struct sim_law){.kind = SIM_CONSTANT, .mean = delay, .low = delay, .high = delay};
    }
}

/* Returns the population of that name, or NULL with the error set. */
static struct sim_arrivals *find_population(const struct change *change, const char *name)
{
    struct sim_stimulus *const stimulus = find_stimulus(change, name);

    return need(change, stimulus != NULL && stimulus->arrivals.kind == SIM_POPULATION,
                "no stimulus of that name has a population")
               ? &stimulus->arrivals
               : NULL;
}

static void set_population(const struct change *change, const char *name)
{
    struct sim_arrivals *const arrivals = find_population(change, name);

    if (arrivals != NULL && need_whole(change, SIM_POPULATION_MAX)) {
        arrivals->population = (size_t)change->setting->value;
    }
}

static void set_think(const struct change *change, const char *name)
{
    struct sim_arrivals *const arrivals = find_population(change, name);

    if (arrivals != NULL && need_length(change) &&
        need(change, arrivals->interval.mean != 0,
             "the stimulus does not think: the model gives no law for it")) {
        sim_law_scale(&arrivals->interval, change->setting->value / arrivals->interval.mean);
    }
}

static void set_servers(const struct change *change, const char *name)
{
    struct sim_station *const stations = change->model->stations;
    const size_t found = sim_find(stations, change->model->station_count, sizeof(*stations), name);

    if (need(change, found != SIM_NONE, "no station has that name") &&
        need_whole(change, SIM_SERVERS_MAX)) {
        stations[found].servers = (size_t)change->setting->value;
    }
}

static void set_overhead(const struct change *change, const char *name)
{
    enum sim_overhead_part part = 0;

    while (part < SIM_OVERHEAD_PARTS && strcmp(sim_overhead_name(part), name) != 0) {
        part++;
    }
    if (need(change, part < SIM_OVERHEAD_PARTS,
             "overheads are interrupt, switch, receive, portion, send, end, remote") &&
        need_from(change, 0, SIM_NUMBER_MOST)) {
        *sim_overhead_part(&change->model->overhead, part) = change->setting->value;
    }
}

/* ---- order of application ---- */

bool sim_settings_begin(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error)
{
    bool has_unit = false;

    for (size_t i = 0; i < count; i++) {
        const struct change change = {model, &settings[i], error};

        need(&change, isfinite(settings[i].value), "must be a number");
        if (is_setting(&settings[i], "unit") && need_length(&change)) {
            model->unit_ns = settings[i].value;
            has_unit = true;
        }
    }
    return has_unit;
}

static void set_passes(const struct change *change)
{
    struct sim_model *const model = change->model;

    if (need_whole(change, 0x1p53) &&
        (!change->setting->if_missing || (model->passes == 0 && model->stimulus_count > 0))) {
        model->passes = (uint64_t)change->setting->value;
    }
}

/* Settings named "PART.NAME". */
static const struct part_setting {
    const char *part;
    void (*set)(const struct change *change, const char *name);
} part_settings[] = {
    {"occupancy", set_occupancy},   {"work", set_work},   {"overhead", set_overhead},
    {"population", set_population}, {"think", set_think}, {"servers", set_servers},
};

static void apply(const struct change *change)
{
    const struct sim_setting *const setting = change->setting;
    const char *const name = setting->name;
    bool known = is_setting(setting, "unit") || part_behind(name, "scale") != NULL;

    if (is_setting(setting, "passes")) {
        set_passes(change);
    } else if (is_setting(setting, "delay")) {
        set_delay(change);
    } else if (is_setting(setting, "delay.factor")) {
        change->model->delay_factor = setting->value;
        need_from(change, 0, SIM_NUMBER_MOST);
    } else if (is_setting(setting, "occupancy")) {
        set_occupancy(change, NULL);
    } else {
        for (size_t i = 0; i < COUNT(part_settings) && !known; i++) {
            const char *const of = part_behind(name, part_settings[i].part);

            if (of != NULL) {
                part_settings[i].set(change, of);
                known = true;
            }
        }
        need(change, known,
             "unknown setting: must be one of passes, unit (ns), delay, delay.factor, occupancy, "
             "occupancy.LEVEL, occupancy.LEVEL.PROCESSOR, scale.LEVEL, work.STIMULUS, "
             "overhead.NAME, population.STIMULUS, think.STIMULUS, servers.STATION");
    }
}

void sim_settings_apply(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error)
{
    for (size_t i = 0; i < count && !sim_refused(error); i++) {
        apply(&(struct change){model, &settings[i], error});
    }
}

/* Fixes the derived values, so that a change to one level does not change the arrivals of any. */
static void keep_arrivals(struct sim_model *model)
{
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_load *const load = &model->loads[i];

        load->is_total = false;
        load->occupancy = load->own;
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        model->stimuli[i].arrivals.fixed = true;
    }
}

static void scale_level(const struct change *change, const char *name)
{
    struct sim_model *const model = change->model;
    const size_t level = sim_find(model->level, model->levels, sizeof(*model->level), name);

    if (!need(change, level != SIM_NONE, "no level has that name") || !need_length(change)) {
        return;
    }
    keep_arrivals(model);
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_load *const load = &model->loads[i];

        if (load->level == level) {
            sim_law_scale(&load->service, change->setting->value);
            load->occupancy *= change->setting->value;
        }
    }
}

bool sim_settings_finish(struct sim_model *model, const struct sim_setting *settings, size_t count,
                         struct sim_model_error *error)
{
    bool scaled = false;

    for (size_t i = 0; i < count && !sim_refused(error); i++) {
        const char *const name = part_behind(settings[i].name, "scale");

        if (name != NULL) {
            scale_level(&(struct change){model, &settings[i], error}, name);
            scaled = true;
        }
    }
    return scaled && !sim_refused(error);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings: numbers in place of those of the text. */
#include "tools/sim/model/model_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is behind "NAME." in a setting's name; NULL: it is another. */
static const char *part_behind(const char *name, const char *before)
{
    const size_t length = strlen(before);

    return strncmp(name, before, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

static bool is_setting(const struct sim_setting *setting, const char *name)
{
    return strcmp(setting->name, name) == 0;
}

static bool refuse_value(const struct sim_setting *setting, const char *wanted,
                         struct sim_model_error *error)
{
    return sim_refuse(error, 0, "setting %s=%.10g: %s", setting->name, setting->value, wanted);
}

static bool check_value(const struct sim_setting *setting, double least, double most,
                        struct sim_model_error *error)
{
    if (setting->value >= least && setting->value <= most) {
        return true;
    }
    return sim_refuse(error, 0, "setting %s=%.10g is not from %.10g to %.10g", setting->name,
                      setting->value, least, most);
}

/* ---- occupancies ---- */

/* Does "LEVEL" or "LEVEL.PROCESSOR" mean it? */
static bool means_load(const struct sim_model *model, const struct sim_load *load,
                       const char *meant)
{
    const char *const processor = part_behind(meant, model->level[load->level]);

    return strcmp(meant, model->level[load->level]) == 0 ||
           (processor != NULL && strcmp(processor, model->processor[load->processor]) == 0);
}

/* `meant`: NULL for all. */
static double sum_of(const struct sim_model *model, size_t processor, const char *meant)
{
    double sum = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        if (load->processor == processor && (meant == NULL || means_load(model, load, meant))) {
            sum += load->occupancy;
        }
    }
    return sum;
}

static size_t count_meant(const struct sim_model *model, size_t processor, const char *meant)
{
    size_t count = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        count += load->processor == processor && load->arrivals.kind == SIM_RENEWAL &&
                 (meant == NULL || means_load(model, load, meant));
    }
    return count;
}

/* Makes the loads that are meant of one processor add to the value: one of them has it itself,
 * several are changed by the same factor. */
static bool set_sum(struct sim_model *model, size_t processor, const char *meant,
                    const struct sim_setting *setting, struct sim_model_error *error)
{
    const double sum = sum_of(model, processor, meant);
    const size_t count = count_meant(model, processor, meant);

    if (count > 1 && sum == 0) {
        return refuse_value(setting, "the occupancies are all 0: no factor makes them more", error);
    }
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_load *const load = &model->loads[i];

        if (load->processor == processor && load->arrivals.kind == SIM_RENEWAL &&
            (meant == NULL || means_load(model, load, meant))) {
            load->occupancy =
                count == 1 ? setting->value : load->occupancy * (setting->value / sum);
            load->arrivals.interval.mean = NAN;
        }
    }
    return true;
}

/* Of each processor that has any of the loads. */
static bool set_occupancy(struct sim_model *model, const char *meant,
                          const struct sim_setting *setting, struct sim_model_error *error)
{
    size_t found = 0;

    if (!check_value(setting, 0, 1, error)) {
        return false;
    }
    for (size_t i = 0; i < model->processors; i++) {
        const size_t count = count_meant(model, i, meant);

        found += count;
        if (count > 0 && !set_sum(model, i, meant, setting, error)) {
            return false;
        }
    }
    return found > 0 || refuse_value(setting,
                                     "no load of that name has arrivals with a "
                                     "rate",
                                     error);
}

/* ---- stimuli, overheads ---- */

static bool set_work(struct sim_model *model, const char *name, const struct sim_setting *setting,
                     struct sim_model_error *error)
{
    for (size_t i = 0; i < model->stimulus_count; i++) {
        struct sim_stimulus *const stimulus = &model->stimuli[i];
        double work = 0;

        for (size_t k = 0; k < stimulus->stop_count; k++) {
            work += stimulus->stops[k].service.mean;
        }
        if (strcmp(stimulus->name, name) != 0) {
            continue;
        }
        if (work == 0) {
            return refuse_value(setting, "its lengths are all 0", error);
        }
        for (size_t k = 0; k < stimulus->stop_count; k++) {
            sim_law_scale(&stimulus->stops[k].service, setting->value / work);
        }
        return check_value(setting, SIM_NUMBER_LEAST, SIM_NUMBER_MOST, error);
    }
    return refuse_value(setting, "no stimulus has that name", error);
}

static bool set_delay(struct sim_model *model, const struct sim_setting *setting,
                      struct sim_model_error *error)
{
    if (model->stimulus_count == 0 || model->stimuli[0].arrivals.kind != SIM_CYCLE) {
        return refuse_value(setting, "the first stimulus does not cycle", error);
    }
    struct sim_arrivals *const arrivals = &model->stimuli[0].arrivals;

    sim_law_free(&arrivals->interval);
    arrivals->fixed = true;
    arrivals->interval = (struct sim_law){.kind = SIM_CONSTANT,
                                          .mean = setting->value,
                                          .low = setting->value,
                                          .high = setting->value};
    return check_value(setting, 0, SIM_NUMBER_MOST, error);
}

static bool check_count(const struct sim_setting *setting, double most,
                        struct sim_model_error *error)
{
    return check_value(setting, 1, most, error) &&
           (setting->value == floor(setting->value) ||
            refuse_value(setting, "must be a whole number", error));
}

/* The population of that name; NULL: *error is set. */
static struct sim_arrivals *find_population(struct sim_model *model, const char *name,
                                            const struct sim_setting *setting,
                                            struct sim_model_error *error)
{
    for (size_t i = 0; i < model->stimulus_count; i++) {
        struct sim_arrivals *const arrivals = &model->stimuli[i].arrivals;

        if (strcmp(model->stimuli[i].name, name) == 0 && arrivals->kind == SIM_POPULATION) {
            return arrivals;
        }
    }
    refuse_value(setting, "no stimulus of that name has a population", error);
    return NULL;
}

static bool set_population(struct sim_model *model, const char *name,
                           const struct sim_setting *setting, struct sim_model_error *error)
{
    struct sim_arrivals *const arrivals = find_population(model, name, setting, error);

    if (arrivals == NULL || !check_count(setting, SIM_POPULATION_MAX, error)) {
        return false;
    }
    arrivals->population = (size_t)setting->value;
    return true;
}

static bool set_think(struct sim_model *model, const char *name, const struct sim_setting *setting,
                      struct sim_model_error *error)
{
    struct sim_arrivals *const arrivals = find_population(model, name, setting, error);

    if (arrivals == NULL || !check_value(setting, SIM_NUMBER_LEAST, SIM_NUMBER_MOST, error)) {
        return false;
    }
    if (arrivals->interval.mean == 0) {
        return refuse_value(setting, "it does not think: the model has no law of it", error);
    }
    sim_law_scale(&arrivals->interval, setting->value / arrivals->interval.mean);
    return true;
}

static bool set_servers(struct sim_model *model, const char *name,
                        const struct sim_setting *setting, struct sim_model_error *error)
{
    for (size_t i = 0; i < model->station_count; i++) {
        if (strcmp(model->stations[i].name, name) != 0) {
            continue;
        }
        if (!check_count(setting, SIM_SERVERS_MAX, error)) {
            return false;
        }
        model->stations[i].servers = (size_t)setting->value;
        return true;
    }
    return refuse_value(setting, "no station has that name", error);
}

static bool set_overhead(struct sim_model *model, const char *name,
                         const struct sim_setting *setting, struct sim_model_error *error)
{
    double *const field = sim_overhead_field(&model->overhead, name);

    if (field == NULL) {
        return refuse_value(setting, "overheads are interrupt, switch, receive, portion, send, end",
                            error);
    }
    *field = setting->value;
    return check_value(setting, 0, SIM_NUMBER_MOST, error);
}

double *sim_overhead_field(struct sim_overhead *overhead, const char *name)
{
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        if (strcmp(sim_overhead_name(i), name) == 0) {
            return sim_overhead_part(overhead, i);
        }
    }
    return NULL;
}

/* ---- in order ---- */

bool sim_settings_begin(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        bool *has_unit, struct sim_model_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(settings[i].value)) {
            return refuse_value(&settings[i], "must be a number", error);
        }
        if (is_setting(&settings[i], "unit")) {
            if (!check_value(&settings[i], SIM_NUMBER_LEAST, SIM_NUMBER_MOST, error)) {
                return false;
            }
            model->unit_ns = settings[i].value;
            *has_unit = true;
        }
    }
    return true;
}

static bool set_passes(struct sim_model *model, const struct sim_setting *setting,
                       struct sim_model_error *error)
{
    if (!check_value(setting, 1, 0x1p53, error)) {
        return false;
    }
    if (setting->value != floor(setting->value)) {
        return refuse_value(setting, "must be a whole number", error);
    }
    if (!setting->if_missing || (model->passes == 0 && model->stimulus_count > 0)) {
        model->passes = (uint64_t)setting->value;
    }
    return true;
}

/* Settings of "PART.NAME". */
static const struct part_setting {
    const char *part;
    bool (*set)(struct sim_model *model, const char *name, const struct sim_setting *setting,
                struct sim_model_error *error);
} part_settings[] = {
    {"occupancy", set_occupancy},   {"work", set_work},   {"overhead", set_overhead},
    {"population", set_population}, {"think", set_think}, {"servers", set_servers},
};

static bool apply(struct sim_model *model, const struct sim_setting *setting,
                  struct sim_model_error *error)
{
    if (is_setting(setting, "passes")) {
        return set_passes(model, setting, error);
    }
    if (is_setting(setting, "delay")) {
        return set_delay(model, setting, error);
    }
    if (is_setting(setting, "delay.factor")) {
        model->delay_factor = setting->value;
        return check_value(setting, 0, SIM_NUMBER_MOST, error);
    }
    if (is_setting(setting, "occupancy")) {
        return set_occupancy(model, NULL, setting, error);
    }
    for (size_t i = 0; i < COUNT(part_settings); i++) {
        const char *const name = part_behind(setting->name, part_settings[i].part);

        if (name != NULL) {
            return part_settings[i].set(model, name, setting, error);
        }
    }
    return is_setting(setting, "unit") || part_behind(setting->name, "scale") != NULL ||
           refuse_value(setting,
                        "unknown setting: must be one of passes, unit (ns), delay, "
                        "delay.factor, occupancy, occupancy.LEVEL, occupancy.LEVEL.PROCESSOR, "
                        "scale.LEVEL, work.STIMULUS, overhead.NAME, population.STIMULUS, "
                        "think.STIMULUS, servers.STATION",
                        error);
}

bool sim_settings_apply(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!apply(model, &settings[i], error)) {
            return false;
        }
    }
    return true;
}

/* What was derived is now given: a change to one level leaves the arrivals of all as they are. */
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

static bool scale_level(struct sim_model *model, size_t level, const struct sim_setting *setting,
                        struct sim_model_error *error)
{
    if (!check_value(setting, SIM_NUMBER_LEAST, SIM_NUMBER_MOST, error)) {
        return false;
    }
    keep_arrivals(model);
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_load *const load = &model->loads[i];

        if (load->level == level) {
            sim_law_scale(&load->service, setting->value);
            load->occupancy *= setting->value;
        }
    }
    return true;
}

/* Of setting scale.LEVEL; SIM_NONE, with *error set: there is no such level. */
static size_t find_scaled(const struct sim_model *model, const struct sim_setting *setting,
                          const char *name, struct sim_model_error *error)
{
    for (size_t level = 0; level < model->levels; level++) {
        if (strcmp(model->level[level], name) == 0) {
            return level;
        }
    }
    refuse_value(setting, "no level has that name", error);
    return SIM_NONE;
}

bool sim_settings_finish(struct sim_model *model, const struct sim_setting *settings, size_t count,
                         const struct sim_lines *lines, struct sim_model_error *error)
{
    bool scaled = false;

    for (size_t i = 0; i < count; i++) {
        const char *const name = part_behind(settings[i].name, "scale");

        if (name == NULL) {
            continue;
        }
        const size_t level = find_scaled(model, &settings[i], name, error);

        if (level == SIM_NONE || !scale_level(model, level, &settings[i], error)) {
            return false;
        }
        scaled = true;
    }
    return !scaled || sim_model_settle(model, lines, error);
}

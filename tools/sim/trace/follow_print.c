/* SPDX-License-Identifier: BSD-2-Clause */
/* A followed pass for a terminal and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/sim/trace/follow.h"

#define STEP_DECIMALS 9 /* of SIM_FOLLOW_STEP */
#define DIGITS        5 /* of the transit, that are shown */
#define NAME_MAX_TEXT 120
#define LINE_MAX_TEXT 1000
#define SHARES_SHOWN  4
#define AT_WIDTH      12

/* ---- names ---- */

static const char *holder_text(const struct sim_model *model, const struct sim_holder *holder,
                               char text[NAME_MAX_TEXT])
{
    static const char *const nobodies[] = {[SIM_HOLDER_NONE] = "nobody",
                                           [SIM_HOLDER_INTERRUPT] = "interrupts",
                                           [SIM_HOLDER_KERNEL] = "switch and receipt",
                                           [SIM_HOLDER_STATION] = "others have all servers"};

    if (holder->kind != SIM_HOLDER_ENTITY) {
        snprintf(text, NAME_MAX_TEXT, "%s", nobodies[holder->kind]);
    } else if (holder->load != SIM_NONE) {
        snprintf(text, NAME_MAX_TEXT, "%.60s quantum %" PRIu64, model->loads[holder->load].name,
                 holder->entity);
    } else if (holder->process != SIM_NONE && holder->stimulus == SIM_NONE) {
        snprintf(text, NAME_MAX_TEXT, "%.60s", model->processes[holder->process].name);
    } else if (holder->process != SIM_NONE) {
        snprintf(text, NAME_MAX_TEXT, "%.50s for %.50s", model->processes[holder->process].name,
                 model->stimuli[holder->stimulus].name);
    } else {
        snprintf(text, NAME_MAX_TEXT, "%.60s quantum %" PRIu64,
                 model->stimuli[holder->stimulus].name, holder->entity);
    }
    return text;
}

/* "Q", a station, or of a portion at no process its level; with several processors where. */
static const char *stop_text(const struct sim_follow *follow, size_t index,
                             char text[NAME_MAX_TEXT])
{
    const struct sim_model *model = follow->model;
    const struct sim_stop *stop = &model->stimuli[follow->stimulus].stops[index];
    if (stop->station > 0) {
        snprintf(text, NAME_MAX_TEXT, "%.100s", model->stations[stop->station - 1].name);
        return text;
    }
    const char *name = stop->process != SIM_NONE ? model->processes[stop->process].name
                                                 : model->level[stop->level];
    const bool several = model->processors > 1;
    const char *where = stop->among > 0 ? "any" : model->processor[stop->processor];

    snprintf(text, NAME_MAX_TEXT, "%.50s%s%.50s", name, several ? " on " : "",
             several ? where : "");
    return text;
}

/* ---- numbers ---- */

/* So many digits behind the point that the transit shows DIGITS of them. */
static int decimals_of(const struct sim_follow *follow)
{
    const double transit = (double)follow->transit * SIM_FOLLOW_STEP;
    const double wanted = transit > 0 ? DIGITS - 1 - floor(log10(transit)) : 0;

    return wanted < 0 ? 0 : wanted > STEP_DECIMALS ? STEP_DECIMALS : (int)wanted;
}

/* Rounds the parts so that they add up to their rounded sum: those with the largest rests go up. */
static void round_parts(const int64_t parts[SIM_DELAYS], int64_t sum, int64_t step,
                        int64_t rounded[SIM_DELAYS])
{
    int64_t left = (sum + step / 2) / step;

    for (size_t i = 0; i < SIM_DELAYS; i++) {
        rounded[i] = parts[i] / step;
        left -= rounded[i];
    }
    while (left-- > 0) {
        size_t most = 0;

        for (size_t i = 1; i < SIM_DELAYS; i++) {
            if (parts[i] - rounded[i] * step > parts[most] - rounded[most] * step) {
                most = i;
            }
        }
        rounded[most]++;
    }
}

static double units(int64_t steps)
{
    return (double)steps * SIM_FOLLOW_STEP;
}

/* ---- steps ---- */

struct line {
    char text[LINE_MAX_TEXT];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int written =
        vsnprintf(line->text + line->length, sizeof(line->text) - line->length, format, arguments);

    va_end(arguments);
    line->length += written > 0 ? (size_t)written : 0;
    line->length = line->length < sizeof(line->text) ? line->length : sizeof(line->text) - 1;
}

/* Who had the processor: each for how long, where there were several. */
static void put_shares(struct line *line, const struct sim_model *model,
                       const struct sim_step *step, int decimals)
{
    char name[NAME_MAX_TEXT];
    int64_t rest = step->length;

    for (size_t i = 0; i < step->share_count && i < SHARES_SHOWN; i++) {
        put(line, "%s %s", i == 0 ? ":" : ",", holder_text(model, &step->shares[i].who, name));
        if (step->share_count > 1) {
            put(line, " %.*f", decimals, units(step->shares[i].time));
        }
        rest -= step->shares[i].time;
    }
    if (step->share_count > SHARES_SHOWN) {
        put(line, ", %zu others %.*f", step->share_count - SHARES_SHOWN, decimals, units(rest));
    }
}

static void put_number(struct line *line, size_t count, const char *one, const char *more)
{
    put(line, "%zu %s", count, count == 1 ? one : more);
}

static void put_ready(struct line *line, const struct sim_follow *follow,
                      const struct sim_step *step)
{
    const struct sim_model *model = follow->model;
    const struct sim_stop *stop = &model->stimuli[follow->stimulus].stops[step->stop];
    char place[NAME_MAX_TEXT];

    if (step->is_waiting) {
        put(line, "in the queue of %s, which waits for another one",
            stop_text(follow, step->stop, place));
    } else if (step->messages > 0) {
        put(line, "in the queue of %s behind ", stop_text(follow, step->stop, place));
        put_number(line, step->messages, "message", "messages");
    } else if (stop->process != SIM_NONE && step->is_seated) {
        put(line, "in the queue of %s, which is in line", stop_text(follow, step->stop, place));
    } else if (stop->process != SIM_NONE) {
        put(line, "%s gets in line at %s behind ", stop_text(follow, step->stop, place),
            model->level[stop->level]);
        put_number(line, step->ahead, "other", "others");
    } else {
        put(line, "in line at %s behind ", stop_text(follow, step->stop, place));
        put_number(line, step->ahead, "other", "others");
    }
}

static void put_step(struct line *line, const struct sim_follow *follow,
                     const struct sim_step *step, int decimals)
{
    const struct sim_model *model = follow->model;
    char name[NAME_MAX_TEXT];

    switch (step->kind) {
    case SIM_STEP_ARRIVES:
        put(line, "arrives for %s", stop_text(follow, step->stop, name));
        break;
    case SIM_STEP_READY:
        put_ready(line, follow, step);
        break;
    case SIM_STEP_BEGINS:
    case SIM_STEP_RESUMES:
        put(line, step->kind == SIM_STEP_BEGINS ? "begins" : "goes on");
        if (step->length == 0) {
            put(line, " at once");
        } else {
            put(line, " after %.*f", decimals, units(step->length));
            put_shares(line, model, step, decimals);
        }
        break;
    case SIM_STEP_PREEMPTED:
        put(line, "preempted by %s", holder_text(model, &step->by, name));
        break;
    case SIM_STEP_ENDS:
        put(line, "ends at %s: work %.*f", stop_text(follow, step->stop, name), decimals,
            units(step->length));
        break;
    case SIM_STEP_SENT:
        put(line, "sent to %s", stop_text(follow, step->stop, name));
        break;
    case SIM_STEP_RESPONSE:
        put(line, "response");
        break;
    }
}

/* ---- the account ---- */

static bool has_process(const struct sim_follow *follow)
{
    const struct sim_stimulus *stimulus = &follow->model->stimuli[follow->stimulus];

    for (size_t i = 1; i < stimulus->stop_count; i++) {
        if (stimulus->stops[i].process != SIM_NONE) {
            return true;
        }
    }
    return false;
}

/* Is there such a thing in the model at all? */
static bool can_be(const struct sim_follow *follow, enum sim_delay delay)
{
    const struct sim_model *model = follow->model;
    const struct sim_overhead *overhead = &model->overhead;

    switch (delay) {
    case SIM_DELAY_PROCESSOR:
        return model->stimuli[follow->stimulus].stop_count > 1;
    case SIM_DELAY_QUEUE:
        return has_process(follow);
    case SIM_DELAY_STATION:
        return model->station_count > 0;
    case SIM_DELAY_TRANSMISSION:
        return model->processors > 1;
    case SIM_DELAY_KERNEL:
        return sim_overhead_any(overhead);
    case SIM_DELAY_INTERRUPTS:
        return overhead->interrupt > 0;
    default:
        return true;
    }
}

static const char *const delay_words[SIM_DELAYS] = {
    [SIM_DELAY_WORK] = "work",
    [SIM_DELAY_PREEMPTED] = "1  preempted while it was served",
    [SIM_DELAY_PROCESSOR] = "2a sent on: the receiver waits for the processor",
    [SIM_DELAY_QUEUE] = "2b sent on: the receiver has others to serve",
    [SIM_DELAY_FIRST] = "3  on arrival: waits its turn",
    [SIM_DELAY_STATION] = "at stations: all servers have others",
    [SIM_DELAY_TRANSMISSION] = "transmission",
    [SIM_DELAY_KERNEL] = "switches and messages",
    [SIM_DELAY_INTERRUPTS] = "interrupts",
};

static void print_account(FILE *out, const struct sim_follow *follow, int decimals)
{
    const int64_t step = llround(pow(10, STEP_DECIMALS - decimals));
    const char *const heads[] = {"where the time went", "units", "percent", NULL};
    int64_t rounded[SIM_DELAYS];
    struct table table;
    int64_t sum = 0;

    round_parts(follow->delay, follow->transit, step, rounded);
    table_head(&table, "lrr", heads);
    for (size_t i = 0; i < SIM_DELAYS; i++) {
        if (!can_be(follow, i)) {
            continue;
        }
        table_row(&table);
        table_text(&table, delay_words[i]);
        table_format(&table, "%.*f", decimals, units(rounded[i] * step));
        table_format(&table, "%.1f", 100.0 * (double)follow->delay[i] / (double)follow->transit);
        sum += rounded[i];
    }
    table_row(&table);
    table_text(&table, "transit");
    table_format(&table, "%.*f", decimals, units(sum * step));
    table_text(&table, "100.0");
    table_print(&table, out, 0);
}

void sim_follow_print(FILE *out, const struct sim_follow *follow)
{
    const struct sim_model *model = follow->model;
    const int decimals = decimals_of(follow);
    char unit[DURATION_MAX];

    fprintf(out, "%s, pass %" PRIu64 ": arrives at %.*f; times in units of %s since then\n\n",
            model->stimuli[follow->stimulus].name, follow->pass, decimals, follow->arrival,
            duration_text(model->unit_ns, unit));
    for (size_t i = 0; i < follow->step_count; i++) {
        struct line line = {.length = 0};

        put_step(&line, follow, &follow->steps[i], decimals);
        fprintf(out, "%*.*f  ", AT_WIDTH, decimals, units(follow->steps[i].at));
        print_wrapped(out, line.text, AT_WIDTH + 2, AT_WIDTH + 4);
    }
    fputc('\n', out);
    print_account(out, follow, decimals);
}

/* ---- JSON ---- */

static void json_holder(struct json *json, const struct sim_model *model,
                        const struct sim_holder *holder)
{
    char name[NAME_MAX_TEXT];

    json_text(json, "who", holder_text(model, holder, name));
    if (holder->kind == SIM_HOLDER_ENTITY) {
        json_unsigned(json, "entity", holder->entity);
    }
}

static void json_step(struct json *json, const struct sim_follow *follow,
                      const struct sim_step *step)
{
    static const char *const kinds[] = {
        [SIM_STEP_ARRIVES] = "arrives", [SIM_STEP_READY] = "ready",
        [SIM_STEP_BEGINS] = "begins",   [SIM_STEP_PREEMPTED] = "preempted",
        [SIM_STEP_RESUMES] = "resumes", [SIM_STEP_ENDS] = "ends",
        [SIM_STEP_SENT] = "sent",       [SIM_STEP_RESPONSE] = "response",
    };
    char place[NAME_MAX_TEXT];

    json_object(json, NULL);
    json_number(json, "at", units(step->at), STEP_DECIMALS);
    json_text(json, "what", kinds[step->kind]);
    json_unsigned(json, "stop", step->stop);
    json_text(json, "place", stop_text(follow, step->stop, place));
    if (step->kind == SIM_STEP_READY) {
        json_unsigned(json, "others_ahead", step->ahead);
        json_unsigned(json, "messages_ahead", step->messages);
    } else if (step->kind == SIM_STEP_PREEMPTED) {
        json_holder(json, follow->model, &step->by);
    } else if (step->kind == SIM_STEP_ENDS) {
        json_number(json, "work", units(step->length), STEP_DECIMALS);
    } else if (step->kind == SIM_STEP_BEGINS || step->kind == SIM_STEP_RESUMES) {
        json_number(json, "after", units(step->length), STEP_DECIMALS);
        json_array(json, "meanwhile");
        for (size_t i = 0; i < step->share_count; i++) {
            json_object(json, NULL);
            json_holder(json, follow->model, &step->shares[i].who);
            json_number(json, "time", units(step->shares[i].time), STEP_DECIMALS);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

void sim_follow_json(struct json *json, const struct sim_follow *follow)
{
    json_text(json, "stimulus", follow->model->stimuli[follow->stimulus].name);
    json_unsigned(json, "pass", follow->pass);
    json_number(json, "unit_ns", follow->model->unit_ns, 3);
    json_number(json, "arrival", follow->arrival, STEP_DECIMALS);
    json_array(json, "steps");
    for (size_t i = 0; i < follow->step_count; i++) {
        json_step(json, follow, &follow->steps[i]);
    }
    json_close(json);
    json_object(json, "account");
    for (size_t i = 0; i < SIM_DELAYS; i++) {
        if (can_be(follow, i)) {
            json_number(json, sim_delay_name(i), units(follow->delay[i]), STEP_DECIMALS);
        }
    }
    json_close(json);
    json_number(json, "transit", units(follow->transit), STEP_DECIMALS);
}

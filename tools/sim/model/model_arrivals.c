/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/model_arrivals.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool sim_given_twice(struct sim_reader *reader, const char *what)
{
    return sim_reader_fail(reader, "%s is given twice", what);
}

static const char *const amounts[] = {"rate", "interval", "occupancy", "total"};

void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind)
{
    clauses->arrivals.kind = SIM_RENEWAL;
    clauses->arrivals.interval = (struct sim_law){.kind = kind, .mean = NAN};
    clauses->needs_amount = true;
}

static bool read_times(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    struct sim_list list;

    if (!sim_read_list(reader, &list)) {
        return false;
    }
    free(list.source);
    arrivals->kind = SIM_TRACE;
    arrivals->times = list.values;
    arrivals->count = list.count;
    for (size_t i = 1; i < list.count; i++) {
        if (list.values[i] < list.values[i - 1]) {
            return sim_reader_fail(reader, "time %zu of %zu, %.10g, is before the one ahead of it",
                                   i + 1, list.count, list.values[i]);
        }
    }
    return true;
}

/* Of every arrival there must be a later one. */
static bool read_interval_law(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    arrivals->kind = SIM_RENEWAL;
    if (!sim_read_law(reader, &arrivals->interval)) {
        return false;
    }
    return arrivals->interval.mean > 0 ||
           sim_reader_fail(reader, "the mean interval of arrivals is not above 0");
}

static bool read_every(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    double interval;

    if (!sim_read_number(reader, "an interval", &interval)) {
        return false;
    }
    arrivals->kind = SIM_RENEWAL;
    arrivals->interval =
        (struct sim_law){.kind = SIM_CONSTANT, .mean = interval, .low = interval, .high = interval};
    return interval > 0 || sim_reader_fail(reader, "the interval %.10g is not above 0", interval);
}

static bool read_arrivals(struct sim_reader *reader, struct sim_clauses *clauses)
{
    static const char *const known[] = {"poisson", "uniform", "every", "trace", "by"};

    if (clauses->has_kind) {
        return sim_given_twice(reader, "how it arrives");
    }
    clauses->has_kind = true;
    clauses->arrivals.fixed = true;
    switch (sim_read_keyword(reader, "kind of arrivals", known, COUNT(known))) {
    case 0:
        sim_clauses_kind(clauses, SIM_EXPONENTIAL);
        return true;
    case 1:
        sim_clauses_kind(clauses, SIM_UNIFORM);
        return true;
    case 2:
        return read_every(reader, &clauses->arrivals);
    case 3:
        return read_times(reader, &clauses->arrivals);
    case 4:
        return read_interval_law(reader, &clauses->arrivals);
    default:
        return false;
    }
}

static bool read_amount(struct sim_reader *reader, struct sim_clauses *clauses,
                        enum sim_amount amount)
{
    if (clauses->has_amount) {
        return sim_given_twice(reader, "how often it arrives");
    }
    clauses->has_amount = true;
    clauses->amount = amount;
    if (amount == SIM_BY_OCCUPANCY || amount == SIM_BY_TOTAL) {
        return sim_read_part(reader, "an occupancy", &clauses->value);
    }
    return sim_read_number(reader, amounts[amount], &clauses->value) &&
           (clauses->value > 0 || sim_reader_fail(reader, "the %s %.10g is not above 0",
                                                  amounts[amount], clauses->value));
}

bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses, bool *found)
{
    *found = true;
    if (sim_accept(reader, "arrivals")) {
        return read_arrivals(reader, clauses);
    }
    for (enum sim_amount i = SIM_BY_RATE; i < SIM_AMOUNTS; i++) {
        if (sim_accept(reader, amounts[i])) {
            return read_amount(reader, clauses, i);
        }
    }
    *found = false;
    return false;
}

bool sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name)
{
    if (clauses->needs_amount && !clauses->has_amount) {
        return sim_reader_fail(reader,
                               "how often \"%s\" arrives is missing: give rate, interval, "
                               "or of a load occupancy or total",
                               name);
    }
    if (!clauses->needs_amount && clauses->has_amount) {
        return sim_reader_fail(reader, "the arrivals of \"%s\" already set how often they are",
                               name);
    }
    if (clauses->has_amount && clauses->amount <= SIM_BY_INTERVAL) {
        struct sim_arrivals *const arrivals = &clauses->arrivals;

        sim_arrivals_of(arrivals,
                        arrivals->interval.kind == SIM_UNIFORM ? SIM_UNIFORM_ARRIVALS
                                                               : SIM_POISSON_ARRIVALS,
                        clauses->amount == SIM_BY_RATE ? 1 / clauses->value : clauses->value);
    }
    return true;
}

void sim_clauses_free(struct sim_clauses *clauses)
{
    sim_law_free(&clauses->arrivals.interval);
    free(clauses->arrivals.times);
}

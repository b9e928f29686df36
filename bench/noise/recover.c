/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/recover.h"

#include <stdio.h>

#include "kernel/cpu/scale.h"
#include "kernel/run/worst.h"

#define PPM     1000000
#define PERCENT 100

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* The current sample of a walk over all samples, and the interrupts that begin in it. */
struct place {
    int64_t end;
    size_t first; /* index of the first span in it */
    size_t count;
    size_t early; /* index of the first early interrupt after it */
    bool excused;
};

static void walk_to(const struct recover_input *input, size_t sample, struct place *place)
{
    const size_t early = place->early;

    place->end += input->lengths[sample];
    place->first += place->count;
    place->count = 0;
    while (place->first + place->count < input->count &&
           input->spans[place->first + place->count].entry < place->end) {
        place->count++;
    }
    while (place->early < input->early_count && input->early[place->early] < place->end) {
        place->early++;
    }
    place->excused = place->early > early;
}

/* Finds the median and the least of the samples that hold no interrupt. */
static void find_floor(const struct recover_input *input, struct recovery *recovery)
{
    struct place place = {0};
    struct spread spread;
    size_t quiet = 0;

    for (size_t i = 0; i < input->samples; i++) {
        walk_to(input, i, &place);
        if (place.count == 0 && !place.excused) {
            input->quiet[quiet++] = input->lengths[i];
        }
    }
    recovery->floor = input->floor;
    recovery->floor_least = input->floor;
    if (quiet > 0) {
        spread_of(input->quiet, quiet, &spread);
        recovery->floor = spread.median;
        recovery->floor_least = spread.min;
    }
}

/* Converts work of `asked` ticks at the calibrated speed to ticks at the speed of samples of length
 * `floor`. */
static int64_t at_speed(const struct recover_input *input, int64_t asked, int64_t floor)
{
    return (int64_t)scale_u64((uint64_t)asked, (uint64_t)floor, (uint64_t)input->floor);
}

static void judge_asked(const struct recover_input *input, const struct recover_limits *limits,
                        size_t index, struct recovery *recovery)
{
    const struct recover_span *span = &input->spans[index];

    if (span->asked < 0) {
        return;
    }
    const int64_t fast = at_speed(input, span->asked, recovery->floor_least);
    const int64_t usual = at_speed(input, span->asked, recovery->floor);
    const int64_t part = (int64_t)scale_u64((uint64_t)usual, (uint64_t)limits->asked_ppm, PPM);

    recovery->asked++;
    recovery->asked_long += span->length > usual + part + limits->asked ? 1 : 0;
    if (span->length < fast - part - limits->asked) {
        if (recovery->asked_short++ == 0) {
            recovery->first_asked_short = index;
        }
    }
}

static void judge_group(const struct recover_input *input, const struct recover_limits *limits,
                        size_t sample, const struct place *place, struct recovery *recovery)
{
    struct recover_group *group = &input->group[recovery->groups++];
    int64_t sections = 0;

    for (size_t i = place->first; i < place->first + place->count; i++) {
        sections += input->spans[i].length;
        judge_asked(input, limits, i, recovery);
    }
    const int64_t count = (int64_t)place->count;
    const int64_t beside = count * limits->outside;
    const int64_t error = input->lengths[sample] - recovery->floor - sections - beside;
    const int64_t allowed = recovery->floor_least * limits->percent / PERCENT;

    *group = (struct recover_group){place->count, error, limits->sample + count * limits->each};
    recovery->within += magnitude(error) <= group->tolerance ? 1 : 0;
    recovery->shorter +=
        error + recovery->floor - recovery->floor_least < -group->tolerance - allowed ? 1 : 0;
    recovery->injected += sections;
    recovery->recovered += sections + error;
    if (magnitude(error) > magnitude(recovery->largest_error)) {
        recovery->largest_error = error;
    }
}

static void judge_quiet(const struct recover_input *input, const struct recover_limits *limits,
                        size_t sample, struct recovery *recovery)
{
    const int64_t beyond = input->lengths[sample] - recovery->floor;

    if (beyond > limits->sample) {
        recovery->spurious++;
        recovery->spurious_ticks += beyond;
    }
}

void recover_judge(const struct recover_input *input, const struct recover_limits *limits,
                   struct recovery *recovery)
{
    struct place place = {0};

    *recovery = (struct recovery){0};
    find_floor(input, recovery);
    for (size_t i = 0; i < input->samples; i++) {
        walk_to(input, i, &place);
        if (place.count > 0 && !place.excused) {
            judge_group(input, limits, i, &place, recovery);
        } else if (place.count == 0 && !place.excused) {
            judge_quiet(input, limits, i, recovery);
        }
    }
    recovery->unseen = input->count - place.first - place.count;
}

/* Checks what is a failure in every time base: work or groups that are too short. */
static bool is_shorter(const struct recovery *recovery, char reason[RECOVER_REASON_MAX])
{
    if (recovery->asked_short > 0) {
        snprintf(reason, RECOVER_REASON_MAX,
                 "%zu of %zu events did less work than requested, the first of them event %zu",
                 recovery->asked_short, recovery->asked, recovery->first_asked_short);
    } else if (recovery->shorter > 0) {
        snprintf(
            reason, RECOVER_REASON_MAX,
            "%zu of %zu samples are shorter than the interrupts in them: largest error %ld ticks",
            recovery->shorter, recovery->groups, recovery->largest_error);
    } else {
        return false;
    }
    return true;
}

/* Checks whether more than `part` halves (0 or 1) of the groups or of the pieces of work are
 * outside their limits. */
static bool is_off(const struct recovery *recovery, size_t part, char reason[RECOVER_REASON_MAX])
{
    const size_t off = recovery->groups - recovery->within;

    if (2 * off > part * recovery->groups) {
        snprintf(
            reason, RECOVER_REASON_MAX,
            "%zu of %zu groups of interrupts are outside their tolerances: largest error %ld ticks",
            off, recovery->groups, recovery->largest_error);
    } else if (2 * recovery->asked_long > part * recovery->asked) {
        snprintf(reason, RECOVER_REASON_MAX, "%zu of %zu events did more work than requested",
                 recovery->asked_long, recovery->asked);
    } else {
        return false;
    }
    return true;
}

bool recover_holds(const struct recovery *recovery, const struct recover_limits *limits,
                   char reason[RECOVER_REASON_MAX])
{
    reason[0] = '\0';
    if (is_shorter(recovery, reason)) {
        return false;
    }
    if (!limits->exact) {
        return limits->stolen || !is_off(recovery, 1, reason);
    }
    if (recovery->spurious > 0) {
        snprintf(reason, RECOVER_REASON_MAX,
                 "%zu samples without an interrupt are too long: something else took the processor",
                 recovery->spurious);
        return false;
    }
    if (recovery->unseen > 0) {
        snprintf(reason, RECOVER_REASON_MAX, "%zu interrupts came after the last sample",
                 recovery->unseen);
        return false;
    }
    return !is_off(recovery, 0, reason);
}

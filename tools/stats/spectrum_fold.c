/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/spectrum_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define FOLD_MIN       4
#define FOLD_MAX       256
#define FOLD_SAMPLE    4         /* parts of a sample that a part of the fold may be as short as */
#define FOLD_STRETCHES 32        /* in a part, on average */
#define FOLD_CUT       16        /* one of so many pulses may be greater than what it counts as */
#define PULSE_EDGE     0.4       /* of its height: what is above belongs to a pulse */
#define HALVES_MIN     (1.0 / 3) /* one half of a component has at least as much of the other */

void spectrum_sort(struct spectrum_noise *noise)
{
    noise->sorted = alloc_zeroed((noise->n + 1) * sizeof(*noise->sorted));
    for (size_t i = 0; i < noise->n; i++) {
        if (noise->stretches[i].stolen > 0) {
            noise->sorted[noise->sorted_count++] = -noise->stretches[i].stolen;
        }
    }
    sort_reals(noise->sorted, noise->sorted_count);
    for (size_t i = 0; i < noise->sorted_count; i++) {
        noise->sorted[i] = -noise->sorted[i];
    }
}

double spectrum_cut(const struct spectrum_noise *noise, size_t rank)
{
    return noise->sorted[rank < noise->sorted_count ? rank : noise->sorted_count - 1];
}

struct fold {
    double stolen[FOLD_MAX];
    double watched[FOLD_MAX]; /* time that could have been stolen */
    size_t count;
};

/* By its middle: where in a sample its time was stolen is not known. */
static double turns_of(const struct spectrum_stretch *stretch, double period)
{
    return (stretch->begin + stretch->end) / 2 / period;
}

static size_t part_of(const struct spectrum_stretch *stretch, double period, size_t count)
{
    const double turns = turns_of(stretch, period);
    const size_t part = (size_t)((turns - floor(turns)) * (double)count);

    return part < count ? part : count - 1;
}

/* Periods of even number into one, those of odd number into the other. */
static void fold_by(struct fold folds[2], const struct spectrum_noise *noise, double period,
                    double cut)
{
    const double length = noise->elapsed / (double)noise->n;
    const double wanted = fmin(noise->contiguous ? FOLD_SAMPLE * period / length : FOLD_MAX,
                               (double)noise->n / FOLD_STRETCHES);
    const size_t count = (size_t)fmin(fmax(wanted, FOLD_MIN), FOLD_MAX);

    memset(folds, 0, 2 * sizeof(*folds));
    folds[0].count = folds[1].count = count;
    for (size_t i = 0; i < noise->n; i++) {
        const struct spectrum_stretch *stretch = &noise->stretches[i];
        struct fold *fold = &folds[(size_t)turns_of(stretch, period) % 2];
        const size_t part = part_of(stretch, period, count);

        fold->stolen[part] += fmin(stretch->stolen, cut);
        fold->watched[part] += stretch->end - stretch->begin;
    }
    for (size_t i = 0; i < count && !noise->contiguous; i++) {
        folds[0].watched[i] = folds[1].watched[i] = noise->elapsed / (double)count / 2;
    }
}

static double fold_rate(const struct fold *fold, size_t part)
{
    return fold->watched[part] > 0 ? fold->stolen[part] / fold->watched[part] : 0;
}

/* The pulses: parts that are above the rest by some of the height of the greatest, and their feet,
 * the parts next to them. */
static void find_pulses(const struct fold *fold, bool pulses[FOLD_MAX])
{
    double sorted[FOLD_MAX] = {0};
    const size_t count = fold->count;

    for (size_t i = 0; i < count; i++) {
        sorted[i] = fold_rate(fold, i);
    }
    sort_reals(sorted, count);
    const double low = sorted[count / 4];
    const double edge = low + (sorted[count - 1] - low) * PULSE_EDGE;

    memset(pulses, 0, FOLD_MAX * sizeof(*pulses));
    for (size_t i = 0; i < count; i++) {
        if (fold_rate(fold, i) > edge) {
            pulses[i] = pulses[(i + 1) % count] = pulses[(i + count - 1) % count] = true;
        }
    }
}

/* What lies in `pulses` beyond what lies elsewhere, the rate of which is *rest. */
static double beyond(const struct fold *fold, const bool pulses[FOLD_MAX], double *rest)
{
    double stolen[2] = {0, 0};
    double watched[2] = {0, 0};

    for (size_t i = 0; i < fold->count; i++) {
        stolen[pulses[i]] += fold->stolen[i];
        watched[pulses[i]] += fold->watched[i];
    }
    *rest = watched[0] > 0 ? stolen[0] / watched[0] : 0;
    return stolen[1] - *rest * watched[1];
}

/* Takes a component out: of each stretch within a pulse the part that is beyond what lies
 * elsewhere.
 */
static void take_out(struct spectrum_noise *noise, double period, const struct fold folds[2],
                     const bool pulses[FOLD_MAX], double beyond_rate)
{
    const size_t count = folds[0].count;

    for (size_t i = 0; i < noise->n; i++) {
        struct spectrum_stretch *stretch = &noise->stretches[i];
        const size_t part = part_of(stretch, period, count);
        const double stolen = folds[0].stolen[part] + folds[1].stolen[part];
        const double watched = folds[0].watched[part] + folds[1].watched[part];

        if (pulses[part] && stolen > 0) {
            stretch->stolen *= fmin(beyond_rate * watched / stolen, 1);
        }
    }
}

/* Where the pulses are is found in one half of the periods, and what they hold in the other: in one
 * and the same half chance alone would make some. They are found with long amounts cut, though
 * never below the median of as many as there are periods. */
double spectrum_take_share(struct spectrum_noise *noise, double period, double all)
{
    struct fold folds[2];
    bool pulses[2][FOLD_MAX];
    const size_t periods = (size_t)(noise->elapsed / period);
    const size_t part = noise->sorted_count / SPECTRUM_CUT_PARTS;
    const size_t rank = periods / 2 < part ? periods / 2 : part;
    double share[2];
    double rest[2];

    fold_by(folds, noise, period, spectrum_cut(noise, rank));
    for (size_t half = 0; half < 2; half++) {
        find_pulses(&folds[half], pulses[half]);
    }
    fold_by(folds, noise, period, spectrum_cut(noise, periods / FOLD_CUT));
    for (size_t half = 0; half < 2; half++) {
        share[half] = beyond(&folds[1 - half], pulses[half], &rest[half]) / all;
    }
    const double least = fmin(share[0], share[1]);
    const double most = fmax(share[0], share[1]);

    if (least + most < SPECTRUM_SHARE_MIN || least < HALVES_MIN * most) {
        return 0;
    }
    for (size_t i = 0; i < folds[0].count; i++) {
        pulses[0][i] = pulses[0][i] || pulses[1][i];
    }
    take_out(noise, period, folds, pulses[0], (rest[0] + rest[1]) / 2);
    return fmin(least + most, 1);
}

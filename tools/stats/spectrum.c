/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/spectrum.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* the largest 1 / CUT_PARTS of the amounts is clipped in the search for lines and pulses */
#define CUT_PARTS      16
#define FOLD_MIN       4
#define FOLD_MAX       256
#define FOLD_SAMPLE    4  /* a part of a fold is at least 1 / FOLD_SAMPLE of a sample long */
#define FOLD_STRETCHES 32 /* least number of intervals in a part, on average */
/* one in this many pulses may exceed the clip level of the share */
#define FOLD_CUT 16
/* what exceeds this fraction of the highest part's height belongs to a pulse */
#define PULSE_EDGE 0.4
/* the smaller half of a component is at least this fraction of the larger one */
#define HALVES_MIN (1.0 / 3)
#define TWO_PI     (2 * M_PI)

/*
 * The share of a period in noise, found in time. All intervals are folded by the period; the time
 * lost in its pulses that exceeds the rate outside them belongs to the period. Periods are removed
 * one after the other.
 */

struct noise {
    struct spectrum_stretch *stretches;
    size_t n;
    double elapsed;
    bool contiguous;
    double *sorted; /* the nonzero lost times, largest first; must be freed */
    size_t sorted_count;
};

/* Fills sorted[] from the stretches. */
static void sort_stolen(struct noise *noise)
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

/* Returns the amount with this rank, from 0: the largest that is not clipped. */
static double cut_of(const struct noise *noise, size_t rank)
{
    return noise->sorted[rank < noise->sorted_count ? rank : noise->sorted_count - 1];
}

struct fold {
    double stolen[FOLD_MAX];
    double watched[FOLD_MAX]; /* time that could have been lost */
    size_t count;
};

/* Returns the position of the interval's middle, in periods. The middle is used because it is
 * unknown where in a sample its time was lost. */
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

/* Folds periods of even number into one fold, those of odd number into the other. */
static void fold_by(struct fold folds[2], const struct noise *noise, double period, double cut)
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

/* Finds the pulses: the parts that exceed the background by a fraction of the greatest height, and
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

/* Returns the time lost in `pulses` that exceeds the rate outside them, and stores that rate in
 * *rest. */
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

/* Removes a component: scales the lost time of each interval within a pulse down to the background
 * rate. */
static void take_out(struct noise *noise, double period, const struct fold folds[2],
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

/* Returns the share of a period in `all`, 0 to 1, and removes it from the intervals. Returns 0 and
 * removes nothing if the share is below SPECTRUM_SHARE_MIN or not found in both halves of the
 * periods. */
/* The pulses are located in one half of the periods and measured in the other, because within the
 * same half chance alone would produce some. To locate them, long amounts are clipped, but never
 * below the median of as many amounts as there are periods. */
static double take_share(struct noise *noise, double period, double all)
{
    struct fold folds[2];
    bool pulses[2][FOLD_MAX];
    const size_t periods = (size_t)(noise->elapsed / period);
    const size_t part = noise->sorted_count / CUT_PARTS;
    const size_t rank = periods / 2 < part ? periods / 2 : part;
    double share[2];
    double rest[2];

    fold_by(folds, noise, period, cut_of(noise, rank));
    for (size_t half = 0; half < 2; half++) {
        find_pulses(&folds[half], pulses[half]);
    }
    fold_by(folds, noise, period, cut_of(noise, periods / FOLD_CUT));
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

#define COLUMNS_A_SAMPLE 4
#define SAMPLES_MAX      (SPECTRUM_COLUMNS_MAX / COLUMNS_A_SAMPLE)
/* number of columns for gaps, which are short, so that the time of each loss is known well */
#define GAP_COLUMNS (1u << 15)

/* number of adjacent ordinates for which one noise level is estimated, from them and from one block
 * on each side */
#define LEVEL_BLOCK 64
/* nearest ordinate that counts as neighbourhood of a line; closer ones are widened by the window */
#define NEAR_FROM       4
#define NEAR_TO         16 /* farthest ordinate that counts as neighbourhood of a line */
#define LINE_HALF_WIDTH 3
#define SKIRT_MAX       16 /* ordinates from a line that belong to it if they exceed the limit */
#define LINES_MAX       64 /* largest number of lines looked at */
/* highest multiple of the sample rate that is considered: at higher ones, power is too low to
 * matter */
#define ALIASES   32
#define ALIAS_MIN 0.1 /* fraction of the limit: anything lower does not stand out */

#define SUBMULTIPLE_MAX 32
/* least power of a multiple that counts, as a fraction of the line's power */
#define SUBMULTIPLE_MIN 0.02
#define STANDS_OUT      4 /* least power of a multiple that counts, as a multiple of the level */
/* more than this fraction of the multiples of a fundamental must stand out */
#define MULTIPLES        0.6
#define STANDING_OUT_MIN 3
#define MULTIPLES_MIN    10

#define SAME_PERIOD   0.002
#define REFINE_STEPS  8
#define REFINE_ROUNDS 6

/* ---- transform ---- */

static void reverse_bits(double *real, double *imaginary, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;

        for (; (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            const double r = real[i];
            const double m = imaginary[i];

            real[i] = real[j];
            imaginary[i] = imaginary[j];
            real[j] = r;
            imaginary[j] = m;
        }
    }
}

void spectrum_transform(double *real, double *imaginary, size_t n)
{
    reverse_bits(real, imaginary, n);
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            const double c = cos(M_PI * (double)k / (double)half);
            const double s = -sin(M_PI * (double)k / (double)half);

            for (size_t i = k; i < n; i += 2 * half) {
                const size_t j = i + half;
                const double r = real[j] * c - imaginary[j] * s;
                const double m = real[j] * s + imaginary[j] * c;

                real[j] = real[i] - r;
                imaginary[j] = imaginary[i] - m;
                real[i] += r;
                imaginary[i] += m;
            }
        }
    }
}

/* ---- columns of equal width ---- */

static void spread(double *columns, size_t count, double width,
                   const struct spectrum_stretch *stretch, double stolen)
{
    const double length = stretch->end - stretch->begin;
    size_t column = (size_t)(stretch->begin / width);

    if (column >= count) {
        return;
    }
    if (length <= 0) {
        columns[column] += stolen;
        return;
    }
    for (; column < count && (double)column * width < stretch->end; column++) {
        const double from = fmax(stretch->begin, (double)column * width);
        const double to = fmin(stretch->end, (double)(column + 1) * width);

        columns[column] += to > from ? stolen * (to - from) / length : 0;
    }
}

static void fill_columns(double *columns, size_t count, const struct noise *noise, double cut)
{
    memset(columns, 0, count * sizeof(*columns));
    for (size_t i = 0; i < noise->n; i++) {
        const struct spectrum_stretch *stretch = &noise->stretches[i];

        spread(columns, count, noise->elapsed / (double)count, stretch, fmin(stretch->stolen, cut));
    }
}

/* Returns the number of columns. Samples, which have one amount each, already alias components near
 * their rate; the columns are narrow enough to add no aliases. */
static size_t columns_for(const struct noise *noise)
{
    size_t columns = SPECTRUM_COLUMNS_MIN;

    if (!noise->contiguous) {
        return GAP_COLUMNS;
    }
    while (columns < noise->n * COLUMNS_A_SAMPLE && columns < SPECTRUM_COLUMNS_MAX) {
        columns *= 2;
    }
    return columns;
}

static double mean_of(const double *columns, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += columns[i];
    }
    return sum / (double)n;
}

/* Fills power[]. Returns false if nothing varies. */
static bool find_power(struct spectrum *spectrum, const double *columns)
{
    const size_t n = spectrum->columns;
    double *real = alloc_zeroed(n * sizeof(*real));
    double *imaginary = alloc_zeroed(n * sizeof(*imaginary));
    const double mean = mean_of(columns, n);
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const double window = 0.5 - 0.5 * cos(TWO_PI * (double)i / (double)n);

        real[i] = (columns[i] - mean) * window;
    }
    spectrum_transform(real, imaginary, n);
    for (size_t i = 0; i < spectrum->count; i++) {
        spectrum->power[i] = real[i + 1] * real[i + 1] + imaginary[i + 1] * imaginary[i + 1];
        sum += spectrum->power[i];
    }
    for (size_t i = 0; i < spectrum->count && sum > 0; i++) {
        spectrum->power[i] /= sum;
    }
    free(real);
    free(imaginary);
    return sum > 0;
}

/* ---- the level of noise ---- */

/* Returns the mean of the exponential distribution that has the median of these values. */
static double level_of(double *values, size_t n)
{
    sort_reals(values, n);
    return values[n / 2] / M_LN2;
}

static double threshold(const struct spectrum *spectrum)
{
    return log((double)spectrum->count / SPECTRUM_ALPHA);
}

static void find_limits(struct spectrum *spectrum)
{
    double values[3 * LEVEL_BLOCK];

    for (size_t block = 0; block < spectrum->count; block += LEVEL_BLOCK) {
        const size_t wanted = block >= LEVEL_BLOCK ? block - LEVEL_BLOCK : 0;
        const size_t room = spectrum->count < 3 * LEVEL_BLOCK ? spectrum->count : 3 * LEVEL_BLOCK;
        const size_t from = wanted + room > spectrum->count ? spectrum->count - room : wanted;
        const size_t end =
            block + LEVEL_BLOCK < spectrum->count ? block + LEVEL_BLOCK : spectrum->count;

        memcpy(values, &spectrum->power[from], room * sizeof(*values));
        const double limit = level_of(values, room) * threshold(spectrum);

        for (size_t i = block; i < end; i++) {
            spectrum->limit[i] = limit;
        }
    }
}

/* Returns the limit from the neighbourhood of a line, without the line itself. Where the power
 * falls or rises steeply, the median of a wider range would not fit. */
static double near_limit(const struct spectrum *spectrum, size_t at)
{
    double values[2 * NEAR_TO];
    size_t n = 0;

    for (size_t d = NEAR_FROM; d <= NEAR_TO; d++) {
        if (at >= d) {
            values[n++] = spectrum->power[at - d];
        }
        if (at + d < spectrum->count) {
            values[n++] = spectrum->power[at + d];
        }
    }
    return level_of(values, n) * threshold(spectrum);
}

static bool is_line(const struct spectrum *spectrum, size_t at)
{
    return at + 1 >= SPECTRUM_PERIODS_MIN && spectrum->power[at] > spectrum->limit[at] &&
           spectrum->power[at] > near_limit(spectrum, at);
}

/* ---- the frequency of a line ---- */

/* Returns the power of the columns at `frequency`, in periods per whole time; it need not be a
 * whole number. */
static double power_at(const double *columns, size_t n, double mean, double frequency)
{
    const double turn = TWO_PI * frequency / (double)n;
    const double c = cos(turn);
    const double s = sin(turn);
    double real = 0;
    double imaginary = 0;
    double x = 1;
    double y = 0;

    for (size_t i = 0; i < n; i++) {
        const double next = x * c - y * s;

        real += (columns[i] - mean) * x;
        imaginary += (columns[i] - mean) * y;
        y = x * s + y * c;
        x = next;
    }
    return real * real + imaginary * imaginary;
}

/* Refines a frequency by its harmonics, which determine it more exactly: starting with the
 * fundamental, searches for the largest power within the interval that the previous harmonic
 * leaves. */
static double refine(const struct spectrum *spectrum, const double *columns, double frequency)
{
    const size_t n = spectrum->columns;
    const double mean = mean_of(columns, n);
    double step = 1.0 / REFINE_STEPS;
    double harmonic = 1;

    for (int round = 0; round < REFINE_ROUNDS; round++) {
        const double centre = frequency;
        double best = -1;

        for (int i = -REFINE_STEPS; i <= REFINE_STEPS; i++) {
            const double tried = centre + i * step;
            const double power = power_at(columns, n, mean, harmonic * tried);

            if (power > best) {
                best = power;
                frequency = tried;
            }
        }
        step /= 2;
        harmonic *= 2 * harmonic * frequency < (double)spectrum->count ? 2 : 1;
    }
    return frequency;
}

/* ---- lines ---- */

struct lines {
    struct spectrum_peak item[LINES_MAX];
    size_t count;
};

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

/* Marks the surroundings of one multiple of a line, with its skirts, as taken. Returns whether it
 * included a line that was not taken before. */
static bool take_place(const struct spectrum *spectrum, double place, bool *taken)
{
    const long at = lround(place) - 1;
    bool line = false;

    for (long way = -1; way <= 1; way += 2) {
        for (long d = way < 0; d <= SKIRT_MAX; d++) {
            const long i = at + way * d;

            if (i < 0 || i >= (long)spectrum->count ||
                (d > LINE_HALF_WIDTH && spectrum->power[i] < spectrum->limit[i])) {
                break;
            }
            line = line || (d <= LINE_HALF_WIDTH && !taken[i] && is_line(spectrum, (size_t)i));
            taken[i] = true;
        }
    }
    return line;
}

/* Marks a line of a given power, its multiples and their aliases at `rate` samples of the whole
 * time, as far as they can stand out. Returns the number of multiples that are lines too. */
static size_t take_harmonics(const struct spectrum *spectrum, double rate, double frequency,
                             double power, bool *taken)
{
    const double most = fmin(ALIASES * rate / frequency, spectrum->columns);
    size_t lines = 0;

    for (size_t h = 1; (double)h <= most; h++) {
        const double multiple = (double)h * frequency;
        const double folded = fmod(multiple, rate);
        const double place = folded > rate / 2 ? rate - folded : folded;
        const double part = sinc(multiple / rate) * sinc(place / rate) /
                            (sinc(frequency / rate) * sinc(frequency / rate));
        const size_t at = (size_t)fmin(fmax(place, 1), (double)spectrum->count) - 1;

        if (h > 1 && power * part * part < ALIAS_MIN * spectrum->limit[at]) {
            continue;
        }
        if (take_place(spectrum, place, taken) && h > 1 && multiple < rate / 2) {
            lines++;
        }
    }
    return lines;
}

static bool strongest(const struct spectrum *spectrum, const bool *taken, size_t *at)
{
    bool found = false;

    for (size_t i = 0; i < spectrum->count; i++) {
        if (!taken[i] && (!found || spectrum->power[i] > spectrum->power[*at]) &&
            is_line(spectrum, i)) {
            *at = i;
            found = true;
        }
    }
    return found;
}

/* Returns whether an ordinate within one of the frequency has a power of at least `power` that is
 * well above the level and above the ordinate's surroundings. */
static bool stands_out(const struct spectrum *spectrum, const bool *taken, double frequency,
                       double power)
{
    const size_t guess = (size_t)lround(frequency);
    const double part = STANDS_OUT / threshold(spectrum);

    for (size_t k = guess > 1 ? guess - 1 : 1; k <= guess + 1 && k <= spectrum->count; k++) {
        if (!taken[k - 1] && spectrum->power[k - 1] >= fmax(power, part * spectrum->limit[k - 1]) &&
            spectrum->power[k - 1] >= part * near_limit(spectrum, k - 1)) {
            return true;
        }
    }
    return false;
}

struct multiples {
    size_t count;
    size_t standing_out;
};

/* Counts the multiples, up to twice the line, of the frequency that is `part` times lower than the
 * line, except multiples of the line itself. Those marked in `taken` are not counted. */
static struct multiples multiples_of(const struct spectrum *spectrum, const bool *taken, size_t at,
                                     size_t part)
{
    const double lowest = (double)(at + 1) / (double)part;
    const double power = SUBMULTIPLE_MIN * spectrum->power[at];
    const size_t highest = part < MULTIPLES_MIN / 2 ? MULTIPLES_MIN : 2 * part;
    struct multiples multiples = {0, 0};

    for (size_t h = 1; h < highest; h++) {
        const double multiple = lowest * (double)h;
        const size_t place = (size_t)fmax(multiple + 0.5, 1) - 1;

        if (place >= spectrum->count) {
            break;
        }
        if (h % part != 0 && !taken[place]) {
            multiples.count++;
            multiples.standing_out += stands_out(spectrum, taken, multiple, power);
        }
    }
    return multiples;
}

/* Returns the fundamental of a line, in periods per whole time. A line may be a multiple of a lower
 * frequency that is not a line itself. Chooses the lowest frequency of which most multiples stand
 * out. */
static double fundamental(const struct spectrum *spectrum, double rate, const bool *taken,
                          size_t at)
{
    const double line = (double)(at + 1);
    bool *known = alloc_zeroed(spectrum->count * sizeof(*known));
    double found = line;

    memcpy(known, taken, spectrum->count * sizeof(*known));
    take_harmonics(spectrum, rate, line, spectrum->power[at], known);
    for (size_t part = SUBMULTIPLE_MAX; part > 1 && found == line; part--) {
        const struct multiples multiples = multiples_of(spectrum, known, at, part);

        if (line / (double)part >= SPECTRUM_PERIODS_MIN &&
            multiples.standing_out >= STANDING_OUT_MIN &&
            (double)multiples.standing_out > MULTIPLES * (double)multiples.count) {
            found = line / (double)part;
        }
    }
    free(known);
    return found;
}

static double greatest(const double *values, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

/* Adds the lines of `part`, one spectrum of the noise, to those found before. */
static void find_lines(struct lines *lines, const struct spectrum *part, double rate,
                       const double *columns, bool *taken)
{
    const double least =
        greatest(part->power, part->count) * SPECTRUM_SHARE_MIN * SPECTRUM_SHARE_MIN;
    size_t at = 0;

    while (lines->count < LINES_MAX && strongest(part, taken, &at) && part->power[at] >= least) {
        const double frequency = refine(part, columns, fundamental(part, rate, taken, at));
        const double level = part->limit[at] / threshold(part);

        lines->item[lines->count++] = (struct spectrum_peak){
            .period = part->elapsed / frequency,
            .ratio = level > 0 ? part->power[at] / level : INFINITY,
            .harmonics = take_harmonics(part, rate, frequency, part->power[at], taken),
        };
        take_place(part, (double)(at + 1), taken);
    }
}

static int by_period(const void *left, const void *right)
{
    const struct spectrum_peak *a = left;
    const struct spectrum_peak *b = right;

    return (a->period < b->period) - (a->period > b->period);
}

static int by_share(const void *left, const void *right)
{
    const struct spectrum_peak *a = left;
    const struct spectrum_peak *b = right;

    return (a->share < b->share) - (a->share > b->share);
}

/* Takes the longest period first, because a submultiple of it would otherwise claim its share. */
static void find_peaks(struct spectrum *spectrum, struct noise *noise, struct lines *lines)
{
    sort_stable(lines->item, lines->count, sizeof(*lines->item), by_period);
    for (size_t i = 0; i < lines->count; i++) {
        struct spectrum_peak *peak = &lines->item[i];

        /* the rest of a period that has been taken, such as the skirts of its line */
        if (i > 0 && peak->period > lines->item[i - 1].period * (1 - SAME_PERIOD)) {
            continue;
        }
        peak->share = take_share(noise, peak->period, spectrum->stolen);
        peak->stolen = peak->share * spectrum->stolen * peak->period / spectrum->elapsed;
    }
    sort_stable(lines->item, lines->count, sizeof(*lines->item), by_share);
    while (spectrum->peak_count < SPECTRUM_PEAKS_MAX && spectrum->peak_count < lines->count &&
           lines->item[spectrum->peak_count].share > 0) {
        spectrum->peaks[spectrum->peak_count] = lines->item[spectrum->peak_count];
        spectrum->peak_count++;
    }
}

/* ---- the whole computation ---- */

static const char *check(const struct spectrum_stretch *stretches, size_t n, double elapsed)
{
    double before = 0;

    for (size_t i = 0; i < n; i++) {
        const struct spectrum_stretch *stretch = &stretches[i];

        if (!(stretch->begin >= before && stretch->end >= stretch->begin &&
              stretch->end <= elapsed && stretch->stolen >= 0)) {
            return "the times of its samples are inconsistent";
        }
        before = stretch->end;
    }
    return n < SPECTRUM_COLUMNS_MIN || !(elapsed > 0) ? "there are too few samples" : NULL;
}

static void take_memory(struct spectrum *spectrum, size_t columns, size_t count)
{
    spectrum->columns = columns;
    spectrum->count = count;
    spectrum->power = alloc_zeroed(spectrum->count * sizeof(*spectrum->power));
    spectrum->limit = alloc_zeroed(spectrum->count * sizeof(*spectrum->limit));
}

/* First clips the largest amounts, which would hide the rest, unless nothing varies then. Then uses
 * all amounts as they are, because rare pulses that are larger than anything else show only by
 * their amount. */
static bool find_all(struct spectrum *spectrum, struct noise *noise)
{
    const double rate = (double)(noise->contiguous ? noise->n : spectrum->columns);
    double *columns = alloc_zeroed(spectrum->columns * sizeof(*columns));
    bool *taken = alloc_zeroed(spectrum->count * sizeof(*taken));
    struct spectrum whole = {.elapsed = spectrum->elapsed, .stolen = spectrum->stolen};
    struct lines lines = {.count = 0};

    take_memory(&whole, spectrum->columns, spectrum->count);
    fill_columns(columns, spectrum->columns, noise, cut_of(noise, noise->sorted_count / CUT_PARTS));
    bool varies = find_power(spectrum, columns);

    if (!varies) {
        fill_columns(columns, spectrum->columns, noise, INFINITY);
        varies = find_power(spectrum, columns);
    }
    if (varies) {
        find_limits(spectrum);
        find_lines(&lines, spectrum, rate, columns, taken);
    }
    fill_columns(columns, spectrum->columns, noise, INFINITY);
    if (varies && find_power(&whole, columns)) {
        find_limits(&whole);
        find_lines(&lines, &whole, rate, columns, taken);
    }
    find_peaks(spectrum, noise, &lines);
    spectrum_free(&whole);
    free(columns);
    free(taken);
    return varies;
}

/* Merges neighbouring intervals until at most SAMPLES_MAX remain; the caller frees the result. */
static struct spectrum_stretch *join(const struct spectrum_stretch *stretches, size_t *n,
                                     bool contiguous)
{
    const size_t together = contiguous ? (*n + SAMPLES_MAX - 1) / SAMPLES_MAX : 1;
    struct spectrum_stretch *joined = alloc_zeroed((*n / together + 1) * sizeof(*joined));
    size_t count = 0;

    for (size_t i = 0; i + together <= *n; i += together) {
        joined[count] = stretches[i];
        for (size_t k = i + 1; k < i + together; k++) {
            joined[count].end = stretches[k].end;
            joined[count].stolen += stretches[k].stolen;
        }
        count++;
    }
    *n = count;
    return joined;
}

const char *spectrum_of(struct spectrum *spectrum, const struct spectrum_stretch *stretches,
                        size_t n, double elapsed, bool contiguous)
{
    const char *why = check(stretches, n, elapsed);

    *spectrum = (struct spectrum){.elapsed = elapsed};
    if (why != NULL) {
        return why;
    }
    struct noise noise = {.n = n, .elapsed = elapsed, .contiguous = contiguous};

    noise.stretches = join(stretches, &noise.n, contiguous);
    for (size_t i = 0; i < noise.n; i++) {
        spectrum->stolen += noise.stretches[i].stolen;
    }
    const size_t columns = columns_for(&noise);

    take_memory(spectrum, columns, contiguous ? noise.n / 2 - 1 : columns / 2 - 1);
    sort_stolen(&noise);
    if (noise.sorted_count == 0 || !find_all(spectrum, &noise)) {
        why = noise.sorted_count > 0 ? "the lost time never varies" : "no time was lost";
        spectrum_free(spectrum);
    }
    free(noise.sorted);
    free(noise.stretches);
    return why;
}

void spectrum_free(struct spectrum *spectrum)
{
    free(spectrum->power);
    free(spectrum->limit);
    *spectrum = (struct spectrum){0};
}

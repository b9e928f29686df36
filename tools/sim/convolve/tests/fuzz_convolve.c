/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as delays of a convolution, beside files (fuzz_folder.h). What is taken has
 * moments and draws, and of one in sixteen inputs the sum is solved: its curve rises from 0 to 1.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tools/sim/convolve/convolution_text.h"
#include "tools/tests/support/fuzz_folder.h"

#define SOLVED 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_curve(const struct convolution *convolution)
{
    static const double points[] = {0.5, 1, 14};
    struct convolution_sum sum;
    double before = 0;

    convolution_solve(convolution, points, 3, &sum);
    if (!isfinite(sum.offset) || !(sum.step > 0) || !(sum.error >= 0) || sum.count == 0) {
        __builtin_trap();
    }
    for (size_t i = 0; i < sum.count; i++) {
        if (!(sum.below[i] >= before && sum.below[i] <= 1 && sum.atoms[i] <= sum.below[i])) {
            __builtin_trap();
        }
        before = sum.below[i];
    }
    if (before < 1 - 1e-6 || !isfinite(convolution_quantile(&sum, .5)) ||
        !isfinite(convolution_below(&sum, sum.mean, NULL))) {
        __builtin_trap();
    }
    convolution_sum_free(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct convolution convolution;
    struct sim_model_error error;
    struct sim_random random;
    uint64_t sum = 0;

    const size_t length = fill_folder(data, size);

    if (!convolution_read(&convolution, (const char *)data, length, own_folder(), &error)) {
        if (memchr(error.text, '\0', sizeof(error.text)) == NULL || error.text[0] == '\0') {
            __builtin_trap();
        }
        return 0;
    }
    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        const struct convolution_part *part = &convolution.part[i];

        if (!(convolution_part_mean(part) >= 0) || !(convolution_part_variance(part) >= 0)) {
            __builtin_trap();
        }
    }
    sim_random_seed(&random, 1, 0, 0);
    if (!(convolution_draw(&convolution, &random) >= 0)) {
        __builtin_trap();
    }
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    if (sum % SOLVED == 0) {
        check_curve(&convolution);
    }
    convolution_free(&convolution);
    return 0;
}

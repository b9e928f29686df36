/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim convolve: the overall response as a sum of delays.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/output_file.h"
#include "tools/base/sort.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/figure/svg.h"
#include "tools/sim/convolve/convolution_print.h"
#include "tools/sim/convolve/convolution_text.h"
#include "tools/sim/model/model_reader.h"

#define DRAWS_MAX 10000000
#define ALPHA     0.001 /* probability that a correct curve is reported as wrong */

/* Names the command in error messages; help and options of `tare sim` are in tare_sim.c. */
static const struct command command_convolve = {.name = "sim convolve"};

struct convolve_options {
    const char *file;
    double points[CONVOLUTION_POINTS_MAX];
    size_t point_count;
    uint64_t draws; /* 0: no check */
    uint64_t seed;
    const char *svg;
    bool json;
};

static bool read_points(struct convolve_options *options, const char *list)
{
    char *copy = strdup(list);
    char *rest = copy;
    bool read = true;
    char *word;

    while (read && (word = strsep(&rest, ",")) != NULL) {
        read = options->point_count < CONVOLUTION_POINTS_MAX &&
               sim_number(word, NULL, &options->points[options->point_count], NULL);
        options->point_count += read ? 1 : 0;
    }
    free(copy);
    sort_reals(options->points, options->point_count);
    return read;
}

static int read_option(struct convolve_options *options, int option)
{
    switch (option) {
    case 'a':
        return read_points(options, optarg)
                   ? COMMAND_OK
                   : command_usage_error(&command_convolve,
                                         "--at takes up to %d times: --at 14,16.5",
                                         CONVOLUTION_POINTS_MAX);
    case 'c':
        return sim_whole_number(optarg, 1, &options->draws) && options->draws <= DRAWS_MAX
                   ? COMMAND_OK
                   : command_usage_error(&command_convolve,
                                         "--check takes a number of draws from 1 to %d", DRAWS_MAX);
    case 's':
        return sim_whole_number(optarg, 0, &options->seed)
                   ? COMMAND_OK
                   : command_usage_error(&command_convolve, "--seed takes a whole number");
    case 'v':
        options->svg = optarg;
        return COMMAND_OK;
    default:
        options->json = true;
        return COMMAND_OK;
    }
}

static int read_options(struct convolve_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"at", required_argument, NULL, 'a'},   {"check", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 's'}, {"svg", required_argument, NULL, 'v'},
        {"json", no_argument, NULL, 'j'},       {0},
    };
    int option;

    *options = (struct convolve_options){.seed = 1};
    while ((option = command_next_option(&command_convolve, argc, argv, "", known)) != -1) {
        const int status =
            option == COMMAND_BAD_OPTION ? COMMAND_USAGE : read_option(options, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (optind + 1 != argc) {
        return command_usage_error(&command_convolve, "%s",
                                   optind == argc ? "no file of delays given"
                                                  : "more than one file of delays given");
    }
    options->file = argv[optind];
    return COMMAND_OK;
}

static void check(const struct convolve_options *options, const struct convolution *convolution,
                  const struct convolution_sum *sum, struct convolution_check *result)
{
    const size_t count = (size_t)options->draws;
    double *values = alloc_zeroed(count * sizeof(*values));
    struct sim_random random;
    double total = 0;

    sim_random_seed(&random, options->seed, 0, 0);
    for (size_t i = 0; i < count; i++) {
        values[i] = convolution_draw(convolution, &random);
        total += values[i];
    }
    *result = (struct convolution_check){
        .draws = count,
        .seed = options->seed,
        .mean = total / (double)count,
        .distance = convolution_distance(sum, values, count),
        .bound = convolution_distance_bound(count, ALPHA) + sum->error,
        .alpha = ALPHA,
    };
    result->agrees = result->distance <= result->bound;
    free(values);
}

static int write_svg(const struct convolve_options *options,
                     const struct convolution_report *report)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;
    struct figures figures;

    if (!output_file_open(&file, options->svg, error)) {
        return command_failure(&command_convolve, "%s", error);
    }
    figures_init(&figures);
    const bool written = svg_write(file.stream, convolution_figure(report, &figures));

    figures_free(&figures);
    if (!written) {
        output_file_discard(&file);
        return command_failure(&command_convolve, "cannot write %s", options->svg);
    }
    return output_file_commit(&file, error) ? COMMAND_OK
                                            : command_failure(&command_convolve, "%s", error);
}

static int print(const struct convolve_options *options, const struct convolution_report *report)
{
    if (options->json) {
        convolution_print_json(stdout, report);
    } else {
        convolution_print(stdout, report);
    }
    if (options->svg != NULL) {
        const int status = write_svg(options, report);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    return report->check == NULL || report->check->agrees ? COMMAND_OK : COMMAND_FAILED;
}

int sim_convolve_command(int argc, char **argv)
{
    struct convolve_options options;
    struct convolution convolution;
    struct convolution_check result;
    struct convolution_sum sum;
    struct sim_model_error error;
    const int status = read_options(&options, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    if (!convolution_load(&convolution, options.file, &error)) {
        return error.line > 0
                   ? command_failure(&command_convolve, "%s:%zu: %s", options.file, error.line,
                                     error.text)
                   : command_failure(&command_convolve, "%s: %s", options.file, error.text);
    }
    convolution_solve(&convolution, options.points, options.point_count, &sum);
    const struct convolution_report report = {
        .name = options.file,
        .convolution = &convolution,
        .sum = &sum,
        .points = options.points,
        .point_count = options.point_count,
        .check = options.draws > 0 ? &result : NULL,
    };

    if (options.draws > 0) {
        check(&options, &convolution, &sum, &result);
    }
    const int result_status = print(&options, &report);

    convolution_sum_free(&sum);
    convolution_free(&convolution);
    return result_status;
}

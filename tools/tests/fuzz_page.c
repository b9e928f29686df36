/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: the content of frames (fuzz_frames.h) as two logs, and what is drawn of their runs: a
 * page, a picture of each figure, and the two set beside each other. The first byte is how much of
 * the rest, in parts of 256, is the first log; both begin with the same. Where it is odd the first
 * run's values are others.
 *
 * What stands in a page's text cannot end its script, and an id is a file's name.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compare_views.h"
#include "tools/lib/decoder.h"
#include "tools/lib/gnuplot.h"
#include "tools/lib/run_page.h"
#include "tools/lib/svg.h"
#include "tools/tests/demand.h"
#include "tools/tests/fuzz_frames.h"

#define RATIOS 16 /* of so many inputs one has bootstrapped ratios: they are slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void push_frames(struct decoder *decoder, const uint8_t *data, size_t size)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];
    size_t taken;

    while ((taken = fuzz_frame_take(&frame, data, size)) > 0) {
        decoder_push(decoder, wire, frame_encode(&frame, FRAME_BINARY, wire));
        data += taken;
        size -= taken;
    }
}

static void read_run(struct compared_run *read, const uint8_t *data, size_t size)
{
    struct decoder *decoder = decoder_create();

    *read = (struct compared_run){.path = "a.db"};
    run_init(&read->run);
    push_frames(decoder, data, size);
    decoder_finish(decoder, &read->run);
    decoder_destroy(decoder);
    read->valid = run_valid(&read->run, &read->reasons);
    metrics_of(&read->run, &read->metrics);
}

static void free_run(struct compared_run *read)
{
    metrics_free(&read->metrics);
    run_texts_free(&read->reasons);
    run_free(&read->run);
}

/* What `write` writes; to be freed. */
static char *text_of(bool (*write)(FILE *out, const void *what), const void *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    demand(out != NULL && write(out, what));
    fclose(out);
    demand(strlen(text) == length);
    return text;
}

static size_t count(const char *text, const char *wanted)
{
    size_t found = 0;

    while ((text = strstr(text, wanted)) != NULL) {
        text += strlen(wanted);
        found++;
    }
    return found;
}

static bool write_svg(FILE *out, const void *figure)
{
    return svg_write(out, figure);
}

static bool write_values(FILE *out, const void *figure)
{
    gnuplot_values(out, figure);
    return true;
}

static bool write_script(FILE *out, const void *figure)
{
    gnuplot_script(out, figure);
    return true;
}

static bool write_page(FILE *out, const void *page)
{
    return page_write(out, page);
}

static bool write_comparison(FILE *out, const void *compared)
{
    return compared_page(out, compared);
}

static bool write_table(FILE *out, const void *compared)
{
    compared_print(out, compared, true);
    return true;
}

static bool write_json(FILE *out, const void *compared)
{
    compared_json(out, compared);
    return true;
}

static void check_figure(const struct figure *figure)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    char *svg = text_of(write_svg, figure);

    demand(figure->id[strspn(figure->id, letters)] == '\0' && figure->id[0] != '\0');
    demand(strstr(svg, "</svg>") != NULL);
    free(svg);
    free(text_of(write_values, figure));
    if (gnuplot_draws(figure)) {
        free(text_of(write_script, figure));
    }
}

static void check_json(const char *text, size_t length)
{
    json_error_t error;
    json_t *json = json_loadb(text, length, 0, &error);

    if (json == NULL) {
        fprintf(stderr, "line %d: %s\n", error.line, error.text);
    }
    demand(json_is_object(json));
    json_decref(json);
}

/* Each figure's numbers are JSON, and end where they should. */
static void check_page(char *page)
{
    static const char begin[] = "<script type=\"application/json\" class=\"figure\">";
    const char *at = page;
    size_t scripts = 2; /* library and program */

    while ((at = strstr(at, begin)) != NULL) {
        at += strlen(begin);
        const char *end = strstr(at, "</script>");

        demand(end != NULL);
        check_json(at, (size_t)(end - at));
        scripts++;
    }
    demand(count(page, "</script>") == scripts && strstr(page, "</html>") != NULL);
    free(page);
}

static void tell_nobody(void *context, size_t done, size_t parts)
{
    (void)context;
    demand(done <= parts);
}

static void draw(struct run *run)
{
    static const struct figures_progress progress = {.tell = tell_nobody};
    static struct run_page page;

    run_page_make(&page, run, &progress);
    for (size_t i = 0; i < page.figures.count; i++) {
        check_figure(&page.figures.item[i]);
    }
    check_page(text_of(write_page, &page.page));
    run_page_free(&page);
}

/* As a machine has it where no value comes twice. */
static void disturb(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t k = 0; k < metrics->item[i].n; k++) {
            metrics->item[i].values[k] += (double)(k * 7919 % 101) / 8;
        }
    }
}

static void compare(struct compared_run runs[2], bool ratios)
{
    struct compare_differences differences = {0};
    struct compare compare = {0};
    struct compared compared = {.settings = {.threshold = 0.05, .alpha = 0.05, .ratios = ratios},
                                .runs = runs,
                                .count = 2,
                                .compares = &compare,
                                .differences = &differences};

    compare_metrics(&runs[0].metrics, &runs[1].metrics, &compared.settings, &compare);
    compare_runs(&runs[0].run, &runs[1].run, &differences);
    free(text_of(write_table, &compared));
    char *json = text_of(write_json, &compared);

    check_json(json, strlen(json));
    free(json);
    check_page(text_of(write_comparison, &compared));
    compare_free(&compare);
    compare_differences_free(&differences);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compared_run runs[2];
    const size_t first = size > 0 ? data[0] * 256u : 0;
    const size_t rest = size > 0 ? size - 1 : 0;

    read_run(&runs[0], data + 1, first < rest ? first : rest);
    read_run(&runs[1], data + 1, rest);
    draw(&runs[1].run);
    if (first % 512 != 0) {
        disturb(&runs[0].metrics);
    }
    compare(runs, first % (256 * RATIOS) == 256);
    free_run(&runs[0]);
    free_run(&runs[1]);
    return 0;
}

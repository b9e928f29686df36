/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: the content of frames (fuzz_frames.h) as two logs, and what is drawn of their runs: a
 * page and a picture of each figure of the second, or the two set beside each other; each input has
 * one of both (fuzz_choice.h). The first byte is how much of
 * the rest, in parts of 256, is the first log; both begin with the same. Where it is odd the first
 * run's values are others.
 *
 * What stands in a page's text cannot end its script, and an id is a file's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/figure/figure_values.h"
#include "tools/figure/svg.h"
#include "tools/judge/compare_views.h"
#include "tools/show/run_page.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/fuzz_frames.h"
#include "tools/tests/support/fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of page_assets.S: no input changes them, and they are most of a page. */
extern const char page_report_js[], page_report_css[], page_uplot_js[], page_uplot_css[],
    page_uplot_license[];
const char page_report_js[] = "\"use strict\";";
const char page_report_css[] = "body {}";
const char page_uplot_js[] = "var uPlot;";
const char page_uplot_css[] = ".uplot {}";
const char page_uplot_license[] = "MIT";

static void read_run(struct compared_run *read, const uint8_t *data, size_t size)
{
    *read = (struct compared_run){.path = "a.db"};
    fuzz_frames_run(&read->run, data, size);
    read->valid = run_valid(&read->run, &read->reasons);
    metrics_of(&read->run, &read->metrics);
}

static void free_run(struct compared_run *read)
{
    metrics_free(&read->metrics);
    run_texts_free(&read->reasons);
    run_free(&read->run);
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

static void check_figure(const struct figure *figure)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    struct fuzz_text text;

    demand(figure->id[strspn(figure->id, letters)] == '\0' && figure->id[0] != '\0');
    demand(svg_write(text_begin(&text), figure));
    demand(strstr(text_end(&text), "</svg>") != NULL);
    free(text.text);
    figure_values_write(text_begin(&text), figure, "time base");
    free(text_end(&text));
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
    demand(count(page, "<noscript>") == count(page, "</noscript>"));
    free(page);
}

static void draw(struct run *run)
{
    static struct run_page page;
    struct fuzz_text text;

    run_page_make(&page, run, NULL);
    for (size_t i = 0; i < page.figures.count; i++) {
        check_figure(&page.figures.item[i]);
    }
    demand(page_write(text_begin(&text), &page.page));
    check_page(text_end(&text));
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

static void compare(struct compared_run runs[2])
{
    struct compare_differences differences = {0};
    struct compare compare = {0};
    struct compared compared = {.settings = {.threshold = 0.05, .alpha = 0.05},
                                .runs = runs,
                                .count = 2,
                                .compares = &compare,
                                .differences = &differences};
    struct fuzz_text text;

    const struct metrics *const sides[] = {&runs[0].metrics, &runs[1].metrics};

    compare_boots((struct boot_group){sides, 1}, (struct boot_group){sides + 1, 1},
                  &compared.settings, &compare);
    compare_runs(&runs[0].run, &runs[1].run, &differences);
    compared_print(text_begin(&text), &compared, true);
    free(text_end(&text));
    compared_json(text_begin(&text), &compared);
    check_json(text_end(&text), text.length);
    free(text.text);
    demand(compared_page(text_begin(&text), &compared));
    check_page(text_end(&text));
    compare_free(&compare);
    compare_differences_free(&differences);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compared_run runs[2];
    const size_t first = size > 0 ? data[0] * 256u : 0;
    const size_t rest = size > 0 ? size - 1 : 0;

    read_run(&runs[1], data + 1, rest);
    if (fuzz_sum(data, size) % 2 == 0) {
        draw(&runs[1].run);
    } else {
        read_run(&runs[0], data + 1, first < rest ? first : rest);
        if (first % 512 != 0) {
            disturb(&runs[0].metrics);
        }
        compare(runs);
        free_run(&runs[0]);
    }
    free_run(&runs[1]);
    return 0;
}

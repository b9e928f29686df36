/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page.h"

#include "tools/base/json.h"
#include "tools/figure/page_figure.h"

/* A page is to be no larger than 6 MB; of that script and style take a part. */
#define FIGURES_SIZE_MAX 5500000
/* Points of a figure: so many are kept if there is room, first of all of events; and fewer than the
 * least are of no use. */
#define POINTS_WHOLE  110000
#define POINTS_OTHERS 16000
#define POINTS_LEAST  4000

/* page_assets.S */
extern const char page_report_js[];
extern const char page_uplot_js[];
extern const char page_uplot_license[];

/* The most points of a figure. */
struct limits {
    size_t events; /* where a reader may ask how many are above a threshold */
    size_t others;
};

static size_t limit_of(const struct limits *limits, const struct figure *figure)
{
    return figure->has_threshold ? limits->events : limits->others;
}

static size_t size_of_all(const struct figures *figures, const struct limits *limits)
{
    size_t size = 0;

    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->item[i];

        size += page_figure_size(figure, limit_of(limits, figure));
    }
    return size;
}

static struct limits limits_that_fit(const struct figures *figures)
{
    struct limits limits = {POINTS_WHOLE, POINTS_WHOLE};

    while (size_of_all(figures, &limits) > FIGURES_SIZE_MAX && limits.others > POINTS_LEAST) {
        limits.others = limits.others / 4 * 3;
        if (limits.others < POINTS_OTHERS) {
            limits.events = limits.others;
        }
    }
    return limits;
}

static void put_figures(FILE *out, struct figures *figures)
{
    const struct limits limits = limits_that_fit(figures);

    for (size_t i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->item[i];
        struct json json;

        fputs("<script type=\"application/json\" class=\"figure\">", out);
        json_start(&json, out);
        json.in_html = true;
        page_figure_write(&json, figure, limit_of(&limits, figure));
        fputs("</script>\n", out);
    }
}

bool page_write(FILE *out, const struct page *page)
{
    page_head_write(out, page);
    put_figures(out, page->figures);
    fprintf(out,
            "<script>\n/*! uPlot:\n%s*/\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
            page_uplot_license, page_uplot_js, page_report_js);
    return ferror(out) == 0;
}

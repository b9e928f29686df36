/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page.h"

#include <string.h>

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
extern const char page_report_css[];
extern const char page_uplot_js[];
extern const char page_uplot_css[];
extern const char page_uplot_license[];

/* Text of HTML, also inside quotes. Control characters, and bytes that are no UTF-8, become
 * U+FFFD. */
static void put_text(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);

        if (length == 0 || (*text > 0 && *text < ' ' && *text != '\n' && *text != '\t') ||
            *text == 0x7f) {
            fputs("\xef\xbf\xbd", out);
        } else if (strchr("<>&\"'", *text) != NULL) {
            fprintf(out, "&#%d;", *text);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
}

static void put_element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    put_text(out, text);
    fprintf(out, "</%s>\n", name);
}

/* No page loads anything: not even what a mistake in it would. */
static void put_head(FILE *out, const struct page *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          out);
    put_element(out, "title", page->title);
    fprintf(out, "<style>\n%s\n%s</style>\n</head>\n", page_uplot_css, page_report_css);
}

static void put_summary(FILE *out, const struct page *page)
{
    fprintf(out,
            "<header class=\"summary\">\n<button id=\"theme\" type=\"button\">dark</button>\n");
    put_element(out, "h1", page->title);
    fprintf(out, "<p class=\"verdict %s\">", page->good ? "good" : "bad");
    put_text(out, page->verdict);
    fputs("</p>\n", out);
    for (size_t i = 0; i < page->note_count; i++) {
        put_element(out, "p", page->notes[i]);
    }
    fputs("<dl class=\"facts\">\n", out);
    for (size_t i = 0; i < page->fact_count; i++) {
        fputs("<div>", out);
        put_element(out, "dt", page->facts[i].label);
        put_element(out, "dd", page->facts[i].value != NULL ? page->facts[i].value : "-");
        fputs("</div>", out);
    }
    fputs("</dl>\n<noscript><p>The figures below need JavaScript.</p></noscript>\n</header>\n",
          out);
}

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
    put_head(out, page);
    fputs("<body>\n<nav id=\"contents\"></nav>\n<main id=\"main\">\n", out);
    put_summary(out, page);
    fputs("<div id=\"figures\"></div>\n</main>\n", out);
    put_figures(out, page->figures);
    fprintf(out,
            "<script>\n/*! uPlot:\n%s*/\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
            page_uplot_license, page_uplot_js, page_report_js);
    return ferror(out) == 0;
}

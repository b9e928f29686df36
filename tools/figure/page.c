/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page.h"

#include <string.h>

#include "tools/base/json.h"
#include "tools/figure/page_figure.h"
#include "tools/figure/svg.h"

/* A page should be no larger than 6 MB, of which script and style take a part. */
#define FIGURES_SIZE_MAX 5500000
/* Limits of the points of a figure. POINTS_WHOLE are kept if there is room, with priority for
 * events (figures with a threshold), and never fewer than POINTS_LEAST, below which a figure would
 * be useless. */
#define POINTS_WHOLE  110000
#define POINTS_OTHERS 16000
#define POINTS_LEAST  4000

/* ---- the part above the figures ---- */

/* from page_assets.S */
extern const char page_report_css[];
extern const char page_uplot_css[];

/* Writes text for HTML, also inside quotes. Control characters, and bytes that are not UTF-8,
 * become U+FFFD. */
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

/* Writes the head. Its policy prevents the page from loading anything, even by mistake. */
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

static void put_facts(FILE *out, const struct page_fact *facts, size_t count)
{
    fputs("<dl class=\"facts\">\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<div>", out);
        put_element(out, "dt", facts[i].label);
        put_element(out, "dd", facts[i].value != NULL ? facts[i].value : "-");
        fputs("</div>", out);
    }
    fputs("</dl>\n", out);
}

static void put_summary(FILE *out, const struct page *page)
{
    fputs("<header class=\"summary\">\n<button id=\"theme\" type=\"button\">dark</button>\n", out);
    put_element(out, "h1", page->title);
    fprintf(out, "<p class=\"verdict %s\">", page->good ? "good" : "bad");
    put_text(out, page->verdict);
    fputs("</p>\n", out);
    for (size_t i = 0; i < page->note_count; i++) {
        put_element(out, "p", page->notes[i]);
    }
    if (page->tab_count == 0) {
        put_facts(out, page->facts, page->fact_count);
    }
    fputs("<noscript><p>Without JavaScript, figures cannot be enlarged nor tables sorted.</p>"
          "</noscript>\n</header>\n",
          out);
}

/* ---- tabs ---- */

static bool is_of(const char *section, const char *wanted)
{
    const size_t length = strlen(wanted);

    return strncmp(section, wanted, length) == 0 &&
           (section[length] == '\0' || strncmp(section + length, ": ", 2) == 0);
}

/* Returns the tab of a section, or the tab that has all the rest. */
static size_t tab_of(const struct page *page, const char *section)
{
    size_t rest = page->tab_count - 1;

    for (size_t i = 0; i < page->tab_count; i++) {
        const char *const *sections = page->tabs[i].sections;

        rest = sections == NULL ? i : rest;
        for (; sections != NULL && *sections != NULL; sections++) {
            if (is_of(section, *sections)) {
                return i;
            }
        }
    }
    return rest;
}

static bool has_figures(const struct page *page, size_t tab)
{
    for (size_t i = 0; i < page->figures->count; i++) {
        if (tab_of(page, page->figures->item[i].section) == tab) {
            return true;
        }
    }
    return tab == 0 || tab + 1 == page->tab_count;
}

static void put_tab(FILE *out, const struct page *page, size_t tab)
{
    fprintf(out,
            "<a role=\"tab\" id=\"tab-%zu\" href=\"#panel-%zu\" aria-controls=\"panel-%zu\"><b>",
            tab, tab, tab);
    put_text(out, page->tabs[tab].name);
    fputs("</b> <span>", out);
    put_text(out, page->tabs[tab].question);
    fputs("</span></a>\n", out);
}

static void put_findings(FILE *out, const struct page *page)
{
    fputs("<div class=\"findings\">\n<h2>Findings</h2>\n<ol>\n", out);
    for (size_t i = 0; i < page->finding_count; i++) {
        fputs("<li class=\"", out);
        put_text(out, page->findings[i].class);
        if (page->findings[i].bench != NULL) {
            fputs("\" data-bench=\"", out);
            put_text(out, page->findings[i].bench);
        }
        fputs("\"><b>", out);
        put_text(out, page->findings[i].class);
        fputs("</b> <span>", out);
        put_text(out, page->findings[i].text);
        fputs("</span></li>\n", out);
    }
    fputs("</ol>\n", out);
    if (page->finding_count == 0) {
        put_element(out, "p", "No rule of findings applies to the benches of this run.");
    }
    if (page->brief_count > 0) {
        put_facts(out, page->brief, page->brief_count);
    }
    fputs("</div>\n", out);
}

/* largest numbers of points of a figure */
struct limits {
    size_t events; /* for figures with a threshold, above which a reader may count events */
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

/* Writes a table as HTML. End tags that HTML does not need are left out. */
static void put_table(FILE *out, const struct figure *figure)
{
    const size_t columns = figure->columns.count;

    fputs("<div class=\"table\"><table>\n<tr>", out);
    for (size_t i = 0; i < columns; i++) {
        fputs("<th>", out);
        put_text(out, figure->columns.item[i]);
    }
    for (size_t i = 0; columns > 0 && i < figure->cells.count; i++) {
        fprintf(out, "%s<td%s>", i % columns == 0 ? "\n<tr>" : "",
                figure->alignment[i % columns] == 'r' ? " class=right" : "");
        put_text(out, figure->cells.item[i]);
    }
    fputs("\n</table></div>\n", out);
    if (figure->how != NULL) {
        put_element(out, "p", figure->how);
    }
}

/* Writes a figure for the script, and then what a browser without script shows. The script takes
 * the cells of a table from there, and the picture to save. */
static void put_figure(FILE *out, struct figure *figure, size_t most)
{
    struct json json;

    fputs("<script type=\"application/json\" class=\"figure\">", out);
    json_start(&json, out);
    json.in_html = true;
    page_figure_write(&json, figure, most);
    fputs("</script>\n<noscript>\n<figure>\n", out);
    if (figure->kind == FIGURE_TABLE) {
        put_element(out, "h3", figure->title);
        put_table(out, figure);
    } else {
        svg_element(out, figure);
    }
    fputs("</figure></noscript>\n", out);
}

/* Writes the figures of a tab, or of a page without tabs. */
static void put_figures(FILE *out, const struct page *page, const struct limits *limits, size_t tab)
{
    const char *section = "";

    fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < page->figures->count; i++) {
        struct figure *figure = &page->figures->item[i];

        if (page->tab_count > 0 && tab_of(page, figure->section) != tab) {
            continue;
        }
        if (strcmp(section, figure->section) != 0) {
            section = figure->section;
            fputs("<noscript>", out);
            put_element(out, "h2", section);
            fputs("</noscript>\n", out);
        }
        put_figure(out, figure, limit_of(limits, figure));
    }
    fputs("</div>\n", out);
}

static void put_panel(FILE *out, const struct page *page, const struct limits *limits, size_t tab)
{
    const char *const *sections = page->tabs[tab].sections;

    fprintf(out,
            "<section role=\"tabpanel\" id=\"panel-%zu\" aria-labelledby=\"tab-%zu\" class=\"%s\"",
            tab, tab, tab == 0 ? "first" : page->tabs[tab].layout);
    fputs(" data-sections=\"", out);
    for (; sections != NULL && *sections != NULL; sections++) {
        put_text(out, *sections);
        fputs("|", out);
    }
    fputs("\">\n", out);
    if (tab == 0) {
        put_findings(out, page);
    } else {
        fputs("<p class=\"question\">", out);
        put_text(out, page->tabs[tab].question);
        fputs("</p>\n", out);
    }
    put_figures(out, page, limits, tab);
    if (tab + 1 == page->tab_count && page->fact_count > 0) {
        fputs("<details class=\"identification\"><summary>Identification: machine, clock, plan, "
              "checksums</summary>\n",
              out);
        put_facts(out, page->facts, page->fact_count);
        fputs("</details>\n", out);
    }
    fputs("</section>\n", out);
}

/* Writes style, verdict, findings, facts, and the tabs with their figures, which the script draws.
 * Without the script all of this can be read, one part below the other. */
static void put_contents(FILE *out, const struct page *page)
{
    const struct limits limits = limits_that_fit(page->figures);

    put_head(out, page);
    fputs("<body>\n<nav id=\"contents\" aria-label=\"Contents\">\n", out);
    if (page->tab_count > 0) {
        fputs("<div role=\"tablist\" aria-label=\"Questions\" aria-orientation=\"vertical\">\n",
              out);
    }
    for (size_t i = 0; i < page->tab_count; i++) {
        if (has_figures(page, i)) {
            put_tab(out, page, i);
        }
    }
    fputs(page->tab_count > 0 ? "</div>\n</nav>\n<main id=\"main\">\n"
                              : "</nav>\n<main id=\"main\">\n",
          out);
    put_summary(out, page);
    for (size_t i = 0; i < page->tab_count; i++) {
        if (has_figures(page, i)) {
            put_panel(out, page, &limits, i);
        }
    }
    if (page->tab_count == 0) {
        fputs("<section class=\"panel\">\n", out);
        put_figures(out, page, &limits, 0);
        fputs("</section>\n", out);
    }
    fputs("</main>\n", out);
}

/* from page_assets.S */
extern const char page_report_js[];
extern const char page_uplot_js[];
extern const char page_uplot_license[];

bool page_write(FILE *out, const struct page *page)
{
    put_contents(out, page);
    fprintf(out,
            "<script>\n/*! uPlot:\n%s*/\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
            page_uplot_license, page_uplot_js, page_report_js);
    return ferror(out) == 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: numbers that survive their coding, texts that cannot leave their place. */
#include "tools/figure/page.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"
#include "tools/figure/page_figure.h"
#include "tools/tests/support/unit.h"

#define HOSTILE "</script><!--<script>alert(1)\x01\xff\"&'"
#define ESCAPED \
    "&#60;/script&#62;&#60;!--&#60;script&#62;alert(1)\xef\xbf\xbd\xef\xbf\xbd&#34;&#38;&#39;"
#define NUMBERS  5000
#define LONG     10000 /* events; one in 30 */
#define EVENTS   (30 * LONG)
#define PAGE_MAX 6000000

/* ---- reading numbers, by the format of page_figure.h ---- */

struct reader {
    uint8_t *bytes;
    size_t n, at;
};

static int64_t read_difference(struct reader *reader)
{
    uint64_t zigzag = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = reader->at < reader->n ? reader->bytes[reader->at] : 0;
        reader->at++;
        zigzag |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
}

static double read_value(struct reader *reader, char coding, int64_t *before, double step)
{
    float narrow = NAN;
    double wide = NAN;

    if (coding == 'f' && reader->at + sizeof(narrow) <= reader->n) {
        memcpy(&narrow, reader->bytes + reader->at, sizeof(narrow));
        reader->at += sizeof(narrow);
        return (double)narrow;
    }
    if (coding == 'd' && reader->at + sizeof(wide) <= reader->n) {
        memcpy(&wide, reader->bytes + reader->at, sizeof(wide));
        reader->at += sizeof(wide);
        return wide;
    }
    if (coding == 'i' || coding == 'q') {
        *before += read_difference(reader);
        return (double)*before * step;
    }
    return NAN;
}

/* False where it does not hold just n numbers. */
static bool read_numbers(const char *text, double *values, size_t n)
{
    const char *colon = strchr(text, ':');

    if (colon == NULL) {
        return false;
    }
    const double step = text[0] == 'q' ? strtod(text + 1, NULL) : 1;
    struct reader reader = {.bytes = alloc_zeroed(strlen(colon) + 1)};
    const ptrdiff_t length = base64_decode(colon + 1, strlen(colon + 1), reader.bytes);
    int64_t before = 0;

    reader.n = length > 0 ? (size_t)length : 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = read_value(&reader, text[0], &before, step);
    }
    free(reader.bytes);
    return length >= 0 && reader.at == reader.n;
}

/* The greatest error that any number gets, as a part of its size, or of `range` if that is above 0.
 */
static double worst_error(const double *values, size_t n, enum page_precision precision,
                          double range, char *coding)
{
    static double back[NUMBERS];
    char *text = page_numbers(values, n, precision);
    double worst = read_numbers(text, back, n) ? 0 : INFINITY;

    for (size_t i = 0; i < n; i++) {
        const double error = fabs(back[i] - values[i]);

        if (isnan(values[i]) ? !isnan(back[i]) : !isfinite(values[i]) && back[i] != values[i]) {
            worst = INFINITY;
        } else if (isfinite(values[i]) && error > 0) {
            worst = fmax(worst, error / (range > 0 ? range : fabs(values[i])));
        }
    }
    *coding = text[0];
    free(text);
    return worst;
}

static void test_numbers(void)
{
    static double values[NUMBERS];
    uint64_t state = 9;
    char coding;

    for (size_t i = 0; i < NUMBERS; i++) {
        values[i] = (double)(int64_t)(unit_random(&state) % 2001) - 1000;
    }
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) == 0);
    CHECK_EQUAL(coding, 'i');
    for (size_t i = 0; i < NUMBERS; i++) {
        values[i] = (double)(int64_t)(unit_random(&state) >> 11) - 0x1p52;
    }
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) == 0);
    for (size_t i = 0; i < NUMBERS; i++) {
        values[i] = exp((double)(unit_random(&state) % 1000) / 20 - 25);
    }
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) < 1e-7);
    CHECK_EQUAL(coding, 'f');
    values[3] = NAN;
    values[4] = INFINITY;
    values[5] = -INFINITY;
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) < 1e-7);
    CHECK(worst_error(values, NUMBERS, PAGE_PLACE, 0, &coding) < 1e-7);
    values[6] = 1e300;
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) < 1e-7);
    values[6] = 1e-300;
    CHECK(worst_error(values, NUMBERS, PAGE_VALUE, 0, &coding) < 1e-7);
    CHECK_EQUAL(coding, 'd');
    CHECK(worst_error(values, 0, PAGE_PLACE, 0, &coding) == 0);
}

/* Events a nanosecond apart in 1000 s, which begin anywhere. */
static void test_places(void)
{
    static double values[NUMBERS];
    const double begins[] = {0, 1, 1e6};
    char coding;

    for (size_t begin = 0; begin < sizeof(begins) / sizeof(begins[0]); begin++) {
        for (size_t i = 0; i < NUMBERS; i++) {
            values[i] = begins[begin] + 1000.0 / NUMBERS * (double)(i - i % 2) +
                        (double)(i % 2) * 1e-9 * (i == 1 ? 1e7 : 1);
        }
        CHECK(worst_error(values, NUMBERS, PAGE_PLACE, 1000, &coding) <= 0x1p-42);
        CHECK_EQUAL(coding, 'q');
    }
    values[0] = 1e-9;
    CHECK(worst_error(values, NUMBERS, PAGE_PLACE, 0, &coding) < 1e-7);
}

/* ---- whole pages ---- */

static char *write_page(struct figures *figures, size_t *size)
{
    static const char *const notes[] = {HOSTILE};
    static const struct page_fact facts[] = {{"absent", NULL}, {"hostile", HOSTILE}};
    const struct page page = {.title = HOSTILE,
                              .verdict = HOSTILE,
                              .notes = notes,
                              .note_count = 1,
                              .facts = facts,
                              .fact_count = 2,
                              .figures = figures};
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    CHECK(page_write(out, &page));
    fclose(out);
    return text;
}

/* The JSON of the figure that stands as the `number`th; NULL where it is none. */
static json_t *find_figure(const char *page, size_t number)
{
    static const char begin[] = "<script type=\"application/json\" class=\"figure\">";
    const char *at = page;

    for (size_t i = 0; i <= number; i++) {
        at = at != NULL ? strstr(at, begin) : NULL;
        at = at != NULL ? at + strlen(begin) : NULL;
    }
    const char *end = at != NULL ? strstr(at, "</script>") : NULL;

    return end != NULL ? json_loadb(at, (size_t)(end - at), 0, NULL) : NULL;
}

static size_t count_texts(const char *page, const char *text)
{
    size_t count = 0;

    for (const char *at = page; (at = strstr(at, text)) != NULL; at += strlen(text)) {
        count++;
    }
    return count;
}

static void test_hostile(void)
{
    static const char *const heads[] = {HOSTILE};
    struct figures figures;
    size_t size;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_TABLE, HOSTILE, HOSTILE, HOSTILE);

    figure_how(figure, "%s", HOSTILE);
    figure_table(figure, "l", heads);
    figure_cell(figure, "%s", HOSTILE);
    figure_add_absent(&figures, "s", "t", "absent", "%s", HOSTILE);
    char *page = write_page(&figures, &size);
    json_t *table = find_figure(page, 0);
    json_t *absent = find_figure(page, 1);
    static const char read[] = "</script><!--<script>alert(1)\x01\xef\xbf\xbd\"&'";

    CHECK_EQUAL(strlen(page), size);
    CHECK_TEXT(json_string_value(json_object_get(table, "title")), read);
    CHECK_TEXT(json_string_value(json_object_get(table, "section")), read);
    CHECK_TEXT(json_string_value(json_object_get(table, "how")), read);
    CHECK(strstr(page, "<td>" ESCAPED) != NULL); /* a script takes a table's cells from there */
    CHECK_TEXT(json_string_value(json_array_get(json_object_get(table, "columns"), 0)), read);
    CHECK_TEXT(json_string_value(json_object_get(absent, "absent")), read);
    /* Two of figures, two of script; uPlot's own text has none. */
    CHECK_EQUAL(count_texts(page, "</script>"), 4);
    CHECK_EQUAL(count_texts(page, "<!--"), 0);
    CHECK_EQUAL(count_texts(page, "alert(1)&") + count_texts(page, "alert(1)\xef\xbf\xbd"), 10);
    CHECK(strstr(page, "Copyright") != NULL);
    json_decref(table);
    json_decref(absent);
    free(page);
    figures_free(&figures);
}

/* ---- tabs ---- */

static char *write_tabs(struct figures *figures, const struct page_tab *tabs, size_t count)
{
    static const struct page_finding findings[] = {{"stolen", HOSTILE, HOSTILE},
                                                   {"clear", "b", NULL}};
    static const struct page_fact brief[] = {{"benches", "2: 1 OK, 1 FAIL"}};
    static const struct page_fact facts[] = {{"sum", "0123456789abcdef"}};
    const struct page page = {.title = "t",
                              .verdict = "VALID",
                              .good = true,
                              .findings = findings,
                              .finding_count = 2,
                              .brief = brief,
                              .brief_count = 1,
                              .facts = facts,
                              .fact_count = 1,
                              .tabs = tabs,
                              .tab_count = count,
                              .figures = figures};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    CHECK(page_write(out, &page));
    fclose(out);
    return text;
}

/* A tab without a figure is left out, the first and the last are not; what no tab names stands on
 * the one that has the rest; findings come before figures, and what identifies the run after. */
static void test_tabs(void)
{
    static const char *const first[] = {FIGURE_SECTION_KEY, NULL};
    static const char *const noise[] = {"Noise", NULL};
    static const char *const input[] = {"Input", NULL};
    static const char *const memory[] = {"Memory", NULL};
    static const char *const run[] = {"Statistics", NULL};
    static const struct page_tab tabs[] = {
        {"Summary", "what?", first, "panel"},  {"Noise", "who?", noise, "panel"},
        {"Memory", "where?", memory, "panel"}, {"Input", "when?", input, "panel"},
        {"Rest", "else?", NULL, "panel"},      {"Run", "on what?", run, "folded"},
    };
    struct figures figures;

    figures_init(&figures);
    figure_add_absent(&figures, "Noise", "a", "a", "none");
    figure_add_absent(&figures, "Input: burst", "b", "b", "none");
    char *page = write_tabs(&figures, tabs, 6);

    CHECK_EQUAL(count_texts(page, "<a role=\"tab\""), 4);
    CHECK_EQUAL(count_texts(page, "<section role=\"tabpanel\""), 4);
    CHECK(strstr(page, "<b>Summary</b>") != NULL && strstr(page, "<b>Run</b>") != NULL);
    CHECK(strstr(page, "<b>Input</b>") != NULL && strstr(page, "<b>Memory</b>") == NULL);
    CHECK(strstr(page, "<b>Rest</b>") == NULL);
    CHECK_EQUAL(count_texts(page, "alert(1)\xef\xbf\xbd"), 2);
    CHECK_EQUAL(count_texts(page, "</script>"), 4);
    CHECK(strstr(page, "<li class=\"stolen\"") < strstr(page, "<li class=\"clear\""));
    CHECK(strstr(page, "<li class=\"clear\"") < strstr(page, "2: 1 OK, 1 FAIL"));
    CHECK(strstr(page, "id=\"panel-5\"") < strstr(page, "0123456789abcdef"));
    free(page);
    figure_add_absent(&figures, "Inputs", "c", "c", "none"); /* not of tab Input */
    page = write_tabs(&figures, tabs, 6);
    CHECK(strstr(page, "<b>Rest</b>") != NULL);
    free(page);
    figures_free(&figures);
}

static void test_reference(void)
{
    struct figures figures;
    size_t size;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_POINTS, "s", "t", "points");

    figure_add_point(figure_add_series(figure, "one"), 1, 2);
    figure_add_point(figure_add_reference(figure, "limit"), 1, 3);
    char *page = write_page(&figures, &size);
    json_t *read = find_figure(page, 0);
    json_t *series = json_object_get(read, "series");

    CHECK(json_object_get(json_array_get(series, 0), "reference") == NULL);
    CHECK(json_is_true(json_object_get(json_array_get(series, 1), "reference")));
    json_decref(read);
    free(page);
    figures_free(&figures);
}

static void test_text_of_figure(void)
{
    struct figures figures;
    size_t size;
    double back[4];

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_POINTS, "s", "t", "points");
    struct figure_series *series = figure_add_series(figure, "one");

    figure_axes(figure, "time", "s", "latency", NULL);
    figure->y.logarithmic = true;
    figure_add_range(series, 0.5, 3, 2.5, NAN);
    figure_add_range(series, 1.5, 5, 4.5, 7);
    char *page = write_page(&figures, &size);
    json_t *read = find_figure(page, 0);
    json_t *first = json_array_get(json_object_get(read, "series"), 0);

    CHECK_TEXT(json_string_value(json_object_get(read, "kind")), "points");
    CHECK_TEXT(json_string_value(json_object_get(json_object_get(read, "x"), "unit")), "s");
    CHECK(json_is_null(json_object_get(json_object_get(read, "y"), "unit")));
    CHECK(json_is_true(json_object_get(json_object_get(read, "y"), "logarithmic")));
    CHECK(json_object_get(read, "threshold") == NULL);
    CHECK_EQUAL(json_integer_value(json_object_get(first, "n")), 2);
    CHECK(read_numbers(json_string_value(json_object_get(first, "x")), back, 2));
    CHECK(back[0] == 0.5 && back[1] == 1.5);
    CHECK(read_numbers(json_string_value(json_object_get(first, "high")), back, 2));
    CHECK(isnan(back[0]) && back[1] == 7);
    json_decref(read);
    free(page);
    figures_free(&figures);
}

/* More events than a page may hold: counts of thresholds are of all of them. */
static void test_thresholds(void)
{
    static double at[NUMBERS], count[NUMBERS], sum[NUMBERS], mean[NUMBERS], deviation[NUMBERS];
    struct figures figures;
    size_t size;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_STICKS, "s", "t", "events");
    struct figure_series *series = figure_add_series(figure, "one");

    figure->has_threshold = true;
    figure->threshold = 10;
    for (size_t i = 0; i < EVENTS; i++) {
        /* Every 30 s one of 1000, and between them 1 to 9. */
        figure_add_point(series, (double)i, i % 30 == 29 ? 1000 : 1 + (double)(i % 9));
    }
    char *page = write_page(&figures, &size);
    json_t *read = find_figure(page, 0);
    json_t *thresholds = json_object_get(read, "thresholds");
    json_t *kept = json_array_get(json_object_get(read, "series"), 0);
    json_t *table = json_object_get(kept, "thresholds");

    CHECK(size < PAGE_MAX);
    CHECK_EQUAL(json_integer_value(json_object_get(kept, "total")), EVENTS);
    CHECK(json_integer_value(json_object_get(kept, "n")) <= 120000);
    /* Thresholds 1000, 9, 8, ... 1, each that differs; and the figure's own, 10. */
    CHECK_EQUAL(json_integer_value(json_object_get(thresholds, "rows")), 11);
    CHECK(read_numbers(json_string_value(json_object_get(thresholds, "at")), at, 11));
    CHECK(read_numbers(json_string_value(json_object_get(table, "count")), count, 11));
    CHECK(read_numbers(json_string_value(json_object_get(table, "sum")), sum, 11));
    CHECK(read_numbers(json_string_value(json_object_get(table, "mean")), mean, 11));
    CHECK(read_numbers(json_string_value(json_object_get(table, "deviation")), deviation, 11));
    CHECK(at[0] == 1000 && count[0] == 0 && isnan(mean[0]));
    CHECK(at[1] == 10 && count[1] == LONG && sum[1] == LONG * 1000.0);
    CHECK(mean[1] == 30 && deviation[1] == 0);
    CHECK(at[2] == 9 && at[10] == 1);
    json_decref(read);
    free(page);
    figures_free(&figures);
}

int main(void)
{
    RUN(test_numbers());
    RUN(test_places());
    RUN(test_hostile());
    RUN(test_tabs());
    RUN(test_reference());
    RUN(test_text_of_figure());
    RUN(test_thresholds());
    return unit_finish("unit_page");
}

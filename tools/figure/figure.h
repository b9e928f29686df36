/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures: what a picture or a table shows, without how it is drawn. The report's page, SVG files
 * and tab-separated values are all made from these.
 *
 * Texts are copied. A number that is not there is NAN, never 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table; /* tools/base/table.h */

enum figure_kind {
    FIGURE_LINES,     /* points, joined */
    FIGURE_STEPS,     /* a value holds from its x to the next: cumulative curves */
    FIGURE_STICKS,    /* from the axis to each point: events in time */
    FIGURE_POINTS,    /* scattered */
    FIGURE_HISTOGRAM, /* series hold bins: low[i] to high[i] in x, y[i] high */
    FIGURE_BARS,      /* groups[i]: a bar of each series, y[i], with deviation low[i] to high[i] */
    FIGURE_HEAT,      /* a matrix of rows and columns */
    FIGURE_TIMELINE,  /* lanes of spans, each in a state */
    FIGURE_TABLE,
    FIGURE_ABSENT, /* what the run cannot show, and why: `absent` */
};

struct figure_axis {
    char *label; /* "latency"; NULL: none */
    char *unit;  /* "ms", "instructions", "%"; NULL: a plain number */
    bool logarithmic;
};

struct figure_series {
    char *name;
    size_t n;
    double *x, *y;
    double *low, *high; /* NULL: none. Bins of a histogram, or where a deviation begins and ends */
    size_t capacity;
    /* Too dense to be read: not in pictures, and on a page once a reader asks for it. Such series
     * are the last ones. */
    bool aside;
    /* A line to hold the others against, as a limit or an expected value: drawn as a thin dashed
     * line with its name, whatever the kind of the figure; beside bars a page has a mark, and an
     * SVG file a bar. */
    bool reference;
};

struct figure_span {
    double begin, end; /* end >= begin */
    uint32_t lane;
    uint32_t state;
};

struct figure_list {
    char **item;
    size_t count, capacity;
};

/* The section of the figures that a run is first judged by (tools/show/run_page.h): small ones,
 * each of a bench or of a kind of benches. */
#define FIGURE_SECTION_KEY "At a glance"

struct figure {
    enum figure_kind kind;
    char *id;      /* unique among the figures: "echo-profile": letters, digits and hyphens */
    char *section; /* under which head it stands; figures of one section follow each other */
    char *title;
    char *how; /* in one line: how it was measured, and what it includes and excludes */
    char *absent;
    /* One of several figures for the same place, of which a reader sees one at a time: "response".
     * NULL: it stands alone. `beside`: another is the one that was chosen; it is in no file. */
    char *variant;
    bool beside;
    struct figure_axis x, y;

    struct figure_series *series;
    size_t series_count, series_capacity;
    /* A length in units of y (of x, where it is a histogram) that the reader may move: how many
     * events are above it, what share of all y they have, and the mean and deviation of the
     * intervals between their x, is printed. */
    bool has_threshold;
    double threshold;
    char *threshold_name; /* "0.1 s"; NULL: none */
    /* FIGURE_STEPS: the reader may see the first series, or the one that stands aside, averaged
     * over any length. */
    bool averaged;

    struct figure_list groups;  /* FIGURE_BARS */
    struct figure_list rows;    /* FIGURE_HEAT */
    struct figure_list columns; /* FIGURE_HEAT; FIGURE_TABLE: heads */
    double *values;             /* FIGURE_HEAT: of row r and column c at [r * columns.count + c] */
    struct figure_list lanes;   /* FIGURE_TIMELINE */
    struct figure_list states;
    struct figure_span *spans; /* in any order; those of a lane do not overlap */
    size_t span_count, span_capacity;
    char *alignment;          /* FIGURE_TABLE: a letter a column, l or r */
    struct figure_list cells; /* row by row; "": empty */
};

/* In the order in which they are to stand. */
struct figures {
    struct figure *item;
    size_t count, capacity;
};

void figures_init(struct figures *figures);
void figures_free(struct figures *figures);

/* A figure at the end of the list, valid until the next is added. The id's other characters become
 * hyphens; one that is taken gets a number behind it. */
__attribute__((format(printf, 5, 6))) struct figure *
figure_add(struct figures *figures, enum figure_kind kind, const char *section, const char *title,
           const char *id, ...);
__attribute__((format(printf, 2, 3))) void figure_how(struct figure *figure, const char *how, ...);
/* To stand under another head. */
void figure_move(struct figure *figure, const char *section);
void figure_variant(struct figure *figure, const char *variant, bool chosen);
void figure_threshold(struct figure *figure, double threshold, const char *name);
void figure_axes(struct figure *figure, const char *x_label, const char *x_unit,
                 const char *y_label, const char *y_unit);
__attribute__((format(printf, 2, 3))) void figure_absent(struct figure *figure, const char *why,
                                                         ...);
/* In the place of a figure: why there is none. */
__attribute__((format(printf, 5, 6))) void figure_add_absent(struct figures *figures,
                                                             const char *section, const char *title,
                                                             const char *id, const char *why, ...);

/* Valid until the next series is added. */
struct figure_series *figure_add_series(struct figure *figure, const char *name);
/* The same of a reference; of a constant two points suffice. */
struct figure_series *figure_add_reference(struct figure *figure, const char *name);
void figure_add_point(struct figure_series *series, double x, double y);
/* A bin from `low` to `high`, or a bar or point with its deviation; of a series either all points
 * or none are added like this. The x of a bin is its middle, that of a bar is its group's number.
 */
void figure_add_range(struct figure_series *series, double x, double y, double low, double high);

void figure_add_group(struct figure *figure, const char *name);
void figure_add_row(struct figure *figure, const char *name);
void figure_add_column(struct figure *figure, const char *name);
/* Once all rows and columns are there; the others are NAN. */
void figure_set_value(struct figure *figure, size_t row, size_t column, double value);
/* Each returns the number that spans are to have; one that is there is not added again. */
uint32_t figure_add_lane(struct figure *figure, const char *name);
uint32_t figure_add_state(struct figure *figure, const char *name);
void figure_add_span(struct figure *figure, uint32_t lane, uint32_t state, double begin,
                     double end);

/* "lrr", and as many heads. */
void figure_table(struct figure *figure, const char *alignment, const char *const *heads);
/* The same from a format with a tab between two heads. */
__attribute__((format(printf, 3, 4))) void figure_open(struct figure *figure, const char *alignment,
                                                       const char *heads, ...);
/* Cells one after the other, row by row; a tab in the format begins the next one. */
__attribute__((format(printf, 2, 3))) void figure_cell(struct figure *figure, const char *cells,
                                                       ...);

/*
 * Leaves of each series about `most` points or fewer: of each of equally wide parts of x, in order,
 * the first, the least, the greatest and the last (of sticks, points and bins the greatest comes
 * first in importance: it is never left out). Series with no more than `most` points, those of
 * bars, and those whose x falls somewhere stay as they are. Spans of a timeline shorter than a 1 /
 * `most` of all its time are joined with their neighbours of the same lane and state; none
 * disappears.
 */
void figure_reduce(struct figure *figure, size_t most);

/* A table that is printed elsewhere: heads from the table's first row, cells from the others. The
 * table is freed. */
__attribute__((format(printf, 5, 6))) struct figure *
figure_add_table(struct figures *figures, const char *section, const char *title,
                 struct table *table, const char *id, ...);

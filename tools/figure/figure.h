/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures: what a picture or a table shows, independent of how it is drawn. The report's page, SVG
 * files and tab-separated values are all made from figures.
 *
 * Texts are copied. A missing number is NAN, never 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table; /* tools/base/table.h */

enum figure_kind {
    FIGURE_LINES,     /* points joined by lines */
    FIGURE_STEPS,     /* each value holds from its x to the next: cumulative curves */
    FIGURE_STICKS,    /* lines from the axis to each point: events over time */
    FIGURE_POINTS,    /* points alone */
    FIGURE_HISTOGRAM, /* bins: point i goes from low[i] to high[i] in x and is y[i] high */
    /* each series has a bar y[i] in groups[i], with deviation low[i] to high[i] */
    FIGURE_BARS,
    FIGURE_HEAT,     /* a matrix of rows and columns */
    FIGURE_STATES,   /* a matrix of transitions from states (rows) to states (columns) */
    FIGURE_TIMELINE, /* lanes of spans, each in a state */
    FIGURE_TABLE,
    FIGURE_ABSENT, /* missing: `absent` states why the run cannot show it */
};

struct figure_axis {
    char *label; /* such as "latency"; NULL: none */
    char *unit;  /* such as "ms", "instructions", "%"; NULL: a plain number */
    bool logarithmic;
    /* The axis shows at least this range, so that figures can have the same axis. Equal: it shows
     * the range of the values. */
    double least, greatest;
};

struct figure_series {
    char *name;
    size_t n;
    double *x, *y;
    double *low, *high; /* ends of bins (histogram) or of deviations; NULL: none */
    size_t capacity;
    /* too dense to be read: left out of pictures, and shown on a page only if a reader asks for it;
     * such series come last */
    bool aside;
    /* A line to compare the others with, such as a limit or an expected value. It is drawn as a
     * thin dashed line with its name, whatever the kind of the figure; among bars, a page draws a
     * mark and an SVG file a bar. */
    bool reference;
};

struct figure_span {
    double begin, end; /* end >= begin */
    uint32_t lane;
    uint32_t state;
    uint32_t name; /* number in span_names, from 1; 0: none */
};

struct figure_list {
    char **item;
    size_t count, capacity;
};

/* The section of the key figures, by which a run is first judged (tools/show/run_page.h): small
 * figures, each of one bench or of benches of one kind. */
#define FIGURE_SECTION_KEY "At a glance"

struct figure {
    enum figure_kind kind;
    /* unique among the figures, such as "echo-profile": letters, digits and hyphens */
    char *id;
    char *section; /* heading under which the figure is; figures of one section follow each other */
    char *title;
    char *how; /* one line: how it was measured, and what it includes and excludes */
    char *absent;
    /* Name of this figure among alternatives, such as "response" among the measures of latency. The
     * page shows one alternative at a time, all in the same place. NULL: no alternatives. */
    char *variant;
    bool beside; /* another alternative was chosen: this figure is not written to a file */
    struct figure_axis x, y;

    struct figure_series *series;
    size_t series_count, series_capacity;
    /* A threshold in units of y (for a histogram, of x) that the reader may move. The page prints
     * the number of events above it, their share of all y, and mean and deviation of the intervals
     * between their x. */
    bool has_threshold;
    double threshold;
    char *threshold_name; /* such as "0.1 s"; NULL: none */
    /* FIGURE_STEPS: the reader may average the first series, or the one that is set aside, over any
     * length. */
    bool averaged;

    struct figure_list groups;  /* FIGURE_BARS */
    struct figure_list rows;    /* FIGURE_HEAT */
    struct figure_list columns; /* FIGURE_HEAT: names of columns; FIGURE_TABLE: headings */
    /* FIGURE_HEAT: value of row r and column c at [r * columns.count + c] */
    double *values;
    struct figure_list lanes; /* FIGURE_TIMELINE */
    struct figure_list states;
    struct figure_span *spans; /* in any order; spans of one lane do not overlap */
    size_t span_count, span_capacity;
    struct figure_list span_names; /* drawn in spans that are wide enough */
    char *alignment;               /* FIGURE_TABLE: a letter for each column, l or r */
    struct figure_list cells;      /* FIGURE_TABLE: row by row; "": empty */
};

/* A list of figures in the order in which they are shown. */
struct figures {
    struct figure *item;
    size_t count, capacity;
};

void figures_init(struct figures *figures);
void figures_free(struct figures *figures);

/* Adds a figure at the end of the list; the pointer is valid until the next is added. Other
 * characters in the id become hyphens, and an id that is taken gets a number appended. */
__attribute__((format(printf, 5, 6))) struct figure *
figure_add(struct figures *figures, enum figure_kind kind, const char *section, const char *title,
           const char *id, ...);
__attribute__((format(printf, 2, 3))) void figure_how(struct figure *figure, const char *how, ...);
/* Moves the figure to another section. */
void figure_move(struct figure *figure, const char *section);
void figure_variant(struct figure *figure, const char *variant, bool chosen);
void figure_threshold(struct figure *figure, double threshold, const char *name);
void figure_axes(struct figure *figure, const char *x_label, const char *x_unit,
                 const char *y_label, const char *y_unit);
static inline void figure_axis_holds(struct figure_axis *axis, double least, double greatest)
{
    axis->least = least;
    axis->greatest = greatest;
}
__attribute__((format(printf, 2, 3))) void figure_absent(struct figure *figure, const char *why,
                                                         ...);
/* Adds, in place of a figure, the reason why there is none. */
__attribute__((format(printf, 5, 6))) void figure_add_absent(struct figures *figures,
                                                             const char *section, const char *title,
                                                             const char *id, const char *why, ...);

/* Adds a series. The pointer is valid until the next series is added. */
struct figure_series *figure_add_series(struct figure *figure, const char *name);
/* Adds a reference series; a constant needs only two points. */
struct figure_series *figure_add_reference(struct figure *figure, const char *name);
void figure_add_point(struct figure_series *series, double x, double y);
/* Adds a bin from `low` to `high`, or a bar or point with its deviation. Add either all points of a
 * series like this or none. The x of a bin is its middle; that of a bar is the number of its group.
 */
void figure_add_range(struct figure_series *series, double x, double y, double low, double high);

void figure_add_group(struct figure *figure, const char *name);
void figure_add_row(struct figure *figure, const char *name);
void figure_add_column(struct figure *figure, const char *name);
/* Sets a value; call it when all rows and columns are added. Values not set are NAN. */
void figure_set_value(struct figure *figure, size_t row, size_t column, double value);
/* Return the number to give to spans. A lane or state that exists is not added again. */
uint32_t figure_add_lane(struct figure *figure, const char *name);
uint32_t figure_add_state(struct figure *figure, const char *name);
void figure_add_span(struct figure *figure, uint32_t lane, uint32_t state, double begin,
                     double end);

/* Names the span that was added last. */
void figure_name_span(struct figure *figure, const char *name);

/* Begins a table. `alignment` has a letter for each column, such as "lrr"; there are as many heads.
 */
void figure_table(struct figure *figure, const char *alignment, const char *const *heads);
/* As figure_table(), with heads from a format in which a tab separates them. */
__attribute__((format(printf, 3, 4))) void figure_open(struct figure *figure, const char *alignment,
                                                       const char *heads, ...);
/* Adds cells, row by row; a tab in the format begins the next cell. */
__attribute__((format(printf, 2, 3))) void figure_cell(struct figure *figure, const char *cells,
                                                       ...);

/*
 * Reduces each series to about `most` points or fewer. Divides the range of x into parts of equal
 * width, and keeps of each part the first, the smallest, the largest and the last point, in their
 * order. The largest point of a series is never lost. Series with at most `most` points, series of
 * bars, and those whose x decreases somewhere are not changed. Spans of a timeline shorter than 1 /
 * `most` of the whole time are joined with neighbours of the same lane and state; no state
 * disappears.
 */
void figure_reduce(struct figure *figure, size_t most);

/* Adds a table that is also printed elsewhere: heads from its first row, cells from the others.
 * Frees the table. */
__attribute__((format(printf, 5, 6))) struct figure *
figure_add_table(struct figures *figures, const char *section, const char *title,
                 struct table *table, const char *id, ...);

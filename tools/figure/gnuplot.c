/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/gnuplot.h"

#include <math.h>
#include <string.h>

#define BAR_SHARE   0.8 /* of a group's room */
#define LABELS_MAX  400 /* cells of a heat map whose values are written into them */
#define LOOK_BYTES  1024
#define LANE_HALF   0.4
#define LEGEND_MAX  12 /* series; more are told by their colours no longer */
#define BELOW_MAX   4  /* series that the legend below the figure has room for */
#define HEIGHT_PX   540
#define LANE_PX     24
#define LANES_AS_IS 14 /* that fit HEIGHT_PX */

/* ---- values ---- */

/* No tab and no line end can be in a cell. */
static void put_cell(FILE *out, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        fputc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
}

static void put_comment(FILE *out, const char *text)
{
    if (text != NULL) {
        fputs("# ", out);
        put_cell(out, text);
        fputc('\n', out);
    }
}

static void put_number(FILE *out, double value, char end)
{
    if (isfinite(value)) {
        fprintf(out, "%.15g%c", value, end);
    } else {
        fprintf(out, "NaN%c", end);
    }
}

/* Can a value stand on the axis? */
static bool fits(const struct figure_axis *axis, double value)
{
    return isfinite(value) && (!axis->logarithmic || value > 0);
}

/* How many of the series' points can be drawn. */
static size_t drawn_points(const struct figure *figure, const struct figure_series *series)
{
    size_t drawn = 0;

    for (size_t i = 0; i < series->n; i++) {
        drawn += fits(&figure->y, series->y[i]) &&
                 (figure->kind == FIGURE_BARS || fits(&figure->x, series->x[i]));
    }
    return drawn;
}

/* Where the bars of a series stand around their group, and how broad each is. */
static double bar_width(const struct figure *figure)
{
    return BAR_SHARE / (double)(figure->series_count > 0 ? figure->series_count : 1);
}

static double bar_offset(const struct figure *figure, size_t series)
{
    return ((double)series - ((double)figure->series_count - 1) / 2) * bar_width(figure);
}

static void put_point(FILE *out, const struct figure *figure, size_t s, size_t i)
{
    const struct figure_series *series = &figure->series[s];
    const bool ranged = series->low != NULL;

    if (figure->kind == FIGURE_HISTOGRAM) {
        put_number(out, ranged ? series->low[i] : series->x[i], '\t');
        put_number(out, ranged ? series->high[i] : series->x[i], '\t');
        put_number(out, series->y[i], '\n');
        return;
    }
    if (figure->kind == FIGURE_BARS) {
        put_number(out, (double)i + bar_offset(figure, s), '\t');
        put_number(out, series->y[i], '\t');
        put_number(out, ranged ? series->low[i] : NAN, '\t');
        put_number(out, ranged ? series->high[i] : NAN, '\t');
        put_cell(out, i < figure->groups.count ? figure->groups.item[i] : "");
        fputc('\n', out);
        return;
    }
    put_number(out, series->x[i], '\t');
    put_number(out, series->y[i], ranged ? '\t' : '\n');
    if (ranged) {
        put_number(out, series->low[i], '\t');
        put_number(out, series->high[i], '\n');
    }
}

/* Blocks are counted by gnuplot, those without a line are not. */
static void put_series(FILE *out, const struct figure *figure)
{
    bool any = false;

    for (size_t s = 0; s < figure->series_count; s++) {
        if (figure->series[s].n == 0) {
            continue;
        }
        fputs(any ? "\n\n" : "", out);
        any = true;
        put_comment(out, figure->series[s].name);
        for (size_t i = 0; i < figure->series[s].n; i++) {
            put_point(out, figure, s, i);
        }
    }
}

static void put_heat(FILE *out, const struct figure *figure)
{
    for (size_t r = 0; r < figure->rows.count; r++) {
        for (size_t c = 0; c < figure->columns.count; c++) {
            fprintf(out, "%zu\t%zu\t", c, r);
            put_number(out, figure->values[r * figure->columns.count + c], '\t');
            put_cell(out, figure->columns.item[c]);
            fputc('\t', out);
            put_cell(out, figure->rows.item[r]);
            fputc('\n', out);
        }
    }
}

static bool has_state(const struct figure *figure, size_t state)
{
    for (size_t i = 0; i < figure->span_count; i++) {
        if (figure->spans[i].state == state) {
            return true;
        }
    }
    return false;
}

static void put_state(FILE *out, const struct figure *figure, size_t state)
{
    put_comment(out, figure->states.item[state]);
    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];

        if (span->state == state) {
            put_number(out, span->begin, '\t');
            put_number(out, span->end, '\t');
            fprintf(out, "%u\t", (unsigned)span->lane);
            put_cell(out, figure->lanes.item[span->lane]);
            fputc('\n', out);
        }
    }
}

static void put_timeline(FILE *out, const struct figure *figure)
{
    bool any = false;

    for (size_t state = 0; state < figure->states.count; state++) {
        if (has_state(figure, state)) {
            fputs(any ? "\n\n" : "", out);
            any = true;
            put_state(out, figure, state);
        }
    }
}

static void put_table(FILE *out, const struct figure *figure)
{
    const struct figure_list *lists[] = {&figure->columns, &figure->cells};
    const size_t columns = figure->columns.count > 0 ? figure->columns.count : 1;

    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            put_cell(out, lists[list]->item[i]);
            fputc((i + 1) % columns == 0 ? '\n' : '\t', out);
        }
    }
}

static void put_axis_comment(FILE *out, const char *name, const struct figure_axis *axis)
{
    if (axis->label != NULL) {
        fprintf(out, "# %s: ", name);
        put_cell(out, axis->label);
        if (axis->unit != NULL) {
            fputs(", ", out);
            put_cell(out, axis->unit);
        }
        fputc('\n', out);
    }
}

void gnuplot_values(FILE *out, const struct figure *figure)
{
    fputs(GNUPLOT_MARK "\n", out);
    put_comment(out, figure->title);
    put_comment(out, figure->how);
    put_comment(out, figure->absent);
    put_axis_comment(out, "x", &figure->x);
    put_axis_comment(out, "y", &figure->y);
    switch (figure->kind) {
    case FIGURE_HEAT:
        put_heat(out, figure);
        break;
    case FIGURE_TIMELINE:
        put_timeline(out, figure);
        break;
    case FIGURE_TABLE:
        put_table(out, figure);
        break;
    case FIGURE_ABSENT:
        break;
    default:
        put_series(out, figure);
        break;
    }
}

/* ---- what can be drawn ---- */

struct extent {
    double low, high;
    bool any;
};

static void extend(struct extent *extent, const struct figure_axis *axis, double value)
{
    if (!fits(axis, value)) {
        return;
    }
    extent->low = extent->any ? fmin(extent->low, value) : value;
    extent->high = extent->any ? fmax(extent->high, value) : value;
    extent->any = true;
}

static void extend_by_series(const struct figure *figure, struct extent *x, struct extent *y)
{
    for (size_t s = 0; s < figure->series_count; s++) {
        const struct figure_series *series = &figure->series[s];
        const bool ranged = series->low != NULL;
        const bool bins = figure->kind == FIGURE_HISTOGRAM;

        for (size_t i = 0; i < series->n; i++) {
            extend(y, &figure->y, series->y[i]);
            extend(x, &figure->x, figure->kind == FIGURE_BARS ? (double)i : series->x[i]);
            if (ranged) {
                extend(bins ? x : y, bins ? &figure->x : &figure->y, series->low[i]);
                extend(bins ? x : y, bins ? &figure->x : &figure->y, series->high[i]);
            }
        }
    }
}

static void extents(const struct figure *figure, struct extent *x, struct extent *y)
{
    *x = (struct extent){0};
    *y = (struct extent){0};
    switch (figure->kind) {
    case FIGURE_HEAT:
        for (size_t i = 0; i < figure->rows.count * figure->columns.count; i++) {
            extend(x, &figure->x, figure->values[i]);
        }
        *y = *x;
        break;
    case FIGURE_TIMELINE:
        for (size_t i = 0; i < figure->span_count; i++) {
            extend(x, &figure->x, figure->spans[i].begin);
            extend(x, &figure->x, figure->spans[i].end);
        }
        *y = *x;
        break;
    case FIGURE_TABLE:
    case FIGURE_ABSENT:
        break;
    default:
        extend_by_series(figure, x, y);
        break;
    }
}

bool gnuplot_draws(const struct figure *figure)
{
    struct extent x;
    struct extent y;

    extents(figure, &x, &y);
    return x.any && y.any;
}

/* ---- scripts ---- */

/* Told apart by most people who confuse some colours, the first eight of them. */
static const char *colour(size_t number)
{
    static const char *const colours[] = {
        "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7",
        "#888888", "#f0e442", "#004d40", "#7b4f9d", "#a6761d", "#222222",
    };

    return colours[number % (sizeof(colours) / sizeof(colours[0]))];
}

/* Between single quotes only these mean something; in `format`s, such as labels of tics, % as well.
 */
static void put_string(FILE *out, const char *text, bool format)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'' || (*text == '%' && format)) {
            fputc(*text, out);
        }
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

static void put_quoted(FILE *out, const char *text)
{
    put_string(out, text, false);
}

static void put_label(FILE *out, const char *name, const struct figure_axis *axis)
{
    char label[200];

    if (axis->label == NULL && axis->unit == NULL) {
        return;
    }
    snprintf(label, sizeof(label), axis->label != NULL && axis->unit != NULL ? "%s (%s)" : "%s%s",
             axis->label != NULL ? axis->label : "", axis->unit != NULL ? axis->unit : "");
    fprintf(out, "set %slabel ", name);
    put_quoted(out, label);
    fputc('\n', out);
}

/* Sticks, bars and bins stand on 0. An axis of no length would be complained about. Returns where
 * it begins. */
static double put_range(FILE *out, const char *name, const struct figure_axis *axis,
                        const struct extent *extent, bool from_zero)
{
    double low = extent->low;
    double high = extent->high;

    if (axis->logarithmic) {
        fprintf(out, "set logscale %s\n", name);
        low = from_zero ? low / 2 : low / 1.1;
        high *= 1.2;
    } else {
        low = from_zero ? fmin(low, 0) : low;
        high = from_zero ? fmax(high, 0) : high;
        const double room = high > low ? (high - low) / 20 : fmax(fabs(high), 1) / 20;

        low -= from_zero && low >= 0 ? 0 : room;
        high += room;
    }
    fprintf(out, "set %srange [%.15g:%.15g]\n", name, low, high);
    return low;
}

static void put_tics(FILE *out, const char *axis, const struct figure_list *names,
                     const char *options)
{
    fprintf(out, "set %stics %s(", axis, options);
    for (size_t i = 0; i < names->count; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_string(out, names->item[i], true);
        fprintf(out, " %zu", i);
    }
    fputs(")\n", out);
}

static bool is_ascii(const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        if ((unsigned char)*text > 0x7f) {
            return false;
        }
    }
    return true;
}

/* Where a locale knows no UTF-8 gnuplot warns of the encoding: it is set only where it must be. */
static bool needs_utf8(const struct figure *figure)
{
    const char *const texts[] = {figure->title, figure->x.label, figure->x.unit, figure->y.label,
                                 figure->y.unit};
    const struct figure_list *const lists[] = {&figure->groups, &figure->rows, &figure->columns,
                                               &figure->lanes, &figure->states};
    bool ascii = true;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ascii = ascii && is_ascii(texts[i]);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (size_t k = 0; k < lists[i]->count; k++) {
            ascii = ascii && is_ascii(lists[i]->item[k]);
        }
    }
    for (size_t i = 0; i < figure->series_count; i++) {
        ascii = ascii && is_ascii(figure->series[i].name);
    }
    return !ascii;
}

static void put_head(FILE *out, const struct figure *figure)
{
    const size_t lanes = figure->kind == FIGURE_HEAT ? figure->rows.count : figure->lanes.count;
    const size_t more = lanes > LANES_AS_IS ? (lanes - LANES_AS_IS) * LANE_PX : 0;

    fputs(GNUPLOT_MARK "\n", out);
    put_comment(out, figure->how);
    /* Scripts are run one behind the other. */
    fprintf(out, "reset\nset terminal svg size 960,%zu noenhanced background 'white'\n",
            HEIGHT_PX + more);
    fprintf(out, "set output '%s.svg'\n", figure->id);
    fputs(needs_utf8(figure) ? "set encoding utf8\n" : "", out);
    fputs("set datafile separator \"\\t\"\nset datafile missing 'NaN'\n", out);
    fputs("set title ", out);
    put_quoted(out, figure->title);
    fprintf(out, "\nset key outside %s noenhanced\nset grid\n",
            figure->series_count + figure->states.count > BELOW_MAX ? "right top reverse Left"
                                                                    : "below");
    put_label(out, "x", &figure->x);
    put_label(out, "y", &figure->y);
}

static void put_threshold(FILE *out, const struct figure *figure)
{
    if (!figure->has_threshold) {
        return;
    }
    if (figure->kind == FIGURE_HISTOGRAM) {
        fprintf(out, "set arrow from first %.15g, graph 0 to first %.15g, graph 1 nohead dt 2\n",
                figure->threshold, figure->threshold);
    } else {
        fprintf(out, "set arrow from graph 0, first %.15g to graph 1, first %.15g nohead dt 2\n",
                figure->threshold, figure->threshold);
    }
}

/* What follows "plot FILE index N". */
static void put_style(FILE *out, const struct figure *figure, const struct figure_series *series)
{
    switch (figure->kind) {
    case FIGURE_LINES:
        fputs("using 1:2 with linespoints pointsize 0.4", out);
        break;
    case FIGURE_STEPS:
        fputs("using 1:2 with steps", out);
        break;
    case FIGURE_STICKS:
        fputs("using 1:2 with impulses", out);
        break;
    case FIGURE_HISTOGRAM:
        fputs(series->low != NULL ? "using (($1+$2)/2):3:($2-$1) with boxes fill solid 0.5"
                                  : "using 1:3 with impulses linewidth 2",
              out);
        break;
    case FIGURE_BARS:
        fprintf(out, "using 1:2:(%.6g) with boxes fill solid 0.5", bar_width(figure));
        break;
    default:
        fputs("using 1:2 with points pointtype 7 pointsize 0.4", out);
        break;
    }
}

static void put_plot(FILE *out, const struct figure *figure, size_t block, bool *any)
{
    fprintf(out, "%s '%s.tsv' index %zu ", *any ? ", \\\n    " : "plot", figure->id, block);
    *any = true;
}

/* Of any point that is drawn. */
static bool has_deviation(const struct figure *figure, const struct figure_series *series)
{
    for (size_t i = 0; series->low != NULL && i < series->n; i++) {
        if (fits(&figure->y, series->y[i]) && isfinite(series->low[i]) &&
            isfinite(series->high[i])) {
            return true;
        }
    }
    return false;
}

/* What of it lies below a logarithmic axis, `low`, is cut off. */
static void put_deviation(FILE *out, const struct figure *figure, double low)
{
    char from[64] = "$3";

    if (figure->y.logarithmic) {
        snprintf(from, sizeof(from), "($3 > %.15g ? $3 : %.15g)", low, low);
    }
    fprintf(out,
            "using 1:(%s):(0):($4 - %s) with vectors heads size graph 0.004,90 linecolor 'gray30' "
            "notitle",
            from, from);
}

/* Deviations are drawn over their bars and points. */
static void plot_series(FILE *out, const struct figure *figure, double low)
{
    size_t block = 0;
    bool any = false;

    for (size_t s = 0; s < figure->series_count; s++) {
        const struct figure_series *series = &figure->series[s];

        if (series->n == 0) {
            continue; /* nor does gnuplot count it */
        }
        if (drawn_points(figure, series) > 0) {
            put_plot(out, figure, block, &any);
            put_style(out, figure, series);
            fprintf(out, " linecolor rgb '%s' ", colour(s));
            if (figure->series_count > LEGEND_MAX) {
                fputs("notitle", out);
            } else {
                fputs("title ", out);
                put_quoted(out, series->name != NULL ? series->name : "");
            }
            if (figure->kind != FIGURE_HISTOGRAM && has_deviation(figure, series)) {
                put_plot(out, figure, block, &any);
                put_deviation(out, figure, low);
            }
        }
        block++;
    }
    fputc('\n', out);
}

static void script_series(FILE *out, const struct figure *figure)
{
    const bool stands = figure->kind == FIGURE_STICKS || figure->kind == FIGURE_HISTOGRAM ||
                        figure->kind == FIGURE_BARS;
    struct extent x;
    struct extent y;

    extents(figure, &x, &y);
    const double low = put_range(out, "y", &figure->y, &y, stands);

    if (figure->kind == FIGURE_BARS) {
        fprintf(out, "set xrange [-0.6:%.15g]\n", (double)figure->groups.count - 0.4);
        put_tics(out, "x", &figure->groups, "rotate by -30 noenhanced ");
    } else {
        put_range(out, "x", &figure->x, &x, false);
    }
    if (figure->series_count > LEGEND_MAX) {
        fputs("unset key\n", out);
    }
    put_threshold(out, figure);
    plot_series(out, figure, low);
}

static void script_heat(FILE *out, const struct figure *figure)
{
    struct extent values;
    struct extent same;

    extents(figure, &values, &same);
    fprintf(out, "set xrange [-0.5:%.15g]\nset yrange [%.15g:-0.5]\n",
            (double)figure->columns.count - 0.5, (double)figure->rows.count - 0.5);
    put_tics(out, "x", &figure->columns, "rotate by -30 noenhanced ");
    put_tics(out, "y", &figure->rows, "noenhanced ");
    fprintf(out, "set cbrange [%.15g:%.15g]\n", values.low,
            values.high > values.low ? values.high : values.low + fmax(fabs(values.low), 1));
    fputs("unset key\nset palette defined (0 '#f7fbff', 1 '#9ecae1', 2 '#4292c6')\n", out);
    fprintf(out,
            "plot '%s.tsv' using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 "
            "with boxxyerror fill solid noborder linecolor palette",
            figure->id);
    if (figure->rows.count * figure->columns.count <= LABELS_MAX) {
        fprintf(out,
                ", \\\n     '' using 1:2:(sprintf('%%.4g', $3)) with labels textcolor 'black'");
    }
    fputc('\n', out);
}

/* Borders keep spans visible that are narrower than a pixel. */
static void script_timeline(FILE *out, const struct figure *figure)
{
    struct extent time;
    struct extent same;
    size_t block = 0;
    bool any = false;

    extents(figure, &time, &same);
    put_range(out, "x", &figure->x, &time, false);
    fprintf(out, "set yrange [%.15g:-0.5]\n", (double)figure->lanes.count - 0.5);
    put_tics(out, "y", &figure->lanes, "noenhanced ");
    for (size_t state = 0; state < figure->states.count; state++) {
        if (!has_state(figure, state)) {
            continue;
        }
        put_plot(out, figure, block++, &any);
        fprintf(out,
                "using 1:3:1:2:($3-%.1f):($3+%.1f) with boxxyerror linecolor rgb '%s' "
                "fill solid border title ",
                LANE_HALF, LANE_HALF, colour(state));
        put_quoted(out, figure->states.item[state]);
    }
    fputc('\n', out);
}

void gnuplot_script(FILE *out, const struct figure *figure)
{
    put_head(out, figure);
    switch (figure->kind) {
    case FIGURE_HEAT:
        script_heat(out, figure);
        break;
    case FIGURE_TIMELINE:
        script_timeline(out, figure);
        break;
    default:
        script_series(out, figure);
        break;
    }
}

/* ---- former exports ---- */

static bool begins_with(const char *path, const char *text, bool anywhere)
{
    char bytes[LOOK_BYTES + 1] = "";
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const size_t length = fread(bytes, 1, LOOK_BYTES, file);

    fclose(file);
    bytes[length] = '\0';
    return anywhere ? strstr(bytes, text) != NULL : strncmp(bytes, text, strlen(text)) == 0;
}

bool gnuplot_is_own(const char *path)
{
    const char *end = strrchr(path, '.');

    if (end == NULL) {
        return false;
    }
    if (strcmp(end, ".svg") == 0) {
        return begins_with(path, "Produced by GNUPLOT", true);
    }
    return (strcmp(end, ".gp") == 0 || strcmp(end, ".tsv") == 0) &&
           begins_with(path, GNUPLOT_MARK "\n", false);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/bench/model/sweep_rows.h"
#include "tools/bench/model/view_model.h"
#include "tools/figure/figure.h"
#include "tools/present/figure_kit.h"
#include "tools/sim/results/sweep.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/unit.h"

#define POINTS 7

/* ---- points ---- */

static void test_points(void)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_sweep sweep;

    CHECK(sim_sweep_read(&sweep, "occupancy.low=0.1:0.8:0.05", error));
    CHECK_TEXT(sweep.name, "occupancy.low");
    CHECK_EQUAL(sweep.points, 15);
    /* Added up they would be 0.30000000000000004 and 0.7999999999999999. */
    CHECK(sim_sweep_setting(&sweep, 1) == 0.1);
    CHECK(sim_sweep_setting(&sweep, 5) == 0.3);
    CHECK(sim_sweep_setting(&sweep, 15) == 0.8);
    CHECK(sim_sweep_read(&sweep, "x=0:1:0.3", error));
    CHECK_EQUAL(sweep.points, 4);
    CHECK(sim_sweep_read(&sweep, "x=5:5:1", error));
    CHECK_EQUAL(sweep.points, 1);
    CHECK(sim_sweep_read(&sweep, "x=-1:1:0.5", error));
    CHECK_EQUAL(sweep.points, 5);
    CHECK(sim_sweep_setting(&sweep, 3) == 0);
    CHECK(sim_sweep_read(&sweep, "x=0:0.9999:0.0001", error));
    CHECK_EQUAL(sweep.points, 10000);
}

static void test_refused(void)
{
    static const char *const texts[] = {
        "",          "x",          "x=",         "x=1",       "x=1:2",     "x=1:2:",  "x=1:2:0",
        "x=1:2:-1",  "x=2:1:1",    "x=1:2:1:1",  "x=1:2:1 ",  "=1:2:1",    "x=a:2:1", "x=1:nan:1",
        "x=1:inf:1", "x=1:2:1e-9", "x=1:2e12:1", "x=0:1:nan", "x=0:1:0x1z"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char error[SIM_LAW_ERROR_MAX] = "";
        struct sim_sweep sweep;

        CHECK(!sim_sweep_read(&sweep, texts[i], error));
        CHECK(error[0] != '\0');
    }
}

/* ---- rows ---- */

/* Point 6 is refused; of point 2 one number is unknown, of none the interval of another. */
static void add_row(struct sweep_rows *rows, size_t point)
{
    struct sweep_row *row = sweep_rows_add(rows);

    row->point = point;
    row->setting = 0.1 * (double)point;
    if (point == 6) {
        row->why = "line 4: occupancies: they add to 1: \"too much\"";
        return;
    }
    row->occupancy = 0.05 * (double)point;
    row->replications = 10 + point;
    row->warm_up = 2.5;
    for (size_t i = 0; i < rows->subject_count * SWEEP_MEASURES; i++) {
        row->amount[i].value = (double)point + (double)i / 8;
        row->amount[i].half = i == 3 ? NAN : 0.25;
    }
    if (point == 2) {
        row->amount[4].value = NAN;
    }
}

static void make_sweep(struct run *run)
{
    struct sweep_rows rows = {
        .spec = "occupancy.low=0.1:0.7:0.1",
        .seed = 5,
        .points = POINTS,
    };

    run_init(run);
    run_add_pair(run, &run->info, "kind", "model");
    run_add_pair(run, &run->info, "version", "0");
    run->plan_text = "a model";
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run->ended = true;
    sweep_rows_add_subject(&rows, "special.transit");
    for (size_t point = 1; point <= POINTS; point++) {
        add_row(&rows, point);
    }
    sweep_rows_publish(&rows, run);
    sweep_rows_free(&rows);
}

/* By way of a file. */
static void test_rows(void)
{
    char path[] = "/tmp/unit_sweep.XXXXXX";
    char error[RUNFILE_ERROR_MAX];
    struct sweep_rows rows;
    struct run run;
    struct run back;

    make_sweep(&run);
    run_init(&back);
    const int file = mkstemp(path);

    CHECK(file >= 0);
    close(file);
    CHECK(runfile_write(path, &run, error));
    CHECK(runfile_read(path, &back, error));
    CHECK(sweep_rows_read(run_find_bench(&back, SWEEP_BENCH), &rows));
    CHECK_EQUAL(rows.count, POINTS);
    CHECK_EQUAL(rows.seed, 5);
    CHECK_EQUAL(rows.subject_count, 1);
    CHECK_TEXT(rows.subjects[0], "special.transit");
    CHECK(fabs(rows.rows[2].setting - 0.3) < 1e-12);
    CHECK(fabs(rows.rows[2].amount[1].value - 3.125) < 1e-9);
    CHECK(isnan(rows.rows[2].amount[3].half));
    CHECK(isnan(rows.rows[1].amount[4].value));
    CHECK_EQUAL(rows.rows[6].replications, 17);
    CHECK_TEXT(rows.rows[5].why, "line 4: occupancies: they add to 1: \"too much\"");
    CHECK(rows.rows[4].why == NULL);
    sweep_rows_free(&rows);
    run_free(&run);
    run_free(&back);
    unlink(path);
}

static void test_damaged(void)
{
    struct sweep_rows rows;
    struct run run;

    make_sweep(&run);
    struct run_bench *bench = run_find_bench(&run, SWEEP_BENCH);

    CHECK(sweep_rows_read(bench, &rows));
    sweep_rows_free(&rows);
    run_find_series(bench, "point")->samples[0] = 3; /* there twice */
    CHECK(!sweep_rows_read(bench, &rows));
    run_find_series(bench, "point")->samples[0] = 1;
    bench->facts[0].value = 8; /* points: one is missing */
    CHECK(!sweep_rows_read(bench, &rows));
    bench->facts[0].value = POINTS;
    CHECK(sweep_rows_read(bench, &rows));
    sweep_rows_free(&rows);
    run_free(&run);
}

/* ---- the figure ---- */

static void test_figure(void)
{
    struct figures figures;
    struct run run;

    make_sweep(&run);
    figures_init(&figures);
    figures_sweep(&figures, &run);
    CHECK_EQUAL(figures.count, 1);
    const struct figure *figure = &figures.item[0];

    CHECK_TEXT(figure->id, "sweep-special-transit");
    CHECK_EQUAL(figure->series_count, SWEEP_MEASURES);
    CHECK_EQUAL(figure->series[0].n, POINTS - 1);
    CHECK_EQUAL(figure->series[4].n, POINTS - 2);
    CHECK(fabs(figure->series[3].y[0] - 1.375) < 1e-9);
    CHECK(fabs(figure->series[0].low[0] - 0.75) < 1e-9);
    CHECK(strstr(figure->how, "1 point was refused") != NULL);
    CHECK(strstr(figure->how, "not measured") != NULL);
    figures_free(&figures);
    run_free(&run);
}

int main(void)
{
    RUN(test_points());
    RUN(test_refused());
    RUN(test_rows());
    RUN(test_damaged());
    RUN(test_figure());
    return unit_finish("unit_sweep");
}

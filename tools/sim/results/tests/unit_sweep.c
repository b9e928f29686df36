/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/bench/model/sweep_rows.h"
#include "tools/figure/figure.h"
#include "tools/show/run_figures.h"
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

static void test_shards(void)
{
    for (size_t shards = 1; shards <= 9; shards++) {
        for (size_t point = 1; point <= 20; point++) {
            size_t owners = 0;

            for (size_t shard = 1; shard <= shards; shard++) {
                owners += sweep_shard_has(point, shard, shards);
            }
            CHECK_EQUAL(owners, 1);
        }
    }
    CHECK(sweep_shard_has(1, 1, 3));
    CHECK(sweep_shard_has(5, 2, 3));
}

/* ---- rows ---- */

/* Point 6 is refused; of point 2 one number is not known, of none the interval of another. */
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

static void make_shard(struct run *run, size_t shard, size_t shards)
{
    struct sweep_rows rows = {
        .spec = "occupancy.low=0.1:0.7:0.1",
        .seed = 5,
        .points = POINTS,
        .shard = shard,
        .shards = shards,
    };

    run_init(run);
    run_add_pair(run, &run->info, "kind", "model");
    run_add_pair(run, &run->info, "version", "0");
    run->plan_text = "a model";
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run->ended = true;
    sweep_rows_add_subject(&rows, "special.transit");
    for (size_t point = 1; point <= POINTS; point++) {
        if (sweep_shard_has(point, shard, shards)) {
            add_row(&rows, point);
        }
    }
    sweep_rows_publish(&rows, run);
    sweep_rows_free(&rows);
}

static char *printed(const struct run *run)
{
    struct sweep_rows rows;
    char *text = NULL;
    size_t size;

    if (!sweep_rows_read(run_find_bench(run, SWEEP_BENCH), &rows)) {
        return NULL;
    }
    FILE *out = open_memstream(&text, &size);
    struct json json;

    sweep_rows_print(&rows, out);
    json_start(&json, out);
    json_object(&json, NULL);
    sweep_rows_json(&rows, &json);
    json_close(&json);
    fclose(out);
    sweep_rows_free(&rows);
    return text;
}

/* By way of a file. */
static void test_rows(void)
{
    char path[] = "/tmp/unit_sweep.XXXXXX";
    char error[RUNFILE_ERROR_MAX];
    struct sweep_rows rows;
    struct run run;
    struct run back;

    make_shard(&run, 1, 1);
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

    make_shard(&run, 2, 3);
    struct run_bench *bench = run_find_bench(&run, SWEEP_BENCH);

    CHECK(sweep_rows_read(bench, &rows));
    sweep_rows_free(&rows);
    run_find_series(bench, "point")->samples[0] = 3; /* of another shard */
    CHECK(!sweep_rows_read(bench, &rows));
    run_find_series(bench, "point")->samples[0] = 2;
    bench->facts[0].value = 8; /* points: one more is of this shard */
    CHECK(!sweep_rows_read(bench, &rows));
    bench->facts[0].value = POINTS;
    bench->facts[1].value = 0; /* shard */
    CHECK(!sweep_rows_read(bench, &rows));
    bench->facts[1].value = 2;
    CHECK(sweep_rows_read(bench, &rows));
    sweep_rows_free(&rows);
    run_free(&run);
}

/* ---- shards together ---- */

#define SHARDS 3

struct shards {
    struct run run[SHARDS];
    struct run part[SHARDS]; /* the same, in the order in which they are given */
    int64_t number[SHARDS];
    struct run whole;
    char error[SWEEP_ERROR_MAX];
};

static void make_shards(struct shards *shards)
{
    static const size_t order[SHARDS] = {3, 1, 2}; /* as they may come */

    for (size_t i = 0; i < SHARDS; i++) {
        make_shard(&shards->run[i], order[i], SHARDS);
        shards->part[i] = shards->run[i];
        shards->number[i] = (int64_t)i + 11;
    }
    run_init(&shards->whole);
}

static void free_shards(struct shards *shards)
{
    for (size_t i = 0; i < SHARDS; i++) {
        run_free(&shards->run[i]);
    }
    run_free(&shards->whole);
}

static void test_merge(void)
{
    struct shards shards;
    struct run one;

    make_shards(&shards);
    make_shard(&one, 1, 1);
    CHECK(sweep_merge(&shards.whole, shards.part, shards.number, SHARDS, shards.error));
    char *merged = printed(&shards.whole);
    char *alone = printed(&one);

    CHECK(alone != NULL && strstr(alone, "0.6 is refused: line 4") != NULL);
    CHECK_TEXT(merged, alone);
    free(merged);
    free(alone);
    run_free(&one);
    free_shards(&shards);
}

static void check_unmerged(struct shards *shards, size_t count, const char *why)
{
    CHECK(!sweep_merge(&shards->whole, shards->part, shards->number, count, shards->error));
    CHECK(strstr(shards->error, why) != NULL);
    CHECK_EQUAL(shards->whole.bench_count, 0);
}

static void test_unmerged(void)
{
    struct shards shards;

    make_shards(&shards);
    check_unmerged(&shards, 2, "of 3 shards these are not there: 2;");
    check_unmerged(&shards, 1, "not there: 1, 2;");
    check_unmerged(&shards, 0, "no shard");
    shards.part[2] = shards.part[0];
    check_unmerged(&shards, SHARDS, "shard 3 of 3 is there twice, as runs 11 and 13");
    shards.part[2] = shards.run[2];
    shards.part[2].plan_text = "a model of other passes";
    check_unmerged(&shards, SHARDS, "run 13 is another model");
    shards.part[2].plan_text = "a model";
    run_find_bench(&shards.run[1], SWEEP_BENCH)->facts[3].value = 6;
    check_unmerged(&shards, SHARDS, "run 12 is of another seed");
    run_find_bench(&shards.run[1], SWEEP_BENCH)->name = "idle";
    check_unmerged(&shards, SHARDS, "run 12 holds no sweep");
    free_shards(&shards);
}

/* ---- the figure ---- */

static void test_figure(void)
{
    struct figures figures;
    struct run run;

    make_shard(&run, 1, 1);
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
    RUN(test_shards());
    RUN(test_rows());
    RUN(test_damaged());
    RUN(test_merge());
    RUN(test_unmerged());
    RUN(test_figure());
    return unit_finish("unit_sweep");
}

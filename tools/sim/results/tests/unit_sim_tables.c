/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of outcomes that are known without chance, and the paper's own numbers. */
#include <math.h>
#include <stdlib.h>

#include "tools/sim/results/tables.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

/* Quanta of 1 at 4, 8, 12, ...; the stimulus of 2 low and 1 high at 10, 20, ...: of five quanta one
 * waits 1 for the high portion, and one waits 3 for a stimulus that comes at the same instant and
 * was settled before. */
static const char regular[] = "levels low high\n"
                              "load low service 1 arrivals every 4\n"
                              "stimulus special arrivals every 10 route low 2, high 1\n"
                              "passes 100\n";
static const char paper[] = "10000\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n";

static bool read_model(struct sim_model *model, const char *text)
{
    struct sim_model_error error = {0};
    const bool good = sim_model_read(model, text, strlen(text), ".", NULL, 0, &error);

    CHECK_TEXT(error.text, "");
    return good;
}

static bool make(struct sim_result *result, const char *text, enum sim_column column,
                 const struct sim_replication_plan *plan)
{
    static const char *const names[] = {"poisson", "uniform"};
    char error[SIM_LAW_ERROR_MAX] = "";

    if (!read_model(&result->model, text)) {
        return false;
    }
    result->arrivals = names[column];
    sim_model_arrive(&result->model, column);
    const bool good = sim_replicate(&result->model, plan, &result->outcome, error);

    CHECK_TEXT(error, "");
    return good;
}

static void free_result(struct sim_result *result)
{
    sim_outcome_free(&result->outcome);
    sim_model_free(&result->model);
}

static bool has(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        return true;
    }
    fprintf(stderr, "not there: %s\nin:\n%s", part, text);
    return false;
}

static void test_regular(void)
{
    static const double classes[] = {3.5, 5};
    const struct sim_replication_plan plan = {
        .limits = {.seed = 1, .passes = 100},
        .replications = 2,
        .transit_points = classes,
        .transit_count = 2,
        .waits = true,
    };
    struct sim_result result;
    char *text;
    size_t length;
    FILE *const out = open_memstream(&text, &length);

    CHECK(make(&result, regular, SIM_POISSON_ARRIVALS, &plan));
    sim_print_plan(out, &result, &plan);
    sim_print_result(out, &result);
    sim_print_definitions(out, &result.outcome.statistics);
    fclose(out);
    CHECK(has(text, "2 replications of 100 passes, seed 1\n"));
    CHECK(has(text, "Stimulus  transit     +-  deviation"));
    CHECK(has(text, "\nspecial     3.000  0.000      0.000  3.00  3.00"));
    CHECK(has(text, "below 3.5    100.0  0.000       100.0\n"));
    CHECK(has(text, "above 5      0.000  0.000       100.0\n"));
    CHECK(has(text, "  40.00 %  0.800  0.000     2.000  3.00"));
    CHECK(has(text, "\nhigh              10.00"));
    CHECK(has(text, "\nlow               45.00"));
    CHECK(has(text, "\ntotal             55.00"));
    CHECK(has(text,
              "\nspecial.3.5-5 (percent): passes whose transit time is in this class; a class"));
    CHECK(strstr(text, "nan") == NULL);
    free(text);
    free_result(&result);
}

static void test_classes(void)
{
    static const double points[] = {20, 30, 0.5e3};
    char text[TABLE_CELL_MAX];

    sim_class_text(points, 3, 0, text);
    CHECK_TEXT(text, "below 20");
    sim_class_text(points, 3, 2, text);
    CHECK_TEXT(text, "30 to 500");
    sim_class_text(points, 3, 3, text);
    CHECK_TEXT(text, "above 500");
}

/* Copied from the paper: sums and ratios of its numbers must hold. */
static void test_paper_numbers(void)
{
    double poisson = 0;
    double uniform = 0;

    for (size_t i = 0; i < PAPER_CLASSES; i++) {
        poisson += paper_classes[i][0];
        uniform += paper_classes[i][1];
    }
    NEAR(poisson, 100, 1e-9);
    NEAR(uniform, 100, 1e-9);
    /* Average wait over the part that waits is the non-zero average, to the paper's digits. */
    NEAR(paper_rows[3].poisson / paper_rows[4].poisson * 100, paper_rows[5].poisson, 0.02);
    NEAR(paper_rows[3].uniform / paper_rows[4].uniform * 100, paper_rows[5].uniform, 0.02);
    NEAR(paper_rows[6].poisson / paper_rows[7].poisson * 100, paper_rows[8].poisson, 0.02);
    NEAR(paper_rows[6].uniform / paper_rows[7].uniform * 100, paper_rows[8].uniform, 0.03);
    const struct sim_estimate estimate = {.mean = 15.713, .deviation = 0.047};

    NEAR(paper_z(15.63, &estimate), -1.766, 0.001);
    CHECK(isnan(paper_z(1, &(struct sim_estimate){.mean = 1, .deviation = NAN})));
}

static bool is_reconstruction(const char *text)
{
    struct sim_model model;
    bool is = false;

    if (read_model(&model, text)) {
        is = paper_is_reconstruction(&model);
        sim_model_free(&model);
    }
    return is;
}

static void test_reconstruction(void)
{
    CHECK(is_reconstruction(paper));
    CHECK(
        !is_reconstruction("10000\n2.2 13 15\n1.5 30 3\n20 11\n3\n7.1 low\n5.5 medium\n0.3 low\n"));
    CHECK(
        !is_reconstruction("10000\n2.2 13 14\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n"));
    CHECK(!is_reconstruction("10000\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 low\n0.3 low\n"));
    CHECK(!is_reconstruction("500\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n"));
    CHECK(!is_reconstruction(regular));
}

static void test_paper_tables(void)
{
    static const double classes[] = {20, 30, 40, 50, 60, 70};
    const struct sim_replication_plan plan = {
        .limits = {.seed = 1, .passes = 300},
        .replications = 3,
        .transit_points = classes,
        .transit_count = 6,
    };
    struct sim_result results[2];
    char *text;
    size_t length;
    FILE *const out = open_memstream(&text, &length);
    struct json json;

    CHECK(make(&results[0], paper, SIM_POISSON_ARRIVALS, &plan));
    CHECK(make(&results[1], paper, SIM_UNIFORM_ARRIVALS, &plan));
    paper_print(out, &results[0], &results[1]);
    paper_print_comparison(out, &results[0], &results[1]);
    paper_print_definitions(out);
    sim_json_start(&json, out, &plan, results, 2);
    sim_json_paper(&json, &results[0], &results[1]);
    json_close(&json);
    fclose(out);
    CHECK(has(text, "Item "));
    CHECK(has(text, "\nMed priority quanta "));
    CHECK(has(text, "\nMedium non-zero "));
    CHECK(has(text, "\n60 to 70 "));
    CHECK(has(text, "\nAvg Preempt (d)"));
    CHECK(has(text, "\"item\": \"Special Transit\""));
    CHECK(has(text, "\"paper\": 15.63"));
    CHECK(has(text, "reproduce the cells in conflict"));
    free(text);
    free_result(&results[0]);
    free_result(&results[1]);
}

int main(void)
{
    RUN(test_regular());
    RUN(test_classes());
    RUN(test_paper_numbers());
    RUN(test_reconstruction());
    RUN(test_paper_tables());
    return unit_finish("unit_sim_tables");
}

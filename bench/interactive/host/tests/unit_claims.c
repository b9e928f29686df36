/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims: their file is read strictly, each query is answered by the run, and no bench is guessed.
 */
#include <math.h>
#include <string.h>

#include "bench/interactive/host/claims.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define HEAD(verdict) "a | figure 1 | " verdict " | It says so.\n"

/* Two benches with facts; the second one failed. */
static void build(struct run *run)
{
    run_init(run);
    for (int i = 0; i < 2; i++) {
        struct run_bench *bench = build_bench(run, i == 0 ? "echo" : "click", 1);

        bench->group = GROUP_INTERACTIVE;
        bench->state = i == 0 ? STATE_OK : STATE_FAIL;
        build_fact(bench, "x", 2);
        build_fact(bench, "y", 4);
        build_fact(bench, "z", 9);
    }
}

#define ONE ": SELECT 1, 1 FROM fact WHERE bench='echo' LIMIT 1\n"

static void expect(const char *text, enum claim_verdict verdict, double value, size_t different)
{
    struct claims claims;
    struct run run;

    build(&run);
    CHECK(claims_check(&claims, text, &run));
    CHECK(claims.error == NULL && claims.count == 1);
    if (claims.count == 1) {
        CHECK(claims.item[0].verdict == verdict);
        CHECK(claims.item[0].known == !isnan(value));
        CHECK(isnan(value) || fabs(claims.item[0].value - value) < 1e-9);
        CHECK(claims.verdicts[verdict] == 1 && claims.different == different);
    }
    claims_free(&claims);
    run_free(&run);
}

/* The error must name the claim or the line, and the cure. */
static void expect_error(const char *text, const char *where, const char *cure)
{
    struct claims claims;
    struct run run;

    build(&run);
    CHECK(!claims_check(&claims, text, &run));
    CHECK(claims.error != NULL && strstr(claims.error, where) != NULL &&
          strstr(claims.error, cure) != NULL);
    claims_free(&claims);
    run_free(&run);
}

static void test_ranges(void)
{
    static const struct {
        const char *range;
        bool expected;
    } ranges[] = {{"> 5", false},
                  {"> 4.9", true},
                  {">= 5", true},
                  {"< 5", false},
                  {"<= 5", true},
                  {"between 5 and 6", true},
                  {"between 4 and 5", true},
                  {"between 5.1 and 6", false},
                  {"= 5", true}};

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        char text[256];

        snprintf(text, sizeof(text),
                 "# comment\n" HEAD("reproduced") "  %s: SELECT avg(value), count(*) FROM fact "
                                                  "WHERE bench='echo'",
                 ranges[i].range);
        expect(text, ranges[i].expected ? CLAIM_REPRODUCED : CLAIM_NOT_REPRODUCED, 5,
               ranges[i].expected ? 0 : 1);
    }
}

static void test_aggregates(void)
{
    expect(
        HEAD("reproduced") "  = 4: SELECT median(value), count(*) FROM fact WHERE bench='echo'\n",
        CLAIM_REPRODUCED, 4, 0);
    expect(
        HEAD("reproduced") "  > 0: SELECT stddev(value), count(*) FROM fact WHERE bench='echo'\n",
        CLAIM_REPRODUCED, sqrt(13), 0);
}

static void test_unknown(void)
{
    /* A bench that is not there, one that failed, and an unknown value. */
    expect(HEAD("reproduced") "  > 1: SELECT count(*), 1 FROM fact WHERE bench='editor'\n",
           CLAIM_NOT_KNOWN, NAN, 0);
    expect(HEAD("reproduced") "  > 1: SELECT count(*), 1 FROM fact WHERE bench='click'\n",
           CLAIM_NOT_KNOWN, NAN, 0);
    expect(HEAD("reproduced") "  > 1: SELECT avg(service_ms), count(*) FROM action WHERE "
                              "bench='echo'\n",
           CLAIM_NOT_KNOWN, NAN, 0);
    expect(HEAD("reproduced") "  > 1: SELECT stddev(value), count(*) FROM fact WHERE bench='echo' "
                              "AND name='x'\n",
           CLAIM_NOT_KNOWN, NAN, 0);
    expect(HEAD("cannot be") "  because no person types\n", CLAIM_CANNOT_BE, NAN, 0);
}

static void test_errors(void)
{
    expect_error("a | figure 1 | true | So.\n", "line 1", "expected");
    expect_error("a | figure 1\n", "line 1", "expected");
    expect_error("  > 1: SELECT 1, 1 -- bench='echo'\n", "line 1", "expected");
    expect_error(HEAD("reproduced"), "claim a", "query");
    expect_error(HEAD("reproduced") "  > 1 SELECT 1, 1 -- bench='echo'\n", "line 2", "RANGE");
    expect_error(HEAD("reproduced") "  > 1: SELECT 1, 1\n", "line 2", "bench='NAME'");
    expect_error(HEAD("cannot be") "  > 1" ONE "  because so\n", "claim a", "no query");
    expect_error(HEAD("not reproduced") "  > 1" ONE, "claim a", "because");
    expect_error(HEAD("reproduced") "  > 1" ONE "  because so\n  > 1" ONE, "line 4", "expected");
    expect_error(HEAD("reproduced") "  > 1" ONE HEAD("reproduced"), "line 3", "new id");
    expect_error(HEAD("reproduced") "  > x" ONE, "claim a", "range");
    expect_error(HEAD("reproduced") "  between 1" ONE, "claim a", "range");
    expect_error(HEAD("reproduced") "  > 1: SELECT nothing, 1 FROM fact WHERE bench='echo'\n",
                 "claim a", "nothing");
    expect_error(HEAD("reproduced") "  > 1: SELECT 1 FROM fact WHERE bench='echo'\n", "claim a",
                 "2");
    expect_error(HEAD("reproduced") "  > 1: SELECT value, 1 FROM fact WHERE bench='echo'\n",
                 "claim a", "1 row");
    expect_error(HEAD("reproduced") "  > 1: DELETE FROM fact WHERE bench='echo'\n", "claim a",
                 "syntax");
}

/* Adds each bench that a query names, with a fact and without any other value. */
static void add_named(struct run *run, const char *query)
{
    for (const char *at = query; at != NULL && (at = strstr(at, "bench='")) != NULL; at++) {
        char name[64];

        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 7, "'"), at + 7);
        if (run_find_bench(run, name) == NULL) {
            struct run_bench *bench = build_bench(run, name, 1);

            bench->group = GROUP_INTERACTIVE;
            build_fact(bench, "other", 1);
        }
    }
}

/* The claims of the program: SQLite takes each query, and none that is about actions is answered.
 */
static void test_own(void)
{
    struct claims claims;
    struct claims again;
    struct run run;

    build(&run);
    CHECK(claims_check(&claims, NULL, &run));
    for (size_t i = 0; i < claims.count; i++) {
        CHECK(claims.item[i].says[strlen(claims.item[i].says) - 1] == '.');
        add_named(&run, claims.item[i].query);
    }
    CHECK(claims_check(&again, NULL, &run));
    CHECK(again.count >= 60 && again.verdicts[CLAIM_REPRODUCED] == 0);
    if (again.error != NULL) {
        fprintf(stderr, "%s\n", again.error);
    }
    claims_free(&again);
    claims_free(&claims);
    run_free(&run);
}

int main(void)
{
    RUN(test_ranges());
    RUN(test_aggregates());
    RUN(test_unknown());
    RUN(test_errors());
    RUN(test_own());
    return unit_finish("unit_claims");
}

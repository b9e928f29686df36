/* SPDX-License-Identifier: BSD-2-Clause */
/* When a run is invalid for its time: run_valid() of tools/run/run.h. */
#include <string.h>

#include "kernel/clock/names.h"
#include "kernel/names.h"
#include "kernel/run/names.h"
#include "tools/run/run.h"
#include "tools/tests/support/unit.h"

struct time_of_run {
    const char *kind, *ticks;  /* as the image found them */
    const char *asked, *shift; /* as `tare boot` notes them; NULL: another command */
    bool verified;
    const char *why_not;
};

/* Is it valid, and if not, does a reason begin so? */
static bool is_valid(const struct time_of_run *time, const char *reason)
{
    struct run run;
    struct run_texts reasons = {0};
    bool named = false;

    run_init(&run);
    run.ended = true;
    run.verdict = (struct run_verdict){
        .present = true, .ok = time->verified, .hz = 1000000000, .reason = time->why_not};
    run_add_pair(&run, &run.info, INFO_KIND, time->kind);
    if (time->ticks != NULL) {
        run_add_pair(&run, &run.info, INFO_TICKS_PER_INSTRUCTION, time->ticks);
    }
    if (time->asked != NULL) {
        run_add_pair(&run, &run.info, INFO_EMULATOR_TIME, time->asked);
    }
    if (time->shift != NULL) {
        run_add_pair(&run, &run.info, INFO_EMULATOR_SHIFT, time->shift);
    }
    run_add_bench(&run, "idle")->state = STATE_OK;
    const bool valid = run_valid(&run, &reasons);

    CHECK_EQUAL(valid, reasons.count == 0);
    for (size_t i = 0; i < reasons.count && reason != NULL; i++) {
        named = named || strncmp(reasons.item[i], reason, strlen(reason)) == 0;
    }
    CHECK(valid || named);
    run_texts_free(&reasons);
    run_free(&run);
    return valid;
}

static void test_asked_time(void)
{
    static const char asked[] = "exact time was asked for, and the image found real time";
    static const char rate[] = "exact time of 8 ticks an instruction was asked for";

    CHECK(is_valid(&(struct time_of_run){"exact", "8", "exact", "3", true, NULL}, NULL));
    CHECK(is_valid(&(struct time_of_run){"exact", "1", "exact", "0", true, NULL}, NULL));
    CHECK(is_valid(&(struct time_of_run){"exact", "4", NULL, NULL, true, NULL}, NULL));
    CHECK(is_valid(&(struct time_of_run){"real", NULL, "emulated", NULL, true, NULL}, NULL));
    CHECK(is_valid(&(struct time_of_run){"real", NULL, NULL, NULL, true, NULL}, NULL));
    CHECK(!is_valid(&(struct time_of_run){"real", NULL, "exact", "3", true, NULL}, asked));
    CHECK(!is_valid(&(struct time_of_run){"exact", "1", "exact", "3", true, NULL}, rate));
    CHECK(!is_valid(&(struct time_of_run){"exact", "16", "exact", "3", true, NULL}, rate));
}

static void test_clocks(void)
{
    CHECK(is_valid(&(struct time_of_run){"real", NULL, NULL, NULL, false, VERDICT_ALONE}, NULL));
    CHECK(!is_valid(&(struct time_of_run){"real", NULL, NULL, NULL, false, "no two agree"},
                    "clock not verified: no two agree"));
    CHECK(!is_valid(&(struct time_of_run){"exact", "8", NULL, NULL, false, NULL},
                    "clock not verified: no reason given"));
}

int main(void)
{
    RUN(test_asked_time());
    RUN(test_clocks());
    return unit_finish("unit_valid");
}

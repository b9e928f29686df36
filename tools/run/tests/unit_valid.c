/* SPDX-License-Identifier: BSD-2-Clause */
/* When a run is invalid for its time, its plan or a stop: run_valid() of tools/run/run.h. */
#include <string.h>

#include "kernel/clock/names.h"
#include "kernel/link/names.h"
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
    static const char asked[] = "exact time was requested, but the image found real time";
    static const char rate[] = "exact time: requested 8 ticks per instruction";

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

/* The reason of the run that got `source` and `ran` where `sent` was sent by fw_cfg; "": valid. */
static void check_plan(const char *source, const char *ran, const char *sent, bool lossy,
                       const char *expected)
{
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    run.ended = true;
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(&run, &run.info, INFO_KIND, "real");
    run_add_bench(&run, "idle")->state = STATE_OK;
    run.plan_source = source;
    run.plan_text = ran;
    if (lossy) {
        run_add_loss(&run, "a META frame is lost");
    }
    run_note_sent_plan(&run, PLAN_SOURCE_FW_CFG, sent);
    CHECK_EQUAL(run_valid(&run, &reasons), expected[0] == '\0' && !lossy);
    CHECK_EQUAL(reasons.count, (expected[0] != '\0') + lossy);
    CHECK_TEXT(expected[0] != '\0' ? reasons.item[lossy ? 1 : 0] : "", expected);
    run_texts_free(&reasons);
    run_free(&run);
}

static void test_plans(void)
{
    char expected[512];
    char ran[200] = "bench=idle\nidle.ms=1\n";
    char sent[200] = "bench=idle\nidle.ms=2\n";

    check_plan("fw_cfg", "bench=idle\n", "bench=idle\n", false, "");
    check_plan("fw_cfg", "bench=?", "bench=\x01", false, ""); /* both as they are shown */
    check_plan("default", "", "bench=idle\n", false,
               "the plan that ran is not the one that was sent: ran \"\" from default, sent "
               "\"bench=idle\" by fw_cfg");
    check_plan("file", "bench=idle\n", "bench=idle\n", false,
               "the plan that ran is not the one that was sent: ran \"bench=idle\" from file, "
               "sent \"bench=idle\" by fw_cfg");
    check_plan("fw_cfg", ran, sent, false,
               "the plan that ran is not the one that was sent: ran \"...idle.ms=1\" from "
               "fw_cfg, sent \"...idle.ms=2\" by fw_cfg");
    check_plan("fw_cfg", "a=1\nb=2", "a=1\tb=2\nc=3", false,
               "the plan that ran is not the one that was sent: ran \"a=1 b=2\" from fw_cfg, "
               "sent \"a=1 b=2 c=3\" by fw_cfg");
    /* What the line lost is no other plan; a source that came is. */
    check_plan("fw_cfg", "bench=idle", "bench=idle\nidle.ms=2", true, "");
    check_plan(NULL, NULL, "bench=idle", false, "");
    check_plan("default", NULL, "bench=idle", true,
               "the plan that ran is not the one that was sent: ran \"\" from default, sent "
               "\"bench=idle\" by fw_cfg");
    memset(ran, 'r', sizeof(ran) - 1);
    memset(sent, 's', sizeof(sent) - 1);
    snprintf(expected, sizeof(expected),
             "the plan that ran is not the one that was sent: ran \"%.120s...\" from fw_cfg, "
             "sent \"%.120s...\" by fw_cfg",
             ran, sent);
    check_plan("fw_cfg", ran, sent, false, expected);
}

static void test_stops(void)
{
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    run.ended = true;
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(&run, &run.info, INFO_KIND, "real");
    run_add_bench(&run, "idle")->state = STATE_OK;
    run_add_pair(&run, &run.info, INFO_EMULATOR_STOPPED, "idle: QMP event STOP");
    run_add_pair(&run, &run.info, INFO_EMULATOR_STOPPED, "gap, run 2: QMP event SUSPEND");
    CHECK(!run_valid(&run, &reasons) && reasons.count == 2);
    CHECK_TEXT(reasons.item[0],
               "idle: QMP event STOP: the machine was stopped; boot again without stopping it");
    CHECK_TEXT(reasons.item[1], "gap, run 2: QMP event SUSPEND: the machine was stopped; boot "
                                "again without stopping it");
    run_texts_free(&reasons);
    run_free(&run);
}

int main(void)
{
    RUN(test_asked_time());
    RUN(test_clocks());
    RUN(test_plans());
    RUN(test_stops());
    return unit_finish("unit_valid");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which estimate of the TSC's rate is believed: kernel/clock/verdict.h. */
#include "kernel/clock/names.h"
#include "kernel/clock/verdict.h"
#include "tools/tests/support/unit.h"

static void test_difference(void)
{
    CHECK_EQUAL(rate_difference_ppm(1000000, 1000000), 0);
    CHECK_EQUAL(rate_difference_ppm(1001000, 1000000), 1000);
    CHECK_EQUAL(rate_difference_ppm(999000, 1000000), 1002);
    /* Rounded up: the least difference is not none. */
    CHECK_EQUAL(rate_difference_ppm(3000000001, 3000000000), 1);
    CHECK(rate_difference_ppm(1, 0) == UINT64_MAX);
    CHECK(rate_difference_ppm(UINT64_MAX, 1) == UINT64_MAX);
}

static void test_first_supported_wins(void)
{
    const struct rate_estimate three[] = {
        {.reference = "hpet", .hz = 2300000000, .error_ppb = 500},
        {.reference = "pm_timer", .hz = 2301000000, .error_ppb = 14000},
        {.reference = "pit", .hz = 2300500000, .error_ppb = 50000},
    };
    const struct rate_verdict verdict = rate_judge(three, 3);

    CHECK(verdict.ok);
    CHECK_EQUAL(verdict.hz, 2300000000);
    CHECK_EQUAL(verdict.chosen, 0);
    CHECK_EQUAL(verdict.second, 1);
}

static void test_liar_is_passed_over(void)
{
    /* The first states a marketing figure, 2.7 % off; the other two agree. */
    const struct rate_estimate three[] = {
        {.reference = "cpuid_15h", .hz = 2300000000},
        {.reference = "hpet", .hz = 2362000000, .error_ppb = 500},
        {.reference = "pm_timer", .hz = 2362100000, .error_ppb = 14000},
    };
    const struct rate_verdict verdict = rate_judge(three, 3);

    CHECK(verdict.ok);
    CHECK_EQUAL(verdict.chosen, 1);
    CHECK_EQUAL(verdict.second, 2);
    CHECK_EQUAL(verdict.hz, 2362000000);
}

static void test_statements_do_not_outvote(void)
{
    const struct rate_estimate estimates[] = {
        {.reference = "hypervisor", .hz = 1500000000},
        {.reference = "cpuid_15h", .hz = 1500000000},
        {.reference = "hpet", .hz = 2362000000, .error_ppb = 500},
        {.reference = "pm_timer", .hz = 2362100000, .error_ppb = 14000},
    };

    CHECK_EQUAL(rate_judge(estimates, 4).chosen, 2);
    CHECK_EQUAL(rate_judge(estimates, 4).hz, 2362000000);
    CHECK(!rate_judge(estimates, 3).ok);
    CHECK(rate_judge(estimates, 3).alone); /* what is only stated contradicts nothing */
}

/* All statements come from one hand: the hypervisor's, or the processor's. */
static void test_statements_are_one_reference(void)
{
    static const char *const pairs[][2] = {
        {REFERENCE_HYPERVISOR_LEAF, REFERENCE_KVM_CLOCK},
        {REFERENCE_HYPERVISOR_LEAF, REFERENCE_CPUID_15H},
        {REFERENCE_HYPERV_MSR, REFERENCE_HYPERV_PAGE},
        {REFERENCE_CPUID_15H, REFERENCE_VMWARE_PORT},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct rate_estimate estimates[] = {{.reference = pairs[i][0], .hz = 3000000000},
                                                  {.reference = pairs[i][1], .hz = 3000000000}};
        const struct rate_verdict verdict = rate_judge(estimates, 2);

        CHECK(!verdict.ok && verdict.alone);
        CHECK_TEXT(verdict.reason, "fewer than two references");
        CHECK(!rate_judge_exact(estimates, 2).ok);
    }
}

/* A wrong leaf 15h changes nothing of what the clocks say without it. */
static void test_statement_does_not_veto(void)
{
    const struct rate_estimate estimates[] = {
        {.reference = REFERENCE_CPUID_15H, .hz = 2400000000},
        {.reference = "pm_timer", .hz = 2000000100, .error_ppb = 500},
        {.reference = "pit", .hz = 2000000100, .error_ppb = 500},
    };
    const struct rate_estimate hpet[] = {estimates[0],
                                         {.reference = "hpet", .hz = 2000000100, .error_ppb = 500}};
    const struct rate_verdict pm_alone = rate_judge(estimates, 2);

    CHECK(pm_alone.ok);
    CHECK_EQUAL(pm_alone.hz, 2000000100);
    CHECK_EQUAL(pm_alone.chosen, 1);
    CHECK_EQUAL(pm_alone.second, 1);
    CHECK_EQUAL(pm_alone.bound_ppb, 200500);
    CHECK(rate_judge_exact(estimates, 2).ok);
    CHECK_EQUAL(rate_judge_exact(estimates, 2).chosen, 1);
    CHECK_EQUAL(rate_judge_exact(estimates, 2).bound_ppb, 0);
    CHECK_EQUAL(rate_judge(estimates, 3).chosen, 1);
    CHECK_EQUAL(rate_judge(estimates, 3).second, 2);
    CHECK(!rate_judge(hpet, 2).ok && rate_judge(hpet, 2).alone);
    CHECK(rate_judge_exact(hpet, 2).ok);
}

/* One that agrees is the second reference of a clock that alone would not do. */
static void test_statement_supports(void)
{
    const struct rate_estimate estimates[] = {
        {.reference = REFERENCE_KVM_CLOCK, .hz = 2000000000},
        {.reference = "hpet", .hz = 2000000100, .error_ppb = 500},
    };

    CHECK(rate_judge(estimates, 2).ok);
    CHECK_EQUAL(rate_judge(estimates, 2).chosen, 0);
    CHECK_EQUAL(rate_judge(estimates, 2).bound_ppb, 0);
}

static void test_refusals(void)
{
    const struct rate_estimate apart[] = {
        {.reference = "hpet", .hz = 1000000000, .error_ppb = 500},
        {.reference = "pit", .hz = 1001000002, .error_ppb = 50000},
    };
    const struct rate_estimate stopped[] = {{.reference = "hpet", .hz = 0},
                                            {.reference = "pit", .hz = 0}};

    CHECK(!rate_judge(apart, 2).ok);
    CHECK_EQUAL(rate_judge(apart, 2).hz, 1000000000);
    CHECK(!rate_judge(apart, 1).ok);
    CHECK_TEXT(rate_judge(apart, 1).reason, "fewer than two references");
    CHECK(!rate_judge(apart, 0).ok);
    CHECK_EQUAL(rate_judge(apart, 0).hz, 0);
    CHECK(!rate_judge(stopped, 2).ok);
    CHECK(rate_judge(apart, 1).alone && !rate_judge(apart, 2).alone);
}

/* The one clock whose rate is fixed: the bound is what was read of it, and its crystal's. */
static void test_pm_timer_alone(void)
{
    const struct rate_estimate one = {.reference = "pm_timer", .hz = 2, .error_ppb = 14000};
    const struct rate_estimate hpet = {.reference = "hpet", .hz = 2, .error_ppb = 14000};
    const struct rate_estimate stated = {.reference = "pm_timer", .hz = 2};

    CHECK(rate_judge(&one, 1).ok);
    CHECK_EQUAL(rate_judge(&one, 1).hz, 2);
    CHECK_EQUAL(rate_judge(&one, 1).bound_ppb, 214000);
    CHECK_EQUAL(rate_judge(&one, 1).second, 0);
    CHECK_EQUAL(rate_judge_exact(&one, 1).bound_ppb, 0);
    CHECK(!rate_judge(&hpet, 1).ok);
    CHECK(!rate_judge(&stated, 1).ok);
}

static void test_exact_time_needs_one(void)
{
    const struct rate_estimate estimates[] = {
        {.reference = "pm_timer", .hz = 1000000000, .error_ppb = 14000},
        {.reference = "pit", .hz = 1001000002, .error_ppb = 50000},
    };
    const struct rate_estimate stated[] = {{.reference = "cpuid_15h", .hz = 1000000000}};
    const struct rate_verdict verdict = rate_judge_exact(estimates, 1);

    CHECK(verdict.ok);
    CHECK_EQUAL(verdict.hz, 1000000000);
    CHECK_EQUAL(verdict.chosen, verdict.second);
    CHECK_TEXT(verdict.reason, "");
    CHECK(!rate_judge_exact(estimates, 2).ok); /* they contradict each other */
    CHECK(!rate_judge_exact(stated, 1).ok);
    CHECK(!rate_judge_exact(estimates, 0).ok);
}

int main(void)
{
    RUN(test_difference());
    RUN(test_first_supported_wins());
    RUN(test_liar_is_passed_over());
    RUN(test_statements_do_not_outvote());
    RUN(test_statements_are_one_reference());
    RUN(test_statement_does_not_veto());
    RUN(test_statement_supports());
    RUN(test_refusals());
    RUN(test_pm_timer_alone());
    RUN(test_exact_time_needs_one());
    return unit_finish("unit_verdict");
}

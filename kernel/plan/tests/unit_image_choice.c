/* SPDX-License-Identifier: BSD-2-Clause */
/* Which image a plan needs, and by what it needs it. */
#include "kernel/plan/image_choice.h"

#include <string.h>

#include "tools/tests/support/unit.h"

static void chosen(const char *text, enum image_choice wanted, const char *because)
{
    static struct plan plan;
    char error[PLAN_ERROR_MAX];
    char reason[IMAGE_REASON_MAX] = "x";

    CHECK(plan_parse(&plan, text, strlen(text), error));
    CHECK_EQUAL(image_choice(&plan, "quantum,boost", reason), wanted);
    CHECK_TEXT(reason, because);
}

static void test_kernel(void)
{
    chosen("", IMAGE_ANY, "");
    chosen("bench=gap", IMAGE_ANY, "");
    chosen("kernel=one", IMAGE_ONE, "kernel=one");
    chosen("kernel=smp bench=gap", IMAGE_SMP, "kernel=smp");
    chosen("kernel=smp bench=quantum", IMAGE_SMP, "kernel=smp");
    chosen("kernel=smp kernel=one", IMAGE_ONE, "kernel=one");
    chosen("kernel=two", IMAGE_ANY, ""); /* the check of its words refuses it */
}

static void test_benches(void)
{
    chosen("bench=quantum", IMAGE_SMP, "bench quantum");
    chosen("bench=gap,boost", IMAGE_SMP, "bench boost");
    chosen("bench=boost,quantum", IMAGE_SMP, "bench boost");
    chosen("boost.cpus=3", IMAGE_SMP, "bench boost");
    chosen("bench=boosted,quant,boos boosted.cpus=3", IMAGE_ANY, "");
    chosen("boost=3", IMAGE_ANY, "");
    /* all, of the image that was started */
    chosen("bench=all", IMAGE_ANY, "");
    chosen("bench=none", IMAGE_ANY, "");
}

/* Keys of threads on several processors, for any bench. */
static void test_keys(void)
{
    chosen("bench=echo tasks.cpus=2", IMAGE_SMP, "tasks.cpus");
    chosen("irq.cpu=1", IMAGE_SMP, "irq.cpu");
    chosen("tasks.hog=any kernel=smp", IMAGE_SMP, "kernel=smp");
    chosen("tasks.hog=any bench=boost", IMAGE_SMP, "bench boost");
    chosen("tasks.hog=any kernel=one", IMAGE_NONE,
           "tasks.hog: expected kernel=smp, got kernel=one; omit it");
    chosen("irq.cpus=1 tasks=2", IMAGE_ANY, "");
}

static void test_contradiction(void)
{
    chosen("bench=boost kernel=one", IMAGE_NONE,
           "bench boost: expected kernel=smp, got kernel=one; omit it");
    chosen("kernel=one quantum.ms=1", IMAGE_NONE,
           "bench quantum: expected kernel=smp, got kernel=one; omit it");
}

/* A model of several processors, by its program; kernel=one leaves it to the bench. */
static void test_model(void)
{
#define BEGIN "seed 1 unit 1000 passes 0 horizon 1000000 "
#define LOAD  " load 0 renewal constant 5 constant 5"
    chosen("model.program={" BEGIN "processor a processor b level low" LOAD "}", IMAGE_SMP,
           "model.program");
    chosen("model.program={" BEGIN "processor a processor b level low" LOAD "} kernel=smp",
           IMAGE_SMP, "kernel=smp");
    chosen("model.program={" BEGIN "processor a processor b level low" LOAD "} kernel=one",
           IMAGE_ONE, "kernel=one");
    chosen("model.program={" BEGIN "processor a level processor" LOAD "}", IMAGE_ANY, "");
    chosen("model.program={" BEGIN "level low" LOAD "}", IMAGE_ANY, "");
    chosen("model.program={processor a processor b} bench=model", IMAGE_ANY, ""); /* no program */
}

int main(void)
{
    RUN(test_kernel());
    RUN(test_benches());
    RUN(test_keys());
    RUN(test_contradiction());
    RUN(test_model());
    return unit_finish("unit_image_choice");
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/path.h"
#include "bench/disk/names.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/net/simulated_link.h"
#include "kernel/net/use.h"
#include "kernel/plan/plan.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"

#define LABEL_MAX   48
#define TEXT_MAX    (2 * NIC_NAME_MAX + 2)
#define WATCHDOG_US 10000000
#define PS_PER_NS   1000
/* QEMU's NIC, as its driver names it */
#define DELAYING_NIC "82574L"
/* time for the slowest sample and the check of its bytes, at 64 ns an instruction */
#define SAMPLE_US 20000

static const char *const names[NET_PATHS] = {
    [NET_LOOPBACK] = PATH_LOOPBACK, [NET_PAIR] = PATH_PAIR, [NET_REMOTE] = PATH_REMOTE};

/* Results of one path, collected before its NICs are closed. */
static struct {
    uint64_t checked;
    uint64_t wrong;
    bool has_nic;
    char nics[TEXT_MAX];
    char models[2 * LABEL_MAX];
    const char *interrupt;
    struct nic_counts counts; /* counts of the first NIC */
    uint64_t lost;            /* frames lost by both NICs */
    struct stack_counts stack;
    const char *given_up;
    char given_up_nic[NIC_NAME_MAX];
} came;

const char *path_name(enum net_path path)
{
    return names[path];
}

void path_checked(uint64_t bytes, uint64_t wrong)
{
    came.checked += bytes;
    came.wrong += wrong;
}

static void keep_nic(unsigned index)
{
    const struct nic *nic = net_nic(index);

    if (nic == NULL) {
        return;
    }
    const size_t used = strlen(came.nics);
    const size_t models = strlen(came.models);

    came.has_nic = true;
    snprintf(came.nics + used, sizeof(came.nics) - used, "%s%s", index == 0 ? "" : ",", nic->name);
    snprintf(came.models + models, sizeof(came.models) - models, "%s%s", index == 0 ? "" : ",",
             nic->model == NULL ? "" : nic->model);
    if (index == 0) {
        came.counts = nic->counts;
    }
    came.lost += nic->counts.lost;
    if (nic->given_up != NULL && came.given_up == NULL) {
        came.given_up = nic->given_up;
        snprintf(came.given_up_nic, sizeof(came.given_up_nic), "%s", nic->name);
    }
}

static void keep(void)
{
    keep_nic(0);
    keep_nic(1);
    came.interrupt = net_interrupt();
    stack_get_counts(&came.stack);
}

void path_publish(const struct bench_run *run, const char *name, enum net_path path,
                  const char *unit, uint64_t value)
{
    char whole[LABEL_MAX];

    snprintf(whole, sizeof(whole), "%s.%s", name, names[path]);
    bench_fact(run, whole, unit, (int64_t)value);
}

static void found(struct bench_run *run, const char *name, enum net_path path, const char *text)
{
    char whole[LABEL_MAX];

    snprintf(whole, sizeof(whole), "%s.%s", name, names[path]);
    bench_found(run, whole, text);
}

static void publish_nics(struct bench_run *run, enum net_path path)
{
    found(run, FOUND_NICS, path, came.nics);
    found(run, FOUND_MODELS, path, came.models);
    found(run, FOUND_INTERRUPT, path, came.interrupt);
    path_publish(run, FACT_FRAMES_SENT, path, UNIT_COUNT, came.counts.sent);
    path_publish(run, FACT_FRAMES_RECEIVED, path, UNIT_COUNT, came.counts.received);
    if (strncmp(came.nics, SIMULATED_LINK_0, strlen(SIMULATED_LINK_0)) == 0) {
        const struct link_model *model = simulated_link_model();

        path_publish(run, FACT_FRAMES_LOST, path, UNIT_COUNT, came.lost);
        path_publish(run, FACT_PACKET_NS, path, UNIT_NANOSECOND, model->packet_ns);
        path_publish(run, FACT_BYTE_PS, path, UNIT_COUNT, model->byte_ps);
    }
}

/* Bytes that go to another machine can be compared only there. */
static void publish_bytes(struct bench_run *run, enum net_path path)
{
    static const char *const facts[] = {FACT_BYTES_CHECKED, FACT_BYTES_WRONG};
    char whole[LABEL_MAX];

    if (came.checked > 0) {
        path_publish(run, FACT_BYTES_CHECKED, path, UNIT_BYTE, came.checked);
        path_publish(run, FACT_BYTES_WRONG, path, UNIT_BYTE, came.wrong);
        return;
    }
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        snprintf(whole, sizeof(whole), "%s.%s", facts[i], names[path]);
        bench_absent(run, whole, "no bytes came back that could be compared");
    }
}

static enum bench_state judge(struct bench_run *run, enum net_path path)
{
    if (came.has_nic) {
        publish_nics(run, path);
    }
    path_publish(run, FACT_RETRANSMITTED, path, UNIT_COUNT, came.stack.retransmitted);
    publish_bytes(run, path);
    if (came.given_up != NULL) {
        return bench_fail(run, "%s: %s", came.given_up_nic, came.given_up);
    }
    if (came.wrong != 0) {
        return bench_fail(run, "%s: %lu of %lu bytes arrived with wrong values", names[path],
                          came.wrong, came.checked);
    }
    return BENCH_OK;
}

/* States what is expected of path pair, by the link that it uses. */
static void expect(const struct bench_run *run, const struct path_estimate *estimate)
{
    struct nic *pair[2];
    char name[LABEL_MAX];

    if (net_pair(pair) != NULL) {
        return;
    }
    const bool simulated = strcmp(pair[0]->name, SIMULATED_LINK_0) == 0;
    const bool delays = pair[0]->model != NULL && strcmp(pair[0]->model, DELAYING_NIC) == 0;
    const struct link_model *model = simulated_link_model();

    for (; estimate != NULL && estimate->series != NULL; estimate++) {
        const uint64_t link =
            simulated
                ? estimate->frames * model->packet_ns + estimate->bytes * model->byte_ps / PS_PER_NS
                : (delays ? estimate->delays * (uint64_t)PATH_INTERRUPT_NS : 0);
        const uint32_t instructions =
            simulated || estimate->nic == 0 ? estimate->link : estimate->nic;
        const uint64_t work = bench_instructions_ns(instructions);
        const bool longer = estimate->overlaps || !simulated;

        snprintf(name, sizeof(name), estimate->series, PATH_PAIR);
        bench_expect(run, name,
                     !longer       ? link + work
                     : link > work ? link
                                   : work,
                     "%lu ns of %s, %s %u instructions of stacks and drivers", link,
                     simulated ? "the link's timing model"
                               : "interrupts that the NIC holds back (QEMU's 82574L: 128 us)",
                     longer ? "or if that is longer" : "and", instructions);
    }
}

/* Measures on one path. Sets *why if this machine or plan lacks the path. */
static enum bench_state on_path(struct bench_run *run, const struct path_job *job,
                                const struct net_options *options, const char **why)
{
    const struct task_settings settings = {
        .watchdog = clock_ticks_from_us(WATCHDOG_US + job->samples * SAMPLE_US)};
    enum bench_state result = BENCH_OK;

    memset(&came, 0, sizeof(came));
    if (options->interrupts && !task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    *why = net_begin(options);
    if (*why == NULL) {
        result = job->measure(run, options->path, job->argument);
        keep();
        net_end();
    }
    if (options->interrupts) {
        task_end();
    }
    return result;
}

static enum bench_state one_path(struct bench_run *run, const struct path_job *job,
                                 const struct net_options *options, bool *any)
{
    const char *why = NULL;
    enum bench_state result = on_path(run, job, options, &why);

    if (result != BENCH_OK) {
        return result;
    }
    if (why != NULL) {
        bench_absent(run, names[options->path], why);
        return BENCH_OK;
    }
    *any = true;
    result = job->report(run, options->path, job->argument);
    const enum bench_state verdict = judge(run, options->path);

    return result == BENCH_OK ? verdict : result;
}

enum bench_state paths_run(struct bench_run *run, const struct path_job *job)
{
    const char *list = bench_text(run, PARAM_PATHS);
    struct net_options options = {
        .interrupts = bench_word(run, PARAM_RECEIVE) == 0,
        .services = !job->no_services,
        .window = job->window,
    };
    enum bench_state result = BENCH_OK;
    bool any = false;

    for (options.path = 0; options.path < NET_PATHS && result == BENCH_OK; options.path++) {
        if (plan_list_holds(list, names[options.path])) {
            if (options.path == NET_PAIR) {
                expect(run, job->estimates);
            }
            result = one_path(run, job, &options, &any);
        }
    }
    if (result == BENCH_OK && !any) {
        return bench_skip(run, "this machine or plan has none of the paths %s", list);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

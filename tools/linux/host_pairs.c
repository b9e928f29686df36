/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_pairs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/linux/host_machine.h"
#include "tools/linux/host_trials.h"

static struct {
    struct bench_run *run;
    size_t trials;
    enum bench_state state;
} now;

const struct bench_param host_params[] = {
    {PARAM_TRIALS, "100", "trials of each cost, and of each point of a curve",
     PARAM_NUMBER(1, 10000)},
    {0},
};

static bool do_nothing(void)
{
    return true;
}

enum bench_state host_run(struct bench_run *run, void (*measure)(struct bench_run *run))
{
    struct host_pairs empty;

    now = (typeof(now)){run, bench_number(run, PARAM_TRIALS), BENCH_OK};
    munlockall();
    measure(run);
    host_open(&empty, 1);
    host_time(&empty, 0, do_nothing);
    empty.twice = NULL;
    host_publish(SERIES_EMPTY, &empty);
    host_machine_lock();
    return now.state;
}

bool host_good(void)
{
    return now.state == BENCH_OK;
}

bool host_check(bool good, const char *what)
{
    if (!good && host_good()) {
        now.state = bench_fail(now.run, "Linux refuses %s: %s", what, strerror(errno));
    }
    return good;
}

void host_open(struct host_pairs *pairs, size_t points)
{
    const size_t count = points * now.trials;

    *pairs = (struct host_pairs){points,
                                 now.trials,
                                 bench_samples(points),
                                 bench_samples(points),
                                 bench_samples(count),
                                 bench_samples(count)};
    if (pairs->x == NULL || pairs->n == NULL || pairs->once == NULL || pairs->twice == NULL) {
        now.state = bench_error(now.run, "no memory for samples");
    }
}

bool host_undisturbed(const char *name, const struct host_pairs *pairs)
{
    struct host_cost cost;

    if (!host_good() || host_cost_judge(pairs->once, pairs->twice, pairs->trials, 1, &cost)) {
        return true;
    }
    bench_absent(now.run, name, "Linux took the processor away; repeat it when it is idle");
    return false;
}

static void publish(const char *name, const char *suffix, const char *unit, const int64_t *samples,
                    size_t count)
{
    char whole[64];

    snprintf(whole, sizeof(whole), "%s%s", name, suffix);
    bench_publish(now.run, whole, unit, samples, count);
}

void host_publish(const char *name, const struct host_pairs *pairs)
{
    if (!host_good()) {
        return;
    }
    if (pairs->x[0] != 0) {
        publish(name, SUFFIX_X, UNIT_COUNT, pairs->x, pairs->points);
        publish(name, SUFFIX_N, UNIT_COUNT, pairs->n, pairs->points);
    }
    publish(name, "", UNIT_TICK, pairs->once, pairs->points * pairs->trials);
    if (pairs->twice != NULL) {
        publish(name, SUFFIX_TWICE, UNIT_TICK, pairs->twice, pairs->points * pairs->trials);
    }
}

pid_t host_child(void (*body)(void))
{
    const pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        _exit(0);
    }
    host_check(child > 0, "fork");
    return child;
}

void host_end_child(pid_t child)
{
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of bench_sim.sh as a program of Cimba (github.com/ambonvik/cimba): Poisson arrivals at
 * rate 0.9, exponential service of mean 1, one server. Prints the mean time from arrival to the end
 * of service. A customer is its number; its time of arrival is in a ring, so that nothing is
 * allocated for it.
 *
 *     cimba_model CUSTOMERS SEED
 */
#include <cimba.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RATE 0.9
#define MEAN 1.0
#define RING (1u << 20) /* a queue of this length does not occur */

static double asked[RING];
static struct cmb_objectqueue *line;
static uint64_t customers, served;
static double sum;

static void *arrive(struct cmb_process *me, void *context)
{
    (void)me;
    (void)context;
    for (uint64_t i = 0; i < customers; i++) {
        double *const at = &asked[i % RING];

        cmb_process_hold(cmb_random_exponential(1 / RATE));
        *at = cmb_time();
        cmb_objectqueue_put(line, at);
    }
    return NULL;
}

static void *serve(struct cmb_process *me, void *context)
{
    (void)me;
    (void)context;
    for (; served < customers; served++) {
        void *at;

        cmb_objectqueue_get(line, &at);
        cmb_process_hold(cmb_random_exponential(MEAN));
        sum += cmb_time() - *(const double *)at;
    }
    return NULL;
}

static struct cmb_process *begin(const char *name, void *(*run)(struct cmb_process *, void *))
{
    struct cmb_process *process = cmb_process_create();

    cmb_process_initialize(process, name, run, NULL, 0);
    cmb_process_start(process);
    return process;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cimba_model CUSTOMERS SEED\n");
        return 2;
    }
    customers = strtoull(argv[1], NULL, 10);
    cmb_logger_flags_off(CMB_LOGGER_INFO);
    cmb_random_initialize(strtoull(argv[2], NULL, 10));
    cmb_event_queue_initialize(0);
    line = cmb_objectqueue_create();
    cmb_objectqueue_initialize(line, "line", CMB_UNLIMITED);
    begin("arrivals", arrive);
    begin("server", serve);
    cmb_event_queue_execute();
    printf("%.6f\n", sum / (double)served);
    return served == customers ? 0 : 1;
}

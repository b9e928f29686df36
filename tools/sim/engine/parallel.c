/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct work {
    atomic_size_t next;
    size_t count;
    void (*job)(void *context, size_t index);
    void *context;
};

static void *take_jobs(void *context)
{
    struct work *const work = context;

    for (;;) {
        const size_t index = atomic_fetch_add(&work->next, 1);

        if (index >= work->count) {
            return NULL;
        }
        work->job(work->context, index);
    }
}

static size_t threads_for(size_t jobs, size_t count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (jobs == 0) {
        jobs = processors > 0 ? (size_t)processors : 1;
    }
    jobs = jobs < PARALLEL_JOBS_MAX ? jobs : PARALLEL_JOBS_MAX;
    return jobs < count ? jobs : count;
}

void parallel_for(size_t jobs, size_t count, void (*job)(void *context, size_t index),
                  void *context)
{
    struct work work = {.count = count, .job = job, .context = context};
    const size_t threads = threads_for(jobs, count);
    pthread_t others[PARALLEL_JOBS_MAX];
    size_t started = 0;

    while (started + 1 < threads && pthread_create(&others[started], NULL, take_jobs, &work) == 0) {
        started++;
    }
    take_jobs(&work);
    for (size_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}

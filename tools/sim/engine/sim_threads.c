/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/sim_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/task/names.h"
#include "tools/base/alloc.h"

#define NAME_MAX_BYTES 120

static void add_thread(struct sim_threads *threads, const char *name, size_t processor,
                       size_t level)
{
    threads->item =
        alloc_append(threads->item, &threads->count, &threads->capacity, sizeof(*threads->item));
    struct sim_thread *thread = &threads->item[threads->count - 1];

    thread->name = alloc_zeroed(strlen(name) + 1);
    strcpy(thread->name, name);
    thread->processor = processor;
    thread->level = level;
}

void sim_threads_init(struct sim_threads *threads, const struct sim_model *model)
{
    memset(threads, 0, sizeof(*threads));
    threads->model = model;
    threads->pools = alloc_zeroed(model->processors * model->levels * sizeof(*threads->pools));
    add_thread(threads, NAME_OF_IDLE_THREAD, SIM_NONE, 0);
    add_thread(threads, NAME_OF_BENCH_THREAD, SIM_NONE, 0);
    for (size_t i = 0; i < model->process_count; i++) {
        const struct sim_process *process = &model->processes[i];

        add_thread(threads, process->name, process->processor, process->level);
    }
}

void sim_threads_free(struct sim_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        free(threads->item[i].name);
    }
    for (size_t i = 0; i < threads->model->processors * threads->model->levels; i++) {
        free(threads->pools[i].threads);
    }
    free(threads->item);
    free(threads->pools);
}

uint16_t sim_threads_of_process(size_t process)
{
    return (uint16_t)(SIM_THREADS_FIRST + process);
}

/* "low 1", "low 2": the same on each processor, whose trace is one of its own. */
static uint16_t add_to_pool(struct sim_threads *threads, const struct sim_event *event,
                            struct sim_thread_pool *pool)
{
    const uint16_t thread = (uint16_t)threads->count;
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%.100s %zu", threads->model->level[event->level],
             pool->count + 1);
    add_thread(threads, name, event->processor, event->level);
    pool->threads =
        alloc_grow(pool->threads, &pool->capacity, pool->count + 1, sizeof(*pool->threads));
    pool->threads[pool->count++] = thread;
    return thread;
}

uint16_t sim_threads_take(struct sim_threads *threads, const struct sim_event *event, uint16_t busy,
                          size_t most)
{
    if (event->process != SIM_NONE) {
        return sim_threads_of_process(event->process);
    }
    struct sim_thread_pool *pool =
        &threads->pools[event->processor * threads->model->levels + event->level];
    uint16_t thread = SIM_THREAD_NONE;

    for (size_t i = 0; i < pool->count; i++) {
        const uint16_t candidate = pool->threads[i];
        const uint64_t entity = threads->item[candidate].entity;

        if (entity == event->entity) {
            return candidate;
        }
        if (entity == 0 && candidate != busy && thread == SIM_THREAD_NONE) {
            thread = candidate;
        }
    }
    if (thread == SIM_THREAD_NONE && threads->count < most) {
        thread = add_to_pool(threads, event, pool);
    }
    if (thread != SIM_THREAD_NONE) {
        threads->item[thread].entity = event->entity;
    }
    return thread;
}

void sim_threads_release(struct sim_threads *threads, uint16_t thread)
{
    threads->item[thread].entity = 0;
}

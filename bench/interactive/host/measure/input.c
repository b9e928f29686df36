/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/input.h"

#include <stdlib.h>

#include "tools/base/alloc.h"

static void free_reading(struct run_reading *reading)
{
    struct input_reading *input = (struct input_reading *)reading; /* its first member */

    actions_free(&input->actions);
    interactive_free(&input->interactive);
    free(input);
}

/* What was read is kept with the bench, which is otherwise unchanged. */
static struct input_reading *find(const struct run_bench *bench)
{
    struct run_bench *keeper = (struct run_bench *)bench;

    for (struct run_reading *at = bench->readings; at != NULL; at = at->next) {
        if (at->free == free_reading) {
            return (struct input_reading *)at;
        }
    }
    struct input_reading *input = alloc_zeroed(sizeof(*input));

    input->reading = (struct run_reading){.next = bench->readings, .free = free_reading};
    input->good = interactive_read(&input->interactive, bench);
    input->joined = actions_read(&input->actions, &input->interactive, bench);
    keeper->readings = &input->reading;
    return input;
}

const struct input_reading *input_of(const struct run_bench *bench)
{
    return find(bench);
}

const struct input_reading *input_explained(const struct run_bench *bench)
{
    struct input_reading *input = find(bench);

    if (!input->tried) {
        input->tried = true;
        input->explained = input->good && interactive_explain(&input->interactive, bench);
    }
    return input;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a model's program. What is read is whole, and can be drawn from. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/program.h"
#include "tools/tests/support/demand.h"

#define DRAWS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_law(const struct draw_law *law)
{
    struct draw_random random;

    demand(draw_mean(law) <= DRAW_NS_MAX);
    draw_seed(&random, law->low, law->high);
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t value = draw_law(law, &random);

        demand(value <= 45 * DRAW_NS_MAX);
        demand(law->kind == DRAW_EXPONENTIAL || value <= DRAW_NS_MAX);
        demand(law->kind != DRAW_UNIFORM || (value >= law->low && value <= law->high));
    }
}

static void check_arrivals(const struct program_arrivals *arrivals)
{
    if (arrivals->kind != PROGRAM_TRACE) {
        check_law(&arrivals->law);
        return;
    }
    demand(arrivals->count > 0);
    for (size_t i = 1; i < arrivals->count; i++) {
        demand(arrivals->times[i] >= arrivals->times[i - 1]);
    }
}

/* If the program names no processors, there is only the first. */
static void check_processor(const struct program *program, uint32_t processor)
{
    demand(processor == 0 || processor < program->processor_count);
}

static void check_program(const struct program *program)
{
    size_t stops = 0;

    check_law(&program->transmission);
    for (size_t i = 0; i < program->process_count; i++) {
        check_processor(program, program->process[i].processor);
    }

    demand(program->horizon_ns > 0 && program->load_count + program->stimulus_count > 0);
    for (size_t i = 0; i < program->load_count; i++) {
        demand(program->load[i].level < program->level_count);
        check_processor(program, program->load[i].processor);
        check_arrivals(&program->load[i].arrivals);
        check_law(&program->load[i].service);
    }
    for (size_t i = 0; i < program->stimulus_count; i++) {
        const struct program_stimulus *stimulus = &program->stimulus[i];

        demand(stimulus->first_stop == stops && stimulus->stop_count > 0);
        stops += stimulus->stop_count;
        check_arrivals(&stimulus->arrivals);
    }
    demand(stops == program->stop_count);
    for (size_t i = 0; i < stops; i++) {
        demand(program->stop[i].level < program->level_count);
        check_processor(program, program->stop[i].processor);
        demand(program->stop[i].process == PROGRAM_NONE ||
               program->stop[i].process < program->process_count);
        check_law(&program->stop[i].service);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program program;
    char error[PROGRAM_ERROR_MAX];
    char *text = malloc(size + 1);

    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (program_read(&program, text, error)) {
        check_program(&program);
    } else {
        demand(error[0] != '\0' && memchr(error, '\0', sizeof(error)) != NULL);
    }
    free(text);
    return 0;
}

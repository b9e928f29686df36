/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/task_script.h"

#include <string.h>

#include "bench/interactive/document/text.h"
#include "bench/interactive/document/typing.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"

static void type(struct text *text, const struct script_event *events, size_t count)
{
    struct typing typing = {0};

    for (size_t i = 0; i < count; i++) {
        const char character =
            typing_key(&typing, events[i].event.code, events[i].event.kind == INPUT_KEY_DOWN);

        if (character == TYPING_BACKSPACE) {
            text_erase(text, text_length(text));
        } else if (character != TYPING_NONE) {
            text_insert(text, text_length(text), character);
        }
    }
}

void task_script_publish(struct bench_run *run)
{
    const char *script = bench_text(run, "script");
    char error[SCRIPT_ERROR_MAX];
    struct text text;
    size_t count;

    if (!script_read(script, strlen(script), NULL, SCRIPT_EVENTS_MAX, &count, error) ||
        count == 0) {
        return;
    }
    struct script_event *events = bench_memory(count * sizeof(*events));
    char *bytes = bench_memory(count);

    if (events == NULL || bytes == NULL ||
        !script_read(script, strlen(script), events, count, &count, error)) {
        return;
    }
    text_begin(&text, bytes, count);
    type(&text, events, count);
    bench_fact(run, FACT_SCRIPT_CHECKSUM, UNIT_CODE, text_checksum(&text, 0));
    bench_fact(run, FACT_SCRIPT_LENGTH, UNIT_COUNT, (int64_t)text_length(&text));
}

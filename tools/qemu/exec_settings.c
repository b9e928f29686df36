/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/exec_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/exec/names.h"
#include "kernel/plan/plan.h"
#include "tools/base/alloc.h"
#include "tools/base/texts.h"

#define TEXT_SHOWN 100

/* One setting: all texts as bytes. */
static bool put_bytes(FILE *out, const char *param, const char *const *texts, size_t count,
                      char error[EXEC_ERROR_MAX])
{
    char why[ASSEMBLE_ERROR_MAX];
    struct code code;

    fprintf(out, BENCH_EXEC ".%s=", param);
    for (size_t i = 0; i < count; i++) {
        if (!assemble(ASSEMBLER, texts[i], &code, why)) {
            snprintf(error, EXEC_ERROR_MAX, "'%.*s': %s", TEXT_SHOWN, texts[i], why);
            return false;
        }
        fputs(i > 0 ? "," : "", out);
        for (size_t k = 0; k < code.length; k++) {
            fprintf(out, "%02x", code.bytes[k]);
        }
    }
    fputc('\n', out);
    return true;
}

/* A line each: ends of lines in the text become semicolons, which separate statements as well. */
static void put_texts(FILE *out, const struct exec_request *request)
{
    fprintf(out, "%s.%s={", BENCH_EXEC, PARAM_TEXT_OF_CODE);
    for (size_t i = 0; i < request->codes; i++) {
        fputs(i > 0 ? "\n" : "", out);
        for (const char *at = request->code[i]; *at != '\0'; at++) {
            fputc(*at == '\n' ? ';' : *at, out);
        }
    }
    fputs("\n}\n", out);
}

/* Is it read as it was written? A brace or quote without its partner swallows what follows. */
static bool is_plan(const char *text, size_t settings, char error[EXEC_ERROR_MAX])
{
    struct plan *plan = alloc_checked(malloc(sizeof(*plan)));
    char why[PLAN_ERROR_MAX];
    const bool is_read = plan_parse(plan, text, strlen(text), why) && plan->count == settings;

    if (!is_read && strlen(text) > PLAN_TEXT_MAX) {
        snprintf(error, EXEC_ERROR_MAX, "the codes exceed a plan's %d characters", PLAN_TEXT_MAX);
    } else if (!is_read) {
        snprintf(error, EXEC_ERROR_MAX,
                 "the texts cannot stand in a plan: braces and quotes must come in pairs");
    }
    free(plan);
    return is_read;
}

char *exec_settings(const struct exec_request *request, char error[EXEC_ERROR_MAX])
{
    const bool has_init = request->inits > 0;
    struct long_text text;

    if (request->inits > 1 && request->inits != request->codes) {
        snprintf(error, EXEC_ERROR_MAX,
                 "%zu inits for %zu codes: give one for all, or one for each", request->inits,
                 request->codes);
        return NULL;
    }
    long_text_open(&text);
    const bool is_code =
        put_bytes(text.out, PARAM_CODE, request->code, request->codes, error) &&
        (!has_init || put_bytes(text.out, PARAM_INIT, request->init, request->inits, error));

    put_texts(text.out, request);
    char *settings = alloc_checked(strdup(long_text_close(&text)));

    long_text_free(&text);
    if (!is_code || !is_plan(settings, has_init ? 3 : 2, error)) {
        free(settings);
        return NULL;
    }
    return settings;
}

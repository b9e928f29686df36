/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/exec_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/exec/names.h"
#include "kernel/plan/plan.h"
#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"

#define TEXT_SHOWN 100

/* Writes one setting: all texts as bytes. */
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

/* Writes the texts, one a line. Line ends within a text become semicolons, which separate
 * statements as well. */
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

/* Returns whether the plan's parser reads the settings as written. A brace or quote without its
 * partner would swallow what follows. */
static bool is_plan(const char *text, size_t settings, char error[EXEC_ERROR_MAX])
{
    struct plan *plan = alloc_checked(malloc(sizeof(*plan)));
    char why[PLAN_ERROR_MAX];
    const bool is_read = plan_parse(plan, text, strlen(text), why) && plan->count == settings;

    if (!is_read && strlen(text) > PLAN_TEXT_MAX) {
        snprintf(error, EXEC_ERROR_MAX, "the codes exceed a plan's %d characters", PLAN_TEXT_MAX);
    } else if (!is_read) {
        snprintf(error, EXEC_ERROR_MAX,
                 "the codes do not fit in a plan: braces and quotes must come in pairs");
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

#define SOURCE_NAME   "code.s"
#define OBJECT_NAME   "code.o"
#define SCRIPT_NAME   "code.ld"
#define OUTPUT_NAME   "code.bin"
#define MESSAGES_NAME "messages"
#define LINE_BYTES    256

/* ld writes the code as plain bytes, and rejects what is not code. */
static const char script[] =
    "SECTIONS { .text base : { *(.text) } .rest : { *(*) *(COMMON) }\n"
    "ASSERT(SIZEOF(.rest) == 0, \"Error: a section other than .text has data; only instructions "
    "are allowed\") }\n";

extern char **environ;

/* Runs a program in the folder. Returns its exit status, or -1 with errno set. */
static int run_program(const struct temporary *folder, char *const *arguments)
{
    char messages[TEMPORARY_PATH_MAX];
    posix_spawn_file_actions_t actions;
    int status;
    pid_t pid;

    temporary_name(folder, MESSAGES_NAME, messages);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder->path);
    const int cause = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);

    posix_spawn_file_actions_destroy(&actions);
    if (cause != 0) {
        errno = cause;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Reads the first error that the program printed, otherwise its first line. */
static void read_message(const struct temporary *folder, const char *program,
                         char error[ASSEMBLE_ERROR_MAX])
{
    char path[TEMPORARY_PATH_MAX];
    char line[LINE_BYTES];
    bool has_mark = false;

    snprintf(error, ASSEMBLE_ERROR_MAX, "%s failed and printed nothing", program);
    temporary_name(folder, MESSAGES_NAME, path);
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return;
    }
    for (bool is_first = true; !has_mark && fgets(line, sizeof(line), file) != NULL;
         is_first = false) {
        const char *mark = strstr(line, "Error: ");
        const char *undefined = strstr(line, "undefined reference");

        line[strcspn(line, "\n")] = '\0';
        has_mark = mark != NULL || undefined != NULL;
        if (has_mark || is_first) {
            snprintf(error, ASSEMBLE_ERROR_MAX, "%s",
                     mark != NULL        ? mark + strlen("Error: ")
                     : undefined != NULL ? undefined
                                         : line);
        }
    }
    fclose(file);
}

static bool run(const struct temporary *folder, char *const *arguments,
                char error[ASSEMBLE_ERROR_MAX])
{
    const int status = run_program(folder, arguments);

    if (status < 0) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot run %s: %s%s", arguments[0], strerror(errno),
                 errno == ENOENT ? "; install package binutils" : "");
    } else if (status != 0) {
        read_message(folder, arguments[0], error);
    }
    return status == 0;
}

/* Links the code for an address and reads its bytes. */
static bool link_at(const struct temporary *folder, const char *base, struct code *code,
                    char error[ASSEMBLE_ERROR_MAX])
{
    char *const arguments[] = {
        "ld",        "-melf_x86_64",     "-T",        SCRIPT_NAME, (char *)base, "-o",
        OUTPUT_NAME, "--oformat=binary", OBJECT_NAME, NULL};
    char path[TEMPORARY_PATH_MAX];
    uint8_t beyond;

    if (!run(folder, arguments, error)) {
        return false;
    }
    temporary_name(folder, OUTPUT_NAME, path);
    FILE *file = fopen(path, "rb");

    code->length = file != NULL ? fread(code->bytes, 1, CODE_BYTES_MAX, file) : 0;
    const bool is_longer = file != NULL && fread(&beyond, 1, 1, file) == 1;

    if (file != NULL) {
        fclose(file);
    }
    snprintf(error, ASSEMBLE_ERROR_MAX,
             is_longer ? "the code has more than %d bytes" : "it has no instruction",
             CODE_BYTES_MAX);
    return code->length != 0 && !is_longer;
}

static bool assemble_in(const struct temporary *folder, const char *program, const char *text,
                        struct code *code, char error[ASSEMBLE_ERROR_MAX])
{
    char *const arguments[] = {(char *)program, "--64", "-o", OBJECT_NAME, SOURCE_NAME, NULL};
    char *source = text_format("%s\n", text);
    const bool is_written = temporary_write(folder, SOURCE_NAME, source) &&
                            temporary_write(folder, SCRIPT_NAME, script);
    struct code elsewhere;

    free(source);
    if (!is_written) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot write a temporary file: %s", strerror(errno));
        return false;
    }
    if (!run(folder, arguments, error) || !link_at(folder, "--defsym=base=0", code, error) ||
        !link_at(folder, "--defsym=base=0x10000", &elsewhere, error)) {
        return false;
    }
    if (memcmp(code->bytes, elsewhere.bytes, code->length) != 0) {
        snprintf(error, ASSEMBLE_ERROR_MAX,
                 "the code refers to an absolute address; only relative ones are allowed");
        return false;
    }
    return true;
}

bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX])
{
    struct temporary folder = {0};

    if (!temporary_create(&folder)) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot make a temporary folder: %s", strerror(errno));
        return false;
    }
    const bool is_code = assemble_in(&folder, program, text, code, error);

    temporary_remove(&folder);
    return is_code;
}

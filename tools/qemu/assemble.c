/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/qemu/object_code.h"

#define SOURCE_NAME   "code.s"
#define OBJECT_NAME   "code.o"
#define MESSAGES_NAME "messages"
#define OBJECT_BYTES  (1u << 20) /* an object file of CODE_BYTES_MAX has some KiB */
#define LINE_BYTES    256
#define ERROR_MARK    "Error: "

extern char **environ;

/* Runs `as`; its exit status, or -1 with errno set. */
static int run_assembler(const char *program, const struct temporary *folder)
{
    char source[TEMPORARY_PATH_MAX];
    char object[TEMPORARY_PATH_MAX];
    char messages[TEMPORARY_PATH_MAX];
    posix_spawn_file_actions_t actions;
    int status;
    pid_t pid;

    temporary_name(folder, SOURCE_NAME, source);
    temporary_name(folder, OBJECT_NAME, object);
    temporary_name(folder, MESSAGES_NAME, messages);
    char *const arguments[] = {(char *)program, "--64", "-o", object, source, NULL};

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int cause = posix_spawnp(&pid, program, &actions, NULL, arguments, environ);

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

/* The first error that it printed; else its first line. */
static void read_message(const struct temporary *folder, char error[ASSEMBLE_ERROR_MAX])
{
    char path[TEMPORARY_PATH_MAX];
    char line[LINE_BYTES];
    bool has_mark = false;

    snprintf(error, ASSEMBLE_ERROR_MAX, "the assembler failed and printed nothing");
    temporary_name(folder, MESSAGES_NAME, path);
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return;
    }
    for (bool is_first = true; !has_mark && fgets(line, sizeof(line), file) != NULL;
         is_first = false) {
        const char *mark = strstr(line, ERROR_MARK);

        line[strcspn(line, "\n")] = '\0';
        has_mark = mark != NULL;
        if (has_mark || is_first) {
            snprintf(error, ASSEMBLE_ERROR_MAX, "%s", has_mark ? mark + strlen(ERROR_MARK) : line);
        }
    }
    fclose(file);
}

static bool read_object(const struct temporary *folder, struct code *code,
                        char error[ASSEMBLE_ERROR_MAX])
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, OBJECT_NAME, path);
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "the assembler wrote no object file");
        return false;
    }
    uint8_t *bytes = alloc_zeroed(OBJECT_BYTES);
    const size_t length = fread(bytes, 1, OBJECT_BYTES, file);
    const bool is_code = object_code(bytes, length, code, error);

    fclose(file);
    free(bytes);
    return is_code;
}

static bool assemble_in(const struct temporary *folder, const char *program, const char *text,
                        struct code *code, char error[ASSEMBLE_ERROR_MAX])
{
    char *source = alloc_zeroed(strlen(text) + 2);

    sprintf(source, "%s\n", text);
    const bool is_written = temporary_write(folder, SOURCE_NAME, source);

    free(source);
    if (!is_written) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot write a temporary file: %s", strerror(errno));
        return false;
    }
    const int status = run_assembler(program, folder);

    if (status < 0) {
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot run the assembler %s: %s%s", program,
                 strerror(errno), errno == ENOENT ? "; install package binutils" : "");
        return false;
    }
    if (status != 0) {
        read_message(folder, error);
        return false;
    }
    return read_object(folder, code, error);
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

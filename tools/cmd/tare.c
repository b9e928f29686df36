/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare: the host program. Finds the subcommand and hands over.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/base/version.h"
#include "tools/base/clean_text.h"
#include "tools/base/colour.h"
#include "tools/base/interrupt.h"
#include "tools/base/output_file.h"
#include "tools/base/pager.h"
#include "tools/base/spelling.h"
#include "tools/cmd/commands.h"
#include "tools/store/runfile.h"

#define COMPLAINT_MAX 8192 /* what is longer is cut */

#define GROUP_MAX 8 /* commands in one */

static const struct {
    const char *title;
    const struct command *commands[GROUP_MAX]; /* NULL behind the last */
} groups[] = {
    {"Measure",
     {&command_boot, &command_capture, &command_host, &command_events, &command_disk,
      &command_peer}},
    {"Look", {&command_watch, &command_show, &command_report, &command_compare, &command_diff}},
    {"Predict", {&command_sim}},
    {"Keep and share", {&command_decode, &command_export, &command_db}},
};

#define GROUP_COUNT (sizeof(groups) / sizeof(groups[0]))

static char last_complaint[COMPLAINT_MAX];

__attribute__((format(printf, 2, 0))) static void complain(const struct command *command,
                                                           const char *format, va_list arguments)
{
    char *text = last_complaint;

    vsnprintf(text, sizeof(last_complaint), format, arguments);
    clean_text(text, true);
    fflush(stdout);
    fprintf(stderr, "tare %s: %s\n", command->name, text);
}

const char *command_complaint(void)
{
    return last_complaint;
}

int command_usage_error(const struct command *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(command, format, arguments);
    va_end(arguments);
    fprintf(stderr, "See: tare help %s\n", command->name);
    return COMMAND_USAGE;
}

int command_failure(const struct command *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(command, format, arguments);
    va_end(arguments);
    return COMMAND_FAILED;
}

static void print_overview(FILE *out)
{
    fputs("usage: tare COMMAND [ARGUMENT]...\n\n"
          "Weighs the empty machine: boots an image without an operating system, and reads\n"
          "what it measured.\n\n",
          out);
    for (size_t group = 0; group < GROUP_COUNT; group++) {
        colour_text(out, COLOUR_HEAD, groups[group].title);
        fputc('\n', out);
        for (size_t i = 0; i < GROUP_MAX && groups[group].commands[i] != NULL; i++) {
            const struct command *command = groups[group].commands[i];

            fprintf(out, "  %-10s %s\n", command->name, command->summary);
        }
        fputc('\n', out);
    }
    fputs("Every command takes\n"
          "  --color WHEN  auto, always or never; auto (default): on a terminal, unless\n"
          "                NO_COLOR is set\n"
          "  --no-pager    on a terminal print directly, not through $PAGER or less\n"
          "\n"
          "tare help COMMAND describes a command. tare --version prints the versions of\n"
          "tare and of its files.\n",
          out);
}

static const struct command *find_command(const char *name)
{
    struct spelling spelling;

    spelling_begin(&spelling, name);
    for (size_t at = 0; at < GROUP_COUNT * GROUP_MAX; at++) {
        const struct command *command = groups[at / GROUP_MAX].commands[at % GROUP_MAX];

        if (command != NULL && strcmp(command->name, name) == 0) {
            return command;
        }
        if (command != NULL) {
            spelling_offer(&spelling, command->name);
        }
    }
    const char *const meant = spelling_nearest(&spelling);

    if (name[0] == '-') {
        fprintf(stderr, "tare: unknown option %s: a command is expected first\nSee: tare help\n",
                name);
        return NULL;
    }
    fprintf(stderr, "tare: unknown command %s%s%s%s\nSee: tare help\n", name,
            meant != NULL ? "; did you mean " : "", meant != NULL ? meant : "",
            meant != NULL ? "?" : "");
    return NULL;
}

/* Results that could not be written are a failure. Leaving the pager early is none. */
static int flush_output(int status)
{
    if (output_file_finish(stdout)) {
        return status;
    }
    fprintf(stderr, "tare: cannot write to standard output: %s\n", strerror(errno));
    return COMMAND_FAILED;
}

/* ---- options ---- */

static bool asks_help, no_pager;
static unsigned colour; /* enum colour_when */
static const char *const colour_words[] = {"auto", "always", "never", NULL};

/* That every command takes, as well as its own. */
static const struct option_line common_options[] = {
    {"color", OPT_WORD(&colour), NULL, NULL, .words = colour_words},
    {"no-pager", OPT_FLAG(&no_pager), NULL, NULL},
    {"help", OPT_FLAG(&asks_help), NULL, "this text", .letter = 'h', .alone = true},
    OPTIONS_END,
};

static const struct option_line *options_of(const struct command *command)
{
    static struct option_line both[] = {
        {"", OPT_TABLE(NULL)}, {"", OPT_TABLE(common_options)}, OPTIONS_END};

    both[0].to.table = command->options;
    return both;
}

static void print_help(const struct command *command)
{
    if (command->options == NULL) {
        fputs(command->help, stdout);
        return;
    }
    printf("%s\n", command->about);
    options_help(stdout, options_of(command));
    printf("\n%s", command->notes);
}

static int help(const char *name)
{
    if (name == NULL) {
        print_overview(stdout);
        return COMMAND_OK;
    }
    const struct command *command = find_command(name);

    if (command == NULL) {
        return COMMAND_USAGE;
    }
    print_help(command);
    return COMMAND_OK;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

/* Takes the options that every command has out of the arguments, up to "--". */
static bool take_common_options(int *argc, char **argv)
{
    int kept = 1;
    int i = 1;

    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value = NULL;
        enum colour_when when;

        if (strcmp(argv[i], "--no-pager") == 0) {
            pager_forbid();
            continue;
        }
        if (strncmp(argv[i], "--color=", strlen("--color=")) == 0) {
            value = argv[i] + strlen("--color=");
        } else if (strcmp(argv[i], "--color") == 0) {
            value = i + 1 < *argc ? argv[++i] : "";
        } else {
            argv[kept++] = argv[i];
            continue;
        }
        if (!colour_read(value, &when)) {
            fprintf(stderr, "tare: --color %s: must be auto, always or never\n", value);
            return false;
        }
        colour_use(when);
    }
    while (i < *argc) {
        argv[kept++] = argv[i++];
    }
    argv[kept] = NULL;
    *argc = kept;
    return true;
}

/* ---- completion ---- */

static const char *command_at(size_t index)
{
    for (size_t at = 0; at < GROUP_COUNT * GROUP_MAX; at++) {
        const struct command *command = groups[at / GROUP_MAX].commands[at % GROUP_MAX];

        if (command != NULL && index-- == 0) {
            return command->name;
        }
    }
    return index == 0 ? "help" : NULL;
}

/* `tare complete WORD...`, for shells: what may stand in place of the last word, one a line. */
static int complete(size_t count, char **words)
{
    static const struct option_line top[] = {
        {"", OPT_TABLE(common_options)},
        {"version", OPT_FLAG(&asks_help), NULL, NULL},
        {"command", OPT_ARGUMENTS(0, 1), NULL, NULL, .word_at = command_at},
        OPTIONS_END,
    };
    size_t at = 0;

    /* To the command: an option before it may have a value, after = where bash splits there. */
    while (at + 1 < count && (words[at][0] == '-' || strcmp(words[at], "=") == 0 ||
                              colour_read(words[at], &(enum colour_when){COLOUR_AUTO}))) {
        at++;
    }
    const struct command *command = NULL;

    for (size_t i = 0; at + 1 < count && i < GROUP_COUNT * GROUP_MAX; i++) {
        const struct command *known = groups[i / GROUP_MAX].commands[i % GROUP_MAX];

        if (known != NULL && strcmp(known->name, words[at]) == 0) {
            command = known;
        }
    }
    if (command != NULL) {
        options_complete(stdout, options_of(command), count - at - 1,
                         (const char *const *)words + at + 1);
    } else if (count > 0) {
        options_complete(stdout, top, count, (const char *const *)words);
    }
    return COMMAND_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char error[OPTION_ERROR_MAX];
    struct option_rest rest;

    if (!options_parse(options_of(command), argc, argv, false, &rest, error)) {
        return command_usage_error(command, "%s", error);
    }
    if (asks_help) {
        print_help(command);
        return COMMAND_OK;
    }
    if (command->is_long) {
        pager_start();
    }
    return command->run(&rest);
}

static int dispatch(int argc, char **argv)
{
    const char *name = argv[1];

    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("tare %s (log format %d, run file schema %d)\n", TARE_VERSION, TARE_LOG_FORMAT,
               RUNFILE_SCHEMA_VERSION);
        return COMMAND_OK;
    }
    if (strcmp(name, "complete") == 0) {
        return complete((size_t)argc - 2, argv + 2);
    }
    const struct command *command = find_command(name);

    if (command == NULL) {
        return COMMAND_USAGE;
    }
    if (command->options != NULL) {
        return run_command(command, argc - 1, argv + 1);
    }
    if (asks_for_help(argc - 1, argv + 1)) {
        return help(name);
    }
    if (command->is_long) {
        pager_start();
    }
    optind = 0; /* GNU getopt: start again */
    opterr = 0;
    return command->main(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    interrupt_none_by_writing();
    if (!take_common_options(&argc, argv)) {
        return COMMAND_USAGE;
    }
    if (argc < 2) {
        print_overview(stderr);
        return COMMAND_USAGE;
    }
    const int status = flush_output(dispatch(argc, argv));

    pager_finish();
    return status;
}

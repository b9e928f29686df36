/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare: the host program. Finds the subcommand and hands over.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/version.h"
#include "tools/cmd/commands.h"

static const struct command *const commands[] = {
    &command_boot,   &command_capture, &command_decode, &command_events,
    &command_export, &command_host,    &command_show,   &command_watch,
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

__attribute__((format(printf, 2, 0))) static void complain(const struct command *command,
                                                           const char *format, va_list arguments)
{
    fflush(stdout);
    fprintf(stderr, "tare %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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

int command_next_option(const struct command *command, int argc, char **argv, const char *brief,
                        const struct option *options)
{
    char short_options[16];

    /* The colon in front: a missing value is told from an unknown option. */
    snprintf(short_options, sizeof(short_options), ":%s", brief);
    const int option = getopt_long(argc, argv, short_options, options, NULL);

    if (option == ':') {
        command_usage_error(command, "option %s needs a value", argv[optind - 1]);
        return COMMAND_BAD_OPTION;
    }
    if (option == '?') {
        command_usage_error(command, "unknown option %s", argv[optind - 1]);
        return COMMAND_BAD_OPTION;
    }
    return option;
}

static void print_overview(FILE *out)
{
    fputs("usage: tare COMMAND [ARGUMENT]...\n\n"
          "Weighs the empty machine: boots an image without operating system, and reads what it\n"
          "measured.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\ntare help COMMAND tells more. tare --version names the version.\n", out);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    fprintf(stderr, "tare: no command \"%s\"; there are:", name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(stderr, " %s", commands[i]->name);
    }
    fputc('\n', stderr);
    return NULL;
}

/* Results that nobody could read are a failure. */
static int flush_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tare: cannot write: %s\n", strerror(errno));
        return COMMAND_FAILED;
    }
    return status;
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
    fputs(command->help, stdout);
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

static int dispatch(int argc, char **argv)
{
    const char *name = argv[1];

    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("tare %s (log format %d)\n", TARE_VERSION, TARE_LOG_FORMAT);
        return COMMAND_OK;
    }
    const struct command *command = find_command(name);

    if (command == NULL) {
        return COMMAND_USAGE;
    }
    if (asks_for_help(argc - 1, argv + 1)) {
        return help(name);
    }
    optind = 0; /* GNU getopt: start anew */
    opterr = 0;
    return command->main(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        print_overview(stderr);
        return COMMAND_USAGE;
    }
    return flush_output(dispatch(argc, argv));
}

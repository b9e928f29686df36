/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options and actions of all commands: the one place that reads them, and that suggests what may
 * have been meant by one that does not exist.
 */
#include <stdio.h>
#include <string.h>

#include "tools/base/spelling.h"
#include "tools/cmd/commands.h"

#define OPTION_MAX 80 /* characters of an option that a message shows */

/* That every command takes, beside its own (tare.c). */
static const char *const common[] = {"help", "color", "no-pager"};
#define COMMON (sizeof(common) / sizeof(common[0]))

/* The options that a short form may stand for: "--from or --force". Returns how many. */
static size_t list_candidates(const char *name, const struct option *options, char *text,
                              size_t size)
{
    size_t count = 0;
    size_t used = 0;

    text[0] = '\0';
    for (; options->name != NULL; options++) {
        if (strncmp(options->name, name, strlen(name)) == 0 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s--%s", count > 0 ? " or " : "",
                                     options->name);
            count++;
        }
    }
    return count;
}

static bool takes_no_value(const char *name, const struct option *options)
{
    for (; options->name != NULL; options++) {
        if (strcmp(options->name, name) == 0) {
            return options->has_arg == no_argument;
        }
    }
    return false;
}

static int refuse(const struct command *command, const char *given, const struct option *options)
{
    char option[OPTION_MAX];
    char candidates[256];
    struct spelling spelling;

    snprintf(option, sizeof(option), "%.*s", (int)strcspn(given, "="), given);
    if (strncmp(option, "--", 2) != 0) {
        return command_usage_error(command, "unknown option %s", given);
    }
    const char *const name = option + 2;

    if (strchr(given, '=') != NULL && takes_no_value(name, options)) {
        return command_usage_error(command, "option %s takes no value", option);
    }
    if (list_candidates(name, options, candidates, sizeof(candidates)) > 1) {
        return command_usage_error(command, "option %s may be %s: write it out", option,
                                   candidates);
    }
    spelling_begin(&spelling, name);
    for (size_t i = 0; options[i].name != NULL; i++) {
        spelling_offer(&spelling, options[i].name);
    }
    for (size_t i = 0; i < COMMON; i++) {
        spelling_offer(&spelling, common[i]);
    }
    const char *const meant = spelling_nearest(&spelling);

    return meant != NULL ? command_usage_error(command, "unknown option %s; did you mean --%s?",
                                               option, meant)
                         : command_usage_error(command, "unknown option %s", option);
}

int command_next_option(const struct command *command, int argc, char **argv, const char *brief,
                        const struct option *options)
{
    char short_options[16];

    /* The leading colon makes getopt distinguish a missing value from an unknown option. */
    snprintf(short_options, sizeof(short_options), ":%s", brief);
    const int option = getopt_long(argc, argv, short_options, options, NULL);

    if (option == ':') {
        command_usage_error(command, "option %s needs a value", argv[optind - 1]);
        return COMMAND_BAD_OPTION;
    }
    if (option == '?') {
        refuse(command, argv[optind - 1], options);
        return COMMAND_BAD_OPTION;
    }
    return option;
}

int command_unknown_word(const struct command *command, const char *what, const char *given,
                         const char *const *known, size_t count)
{
    char list[512];
    struct spelling spelling;
    size_t used = 0;

    list[0] = '\0';
    spelling_begin(&spelling, given);
    for (size_t i = 0; i < count; i++) {
        spelling_offer(&spelling, known[i]);
        used += used < sizeof(list) ? (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                                       i == 0           ? ""
                                                       : i + 1 == count ? " or "
                                                                        : ", ",
                                                       known[i])
                                    : 0;
    }
    const char *const meant = spelling_nearest(&spelling);

    return meant != NULL ? command_usage_error(command, "%s %s is unknown; did you mean %s?", what,
                                               given, meant)
                         : command_usage_error(command, "%s %s: must be %s", what, given, list);
}

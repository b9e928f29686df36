/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host program `tare`: finds the subcommand, reads its options and runs it.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/plan.h"
#include "kernel/plan/profiles.h"
#include "kernel/plan/version.h"
#include "tools/base/clean_text.h"
#include "tools/base/colour.h"
#include "tools/base/interrupt.h"
#include "tools/base/output_file.h"
#include "tools/base/spelling.h"
#include "tools/cmd/bench_help.h"
#include "tools/cmd/commands.h"
#include "tools/store/file_kind.h"
#include "tools/store/runfile.h"

#define COMPLAINT_MAX 8192 /* longer messages are cut */

#define LIST "list" /* tare list, and a word of tare boot */

#define GROUP_MAX 8 /* largest number of commands in a group */

static const struct {
    const char *title;
    const struct command *commands[GROUP_MAX]; /* NULL after the last */
} groups[] = {
    {"Measure",
     {&command_boot, &command_capture, &command_host, &command_events, &command_disk, &command_peer,
      &command_doctor}},
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
          "Weighs the empty machine: boots an image that measures the machine without an\n"
          "operating system, and evaluates the measurements.\n\n",
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
          "  --no-pager    print directly on a terminal, not through $PAGER or less\n"
          "\n"
          "tare list prints profiles and benches. tare help NAME describes a command, a\n"
          "profile, a bench or a plan key. tare --version prints the versions of tare and\n"
          "of its files.\n",
          out);
}

/* Returns the command at `index` in the order of the overview; NULL after the last. */
static const struct command *command_number(size_t index)
{
    for (size_t at = 0; at < GROUP_COUNT * GROUP_MAX; at++) {
        const struct command *command = groups[at / GROUP_MAX].commands[at % GROUP_MAX];

        if (command != NULL && index-- == 0) {
            return command;
        }
    }
    return NULL;
}

static const struct command *command_named(const char *name)
{
    const struct command *command;

    for (size_t i = 0; (command = command_number(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

/* What people type in place of a command, and what does it. */
static const char *const guesses[][2] = {
    {"run start measure bench test qemu exec", "tare boot"},
    {"ls benches profiles plans", "tare list"},
    {"view print stats summary results json", "tare show"},
    {"html page open plot graph", "tare report"},
    {"cmp delta ab baseline", "tare compare"},
    {"serial record listen log", "tare capture"},
    {"top monitor live tail", "tare watch"},
    {"parse import", "tare decode"},
    {"convert csv perfetto", "tare export"},
    {"perf counters pmu", "tare events"},
    {"linux native", "tare host"},
    {"man doc docs", "tare help"},
    {"usb stick flash image iso", "make image, and write build/image/tare.img to a drive"},
};

/* Returns the command for a word that is not one: a guess, a file, a profile or a bench; NULL if it
 * is unknown. */
static const char *command_for(const char *word, char text[SPELLING_WORD_MAX + 64])
{
    const enum file_kind kind = file_kind_of(word);

    for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
        size_t length;

        for (const char *item = plan_list_item(guesses[i][0], &length); item != NULL;
             item = plan_list_item(item + length, &length)) {
            if (strlen(word) == length && strncmp(item, word, length) == 0) {
                return guesses[i][1];
            }
        }
    }
    if (kind == FILE_RUN || kind == FILE_LOG) {
        snprintf(text, SPELLING_WORD_MAX + 64, "tare show %.*s", SPELLING_WORD_MAX, word);
        return text;
    }
    if (profile_find(word) != NULL || bench_find(word) != NULL) {
        snprintf(text, SPELLING_WORD_MAX + 64, "tare boot %s, or tare help %s", word, word);
        return text;
    }
    return NULL;
}

/* As command_named(), but prints an error and returns NULL if there is no such command. */
static const struct command *find_command(const char *name)
{
    const struct command *command = command_named(name);
    struct spelling spelling;

    if (command != NULL) {
        return command;
    }
    spelling_begin(&spelling, name);
    for (size_t i = 0; (command = command_number(i)) != NULL; i++) {
        spelling_offer(&spelling, command->name);
    }
    char text[SPELLING_WORD_MAX + 64];
    const char *const guess = command_for(name, text);
    const char *const meant = guess != NULL ? guess : spelling_nearest(&spelling);

    fprintf(stderr, "tare: unknown command %s%s%s%s\nSee: tare help\n", name,
            guess != NULL   ? ": use "
            : meant != NULL ? "; did you mean "
                            : "",
            meant != NULL ? meant : "", guess == NULL && meant != NULL ? "?" : "");
    return NULL;
}

/* Returns a failure if results could not be written. A user who leaves the pager early causes none.
 */
static int flush_output(int status)
{
    if (output_file_finish(stdout)) {
        return status;
    }
    fprintf(stderr, "tare: cannot write to standard output: %s\n", strerror(errno));
    return COMMAND_FAILED;
}

/* ---- options ---- */

static bool asks_help, asks_version, no_pager;
static unsigned colour; /* enum colour_when */
static const char *const colour_words[] = {"auto", "always", "never", NULL};

static const char *command_at(size_t index)
{
    const struct command *command = command_number(index);

    if (command != NULL) {
        return command->name;
    }
    if (index > 0 && command_number(index - 1) != NULL) {
        return "help";
    }
    return index > 1 && command_number(index - 2) != NULL ? LIST : NULL;
}

/* Options that every command takes in addition to its own. */
static const struct option_line common_options[] = {
    {"color", OPT_WORD(&colour), NULL, NULL, .words = colour_words},
    {"no-pager", OPT_FLAG(&no_pager), NULL, NULL},
    {"help", OPT_FLAG(&asks_help), NULL, "this text", .letter = 'h', .alone = true},
    OPTIONS_END,
};

/* Options before the command. */
static const struct option_line top_options[] = {
    {"", OPT_TABLE(common_options)},
    {"version", OPT_FLAG(&asks_version), NULL, NULL, .letter = 'V'},
    {"command", OPT_ARGUMENTS(0, 1), NULL, NULL, .word_at = command_at},
    OPTIONS_END,
};

static const struct option_line *options_of(const struct command *command)
{
    static struct option_line both[] = {
        {"", OPT_TABLE(NULL)}, {"", OPT_TABLE(common_options)}, OPTIONS_END};

    both[0].to.table = command->options;
    return both;
}

static void use_common_options(void)
{
    colour_use((enum colour_when)colour);
    if (no_pager) {
        pager_forbid();
    }
}

/* ---- help and completion ---- */

static int help(const char *name)
{
    if (name == NULL) {
        print_overview(stdout);
        return COMMAND_OK;
    }
    if (strcmp(name, LIST) == 0) {
        benches_list(stdout);
        return COMMAND_OK;
    }
    if (command_named(name) == NULL &&
        (profile_help(stdout, name) || bench_help(stdout, name) || bench_keys_list(stdout, name))) {
        return COMMAND_OK;
    }
    const struct command *command = find_command(name);

    if (command == NULL) {
        return COMMAND_USAGE;
    }
    printf("%s\n", command->about);
    options_help(stdout, options_of(command));
    printf("\n%s", command->notes);
    return COMMAND_OK;
}

/* Runs `tare complete WORD...`, for shells: prints one per line what may replace the last word. */
static int complete(size_t count, const char *const *words)
{
    size_t at = 0;

    /* Skips options before the command. Their value may be a separate word, because bash splits
     * at "=". */
    while (at + 1 < count && (words[at][0] == '-' || strcmp(words[at], "=") == 0 ||
                              colour_read(words[at], &(enum colour_when){COLOUR_AUTO}))) {
        at++;
    }
    const struct command *command = at + 1 < count ? command_named(words[at]) : NULL;

    if (command != NULL) {
        options_complete(stdout, options_of(command), count - at - 1, words + at + 1);
    } else if (count > 0) {
        options_complete(stdout, top_options, count, words);
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
    use_common_options();
    if (asks_help) {
        return help(command->name);
    }
    if (command->is_long) {
        pager_start();
    }
    return command->run(&rest);
}

/* Runs the command that words[0] names. */
static int dispatch(size_t count, char **words)
{
    const char *name = count > 0 ? words[0] : "";
    const char *second = count > 1 ? words[1] : NULL;

    if (asks_version || strcmp(name, "version") == 0) {
        printf("tare %s (log format %d, run file schema %d)\n", TARE_VERSION, TARE_LOG_FORMAT,
               RUNFILE_SCHEMA_VERSION);
        return COMMAND_OK;
    }
    if (asks_help) {
        return help(count > 0 ? name : NULL);
    }
    if (strcmp(name, "help") == 0) {
        return help(second);
    }
    if (strcmp(name, LIST) == 0) {
        return help(second != NULL ? second : LIST);
    }
    if (strcmp(name, "complete") == 0) {
        return complete(count - 1, (const char *const *)words + 1);
    }
    if (count == 0) {
        print_overview(stderr);
        return COMMAND_USAGE;
    }
    const struct command *command = find_command(name);

    return command != NULL ? run_command(command, (int)count, words) : COMMAND_USAGE;
}

int main(int argc, char **argv)
{
    char error[OPTION_ERROR_MAX];
    struct option_rest rest;

    setlocale(LC_CTYPE, "");
    interrupt_none_by_writing();
    if (!options_parse(top_options, argc, argv, true, &rest, error)) {
        fprintf(stderr, "tare: %s\nSee: tare help\n", error);
        return COMMAND_USAGE;
    }
    use_common_options();
    const int status = flush_output(dispatch(rest.count, rest.arguments));

    pager_finish();
    return status;
}

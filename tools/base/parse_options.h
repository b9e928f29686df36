/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a command, each in one line of a table: its name, where its value goes, of which
 * kind and within which bounds, the name of its value, its help, what it needs and excludes. From
 * that line come reading it, messages, help and completion:
 *
 *     static const struct option_line options[] = {
 *         {"shift", OPT_UNSIGNED(&shift, 0, 10), "N", "an instruction takes 2^N ns", .needs =
 * "mode"},
 *         {"output", OPT_TEXT(&output), "RUN.db", "the run file", .letter = 'o', .required = true},
 *         {"run file", OPT_ARGUMENTS(1, 1), "RUN.db"},
 *         OPTIONS_END,
 *     };
 *
 * A long name may be shortened while it is unique. Of an option that is given twice the last
 * counts, unless its kind collects values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OPTION_ERROR_MAX 1024
#define OPTIONS_MAX      64 /* lines of a table, with those of the tables in it */

enum option_kind {
    OPTION_NONE, /* a heading, or a sentence between options */
    OPTION_FLAG,
    OPTION_CHOICE,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_UNSIGNED,
    OPTION_NUMBER,
    OPTION_REAL,
    OPTION_WORD,
    OPTION_CALL,
    OPTION_TABLE,
    OPTION_ARGUMENTS,
    OPTION_REST,
};

/* Takes the value of an option. False: `error` has what follows the option's name in the message:
 * "VALUE: must be ...". */
typedef bool option_taker(char *text, char error[OPTION_ERROR_MAX]);

struct option_line {
    const char *name; /* without dashes; of OPTION_NONE its text, of arguments what one is */
    union {
        bool *flag;
        unsigned *number;
        uint64_t *wide;
        double *real;
        const char **text;
        option_taker *take;
        const struct option_line *table;
    } to;
    uint64_t least,
        most;           /* of a number, of a list, of arguments; least of OPTION_CHOICE its value */
    double from, up_to; /* of OPTION_REAL */
    size_t *count;      /* of OPTION_LIST: how many texts `to` has */
    enum option_kind kind;
    const char *argument;     /* the value's name in the help; NULL: its words, or it takes none */
    const char *help;         /* one text, which is wrapped; NULL: the help is silent on it */
    const char *expected;     /* follows "must be" in messages; NULL: by kind and bounds */
    const char *const *words; /* that a value may be, NULL after the last; NULL: none */
    const char *(*word_at)(size_t); /* the same by index; NULL after the last */
    const char *needs;              /* one of these options, "a b" */
    const char *excludes;           /* none of these */
    bool *given;                    /* set if the option is given; may be NULL */
    char letter;                    /* its short form; 0: none */
    bool comma;                     /* completion: the value is a list, separated by commas */
    bool repeats;                   /* completion offers it again */
    bool required;                  /* must be given; it has a letter */
    bool alone;                     /* without it nothing is missing: --help, --version */
};

/* Where the value goes, and what it may be. */
#define OPT_FLAG(at)        .to.flag = (at), .most = 1, .kind = OPTION_FLAG
#define OPT_CLEAR(at)       .to.flag = (at), .most = 0, .kind = OPTION_FLAG
#define OPT_CHOICE(at, one) .to.number = (at), .least = (one), .kind = OPTION_CHOICE
#define OPT_TEXT(at)        .to.text = (at), .kind = OPTION_TEXT
/* Up to `limit` texts into the array `at`. */
#define OPT_LIST(at, counted, limit) \
    .to.text = (at), .most = (limit), .count = (counted), .repeats = true, .kind = OPTION_LIST
#define OPT_UNSIGNED(at, low, high) \
    .to.number = (at), .least = (low), .most = (high), .kind = OPTION_UNSIGNED
#define OPT_NUMBER(at, low, high) \
    .to.wide = (at), .least = (low), .most = (high), .kind = OPTION_NUMBER
#define OPT_REAL(at, low, high) .to.real = (at), .from = (low), .up_to = (high), .kind = OPTION_REAL
/* The index of the word given among .words. */
#define OPT_WORD(at)     .to.number = (at), .kind = OPTION_WORD
#define OPT_CALL(taker)  .to.take = (taker), .kind = OPTION_CALL
#define OPT_HEADING      .kind = OPTION_NONE
#define OPT_TABLE(lines) .to.table = (lines), .kind = OPTION_TABLE
/* How many arguments that are no options there may be; those after "--" as well. */
#define OPT_ARGUMENTS(fewest, limit) .least = (fewest), .most = (limit), .kind = OPTION_ARGUMENTS
/* What follows "--" is for the command, and no argument. */
#define OPT_REST .kind = OPTION_REST
#define OPTIONS_END  \
    {                \
        .name = NULL \
    }

/* What is left of the arguments. */
struct option_rest {
    char **arguments; /* neither options nor values, in their order */
    size_t count;
    bool has_rest; /* of a table with OPT_REST: "--" was given */
    char **rest;   /* after it */
    size_t rest_count;
};

/* Reads argv[1] to argv[argc - 1], and sorts argv. False: `error` names what was expected and
 * what came. With `leading` it ends at the first argument that is no option. */
bool options_parse(const struct option_line *table, int argc, char **argv, bool leading,
                   struct option_rest *rest, char error[OPTION_ERROR_MAX]);

/* A row for each option, at most 80 columns wide. */
void options_help(FILE *out, const struct option_line *table);

/* What may stand in place of the last of the words, which has just begun, one a line: options,
 * values. Nothing: a file, or anything. */
void options_complete(FILE *out, const struct option_line *table, size_t count,
                      const char *const *words);

/* `given` is none of the words of `what` ("--format", "action"): names the nearest, else all. */
void options_unknown_word(const char *what, const char *given, size_t count,
                          const char *const *words, char error[OPTION_ERROR_MAX]);

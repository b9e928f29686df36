/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parser of command-line options. Each option is one line of a table with its name, the place for
 * its value, the type and bounds of the value, the name of the value, its help, and the options
 * that it needs and excludes. Parsing, messages, help and completion all come from that line:
 *
 *     static const struct option_line options[] = {
 *         {"shift", OPT_UNSIGNED(&shift, 0, 10), "N", "an instruction takes 2^N ns",
 *          .needs = "mode"},
 *         {"output", OPT_TEXT(&output), "RUN.db", "the run file", .letter = 'o', .required = true},
 *         {"run file", OPT_ARGUMENTS(1, 1), "RUN.db"},
 *         OPTIONS_END,
 *     };
 *
 * A long name may be shortened as long as it is unique. If an option is given several times, the
 * last one counts, unless its type collects values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OPTION_ERROR_MAX 1024
/* largest number of lines of a table, including those of nested tables */
#define OPTIONS_MAX 64

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

/* Takes the value of an option. Returns false with `error` set to the part of the message that
 * follows the option's name: "VALUE: must be ...". */
typedef bool option_taker(char *text, char error[OPTION_ERROR_MAX]);

struct option_line {
    /* name without dashes; text of an OPTION_NONE line; what one argument is called */
    const char *name;
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
        /* bounds of a number, of the length of a list, of the number of arguments; for
         * OPTION_CHOICE, `least` is the value */
        most;
    double from, up_to; /* bounds of an OPTION_REAL */
    size_t *count;      /* number of texts in `to`, for OPTION_LIST */
    enum option_kind kind;
    /* name of the value in the help; NULL: the help shows `words`, or the option takes no value */
    const char *argument;
    const char *help; /* one text, which is wrapped; NULL: the help omits the option */
    /* text after "must be" in messages; NULL: follows from type and bounds */
    const char *expected;
    const char *const *words; /* allowed values, NULL after the last; NULL: any value */
    /* function that returns the allowed values by index, NULL after the last */
    const char *(*word_at)(size_t);
    const char *needs;    /* names of options, "a b", one of which must also be given */
    const char *excludes; /* names of options, none of which may also be given */
    bool *given;          /* set if the option is given; may be NULL */
    char letter;          /* short form; 0: none */
    bool comma;           /* for completion: the value is a list separated by commas */
    bool repeats;         /* for completion: offer the option again */
    bool required;        /* the option must be given; it must then have a letter */
    /* if this option is given, no required option is missing: --help, --version */
    bool alone;
};

/* These macros say where the value goes and which values are allowed. */
#define OPT_FLAG(at)        .to.flag = (at), .most = 1, .kind = OPTION_FLAG
#define OPT_CLEAR(at)       .to.flag = (at), .most = 0, .kind = OPTION_FLAG
#define OPT_CHOICE(at, one) .to.number = (at), .least = (one), .kind = OPTION_CHOICE
#define OPT_TEXT(at)        .to.text = (at), .kind = OPTION_TEXT
/* Collects up to `limit` texts in the array `at`. */
#define OPT_LIST(at, counted, limit) \
    .to.text = (at), .most = (limit), .count = (counted), .repeats = true, .kind = OPTION_LIST
#define OPT_UNSIGNED(at, low, high) \
    .to.number = (at), .least = (low), .most = (high), .kind = OPTION_UNSIGNED
#define OPT_NUMBER(at, low, high) \
    .to.wide = (at), .least = (low), .most = (high), .kind = OPTION_NUMBER
#define OPT_REAL(at, low, high) .to.real = (at), .from = (low), .up_to = (high), .kind = OPTION_REAL
/* Stores the index of the given word in .words. */
#define OPT_WORD(at)     .to.number = (at), .kind = OPTION_WORD
#define OPT_CALL(taker)  .to.take = (taker), .kind = OPTION_CALL
#define OPT_HEADING      .kind = OPTION_NONE
#define OPT_TABLE(lines) .to.table = (lines), .kind = OPTION_TABLE
/* Bounds for the number of arguments that are not options, including those after "--". */
#define OPT_ARGUMENTS(fewest, limit) .least = (fewest), .most = (limit), .kind = OPTION_ARGUMENTS
/* Everything after "--" is passed on to the command and not counted as an argument. */
#define OPT_REST .kind = OPTION_REST
#define OPTIONS_END  \
    {                \
        .name = NULL \
    }

/* The arguments that remain after options were parsed. */
struct option_rest {
    char **arguments; /* arguments that are neither options nor values, in their order */
    size_t count;
    bool has_rest; /* "--" was given, in a table with OPT_REST */
    char **rest;   /* the arguments after "--" */
    size_t rest_count;
};

/* Parses argv[1] to argv[argc - 1] and reorders argv. Returns false with `error` stating what was
 * expected and what was given. If `leading` is true, stops at the first argument that is not an
 * option. */
bool options_parse(const struct option_line *table, int argc, char **argv, bool leading,
                   struct option_rest *rest, char error[OPTION_ERROR_MAX]);

/* Prints one row for each option, at most 80 columns wide. */
void options_help(FILE *out, const struct option_line *table);

/* Prints completions for the last word, which the user has begun to type: options and values, one a
 * line. Prints nothing if a file name or any text is allowed. */
void options_complete(FILE *out, const struct option_line *table, size_t count,
                      const char *const *words);

/* Writes an error for a word `given` that is not a known value of `what` ("--format", "action").
 * Suggests the nearest known word, or lists all of them. */
void options_unknown_word(const char *what, const char *given, size_t count,
                          const char *const *words, char error[OPTION_ERROR_MAX]);

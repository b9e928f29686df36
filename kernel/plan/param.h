/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Typed values of a plan, for parameters of benches and plan keys of the whole run alike. Each is
 * declared once, as a row of a table such as
 *
 *     {"orders", "forward", "of the loads", PARAM_WORDS("forward,backward,random")},
 *
 * The image rejects a wrong value by this table, and so does the host before it boots anything.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/plan.h"

enum bench_param_type {
    PARAM_IS_NUMBER,
    PARAM_IS_NUMBERS, /* a list in the form of plan_list_item() */
    /* a number in the unit that the name ends in, or a number with a unit: 20ms, 3s */
    PARAM_IS_TIME,
    PARAM_IS_WORD,
    PARAM_IS_WORDS, /* a list; `all` selects every word */
    PARAM_IS_TEXT,  /* any text; its reader checks it */
};

struct bench_param {
    const char *name;         /* name in a plan: BENCH.NAME; NULL ends the parameters of a bench */
    const char *default_text; /* default value in the form of a plan; empty if there is none */
    const char *summary;      /* unit and meaning */
    enum bench_param_type type;
    uint32_t items; /* longest list of numbers */
    uint64_t min;   /* smallest allowed value of each number */
    uint64_t max;
    /* allowed words in the form a,b,c (at most PARAM_WORDS_MAX); NULL if it takes no words */
    const char *words;
};

/* Type and limits of a row. */
#define PARAM_NUMBER(min, max)         PARAM_IS_NUMBER, 1, min, max, NULL
#define PARAM_NUMBERS(min, max, items) PARAM_IS_NUMBERS, items, min, max, NULL
#define PARAM_TIME(min, max)           PARAM_IS_TIME, 1, min, max, NULL
#define PARAM_WORD(words)              PARAM_IS_WORD, 0, 0, 0, words
#define PARAM_WORDS(words)             PARAM_IS_WORDS, 0, 0, 0, words
#define PARAM_TEXT()                   PARAM_IS_TEXT, 0, 0, 0, NULL

#define PARAM_WORDS_MAX 32

/* Checks `text` as a value of the parameter whose plan key is `key`. Returns false with `error`
 * set, which gives the key, what was expected and the wrong item. An empty list is allowed if it is
 * the default. */
bool param_check(const struct bench_param *param, const char *key, const char *text,
                 char error[PLAN_ERROR_MAX]);

/* Writes what the parameter takes, such as "a time from 1 to 1000 ms", and returns it. */
const char *param_allowed(const struct bench_param *param, char text[PLAN_ERROR_MAX]);

/* These return the value of a text that param_check() accepts. */

/* Returns the number, or the time in the unit that the name ends in; otherwise 0. */
uint64_t param_number(const struct bench_param *param, const char *text);
/* Returns the text as it is reported: unchanged, except that a time becomes a plain number, which
 * is written to `number`. */
#define PARAM_SHOWN_MAX 24
const char *param_shown(const struct bench_param *param, const char *text,
                        char number[PARAM_SHOWN_MAX]);
/* Writes the numbers of the list, at most `room`, and returns how many it wrote. */
size_t param_numbers(const char *text, uint64_t *numbers, size_t room);
/* Returns a bit for each of the parameter's words that is in the list, bit 0 for the first word. */
uint32_t param_words(const struct bench_param *param, const char *text);

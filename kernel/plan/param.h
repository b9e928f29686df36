/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Typed values of a plan: parameters of benches and plan keys of the run as a whole alike. Each is
 * declared once, as a row of a table
 *
 *     {"orders", "forward", "of the loads", PARAM_WORDS("forward,backward,random")},
 *
 * by which the image and, before it boots anything, the host refuse a wrong value.
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
    PARAM_IS_NUMBERS, /* a list, as plan_list_item() takes it apart */
    PARAM_IS_TIME,    /* a number in the unit that the name ends in, or one with a unit: 20ms, 3s */
    PARAM_IS_WORD,
    PARAM_IS_WORDS, /* a list; all: each of them */
    PARAM_IS_TEXT,  /* its reader checks it */
};

struct bench_param {
    const char *name;         /* NULL ends a bench's list; the plan's key is BENCH.NAME */
    const char *default_text; /* as it would stand in a plan; empty: none */
    const char *summary;      /* unit and meaning */
    enum bench_param_type type;
    uint32_t items; /* longest list of numbers */
    uint64_t min;   /* of each number, inclusive */
    uint64_t max;
    const char *words; /* those allowed, a,b,c: at most PARAM_WORDS_MAX; NULL: it has none */
};

/* Type and limits of a row. */
#define PARAM_NUMBER(min, max)         PARAM_IS_NUMBER, 1, min, max, NULL
#define PARAM_NUMBERS(min, max, items) PARAM_IS_NUMBERS, items, min, max, NULL
#define PARAM_TIME(min, max)           PARAM_IS_TIME, 1, min, max, NULL
#define PARAM_WORD(words)              PARAM_IS_WORD, 0, 0, 0, words
#define PARAM_WORDS(words)             PARAM_IS_WORDS, 0, 0, 0, words
#define PARAM_TEXT()                   PARAM_IS_TEXT, 0, 0, 0, NULL

#define PARAM_WORDS_MAX 32

/* Checks `text` as a value of the parameter, whose key in the plan is `key`. Returns false with
 * `error` written, which names the key, what was expected and the wrong item. An empty list is a
 * value if it is the default. */
bool param_check(const struct bench_param *param, const char *key, const char *text,
                 char error[PLAN_ERROR_MAX]);

/* Writes what the parameter takes, such as "a time from 1 to 1000 ms", and returns it. */
const char *param_allowed(const struct bench_param *param, char text[PLAN_ERROR_MAX]);

/* The value of a text that param_check() accepts. */

/* Returns the number, or the time in the unit that the name ends in; otherwise 0. */
uint64_t param_number(const struct bench_param *param, const char *text);
/* Returns the text as it is reported: a time as a number, which is written to `number`. */
#define PARAM_SHOWN_MAX 24
const char *param_shown(const struct bench_param *param, const char *text,
                        char number[PARAM_SHOWN_MAX]);
/* Writes at most `room` numbers of the list and returns how many. */
size_t param_numbers(const char *text, uint64_t *numbers, size_t room);
/* Returns a bit for each word of the parameter that the list names, bit 0 for the first. */
uint32_t param_words(const struct bench_param *param, const char *text);

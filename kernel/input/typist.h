/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The typist: the characters of a text, and when each is typed. Pure; integers only.
 *
 * Between a character and the next passes
 *
 *     interval = 12 s / wpm * (w / W) * u
 *
 * w, of what comes next: 4 within a word, 6 before a word's first character, 12 before a
 * sentence's; W is the mean of w over this text; u is random, of mean 1, in thousandths
 *
 *     650 + X + Y + Z    X, Y: uniform on 0..300; Z: in one case of 16 uniform on 0..1600, else 0
 *
 * So a text of n characters takes n * 12 s / wpm on average, whatever its words: `wpm` words of 5
 * characters a minute. u has a variance of 2 * (301^2 - 1) / 12 + 1600 * 3201 / 6 / 16 - 50^2
 * thousandths squared, a standard deviation of 0.257, and is skewed to the right. As only a
 * character behind a blank has a larger w, W is at most 8: no interval is below 4 / 8 * 0.65 =
 * 0.325 of the average.
 *
 * The made-up text: words of 1 to 8 letters (4.5 on average) drawn by about their frequency in
 * English, sentences of 5 to 12 words with a capital first letter and a full stop.
 *
 * Errors: of a hundred letters and digits, `errors` come as a neighbour on the keyboard. It is
 * noticed after 1 to 4 further characters, all as likely, or at the end of the text; what was typed
 * since then is taken back by backspaces, one a character, and typed anew, without errors. Each of
 * these strokes has the interval of a character within a word. Pauses: before a sentence passes
 * `compose_us` times 0.5 to 1.5 more, uniform.
 *
 * So, without errors and pauses, the last character comes at
 *
 *     mean       sum of w          * 12 s / wpm / W
 *     deviation  sqrt(sum of w * w) * 12 s / wpm / W * 0.257
 *
 * over the intervals before it, when seeds are drawn and the text is given.
 *
 * Random numbers: PCG-XSH-RR 64/32 (O'Neill 2014), a stream each for the text and for the
 * intervals, errors and pauses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct typist_settings {
    const char *string; /* with \" \\ \n \t for the characters they stand for, and no other \ */
    size_t length;
    uint64_t made_up; /* characters to make up where `string` is NULL */
    uint64_t wpm;     /* 0: infinitely fast */
    uint64_t seed;    /* 0: no variation and no pauses, each interval is the average */
    unsigned errors;  /* in a hundred */
    uint64_t compose_us;
};

#define TYPIST_BACKSPACE '\b'
#define TYPIST_HELD_MAX  5 /* a wrong character, and those behind it until it is noticed */

struct typist_random {
    uint64_t state;
    uint64_t stream;
};

struct typist_text {
    const char *at; /* NULL: made up */
    const char *end;
    uint64_t left; /* characters to make up */
    struct typist_random random;
    unsigned letters; /* left of the word */
    unsigned words;   /* left of the sentence */
    bool capital;     /* the next letter is one */
};

struct typist {
    struct typist_text text;
    struct typist_random random;
    bool varies;
    char last;       /* that was no blank */
    int next;        /* the character that comes next; -1: none */
    uint64_t unit;   /* picoseconds that a w * u of a thousandth takes */
    uint64_t passed; /* sum of w * u so far, u in thousandths */

    struct typist_random errors;
    unsigned error_rate; /* in a hundred */
    struct typist_random pauses;
    uint64_t compose_us;
    uint64_t paused_us;         /* so far */
    char held[TYPIST_HELD_MAX]; /* the right characters, from the wrong one on */
    uint8_t held_count;
    uint8_t notice; /* held_count at which the error is noticed */
    uint8_t erase;  /* backspaces that are left */
    uint8_t again;  /* of held, typed anew */
};

struct typist_stroke {
    char character;
    uint64_t at_us;       /* since the begin of the text */
    uint64_t interval_us; /* to the next character, and behind the last */
};

void typist_begin(struct typist *typist, const struct typist_settings *settings);
/* False behind the last character. */
bool typist_next(struct typist *typist, struct typist_stroke *stroke);
/* The characters of so many made-up words, by the seed; behind the last word none. */
uint64_t typist_words(uint64_t words, uint64_t seed);

/* Deviation, over seeds, of the moment of the last character, in us: without errors and pauses, and
 * with the text that these settings give. */
uint64_t typist_deviation_us(const struct typist_settings *settings);

/* No interval is shorter than this. */
uint64_t typist_shortest_us(const struct typist *typist);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The typist: which characters of a text are typed, and when. Uses only integers, and accesses no
 * hardware.
 *
 * The interval from one character to the next is
 *
 *     interval = 12 s / wpm * (w / W) * u
 *
 * w depends on the next character: 4 within a word, 6 before the first character of a word, 12
 * before that of a sentence. W is the mean of w over this text. u is random with mean 1; in
 * thousandths it is
 *
 *     650 + X + Y + Z    X, Y: uniform on 0..300; Z: uniform on 0..1600 in one of 16 cases,
 *                        otherwise 0
 *
 * So a text of n characters takes n * 12 s / wpm on average, whatever its words: `wpm` words of 5
 * characters a minute. u has a variance of 2 * (301^2 - 1) / 12 + 1600 * 3201 / 6 / 16 - 50^2
 * thousandths squared, a standard deviation of 0.257, and is skewed to the right. Because w is
 * larger only after a blank, W is at most 8, and no interval is below 4 / 8 * 0.65 = 0.325 of the
 * average.
 *
 * Made-up text has words of 1 to 8 letters (4.5 on average), drawn by about their frequency in
 * English, in sentences of 5 to 12 words with a capital first letter and a full stop.
 *
 * Errors: `errors` of a hundred letters and digits are replaced by a neighbour on the keyboard. The
 * error is noticed after 1 to 4 further characters, all equally likely, or at the end of the text.
 * Then everything from the error on is deleted by one backspace per character, and typed again
 * without errors. Each of these strokes has the interval of a character within a word. Pauses: the
 * interval before a sentence is longer by `compose_us` times 0.5 to 1.5, uniformly distributed.
 *
 * So, without errors and pauses, the time of the last character of a given text, over random seeds,
 * has
 *
 *     mean       sum of w           * 12 s / wpm / W
 *     deviation  sqrt(sum of w * w) * 12 s / wpm / W * 0.257
 *
 * The sums are over the intervals before that character.
 *
 * Random numbers: PCG-XSH-RR 64/32 (O'Neill 2014), with one stream each for the text, the
 * intervals, the errors and the pauses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct typist_settings {
    const char *string; /* with the escapes \" \\ \n \t and no others; NULL: made-up text */
    size_t length;
    uint64_t made_up; /* number of characters to make up, if `string` is NULL */
    uint64_t wpm;     /* words a minute; 0: infinitely fast */
    uint64_t seed;    /* 0: no variation and no pauses, every interval is the average */
    unsigned errors;  /* errors in a hundred letters and digits */
    uint64_t compose_us;
};

#define TYPIST_BACKSPACE '\b'
#define TYPIST_HELD_MAX  5 /* a wrong character and those typed before it is noticed */

struct typist_random {
    uint64_t state;
    uint64_t stream;
};

struct typist_text {
    const char *at; /* the next character; NULL: the text is made up */
    const char *end;
    uint64_t left; /* characters still to make up */
    struct typist_random random;
    unsigned letters; /* letters left in the word */
    unsigned words;   /* words left in the sentence */
    bool capital;     /* the next letter is a capital */
};

struct typist {
    struct typist_text text;
    struct typist_random random;
    bool varies;
    char last;       /* last character that was not a blank */
    int next;        /* character that comes next; -1: none */
    uint64_t unit;   /* picoseconds for a w * u of one thousandth */
    uint64_t passed; /* sum of w * u so far, with u in thousandths */

    struct typist_random errors;
    unsigned error_rate; /* errors in a hundred letters and digits */
    struct typist_random pauses;
    uint64_t compose_us;
    uint64_t paused_us;         /* pauses so far */
    char held[TYPIST_HELD_MAX]; /* the correct characters, from the wrong one on */
    uint8_t held_count;
    uint8_t notice; /* held_count at which the error is noticed */
    uint8_t erase;  /* number of backspaces still to type */
    uint8_t again;  /* index in `held` of the next character to type again */
};

struct typist_stroke {
    char character;
    uint64_t at_us;       /* since the start of the text */
    uint64_t interval_us; /* time to the next character; also given for the last one */
};

void typist_begin(struct typist *typist, const struct typist_settings *settings);
/* Returns the next stroke in *stroke, or false after the last one. */
bool typist_next(struct typist *typist, struct typist_stroke *stroke);
/* Returns the number of characters that `words` made-up words have with this seed, including what
 * follows each word except the last. */
uint64_t typist_words(uint64_t words, uint64_t seed);

/* Returns the standard deviation, over seeds, of the time of the last character, in us: for the
 * text of these settings, without errors and pauses. */
uint64_t typist_deviation_us(const struct typist_settings *settings);

/* Returns a lower bound of all intervals, in us. */
uint64_t typist_shortest_us(const struct typist *typist);

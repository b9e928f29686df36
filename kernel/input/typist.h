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
 * Random numbers: PCG-XSH-RR 64/32 (O'Neill 2014), a stream each for the text and for the
 * intervals.
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
};

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
};

struct typist_stroke {
    char character;
    uint64_t at_us;       /* since the begin of the text */
    uint64_t interval_us; /* to the next character, and behind the last */
};

void typist_begin(struct typist *typist, const struct typist_settings *settings);
/* False behind the last character. */
bool typist_next(struct typist *typist, struct typist_stroke *stroke);
/* No interval is shorter than this. */
uint64_t typist_shortest_us(const struct typist *typist);

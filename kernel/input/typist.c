/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/typist.h"

#include <string.h>

#define NONE (-1)

/* A character at one word a minute, in nanoseconds. */
#define CHARACTER_NS 12000000000ull

#define WITHIN_WORD     4
#define BEFORE_WORD     6
#define BEFORE_SENTENCE 12

/* u, in thousandths. */
#define EVEN        1000
#define LOWEST      650
#define VARIATION   300
#define LONGER      1600
#define LONGER_ONCE 16

#define STREAM_TEXT      1
#define STREAM_INTERVALS 2

static const char letters[] = "eeeeeetttttaaaaooooiiiinnnnsssrrrhhhlldducmmwfgypbvkjxqz";

/* ---- random numbers ---- */

static uint32_t random_next(struct typist_random *random)
{
    const uint64_t old = random->state;
    const uint32_t shifted = (uint32_t)((old >> 18 ^ old) >> 27);
    const unsigned rotation = (unsigned)(old >> 59);

    random->state = old * 6364136223846793005ull + random->stream;
    return shifted >> rotation | shifted << (-rotation & 31);
}

static struct typist_random random_seed(uint64_t seed, uint64_t stream)
{
    struct typist_random random = {.stream = stream << 1 | 1};

    random_next(&random);
    random.state += seed;
    random_next(&random);
    return random;
}

/* 0 to count - 1. */
static unsigned random_below(struct typist_random *random, unsigned count)
{
    return (unsigned)((uint64_t)random_next(random) * count >> 32);
}

/* ---- the text ---- */

static void begin_word(struct typist_text *text)
{
    text->letters = 1 + random_below(&text->random, 4) + random_below(&text->random, 5);
}

static void begin_sentence(struct typist_text *text)
{
    text->words = 5 + random_below(&text->random, 8);
    text->capital = true;
}

static char make_up(struct typist_text *text)
{
    if (text->letters > 0) {
        const char letter = letters[random_below(&text->random, sizeof(letters) - 1)];
        const bool capital = text->capital;

        text->letters--;
        text->words -= text->letters == 0 ? 1 : 0;
        text->capital = false;
        return capital ? (char)(letter - 'a' + 'A') : letter;
    }
    if (text->words == 0) {
        begin_sentence(text);
        return '.';
    }
    begin_word(text);
    return ' ';
}

static int next_character(struct typist_text *text)
{
    if (text->at == NULL) {
        if (text->left == 0) {
            return NONE;
        }
        text->left--;
        return make_up(text);
    }
    if (text->at == text->end) {
        return NONE;
    }
    if (*text->at != '\\' || text->end - text->at < 2) {
        return (unsigned char)*text->at++;
    }
    const char escaped = text->at[1];

    text->at += 2;
    return escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
}

/* ---- the times ---- */

static bool is_blank(int character)
{
    return character == ' ' || character == '\n' || character == '\t';
}

/* Takes the next character; returns the weight of the interval behind it. */
static unsigned advance(struct typist *typist, char *character)
{
    *character = (char)typist->next;
    typist->next = next_character(&typist->text);
    if (!is_blank(*character)) {
        typist->last = *character;
        return WITHIN_WORD;
    }
    if (!typist->varies || typist->next == NONE || is_blank(typist->next)) {
        return WITHIN_WORD;
    }
    return typist->last != '\0' && strchr(".!?", typist->last) != NULL ? BEFORE_SENTENCE
                                                                       : BEFORE_WORD;
}

static unsigned draw(struct typist *typist)
{
    struct typist_random *random = &typist->random;

    if (!typist->varies) {
        return EVEN;
    }
    const unsigned usual =
        LOWEST + random_below(random, VARIATION + 1) + random_below(random, VARIATION + 1);

    return random_below(random, LONGER_ONCE) > 0 ? usual : usual + random_below(random, LONGER + 1);
}

static uint64_t passed_us(const struct typist *typist, uint64_t weights)
{
    return weights * typist->unit / 1000000;
}

void typist_begin(struct typist *typist, const struct typist_settings *settings)
{
    uint64_t characters = 0;
    uint64_t weights = 0;
    char character;

    *typist = (struct typist){
        .text = {.at = settings->string,
                 .end = settings->string == NULL ? NULL : settings->string + settings->length,
                 .left = settings->made_up,
                 .random = random_seed(settings->seed, STREAM_TEXT)},
        .random = random_seed(settings->seed, STREAM_INTERVALS),
        .varies = settings->seed != 0,
    };
    begin_sentence(&typist->text);
    begin_word(&typist->text);
    typist->next = next_character(&typist->text);
    for (struct typist ahead = *typist; ahead.next != NONE; characters++) {
        weights += advance(&ahead, &character);
    }
    if (settings->wpm > 0 && weights > 0) {
        typist->unit = CHARACTER_NS * characters / (settings->wpm * weights);
    }
}

bool typist_next(struct typist *typist, struct typist_stroke *stroke)
{
    if (typist->next == NONE) {
        return false;
    }
    const uint64_t passed = typist->passed;
    const unsigned weight = advance(typist, &stroke->character);

    typist->passed += (uint64_t)weight * draw(typist);
    stroke->at_us = passed_us(typist, passed);
    stroke->interval_us = passed_us(typist, typist->passed) - stroke->at_us;
    return true;
}

uint64_t typist_shortest_us(const struct typist *typist)
{
    return passed_us(typist, WITHIN_WORD * (typist->varies ? LOWEST : EVEN));
}

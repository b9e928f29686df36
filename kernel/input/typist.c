/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/typist.h"

#include <string.h>

#define NONE (-1)

/* Nanoseconds for a character at one word a minute. */
#define CHARACTER_NS 12000000000ull

#define WITHIN_WORD     4
#define BEFORE_WORD     6
#define BEFORE_SENTENCE 12

/* The parts of u, in thousandths. */
#define EVEN        1000
#define LOWEST      650
#define VARIATION   300
#define LONGER      1600
#define LONGER_ONCE 16

#define STREAM_TEXT      1
#define STREAM_INTERVALS 2
#define STREAM_ERRORS    3
#define STREAM_PAUSES    4

#define NOTICE_MAX 4 /* most characters typed after an error before it is noticed */

/* Variance of u in thousandths squared (typist.h). */
#define VARIANCE 65950

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

/* Returns a random number from 0 to count - 1. */
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

/* Takes the next character. Returns the weight w of the interval after it. */
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

/* Returns a letter or digit next to this one on the keyboard, or '\0' if there is none. */
static char neighbour(char character, unsigned side)
{
    static const char rows[] = "1234567890 qwertyuiop asdfghjkl zxcvbnm "
                               "QWERTYUIOP ASDFGHJKL ZXCVBNM";
    const char *found = character != ' ' ? strchr(rows, character) : NULL;

    if (found == NULL || *found == '\0') {
        return '\0';
    }
    const bool has_left = found > rows && found[-1] != ' ';
    const bool has_right = found[1] != ' ' && found[1] != '\0';

    return has_right && (side == 1 || !has_left) ? found[1] : found[-1];
}

/* Returns the character that is typed instead of `right`, usually `right` itself. */
static char mistake(struct typist *typist, char right)
{
    if (typist->held_count > 0) {
        typist->held[typist->held_count++] = right;
        return right;
    }
    if (typist->error_rate == 0 || random_below(&typist->errors, 100) >= typist->error_rate) {
        return right;
    }
    const char wrong = neighbour(right, random_below(&typist->errors, 2));

    if (wrong == '\0') {
        return right;
    }
    typist->held[typist->held_count++] = right;
    typist->notice = (uint8_t)(2 + random_below(&typist->errors, NOTICE_MAX));
    return wrong;
}

/* Starts the correction if the error is noticed now. */
static void notice(struct typist *typist)
{
    if (typist->held_count > 0 && (typist->held_count == typist->notice || typist->next == NONE)) {
        typist->erase = typist->held_count;
        typist->again = 0;
    }
}

/* Takes a stroke of a correction. Returns false if there is none to do. */
static bool correct(struct typist *typist, char *character)
{
    if (typist->erase > 0) {
        typist->erase--;
        *character = TYPIST_BACKSPACE;
        typist->notice = 0;
        return true;
    }
    if (typist->held_count == 0 || typist->notice != 0) {
        return false;
    }
    *character = typist->held[typist->again++];
    if (typist->again == typist->held_count) {
        typist->held_count = 0;
    }
    return true;
}

static uint64_t passed_us(const struct typist *typist, uint64_t weights)
{
    return weights * typist->unit / 1000000;
}

static struct typist_text text_of(const struct typist_settings *settings)
{
    struct typist_text text = {
        .at = settings->string,
        .end = settings->string == NULL ? NULL : settings->string + settings->length,
        .left = settings->made_up,
        .random = random_seed(settings->seed, STREAM_TEXT),
    };

    begin_sentence(&text);
    begin_word(&text);
    return text;
}

void typist_begin(struct typist *typist, const struct typist_settings *settings)
{
    uint64_t characters = 0;
    uint64_t weights = 0;
    char character;

    *typist = (struct typist){
        .text = text_of(settings),
        .random = random_seed(settings->seed, STREAM_INTERVALS),
        .varies = settings->seed != 0,
        .errors = random_seed(settings->seed, STREAM_ERRORS),
        .error_rate = settings->errors,
        .pauses = random_seed(settings->seed, STREAM_PAUSES),
        .compose_us = settings->compose_us,
    };
    typist->next = next_character(&typist->text);
    for (struct typist ahead = *typist; ahead.next != NONE; characters++) {
        weights += advance(&ahead, &character);
    }
    if (settings->wpm > 0 && weights > 0) {
        typist->unit = CHARACTER_NS * characters / (settings->wpm * weights);
    }
}

static uint64_t pause_us(struct typist *typist, unsigned weight)
{
    return weight == BEFORE_SENTENCE && typist->compose_us > 0
               ? typist->compose_us * (500 + random_below(&typist->pauses, 1001)) / 1000
               : 0;
}

bool typist_next(struct typist *typist, struct typist_stroke *stroke)
{
    unsigned weight = WITHIN_WORD;

    if (!correct(typist, &stroke->character)) {
        if (typist->next == NONE) {
            return false;
        }
        weight = advance(typist, &stroke->character);
        stroke->character = mistake(typist, stroke->character);
        notice(typist);
    }
    stroke->at_us = passed_us(typist, typist->passed) + typist->paused_us;
    typist->passed += (uint64_t)weight * draw(typist);
    typist->paused_us += pause_us(typist, weight);
    stroke->interval_us = passed_us(typist, typist->passed) + typist->paused_us - stroke->at_us;
    return true;
}

uint64_t typist_words(uint64_t words, uint64_t seed)
{
    const struct typist_settings settings = {.seed = seed};
    struct typist_text text = text_of(&settings);
    uint64_t characters = 0;

    while (words > 0) {
        make_up(&text);
        characters++;
        words -= text.letters == 0 ? 1 : 0;
        for (; words > 0 && text.letters == 0; characters++) {
            make_up(&text); /* full stop and blank */
        }
    }
    return characters;
}

static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 31; bit > 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= value) {
            root |= bit;
        }
    }
    return root;
}

uint64_t typist_deviation_us(const struct typist_settings *settings)
{
    uint64_t squares = 0;
    struct typist typist;
    char character;

    typist_begin(&typist, settings);
    while (typist.next != NONE) {
        const unsigned weight = advance(&typist, &character);

        squares += typist.next != NONE ? (uint64_t)weight * weight : 0;
    }
    return typist.varies ? passed_us(&typist, square_root(squares * VARIANCE)) : 0;
}

uint64_t typist_shortest_us(const struct typist *typist)
{
    return passed_us(typist, WITHIN_WORD * (typist->varies ? LOWEST : EVEN));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A table with an option of each kind: what it takes, what it refuses in which words, its help and
 * its completion. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/parse_options.h"
#include "tools/base/texts.h"
#include "tools/tests/support/unit.h"

#define WORDS_MAX 32

static struct {
    bool loud, clear, has_shift;
    unsigned form, shift, mode, colour;
    uint64_t size;
    double share;
    const char *output, *benches[2];
    size_t bench_count;
    char called[32];
} got;

static bool take_even(char *text, char error[OPTION_ERROR_MAX])
{
    snprintf(got.called, sizeof(got.called), "%s", text);
    if (atoi(text) % 2 != 0) {
        snprintf(error, OPTION_ERROR_MAX, "%s: must be even", text);
        return false;
    }
    return true;
}

static const char *colour_at(size_t index)
{
    static const char *const colours[] = {"red", "green"};

    return index < 2 ? colours[index] : NULL;
}

static const char *const modes[] = {"auto", "exact", "real", "long", NULL};
static const struct option_line shared[] = {
    {"colour", OPT_WORD(&got.colour), NULL, "red or green", .word_at = colour_at},
    OPTIONS_END,
};
static const struct option_line options[] = {
    {"output", OPT_TEXT(&got.output), "FILE", "where it goes", .letter = 'o', .required = true},
    {"loud", OPT_FLAG(&got.loud), NULL, "a flag", .excludes = "json"},
    {"clear", OPT_CLEAR(&got.clear), NULL, NULL},
    {"json", OPT_CHOICE(&got.form, 2), NULL, "one of two"},
    {"csv", OPT_CHOICE(&got.form, 1), NULL, "the other"},
    {"A heading:", OPT_HEADING},
    {"shift", OPT_UNSIGNED(&got.shift, 1, 10), "N", "a number", .needs = "mode csv",
     .given = &got.has_shift},
    {"size", OPT_NUMBER(&got.size, 0, UINT64_MAX), "BYTES", "a large number"},
    {"share", OPT_REAL(&got.share, 0, 1), "PART", "a part of one"},
    {"mode", OPT_WORD(&got.mode), NULL, "one of four", .words = modes},
    {"bench", OPT_LIST(got.benches, &got.bench_count, 2), "NAME", "twice at most", .words = modes,
     .comma = true},
    {"even", OPT_CALL(take_even), "N",
     "an even number, with a text that is long enough to be wrapped at eighty columns"},
    {"version", OPT_FLAG(&got.loud), NULL, NULL, .alone = true},
    {"run file", OPT_ARGUMENTS(1, 2), "RUN.db"},
    {"", OPT_TABLE(shared)},
    OPTIONS_END,
};

/* The words of `line`, split at blanks: what is wrong with them, or "" if nothing is. */
static const char *try_table(const struct option_line *table, const char *line, bool leading,
                             struct option_rest *rest)
{
    static char error[OPTION_ERROR_MAX];
    static char text[512];
    static char *argv[WORDS_MAX];
    int argc = 1;

    memset(&got, 0, sizeof(got));
    got.clear = true;
    snprintf(text, sizeof(text), "%s", line);
    for (char *at = strtok(text, " "); at != NULL && argc < WORDS_MAX; at = strtok(NULL, " ")) {
        argv[argc++] = at;
    }
    error[0] = '\0';
    const bool good = options_parse(table, argc, argv, leading, rest, error);

    CHECK(good == (error[0] == '\0'));
    return error;
}

static const char *try(const char *line)
{
    struct option_rest rest;

    return try_table(options, line, false, &rest);
}

static void test_values(void)
{
    struct option_rest rest;

    CHECK_TEXT(try_table(options,
                         "a.db --loud --shift 0x3 --csv --size=18446744073709551615 -o f "
                         "--share .5 --mode real --colour green --clear b.db",
                         false, &rest),
               "");
    CHECK(got.loud && !got.clear && got.has_shift);
    CHECK_EQUAL(got.form, 1);
    CHECK_EQUAL(got.shift, 3);
    CHECK(got.size == UINT64_MAX && got.share == 0.5);
    CHECK_EQUAL(got.mode, 2);
    CHECK_EQUAL(got.colour, 1);
    CHECK_TEXT(got.output, "f");
    CHECK_EQUAL(rest.count, 2);
    CHECK_TEXT(rest.arguments[0], "a.db");
    CHECK_TEXT(rest.arguments[1], "b.db");
    CHECK_TEXT(try("-of --mode auto --mode exact a"), "");
    CHECK_TEXT(got.output, "f");
    CHECK_EQUAL(got.mode, 1);
    CHECK_TEXT(try("-o f --bench x --bench y --even 4 -"), "");
    CHECK_EQUAL(got.bench_count, 2);
    CHECK_TEXT(got.benches[1], "y");
    CHECK_TEXT(got.called, "4");
}

/* A name may be shortened; what follows "--" is no option. */
static void test_forms(void)
{
    struct option_rest rest;
    static const struct option_line own[] = {
        {"loud", OPT_FLAG(&got.loud), NULL, NULL},
        {"QEMU", OPT_REST, NULL, NULL},
        {"image", OPT_ARGUMENTS(0, 1), NULL},
        OPTIONS_END,
    };

    CHECK_TEXT(try("-o f --lou a"), "");
    CHECK(got.loud);
    CHECK_TEXT(try_table(options, "-o f -- --loud", false, &rest), "");
    CHECK(!got.loud && rest.count == 1 && !rest.has_rest);
    CHECK_TEXT(try_table(own, "x -- --loud -- y", false, &rest), "");
    CHECK(!got.loud && rest.has_rest);
    CHECK_EQUAL(rest.count, 1);
    CHECK_EQUAL(rest.rest_count, 3);
    CHECK_TEXT(rest.rest[0], "--loud");
    CHECK_TEXT(try_table(own, "--loud show --what", true, &rest), "");
    CHECK(got.loud);
    CHECK_EQUAL(rest.count, 2);
    CHECK_TEXT(rest.arguments[1], "--what");
    CHECK_TEXT(try("--version"), "");
}

static void test_refused(void)
{
    CHECK_TEXT(try("--lood"), "unknown option --lood; did you mean --loud?");
    CHECK_TEXT(try("--frobnicate=3"), "unknown option --frobnicate");
    CHECK_TEXT(try("-x"), "unknown option -x");
    CHECK_TEXT(try("--c"), "option --c may be --clear or --csv or --colour: write it out");
    CHECK_TEXT(try("--loud=yes"), "option --loud takes no value");
    CHECK_TEXT(try("--mode"), "option --mode needs a value");
    CHECK_TEXT(try("-o"), "option -o needs a value");
    CHECK_TEXT(try("--shift 0"), "--shift 0: must be a number from 1 to 10");
    CHECK_TEXT(try("--shift=11"), "--shift 11: must be a number from 1 to 10");
    CHECK_TEXT(try("--size -1"), "--size -1: must be a number from 0 to 18446744073709551615");
    CHECK_TEXT(try("--share 1.5"), "--share 1.5: must be a number from 0 to 1");
    CHECK_TEXT(try("--share nan"), "--share nan: must be a number from 0 to 1");
    CHECK_TEXT(try("--share 0x"), "--share 0x: must be a number from 0 to 1");
    CHECK_TEXT(try("--mode fast"), "--mode fast: must be auto, exact, real or long");
    CHECK_TEXT(try("--mode exakt"), "--mode exakt is unknown; did you mean exact?");
    CHECK_TEXT(try("--colour blue"), "--colour blue: must be red or green");
    CHECK_TEXT(try("--even 3"), "--even 3: must be even");
    CHECK_TEXT(try("--bench a --bench b --bench c"), "--bench c: may be given at most 2 times");
    CHECK_TEXT(try("-o f --shift 3 a"), "--shift needs --mode or --csv");
    CHECK_TEXT(try("-o f --loud --json a"), "--loud and --json exclude each other");
    CHECK_TEXT(try("a"), "no output given: add -o FILE");
    CHECK_TEXT(try("-o f"), "no run file given");
    CHECK_TEXT(try("-o f a b c"), "at most 2 run files expected, got 3");
}

static void test_help(void)
{
    struct long_text text;

    long_text_open(&text);
    options_help(text.out, options);
    CHECK_TEXT(long_text_close(&text),
               "  -o, --output FILE   where it goes\n"
               "  --loud              a flag\n"
               "  --json              one of two\n"
               "  --csv               the other\n"
               "\n"
               "A heading:\n"
               "  --shift N           a number\n"
               "  --size BYTES        a large number\n"
               "  --share PART        a part of one\n"
               "  --mode auto|exact|real|long\n"
               "                      one of four\n"
               "  --bench NAME        twice at most\n"
               "  --even N            an even number, with a text that is long enough to be\n"
               "                      wrapped at eighty columns\n"
               "  --colour red|green  red or green\n");
    long_text_free(&text);
}

/* What completion offers for the last of these words, with a blank after each. */
static const char *offered(size_t count, const char *const *words)
{
    static char line[256];
    struct long_text text;

    long_text_open(&text);
    options_complete(text.out, options, count, words);
    snprintf(line, sizeof(line), "%s", long_text_close(&text));
    for (char *at = line; (at = strchr(at, '\n')) != NULL;) {
        *at = ' ';
    }
    long_text_free(&text);
    return line;
}

#define OFFERED(...)                                                           \
    offered(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
            (const char *const[]){__VA_ARGS__})

static void test_completion(void)
{
    CHECK_TEXT(OFFERED("--s"), "--shift --size --share ");
    CHECK_TEXT(OFFERED("--shift", "3", "--s"), "--size --share ");
    CHECK_TEXT(OFFERED("--bench", "a", "--be"), "--bench ");
    CHECK_TEXT(OFFERED("--mode", ""), "auto exact real long ");
    CHECK_TEXT(OFFERED("--mode", "="), "auto exact real long ");
    CHECK_TEXT(OFFERED("--mode", "=", "e"), "exact ");
    CHECK_TEXT(OFFERED("--bench", "auto,r"), "auto,real ");
    CHECK_TEXT(OFFERED("--colour", "g"), "green ");
    CHECK_TEXT(OFFERED("-o", "f"), "");
    CHECK_TEXT(OFFERED("ru"), "");
    CHECK_TEXT(OFFERED("--", "--s"), "");
}

int main(void)
{
    RUN(test_values());
    RUN(test_forms());
    RUN(test_refused());
    RUN(test_help());
    RUN(test_completion());
    return unit_finish("unit_parse_options");
}

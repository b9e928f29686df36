/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/spelling.h"

/* Each behind a blank, and one behind the last. */
static const char words[] =
    " a about after all also an and any are as at be because been before but by can come could day "
    "did do down each even find first for from get give go good great had has have he her here him "
    "his how i if in into is it its just know last like little long look made make man many may me "
    "men more most much must my new no not now number of on one only or other our out over own "
    "part people place right said same say see she should so some state still such take than that "
    "the their them then there these they thing think this those through time to too two under up "
    "us use very was way we well went were what when where which while who will with work world "
    "would write year you your ";

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static char small(char character)
{
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

size_t spelling_word(const char *text, size_t end)
{
    size_t length = 0;

    while (length < end && is_letter(text[end - length - 1])) {
        length++;
    }
    return length;
}

bool spelling_knows(const char *word, size_t length)
{
    size_t same = 0; /* characters of the word at hand that are equal */
    bool equal = true;

    for (size_t at = 1; length > 0 && at < sizeof(words) - 1; at++) {
        if (words[at] != ' ') {
            equal = equal && same < length && words[at] == small(word[same]);
            same++;
            continue;
        }
        if (equal && same == length) {
            return true;
        }
        same = 0;
        equal = true;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/plan_sent.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 120 /* characters of a plan */

bool plan_sent_differs(const struct plan_given *ran, const struct plan_given *sent, bool lossy)
{
    if (ran->source == NULL) {
        return false;
    }
    const bool same_text = ran->text != NULL && strcmp(ran->text, sent->text) == 0;

    return strcmp(ran->source, sent->source) != 0 || (!same_text && !lossy);
}

/* The start of the line of the first difference; 0 where there is none. */
static size_t first_difference(const char *ran, const char *sent)
{
    size_t line = 0;
    size_t i = 0;

    for (; ran[i] == sent[i] && ran[i] != '\0'; i++) {
        line = ran[i] == '\n' ? i + 1 : line;
    }
    return ran[i] == sent[i] ? 0 : line;
}

/* One line of at most SHOWN characters, in quotes; blanks in place of line ends. */
static void write_plan(const char *plan, size_t from, char shown[SHOWN + 16])
{
    const size_t length = strlen(plan + from);
    const size_t end = length > 0 && plan[from + length - 1] == '\n' ? length - 1 : length;

    snprintf(shown, SHOWN + 16, "\"%s%.*s%s\"", from > 0 ? "..." : "",
             (int)(end < SHOWN ? end : SHOWN), plan + from, end > SHOWN ? "..." : "");
    for (char *at = shown; (at = strpbrk(at, "\r\n\t")) != NULL;) {
        *at = ' ';
    }
}

void plan_sent_reason(const struct plan_given *ran, const struct plan_given *sent,
                      char reason[PLAN_SENT_REASON_MAX])
{
    const char *text = ran->text != NULL ? ran->text : "";
    const size_t from = first_difference(text, sent->text);
    char ran_shown[SHOWN + 16];
    char sent_shown[SHOWN + 16];

    write_plan(text, from, ran_shown);
    write_plan(sent->text, from, sent_shown);
    snprintf(reason, PLAN_SENT_REASON_MAX,
             "the plan that ran is not the one that was sent: ran %s from %.20s, sent %s by %.20s",
             ran_shown, ran->source != NULL ? ran->source : "an unknown source", sent_shown,
             sent->source);
}

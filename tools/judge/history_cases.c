/* SPDX-License-Identifier: BSD-2-Clause */
/* A history as cases for a CI server. */
#include <math.h>

#include "kernel/plan/version.h"
#include "tools/base/texts.h"
#include "tools/judge/history_views.h"

#define PERCENT 100

static void print_change(FILE *out, const struct history *history,
                         const struct history_change *change)
{
    char before[SHORTEST_MAX];
    char after[SHORTEST_MAX];

    fprintf(out, "%s since %s: %s before, %s after, %s", history_verdict_name(change->verdict),
            history->runs[change->at].name, table_digits(change->before, before),
            table_digits(change->after, after), history->series[change->series].unit);
    if (isfinite(change->shift)) {
        fprintf(out, ", %+.2f %%", PERCENT * change->shift);
    }
    if (!isnan(change->p)) {
        fprintf(out, ", chance %.2g", change->p);
    }
}

static void add_series(struct ci_suite *suite, const struct history *history, size_t group,
                       size_t series)
{
    const size_t figures = history_figures(history, group, series);
    enum ci_state state = CI_PASSED;
    struct long_text message;
    size_t changes = 0;

    if (figures == 0) {
        return;
    }
    long_text_open(&message);
    for (size_t i = 0; i < history->change_count; i++) {
        const struct history_change *change = &history->changes[i];

        if (change->group == group && change->series == series) {
            fputs(changes++ > 0 ? "\n" : "", message.out);
            print_change(message.out, history, change);
            state = change->fails ? CI_FAILED : state;
        }
    }
    if (figures < history->groups[group].least) {
        state = CI_SKIPPED;
        fprintf(message.out, "%zu runs have it; a change can be found in %zu or more", figures,
                history->groups[group].least);
    }
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = state,
                           .group = "tare.history",
                           .name = history->series[series].name,
                           .message = message.length > 0 ? message.text : NULL,
                       });
    long_text_free(&message);
}

static struct ci_suite *add_suite(struct ci_report *report, const struct history_group *group)
{
    struct long_text name;

    long_text_open(&name);
    fprintf(name.out, "history of %s, %s", group->machine, group->time);
    long_text_close(&name);
    struct ci_suite *suite = ci_suite_add(report, name.text);

    long_text_free(&name);
    return suite;
}

void history_cases_add(struct ci_report *report, const struct history *history)
{
    for (size_t i = 0; i < history->group_count; i++) {
        const struct history_group *group = &history->groups[i];
        struct ci_suite *suite = add_suite(report, group);

        ci_property_add(suite, "tare", TARE_VERSION);
        ci_property_add(suite, "time", group->time);
        ci_property_add(suite, "machine", group->machine);
        ci_property_add(suite, "oldest", history->runs[group->first].name);
        ci_property_add(suite, "newest", history->runs[group->first + group->count - 1].name);
        for (size_t k = 0; k < history->left_out_count; k++) {
            ci_property_add(suite, "left out", history->left_out[k]);
        }
        for (size_t series = 0; series < history->series_count; series++) {
            add_series(suite, history, i, series);
        }
    }
}

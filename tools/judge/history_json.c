/* SPDX-License-Identifier: BSD-2-Clause */
/* A history as JSON (keys: history_views.h). */
#include "tools/base/json.h"
#include "tools/judge/history_views.h"

static void put_change(struct json *json, const struct history *history,
                       const struct history_change *change)
{
    const struct history_series *series = &history->series[change->series];
    const struct history_run *at = &history->runs[change->at];

    json_object(json, NULL);
    json_text(json, "metric", series->name);
    json_text(json, "unit", series->unit);
    json_text(json, "verdict", history_verdict_name(change->verdict));
    json_bool(json, "recent", change->is_recent);
    json_bool(json, "undone", change->is_undone);
    json_bool(json, "fails", change->fails);
    json_text(json, "from", history->runs[change->from].name);
    json_text(json, "at", at->name);
    json_text(json, "date", at->date[0] != '\0' ? at->date : NULL);
    json_real(json, "before", change->before);
    json_real(json, "after", change->after);
    json_real(json, "shift", change->shift);
    json_real(json, "p", change->p);
    json_array(json, "also");
    for (enum history_label label = 0; label < HISTORY_LABELS; label++) {
        if (change->changed_labels[label]) {
            json_text(json, NULL, history_label_name(label));
        }
    }
    json_close(json);
    json_close(json);
}

static void put_group(struct json *json, const struct history *history, size_t index)
{
    const struct history_group *group = &history->groups[index];

    json_object(json, NULL);
    json_text(json, "time", group->time);
    json_text(json, "machine", group->machine);
    json_bool(json, "exact", group->exact);
    json_unsigned(json, "searched", group->searched);
    json_unsigned(json, "least", group->least);
    json_unsigned(json, "recent", history_recent(history, index));
    json_array(json, "runs");
    for (size_t i = group->first; i < group->first + group->count; i++) {
        const struct history_run *run = &history->runs[i];

        json_object(json, NULL);
        json_text(json, "file", run->name);
        if (run->number > 0) {
            json_signed(json, "number", run->number);
        } else {
            json_null(json, "number");
        }
        json_text(json, "date", run->date[0] != '\0' ? run->date : NULL);
        json_close(json);
    }
    json_close(json);
    json_array(json, "changes");
    for (size_t i = 0; i < history->change_count; i++) {
        if (history->changes[i].group == index) {
            put_change(json, history, &history->changes[i]);
        }
    }
    json_close(json);
    json_close(json);
}

void history_json(FILE *out, const struct history *history)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare compare --history");
    json_unsigned(&json, "version", 1);
    json_real(&json, "alpha", history->settings.alpha);
    json_real(&json, "threshold", history->settings.threshold);
    json_array(&json, "left_out");
    for (size_t i = 0; i < history->left_out_count; i++) {
        json_text(&json, NULL, history->left_out[i]);
    }
    json_close(&json);
    json_object(&json, "summary");
    for (enum history_verdict verdict = 0; verdict < HISTORY_VERDICTS; verdict++) {
        json_unsigned(&json, history_verdict_name(verdict), history->verdicts[verdict]);
    }
    json_unsigned(&json, "failing", history->failing);
    json_close(&json);
    json_array(&json, "groups");
    for (size_t i = 0; i < history->group_count; i++) {
        put_group(&json, history, i);
    }
    json_close(&json);
    json_close(&json);
}

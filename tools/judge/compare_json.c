/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs, comparisons and limits as JSON (keys: compare_views.h). */
#include <math.h>

#include "tools/base/json.h"
#include "tools/judge/compare_views.h"
#include "tools/run/run_kind.h"

static void texts(struct json *json, const char *key, const struct run_texts *list)
{
    json_array(json, key);
    for (size_t i = 0; i < list->count; i++) {
        json_text(json, NULL, list->item[i]);
    }
    json_close(json);
}

static void names(struct json *json, const char *key, const char *const *list, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        json_text(json, NULL, list[i]);
    }
    json_close(json);
}

static void limits(struct json *json, const struct limit_results *results)
{
    json_array(json, "limits");
    for (size_t i = 0; i < results->count; i++) {
        const struct limit_result *result = &results->item[i];
        char text[LIMITS_MESSAGE_MAX];

        limit_text(result->limit, text);
        json_object(json, NULL);
        json_unsigned(json, "line", result->limit->line);
        json_text(json, "limit", text);
        json_text(json, "metric", result->metric);
        json_bool(json, "kept", result->kept);
        json_real(json, "value", result->has_value ? result->value : NAN);
        json_text(json, "message", result->message[0] != '\0' ? result->message : NULL);
        json_close(json);
    }
    json_close(json);
}

static void run_object(struct json *json, const struct compared_run *run)
{
    json_object(json, NULL);
    json_text(json, "file", run->path);
    json_text(json, "kind", run_time_name(&run->run));
    json_text(json, "time", run_time_label(&run->run));
    json_bool(json, "valid", run->valid);
    texts(json, "reasons", &run->reasons);
    if (run->limited) {
        limits(json, &run->results);
    }
    json_close(json);
}

static void side(struct json *json, const char *key, size_t boots, const double *medians, size_t n,
                 double median)
{
    json_object(json, key);
    json_unsigned(json, "boots", boots);
    json_unsigned(json, "n", n);
    json_real(json, "median", median);
    if (medians != NULL && boots > 1) {
        json_array(json, "medians");
        for (size_t i = 0; i < boots; i++) {
            json_real(json, NULL, medians[i]);
        }
        json_close(json);
    }
    json_close(json);
}

static void tail(struct json *json, const struct compare_row *row)
{
    const struct two_tails *tails = &row->tails;

    json_object(json, "tail");
    json_number(json, "quantile", tails->q, 2);
    json_real(json, "a", tails->a);
    json_real(json, "a_low", tails->a_low);
    json_real(json, "a_high", tails->a_high);
    json_real(json, "b", tails->b);
    json_real(json, "b_low", tails->b_low);
    json_real(json, "b_high", tails->b_high);
    json_real(json, "p", tails->p);
    json_real(json, "p_holm", row->tail_p);
    json_close(json);
}

static void metric(struct json *json, const struct compare_row *row)
{
    const bool sampled = compare_is_sampled(row);

    json_object(json, NULL);
    json_text(json, "name", row->name);
    json_text(json, "unit", row->unit);
    json_text(json, "verdict", compare_verdict_name(row->verdict));
    json_text(json, "why", row->why);
    json_bool(json, "by_tail", row->by_tail);
    json_bool(json, "exact", row->exact);
    json_bool(json, "by_boots", row->by_boots);
    json_real(json, "freedom", row->by_boots ? row->groups.freedom : NAN);
    side(json, "a", row->a_boots, row->a_medians, row->a_count, row->a_median);
    side(json, "b", row->b_boots, row->b_medians, row->b_count, row->b_median);
    json_real(json, "shift", row->shift);
    json_real(json, "shift_low", row->has_interval ? row->low : NAN);
    json_real(json, "shift_high", row->has_interval ? row->high : NAN);
    json_real(json, "difference", row->difference);
    json_real(json, "difference_low", row->difference_low);
    json_real(json, "difference_high", row->difference_high);
    json_real(json, "p", row->test_p);
    json_real(json, "p_holm", row->p);
    json_real(json, "delta", sampled ? row->samples.delta : NAN);
    json_real(json, "ks", sampled ? row->samples.ks : NAN);
    json_real(json, "ks_p", sampled ? row->samples.ks_p : NAN);
    json_real(json, "inflation", sampled && isfinite(row->inflation) ? row->inflation : NAN);
    if (row->has_tails) {
        tail(json, row);
    }
    json_close(json);
}

static void boots(struct json *json, const char *key, const struct compared *compared, size_t first,
                  size_t end)
{
    json_array(json, key);
    for (size_t i = first; i < end; i++) {
        json_text(json, NULL, compared->runs[i].path);
    }
    json_close(json);
}

static void comparison(struct json *json, const struct compared *compared, size_t index)
{
    const struct compare *compare = &compared->compares[index];
    const struct compare_differences *differences = &compared->differences[index];

    json_object(json, NULL);
    json_text(json, "a", compared_a(compared));
    json_text(json, "b", compared_b(compared, index));
    boots(json, "a_boots", compared, 0, compared->a_group > 0 ? compared->a_group : 1);
    if (compared->a_group > 0) {
        boots(json, "b_boots", compared, compared->a_group, compared->count);
    } else {
        boots(json, "b_boots", compared, index + 1, index + 2);
    }
    json_bool(json, "one_boot", compare->one_boot);
    json_text(json, "lengths", compare->lengths);
    json_object(json, "summary");
    for (enum compare_verdict verdict = 0; verdict < COMPARE_VERDICTS; verdict++) {
        json_unsigned(json, compare_verdict_name(verdict), compare->verdicts[verdict]);
    }
    json_close(json);
    json_array(json, "differences");
    for (size_t i = 0; i < differences->count; i++) {
        json_object(json, NULL);
        json_text(json, "what", differences->item[i].what);
        json_text(json, "a", differences->item[i].a);
        json_text(json, "b", differences->item[i].b);
        json_close(json);
    }
    json_close(json);
    names(json, "only_a", compare->only_a, compare->only_a_count);
    names(json, "only_b", compare->only_b, compare->only_b_count);
    json_array(json, "metrics");
    for (size_t i = 0; i < compare->count; i++) {
        metric(json, &compare->item[i]);
    }
    json_close(json);
    json_close(json);
}

void compared_json(FILE *out, const struct compared *compared)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare compare");
    json_unsigned(&json, "version", 1);
    json_real(&json, "threshold", compared->settings.threshold);
    json_real(&json, "threshold_stolen_ppm", compared->settings.stolen);
    json_real(&json, "alpha", compared->settings.alpha);
    texts(&json, "warnings", &compared->warnings);
    json_array(&json, "runs");
    for (size_t i = 0; i < compared->count; i++) {
        run_object(&json, &compared->runs[i]);
    }
    json_close(&json);
    json_array(&json, "comparisons");
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        comparison(&json, compared, i);
    }
    json_close(&json);
    json_close(&json);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/finding/view_findings.h"

#include "tools/base/colour.h"
#include "tools/present/json_kit.h"
#include "tools/present/view.h"

#define LABEL 8  /* width of the longest class */
#define RULE  11 /* width of the longest name of a rule */

static enum colour colour_of_class(enum finding_class class)
{
    switch (class) {
    case FINDING_UNTRUE:
    case FINDING_BROKEN:
        return COLOUR_BAD;
    case FINDING_STOLEN:
    case FINDING_SLOW:
    case FINDING_UNDONE:
        return COLOUR_DOUBTFUL;
    default:
        return class == FINDING_CLEAR ? COLOUR_GOOD : COLOUR_PLAIN;
    }
}

void view_findings(FILE *out, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->item[i];

        colour_begin(out, colour_of_class(finding->class));
        fprintf(out, "%-*s", LABEL, finding_class_text(finding->class));
        colour_end(out, colour_of_class(finding->class));
        print_wrapped(out, finding->text, LABEL, LABEL);
    }
    if (findings->more > 0) {
        fprintf(out, "%-*s%zu more\n", LABEL, "", findings->more);
    }
}

void json_findings(struct json *json, const struct findings *findings)
{
    json_array(json, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->item[i];

        json_object(json, NULL);
        JSON_TEXTS(json, {"rule", finding->rule->name},
                   {"class", finding_class_text(finding->class)}, {"bench", finding->bench});
        json_optional(json, "value", finding->has_value, finding->value);
        json_text(json, "unit", finding->has_value ? finding->unit : NULL);
        json_optional(json, "at_ns", finding->has_at, finding->at_ns);
        json_text(json, "text", finding->text);
        json_close(json);
    }
    json_close(json);
}

void view_finding_rules(FILE *out)
{
    const struct finding_rule *rule;
    char text[FINDING_TEXT_MAX];

    for (size_t i = 0; (rule = finding_rule_at(i)) != NULL; i++) {
        int length = 0;

        if (rule->threshold > 0) {
            length = snprintf(text, sizeof(text), "at least %ld %s: ", (long)rule->threshold,
                              rule->unit);
        }
        snprintf(text + length, sizeof(text) - (size_t)length, "%s", rule->summary);
        fprintf(out, "%-*s%-*s", RULE, rule->name, LABEL, finding_class_text(rule->class));
        print_wrapped(out, text, RULE + LABEL, RULE + LABEL);
    }
}

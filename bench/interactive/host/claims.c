/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the file of claims, and compares the answers to its queries with what the paper expects. */
#include "bench/interactive/host/claims.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/texts.h"

#define INDENT  "  "
#define BECAUSE INDENT "because "
#define NAMES   "bench='" /* precedes the name of a bench in a query */
#define FIELD   " | "
#define TO      " to "

extern const char claims_text[]; /* the file of claims */

static const char *const verdicts[CLAIM_VERDICTS] = {
    [CLAIM_REPRODUCED] = "reproduced",
    [CLAIM_NOT_REPRODUCED] = "not reproduced",
    [CLAIM_CANNOT_BE] = "cannot be",
    [CLAIM_NOT_KNOWN] = "unknown",
};

const char *claim_verdict_name(enum claim_verdict verdict)
{
    return verdicts[verdict];
}

/* Keeps the first error. Returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct claims *claims, const char *format,
                                                       ...)
{
    if (claims->error == NULL) {
        va_list values;

        va_start(values, format);
        if (vasprintf(&claims->error, format, values) < 0) {
            claims->error = NULL;
        }
        va_end(values);
        alloc_checked(claims->error);
    }
    return false;
}

/* ---- reading ---- */

/* Cuts the text at the next separator. Returns what follows it, or NULL if there is none. */
static char *cut(char *text, const char *separator)
{
    char *end = text != NULL ? strstr(text, separator) : NULL;

    if (end != NULL) {
        *end = '\0';
        end += strlen(separator);
    }
    return end;
}

struct range {
    double low, high; /* infinite without a bound */
    bool inclusive;
};

/* Reads "> 1", ">= 1", "< 1", "<= 1" or "1 to 2". */
static bool read_range(const char *text, struct range *range)
{
    char *end;

    *range = (struct range){-INFINITY, INFINITY, true};
    if (*text == '<' || *text == '>') {
        range->inclusive = text[1] == '=';
        const double bound = strtod(text + (range->inclusive ? 2 : 1), &end);

        *(*text == '<' ? &range->high : &range->low) = bound;
        return end > text + 2 && *end == '\0';
    }
    range->low = strtod(text, &end);
    if (end == text || strncmp(end, TO, strlen(TO)) != 0) {
        return false;
    }
    text = end + strlen(TO);
    range->high = strtod(text, &end);
    return end != text && *end == '\0' && range->low <= range->high;
}

static bool range_has(const struct range *range, double value)
{
    return range->inclusive ? range->low <= value && value <= range->high
                            : range->low < value && value < range->high;
}

/* Reads "ID | ITEM | VERDICT | What the paper says." */
static bool read_head(struct claims *claims, size_t line, char *text)
{
    struct claim *claim = ALLOC_NEXT(claims->item, claims->count, claims->capacity);
    char *item = cut(text, FIELD);
    char *verdict = cut(item, FIELD);
    const char *says = cut(verdict, FIELD);

    *claim = (struct claim){.id = text, .item = item, .says = says, .declared = CLAIM_NOT_KNOWN};
    for (unsigned i = 0; says != NULL && i < CLAIM_NOT_KNOWN; i++) {
        if (strcmp(verdict, verdicts[i]) == 0) {
            claim->declared = (enum claim_verdict)i;
        }
    }
    if (claim->declared == CLAIM_NOT_KNOWN) {
        return fail(claims,
                    "claims, line %zu: expected \"ID | ITEM | reproduced, not reproduced or cannot "
                    "be | SENTENCE\", got \"%s\"",
                    line, text);
    }
    for (size_t i = 0; i + 1 < claims->count; i++) {
        if (strcmp(claims->item[i].id, text) == 0) {
            return fail(claims, "claims, line %zu: expected a new id, got %s again", line, text);
        }
    }
    return true;
}

/* Reads "  EXPECTS: QUERY" or "  because REASON". */
static bool read_detail(struct claims *claims, size_t line, char *text)
{
    struct claim *claim = claims->count > 0 ? &claims->item[claims->count - 1] : NULL;
    struct range range;

    if (claim != NULL && claim->because == NULL && strncmp(text, BECAUSE, strlen(BECAUSE)) == 0) {
        claim->because = text + strlen(BECAUSE);
        return true;
    }
    if (claim != NULL && claim->because == NULL && claim->query == NULL) {
        claim->query = cut(text, ": ");
        claim->expects = text + strlen(INDENT);
        if (claim->query != NULL && strstr(claim->query, NAMES) != NULL &&
            read_range(claim->expects, &range)) {
            return true;
        }
    }
    return fail(claims,
                "claims, line %zu: expected \"RANGE: QUERY\" with a bench='NAME', or after it "
                "\"because REASON\", got \"%s\"",
                line, text + strlen(INDENT));
}

/* Checks that each claim can be tested, unless it says that it cannot, and gives its reason if it
 * needs one. */
static bool check_complete(struct claims *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->item[i];

        if ((claim->query == NULL) != (claim->declared == CLAIM_CANNOT_BE)) {
            return fail(claims, "claim %s: expected %s query, because it is \"%s\"", claim->id,
                        claim->query == NULL ? "a" : "no", verdicts[claim->declared]);
        }
        if (claim->because == NULL && claim->declared != CLAIM_REPRODUCED) {
            return fail(claims, "claim %s: expected a line \"because REASON\", got none",
                        claim->id);
        }
    }
    return claims->count > 0 || fail(claims, "claims: expected at least one claim, got none");
}

static bool read_claims(struct claims *claims)
{
    bool good = true;
    size_t line = 1;

    for (char *at = claims->text; good && at != NULL; line++) {
        char *next = cut(at, "\n");

        if (strncmp(at, INDENT, strlen(INDENT)) == 0) {
            good = read_detail(claims, line, at);
        } else if (*at != '#' && *at != '\0') {
            good = read_head(claims, line, at);
        }
        at = next;
    }
    return good && check_complete(claims);
}

/* ---- evaluation ---- */

/* Writes what the claim needs: the first bench of its query without rows; if all have some, values
 * of the first bench. Returns whether a bench is lacking. */
static bool lacks_bench(struct sqlite3 *db, struct claim *claim)
{
    const char *at = claim->query;

    while ((at = strstr(at, NAMES)) != NULL) {
        char query[128];
        double rows = 0;
        uint64_t n;
        const int length = (int)strcspn(at += strlen(NAMES), "'");

        snprintf(query, sizeof(query), "SELECT count(*), 1 FROM fact WHERE bench='%.*s'", length,
                 at);
        claim_tables_ask(db, query, &rows, &n);
        if (rows < 1) {
            snprintf(claim->needs, sizeof(claim->needs), "bench %.*s", length, at);
            return true;
        }
        if (claim->needs[0] == '\0') {
            snprintf(claim->needs, sizeof(claim->needs), "values that bench %.*s lacks", length,
                     at);
        }
    }
    return false;
}

static bool evaluate(struct claims *claims, struct sqlite3 *db, struct claim *claim)
{
    struct range range;

    claim->verdict = claim->query == NULL ? CLAIM_CANNOT_BE : CLAIM_NOT_KNOWN;
    if (claim->query == NULL || lacks_bench(db, claim)) {
        return true;
    }
    const char *why = claim_tables_ask(db, claim->query, &claim->value, &claim->n);

    if (why != NULL && why[0] != '\0') {
        return fail(claims, "claim %s: correct its query: %s", claim->id, why);
    }
    claim->known = why == NULL && claim->n > 0;
    if (claim->known && read_range(claim->expects, &range)) {
        claim->verdict = range_has(&range, claim->value) ? CLAIM_REPRODUCED : CLAIM_NOT_REPRODUCED;
    }
    return true;
}

static bool add_benches(struct claims *claims, struct sqlite3 *db, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench->pass > 1 || bench->group == NULL ||
            strcmp(bench->group, GROUP_INTERACTIVE) != 0 || bench->state == NULL ||
            strcmp(bench->state, STATE_OK) != 0) {
            continue;
        }
        const char *why = claim_tables_add(db, run, bench);

        if (why != NULL) {
            return fail(claims, "bench %s: its tables cannot be made: %s", bench->name, why);
        }
    }
    return true;
}

bool claims_check(struct claims *claims, const char *text, const struct run *run)
{
    struct sqlite3 *db = claim_tables_open();

    *claims = (struct claims){.text = alloc_text(text != NULL ? text : claims_text)};
    bool good = read_claims(claims) && add_benches(claims, db, run);

    for (size_t i = 0; i < claims->count && good; i++) {
        struct claim *claim = &claims->item[i];

        good = evaluate(claims, db, claim);
        claims->verdicts[claim->verdict]++;
        claims->different += claim->verdict != claim->declared && claim->verdict != CLAIM_NOT_KNOWN;
    }
    claim_tables_close(db);
    return good;
}

void claims_free(struct claims *claims)
{
    free(claims->item);
    free(claims->text);
    free(claims->error);
    *claims = (struct claims){0};
}

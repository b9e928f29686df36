/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the claims of the paper, and which of them the run reproduces. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/interactive/host/claims.h"
#include "bench/interactive/host/view_input.h"
#include "tools/base/number.h"
#include "tools/base/texts.h"
#include "tools/present/view.h"

#define ITEM_WIDTH 13

/* Prints "ITEM  SENTENCE", and below it the answer and the reason. */
static void print_claim(FILE *out, const struct claim *claim)
{
    char value[NUMBER_MAX];
    struct long_text text;

    long_text_open(&text);
    fprintf(text.out, "%s: %s", claim->id, claim_verdict_name(claim->verdict));
    if (claim->known) {
        fprintf(text.out, ": %s (n %" PRIu64 "), expected %s", number_text(claim->value, value),
                claim->n, claim->expects);
    } else if (claim->verdict == CLAIM_NOT_KNOWN) {
        fprintf(text.out, ": needs %s", claim->needs);
    }
    if (claim->verdict != claim->declared && claim->verdict != CLAIM_NOT_KNOWN) {
        fprintf(text.out, "; DECLARED: %s", claim_verdict_name(claim->declared));
    }
    fprintf(out, "\n");
    print_field(out, ITEM_WIDTH, claim->item, claim->says);
    print_field(out, ITEM_WIDTH, "", long_text_close(&text));
    long_text_free(&text);
    if (claim->because != NULL) {
        print_field(out, ITEM_WIDTH, "because", claim->because);
    }
}

bool view_claims(const struct view *view)
{
    struct claims claims;
    bool good = claims_check(&claims, NULL, view->run);

    for (size_t i = 0; i < claims.count && good; i++) {
        print_claim(view->out, &claims.item[i]);
    }
    if (good) {
        print_paragraph(view->out,
                        "%zu reproduced, %zu not reproduced, %zu cannot be, %zu unknown; %zu "
                        "differ from what is declared",
                        claims.verdicts[CLAIM_REPRODUCED], claims.verdicts[CLAIM_NOT_REPRODUCED],
                        claims.verdicts[CLAIM_CANNOT_BE], claims.verdicts[CLAIM_NOT_KNOWN],
                        claims.different);
        good = claims.different == 0;
    } else {
        fprintf(stderr, "tare show: %s\n", claims.error);
    }
    claims_free(&claims);
    return good;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/clean_text.h"

#include <stddef.h>

#include <string.h>

#include "tools/base/json.h"

static bool is_clean(const unsigned char *c, size_t length, bool lines)
{
    if (length == 1) {
        return (*c >= ' ' && *c != 0x7f) || (lines && (*c == '\n' || *c == '\t'));
    }
    return length > 2 || (length == 2 && (c[0] != 0xc2 || c[1] >= 0xa0));
}

void clean_text(char *text, bool lines)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);

        if (is_clean((const unsigned char *)text, length, lines)) {
            text += length;
        } else {
            *text++ = '?';
        }
    }
}

size_t xml_put(FILE *out, const char *text, const char *otherwise)
{
    static const char special[] = "<>&\"";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    const size_t length = json_utf8_length(text);
    const char *found = strchr(special, *text);
    const bool is_control = (unsigned char)*text < ' ' && *text != '\t' && *text != '\n';

    /* XML does not allow U+FFFE and U+FFFF (section 2.2). Surrogates are not valid UTF-8. */
    if (length == 0 || is_control || strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
        strncmp(text, "\xef\xbf\xbf", 3) == 0) {
        fputs(otherwise, out);
    } else if (found != NULL) {
        fputs(entities[found - special], out);
    } else {
        fwrite(text, 1, length, out);
    }
    return length > 0 ? length : 1;
}

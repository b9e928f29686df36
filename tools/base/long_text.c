/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/long_text.h"

#include <stdlib.h>

#include "tools/base/alloc.h"

void long_text_open(struct long_text *text)
{
    *text = (struct long_text){0};
    text->out = alloc_checked(open_memstream(&text->text, &text->length));
}

const char *long_text_close(struct long_text *text)
{
    fclose(text->out);
    text->out = NULL;
    return alloc_checked(text->text);
}

void long_text_free(struct long_text *text)
{
    free(text->text);
    *text = (struct long_text){0};
}

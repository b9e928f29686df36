/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/clean_text.h"

void store_close(struct store *store)
{
    if (store != NULL) {
        store->backend->close(store);
    }
}

void store_fail(char error[STORE_ERROR_MAX], const char *format, ...)
{
    size_t length;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, STORE_ERROR_MAX, format, arguments);
    va_end(arguments);
    for (length = strlen(error); length > 0 && error[length - 1] == '\n'; length--) {
        error[length - 1] = '\0';
    }
    for (char *at = error; (at = strpbrk(at, "\r\n\t")) != NULL;) {
        *at = ' ';
    }
    clean_text(error, false); /* names of tables of a file from outside may be in it */
}

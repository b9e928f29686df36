/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/clean_text.h"

struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX])
{
    const bool is_postgres = strncmp(name, "postgresql://", strlen("postgresql://")) == 0 ||
                             strncmp(name, "postgres://", strlen("postgres://")) == 0;

    return is_postgres ? store_postgres_open(name, mode, error)
                       : store_sqlite_open(name, mode, error);
}

void store_close(struct store *store)
{
    if (store != NULL) {
        known_contents_free(&store->pending.known);
        store->backend->close(store);
    }
}

static bool take_integer(void *context, const struct store_row *row)
{
    *(int64_t *)context = row->texts[0] != NULL ? strtoll(row->texts[0], NULL, 10) : 0;
    return true;
}

bool store_ask(struct store *store, int64_t *number, const char *format, ...)
{
    char sql[STORE_ASK_MAX];
    va_list values;

    va_start(values, format);
    vsnprintf(sql, sizeof(sql), format, values);
    va_end(values);
    *number = 0;
    return store->backend->query(store, sql, false, take_integer, number);
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
    clean_text(error, false); /* the message may contain names of tables of a foreign file */
}

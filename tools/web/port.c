/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/web/port.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/interactive/host/claims.h"
#include "kernel/link/seal.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/line.h"
#include "tools/base/output_file.h"
#include "tools/base/sha256.h"
#include "tools/base/texts.h"
#include "tools/cmd/commands.h"
#include "tools/store/file_kind.h"
#include "tools/store/fleet.h"
#include "tools/web/browser.h"

/* ---- functions of Linux ---- */

int madvise(void *start, size_t length, int advice)
{
    (void)start, (void)length, (void)advice;
    return 0;
}

/* Each name ends in six X. No file is ever replaced: names are numbered. */
int mkostemp(char *path, int flags)
{
    static unsigned number;

    snprintf(path + strlen(path) - 6, 7, "%06u", number++);
    return open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

char *mkdtemp(char *path)
{
    (void)path;
    errno = ENOTSUP;
    return NULL;
}

FILE *popen(const char *command, const char *mode)
{
    (void)command, (void)mode;
    errno = ENOTSUP;
    return NULL;
}

int pclose(FILE *stream)
{
    (void)stream;
    return -1;
}

/* ---- tools/base ---- */

void interrupt_catch(void)
{
}

void interrupt_none_by_writing(void)
{
}

bool interrupt_seen(void)
{
    return browser_stopped() != 0;
}

ssize_t line_read(struct line *line, uint8_t *bytes, size_t capacity, unsigned timeout_ms)
{
    (void)line;
    return browser_read(bytes, capacity, timeout_ms);
}

bool line_write(struct line *line, const uint8_t *bytes, size_t length)
{
    (void)line;
    return browser_write(bytes, length) == 0;
}

/* A port of a browser keeps its speed: it would have to be closed. */
bool line_set_baud(struct line *line, unsigned baud)
{
    (void)line, (void)baud;
    return false;
}

unsigned line_slower(unsigned baud)
{
    (void)baud;
    return 0;
}

bool output_file_open(struct output_file *file, const char *path, char error[OUTPUT_FILE_ERROR_MAX])
{
    *file = (struct output_file){.stream = stdout};
    if (path == NULL || strcmp(path, "-") == 0) {
        return true;
    }
    file->path = path;
    file->stream = fopen(path, "wb");
    if (file->stream == NULL) {
        snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s: %s", path, strerror(errno));
    }
    return file->stream != NULL;
}

bool output_file_finish(FILE *stream)
{
    return fflush(stream) == 0 && ferror(stream) == 0;
}

void output_file_discard(struct output_file *file)
{
    if (file->path != NULL) {
        fclose(file->stream);
        unlink(file->path);
    }
}

bool output_file_commit(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX])
{
    const bool good = output_file_finish(file->stream);

    if (!good) {
        snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s",
                 file->path != NULL ? file->path : "-");
        output_file_discard(file);
    } else if (file->path != NULL) {
        fclose(file->stream);
    }
    return good;
}

void sha256_begin(struct sha256 *hash)
{
    hash->context = alloc_zeroed(sizeof(struct seal));
    seal_begin(hash->context);
}

void sha256_put(struct sha256 *hash, const void *bytes, size_t length)
{
    seal_put(hash->context, bytes, length);
}

void sha256_end(struct sha256 *hash, char text[SHA256_TEXT])
{
    seal_text(hash->context, text);
    free(hash->context);
}

/* ---- tools/store ---- */

struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX])
{
    (void)mode;
    snprintf(error, STORE_ERROR_MAX, "%.200s: a page reads no fleet: use tare on Linux", name);
    return NULL;
}

/* The functions below need a store, and there is none. */

bool fleet_look(struct store *store)
{
    return store != NULL;
}

bool fleet_list(struct store *store, store_row_taker *take, void *context)
{
    (void)take, (void)context;
    return store != NULL;
}

bool fleet_extract(struct store *store, int64_t id, const char *path)
{
    (void)id, (void)path;
    return store != NULL;
}

void store_close(struct store *store)
{
    (void)store;
}

/* ---- what needs SQLite ---- */

bool claims_check(struct claims *claims, const char *text, const struct run *run)
{
    (void)text, (void)run;
    *claims = (struct claims){
        .error = text_format("the paper's claims are queries in SQL: use tare on Linux")};
    return false;
}

void claims_free(struct claims *claims)
{
    free(claims->error);
}

const char *claim_verdict_name(enum claim_verdict verdict)
{
    (void)verdict;
    return "unknown";
}

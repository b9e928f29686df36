/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/postgres_copy.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define PIECE     (UINT32_C(1) << 20)
#define SQL_MAX   512
#define ERROR_MAX 512
/* Largest number of pieces that the thread has not sent yet; at this number the caller waits. They
 * hold the rows of about 256 small runs. */
#define QUEUED_MAX 32

struct piece {
    struct piece *next;
    const char *name; /* table; NULL: no rows, the open COPY ends */
    int64_t part;
    size_t used;
    uint8_t bytes[PIECE];
};

/* Waiting rows of a table. */
struct waiting {
    const char *name;
    int64_t part;
    struct piece *piece; /* NULL: none */
    size_t whole;        /* bytes of complete rows */
    bool is_long; /* the unfinished row is longer than a piece: its first bytes were handed over */
};

struct postgres_copy {
    struct waiting waiting[POSTGRES_COPY_TABLES_MAX];
    size_t waiting_count;
    struct waiting *row; /* unfinished row */

    PGconn *connection; /* belongs to the thread while `busy` */
    const char *name;   /* table of the open COPY; NULL: none */
    int64_t part;
    bool has_thread;
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* All members below are protected by the lock. */
    struct piece *first, *last; /* the queue */
    size_t queued;
    bool busy;           /* the thread is sending a piece */
    bool closing;        /* tells the thread to end */
    struct piece *spare; /* pieces that can be reused */
    char error[ERROR_MAX];
};

/* ---- the thread ---- */

static bool fail(struct postgres_copy *copy)
{
    pthread_mutex_lock(&copy->lock);
    if (copy->error[0] == '\0') {
        snprintf(copy->error, sizeof(copy->error), "PostgreSQL: %s",
                 PQerrorMessage(copy->connection));
    }
    pthread_mutex_unlock(&copy->lock);
    return false;
}

/* Checks the status of the result, and frees it. */
static bool is_done(struct postgres_copy *copy, PGresult *result, ExecStatusType wanted)
{
    const bool ok = PQresultStatus(result) == wanted;

    if (!ok) {
        fail(copy);
    }
    PQclear(result);
    return ok;
}

static bool put_data(struct postgres_copy *copy, const void *bytes, size_t length)
{
    return length == 0 || PQputCopyData(copy->connection, bytes, (int)length) == 1 || fail(copy);
}

static bool end_copy(struct postgres_copy *copy)
{
    static const uint8_t end[] = {0xff, 0xff};
    PGresult *result;

    if (copy->name == NULL) {
        return true;
    }
    copy->name = NULL;
    bool ok = put_data(copy, end, sizeof(end));

    if (PQputCopyEnd(copy->connection, NULL) != 1) {
        return fail(copy);
    }
    while ((result = PQgetResult(copy->connection)) != NULL) {
        ok = is_done(copy, result, PGRES_COMMAND_OK) && ok;
    }
    return ok;
}

static bool begin_copy(struct postgres_copy *copy, const struct piece *piece)
{
    static const char head[19] = "PGCOPY\n\377\r\n"; /* no flags, no extension after the header */
    char part[32] = "";
    char sql[SQL_MAX];

    if (piece->part != 0) {
        snprintf(part, sizeof(part), "_%" PRId64, piece->part - 1);
    }
    snprintf(sql, sizeof(sql), "COPY \"%s%s\" FROM STDIN (FORMAT binary)", piece->name, part);
    if (!end_copy(copy) || !is_done(copy, PQexec(copy->connection, sql), PGRES_COPY_IN)) {
        return false;
    }
    copy->name = piece->name;
    copy->part = piece->part;
    return put_data(copy, head, sizeof(head));
}

static bool send_piece(struct postgres_copy *copy, const struct piece *piece)
{
    if (piece->name == NULL) {
        return end_copy(copy);
    }
    const bool is_open = copy->name == piece->name && copy->part == piece->part;

    return (is_open || begin_copy(copy, piece)) && put_data(copy, piece->bytes, piece->used);
}

/* Sends the first piece of the queue with the lock released. After an error, pieces are dropped. */
static void send_first(struct postgres_copy *copy)
{
    struct piece *piece = copy->first;
    const bool failed = copy->error[0] != '\0';

    copy->first = piece->next;
    copy->last = copy->first != NULL ? copy->last : NULL;
    copy->busy = true;
    pthread_mutex_unlock(&copy->lock);
    if (!failed) {
        send_piece(copy, piece);
    }
    pthread_mutex_lock(&copy->lock);
    copy->busy = false;
    copy->queued--;
    piece->next = copy->spare;
    copy->spare = piece;
    pthread_cond_broadcast(&copy->changed);
}

static void *send_pieces(void *context)
{
    struct postgres_copy *copy = context;

    pthread_mutex_lock(&copy->lock);
    while (!copy->closing) {
        if (copy->first != NULL) {
            send_first(copy);
        } else {
            pthread_cond_wait(&copy->changed, &copy->lock);
        }
    }
    pthread_mutex_unlock(&copy->lock);
    return NULL;
}

/* Starts the thread with all signals blocked, so that they go to the caller's thread. */
static bool start_thread(struct postgres_copy *copy)
{
    sigset_t all, before;

    if (copy->has_thread) {
        return true;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    copy->has_thread = pthread_create(&copy->thread, NULL, send_pieces, copy) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!copy->has_thread) {
        snprintf(copy->error, sizeof(copy->error), "cannot start a thread that sends rows");
    }
    return copy->has_thread;
}

/* ---- the caller ---- */

static struct piece *take_piece(struct postgres_copy *copy, const char *name, int64_t part)
{
    pthread_mutex_lock(&copy->lock);
    struct piece *piece = copy->spare;

    copy->spare = piece != NULL ? piece->next : NULL;
    pthread_mutex_unlock(&copy->lock);
    piece = piece != NULL ? piece : alloc_checked(malloc(sizeof(*piece)));
    piece->next = NULL;
    piece->name = name;
    piece->part = part;
    piece->used = 0;
    return piece;
}

/* Hands a piece to the thread. */
static bool hand_over(struct postgres_copy *copy, struct piece *piece)
{
    const bool started = start_thread(copy);

    pthread_mutex_lock(&copy->lock);
    while (started && copy->queued >= QUEUED_MAX) {
        pthread_cond_wait(&copy->changed, &copy->lock);
    }
    *(copy->last != NULL ? &copy->last->next : &copy->first) = piece;
    copy->last = piece;
    copy->queued++;
    const bool ok = copy->error[0] == '\0';

    pthread_cond_broadcast(&copy->changed);
    pthread_mutex_unlock(&copy->lock);
    return started && ok;
}

/* Hands over a waiting piece. Keeps the bytes of an unfinished row, unless the row fills the piece;
 * then its rest follows directly, because no other row begins before its end. */
static bool hand_over_waiting(struct postgres_copy *copy, struct waiting *waiting)
{
    struct piece *piece = waiting->piece;
    const size_t whole = waiting->whole > 0 ? waiting->whole : piece->used;
    const size_t rest = piece->used - whole;

    waiting->piece = NULL;
    if (rest > 0) {
        waiting->piece = take_piece(copy, waiting->name, waiting->part);
        memcpy(waiting->piece->bytes, piece->bytes + whole, rest);
        waiting->piece->used = rest;
    }
    waiting->is_long = waiting->whole == 0;
    waiting->whole = 0;
    piece->used = whole;
    return hand_over(copy, piece);
}

static struct waiting *waiting_of(struct postgres_copy *copy, const char *name)
{
    for (size_t i = 0; i < copy->waiting_count; i++) {
        if (copy->waiting[i].name == name) {
            return &copy->waiting[i];
        }
    }
    assert(copy->waiting_count < POSTGRES_COPY_TABLES_MAX);
    struct waiting *waiting = &copy->waiting[copy->waiting_count++];

    waiting->name = name;
    return waiting;
}

bool postgres_copy_begin_row(struct postgres_copy *copy, const char *name, int64_t part)
{
    struct waiting *waiting = waiting_of(copy, name);

    copy->row = waiting;
    if (waiting->piece != NULL && waiting->part != part && !hand_over_waiting(copy, waiting)) {
        return false;
    }
    waiting->part = part;
    waiting->is_long = false;
    return true;
}

bool postgres_copy_put(struct postgres_copy *copy, const void *bytes, size_t length)
{
    struct waiting *waiting = copy->row;

    for (size_t at = 0, part; at < length; at += part) {
        if (waiting->piece == NULL) {
            waiting->piece = take_piece(copy, waiting->name, waiting->part);
        } else if (waiting->piece->used == PIECE) {
            if (!hand_over_waiting(copy, waiting)) {
                return false;
            }
            part = 0;
            continue;
        }
        struct piece *piece = waiting->piece;

        part = length - at < PIECE - piece->used ? length - at : PIECE - piece->used;
        memcpy(piece->bytes + piece->used, (const uint8_t *)bytes + at, part);
        piece->used += part;
    }
    return true;
}

bool postgres_copy_end_row(struct postgres_copy *copy)
{
    struct waiting *waiting = copy->row;

    if (waiting->is_long) {
        return waiting->piece == NULL || hand_over_waiting(copy, waiting);
    }
    waiting->whole = waiting->piece->used;
    return true;
}

bool postgres_copy_send(struct postgres_copy *copy)
{
    bool ok = true;

    for (size_t i = 0; i < copy->waiting_count && ok; i++) {
        ok = copy->waiting[i].piece == NULL || hand_over_waiting(copy, &copy->waiting[i]);
    }
    return ok;
}

bool postgres_copy_wait(struct postgres_copy *copy)
{
    if (!copy->has_thread) {
        return true;
    }
    bool ok = hand_over(copy, take_piece(copy, NULL, 0));

    pthread_mutex_lock(&copy->lock);
    while (copy->queued > 0) {
        pthread_cond_wait(&copy->changed, &copy->lock);
    }
    ok = copy->error[0] == '\0';
    pthread_mutex_unlock(&copy->lock);
    return ok;
}

const char *postgres_copy_error(const struct postgres_copy *copy)
{
    return copy->error;
}

struct postgres_copy *postgres_copy_open(PGconn *connection)
{
    struct postgres_copy *copy = alloc_zeroed(sizeof(*copy));

    copy->connection = connection;
    pthread_mutex_init(&copy->lock, NULL);
    pthread_cond_init(&copy->changed, NULL);
    return copy;
}

static void free_pieces(struct piece *piece)
{
    while (piece != NULL) {
        struct piece *next = piece->next;

        free(piece);
        piece = next;
    }
}

void postgres_copy_close(struct postgres_copy *copy)
{
    if (copy->has_thread) {
        pthread_mutex_lock(&copy->lock);
        copy->closing = true;
        pthread_cond_broadcast(&copy->changed);
        pthread_mutex_unlock(&copy->lock);
        pthread_join(copy->thread, NULL);
    }
    for (size_t i = 0; i < copy->waiting_count; i++) {
        free(copy->waiting[i].piece);
    }
    free_pieces(copy->first);
    free_pieces(copy->spare);
    pthread_cond_destroy(&copy->changed);
    pthread_mutex_destroy(&copy->lock);
    free(copy);
}

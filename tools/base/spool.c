/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/trace_bytes.h"

#define ERROR_MAX 512
#define AHEAD     ((size_t)1 << 15) /* bytes that a short read fetches at once */
/* Sizes of a written block: each is twice the previous one, because Linux caches large writes in
 * large pages. */
#define BLOCK_LEAST ((size_t)1 << 15)
#define BLOCK_MOST  ((size_t)1 << 20)

struct spool {
    unsigned users;
    int descriptor;   /* descriptor of the file; -1: not created yet */
    uint64_t written; /* bytes in the file; later bytes are still in `block` */
    uint8_t *block;   /* write buffer of `room` bytes; NULL: none was needed yet */
    size_t room, held;
    uint8_t *ahead; /* read buffer: `ahead_held` bytes of the file from `ahead_at` on */
    uint64_t ahead_at;
    size_t ahead_held;
    char error[ERROR_MAX]; /* first error; empty: none */
};

struct spool *spool_create(void)
{
    struct spool *spool = alloc_zeroed(sizeof(*spool));

    spool->users = 1;
    spool->descriptor = -1;
    return spool;
}

static struct spool *spool_share(struct spool *spool)
{
    spool->users++;
    return spool;
}

void spool_release(struct spool *spool)
{
    if (spool == NULL || --spool->users > 0) {
        return;
    }
    if (spool->descriptor >= 0) {
        close(spool->descriptor);
    }
    free(spool->block);
    free(spool->ahead);
    free(spool);
}

static const char *folder(void)
{
    const char *name = getenv("TMPDIR");

    return name != NULL && *name != '\0' ? name : "/tmp";
}

/* Records an error, unless there was one before. */
static void fail(struct spool *spool, const char *what, int reason)
{
    if (spool->error[0] == '\0') {
        snprintf(spool->error, sizeof(spool->error), "cannot %s a temporary file in %.300s: %s",
                 what, folder(), strerror(reason));
    }
}

/* A file with a name stays if the program is killed before it removes it, so it has one only if the
 * file system needs it. */
static bool make_file(struct spool *spool)
{
#ifdef O_TMPFILE
    spool->descriptor = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool->descriptor >= 0) {
        return true;
    }
#endif
    const size_t size = strlen(folder()) + sizeof("/tare.XXXXXX");
    char *path = alloc_zeroed(size);

    snprintf(path, size, "%s/tare.XXXXXX", folder());
    spool->descriptor = mkostemp(path, O_CLOEXEC);
    if (spool->descriptor < 0) {
        fail(spool, "make", errno);
    } else {
        unlink(path);
    }
    free(path);
    return spool->descriptor >= 0;
}

/* Writes bytes to the end of the file. */
static bool write_out(struct spool *spool, const void *bytes, size_t length)
{
    size_t done = 0;

    while (done < length) {
        const ssize_t written = pwrite(spool->descriptor, (const char *)bytes + done, length - done,
                                       (off_t)(spool->written + done));

        if (written <= 0 && (written == 0 || errno != EINTR)) {
            fail(spool, "write", written == 0 ? ENOSPC : errno);
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    spool->written += length;
    return true;
}

/* Writes the block to the file. If that fails, the bytes stay in the block and can be read from
 * there. */
static bool flush(struct spool *spool)
{
    if (spool->error[0] != '\0' || (spool->descriptor < 0 && !make_file(spool))) {
        return false;
    }
    if (!write_out(spool, spool->block, spool->held)) {
        return false;
    }
    spool->held = 0;
    return true;
}

/* Makes an empty block of `room` bytes. */
static void make_block(struct spool *spool, size_t room)
{
    free(spool->block);
    spool->block = alloc_checked(malloc(room));
    spool->room = room;
}

/* Writes the block to the file; makes the next one larger. */
static bool next_block(struct spool *spool)
{
    if (!flush(spool)) {
        return false;
    }
    if (spool->room < BLOCK_MOST) {
        make_block(spool, 2 * spool->room);
    }
    return true;
}

bool spool_append(struct spool *spool, const void *bytes, size_t length, uint64_t *at)
{
    if (spool->error[0] != '\0' || (spool->descriptor < 0 && !make_file(spool))) {
        return false;
    }
    if (spool->block == NULL) {
        make_block(spool, BLOCK_LEAST);
    }
    if (length > spool->room - spool->held && !next_block(spool)) {
        return false;
    }
    *at = spool->written + spool->held;
    if (length > spool->room) {
        return write_out(spool, bytes, length);
    }
    memcpy(spool->block + spool->held, bytes, length);
    spool->held += length;
    return true;
}

/* Reads from the file. */
static bool read_in(struct spool *spool, uint64_t at, void *to, size_t length)
{
    size_t done = 0;

    while (done < length) {
        const ssize_t taken =
            pread(spool->descriptor, (char *)to + done, length - done, (off_t)(at + done));

        if (taken <= 0 && (taken == 0 || errno != EINTR)) {
            fail(spool, "read", taken == 0 ? ENODATA : errno);
            return false;
        }
        done += taken > 0 ? (size_t)taken : 0;
    }
    return true;
}

/* Reads a piece shorter than AHEAD from the file, together with the bytes after it, which are
 * likely to be read next. */
static bool read_ahead(struct spool *spool, uint64_t at, void *to, size_t length)
{
    if (at < spool->ahead_at || at + length > spool->ahead_at + spool->ahead_held) {
        const uint64_t rest = spool->written - at;

        if (spool->ahead == NULL) {
            spool->ahead = alloc_zeroed(AHEAD);
        }
        spool->ahead_at = at;
        spool->ahead_held = 0;
        if (!read_in(spool, at, spool->ahead, rest < AHEAD ? (size_t)rest : AHEAD)) {
            return false;
        }
        spool->ahead_held = rest < AHEAD ? (size_t)rest : AHEAD;
    }
    memcpy(to, spool->ahead + (at - spool->ahead_at), length);
    return true;
}

bool spool_read(struct spool *spool, uint64_t at, void *to, size_t length)
{
    const uint64_t before = at < spool->written ? spool->written - at : 0;
    const size_t part = before < length ? (size_t)before : length;

    if (at > spool->written + spool->held || length > spool->written + spool->held - at) {
        fail(spool, "read", ENODATA);
        return false;
    }
    if (part > 0 &&
        !(part < AHEAD ? read_ahead(spool, at, to, part) : read_in(spool, at, to, part))) {
        return false;
    }
    if (part < length) {
        memcpy((char *)to + part, spool->block + (at + part - spool->written), length - part);
    }
    return true;
}

void *spool_map(struct spool *spool, size_t length)
{
    if (!flush(spool)) {
        return NULL;
    }
    void *memory = mmap(NULL, length, PROT_READ, MAP_SHARED, spool->descriptor, 0);

    return memory != MAP_FAILED ? memory : NULL;
}

const char *spool_error(const struct spool *spool)
{
    return spool->error[0] != '\0' ? spool->error : NULL;
}

/* An extent and the number of bytes before it. */
struct placed_extent {
    uint64_t before;
    uint64_t at;
};

struct spooled_bytes {
    struct trace_bytes bytes;
    struct spool *spool;
    struct spool_extent *payloads;
    size_t payload_count;
    size_t count;
    struct placed_extent extents[];
};

/* Returns the index of the extent that holds `offset`. */
static size_t find_extent(const struct spooled_bytes *spooled, uint64_t offset)
{
    const size_t up_to = SEARCH_COUNT(i, spooled->count, spooled->extents[i].before <= offset);

    return up_to > 0 ? up_to - 1 : 0;
}

static bool spooled_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    const struct spooled_bytes *spooled = (const struct spooled_bytes *)bytes;

    if (offset > bytes->length || size > bytes->length - offset) {
        return false;
    }
    for (size_t i = find_extent(spooled, offset); size > 0; i++) {
        const struct placed_extent *extent = &spooled->extents[i];
        const uint64_t stop =
            i + 1 < spooled->count ? spooled->extents[i + 1].before : bytes->length;
        const uint64_t part = stop - offset < size ? stop - offset : size;

        if (!spool_read(spooled->spool, extent->at + (offset - extent->before), to, part)) {
            return false;
        }
        offset += part;
        to = (char *)to + part;
        size -= part;
    }
    return true;
}

static void spooled_close(struct trace_bytes *bytes)
{
    struct spooled_bytes *spooled = (struct spooled_bytes *)bytes;

    spool_release(spooled->spool);
    free(spooled->payloads);
    free(spooled);
}

static size_t spooled_payload(struct trace_bytes *bytes, uint64_t index, uint8_t *to)
{
    const struct spooled_bytes *spooled = (const struct spooled_bytes *)bytes;

    if (index >= spooled->payload_count) {
        return 0;
    }
    const struct spool_extent *payload = &spooled->payloads[index];

    return spool_read(spooled->spool, payload->at, to, payload->length) ? payload->length : 0;
}

void spool_bytes_payloads(struct trace_bytes *bytes, struct spool_extent *payloads, size_t count)
{
    struct spooled_bytes *spooled = (struct spooled_bytes *)bytes;

    spooled->payloads = payloads;
    spooled->payload_count = count;
    bytes->payload = spooled_payload;
}

struct trace_bytes *spool_bytes(struct spool *spool, const struct spool_extent *extents,
                                size_t count)
{
    struct spooled_bytes *spooled =
        alloc_zeroed(sizeof(*spooled) + count * sizeof(spooled->extents[0]));

    spooled->spool = spool_share(spool);
    spooled->count = count;
    for (size_t i = 0; i < count; i++) {
        spooled->extents[i] = (struct placed_extent){spooled->bytes.length, extents[i].at};
        spooled->bytes.length += extents[i].length;
    }
    spooled->bytes.read = spooled_read;
    spooled->bytes.close = spooled_close;
    return &spooled->bytes;
}

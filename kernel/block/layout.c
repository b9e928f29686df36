/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/layout.h"

#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/plan/bytes.h"

#define MAGIC         "tarefile"
#define VERSION       1
#define NUMBER_AT     0
#define FILE_AT       8
#define BODY_AT       16
#define CRC_AT        508
#define BODY_BYTES    (CRC_AT - BODY_AT)
#define BODY_WORDS    (BODY_BYTES / 4)
#define BODY_LONGS    (BODY_BYTES / 8) /* followed by one word of 4 bytes */
#define COUNT_AT      12
#define SECTORS_AT    16
#define FILES_AT      24
#define FILE_BYTES    32
#define BODY_MULTIPLE 0x9e3779b9u

/* All sectors have the same body. The checksum after it is therefore an affine function of the
 * checksum before it, which takes one table look-up per byte of the checksum instead of 492 bytes
 * of CRC. */
static struct {
    bool made;
    uint8_t bytes[BODY_BYTES];
    uint32_t behind[4][256]; /* what each byte of the checksum before it adds to the one after */
    uint32_t constant;
} body;

static void make_body(void)
{
    if (body.made) {
        return;
    }
    for (uint32_t k = 0; k < BODY_WORDS; k++) {
        bytes_put32(body.bytes + 4 * k, k * BODY_MULTIPLE);
    }
    body.constant = crc32c(0, body.bytes, BODY_BYTES);
    for (unsigned byte = 0; byte < 4; byte++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            const uint32_t value = 1u << bit;

            body.behind[byte][value] =
                crc32c(value << 8 * byte, body.bytes, BODY_BYTES) ^ body.constant;
            for (uint32_t below = 1; below < value; below++) {
                body.behind[byte][value + below] =
                    body.behind[byte][value] ^ body.behind[byte][below];
            }
        }
    }
    body.made = true;
}

/* Returns the checksum of a sector that has the usual body. */
static uint32_t checksum(const uint8_t *sector)
{
    const uint32_t head = crc32c(0, sector, BODY_AT);

    return body.constant ^ body.behind[0][head & 255] ^ body.behind[1][head >> 8 & 255] ^
           body.behind[2][head >> 16 & 255] ^ body.behind[3][head >> 24];
}

/* ---- a plan ---- */

static void add_file(struct layout *layout, const char *name, uint64_t sectors)
{
    struct layout_file *file = &layout->files[layout->count++];

    memcpy(file->name, name, strlen(name) + 1);
    file->first = layout->sectors;
    file->sectors = sectors;
    layout->sectors += sectors;
}

void layout_plan(struct layout *layout, uint64_t bench_sectors, bool documents)
{
    const uint64_t whole = bench_sectors - bench_sectors % LAYOUT_ALIGN;

    make_body();
    memset(layout, 0, sizeof(*layout));
    layout->sectors = LAYOUT_ALIGN; /* the directory's */
    add_file(layout, LAYOUT_BENCH, whole != 0 ? whole : LAYOUT_ALIGN);
    if (documents) {
        add_file(layout, LAYOUT_DOC, LAYOUT_DOC_SECTORS);
        add_file(layout, LAYOUT_SLIDES, LAYOUT_SLIDES_SECTORS);
    }
}

/* ---- sectors ---- */

static void write_directory(const struct layout *layout, uint8_t *out)
{
    memcpy(out, MAGIC, strlen(MAGIC));
    bytes_put32(out + 8, VERSION);
    bytes_put32(out + COUNT_AT, (uint32_t)layout->count);
    bytes_put64(out + SECTORS_AT, layout->sectors);
    for (size_t i = 0; i < layout->count; i++) {
        uint8_t *at = out + FILES_AT + i * FILE_BYTES;

        memcpy(at, layout->files[i].name, LAYOUT_NAME_MAX);
        bytes_put64(at + LAYOUT_NAME_MAX, layout->files[i].first);
        bytes_put64(at + LAYOUT_NAME_MAX + 8, layout->files[i].sectors);
    }
    bytes_put32(out + CRC_AT, crc32c(0, out, CRC_AT));
}

/* Copies words, because the library's memcpy() may copy bytes when it is built for size. */
static void write_body(uint8_t *to)
{
    for (size_t i = 0; i < BODY_LONGS; i++) {
        bytes_put64(to + 8 * i, bytes_get64(body.bytes + 8 * i));
    }
    bytes_put32(to + 8 * BODY_LONGS, bytes_get32(body.bytes + 8 * BODY_LONGS));
}

static bool is_body(const uint8_t *bytes)
{
    uint64_t differs =
        bytes_get32(bytes + 8 * BODY_LONGS) ^ bytes_get32(body.bytes + 8 * BODY_LONGS);

    for (size_t i = 0; i < BODY_LONGS; i++) {
        differs |= bytes_get64(bytes + 8 * i) ^ bytes_get64(body.bytes + 8 * i);
    }
    return differs == 0;
}

static void write_sector(uint64_t file, uint64_t n, uint8_t *out)
{
    bytes_put64(out + NUMBER_AT, n);
    bytes_put64(out + FILE_AT, file);
    write_body(out + BODY_AT);
    bytes_put32(out + CRC_AT, checksum(out));
}

void layout_sector(const struct layout *layout, uint64_t sector, uint8_t out[LAYOUT_SECTOR])
{
    make_body();
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_file *file = &layout->files[i];

        if (sector >= file->first && sector - file->first < file->sectors) {
            write_sector(i + 1, sector - file->first, out);
            return;
        }
    }
    memset(out, 0, LAYOUT_SECTOR);
    if (sector == 0) {
        write_directory(layout, out);
    }
}

void layout_bytes(const struct layout *layout, uint64_t offset, uint8_t *to, size_t length)
{
    while (length > 0) {
        const size_t at = offset % LAYOUT_SECTOR;
        const size_t part = length < LAYOUT_SECTOR - at ? length : LAYOUT_SECTOR - at;
        uint8_t sector[LAYOUT_SECTOR];

        layout_sector(layout, offset / LAYOUT_SECTOR, sector);
        memcpy(to, sector + at, part);
        offset += part;
        to += part;
        length -= part;
    }
}

bool layout_check(const uint8_t sector[LAYOUT_SECTOR], uint64_t file, uint64_t n)
{
    make_body();
    return bytes_get64(sector + NUMBER_AT) == n && bytes_get64(sector + FILE_AT) == file &&
           is_body(sector + BODY_AT) && bytes_get32(sector + CRC_AT) == checksum(sector);
}

/* ---- reading a directory ---- */

/* Returns true if the name is printable and filled up with zeroes. */
static bool name_is_good(const uint8_t *name)
{
    size_t length = 0;

    while (length < LAYOUT_NAME_MAX && name[length] > ' ' && name[length] < 0x7f) {
        length++;
    }
    if (length == 0 || length == LAYOUT_NAME_MAX) {
        return false;
    }
    for (size_t i = length; i < LAYOUT_NAME_MAX; i++) {
        if (name[i] != 0) {
            return false;
        }
    }
    return true;
}

static const char *read_file(struct layout *layout, const uint8_t *at)
{
    const struct layout_file *before = layout->count > 0 ? &layout->files[layout->count - 1] : NULL;
    const uint64_t free_from = before != NULL ? before->first + before->sectors : LAYOUT_ALIGN;
    struct layout_file *file = &layout->files[layout->count];

    if (!name_is_good(at)) {
        return "the directory has a file without a valid name";
    }
    memcpy(file->name, at, LAYOUT_NAME_MAX);
    file->first = bytes_get64(at + LAYOUT_NAME_MAX);
    file->sectors = bytes_get64(at + LAYOUT_NAME_MAX + 8);
    if (layout_find(layout, file->name) != NULL) {
        return "two files in the directory have the same name";
    }
    if (file->first % LAYOUT_ALIGN != 0 || file->sectors % LAYOUT_ALIGN != 0 ||
        file->sectors == 0) {
        return "a file in the directory does not consist of whole blocks of 4 KiB";
    }
    if (file->first < free_from || file->first > layout->sectors ||
        file->sectors > layout->sectors - file->first) {
        return "a file in the directory overlaps another one or lies outside the partition";
    }
    layout->count++;
    return NULL;
}

const char *layout_read(const uint8_t directory[LAYOUT_SECTOR], uint64_t sectors,
                        struct layout *layout)
{
    const uint32_t count = bytes_get32(directory + COUNT_AT);
    const char *wrong = NULL;

    make_body();
    memset(layout, 0, sizeof(*layout));
    if (memcmp(directory, MAGIC, strlen(MAGIC)) != 0) {
        return "the partition has no directory";
    }
    if (bytes_get32(directory + CRC_AT) != crc32c(0, directory, CRC_AT)) {
        return "the directory's checksum is wrong";
    }
    if (bytes_get32(directory + 8) != VERSION) {
        return "the directory has an unknown version";
    }
    layout->sectors = bytes_get64(directory + SECTORS_AT);
    if (layout->sectors > sectors) {
        return "the directory describes more sectors than the partition has";
    }
    if (count == 0 || count > LAYOUT_FILES_MAX) {
        return "the directory has no file, or more than 15";
    }
    for (uint32_t i = 0; i < count && wrong == NULL; i++) {
        wrong = read_file(layout, directory + FILES_AT + (size_t)i * FILE_BYTES);
    }
    return wrong;
}

const struct layout_file *layout_find(const struct layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->files[i].name, name) == 0) {
            return &layout->files[i];
        }
    }
    return NULL;
}

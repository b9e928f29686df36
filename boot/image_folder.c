/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/image_folder.h"
#include "kernel/plan/bytes.h"

#include <stdbool.h>

#define HEADER_SIZE  4u
#define TYPE_MEDIA   4u
#define TYPE_END     0x7fu
#define SUBTYPE_FILE 4u
#define CLOSING_ZERO 1u

/* State of reading the path. Names come one after the other, and the last one is the image's own.
 * So each name is kept in folder[closed..length) and becomes part of the folder only when another
 * follows. */
struct walk {
    uint16_t *folder;
    /* length of the path, in UTF-16 code units, up to and including the last backslash */
    size_t closed;
    /* length of the path so far, in code units, including the name that is being read */
    size_t length;
    bool has_file; /* a file node was found */
    bool too_long;
};

static void put(struct walk *walk, uint16_t unit)
{
    if (walk->length + CLOSING_ZERO >= IMAGE_FOLDER_MAX) {
        walk->too_long = true;
        return;
    }
    walk->folder[walk->length++] = unit;
}

/* Returns whether the current name consists of `dots` dots and nothing else. */
static bool name_is_dots(const struct walk *walk, size_t dots)
{
    bool same = walk->length - walk->closed == dots;

    for (size_t i = walk->closed; same && i < walk->length; i++) {
        same = walk->folder[i] == '.';
    }
    return same;
}

/* Removes the last folder, but not the root. Afterwards `length` and `closed` are both just after a
 * backslash. */
static void leave_folder(struct walk *walk)
{
    walk->length = walk->closed;
    if (walk->length > 1) {
        walk->length--;
    }
    while (walk->folder[walk->length - 1] != '\\') {
        walk->length--;
    }
    walk->closed = walk->length;
}

static void close_name(struct walk *walk)
{
    if (walk->length == walk->closed || name_is_dots(walk, 1)) {
        walk->length = walk->closed;
    } else if (name_is_dots(walk, 2)) {
        leave_folder(walk);
    } else {
        put(walk, '\\');
        walk->closed = walk->length;
    }
}

static void read_name(struct walk *walk, const uint8_t *text, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes && !walk->too_long; i += 2) {
        const uint16_t unit = bytes_get16(text + i);

        if (unit == 0) {
            return;
        }
        if (unit == '\\' || unit == '/') {
            close_name(walk);
        } else {
            put(walk, unit);
        }
    }
}

/* Reads all nodes. Returns false if the path is damaged. */
static bool read_nodes(struct walk *walk, const uint8_t *path, size_t size)
{
    size_t at = 0;

    while (size - at >= HEADER_SIZE && path[at] != TYPE_END) {
        const size_t length = bytes_get16(path + at + 2);

        if (length < HEADER_SIZE || length > size - at) {
            return false;
        }
        if (path[at] == TYPE_MEDIA && path[at + 1] == SUBTYPE_FILE) {
            close_name(walk);
            read_name(walk, path + at + HEADER_SIZE, length - HEADER_SIZE);
            walk->has_file = true;
        }
        at += length;
    }
    return size - at >= HEADER_SIZE;
}

size_t image_folder(const void *device_path, size_t size, uint16_t folder[IMAGE_FOLDER_MAX])
{
    struct walk walk = {.folder = folder, .closed = 1, .length = 1};

    folder[0] = '\\';
    const bool good = device_path != NULL && read_nodes(&walk, device_path, size) &&
                      walk.has_file && !walk.too_long;
    const size_t length = good ? walk.closed : 0;

    folder[length] = 0;
    return length;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/ctf_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define PACKET_BYTES (64 * 1024)
#define PATH_BYTES   4096

/* largest size of an event's header and fields, without its texts */
#define EVENT_FIXED_MAX (13 + EXPORT_FIELDS_MAX * 8)

#define MAGIC           0xc1fc1fc1u
#define STAMP_BITS      27
#define ID_BITS         5
#define ID_EXTENDED     31
#define SIGNATURE       "/* CTF 1.8 */\n"
#define SIGNATURE_TRACE "tracer_name = \"tare\";"

/* packet header and packet context of CTF */
struct __attribute__((packed)) ctf_packet {
    uint32_t magic;
    uint8_t uuid[CTF_UUID_BYTES];
    uint32_t stream_id;
    uint64_t begin, end;
    uint64_t content_bits, packet_bits;
    uint64_t sequence;
    uint64_t discarded;
    uint32_t cpu;
};

/* The packets of a processor. */
struct ctf_stream {
    FILE *file;
    char path[PATH_BYTES];
    int reason; /* errno of the first write that failed; 0: none did */
    struct ctf_packet header;
    uint64_t stamp; /* stamp of what was written last */
    size_t used;    /* bytes used of `packet`, header included */
    uint8_t *packet;
    size_t capacity;
};

struct ctf_writer {
    struct translator *translator;
    struct ctf_stream streams[RUN_PROCESSORS_MAX]; /* by slot; `file` NULL: none */
};

/* ---- metadata ---- */

static void put_uuid(FILE *out, const uint8_t uuid[CTF_UUID_BYTES])
{
    for (size_t i = 0; i < CTF_UUID_BYTES; i++) {
        fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    }
}

/* Writes a string literal. */
static void put_literal(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
    }
    fputc('"', out);
}

static void put_preamble(FILE *out, const struct ctf_settings *settings)
{
    fputs(SIGNATURE "\n"
                    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
                    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
                    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
                    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
                    "\n"
                    "trace {\n"
                    "    major = 1;\n"
                    "    minor = 8;\n"
                    "    uuid = \"",
          out);
    put_uuid(out, settings->trace_uuid);
    fputs("\";\n"
          "    byte_order = le;\n"
          "    packet.header := struct {\n"
          "        uint32_t magic;\n"
          "        uint8_t uuid[16];\n"
          "        uint32_t stream_id;\n"
          "    };\n"
          "};\n"
          "\n",
          out);
}

static void put_environment(FILE *out, const struct ctf_settings *settings)
{
    /* Some readers look for the version in exactly this spelling, blanks included. */
    fputs("env {\n"
          "    domain = \"kernel\";\n"
          "    " SIGNATURE_TRACE "\n"
          "    tracer_major = 2;\n"
          "    tracer_minor = 13;\n"
          "    tracer_patchlevel = 0;\n",
          out);
    for (size_t i = 0; i < settings->environment_count; i++) {
        fprintf(out, "    %s = ", settings->environment[i].key);
        put_literal(out, settings->environment[i].value);
        fputs(";\n", out);
    }
    fputs("};\n\n", out);
}

static void put_clock(FILE *out, const struct ctf_settings *settings)
{
    fputs("clock {\n"
          "    name = \"tsc\";\n"
          "    uuid = \"",
          out);
    put_uuid(out, settings->clock_uuid);
    fprintf(out,
            "\";\n"
            "    description = \"time-stamp counter\";\n"
            "    freq = %" PRIu64 ";\n"
            "    offset = 0;\n"
            "};\n"
            "\n",
            settings->hz);
    fputs("typealias integer {\n"
          "    size = 27; align = 1; signed = false; map = clock.tsc.value;\n"
          "} := uint27_tsc_t;\n"
          "typealias integer {\n"
          "    size = 64; align = 8; signed = false; map = clock.tsc.value;\n"
          "} := uint64_tsc_t;\n"
          "\n",
          out);
}

static void put_stream(FILE *out)
{
    fputs("struct packet_context {\n"
          "    uint64_tsc_t timestamp_begin;\n"
          "    uint64_tsc_t timestamp_end;\n"
          "    uint64_t content_size;\n"
          "    uint64_t packet_size;\n"
          "    uint64_t packet_seq_num;\n"
          "    uint64_t events_discarded;\n"
          "    uint32_t cpu_id;\n"
          "};\n"
          "\n"
          "struct event_header {\n"
          "    enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
          "    variant <id> {\n"
          "        struct {\n"
          "            uint27_tsc_t timestamp;\n"
          "        } compact;\n"
          "        struct {\n"
          "            uint32_t id;\n"
          "            uint64_tsc_t timestamp;\n"
          "        } extended;\n"
          "    } v;\n"
          "} align(8);\n"
          "\n"
          "stream {\n"
          "    id = 0;\n"
          "    event.header := struct event_header;\n"
          "    packet.context := struct packet_context;\n"
          "};\n"
          "\n",
          out);
}

static void put_integer(FILE *out, const struct export_field *field)
{
    fprintf(out, "integer { size = %d; align = 8; signed = %s;%s }", field->bytes * 8,
            field->type == EXPORT_SIGNED ? "true" : "false",
            field->type == EXPORT_HEX ? " base = x;" : "");
}

/* Returns the label of the lowest value from `from` on, or NULL if there is none. */
static const struct export_label *next_label(const struct export_field *field, uint64_t from)
{
    const struct export_label *lowest = NULL;

    for (size_t i = 0; i < field->labels->count; i++) {
        const struct export_label *label = &field->labels->item[i];

        if (label->value >= from && export_label_fits(field, label) &&
            (lowest == NULL || label->value < lowest->value)) {
            lowest = label;
        }
    }
    return lowest;
}

/* Writes a label for each value of the field, because babeltrace 1 warns about values that have
 * none. */
static void put_labels(FILE *out, const struct export_field *field)
{
    const uint64_t limit = UINT64_MAX >> (64 - field->bytes * 8);
    const struct export_label *label;
    const char *separator = "{";
    uint64_t from = 0;

    while ((label = next_label(field, from)) != NULL) {
        if (label->value > from) {
            fprintf(out, "%s\n            \"%s\" = %" PRIu64 " ... %" PRIu64, separator,
                    EXPORT_UNNAMED, from, label->value - 1);
            separator = ",";
        }
        fprintf(out, "%s\n            ", separator);
        put_literal(out, label->name);
        fprintf(out, " = %" PRIu64, label->value);
        separator = ",";
        if (label->value == limit) {
            fputs("\n        }", out);
            return;
        }
        from = label->value + 1;
    }
    fprintf(out, ",\n            \"%s\" = %" PRIu64 " ... %" PRIu64 "\n        }", EXPORT_UNNAMED,
            from, limit);
}

static void put_class(FILE *out, size_t id, const struct export_class *class)
{
    fputs("event {\n    name = ", out);
    put_literal(out, class->name);
    fprintf(out, ";\n    id = %zu;\n    stream_id = 0;\n    fields := struct {\n", id);
    for (size_t i = 0; i < class->field_count; i++) {
        const struct export_field *field = &class->field[i];

        fputs("        ", out);
        if (field->type == EXPORT_TEXT) {
            fputs("string { encoding = ASCII; }", out);
        } else if (field->type == EXPORT_NAMED) {
            fputs("enum : ", out);
            put_integer(out, field);
            fputc(' ', out);
            put_labels(out, field);
        } else {
            put_integer(out, field);
        }
        /* Readers drop one leading underscore; with it, no field is a keyword of the language. */
        fprintf(out, " _%s;\n", field->name);
    }
    fputs("    };\n};\n\n", out);
}

static bool write_metadata(const struct ctf_settings *settings, const struct translator *translator,
                           const char *path)
{
    FILE *out = fopen(path, "w");

    if (out == NULL) {
        return false;
    }
    put_preamble(out, settings);
    put_environment(out, settings);
    put_clock(out, settings);
    put_stream(out);
    for (size_t i = 0; i < translator_class_count(translator); i++) {
        put_class(out, i, translator_class(translator, i));
    }
    const bool written = ferror(out) == 0;

    return fclose(out) == 0 && written;
}

bool ctf_is_own_metadata(const char *path)
{
    char text[2048];
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return false;
    }
    const size_t length = fread(text, 1, sizeof(text) - 1, file);

    fclose(file);
    text[length] = '\0';
    return strncmp(text, SIGNATURE, strlen(SIGNATURE)) == 0 &&
           strstr(text, SIGNATURE_TRACE) != NULL;
}

/* ---- packets ---- */

static void write_packet(struct ctf_stream *stream, uint64_t begin, uint64_t end)
{
    stream->header.begin = begin;
    stream->header.end = end;
    stream->header.content_bits = stream->used * 8;
    stream->header.packet_bits = stream->used * 8;
    memcpy(stream->packet, &stream->header, sizeof(stream->header));
    if (fwrite(stream->packet, 1, stream->used, stream->file) != stream->used &&
        stream->reason == 0) {
        stream->reason = errno;
    }
    stream->header.sequence++;
    stream->used = sizeof(stream->header);
}

static bool is_empty(const struct ctf_stream *stream)
{
    return stream->used <= sizeof(stream->header);
}

/* Writes the open packet if it has any event. */
static void close_packet(struct ctf_stream *stream, uint64_t end)
{
    if (!is_empty(stream)) {
        write_packet(stream, stream->header.begin, end);
    }
}

void ctf_lost(struct ctf_writer *writer, const struct trace_gap *gap)
{
    struct ctf_stream *stream = &writer->streams[EXPORT_SLOT(gap->cpu)];

    translator_lost(writer->translator, gap->cpu);
    close_packet(stream, stream->stamp);
    stream->header.sequence += gap->packets;
    stream->header.discarded += gap->discarded;
    stream->stamp = gap->to;
    write_packet(stream, gap->to, gap->to);
}

void ctf_end(struct ctf_writer *writer, uint64_t end)
{
    for (uint32_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        translator_lost(writer->translator, i);
        close_packet(&writer->streams[i], end);
        writer->streams[i].stamp = end;
    }
}

/* ---- events ---- */

static size_t text_bytes(const struct ctf_writer *writer, const struct export_class *class,
                         const struct export_event *event)
{
    size_t bytes = 0;

    for (size_t i = 0; i < class->field_count; i++) {
        if (class->field[i].type == EXPORT_TEXT) {
            bytes += strlen(translator_text(writer->translator, event->value[i])) + 1;
        }
    }
    return bytes;
}

static uint8_t *put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
    return at + bytes;
}

static uint8_t *put_header(uint8_t *at, uint64_t id, uint64_t stamp, uint64_t before)
{
    if (id < ID_EXTENDED && stamp - before < UINT64_C(1) << STAMP_BITS) {
        return put_number(at, id | stamp << ID_BITS, 4);
    }
    at = put_number(at, ID_EXTENDED, 1);
    at = put_number(at, id, 4);
    return put_number(at, stamp, 8);
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
    const size_t size = strlen(text) + 1;

    memcpy(at, text, size);
    return at + size;
}

/* Makes room for an event in the open packet; if it does not fit, closes that packet. */
static void make_room(struct ctf_stream *stream, size_t bytes, uint64_t stamp)
{
    if (stream->used + bytes > PACKET_BYTES) {
        close_packet(stream, stream->stamp);
    }
    if (stream->used + bytes > stream->capacity) {
        stream->packet = alloc_grow(stream->packet, &stream->capacity, stream->used + bytes, 1);
    }
    if (is_empty(stream)) {
        stream->header.begin = stamp;
        stream->stamp = stamp;
    }
}

void ctf_event(struct ctf_writer *writer, const struct trace_event *event)
{
    struct ctf_stream *stream = &writer->streams[EXPORT_SLOT(event->cpu)];
    struct export_event exported;

    translator_event(writer->translator, event, &exported);
    const struct export_class *class = translator_class(writer->translator, exported.class_index);

    make_room(stream, EVENT_FIXED_MAX + text_bytes(writer, class, &exported), event->tsc);
    uint8_t *at =
        put_header(stream->packet + stream->used, exported.class_index, event->tsc, stream->stamp);

    for (size_t i = 0; i < class->field_count; i++) {
        at = class->field[i].type == EXPORT_TEXT
                 ? put_text(at, translator_text(writer->translator, exported.value[i]))
                 : put_number(at, exported.value[i], class->field[i].bytes);
    }
    stream->used = (size_t)(at - stream->packet);
    stream->stamp = event->tsc;
}

/* ---- beginning and end ---- */

static bool open_stream(struct ctf_stream *stream, const struct ctf_settings *settings,
                        uint32_t cpu, char error[CTF_ERROR_MAX])
{
    snprintf(stream->path, sizeof(stream->path), "%s/" CTF_STREAM_PREFIX "%u", settings->directory,
             cpu);
    stream->file = fopen(stream->path, "wb");
    if (stream->file == NULL) {
        snprintf(error, CTF_ERROR_MAX, "cannot write %.400s: %s", stream->path, strerror(errno));
        return false;
    }
    stream->packet = alloc_grow(NULL, &stream->capacity, PACKET_BYTES, 1);
    stream->used = sizeof(stream->header);
    stream->stamp = settings->begin;
    stream->header.magic = MAGIC;
    memcpy(stream->header.uuid, settings->trace_uuid, CTF_UUID_BYTES);
    stream->header.cpu = cpu;
    write_packet(stream, settings->begin, settings->begin);
    return true;
}

static bool open_files(struct ctf_writer *writer, const struct ctf_settings *settings,
                       char error[CTF_ERROR_MAX])
{
    const uint64_t slots = export_processors(settings->bench);
    char path[PATH_BYTES];
    bool good = true;

    if ((size_t)snprintf(path, sizeof(path), "%s/metadata", settings->directory) >=
        sizeof(path) - sizeof(CTF_STREAM_PREFIX)) {
        snprintf(error, CTF_ERROR_MAX, "%.200s...: the name is too long", settings->directory);
        return false;
    }
    if (!write_metadata(settings, writer->translator, path)) {
        snprintf(error, CTF_ERROR_MAX, "cannot write %.400s: %s", path, strerror(errno));
        return false;
    }
    for (uint32_t slot = 0; slot < RUN_PROCESSORS_MAX && good; slot++) {
        if ((slots >> slot & 1) != 0) {
            good = open_stream(&writer->streams[slot], settings, slot, error);
        }
    }
    return good;
}

/* Closes the files. Returns false, with a line in `error`, if something could not be written. */
static bool close_files(struct ctf_writer *writer, char error[CTF_ERROR_MAX])
{
    bool written = true;

    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        struct ctf_stream *stream = &writer->streams[i];

        if (stream->file != NULL && fclose(stream->file) != 0 && stream->reason == 0) {
            stream->reason = errno;
        }
        if (stream->reason != 0 && written) {
            snprintf(error, CTF_ERROR_MAX, "cannot write %.400s: %s", stream->path,
                     strerror(stream->reason));
            written = false;
        }
        free(stream->packet);
    }
    free(writer);
    return written;
}

struct ctf_writer *ctf_open(const struct ctf_settings *settings, struct translator *translator,
                            char error[CTF_ERROR_MAX])
{
    struct ctf_writer *writer = alloc_zeroed(sizeof(*writer));
    char ignored[CTF_ERROR_MAX];

    writer->translator = translator;
    if (!open_files(writer, settings, error)) {
        close_files(writer, ignored);
        return NULL;
    }
    return writer;
}

bool ctf_close(struct ctf_writer *writer, char error[CTF_ERROR_MAX])
{
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        close_packet(&writer->streams[i], writer->streams[i].stamp);
    }
    return close_files(writer, error);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/pmu/event.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "kernel/pmu/event_tables.h"
#include "kernel/pmu/names.h"

#define SELECT_MAX 0xfff
#define BYTE_MAX   0xff
#define NUMBER_MAX 31 /* characters of a number in a raw code */

#define RAW_FORM "EVENT:UMASK, then :cmask=N, :edge, :inv"

static const char *const names[EVENT_COUNT] = {
    [EVENT_CYCLES] = COUNT_CYCLES,
    [EVENT_REF_CYCLES] = COUNT_REF_CYCLES,
    [EVENT_INSTRUCTIONS] = COUNT_INSTRUCTIONS,
    [EVENT_LOADS] = COUNT_LOADS,
    [EVENT_STORES] = COUNT_STORES,
    [EVENT_ITLB_MISSES] = COUNT_ITLB_MISSES,
    [EVENT_DTLB_MISSES] = COUNT_DTLB_MISSES,
    [EVENT_INTERRUPTS] = COUNT_INTERRUPTS,
    [EVENT_SEGMENT_LOADS] = COUNT_SEGMENT_LOADS,
    [EVENT_MISALIGNED] = COUNT_MISALIGNED,
    [EVENT_BRANCHES] = COUNT_BRANCHES,
    [EVENT_MISPREDICTS] = COUNT_MISPREDICTS,
    [EVENT_L1D_MISSES] = COUNT_L1D_MISSES,
    [EVENT_LLC_MISSES] = COUNT_LLC_MISSES,
    [EVENT_SMI] = COUNT_SMI,
};

const char *event_name(enum portable_event event)
{
    return names[event];
}

bool event_by_name(const char *name, enum portable_event *event)
{
    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *event = (enum portable_event)i;
            return true;
        }
    }
    return false;
}

const struct event_table *event_table_at(size_t index)
{
    for (size_t i = 0; event_tables[i] != NULL; i++) {
        if (i == index) {
            return event_tables[i];
        }
    }
    return NULL;
}

const struct event_table *event_table_named(const char *name)
{
    for (size_t i = 0; event_tables[i] != NULL; i++) {
        if (strcmp(event_tables[i]->name, name) == 0) {
            return event_tables[i];
        }
    }
    return NULL;
}

static enum event_vendor vendor_of(const struct cpu_identity *identity)
{
    if (strcmp(identity->vendor, "GenuineIntel") == 0) {
        return VENDOR_INTEL;
    }
    return strcmp(identity->vendor, "AuthenticAMD") == 0 ? VENDOR_AMD : VENDOR_NONE;
}

const struct event_table *event_table_for(const struct cpu_identity *identity, bool efficient_core)
{
    const enum event_vendor vendor = vendor_of(identity);

    for (const struct event_models *models = event_models;
         models->vendor != VENDOR_NONE && !efficient_core; models++) {
        if (models->vendor == vendor && models->family == identity->family &&
            models->first <= identity->model && identity->model <= models->last) {
            return models->table;
        }
    }
    if (vendor == VENDOR_INTEL) {
        return &event_table_architectural;
    }
    return vendor == VENDOR_AMD ? &event_table_amd : &event_table_none;
}

static const struct {
    uint8_t select, umask;
} architectural[] = {
    {0x3c, 0x00}, {0xc0, 0x00}, {0x3c, 0x01}, {0x2e, 0x4f},
    {0x2e, 0x41}, {0xc4, 0x00}, {0xc5, 0x00},
};

int event_architectural_bit(const struct event_code *code)
{
    if (code->cmask != 0 || code->edge || code->invert) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++) {
        if (code->select == architectural[i].select && code->umask == architectural[i].umask) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- the plan's list ---- */

/* The entry being read, and where to write an error about it. */
struct reader {
    const char *entry;
    size_t length;
    char *error;
};

static bool refuse(const struct reader *reader, const char *why)
{
    snprintf(reader->error, EVENT_ERROR_MAX, "\"%.*s\": %s",
             (int)(reader->length < EVENT_NAME_MAX ? reader->length : EVENT_NAME_MAX),
             reader->entry, why);
    return false;
}

static bool refuse_unknown(const struct reader *reader)
{
    int used = snprintf(
        reader->error, EVENT_ERROR_MAX, "\"%.*s\" is not a portable name; these are:",
        (int)(reader->length < EVENT_NAME_MAX ? reader->length : EVENT_NAME_MAX), reader->entry);

    for (unsigned i = 0; i < EVENT_COUNT; i++) {
        used += snprintf(reader->error + used, EVENT_ERROR_MAX - (size_t)used, " %s", names[i]);
    }
    snprintf(reader->error + used, EVENT_ERROR_MAX - (size_t)used, "; or a raw code %s", RAW_FORM);
    return false;
}

static bool is_label_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_.+-", c) != NULL);
}

/* Reads `length` characters as a number of at most `most`. */
static bool read_number(const char *text, size_t length, uint64_t most, uint64_t *value)
{
    char number[NUMBER_MAX + 1];

    if (length > NUMBER_MAX) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    return parse_unsigned(number, value) && *value <= most;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static bool read_modifier(const struct reader *reader, const char *text, size_t length,
                          struct event_code *code)
{
    static const char cmask[] = "cmask=";
    const size_t prefix = sizeof(cmask) - 1;
    uint64_t value;

    if (is_word(text, length, "edge") && !code->edge) {
        code->edge = true;
        return true;
    }
    if (is_word(text, length, "inv") && !code->invert) {
        code->invert = true;
        return true;
    }
    if (length > prefix && memcmp(text, cmask, prefix) == 0 && code->cmask == 0) {
        if (!read_number(text + prefix, length - prefix, BYTE_MAX, &value) || value == 0) {
            return refuse(reader, "cmask must be a number from 1 to 0xff");
        }
        code->cmask = (uint8_t)value;
        return true;
    }
    return refuse(reader, "a raw code has the form " RAW_FORM ", each once");
}

/* Reads the raw code that starts at `text` and ends with the entry. */
static bool read_raw(const struct reader *reader, const char *text, struct event_code *code)
{
    const char *end = reader->entry + reader->length;
    const char *colon = memchr(text, ':', (size_t)(end - text));
    uint64_t value;

    *code = (struct event_code){0};
    if (colon == NULL) {
        return refuse(reader, "a raw code has the form " RAW_FORM);
    }
    if (!read_number(text, (size_t)(colon - text), SELECT_MAX, &value)) {
        return refuse(reader, "EVENT must be a number from 0 to 0xfff");
    }
    code->select = (uint16_t)value;
    for (bool first = true; colon != NULL; first = false) {
        text = colon + 1;
        colon = memchr(text, ':', (size_t)(end - text));
        const size_t length = (size_t)((colon != NULL ? colon : end) - text);

        if (!first) {
            if (!read_modifier(reader, text, length, code)) {
                return false;
            }
        } else if (read_number(text, length, BYTE_MAX, &value)) {
            code->umask = (uint8_t)value;
        } else {
            return refuse(reader, "UMASK must be a number from 0 to 0xff");
        }
    }
    return true;
}

static bool read_entry(const struct reader *reader, struct event_request *request)
{
    const char *at = memchr(reader->entry, '@', reader->length);
    const size_t name_length = at != NULL ? (size_t)(at - reader->entry) : reader->length;

    *request = (struct event_request){0};
    if (name_length == 0) {
        return refuse(reader, reader->length == 0 ? "an empty entry" : "an empty label");
    }
    if (name_length > EVENT_NAME_MAX) {
        return refuse(reader, "the name is longer than 47 characters");
    }
    memcpy(request->name, reader->entry, name_length);
    if (at == NULL && event_by_name(request->name, &request->event)) {
        return true;
    }
    if (at == NULL && memchr(reader->entry, ':', reader->length) == NULL) {
        return refuse_unknown(reader);
    }
    for (size_t i = 0; at != NULL && i < name_length; i++) {
        if (!is_label_character(reader->entry[i])) {
            return refuse(reader, "a label has only letters, digits and _.+-");
        }
    }
    request->raw = true;
    return read_raw(reader, at != NULL ? at + 1 : reader->entry, &request->code);
}

static bool is_repeated(const struct event_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(requests[i].name, requests[count].name) == 0) {
            return true;
        }
    }
    return false;
}

bool event_list_parse(const char *list, struct event_request requests[EVENT_REQUESTS_MAX],
                      size_t *count, char error[EVENT_ERROR_MAX])
{
    struct reader reader = {.entry = list, .error = error};

    for (*count = 0;; (*count)++) {
        reader.length = strcspn(reader.entry, ",");
        if (*count == EVENT_REQUESTS_MAX) {
            return refuse(&reader, "expected at most 32 events");
        }
        if (!read_entry(&reader, &requests[*count])) {
            return false;
        }
        if (is_repeated(requests, *count)) {
            return refuse(&reader, "the same name twice");
        }
        if (reader.entry[reader.length] == '\0') {
            (*count)++;
            return true;
        }
        reader.entry += reader.length + 1;
    }
}

const char *event_code_text(const struct event_code *code, char text[EVENT_CODE_TEXT_MAX])
{
    char cmask[sizeof(":cmask=255")] = "";

    if (code->cmask != 0) {
        snprintf(cmask, sizeof(cmask), ":cmask=%u", (unsigned)code->cmask);
    }
    snprintf(text, EVENT_CODE_TEXT_MAX, "0x%02x:0x%02x%s%s%s", (unsigned)code->select,
             (unsigned)code->umask, cmask, code->edge ? ":edge" : "", code->invert ? ":inv" : "");
    return text;
}

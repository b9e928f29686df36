/* SPDX-License-Identifier: BSD-2-Clause */
/* A value in another form than dmidecode's stays what zero stands for: not stated. */
#include "tools/tests/field/dmi_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/base/alloc.h"

#define MEMORY_DEVICE    17
#define CONFIGURED       0x20 /* the field at which older structures end */
#define ENDS             2    /* NULs of a structure without strings */
#define EXTENDED_SIZE    0x7fffu
#define INTEL_PERSISTENT 7 /* which had two names */
#define UNKNOWN          0xffffu
#define SIZE_IN_KIB      0x8000u

/* The place of a name in a list of such, from 1 on, which is its value in tables 77 and 79; 0: it
 * is none of them. */
static uint8_t place_of(const char *value, const char *names)
{
    const size_t length = strlen(value);
    uint8_t place = 1;

    for (const char *at = names; *at != '\0'; place++) {
        const size_t name = strcspn(at, "|");

        if (name == length && strncmp(at, value, name) == 0) {
            return place;
        }
        at += name + (at[name] == '|' ? 1 : 0);
    }
    return 0;
}

static const char types[] =
    "Other|Unknown|DRAM|EDRAM|VRAM|SRAM|RAM|ROM|Flash|EEPROM|FEPROM|EPROM|CDRAM|3DRAM|SDRAM|SGRAM|"
    "RDRAM|DDR|DDR2|DDR2 FB-DIMM|Reserved|-|-|DDR3|FBD2|DDR4|LPDDR|LPDDR2|LPDDR3|LPDDR4|"
    "Logical non-volatile device|HBM|HBM2|DDR5|LPDDR5|HBM3";

static const char technologies[] = "Other|Unknown|DRAM|NVDIMM-N|NVDIMM-F|NVDIMM-P";

/* "4096 MB", "16 GB", "No Module Installed". */
static void put_size(uint8_t *structure, const char *value)
{
    uint64_t number;
    char unit[3] = "";

    if (sscanf(value, "%" SCNu64 " %2[kMGT]", &number, unit) != 2 || number >= 1u << 20) {
        bytes_put(structure + 0x0c, strcmp(value, "Unknown") == 0 ? UNKNOWN : 0, 2);
        return;
    }
    if (unit[0] == 'k') {
        bytes_put(structure + 0x0c, number | SIZE_IN_KIB, 2);
        return;
    }
    const uint64_t mib = unit[0] == 'G' ? number << 10 : unit[0] == 'T' ? number << 20 : number;

    bytes_put(structure + 0x0c, mib < EXTENDED_SIZE ? mib : EXTENDED_SIZE, 2);
    bytes_put(structure + 0x1c, mib, 4);
}

/* "2400 MT/s", or, as older ones print it, "2400 MHz (0.4 ns)". */
static void put_speed(uint8_t *structure, size_t at, const char *value)
{
    const unsigned long speed = strtoul(value, NULL, 10);

    bytes_put(structure + at, speed < UNKNOWN ? speed : 0, 2);
}

/* What was its string becomes fields. */
static void make_longer(uint8_t *structure)
{
    structure[1] = DMI_TEXT_BYTES - ENDS;
    memset(structure + CONFIGURED, 0, DMI_TEXT_BYTES - ENDS - CONFIGURED);
}

static void put_field(uint8_t *structure, const char *name, const char *value)
{
    if (strcmp(name, "Total Width") == 0) {
        bytes_put(structure + 0x08, strtoul(value, NULL, 10), 2);
    } else if (strcmp(name, "Data Width") == 0) {
        bytes_put(structure + 0x0a, strtoul(value, NULL, 10), 2);
    } else if (strcmp(name, "Size") == 0) {
        put_size(structure, value);
    } else if (strcmp(name, "Type") == 0) {
        structure[0x12] = place_of(value, types);
    } else if (strcmp(name, "Speed") == 0) {
        put_speed(structure, 0x15, value);
    } else if (strncmp(name, "Configured ", 11) == 0 && strstr(name, "Speed") != NULL) {
        make_longer(structure);
        put_speed(structure, 0x20, value);
    } else if (strcmp(name, "Memory Technology") == 0) {
        structure[0x28] = strstr(value, "persistent memory") != NULL
                              ? INTEL_PERSISTENT
                              : place_of(value, technologies);
    }
}

static uint8_t *last_of(const struct dmi_text *text)
{
    return text->structures + (text->count - 1) * DMI_TEXT_BYTES;
}

bool dmi_text_line(struct dmi_text *text, const char *line)
{
    char name[32];
    char value[64];

    if (strcmp(line, "Memory Device") == 0) {
        text->structures =
            alloc_append(text->structures, &text->count, &text->capacity, DMI_TEXT_BYTES);
        last_of(text)[0] = MEMORY_DEVICE;
        last_of(text)[1] = CONFIGURED;
        memset(last_of(text) + CONFIGURED, '-', DMI_TEXT_BYTES - ENDS - CONFIGURED);
        text->in_device = true;
        return true;
    }
    text->in_device = text->in_device && line[0] == '\t';
    if (!text->in_device || sscanf(line, " %31[^:\n]: %63[^\n]", name, value) != 2) {
        return false;
    }
    put_field(last_of(text), name, value);
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/port.h"

#include <stddef.h>
#include <string.h>

#include "kernel/plan/number.h"

#define PART_MAX         24 /* enough characters for "clock=" and any number */
#define IO_BASE_MAX      0xfff8u
#define CLOCK_HZ_MAX     1000000000u
#define PHYSICAL_ADDRESS (1ull << 52)

/* Reads the number after `prefix`. Returns false if the part does not begin with the prefix or no
 * number follows. */
static bool number_after(const char *part, const char *prefix, uint64_t *value)
{
    const size_t length = strlen(prefix);

    return strncmp(part, prefix, length) == 0 && parse_unsigned(part + length, value);
}

static bool is_width(uint64_t value, uint64_t most)
{
    return value != 0 && value <= most && (value & (value - 1)) == 0;
}

static bool parse_part(const char *part, struct port_setting *setting)
{
    uint64_t value;

    if (number_after(part, "clock=", &value)) {
        setting->clock_hz = value;
        return value != 0 && value <= CLOCK_HZ_MAX;
    }
    if (!setting->io && number_after(part, "stride=", &value) && is_width(value, 8)) {
        setting->stride = (uint8_t)value;
        return true;
    }
    if (!setting->io && number_after(part, "width=", &value) && is_width(value, 4)) {
        setting->width = (uint8_t)value;
        return true;
    }
    return false;
}

static bool parse_base(const char *part, struct port_setting *setting)
{
    if (number_after(part, "io:", &setting->base)) {
        setting->io = true;
        return setting->base != 0 && setting->base <= IO_BASE_MAX;
    }
    return number_after(part, "mmio:", &setting->base) && setting->base != 0 &&
           setting->base < PHYSICAL_ADDRESS;
}

static bool parse_parts(const char *text, struct port_setting *setting)
{
    bool is_base = true;

    for (const char *at = text; at != NULL; is_base = false) {
        char part[PART_MAX + 1];
        const char *comma = strchr(at, ',');
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);

        if (length > PART_MAX) {
            return false;
        }
        memcpy(part, at, length);
        part[length] = '\0';
        if (!(is_base ? parse_base(part, setting) : parse_part(part, setting))) {
            return false;
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

bool port_setting_parse(const char *text, struct port_setting *setting)
{
    static const struct port_setting automatic = {.automatic = true};

    *setting = automatic;
    if (strcmp(text, "auto") == 0) {
        return true;
    }
    setting->automatic = false;
    if (parse_parts(text, setting)) {
        setting->width = setting->width != 0 ? setting->width : 1;
        setting->stride = setting->stride != 0 ? setting->stride : setting->width;
        if (setting->stride >= setting->width && setting->base % setting->width == 0) {
            return true;
        }
    }
    *setting = automatic;
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/surroundings.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/names.h"
#include "tools/base/checksum.h"

#define VERSION_MAX 256

static void note_number(struct decoder *decoder, const char *key, unsigned number)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    decoder_note(decoder, key, text);
}

static void note_file(struct decoder *decoder, const char *key, const char *path)
{
    char text[SHA256_TEXT];

    if (sha256_file(path, text)) {
        decoder_note(decoder, key, text);
    }
}

/* As they were given, a blank between two. */
static void note_arguments(struct decoder *decoder, const struct qemu_machine *machine)
{
    char *text = NULL;
    size_t length;
    FILE *memory = machine->extra_count > 0 ? open_memstream(&text, &length) : NULL;

    if (memory == NULL) {
        return;
    }
    for (size_t i = 0; i < machine->extra_count; i++) {
        fprintf(memory, "%s%s", i > 0 ? " " : "", machine->extra[i]);
    }
    if (fclose(memory) == 0) {
        decoder_note(decoder, "emulator.arguments", text);
    }
    free(text);
}

bool surroundings_note(struct decoder *decoder, const struct qemu_machine *machine)
{
    static const char *const times[] = {
        [QEMU_EXACT] = TIME_EXACT, [QEMU_KVM] = "kvm", [QEMU_EMULATED] = TIME_EMULATED};
    char version[VERSION_MAX];

    const bool versioned = qemu_version(machine->program, version, sizeof(version));

    if (versioned) {
        decoder_note(decoder, "emulator", version);
    }
    decoder_note(decoder, INFO_EMULATOR_TIME, times[machine->time]);
    if (machine->time == QEMU_EXACT) {
        note_number(decoder, INFO_EMULATOR_SHIFT, machine->shift);
    }
    decoder_note(decoder, "emulator.machine", machine->type);
    note_number(decoder, "emulator.processors", machine->processors);
    note_number(decoder, "emulator.memory_mib", machine->memory_mib);
    if (machine->cpu != NULL) {
        decoder_note(decoder, "emulator.cpu", machine->cpu);
    }
    note_arguments(decoder, machine);
    note_file(decoder, "firmware.sha256", machine->firmware);
    note_file(decoder, "image.sha256", machine->image);
    return versioned;
}

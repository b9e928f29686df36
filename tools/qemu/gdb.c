/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/gdb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "kernel/plan/number.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/image_benches.h"

#define BASE_BOOT_MS 300000

/* Finds where the bench's run() begins, relative to the start of the image. */
static bool find_entry(const char *image, const char *bench, uint64_t *entry,
                       char error[QEMU_ERROR_MAX])
{
    struct image_benches benches;
    char why[IMAGE_BENCHES_ERROR_MAX];

    snprintf(error, QEMU_ERROR_MAX, "image %.200s has no bench \"%.64s\"", image, bench);
    if (!image_benches_read(&benches, NULL, image, why)) {
        snprintf(error, QEMU_ERROR_MAX, "image %.200s: %s", image, why);
    }
    *entry = 0;
    for (size_t i = 0; i < benches.count; i++) {
        if (strcmp(benches.benches[i]->name, bench) == 0) {
            *entry = benches.entries[i];
        }
    }
    image_benches_free(&benches);
    return *entry != 0;
}

/* Returns a port that is free now, or 0 with errno set. */
static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port = 0;

    if (descriptor < 0) {
        return 0;
    }
    if (bind(descriptor, (struct sockaddr *)&address, size) == 0 &&
        getsockname(descriptor, (struct sockaddr *)&address, &size) == 0) {
        port = ntohs(address.sin_port);
    }
    close(descriptor);
    return port;
}

static bool boot_for_base(const struct qemu_machine *machine, uint64_t *base,
                          char error[QEMU_ERROR_MAX])
{
    struct guest_result result = {0};
    struct run run;
    struct decoder *decoder = decoder_create();

    if (!guest_run_idle(machine, BASE_BOOT_MS, NULL, decoder, &result, error)) {
        decoder_destroy(decoder);
        return false;
    }
    run_init(&run);
    decoder_finish(decoder, &run);
    decoder_destroy(decoder);
    const char *text = run_pair_value(&run.machine, FACT_IMAGE_BASE);
    const bool found = text != NULL && parse_unsigned(text, base);

    run_free(&run);
    snprintf(error, QEMU_ERROR_MAX,
             "a first boot, without a bench, did not report " FACT_IMAGE_BASE ": %s",
             session_end_text(result.end));
    return found;
}

bool gdb_find(const struct qemu_machine *machine, const char *bench, struct gdb_stop *stop,
              char error[QEMU_ERROR_MAX])
{
    uint64_t entry;

    if (!find_entry(machine->image, bench, &entry, error)) {
        return false;
    }
    stop->port = free_port();
    if (stop->port == 0) {
        snprintf(error, QEMU_ERROR_MAX, "no free port of 127.0.0.1: %s", strerror(errno));
        return false;
    }
    const bool found = boot_for_base(machine, &stop->base, error);

    stop->address = stop->base + entry;
    return found;
}

void gdb_print(const struct gdb_stop *stop, const char *image, FILE *out)
{
    const char *dot = strrchr(image, '.');
    const int stem = (int)(dot != NULL ? (size_t)(dot - image) : strlen(image));

    fprintf(out,
            "QEMU waits. Start gdb in a second terminal, in this folder, and type:\n"
            "    target remote 127.0.0.1:%u\n"
            "    add-symbol-file %.*s.elf -o 0x%" PRIx64 "\n"
            "    hbreak *0x%" PRIx64 "\n"
            "    continue\n",
            stop->port, stem, image, stop->base, stop->address);
}

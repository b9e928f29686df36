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
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "tools/base/partial_file.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/image_benches.h"

#define BASE_BOOT_MS 300000

static const char base_plan[] = KEY_BENCH "=" PLAN_BENCH_NONE " " KEY_LINK_SERVE "=1\n";

/* Where the bench's run() begins, from the start of the image. */
static bool find_entry(const char *image, const char *bench, uint64_t *entry,
                       char error[QEMU_ERROR_MAX])
{
    struct image_benches benches;
    char why[IMAGE_BENCHES_ERROR_MAX];

    snprintf(error, QEMU_ERROR_MAX, "image %.200s has no bench \"%.64s\"", image, bench);
    if (!image_benches_read(&benches, image, why)) {
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

/* A port that is free now; 0 with errno set: none. */
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

static bool boot_for_base(const struct qemu_machine *machine, const struct temporary *folder,
                          uint64_t *base, char error[QEMU_ERROR_MAX])
{
    struct progress silent = {.quiet = true};
    struct guest_result result = {0};
    char log[TEMPORARY_PATH_MAX];
    struct run run;
    const struct guest_run boot = {.machine = machine,
                                   .plan = base_plan,
                                   .log = log,
                                   .timeout_ms = BASE_BOOT_MS,
                                   .resumes = true};
    struct decoder *decoder = decoder_create();

    temporary_name(folder, "log", log);
    snprintf(error, QEMU_ERROR_MAX, "%.300s: %s", log, strerror(errno));
    if (!temporary_write(folder, "log", "") ||
        !guest_run(&boot, decoder, &silent, &result, error)) {
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
             "a first boot, without a bench, sent no " FACT_IMAGE_BASE ": %s",
             session_end_text(result.end));
    return found;
}

bool gdb_find(const struct qemu_machine *machine, const char *bench, struct gdb_stop *stop,
              char error[QEMU_ERROR_MAX])
{
    struct temporary folder = {""};
    uint64_t entry;

    if (!find_entry(machine->image, bench, &entry, error)) {
        return false;
    }
    stop->port = free_port();
    if (stop->port == 0 || !temporary_create(&folder)) {
        snprintf(error, QEMU_ERROR_MAX, "no %s: %s",
                 stop->port == 0 ? "free port of 127.0.0.1" : "temporary folder", strerror(errno));
        return false;
    }
    const bool found = boot_for_base(machine, &folder, &stop->base, error);

    temporary_remove(&folder);
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

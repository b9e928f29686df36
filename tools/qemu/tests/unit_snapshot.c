/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots: what the key depends on and what it does not, and which machines have none. */
#include "tools/qemu/snapshot.h"

#include "tools/base/partial_file.h"
#include "tools/tests/support/unit.h"

static struct temporary folder;
static char program[TEMPORARY_PATH_MAX], firmware[TEMPORARY_PATH_MAX];
static char image[TEMPORARY_PATH_MAX], copy[TEMPORARY_PATH_MAX], other[TEMPORARY_PATH_MAX];
static struct qemu_machine machine;

static void place(const char *name, const char *text, char path[TEMPORARY_PATH_MAX])
{
    CHECK(temporary_write(&folder, name, text));
    temporary_name(&folder, name, path);
}

static const char *key_of(const struct qemu_machine *of, const struct qemu_files *files)
{
    static char keys[2][SHA256_TEXT];
    static unsigned next;
    char *key = keys[next++ % 2];

    CHECK(snapshot_key(of, files, key));
    return key;
}

static bool same_key(const struct qemu_machine *changed)
{
    const struct qemu_files files = {.plan = "p"};

    return strcmp(key_of(&machine, &files), key_of(changed, &files)) == 0;
}

static void test_same(void)
{
    const struct qemu_files a = {.plan = "a", .line = "b", .messages = "c", .qmp = "d"};
    const struct qemu_files b = {.plan = "e", .line = "f", .messages = "g"};
    const struct qemu_files own = {.plan = "a", .firmware = "own"};
    struct qemu_machine changed = machine;

    CHECK_TEXT(key_of(&machine, &a), key_of(&machine, &b));
    CHECK(strcmp(key_of(&machine, &a), key_of(&machine, &own)) != 0);
    changed.image = copy;
    changed.plugin = "p";
    CHECK(same_key(&changed));
}

static void test_other(void)
{
    static char *argument[] = {"-s"};
    struct qemu_machine changed[] = {machine, machine, machine, machine, machine,
                                     machine, machine, machine, machine};

    changed[0].image = other;
    changed[1].firmware = other;
    changed[2].program = other;
    changed[3].shift = 4;
    changed[4].memory_mib = 512;
    changed[5].cpu = "qemu64";
    changed[6].type = "pc";
    changed[7].processors = 2;
    changed[8].extra = argument;
    changed[8].extra_count = 1;
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
        CHECK(!same_key(&changed[i]));
    }
    changed[0].image = "/no/such/file";
    char key[SHA256_TEXT];

    CHECK(!snapshot_key(&changed[0], &(struct qemu_files){.plan = "p"}, key));
}

static void test_suits(void)
{
    static char *argument[] = {"-s"};
    struct qemu_machine changed[] = {machine, machine, machine, machine,
                                     machine, machine, machine, machine};
    struct qemu_machine counts = machine;
    char disk[TEMPORARY_PATH_MAX];

    place("disk.img", "opt/tare/hold", disk);
    CHECK(snapshot_suits(&machine));
    counts.plugin = "p";
    counts.network = qemu_network_find("hub");
    CHECK(snapshot_suits(&counts));
    changed[0].time = QEMU_KVM;
    changed[1].time = QEMU_EMULATED;
    changed[2].processors = 2;
    changed[3].variables = "v";
    changed[4].network = qemu_network_find("user");
    changed[5].image = disk;
    changed[6].image = other; /* cannot hold */
    changed[7].extra = argument;
    changed[7].extra_count = 1;
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
        CHECK(!snapshot_suits(&changed[i]));
    }
}

int main(void)
{
    CHECK(temporary_create(&folder));
    place("qemu", "q", program);
    place("firmware.fd", "f", firmware);
    place("image.efi", "MZ..opt/tare/hold", image);
    place("copy.efi", "MZ..opt/tare/hold", copy);
    place("other", "a longer one", other);
    machine = (struct qemu_machine){.program = program,
                                    .firmware = firmware,
                                    .image = image,
                                    .time = QEMU_EXACT,
                                    .shift = 3,
                                    .type = "q35",
                                    .processors = 1,
                                    .memory_mib = 256};
    RUN(test_same());
    RUN(test_other());
    RUN(test_suits());
    temporary_remove(&folder);
    return unit_finish("unit_snapshot");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log file (boot/log_file.c) on a volume that is full, read only, fails, or holds other logs:
 * never is one of those opened for writing, and what was not taken is written again where it was to
 * be.
 */
#include "tools/tests/support/unit.h"

#include "boot/log_file.c" /* NOLINT(bugprone-suspicious-include): the unit under test */
#include "boot/status.c"   /* NOLINT(bugprone-suspicious-include) */

#define FILES_MAX 12
#define ROOM_MAX  64

/* Of tare-NNNN.log. */
static struct {
    struct {
        bool exists;
        UINT64 size;
        EFI_STATUS error; /* of opening it */
    } files[FILES_MAX];
    bool all_exist;
    bool read_only;
    size_t room; /* bytes that the volume takes */
    unsigned opened_for_writing;
    unsigned number;  /* of the file that was last */
    UINT64 end;       /* where a handle to read is */
    UINT64 at;        /* where that to write is */
    UINT64 file_size; /* of what is written */
    char bytes[ROOM_MAX];
    unsigned flushes;
    UINTN watchdog; /* seconds, 0: off */
    UINTN watchdog_at_write;
} volume;

/* Where the volume is. */
static struct {
    ACPI_HID_DEVICE_PATH root;
    EFI_DEVICE_PATH medium;
    UINT8 of_medium[8];
    EFI_DEVICE_PATH end;
} __attribute__((packed)) path;
static bool has_path;

static EFI_FILE_PROTOCOL root_handle;
static EFI_FILE_PROTOCOL read_handle;
static EFI_FILE_PROTOCOL write_handle;

static unsigned number_in(const CHAR16 *name)
{
    unsigned number = 0;

    for (size_t i = 0; i < 4; i++) {
        number = number * 10 + (unsigned)(name[strlen(NAME_FIRST) + i] - '0');
    }
    return number;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE from, EFI_FILE_HANDLE *handle, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    const unsigned number = number_in(name);
    const unsigned i = number < FILES_MAX ? number : 0;

    CHECK(from == &root_handle && attributes == 0);
    volume.number = number;
    if (mode == EFI_FILE_MODE_READ) {
        if (volume.files[i].error != 0) {
            return volume.files[i].error;
        }
        volume.end = 0;
        *handle = &read_handle;
        return volume.files[i].exists || volume.all_exist ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    volume.opened_for_writing++;
    *handle = &write_handle;
    return volume.read_only ? EFI_WRITE_PROTECTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE handle)
{
    (void)handle;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE handle, UINT64 position)
{
    const UINT64 size =
        volume.all_exist ? 1 : volume.files[volume.number < FILES_MAX ? volume.number : 0].size;

    if (handle == &read_handle) {
        volume.end = position == UINT64_MAX ? size : position;
    } else {
        volume.at = position;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_position(EFI_FILE_HANDLE handle, UINT64 *position)
{
    CHECK(handle == &read_handle);
    *position = volume.end;
    return EFI_SUCCESS;
}

/* As much as there is room for; FAT reports less by its status, others by the size alone. */
static EFI_STATUS EFIAPI write_file(EFI_FILE_HANDLE handle, UINTN *size, void *bytes)
{
    const size_t left = volume.room - volume.at;

    CHECK(handle == &write_handle && volume.at <= volume.room);
    *size = *size < left ? *size : left;
    memcpy(volume.bytes + volume.at, bytes, *size);
    volume.at += *size;
    volume.file_size = volume.at > volume.file_size ? volume.at : volume.file_size;
    volume.watchdog_at_write = volume.watchdog;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE_HANDLE handle)
{
    CHECK(handle == &write_handle);
    volume.flushes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *interface, EFI_FILE_HANDLE *handle)
{
    (void)interface;
    *handle = &root_handle;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
    static EFI_LOADED_IMAGE loaded;
    static EFI_FILE_IO_INTERFACE file_system = {.OpenVolume = open_volume};
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;

    loaded.DeviceHandle = &volume;
    if (memcmp(guid, &path_guid, sizeof(*guid)) == 0) {
        CHECK(handle == &volume);
        *interface = &path;
        return has_path ? EFI_SUCCESS : EFI_UNSUPPORTED;
    }
    *interface = memcmp(guid, &loaded_image_guid, sizeof(*guid)) == 0 ? (void *)&loaded
                                                                      : (void *)&file_system;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    (void)code;
    (void)size;
    (void)data;
    volume.watchdog = seconds;
    return EFI_SUCCESS;
}

static void begin(void)
{
    static EFI_BOOT_SERVICES boot;
    static EFI_SYSTEM_TABLE system = {.BootServices = &boot};

    memset(&volume, 0, sizeof(volume));
    volume.room = ROOM_MAX;
    root_handle = (EFI_FILE_PROTOCOL){.Open = open_file, .Close = close_file};
    read_handle = (EFI_FILE_PROTOCOL){
        .Close = close_file, .SetPosition = set_position, .GetPosition = get_position};
    write_handle =
        (EFI_FILE_PROTOCOL){.Write = write_file, .SetPosition = set_position, .Flush = flush_file};
    boot.HandleProtocol = handle_protocol;
    boot.SetWatchdogTimer = set_watchdog;
    log_file_open(&volume, &system);
}

/* The name, or why there is none. */
static const char *created(void)
{
    const char *name = NULL;
    const char *why = log_file_create(&name);

    return why != NULL ? why : name;
}

static void put_log(unsigned number, UINT64 size)
{
    volume.files[number].exists = true;
    volume.files[number].size = size;
}

static void put_node(EFI_DEVICE_PATH *node, UINT8 type, UINT8 subtype, UINT8 length)
{
    *node = (EFI_DEVICE_PATH){.Type = type, .SubType = subtype, .Length = {length, 0}};
}

/* A disk in memory takes a log as any other does, and keeps it until the power goes. */
static void test_in_memory(void)
{
    begin();
    has_path = true;
    put_node(&path.root.Header, ACPI_DEVICE_PATH, ACPI_DP, sizeof(path.root));
    put_node(&path.medium, MEDIA_DEVICE_PATH, MEDIA_HARDDRIVE_DP,
             sizeof(path.medium) + sizeof(path.of_medium));
    put_node(&path.end, END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, sizeof(path.end));
    CHECK_TEXT(created(), "tare-0001.log");
    path.medium.SubType = MEDIA_RAM_DISK_NODE;
    CHECK_TEXT(created(), "the volume is a RAM disk: the log would be lost");
    path.medium.Type = MESSAGING_DEVICE_PATH;
    CHECK_TEXT(created(), "tare-0001.log");
    path.root.Header.Length[0] = 0; /* a path that does not go on */
    CHECK_TEXT(created(), "tare-0001.log");
    has_path = false;
}

/* The first that is free, or empty. */
static void test_names(void)
{
    begin();
    CHECK_TEXT(created(), "tare-0001.log");
    put_log(1, 5);
    put_log(2, 1);
    put_log(4, 1);
    CHECK_TEXT(created(), "tare-0003.log");
    put_log(3, 0);
    CHECK_TEXT(created(), "tare-0003.log");
    volume.all_exist = true;
    volume.opened_for_writing = 0;
    CHECK_TEXT(created(), "EFI_VOLUME_FULL: delete old tare-*.log");
    CHECK_EQUAL(volume.number, NUMBER_MAX);
    CHECK_EQUAL(volume.opened_for_writing, 0);
}

/* A log that cannot be opened now is there all the same, and is not to be written over. */
static void test_failing_medium(void)
{
    begin();
    put_log(1, 5);
    put_log(2, 5);
    volume.files[2].error = EFI_DEVICE_ERROR;
    CHECK_TEXT(created(), "EFI_DEVICE_ERROR: the drive failed");
    CHECK_EQUAL(volume.opened_for_writing, 0);
    CHECK_TEXT(log_file_append("x", 1), "there is no log file");
    begin();
    volume.read_only = true;
    CHECK_TEXT(created(), "EFI_WRITE_PROTECTED: the volume is read only");
    CHECK_TEXT(log_file_append("x", 1), "there is no log file");
    CHECK_EQUAL(volume.file_size, 0);
}

/* What a full volume took of a piece is written again, once there is room, and nothing else. */
static void test_full_volume(void)
{
    begin();
    CHECK_TEXT(created(), "tare-0001.log");
    CHECK(log_file_append("abc", 3) == NULL);
    CHECK_EQUAL(volume.watchdog_at_write, WRITE_SECONDS);
    CHECK_EQUAL(volume.watchdog, 0);
    CHECK_EQUAL(volume.flushes, 1);
    volume.room = 5;
    CHECK_TEXT(log_file_append("defg", 4), "EFI_VOLUME_FULL: delete old tare-*.log");
    CHECK_EQUAL(volume.watchdog, 0);
    CHECK_EQUAL(volume.file_size, 5);
    volume.room = ROOM_MAX;
    CHECK(log_file_append("defg", 4) == NULL);
    CHECK_EQUAL(volume.file_size, 7);
    CHECK(memcmp(volume.bytes, "abcdefg", 7) == 0);
}

int main(void)
{
    RUN(test_names());
    RUN(test_in_memory());
    RUN(test_failing_medium());
    RUN(test_full_volume());
    return unit_finish("unit_log_file");
}

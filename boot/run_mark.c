/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts runs that began and never ended. While the machine is borrowed, a reset by a watchdog or a
 * driver that hangs would start the same boot drive again, and without a limit it would do so for
 * ever.
 *
 * The count is the length of \tare-began, one byte per start. It is on the boot drive before the
 * first bench, and the file is deleted when a run comes to its end. A firmware variable is not used
 * because it would outlive the drive.
 */
#include "boot/boot.h"

/* The first start, and one more. */
#define STARTS_MAX 2

static const CHAR16 mark_name[] = L"tare-began";

/* Sets no limit if the mark cannot be written; a log cannot be written there either. */
const char *run_mark_set(void)
{
    EFI_FILE_HANDLE mark = log_file_open_other(mark_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE |
                                                              EFI_FILE_MODE_CREATE);
    UINT64 starts = 0;
    UINTN length = 1;

    if (mark == NULL) {
        return NULL;
    }
    const bool counted = !EFI_ERROR(mark->SetPosition(mark, UINT64_MAX)) &&
                         !EFI_ERROR(mark->GetPosition(mark, &starts));
    const bool enough = counted && starts >= STARTS_MAX;

    if (counted && !enough) {
        mark->Write(mark, &length, "x");
        mark->Flush(mark);
    }
    mark->Close(mark);
    return enough
               ? "two runs in a row were cut off by a reset, perhaps by a watchdog; to run again, "
                 "delete the file tare-began on this drive"
               : NULL;
}

void run_mark_clear(void)
{
    EFI_FILE_HANDLE mark = log_file_open_other(mark_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE);

    if (mark != NULL) {
        mark->Delete(mark);
    }
}

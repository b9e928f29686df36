/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as what QEMU sends on its QMP socket, cut where a byte FFh stands. What is
 * refused has a reason of one line. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/qemu/qmp.h"
#include "tools/tests/support/demand.h"

#define CUT 0xff

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool receive(struct qmp *qmp, int qemu, const uint8_t *data, size_t length)
{
    char error[QMP_ERROR_MAX] = "";

    demand(length == 0 || send(qemu, data, length, MSG_DONTWAIT) == (ssize_t)length);
    if (qmp_listen(qmp, 0, error)) {
        return true;
    }
    demand(error[0] != '\0' && memchr(error, '\0', sizeof(error)) != NULL);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct qmp qmp;
    int ends[2];
    bool good = true;

    demand(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    memset(&qmp, 0, sizeof(qmp));
    line_from_descriptor(&qmp.line, ends[0]);
    while (good && size > 0) {
        const uint8_t *cut = memchr(data, CUT, size);
        const size_t length = cut != NULL ? (size_t)(cut - data) : size;
        const size_t taken = cut != NULL ? length + 1 : length;

        good = receive(&qmp, ends[1], data, length);
        data += taken;
        size -= taken;
    }
    qmp_close(&qmp);
    close(ends[1]);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads files for an image that firmware loaded by PXE, from the same folder of the same TFTP
 * server, through firmware's PXE base code (UEFI 2.10 section 24.3). IPv6 is not supported. A
 * server without such a file rejects the request at once; how long firmware waits for a silent
 * server is up to firmware.
 */
#include "boot/boot.h"
#include "boot/dhcp_answer.h"

#include <stdio.h>
#include <string.h>

/* Reads the answer that named the boot file: from the boot server, a proxy or the DHCP server, in
 * this order. */
static bool find_answer(const EFI_PXE_BASE_CODE_MODE *mode, struct dhcp_answer *answer)
{
    const EFI_PXE_BASE_CODE_PACKET *const packets[] = {
        mode->PxeReplyReceived ? &mode->PxeReply : NULL,
        mode->ProxyOfferReceived ? &mode->ProxyOffer : NULL,
        mode->DhcpAckReceived ? &mode->DhcpAck : NULL,
    };

    for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
        if (packets[i] != NULL &&
            dhcp_answer_read(packets[i]->Raw, sizeof(packets[i]->Raw), answer)) {
            return true;
        }
    }
    return false;
}

EFI_STATUS network_read(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded, const char *name,
                        void *bytes, UINT64 *size)
{
    EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    struct dhcp_answer answer;
    char path[DHCP_FOLDER_MAX + BESIDE_NAME_MAX];
    EFI_PXE_BASE_CODE *pxe;
    EFI_IP_ADDRESS server = {0};

    if (loaded->DeviceHandle == NULL ||
        EFI_ERROR(
            system->BootServices->HandleProtocol(loaded->DeviceHandle, &pxe_guid, (void **)&pxe)) ||
        pxe->Mode == NULL || !pxe->Mode->Started || pxe->Mode->UsingIpv6 ||
        !find_answer(pxe->Mode, &answer)) {
        return EFI_NOT_FOUND;
    }
    memcpy(&server.v4, answer.server, sizeof(answer.server));
    snprintf(path, sizeof(path), "%s%s", answer.folder, name);
    return pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, bytes, FALSE, size, NULL, &server,
                      (UINT8 *)path, NULL, FALSE);
}

bool plan_from_network(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                       struct handoff *handoff)
{
    UINT64 length = PLAN_TEXT_MAX;
    const EFI_STATUS status =
        network_read(system, loaded, "tare.plan", handoff->plan_text, &length);

    if (EFI_ERROR(status) && status != EFI_BUFFER_TOO_SMALL) {
        return false;
    }
    /* Report a plan that is too long with its length, so that it is rejected and not cut off. */
    if (status == EFI_BUFFER_TOO_SMALL && length <= PLAN_TEXT_MAX) {
        length = PLAN_TEXT_MAX + 1;
    }
    handoff->plan_length = length;
    handoff->plan_source = PLAN_NETWORK;
    return true;
}

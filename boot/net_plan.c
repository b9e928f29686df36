/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the plan for an image that firmware loaded by PXE: tare.plan in the same folder of the same
 * TFTP server, through firmware's PXE base code (UEFI 2.10 section 24.3). IPv6 is not supported. A
 * server without such a file rejects the request at once; how long firmware waits for a silent
 * server is up to firmware.
 */
#include "boot/boot.h"
#include "boot/dhcp_answer.h"

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

bool plan_from_network(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                       struct handoff *handoff)
{
    EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    struct dhcp_answer answer;
    EFI_PXE_BASE_CODE *pxe;
    EFI_IP_ADDRESS server = {0};
    UINT64 length = PLAN_TEXT_MAX;

    if (loaded->DeviceHandle == NULL ||
        EFI_ERROR(
            system->BootServices->HandleProtocol(loaded->DeviceHandle, &pxe_guid, (void **)&pxe)) ||
        pxe->Mode == NULL || !pxe->Mode->Started || pxe->Mode->UsingIpv6 ||
        !find_answer(pxe->Mode, &answer)) {
        return false;
    }
    memcpy(&server.v4, answer.server, sizeof(answer.server));
    const EFI_STATUS status =
        pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, handoff->plan_text, FALSE, &length, NULL,
                   &server, (UINT8 *)answer.plan, NULL, FALSE);

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

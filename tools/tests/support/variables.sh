# SPDX-License-Identifier: BSD-2-Clause
#
# Sourced by tests that write firmware variables to a copy of OVMF's empty variable store, in the
# layout of the firmware.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # of those who source this

# little NUMBER BYTES: writes the number as BYTES bytes, the least significant first.
little() {
    little_rest=$1
    little_count=$2
    while [ "$little_count" -gt 0 ]; do
        # shellcheck disable=SC2059 # an octal escape
        printf "\\$(printf %03o $((little_rest & 255)))"
        little_rest=$((little_rest >> 8))
        little_count=$((little_count - 1))
    done
}

# guid TEXT: writes its 16 bytes as UEFI stores them (UEFI 2.10 appendix A).
guid() {
    guid_rest=$1
    for guid_size in 4 2 2; do
        little $((0x${guid_rest%%-*})) $guid_size
        guid_rest=${guid_rest#*-}
    done
    for guid_byte in $(echo "$guid_rest" | tr -d - | sed 's/../& /g'); do
        little $((0x$guid_byte)) 1
    done
}

global=8be4df61-93ca-11d2-aa0d-00e098032b8c        # EFI_GLOBAL_VARIABLE
image_security=d719b2cb-3d3a-4596-a3bc-dad00e67656f # EFI_IMAGE_SECURITY_DATABASE_GUID

# Attributes (UEFI 2.10 section 8.2): non-volatile, boot, run time; and time-based authentication.
plain=$((0x07))
signed=$((0x27))

# variable NAME GUID ATTRIBUTES FILE: writes a variable in the format of EDK II's authenticated store
# (AUTHENTICATED_VARIABLE_HEADER of MdeModulePkg/Include/Guid/VariableFormat.h), padded to a multiple of 4.
variable() {
    variable_data=$(stat -c %s "$4")
    little $((0x55aa)) 2 # start
    little $((0x3f)) 1   # state: added
    little 0 1
    little "$3" 4
    little 0 8         # count
    little 2026 2      # time of the signature: 1 January
    little 1 1
    little 1 1
    little 0 12
    little 0 4 # public key's index
    little $((2 * ${#1} + 2)) 4
    little "$variable_data" 4
    guid "$2"
    printf '%s' "$1" | sed 's/./&\n/g' | tr '\n' '\000'
    little 0 2
    cat "$4"
    little $((0xffffffff)) $(((4 - (2 * ${#1} + 2 + variable_data) % 4) % 4))
}

# fill_store STORE VARIABLES: writes the variables after the volume's header, whose length is at 48, and
# the store's header of 28 bytes.
fill_store() {
    dd if="$2" of="$1" bs=1 seek=$(($(od -An -tu2 -j 48 -N 2 "$1") + 28)) conv=notrunc status=none
}

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The media, each booted once: stick, ISO image as CD and as USB disk, virtual disks, PXE and HTTP. What
# a legacy BIOS does with them. The same input gives the same bytes. Two machines run at a time.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/variables.sh
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null TZ=UTC

code=build/media/legacy.bin
without_tpm "${FIRMWARE:-/usr/share/ovmf/OVMF.fd}" "$work/firmware"
echo 'bench=clock clock.reads=77 machine=borrow' >"$work/plan"

# ---- files ----

make_media() {
    mkdir -p "$1"
    tools/build/mkimage.sh --small --boot-code $code "$1/tare.img" "$image" "$work/plan" &&
        tools/build/mkiso.sh "$1/tare.iso" "$image" $code "$work/plan" &&
        for kind in qcow2 vmdk vmdk-stream vhd vhd-dynamic; do
            tools/build/mkdisk.sh $kind "$1/$kind" "$1/tare.img" || return 1
        done
}

at_most() {
    [ "$(stat -c %s "$1")" -le "$2" ]
}

# holds NAME FORMAT: qemu-img reads the stick's bytes from it. Stricter readers than QEMU take the size
# of a VHD as it is.
holds() {
    [ "$(qemu-img info --output json -f "$2" "$work/a/$1" | jq '."virtual-size"')" -eq 8388608 ] &&
        qemu-img compare -q -f "$2" -F raw "$work/a/$1" "$work/a/tare.img"
}

# footer_is_right NAME OFFSET: the checksum of a VHD's footer.
footer_is_right() {
    od -An -v -tu1 "-j$2" -N512 "$work/a/$1" | awk '{ for (i = 1; i <= NF; i++) byte[n++] = $i }
        END {
            for (i = 0; i < 512; i++) sum += i >= 64 && i < 68 ? 0 : byte[i]
            stored = ((byte[64] * 256 + byte[65]) * 256 + byte[66]) * 256 + byte[67]
            exit n != 512 || stored != 4294967295 - sum
        }'
}

check 'media: made' 'they are not' make_media "$work/a"
sleep 1.1 # to the next second of those who stamp it
check 'media: made again' 'they are not' make_media "$work/b"
for file in tare.img tare.iso qcow2 vmdk vmdk-stream vhd vhd-dynamic; do
    check "$file: the same input gives the same bytes" 'it does not' cmp "$work/a/$file" "$work/b/$file"
done
tools/build/sizes.sh "$image" "$work/a"/*

# listed FILE NAME: the table in tools/build/README.md has the size of the file, in MiB to within 0.15.
listed() {
    awk -v name="| \`$2\` |" -v bytes="$(stat -L -c %s "$1")" 'index($0, name) == 1 { split($0, cell, "|"); mib = cell[3] }
        END { off = mib - bytes / 1048576; exit !(mib > 0 && off < 0.15 && off > -0.15) }' tools/build/README.md
}
for pair in tare.img:tare.img tare.iso:tare.iso qcow2:tare.qcow2 vmdk:tare.vmdk vmdk-stream:tare-stream.vmdk \
    vhd:tare.vhd vhd-dynamic:tare-dynamic.vhd; do
    check "${pair#*:}: tools/build/README.md has its size" "$(stat -c %s "$work/a/${pair%:*}")" \
        listed "$work/a/${pair%:*}" "${pair#*:}"
done
check 'tare.efi: tools/build/README.md has its size' "$(stat -L -c %s "$image")" listed "$image" tare.efi
smp_image=$(dirname "$image")/tare-smp.efi
check 'tare-smp.efi: tools/build/README.md has its size' "$(stat -L -c %s "$smp_image")" listed "$smp_image" tare-smp.efi
check 'stick: at most 8 MiB' 'it has more' at_most "$work/a/tare.img" 8388608
check 'ISO image: at most 9 MiB' 'it has more' at_most "$work/a/tare.iso" 9437184
for pair in qcow2:qcow2 vmdk:vmdk vmdk-stream:vmdk vhd:vpc vhd-dynamic:vpc; do
    check "${pair%:*}: holds the stick" 'it does not' holds "${pair%:*}" "${pair#*:}"
done
check 'vhd: checksum' 'it is wrong' footer_is_right vhd 8388608
check 'vhd-dynamic: checksum in front' 'it is wrong' footer_is_right vhd-dynamic 0
check 'vhd-dynamic: checksum at the end' 'it is wrong' \
    footer_is_right vhd-dynamic $(($(stat -c %s "$work/a/vhd-dynamic") - 512))
# Only the last byte of the footer changes: the check must see it.
cp "$work/a/vhd" "$work/a/damaged"
printf x | dd of="$work/a/damaged" bs=1 seek=8389119 conv=notrunc status=none
damaged=0
footer_is_right damaged 8388608 || damaged=$?
check 'vhd: a damaged footer is seen' 'it is not' test $damaged -ne 0

# ---- UEFI ----

exact='-icount shift=7,sleep=off -rtc base=2024-01-01T00:00:00,clock=vm'

# machine NAME QEMU-ARGUMENT...: boots until it powers off; the screen and the medium are all it has.
machine() {
    machine_name=$1
    shift
    # shellcheck disable=SC2086 # words
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 ${firmware_options:--bios $work/firmware} -nodefaults \
        -display none -no-reboot -accel tcg,thread=single \
        -cpu max,-rdrand,-rdseed,-monitor ${timing-$exact} "$@" 2>"$work/$machine_name.qemu" ||
        echo "status $?" >>"$work/$machine_name.qemu"
}

# disk FILE FORMAT [MORE]
disk() {
    echo "if=none,id=disk,format=$2,file=$work/a/$1${3:-}"
}

# logged NAME FILE FORMAT BYTE: the log is in the file system that begins there, from the plan on the medium.
logged() {
    qemu-img convert -f "$3" -O raw "$2" "$work/$1.raw" &&
        mcopy -n -o -i "$work/$1.raw@@$4" ::tare-0001.log "$work/$1.log" 2>"$work/$1.err" &&
        "$TARE" decode -o "$work/$1.db" "$work/$1.log" >"$work/$1.out" 2>"$work/$1.err" &&
        json "$1" '.run.valid and ([.benches[] | .name] == ["clock"])' &&
        "$TARE" show --full "$work/$1.db" | grep -q 'clock.reads.*77'
}

for file in tare.img tare.iso; do
    cp "$work/a/$file" "$work/a/usb-$file"
done
cp "$work/a/tare.img" "$work/a/nvme.img"
virtual() {
    machine "$1" -drive "$(disk "$1" "$2")" -device virtio-blk-pci,drive=disk,bootindex=1
}
# line NAME QEMU-ARGUMENT...: as machine, with a log on the line, which nothing answers; in real time, in
# which other machines answer over the network. The medium's plan is not for a line.
echo 'bench=clock clock.reads=77 machine=own link.wait_ms=0' >"$work/line.plan"
line() {
    timing='' machine "$@" -serial "file:$work/$1.log"
}
# Files on the network: the image alone, and an ISO image with its plan.
mkdir -p "$work/net"
mkdir "$work/net/lab"
cp "$image" "$work/net/tare.efi"
cp "$image" "$work/net/lab/tare.efi"
sed 's/clock.reads=77/clock.reads=78/' "$work/line.plan" >"$work/net/lab/tare.plan"
tools/build/mkiso.sh "$work/net/line.iso" "$image" $code "$work/line.plan" ||
    fail 'ISO image for a line: made' 'it is not'
# boot_uri URI: a variable store whose only boot entry is that address (EFI_LOAD_OPTION, UEFI 2.10
# section 3.1.3, with the node of section 10.3.4.22), as an administrator enters it in the set-up.
boot_uri() {
    {
        little 1 4 # active
        little $((4 + ${#1} + 4)) 2
        printf 'h\0t\0t\0p\0\0\0'
        little $((0x1803)) 2
        little $((4 + ${#1})) 2
        printf '%s' "$1"
        little $((0x0004ff7f)) 4
    } >"$work/entry"
    little 0 2 >"$work/order"
    {
        variable Boot0000 "$global" "$plain" "$work/entry"
        variable BootOrder "$global" "$plain" "$work/order"
    } >"$work/variables"
    cp "${VARIABLES:-/usr/share/OVMF/OVMF_VARS_4M.fd}" "$work/store" && fill_store "$work/store" "$work/variables"
}

# A server of the ISO image; QEMU's network has this machine at 10.0.2.2.
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/net" 0 >"$work/http" 2>&1 &
server=$!
served() {
    port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/\1/p' "$work/http")
    [ -n "$port" ]
}
check 'HTTP: a server' "$(cat "$work/http")" wait_for 20 served
boot_uri "http://10.0.2.2:$port/line.iso"

# OVMF's driver for the NIC and its PXE; without iPXE's.
nic='-device virtio-net-pci,netdev=n0,romfile=,bootindex=1 -device virtio-rng-pci'

{
    # shellcheck disable=SC2086 # words
    firmware_options="-drive if=pflash,unit=0,format=raw,readonly=on,file=${CODE:-/usr/share/OVMF/OVMF_CODE_4M.fd}
        -drive if=pflash,unit=1,format=raw,file=$work/store" \
        line http -netdev user,id=n0 ${nic%,bootindex=1*} -device virtio-rng-pci
    line cd -cdrom "$work/net/line.iso"
    # shellcheck disable=SC2086 # words
    line pxe $nic -netdev "user,id=n0,tftp=$work/net,bootfile=tare.efi" \
        -fw_cfg "name=opt/tare/plan,file=$work/line.plan"
    # shellcheck disable=SC2086 # words
    line pxe-plan $nic -netdev "user,id=n0,tftp=$work/net,bootfile=lab/tare.efi"
} &
third=$!
{
    machine usb -device qemu-xhci -drive "$(disk usb-tare.img raw)" \
        -device usb-storage,drive=disk,bootindex=1
    machine iso-usb -device qemu-xhci -drive "$(disk usb-tare.iso raw)" \
        -device usb-storage,drive=disk,bootindex=1
    virtual vmdk vmdk
    virtual vhd vpc
} &
first=$!
{
    # Firmware waits for NVMe in virtual time, which runs ahead of the host's disk in exact mode.
    timing='' machine nvme -drive "$(disk nvme.img raw)" -device nvme,drive=disk,serial=1,bootindex=1
    virtual qcow2 qcow2
    virtual vhd-dynamic vpc
    # QEMU refuses to write to the form that ESXi imports.
    machine vmdk-stream -drive "$(disk vmdk-stream vmdk ,snapshot=on)" \
        -device ich9-ahci,id=ahci -device ide-hd,drive=disk,bus=ahci.0,bootindex=1 -vga std
} &
second=$!
wait $first $second $third
kill $server

# esp_begin ISO: the first byte of its EFI system partition, as sfdisk reads it.
esp_begin() {
    PATH=$PATH:/usr/sbin:/sbin sfdisk --json "$1" 2>/dev/null | jq '[.partitiontable.partitions[] |
        select(.type == "C12A7328-F81F-11D2-BA4B-00A0C93EC93B") | .start][0] * 512'
}
# has_smp FILE BYTE: the file system that begins there has the second image, which tare.efi starts.
has_smp() {
    mtype -i "$1@@$2" ::EFI/BOOT/tare-smp.efi | cmp -s - "$smp_image"
}
check 'stick: it has tare-smp.efi' 'it has not' has_smp "$work/a/tare.img" 1M
check 'ISO image: it has tare-smp.efi' 'it has not' has_smp "$work/a/tare.iso" "$(esp_begin "$work/a/tare.iso")"
# logs NAME FILE FORMAT BYTE
logs() {
    logged "$@"
    logs_status=$?
    check "$1: plan read, run valid, log on the medium" \
        "$(tail -n 3 "$work/$1.qemu" "$work/$1.err" 2>/dev/null | tr '\n' ' ')" test $logs_status -eq 0
}
logs usb "$work/a/usb-tare.img" raw 1M
logs nvme "$work/a/nvme.img" raw 1M
logs iso-usb "$work/a/usb-tare.iso" raw "$(esp_begin "$work/a/usb-tare.iso")"
logs qcow2 "$work/a/qcow2" qcow2 1M
logs vmdk "$work/a/vmdk" vmdk 1M
logs vhd "$work/a/vhd" vpc 1M
logs vhd-dynamic "$work/a/vhd-dynamic" vpc 1M
# arrives NAME [READS]: by the line, and valid.
arrives() {
    "$TARE" decode -o "$work/$1.db" "$work/$1.log" >"$work/$1.out" 2>"$work/$1.err"
    arrives_status=$?
    check "$1: plan read, run valid, log on the line" "$(tail -n 3 "$work/$1.qemu" "$work/$1.err" | tr '\n' ' ')" \
        test $arrives_status -eq 0
    check "$1: its plan" 'another one' settings_of "$1" "${2:-77}"
}
settings_of() {
    json "$1" '[.benches[] | .name] == ["clock"]' && "$TARE" show --full "$work/$1.db" | grep -q "clock.reads.*$2"
}
arrives cd
arrives pxe
arrives pxe-plan 78
check 'pxe-plan: the plan came by TFTP' "$(value pxe-plan .run.plan.source)" json pxe-plan '.run.plan.source == "tftp"'
arrives http
check 'http: the ISO image was asked for' "$(cat "$work/http")" grep -q 'GET /line.iso' "$work/http"
check 'vmdk-stream: powers off by itself' "$(cat "$work/vmdk-stream.qemu")" test ! -s "$work/vmdk-stream.qemu"

# ---- a legacy BIOS ----

# legacy NAME MACHINE DRIVE: SeaBIOS starts the medium. The memory of its text screen is in NAME.text.
legacy() {
    timeout 60 qemu-system-x86_64 -machine "$2" -m 64 -net none -display none -vga std \
        -serial "file:$work/$1.serial" -monitor "unix:$work/monitor,server=on,wait=off" \
        -drive "$3,snapshot=on" 2>"$work/$1.qemu" &
    legacy_machine=$!
    wait_for 30 grep -aqs 'next boot device' "$work/$1.serial"
    monitor "pmemsave 0xb8000 4000 \"$work/$1.text\"" quit >"$work/$1.out"
    wait $legacy_machine
}

# Characters and attributes alternate in text memory, a row has 80.
shows() {
    od -An -v -tu1 -w2 "$work/$1.text" | awk '{ printf "%c", $1 }' | fold -w 80 | grep -aq "$2"
}

legacy_check() {
    legacy "$@"
    check "$1: a legacy BIOS: the line has the message" "$(cat "$work/$1.qemu")" \
        grep -aq '^tare needs UEFI' "$work/$1.serial"
    check "$1: a legacy BIOS: the screen has it" 'it has not' shows "$1" '^tare needs UEFI'
    check "$1: a legacy BIOS: and what to do" 'it has not' shows "$1" 'UEFI entry in the boot menu'
}
check 'boot sector: at most 440 bytes' 'it has more' at_most $code 440
legacy_check stick-pc pc "file=$work/a/tare.img,format=raw"
legacy_check stick-q35 q35 "file=$work/a/tare.img,format=raw"
legacy_check cd-pc pc "file=$work/a/tare.iso,format=raw,media=cdrom"
legacy_check iso-q35 q35 "file=$work/a/tare.iso,format=raw"

# ---- recipes ----

# The XML between the recipe's mark and the end of its block.
awk '/<!-- recipe: libvirt -->/ { found = 1 } found && /^```$/ { exit } found && /^ *</ && !/<!--/' \
    tools/build/README.md >"$work/libvirt.xml"
check 'libvirt: the recipe is valid by its schema' "$(virt-xml-validate "$work/libvirt.xml" domain 2>&1 | tail -n 2)" \
    virt-xml-validate "$work/libvirt.xml" domain
sed 's/<vcpu /<vcpus /; s/<.vcpu>/<\/vcpus>/' "$work/libvirt.xml" >"$work/mutant.xml"
mutant=0
virt-xml-validate "$work/mutant.xml" domain >"$work/output" 2>&1 || mutant=$?
check 'libvirt: an element that there is not is seen' "$(cat "$work/output")" test $mutant -ne 0

finish

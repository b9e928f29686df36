#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Secure Boot: firmware that knows only our own key tries three disks in turn: the image as it is, a
# signed one with one bit changed, and the signed one. It must refuse the first two and start the
# third. Then shim, signed with the same key, must start the signed image. The keys are written into
# a copy of OVMF's empty variable store as firmware itself lays them out there.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/variables.sh

image=${IMAGE:-build/image/tare.efi}
code=${SMM_CODE:-/usr/share/OVMF/OVMF_CODE_4M.secboot.fd}
store=${SMM_VARIABLES:-/usr/share/OVMF/OVMF_VARS_4M.fd}
shim=${SHIM:-/usr/lib/shim/shimx64.efi}
owner=7a7e0000-0000-4000-8000-0000000000ff

# enrol STORE: our key as platform key, as the one that may change keys, and as the one that signs.
enrol() {
    {
        variable PK "$global" "$signed" "$work/key.esl"
        variable KEK "$global" "$signed" "$work/key.esl"
        variable db "$image_security" "$signed" "$work/key.esl"
    } >"$work/variables"
    fill_store "$1" "$work/variables"
}

make_key() {
    openssl req -x509 -newkey rsa:2048 -sha256 -nodes -days 3650 -subj '/CN=tare test key/' \
        -keyout "$work/key.pem" -out "$work/certificate.pem" 2>"$work/openssl" &&
        cert-to-efi-sig-list -g $owner "$work/certificate.pem" "$work/key.esl" >"$work/esl" 2>&1
}

# sign FROM TO
sign() {
    sbsign --key "$work/key.pem" --cert "$work/certificate.pem" --output "$2" "$1" \
        >"$work/sbsign" 2>&1
}

# damage: one bit of the signed image's code, in the middle.
damage() {
    damage_at=$(($(stat -c %s "$image") / 2))
    damage_byte=$(od -An -tu1 -j $damage_at -N 1 "$work/signed.efi")
    cp "$work/signed.efi" "$work/damaged.efi"
    little $((damage_byte ^ 1)) 1 |
        dd of="$work/damaged.efi" bs=1 seek=$damage_at conv=notrunc status=none
}

is_signed() {
    sbverify --cert "$work/certificate.pem" "$1" >"$work/sbverify" 2>&1
}

warned() {
    grep -qi warning "$work/sbsign"
}

# disk NAME INDEX: NAME.efi on a disk, which the firmware tries as number INDEX; its plan has INDEX.
disk() {
    printf 'bench=clock clock.reads=%d\n' "$2" >"$work/$1.plan"
    tools/build/mkimage.sh --mib 0 "$work/$1.img" "$work/$1.efi" "$work/$1.plan"
    disks="$disks -drive if=none,id=$1,format=raw,snapshot=on,file=$work/$1.img
        -device ide-hd,drive=$1,bus=ahci.$2,bootindex=$2"
}

# boot NAME: firmware with the enrolled keys and the disks made so far.
boot() {
    cp "$store" "$work/$1.store"
    enrol "$work/$1.store"
    # shellcheck disable=SC2086 # words
    timeout 100 qemu-system-x86_64 -machine q35,smm=on -m 256 -accel tcg,thread=single \
        -cpu max,-rdrand,-rdseed,-monitor -icount shift=7,sleep=off \
        -rtc base=2026-02-01T00:00:00,clock=vm -nodefaults -no-reboot -display none -net none \
        -global driver=cfi.pflash01,property=secure,value=on \
        -drive "if=pflash,unit=0,format=raw,readonly=on,file=$code" \
        -drive "if=pflash,unit=1,format=raw,file=$work/$1.store" \
        -device ich9-ahci,id=ahci $disks -serial "file:$work/$1.log" 2>"$work/$1.err"
}

# put_on DISK FILE PATH: into the disk's FAT file system.
put_on() {
    MTOOLS_SKIP_CHECK=1 mcopy -o -i "$1" "$2" "::$3" >"$work/output" 2>&1 ||
        MTOOLS_SKIP_CHECK=1 mcopy -o -i "$1@@1M" "$2" "::$3" >"$work/output" 2>&1
}

refusals() {
    tr -d '\r' <"$work/all.log" | grep -ac 'failed to load Boot.*Access Denied'
}

for tool in sbsign sbverify cert-to-efi-sig-list openssl; do
    command -v $tool >"$work/which" || missing=$tool
done
for file in "$code" "$store" "$shim"; do
    [ -r "$file" ] || missing=$file
done
if [ -n "${missing:-}" ]; then
    skip 'Secure Boot' "$missing is not there"
    finish
    exit
fi

disks=
check 'a key of our own' "$(cat "$work/openssl" 2>&1)" make_key
check 'the image can be signed' "$(cat "$work/sbsign" 2>&1)" \
    sign "$image" "$work/signed.efi"
warned
check 'sbsign prints no warning of the image' "$(cat "$work/sbsign")" test $? -ne 0
check 'the signature is good' "$(cat "$work/sbverify" 2>&1)" is_signed "$work/signed.efi"
damage
is_signed "$work/damaged.efi"
check 'of the damaged image it is not' 'it is' test $? -ne 0
cp "$image" "$work/unsigned.efi"
disk unsigned 1
disk damaged 2
disk signed 3
check 'firmware comes to its end' "$(cat "$work/all.err" 2>&1)" boot all
check 'unsigned and damaged image refused, and reported' "$(tr -d '\r' <"$work/all.log" |
    grep -a BdsDxe | tr '\n' ';')" test "$(refusals)" -eq 2
"$TARE" decode "$work/all.log" -o "$work/all.db" >"$work/out" 2>&1
"$TARE" show --json "$work/all.db" >"$work/json" 2>/dev/null
check 'the signed image runs, from its own disk, and is valid' "$(cat "$work/out")" test true = \
    "$(jq '.run.valid and (.run.plan.text | contains("clock.reads=3")) and
        ([.benches[] | .status] == ["OK"])' "$work/json" 2>&1)"

# Shim reads the image as grubx64.efi from its own folder, and lets no program pass without .sbat.
disks=
check 'shim can be signed' "$(cat "$work/sbsign" 2>&1)" sign "$shim" "$work/shim.efi"
disk shim 4
check 'the image is put beside shim' "$(cat "$work/output" 2>&1)" \
    put_on "$work/shim.img" "$work/signed.efi" EFI/BOOT/grubx64.efi
check 'firmware starts shim' "$(cat "$work/shim.err" 2>&1)" boot shim
"$TARE" decode "$work/shim.log" -o "$work/shim.db" >"$work/out" 2>&1
"$TARE" show --json "$work/shim.db" >"$work/json" 2>/dev/null
check 'shim starts the signed image, which is valid' "$(cat "$work/out"; tr -d '\r' <"$work/shim.log" | tail -n 5)" test true = \
    "$(jq '.run.valid and ([.benches[] | .status] == ["OK"])' "$work/json" 2>&1)"
finish

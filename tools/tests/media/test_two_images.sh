#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Which of the two images runs a plan. Firmware, or a boot loader with words, starts tare.efi from a stick or
# from the network, and tare.efi starts tare-smp.efi if the plan needs it; without that file it names file
# and cure. `tare boot` chooses the file itself.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
smp_image=$(dirname "$image")/tare-smp.efi
common='bench=clock clock.reads=77 link.wait_ms=0'
exact='-icount shift=7,sleep=off -rtc base=2024-01-01T00:00:00,clock=vm'
nic='-device virtio-net-pci,netdev=n0,romfile=,bootindex=1 -device virtio-rng-pci'

# start NAME QEMU-ARGUMENT...: until the machine is off, with the log on the line.
start() {
    start_name=$1
    shift
    # shellcheck disable=SC2086 # words
    timeout 100 qemu-system-x86_64 -machine q35 -m 256 -nodefaults -display none -no-reboot -accel tcg,thread=single \
        -cpu max,-rdrand,-rdseed,-monitor -bios "${FIRMWARE:-/usr/share/ovmf/OVMF.fd}" ${timing-$exact} \
        -serial "file:$work/$start_name.log" "$@" </dev/null >"$work/$start_name.qemu" 2>&1
    "$TARE" decode -o "$work/$start_name.db" "$work/$start_name.log" >"$work/$start_name.out" 2>"$work/$start_name.err"
}

# stick NAME PLAN: the stick as it is built, with that plan.
stick() {
    cp build/image/tare.img "$work/$1.img"
    echo "$2" | mcopy -i "$work/$1.img@@1M" - ::tare.plan
}
from_stick() {
    start "$1" -drive "file=$work/$1.img,format=raw,if=none,id=d" -device qemu-xhci \
        -device usb-storage,drive=d,bootindex=1
}

# ran NAME KERNEL: a valid run of the bench, by the image of that kernel.
ran() {
    json "$1" '.run.valid and ([.benches[] | .name] == ["clock"])' &&
        [ "$(value "$1" '.run.machine.kernel // "one"')" = "$2" ]
}
check_ran() {
    check "$1: kernel $2 ran" "$(value "$1" '.run.valid, .run.machine.kernel' | tr '\n' ' '; tail -n 2 "$work/$1.err")" ran "$1" "$2"
}

stick stick "$common kernel=smp"
stick one "$common kernel=one"
stick borrow "bench=clock kernel=smp machine=borrow"
stick lone "$common kernel=smp"
mdel -i "$work/lone.img@@1M" ::EFI/BOOT/tare-smp.efi
stick reverse "$common kernel=one"
mcopy -o -i "$work/reverse.img@@1M" "$smp_image" ::EFI/BOOT/BOOTX64.EFI
stick words ''
mdel -i "$work/words.img@@1M" ::tare.plan ::EFI/BOOT/tare-smp.efi
mmd -i "$work/words.img@@1M" ::EFI/tare ::loader ::loader/entries
mcopy -i "$work/words.img@@1M" "$image" "$smp_image" ::EFI/tare
mcopy -o -i "$work/words.img@@1M" /usr/lib/systemd/boot/efi/systemd-bootx64.efi ::EFI/BOOT/BOOTX64.EFI
echo 'timeout 0' | mcopy -i "$work/words.img@@1M" - ::loader/loader.conf
printf 'title tare\nefi /EFI/tare/%s\noptions %s\n' "${image##*/}" "$common kernel=smp" |
    mcopy -i "$work/words.img@@1M" - ::loader/entries/tare.conf
mkdir -p "$work/net/lab"
cp "$image" "$smp_image" "$work/net/lab"
echo "$common kernel=smp machine=own" >"$work/net/lab/tare.plan"

{
    from_stick stick
    from_stick one
    from_stick words
    from_stick reverse
} &
first=$!
{
    from_stick borrow
    from_stick lone
    # shellcheck disable=SC2086 # words
    timing='' start net $nic -netdev "user,id=n0,tftp=$work/net,bootfile=lab/${image##*/}"
} &
wait $first $!

check_ran stick smp
check_ran one one
check_ran words smp
check_ran net smp
check 'net: the plan came by TFTP' "$(value net .run.plan.source)" json net '.run.plan.source == "tftp"'
check 'borrow: the log is on the stick' "$(tail -n 2 "$work/borrow.qemu")" \
    mcopy -o -i "$work/borrow.img@@1M" ::tare-0001.log "$work/borrow.log"
"$TARE" decode --force -o "$work/borrow.db" "$work/borrow.log" >"$work/borrow.out" 2>"$work/borrow.err"
check_ran borrow smp
check 'lone: the file and the cure are named' "$(tail -n 3 "$work/lone.err")" printed lone \
    'kernel=smp: needs the image tare-smp.efi, not started from the folder of this one: EFI_NOT_FOUND; copy it there, or start it instead'
check 'lone: no bench ran, by another kernel' 'one did' json lone '.run.valid == false and .benches == []'
check 'reverse: tare-smp.efi does not run kernel=one' "$(tail -n 3 "$work/reverse.err")" printed reverse \
    'kernel=one: this image is tare-smp.efi; start tare.efi, or omit kernel=one'

# ---- tare boot ----

boot chosen 0 --bench clock --set kernel=smp "$image"
check_ran chosen smp
boot disk 0 --bench clock --set kernel=smp "$work/one.img"
check_ran disk smp

# The benches of the group; the profile has all but those that fail on purpose.
echo failures >"$work/failures"
sed -n 's/^BENCH_REGISTER(\(.*\));/\1/p' bench/smp/*.c | LC_ALL=C sort >"$work/registered"
"$TARE" boot --profile list | sed -n '/^smp /,/^all /p' | sed -n 's/^   *\([a-z0-9,]*\)$/\1/p' | tr ',' '\n' |
    sed '/^$/d' | LC_ALL=C sort - "$work/failures" >"$work/profile"
check 'profile smp: all benches of the group' "$(diff "$work/registered" "$work/profile")" \
    cmp -s "$work/registered" "$work/profile"
bench=$(head -n 1 "$work/registered")

# planned NAME STATUS OPTION...: as far as QEMU, which here only notes its arguments.
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$work/arguments" >"$work/qemu"
chmod +x "$work/qemu"
planned() {
    planned_name=$1
    planned_status=$2
    shift 2
    : >"$work/arguments"
    boot_once "$planned_name" --mode exact --qemu "$work/qemu" "$@"
    boot_ended "$planned_name" "$planned_status"
}
# refused NAME STATUS TEXT OPTION...: before QEMU starts.
refused() {
    refused_name=$1
    refused_status=$2
    refused_text=$3
    shift 3
    planned "$refused_name" "$refused_status" "$@"
    check "$refused_name: the reason" "$(cat "$work/$refused_name.err")" \
        grep -qF -- "$refused_text" "$work/$refused_name.err"
    check "$refused_name: before QEMU starts" "$(cat "$work/arguments")" test ! -s "$work/arguments"
}
# gets TEXT OPTION...: QEMU gets it.
gets() {
    gets_text=$1
    shift
    planned gets 1 "$@"
    check "$*: $gets_text" "$(cat "$work/arguments")" grep -qF -- "$gets_text" "$work/arguments"
}
while read -r each; do # tare.efi knows the name of each
    gets "$smp_image" --bench "$each" "$image"
done <"$work/registered"
gets "$smp_image" --set "$bench.cpus=3" "$image"
gets "$smp_image" --profile smp "$image"
gets "$image" --bench clock "$image"
gets '-smp 3' --bench "$bench" --set "$bench.cpus=3" "$image"
gets '-smp 2' --bench "$bench" --set "$bench.cpus=3" --smp 2 "$image"
cp "$image" "$work/lone.efi"
for plan in "bench=$bench" "$bench.cpus=3" kernel=smp; do
    reason="bench $bench"
    [ "$plan" != kernel=smp ] || reason=$plan
    refused "lone $plan" 1 "$reason needs tare-smp.efi: $work/tare-smp.efi: No such file or directory; \"make image\" builds it" \
        --set "$plan" "$work/lone.efi"
done
tools/build/mkimage.sh --small "$work/without.img" "$work/lone.efi"
refused 'a disk without it' 1 "bench $bench needs tare-smp.efi: $work/without.img: no table of benches of group smp was found in it; \"make image\"" \
    --bench "$bench" "$work/without.img"
refused contradiction 2 "bench $bench: expected kernel=smp, got kernel=one; omit it" \
    --bench "$bench" --set kernel=one "$image"
refused 'a third kernel' 2 'kernel: expected one of one, smp, got "two"' --bench clock --set kernel=two "$image"

# Two sides, of which one needs the other image.
echo 'bench=clock' >"$work/one.plan"
echo 'bench=clock kernel=smp' >"$work/smp.plan"
boot_once sides --mode exact --plan "$work/smp.plan" --interleave "$work/one.plan" "$image"
boot_ended sides 0
check_ran sides-a-1 smp
check_ran sides-b-1 one
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=boots: what firmware costs a boot in exact mode, in full and resumed from a snapshot. Pairs are run
# in turn; processor seconds of all processes of a boot. Beside them QEMU that starts SeaBIOS, which starts six
# instructions of a boot sector that end QEMU: what is above this in a resumed boot of no bench is what OVMF still costs.
#
#     ROUNDS  pairs (default 5)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

rounds=${ROUNDS:-5}
export TARE_CACHE="$work/cache"

row() {
    printf '%-52s %3s %8s %8s %8s  %s\n' "$@"
}

# spend NAME COMMAND...: appends the processor seconds of a command to $work/NAME.
spend() {
    spend_name=$1
    shift
    /usr/bin/time -a -o "$work/$spend_name" -f '%U %S' "$@" >"$work/output" 2>&1
}

# seconds_of NAME: those of each round.
seconds_of() {
    awk 'NF == 2 { printf "%.2f\n", $1 + $2 }' "$work/$1"
}

# figures NAME TEXT WHAT: a row with number, median, least and greatest.
figures() {
    # shellcheck disable=SC2046 # one word a figure
    row "$2" $(seconds_of "$1" | sort -n | awk '{ v[NR] = $1 } END { print NR, v[int((NR + 1) / 2)], v[1], v[NR] }') "$3"
}

# pairs NAME OPTION...: full and resumed in turn; $equal pairs have the same log.
pairs() {
    pairs_name=$1
    shift
    equal=0
    "$TARE" boot --mode exact --force --log "$work/log" -o "$work/run.db" "$@" "$image" >"$work/output" 2>&1 # saves the machine
    for round in $(seq "$rounds"); do
        spend "$pairs_name.full" "$TARE" boot --mode exact --full-boot --force --log "$work/full.log" -o "$work/run.db" "$@" "$image"
        spend "$pairs_name.resumed" "$TARE" boot --mode exact --force --log "$work/log" -o "$work/run.db" "$@" "$image"
        cmp -s "$work/full.log" "$work/log" && equal=$((equal + 1))
    done
    figures "$pairs_name.full" "$*, in full" ''
    figures "$pairs_name.resumed" "$*, resumed" "same bytes: $equal of $rounds"
    check "$pairs_name: the same bytes" "$equal of $rounds" test "$equal" = "$rounds"
}

without_tpm "${FIRMWARE:-/usr/share/ovmf/OVMF.fd}" "$work/firmware"
# A boot sector: mov $0x604, %dx; mov $0x2000, %ax; out %ax, %dx (ACPI's power-off of q35); cli; hlt; jmp.
printf '\272\004\006\270\000\040\357\372\364\353\375' >"$work/sector"
truncate -s 510 "$work/sector"
printf '\125\252' >>"$work/sector"
truncate -s 1M "$work/sector"
for round in $(seq "$rounds"); do
    spend floor timeout 20 qemu-system-x86_64 -machine q35 -m 256 -nodefaults -display none -net none \
        -accel tcg,thread=single -icount shift=3,sleep=off -drive "if=ide,format=raw,file=$work/sector"
    spend start timeout 60 qemu-system-x86_64 -machine q35,smm=off -m 256 -nodefaults -no-reboot -display none -net none \
        -accel tcg,thread=single -cpu max,-rdrand,-rdseed,-monitor -seed 1 -icount shift=3,sleep=off \
        -rtc base=2024-01-01T00:00:00,clock=vm -bios "$work/firmware" -kernel "$image" -serial null \
        -fw_cfg name=opt/tare/hold,string=1
done

row 'processor seconds' n median least most "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors"
figures floor 'SeaBIOS and six instructions' ''
figures start 'OVMF, until the image looks for its plan' ''
pairs none --bench none
pairs quick --profile quick
pairs counts --profile quick --count p5
pairs hub --net hub --shift 6 --bench rtt
share=$(awk -v full="$(seconds_of none.full | median_of)" -v resumed="$(seconds_of none.resumed | median_of)" \
    -v start="$(seconds_of start | median_of)" \
    'BEGIN { printf "%.2f", resumed - (full - start) }')
row 'OVMF, what remains of it in a resumed boot' '' "$share" '' '' 'bar: 0.15'
check 'OVMF in a resumed boot: at most 0.15 s' "$share s" awk -v share="$share" 'BEGIN { exit share > 0.15 }'
finish

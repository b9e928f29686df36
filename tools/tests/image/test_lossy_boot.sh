#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image itself on a line that loses bytes both ways: QEMU in exact mode, lossy_proxy, `tare
# capture`. The run file must be that of what the image sent, to the byte.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

image=${IMAGE:-build/image/tare.efi}
firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}
proxy=$TEST_BIN/lossy_proxy
limit=${LIMIT:-240}

# capture_run NAME PROXY-OPTION...: into $work/NAME.db. All that the image sent stays in
# $work/line.out.
capture_run() {
    run=$1
    shift
    rm -f "$work/line.in" "$work/line.sock"
    mkfifo "$work/line.in"
    : >"$work/line.out"
    timeout $limit qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$firmware" \
        -kernel "$image" -nodefaults -display none -net none -no-reboot \
        -accel tcg,thread=single -cpu max,-rdrand,-rdseed,-monitor -icount shift=7,sleep=off \
        -rtc base=2024-01-01T00:00:00,clock=vm -fw_cfg "name=opt/tare/plan,file=$work/plan" \
        -chardev "pipe,id=line,path=$work/line" -serial chardev:line &
    qemu=$!
    "$proxy" --timeout $limit "$@" "pipe:$work/line" "$work/line.sock" &
    wait_for 10 test -S "$work/line.sock"
    expect_status "$run: valid" 0 timeout $limit "$TARE" capture --timeout $limit \
        --log "$work/$run.log" -o "$work/$run.db" "$work/line.sock"
    check "$run: bye powers the machine off" 'it runs' wait_for 20 has_ended $qemu
    kill $qemu 2>/dev/null
    wait
    expect_status "$run: what was sent is valid" 0 \
        "$TARE" decode -o "$work/sent.db" "$work/line.out"
    check "$run: same run file" 'another' cmp -s "$work/sent.db" "$work/$run.db"
}

# Of the last run.
log_differs() {
    ! cmp -s "$work/line.out" "$work/$1.log"
}

has_ended() {
    ! kill -0 "$1" 2>/dev/null
}

machine_or_finish 'image on a lossy line'
echo 'bench=clock,idle,switches idle.ms=4000 link.wait_ms=900000' >"$work/plan"
capture_run clean
"$TARE" show --json "$work/clean.db" >"$work/clean.json"
check 'clean: there is a trace' 'none' grep -q '"overwritten":' "$work/clean.json"
capture_run lossy-1 --drop 1e-4 --seed 1
capture_run lossy-2 --drop 1e-3 --seed 3
check 'lossy-2: bytes were lost' 'none were' log_differs lossy-2
finish

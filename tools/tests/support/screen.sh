# SPDX-License-Identifier: BSD-2-Clause
#
# For tests that start QEMU themselves: from the disk image, to read its screen, or as a machine at the other
# end of a serial line; sourced after boot.sh.
#
# shellcheck shell=sh

firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}

# no_serial PLAN OPTION...: boots from disk $work/disk.img, at $icount_shift (7); the plan goes before the one in
# there.
no_serial() {
    printf '%s\n' "$1" >"$work/fw.plan"
    shift
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$firmware" -nodefaults \
        -display none -net none -serial "${serial:-none}" -accel tcg,thread=single \
        -cpu max,-rdrand,-rdseed,-monitor -icount "shift=${icount_shift:-7},sleep=off" \
        -rtc base=2024-01-01T00:00:00,clock=vm -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" \
        -drive "if=none,id=disk,format=raw,file=$work/disk.img${readonly:-}" \
        -device virtio-blk-pci,drive=disk,bootindex=1 "$@" 2>"$work/qemu.err"
}

# screen_shows PATTERN: whether the pattern is on the screen of the machine that no_serial runs with
# -monitor unix:$work/monitor. Writes the rows of the screen to $work/screen.txt.
screen_shows() {
    rm -f "$work/screen.ppm"
    monitor "screendump $work/screen.ppm" >/dev/null
    sleep 0.3
    "$TEST_BIN/screen_text" "$work/screen.ppm" 2>/dev/null >"$work/screen.txt"
    grep -q "$1" "$work/screen.txt"
}

# past_codes: the machine shows its log as QR codes, until a key is pressed.
past_codes() {
    wait_for 60 screen_shows 'code [0-9]*, round' &&
        monitor 'sendkey ret' >/dev/null
}

# screen_settles PATTERN: does the screen show it, and is it the same a second later, so that all of it is
# painted?
screen_settles() {
    screen_shows "$1" || return 1
    cp "$work/screen.ppm" "$work/screen.before"
    sleep 1
    screen_shows "$1" && cmp -s "$work/screen.before" "$work/screen.ppm"
}

# with_line COMMAND...: with a machine whose serial line is the socket $work/line.
with_line() {
    printf 'bench=clock,gap gap.ms=20 exit=halt\n' >"$work/line.plan"
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$firmware" -nodefaults -display none \
        -net none -serial "unix:$work/line,server=on,wait=off" -accel tcg,thread=single -cpu max \
        -icount shift=6,sleep=off -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/line.plan" \
        >"$work/line.txt" 2>&1 &
    line_machine=$!
    sleep 1
    "$@"
    line_status=$?
    kill $line_machine 2>/dev/null
    return $line_status
}

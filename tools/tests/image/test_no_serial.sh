#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A machine without a serial port, or with one that leads nowhere, as its user meets it: the disk
# image alone, in exact mode. Firmware that stayed (borrow) writes the log to a file on the stick. Where
# it cannot, the screen reports that and shows the table of results.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh
# shellcheck source-path=SCRIPTDIR source=boot.sh
. tools/tests/image/boot.sh
# shellcheck source-path=SCRIPTDIR source=screen.sh
. tools/tests/support/screen.sh

benches=clock,gap,idle,paths
settings='gap.ms=20 idle.ms=50'
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null

# take NUMBER NAME: a log off the stick, decoded.
take() {
    mcopy -n -o -i "$work/disk.img@@1M" "::tare-000$1.log" "$work/$2.log" 2>"$work/mcopy.err" &&
        "$TARE" decode -o "$work/$2.db" "$work/$2.log" >"$work/$2.out" 2>"$work/$2.err"
}

files() {
    mdir -b -i "$work/disk.img@@1M" :: | grep -c 'tare-....\.log'
}

is_clean() {
    dd if="$work/disk.img" of="$work/esp" bs=1M skip=1 count=64 status=none &&
        PATH=$PATH:/usr/sbin:/sbin fsck.vfat -n "$work/esp" >"$work/fsck" 2>&1
}

# What the benches found, without clocks' rates, whose phase against the run differs.
figures() {
    value "$1" '.benches[] | .name as $bench | .series[] |
        select(.name | startswith("estimate") | not) |
        [$bench, .name, .unit, .n, .min, .median, .max] | @tsv'
}

# An instruction is 128 ticks; where between two of them a timer ends is the boot's, and shows in the
# greatest values.
same_figures() {
    figures "$1" >"$work/$1.figures"
    figures "$2" >"$work/$2.figures"
    [ "$(wc -l <"$work/$1.figures")" -eq "$(wc -l <"$work/$2.figures")" ] &&
        paste "$work/$1.figures" "$work/$2.figures" | awk -F '\t' '
            { for (i = 1; i <= 6; i++) differ += $i != $(i + 7) }
            { differ += $7 - $14 > 128 || $14 - $7 > 128 }
            END { exit differ > 0 || NR < 15 }'
}

ownership_is() {
    json "$1" ".run.ownership == \"$2\"" &&
        "$TARE" show --full "$work/$1.db" | grep "^  machine  *$3" >"$work/grep"
}

test_file() {
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    check 'borrow: the machine powers off by itself' 'it does not' \
        no_serial "bench=$benches $settings"
    check 'borrow: the log is on the stick' "$(cat "$work/mcopy.err")" take 1 borrow
    check 'borrow: the volume is clean' "$(cat "$work/fsck")" is_clean
    check 'borrow: all benches are there' 'not all' all_ok borrow clock gap idle paths
    check 'borrow: is reported' 'it is not' ownership_is borrow borrow borrowed
    cp "$work/borrow.log" "$work/first.log"
    boot serial 0 --shift 7 --bench "$benches" --set gap.ms=20 --set idle.ms=50
    check 'own, with a line: is reported' 'it is not' ownership_is serial own own
    check 'borrow: every figure is that of own' 'some differ' same_figures serial borrow
}

take_shot() {
    monitor "screendump $1 -f png" >/dev/null
    sleep 0.2
}

# gathered DATABASE: takes screenshots until their codes are the whole log.
gathered() {
    for shot in $(seq 40); do
        take_shot "$work/shot$shot.png"
        [ "$shot" -lt 5 ] || ! "$TARE" decode -o "$1" "$work"/shot*.png >"$work/shots.out" 2>"$work/shots.err" ||
            return 0
    done
    return 1
}

# The log that the screen shows as QR codes is that of the stick, byte for byte; so is the page.
# codes SIZE: on a screen of this size.
codes() {
    rm -f "$work"/shot*.png "$work/shots.log"
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    no_serial "screen=codes bench=$benches $settings" -device "VGA,edid=on,xres=${1%x*},yres=${1#*x}" \
        -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
    check "codes, $1: the screen shows them" "$(cat "$work/screen.txt")" wait_for 60 screen_shows 'code [0-9]*, round'
    check "codes, $1: too few screenshots: how many are missing" "$(cat "$work/shots.err")" \
        few_codes
    check "codes, $1: screenshots are the log" "$(cat "$work/shots.err")" gathered "$work/shots.db"
    check "codes, $1: a key ends them, and the machine powers off" 'it does not' ends_by_key
    take 1 stick
    check "codes, $1: the log is that of the stick" 'it differs' cmp -s "$work/stick.log" "$work/shots.log"
    check "codes, $1: a screenshot has this size" 'it has not' has_size "$1"
    check "codes, $1: count and size" "$(cat "$work/shots.err")" \
        grep -qE "^tare decode: 6 QR codes: a log of $(stat -c %s "$work/stick.log") bytes" "$work/shots.err"
    "$TARE" report -o "$work/stick.html" "$work/stick.db" >"$work/report.out" 2>&1
    "$TARE" report -o "$work/shots.html" "$work/shots.db" >"$work/report.out" 2>&1
    check "codes, $1: so is the page" 'it differs' cmp -s "$work/stick.html" "$work/shots.html"
}

few_codes() {
    take_shot "$work/few.png"
    ! "$TARE" decode -o "$work/few.db" "$work/few.png" >"$work/shots.out" 2>"$work/shots.err" &&
        [ ! -e "$work/few.log" ] && [ ! -e "$work/few.db" ] &&
        grep -qE '1 of 6 codes: take screenshots of 5 more|no QR code can be read' "$work/shots.err"
}

has_size() {
    [ "$(od -An -tu1 -j16 -N8 "$work/shot1.png" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')" = "$1" ]
}

ends_by_key() {
    monitor 'sendkey ret' >/dev/null
    wait $machine
}

# Firmware is gone, so no file can be written: the stick with its log stays as it is.
test_own() {
    check 'own: the machine powers off by itself' 'it does not' \
        no_serial "machine=own bench=$benches $settings"
    on_screen own 'machine=borrow in tare.plan saves the log' 'own: firmware has left' 'machine=own'
    check 'own: nothing is written' "$(files)" test "$(files)" -eq 1
    check 'own: the volume is clean' "$(cat "$work/fsck")" is_clean
    check 'own: the log before is as it was' 'it is not' take 1 borrow
    check 'own: the log before has the same bytes' 'it has not' \
        cmp -s "$work/first.log" "$work/borrow.log"
}

# A port without a cable, or without a reader at the other end, passes every test of a port. The log
# is on the stick, unless the plan has link options: then the screen reports the loss, and stays on.
test_no_reader() {
    serial=null
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    check 'no reader: the machine powers off by itself' 'it does not' \
        no_serial "bench=$benches $settings"
    check 'no reader: the log is on the stick' "$(cat "$work/mcopy.err")" take 1 unread
    check 'no reader: is reported' 'it is not' ownership_is unread borrow borrowed
    check 'no reader: the port is found' "$(value unread .run.machine.serial)" \
        json unread '.run.machine.serial | startswith("legacy port 0x3f8")'
    check 'no reader: every figure is that of a run with a line' 'some differ' \
        same_figures serial unread
    no_serial 'bench=clock,loop link.wait_ms=100' -vga std \
        -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
    check 'no host: the screen reports it, and stays on' "$(cat "$work/screen.txt")" \
        wait_for 60 screen_settles 'no host received it'
    check 'no host: the screen shows what to do' "$(cat "$work/screen.txt")" \
        grep -q 'machine=borrow' "$work/screen.txt"
    check 'no host: own, and no file' "$(files)" test "$(files)" -eq 1
    monitor quit >/dev/null
    wait $machine
    serial=
}

# Not in exact time, in which a host would have to answer within some milliseconds of real time.
test_somebody() {
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    echo 'bench=clock' >"$work/fw.plan"
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$firmware" -nodefaults \
        -display none -net none -no-reboot -chardev "socket,id=line,path=$work/line,server=on" \
        -serial chardev:line -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" \
        -drive "if=none,id=disk,format=raw,file=$work/disk.img" \
        -device virtio-blk-pci,drive=disk,bootindex=1 -vga std 2>"$work/qemu.err" &
    machine=$!
    wait_for 10 test -S "$work/line"
    "$TARE" capture --timeout 100 --log "$work/somebody.log" -o "$work/somebody.db" "$work/line" \
        >"$work/somebody.out" 2>"$work/somebody.err"
    check 'a host listens: the machine powers off by itself' "$(cat "$work/qemu.err")" wait $machine
    check 'a host listens: own' "$(value somebody .run.ownership)" ownership_is somebody own own
    check 'a host listens: the log has come whole' "$(cat "$work/somebody.err")" \
        json somebody '.run.losses == []'
    check 'a host listens: no file' "$(files)" test "$(files)" -eq 0
}

crashed() {
    json "$1" '[.run.crashes[].registers | [.bench, .name]] == [["fault", "#DF double fault"]]'
}

# Firmware is asked on the first processor, as it knows no other; where that one is lost, on the one
# that has the kernel.
test_other_processor() {
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    check 'processor=1: the machine powers off by itself' 'it does not' \
        no_serial "machine=borrow processor=1 bench=gap,loop gap.ms=20" -smp 2
    check 'processor=1: the log is on the stick' "$(cat "$work/mcopy.err")" take 1 other
    check 'processor=1: all benches are there' 'not all' all_ok other gap loop
    check 'processor=1: firmware had its turn behind each bench' 'it had not' \
        grep -aq 'firmware had 3 turns' "$work/other.log"
    check 'processor=1, a crash that ends the run: the machine powers off' 'it does not' \
        no_serial "machine=borrow processor=1 bench=gap,fault gap.ms=20 fault.kind=df" -smp 2
    take 2 crash
    check 'processor=1, a crash that ends the run: it is on the stick' \
        "$(value crash '.run.crashes[].registers.name')" crashed crash
    check 'processor=1, the first one lost: the machine powers off' 'it does not' \
        no_serial "machine=borrow processor=1 bench=gap,lost gap.ms=20 lost.kind=de" -smp 2
    check 'processor=1, the first one lost: the log is on the stick' "$(cat "$work/mcopy.err")" \
        take 3 lost
    check 'processor=1, the first one lost: it is reported' \
        "$(value lost '.run.machine["lost.0"]')" \
        json lost '.run.machine["lost.0"] | endswith("lost: #DE divide error")'
    check 'processor=1: the volume is clean' "$(cat "$work/fsck")" is_clean
}

# on_screen NAME TEXT OWNER [SETTING]: boots with a screen, which must show both texts in the end, and
# the benches' lines.
on_screen() {
    on_screen_name=$1
    no_serial "bench=clock,loop ${4:-}" -vga std \
        -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
    check "$on_screen_name: the screen shows the log until a key is pressed" 'it does not' past_codes
    check "$on_screen_name: the screen shows the end of the run" 'it does not' \
        wait_for 60 screen_settles '2 of 2 benches: 2 OK'
    check "$on_screen_name: the screen shows \"$3\"" 'it does not' grep -qF "$3" "$work/screen.txt"
    check "$on_screen_name: the screen shows \"$2\"" 'it does not' grep -qF "$2" "$work/screen.txt"
    check "$on_screen_name: the table is there" 'it is not' \
        grep -q 'clock tsc.cost  *OK  *1000  *14  *14  *14 instr' "$work/screen.txt"
    monitor quit >/dev/null
    wait $machine
}

test_full() {
    free=$(mdir -i "$work/disk.img@@1M" :: | sed -n 's/ bytes free//p' | tr -d ' ')
    truncate -s "$free" "$work/fill"
    mcopy -i "$work/disk.img@@1M" "$work/fill" ::fill2
    on_screen 'full medium' 'took no data' 'borrowed: firmware stays'
    check 'full medium: the volume is clean' "$(cat "$work/fsck")" is_clean
    check 'full medium: the log before has the same bytes' 'it has not' take 1 borrow
}

# Room for what is saved behind the first bench, and not for the rest: what is there is reported, and
# decodes.
test_partial() {
    mdel -i "$work/disk.img@@1M" ::fill2
    truncate -s $((free - 2400)) "$work/fill"
    mcopy -i "$work/disk.img@@1M" "$work/fill" ::fill2
    on_screen 'medium with little room' 'is only partly on the boot drive' 'borrowed: firmware stays'
    cp "$work/screen.txt" "$work/partial.txt"
    mcopy -n -o -i "$work/disk.img@@1M" ::tare-0002.log "$work/part.log" 2>"$work/mcopy.err"
    "$TARE" decode -o "$work/part.db" "$work/part.log" >"$work/part.out" 2>"$work/part.err"
    check 'medium with little room: the part decodes' "$(cat "$work/part.err")" \
        grep -q '[1-9] frames, 0 repeated, 0 damaged' "$work/part.err"
    saved=$(tr -d '\n' <"$work/partial.txt" | sed -n 's/.*tare-0002.log has \([0-9]*\) bytes, with \([0-9]*\) of 2.*/\1 \2/p')
    check 'medium with little room: the screen shows bytes and benches of the part' "$saved" \
        test "$saved" = "$(stat -c %s "$work/part.log") $(value part '[.benches[].status] | length')"
    check 'medium with little room: one of them' "$saved" test "${saved#* }" = 1
}

test_read_only() {
    readonly=,readonly=on
    on_screen 'read-only medium' 'no log file' 'own: firmware has left'
    for text in 'no serial port found' 'could not be saved: no serial port, and'; do
        check "read-only medium: the screen shows \"$text\"" 'it does not' \
            grep -qF "$text" "$work/screen.txt"
    done
    readonly=
}

rounds_on_stick() {
    mcopy -n -o -i "$work/disk.img@@1M" ::tare-0001.log "$work/cut.log" 2>"$work/mcopy.err" &&
        [ "$(grep -ac 'live bench=gap processor=0 ' "$work/cut.log")" -ge "$1" ]
}

# watched NAME: seconds that processor 0 watched, by its partial result.
watched() {
    value "$1" '.benches[0].facts["partial.watched"] / 1e9 | floor'
}

# An hour of gap on four processors, cut by power in its middle: the screen shows the view of the watch,
# and the log on the stick has all rounds but the last.
test_cut() {
    : >"$work/screen.txt"
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    no_serial 'bench=gap gap.ms=1h gap.threshold_ns=200000 gap.inject_world=9000 gap.inject_us=3000' \
        -smp 4 -vga std -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
    check 'a cut: the log on the stick grows' "$(cat "$work/mcopy.err")" wait_for 90 rounds_on_stick 20
    monitor stop >/dev/null
    check 'a cut: the screen shows the view of the watch' "$(cat "$work/screen.txt")" \
        wait_for 10 screen_shows 'gap: [0-9]* s of 1 h watched .* 59 min [0-9]* s left'
    check 'a cut: the screen has a sentence' "$(cat "$work/screen.txt")" grep -q \
        'Something took up to [0-9.]* ms, [0-9]* times a second: .* % of all CPUs' "$work/screen.txt"
    check 'a cut: the screen has a row for each processor' "$(cat "$work/screen.txt")" \
        test "$(grep -c '^ *[0-3] .* [0-9.]* ms  *[0-9]* s  *[0-9]*  *0.[0-9]* %' "$work/screen.txt")" -eq 4
    monitor quit >/dev/null
    wait $machine
    shown=$(sed -n 's/^gap: \([0-9]*\) s of.*/\1/p' "$work/screen.txt")
    # A cut while firmware writes may leave clusters that no file has; the log has all that was flushed.
    take 1 cut
    check 'a cut: all rounds but the last' "$(watched cut) s, and the screen $shown s" \
        test "$(watched cut)" -ge $((shown - 1))
    check 'a cut: named a partial result, with its length' "$(cat "$work/cut.err")" grep -q \
        "gap: ERROR, cut short: partial result, $(watched cut) s of 1 h watched: Something took up to" \
        "$work/cut.err"
    check 'a cut: gaps of all processors' "$(value cut '.benches[0].facts')" json cut \
        '[.benches[0].facts | .["partial.gaps"], .["partial.gaps.1"], .["partial.gaps.2"],
        .["partial.gaps.3"]] | length == 4 and all(. > 10)'
    # The medium may have had only a part of the last round.
    bytes=$(wc -c <"$work/cut.log")
    head -c $((bytes - 40)) "$work/cut.log" >"$work/torn.log"
    "$TARE" decode -o "$work/torn.db" "$work/torn.log" >"$work/torn.out" 2>"$work/torn.err"
    check 'a torn round: the rounds before it' "$(cat "$work/torn.err")" \
        test "$(watched torn)" -ge $(($(watched cut) - 1))
}

# Firmware has its turns while the bench runs; its time limit holds nevertheless.
test_limit() {
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    no_serial 'bench=gap gap.ms=60000 bench.limit_ms=8000'
    take 1 limit
    check 'a limit: it ends a watch whose rounds were saved' "$(cat "$work/limit.err")" \
        grep -q 'gap: CRASH, ended by the watchdog after 8000 ms' "$work/limit.err"
}

machine_or_finish 'no serial port'
for file in fsck mcopy.err screen.txt shots.err; do
    : >"$work/$file"
done
codes 800x600
codes 1280x800
test_cut
test_limit
test_file
test_own
test_full
test_partial
test_read_only
test_other_processor
test_no_reader
test_somebody
finish

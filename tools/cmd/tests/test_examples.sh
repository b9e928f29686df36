#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each example of the manual pages (tools/cmd/examples), in its order, in one folder. Lengths are shorter, and
# the machine with the serial port is an emulator.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh

tree=$PWD
folder=$work/folder
mkdir -p "$folder/build" "$work/bin"
ln -s "$tree/build/image" "$folder/build/image"
ln -s "$(realpath "$TARE")" "$work/bin/tare"

# commands: "page NAME" for each heading, and "run COMMAND" for each command, joined to one line.
commands() {
    awk '/^#/ { next }
        $1 == "==" { print "page", $2; next }
        /^    / {
            sub(/^ +/, "")
            line = line == "" ? $0 : line $0
            if (sub(/\\$/, "", line) || line ~ /\|$/) next
            print "run", line
            line = ""
        }' tools/cmd/examples
}

# damaged FROM TO QUARTER: copies the log, and overwrites 300 bytes at the start of that quarter with zeros.
damaged() {
    cp "$1" "$2"
    dd if=/dev/zero of="$2" bs=1 count=300 seek=$(($(wc -c <"$1") * $3 / 4)) conv=notrunc 2>"$work/dd.err"
}

# files_of_pages: makes the files that the examples name but do not make, from those of the first page.
files_of_pages() {
    cp run.log serial.txt
    damaged run.log serial-1.txt 2 && damaged run.log serial-2.txt 3
    for copy in before after reference now a-1 a-2 a-3 b-1 b-2 b-3 first second; do
        cp run.db $copy.db
    done
    echo 'max gap.gap_length 1s in exact' >limits.txt
    cp "$tree/tools/tests/models/single1.model" program.model
}

run() {
    (cd "$folder" && PATH="$work/bin:$PATH" TMPDIR="$work" timeout 60 sh -c "$1")
}

# shortened COMMAND: the command as it is run here.
shortened() {
    printf '%s\n' "$1" | sed -e 's/idle\.ms=10000/idle.ms=100/; s/--seconds 120/--seconds 20/' \
        -e 's/boot quick --repeat 5/boot clock,gap --set gap.ms=20 --repeat 2/' -e "s|/dev/ttyUSB0|$work/line|"
}

machine_or_finish 'the examples of the manual pages'
commands >"$work/commands"
for command in tare $(tare_commands); do
    check "tare $command has examples" "$(cat "$work/commands")" grep -qx "page $command" "$work/commands"
done
while read -r what rest <&3; do
    case $what:$rest in
    page:boot) (cd "$folder" && files_of_pages) ;;
    page:*) ;;
    *ttyUSB0*) expect_status "$rest" 0 with_line run "$(shortened "$rest")" ;;
    *) expect_status "$rest" 0 run "$(shortened "$rest")" ;;
    esac
done 3<"$work/commands"

# What tools/export/README.md and tools/store/README.md state of such runs.
sed -n '/^    for run in runs/,/^    done/p' tools/export/README.md >"$work/loop"
expect_status 'the loop over runs of tools/export/README.md' 0 run "$(cat "$work/loop")"
check 'the loop prints a line for each run' "$(cat "$work/output")" test "$(grep -c ^20 "$work/output")" -eq 2
for key in $(sqlite3 "$folder/run.db" 'SELECT DISTINCT key FROM run'); do
    check "tools/store/README.md names key $key" 'it does not' grep -q "^| .*\`$key\`" tools/store/README.md
done
finish

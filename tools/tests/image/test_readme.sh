#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each indented command of README.md, in its order, in a copy of the tree. Lengths are shorter, the USB
# drive is a file, the machine with the serial port is an emulator, and sudo installs below a folder. A
# line "<!-- boots: N NAME... -->" stands for the boots from the drive that the text asks for, and what is typed.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
icount_shift=6 # the modelled disk is faster than a processor of 128 ns an instruction copies
. tools/tests/support/screen.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
tree=$work/tree
copy_tree
cp -a README.md LICENSE .github "$tree"
mkdir -p "$tree/build/host"
cp -a build/tare "$tree/build"
cp -a build/host/obj build/host/lib build/host/*.list "$tree/build/host" 2>/dev/null

# commands FILE: "run COMMAND" of each indented line outside of code blocks, and "boots N".
commands() {
    awk '/^```/ { inside = !inside }
        inside { next }
        /<!-- boots: [0-9]+.* -->/ { sub(/.*<!-- boots: /, ""); sub(/ -->/, ""); print "boots", $0; next }
        /^    +[^ ]/ && was_blank || /^    +[^ ]/ && was_command { sub(/^ +/, ""); print "run", $0; was_command = 1; was_blank = 0; next }
        { was_blank = $0 ~ /^ *$/; was_command = 0 }' "$1"
}

# In place of the real sudo: installs below $work/stage, unpacks a package there.
mkdir "$work/bin" "$work/stage"
cat >"$work/bin/sudo" <<'END'
#!/bin/sh
case $1 in
make) exec "$@" DESTDIR="$STAGE" ;;
apt) shift 2 && exec dpkg-deb -x "$1" "$STAGE" ;;
*) exec "$@" ;;
esac
END
chmod +x "$work/bin/sudo"

# shortened COMMAND: the command as it is run here.
shortened() {
    printf '%s\n' "$1" | sed -e 's/gap\.ms=60000/gap.ms=20/; s/gap\.ms=1h/gap.ms=200/' \
        -e "s|/dev/sdX1|$work/disk.img@@1M|; s|/dev/sdX|$work/disk.img|; s|conv=fsync|conv=notrunc,fsync|" \
        -e "s|/dev/ttyUSB0|$work/line|"
}

# boots 1, or boots 10 BEFORE AFTER: from the drive, with the plan on it and the name that is typed; of ten boots in
# turns (a b b a a b b a a b) each setting has two, and the others are copies of its second.
boots() {
    for boots_name in "${2:-}" ${3:+"$3" "$3" "$2"}; do
        no_serial "$(mtype -i "$work/disk.img@@1M" ::tare.plan | sed "s/setting=ask/setting=$boots_name/")" \
            -no-reboot >"$work/boot.txt" 2>&1
    done
    for boots_copy in ${3:+3 4 5}; do
        for boots_name in "$2" "$3"; do
            mcopy -n -o -i "$work/disk.img@@1M" "::tare-$boots_name-0002.log" "$work/copy" &&
                mcopy -i "$work/disk.img@@1M" "$work/copy" "::tare-$boots_name-000$boots_copy.log" || return 1
        done
    done
    mdir -b -i "$work/disk.img@@1M" "::tare-${2:+$2-}0001.log" >"$work/boot.txt" 2>&1
}

run() {
    (cd "$tree" && STAGE="$work/stage" PATH="$work/bin:$PATH" TMPDIR="$work" timeout 300 \
        sh -c "$(shortened "$1")")
}

machine_or_finish 'the commands of README.md'
truncate -s 16M "$work/disk.img"
commands README.md >"$work/commands"
check 'README.md has commands' "$(wc -l <"$work/commands")" test "$(grep -c '^run' "$work/commands")" -gt 20
while read -r what rest <&3; do
    case $what:$rest in
    boots:*)
        # shellcheck disable=SC2086 # words
        expect_status "README.md: boots $rest from the drive" 0 boots $rest
        ;;
    *'limits.txt machine.db'*)
        run "$rest" >"$work/output" 2>&1
        check "README.md: $rest: a limit of a processor is not kept by an emulator" "$(cat "$work/output")" \
            grep -q 'the limit is of real time' "$work/output"
        ;;
    *ttyUSB0*) expect_status "README.md: $rest" 0 with_line run "$rest" ;;
    *) expect_status "README.md: $rest" 0 run "$rest" ;;
    esac
done 3<"$work/commands"
finish

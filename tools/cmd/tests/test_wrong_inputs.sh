#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Wrong inputs, each with its exit status and the exact text on standard error: what failed, on what,
# and what to do.
set -u

. tools/tests/support/lib.sh

full() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}
tare=$(full "$TARE")
top=$PWD

"$TEST_BIN/fake_image" --stdout >"$work/serial.log"
cp "${IMAGE:-build/image/tare.efi}" "$work/tare.efi"
cd "$work" || exit 1
"$tare" decode serial.log -o run.db 2>error || fail 'set-up' "$(cat error)"
"$tare" db add fleet.db run.db >error 2>&1 || fail 'set-up' "$(cat error)"
size=$(wc -c <run.db)
head -c $((size / 8)) run.db >cut.db
cp run.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 99'
sqlite3 other.db 'CREATE TABLE anything(a)'
mkdir folder
: >empty.db
echo 'shopping: milk' >text.txt
echo 'max gap.longest 5' >no_unit.limits
echo 'max gap.longest 5 parsecs' >unit.limits
echo 'biggest gap.longest 5us' >statistic.limits

# wrong STATUS ARGUMENT...: the expected text of standard error is on standard input. Times are replaced.
wrong() {
    wrong_status=$1
    shift
    cat >expected
    wrong_got=0
    timeout 60 "$tare" "$@" >output 2>error </dev/null || wrong_got=$?
    sed -i "s/^ *[0-9.]* s  /TIME  /" error
    check "tare $*: status $wrong_status" "it is $wrong_got" test "$wrong_got" -eq "$wrong_status"
    check "tare $*: its text" "$(cat error)" cmp -s expected error
}

# Files that are something else.
wrong 1 report missing.db <<'TEXT'
tare report: cannot read missing.db: No such file or directory
TEXT
wrong 1 show folder <<'TEXT'
tare show: folder is a directory, not a run file
TEXT
wrong 1 show empty.db <<'TEXT'
tare show: empty.db is empty, not a run file
TEXT
wrong 1 export --format csv text.txt <<'TEXT'
tare export: text.txt is not a run file
TEXT
wrong 1 show cut.db <<'TEXT'
tare show: cut.db is damaged (database disk image is malformed): decode its log again
TEXT
wrong 1 show other.db <<'TEXT'
tare show: other.db is a database, but not a run file of tare
TEXT
wrong 1 show fleet.db <<'TEXT'
tare show: fleet.db is a fleet; run "tare db extract fleet.db ID -o RUN.db"
TEXT
wrong 1 compare run.db newer.db <<'TEXT'
tare compare: newer.db is a run file of schema 99, but this tare reads schemas 7 to 9: use a newer tare
TEXT
wrong 1 decode run.db -o new.db <<'TEXT'
tare decode: run.db is a run file; run "tare show run.db"
TEXT
wrong 1 decode text.txt -o new.db <<'TEXT'
tare decode: 15 bytes: 0 frames, 0 repeated, 0 damaged pieces, 15 bytes of text
tare decode: no intact frame of tare received: nothing to write
TEXT
wrong 1 db add text.txt run.db <<'TEXT'
tare db: text.txt is not a fleet; name a fleet, or a file that does not exist yet
TEXT

# Outputs that cannot be written.
wrong 1 report -o missing/page.html run.db <<'TEXT'
tare report: cannot write missing/page.html: No such file or directory
TEXT
wrong 1 export --format csv -o folder run.db <<'TEXT'
tare export: cannot write folder: Is a directory
TEXT
wrong 1 boot --mode exact --bench idle --log missing/run.log tare.efi <<'TEXT'
tare boot: cannot write missing/run.log: No such file or directory
TEXT

# Limits.
wrong 2 compare --limits no_unit.limits run.db <<'TEXT'
tare compare: no_unit.limits:1: the value has no unit: must be ns, us, ms, s, ticks, instructions, Hz, MB/s, GB/s, B/instruction, B/tick, ppm, %, count, or /s of rates
TEXT
wrong 2 compare --limits unit.limits run.db <<'TEXT'
tare compare: unit.limits:1: unknown unit "parsecs": must be ns, us, ms, s, ticks, instructions, Hz, MB/s, GB/s, B/instruction, B/tick, ppm, %, count, or /s of rates
TEXT
wrong 2 compare --limits statistic.limits run.db <<'TEXT'
tare compare: statistic.limits:1: unknown statistic "biggest": must be min, median, mean, p90, p99, p999, p9999, max or rate
TEXT
wrong 2 compare run.db <<'TEXT'
tare compare: needs a second run, or --limits FILE
See: tare help compare
TEXT

# Words and values.
wrong 2 shwo run.db <<'TEXT'
tare: unknown command shwo; did you mean show?
See: tare help
TEXT
wrong 2 frobnicate <<'TEXT'
tare: unknown command frobnicate
See: tare help
TEXT
wrong 2 boot --benhc idle <<'TEXT'
tare boot: unknown option --benhc; did you mean --bench?
See: tare help boot
TEXT
wrong 2 show --frobnicate run.db <<'TEXT'
tare show: unknown option --frobnicate
See: tare help show
TEXT
wrong 2 boot --force=yes <<'TEXT'
tare boot: option --force takes no value
See: tare help boot
TEXT
wrong 2 decode serial.log -o <<'TEXT'
tare decode: option -o needs a value
See: tare help decode
TEXT
wrong 2 export --format jsno run.db <<'TEXT'
tare export: --format jsno is unknown; did you mean json?
See: tare help export
TEXT
wrong 2 boot --mode fast <<'TEXT'
tare boot: --mode fast: must be auto, exact or real
See: tare help boot
TEXT
wrong 2 boot --profile nose <<'TEXT'
tare boot: --profile nose is unknown; did you mean noise?
See: tare help boot
TEXT
wrong 2 db lsit fleet.db <<'TEXT'
tare db: action lsit is unknown; did you mean list?
See: tare help db
TEXT
wrong 2 boot --smp 0 <<'TEXT'
tare boot: --smp 0: must be a number from 1 to 255
See: tare help boot
TEXT
wrong 2 show --from 3 run.db <<'TEXT'
tare show: --from 3: must be a time with its unit, such as 3.2s, 250ms, 40us, 900ns or 12000ticks
See: tare help show
TEXT
wrong 2 --colour=red show run.db <<'TEXT'
tare: unknown option --colour; did you mean --color?
See: tare help
TEXT

# Before a boot.
wrong 2 boot --mode exact --bench idel tare.efi <<'TEXT'
tare boot: no bench "idel"; did you mean "idle"?
See: tare help boot
TEXT
wrong 2 boot --mode exact --bench idle --set idle.msec=3 tare.efi <<'TEXT'
tare boot: unknown plan key "idle.msec"; did you mean "idle.ms"?
See: tare help boot
TEXT
wrong 2 boot --mode exact --bench idle --set idle.ms=9999999999 tare.efi <<'TEXT'
tare boot: idle.ms: expected a time from 1 to 86400000 ms, got "9999999999"
See: tare help boot
TEXT
wrong 1 boot --mode exact --bench idle missing.efi <<'TEXT'
tare boot: cannot read image missing.efi: No such file or directory; "make image" builds it
TEXT
wrong 1 boot --mode exact --bench idle --firmware missing.fd tare.efi <<'TEXT'
tare boot: cannot read missing.fd: No such file or directory
TEXT
wrong 1 boot --mode exact --bench idle --qemu ./missing tare.efi <<'TEXT'
tare boot: cannot run ./missing: No such file or directory
TEXT
wrong 1 boot --mode exact --bench idle --plan missing.plan tare.efi <<'TEXT'
tare boot: cannot read plan missing.plan: No such file or directory
TEXT

# Without KVM: QEMU that ends at once. The verdict is kept, named, and tried again.
cat >qemu <<'QEMU'
#!/bin/sh
[ "$1" != --version ] || { echo 'QEMU emulator version 7.2.0'; exit 0; }
echo 'qemu: no guest' >&2
exit 1
QEMU
chmod +x qemu
: >firmware.fd
# real REASON: the text where KVM is not used.
real() {
    {
        echo "TIME  no KVM ($1): emulated in host time; this shows only that the image works, its times mean nothing"
        cat "$work/ends"
    } >"$work/real"
    wrong 1 boot --mode real --bench idle --qemu ./qemu --firmware firmware.fd --log new.log \
        tare.efi <"$work/real"
}
cat >ends <<'TEXT'
TIME  booting tare.efi: emulated
tare boot: QEMU exited with status 1 before the run ended
QEMU printed:
qemu: no guest
tare boot: received nothing over the serial line: no run file written
TEXT
if [ -w /dev/kvm ]; then
    real 'a trial boot failed: qemu: no guest'
elif [ -e /dev/kvm ]; then
    real '/dev/kvm: Permission denied'
else
    real '/dev/kvm: No such file or directory'
fi

# A guest that never comes to the image, as one of very many processors: what QEMU printed is shown.
cat >qemu <<'QEMU'
#!/bin/sh
[ "$1" != --version ] || { echo 'QEMU emulator version 7.2.0'; exit 0; }
echo 'KVM internal error. Suberror: 1' >&2
exec sleep 20
QEMU
wrong 1 boot --mode exact --bench idle --smp 255 --timeout 1 --qemu ./qemu --firmware firmware.fd \
    --log silent.log tare.efi <<'TEXT'
TIME  booting tare.efi: exact, 8 ns per instruction
tare boot: firmware did not start the image within 1 s, with 255 processors; fewer processors (--smp), a larger --timeout or other --firmware may help
QEMU printed:
KVM internal error. Suberror: 1
tare boot: received nothing over the serial line: no run file written
TEXT

cd "$top" || exit 1
finish

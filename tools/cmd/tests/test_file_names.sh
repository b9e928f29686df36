#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files by their exact names, also where SQLite would read a URI; and files as other programs leave
# them: UTF-8 with its mark, UTF-16, logs with changed line ends.
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
"$TEST_BIN/big_log" 20000 2000 >"$work/serial.log"
"$TEST_BIN/fake_image" --stdout >"$work/binary.log"
"$TEST_BIN/fake_image" --stdout --format text >"$work/text.log"
cd "$work" || exit 1

"$tare" decode serial.log -o run.db 2>error || fail 'set-up' "$(cat error)"
"$tare" show run.db 2>&1 | sed '/^more:/,$d' >shown.txt

# quiet NAME COMMAND...: it ends with status 0.
quiet() {
    quiet_name=$1
    shift
    "$@" >"$work/output" 2>&1 && return
    fail "$quiet_name: $2 $3" "$(tail -n 3 "$work/output")"
}

# name NAME: a run file and a fleet of this name, written, read and changed, and no other file.
name() {
    rm -rf names
    mkdir names
    cd names || exit 1
    quiet "$1" "$tare" decode ../serial.log -o "$1"
    check "$1: the run is in the file of that name, and nowhere else" "$(ls -A)" test "$(ls -A)" = "${1#./}"
    check "$1: the run file is that of any other name" "$(ls -l)" cmp -s "./$1" ../run.db
    "$tare" show "$1" 2>&1 | sed '/^more:/,$d' >../named.txt
    check "$1: show" "$(diff ../named.txt ../shown.txt | head -n 4)" cmp -s ../named.txt ../shown.txt
    quiet "$1" "$tare" export --format csv -o export "$1"
    quiet "$1" "$tare" report -o page.html "$1"
    quiet "$1" "$tare" diff --force "$1" ../run.db
    mv "./$1" run
    rm -rf export page.html
    quiet "$1" "$tare" db add "$1" run
    check "$1: the fleet is in the file of that name" "$(ls -A)" test -s "./$1" -a "$(find . -type f | wc -l)" -eq 2
    check "$1: db query" "$("$tare" db query "$1" 'SELECT count(*) AS n FROM fleet' 2>&1)" \
        test "$("$tare" db query --csv "$1" 'SELECT count(*) AS n FROM fleet' 2>&1 | tail -n 1 | tr -d '\r')" = 1
    quiet "$1" "$tare" db list "$1"
    quiet "$1" "$tare" db extract "$1" 1 -o out.db
    check "$1: db extract" 'other bytes' cmp -s out.db run
    cd ..
}

for odd in 'file:x.db' 'file:x.db?mode=memory' ':memory:' 'a?mode=ro' '100%.db' '%41.db' 'x#y.db' \
    'two words.db' "quote'.db" './-dash.db'; do
    name "$odd"
done

# Texts with the mark of UTF-8, and in UTF-16.
marked() {
    printf '\357\273\277'
    cat "$1"
}
wide() {
    iconv -f UTF-8 -t UTF-16LE "$1"
}
printf 'min idle.idle 0ns\n' >plain.limits
cp "$top/tools/tests/models/single1.model" plain.model
echo 'type "a"' >plain.keys
for text in limits model keys; do
    marked "plain.$text" >"marked.$text"
    wide "plain.$text" >"wide.$text"
done

# same NAME COMMAND-WITH-FILE...: FILE in it is replaced: plain and marked give the same.
same() {
    same_name=$1
    same_kind=$2
    shift 2
    same_plain=0 same_marked=0
    "$tare" "$@" "plain.$same_kind" >plain.txt 2>&1 || same_plain=$?
    "$tare" "$@" "marked.$same_kind" >marked.txt 2>&1 || same_marked=$?
    sed -i 's/marked\./plain./g' marked.txt
    check "$same_name with a mark of UTF-8" "$(head -n 3 marked.txt)" test "$same_plain" = "$same_marked"
    check "$same_name with a mark of UTF-8: the same result" "$(diff plain.txt marked.txt | head -n 4)" \
        cmp -s plain.txt marked.txt
    check "$same_name: read at all" "$(head -n 3 plain.txt)" test "$same_plain" -lt 2
}
# wrong STATUS ARGUMENT...: the expected text of standard error is on standard input.
wrong() {
    wrong_status=$1
    shift
    cat >expected
    wrong_got=0
    "$tare" "$@" >output 2>error </dev/null || wrong_got=$?
    check "tare $*: status $wrong_status" "it is $wrong_got" test "$wrong_got" -eq "$wrong_status"
    check "tare $*: its text" "$(cat error)" cmp -s expected error
}
same limits limits compare run.db --limits
same model model sim --passes 20 --replications 1
cp "$top/${IMAGE:-build/image/tare.efi}" tare.efi
for text in plain marked; do
    "$tare" boot --mode exact --bench echo --qemu false --log boot.log -o boot.db --keys "@$text.keys" tare.efi 2>&1 |
        sed 's/^ *[0-9.]* s  //' >"$text.txt"
done
check 'keys with a mark of UTF-8: the boot begins' "$(cat marked.txt)" grep -q '^booting' marked.txt
check 'keys with a mark of UTF-8: the same as without' "$(diff plain.txt marked.txt)" cmp -s plain.txt marked.txt
wrong 1 compare run.db --limits wide.limits <<'TEXT'
tare compare: wide.limits is UTF-16: save it as UTF-8
TEXT
wrong 1 sim wide.model <<'TEXT'
tare sim: wide.model: the file is UTF-16: save it as UTF-8
TEXT
wrong 2 boot --mode exact --bench echo --keys @wide.keys tare.efi <<'TEXT'
tare boot: --keys: wide.keys: is UTF-16: save it as UTF-8
See: tare help boot
TEXT

# A log in text format that a shell wrote in UTF-16, with its mark and without.
"$tare" decode text.log -o text.db 2>plain.txt
for form in UTF-16LE UTF-16BE; do
    iconv -f UTF-8 -t $form text.log >wide.log
    { [ $form = UTF-16LE ] && printf '\377\376' || printf '\376\377'; } | cat - wide.log >marked.log
    for log in wide marked; do
        touch -r text.log $log.log # the run file has the time of the log
        "$tare" decode $log.log -o wide.db 2>wide.txt
        check "$form, $log: reported" "$(cat wide.txt)" test "$(head -n 1 wide.txt)" = \
            "tare decode: $log.log: it is UTF-16, as written by PowerShell's >, and was converted back to bytes"
        sed 1d wide.txt >rest.txt
        check "$form, $log: the same counts" "$(diff plain.txt rest.txt)" cmp -s plain.txt rest.txt
        check "$form, $log: the same run" 'it differs' cmp -s text.db wide.db
    done
done
"$tare" decode marked.log marked.log -o wide.db 2>wide.txt
check 'UTF-16, merged: the same run' "$(cat wide.txt)" cmp -s text.db wide.db

# A binary log whose line ends were changed.
"$tare" decode serial.log -o run.db 2>plain.txt
LC_ALL=C sed 's/$/\r/' serial.log >crlf.log
LC_ALL=C awk -v RS='\n' -v ORS='\n\n' 1 serial.log >doubled.log
LC_ALL=C tr '\n' '\r' <serial.log >no_lf.log
LC_ALL=C tr -d '\r' <serial.log >no_cr.log
# ends LOG TEXT: what is reported of it.
ends() {
    rm -f ends.db
    touch -r serial.log "$1"
    "$tare" decode "$1" -o ends.db 2>ends.txt
    check "$1: reported" "$(head -n 2 ends.txt)" test "$(head -n 1 ends.txt)" = "tare decode: $1: $2"
}
cure='; frames that it damaged are lost: capture again in binary mode, or boot with link.format=text, which is not damaged by it'
ends crlf.log 'each 0Ah became 0Dh 0Ah (text mode), which was undone'
check 'crlf.log: the same run' 'it differs' cmp -s run.db ends.db
ends doubled.log 'each 0Ah was doubled (text mode), which was undone'
check 'doubled.log: the same run' 'it differs' cmp -s run.db ends.db
ends no_lf.log "it has no byte 0Ah: each was dropped or became 0Dh (text mode)$cure"
ends no_cr.log "it has no byte 0Dh: each was dropped or became 0Ah (text mode)$cure"
"$tare" decode - -o ends.db <crlf.log 2>ends.txt
check 'a pipe: how to take it back' "$(head -n 2 ends.txt)" test "$(head -n 1 ends.txt)" = \
    'tare decode: -: each 0Ah became 0Dh 0Ah (text mode); "tare decode FILE" undoes this'
check 'an unchanged log: nothing is reported' "$(cat plain.txt)" test "$(grep -c 'text mode' plain.txt)" = 0
for name in LF CR doubled; do
    case $name in LF) end='\n' ;; CR) end='\r' ;; *) end='\r\n\r\n' ;; esac
    LC_ALL=C tr -d '\r' <text.log | LC_ALL=C awk -v ORS="$end" 1 >ends.log
    touch -r text.log ends.log
    "$tare" decode ends.log -o ends.db 2>/dev/null
    check "text format with line ends changed to $name: the same run" 'it differs' cmp -s text.db ends.db
done

# The host's time of a log is kept, and does not make another run of a copy of the log.
touch -d '2020-02-02 10:00 UTC' serial.log
"$tare" decode serial.log -o ends.db 2>/dev/null
check 'the time of the capture' "$("$tare" db query ends.db "SELECT * FROM run WHERE key LIKE 'log%'")" \
    sh -c '"$1" db query ends.db "SELECT value FROM run WHERE key = '"'log.captured'"'" | grep -q 2020-02-02T10:00:00Z' sh "$tare"
"$tare" db add fleet.db run.db ends.db >added.txt 2>&1
check 'a fleet takes it once' "$(cat added.txt)" grep -q 'already present: ends.db' added.txt

cd "$top" || exit 1
finish

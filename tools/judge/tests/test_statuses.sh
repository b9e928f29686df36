#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Exit statuses: each of each command in the table of tools/cmd/README.md is provoked.
set -u

. tools/tests/support/lib.sh

table=tools/cmd/README.md
: >"$work/provoked"

# status COMMAND STATUS ARGUMENT...: `tare COMMAND ARGUMENT...` ends with it. COMMAND tare: no command.
status() {
    status_command=$1
    status_wanted=$2
    shift 2
    echo "$status_command $status_wanted" >>"$work/provoked"
    if [ "$status_command" = tare ]; then
        expect_status "tare $*: $status_wanted" "$status_wanted" "$TARE" "$@"
    else
        expect_status "tare $status_command $*: $status_wanted" "$status_wanted" \
            "$TARE" "$status_command" "$@"
    fi
}

# To a device that is always full.
full() {
    full_status=0
    "$TARE" help >/dev/full 2>"$work/output" || full_status=$?
    echo "tare 1" >>"$work/provoked"
    check 'standard output that is full: 1' "$full_status" test "$full_status" -eq 1
}

log=$work/a.log
run=$work/a.db
for letter in a b; do
    work_us=2000
    [ "$letter" = a ] || work_us=2100
    status boot 0 --mode exact --shift 6 --bench paths,echo --set paths.samples=100 \
        --set "echo.work_us=$work_us" --log "$work/$letter.log" -o "$work/$letter.db"
done
head -c $(($(stat -c %s "$log") * 2 / 3)) "$log" >"$work/part.log"
printf 'BROKEN' >"$work/broken.txt"
printf 'median paths.switch 1 instructions\n' >"$work/limits"

full
status tare 0 help
status tare 2 nonsense
status boot 1 --mode exact --qemu false --log "$work/x.log" -o "$work/x.db"
status boot 2 --repeat 0
"$TARE" capture --log "$work/c.log" -o "$work/c.db" - <"$log" >"$work/output" 2>&1
captured=$?
echo 'capture 0' >>"$work/provoked"
check 'tare capture of a whole log: 0' "$captured $(cat "$work/output")" test "$captured" -eq 0
"$TARE" capture --log "$work/d.log" -o "$work/d.db" - <"$work/part.log" >"$work/output" 2>&1
captured=$?
echo 'capture 1' >>"$work/provoked"
check 'tare capture of a part of one: 1' "$captured" test "$captured" -eq 1
status capture 2
status host 0 --bench loop -o "$work/host.db"
status host 1 --bench loop -o "$work/none/host.db"
status host 2
status events 0 --cpu skl INST_RETIRED
status events 1 --cpu skl nothing_like_it
status events 2 --cpu nonsense
status disk 0 --mib 64 --no-documents -o "$work/disk.img"
status disk 1 --mib 64 --no-documents -o "$work/none/disk.img"
status disk 2
status peer 0 --local "unix:$work/near" --remote "unix:$work/far" --seconds 1
status peer 1 --local 192.0.2.1:1 --seconds 1
status peer 2 --seconds nonsense
status watch 0 --once "$log"
status watch 1 --once "$work/none.log"
status watch 2
status show 0 "$run"
status show 1 "$work/none.db"
status show 2
status report 0 -o "$work/page.html" "$run"
status report 1 -o "$work/page.html" "$work/none.db"
status report 2
status compare 0 "$run" "$run"
status compare 1 "$run" "$work/b.db"
status compare 1 --limits "$work/limits" "$run"
status compare 1 --history "$work/none"
status compare 2 "$run" "$work/host.db"
status compare 2 --limits "$work/broken.txt" "$run"
status diff 0 "$run" "$run"
status diff 1 "$run" "$work/b.db"
status diff 2 "$run" "$work/none.db"
status sim 0 --replications 2 --quanta 100 tools/tests/models/single1.model
status sim 1 "$work/broken.txt"
status sim 2
status doctor 0
PATH=/var/empty status doctor 1
status doctor 2 --none
status decode 0 "$log" -o "$work/e.db"
status decode 1 "$work/part.log" -o "$work/f.db"
status decode 2
status export 0 --format csv-summary "$run"
status export 1 --format csv "$work/none.db"
status export 2
status db 0 add "$work/fleet.db" "$run"
status db 1 list "$work/none.db"
status db 2

# The table's cells, and the commands that there are.
sed -n '/^## Exit statuses/,$s/^| `tare *\([a-z]*\)` | \(..*\) | \(..*\) | \(..*\) |$/\1|\2|\3|\4/p' "$table" |
    while IFS='|' read -r command _; do
        printf '%s 0\n%s 1\n%s 2\n' "${command:-tare}" "${command:-tare}" "${command:-tare}"
    done | LC_ALL=C sort >"$work/listed"
LC_ALL=C sort -u "$work/provoked" >"$work/found"
check 'the table has what was provoked, and nothing else' "$(diff "$work/listed" "$work/found")" \
    cmp -s "$work/listed" "$work/found"
{
    echo tare
    tare_commands
} | LC_ALL=C sort -u >"$work/commands"
cut -d ' ' -f 1 "$work/listed" | LC_ALL=C sort -u >"$work/listed.commands"
check 'the table has each command' "$(diff "$work/commands" "$work/listed.commands")" \
    cmp -s "$work/commands" "$work/listed.commands"
for command in $(tare_commands); do
    "$TARE" help "$command" | sed -n '/^Exit status: /,$p' | tr '\n' ' ' >"$work/help"
    check "tare help $command lists them" "$(cat "$work/help")" \
        sh -c 'grep -q " 0 " "$1" && grep -q "[ ;] *1 " "$1" && grep -q "[ ;] *2 " "$1"' sh "$work/help"
done

finish

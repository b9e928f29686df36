#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tasks slides, page_down and object_edit in a short form: the same work in each structure of the
# window system; each long action of slides is the modelled disk's time and known work; what a
# server or 16-bit code costs is what its flushes cost, which are measured apart.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

facts() {
    value slides ".benches[] | select(.name == \"$1\") | .facts" | tr -d '\n '
}

# of BENCH FILTER
of() {
    json slides ".benches[] | select(.name == \"$1\") | $2"
}

# same BENCH FACT PHASES
same() {
    of "$1" "[.facts | to_entries[] | select(.key | startswith(\"$2.\")) | .value] |
        length == $3 and (unique | length) == 1"
}

# table CACHE_PAGES
table() {
    /usr/bin/python3 tools/tests/image/slides_table.py "$work/slides.db" "$work/events.csv" \
        "$work/slides.json" "$1" >"$work/table" 2>&1
}

# costs STRUCTURE BENCH CLASS LIMIT
costs() {
    /usr/bin/python3 tools/tests/image/flush_cost.py "$work/slides.db" "$work/slides.json" "$2" "$3" \
        test "$1" "$4" >"$work/cost" 2>&1
}

page='; then 5ms pagedown hold=2ms every=5ms'
edit='; then 5ms key 4 as=edit; then 5ms key 9 as=edit; then 5ms key esc as=end_edit'
script="key f1 as=start; then 5ms key ctrl+o as=open$page x11; then 5ms key enter as=start_edit_1$edit"
script="$script$page x13; then 5ms key enter as=start_edit_2$edit"
script="$script$page x13; then 5ms key enter as=start_edit_3$edit; then 5ms key ctrl+s as=save"
down='then 30ms pagedown as=page_down'
up='then 30ms pageup as=page_up'
begin='then 30ms key enter as=start_edit'
esc='then 30ms key esc as=end_edit'
boot slides 0 --shift 7 --bench slides,page_down,object_edit --set trace.bytes=16000000 \
    --set slides.structures=server --set slides.drivers=fast \
    --set slides.start_us=200000 --set slides.open_us=1000 --set slides.page_us=0 \
    --set slides.object_us=0 --set slides.session_us=100000 --set slides.edit_us=1000 \
    --set slides.save_us=2000 --set "slides.script={$script}" \
    --set page_down.drivers=test --set page_down.tick_hz=0 \
    --set page_down.page_us=0 --set page_down.object_us=2000 \
    --set "page_down.script={pagedown as=warm_up; $up; $down; $up; $down}" \
    --set object_edit.drivers=test --set object_edit.tick_hz=0 \
    --set object_edit.session_us=0 --set object_edit.leak_kib=8 \
    --set "object_edit.script={key enter as=warm_up; $esc; $begin; $esc; $begin}"
check 'slides: OK' "$(value slides '.benches[].reason' | tr '\n' ' ')" \
    all_ok slides slides page_down object_edit
for fact in screen_checksum document_checksum requests drawn flushes calls; do
    check "page_down: $fact is the same in all structures" "$(facts page_down)" \
        same page_down $fact 3
    check "object_edit: $fact is the same in all structures" "$(facts object_edit)" \
        same object_edit $fact 3
done

"$TARE" export --format csv-events --bench slides -o "$work/events.csv" "$work/slides.db"
"$TARE" export --format json -o "$work/slides.json" "$work/slides.db"
table 1024
right=$?
check 'table 1: each action is the disk time of its requests and known work, to 8 us a request' \
    "$(cat "$work/table")" test "$right" -eq 0
table 600
wrong=$?
check 'and not with a smaller cache' "$(cat "$work/table")" test "$wrong" -ne 0
costs server page_down page_down 0.02
right=$?
check 'page_down: a server takes longer than in_kernel by the cost of its flushes, to 2 %' \
    "$(cat "$work/cost")" test "$right" -eq 0
costs segmented page_down page_down 0.1
right=$?
check 'page_down: 16-bit code does too, to 10 %: its requests are not all alike' \
    "$(cat "$work/cost")" test "$right" -eq 0
costs server object_edit start_edit 0.01
right=$?
check 'object_edit: a server takes longer by the cost of its flushes' "$(cat "$work/cost")" \
    test "$right" -eq 0
check 'object_edit: what each session keeps makes the next one longer' "$(facts object_edit)" \
    of object_edit '[.interactive.events[] | select(.kind == "key_down" and .code == 28) |
        .busy | tonumber] | .[2] > .[1] + 1000'
check 'show --longest has the systems beside each other' '' \
    sh -c "\"$TARE\" show --longest 3 page_down \"$work/slides.db\" | grep -q 'requests *in_kernel *disk *server *disk *segmented'"
finish
